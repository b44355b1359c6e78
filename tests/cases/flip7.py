"""Worked cases of Flip 7."""

from collections.abc import Sequence
from typing import Any, Final

from engine.games.flip7 import Flip7State
from tests.cases.case import Body, Case, among, body
from tests.engine.flip7.positions import after, dealing, position


def _state(state: Flip7State) -> Any:
    return body(state)


def _at(rows: Sequence[str], deck: str, *moves: str, **kwargs: Any) -> Any:
    """The seats' rows and the top of the deck, and what these moves make of them."""
    return _state(after(position(rows, deck, **kwargs), *moves))


def _texts(*words: str) -> among:
    return among(*({"text": text} for text in words))


def _facts(facts: Body, **options: Any) -> Body:
    return {"game": "flip7", "options": options, "facts": facts}


def _row(cards: str, busted: bool = False) -> Body:  # noqa: FBT001, FBT002 - reads well where it is used
    return {"cards": cards.split(), "busted": busted}


def _scores(*points: int) -> Body:
    """The totals of a round's sheet: the round's, and the match's."""
    return {
        "totals": among(
            *(
                {"account": account, "side": side, "points": each, "unit": "points"}
                for account in ("round", "total")
                for side, each in enumerate(points)
            )
        )
    }


def _figure(name: str, numerator: int, denominator: int, seat: int = 0) -> Body:
    return {
        "name": name,
        "seat": seat,
        "numerator": str(numerator),
        "denominator": str(denominator),
        "value": numerator / denominator,
    }


