"""Worked cases of Wippen: seat 0 is to play, three are at the table, and it is the second deal of four."""

from collections.abc import Sequence
from typing import Any, Final

from tests.cases.case import Body, Case, among, body
from tests.engine.wippen.positions import position


def _at(hand: str, layout: str = "", builds: Sequence[str] = (), **kwargs: Any) -> Any:
    return body(position(hand, layout, builds, **kwargs))


def _legal(*words: str) -> Body:
    return {"moves": among(*({"text": text} for text in words)), "total": str(len(words)), "truncated": False}


def _refused(code: str, clause: str, **params: Any) -> Body:
    return {"legal": False, "violation": {"code": code, "clause": f"wippen/{clause}", "params": params}}


def _facts(facts: Body, **options: Any) -> Body:
    return {"game": "wippen", "options": options, "facts": facts}


def _item(rule: str, side: int, points: int) -> Body:
    return {"rule": rule, "side": side, "account": rule, "points": points}


_MANY = "AS AH AD AC 2S 2H 2D 2C 3S 3H 3D 3C 4S 4H 4D"

CASES: Final = [
    Case(
        name="two open sevens in the basic game: either of them, never both",
        call="legal_moves",
        request={"state": _at("7D", "7S 7H 2C", preset="basic")},
        answer=_legal("capture 7D take 7H", "capture 7D take 7S"),
    ),
    Case(
        name="a third card waits while two others can take",
        call="validate",
        request={"state": _at("7D QC 3H", "7S QD", preset="basic"), "move": "trail 3H"},
        answer=_refused("MUST_CAPTURE", "WI-10", card="3H"),
    ),
    Case(
        name="and told so in Dutch",
        call="play",
        request={"state": _at("7D QC 3H", "7S QD", preset="basic"), "move": "trail 3H"},
        problem={
            "code": "ILLEGAL_MOVE",
            "status": 422,
            "detail": "3H mag niet worden afgelegd: er valt iets te nemen.",
        },
        language="nl",
    ),
    Case(
        name="a nine takes an equal card, a sum, or both",
        call="legal_moves",
        request={"state": _at("9H", "2C 3D 4S 9D", building=False)},
        answer=_legal("capture 9H take 4S,3D,2C", "capture 9H take 4S,9D,3D,2C", "capture 9H take 9D"),
    ),
    Case(
        name="the groups that captures are made of",
        call="legal_moves",
        request={"state": _at("9H", "2C 3D 4S 9D", building=False), "tier": "groups"},
        answer={
            "moves": [],
            "total": "2",
            "groups": among({"card": "9H", "cards": ["9D"]}, {"card": "9H", "cards": ["4S", "3D", "2C"]}),
            "shapes": None,
        },
    ),
    Case(
        name="what captures have in common, counted",
        call="legal_moves",
        request={"state": _at("2D", "AC AD AS", building=False), "tier": "shapes"},
        answer={
            "moves": [],
            "total": "1",
            "shapes": [{"card": "2D", "taken": [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "ways": "3"}],
            "groups": None,
        },
    ),
    Case(
        name="very many captures are counted without being listed",
        call="legal_moves",
        request={"state": _at("TH", _MANY, building=False), "limit": 1},
        answer={"truncated": True, "moves": [{"move": {"type": "capture", "card": "TH"}}]},
    ),
    Case(
        name="fourteen that is not two sevens",
        call="validate",
        request={"state": _at("7C", "6C 6D 2H KS", building=False), "move": "capture 7C take 6C,6D,2H"},
        answer={"legal": False, "violation": {"code": "BAD_SUM", "clause": "wippen/WI-16"}},
    ),
    Case(
        name="two tens of three cards each clear the pot: a wip",
        call="play",
        request={
            "state": _at("TC", "4C 4D 3C 3D 3H 3S", building=False),
            "move": {"type": "capture", "card": "TC", "take": ["3C", "3S", "4C", "3H", "4D", "3D"]},
        },
        answer={
            "state": {"layout": None, "wips": [1, 0, 0], "lastTaker": 0},
            "events": [
                {"type": "captured", "take": ["3S", "3H", "4D", "3D", "4C", "3C"]},
                {"type": "swept", "seat": 0},
            ],
        },
    ),
    Case(
        name="five on two for a seven that is held",
        call="play",
        request={"state": _at("5C 7D", "2H"), "move": "build 5C cards 2H value 7"},
        answer={
            "state": {"layout": None, "builds": [{"id": 1, "value": 7, "owner": 0, "groups": [["2H", "5C"]]}]},
            "events": [{"type": "built", "seat": 0, "card": "5C", "cards": ["2H"], "build": 1, "value": 7}],
        },
    ),
    Case(
        name="no build without a card of its value",
        call="validate",
        request={"state": _at("5C 6D", "2H"), "move": "build 5C cards 2H value 7"},
        answer={"legal": False, "violation": {"code": "NO_HOLDING_CARD", "params": {"value": 7}}},
    ),
    Case(
        name="the builder takes, and the kings wait",
        call="legal_moves",
        request={"state": _at("8S KD 2H", "KH", ["8 of 0: 5D 3C"])},
        answer=_legal("capture 8S builds 1"),
    ),
    Case(
        name="a build that was raised is raised again",
        call="legal_moves",
        request={"state": _at("AS TC", "", ["9 of 2: 5D 3C AD"])},
        answer=_legal("raise AS build 1 value 10", "trail AS", "trail TC"),
    ),
    Case(
        name="five and three double the own eight",
        call="play",
        request={"state": _at("5S 8D", "3H", ["8 of 0: 6C 2D"]), "move": "extend 5S build 1 cards 3H"},
        answer={
            "state": {"builds": [{"id": 1, "value": 8, "groups": among(["2D", "6C"], ["5S", "3H"])}]},
            "events": [{"type": "extended", "seat": 0, "card": "5S", "build": 1, "cards": ["3H"]}],
        },
    ),
    Case(
        name="a view counts the heaps and the hands of others",
        call="view",
        request={"state": _at("5C 7D", "2H"), "viewer": 0},
        answer={"view": {"viewer": 0, "hands": [{"cards": ["7D", "5C"]}, {"hidden": 2}, {"hidden": 2}], "seed": None}},
    ),
    Case(
        name="eleven points a round, and a wip each besides",
        call="score",
        request=_facts(
            {
                "heaps": [
                    {"cards": 30, "spades": 7, "aces": 3, "tenOfDiamonds": 1, "wips": 2},
                    {"cards": 22, "spades": 6, "aces": 1, "twoOfSpades": 1},
                ]
            }
        ),
        answer={
            "sheet": {
                "scope": "round",
                "items": [
                    _item("mostCards", 0, 2),
                    _item("mostSpades", 0, 2),
                    _item("tenOfDiamonds", 0, 2),
                    _item("twoOfSpades", 1, 1),
                    _item("aces", 0, 3),
                    _item("aces", 1, 1),
                    _item("wips", 0, 2),
                ],
            }
        },
    ),
    Case(
        name="an option that needs another is refused without it",
        call="deal",
        request={"game": "wippen", "options": {"adding": False, "building": True}},
        problem={"code": "MALFORMED", "status": 400, "path": "$.options.building"},
    ),
]
