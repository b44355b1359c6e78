"""Wippen's clauses, one by one."""

import random
from collections import Counter

import pytest

from engine.cards import PACK, Card
from engine.events import Captured, Dealt, LeftOver, Redealt, Swept
from engine.game import Query, Setup, begin, legal_moves, play
from engine.games.wippen import WIPPEN, WippenState
from engine.games.wippen.plan import plan_of
from engine.moves import Deal, Hand, parse
from engine.rng import shuffle_and_cut
from engine.violations import Malformed
from tests.engine.wippen.positions import (
    EVERYTHING,
    after,
    cards,
    clause,
    legal,
    options,
    position,
    started,
    verdict,
)


def played_out(state: WippenState, seed: int = 1) -> WippenState:
    """The state once its round is counted."""
    rng = random.Random(seed)
    while state.score_before is None:
        state = play(WIPPEN, state, rng.choice(legal_moves(WIPPEN, state, None, EVERYTHING).moves).move).state
    return state


def test_wi1_two_to_twelve_play_with_one_or_two_packs() -> None:
    assert list(WIPPEN.places) == list(range(2, 13))
    for places in (1, 13):
        with pytest.raises(Malformed) as refused:
            started(places)
        assert refused.value.path == "$.places"
    assert len(plan_of(options({"packs": 2}), 5).cards) == 104
    assert set(plan_of(options(), 2).cards) == set(PACK)
    assert started(2, packs=2).options.packs == 2
    assert len(begin(WIPPEN, Setup(options=options(), chance="seed", seed="x")).state.hands) == 4


def test_wi2_all_hands_can_lie_open() -> None:
    state = started(openHands=True)
    seen = WIPPEN.project(state, "spectator")
    assert seen.hands == state.hands
    assert WIPPEN.project(started(), "spectator").hands == (Hand((), 4),) * 3


def test_wi3_the_dealers_left_is_first_and_turns_go_clockwise() -> None:
    state = started(3, dealer=1)
    turns = []
    for _ in range(6):
        assert state.to_act is not None
        turns.append(state.to_act.seat)
        state = play(WIPPEN, state, legal_moves(WIPPEN, state, None, EVERYTHING).moves[0].move).state
    assert turns == [2, 0, 1, 2, 0, 1]


def test_wi4_two_by_two_with_the_pot_before_the_dealer() -> None:
    state = started(3, dealer=0, seed="order")
    deck = shuffle_and_cut(plan_of(state.options, 3).cards, "order", 1)
    order = [1, 2, "pot", 0, 1, 2, "pot", 0]
    piles: dict[object, list[Card]] = {0: [], 1: [], 2: [], "pot": []}
    for turn, place in enumerate(order):
        piles[place] += deck[2 * turn : 2 * turn + 2]
    assert Counter(state.layout) == Counter(piles["pot"])
    assert [Counter(hand.cards) for hand in state.hands] == [Counter(piles[seat]) for seat in range(3)]
    assert state.stock.cards == deck[16:]


def test_wi5_later_deals_bring_four_each_and_leave_the_pot() -> None:
    state = started(3, seed="later")
    rng = random.Random(5)
    while state.phase == "play":
        state = play(WIPPEN, state, rng.choice(legal_moves(WIPPEN, state, None, EVERYTHING).moves).move).state
    assert state.phase == "deal"
    assert state.to_act is not None
    assert state.to_act.seat == state.dealer
    stock, layout, builds = state.stock.cards, state.layout, state.builds
    outcome = play(WIPPEN, state, Deal())
    dealt = outcome.state
    assert (dealt.layout, dealt.builds, dealt.deals) == (layout, builds, 2)
    order = [0, 1, 2, 0, 1, 2]
    for seat in range(3):
        twos = [stock[2 * turn : 2 * turn + 2] for turn, other in enumerate(order) if other == seat]
        assert Counter(dealt.hands[seat].cards) == Counter((*twos[0], *twos[1]))
    assert isinstance(outcome.events[0], Redealt)


PLAN = {
    1: {2: (6, 0), 3: (4, 0), 4: (3, 0), 5: (2, 8), 6: (2, 0), 9: (1, 12), 10: (1, 8), 11: (1, 4), 12: (1, 0)},
    2: {2: (12, 4), 3: (8, 4), 4: (6, 4), 5: (5, 0), 6: (4, 4), 7: (3, 16), 8: (3, 4), 10: (2, 20), 11: (2, 12),
        12: (2, 4)},
}  # fmt: skip


