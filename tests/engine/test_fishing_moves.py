"""The moves of fishing games: text and parse are inverse, sets have one order, and what is no move is refused."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Card
from engine.moves import LONGEST_TEXT, Build, Capture, Deal, Extend, Hand, Move, Raise, Trail, parse, text
from engine.violations import Malformed

CARDS = st.sampled_from(list(Card))
SETS = st.lists(CARDS, max_size=104).map(tuple)
IDS = st.lists(st.integers(1, 104), max_size=20, unique=True).map(tuple)
OWNERS = st.lists(st.integers(0, 17), max_size=18, unique=True).map(tuple)
VALUES = st.integers(1, 13)
MOVES = st.one_of(
    st.builds(Trail, CARDS),
    st.builds(Build, CARDS, SETS, VALUES),
    st.builds(Extend, CARDS, st.integers(1, 104), SETS),
    st.builds(Raise, CARDS, st.integers(1, 104), VALUES, SETS),
    st.builds(
        Capture, CARDS, SETS, IDS, OWNERS, st.sampled_from([(), ("wipe",)]), st.sampled_from([None, True, False])
    ),
    st.builds(Deal, st.none(), st.just((Hand((Card("AS"),), 0), Hand((), 4))), st.none(), st.none() | SETS),
)


@given(MOVES)
def test_parse_and_text_are_inverse(move: Move) -> None:
    words = text(move)
    assert len(words) <= LONGEST_TEXT
    assert parse(words) == move
    assert msgspec.json.decode(msgspec.json.encode(move), type=Move) == move


@given(CARDS, SETS, st.randoms(use_true_random=False))
def test_a_move_sent_in_another_order_is_the_same_move(card: Card, taken: tuple[Card, ...], rng: object) -> None:
    other = list(taken)
    rng.shuffle(other)  # type: ignore[attr-defined]
    assert Capture(card, taken, (1, 2)) == Capture(card, tuple(other), (2, 1))
    assert text(Build(card, taken, 9)) == text(Build(card, tuple(other), 9))
    sent = {"type": "capture", "card": card, "take": list(other), "tricks": [3, 0]}
    assert msgspec.convert(sent, Move) == Capture(card, taken, (), (0, 3))


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("capture 7d take 4H,10S builds 2,1", "capture 7D take TS,4H builds 1,2"),
        ("capture 7D tricks 0,2 announce wipe crossed no", "capture 7D tricks 0,2 announce wipe crossed no"),
        ("build 3S cards 2D,4H value 9", "build 3S cards 4H,2D value 9"),
        ("extend 5C build 2 cards 2D", "extend 5C build 2 cards 2D"),
        ("extend 8C build 2", "extend 8C build 2"),
        ("raise 2C build 1 cards 3H value 9", "raise 2C build 1 cards 3H value 9"),
        ("raise 2C build 1 value 9", "raise 2C build 1 value 9"),
        ("trail 5c", "trail 5C"),
        ("deal hands 3S,4S+0/+2 layout 2H,3H", "deal hands 3S,4S+0/+2 layout 2H,3H"),
    ],
)  # fmt: skip
def test_the_text_of_a_move(words: str, written: str) -> None:
    assert text(parse(words)) == written


@pytest.mark.parametrize(
    "words",
    [
        "capture", "capture 7D take", "capture 7D take 7S,", "capture 7D builds 0", "capture 7D builds 1,1",
        "capture 7D builds 105", "capture 7D tricks 18", "capture 7D builds 1 take 7S", "capture 7D announce wip",
        "capture 7D crossed maybe", "capture 7D cards 7S", "build 7D cards 2S", "build 7D cards 2S value 14",
        "build 7D cards 2S value 0", "extend 7D", "extend 7D cards 2S", "extend 7D build x", "raise 7D build 1",
        "raise 7D value 8", "raise 7D build 1 value 8 cards AS", "trail", "trail 7D 8D", "trail seven",
    ],
)  # fmt: skip
def test_what_is_no_move_is_malformed(words: str) -> None:
    with pytest.raises(Malformed):
        parse(words)
