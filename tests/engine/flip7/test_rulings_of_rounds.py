"""The rulings of Flip 7 on deck, rounds and match (from FA20), named by them, and every value of their options."""

from collections import Counter

import pytest
from msgspec.structs import replace

from engine.cards import AnyCard, FlipCard
from engine.events import Discarded, Flipped, FlippedSeven, Given, Reshuffled, Saved, Stayed
from engine.game import SPECTATOR, Query, Setup, begin, judge, view
from engine.games.flip7 import FLIP7, Flip7Deck, Flip7Facts, Flip7RowFact, Flip7State
from engine.games.flip7.deck import COUNTS, DECK
from engine.games.flip7.resolve import Resolution
from engine.games.flip7.scoring import match_is_over, winners_of
from engine.moves import Draw, Give, Hit, Stay
from engine.violations import Code, Malformed
from tests.engine.flip7.positions import (
    acting,
    after,
    cards,
    choices,
    crowded,
    dealing,
    options,
    position,
    row,
    statuses,
    told,
)


def test_fa20_lazy_the_deck_is_made_when_a_card_is_needed() -> None:
    state, events = told(position(["1", "2"], "5", rest="discard"), "hit")
    assert (len(state.deck), state.shuffles) == (0, 1)
    assert not any(isinstance(event, Reshuffled) for event in events)
    count = len(state.discard)
    state, events = told(state, "hit")
    assert (len(state.deck), state.shuffles) == (count, 2)
    assert Reshuffled(count) in events


def test_fa20_eager_it_is_made_as_soon_as_the_last_card_is_drawn() -> None:
    state, events = told(position(["1", "2"], "5", rest="discard", reshuffle="eager"), "hit")
    assert (len(state.discard), state.shuffles) == (0, 2)
    assert events[1:] == [Flipped(0, FlipCard("5")), Reshuffled(len(state.deck))]


def code_of_draw(state: Flip7State, card: FlipCard) -> Code | None:
    """Why this card cannot be told; None where it can."""
    refused = judge(FLIP7, state, Draw(AnyCard(card)))
    return None if refused is None else refused.code


def test_fa21_what_lies_on_the_table_is_not_shuffled() -> None:
    start = position(["12", "11 11", "5 second"], "flip3 2", out={1: "busted"}, rest="discard")
    state = after(start, "hit", "give flip3 2")
    assert (state.phase, state.discard) == ("draw", ())
    in_deck = COUNTS - Counter(cards("12 11 11 5 second flip3 2"))
    assert len(state.deck) == in_deck.total()
    assert {card for card in set(DECK) if code_of_draw(state, card) is None} == set(in_deck)
    assert code_of_draw(after(state, "draw 1"), FlipCard("1")) is Code.NOT_IN_DECK


def test_fa22_no_card_for_who_must_be_asked_and_everybody_active_banks() -> None:
    state, events = told(crowded(["1", "2"], "12"), "hit")
    assert state.phase == "roundOver"
    assert [event for event in events if isinstance(event, Stayed)] == [Stayed(0, forced=True), Stayed(1, forced=True)]
    assert state.totals[:2] == (13, 2)


def test_fa22_a_flip_three_ends_early() -> None:
    state = after(crowded(["1", "2"], "flip3 freeze 12"), "hit", "give flip3 1")
    assert (state.phase, acting(state), row(state, 1)) == ("give", 1, "2 12")
    state = after(state, "give freeze 1")
    assert (state.phase, state.rows[0].status, state.rows[1].status) == ("roundOver", "stayed", "frozen")


def test_fa22_no_card_for_who_must_be_dealt_to() -> None:
    """All but out of reach, with the table just cleared: the deck is taken away here."""
    resolution = Resolution(dealing("freeze"))
    resolution.deck = []
    resolution.give(0)
    assert resolution.phase == "roundOver"
    assert [event for event in resolution.events if isinstance(event, Stayed)] == [
        Stayed(1, forced=True),
        Stayed(2, forced=True),
    ]


def test_fa23_a_busted_row_stays_in_sight_until_the_round_ends() -> None:
    state = after(position(["5", "2"], "5"), "hit")
    assert row(view(FLIP7, state, 1), 0) == "5 5"
    over = after(state, "stay")
    assert row(over, 0) == "5 5"
    assert after(over, "deal").discard == cards("5 5 2")


def test_fa24_a_freeze_stays_before_the_frozen_and_a_flip_three_goes_when_it_is_done() -> None:
    state = after(position(["1", "2"], "flip3 freeze 5 6"), "hit", "give flip3 1")
    assert state.discard == cards("flip3")
    state = after(state, "give freeze 0")
    assert (row(state, 0), state.discard) == ("1 freeze", cards("flip3"))
    open_still = after(position(["1", "2 second"], "flip3 second"), "hit", "give flip3 1")
    assert open_still.flip_threes[0].left == 3
    assert open_still.discard == ()


