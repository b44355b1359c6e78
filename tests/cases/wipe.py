"""Worked cases of Le Wipe: seat 0 is to play, against one other unless said."""

from typing import Any, Final

from tests.cases.case import Body, Case, among, body
from tests.engine.wipe.positions import build, heap, position

_EIGHT = "8D 3C 5H"
"""A trick of five and three, won with the eight: it counts eight."""


def _at(hand: str, layout: str = "", **kwargs: Any) -> Any:
    return body(position(hand, layout, **kwargs))


def _legal(*words: str) -> Body:
    return {"moves": among(*({"text": text} for text in words)), "total": str(len(words)), "truncated": False}


def _facts(facts: Body, **options: Any) -> Body:
    return {"game": "wipe", "options": options, "facts": facts}


CASES: Final = [
    Case(
        name="L01 five, three and two make ten, the six stays; nobody must capture",
        call="legal_moves",
        request={"state": _at("TH", "5C 3D 6S 2H")},
        answer=_legal("capture TH take 2H,3D,5C", "trail TH"),
    ),
    Case(
        name="L05 the eight on top can be taken with the two; the four below it is out of reach",
        call="legal_moves",
        request={"state": _at("4H TH", "2C", heaps={1: heap("4D 4C", _EIGHT)})},
        answer=_legal("capture TH take 2C tricks 1", "trail 4H", "trail TH"),
    ),
    Case(
        name="L05 and the trick goes over to the other heap",
        call="play",
        request={
            "state": _at("4H TH", "2C", heaps={1: heap("4D 4C", _EIGHT)}),
            "move": {"type": "capture", "card": "TH", "take": ["2C"], "tricks": [1]},
        },
        answer={
            "state": {"heaps": [{}, {"tricks": [{"by": "4D", "cards": ["4D", "4C"], "seat": 1}]}]},
            "events": [
                {
                    "type": "captured",
                    "seat": 0,
                    "card": "TH",
                    "gained": among("TH", "2C", "8D", "3C", "5H"),
                    "take": ["2C"],
                    "tricks": [1],
                }
            ],
        },
    ),
    Case(
        name="L07 the two is laid on the three for the five that stays in the hand",
        call="play",
        request={"state": _at("5C 2D", "3H 9S"), "move": "build 2D cards 3H value 5"},
        answer={
            "state": {"layout": ["9S"], "builds": [{"id": 1, "value": 5, "owner": 0, "groups": [["3H", "2D"]]}]},
            "events": [{"type": "built", "seat": 0, "card": "2D", "cards": ["3H"], "build": 1, "value": 5}],
        },
    ),
    Case(
        name="L09 raising the five to eight needs an eight in the hand",
        call="validate",
        request={"state": _at("3S KC", builds=[build(1, 5, "2D 3H")]), "move": "raise 3S build 1 value 8"},
        answer={"legal": False, "violation": {"code": "NO_HOLDING_CARD", "params": {"value": 8}}},
    ),
    Case(
        name="L11 forced: while the seven can capture, nothing may be laid down",
        call="legal_moves",
        request={"state": _at("7C 4D", "7H", forced_capture="hand"), "explain": True},
        answer={
            "moves": [{"text": "capture 7C take 7H"}],
            "explained": [{"card": "4D", "violation": {"code": "MUST_CAPTURE", "clause": "wipe/LA1"}}],
        },
    ),
    Case(
        name="L13 what is turned over is safe",
        call="legal_moves",
        request={"state": _at("8C", "KD", heaps={1: heap(closed="QS QH QD QC 5H 3C 8D")})},
        answer=_legal("trail 8C"),
    ),
    Case(
        name="L17 six and four, the eight with the two, or both groups",
        call="legal_moves",
        request={"state": _at("TH", "6C 4D 2S", heaps={1: heap(_EIGHT)}), "tier": "groups"},
        answer={
            "moves": [],
            "total": "2",
            "groups": among({"card": "TH", "cards": ["4D", "6C"]}, {"card": "TH", "cards": ["2S"], "tricks": [1]}),
        },
    ),
    Case(
        name="L21 read as a deduction: the wipe that nobody announced costs two points",
        call="play",
        request={"state": _at("7C", "7H", missed_sweep="penalty"), "move": "capture 7C take 7H"},
        answer={
            "state": {"wipes": [{"missed": 1}, {}]},
            "events": [{"type": "captured"}, {"type": "wipeEntered", "side": 0, "entry": "missed", "points": -2}],
        },
    ),
    Case(
        name="a wipe, announced",
        call="play",
        request={"state": _at("7C 2D", "7H"), "move": "capture 7C take 7H announce wipe"},
        answer={
            "state": {"wipes": [{"made": 1}, {}], "layout": None},
            "events": [
                {"type": "captured", "announce": ["wipe"]},
                {"type": "wipeEntered", "side": 0, "entry": "made", "points": 2},
            ],
        },
    ),
    Case(
        name="L43 four and six make ten, one trick from each opponent; neither does alone",
        call="legal_moves",
        request={"state": _at("TH", places=3, heaps={1: heap("4D 4C"), 2: heap("6S 6H", seat=2)})},
        answer=_legal("capture TH tricks 1,2", "trail TH"),
    ),
    Case(
        name="L27 who has four of a kind may close",
        call="play",
        request={"state": _at("5C 7D", heaps={0: heap("AS AH", "AD AC", "9D 9H", seat=0)}), "move": "close", "seat": 0},
        answer={"events": [{"type": "closed", "seat": 0, "cards": among("AS", "AH", "AD", "AC", "9D", "9H")}]},
    ),
    Case(
        name="L28 sevens close nothing",
        call="validate",
        request={"state": _at("5C TD", heaps={0: heap("7S 7H", "7D 7C", seat=0)}), "move": "close", "seat": 0},
        answer={"legal": False, "violation": {"code": "NO_COMPLETE_SET"}},
    ),
    Case(
        name="closing is no turn: who closes must be said",
        call="validate",
        request={"state": _at("5C 7D", heaps={0: heap("AS AH", "AD AC", "9D 9H", seat=0)}), "move": "close"},
        problem={"code": "MALFORMED", "status": 400, "path": "$.seat"},
    ),
    Case(
        name="a round's points, and the wipe accounts beside them",
        call="score",
        request=_facts(
            {
                "counts": [
                    {"cards": 30, "spades": 7, "aces": 3, "tenOfDiamonds": True},
                    {"cards": 22, "spades": 6, "aces": 1, "twoOfSpades": True},
                ],
                "lastTrick": 1,
                "wipes": [{"made": 2}, {"made": 1}],
            }
        ),
        answer={
            "sheet": {
                "scope": "round",
                "totals": among(
                    {"account": "round", "side": 0, "points": 9},
                    {"account": "round", "side": 1, "points": 4},
                    {"account": "rounds", "side": 0, "points": 9},
                    {"account": "rounds", "side": 1, "points": 4},
                    {"account": "wipes", "side": 0, "points": 4},
                    {"account": "wipes", "side": 1, "points": 2},
                ),
            }
        },
    ),
]
