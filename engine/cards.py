"""Cards: the French pack's ranks and suits, Flip 7's kinds, the one text form of a card, sets of cards as integers.

A card is written rank then suit, ``AS``, ``TD``; ``10D`` and lower case are understood and never written.
A set of cards is an integer with one bit a card (bit ``13 * suit + rank``), so that following suit, union and
removal are single operations. A sequence of cards, where order or multiplicity matters, is a tuple of `Card`.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final, Self, TypeVar

from .enums import with_plain_members

RANKS: Final = "23456789TJQKA"
SUITS: Final = "SHDC"
SUIT_SIZE: Final = len(RANKS)


@with_plain_members
class Suit(StrEnum):
    """One of the four suits; ``mask`` is the set of its thirteen cards."""

    mask: int

    SPADES = "S"
    HEARTS = "H"
    DIAMONDS = "D"
    CLUBS = "C"

    def __new__(cls, text: str) -> Self:
        suit = str.__new__(cls, text)
        suit._value_ = text
        suit.mask = ((1 << SUIT_SIZE) - 1) << (SUIT_SIZE * SUITS.index(text))
        return suit

    __hash__ = str.__hash__

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        return cls._value2member_map_.get(value.upper()) if isinstance(value, str) and value.isascii() else None  # type: ignore[return-value]


@with_plain_members
class Strain(StrEnum):
    """What a bid names: a suit that is to be trumps, or no trump. ``trump`` is that suit, None without trumps."""

    trump: Suit | None

    SPADES = "S"
    HEARTS = "H"
    DIAMONDS = "D"
    CLUBS = "C"
    NO_TRUMP = "NT"

    def __new__(cls, text: str) -> Self:
        strain = str.__new__(cls, text)
        strain._value_ = text
        strain.trump = None if text == "NT" else Suit(text)
        return strain

    __hash__ = str.__hash__

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        return cls._value2member_map_.get(value.upper()) if isinstance(value, str) and value.isascii() else None  # type: ignore[return-value]


@with_plain_members
class Card(StrEnum):
    """A card of the 52; equal to its text, which every other spelling is read into.

    >>> Card("10d"), Card("TD") == "TD", Card.AS.rank, Card.AS.suit
    (<Card.TD: 'TD'>, True, 12, <Suit.SPADES: 'S'>)
    """

    number: int
    rank: int
    suit: Suit
    bit: int

    _ignore_ = "rank_text suit_text"  # type: ignore[mutable-override]
    for suit_text in SUITS:
        for rank_text in RANKS:
            vars()[rank_text + suit_text if rank_text.isalpha() else f"_{rank_text}{suit_text}"] = rank_text + suit_text

    def __new__(cls, text: str) -> Self:
        card = str.__new__(cls, text)
        card._value_ = text
        card.rank = RANKS.index(text[0])
        card.suit = Suit(text[1])
        card.number = SUIT_SIZE * SUITS.index(text[1]) + card.rank
        card.bit = 1 << card.number
        return card

    __hash__ = str.__hash__

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str) or not value.isascii() or len(value) > len("10D"):
            return None
        text = value.upper()
        return cls._value2member_map_.get("T" + text[2:] if text.startswith("10") else text)  # type: ignore[return-value]


PACK: Final[tuple[Card, ...]] = tuple(Card)
WHOLE_PACK: Final = (1 << len(PACK)) - 1


@with_plain_members
class FlipCard(StrEnum):
    """A card of Flip 7, of which the deck has several that are equal."""

    _ignore_ = "flip_text"  # type: ignore[mutable-override]
    for flip_text in (*map(str, range(13)), "+2", "+4", "+6", "+8", "+10", "x2", "freeze", "flip3", "second"):
        vars()[flip_text if flip_text.isidentifier() else f"_{flip_text}"] = flip_text

    __hash__ = str.__hash__

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        return cls._value2member_map_.get(value.lower()) if isinstance(value, str) and value.isascii() else None  # type: ignore[return-value]


class AnyCard(StrEnum):
    """A card of any game, where a move carries one; equal to the `Card` or `FlipCard` of its text."""

    _ignore_ = "any_card"  # type: ignore[mutable-override]
    for any_card in (*Card, *FlipCard):
        vars()[any_card.name] = any_card.value

    __hash__ = str.__hash__

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        known = _known(Card, value) or _known(FlipCard, value)
        return None if known is None else cls._value2member_map_[known.value]  # type: ignore[return-value]


_C = TypeVar("_C", Card, FlipCard)


def _known(kind: type[_C], value: object) -> _C | None:
    try:
        return kind(value)  # type: ignore[arg-type]
    except ValueError:
        return None


def cards_of(kind: type[_C], cards: Iterable[AnyCard]) -> tuple[_C, ...] | None:
    """The cards as those of one game's pack, None where one of them is not of it.

    >>> cards_of(Card, [AnyCard("10d")]), cards_of(Card, [AnyCard("flip3")])
    ((<Card.TD: 'TD'>,), None)
    """
    found = tuple(_known(kind, card) for card in cards)
    return None if None in found else found  # type: ignore[return-value]


def card_set(cards: Iterable[Card]) -> int:
    """The cards as one integer.

    >>> card_set([Card.AS, Card.TD]) == Card.AS.bit | Card.TD.bit
    True
    """
    mask = 0
    for card in cards:
        mask |= card.bit
    return mask


def iter_cards(mask: int) -> Iterator[Card]:
    """The cards of a set: spades, hearts, diamonds, clubs, each from low to high."""
    while mask:
        low = mask & -mask
        yield PACK[low.bit_length() - 1]
        mask ^= low


def in_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """The cards as a hand is written: by suit, each from high to low.

    >>> [str(card) for card in in_order([Card.TD, Card.KS, Card.AS])]
    ['AS', 'KS', 'TD']
    """
    return tuple(sorted(cards, key=_HAND_ORDER.__getitem__))


_HAND_ORDER: Final[dict[Card, int]] = {
    card: SUIT_SIZE * SUITS.index(card.suit) + SUIT_SIZE - 1 - card.rank for card in PACK
}
