"""How the cards of Le Wipe come: by a seed, from a pack given, or as people with cards of their own tell them."""

import random
from typing import Any

import pytest

from engine.cards import PACK, AnyCard, Card
from engine.events import Dealt, Redealt
from engine.game import SPECTATOR, Query, Setup, admit, begin, judge, legal_moves, play, view
from engine.games.wipe import WIPE, WipeState
from engine.moves import Deal, Hand, Trail
from engine.rng import shuffle_and_cut
from engine.violations import Code, ImpossibleState, Malformed
from tests.engine.wipe.positions import after, cards, code_of, dealt, options, trail_out

ANY_PACK = tuple(map(AnyCard, PACK))


def called(places: int = 2, **choices: Any) -> WipeState:
    """A match whose cards the caller holds, before its first deal."""
    return begin(WIPE, Setup(options=options(**choices), places=places, chance="caller")).state


def unseen(number: int) -> Hand:
    return Hand((), number)


def told(own: str, seat: int, places: int = 2, layout: str | None = None) -> Deal:
    """A deal as one seat saw it."""
    hand = Hand(cards(own))
    hands = tuple(hand if each == seat else unseen(len(hand)) for each in range(places))
    return Deal(hands=hands, layout=None if layout is None else cards(layout))


def test_a_seed_gives_every_round_a_pack_of_its_own() -> None:
    setup = Setup(options=options(rounds=2), places=2, chance="seed", seed="wipe")
    state = begin(WIPE, setup).state
    pack = shuffle_and_cut(PACK, "wipe", 1)
    assert state.stock.cards == pack[12:]
    assert (state.past or ())[0] == Dealt(1, state.hands, 0, state.layout)
    for _ in range(6):
        state = trail_out(state)
        state = after(state, "deal")
    assert (state.rounds, state.dealer) == (2, 0)
    assert state.stock.cards == shuffle_and_cut(PACK, "wipe", 2)[12:]
    assert code_of(trail_out(state), "deal deck " + ",".join(PACK)) is Code.CHANCE_IS_DRAWN


def test_a_pack_given_is_one_round_s_and_the_next_must_be_told() -> None:
    state = dealt(2, dealer=1)
    assert state.deck is None
    for _ in range(5):
        state = after(trail_out(state), "deal")
    state = trail_out(state)
    answer = legal_moves(WIPE, state, None, Query())
    assert (answer.needs_chance, answer.total) == ("deal", 0)
    assert code_of(state, "deal") is Code.NEEDS_CHANCE
    again = play(WIPE, state, Deal(deck=ANY_PACK)).state
    assert (again.rounds, again.dealer, again.viewer) == (2, 0, None)
    admit(WIPE, again)


def test_who_holds_the_cards_tells_a_pack_or_all_hands() -> None:
    state = called()
    assert (state.phase, state.deals) == ("deal", 0)
    assert legal_moves(WIPE, state, None, Query()).needs_chance == "deal"
    whole = play(WIPE, state, Deal(deck=ANY_PACK)).state
    assert len(whole.stock.cards) == 40
    hands = play(
        WIPE, state, Deal(hands=(Hand(cards("AS 2S 3S 4S")), Hand(cards("5S 6S 7S 8S"))), layout=cards("9S TS JS QS"))
    ).state
    admit(WIPE, hands)
    assert hands.viewer is None
    assert (hands.stock.cards, hands.stock.hidden) == ((), 40)
    played = trail_out(hands)
    assert code_of(played, "deal") is Code.NEEDS_CHANCE
    later = play(WIPE, played, Deal(hands=(Hand(cards("AH 2H 3H 4H")), Hand(cards("5H 6H 7H 8H"))))).state
    admit(WIPE, later)
    assert (later.deals, later.stock.hidden) == (2, 32)
    packed = play(
        WIPE, played, Deal(deck=tuple(AnyCard(card) for card in PACK if card[1] != "S" or card == "KS"))
    ).state
    admit(WIPE, packed)
    assert (len(packed.stock.cards), packed.stock.hidden) == (32, 0)


def test_one_seat_tells_its_own_hand_and_gets_its_own_view() -> None:
    seen = play(WIPE, called(), told("AS 2S 3S 4S", 0, layout="9S TS JS QS")).state
    admit(WIPE, seen)
    assert seen.viewer == 0
    assert seen.history == (Dealt(1, seen.hands, None, seen.layout),)
    seen = after(seen, "trail AS", "trail 5H", "trail 2S", "trail 6H", "trail 3S", "trail 7H", "trail 4S", "trail 8H")
    assert legal_moves(WIPE, seen, None, Query()).needs_chance == "deal"
    later = play(WIPE, seen, told("AH 2H 3H 4H", 0)).state
    admit(WIPE, later)
    assert later.history is not None
    assert later.history[-1] == Redealt(2, later.hands)
    other = play(WIPE, called(3), told("AS 2S 3S 4S", 2, places=3, layout="9S TS JS QS")).state
    assert other.viewer == 2
    onlooker = play(WIPE, called(), Deal(hands=(unseen(4), unseen(4)), layout=cards("9S TS JS QS"))).state
    assert onlooker.viewer == SPECTATOR


