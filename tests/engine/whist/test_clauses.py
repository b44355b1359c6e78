"""The clauses of whist, one test or more each, named by them."""

import pytest
from msgspec.structs import replace

from engine.cards import PACK, Card, Suit, card_set
from engine.events import Dealt, Drawn, Scored, Seated, TurnedUp
from engine.game import Query, Setup, begin, judge, legal_moves, play, view
from engine.games.whist import WHIST, WhistFacts, WhistGameScore, WhistRevokeFact, WhistScore
from engine.games.whist.scoring import match_sheet, settle, sheet_of_facts
from engine.mechanics.tricks import winner_of
from engine.moves import Deal, Draw, Hand, Play
from engine.violations import Code, Malformed
from tests.engine.whist.positions import cards, dealt, legal_cards, one_suit_each, options, play_out, played


def points(facts: WhistFacts, **choices: object) -> tuple[int, ...]:
    return settle(options(**choices), facts).points


def test_w1_four_seats_partners_opposite() -> None:
    state = dealt()
    assert len(state.hands) == 4
    assert state.seating == ((0,), (1,), (2,), (3,))
    won = settle(options(), WhistFacts(tricks=(8, 5)))
    assert [item.side for item in won.items] == [0]
    with pytest.raises(Malformed, match="4 places"):
        begin(WHIST, Setup(options=options(), chance="seed", seed="x", places=5))


def test_w2_the_draw_makes_teams_seats_and_the_first_dealer() -> None:
    state = begin(WHIST, Setup(options=options(draw_for_partners=True), chance="seed", seed="w2c")).state
    assert state.phase == "draw"
    drawn, seated = [], None
    while state.phase == "draw":
        outcome = play(WHIST, state, Draw())
        drawn += [event for event in outcome.events if isinstance(event, Drawn)]
        seated = next((event for event in outcome.events if isinstance(event, Seated)), None)
        state = outcome.state
    assert seated is not None
    assert len(drawn) == 4, "a seed without ties"
    last = {event.place: event.card for event in drawn}
    order = sorted(last, key=lambda place: last[place].rank)
    side = {place: seats[0] % 2 for place, seats in enumerate(seated.seating)}
    assert side[order[0]] == side[order[1]] != side[order[2]] == side[order[3]]
    assert seated.dealer == seated.seating[order[0]][0]
    assert state.to_act is not None
    assert state.to_act.seat == seated.dealer


def test_w3_the_deal_passes_clockwise() -> None:
    state = play_out(begin(WHIST, Setup(options=options(), chance="seed", seed="x", dealer=1)).state)
    dealers = [1]
    while state.phase == "deal":
        state = play_out(play(WHIST, state, Deal()).state)
        dealers.append(state.dealer)
    assert dealers == [(1 + index) % 4 for index in range(len(dealers))]
    assert len(dealers) > 1


def test_w4_partners_stay_together_for_the_match() -> None:
    state = begin(WHIST, Setup(options=options(), chance="seed", seed="x")).state
    seatings = {state.seating}
    while state.phase != "over":
        state = play_out(state) if state.phase == "play" else play(WHIST, state, Deal()).state
        seatings.add(state.seating)
    assert len(seatings) == 1


def test_w5_ace_high_then_king_to_two() -> None:
    ranked = sorted((card for card in PACK if card.suit == "H"), key=lambda card: -card.rank)
    assert "".join(card[0] for card in ranked) == "AKQJT98765432"
    assert len(PACK) == 52
    assert winner_of(0, cards("KH AH QH JH"), None) == 1


def test_w6_the_dealers_right_cuts() -> None:
    outcome = begin(WHIST, Setup(options=options(), chance="seed", seed="x", dealer=1))
    dealt_event = outcome.events[0]
    assert isinstance(dealt_event, Dealt)
    assert dealt_event.cut_by == 0


def test_w7_one_card_at_a_time_from_the_dealers_left() -> None:
    state = begin(WHIST, Setup(options=options(), chance="deck", deck=PACK, dealer=1)).state
    for index, card in enumerate(PACK):
        assert card in state.hands[(2 + index) % 4].cards
    assert [len(hand) for hand in state.hands] == [13] * 4