@pytest.mark.parametrize("packs", [1, 2])
def test_wi6_the_plan_of_every_number_of_places(packs: int) -> None:
    for places in range(2, 13):
        if places not in PLAN[packs]:
            with pytest.raises(Malformed, match="pictures") as refused:
                plan_of(options({"packs": packs}), places)
            assert refused.value.path == "$.places"
            continue
        deals, removed = PLAN[packs][places]
        plan = plan_of(options({"packs": packs}), places)
        assert plan.deals == deals
        assert len(plan.cards) == 52 * packs - removed
        assert 4 + deals * 4 * places == len(plan.cards)
        assert all(card[0] in "KQJ" for card in PACK if plan.cards.count(card) < packs)


def test_wi7_one_dealer_a_round_then_the_next() -> None:
    state = started(3, dealer=1, seed="dealers")
    dealers = []
    rng = random.Random(8)
    while state.rounds < 3:
        if state.phase == "deal":
            assert state.to_act is not None
            dealers.append((state.rounds, state.to_act.seat))
        state = play(WIPPEN, state, rng.choice(legal_moves(WIPPEN, state, None, EVERYTHING).moves).move).state
    assert dealers == [(1, 1)] * 3 + [(1, 2)] + [(2, 2)] * 3 + [(2, 0)]


def test_wi8_a_turn_plays_one_card_of_the_hand() -> None:
    state = position("5C 7D", "2H")
    assert clause(state, "trail 9C") == "wippen/WI-8"
    for words in legal(state):
        assert len(after(state, words).hands[0]) == 1


def test_wi9_an_equal_card_whatever_its_suit() -> None:
    state = position("7D", "7S 2C KH", preset="basic")
    assert legal(state) == {"capture 7D take 7S"}
    then = after(state, "capture 7D take 7S")
    assert set(then.heaps[0].cards) == set(cards("7D 7S"))
    assert clause(state, "capture 7D take 7H") == "wippen/WI-9"


def test_wi10_who_can_capture_must() -> None:
    state = position("7D QC 3H", "7S QD", preset="basic")
    assert clause(state, "trail 3H") == "wippen/WI-10"
    assert verdict(state, "trail 3H") == "MUST_CAPTURE"


def test_wi11_an_empty_pot_is_only_laid_in() -> None:
    state = position("7D 3H")
    assert legal(state) == {"trail 7D", "trail 3H"}
    assert clause(state, "capture 7D") == "wippen/WI-11"


def test_wi12_the_last_taker_gets_what_lies() -> None:
    state = played_out(started(3, seed="rest"))
    assert state.past is not None
    (rest,) = [event for event in state.past if isinstance(event, LeftOver)]
    takers = [event.seat for event in state.past if isinstance(event, Captured)]
    assert rest.seat == takers[-1] == state.last_taker
    assert not state.layout
    assert Counter(state.heaps[takers[-1]].cards) >= Counter(rest.cards)
    assert sum(map(len, state.heaps)) == 52


def test_wi13_most_cards_win_the_basic_game() -> None:
    state = played_out(started(3, preset="basic"))
    sheet = WIPPEN.sheet(state, None)
    most = max(map(len, state.heaps))
    assert sheet.winners == tuple(seat for seat in range(3) if len(state.heaps[seat]) == most)
    assert [item.points for item in sheet.items] == [len(heap) for heap in state.heaps]


def test_wi14_each_extra_is_a_switch_and_presets_name_them() -> None:
    extras = ("adding", "building", "raising", "double_building", "points", "wips")
    assert all(getattr(options(), name) for name in extras)
    assert not any(getattr(options({"preset": "basic"}), name) for name in extras)
    family = options({"preset": "family"})
    assert [name for name in extras if getattr(family, name)] == ["adding", "points"]
    state = position("9H", "2C 3D 4S", preset="basic")
    assert legal(state) == {"trail 9H"}
    assert clause(state, "capture 9H take 2C,3D,4S") == "wippen/WI-14"


def test_wi15_numerals_add_up_and_pictures_do_not() -> None:
    state = position("9H KD", "2C 3D 4S JS", building=False)
    assert legal(state) == {"capture 9H take 4S,3D,2C"}
    assert verdict(state, "capture KD take JS,2C") == "PICTURE_NO_VALUE"
    assert verdict(state, "capture 9H take JS") == "PICTURE_NO_VALUE"
    assert verdict(state, "capture 9H take 2C,3D") == "BAD_SUM"
    assert clause(state, "capture 9H take 2C,3D") == "wippen/WI-15"


