"""The clauses of Le Wipe, one test or more each, named by them."""

import pytest

from engine.cards import PACK, Card
from engine.events import Captured, Closed, Dealt, LeftOver, Redealt, Scored, WipeEntered
from engine.game import HOST, Setup, begin, play, view
from engine.games.wipe import WIPE, WipeScore, WipeTally
from engine.games.wipe.play import settlement
from engine.games.wipe.scoring import ROUND_POINTS, counted, settle
from engine.games.wipe.table import PLACES, deal_sizes, side_of, sides_of
from engine.moves import Strike, parse
from engine.violations import Code, Malformed
from tests.engine.wipe.positions import (
    after,
    cards,
    clause_of,
    code_of,
    dealt,
    events_of,
    heap,
    legal_texts,
    options,
    position,
    trail_out,
    wipe_points,
)


@pytest.mark.parametrize("places", PLACES)
def test_l1_two_to_eight_play_in_teams_from_four_on(places: int) -> None:
    state = dealt(places)
    assert len(state.hands) == places
    assert len(state.wipes) == sides_of(places) == (places if places < 4 else 2)
    assert [side_of(places, seat) for seat in range(places)] == [seat % sides_of(places) for seat in range(places)]
    shown = [*state.layout, *state.stock.cards, *(card for hand in state.hands for card in hand.cards)]
    assert sorted(shown) == sorted(PACK)


def test_l1_one_or_nine_cannot_play() -> None:
    for places in (1, 9, 0):
        with pytest.raises(Malformed, match="two, three, four, six or eight"):
            begin(WIPE, Setup(options=options(), places=places, chance="seed", seed="x"))


@pytest.mark.parametrize("places", PLACES)
def test_l2_two_by_two_with_two_to_the_centre_before_the_dealer(places: int) -> None:
    state = dealt(places, dealer=0)
    order = [*range(1, places), None, 0]
    for turn, place in enumerate(order):
        got = [*PACK[2 * turn : 2 * turn + 2], *PACK[2 * (places + 1 + turn) : 2 * (places + 1 + turn) + 2]]
        there = state.layout if place is None else state.hands[place].cards
        assert sorted(there) == sorted(got)
    assert state.stock.cards == PACK[4 * (places + 1) :]


def test_l2_later_deals_leave_the_centre_as_it_is() -> None:
    state = trail_out(dealt(4))
    before = state.layout
    assert len(before) == 20
    done = play(WIPE, state, parse("deal"))
    assert done.state.layout == before
    assert [len(hand) for hand in done.state.hands] == [4] * 4
    assert isinstance(done.events[0], Redealt)
    stock = state.stock.cards
    assert sorted(done.state.hands[0].cards) == sorted([*stock[:2], *stock[8:10]])
    assert code_of(state, "trail 2S") is Code.WRONG_PHASE


def test_l3_board_cards_and_last_tricks_are_added_up_whatever_their_suits() -> None:
    state = position("TH 9C", "5C 3D 6S 2H", heaps={1: heap("4D 4C")})
    assert "capture TH take 2H,3D,5C" in legal_texts(state)
    assert "capture TH take 6S tricks 1" in legal_texts(state)
    assert "capture 9C take 6S,3D" in legal_texts(state)
    assert code_of(state, "capture TH take 5C,3D") is Code.BAD_SUM
    assert code_of(state, "capture TH") is Code.NOTHING_TAKEN
    assert code_of(state, "capture TH take 4S") is Code.NOT_IN_LAYOUT
    assert code_of(state, "capture TS take 6S tricks 1") is Code.NOT_IN_HAND
    assert clause_of(state, "capture TH take 5C,3D") == "wipe/L-3"


def test_l4_each_capture_is_a_trick_of_its_own_on_top_and_open() -> None:
    state = position("TH 7S", "5C 3D 2H", heaps={0: heap("QS QH", seat=0)})
    now = after(state, "capture TH take 5C,3D,2H")
    tricks = now.heaps[0].tricks
    assert [trick.by for trick in tricks] == cards_list("QS TH")
    assert set(tricks[-1].cards) == set(cards("TH 5C 3D 2H"))
    assert tricks[-1].crossed
    assert view(WIPE, now, 1).heaps == now.heaps