def test_w8_the_last_card_is_turned_up_and_makes_trumps() -> None:
    outcome = begin(WHIST, Setup(options=options(), chance="deck", deck=PACK, dealer=1))
    assert outcome.state.trump_card == PACK[-1] == "AC"
    assert outcome.state.trump == "C"
    assert outcome.state.trump_card in outcome.state.hands[1].cards
    assert TurnedUp(Card("AC")) in outcome.events


def test_w9_the_turned_card_is_public_until_the_dealer_plays_to_trick_one() -> None:
    state = played(one_suit_each(dealer=2), "2C 2S 2H")
    assert view(WHIST, state, 0).hands[2] == Hand((Card("AD"),), 12)
    assert "AD" in legal_cards(state)
    after = view(WHIST, played(state, "3D"), 0)
    assert after.hands[2] == Hand((), 12)
    assert after.trump_card is None
    assert after.trump == "D"


def test_w9_the_turned_card_must_be_used_to_follow() -> None:
    hands = [cards(""), cards(""), [Card("AD"), *(card for card in PACK if card.suit == "S")][:13], cards("KD")]
    state = played(dealt(hands, dealer=2, last=Card("AD")), "KD")
    state = played(state, min(legal_cards(state)))
    state = played(state, min(legal_cards(state)))
    assert legal_cards(state) == {"AD"}


def test_w10_there_is_nothing_but_draw_deal_play_and_score() -> None:
    tags = {move.__struct_config__.tag for move in WHIST.moves}
    assert tags == {"play", "deal", "draw", "expose", "claim", "choose", "end"}
    state = dealt()
    assert [judge(WHIST, state, move).code for move in (Deal(), Draw()) if judge(WHIST, state, move)] == [  # type: ignore[union-attr]
        Code.WRONG_PHASE,
        Code.WRONG_PHASE,
    ]


def test_w11_the_dealers_left_leads_any_card() -> None:
    state = one_suit_each(dealer=2)
    assert state.to_act is not None
    assert state.to_act.seat == 3
    assert len(legal_cards(state)) == 13
    trump_leader = one_suit_each(dealer=3)
    led = replace(trump_leader)
    assert legal_cards(led) == {str(card) for card in PACK if card.suit == "S"}


def test_w12_thirteen_tricks_of_four_clockwise() -> None:
    state = play_out(dealt(dealer=2))
    assert len(state.tricks) == 13
    assert all(len(trick.cards) == 4 for trick in state.tricks)
    refused = judge(WHIST, dealt(dealer=2), Play(Card("2S")), seat=0)
    assert refused is not None
    assert refused.code is Code.NOT_YOUR_TURN


def test_w13_who_can_follow_must_and_who_cannot_may_play_anything() -> None:
    holds = [cards("2S KS AH 3C"), cards("4S 5S 6S"), (), cards("7S")]
    state = played(dealt(holds, dealer=2, last=Card("AC")), "7S")
    assert {card for card in legal_cards(state) if card[1] != "S"} == set()
    assert {"2S", "KS"} <= legal_cards(state)
    refused = judge(WHIST, state, Play(Card("AH")))
    assert refused is not None
    assert (refused.code, refused.clause) == (Code.MUST_FOLLOW_SUIT, "whist/W-13")
    assert {"2S", "KS"} <= set(refused.params["cards"])  # type: ignore[arg-type]
    void = played(one_suit_each(dealer=2), "2C")
    assert legal_cards(void) == {str(card) for card in PACK if card.suit == "S"}


def test_w14_highest_trump_else_highest_of_the_led_suit_and_the_winner_leads() -> None:
    assert winner_of(1, cards("AS KS 2C QS"), Suit("C")) == 3
    assert winner_of(1, cards("AS 9C KS TC"), Suit("C")) == 0
    assert winner_of(1, cards("2S AH KH 3S"), Suit("C")) == 0
    state = played(one_suit_each(dealer=2), "2C 2S 2H 2D")
    assert state.tricks[0].winner == 2
    assert state.to_act is not None
    assert state.to_act.seat == 2