def test_a_full_state_told_one_hand_becomes_that_seat_s_view() -> None:
    hands = (Hand(cards("AS 2S 3S 4S")), Hand(cards("5S 6S 7S 8S")))
    state = play(WIPE, called(), Deal(hands=hands, layout=cards("9S TS JS QS"))).state
    done = play(WIPE, trail_out(state), told("AH 2H 3H 4H", 1))
    admit(WIPE, done.state)
    assert done.state.viewer == 1
    assert done.state.past is None
    assert done.state.history is not None
    assert isinstance(done.state.history[0], Dealt)


@pytest.mark.parametrize(
    ("deal", "path"),
    [
        (Deal(hands=(unseen(4),) * 2), "$.move.layout"),
        (Deal(hands=(unseen(4),) * 2, layout=cards("9S TS JS")), "$.move.layout"),
        (Deal(hands=(unseen(4),) * 3, layout=cards("9S TS JS QS")), "$.move.hands"),
        (Deal(hands=(unseen(4), unseen(3)), layout=cards("9S TS JS QS")), "$.move.hands"),
        (Deal(hands=(Hand(cards("AS"), 3), unseen(4)), layout=cards("9S TS JS QS")), "$.move.hands"),
        (Deal(hands=(Hand(cards("AS AS 2S 3S")), unseen(4)), layout=cards("9S TS JS QS")), "$.move.hands"),
        (Deal(hands=(Hand(cards("AS 9S 2S 3S")), unseen(4)), layout=cards("9S TS JS QS")), "$.move.hands"),
        (Deal(layout=cards("9S TS JS QS")), "$.move.hands"),
        (Deal(hands=(unseen(4),) * 2, layout=cards("9S TS JS QS"), turned=Card("AS")), "$.move.turned"),
        (Deal(deck=ANY_PACK[:-1]), "$.move.deck"),
        (Deal(deck=(*ANY_PACK[:-1], ANY_PACK[0])), "$.move.deck"),
        (Deal(deck=(*ANY_PACK[:-1], AnyCard("freeze"))), "$.move.deck"),
        (Deal(deck=ANY_PACK, layout=cards("9S TS JS QS")), "$.move"),
        (Deal(deck=ANY_PACK, hands=(unseen(4),) * 2), "$.move"),
    ],
)
def test_what_cannot_be_a_deal_is_malformed(deal: Deal, path: str) -> None:
    with pytest.raises(Malformed) as refused:
        judge(WIPE, called(), deal)
    assert refused.value.path == path


def test_a_partly_told_deal_is_of_one_seat() -> None:
    two = Deal(hands=(Hand(cards("AS 2S 3S 4S")), Hand(cards("5S 6S 7S 8S")), unseen(4)), layout=cards("9S TS JS QS"))
    with pytest.raises(Malformed, match="nobody sees"):
        judge(WIPE, called(3), two)


def test_a_later_deal_brings_what_is_not_seen_yet() -> None:
    seen = play(WIPE, called(), told("AS 2S 3S 4S", 0, layout="9S TS JS QS")).state
    seen = after(seen, "trail AS", "trail 5H", "trail 2S", "trail 6H", "trail 3S", "trail 7H", "trail 4S", "trail 8H")
    with pytest.raises(Malformed, match="not to be dealt"):
        judge(WIPE, seen, told("5H 2H 3H 4H", 0))
    with pytest.raises(Malformed, match="only there"):
        judge(WIPE, seen, told("AH 2H 3H 4H", 0, layout="9D TD JD QD"))
    with pytest.raises(Malformed, match="nobody sees"):
        judge(WIPE, seen, told("AH 2H 3H 4H", 1))


def test_a_hidden_hand_plays_what_it_can_hold() -> None:
    state = dealt(2, dealer=1)
    seen = view(WIPE, state, 1)
    possible = {entry.text.split()[1] for entry in legal_moves(WIPE, seen, 0, Query(limit=2000)).moves}
    assert possible == {str(card) for card in PACK} - set(seen.layout) - set(seen.hands[1].cards)
    refused = judge(WIPE, seen, Trail(seen.layout[0]), 0)
    assert refused is not None
    assert (refused.code, refused.clause) == (Code.CARD_ELSEWHERE, "wipe/L-1")
    assert judge(WIPE, seen, Trail(seen.hands[1].cards[0]), 0) is not None
    played = play(WIPE, seen, Trail(Card("KC")), 0).state
    assert played.hands[0] == unseen(3)
    admit(WIPE, played)


def test_views_of_whole_matches_go_on_by_what_is_told() -> None:
    """A seat that follows a match by its own view, deals told, sees at each step just its view of the real match."""
    rng = random.Random("follow")
    for places in (2, 3, 8):
        state = dealt(places, tuple(rng.sample(PACK, 52)), rounds=1)
        seen = view(WIPE, state, 1)
        while state.phase != "over":
            assert state.to_act is not None
            moves = legal_moves(WIPE, state, None, Query(limit=100)).moves
            move = rng.choice(moves).move
            seat = state.to_act.seat
            state = play(WIPE, state, move, seat).state
            if isinstance(move, Deal):
                own = state.hands[1].cards
                sizes = [len(hand) for hand in state.hands]
                move = Deal(hands=tuple(Hand(own) if each == 1 else unseen(n) for each, n in enumerate(sizes)))
            seen = play(WIPE, seen, move, seat).state
            assert seen == view(WIPE, state, 1)


def test_a_view_is_only_its_own_viewer_s() -> None:
    with pytest.raises(ImpossibleState):
        view(WIPE, view(WIPE, dealt(2), 1), 0)
