"""The rulings of PeeWee 7 and the options that change them, one test or more each, named by them."""

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.cards import PACK, RANKS, Card
from engine.events import Dealt, Exposed, Played, Reshuffled
from engine.game import SPECTATOR, Query, Setup, Turn, admit, begin, judge, legal_moves, play, view
from engine.games.peewee7 import PEEWEE7, PeeweeDraw, PeeweeFacts, PeeweeRow, PeeweeScore, PeeweeState
from engine.games.peewee7.drawing import is_black, is_used_up, seated, teams_are_made
from engine.games.peewee7.options import check_options
from engine.games.peewee7.scoring import settle, sheet_of_facts, winners
from engine.mechanics.tricks import winner_of
from engine.moves import Deal, Hand, Play, parse
from engine.sheet import Sheet
from engine.violations import Code, Malformed
from tests.engine.peewee7.positions import (
    SUIT_EACH,
    begun,
    called,
    cards,
    contract,
    dealt,
    legal,
    options,
    play_out,
    played,
    score,
)

BLACK, RED = ([card for card in PACK if is_black(card) is colour] for colour in (True, False))


def code(state: PeeweeState, words: str, seat: int | None = None) -> Code | None:
    refused = judge(PEEWEE7, state, parse(words), seat)
    return refused.code if refused else None


def drawn(state: PeeweeState, *told: Card) -> PeeweeState:
    for card in told:
        state = play(PEEWEE7, state, parse(f"draw {card}")).state
    return state


def laid(*told: Card) -> tuple[PeeweeDraw, ...]:
    return tuple(PeeweeDraw(place=index % 4, card=card) for index, card in enumerate(told))


def total(sheet: Sheet, side: int, account: str, unit: str = "halfCrosses") -> int:
    (points,) = [each.points for each in sheet.totals if (each.side, each.account, each.unit) == (side, account, unit)]
    return points


def test_pa1_looked_at_after_each_card_or_after_each_round() -> None:
    told = (*BLACK[:3], RED[0], BLACK[3], RED[1])
    assert drawn(begun(teamDraw=True), *told).phase == "deal"
    by_round = drawn(begun(teamDraw=True, teamDrawCheck="round"), *told)
    assert by_round.phase == "teamDraw"
    assert drawn(by_round, RED[2], BLACK[4]).phase == "deal", "red, red, black, black on top"


@given(st.permutations(PACK))
def test_pa1_a_card_at_a_time_always_ends_within_the_pack(pack: list[Card]) -> None:
    chosen = options(teamDraw=True)
    ends = [count for count in range(4, 53) if teams_are_made(chosen, laid(*pack[:count]))]
    assert ends
    assert not any(is_used_up(chosen, laid(*pack[:count])) for count in range(ends[0] + 1))


def test_pa1_worst_packs_end_too() -> None:
    """Three of a colour on top as long as there are cards to keep it so: thirteen rounds take 39 of 26."""
    chosen = options(teamDraw=True)
    for first, other in ((BLACK, RED), (RED, BLACK)):
        pack = [first[0], first[1], first[2], other[0]]
        rest, others = list(first[3:]), list(other[1:])
        while len(pack) < 52 and not teams_are_made(chosen, laid(*pack)):
            keeps = sum(is_black(card) is is_black(first[0]) for card in pack[-3:])
            pack.append(rest.pop() if keeps < 3 and rest else others.pop() if others else rest.pop())
        assert teams_are_made(chosen, laid(*pack))


def without_teams() -> list[Card]:
    """A pack of which no round is two and two: one of four blacks, five of 3-1, seven of 1-3."""
    blacks, reds = list(BLACK), list(RED)
    counts = [4, *[3] * 5, *[1] * 7]
    rounds = [[blacks.pop() for _ in range(count)] + [reds.pop() for _ in range(4 - count)] for count in counts]
    return [card for each in rounds for card in each]


