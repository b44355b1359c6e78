"""The rulings on whist, one test or more each, named by them; and every option's every value at work."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.cards import PACK, AnyCard, Card
from engine.events import Exposed, Scored, Tied, TurnedUp
from engine.game import SPECTATOR, Query, Setup, Turn, admit, begin, judge, legal_moves, play, view
from engine.games.whist import WHIST, WhistFacts, WhistGameScore, WhistRevokeFact, WhistScore, WhistState
from engine.games.whist.drawing import standing
from engine.games.whist.scoring import match_sheet, settle, sheet_of_facts, tricks_after_penalty
from engine.games.whist.state import WhistDraw
from engine.moves import Choose, Claim, Deal, Draw, End, Expose, Hand, Play
from engine.violations import Code, IllegalMove, ImpossibleState, Malformed
from tests.engine.whist.positions import cards, dealt, legal_cards, one_suit_each, options, play_out, played, tell


def draw(*words: str) -> list[WhistDraw]:
    return [WhistDraw(place=index % 4, card=Card(word)) for index, word in enumerate(words)]


def revokes(*sides: int, penalties: tuple[Any, ...] = ()) -> tuple[WhistRevokeFact, ...]:
    told = penalties or (None,) * len(sides)
    return tuple(WhistRevokeFact(side=side, penalty=penalty) for side, penalty in zip(sides, told, strict=True))


def settled(facts: WhistFacts, **choices: Any) -> Any:
    return settle(options(**choices), facts)


def code_of(state: WhistState, move: Any, seat: int | None = None) -> Code | None:
    refused = judge(WHIST, state, move, seat)
    return None if refused is None else refused.code


def revoked_twice(**choices: Any) -> WhistState:
    """Played out: seat 2 (diamonds, and the 2C) did not follow in trick 1, led by seat 3 (clubs, and the 2D)."""
    hands = [[card for card in PACK if card.suit == suit] for suit in "SHDC"]
    hands[2][0], hands[3][0] = hands[3][0], hands[2][0]
    state = played(dealt(hands, dealer=2, last=hands[2][-1], revoke="record", **choices), "3C 2S 2H 3D")
    state = played(state, "AD 4C 3S 3H")
    return play_out(state)


def test_wa1_the_ace_draws_high_or_low() -> None:
    drawn = draw("AS", "KD", "5C", "9H")
    assert standing(options(draw_for_partners=True), drawn).high_team == (0, 1)
    low = standing(options(draw_for_partners=True, draw_ace="low"), drawn)
    assert (low.high_team, low.low_team, low.dealer) == ((1, 3), (0, 2), 0)


def test_wa2_only_ties_that_matter_are_drawn_again() -> None:
    chosen = options(draw_for_partners=True)
    middle = standing(chosen, draw("KS", "9D", "9H", "3C"))
    assert (middle.pending, middle.decides, middle.dealer) == ((1, 2), "teams", 3)
    assert (middle.high_team, middle.low_team) == ((0,), (3,))
    low = standing(chosen, draw("KS", "QD", "4H", "4C"))
    assert (low.pending, low.decides, low.dealer) == ((2, 3), "deal", None)
    assert (low.high_team, low.low_team) == ((0, 1), (2, 3))
    high = standing(chosen, draw("KS", "KD", "5H", "4C"))
    assert (high.pending, high.decides, high.dealer) == ((), None, 3)
    everybody = standing(chosen, draw("7S", "7D", "7H", "7C"))
    assert (everybody.pending, everybody.high_team, everybody.low_team) == ((0, 1, 2, 3), (), ())


def test_wa2_three_equal_draw_again_and_then_the_two_that_still_matter() -> None:
    chosen = options(draw_for_partners=True)
    first = draw("KS", "9D", "9H", "9C")
    assert standing(chosen, first).pending == (1, 2, 3)
    again = [*first, *(WhistDraw(place=place, card=Card(card)) for place, card in ((1, "AD"), (2, "5H"), (3, "5C")))]
    now = standing(chosen, again)
    assert (now.pending, now.decides, now.high_team) == ((2, 3), "deal", (0, 1))


def test_wa2_ties_by_suit_hearts_diamonds_clubs_spades() -> None:
    chosen = options(draw_for_partners=True, draw_tie="suit")
    now = standing(chosen, draw("7S", "7D", "7H", "7C"))
    assert now.groups == ((0,), (3,), (1,), (2,))
    assert now.dealer == 2


def test_wa2_redraws_are_from_the_unused_cards_and_a_tie_is_told() -> None:
    chosen = options(draw_for_partners=True)
    state = begin(WHIST, Setup(options=chosen, chance="caller")).state
    for card in ("KS", "9D", "9H"):
        state = play(WHIST, state, Draw(AnyCard(card))).state
    outcome = play(WHIST, state, Draw(AnyCard("3C")))
    assert Tied((1, 2), "teams") in outcome.events
    assert code_of(outcome.state, Draw(AnyCard("9D"))) is Code.CARD_ALREADY_DRAWN
    assert code_of(outcome.state, Draw(AnyCard("9C"))) is None
    assert code_of(outcome.state, Draw()) is Code.NEEDS_CHANCE


def test_wa2_when_too_few_cards_are_left_all_are_taken_back() -> None:
    chosen = options(draw_for_partners=True)
    ties = [WhistDraw(place=place, card=Card(rank + "SHDC"[place])) for rank in "23456789TJQKA" for place in range(4)]
    now = standing(chosen, ties)
    assert (now.pending, now.packs, now.fresh) == ((0, 1, 2, 3), 1, ())


def test_wa3_the_dealer_stays_his_partner_moves_opposite_the_others_keep_their_order() -> None:
    state = begin(WHIST, Setup(options=options(draw_for_partners=True), chance="caller")).state
    for card in ("AS", "KD", "5C", "9H"):
        state = play(WHIST, state, Draw(AnyCard(card))).state
    assert state.seating == ((3,), (1,), (2,), (0,))
    given = ((2,), (3,), (0,), (1,))
    state = begin(WHIST, Setup(options=options(draw_for_partners=True), chance="caller", seating=given)).state
    for card in ("AS", "KD", "5C", "9H"):
        state = play(WHIST, state, Draw(AnyCard(card))).state
    assert state.seating[2] == (0,)


def test_wa4_a_new_game_draws_no_new_dealer() -> None:
    state = play_out(begin(WHIST, Setup(options=options(), chance="seed", seed="x")).state)
    while not state.score.games:
        state = play_out(play(WHIST, state, Deal()).state)
    ended = state.dealer
    state = play(WHIST, state, Deal()).state
    assert (state.phase, state.dealer, state.score.points) == ("play", (ended + 1) % 4, (0, 0))


def test_wa5_the_turned_card_stays_public_always_if_so_agreed() -> None:
    state = played(one_suit_each(dealer=2, trump_card_public="always"), "2C 2S 2H 2D")
    assert view(WHIST, state, 0).hands[2].cards == ("AD",)
    state = played(state, "AD 3C 3S 3H")
    assert view(WHIST, state, 0).hands[2].cards == ()


def test_wa6_views_remember_the_turned_card() -> None:
    state = played(one_suit_each(dealer=2), "2C 2S 2H 2D 3D 3C 3S 3H 4D")
    seen = view(WHIST, state, 3)
    assert seen.trump_card is None
    assert seen.history is not None
    assert TurnedUp(Card("AD")) in seen.history
    as_spectator = view(WHIST, played(one_suit_each(dealer=2), "2C 2S 2H 2D"), SPECTATOR)
    refused = judge(WHIST, as_spectator, Play(Card("AH")))
    assert refused is None, "it is the dealer's lead, and the ace of hearts could be his"
    for seat in (0, 1, 3):
        after = view(WHIST, played(one_suit_each(dealer=2), "2C 2S 2H 2D 3D 3C 3S"), seat)
        assert judge(WHIST, after, Play(Card("AD"))) is not None, "no other hand can hold the turned card"


def test_wa6_a_view_in_which_the_dealer_discards_on_trumps_is_impossible() -> None:
    state = played(one_suit_each(dealer=2), "2C 2S 2H 2D 3D 3C 3S 3H")
    seen = view(WHIST, state, SPECTATOR)
    admit(WHIST, seen)
    discarded = replace(seen.tricks[1], leader=3, cards=(Card("3D"), Card("3S"), Card("3H"), Card("3C")), winner=3)
    with pytest.raises(ImpossibleState):
        admit(WHIST, replace(seen, tricks=(replace(seen.tricks[0], winner=3), discarded)))
    led_by_three = dealt([(), (), cards("2S AD KD"), cards("QD")], dealer=2, last=Card("AD"))
    at_dealer = view(WHIST, _until_dealer(played(led_by_three, "QD")), SPECTATOR)
    refused = judge(WHIST, at_dealer, Play(Card("2S")))
    assert refused is not None
    assert refused.code is Code.MUST_FOLLOW_SUIT


def _until_dealer(state: WhistState) -> WhistState:
    while state.to_act is not None and state.to_act.seat != state.dealer:
        state = played(state, min(legal_cards(state)))
    return state


def test_wa7_revokes_are_prevented_or_recorded() -> None:
    state = played(revokable(), "3C 2S 2H")
    assert code_of(state, Play(Card("3D"))) is Code.MUST_FOLLOW_SUIT
    recorded = played(revokable(revoke="record"), "3C 2S 2H")
    assert code_of(recorded, Play(Card("3D"))) is None
    assert code_of(state, Claim(2, 1), 1) is Code.OPTION_OFF


def revokable(**choices: Any) -> WhistState:
    hands = [[card for card in PACK if card.suit == suit] for suit in "SHDC"]
    hands[2][0], hands[3][0] = hands[3][0], hands[2][0]
    return dealt(hands, dealer=2, last=hands[2][-1], **choices)


def test_wa7_a_view_never_tells_of_a_hidden_revoke() -> None:
    honest = played(revokable(revoke="record"), "3C 2S 2H 2C")
    assert {type(event).__name__ for event in view(WHIST, honest, 1).history or ()} == {
        "Dealt",
        "TurnedUp",
        "Played",
        "TrickWon",
    }
    revoked = played(revokable(revoke="record"), "3C 2S 2H 3D")
    for viewer in (0, 1, 3, SPECTATOR):
        seen = view(WHIST, revoked, viewer)
        assert seen.claims == ()
        assert seen.may_also == view(WHIST, honest, viewer).may_also == ()


def test_wa8_three_tricks_three_points_or_as_chosen() -> None:
    facts = WhistFacts(tricks=(9, 4), revokes=revokes(0), score=WhistScore(points=(1, 1)))
    assert tricks_after_penalty(options(revoke="record"), facts) == (6, 7)
    assert settled(facts, revoke="record").points == (1, 2)
    assert settled(facts, revoke="record", revoke_penalty="points").points == (3, 4)
    for penalty, points in (("tricks", (1, 2)), ("deduct", (3, 1)), ("add", (4, 4))):
        chosen = replace(facts, revokes=revokes(0, penalties=(penalty,)))
        assert settled(chosen, revoke="record", revoke_penalty="choice").points == points


def test_wa8_the_claimers_choose_with_the_claim() -> None:
    state = revoked_twice(revoke_penalty="choice")
    state = play(WHIST, state, Claim(2, 1), 3).state
    assert state.phase == "choose"
    assert state.to_act is not None
    assert state.to_act.seat == 3
    assert {entry.text for entry in legal_moves(WHIST, state, 3, Query()).moves} == {
        "choose tricks",
        "choose deduct",
        "choose add",
    }
    assert code_of(state, Choose("add"), 0) is Code.NOT_YOUR_TURN
    after = play(WHIST, state, Choose("add"), 3).state
    assert (after.phase, after.claims[0].penalty) == ("claim", "add")
    assert ("revokePenalty", 1, 3) in [(i.rule, i.side, i.points) for i in WHIST.sheet(after, "deal").items]


def test_wa9_only_the_tricks_there_are_pass_over() -> None:
    facts = WhistFacts(tricks=(11, 2), revokes=revokes(1))
    assert tricks_after_penalty(options(revoke="record"), facts) == (13, 0)


def test_wa10_three_for_each_revoke() -> None:
    facts = WhistFacts(tricks=(3, 10), revokes=revokes(1, 1))
    assert tricks_after_penalty(options(revoke="record"), facts) == (9, 4)
    state = play(WHIST, revoked_twice(), Claim(2, 1), 1).state
    assert code_of(state, Claim(2, 1), 3) is Code.ALREADY_CLAIMED


def test_wa11_both_sides_revoke_net_no_win_or_void() -> None:
    facts = WhistFacts(tricks=(11, 2), revokes=revokes(0, 1), score=WhistScore(points=(1, 4)))
    net = settled(facts, revoke="record")
    assert (net.points, net.winner) == ((6, 4), 0)
    barred = settled(facts, revoke="record", revoke_both="noWin")
    assert (barred.points, barred.winner) == ((4, 4), None)
    void = settled(facts, revoke="record", revoke_both="void")
    assert (void.points, void.winner, void.items) == ((1, 4), None, ())


def test_wa12_revokers_may_win_the_game_unless_agreed_otherwise() -> None:
    facts = WhistFacts(tricks=(13, 0), revokes=revokes(0), score=WhistScore(points=(3, 0)))
    assert settled(facts, revoke="record").winner == 0
    assert settled(facts, revoke="record", revoker_cannot_win=True).points == (4, 0)


def test_wa13_a_revoke_is_claimed_after_trick_thirteen_until_the_next_deal_or_the_end() -> None:
    early = played(revokable(revoke="record"), "3C 2S 2H 3D")
    assert code_of(early, Claim(2, 1), 1) is Code.CLAIM_TOO_EARLY
    state = revoked_twice()
    assert state.phase == "claim"
    assert [free.seat for free in state.may_also] == [0, 1, 2, 3]
    assert code_of(state, Claim(2, 1), 1) is None
    assert code_of(state, Claim(2, 1), 0) is Code.OWN_SIDE
    assert "claim 2 1" in {entry.text for entry in legal_moves(WHIST, state, 1, Query()).moves}
    later = play(WHIST, state, Deal(deck=tuple(map(AnyCard, PACK)))).state
    assert code_of(later, Claim(2, 1), 1) is Code.CLAIM_TOO_LATE
    over = play(WHIST, revoked_twice(match="deal"), End()).state
    assert (over.phase, code_of(over, Claim(2, 1), 1)) == ("over", Code.CLAIM_TOO_LATE)


def test_wa13_end_is_for_a_decided_match_and_the_deal_for_one_that_goes_on() -> None:
    assert code_of(revoked_twice(match="deal"), Deal()) is Code.MATCH_IS_DECIDED
    assert code_of(revoked_twice(), End()) is Code.MATCH_GOES_ON


def test_wa14_the_slam_bonus_is_for_tricks_won_not_taken_over() -> None:
    slam = settled(WhistFacts(tricks=(13, 0)), slam_bonus=5)
    assert slam.points == (12, 0)
    by_penalty = settled(WhistFacts(tricks=(11, 2), revokes=revokes(1)), slam_bonus=5, revoke="record")
    assert by_penalty.points == (7, 0)
    assert settled(WhistFacts(tricks=(13, 0))).points == (7, 0)


def test_wa15_four_honours_in_one_hand() -> None:
    facts = WhistFacts(tricks=(6, 7), honours=(4, 0, 0, 0))
    assert settled(facts).points == (4, 1)
    assert settled(facts, honours_must_split=True).points == (0, 1)
    three = WhistFacts(tricks=(6, 7), honours=(3, 1, 0, 0))
    assert settled(three, honours_must_split=True).points == (2, 1)


def test_wa16_honours_count_toward_the_game_or_only_in_the_total() -> None:
    facts = WhistFacts(tricks=(7, 6), honours=(2, 0, 2, 0), score=WhistScore(points=(1, 0)))
    assert settled(facts).winner == 0
    apart = settled(facts, honours_toward_game=False)
    assert (apart.points, apart.honours, apart.winner) == ((2, 0), (4, 0), None)
    games = (WhistGameScore(winner=0, points=(5, 0), honours=(4, 2)), WhistGameScore(winner=0, points=(5, 1)))
    sheet = match_sheet(options(honours_toward_game=False), WhistScore(games=games))
    totals = {(t.account, t.side): t.points for t in sheet.totals}
    assert (totals["total", 0], totals["total", 1]) == (16, 3)


def test_wa17_revoke_then_tricks_and_slam_then_honours_first_at_the_target_wins() -> None:
    tied = WhistFacts(tricks=(4, 9), honours=(2, 0, 2, 0), score=WhistScore(points=(4, 2)))
    assert settled(tied).winner == 1, "tricks come before honours"
    penalty = WhistFacts(tricks=(9, 4), revokes=revokes(0), score=WhistScore(points=(4, 2)))
    assert settled(penalty, revoke="record", revoke_penalty="points").winner == 1, "a penalty comes before tricks"


def test_wa18_later_steps_are_entered_unless_agreed_otherwise() -> None:
    facts = WhistFacts(tricks=(4, 9), honours=(2, 0, 2, 0), score=WhistScore(points=(4, 2)))
    assert settled(facts).points == (8, 5)
    assert settled(facts, stop_at_target=True).points == (4, 5)


@pytest.mark.parametrize(("target", "before"), [(5, 4), (9, 8)])
def test_wa19_honours_one_short_of_the_game(target: int, before: int) -> None:
    facts = WhistFacts(tricks=(6, 7), honours=(2, 0, 2, 0), score=WhistScore(points=(before, 0)))
    assert settled(facts, target=target).points == (before + 4, 1)
    assert settled(facts, target=target, honours_bar_one_short=True).points == (before, 1)


def test_wa20_the_overshoot_stays_in_the_total_and_each_game_begins_at_nothing() -> None:
    after = settled(WhistFacts(tricks=(13, 0), score=WhistScore(points=(4, 3)))).after
    assert after.games[0].points == (11, 3)
    assert after.points == (0, 0)


def test_wa21_the_bonus_of_a_rubber_won_two_to_one() -> None:
    games = tuple(WhistGameScore(winner=winner, points=(5, 5)) for winner in (0, 1, 0))
    assert "rubberBonus" not in [item.rule for item in match_sheet(options(), WhistScore(games=games)).items]
    won = match_sheet(options(rubber_bonus="winner"), WhistScore(games=games))
    assert [(i.side, i.points) for i in won.items if i.rule == "rubberBonus"] == [(0, 2)]
    swept = match_sheet(options(rubber_bonus="winner"), WhistScore(games=games[:1] * 2))
    assert [(i.side, i.points) for i in swept.items if i.rule == "rubberBonus"] == [(0, 2)]


def test_wa22_games_decide_the_rubber_whatever_the_totals() -> None:
    games = (
        WhistGameScore(winner=0, points=(5, 4)),
        WhistGameScore(winner=1, points=(0, 12)),
        WhistGameScore(winner=0, points=(5, 4)),
    )
    sheet = match_sheet(options(), WhistScore(games=games))
    totals = {t.side: t.points for t in sheet.totals if t.account == "total"}
    assert sheet.winners == (0,)
    assert totals[0] < totals[1]


def test_wa23_without_trumps_there_are_no_honours() -> None:
    assert settled(WhistFacts(tricks=(7, 6), honours=(4, 0, 0, 0)), trump="none").points == (1, 0)
    with pytest.raises(Malformed):
        sheet_of_facts(options(trump="none"), WhistFacts(tricks=(7, 6), honours=(4, 0, 0, 0)))


def test_wa24_without_trumps_the_card_is_turned_all_the_same_or_not() -> None:
    turned = one_suit_each(dealer=2, trump="none")
    assert (turned.trump, turned.trump_card) == (None, "AD")
    assert view(WHIST, turned, 0).hands[2].cards == ("AD",)
    bare = one_suit_each(dealer=2, trump="none", turn_up=False)
    assert (bare.trump, bare.trump_card) == (None, None)
    assert view(WHIST, bare, 0).hands[2] == Hand((), 13)
    with pytest.raises(Malformed, match="trump none"):
        options(turn_up=False)


def test_wa25_short_whist_with_honours_is_the_standard() -> None:
    assert (options().target, options().honours) == (5, "traditional")
    assert options(preset="american").honours == "none"
    assert settled(WhistFacts(tricks=(7, 6), honours=(4, 0, 0, 0)), preset="american").points == (1, 0)


def test_wa26_dummy_is_played_by_its_partner_exposed_before_the_lead_and_deals_first() -> None:
    state = begin(WHIST, Setup(options=options(dummy=True), chance="seed", seed="x")).state
    assert state.seating == ((0, 2), (1,), (3,))
    assert state.dealer == 2
    assert any(isinstance(event, Exposed) for event in view(WHIST, state, 1).history or ())
    assert view(WHIST, state, 1).hands[2].hidden == 0
    state = played(state, min(legal_cards(state)))
    state = played(state, min(legal_cards(state)))
    state = played(state, min(legal_cards(state)))
    assert state.to_act is not None
    assert (state.to_act.seat, state.to_act.hand) == (0, 2)
    assert code_of(state, Play(state.hands[2].cards[0]), 2) is Code.NOT_YOUR_TURN


def test_wa26_dummy_exposed_after_the_lead() -> None:
    state = one_suit_each(dealer=2, dummy=True, dummy_exposed="afterLead")
    assert view(WHIST, state, 1).hands[2] == Hand((Card("AD"),), 12)
    outcome = play(WHIST, state, Play(Card("2C")))
    assert any(isinstance(event, Exposed) for event in outcome.events)
    assert view(WHIST, outcome.state, 1).hands[2].hidden == 0
    on_lead = one_suit_each(dealer=1, dummy=True, dummy_exposed="afterLead")
    assert view(WHIST, on_lead, 1).hands[2].hidden == 0, "a dummy on lead must be seen to lead"


@pytest.mark.parametrize("partner", [0, 1, 2])
def test_wa26_any_place_can_be_dummys_partner(partner: int) -> None:
    state = begin(WHIST, Setup(options=options(dummy=True, dummy_partner=partner), chance="seed", seed="x")).state
    assert state.seating[partner] == (0, 2)
    with pytest.raises(Malformed, match="3 places"):
        begin(WHIST, Setup(options=options(dummy=True), chance="seed", seed="x", places=4))


def test_wa26_dummy_is_not_liable_for_a_revoke() -> None:
    state = revoked_twice(dummy=True)
    assert code_of(state, Claim(2, 1), 1) is Code.DUMMY_NOT_LIABLE
    assert [free.seat for free in state.may_also] == [0, 1, 3]


def test_wa27_dummys_turned_card_is_public() -> None:
    state = played(one_suit_each(dealer=2, dummy=True), "2C 2S 2H 2D")
    assert "AD" in view(WHIST, state, 1).hands[2].cards


def test_wa28_a_wrong_turn_is_refused() -> None:
    with pytest.raises(IllegalMove) as refused:
        play(WHIST, one_suit_each(dealer=2), Play(Card("2S")), 0)
    assert refused.value.violation.code is Code.NOT_YOUR_TURN


def test_wa29_there_are_no_claims_of_tricks_and_no_concessions() -> None:
    assert {move.__struct_config__.tag for move in WHIST.moves} & {"concede", "resign"} == set()


def test_wa30_honours_score_with_fewer_than_seven_tricks() -> None:
    assert settled(WhistFacts(tricks=(0, 13), honours=(2, 0, 2, 0))).points == (4, 7)


def test_wa31_a_match_is_a_rubber_a_game_or_a_deal() -> None:
    for match, done in (("deal", lambda s: s.deals == 1), ("game", lambda s: len(s.score.games) == 1)):
        state = begin(WHIST, Setup(options=options(match=match), chance="seed", seed="x")).state
        while state.phase != "over":
            state = play_out(state) if state.phase == "play" else play(WHIST, state, Deal()).state
        assert done(state)
        assert code_of(state, Deal(), 0) is Code.GAME_OVER


def test_wa31_a_match_of_one_deal_may_be_shared() -> None:
    sheet = match_sheet(options(match="deal"), WhistScore(points=(2, 2)))
    assert sheet.winners == (0, 1)


def test_wa32_unsplit_honours_score_nothing_at_all() -> None:
    assert (
        settled(WhistFacts(tricks=(7, 6), honours=(4, 0, 0, 0)), honours_must_split=True).items
        == settled(WhistFacts(tricks=(7, 6))).items
    )


def test_wa33_a_side_that_cannot_win_stops_one_short() -> None:
    facts = WhistFacts(tricks=(13, 0), revokes=revokes(0), honours=(2, 0, 2, 0), score=WhistScore(points=(2, 0)))
    after = settled(facts, revoke="record", revoker_cannot_win=True)
    assert (after.points, after.winner) == ((4, 0), None)


def test_wa34_after_a_void_hand_the_deal_passes_on() -> None:
    state = revoked_twice(revoke_both="void")
    state = play(WHIST, state, Claim(2, 1), 1).state
    other = next(revoke for revoke in legal_moves(WHIST, state, 0, Query()).moves if revoke.text.startswith("claim"))
    state = play(WHIST, state, other.move, 0).state
    after = play(WHIST, state, Deal(deck=tuple(map(AnyCard, PACK))))
    assert (after.state.dealer, after.state.score) == (3, WhistScore())
    assert [event.sheet.items for event in after.events if isinstance(event, Scored)] == [()]


def test_wa35_no_slam_bonus_for_a_side_that_revoked() -> None:
    facts = WhistFacts(tricks=(13, 0), revokes=revokes(0), score=WhistScore())
    assert "slamBonus" not in [i.rule for i in settled(facts, revoke="record", slam_bonus=5).items]


def test_wa36_one_short_is_tested_before_the_hand() -> None:
    facts = WhistFacts(tricks=(7, 6), honours=(2, 0, 2, 0), score=WhistScore(points=(3, 0)))
    assert settled(facts, honours_bar_one_short=True).points == (8, 0), "at three before it, four after the tricks"


def test_wa37_both_at_the_target_by_chosen_penalties() -> None:
    higher = WhistFacts(tricks=(7, 6), revokes=revokes(0, 1, penalties=("add", "add")), score=WhistScore(points=(4, 3)))
    assert settled(higher, revoke="record", revoke_penalty="choice").winner == 0
    for first in (0, 1):
        equal = WhistFacts(
            tricks=(7, 6),
            revokes=revokes(first, 1 - first, penalties=("add", "add")),
            score=WhistScore(points=(3, 3)),
        )
        assert settled(equal, revoke="record", revoke_penalty="choice").winner == 1 - first


def test_wa38_a_false_claim_is_refused_and_costs_nothing() -> None:
    state = revoked_twice()
    assert code_of(state, Claim(2, 13), 1) is Code.NO_REVOKE
    with pytest.raises(IllegalMove):
        play(WHIST, state, Claim(2, 13), 1)


def test_wa39_penalties_are_netted_and_then_floored() -> None:
    facts = WhistFacts(tricks=(6, 7), revokes=revokes(0, 0, 1), score=WhistScore(points=(2, 0)))
    after = settled(facts, revoke="record", revoke_penalty="points")
    assert after.points == (0, 4), "net one revoke of side 0: 2 - 3 floored, 0 + 3, and a trick"


def test_a_deal_told_by_one_seat_becomes_its_view() -> None:
    state = begin(WHIST, Setup(options=options(), chance="caller", dealer=3)).state
    assert legal_moves(WHIST, state, None, Query()).needs_chance == "deal"
    assert code_of(state, Deal()) is Code.NEEDS_CHANCE
    mine = "AS KS QS 2H 3H 4H 2D 3D 4D 2C 3C 4C 5C"
    seen = play(WHIST, state, tell(["", mine, "", ""], turned="9D")).state
    assert (seen.viewer, seen.trump, seen.hands[3]) == (1, "D", Hand((Card("9D"),), 12))
    admit(WHIST, seen)
    after = play(WHIST, seen, Play(Card("TS"))).state
    assert after.hands[0] == Hand((), 12)
    assert legal_cards(after) == {"AS", "KS", "QS"}
    admit(WHIST, after)


@pytest.mark.parametrize(
    "deal",
    [
        tell(["", "AS", "", ""], turned="9D"),
        Deal(hands=(Hand((), 13),) * 4),
        Deal(hands=(Hand((), 13),) * 3, turned=Card("9D")),
        Deal(deck=tuple(map(AnyCard, PACK[:51]))),
        Deal(deck=tuple(map(AnyCard, (*PACK[:51], PACK[0])))),
        Deal(deck=(*map(AnyCard, PACK[:51]), AnyCard("flip3"))),
        Deal(deck=tuple(map(AnyCard, PACK)), turned=Card("9D")),
        tell(["AS KS QS 2H 3H 4H 2D 3D 4D 2C 3C 4C 5C"] * 2 + ["", ""], turned="9D"),
        tell(["", "AS KS QS 2H 3H 4H 9D 3D 4D 2C 3C 4C 5C", "", ""], turned="9D"),
    ],
)
def test_a_deal_that_cannot_be_is_malformed(deal: Deal) -> None:
    state = begin(WHIST, Setup(options=options(), chance="caller", dealer=3)).state
    with pytest.raises(Malformed):
        judge(WHIST, state, deal)


def test_where_the_service_holds_the_cards_they_cannot_be_told() -> None:
    state = play_out(begin(WHIST, Setup(options=options(), chance="seed", seed="x")).state)
    assert code_of(state, Deal(deck=tuple(map(AnyCard, PACK)))) is Code.CHANCE_IS_DRAWN
    assert code_of(view(WHIST, state, 0), Deal()) is Code.NEEDS_CHANCE


@pytest.mark.parametrize(
    "choices",
    [
        {"revoke_penalty": "points"},
        {"revoke_both": "void"},
        {"revoker_cannot_win": True},
        {"dummy_exposed": "afterLead"},
        {"dummy_partner": 1},
        {"draw_ace": "low"},
        {"draw_tie": "suit"},
        {"draw_for_partners": True, "dummy": True},
        {"honours": "none", "honours_must_split": True},
        {"trump": "none", "honours_bar_one_short": True},
        {"honours": "none", "honours_toward_game": False},
        {"match": "game", "rubber_bonus": "winner"},
        {"trump": "none", "turn_up": False, "trump_card_public": "always"},
    ],
)
def test_an_option_without_what_it_presupposes_is_refused(choices: dict[str, Any]) -> None:
    with pytest.raises(Malformed, match="presupposes"):
        options(**choices)


def told_by(state: WhistState, viewer: int) -> WhistState:
    """The view of a deal that its viewer tells, hand by hand as it sees them."""
    before = begin(WHIST, Setup(options=state.options, chance="caller", seating=state.seating, dealer=state.dealer))
    seen = view(WHIST, state, viewer)
    own = [index for index, hand in enumerate(seen.hands) if not hand.hidden]
    hands = tuple(hand if index in own else Hand((), 13) for index, hand in enumerate(seen.hands))
    return play(WHIST, before.state, Deal(hands=hands, turned=state.trump_card)).state


@pytest.mark.parametrize("viewer", [0, 1, 3])
def test_wa26_a_hand_laid_open_after_the_lead_is_told_to_a_view(viewer: int) -> None:
    state = one_suit_each(dealer=2, dummy=True, dummy_exposed="afterLead")
    seen = told_by(state, viewer)
    seen = play(WHIST, seen, Play(Card("2C"))).state
    assert (seen.phase, seen.to_act) == ("expose", Turn(0, 2))
    admit(WHIST, seen)
    assert legal_moves(WHIST, seen, None, Query()).needs_chance == "expose"
    assert code_of(seen, Play(Card("2S"))) is Code.NEEDS_CHANCE
    dummys = state.hands[2].cards
    assert code_of(seen, Expose((Card("2S"), *dummys[1:]))) is Code.CARD_ELSEWHERE
    with pytest.raises(Malformed):
        judge(WHIST, seen, Expose(dummys[:12]))
    seen = play(WHIST, seen, Expose(dummys)).state
    truth = view(WHIST, play(WHIST, state, Play(Card("2C"))).state, viewer)
    assert seen == replace(truth, chance="caller")
    assert code_of(state, Expose(dummys), 3) is Code.WRONG_PHASE


def test_wa26_a_hand_open_before_the_lead_may_be_told_with_the_deal_or_after_it() -> None:
    state = one_suit_each(dealer=1, dummy=True)
    with_it = told_by(state, 3)
    assert with_it.phase == "play"
    hands = tuple(state.hands[3] if index == 3 else Hand((), 13) for index in range(4))
    before = begin(WHIST, Setup(options=state.options, chance="caller", dealer=1)).state
    after_it = play(WHIST, before, Deal(hands=hands, turned=state.trump_card)).state
    assert after_it.phase == "expose"
    assert play(WHIST, after_it, Expose(state.hands[2].cards)).state == with_it


def test_wa26_a_deal_told_by_dummys_partner_is_his_view_wherever_dummy_sits() -> None:
    chosen = options(dummy=True)
    dealt_to_all = begin(WHIST, Setup(options=chosen, chance="seed", seed="x", seating=((2, 0), (1,), (3,)))).state
    seen = told_by(dealt_to_all, 2)
    assert (seen.viewer, view(WHIST, seen, 2)) == (2, seen)


def test_wa34_a_void_hand_does_not_decide_a_match_of_one_deal() -> None:
    state = revoked_twice(match="deal", revoke_both="void")
    state = play(WHIST, state, Claim(2, 1), 1).state
    assert WHIST.sheet(state, None).winners == ()
    other = next(entry for entry in legal_moves(WHIST, state, 0, Query()).moves if entry.text.startswith("claim"))
    state = play(WHIST, state, other.move, 0).state
    assert code_of(state, End()) is Code.MATCH_GOES_ON
    state = play(WHIST, state, Deal(deck=tuple(map(AnyCard, PACK)))).state
    admit(WHIST, state)
    assert (state.phase, state.deals) == ("play", 2)


def test_wa31_a_match_of_one_deal_has_no_winner_before_it_is_played() -> None:
    state = dealt(match="deal")
    assert WHIST.sheet(state, "match").winners == ()
    assert sheet_of_facts(options(match="deal"), WhistFacts()).winners == ()
    assert WHIST.sheet(play_out(state), "match").winners != ()
