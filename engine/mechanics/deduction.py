"""What is known of hidden hands: which cards each can hold, when the rest must be somewhere."""

from collections.abc import Sequence
from itertools import chain, combinations

from ..cards import Suit


def can_be_dealt(unknown: int, holes: Sequence[int], allowed: Sequence[int]) -> bool:
    """Whether the unknown cards can fill the hands exactly: hand *h* takes ``holes[h]`` cards out of ``allowed[h]``.

    By Hall's theorem: no group of hands needs more cards than are allowed to any of them.

    >>> spades, hearts = Suit("S").mask, Suit("H").mask
    >>> can_be_dealt(spades | hearts, (13, 13), (spades, spades | hearts))
    True
    >>> can_be_dealt(spades | hearts, (14, 12), (spades, spades | hearts))
    False
    """
    if sum(holes) != unknown.bit_count():
        return False
    hands = range(len(holes))
    for group in chain.from_iterable(combinations(hands, size) for size in range(1, len(holes) + 1)):
        union = 0
        for hand in group:
            union |= allowed[hand]
        if sum(holes[hand] for hand in group) > (union & unknown).bit_count():
            return False
    return True


def possible_cards(unknown: int, holes: Sequence[int], allowed: Sequence[int], hand: int) -> int:
    """The unknown cards that `hand` can hold in at least one way of filling all hands."""
    possible = 0
    if not holes[hand]:
        return possible
    fewer = [hole - (index == hand) for index, hole in enumerate(holes)]
    for suit in Suit:
        of_suit = unknown & allowed[hand] & suit.mask
        one = of_suit & -of_suit
        if one and can_be_dealt(unknown ^ one, fewer, allowed):
            possible |= of_suit
    return possible
