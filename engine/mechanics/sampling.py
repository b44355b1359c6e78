"""Hidden cards laid at random where they can lie, each way of laying them as likely as the next.

Cards are of kinds (suits, or values), and boxes (hands, a stock) take so many cards, of some kinds only, and of some at
least so many. How many cards of each kind go to each box is drawn by how many ways there are of laying them so; which
cards they are is then a shuffle. Where the ways are too many to be counted, a long walk of exchanges takes the place of
counting: it favours no way in the long run, and is said not to be exact.
"""

from collections.abc import Hashable, Mapping, Sequence
from math import comb
from typing import Final, Generic, TypeVar

from ..rng import Stream

T = TypeVar("T", bound=Hashable)
MOST_SPLITS: Final = 20_000
"""How many ways of sharing cards of one kind are looked at before counting is given up."""
EXCHANGES: Final = 60
"""For each card, how many exchanges a walk tries."""


class Box:
    """What takes `size` cards: none of the kinds `never`, and of some kinds at least so many."""

    __slots__ = ("least", "never", "size")

    def __init__(self, size: int, never: frozenset[int] = frozenset(), least: Mapping[int, int] | None = None) -> None:
        self.size = size
        self.never = never
        self.least = {kind: number for kind, number in (least or {}).items() if number > 0}

    @property
    def is_like_others(self) -> tuple[int, ...] | None:
        """What other boxes must have in common with it to be filled together; None where it stands alone."""
        return None if self.least else tuple(sorted(self.never))

    def takes(self, kind: int, number: int) -> bool:
        """Whether so many cards of a kind may lie in it."""
        return number >= self.least.get(kind, 0) and (not number or kind not in self.never)


class Layer(Generic[T]):
    """Lays the same cards again and again; `exact` says whether every way is exactly as likely as any other."""

    def __init__(self, cards: Mapping[int, Sequence[T]], boxes: Sequence[Box]) -> None:
        """ValueError where the cards cannot lie so. `cards` are by kind; the boxes take all of them."""
        self._cards = {kind: tuple(held) for kind, held in sorted(cards.items()) if held}
        self._kinds = tuple(self._cards)
        self._boxes = tuple(boxes)
        self._groups = _grouped(boxes)
        self._merged = tuple(
            Box(sum(boxes[index].size for index in group), boxes[group[0]].never, boxes[group[0]].least)
            for group in self._groups
        )
        total = sum(map(len, self._cards.values()))
        if total != sum(box.size for box in boxes) or any(box.size < 0 for box in boxes):
            raise ValueError("the boxes do not take all of the cards")
        self._ways: dict[tuple[int, tuple[int, ...]], int] = {}
        self._choices: dict[tuple[int, tuple[int, ...]], list[tuple[tuple[int, ...], int]]] = {}
        self._splits_looked_at = 0
        self.exact = True
        try:
            if not self._count(0, tuple(box.size for box in self._merged)):
                raise ValueError("the cards cannot lie so")
        except _TooMany:
            self.exact = False
            self._ways.clear()
            self._choices.clear()
            self._start = _feasible({kind: len(held) for kind, held in self._cards.items()}, self._merged)

    def lay(self, stream: Stream) -> list[list[T]]:
        """The cards of each box, in random order."""
        filled = self._drawn(stream) if self.exact else self._walked(stream)
        boxes: list[list[T]] = [[] for _ in self._boxes]
        for group, cards in zip(self._groups, filled, strict=True):
            left = list(stream.shuffled(cards))
            for index in group:
                size = self._boxes[index].size
                boxes[index] = left[:size]
                del left[:size]
        return boxes

    # --- by counting

    def _count(self, at: int, left: tuple[int, ...]) -> int:
        """In how many ways the kinds from the `at`-th on fill what is left of the boxes."""
        if at == len(self._kinds):
            return 1
        key = (at, left)
        if key not in self._ways:
            choices = []
            number = len(self._cards[self._kinds[at]])
            for split, ways in self._splits(self._kinds[at], number, left, 0):
                after = tuple(size - taken for size, taken in zip(left, split, strict=True))
                rest = self._count(at + 1, after)
                if rest:
                    choices.append((split, ways * rest))
            self._ways[key] = sum(ways for _, ways in choices)
            self._choices[key] = choices
        return self._ways[key]

    def _splits(self, kind: int, number: int, left: tuple[int, ...], box: int) -> Sequence[tuple[tuple[int, ...], int]]:
        """How cards of one kind can be shared among the boxes from `box` on, and in how many ways each."""
        if box == len(left) - 1:
            fits = number <= left[box] and self._merged[box].takes(kind, number)
            return [((number,), 1)] if fits else []
        found = []
        for taken in range(min(number, left[box]) + 1):
            if not self._merged[box].takes(kind, taken):
                continue
            ways = comb(number, taken)
            for split, others in self._splits(kind, number - taken, left, box + 1):
                found.append(((taken, *split), ways * others))
        self._splits_looked_at += len(found)
        if self._splits_looked_at > MOST_SPLITS:
            raise _TooMany
        return found

    def _drawn(self, stream: Stream) -> list[list[T]]:
        filled: list[list[T]] = [[] for _ in self._merged]
        left = tuple(box.size for box in self._merged)
        for at, kind in enumerate(self._kinds):
            split = _chosen(stream, self._choices[at, left])
            cards = list(stream.shuffled(self._cards[kind]))
            for box, taken in enumerate(split):
                filled[box] += cards[:taken]
                del cards[:taken]
            left = tuple(size - taken for size, taken in zip(left, split, strict=True))
        return filled

    # --- by walking

    def _walked(self, stream: Stream) -> list[list[T]]:
        """From one way of laying the cards, by exchanges of two cards at random that keep every box right."""
        held = {kind: list(stream.shuffled(cards)) for kind, cards in self._cards.items()}
        filled = [
            [(kind, held[kind].pop()) for kind, number in counts.items() for _ in range(number)]
            for counts in self._start
        ]
        places = [(box, position) for box, cards in enumerate(filled) for position in range(len(cards))]
        numbers = [dict(counts) for counts in self._start]
        for _ in range(EXCHANGES * len(places)):
            one, at = places[stream.below(len(places))]
            other, there = places[stream.below(len(places))]
            if one == other:
                continue
            kind, kind_there = filled[one][at][0], filled[other][there][0]
            if kind != kind_there:
                if not self._may_swap(numbers, one, kind, kind_there) or not self._may_swap(
                    numbers, other, kind_there, kind
                ):
                    continue
                for box, out, into in ((one, kind, kind_there), (other, kind_there, kind)):
                    numbers[box][out] -= 1
                    numbers[box][into] = numbers[box].get(into, 0) + 1
            filled[one][at], filled[other][there] = filled[other][there], filled[one][at]
        return [[card for _, card in cards] for cards in filled]

    def _may_swap(self, numbers: Sequence[Mapping[int, int]], box: int, out: int, into: int) -> bool:
        """Whether a box may give a card of one kind for one of another."""
        its = self._merged[box]
        return numbers[box][out] > its.least.get(out, 0) and into not in its.never


