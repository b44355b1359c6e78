"""The clauses of Flip 7, one test or more each, named by them; the deck (F-1) is counted in `test_cases.py`."""

from itertools import pairwise

import pytest

from engine.cards import FlipCard
from engine.events import (
    AskedForCard,
    Busted,
    Flipped,
    FlippedSeven,
    FlipThreeBegan,
    Frozen,
    RoundBegan,
    Saved,
    SetAside,
)
from engine.game import Setup, begin, judge
from engine.games.flip7 import FLIP7, Flip7Facts, Flip7RowFact
from engine.games.flip7.deck import DECK
from engine.moves import Deal, Draw, Give, Stay
from engine.violations import Code, Malformed
from tests.engine.flip7.positions import (
    acting,
    after,
    begun,
    cards,
    choices,
    dealing,
    options,
    position,
    rest_of,
    row,
    statuses,
    told,
)


def points(words: str, *, busted: bool = False) -> int:
    sheet = FLIP7.sheet_of_facts(options(), Flip7Facts(rows=(Flip7RowFact(cards=cards(words), busted=busted),)))
    return sum(item.points for item in sheet.items)


def test_f2_everybody_and_the_dealer_gets_one_open_card() -> None:
    outcome = begun("4 9 8", seats=3)
    assert [row(outcome.state, seat) for seat in range(3)] == ["4", "9", "8"]
    assert outcome.events == (
        RoundBegan(1, 2),
        *(Flipped(seat, card) for seat, card in enumerate(cards("4 9 8"))),
    )


def test_f2_an_action_is_settled_before_the_deal_goes_on() -> None:
    state = dealing("4 freeze 8 3")
    assert acting(state) == 1
    assert state.phase == "give"
    assert row(state, 2) == ""
    assert row(after(state, "give freeze 0"), 2) == "8"


def test_f2_the_deck_is_shuffled() -> None:
    decks = set()
    for seed in ("one", "two"):
        state = begin(FLIP7, Setup(options=options(), places=1, chance="seed", seed=seed)).state
        seen = [*state.rows[0].cards, *state.deck.cards, *(() if state.held is None else [state.held.card])]
        assert sorted(seen) == sorted(DECK)
        decks.add(state.deck.cards)
    assert len(decks) == 2


def test_f3_each_in_turn_is_asked_for_one_card_or_to_stop() -> None:
    state = position(["4", "9", "2"], "11 3 5 6")
    asked = []
    for move in ("hit", "stay", "hit", "hit"):
        asked.append(acting(state))
        assert choices(state) == {"hit", "stay"}
        state = after(state, move)
    assert asked == [0, 1, 2, 0]
    assert row(state, 0) == "4 5 11"


def test_f4_stopping_banks_and_needs_a_card() -> None:
    state = position(["4", "9"], "11")
    assert statuses(after(state, "stay")) == "stayed active"
    assert statuses(after(state, "stay", "stay")) == "stayed stayed"
    assert after(state, "stay", "stay").totals == (4, 9)
    refused = judge(FLIP7, position(["", "9"], "11"), Stay())
    assert refused is not None
    assert (refused.code, refused.clause) == (Code.STAY_NEEDS_A_CARD, "flip7/F-4")


def test_f5_who_stopped_busted_or_is_frozen_is_not_active() -> None:
    state = position(["1", "2", "3 3", "4 freeze", "5"], out={1: "stayed", 2: "busted", 3: "frozen"})
    assert acting(after(state, "stay")) == 4


def test_f6_a_duplicate_busts() -> None:
    state, events = told(position(["4 11 +8", "9"], "11"), "hit")
    assert statuses(state) == "busted active"
    assert row(state, 0) == "4 11 11 +8"
    assert Busted(0, FlipCard("11")) in events
    assert after(state, "stay").totals == (0, 9)


def test_f6_modifiers_and_actions_never_bust() -> None:
    state = position(["4 +2 x2", "9"], "+4 freeze +6 second")
    state = after(state, "hit", "hit", "give freeze 1", "hit", "hit")
    assert statuses(state) == "active frozen"
    assert row(state, 0) == "4 +2 +4 +6 x2 second"