def test_pa1_a_pack_used_up_by_rounds_is_taken_up_and_begun_anew() -> None:
    pack = without_teams()
    state = drawn(begun(teamDraw=True, teamDrawCheck="round"), *pack[:51])
    assert state.phase == "teamDraw"
    outcome = play(PEEWEE7, state, parse(f"draw {pack[51]}"))
    assert outcome.events[-1] == Reshuffled(52)
    assert (outcome.state.draws, outcome.state.packs) == ((), 1)
    assert outcome.state.to_act == Turn(3, 0), "the dealer lays, left first"
    assert code(outcome.state, f"draw {pack[0]}") is None, "any card may come again"
    seen = view(PEEWEE7, outcome.state, 2)
    assert seen.history == (Reshuffled(52),)
    assert play(PEEWEE7, view(PEEWEE7, state, 2), parse(f"draw {pack[51]}")).state == seen
    admit(PEEWEE7, seen)
    state = drawn(outcome.state, *BLACK[:2], *RED[:2])
    assert state.phase == "deal"
    assert play(PEEWEE7, state, Deal(deck=PACK)).state.packs == 0  # type: ignore[arg-type]


def test_pa1_each_pack_of_a_seed_is_another() -> None:
    chosen = options(teamDraw=True, teamDrawCheck="round")
    state = begin(PEEWEE7, Setup(options=chosen, chance="seed", seed="packs")).state
    first, second = (play(PEEWEE7, replace(state, packs=packs), parse("draw")).state.draws[0].card for packs in (0, 1))
    assert first is not second


def test_pa2_the_dealer_stays_his_mate_moves_across_the_others_keep_their_order() -> None:
    for mate in (0, 1, 2):
        colours = [place in (3, mate) for place in range(4)]
        told = [BLACK[place] if colours[place] else RED[place] for place in (0, 1, 2, 3)]
        state = drawn(begun(teamDraw=True), *told)
        order = {seat: place for place, (seat,) in enumerate(state.seating)}
        assert order[3] == 3
        assert order[1] == mate
        assert [order[0], order[2]] == sorted({0, 1, 2} - {mate})
        assert state.black == 1


def test_pa2_a_caller_may_say_who_sits_where() -> None:
    seating = ((2,), (0,), (3,), (1,))
    setup = Setup(options=options(), chance="seed", seed="x", seating=seating)
    assert begin(PEEWEE7, setup).state.seating == seating
    setup = Setup(options=options(teamDraw=True), chance="caller", seating=seating, dealer=0)
    state = begin(PEEWEE7, setup).state
    state = drawn(state, BLACK[0], RED[0])
    assert [draw.place for draw in state.draws] == [3, 0], "seats 1 and 2"
    assert seated(0, laid(*BLACK[:2], *RED[:2]))[1] in (0, 1)


def test_pa3_all_cards_are_dealt_after_the_draw() -> None:
    state = drawn(begun(teamDraw=True), BLACK[0], RED[0], BLACK[1], RED[1])
    state = play(PEEWEE7, state, Deal(deck=PACK)).state  # type: ignore[arg-type]
    assert state.draws == ()
    assert sum(len(hand) for hand in state.hands) == 52


def test_pa4_aces_are_high_and_twos_low() -> None:
    for low, high in pairwise(RANKS):
        assert winner_of(0, cards(f"{low}S {high}S {low}H {low}D"), None) == 1


def test_pa5_bidding_goes_clockwise_as_the_play_does() -> None:
    state = dealt(dealer=2)
    seats = []
    for _ in range(3):
        assert state.to_act is not None
        seats.append(state.to_act.seat)
        state = called(state, "pass")
    assert seats == [3, 0, 1]


def test_pa6_after_three_passes_the_fourth_may_bid_unless_three_throw_the_deal_in() -> None:
    assert called(dealt(), "pass pass pass 7C pass pass").phase == "auction"
    assert called(dealt(openingPasses=3), "pass pass pass").phase == "deal"
    assert called(dealt(openingPasses=3), "pass pass 7C pass pass").phase == "auction"


