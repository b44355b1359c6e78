"""Worked cases of PeeWee 7: seats 0 and 2 are side 0, the dealer is seat 3 unless said."""

from typing import Any, Final

from engine.games.peewee7 import PeeweeState
from tests.cases.case import Body, Case, among, body
from tests.engine.peewee7.positions import called, cards, dealt, play_out, played


def _state(state: PeeweeState) -> Any:
    return body(state)


def _auction(calls: str, dealer: int = 3, **options: Any) -> Any:
    return _state(called(dealt(dealer=dealer, **options), calls))


def _texts(*words: str) -> among:
    return among(*({"text": text} for text in words))


def _facts(facts: Body, **options: Any) -> Body:
    return {"game": "peewee7", "options": options, "facts": facts}


def _contract(tricks: int, strain: str, side: int, dare: int = 0) -> Body:
    return {"tricks": tricks, "strain": strain, "side": side, "dare": dare}


def _item(rule: str, side: int, account: str, points: int) -> Body:
    return {"rule": rule, "side": side, "account": account, "points": points}


def _total(row: str, points: tuple[int, int]) -> list[Body]:
    """The totals of a paper with one row written in, the rows from the highest to the lowest."""
    return [
        {"account": each, "side": side, "points": points[side] if each == row else 0, "unit": "halfCrosses"}
        for each in ("NT", "H", "S", "D", "C")
        for side in (0, 1)
    ]


_SPADES = "2C KS AH 2S 3S 4S 5S 6S 7S 8S 9S TS JS"


def _led(fourth: str, words: str) -> PeeweeState:
    """Seat 1 is Master of hearts and seat 3 its Peewee; diamonds are led."""
    hands = [cards(hand) for hand in ("4D", "5D", "6D", fourth)]
    return played(called(dealt(hands), "pass 7H pass pass pass"), words)


