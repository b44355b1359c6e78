"""A move's text: parse and text are inverse, whatever the move; and what is no move is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import AnyCard, Card, Strain
from engine.moves import (
    LONGEST_TEXT,
    Bid,
    Choose,
    Claim,
    Dare,
    Deal,
    DoubleDare,
    Draw,
    End,
    Hand,
    Move,
    Pass,
    Play,
    parse,
    text,
)
from engine.violations import Malformed

CARDS = st.sampled_from(list(Card))
ANY_CARDS = st.sampled_from(list(AnyCard))
HANDS = st.builds(Hand, st.lists(CARDS, max_size=13).map(tuple), st.integers(0, 13))
MOVES = st.one_of(
    st.builds(Play, CARDS),
    st.builds(Draw, st.none() | ANY_CARDS),
    st.builds(
        Deal,
        st.none() | st.lists(ANY_CARDS, min_size=1, max_size=104).map(tuple),
        st.none() | st.lists(HANDS, min_size=1, max_size=8).map(tuple),
        st.none() | CARDS,
    ),
    st.builds(Claim, st.integers(0, 3), st.integers(1, 13)),
    st.builds(Choose, st.sampled_from(["tricks", "deduct", "add"])),
    st.just(End()),
    st.builds(Bid, st.integers(1, 13), st.sampled_from(list(Strain))),
    st.sampled_from([Pass(), Dare(), DoubleDare()]),
)


@given(MOVES)
def test_parse_and_text_are_inverse(move: Move) -> None:
    words = text(move)
    assert len(words) <= LONGEST_TEXT
    assert parse(words) == move


@given(MOVES)
def test_other_spellings_are_read_and_never_written(move: Move) -> None:
    words = text(move)
    if isinstance(move, Play):
        assert parse(f"play {move.card.lower()}") == move
        assert parse(f"play {move.card.replace('T', '10')}") == move
    if isinstance(move, Bid):
        assert parse(f"bid {move.tricks}{move.strain.lower()}") == move
    assert text(parse(words)) == words


@pytest.mark.parametrize(
    "words",
    [
        "", " ", "play", "play AS KS", "play  AS", "play 11S", "PLAY AS", "fly AS", "claim 2", "claim 2 x", "claim 9 1",
        "claim 2 0", "claim 2 14", "claim -1 4", "claim 02 4", "claim ² 4", "choose none", "choose", "end now",
        "deal deck", "deal deck AS,,KS", "deal hands AS",
        "deal hands AS+x", "deal turned AS deck AS", "deal deck AS deck AS",
        "bid", "bid H", "bid 8", "bid 07H", "bid 14H", "bid 0H", "bid 8HH", "bid 8 H", "bid H8", "bid -8H", "bid 8X",
        "pass 1", "dare dare", "doubledare", "double dare",
        "deal cards AS", "draw AS KS", "play " + "A" * 3000, "deal hands AS+1+2", "deal hands +999",
    ],
)  # fmt: skip
def test_what_is_no_move_is_malformed(words: str) -> None:
    with pytest.raises(Malformed):
        parse(words)


@given(st.text(max_size=60))
def test_any_text_is_a_move_or_malformed(words: str) -> None:
    try:
        move = parse(words)
    except Malformed:
        return
    assert parse(text(move)) == move