def cards_list(words: str) -> list[Card]:
    return list(cards(words))


def test_l5_only_the_last_trick_is_stolen_as_a_whole_and_counts_its_capturing_card() -> None:
    state = position("TH 2C", "2D", heaps={1: heap("4D 4C", "8D 3C 5H")})
    assert "capture TH take 2D tricks 1" in legal_texts(state)
    now = after(state, "capture TH take 2D tricks 1")
    assert [trick.by for trick in now.heaps[1].tricks] == cards_list("4D")
    (won,) = now.heaps[0].tricks
    assert won.by == Card("TH")
    assert set(won.cards) == set(cards("TH 2D 8D 3C 5H"))
    (event,) = events_of(state, "capture TH take 2D tricks 1")
    assert event == Captured(0, Card("TH"), won.cards, cards("2D"), tricks=(1,))


def test_l6_a_trick_not_crossed_lays_the_whole_open_heap_open() -> None:
    state = position("9H 4S", "9S KC", heaps={0: heap("QS QH", seat=0)}, others={1: "9D 2D"}, crossing="declared")
    state = after(state, "capture 9H take 9S crossed no")
    assert {"capture 9D tricks 0", "capture 9D heaps 0"} <= legal_texts(state)
    robbed = after(state, "capture 9D heaps 0")
    assert robbed.heaps[0].tricks == ()
    assert set(robbed.heaps[1].tricks[-1].cards) == set(cards("9D 9H 9S QS QH"))
    kept = after(state, "capture 9D tricks 0")
    assert [trick.by for trick in kept.heaps[0].tricks] == cards_list("QS")


def test_l7_a_build_is_one_card_of_its_value_and_cannot_be_separated() -> None:
    state = position("5C 2D 8S", "3H 9S", others={1: "3C KD KH"})
    now = after(state, "build 2D cards 3H value 5")
    (made,) = now.builds
    assert (made.id, made.value, made.owner, made.groups) == (1, 5, 0, (cards("3H 2D"),))
    assert now.layout == cards("9S")
    assert code_of(now, "capture 3C take 3H") is Code.CARD_IN_BUILD
    assert code_of(state, "build 5C cards 3H value 8") is None
    assert code_of(state, "build 2D cards 3H value 6") is Code.BAD_SUM
    assert code_of(state, "build 8S cards 9S value 10") is Code.BAD_SUM
    assert code_of(position("2D 4C", "3H"), "build 2D cards 3H value 5") is Code.NO_HOLDING_CARD
    assert clause_of(position("2D 4C", "3H"), "build 2D cards 3H value 5") == "wipe/L-7"


@pytest.mark.parametrize("rank", "ATJQK")
def test_l8_four_pictures_aces_or_tens_close_the_whole_heap(rank: str) -> None:
    state = position("2S 3S", "4S", heaps={0: heap(f"{rank}S {rank}H", f"{rank}D {rank}C", "9S 9H", seat=0)}, deal=3)
    assert code_of(state, "close", 0) is None
    done = play(WIPE, state, parse("close"), 0)
    assert done.state.heaps[0].tricks == ()
    (event,) = done.events
    assert isinstance(event, Closed)
    assert set(event.cards) == set(cards(f"{rank}S {rank}H {rank}D {rank}C 9S 9H"))
    assert set(event.cards) <= set(done.state.heaps[0].closed)
    assert done.state.to_act == state.to_act


def test_l8_closed_cards_cannot_be_taken() -> None:
    state = position("8C", "KD", heaps={1: heap(closed="QS QH QD QC 8D 3C 5H")})
    assert legal_texts(state) == {"trail 8C"}
    assert code_of(state, "capture 8C tricks 1") is Code.NO_OPEN_TRICK


def test_l9_a_wipe_is_announced_with_the_capture_and_is_worth_two() -> None:
    state = position("7C 4D", "5H 2S")
    assert wipe_points(state, "capture 7C take 5H,2S announce wipe") == (2,)
    now = after(state, "capture 7C take 5H,2S announce wipe")
    assert now.wipes[0] == WipeTally(made=1)
    assert now.layout == ()
    assert wipe_points(state, "capture 7C take 5H,2S") == ()