CASES: Final = [
    Case(
        name="three of one colour lie open: the search for the sides goes on a card at a time",
        call="replay",
        request={
            "game": "peewee7",
            "options": {"teamDraw": True},
            "chance": "caller",
            "moves": [{"move": f"draw {card}"} for card in ("AS", "KC", "7S", "2H", "9C", "3D")],
        },
        answer={"state": {"phase": "deal", "seating": [[0], [1], [2], [3]], "black": None, "toAct": {"seat": 3}}},
    ),
    Case(
        name="the first call: seven of anything, or a pass",
        call="legal_moves",
        request={"state": _auction(""), "limit": 6},
        answer={"total": "36", "truncated": True, "cursor": "6"},
    ),
    Case(
        name="spades are below hearts here",
        call="validate",
        request={"state": _auction("7H"), "move": {"type": "bid", "tricks": 7, "strain": "S"}},
        answer={"legal": False, "violation": {"code": "BID_TOO_LOW", "clause": "peewee7/P-7"}},
    ),
    Case(
        name="eight clubs are above seven without trumps",
        call="validate",
        request={"state": _auction("7NT"), "move": "bid 8c"},
        answer={"legal": True},
    ),
    Case(
        name="nobody bids: the same dealer deals again",
        call="play",
        request={"state": _auction("pass pass pass"), "move": "pass"},
        answer={
            "state": {"phase": "deal", "toAct": {"seat": 3, "hand": 3}, "contract": None},
            "events": [{"type": "called", "call": {"type": "pass"}}, {"type": "thrownIn", "dealer": 3}],
        },
    ),
    Case(
        name="a dared suit is shut",
        call="play",
        request={"state": _auction("7H dare"), "move": "bid 8H"},
        problem={"code": "ILLEGAL_MOVE", "status": 422, "violation": {"code": "DARED_SUIT_CLOSED"}},
    ),
    Case(
        name="and told so in French",
        call="validate",
        request={"state": _auction("7H dare"), "move": "bid 8H"},
        answer={"violation": {"message": "Tant que le dare tient, on ne peut plus rien annoncer à cœur."}},
        language="fr",
    ),
    Case(
        name="nobody dares the own side's bid",
        call="validate",
        request={"state": _auction("7H pass"), "move": "dare"},
        answer={"legal": False, "violation": {"code": "OWN_SIDE"}},
    ),
    Case(
        name="a dare lapses when its bid is outbid; who first named the strain is the Master",
        call="play",
        request={"state": _auction("7H dare 7NT pass pass"), "move": "pass"},
        answer={
            "state": {
                "phase": "play",
                "contract": {"tricks": 7, "strain": "NT", "side": 0},
                "master": 2,
                "toAct": {"seat": 0, "hand": 0},
            },
            "events": [
                {"type": "called"},
                {"type": "contracted", "seat": 2, "tricks": 7, "strain": "NT", "dare": 0},
            ],
        },
    ),
    Case(
        name="once a card lies, the Peewee's hand lies open to all",
        call="view",
        request={"state": _state(_led("2D", "4D")), "viewer": "spectator"},
        answer={"view": {"toAct": {"seat": 1, "hand": 1}, "hands": [{"hidden": 12}, {}, {}, {"hidden": 0}]}},
    ),
    Case(
        name="the Master plays it, not the Peewee",
        call="validate",
        request={"state": _state(_led("2D", "4D 5D 6D")), "move": "play 2D", "seat": 3},
        answer={"legal": False, "violation": {"code": "MASTER_PLAYS", "params": {"seat": 3, "turn": 1}}},
    ),
    Case(
        name="it follows suit like any hand",
        call="legal_moves",
        request={
            "state": _state(_led(f"2D KD {_SPADES.removeprefix('2C KS ')}", "4D 5D 6D")),
            "explain": True,
            "card": "KD",
        },
        answer={"moves": [{"text": "play KD"}], "total": "1"},
    ),
    Case(
        name="without the led suit anything goes",
        call="legal_moves",
        request={"state": _state(_led(_SPADES, "4D 5D 6D"))},
        answer={"moves": _texts(*(f"play {card}" for card in _SPADES.split())), "total": "13"},
    ),
    Case(
        name="one trick short of eight: the others get its crosses, and a stroke",
        call="score",
        request=_facts({"contract": _contract(8, "S", 1), "tricks": 7}),
        answer={
            "sheet": {
                "scope": "deal",
                "items": [_item("contractFailed", 0, "S", 4), _item("undertricks", 0, "S", 1)],
                "totals": _total("S", (5, 0)),
                "winners": [],
            }
        },
    ),
    Case(
        name="a double dare lost by two",
        call="score",
        request=_facts({"contract": _contract(7, "C", 1, dare=2), "tricks": 5}),
        answer={
            "sheet": {
                "items": [
                    _item("contractFailed", 0, "C", 2),
                    _item("doubleDare", 0, "C", 4),
                    _item("undertricks", 0, "C", 2),
                ],
                "totals": _total("C", (8, 0)),
            }
        },
    ),
    Case(
        name="seven crosses in one row win, strokes counted",
        call="score",
        request=_facts(
            {"contract": _contract(7, "C", 0), "tricks": 9, "score": {"clubs": {"crosses": [5, 0], "strokes": [0, 0]}}}
        ),
        answer={"sheet": {"totals": _total("C", (14, 0)), "winners": [0]}},
    ),
    Case(
        name="strokes do not, where so agreed",
        call="score",
        request=_facts(
            {"contract": _contract(7, "C", 0), "tricks": 9, "score": {"clubs": {"crosses": [5, 0], "strokes": [0, 0]}}},
            halvesCount=False,
        ),
        answer={"sheet": {"winners": []}},
    ),
    Case(
        name="after a deal that was played, the next seat deals",
        call="score",
        request={"state": _state(play_out(called(dealt(), "7C pass pass pass"), seed=1)), "scope": "deal"},
        answer={"sheet": {"scope": "deal"}},
    ),
    Case(
        name="it tells no odds",
        call="outcomes",
        request={"state": _auction("")},
        problem={"code": "NO_ODDS", "status": 400, "path": "$.state"},
    ),
]
