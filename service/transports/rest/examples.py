"""Examples of every operation, made by asking the use cases themselves, so that none can go stale.

Whist, dealt from a fixed seed, shows what each operation can do; every other game then has a `Scene`. A request is kept
as a caller would write it; its answer is what it gives.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from service.batch import answer, run_batch
from service.messages import GetGameRequest, Limits
from service.rules import Rules

from .bodies import encode, read, read_batch

Json = dict[str, Any]
Examples = Mapping[str, tuple[Json, Json]]
"""Each example's request and answer, by its name."""

MATCH: Final[Json] = {"game": "whist", "options": {"preset": "short"}, "seed": "an evening of whist"}
FACTS: Final[Json] = {"game": "whist", "facts": {"tricks": [9, 4], "honours": [2, 0, 1, 1]}}
CARDS_SHOWN: Final = 3


class Scene(Struct, frozen=True, kw_only=True):
    """A position of a game, reached from `match` by `moves`; a move that is illegal there; and facts to be scored."""

    match: Json
    moves: tuple[str, ...] = ()
    illegal: str
    facts: Json
    tiers: tuple[str, ...] = ()
    odds: bool = False


SCENES: Final = (
    Scene(
        match={"game": "peewee7", "seed": "an evening of PeeWee 7"},
        moves=("bid 7H", "dare"),
        illegal="bid 8H",
        facts={"contract": {"tricks": 9, "strain": "H", "side": 0, "dare": 1}, "tricks": 10},
    ),
    Scene(
        match={"game": "wippen", "places": 2, "seed": "an evening of Wippen"},
        illegal="trail 2C",
        facts={
            "heaps": [
                {"cards": 30, "spades": 7, "aces": 3, "tenOfDiamonds": 1, "wips": 2},
                {"cards": 22, "spades": 6, "aces": 1, "twoOfSpades": 1},
            ]
        },
        tiers=("groups", "shapes"),
    ),
    Scene(
        match={"game": "wipe", "places": 2, "seed": "an evening of Le Wipe"},
        illegal="capture 8C take 9C",
        facts={
            "counts": [
                {"cards": 30, "spades": 7, "aces": 3, "tenOfDiamonds": True},
                {"cards": 22, "spades": 6, "aces": 1, "twoOfSpades": True},
            ],
            "lastTrick": 1,
            "wipes": [{"made": 2}, {"made": 1}],
        },
    ),
    Scene(
        match={"game": "flip7", "places": 3, "seed": "an evening of Flip 7"},
        illegal="give freeze 1",
        facts={"rows": [{"cards": ["x2", "+8", "7", "11"]}, {"cards": ["5", "9", "9"], "busted": True}]},
        odds=True,
    ),
)
LANGUAGE: Final = "en"


def examples(rules: Rules) -> dict[str, Examples]:
    """The examples of each operation, by the operation's name."""
    return _Maker(rules).all()


def games_examples(rules: Rules) -> dict[str, Json]:
    """What the two GET routes of games answer, whist being the game asked for."""
    return {"listGames": _json(rules.list_games()), "getGame": _json(rules.get_game(GetGameRequest(game="whist")))}


def _json(value: Any) -> Json:
    decoded: Json = msgspec.json.decode(encode(value))
    return decoded


class _Maker:
    def __init__(self, rules: Rules) -> None:
        self._rules = Rules(Limits(**{**msgspec.structs.asdict(rules.limits), "batch_calls": 100, "work": 10_000}))

    def ask(self, operation: str, request: Json) -> Json:
        limits = self._rules.limits
        body = encode(request)
        if operation == "batch":
            return _json(run_batch(self._rules, read_batch(body, limits), LANGUAGE))
        return _json(answer(self._rules, operation, read(operation, body, limits), LANGUAGE))

    def all(self) -> dict[str, Examples]:
        dealt = self.ask("deal", MATCH)["state"]
        first = self._legal(dealt)[0]
        led = self.ask("play", {"state": dealt, "move": first})["state"]
        follower = self._legal(led)[0]
        stranger = self._stranger(led)
        requests: dict[str, dict[str, Json]] = {
            "deal": {
                "aSeed": MATCH,
                "cardsOnTheTable": {"game": "whist", "chance": "caller", "dealer": 2},
            },
            "validate": {
                "legal": {"state": led, "move": follower["text"]},
                "illegal": {"state": led, "move": {"type": "play", "card": stranger}},
            },
            "legal_moves": {
                "all": {"state": led},
                "firstThree": {"state": led, "limit": CARDS_SHOWN, "explain": True},
            },
            "play": {
                "asText": {"state": led, "move": follower["text"]},
                "asAnswered": {"state": led, "move": follower},
            },
            "score": {"state": {"state": led}, "facts": FACTS},
            "view": {
                "seat": {"state": led, "viewer": led["toAct"]["seat"]},
                "spectator": {"state": led, "viewer": "spectator"},
            },
            "replay": {"record": {**MATCH, "moves": [{"move": first["text"]}, {"move": follower["text"]}]}},
            "batch": {
                "twoCalls": {
                    "calls": [
                        {"id": "score", "score": FACTS},
                        {"id": "revoke", "play": {"state": led, "move": f"play {stranger}"}},
                    ]
                }
            },
        }
        for scene in SCENES:
            for operation, named in self._of_scene(scene).items():
                requests.setdefault(operation, {}).update(named)
        return {
            operation: {name: (request, self.ask(operation, request)) for name, request in named.items()}
            for operation, named in requests.items()
        }

    def _of_scene(self, scene: Scene) -> dict[str, dict[str, Json]]:
        """Requests that a scene makes, by operation, each named after the game."""
        name = scene.match["game"]
        record = {**scene.match, "moves": [{"move": words} for words in scene.moves]}
        state = self.ask("replay", record)["state"]
        move = self._legal(state)[0]["text"]
        view = self.ask("view", {"state": state, "viewer": 0})["view"]
        requests: dict[str, dict[str, Json]] = {
            "deal": {name: scene.match},
            "validate": {
                name: {"state": state, "move": move},
                f"{name}Illegal": {"state": state, "move": scene.illegal},
            },
            "legal_moves": {
                name: {"state": state},
                **{f"{name}{tier.capitalize()}": {"state": state, "tier": tier} for tier in scene.tiers},
            },
            "play": {name: {"state": state, "move": move}},
            "score": {f"{name}Facts": {"game": name, "facts": scene.facts}},
            "view": {name: {"state": state, "viewer": state["toAct"]["seat"]}},
            "replay": {name: record},
            "sample": {name: {"view": view, "n": 1, "seed": "guess"}},
            "simulate": {name: {"state": state, "n": 2, "seed": "at random", "until": "deal"}},
        }
        return requests | ({"outcomes": {name: {"state": state}}} if scene.odds else {})

    def _legal(self, state: Json) -> list[Json]:
        moves: list[Json] = self.ask("legal_moves", {"state": state})["moves"]
        return moves

    def _stranger(self, state: Json) -> str:
        """A card that may not be played now: of the hand to play from if there is one, else of another."""
        explained = self.ask("legal_moves", {"state": state, "explain": True}).get("explained")
        if explained:
            card: str = explained[0]["card"]
            return card
        others = (hand for index, hand in enumerate(state["hands"]) if index != state["toAct"]["hand"])
        return str(next(card for hand in others for card in hand["cards"]))