@pytest.mark.parametrize(
    ("tricks", "scored"), [((6, 7), (0, 1)), ((7, 6), (1, 0)), ((9, 4), (3, 0)), ((0, 13), (0, 7))]
)
def test_w15_each_trick_above_six_scores_one(tricks: tuple[int, int], scored: tuple[int, int]) -> None:
    assert points(WhistFacts(tricks=tricks)) == scored


@pytest.mark.parametrize(
    ("held", "scored"),
    [
        ((1, 0, 1, 2), (1, 0)),
        ((2, 1, 1, 0), (3, 0)),
        ((2, 0, 2, 0), (5, 0)),
        ((0, 3, 1, 0), (1, 2)),
        ((4, 0, 0, 0), (5, 0)),
    ],
)
def test_w16_honours_score_four_for_four_and_two_for_three(
    held: tuple[int, int, int, int], scored: tuple[int, int]
) -> None:
    assert points(WhistFacts(tricks=(7, 6), honours=held)) == scored


def test_w16_honours_are_those_dealt_wherever_they_were_played() -> None:
    state = play_out(one_suit_each(dealer=2))
    items = [item for item in WHIST.sheet(state, "deal").items if item.rule == "honours"]
    assert [(item.side, item.points) for item in items] == [(0, 4)]


def test_w17_a_revoke_costs_three_tricks_or_three_points() -> None:
    revoked = WhistFacts(tricks=(9, 4), revokes=(side(0),))
    assert points(revoked, revoke="record") == (0, 1)
    assert points(revoked, revoke="record", revoke_penalty="points") == (3, 3)


def side(number: int) -> WhistRevokeFact:
    return WhistRevokeFact(side=number)


def test_w18_a_game_is_five_points_or_nine() -> None:
    facts = WhistFacts(tricks=(8, 5), score=WhistScore(points=(3, 0)))
    assert settle(options(), facts).winner == 0
    assert settle(options(preset="long"), facts).winner is None
    assert settle(options(target=9), WhistFacts(tricks=(12, 1), score=WhistScore(points=(3, 0)))).winner == 0


def test_w19_two_games_win_the_rubber_and_two_nil_earns_two() -> None:
    won = [WhistGameScore(winner=0, points=(5, 2)), WhistGameScore(winner=1, points=(3, 6))]
    swept = match_sheet(options(), WhistScore(games=(won[0], won[0])))
    assert ("rubberBonus", 0, 2) in [(item.rule, item.side, item.points) for item in swept.items]
    third = match_sheet(options(), WhistScore(games=(won[0], won[1], won[0])))
    assert "rubberBonus" not in [item.rule for item in third.items]
    assert swept.winners == third.winners == (0,)
    assert match_sheet(options(), WhistScore(games=(won[0], won[1]))).winners == ()


def test_w20_the_rubber_counts_every_point_once() -> None:
    state = begin(WHIST, Setup(options=options(), chance="seed", seed="total")).state
    entered = [0, 0]
    while state.phase != "over":
        outcome = play(WHIST, state, legal_moves(WHIST, state, None, Query()).moves[0].move)
        for event in outcome.events:
            if isinstance(event, Scored) and event.sheet.scope == "deal":
                for item in event.sheet.items:
                    entered[item.side] += item.points
        state = outcome.state
    sheet = WHIST.sheet(state, None)
    bonus = [sum(item.points for item in sheet.items if item.rule == "rubberBonus" and item.side == s) for s in (0, 1)]
    totals = [
        next(total.points for total in sheet.totals if (total.account, total.side) == ("total", s)) for s in (0, 1)
    ]
    assert totals == [entered[s] + bonus[s] for s in (0, 1)]


def test_w20_scoring_from_facts_refuses_what_cannot_be() -> None:
    for facts in (
        WhistFacts(tricks=(7, 7)),
        WhistFacts(tricks=(7, 6), honours=(4, 1, 0, 0)),
        WhistFacts(tricks=(7, 6), revokes=(side(0),)),
        WhistFacts(tricks=(7, 6), score=WhistScore(points=(5, 0))),
        WhistFacts(tricks=(7, 6), score=WhistScore(games=(WhistGameScore(winner=0, points=(4, 9)),))),
        WhistFacts(honours=(3, 0, 0, 0)),
    ):
        with pytest.raises(Malformed):
            sheet_of_facts(options(), facts)
    assert card_set(PACK).bit_count() == 52
