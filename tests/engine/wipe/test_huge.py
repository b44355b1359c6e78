"""The largest layouts that legal play can make: counted exactly, paged, judged, and never listed whole."""

import time
from typing import Any

import pytest

from engine.cards import PACK, AnyCard, Card
from engine.game import Query, judge, legal_moves, view
from engine.games.wipe import WIPE, WipeState
from engine.mechanics.layout import value_of
from engine.moves import Capture, Trail
from engine.violations import Malformed
from tests.engine.wipe.positions import after, build, dealt, heap, position

WHOLE_PACK_BUT_A_TEN = 15_109_038_399
"""Sets of cards that the last ten can take of 39 numerals, found by other means: see `test_fishing_figures.py`."""
SECONDS = 8
"""A bound that only an answer that runs away can break, on whatever machine."""
LAST = Card("TC")


def laid_out(places: int) -> WipeState:
    """All have laid down every card but the last, a ten: it is the dealer's, with every other card in the layout."""
    rest = [card for card in PACK if card is not LAST]
    state = dealt(places, [*rest, LAST], dealer=places - 1)
    while len(state.layout) < len(PACK) - 1:
        if state.phase == "deal":
            state = after(state, "deal")
            continue
        assert state.to_act is not None
        hand = state.hands[state.to_act.seat]
        state = after(state, f"trail {next(card for card in hand.cards if card is not LAST)}")
    return state


@pytest.mark.parametrize("places", [2, 4])
def test_players_who_only_lay_down_reach_fifteen_thousand_million_captures(places: int) -> None:
    state = laid_out(places)
    assert state.hands[places - 1].cards == (LAST,)
    began = time.process_time()
    found = legal_moves(WIPE, state, None, Query(limit=3))
    assert (found.total, found.truncated, len(found.moves)) == (WHOLE_PACK_BUT_A_TEN + 1, True, 3)
    following = legal_moves(WIPE, state, None, Query(limit=2, cursor=found.cursor))
    assert following.total == found.total
    assert not {entry.text for entry in found.moves} & {entry.text for entry in following.moves}
    groups = legal_moves(WIPE, state, None, Query(limit=5, tier="groups"))
    assert groups.total == 1_701
    shapes = legal_moves(WIPE, state, None, Query(limit=5, tier="shapes", card=AnyCard(LAST)))
    assert shapes.total > 3_000
    assert len(shapes.shapes or ()) == 5
    assert time.process_time() - began < SECONDS


def test_every_card_of_a_hand_counts_before_that() -> None:
    """With four cards held, 36 cards lie there: each card's captures, and builds, are counted apart."""
    state = dealt(2, dealer=1)
    while state.deals < 6:
        assert state.to_act is not None
        hand = state.hands[state.to_act.seat]
        state = after(state, "deal" if state.phase == "deal" else f"trail {hand.cards[0]}")
    began = time.process_time()
    whole = legal_moves(WIPE, state, None, Query(limit=1))
    by_card = [legal_moves(WIPE, state, None, Query(limit=1, card=AnyCard(card))) for card in state.hands[0].cards]
    assert whole.total == sum(found.total for found in by_card)
    explained = legal_moves(WIPE, state, None, Query(limit=1, explain=True))
    assert explained.blocked == ()
    seen = view(WIPE, state, 1)
    hidden = legal_moves(WIPE, seen, 0, Query(limit=1))
    assert hidden.total == whole.total, "the cards not seen are all in that hand"
    assert time.process_time() - began < SECONDS


def test_a_claim_of_all_that_lies_there_is_judged_at_once() -> None:
    state = laid_out(2)
    numerals = tuple(card for card in state.layout if card[0] not in "JQK")
    began = time.process_time()
    refused = judge(WIPE, state, Capture(LAST, numerals))
    total = sum(map(value_of, numerals))
    assert (refused is None) == (total % 10 == 0)
    assert judge(WIPE, state, Trail(LAST)) is None
    assert time.process_time() - began < SECONDS


def test_a_cursor_that_no_answer_gave_is_malformed() -> None:
    state = laid_out(2)
    for cursor in ("0", "0.x", "9.0", "0.set-000000000000-1"):
        with pytest.raises(Malformed, match="cursor"):
            legal_moves(WIPE, state, None, Query(limit=1, cursor=cursor))


@pytest.mark.parametrize(
    "choices",
    [
        {"forced_capture": "off"},
        {"picture_values": True, "double_building": True, "build_layout_cards": "any"},
        {"build_obligation": "noTrail", "steal_limit": "onePerMove", "piles": "player"},
    ],
    ids=str,
)
def test_cards_of_one_value_have_the_same_moves_in_a_hand_that_is_not_seen(choices: dict[str, Any]) -> None:
    state = position(
        "8S 3D",
        "KH 7D 2S AS",
        others={1: "8H 9C"},
        builds=[build(1, 8, "5D 3C"), build(2, 9, "6D 3S")],
        heaps={1: heap("TH 6H 4H")},
        **choices,
    )
    seen = view(WIPE, state, "spectator")
    found: dict[str, set[str]] = {}
    for entry in legal_moves(WIPE, seen, None, Query(limit=10_000)).moves:
        assert judge(WIPE, seen, entry.move) is None
        verb, card, *rest = entry.text.split(" ")
        found.setdefault(card, set()).add(" ".join((verb, *rest)))
    for card, moves in found.items():
        assert all(found[other] == moves for other in found if other[0] == card[0])
    assert any(len([other for other in found if other[0] == card[0]]) > 1 for card in found)
