"""Card sets as integers, counted and picked from."""

from collections.abc import Sequence
from typing import Final

from ..cards import PACK, SUIT_SIZE, SUITS, Card
from ..native import i64

SUIT_MASK: Final = 0x1FFF
SPADES: Final = 0x1FFF
HEARTS: Final = 0x1FFF << 13
DIAMONDS: Final = 0x1FFF << 26
CLUBS: Final = 0x1FFF << 39
"""The suits; their cards from two to ace have the bits from the lowest to the highest."""
PACK_BITS: Final = tuple(1 << number for number in range(SUIT_SIZE * len(SUITS)))
"""Each card of the pack as a set of one, in the order of `PACK`."""
BITS: Final = dict(zip(PACK, PACK_BITS, strict=True))
_COUNTS: Final = bytes([cards.bit_count() for cards in range(SUIT_MASK + 1)])


def set_of(cards: Sequence[Card]) -> i64:
    """The cards as one integer, as `card_set` makes it."""
    found: i64 = 0
    for card in cards:
        found |= BITS[card]
    return found


def count(cards: i64) -> i64:
    """How many cards a set has."""
    counts = _COUNTS
    return (
        counts[cards & SUIT_MASK]
        + counts[cards >> SUIT_SIZE & SUIT_MASK]
        + counts[cards >> 2 * SUIT_SIZE & SUIT_MASK]
        + counts[cards >> 3 * SUIT_SIZE]
    )


def picked(cards: i64, index: i64) -> i64:
    """The card, as a set of one, that comes so many after the first where a hand is written: each suit from high down.

    >>> from ..cards import Card, card_set
    >>> picked(card_set([Card("2S"), Card("AH"), Card("KS")]), 1) == Card("2S").bit
    True
    """
    shift: i64 = 0
    while True:
        suit = cards >> shift & SUIT_MASK
        number: i64 = _COUNTS[suit]
        if index < number:
            break
        index -= number
        shift += SUIT_SIZE
    while index:
        suit ^= highest(suit)
        index -= 1
    return highest(suit) << shift


def highest(cards: int) -> int:
    """The card with the highest bit, as a set of one."""
    return 1 << cards.bit_length() - 1


def highest_card(cards: int) -> Card:
    """The card itself.

    >>> from ..cards import card_set
    >>> highest_card(card_set([Card("2S"), Card("AH"), Card("KS")]))
    <Card.AH: 'AH'>
    """
    return PACK[cards.bit_length() - 1]


def suit_of(card: i64) -> i64:
    """The whole suit of a card, both as sets."""
    if card & (SPADES | HEARTS):
        return SPADES if card & SPADES else HEARTS
    return DIAMONDS if card & DIAMONDS else CLUBS