def test_pa7_who_passed_may_call_again_unless_a_pass_is_final() -> None:
    state = called(dealt(), "pass 7C pass pass")
    assert state.to_act is not None
    assert state.to_act.seat == 0
    state = called(dealt(passIsFinal=True), "pass 7C pass 7D")
    assert state.to_act is not None
    assert state.to_act.seat == 1, "seat 0 has passed and is skipped"
    state = called(state, "8C")
    assert state.to_act is not None
    assert state.to_act.seat == 3, "so is seat 2"
    assert called(state, "pass").contract == contract("8C", side=1)


@pytest.mark.parametrize(
    ("calls", "made"),
    [
        ("pass pass pass 7C", "7C"),
        ("7C pass pass pass", "7C"),
        ("7C dare pass pass pass", "7C"),
        ("7C pass pass dare doubleDare pass", "7C"),
        ("pass pass pass pass", None),
    ],
)
def test_pa7_a_final_pass_closes_once_the_other_three_have_passed(calls: str, made: str | None) -> None:
    state = called(dealt(passIsFinal=True), calls)
    assert state.phase == ("deal" if made is None else "play")
    assert (state.contract and f"{state.contract.tricks}{state.contract.strain}") == made


def test_pa8_fewer_tricks_in_a_higher_suit_are_not_enough() -> None:
    for bid in ("7NT", "7H", "7C"):
        assert code(called(dealt(), "8C"), f"bid {bid}") == Code.BID_TOO_LOW


def test_pa9_the_opponents_suit_may_be_overbid_with_more_tricks() -> None:
    assert code(called(dealt(), "7S"), "bid 8S") is None
    assert code(called(dealt(), "7S"), "bid 7S") == Code.BID_TOO_LOW


def test_pa10_a_dare_is_on_the_opponents_standing_bid_passes_may_lie_between() -> None:
    assert code(called(dealt(), "7S pass pass"), "dare") is None
    assert code(called(dealt(), "7S 8S"), "dare") is None, "seat 2 dares the bid of seat 1"
    assert code(called(dealt(), "7S"), "dare", seat=3) == Code.NOT_YOUR_TURN


def test_pa10_or_also_takes_an_own_bid_in_that_suit() -> None:
    strict: dict[str, Any] = {"dareRequires": "ownSuitBid"}
    refused = judge(PEEWEE7, called(dealt(**strict), "7NT"), parse("dare"))
    assert refused is not None
    assert (refused.code, refused.clause, refused.params) == (Code.SUIT_NOT_BID, "peewee7/PA10", {"suit": "NT"})
    assert refused.message == "Your side has not bid no trump in this auction."
    assert code(called(dealt(**strict), "7H 7NT pass 8H"), "dare") is None, "seat 0 named hearts itself"
    assert code(called(dealt(**strict), "7H pass pass 8H pass pass"), "dare") is None, "its partner did"
    assert code(called(dealt(**strict), "7S pass pass 8H pass pass"), "dare") == Code.SUIT_NOT_BID


def test_pa11_neither_the_own_side_nor_the_darers_nor_a_third_step() -> None:
    assert code(called(dealt(), "7H pass"), "dare") == Code.OWN_SIDE
    assert code(called(dealt(), "7H dare pass"), "doubleDare") == Code.NOT_OWN_BID
    assert code(called(dealt(), "7H dare doubleDare"), "dare") == Code.ALREADY_DARED
    assert code(called(dealt(), "7H dare doubleDare pass"), "doubleDare") == Code.ALREADY_DARED
    assert code(called(dealt(), "7H dare pass"), "dare") == Code.ALREADY_DARED
    refused = judge(PEEWEE7, called(dealt(), "7H pass"), parse("dare"))
    assert refused is not None
    assert refused.clause == "peewee7/PA11"


def test_pa12_either_partner_of_the_bidding_side_may_double_dare() -> None:
    assert code(called(dealt(), "7H dare"), "doubleDare") is None
    assert code(called(dealt(), "7H dare pass pass"), "doubleDare") is None


def test_pa13_the_suit_is_shut_while_the_dare_stands_for_both_sides_or_open_where_agreed() -> None:
    for calls in ("7H dare", "7H dare pass", "7H dare doubleDare"):
        assert code(called(dealt(), calls), "bid 8H") == Code.DARED_SUIT_CLOSED
        assert code(called(dealt(overbidAfterDare="any"), calls), "bid 8H") is None
    assert code(called(dealt(), "7H dare 7NT"), "bid 8H") is None
    assert code(called(dealt(overbidAfterDare="any"), "8H dare"), "bid 8H") == Code.BID_TOO_LOW


