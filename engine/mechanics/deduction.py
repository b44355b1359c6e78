"""What is known of hidden hands: which cards each can hold, when the rest must be somewhere."""

from collections.abc import Sequence

from ..cards import WHOLE_PACK, Suit
from ..moves import Hand
from ..native import i64
from .cardsets import count, set_of
from .trick import SEATS, Trick
from .tricks import voids_in


def can_be_dealt(unknown: i64, holes: Sequence[int], allowed: Sequence[int]) -> bool:
    """Whether the unknown cards can fill the hands exactly: hand *h* takes ``holes[h]`` cards out of ``allowed[h]``.

    By Hall's theorem: no group of hands needs more cards than are allowed to any of them.

    >>> spades, hearts = Suit("S").mask, Suit("H").mask
    >>> can_be_dealt(spades | hearts, (13, 13), (spades, spades | hearts))
    True
    >>> can_be_dealt(spades | hearts, (14, 12), (spades, spades | hearts))
    False
    """
    if sum(holes) != count(unknown):
        return False
    groups: list[tuple[i64, i64]] = [(0, 0)]
    for hole, cards in zip(holes, allowed, strict=True):
        if hole:
            groups += [(wanted + hole, union | cards) for wanted, union in groups]
    for wanted, union in groups:  # noqa: SIM110 - compiled, a loop takes a third of the time of a generator
        if wanted > count(union & unknown):
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


class Unseen:
    """What is open about four hands.

    `certain[h]` are the cards that hand *h* is known to hold; the `unknown` cards lie in the hands, `holes[h]` of them
    in hand *h*, out of `allowed[h]`; a suit of `voids[h]` hand *h* has not.
    """

    __slots__ = ("allowed", "certain", "holes", "unknown", "voids")

    def __init__(
        self,
        certain: tuple[int, ...],
        unknown: int,
        holes: tuple[int, ...],
        allowed: tuple[int, ...],
        voids: tuple[int, ...],
    ) -> None:
        self.certain = certain
        self.unknown = unknown
        self.holes = holes
        self.allowed = allowed
        self.voids = voids

    def can_be(self) -> bool:
        """Whether the unknown cards can lie as the numbers and voids say."""
        if min(self.holes) < 0 or any(held & void for held, void in zip(self.certain, self.voids, strict=True)):
            return False
        return can_be_dealt(self.unknown, self.holes, self.allowed)

    def may_hold(self, hand: int) -> int:
        """The cards a hand holds or can hold."""
        return self.certain[hand] | possible_cards(self.unknown, self.holes, self.allowed, hand)

    def may_play(self, hand: int, led: Suit | None) -> int:
        """The cards a hand can hold and then rightly play; where nothing need be followed, `led` is None."""
        held = self.may_hold(hand)
        certain = self.certain[hand]
        if led is None:
            return held
        if certain & led.mask:
            return held & led.mask
        playable = held & led.mask
        if certain and self._can_lack(hand, led, 0):
            playable |= certain
        for suit in Suit:
            of_suit = held & ~certain & suit.mask
            if suit is not led and of_suit and self._can_lack(hand, led, of_suit & -of_suit):
                playable |= of_suit
        return playable

    def _can_lack(self, hand: int, led: Suit, played: int) -> bool:
        """Whether a hand can be without the led suit, `played` being one of the unknown cards it holds, or 0."""
        unknown = self.unknown & ~played
        holes = [hole - (index == hand and played > 0) for index, hole in enumerate(self.holes)]
        allowed = [unknown & cards for cards in self.allowed]
        allowed[hand] &= ~led.mask
        return can_be_dealt(unknown, holes, allowed)


def unseen(
    hands: Sequence[Hand], tricks: Sequence[Trick], *, must_follow: bool = True, placed: Sequence[int] = (0,) * SEATS
) -> Unseen:
    """What is open about hands from the 52 cards. `placed[h]` are cards known to lie in hand *h* though not listed."""
    certain = tuple([set_of(hand.cards) | placed[index] for index, hand in enumerate(hands)])
    unknown = WHOLE_PACK
    for trick in tricks:
        unknown &= ~set_of(trick.cards)
    for held in certain:
        unknown &= ~held
    voids = tuple(voids_in(tricks)) if must_follow else (0,) * SEATS
    holes = tuple(len(hand) - count(certain[index]) for index, hand in enumerate(hands))
    return Unseen(certain, unknown, holes, tuple(unknown & ~void for void in voids), voids)
