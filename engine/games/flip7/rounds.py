"""What so many rounds can have come to: cards put aside, shuffles, points."""

from collections.abc import Sequence
from typing import Final

from .budget import flipped_in
from .deck import DECK, DOUBLE, NUMBERS, PLUSES
from .scoring import MOST_POINTS, SEVEN, SEVEN_BONUS
from .state import MOST_SEATS, Flip7State

MODIFIERS: Final = len(PLUSES) + 1
OF_EACH_ACTION: Final = 3
ACTION_CARDS: Final = 3 * OF_EACH_ACTION
SHORTEST_SEVEN: Final = SEVEN + 2
"""The fewest cards of a round that ends in the deal: seven numbers and two Flip Threes, of which there are three."""
ALL_BUT_FEEDING: Final = len(DECK) - 2 * OF_EACH_ACTION
"""So many are out once a round ends for want of cards; seats may then have none."""
LOW_MOST: Final = MOST_POINTS - SEVEN_BONUS - 2 * 6
"""What a row scores at most without seven numbers. Above it only x2 with seven gets, and that is always odd."""


def _most_together(seats: int) -> int:
    """The most points of so many seats in one round: one has seven numbers and x2, the others six each."""
    places, numbers = (SEVEN - 1) * seats + 1, 0
    for card in sorted(NUMBERS.values(), reverse=True):
        taken = min(max(1, card), seats, places)
        numbers, places = numbers + taken * card, places - taken
    return numbers + sum(sorted(NUMBERS.values())[-SEVEN:]) + sum(PLUSES.values()) + SEVEN_BONUS


MOST_TOGETHER: Final = tuple(map(_most_together, range(MOST_SEATS + 1)))


def fewest_put_aside(state: Flip7State) -> int:
    """How many cards the rounds before this one have put aside at least, if the deck was never made anew.

    Every seat has a card before it is out, but where a round ended in the deal, which takes most Flip Threes there are.
    """
    seats = len(state.rows)
    rounds = max(0, state.round - 1)
    if state.shuffles != 1 or not rounds:
        return 0
    return min(rounds * seats - max(0, seats - SHORTEST_SEVEN), ALL_BUT_FEEDING)


def can_have_shuffled(state: Flip7State) -> bool:
    """Whether enough cards can have been drawn in so many rounds to make so many decks."""
    if state.shuffles <= 1:
        return True
    if state.round == 1:
        left_out = OF_EACH_ACTION + 1
        return sum(map(flipped_in, state.rows)) >= len(DECK) - ACTION_CARDS - left_out
    lying = SEVEN * len(state.rows) + MODIFIERS + ACTION_CARDS
    again = state.shuffles - 2
    fewest = len(DECK) + again * max(0, len(DECK) - lying - 1)
    recycled = ACTION_CARDS + OF_EACH_ACTION
    return fewest <= state.round * (lying + OF_EACH_ACTION) + recycled * (again + 1)


def can_have_scored(state: Flip7State, totals: Sequence[int], rounds: int) -> bool:
    """Whether so many rounds can have brought these points: of one seat, of any number of seats together."""
    if any(total > MOST_POINTS * rounds or not _adds_up(total, rounds) for total in totals):
        return False
    best = sorted(totals, reverse=True)
    if any(sum(best[:seats]) > MOST_TOGETHER[seats] * rounds for seats in range(2, len(best) + 1)):
        return False
    if state.shuffles != 1 or not rounds:
        return True
    seen = set(state.discard)
    numbers = sum(NUMBERS.get(card, 0) for card in state.discard)
    doubled = sum(sorted(NUMBERS.values())[-SEVEN:]) if DOUBLE in seen else 0
    pluses = sum(PLUSES.get(card, 0) for card in seen)
    return sum(totals) <= numbers + doubled + pluses + SEVEN_BONUS * rounds


def _adds_up(total: int, rounds: int) -> bool:
    if total <= MOST_POINTS * (rounds - 1) + LOW_MOST:
        return total >= 0 and (rounds > 0 or total == 0)
    return (total - rounds) % 2 == 0
