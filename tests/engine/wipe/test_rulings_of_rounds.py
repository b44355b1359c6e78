"""The rulings on Le Wipe that are about closing, wipes and rounds, one test or more each, named by them."""

from typing import Any

import msgspec
import pytest

from engine.cards import PACK, Card
from engine.events import Announced, LeftOver
from engine.game import HOST, FreeAction, Setup, Turn, begin, judge, play, view
from engine.games.wipe import WIPE, WipeCarry, WipeCount, WipeOptions, WipeScore, WipeState, WipeTally
from engine.games.wipe.scoring import match_sheet, settle
from engine.games.wipe.table import deal_sizes
from engine.moves import Strike, parse
from engine.violations import Code, Malformed
from tests.engine.wipe.positions import (
    after,
    build,
    captures,
    cards,
    clause_of,
    code_of,
    dealt,
    heap,
    legal_texts,
    options,
    position,
    trail_out,
    wipe_points,
)


def counts(*of_sides: tuple[int, int]) -> tuple[WipeCount, ...]:
    """Cards and spades by side."""
    return tuple(WipeCount(cards=number, spades=spades) for number, spades in of_sides)


def majorities(counted: tuple[WipeCount, ...], carried: WipeCarry | None = None, **choices: Any) -> dict[Any, int]:
    before = WipeScore(points=(0,) * len(counted), carried=carried or WipeCarry())
    settled = settle(options(**choices), counted, None, before, last=False)
    return {(item.rule, item.side): item.points for item in settled.items}


# --- closing


def complete(**given: Any) -> WipeState:
    """Seat 0 has four aces open and is to play; seat 1 holds an eight for its last trick."""
    return position(
        "8C KD",
        "8H 9S",
        heaps={0: heap("AS AH AD AC", seat=0)},
        others={1: "2C 3C"},
        deal=3,
        **given,
    )


def test_la15_closing_is_for_any_of_the_side_on_its_own_turn() -> None:
    state = position("8C KD", "8H 9S", places=4, heaps={0: heap("AS AH AD AC", seat=2)}, deal=1)
    assert state.may_also == (FreeAction(0, ("close",)), FreeAction(2, ("close",)))
    assert code_of(state, "close", 1) is Code.NO_COMPLETE_SET
    assert legal_texts(state, 2) == {"close"}
    played = after(state, "trail KD")
    assert [free.seat for free in played.may_also] == [0, 2]
    late = after(played, f"trail {played.hands[1].cards[0]}")
    assert [free.seat for free in late.may_also] == [0, 2]
    two = after(complete(), "trail KD")
    assert two.may_also == (FreeAction(0, ("close",)),)
    after_opponent = after(two, f"trail {two.hands[1].cards[0]}")
    assert after_opponent.may_also == (FreeAction(0, ("close",)),)
    three = position("8C KD", "8H 9S", places=3, heaps={0: heap("AS AH AD AC", seat=0)}, deal=2)
    three = after(three, "trail KD")
    three = after(three, f"trail {three.hands[1].cards[0]}")
    assert three.may_also == ()
    assert code_of(three, "close", 0) is Code.CLOSE_NOT_NOW
    assert clause_of(three, "close", 0) == "wipe/LA15"


def test_la15_or_only_right_after_the_capture_that_completed_the_set() -> None:
    given: dict[str, Any] = {
        "places": 3,
        "close_timing": "immediateOnly",
        "heaps": {0: heap("AS AH", "AD AC", seat=0)},
    }
    late = position("8C KD", "8H 9S", deal=2, **given)
    assert code_of(late, "close", 0) is Code.CLOSE_NOT_NOW
    unrelated = after(late, "capture 8C take 8H")
    assert code_of(unrelated, "close", 0) is Code.CLOSE_NOT_NOW
    state = position("AC KD", "AH 9S", places=3, deal=2, close_timing="immediateOnly", heaps={0: heap("AS AD", seat=0)})
    assert state.may_also == ()
    done = after(state, "capture AC take AH")
    assert done.may_also == (FreeAction(0, ("close",)),)
    assert done.just_took
    passed = after(done, f"trail {done.hands[1].cards[0]}")
    assert passed.may_also == ()
    assert code_of(passed, "close", 0) is Code.CLOSE_NOT_NOW
    assert after(done, "close", seat=0).heaps[0].tricks == ()