def test_pa14_a_dare_lapses_when_outbid() -> None:
    state = called(dealt(), "7H dare 7NT")
    assert code(state, "dare") is None, "the new bid can be dared anew"
    state = called(dealt(), "7H dare doubleDare 8C pass pass pass")
    assert state.contract == contract("8C", side=1, dare=0)
    state = called(dealt(overbidAfterDare="any"), "7H dare 8H pass pass pass")
    assert state.contract == contract("8H", side=0, dare=0)


def test_pa15_a_dare_begins_the_count_of_passes_anew() -> None:
    assert called(dealt(), "7H pass pass dare pass pass").phase == "auction"
    assert called(dealt(), "7H pass pass dare pass pass pass").phase == "play"
    assert called(dealt(), "7H pass pass dare pass pass doubleDare pass pass").phase == "auction"


def test_pa16_the_master_is_of_the_side_that_has_the_contract() -> None:
    state = called(dealt(), "7H 8H pass pass pass")
    assert (state.contract, state.master) == (contract("8H", side=1), 1)
    state = called(dealt(), "7H 8H pass pass 9H pass pass pass")
    assert (state.contract, state.master) == (contract("9H", side=0), 0)


def test_pa17_the_master_started_the_suit_or_bid_it_last_where_agreed() -> None:
    calls = "7H pass 8H pass pass pass"
    assert called(dealt(), calls).master == 0
    assert called(dealt(masterRule="lastBidder"), calls).master == 2
    assert called(dealt(masterRule="lastBidder"), "7H pass 8H dare pass pass pass").master == 2


def test_pa18_a_peewee_on_lead_leads_from_the_closed_hand_and_then_shows_twelve() -> None:
    state = called(dealt(SUIT_EACH), "pass pass 7NT pass pass pass")
    assert state.to_act is not None
    assert (state.to_act.seat, state.to_act.hand) == (0, 0)
    assert view(PEEWEE7, state, 2).hands[0].hidden == 13
    assert code(state, "play AS", seat=2) == Code.NOT_YOUR_TURN
    outcome = play(PEEWEE7, state, Play(Card("AS")))
    assert outcome.events[0] == Played(0, 0, Card("AS"))
    assert isinstance(outcome.events[1], Exposed)
    assert len(outcome.events[1].cards) == 12
    assert len(view(PEEWEE7, outcome.state, 1).hands[0].cards) == 12
    later = played(outcome.state, "2H 2D 2C")
    assert later.to_act is not None
    assert (later.to_act.seat, later.to_act.hand) == (2, 0)


def test_pa18_or_lays_all_thirteen_open_and_the_master_leads_from_them() -> None:
    state = called(dealt(SUIT_EACH, peeweeLeadChosenBy="master"), "pass pass 7NT pass pass")
    outcome = play(PEEWEE7, state, parse("pass"))
    assert outcome.events[-1] == Exposed(0, state.hands[0].cards)
    for viewer in (1, 2, 3, SPECTATOR):
        assert len(view(PEEWEE7, outcome.state, viewer).hands[0].cards) == 13
    assert code(outcome.state, "play AS", seat=0) == Code.MASTER_PLAYS
    after = play(PEEWEE7, outcome.state, Play(Card("AS")), seat=2)
    assert after.events == (Played(2, 0, Card("AS")),)
    elsewhere = called(dealt(SUIT_EACH, peeweeLeadChosenBy="master"), "pass 7H pass pass pass")
    assert view(PEEWEE7, elsewhere, 0).hands[3].hidden == 13, "a Peewee not on lead waits for the first card"


