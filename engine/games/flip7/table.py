"""What follows from a state of Flip 7: who is active, which cards can still come, what has to be given and to whom."""

from collections import Counter
from collections.abc import Iterator

from ...cards import FlipCard
from .deck import COUNTS, FLIP_THREE, SECOND_CHANCE, can_be_drawn
from .state import Flip7State


def active_seats(state: Flip7State) -> tuple[int, ...]:
    """The seats that have neither stopped nor been busted or frozen (F-5)."""
    return tuple(seat for seat, row in enumerate(state.rows) if row.status == "active")


def lying(state: Flip7State) -> Iterator[FlipCard]:
    """Every card that is not in the deck: before the seats, discarded, or being resolved."""
    for row in state.rows:
        yield from row.cards
    yield from state.discard
    if state.held is not None:
        yield state.held.card
    for flip_three in state.flip_threes:
        if flip_three.left:
            yield FLIP_THREE
        yield from flip_three.set_aside
    for given in state.given:
        yield given.card


def unseen(state: Flip7State) -> Counter[FlipCard]:
    """The cards of the deck, which everybody can tell by what lies open (FA36)."""
    return COUNTS - Counter(lying(state))


def has_cards_to_draw(state: Flip7State) -> bool:
    """Whether a card can be drawn, from the deck or once the discards are shuffled (FA22, FA38)."""
    return can_be_drawn(state.discard) or can_be_drawn(unseen(state))


def to_give(state: Flip7State) -> tuple[FlipCard, tuple[int, ...]]:
    """The card that must be given in the phase ``give``, and the seats it may go to.

    A card just turned, else the first of those set aside in the Flip Three that is done. A Second Chance goes to an
    active seat without one (F-12), anything else to any active seat (F-7).
    """
    card = state.flip_threes[-1].set_aside[0] if state.held is None else state.held.card
    targets = active_seats(state)
    if card is SECOND_CHANCE:
        targets = tuple(seat for seat in targets if SECOND_CHANCE not in state.rows[seat].cards)
    return card, targets


def deal_position(state: Flip7State, seat: int) -> int:
    """Where a seat comes in the deal: the dealer's left first, the dealer last (FA2)."""
    return (seat - state.dealer - 1) % len(state.rows)


def next_dealer(state: Flip7State) -> int:
    """The seat that deals next: the dealer's left after every round (F-15, FA29)."""
    return (state.dealer + 1) % len(state.rows) if state.round else state.dealer