def test_la15_a_card_held_does_not_complete_a_set() -> None:
    assert code_of(position("AC KD", "9S", heaps={0: heap("AS AH AD", seat=0)}), "close", 0) is Code.NO_COMPLETE_SET


def test_la15_right_after_the_dealer_s_last_card_the_window_is_open_until_the_next_play() -> None:
    """The dealer plays last in a deal; dealing again is no play."""
    state = position("KD", "8H 9S", heaps={1: heap("AS AH AD AC")}, deal=3)
    state = after(state, "trail KD")
    state = after(state, f"trail {state.hands[1].cards[0]}")
    assert state.phase == "deal"
    assert state.may_also == (FreeAction(1, ("close",)),)
    state = after(state, "deal")
    assert state.may_also == (FreeAction(1, ("close",)),)
    assert after(state, "close", seat=1).heaps[1].tricks == ()


def test_la16_all_open_cards_are_turned_over_and_the_next_trick_is_open() -> None:
    given: dict[str, Any] = {"piles": "player", "places": 4, "deal": 1}
    state = position("8C KD", "8H 9S", heaps={0: heap("AS AH", seat=0), 2: heap("AD AC", "QS QH", seat=2)}, **given)
    closed = after(state, "close", seat=2)
    assert [heap.tricks for heap in closed.heaps] == [()] * 4
    assert set(cards("AD AC QS QH")) <= set(closed.heaps[2].closed)
    assert code_of(closed, "close", 0) is Code.NO_COMPLETE_SET
    again = after(closed, "capture 8C take 8H")
    assert len(again.heaps[0].tricks) == 1


# --- wipes


def test_la17_a_wipe_not_announced_is_nothing_or_costs_two() -> None:
    assert wipe_points(position("7C", "7H"), "capture 7C take 7H") == ()
    assert wipe_points(position("7C", "7H", missed_sweep="penalty"), "capture 7C take 7H") == (-2,)
    assert after(position("7C 2D", "7H", missed_sweep="penalty"), "capture 7C take 7H").wipes[0] == WipeTally(missed=1)
    assert wipe_points(position("7C", "7H 2S", missed_sweep="penalty"), "capture 7C take 7H") == ()


def test_la18_a_mistaken_announcement_is_void_or_costs_two_or_is_refused() -> None:
    words = "capture 7C take 7H announce wipe"
    assert wipe_points(position("7C", "7H 2S"), words) == ()
    assert wipe_points(position("7C", "7H 2S", false_sweep="penalty"), words) == (-2,)
    reject = position("7C", "7H 2S", false_sweep="reject")
    assert code_of(reject, words) is Code.NOT_A_WIPE
    assert clause_of(reject, words) == "wipe/LA18"
    assert code_of(position("7C", "7H", false_sweep="reject"), words) is None


def test_la19_a_trick_alone_is_no_wipe() -> None:
    given: dict[str, Any] = {"heaps": {1: heap("8D 3C 5H")}}
    words = "capture 8C tricks 1 announce wipe"
    assert wipe_points(position("8C", **given), words) == ()
    assert wipe_points(position("8C", missed_sweep="penalty", **given), "capture 8C tricks 1") == ()
    assert wipe_points(position("8C", false_sweep="penalty", **given), words) == (-2,)
    assert wipe_points(position("TC", "2H", **given), "capture TC take 2H tricks 1 announce wipe") == (2,)


def test_la20_a_build_left_is_no_wipe_one_taken_is() -> None:
    given: dict[str, Any] = {"builds": [build(1, 9, "5S 4S")]}
    assert wipe_points(position("7C", "7H", **given), "capture 7C take 7H announce wipe") == ()
    assert wipe_points(position("9C", **given), "capture 9C builds 1 announce wipe") == (2,)


def test_la20_wipes_in_the_last_deal_count_or_not() -> None:
    words = "capture 7C take 7H announce wipe"
    assert wipe_points(position("7C", "7H", deal=6), words) == (2,)
    none: dict[str, Any] = {"deal": 6, "sweep_last_deal": False}
    assert wipe_points(position("7C", "7H", **none), words) == ()
    assert wipe_points(position("7C", "7H", missed_sweep="penalty", **none), "capture 7C take 7H") == ()
    assert wipe_points(position("7C", "7H", false_sweep="penalty", **none), words) == ()
    assert code_of(position("7C", "7H", false_sweep="reject", **none), words) is None
    assert wipe_points(position("7C", "7H", deal=5, sweep_last_deal=False), words) == (2,)