def test_fa25_equal_at_the_top_all_play_another_round() -> None:
    state = position(["4", "4", "3"], target=4)
    state = after(state, "stay", "stay", "stay")
    assert (state.phase, state.totals) == ("roundOver", (4, 4, 3))
    assert FLIP7.sheet(state, "match").winners == ()
    chosen = options(target=4)
    assert match_is_over(chosen, (10, 4, 11))
    assert winners_of(chosen, (10, 4, 11), 3) == (2,)


def test_fa25_or_share() -> None:
    state = after(position(["4", "4", "3"], target=4, tie="shared"), "stay", "stay", "stay")
    assert state.phase == "over"
    assert FLIP7.sheet(state, None).winners == (0, 1)
    with pytest.raises(Malformed, match="challenge off"):
        options(tie="shared", challenge="any")


@pytest.mark.parametrize(
    ("words", "expected"),
    [("x2", 0), ("x2 +4", 4), ("5 x2 +4", 14), ("0 1 2 3 4 5 6 x2", 57), ("0 x2", 0)],
)
def test_fa26_x2_doubles_numbers_only(words: str, expected: int) -> None:
    state = after(position([words, "9"]), "stay") if words.count(" ") < 6 else None
    facts = Flip7Facts(rows=(Flip7RowFact(cards=cards(words)),))
    assert FLIP7.sheet_of_facts(options(), facts).totals[0].points == expected
    assert state is None or after(state, "stay").totals[0] == expected


def test_fa27_at_seven_numbers_the_others_score_what_lies_before_them() -> None:
    rows = ["0 1 2 3 4 5", "9 x2", "2 +4", "8 8"]
    state = after(position(rows, "6", out={2: "stayed", 3: "busted"}), "hit")
    assert statuses(state) == "active active stayed busted"
    assert state.totals == (36, 18, 6, 0)


def test_fa28_a_zero_is_one_of_the_seven() -> None:
    state, events = told(position(["1 2 3 4 5 6", "9"], "0"), "hit")
    assert FlippedSeven(0) in events
    assert state.totals[0] == 36


def test_fa29_the_deal_passes_left_after_every_round_also_when_all_bust() -> None:
    state = after(position(["5", "2 2"], "5", out={1: "busted"}, dealer=0), "hit")
    assert state.totals == (0, 0)
    assert acting(state) == 1
    assert after(state, "deal").dealer == 1


def test_fa30_one_to_eighteen_places() -> None:
    for places in (1, 2, 18):
        state = begin(FLIP7, Setup(options=options(), places=places, chance="seed", seed="x")).state
        assert len(state.rows) == len(state.hands) == places
    with pytest.raises(Malformed, match="18 places"):
        begin(FLIP7, Setup(options=options(), places=19, chance="seed", seed="x"))
    assert len(begin(FLIP7, Setup(options=options(), chance="seed", seed="x")).state.rows) == 3


def test_fa30_each_place_has_one_seat() -> None:
    seating = ((2,), (0,), (1,))
    state = begin(FLIP7, Setup(options=options(), seating=seating, chance="seed", seed="x")).state
    assert (state.seating, len(state.rows)) == (seating, 3)
    for wrong in (((0, 1), (2,)), ((0,), (0,)), ((0,), (2,)), ((0,), ())):
        with pytest.raises(Malformed, match="one seat"):
            begin(FLIP7, Setup(options=options(), seating=wrong, chance="seed", seed="x"))
    with pytest.raises(Malformed, match="no seat 3"):
        begin(FLIP7, Setup(options=options(), dealer=3, chance="seed", seed="x"))


@pytest.mark.parametrize(
    ("challenge", "reached", "short"),
    [("any", (200, 0), (199, 199)), ("each", (200, 201), (199, 300)), ("combined", (150, 50), (150, 49))],
)
def test_fa31_who_must_reach_the_target(challenge: str, reached: tuple[int, int], short: tuple[int, int]) -> None:
    chosen = options(challenge=challenge)
    assert match_is_over(chosen, reached)
    assert winners_of(chosen, reached, 4) == (0, 1)
    assert winners_of(chosen, reached, 5) == ()
    assert not match_is_over(chosen, short)
    two = position(["9", "5"], challenge=challenge, target=14)
    assert after(two, "stay", "stay").phase == ("over" if challenge == "combined" else "roundOver")


def test_fa32_the_target_is_any_number_of_points() -> None:
    assert options().target == 200
    assert not match_is_over(options(), (199,))
    assert match_is_over(options(), (200,))
    assert after(position(["1", "2"], target=1), "stay", "stay").phase == "over"


@pytest.mark.parametrize("move", [Hit(), Stay()])
def test_fa33_first_the_action_is_given(move: Hit | Stay) -> None:
    state = after(position(["1", "2"], "freeze"), "hit")
    refused = judge(FLIP7, state, move)
    assert refused is not None
    assert (refused.code, refused.clause) == (Code.MUST_GIVE_FIRST, "flip7/FA33")
    assert refused.params == {"card": "freeze"}


def test_fa34_a_frozen_seat_keeps_its_second_chance_till_the_end() -> None:
    state = after(position(["1", "2 second"], "freeze 5"), "hit", "give freeze 1")
    assert row(state, 1) == "2 freeze second"
    assert "second" in after(state, "stay", "deal").discard


