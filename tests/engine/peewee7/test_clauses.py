"""The clauses of PeeWee 7, one test or more each, named by them."""

import pytest

from engine.cards import PACK, WHOLE_PACK, Card, card_set
from engine.events import Called, Contracted, Dealt, Drawn, Event, Exposed, Played, Scored, Seated, ThrownIn, TrickWon
from engine.game import SPECTATOR, Setup, begin, judge, play, view
from engine.games.peewee7 import PEEWEE7, PeeweeFacts, PeeweeState
from engine.games.peewee7.scoring import sheet_of_facts
from engine.moves import Bid, Call, Deal, Draw, Hand, Pass, Play, parse
from engine.violations import Code, Malformed
from tests.engine.peewee7.positions import (
    SUIT_EACH,
    begun,
    call,
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


def code(state: PeeweeState, words: str, seat: int | None = None) -> Code | None:
    refused = judge(PEEWEE7, state, parse(words), seat)
    return refused.code if refused else None


def items(words: str, tricks: int, side: int = 0, dare: int = 0) -> dict[str, tuple[int, int]]:
    facts = PeeweeFacts(contract=contract(words, side, dare), tricks=tricks)
    return {item.rule: (item.side, item.points) for item in sheet_of_facts(options(), facts).items}


def test_p1_four_play_in_two_sides_that_sit_opposite() -> None:
    state = dealt()
    assert len(state.hands) == 4
    assert state.seating == ((0,), (1,), (2,), (3,))
    assert called(state, "7C pass pass pass").contract == contract("7C", side=0)
    assert called(state, "pass 7C pass pass pass").contract == contract("7C", side=1)
    for places in (2, 3, 5):
        with pytest.raises(Malformed, match="4 places"):
            begin(PEEWEE7, Setup(options=options(), chance="seed", seed="x", places=places))


@pytest.mark.parametrize("seating", [((0,), (1,), (2,)), ((0,), (0,), (2,), (3,)), ((0, 2), (1,), (3,), ()), ()])
def test_p1_each_place_has_one_seat(seating: tuple[tuple[int, ...], ...]) -> None:
    setup = Setup(options=options(), chance="seed", seed="x", seating=seating)
    if seating:
        with pytest.raises(Malformed):
            begin(PEEWEE7, setup)
    else:
        assert begin(PEEWEE7, setup).state.seating == ((0,), (1,), (2,), (3,))


def test_p2_seven_crosses_in_one_row_are_wanted() -> None:
    before = score(hearts=(13, 0), spades=(13, 13), no_trump=(13, 0), diamonds=(12, 0), clubs=(13, 13))
    made = PeeweeFacts(contract=contract("7D", side=0), tricks=7, score=before)
    assert sheet_of_facts(options(), made).winners == (0,)
    short = PeeweeFacts(contract=contract("7D", side=1), tricks=7, score=before)
    assert sheet_of_facts(options(), short).winners == ()


def test_p3_open_cards_make_the_sides() -> None:
    state = begun(teamDraw=True, dealer=1)
    events: list[Event] = []
    for card in cards("AS KC 7H 2H"):
        assert state.phase == "teamDraw"
        assert state.to_act is not None
        assert state.to_act.seat == 1, "the dealer lays every card"
        assert state.to_act.hand == (2 + len(state.draws)) % 4, "left, across, right, the dealer"
        outcome = play(PEEWEE7, state, Draw(card))  # type: ignore[arg-type]
        events += outcome.events
        state = outcome.state
    assert [event.place for event in events if isinstance(event, Drawn)] == [2, 3, 0, 1]
    assert events[-1] == Seated(((3,), (1,), (2,), (0,)), 1), "place 0 moves opposite the dealer"
    assert state.phase == "deal"
    assert state.dealer == 1
    sides = {place: seat % 2 for place, (seat,) in enumerate(state.seating)}
    assert sides[0] == sides[1] != sides[2] == sides[3]
    assert state.black == sides[2]


def test_p3_cards_are_laid_on_top_until_two_are_black_and_two_red() -> None:
    state = begun(teamDraw=True)
    for card in cards("AS KS QS JS TS 9S 8H 7S"):
        state = play(PEEWEE7, state, Draw(card)).state  # type: ignore[arg-type]
        assert state.phase == "teamDraw"
    state = play(PEEWEE7, state, parse("draw 2D")).state
    assert state.phase == "deal"
    red = {place for place, (seat,) in enumerate(state.seating) if seat % 2 != state.black}
    assert red == {2, 0}, "the seventh card lay before place 2, the ninth before place 0"


def test_p3_a_card_is_not_laid_twice_nor_one_of_another_game() -> None:
    state = play(PEEWEE7, begun(teamDraw=True), parse("draw AS")).state
    assert code(state, "draw AS") == Code.CARD_ALREADY_DRAWN
    assert code(state, "draw") == Code.NEEDS_CHANCE
    assert code(state, "draw KS", seat=0) == Code.NOT_YOUR_TURN
    assert code(state, "deal") == Code.WRONG_PHASE
    with pytest.raises(Malformed):
        judge(PEEWEE7, state, parse("draw flip3"))


def test_p3_by_seed_the_cards_come_of_themselves() -> None:
    setup = Setup(options=options(teamDraw=True), chance="seed", seed="an evening")
    state = begin(PEEWEE7, setup).state
    assert code(state, "draw AS") == Code.CHANCE_IS_DRAWN
    seen = []
    while state.phase == "teamDraw":
        assert legal(state) == {"draw"}
        state = play(PEEWEE7, state, Draw()).state
        seen = [draw.card for draw in state.draws]
    assert len(seen) == len(set(seen))
    state = play(PEEWEE7, state, Deal()).state
    assert state.phase == "auction"
    assert state.draws == ()


def test_p4_four_five_and_four_cards_from_the_left() -> None:
    state = begin(PEEWEE7, Setup(options=options(), chance="deck", deck=PACK, dealer=1)).state
    assert card_set(state.hands[2].cards) == card_set((*PACK[0:4], *PACK[16:21], *PACK[36:40]))
    assert card_set(state.hands[1].cards) == card_set((*PACK[12:16], *PACK[31:36], *PACK[48:52]))
    assert card_set(card for hand in state.hands for card in hand.cards) == WHOLE_PACK


@pytest.mark.parametrize(
    "words",
    [
        "deal deck AS,KS", "deal hands AS+12/+13/+13/+13", "deal hands +13/+13/+13", "deal hands +12/+13/+13/+13",
        "deal hands +13/+13/+13/+13 turned AS", "deal hands +13/+13/+13/+13 layout AS",
    ],
)  # fmt: skip
def test_p4_what_is_no_deal_is_malformed(words: str) -> None:
    with pytest.raises(Malformed):
        judge(PEEWEE7, begun(), parse(words))


def test_p4_a_card_told_twice_or_hands_nobody_sees_are_malformed() -> None:
    spades, hearts = (Hand(tuple(suit)) for suit in SUIT_EACH[:2])
    for hands in ((spades, spades, Hand((), 13), Hand((), 13)), (spades, hearts, Hand((), 13), Hand((), 13))):
        with pytest.raises(Malformed):
            judge(PEEWEE7, begun(), Deal(hands=hands))


def test_p4_who_holds_the_cards_tells_and_nobody_else() -> None:
    assert code(begun(), "deal") == Code.NEEDS_CHANCE
    state = begin(PEEWEE7, Setup(options=options(), chance="seed", seed="x")).state
    thrown_in = called(state, "pass pass pass pass")
    assert code(thrown_in, "deal hands +13/+13/+13/+13") == Code.CHANCE_IS_DRAWN
    assert code(thrown_in, "deal layout AS") == Code.CHANCE_IS_DRAWN
    assert legal(thrown_in) == {"deal"}


def test_p5_a_hand_is_its_seats_alone_even_when_thrown_in() -> None:
    for state in (dealt(), called(dealt(), "pass pass pass pass"), called(dealt(), "7C pass pass pass")):
        for viewer in range(4):
            seen = view(PEEWEE7, state, viewer)
            assert [len(hand.cards) for hand in seen.hands] == [13 * (seat == viewer) for seat in range(4)]
        assert all(hand == Hand((), 13) for hand in view(PEEWEE7, state, SPECTATOR).hands)


def test_p6_the_left_of_the_dealer_calls_first_and_then_in_turn() -> None:
    state = dealt(dealer=1)
    callers = []
    for word in ["7C", "pass", "7D", "dare"]:
        assert state.to_act is not None
        callers.append(state.to_act.seat)
        state = play(PEEWEE7, state, call(word)).state
    assert callers == [2, 3, 0, 1]
    assert code(state, "pass", seat=0) == Code.NOT_YOUR_TURN
    assert state.calls[2].seat == 0
    assert state.calls[2].call == Bid(7, call("7D").strain)  # type: ignore[union-attr]


def test_p7_each_bid_is_higher_and_hearts_are_above_spades() -> None:
    state = called(dealt(), "7S")
    assert code(state, "bid 7H") is None
    assert code(called(dealt(), "7H"), "bid 7S") == Code.BID_TOO_LOW
    ladder = [f"bid 7{strain}" for strain in ("C", "D", "S", "H", "NT")]
    for index, bid in enumerate(ladder):
        state = called(dealt(), bid.removeprefix("bid "))
        assert [each for each in ladder if code(state, each) is None] == ladder[index + 1 :]
    refused = judge(PEEWEE7, called(dealt(), "8C"), parse("bid 8C"))
    assert refused is not None
    assert refused.clause == "peewee7/P-7"
    assert refused.message == "8C is not higher than 8C."


def test_p8_at_least_seven_and_a_cross_for_each_trick_above_six() -> None:
    for tricks in range(1, 7):
        refused = judge(PEEWEE7, dealt(), parse(f"bid {tricks}NT"))
        assert refused is not None
        assert (refused.code, refused.clause) == (Code.BID_BELOW_MINIMUM, "peewee7/P-8")
    assert [items(f"{tricks}S", tricks)["contractMade"][1] // 2 for tricks in range(7, 14)] == [1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(Malformed):
        parse("bid 14C")


def test_p9_three_passes_in_a_row_close_the_bidding() -> None:
    state = called(dealt(), "7H pass pass")
    assert state.phase == "auction"
    outcome = play(PEEWEE7, state, Pass())
    assert outcome.state.phase == "play"
    assert outcome.state.contract == contract("7H", side=0)
    assert outcome.events == (Called(3, Pass()), Contracted(0, 7, contract("7H").strain, 0))
    assert code(outcome.state, "bid 8H") == Code.WRONG_PHASE
    assert called(dealt(), "pass pass 7H pass pass").phase == "auction"


def test_p10_nobody_bids_and_the_same_dealer_deals_again() -> None:
    state = called(begin(PEEWEE7, Setup(options=options(), chance="seed", seed="x", dealer=2)).state, "pass pass pass")
    outcome = play(PEEWEE7, state, Pass())
    assert outcome.events[-1] == ThrownIn(2)
    again = play(PEEWEE7, outcome.state, Deal()).state
    assert (again.dealer, again.deals, again.phase) == (2, 2, "auction")
    assert again.hands != outcome.state.hands
    assert again.calls == ()


def test_p11_a_dare_is_one_cross_more() -> None:
    assert items("8H", 8, dare=1) == {"contractMade": (0, 4), "dare": (0, 2)}
    assert items("8H", 7, dare=1) == {"contractFailed": (1, 4), "dare": (1, 2), "undertricks": (1, 1)}
    assert code(dealt(), "dare") == Code.NO_BID_STANDS
    assert code(called(dealt(), "7H"), "dare") is None


def test_p12_a_double_dare_is_two_crosses_above_the_contract_not_three() -> None:
    assert items("8H", 8, dare=2) == {"contractMade": (0, 4), "doubleDare": (0, 4)}
    state = called(dealt(), "7H dare")
    assert code(state, "doubleDare") is None
    assert code(called(dealt(), "7H pass"), "doubleDare") == Code.NOT_DARED
    assert code(called(dealt(), "7H dare pass"), "doubleDare") == Code.NOT_OWN_BID
    assert code(dealt(), "doubleDare") == Code.NO_BID_STANDS


def test_p13_after_a_dare_another_suit_may_still_be_bid() -> None:
    for calls in ("7H dare", "7H dare doubleDare"):
        state = called(dealt(), calls)
        assert {words for words in legal(state) if words.endswith("H")} == set()
        assert {"bid 7NT", "bid 8C", "bid 13NT"} <= legal(state)
        refused = judge(PEEWEE7, state, parse("bid 13H"))
        assert refused is not None
        assert (refused.code, refused.clause) == (Code.DARED_SUIT_CLOSED, "peewee7/P-13")


def test_p14_the_master_first_named_the_suit_and_the_peewee_sits_opposite() -> None:
    state = called(dealt(), "7H pass 8C pass 8H pass pass pass")
    assert (state.contract, state.master) == (contract("8H", side=0), 0)
    state = called(dealt(), "7C pass 7S pass 8S pass pass pass")
    assert (state.contract, state.master) == (contract("8S", side=0), 2)


def test_p15_the_left_of_the_dealer_leads_whoever_has_the_contract() -> None:
    for words in ("7C pass pass pass", "pass 7C pass pass pass", "pass pass 7C pass pass pass"):
        state = called(dealt(dealer=1), words)
        assert state.to_act is not None
        assert state.to_act.hand == 2
        assert len(legal(state)) == 13, "any card"


def test_p16_the_peewees_hand_lies_open_from_the_first_card_and_the_master_plays_it() -> None:
    state = called(dealt(SUIT_EACH), "pass 7H pass pass pass")
    outcome = play(PEEWEE7, state, Play(Card("2S")))
    assert outcome.events == (Played(0, 0, Card("2S")), Exposed(3, state.hands[3].cards))
    for viewer in (0, 1, 2, SPECTATOR):
        assert view(PEEWEE7, state, viewer).hands[3] == Hand((), 13)
        assert view(PEEWEE7, outcome.state, viewer).hands[3] == state.hands[3]
    state = played(outcome.state, "2H 2D")
    assert state.to_act is not None
    assert (state.to_act.seat, state.to_act.hand) == (1, 3)
    refused = judge(PEEWEE7, state, parse("play 2C"), seat=3)
    assert refused is not None
    assert (refused.code, refused.clause) == (Code.MASTER_PLAYS, "peewee7/P-16")
    assert legal(state, seat=3) == set()
    outcome = play(PEEWEE7, state, Play(Card("2C")), seat=1)
    assert outcome.events[0] == Played(1, 3, Card("2C"))


def test_p17_the_suit_is_followed_where_it_can_be() -> None:
    hands = [cards("4D 5D"), cards("5C 6C 7C 8C 9C TC JC QC KC AC 2C 3C 4C"), cards("6D"), cards("7D")]
    state = played(called(dealt(hands), "7H pass pass pass"), "4D")
    assert len(legal(state)) == 13, "none of the suit: anything"
    state = called(dealt([cards("4D"), cards("5D 6D AH 2H"), (), ()]), "7H pass pass pass")
    state = played(state, "4D")
    refused = judge(PEEWEE7, state, parse("play AH"))
    assert refused is not None
    assert (refused.code, refused.clause) == (Code.MUST_FOLLOW_SUIT, "peewee7/P-17")
    assert {"play 5D", "play 6D"} <= legal(state)
    assert all(words.endswith("D") for words in legal(state))
    assert code(state, "play 4D") == Code.NOT_IN_HAND


def test_p18_trumps_beat_and_only_higher_trumps_beat_them_and_the_winner_leads() -> None:
    state = called(dealt(SUIT_EACH), "pass 7H pass pass pass")
    outcome = play(PEEWEE7, played(state, "AS 2H AD"), Play(Card("AC")))
    assert outcome.events[-1] == TrickWon(1, 1)
    assert outcome.state.to_act is not None
    assert outcome.state.to_act.hand == 1
    discards = played(called(dealt(SUIT_EACH), "pass pass 7NT pass pass pass"), "2S AH AD AC")
    assert discards.tricks[0].winner == 0, "what does not follow is lower"
    over = [cards("2S"), cards("3S"), cards("2H 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD"), cards("4S")]
    assert played(called(dealt(over), "pass pass 7H pass pass pass"), "2S 3S 2H 4S").tricks[0].winner == 2


def test_p18_thirteen_tricks() -> None:
    state = play_out(called(dealt(), "7C pass pass pass"))
    assert len(state.tricks) == 13
    assert all(not hand for hand in state.hands)


def test_p19_made_scores_the_contract_and_a_stroke_for_each_trick_over() -> None:
    assert items("8S", 9) == {"contractMade": (0, 4), "overtricks": (0, 1)}
    assert items("7NT", 13, side=1) == {"contractMade": (1, 2), "overtricks": (1, 6)}
    assert items("13C", 13) == {"contractMade": (0, 14)}


def test_p20_failed_gives_all_to_the_other_side_in_the_same_row() -> None:
    assert items("8S", 7, side=1) == {"contractFailed": (0, 4), "undertricks": (0, 1)}
    sheet = sheet_of_facts(options(), PeeweeFacts(contract=contract("8S", side=1), tricks=7))
    assert {item.account for item in sheet.items} == {"S"}
    assert all(total.points == 0 for total in sheet.totals if total.side == 1)


def test_p21_seven_crosses_end_the_game() -> None:
    state = called(dealt(SUIT_EACH), "13S pass pass pass")
    state = play_out(state)
    assert state.phase == "over"
    assert state.to_act is None
    assert PEEWEE7.sheet(state, None).winners == (0,)
    assert code(state, "deal", seat=0) == Code.GAME_OVER
    last = play(PEEWEE7, played_until_last(SUIT_EACH, "13S pass pass pass"), Play(Card("AC"))).events
    assert [event.sheet.scope for event in last if isinstance(event, Scored)] == ["deal", "match"]
    assert not any(isinstance(event, Dealt) for event in last)


def played_until_last(hands: list[list[Card]], calls: str) -> PeeweeState:
    state = called(dealt(hands), calls)
    order = [card for rank in range(13) for suit in hands for card in [suit[rank]]]
    return played(state, " ".join(order[:-1]))


def test_calls_that_no_other_game_knows_are_malformed_here_and_elsewhere() -> None:
    for words in ("claim 2 4", "hit", "end", "choose tricks", "trail AS"):
        with pytest.raises(Malformed):
            judge(PEEWEE7, dealt(), parse(words))
    made: Call = Pass()
    assert judge(PEEWEE7, dealt(), made) is None