def last_deal(**choices: Any) -> WipeState:
    """Just dealt for the last time; the dealer, seat 1, has not announced it."""
    state = trail_out(dealt(2, **choices))
    while state.deals < 5:
        state = trail_out(after(state, "deal"))
    return after(state, "deal")


def test_la21_the_dealer_announces_between_the_deal_and_the_first_card() -> None:
    state = last_deal()
    assert state.may_also == (FreeAction(1, ("announce",)),)
    assert legal_texts(state, 1) == {"announce lastDeal"}
    assert code_of(state, "announce lastDeal", 0) is Code.NOT_THE_DEALER
    said = play(WIPE, state, parse("announce lastDeal"), 1)
    assert said.events == (Announced(1, "lastDeal"),)
    assert code_of(said.state, "announce lastDeal", 1) is Code.ALREADY_ANNOUNCED
    first = f"trail {state.hands[0].cards[0]}"
    assert after(said.state, first).wipes[1] == WipeTally()
    silent = after(state, first)
    assert silent.wipes[1] == WipeTally(unannounced=1)
    assert code_of(silent, "announce lastDeal", 1) is Code.ANNOUNCE_NOT_NOW
    assert code_of(dealt(2), "announce lastDeal", 1) is Code.ANNOUNCE_NOT_NOW
    assert clause_of(dealt(2), "announce lastDeal", 1) == "wipe/LA21"
    with pytest.raises(Malformed, match="which seat"):
        judge(WIPE, state, parse("announce lastDeal"))


def test_la21_or_the_referee_does_it() -> None:
    state = last_deal(last_deal_announcement="auto")
    assert state.announced
    assert state.may_also == ()
    assert state.past is not None
    assert state.past[-1] == Announced(1, "lastDeal")
    assert code_of(state, "announce lastDeal", 1) is Code.ANNOUNCED_BY_REFEREE
    assert after(state, f"trail {state.hands[0].cards[0]}").wipes[1] == WipeTally()


# --- the end of a round


def test_la22_what_is_left_goes_to_the_last_trick_s_side_as_no_trick() -> None:
    given: dict[str, Any] = {"piles": "player", "places": 4, "deal": 3}
    state = position("KS", "AD 9S", heaps={3: heap("QS QH", seat=3)}, last_taker=3, **given)
    state = after(state, "trail KS")
    while state.phase == "play":
        state = after(state, f"trail {state.hands[state.to_act.seat].cards[0]}") if state.to_act else state
    assert len(state.heaps[3].tricks) == 1
    assert {Card("AD"), Card("9S"), Card("KS")} <= set(state.heaps[3].rest)
    assert state.layout == ()


def test_la23_nobody_took_nobody_has_the_last_trick() -> None:
    state = trail_out(last_deal())
    assert state.last_taker is None
    assert state.past is not None
    left = next(event for event in state.past if isinstance(event, LeftOver))
    assert (left.seat, len(left.cards)) == (None, 52)
    assert set(state.layout) == set(PACK)
    sheet = WIPE.sheet(state, "round")
    assert sheet.items == ()
    assert sheet.winners == ()


def test_la24_two_share_a_tie_three_get_nothing() -> None:
    assert majorities(counts((26, 7), (26, 6))) == {("mostCards", 0): 1, ("mostCards", 1): 1, ("mostSpades", 0): 2}
    assert majorities(counts((20, 6), (20, 6), (12, 1))) == {
        ("mostCards", 0): 1,
        ("mostCards", 1): 1,
        ("mostSpades", 0): 1,
        ("mostSpades", 1): 1,
    }
    assert majorities(counts((10, 4), (10, 4), (10, 4))) == {}


def test_la24_or_nobody_or_all_get_it_or_it_is_carried_over() -> None:
    tied = counts((26, 7), (26, 6))
    assert majorities(tied, tie="none") == {("mostSpades", 0): 2}
    assert majorities(tied, tie="all") == {("mostCards", 0): 2, ("mostCards", 1): 2, ("mostSpades", 0): 2}
    before = WipeScore(points=(0, 0))
    carried = settle(options(tie="carry"), tied, None, before, last=False)
    assert carried.after.carried == WipeCarry(cards=2)
    assert settle(options(tie="carry"), tied, None, before, last=True).after.carried == WipeCarry()
    won = majorities(counts((27, 7), (25, 6)), WipeCarry(cards=2), tie="carry")
    assert won == {("mostCards", 0): 4, ("mostSpades", 0): 2}


