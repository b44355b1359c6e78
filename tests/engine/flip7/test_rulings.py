"""The rulings of Flip 7, one test or more each, named by them, and every value of their options."""

import pytest

from engine.cards import FlipCard
from engine.events import Discarded, Flipped, Saved
from engine.game import Setup, admit, begin, judge, play
from engine.games.flip7 import FLIP7, Flip7State
from engine.games.flip7.deck import COUNTS, DECK
from engine.moves import Give, Stay, parse
from engine.violations import Code
from tests.engine.flip7.positions import (
    acting,
    after,
    begun,
    cards,
    choices,
    dealing,
    options,
    position,
    row,
    statuses,
    told,
)


def drawn(state: Flip7State, *moves: str) -> list[tuple[int, str]]:
    """Who turned which cards."""
    return [(event.seat, str(event.card)) for event in told(state, *moves)[1] if isinstance(event, Flipped)]


def test_fa1_one_of_each_modifier() -> None:
    assert [COUNTS[card] for card in cards("+2 +4 +6 +8 +10 x2")] == [1] * 6
    assert len(DECK) == 94


def test_fa2_the_dealers_left_first_the_dealer_last() -> None:
    outcome = begun("1 2 3 4", seats=4, dealer=1)
    assert [event.seat for event in outcome.events if isinstance(event, Flipped)] == [2, 3, 0, 1]
    state = outcome.state
    asked = []
    for _ in range(4):
        asked.append(acting(state))
        state = after(state, "stay")
    assert asked == [2, 3, 0, 1]
    assert begin(FLIP7, Setup(options=options(), places=5, chance="seed", seed="x")).state.dealer == 4


def test_fa3_an_action_is_the_card_that_was_dealt() -> None:
    state = after(dealing("freeze 8 9 11"), "give freeze 1")
    assert [row(state, seat) for seat in range(3)] == ["", "freeze", "8"]


def test_fa3_or_another_card_is_dealt_for_it() -> None:
    state = dealing("freeze 8 9 11", deal_replace_action=True)
    assert state.owed
    state = after(state, "give freeze 1")
    assert [row(state, seat) for seat in range(3)] == ["8", "freeze", "9"]
    assert not state.owed


def test_fa3_a_second_chance_and_a_flip_three_are_replaced_too() -> None:
    state = dealing("second 8 flip3 1 2 3 4 9", seats=3, deal_replace_action=True)
    assert row(state, 0) == "8 second"
    state = after(state, "1 give flip3 1")
    assert row(state, 1) == "1 2 3 4"
    assert row(state, 2) == "9"


def test_fa3_who_is_out_by_the_action_gets_no_other_card() -> None:
    state = after(dealing("freeze 8 9", seats=3, deal_replace_action=True), "give freeze 0")
    assert [row(state, seat) for seat in range(3)] == ["freeze", "8", "9"]


def test_fa4_a_seat_not_dealt_to_may_be_frozen_and_scores_nothing() -> None:
    state = after(dealing("freeze 5 9"), "give freeze 1")
    assert statuses(state) == "active frozen active"
    assert row(state, 1) == "freeze"
    assert drawn(state, "hit") == [(0, "9")]
    assert after(state, "hit", "stay", "stay").totals[1] == 0


def test_fa5_after_a_flip_three_the_deal_still_brings_a_card_even_to_bust() -> None:
    state = after(dealing("flip3 4 +2 9 4 5"), "give flip3 1")
    assert statuses(state) == "active busted active"
    assert row(state, 2) == "5"


def test_fa5_or_hit_or_stay_is_asked_and_then_the_deal_goes_on() -> None:
    state = after(dealing("flip3 4 +2 9 5 6", initial_deal_after_flip3="offer"), "give flip3 1")
    assert (state.phase, acting(state), state.offered) == ("turns", 1, (1,))
    stayed = after(state, "stay")
    assert statuses(stayed) == "active stayed active"
    assert row(stayed, 2) == "5"
    hit = after(state, "hit")
    assert (row(hit, 1), row(hit, 2)) == ("4 5 9 +2", "6")
    assert (acting(hit), hit.dealing, hit.offered) == (0, False, ())


def test_fa5_asked_without_a_card_it_must_hit() -> None:
    state = dealing("flip3 freeze freeze freeze 5 6", seats=4, initial_deal_after_flip3="offer")
    state = after(state, "0 give flip3 1", "1 give freeze 2", "1 give freeze 3", "1 give freeze 0")
    assert (acting(state), choices(state)) == (1, {"hit"})