class _TooMany(Exception):  # noqa: N818 - says why counting was given up
    pass


def _grouped(boxes: Sequence[Box]) -> tuple[tuple[int, ...], ...]:
    """The boxes that are alike, to be filled as one; those which must have something stand alone."""
    groups: dict[Hashable, list[int]] = {}
    for index, box in enumerate(boxes):
        like = box.is_like_others
        groups.setdefault(("alone", index) if like is None else like, []).append(index)
    return tuple(map(tuple, groups.values()))


def _chosen(stream: Stream, choices: Sequence[tuple[tuple[int, ...], int]]) -> tuple[int, ...]:
    """One of the choices, each as likely as its ways are many."""
    at = stream.under(sum(ways for _, ways in choices))
    for split, ways in choices:
        at -= ways
        if at < 0:
            return split
    raise AssertionError(choices)


def _feasible(numbers: Mapping[int, int], boxes: Sequence[Box]) -> list[dict[int, int]]:
    """One way of filling the boxes; ValueError where there is none."""
    left = dict(numbers)
    for box in boxes:
        for kind, number in box.least.items():
            left[kind] = left.get(kind, 0) - number
    holes = [box.size - sum(box.least.values()) for box in boxes]
    if min(left.values(), default=0) < 0 or min(holes, default=0) < 0:
        raise ValueError("the cards cannot lie so")
    filling = _Filling(left, boxes)
    if not all(filling.place(at, set()) for at, number in enumerate(holes) for _ in range(number)):
        raise ValueError("the cards cannot lie so")
    return [
        {kind: box.least.get(kind, 0) + more.get(kind, 0) for kind in {*box.least, *more}}
        for box, more in zip(boxes, filling.given, strict=True)
    ]


class _Filling:
    """Boxes being filled, by augmenting paths."""

    def __init__(self, left: dict[int, int], boxes: Sequence[Box]) -> None:
        self.given: list[dict[int, int]] = [{} for _ in boxes]
        self._left = left
        self._boxes = boxes

    def place(self, at: int, tried: set[int]) -> bool:
        """Fills one more hole of a box, moving cards of others where need be."""
        for kind in self._left:
            if kind in self._boxes[at].never or kind in tried:
                continue
            tried.add(kind)
            if self._left[kind] > 0:
                self._left[kind] -= 1
                self._take(at, kind, 1)
                return True
            for other, held in enumerate(self.given):
                if other != at and held.get(kind) and self.place(other, tried):
                    self._take(other, kind, -1)
                    self._take(at, kind, 1)
                    return True
        return False

    def _take(self, at: int, kind: int, number: int) -> None:
        self.given[at][kind] = self.given[at].get(kind, 0) + number