def test_pa19_the_open_hand_is_open_to_all_until_it_is_played() -> None:
    state = called(dealt(), "7C pass pass pass")
    rng = random.Random(19)
    while state.phase == "play":
        state = play(PEEWEE7, state, rng.choice(legal_moves(PEEWEE7, state, None, Query()).moves).move).state
        for viewer in (0, 1, 3, SPECTATOR):
            seen = view(PEEWEE7, state, viewer)
            assert seen.hands[2] == state.hands[2]
            others = [seat for seat in range(4) if seat not in (viewer, 2)]
            assert not any(seen.hands[seat].cards for seat in others)


def test_pa20_the_peewee_plays_at_its_turn_not_second() -> None:
    state = played(called(dealt(SUIT_EACH), "pass 7H pass pass pass"), "2S")
    assert state.to_act is not None
    assert (state.to_act.seat, state.to_act.hand) == (1, 1)


def test_pa21_the_master_leads_from_the_open_hand_when_it_has_won() -> None:
    hands = [cards("2D"), cards("3D"), cards("4D"), cards("AD")]
    state = played(called(dealt(hands), "pass 7H pass pass pass"), "2D 3D 4D AD")
    assert state.to_act is not None
    assert (state.to_act.seat, state.to_act.hand) == (1, 3)
    assert len(legal(state)) == 12


def test_pa22_each_hand_follows_suit_on_its_own() -> None:
    hands = [cards("2D"), cards("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"), cards("3D"), cards("4D 5D")]
    state = played(called(dealt(hands), "pass 7H pass pass pass"), "2D")
    assert "play 2S" in legal(state), "the Master, void, need not follow though the open hand could"
    state = played(state, "2S 3D")
    assert code(state, "play 3S") == Code.NOT_IN_HAND
    assert all(words.endswith("D") for words in legal(state))


def test_pa23_a_dared_contract_that_fails_gives_its_extra_to_the_opponents_and_takes_from_nobody() -> None:
    before = score(clubs=(0, 5))
    for dare, crosses in ((0, 1), (1, 2), (2, 3)):
        facts = PeeweeFacts(contract=contract("7C", side=1, dare=dare), tricks=6, score=before)
        after = settle(options(), facts).after
        assert after.clubs == PeeweeRow(crosses=(crosses, 2), strokes=(1, 1))


def test_pa24_a_dare_changes_no_strokes() -> None:
    for tricks, strokes in ((9, 2), (5, 2), (13, 6), (0, 7)):
        rows = [
            settle(options(), PeeweeFacts(contract=contract("7S", dare=dare), tricks=tricks)).after.spades
            for dare in (0, 1, 2)
        ]
        assert {sum(row.strokes) for row in rows} == {strokes}


def test_pa25_two_strokes_make_a_cross_and_the_seventh_too() -> None:
    facts = PeeweeFacts(contract=contract("7H"), tricks=8, score=score(hearts=(11, 0)))
    sheet = sheet_of_facts(options(), facts)
    assert (total(sheet, 0, "H"), sheet.winners) == (14, (0,))
    assert sheet_of_facts(options(halvesCount=False), facts).winners == ()


def test_pa25_strokes_that_do_not_count_are_written_all_the_same() -> None:
    before = PeeweeScore(hearts=PeeweeRow(crosses=(6, 0), strokes=(12, 0)))
    facts = PeeweeFacts(contract=contract("7S"), tricks=9, score=before)
    sheet = sheet_of_facts(options(halvesCount=False), facts)
    assert sheet.winners == ()
    assert (total(sheet, 0, "H"), total(sheet, 0, "H", "crosses")) == (24, 6)
    assert (total(sheet, 0, "S"), total(sheet, 0, "S", "crosses")) == (4, 1)
    made = PeeweeFacts(contract=contract("7H"), tricks=7, score=before)
    assert sheet_of_facts(options(halvesCount=False), made).winners == (0,)


