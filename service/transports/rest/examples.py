"""An example of every operation, made by asking the use cases themselves, so that none can go stale.

The match is whist, dealt from a fixed seed. A request is kept as a caller would write it; its answer is what it gives.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

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
        return {
            operation: {name: (request, self.ask(operation, request)) for name, request in named.items()}
            for operation, named in requests.items()
        }

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