CASES: Final = [
    Case(
        name="F03 x2 doubles the numbers, not the plus",
        call="score",
        request=_facts({"rows": [_row("x2 +8 7 11")]}),
        answer={"sheet": _scores(44)},
    ),
    Case(
        name="F04 seven numbers with x2 and a plus: the bonus is not doubled",
        call="score",
        request=_facts({"rows": [_row("x2 +10 0 1 2 3 4 5 6")]}),
        answer={"sheet": _scores(67)},
    ),
    Case(
        name="F09 a bust costs the plus as well",
        call="score",
        request=_facts({"rows": [_row("5 9 +10 9", busted=True), _row("3 7 12")]}),
        answer={"sheet": _scores(0, 22)},
    ),
    Case(
        name="F56 above 200 the most points win",
        call="score",
        request=_facts({"totals": [200, 214, 90]}),
        answer={"sheet": {"scope": "match", "winners": [1]}},
    ),
    Case(
        name="F58 equal at the top, shared",
        call="score",
        request=_facts({"totals": [207, 207, 199]}, tie="shared"),
        answer={"sheet": {"winners": [0, 1]}},
    ),
    Case(
        name="a deck has each card so often only",
        call="score",
        request=_facts({"rows": [_row("+8"), _row("+8")]}),
        problem={"code": "MALFORMED", "status": 400, "path": "$.facts.rows"},
    ),
    Case(
        name="F13 frozen before its first card: skipped by the deal, and who was dealt the Freeze must hit",
        call="play",
        request={"state": _state(dealing("freeze 5 9")), "move": "give freeze 1"},
        answer={
            "state": {
                "phase": "turns",
                "rows": [{}, {"cards": ["freeze"], "status": "frozen"}, {"cards": ["5"]}],
                "toAct": {"seat": 0, "hand": 0},
            },
            "events": [
                {"type": "given", "seat": 0, "card": "freeze", "to": 1},
                {"type": "frozen", "seat": 1},
                {"type": "flipped", "seat": 2, "card": "5"},
            ],
        },
    ),
    Case(
        name="F20 a duplicate busts",
        call="play",
        request={"state": _at(["4 11", "9", "2"], "11 3"), "move": {"type": "hit"}},
        answer={
            "state": {"rows": [{"cards": ["4", "11", "11"], "status": "busted"}, {}, {}], "toAct": {"seat": 1}},
            "events": [
                {"type": "askedForCard", "seat": 0},
                {"type": "flipped", "card": "11"},
                {"type": "busted", "seat": 0, "card": "11"},
            ],
        },
    ),
    Case(
        name="F21 a duplicate with a Second Chance: both go, the turn is over",
        call="play",
        request={"state": _at(["7 second", "9", "2"], "7 3"), "move": "hit"},
        answer={"state": {"rows": [{"cards": ["7"]}, {"cards": ["9"]}, {"cards": ["2"]}], "toAct": {"seat": 1}}},
    ),
    Case(
        name="F23 no stay without a card",
        call="validate",
        request={"state": _at(["", "9", "2"], "7"), "move": "stay"},
        answer={"legal": False, "violation": {"code": "STAY_NEEDS_A_CARD", "clause": "flip7/F-4"}},
    ),
    Case(
        name="F23 and told so in French",
        call="play",
        request={"state": _at(["", "9", "2"], "7"), "move": "stay"},
        problem={
            "code": "ILLEGAL_MOVE",
            "status": 422,
            "detail": "Qui n'a encore aucune carte devant soi ne peut pas s'arrêter.",
        },
        language="fr",
    ),
    Case(
        name="F29 a second Second Chance of the three is given before the next card",
        call="legal_moves",
        request={"state": _at(["3", "9", "5 second"], "flip3 second 9 2", "hit", "give flip3 2")},
        answer={"moves": _texts("give second 0", "give second 1"), "total": "2"},
    ),
    Case(
        name="F32 a Freeze set aside is lost by a bust",
        call="play",
        request={"state": _at(["3", "9", "5"], "flip3 freeze 5 8", "hit"), "move": "give flip3 2"},
        answer={
            "state": {"rows": [{"status": None}, {"status": None}, {"status": "busted"}], "toAct": {"seat": 1}},
        },
    ),
    Case(
        name="F43 who is out gets no action",
        call="validate",
        request={"state": _at(["1", "2", "3"], "freeze 6", "hit", out={1: "stayed"}), "move": "give freeze 1"},
        answer={"legal": False, "violation": {"code": "TARGET_NOT_ACTIVE", "params": {"seat": 1}}},
    ),
    Case(
        name="F46 saved with six numbers: no seventh",
        call="play",
        request={"state": _at(["0 1 2 3 4 5 second", "9", "2"], "5 9"), "move": "hit"},
        answer={"state": {"phase": "turns", "rows": [{"cards": ["0", "1", "2", "3", "4", "5"]}, {}, {}]}},
    ),
    Case(
        name="F51 no hit out of turn",
        call="validate",
        request={"state": _at(["1", "2", "3"], "6"), "move": "hit", "seat": 1},
        answer={"legal": False, "violation": {"code": "NOT_YOUR_TURN", "params": {"seat": 1, "turn": 0}}},
    ),
    Case(
        name="F60 the challenge met in the fourth round",
        call="score",
        request=_facts({"totals": [203], "rounds": 4}, challenge="any"),
        answer={"sheet": {"winners": [0]}},
    ),
    Case(
        name="a view hides the order of the deck and nothing else",
        call="view",
        request={"state": _at(["1", "2", "3"], "6"), "viewer": 2},
        answer={"view": {"viewer": 2, "deck": {"hidden": 91}, "rows": [{"cards": ["1"]}, {"cards": ["2"]}, {}]}},
    ),
    Case(
        name="whoever holds the deck tells the card",
        call="replay",
        request={
            "game": "flip7",
            "places": 3,
            "chance": "caller",
            "moves": [{"move": words} for words in ("draw 4", "draw 12", "draw X2", "hit", "draw 4")],
        },
        answer={
            "state": {
                "rows": [{"cards": ["4", "4"], "status": "busted"}, {"cards": ["12"]}, {"cards": ["x2"]}],
                "toAct": {"seat": 1},
            },
            "violation": None,
        },
    ),
    Case(
        name="the odds of a row of seven and eight, all but two cards being in the deck",
        call="outcomes",
        request={"state": _at(["7 8"], "")},
        answer={
            "next": among(
                *({"card": str(number), "numerator": str(number - (number in (7, 8)) or 1)} for number in range(13)),
                *({"card": card, "numerator": "1"} for card in ("+2", "+4", "+6", "+8", "+10", "x2")),
                *(
                    {"card": card, "numerator": "3", "denominator": "92", "probability": 3 / 92}
                    for card in ("freeze", "flip3", "second")
                ),
            ),
        },
    ),
    Case(
        name="a bust, a seventh number, and what the row scores, as fractions in lowest terms",
        call="outcomes",
        request={"state": _at(["3 4 5 6 7 8"], ""), "viewer": 0},
        answer={
            "figures": [
                _figure("bust", 2 + 3 + 4 + 5 + 6 + 7, 88),
                _figure("seven", 23, 44),
                {"name": "stop", "unit": "points", "numerator": "33", "denominator": "1", "value": 33.0},
                {"name": "gain"},
                {"name": "flipThree"},
            ]
        },
    ),
]