def test_la25_eight_get_two_cards_in_their_second_deal() -> None:
    assert deal_sizes(8) == (4, 2)
    state = trail_out(dealt(8))
    state = after(state, "deal")
    assert [len(hand) for hand in state.hands] == [2] * 8
    assert len(state.stock) == 0
    assert state.may_also == (FreeAction(7, ("announce",)),)


@pytest.mark.parametrize("places", [5, 7])
def test_la26_five_and_seven_cannot_play(places: int) -> None:
    assert places not in WIPE.places
    with pytest.raises(Malformed, match="no two equal teams") as refused:
        begin(WIPE, Setup(options=options(), places=places, chance="seed", seed="x"))
    assert refused.value.path == "$.places"


def test_la27_as_many_rounds_as_places_or_as_agreed_and_level_sides_share() -> None:
    assert dealt(3).options.rounds == 3
    assert dealt(3, rounds=7).options.rounds == 7
    level = match_sheet(WipeScore(points=(8, 10)), (WipeTally(made=1), WipeTally()), over=True)
    assert level.winners == (0, 1)
    with pytest.raises(msgspec.ValidationError, match="rounds"):
        msgspec.convert({"rounds": 0}, WipeOptions)


def test_la28_the_host_strikes_wipes_one_by_one_and_each_is_an_event() -> None:
    state = position("7C 2D", "7H", wipes={1: WipeTally(made=1)})
    assert all("strike" not in free.moves for free in state.may_also)
    done = play(WIPE, state, Strike(1))
    assert done.state.wipes[1] == WipeTally(made=1, struck=1)
    assert judge(WIPE, done.state, Strike(1)) is not None
    assert WIPE.refuse(done.state, Strike(1), HOST) == judge(WIPE, done.state, Strike(1))
    assert code_of(done.state, "strike 1") is Code.NOTHING_TO_STRIKE
    assert code_of(state, "strike 1", 1) is Code.HOST_ONLY
    assert done.state.to_act == state.to_act
    with pytest.raises(Malformed, match="there is no side 2"):
        judge(WIPE, state, Strike(2))


def test_la29_clockwise_from_the_dealer_s_left_and_the_next_deals_the_next_round() -> None:
    state = dealt(3, dealer=1)
    assert state.to_act == Turn(2, 2)
    seats = []
    while state.deals == 1 and state.phase == "play":
        assert state.to_act is not None
        seats.append(state.to_act.seat)
        state = after(state, f"trail {state.hands[seats[-1]].cards[0]}")
    assert seats == [2, 0, 1] * 4
    assert state.to_act == Turn(1, 1)
    for _ in range(3):
        state = trail_out(after(state, "deal"))
    assert state.to_act == Turn(2, 2)
    told = after(state, "deal deck " + ",".join(PACK))
    assert (told.dealer, told.rounds, told.deals) == (2, 2, 1)
    assert told.to_act == Turn(0, 0)


def test_la30_a_wipe_is_two_points_whatever_the_sentence_would_have_gone_on_to_say() -> None:
    assert wipe_points(position("7C", "7H"), "capture 7C take 7H announce wipe") == (2,)


def test_la31_all_is_public_but_hands_and_stock() -> None:
    state = position("7C 2D", "7H", heaps={1: heap("8D 3C 5H", closed="QS QH QD QC")}, wipes={1: WipeTally(made=1)})
    for viewer in (0, 1, "spectator"):
        seen = view(WIPE, state, viewer)
        assert (seen.layout, seen.heaps, seen.wipes, seen.score) == (
            state.layout,
            state.heaps,
            state.wipes,
            state.score,
        )
        assert [hand.hidden for hand in seen.hands] == [0 if seat == viewer else 2 for seat in (0, 1)]
        assert (seen.stock.cards, seen.stock.hidden) == ((), len(state.stock))


def test_la32_a_last_trick_can_be_stolen_as_long_as_it_is_on_top_and_open() -> None:
    state = position("9H KD", "2S", heaps={1: heap("9D 9C")}, others={1: "KC KH"})
    later = after(state, "trail KD", "trail KC")
    assert "9H tricks 1" in captures(later)


def test_la33_the_caller_names_the_first_dealer_else_the_last_seat_deals() -> None:
    assert dealt(4).dealer == 3
    assert dealt(4, dealer=1).dealer == 1
    with pytest.raises(Malformed, match="no seat 4"):
        dealt(4, dealer=4)