def test_l10_a_last_deal_not_announced_costs_two() -> None:
    state = trail_out(dealt(2))
    while state.deals < 6:
        state = after(state, "deal")
        state = trail_out(state) if state.deals < 6 else state
    first = state.hands[0].cards[0]
    entered = WipeEntered(1, "unannounced", -2)
    assert entered in events_of(state, f"trail {first}")
    said = after(state, "announce lastDeal", seat=1)
    assert entered not in events_of(said, f"trail {first}")
    assert said.announced


def test_l11_thirteen_points_a_round() -> None:
    won = (cards("AS AH AD TD KS KH KD"), cards("AC 2S 3S 4S"))
    settled = settle(options(), tuple(map(counted, won)), 1, WipeScore(points=(0, 0)), last=False)
    assert {(item.rule, item.side): item.points for item in settled.items} == {
        ("aces", 0): 3,
        ("aces", 1): 1,
        ("tenOfDiamonds", 0): 2,
        ("twoOfSpades", 1): 2,
        ("mostCards", 0): 2,
        ("mostSpades", 1): 2,
        ("lastTrick", 1): 1,
    }
    assert sum(settled.after.points) == ROUND_POINTS


def test_l11_the_cards_that_are_left_and_the_last_trick_go_together() -> None:
    state = position("KS", "AD 9S 9H", heaps={1: heap("QS QH")}, deal=6, last_taker=1, others={1: "9C"})
    state = after(state, "trail KS")
    done = play(WIPE, state, parse("capture 9C take 9H"))
    assert done.events[-2] == LeftOver(1, cards("KS 9S AD"))
    sheet = next(event.sheet for event in done.events if isinstance(event, Scored))
    assert sheet.scope == "round"
    assert ("lastTrick", 1) in {(item.rule, item.side) for item in sheet.items}
    assert sum(item.points for item in sheet.items) == ROUND_POINTS
    assert settlement(done.state).after == done.state.score


def test_l12_wipes_stand_apart_can_be_struck_and_count_at_the_end() -> None:
    state = position("KS", "AD 9S", heaps={1: heap("QS QH")}, deal=6, rounds=1, wipes={0: WipeTally(made=3)})
    assert WIPE.sheet(state, None).items == ()
    struck = play(WIPE, state, Strike(0))
    assert struck.events == (WipeEntered(0, "struck", -2),)
    assert code_of(state, "strike 0", 0) is Code.HOST_ONLY
    totals = {total.account: total.points for total in WIPE.sheet(struck.state, "match").totals if total.side == 0}
    assert totals == {"rounds": 0, "wipes": 4, "total": 4}
    assert WIPE.refuse(state, Strike(1), HOST) is not None


def test_l12_the_total_of_a_match_adds_them() -> None:
    state = position(
        "KS", "AD 9S", heaps={1: heap("QS QH")}, deal=6, wipes={0: WipeTally(made=3)}, others={1: "KD"}, match=1
    )
    done = play(WIPE, after(state, "trail KS"), parse("trail KD"))
    assert done.state.phase == "over"
    assert [event.sheet.scope for event in done.events if isinstance(event, Scored)] == ["round", "match"]
    sheet = WIPE.sheet(done.state, None)
    assert sheet.scope == "match"
    assert {item.rule: item.points for item in sheet.items if item.account == "wipes"} == {"wipe": 6}
    totals = {(total.account, total.side): total.points for total in sheet.totals}
    assert totals["total", 0] == totals["rounds", 0] + 6
    assert sheet.winners == (0,)


def test_l2_the_round_begins_with_a_deal_that_all_see() -> None:
    state = dealt(4)
    assert state.past is not None
    (event,) = state.past
    assert isinstance(event, Dealt)
    assert (event.dealer, event.layout, event.hands) == (3, state.layout, state.hands)
    assert deal_sizes(4) == (4, 4, 4)
