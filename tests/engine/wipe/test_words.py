"""The moves that only Le Wipe has, as texts and as JSON; and that every refusal has its words in each language."""

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Card
from engine.catalogues import CATALOGUES
from engine.game import judge
from engine.games.wipe import WIPE
from engine.moves import Announce, Capture, Close, Move, Strike, parse, text
from engine.violations import LANGUAGES, RESTS_ON, Malformed, localised
from tests.engine.wipe.positions import heap, position

OWNERS = st.lists(st.integers(0, 17), max_size=9, unique=True).map(tuple)
CARDS = st.sampled_from(list(Card))
MOVES = st.one_of(
    st.sampled_from([Close(), Announce("lastDeal")]),
    st.builds(Strike, st.integers(0, 17)),
    st.builds(Capture, CARDS, tricks=OWNERS, heaps=OWNERS),
)


@given(MOVES)
def test_parse_and_text_are_inverse(move: Move) -> None:
    assert parse(text(move)) == move
    assert msgspec.json.decode(msgspec.json.encode(move), type=Move) == move


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("close", "close"),
        ("announce lastDeal", "announce lastDeal"),
        ("strike 0", "strike 0"),
        ("capture 10d heaps 2,0 announce wipe crossed no", "capture TD heaps 0,2 announce wipe crossed no"),
        ("capture td take 2s tricks 1 heaps 0", "capture TD take 2S tricks 1 heaps 0"),
    ],
)
def test_texts(words: str, written: str) -> None:
    assert text(parse(words)) == written


@pytest.mark.parametrize(
    "words",
    [
        "close 0",
        "announce",
        "announce wipe",
        "announce lastdeal",
        "strike",
        "strike x",
        "strike 18",
        "strike -1",
        "capture TD heaps 0,0",
        "capture TD heaps 18",
        "capture TD heaps 0 tricks 1",
        "capture TD announce lastDeal",
    ],
)
def test_what_is_no_move(words: str) -> None:
    with pytest.raises(Malformed):
        parse(words)


def test_every_refusal_says_the_same_things_in_each_language() -> None:
    for code in RESTS_ON["wipe"]:
        named = [set(re.findall(r"{(\w+)}", CATALOGUES[language][code])) for language in LANGUAGES]
        assert named[0] == named[1] == named[2], code


@pytest.mark.parametrize(
    "words",
    [
        "capture 8C tricks 1",
        "capture 8C tricks 0",
        "capture 8C heaps 1",
        "capture 8C take 2D",
        "capture 8C take KS",
        "capture 8C",
        "capture 8C builds 9",
        "capture 9C",
        "capture 8C take 2H crossed no",
        "build 8C cards 2H value 9",
        "build 8C cards 2H value 10",
        "raise 8C build 1 value 9",
        "extend 8C build 1",
        "deal",
        "close",
        "announce lastDeal",
        "strike 1",
        "build 8C cards KD value 13",
        "capture KH take 2H",
    ],
)
def test_refusals_have_words(words: str) -> None:
    state = position("8C KH", "2H KD", heaps={1: heap("QS QH", "QD QC")})
    refused = judge(WIPE, state, parse(words), None if words.startswith("strike") else 0)
    assert refused is not None
    for language in LANGUAGES:
        said = localised(refused, language)
        assert said.message
        assert "{" not in said.message
        assert said.clause.startswith("wipe/L")
