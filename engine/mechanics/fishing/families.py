"""Families of item sets: counted exactly without being listed, and listed from any position on.

A family is an acyclic automaton. Each level decides how many items of one value, or of two complementary
values, are taken; equal remainders are one node; a path to the end is a *shape*, the numbers taken by value.
The *sets* of a shape are the ways to choose those items among the kinds of each value. Every node knows how
many lie beyond it, so that skipping and listing never walk into a dead end.
"""

import hashlib
import math
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from operator import mul
from typing import Final, TypeAlias

from .residues import MAX_VALUE, Counts

Kinds: TypeAlias = tuple[int, ...]
"""The distinguishable items of one value. n is n equal items, of which any number may be taken; -n is n
alternatives, of which at most one may be."""

Layout: TypeAlias = tuple[Kinds, ...]
"""Kinds by value: index 0 is value 1. Values past the end have none."""

Take: TypeAlias = tuple[tuple[int, int, int], ...]
"""A set of items, ascending: (value, index of the kind, how many of it). Of alternatives, which: 1 to n."""

Required: TypeAlias = tuple[int, int] | tuple[tuple[int, int], ...] | None
"""Value and kind of which something must be taken; or several such pairs."""

Step: TypeAlias = tuple[int, int, int]
"""One choice at a level: the edge to follow, and how many of the first and of the second value are taken."""

Level: TypeAlias = tuple[int, int, tuple[Step, ...], tuple[tuple[int, ...], ...]]
"""First and second value (0: none), the steps in order, and by node and edge the next level's node or -1."""

_CURSOR: Final = re.compile(r"(set|shape)-([0-9a-f]{12})-(0|[1-9a-f][0-9a-f]{0,31})")


class CursorError(ValueError):
    """A cursor that this listing did not give."""


def counts_of(layout: Layout) -> Counts:
    """How many items of each value can be taken together."""
    return tuple(sum(kind if kind > 0 else min(1, -kind) for kind in kinds) for kinds in layout)


def _pairs(required: Required) -> tuple[tuple[int, int], ...]:
    if not required:
        return ()
    return (required,) if isinstance(required[0], int) else required


class _Choices:
    """The ways to take items of one value: first more of an earlier kind, and an earlier alternative."""

    __slots__ = ("_marks", "_ways", "ways")

    def __init__(self, kinds: Kinds, required: tuple[int, ...]) -> None:
        """Counts the ways.

        Args:
            kinds: the items.
            required: indices of the kinds of which something must be taken.
        """
        self._marks = tuple(
            tuple((n, n) for n in range(kind, -1, -1)) if kind > 0 else (*((n + 1, 1) for n in range(-kind)), (0, 0))
            for kind in kinds
        )
        self._marks = tuple(marks[:-1] if index in required else marks for index, marks in enumerate(self._marks))
        ways = [[1]]
        for marks in reversed(self._marks):
            longest = max((cost for _, cost in marks), default=0)
            product = [0] * (len(ways[-1]) + longest)
            for _, cost in marks:
                for taken, n in enumerate(ways[-1]):
                    product[taken + cost] += n
            ways.append(product)
        self._ways = ways[::-1]
        self.ways = self._ways[0]

    def take(self, value: int, count: int, index: int) -> Take:
        """The choice of `count` items at this index."""
        found = []
        for kind, marks in enumerate(self._marks):
            after = self._ways[kind + 1]
            for mark, cost in marks:
                left = count - cost
                n = after[left] if 0 <= left < len(after) else 0
                if index < n:
                    if mark:
                        found.append((value, kind, mark))
                    count = left
                    break
                index -= n
        return tuple(found)

    def find(self, taken: dict[int, int]) -> tuple[int, int]:
        """How many items this choice, marks by kind, takes, and its index.

        Raises:
            KeyError: there is no such choice.
        """
        costs = [dict(marks)[taken.get(kind, 0)] for kind, marks in enumerate(self._marks)]
        if any(not 0 <= kind < len(costs) for kind in taken):
            raise KeyError(taken)
        count, index = sum(costs), 0
        left = count
        for kind, marks in enumerate(self._marks):
            after = self._ways[kind + 1]
            for mark, cost in marks:
                if mark == taken.get(kind, 0):
                    break
                index += after[left - cost] if 0 <= left - cost < len(after) else 0
            left -= costs[kind]
        return count, index


@lru_cache(maxsize=512)
def _choices(kinds: Kinds, required: tuple[int, ...]) -> _Choices:
    return _Choices(kinds, required)