def test_pa26_seven_in_one_row_or_in_all_rows_where_agreed() -> None:
    facts = PeeweeFacts(contract=contract("9S"), tricks=9, score=score(hearts=(8, 0)))
    assert sheet_of_facts(options(), facts).winners == ()
    sheet = sheet_of_facts(options(winScope="total"), facts)
    assert (total(sheet, 0, "total"), sheet.winners) == (14, (0,))
    fewer = PeeweeFacts(contract=contract("9S"), tricks=9, score=score(hearts=(7, 13)))
    assert sheet_of_facts(options(winScope="total"), fewer).winners == ()
    half = PeeweeFacts(contract=contract("9S"), tricks=10, score=score(hearts=(7, 13)))
    assert sheet_of_facts(options(winScope="total"), half).winners == (0,), "strokes of two rows add up"
    strict = options(winScope="total", halvesCount=False)
    assert sheet_of_facts(strict, half).winners == ()
    assert total(sheet_of_facts(strict, half), 0, "total", "crosses") == 6


def test_pa27_both_sides_never_win_at_once() -> None:
    everything = score(hearts=(13, 13), spades=(13, 13))
    for tricks in range(14):
        for side in (0, 1):
            facts = PeeweeFacts(contract=contract("8H", side=side), tricks=tricks, score=everything)
            assert len(sheet_of_facts(options(), facts).winners) == 1
    with pytest.raises(Malformed):
        sheet_of_facts(options(), PeeweeFacts(score=score(hearts=(14, 14))))


def test_pa28_a_contract_without_trumps_has_its_own_row() -> None:
    facts = PeeweeFacts(contract=contract("7NT"), tricks=7)
    assert settle(options(), facts).after == score(no_trump=(2, 0))
    assert {item.account for item in sheet_of_facts(options(), facts).items} == {"NT"}


def test_pa29_the_deal_passes_on_after_a_deal_that_was_played_or_never() -> None:
    for rule, dealer in (("clockwise", 0), ("same", 3)):
        state = play_out(called(dealt(nextDealer=rule), "7C pass pass pass"), seed=4)
        assert state.phase == "deal"
        assert state.to_act is not None
        assert state.to_act.seat == dealer
        again = play(PEEWEE7, state, Deal(deck=PACK)).state  # type: ignore[arg-type]
        assert again.dealer == dealer
        thrown_in = called(again, "pass pass pass pass")
        assert thrown_in.to_act is not None
        assert thrown_in.to_act.seat == dealer


def test_pa30_the_strokes_of_a_failed_contract_are_the_contracting_sides_missing_tricks() -> None:
    for tricks in range(10):
        after = settle(options(), PeeweeFacts(contract=contract("10D", side=0), tricks=tricks)).after
        assert after.diamonds == PeeweeRow(crosses=(0, 4), strokes=(0, 10 - tricks))


def test_pa31_a_revoke_is_refused() -> None:
    state = played(called(dealt([cards("4D"), cards("5D AH")]), "7H pass pass pass"), "4D")
    assert code(state, "play AH") == Code.MUST_FOLLOW_SUIT


def test_pa32_a_total_failure_has_no_cap() -> None:
    for tricks in range(7, 14):
        after = settle(options(), PeeweeFacts(contract=contract(f"{tricks}C"), tricks=0)).after
        assert after.clubs == PeeweeRow(crosses=(0, tricks - 6), strokes=(0, tricks))


def test_pa33_a_match_is_one_game() -> None:
    state = play_out(called(dealt(SUIT_EACH), "13S pass pass pass"))
    assert (state.phase, state.to_act, state.may_also) == ("over", None, ())
    assert winners(state.options, state.score) == (0,)
    for seat in range(4):
        assert legal(state, seat) == set()


def test_options_that_presuppose_another_are_refused_without_it() -> None:
    with pytest.raises(Malformed) as refused:
        options(teamDrawCheck="round")
    assert refused.value.path == "$.options.teamDrawCheck"
    check_options(options(teamDraw=True, teamDrawCheck="round"))


def test_a_view_told_by_the_caller_plays_on() -> None:
    """The caller holds the cards and tells what one seat sees."""
    told = Deal(hands=(Hand(tuple(SUIT_EACH[0])), Hand((), 13), Hand((), 13), Hand((), 13)))
    outcome = play(PEEWEE7, begun(), told)
    assert outcome.state.viewer == 0
    assert isinstance(outcome.events[0], Dealt)
    assert called(outcome.state, "7S pass pass pass").phase == "play"