def test_fa5_a_replacement_is_such_a_card_too() -> None:
    offer = dealing("flip3 1 2 3 9", seats=2, initial_deal_after_flip3="offer", deal_replace_action=True)
    state = after(offer, "give flip3 0")
    assert (acting(state), state.phase, state.dealing) == (0, "turns", True)
    deal = dealing("flip3 1 2 3 9", seats=2, deal_replace_action=True)
    assert row(after(deal, "give flip3 0"), 0) == "1 2 3 9"


def test_fa6_without_a_card_it_must_hit() -> None:
    state = position(["", "9"], "5")
    assert choices(state) == {"hit"}
    assert judge(FLIP7, state, Stay()) is not None


@pytest.mark.parametrize("card", ["+4", "x2", "second"])
def test_fa7_a_modifier_or_second_chance_is_enough_to_stay(card: str) -> None:
    assert choices(position([card, "9"])) == {"hit", "stay"}


def test_fa7_a_flip_three_done_is_no_card() -> None:
    state = after(position(["", "9"], "flip3 1 2 3"), "hit", "give flip3 1", "stay")
    assert choices(state) == {"hit"}


def test_fa8_the_last_active_seat_takes_it_itself() -> None:
    state = position(["1", "2 second"], "flip3 second second 4 5", out={1: "stayed"})
    state = after(state, "hit")
    assert choices(state) == {"give flip3 0"}
    state, events = told(state, "give flip3 0")
    assert row(state, 0) == "1 4 second"
    assert Discarded(cards("second")) in events


@pytest.mark.parametrize("gift", [False, True])
def test_fa9_a_first_second_chance_is_kept_or_may_be_given(gift: bool) -> None:  # noqa: FBT001
    state = after(position(["1", "2", "3 second", "4"], "second", out={3: "stayed"}, second_chance_gift=gift), "hit")
    if not gift:
        assert row(state, 0) == "1 second"
        return
    assert choices(state) == {"give second 0", "give second 1"}
    assert row(after(state, "give second 0"), 0) == "1 second"
    assert row(after(state, "give second 1"), 1) == "2 second"


def test_fa9_kept_by_choice_also_when_it_is_the_only_one() -> None:
    alone = position(["1", "2"], "second", out={1: "stayed"}, second_chance_gift=True)
    assert choices(after(alone, "hit")) == {"give second 0"}
    within = position(["1", "2"], "flip3 second 5 6", second_chance_gift=True)
    state = after(within, "hit", "give flip3 1")
    assert (acting(state), choices(state)) == (1, {"give second 0", "give second 1"})
    assert row(after(state, "give second 0"), 1) == "2 5 6"


def test_fa10_the_drawer_chooses_who_gets_the_second_one_at_once() -> None:
    state = after(position(["1", "2", "3 second"], "flip3 second 5 6"), "hit", "give flip3 2")
    assert (acting(state), choices(state)) == (2, {"give second 0", "give second 1"})
    state = after(state, "give second 1")
    assert row(state, 1) == "2 second"
    assert row(state, 2) == "3 5 6 second"


def test_fa11_it_is_used_by_itself() -> None:
    state, events = told(position(["5 second", "2"], "5"), "hit")
    assert Saved(0, FlipCard("5")) in events
    assert acting(state) == 1


def test_fa12_the_turn_ends_after_it_and_the_seat_stays_active() -> None:
    state = after(position(["5 second", "2"], "5"), "hit")
    assert acting(state) == 1
    assert statuses(state) == "active active"


def test_fa13_the_duplicate_put_aside_is_one_of_the_three() -> None:
    assert drawn(position(["1", "2 second"], "flip3 2 4 5 6"), "hit", "give flip3 1")[1:] == [
        (1, "2"),
        (1, "4"),
        (1, "5"),
    ]


def test_fa14_who_flipped_them_gives_them() -> None:
    state = after(position(["1", "2"], "flip3 freeze 4 5"), "hit", "give flip3 1")
    assert acting(state) == 1
    refused = judge(FLIP7, state, Give(FlipCard("freeze"), 0), 0)
    assert refused is not None
    assert refused.code == Code.NOT_YOUR_TURN