@pytest.mark.parametrize("action", ["freeze", "flip3"])
def test_f7_an_action_goes_to_any_active_seat_the_own_included(action: str) -> None:
    state = after(position(["4", "9", "2"], action), "hit")
    assert choices(state) == {f"give {action} {seat}" for seat in range(3)}
    alone = after(position(["4", "9", "2"], action, out={1: "stayed", 2: "stayed"}), "hit")
    assert choices(alone) == {f"give {action} 0"}
    refused = judge(FLIP7, alone, Give(FlipCard(action), 1))
    assert refused is not None
    assert (refused.code, refused.clause, refused.params["seats"]) == (Code.TARGET_NOT_ACTIVE, "flip7/F-7", ("0",))


def test_f7_to_a_seat_that_is_there() -> None:
    state = after(position(["4", "9", "2"], "freeze"), "hit")
    with pytest.raises(Malformed, match="no seat 3"):
        judge(FLIP7, state, Give(FlipCard("freeze"), 3))


def test_f8_a_freeze_banks_and_takes_out() -> None:
    state, events = told(position(["4", "9 x2", "2"], "freeze"), "hit", "give freeze 1", "2 stay", "0 stay")
    assert Frozen(1) in events
    assert statuses(state) == "stayed frozen stayed"
    assert state.totals == (4, 18, 2)


def test_f9_three_cards_of_every_kind() -> None:
    state, events = told(position(["4", "9"], "flip3 +2 freeze 7 8"), "hit", "give flip3 1")
    assert [event for event in events if isinstance(event, Flipped)][1:] == [
        Flipped(1, card) for card in cards("+2 freeze 7")
    ]
    assert FlipThreeBegan(1) in events
    assert choices(state) == {"give freeze 0", "give freeze 1"}


def test_f9_a_bust_or_seven_numbers_stop_it() -> None:
    busted = after(position(["4", "9"], "flip3 9 7 8"), "hit", "give flip3 1")
    assert row(busted, 1) == "9 9"
    seven, events = told(position(["4", "0 1 2 3 5 6"], "flip3 9 7 8"), "hit", "give flip3 1")
    assert row(seven, 1) == "0 1 2 3 5 6 9"
    assert FlippedSeven(1) in events
    assert seven.phase == "roundOver"


def test_f10_a_second_chance_of_the_three_is_used_at_once() -> None:
    state, events = told(position(["4", "9"], "flip3 second 9 7"), "hit", "give flip3 1")
    assert Saved(1, FlipCard("9")) in events
    assert row(state, 1) == "7 9"


def test_f10_a_freeze_or_flip_three_waits_for_the_three_and_for_no_bust() -> None:
    state, events = told(position(["4", "9"], "flip3 freeze 7 flip3"), "hit", "give flip3 1")
    assert [event for event in events if isinstance(event, SetAside)] == [
        SetAside(1, card) for card in cards("freeze flip3")
    ]
    assert (state.phase, acting(state)) == ("give", 1)
    busted = after(position(["4", "9"], "flip3 freeze 9"), "hit", "give flip3 1")
    assert busted.phase == "turns"
    assert sorted(busted.discard) == ["flip3", "freeze"]


def test_f11_a_second_chance_stays_and_goes_with_the_duplicate() -> None:
    state = after(position(["4", "9"], "second 7 4"), "hit")
    assert row(state, 0) == "4 second"
    state = after(state, "hit", "hit")
    assert row(state, 0) == "4"
    assert statuses(state) == "active active"
    assert sorted(state.discard) == ["4", "second"]


def test_f12_a_second_one_goes_to_another_who_has_none() -> None:
    state = after(position(["4 second", "9", "8 second", "7"], "second", out={3: "stayed"}), "hit")
    assert choices(state) == {"give second 1"}
    for seat, code in (
        (0, Code.TARGET_HAS_SECOND_CHANCE),
        (2, Code.TARGET_HAS_SECOND_CHANCE),
        (3, Code.TARGET_NOT_ACTIVE),
    ):
        refused = judge(FLIP7, state, Give(FlipCard("second"), seat))
        assert refused is not None
        assert refused.code == code
    assert row(after(state, "give second 1"), 1) == "9 second"


def test_f12_with_no_taker_it_is_discarded_and_at_the_end_all_are() -> None:
    state = after(position(["4 second", "9"], "second", out={1: "stayed"}), "hit")
    assert state.discard == cards("second")
    assert row(state, 0) == "4 second"
    over = after(state, "stay")
    assert "second" in row(over, 0)
    following = after(over, "deal")
    assert following.discard.count(FlipCard("second")) == 2