def test_wi16_groups_equal_cards_and_builds_together() -> None:
    state = position("7C 2D", "7S 3H 4D KD", ["7 of 1: 5D 2H"], others={1: "7H"})
    takes = {words for words in legal(state) if words.startswith("capture 7C")}
    assert len(takes) == 7
    assert "capture 7C take 7S,3H,4D builds 1" in takes
    assert verdict(state, "capture 7C take 7S,3H") == "BAD_SUM"
    assert clause(state, "capture 7C take 7S,3H") == "wippen/WI-16"


def test_wi17_a_build_needs_a_card_of_its_value() -> None:
    state = position("5C 7D", "2H")
    then = after(state, "build 5C cards 2H value 7")
    (built,) = then.builds
    assert (built.value, built.owner, built.groups) == (7, 0, (cards("2H 5C"),))
    assert clause(position("5C 6D", "2H"), "build 5C cards 2H value 7") == "wippen/WI-17"
    assert verdict(state, "build 5C cards 2H value 8") == "BAD_SUM"
    assert clause(state, "build 5C cards 2H value 8") == "wippen/WI-17"
    assert verdict(state, "build 5C value 5") == "NOTHING_ADDED"
    with pytest.raises(Malformed):
        parse("build cards 2H,3D value 5")


def test_wi18_a_build_is_taken_whole_and_its_cards_are_not_open() -> None:
    state = position("2D 7H", "9S", ["7 of 1: 5C 2H"], others={1: "7S"})
    assert clause(state, "capture 2D take 2H") == "wippen/WI-18"
    assert verdict(state, "capture 2D take 2H") == "CARD_IN_BUILD"
    assert verdict(state, "capture 7H builds 2") == "NO_SUCH_BUILD"
    then = after(state, "capture 7H builds 1")
    assert set(then.heaps[0].cards) == set(cards("7H 5C 2H"))


def test_wi19_whoever_holds_the_value_may_take_it() -> None:
    state = position("7H 2D", "", ["7 of 1: 5C 2H"], others={1: "7S"})
    assert "capture 7H builds 1" in legal(state)


def test_wi20_the_owner_sees_to_his_build_and_keeps_his_card() -> None:
    state = position("8S KD 2H", "KH", ["8 of 0: 5D 3C"])
    assert legal(state) == {"capture 8S builds 1"}
    assert clause(state, "trail 2H") == clause(state, "capture KD take KH") == "wippen/WI-20"
    assert verdict(position("8S 4D", "8H", ["8 of 0: 5D 3C"]), "capture 8S take 8H") == "MUST_RESOLVE_BUILD"
    doubled = after(position("8S 5C", "3H", ["8 of 0: 6D 2C"]), "extend 5C build 1 cards 3H")
    assert doubled.builds[0].owner == 0
    assert len(doubled.builds[0].groups) == 2


def test_wi21_a_raise_adds_a_card_for_a_higher_value_that_is_held() -> None:
    state = position("2H TD 4C", "", ["8 of 1: 5D 3C"])
    then = after(state, "raise 2H build 1 value 10")
    assert (then.builds[0].value, then.builds[0].owner) == (10, 0)
    assert verdict(state, "raise 4C build 1 value 12") == "ABOVE_CEILING"
    assert verdict(position("AS 4C", "", ["8 of 1: 5D 3C"]), "raise AS build 1 value 9") == "NO_HOLDING_CARD"
    assert verdict(state, "raise 2H build 1 value 9") == "BAD_SUM"
    assert clause(state, "raise 2H build 1 value 9") == "wippen/WI-21"
    assert verdict(state, "raise 2H build 2 value 10") == "NO_SUCH_BUILD"


def test_wi22_a_double_build_is_two_groups_of_a_value_that_is_held() -> None:
    state = position("4C 9D", "3H 5S 6D")
    then = after(state, "build 4C cards 5S,3H,6D value 9")
    assert {frozenset(group) for group in then.builds[0].groups} == {
        frozenset(cards("5S 4C")),
        frozenset(cards("3H 6D")),
    }
    assert not then.layout
    wrong = position("4C 9D", "8H 6S")
    assert verdict(wrong, "build 4C cards 6S,8H value 9") == "BAD_GROUPS"
    assert clause(wrong, "build 4C cards 6S,8H value 9") == "wippen/WI-22"
    short = position("4C 9D", "3H", ["9 of 1: 5S 4S"])
    assert verdict(short, "extend 4C build 1 cards 3H") == "BAD_SUM"
    assert clause(short, "extend 4C build 1 cards 3H") == "wippen/WI-22"