def test_fa15_all_are_given_first_in_the_order_they_were_turned() -> None:
    state = after(position(["1", "2", "3"], "flip3 freeze flip3 4 6 7 8"), "hit", "give flip3 0")
    assert choices(state) == {f"give freeze {seat}" for seat in range(3)}
    refused = judge(FLIP7, state, Give(FlipCard("flip3"), 1))
    assert refused is not None
    assert (refused.code, refused.clause) == (Code.NOT_THE_CARD_TO_GIVE, "flip7/FA15")
    state = after(state, "give freeze 2")
    assert statuses(state) == "active active active"
    assert choices(state) == {f"give flip3 {seat}" for seat in range(3)}
    state = after(state, "give flip3 1")
    assert statuses(state) == "active active frozen"
    assert row(state, 1) == "2 6 7 8"


def test_fa15_a_card_for_who_is_out_by_then_is_discarded() -> None:
    state, events = told(
        position(["1", "2", "3"], "flip3 flip3 freeze 4 2 6"), "hit", "give flip3 0", "give flip3 1", "give freeze 1"
    )
    assert statuses(state) == "active busted active"
    assert Discarded(cards("freeze")) in events


def test_fa15_one_by_one_each_takes_effect_before_the_next_is_given() -> None:
    state = position(["1", "2", "3"], "flip3 freeze flip3 4 6 7 8", set_aside="oneByOne")
    state = after(state, "hit", "give flip3 0", "give freeze 2")
    assert statuses(state) == "active active frozen"
    assert choices(state) == {"give flip3 0", "give flip3 1"}


def test_fa16_one_by_one_a_flipper_who_froze_himself_still_gives_the_rest() -> None:
    state = position(["1", "2", "3"], "flip3 freeze flip3 4 6 7 8", set_aside="oneByOne")
    state = after(state, "hit", "give flip3 0", "give freeze 0")
    assert statuses(state) == "frozen active active"
    assert (acting(state), choices(state)) == (0, {"give flip3 1", "give flip3 2"})
    assert row(after(state, "give flip3 2"), 2) == "3 6 7 8"


def test_fa16_with_nobody_active_the_rest_is_discarded() -> None:
    state = position(["1", "2"], "flip3 freeze flip3 4 6", out={1: "stayed"}, set_aside="oneByOne")
    state = after(state, "hit", "give flip3 0", "give freeze 0")
    assert state.phase == "roundOver"
    assert sorted(state.discard) == ["flip3", "flip3"]


@pytest.mark.parametrize("set_aside", ["assignAllThenResolve", "oneByOne"])
def test_fa17_a_bust_or_seven_numbers_discard_what_is_set_aside(set_aside: str) -> None:
    busted = after(position(["1", "2"], "flip3 freeze 2", set_aside=set_aside), "hit", "give flip3 1")
    assert sorted(busted.discard) == ["flip3", "freeze"]
    six = position(["1", "0 2 3 4 5 6"], "flip3 freeze 8", set_aside=set_aside)
    seven = after(six, "hit", "give flip3 1")
    assert seven.phase == "roundOver"
    assert sorted(seven.discard) == ["flip3", "freeze"]
    assert seven.totals == (1, 43)


def test_fa18_seven_numbers_in_a_flip_three_end_the_round_before_the_third_card() -> None:
    state = after(position(["1", "0 2 3 4 5 6"], "flip3 +2 8 9"), "hit", "give flip3 1")
    assert state.phase == "roundOver"
    assert state.deck.cards[0] == "9"


def test_fa19_next_is_clockwise_of_who_was_dealt_the_first_card() -> None:
    state = position(["1", "2", "3", "4"], "flip3 5 6 7", turn=1)
    assert acting(after(state, "hit", "give flip3 3")) == 2
    chain = position(["1", "2", "3", "4"], "flip3 flip3 6 7 8 9 10", turn=1)
    assert acting(after(chain, "hit", "give flip3 3", "3 give flip3 0")) == 2


def test_fa5_a_seat_skipped_by_the_deal_is_not_asked_any_more() -> None:
    """Flipped three before its first card, then frozen before the deal reaches it."""
    setup = Setup(options=options(initial_deal_after_flip3="offer"), places=3, chance="caller")
    state = begin(FLIP7, setup).state
    for words in ("draw flip3", "give flip3 1", "draw 1", "draw 2", "draw freeze", "give freeze 1"):
        state = admit(FLIP7, play(FLIP7, state, parse(words)).state)
    assert (acting(state), state.offered) == (2, ())
