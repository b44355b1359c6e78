"""Worked positions of Le Wipe: seat 0 is to play; what is legal then, in the moves' own texts, or what becomes of one.

Each has the clause or ruling it shows. Heaps are by number: the seats', or in a game of teams the sides'.
"""

from dataclasses import dataclass, field
from typing import Any

from tests.engine.wipe.positions import build, heap

EIGHT = "8D 3C 5H"
"""A trick of five and three, won with the eight: it counts eight."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """`legal` is all that is legal, or `move` one move: its `points` in the wipe account, `clears` the layout."""

    shows: str
    why: str
    hand: str
    layout: str = ""
    given: dict[str, Any] = field(default_factory=dict)
    legal: tuple[str, ...] | None = None
    move: str = ""
    points: tuple[int, ...] = ()
    clears: bool = False


CASES: dict[str, Case] = {
    "L01": Case(
        shows="L-3",
        why="five, three and two make ten, the six stays; nobody must capture",
        hand="TH",
        layout="5C 3D 6S 2H",
        legal=("capture TH take 2H,3D,5C", "trail TH"),
    ),
    "L05": Case(
        shows="L-5",
        why="the eight on top can be taken with the two; the four below it is out of reach",
        hand="4H TH",
        layout="2C",
        given={"heaps": {1: heap("4D 4C", EIGHT)}},
        legal=("capture TH take 2C tricks 1", "trail 4H", "trail TH"),
    ),
    "L07": Case(
        shows="L-7",
        why="the two is laid on the three for the five that stays in the hand",
        hand="5C 2D",
        layout="3H 9S",
        legal=("build 2D cards 3H value 5", "trail 5C", "trail 2D"),
    ),
    "L09": Case(
        shows="L-7",
        why="a card inside a build is not open; raising the five to eight needs an eight in the hand",
        hand="3S KC",
        given={"builds": [build(1, 5, "2D 3H")]},
        legal=("trail 3S", "trail KC"),
    ),
    "L10": Case(
        shows="LA1",
        why="what can capture may be laid down all the same",
        hand="7C 4D",
        layout="7H",
        legal=("capture 7C take 7H", "trail 7C", "trail 4D"),
    ),
    "L11": Case(
        shows="LA1",
        why="forced: while the seven can capture, nothing may be laid down",
        hand="7C 4D",
        layout="7H",
        given={"forced_capture": "hand"},
        legal=("capture 7C take 7H",),
    ),
    "L12": Case(
        shows="LA7",
        why="an equal card takes a last trick by itself",
        hand="8C 2S",
        layout="KD",
        given={"heaps": {1: heap(EIGHT)}},
        legal=("capture 8C tricks 1", "trail 8C", "trail 2S"),
    ),
    "L13": Case(
        shows="L-8",
        why="what is turned over is safe",
        hand="8C",
        layout="KD",
        given={"heaps": {1: heap(closed="QS QH QD QC 5H 3C 8D")}},
        legal=("trail 8C",),
    ),
    "L14": Case(
        shows="LA10",
        why="the eight is the own team's, and a four cannot be taken with an eight",
        hand="8C",
        layout="KD",
        given={"places": 4, "heaps": {0: heap(EIGHT, seat=2), 1: heap("4D 4C")}},
        legal=("trail 8C",),
    ),
    "L15": Case(
        shows="LA6",
        why="a trick won with a king is one king; a picture takes one thing",
        hand="KC",
        layout="KS",
        given={"heaps": {1: heap("KD KH")}},
        legal=("capture KC take KS", "capture KC tricks 1", "trail KC"),
    ),
    "L16": Case(
        shows="LA3",
        why="any number at once: the open king, the trick, or both",
        hand="KC",
        layout="KS",
        given={"heaps": {1: heap("KD KH")}, "picture_capture": "any"},
        legal=("capture KC take KS", "capture KC tricks 1", "capture KC take KS tricks 1", "trail KC"),
    ),
    "L17": Case(
        shows="LA5",
        why="six and four, the eight with the two, or both groups",
        hand="TH",
        layout="6C 4D 2S",
        given={"heaps": {1: heap(EIGHT)}},
        legal=(
            "capture TH take 4D,6C",
            "capture TH take 2S tricks 1",
            "capture TH take 2S,4D,6C tricks 1",
            "trail TH",
        ),
    ),
    "L18": Case(
        shows="LA5",
        why="one group only",
        hand="TH",
        layout="6C 4D 2S",
        given={"heaps": {1: heap(EIGHT)}, "multi_capture": "single"},
        legal=("capture TH take 4D,6C", "capture TH take 2S tricks 1", "trail TH"),
    ),
    "L21": Case(
        shows="LA17",
        why="read as a deduction: the wipe that nobody announced costs two points",
        hand="7C",
        layout="7H",
        given={"missed_sweep": "penalty"},
        move="capture 7C take 7H",
        points=(-2,),
        clears=True,
    ),
    "L22": Case(
        shows="LA18",
        why="the queen stays: the announcement means nothing",
        hand="7C",
        layout="7H QS",
        move="capture 7C take 7H announce wipe",
    ),
    "L23": Case(
        shows="LA18",
        why="a mistaken announcement costs two points",
        hand="7C",
        layout="7H QS",
        given={"false_sweep": "penalty"},
        move="capture 7C take 7H announce wipe",
        points=(-2,),
    ),
    "L24": Case(
        shows="LA19",
        why="nothing of the layout was used, so it is no wipe, announced or not",
        hand="8C",
        given={"heaps": {1: heap(EIGHT)}},
        move="capture 8C tricks 1 announce wipe",
    ),
    "L25": Case(
        shows="LA20",
        why="in the last deal a wipe is a wipe",
        hand="7C",
        layout="7H",
        given={"deal": 6},
        move="capture 7C take 7H announce wipe",
        points=(2,),
        clears=True,
    ),
    "L26": Case(
        shows="LA20",
        why="a build still lies there",
        hand="7C",
        layout="7H",
        given={"builds": [build(1, 9, "5S 4S")]},
        move="capture 7C take 7H announce wipe",
    ),
    "L33": Case(
        shows="LA16",
        why="the next trick after closing is open; taken with a ten, it counts ten whatever is in it",
        hand="TC",
        given={"heaps": {1: heap("TH 2C 3C 5H 8D", closed="AS AH AD AC")}},
        legal=("capture TC tricks 1", "trail TC"),
    ),
    "L36": Case(
        shows="LA12",
        why="no double builds: the sevens capture or are laid down",
        hand="7C 7D",
        layout="7H",
        legal=("capture 7C take 7H", "capture 7D take 7H", "trail 7C", "trail 7D"),
    ),
    "L43": Case(
        shows="LA9",
        why="four and six make ten, one trick from each opponent; neither does alone",
        hand="TH",
        given={"places": 3, "heaps": {1: heap("4D 4C"), 2: heap("6S 6H", seat=2)}},
        legal=("capture TH tricks 1,2", "trail TH"),
    ),
    "L44": Case(
        shows="LA9",
        why="one trick a move",
        hand="TH",
        given={"places": 3, "heaps": {1: heap("4D 4C"), 2: heap("6S 6H", seat=2)}, "steal_limit": "onePerMove"},
        legal=("trail TH",),
    ),
    "L45": Case(
        shows="LA10",
        why="one heap a player: both opponents' last tricks are open, the partner's is not",
        hand="8C 6S",
        layout="2D",
        given={
            "places": 4,
            "piles": "player",
            "heaps": {1: heap(EIGHT), 2: heap("8S 8H", seat=2), 3: heap("6D 6H", seat=3)},
        },
        legal=(
            "capture 8C tricks 1",
            "capture 8C take 2D tricks 3",
            "capture 8C take 2D tricks 1,3",
            "capture 6S tricks 3",
            "build 6S cards 2D value 8",
            "trail 8C",
            "trail 6S",
        ),
    ),
    "L46": Case(
        shows="LA3",
        why="with values the king is thirteen, ten and three or queen and ace",
        hand="KC",
        layout="TD 3H QS AD",
        given={"picture_values": True},
        legal=(
            "capture KC take 3H,TD",
            "capture KC take QS,AD",
            "capture KC take 3H,AD,QS,TD",
            "trail KC",
        ),
    ),
}

CLOSING: dict[str, tuple[tuple[str, ...], str, bool, str]] = {
    "L27": (("AS AH", "AD AC", "9D 9H"), "", True, "all four aces are won and open"),
    "L28": (("7S 7H", "7D 7C"), "", False, "sevens close nothing"),
    "L29": (("9D 9H",), "AS AH AD AC", False, "the aces lie turned over already"),
    "L31": (("TS TH TC",), "", False, "the fourth ten is not won yet"),
}
"""The open tricks of seat 0, what it has turned over; whether it may close; why."""