class Family:
    """The sets of items with one property, in a fixed order; the empty set is never among them.

    Shapes are ordered level by level, smaller numbers first, and sets by shape. `total` is the exact number
    of sets.
    """

    __slots__ = (
        "_choices",
        "_dropped",
        "_empty",
        "_levels",
        "_name",
        "_set_counts",
        "_shape_counts",
        "total",
    )

    def __init__(
        self,
        name: str,
        layout: Layout,
        levels: tuple[Level, ...],
        required: Required = None,
        without: tuple[Take, ...] = (),
    ) -> None:
        """Counts the family; `captures` and its kin make them.

        Args:
            name: tells the families of a layout apart, in cursors.
            layout: the items.
            levels: the automaton, from node 0 of the first level to node 0 behind the last. Where it has the
                empty set, that is its first path.
            required: value and kind of which something must be taken, or several such pairs.
            without: sets that are left out where the family has them. Shapes stay.

        Raises:
            ValueError: a required kind is not in the layout.
        """
        needed = _pairs(required)
        for value, kind in needed:
            if not (1 <= value <= len(layout) and 0 <= kind < len(layout[value - 1])):
                raise ValueError("the required kind is not in the layout")
            if all(value not in level[:2] for level in levels):
                levels = ()
        choices = [_choices((), ())] * (MAX_VALUE + 1)
        for value, kinds in enumerate(layout, 1):
            if kinds:
                choices[value] = _choices(kinds, tuple(kind for number, kind in needed if number == value))
        self._choices = tuple(choices)
        self._levels = tuple(
            (first, second, self._possible(first, second, steps), nodes) for first, second, steps, nodes in levels
        )
        self._set_counts = self._counted(weighted=True)
        self._shape_counts: tuple[list[int], ...] = ()
        self._empty = self._has_empty()
        self._name = f"{name} {layout} {required} {without}"
        self._dropped: frozenset[int] = frozenset()
        self._dropped = frozenset(place for place in map(self._place, without) if place >= 0)
        self.total = self._set_counts[0][0] - self._empty - len(self._dropped)

    @property
    def shapes(self) -> int:
        """The number of shapes."""
        return self._counted_shapes()[0][0] - self._empty

    def ways(self, shape: Counts) -> int:
        """How many sets have this shape, which is one of the family's; those left out are counted among them."""
        ways = 1
        for value, count in enumerate(shape, 1):
            ways *= self._choices[value].ways[count]
        return ways

    @property
    def size(self) -> int:
        """Edges and steps of the automaton: what counting costs, and a bound on what listing costs a set."""
        return sum(len(steps) + sum(map(len, nodes)) for _, _, steps, nodes in self._levels)

    def __contains__(self, take: Take) -> bool:
        place = self._place(take)
        return place >= 0 and place not in self._dropped

    def list_sets(self, limit: int, cursor: str = "", room: int | None = None) -> tuple[tuple[Take, ...], str]:
        """At most `limit` sets from the cursor on, and the cursor of the next, "" at the end.

        Args:
            limit: how many sets, at most.
            cursor: where to go on, as an earlier answer gave it.
            room: how many items these sets may have together; the set that exceeds it is the last.

        Raises:
            CursorError: this listing did not give that cursor.
        """
        place = self._start("set", cursor, self._set_counts[0][0])
        found: list[Take] = []
        made: dict[tuple[int, int, int], Take] = {}
        left: float = math.inf if room is None else room
        chosen = [0] * (MAX_VALUE + 1)
        for ways, skipped in self._walk(0, 0, 1, place, chosen, self._set_counts):
            items = sum(chosen)
            for index in range(skipped, ways):
                if place not in self._dropped:
                    if len(found) >= limit or left <= 0:
                        return tuple(found), f"set-{self._stamp()}-{place:x}"
                    found.append(self._take(chosen, index, made))
                    left -= items
                place += 1
        return tuple(found), ""

    def list_shapes(self, limit: int, cursor: str = "") -> tuple[tuple[Counts, ...], str]:
        """At most `limit` shapes (13 counts) from the cursor on, and the cursor of the next, "" at the end.

        Raises:
            CursorError: this listing did not give that cursor.
        """
        counts = self._counted_shapes()
        place = self._start("shape", cursor, counts[0][0])
        found: list[Counts] = []
        chosen = [0] * (MAX_VALUE + 1)
        for _ in self._walk(0, 0, 1, place, chosen, counts):
            if len(found) >= limit:
                return tuple(found), f"shape-{self._stamp()}-{place:x}"
            found.append(tuple(chosen[1:]))
            place += 1
        return tuple(found), ""

    def _stamp(self) -> str:
        return hashlib.sha256(self._name.encode()).hexdigest()[:12]

    def _counted_shapes(self) -> tuple[list[int], ...]:
        if not self._shape_counts:
            self._shape_counts = self._counted(weighted=False)
        return self._shape_counts

    def _possible(self, first: int, second: int, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        firsts, seconds = self._choices[first].ways, self._choices[second].ways
        return tuple(step for step in steps if firsts[step[1]] and seconds[step[2]])

    def _counted(self, *, weighted: bool) -> tuple[list[int], ...]:
        """By level and node, how many sets (weighted) or shapes lie beyond; a last 0 for the node -1."""
        counts = [[1, 0]]
        for first, second, steps, nodes in reversed(self._levels):
            weights = [0] * (1 + max((step[0] for step in steps), default=0))
            for edge, a, b in steps:
                weights[edge] += self._choices[first].ways[a] * self._choices[second].ways[b] if weighted else 1
            after = counts[-1]
            beyond = [sum(map(mul, weights, map(after.__getitem__, node))) for node in nodes]
            counts.append([*beyond, 0])
        return tuple(counts[::-1])

    def _has_empty(self) -> int:
        node = 0
        for _, _, steps, nodes in self._levels:
            if not steps or steps[0][1] or steps[0][2]:
                return 0
            node = nodes[node][steps[0][0]]
            if node < 0:
                return 0
        return 1

    def _start(self, tier: str, cursor: str, end: int) -> int:
        if not cursor:
            return self._empty
        match = _CURSOR.fullmatch(cursor)
        if match is None or match[1] != tier or match[2] != self._stamp():
            raise CursorError("the cursor is not of this listing")
        place = int(match[3], 16)
        if not self._empty <= place < end:
            raise CursorError("the cursor is not of this listing")
        return place

    def _walk(
        self,
        number: int,
        node: int,
        ways: int,
        skip: int,
        chosen: list[int],
        counts: tuple[list[int], ...],
    ) -> Iterator[tuple[int, int]]:
        """From the shape on that has place `skip`: ways of the shape and how many of them to skip.

        `chosen` holds the shape, by value, while its ways are looked at.
        """
        if number == len(self._levels):
            if skip < ways:
                yield ways, skip
            return
        first, second, steps, nodes = self._levels[number]
        firsts, seconds = self._choices[first].ways, self._choices[second].ways
        weighted = counts is self._set_counts
        for edge, a, b in steps:
            child = nodes[node][edge]
            each = ways * firsts[a] * seconds[b] if weighted else 1
            beyond = each * counts[number + 1][child]
            if skip >= beyond:
                skip -= beyond
                continue
            chosen[first], chosen[second] = a, b
            yield from self._walk(number + 1, child, each, skip, chosen, counts)
            skip = 0

    def _take(self, chosen: list[int], index: int, made: dict[tuple[int, int, int], Take]) -> Take:
        """The set of this shape at this index; the last level's second value varies fastest. `made` is kept apart."""
        found: list[Take] = [()] * len(chosen)
        for first, second, _, _ in reversed(self._levels):
            for value in (second, first):
                count = chosen[value]
                if count:
                    index, rank = divmod(index, self._choices[value].ways[count])
                    key = value, count, rank
                    if key not in made:
                        made[key] = self._choices[value].take(value, count, rank)
                    found[value] = made[key]
        return tuple(chain.from_iterable(found))

    def _place(self, take: Take) -> int:
        """The place of a set, counting the empty set and what is left out; -1 where it has none."""
        marks: list[dict[int, int]] = [{} for _ in self._choices]
        for value, kind, mark in take:
            if not 1 <= value <= MAX_VALUE or kind in marks[value] or mark < 1:
                return -1
            marks[value][kind] = mark
        try:
            found = [choices.find(taken) for choices, taken in zip(self._choices, marks, strict=True)]
        except KeyError:
            return -1
        place, ways, rank, node = 0, 1, 0, 0
        for number, (first, second, steps, nodes) in enumerate(self._levels):
            firsts, seconds = self._choices[first].ways, self._choices[second].ways
            (a, first_rank), (b, second_rank) = found[first], found[second]
            after = self._set_counts[number + 1]
            for edge, other_a, other_b in steps:
                child = nodes[node][edge]
                if (a, b) == (other_a, other_b):
                    break
                place += ways * firsts[other_a] * seconds[other_b] * after[child]
            else:
                return -1
            if after[child] == 0:
                return -1
            ways *= firsts[a] * seconds[b]
            rank = (rank * firsts[a] + first_rank) * seconds[b] + second_rank
            node = child
            found[first] = found[second] = (0, 0)
        if not take or any(count for count, _ in found):
            return -1
        return place + rank