def test_wi23_a_double_build_keeps_its_value_and_is_taken_by_it() -> None:
    state = position("2H TD", "2S", ["8 of 1: 5D 3C / 8H"])
    assert verdict(state, "raise 2H build 1 value 10") == "DOUBLE_LOCKED"
    assert clause(state, "raise 2H build 1 value 10") == "wippen/WI-23"
    assert verdict(state, "capture TD take 2S builds 1") == "BUILD_NOT_IN_SUM"
    agreed = position("6D KH", "2S", ["4 of 1: 4C / 3D AH"], buildInSum="double")
    assert "capture 6D take 2S builds 1" in legal(agreed)


def test_wi24_pictures_are_not_doubled() -> None:
    state = position("KC KD", "KH")
    assert legal(state) == {"capture KC take KH", "capture KD take KH"}
    assert verdict(state, "build KC cards KH value 13") == "PICTURE_NO_VALUE"
    valued = position("KC KD", "KH", pictureValues=True)
    assert verdict(valued, "build KC cards KH value 13") == "PICTURES_DOUBLED"
    assert clause(valued, "build KC cards KH value 13") == "wippen/WI-24"


def test_wi25_eleven_points_a_round_and_a_target() -> None:
    assert options().target == 52
    for seed in range(12):
        state = played_out(started(2, seed=f"eleven {seed}", wips=False))
        spades = [sum(card.suit == "S" for card in heap.cards) for heap in state.heaps]
        assert sum(spades) == 13
        assert sum(state.score.points) == 11


def test_wi26_a_wip_scores_a_point_each_time() -> None:
    state = position("7D 2C", "3S 4H")
    outcome = play(WIPPEN, state, parse("capture 7D take 3S,4H"))
    assert Swept(0) in outcome.events
    assert outcome.state.wips == (1, 0, 0)
    kept = position("7D 2C", "3S 4H KD")
    assert play(WIPPEN, kept, parse("capture 7D take 3S,4H")).state.wips == (0, 0, 0)
    none = position("7D 2C", "3S 4H", wips=False)
    assert play(WIPPEN, none, parse("capture 7D take 3S,4H")).state.wips == (0, 0, 0)


@pytest.mark.parametrize("places", [2, 3, 4])
def test_the_invariants_hold_in_random_rounds(places: int) -> None:
    """The legal set is never empty, no build is left, owners hold their cards, every point is given."""
    rng = random.Random(places)
    for number in range(12):
        state = started(places, seed=f"rounds {places} {number}")
        while state.score_before is None:
            answer = legal_moves(WIPPEN, state, None, Query(limit=1000))
            assert answer.moves
            assert not answer.truncated
            state = play(WIPPEN, state, rng.choice(answer.moves).move).state
            for built in state.builds:
                assert built.owner is not None
                assert any(card[0] == "A23456789T"[built.value - 1] for card in state.hands[built.owner].cards)
            there = sum(map(len, (*state.hands, *state.heaps, state.stock)))
            there += len(state.layout) + sum(len(built.cards) for built in state.builds)
            assert there == 52
        assert not state.builds
        assert state.past is not None
        assert not any(event.builds for event in state.past if isinstance(event, LeftOver))
        sheet = WIPPEN.sheet(state, "round")
        by_card = sum(item.points for item in sheet.items if item.rule in ("tenOfDiamonds", "twoOfSpades", "aces"))
        assert by_card == 7
        wips = sum(item.points for item in sheet.items if item.rule == "wips")
        assert wips == sum(isinstance(event, Swept) for event in state.past) == sum(state.wips)
        assert sum(item.points for item in sheet.items) - wips in (7, 9, 11)


def test_a_deal_is_told_with_what_lies_open() -> None:
    state = started(seed="told")
    assert state.past is not None
    dealt = state.past[0]
    assert isinstance(dealt, Dealt)
    assert (dealt.dealer, dealt.hands, dealt.layout) == (2, state.hands, state.layout)