def test_fa35_everybody_out_during_the_deal_ends_the_round() -> None:
    state = after(dealing("freeze freeze", seats=2), "0 give freeze 0", "1 give freeze 1")
    assert (state.phase, state.totals) == ("roundOver", (0, 0))
    frozen = after(dealing("freeze 5", seats=2), "give freeze 1", "hit")
    assert frozen.phase == "turns"


def test_fa36_only_the_order_of_the_deck_is_hidden() -> None:
    state = after(position(["1", "2"], "flip3 3 4 5 6"), "hit", "give flip3 1")
    for viewer in (0, 1, SPECTATOR):
        seen = view(FLIP7, state, viewer)
        shown = replace(seen, viewer=None, history=None, deck=state.deck, log=state.log, seed=state.seed)
        assert shown == state
        assert seen.deck == Flip7Deck(hidden=len(state.deck))
        assert seen.history == state.log
    begun_by_seed = begin(FLIP7, Setup(options=options(), chance="seed", seed="x")).state
    seeded, events = told(begun_by_seed, min(choices(begun_by_seed)))
    assert [FLIP7.see(seeded, event, 1) for event in events] == events
    assert view(FLIP7, seeded, 0).seed is None


def test_fa37_the_end_of_a_round_is_a_state_of_its_own() -> None:
    six = position(["1", "0 2 3 4 5 6", "9"], "flip3 flip3 4 5 +2 8")
    over = after(six, "hit", "give flip3 0", "give flip3 1")
    assert (over.phase, acting(over), over.turn, over.given) == ("roundOver", 0, None, ())
    assert [row(over, seat) for seat in range(3)] == ["1 4 5", "0 2 3 4 5 6 8 +2", "9"]
    assert [entry.text for entry in FLIP7.legal(over, 0, Query()).moves] == ["deal"]
    assert choices(over, 1) == set()
    for move in (Hit(), Stay(), Give(FlipCard("flip3"), 0)):
        refused = judge(FLIP7, over, move)
        assert refused is not None
        assert refused.code == Code.WRONG_PHASE
    assert all(len(each.cards) <= 1 for each in after(over, "deal").rows)


def test_fa37_what_is_given_and_has_not_taken_effect_is_discarded() -> None:
    six = position(["1", "0 2 3 4 5 6", "9"], "flip3 flip3 freeze 5 8")
    over, events = told(six, "hit", "give flip3 0", "give flip3 1", "give freeze 2")
    assert over.phase == "roundOver"
    assert statuses(over) == "active active active"
    assert Discarded(cards("flip3 freeze")) in events


def test_fa38_flip_threes_and_second_chances_alone_are_no_cards_to_draw() -> None:
    state = crowded(["1", "2"], "12")
    assert set(state.discard) == {"flip3", "second"}
    assert after(state, "hit").phase == "roundOver"
    deeper = crowded(["1", "2"], "12 11")
    assert after(deeper, "hit").phase == "turns"


def test_fa39_who_banks_for_want_of_cards_has_stayed() -> None:
    state = after(crowded(["1", "2"], "12"), "hit")
    assert {each.status for each in state.rows[:2]} == {"stayed"}


def test_fa40_eager_comes_before_the_last_card_takes_effect() -> None:
    state = position(["5 second", "2"], "5", rest="discard", reshuffle="eager")
    count = len(state.discard)
    state, events = told(state, "hit")
    assert [type(event) for event in events[1:]] == [Flipped, Reshuffled, Saved]
    assert (len(state.deck), sorted(state.discard)) == (count, ["5", "second"])


def test_fa41_one_by_one_a_flipper_busted_by_his_own_gift_loses_the_rest() -> None:
    state = position(["1", "2"], "flip3 flip3 freeze 4 4 6", set_aside="oneByOne")
    state = after(state, "hit", "give flip3 0", "give flip3 0")
    assert statuses(state) == "busted active"
    assert sorted(state.discard) == ["flip3", "flip3", "freeze"]
    assert acting(state) == 1


def test_fa41_nesting_is_depth_first() -> None:
    state = position(["1", "2", "3"], "flip3 flip3 freeze 4 freeze 5 6 7", set_aside="oneByOne")
    state = after(state, "hit", "give flip3 0", "give flip3 1")
    assert [each.seat for each in state.flip_threes] == [0, 1]
    assert (acting(state), choices(state)) == (1, {f"give freeze {seat}" for seat in range(3)})
    state, events = told(state, "1 give freeze 2")
    assert Given(1, FlipCard("freeze"), 2) in events
    assert (acting(state), choices(state)) == (0, {"give freeze 0", "give freeze 1"})


def test_fa41_whoever_gave_it() -> None:
    state = position(["1", "2"], "flip3 flip3 freeze 4 flip3 5 6 4", set_aside="oneByOne")
    state = after(state, "hit", "give flip3 0", "give flip3 1", "1 give flip3 0")
    assert statuses(state) == "busted active"
    assert state.flip_threes == ()
    assert sorted(state.discard) == ["flip3", "flip3", "flip3", "freeze"]
