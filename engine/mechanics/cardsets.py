"""Card sets as integers, counted and picked from."""

from typing import Final

from ..cards import PACK, SUIT_SIZE, SUITS, Card

SUIT_MASK: Final = 0x1FFF
SPADES: Final = 0x1FFF
HEARTS: Final = 0x1FFF << 13
DIAMONDS: Final = 0x1FFF << 26
CLUBS: Final = 0x1FFF << 39
"""The suits; their cards from two to ace have the bits from the lowest to the highest."""
PACK_BITS: Final = tuple(1 << number for number in range(SUIT_SIZE * len(SUITS)))
"""Each card of the pack as a set of one, in the order of `PACK`."""
_BITS: Final = dict(zip(PACK, PACK_BITS, strict=True))
_COUNTS: Final = [cards.bit_count() for cards in range(SUIT_MASK + 1)]


def set_of(cards: tuple[Card, ...]) -> int:
    """The cards as one integer, as `card_set` makes it."""
    found = 0
    for card in cards:
        found |= _BITS[card]
    return found


def count(cards: int) -> int:
    """How many cards a set has."""
    counts = _COUNTS
    return (
        counts[cards & SUIT_MASK]
        + counts[cards >> SUIT_SIZE & SUIT_MASK]
        + counts[cards >> 2 * SUIT_SIZE & SUIT_MASK]
        + counts[cards >> 3 * SUIT_SIZE]
    )


def picked(cards: int, index: int) -> int:
    """The card, as a set of one, that comes so many after the first where a hand is written: each suit from high down.

    >>> from ..cards import Card, card_set
    >>> picked(card_set([Card("2S"), Card("AH"), Card("KS")]), 1) == Card("2S").bit
    True
    """
    shift = 0
    while True:
        suit = cards >> shift & SUIT_MASK
        number = _COUNTS[suit]
        if index < number:
            break
        index -= number
        shift += SUIT_SIZE
    while index:
        suit ^= 1 << suit.bit_length() - 1
        index -= 1
    return 1 << suit.bit_length() - 1 + shift


def suit_of(card: int) -> int:
    """The whole suit of a card, both as sets."""
    if card & (SPADES | HEARTS):
        return SPADES if card & SPADES else HEARTS
    return DIAMONDS if card & DIAMONDS else CLUBS