def test_f13_a_round_ends_when_nobody_is_active() -> None:
    state = position(["4", "9", "2 2"], "freeze", out={2: "busted"})
    assert after(state, "stay").phase == "turns"
    assert after(state, "stay", "stay").phase == "roundOver"
    assert after(state, "hit", "give freeze 1", "stay").phase == "roundOver"


def test_f13_seven_numbers_end_it_at_once_and_nothing_else_counts_to_seven() -> None:
    six = position(["1 2 3 4 5 6 +2 +4 x2 second", "9"], "+8 11 12")
    assert after(six, "hit").phase == "turns"
    over, events = told(six, "hit", "stay", "hit")
    assert over.phase == "roundOver"
    assert FlippedSeven(0) in events
    assert AskedForCard(0) in events


def test_f14_numbers_then_x2_then_pluses_then_fifteen() -> None:
    assert points("12 3") == 15
    assert points("12 3 x2") == 30
    assert points("12 3 x2 +10 +4") == 44
    assert points("0 1 2 3 4 5 6 x2 +10") == 67
    assert points("12 3 x2 +10 +4", busted=True) == 0


def test_f15_the_table_is_put_aside_and_not_shuffled_in() -> None:
    state = after(position(["4", "9 second"], "3 5 8"), "stay", "stay", "deal")
    assert (state.round, state.dealer) == (5, 0)
    assert state.discard == cards("4 9 second")
    assert [row(state, seat) for seat in range(2)] == ["5", "3"]
    assert state.shuffles == 2


def test_f16_an_empty_deck_is_made_of_what_is_put_aside() -> None:
    state = position(["4", "9"], "5", rest="discard")
    count = len(state.discard)
    state = after(state, "hit", "hit", "draw 3")
    assert (state.shuffles, len(state.deck), state.discard) == (2, count - 1, ())
    assert [row(state, seat) for seat in range(2)] == ["4 5", "3 9"]


def test_f17_the_match_ends_after_a_round_with_the_target_reached() -> None:
    state = position(["4", "9"], target=9)
    assert after(state, "stay").phase == "turns"
    over = after(state, "stay", "stay")
    assert (over.phase, over.to_act) == ("over", None)
    assert FLIP7.sheet(over, None).winners == (1,)
    refused = judge(FLIP7, over, Deal(), 0)
    assert refused is not None
    assert refused.code == Code.GAME_OVER
    assert after(position(["4", "9"], target=10), "stay", "stay").phase == "roundOver"


def test_f18_a_challenge_is_against_four_rounds() -> None:
    won = FLIP7.sheet_of_facts(options(challenge="any"), Flip7Facts(totals=(200,), rounds=4))
    assert won.winners == (0,)
    lost = FLIP7.sheet_of_facts(options(challenge="any"), Flip7Facts(totals=(200,), rounds=5))
    assert lost.winners == ()
    with pytest.raises(Malformed, match="2 places"):
        begin(FLIP7, Setup(options=options(challenge="any"), places=3, chance="seed", seed="x"))
    assert len(begin(FLIP7, Setup(options=options(preset="challenge"), chance="seed", seed="x")).state.rows) == 1


def test_f18_a_challenge_is_played_until_it_is_reached() -> None:
    state = begin(FLIP7, Setup(options=options(challenge="any", target=40), places=1, chance="seed", seed="c")).state
    rounds = [state.round]
    while state.phase != "over":
        texts = choices(state)
        state = after(state, "stay" if "stay" in texts else max(texts))
        rounds.append(state.round)
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(rounds))
    sheet = FLIP7.sheet(state, None)
    assert state.totals[0] >= 40
    assert sheet.winners == ((0,) if state.round <= 4 else ())
    assert [total.points for total in sheet.totals if total.account == "challenge"] == [int(state.round <= 4)]


def test_there_is_nothing_but_deal_hit_stay_give_and_draw() -> None:
    assert {move.__struct_config__.tag for move in FLIP7.moves} == {"deal", "hit", "stay", "give", "draw"}
    state = position(["4", "9"], "5")
    for move, code in (
        (Deal(), Code.WRONG_PHASE),
        (Draw(), Code.WRONG_PHASE),
        (Give(FlipCard("freeze"), 0), Code.WRONG_PHASE),
    ):
        refused = judge(FLIP7, state, move)
        assert refused is not None
        assert refused.code == code
    assert rest_of(DECK) == ()
