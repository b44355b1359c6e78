"""Nothing hangs and nothing grows without bound, however the cards come and whoever tells them."""

import random

import msgspec
import pytest
from msgspec.structs import replace

from engine.cards import AnyCard, FlipCard
from engine.events import Stayed
from engine.game import SPECTATOR, Query, Setup, admit, begin, legal_moves, play, view
from engine.games.flip7 import FLIP7, Flip7State
from engine.games.flip7.deck import DECK
from engine.games.flip7.table import has_cards_to_draw, lying, unseen
from engine.moves import Draw, Hit, Move, Stay
from tests.engine.flip7.positions import crowded, options

MOST_NUMBERS = 6
DECKS = ("12", "flip3 flip3 flip3 second 12", "freeze flip3 5 second +2", "0 second flip3 freeze x2")


@pytest.mark.parametrize("set_aside", ["assignAllThenResolve", "oneByOne"])
@pytest.mark.parametrize("reshuffle", ["lazy", "eager"])
def test_a_crowded_table_comes_to_the_end_of_its_round(set_aside: str, reshuffle: str) -> None:
    rng = random.Random(f"{set_aside} {reshuffle}")
    for deck in DECKS * 6:
        state = crowded(["1 3", "2 7"], deck, set_aside=set_aside, reshuffle=reshuffle)
        while state.phase != "roundOver":
            state = admit(FLIP7, play(FLIP7, state, a_move(state, rng)).state)


def a_move(state: Flip7State, rng: random.Random) -> Move:
    if state.phase == "draw":
        return Draw(AnyCard(rng.choice(sorted(unseen(state)))))
    return rng.choice(legal_moves(FLIP7, state, None, Query()).moves).move


def harmless(state: Flip7State, rng: random.Random) -> AnyCard:
    """A card that neither busts the seat it comes to nor is its seventh number, while there is one."""
    assert state.to_act is not None
    row = state.rows[state.to_act.seat].cards
    full = sum(card.isdigit() for card in row) == MOST_NUMBERS
    left = unseen(state)
    kinds = sorted(left, key=lambda card: (card.isdigit(), left[card], rng.random()))
    fitting = [card for card in kinds if not card.isdigit() or (card not in row and not full)]
    numbers = [card for card in fitting if card.isdigit()]
    return AnyCard((numbers or fitting or kinds)[-1])


@pytest.mark.parametrize("set_aside", ["assignAllThenResolve", "oneByOne"])
@pytest.mark.parametrize("reshuffle", ["lazy", "eager"])
@pytest.mark.parametrize("seats", [14, 16, 18])
def test_fa22_rounds_in_which_nobody_stops_go_through_deck_and_discards(
    seats: int, reshuffle: str, set_aside: str
) -> None:
    """From the deal on, card by card, with 94 cards at every point, until none is left; then everybody banks."""
    dry = 0
    for number in range(3):
        rng = random.Random(f"{seats} {reshuffle} {set_aside} {number}")
        chosen = options(reshuffle=reshuffle, set_aside=set_aside)
        state = begin(FLIP7, Setup(options=chosen, places=seats, chance="caller")).state
        steps = 0
        while state.phase not in ("roundOver", "over"):
            assert sum(1 for _ in lying(state)) + len(state.deck) == len(DECK)
            found = legal_moves(FLIP7, state, None, Query()).moves
            move = rng.choice(found).move if state.phase == "give" else Hit()
            if state.phase == "draw":
                move = Draw(harmless(state, rng))
            state = admit(FLIP7, play(FLIP7, state, move).state)
            admit(FLIP7, replace(state, log=()))
            steps += 1
        assert steps < 1000
        if any(isinstance(event, Stayed) and event.forced for event in state.log):
            assert not has_cards_to_draw(state)
            dry += 1
    assert dry


def spun_out(state: Flip7State) -> AnyCard:
    """The card that keeps the round going: a duplicate that is saved, else a Second Chance, else a Flip Three."""
    order = ("5", "second", "flip3") if "second" in state.rows[0].cards else ("second", "flip3", "5")
    left = unseen(state)
    return next(AnyCard(card) for card in order if left[FlipCard(card)])


def test_a_teller_can_spin_a_round_out_and_no_history_gets_too_long() -> None:
    state = view(FLIP7, play(FLIP7, crowded(["5", "2"], "second 5", turn=1), Stay()).state, SPECTATOR)
    longest = 0
    for _ in range(500):
        found = legal_moves(FLIP7, state, None, Query()).moves
        move = found[0].move if found else Draw(spun_out(state))
        state = admit(FLIP7, play(FLIP7, state, move).state)
        longest = max(longest, len(state.history or ()))
    assert state.turn == 0
    assert state.shuffles > 40
    assert longest < 60
    assert msgspec.json.decode(msgspec.json.encode(state), type=Flip7State) == state


@pytest.mark.parametrize("seats", [1, 2, 18])
def test_the_longest_histories_stay_far_from_the_limit(seats: int) -> None:
    rng = random.Random(seats)
    longest = 0
    state = begin(FLIP7, Setup(options=options(target=10_000), places=seats, chance="seed", seed="long")).state
    for _ in range(1500):
        found = legal_moves(FLIP7, state, None, Query()).moves
        moves = [each.move for each in found if each.text != "stay"] or [found[0].move]
        state = play(FLIP7, state, rng.choice(moves)).state
        longest = max(longest, len(state.log))
    assert longest < 200
