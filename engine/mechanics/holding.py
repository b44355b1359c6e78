"""What a hand holds, must hold and cannot hold, by value: for holding cards of builds, and for forced capture.

A hand is seen whole, or partly. Of one that is not seen, `Facts` are what the moves of its seat prove; a move of it is
possible when the unknown cards can lie so that every hand agrees with its facts and this hand allows the move. That
is decided exactly: suits play no part, so that it is a matter of filling holes with values.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from ..cards import Card, in_order
from ..moves import Hand
from .layout import HIGHEST_PICTURE, value_of

Needs = Mapping[int, int]
"""How many cards of a value, at least."""

NO_NEEDS: Final[Needs] = {}


class Facts:
    """What is proved of the cards a hand still holds since it was dealt; never changed.

    `never` has the values it cannot hold, as bits; `holds` says how many it surely holds of a value.
    """

    __slots__ = ("holds", "never")

    def __init__(self, never: int = 0, holds: Needs = NO_NEEDS) -> None:
        self.never = never
        self.holds = holds

    def after(self, played: int, keeps: Needs, lacked: int) -> "Facts":
        """The facts once a card of value `played` was played by a move that proves two things.

        Args:
            played: the card's value.
            keeps: what the hand must hold after it.
            lacked: the values the hand did not hold before it, as bits.
        """
        holds = {value: number - (value == played) for value, number in self.holds.items()}
        for value, number in keeps.items():
            holds[value] = max(number, holds.get(value, 0))
        return Facts(self.never | lacked, {value: number for value, number in holds.items() if number > 0})


class Holder(Protocol):
    """The hand that is to play, as far as it is known."""

    def playable(self) -> tuple[Card, ...]:
        """The cards it may hold, each once, in the order of a hand."""

    def may(self, card: Card, needs: Needs = NO_NEEDS, lacks: int = 0) -> bool:
        """Whether it may hold the card, after it so many cards of some values, and none of others with it."""


class Known:
    """A hand that is seen whole."""

    __slots__ = ("_cards",)

    def __init__(self, cards: tuple[Card, ...]) -> None:
        self._cards = cards

    def playable(self) -> tuple[Card, ...]:
        """The cards it holds, each once."""
        return in_order(set(self._cards))

    def may(self, card: Card, needs: Needs = NO_NEEDS, lacks: int = 0) -> bool:
        """Whether it holds the card, after it these, and none of those."""
        held = Counter(map(value_of, self._cards))
        if card not in self._cards or any(lacks >> value & 1 for value in held):
            return False
        held[value_of(card)] -= 1
        return all(held[value] >= number for value, number in needs.items())


class Covered:
    """A hand of which some cards are hidden, among hands of which some are.

    Args:
        hands: all hands, as the viewer sees them.
        index: the hand that is to play.
        unknown: the cards whose place is not known; those that no hand takes lie elsewhere.
        facts: what is proved of each hand.
    """

    __slots__ = ("_answers", "_facts", "_hands", "_index", "_unknown")

    def __init__(self, hands: Sequence[Hand], index: int, unknown: Counter[Card], facts: Sequence[Facts]) -> None:
        self._hands = hands
        self._index = index
        self._unknown = unknown
        self._facts = facts
        self._answers: dict[tuple[object, ...], bool] = {}

    def fits(self) -> bool:
        """Whether the unknown cards can lie as all the facts say."""
        return self._fits(self._hands[self._index].hidden, self._facts[self._index], self._known(), None)

    def playable(self) -> tuple[Card, ...]:
        """The cards it may hold, each once."""
        hand = self._hands[self._index]
        possible = {value: self.may(card) for value, card in self._one_of_each_value().items()}
        unseen = {card for card, number in self._unknown.items() if number > 0 and possible[value_of(card)]}
        return in_order({*hand.cards, *unseen})

    def may(self, card: Card, needs: Needs = NO_NEEDS, lacks: int = 0) -> bool:
        """Whether some way the unknown cards can lie has it hold the card, after it these, and none of those."""
        value = value_of(card)
        hand = self._hands[self._index]
        shown = card in hand.cards
        if not shown and (not hand.hidden or self._unknown[card] < 1 or self._facts[self._index].never >> value & 1):
            return False
        asked = (value, shown, lacks, *sorted(needs.items()))
        if asked not in self._answers:
            self._answers[asked] = self._may_hold(value, needs, lacks, shown=shown)
        return self._answers[asked]

    def _may_hold(self, value: int, needs: Needs, lacks: int, *, shown: bool) -> bool:
        """What `may` says of every card of a value that is shown in the hand, or of every one that is unknown."""
        facts = self._facts[self._index]
        known = self._known()
        holes = self._hands[self._index].hidden
        out = None
        if not shown:
            holes -= 1
            out = value
        elif known[value] > 0:
            known[value] -= 1
        if lacks >> value & 1 or any(lacks >> number & 1 for number, copies in known.items() if copies):
            return False
        return self._fits(holes, facts.after(value, needs, lacks), known, out)

    def _known(self) -> Counter[int]:
        return Counter(map(value_of, self._hands[self._index].cards))

    def _one_of_each_value(self) -> dict[int, Card]:
        return {value_of(card): card for card, number in self._unknown.items() if number > 0}

    def _fits(self, holes: int, facts: Facts, known: Counter[int], out: int | None) -> bool:
        """Whether the holes can be filled: this hand's with these facts, the others' with theirs; `out` is gone."""
        if not facts.never and not facts.holds and not any(other.never or other.holds for other in self._facts):
            return True
        unknown = [0] * (HIGHEST_PICTURE + 1)
        for card, number in self._unknown.items():
            unknown[value_of(card)] += number
        if out is not None:
            unknown[out] -= 1
        wanted: list[tuple[int, Facts, Mapping[int, int]]] = [(holes, facts, known)]
        wanted += [
            (hand.hidden, self._facts[index], Counter(map(value_of, hand.cards)) if hand.cards else NO_NEEDS)
            for index, hand in enumerate(self._hands)
            if index != self._index
        ]
        return can_be_filled(unknown, wanted)


def can_be_filled(unknown: Sequence[int], hands: Sequence[tuple[int, Facts, Mapping[int, int]]]) -> bool:
    """Whether unknown cards, numbers by value, can fill the hands' holes as the facts say; the rest lie elsewhere.

    Args:
        unknown: how many cards of each value are unknown, index = value.
        hands: each hand's holes, its facts, and how many cards of each value are known to be in it.
    """
    left = list(unknown)
    holes = []
    for number, facts, known in hands:
        if not facts.holds:
            holes.append(number)
            continue
        lacking = {value: copies - known.get(value, 0) for value, copies in facts.holds.items()}
        lacking = {value: copies for value, copies in lacking.items() if copies > 0}
        if any(facts.never >> value & 1 for value in lacking):
            return False
        for value, copies in lacking.items():
            left[value] -= copies
        holes.append(number - sum(lacking.values()))
    if min(left) < 0 or min(holes, default=0) < 0 or sum(holes) > sum(left):
        return False
    there = sum(1 << value for value, copies in enumerate(left) if copies)
    bound: Counter[int] = Counter()
    for number, (_, facts, _) in zip(holes, hands, strict=True):
        if number and facts.never & there:
            bound[facts.never & there] += number
    return _filled(left, [(number, never) for never, number in bound.items()])


def _filled(left: Sequence[int], bound: Sequence[tuple[int, int]]) -> bool:
    """Whether hands that cannot hold some values can be filled, by augmenting paths from each hole."""
    given = [[0] * len(left) for _ in bound]
    used = [0] * len(left)

    def place(hand: int, tried: int) -> int:
        """Fills a hole of the hand, moving other cards where need be; the values tried, or -1 once it is filled."""
        never = bound[hand][1]
        for value in range(len(left)):
            if never >> value & 1 or tried >> value & 1:
                continue
            tried |= 1 << value
            if used[value] < left[value]:
                used[value] += 1
                given[hand][value] += 1
                return -1
            for other in range(len(bound)):
                if not given[other][value] or other == hand:
                    continue
                tried = place(other, tried)
                if tried < 0:
                    given[other][value] -= 1
                    given[hand][value] += 1
                    return -1
        return tried

    return all(place(hand, 0) < 0 for hand, (holes, _) in enumerate(bound) for _ in range(holes))
