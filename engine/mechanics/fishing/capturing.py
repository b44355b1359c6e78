"""What a card can capture, and what can be built with it, as families of item sets."""

from collections.abc import Callable
from typing import Final, TypeAlias

from .families import Family, Layout, Level, Required, Step, Take, counts_of
from .maximal import undominated
from .residues import MAX_VALUE, Axis, Counts, Residues, feasible_residues, indexed, residues
from .sums import reachable, splits

MAX_EDGES: Final = 100_000
"""Edges of the largest automaton of captures. Two whole packs need 31,188 for v = 13, and no layout of theirs
that a search found needs more; those that do are not laid out of two packs."""

MOST_IN_COMMON: Final = 10
"""The highest value for which the automaton with one more card of every value stays within bounds."""

Row: TypeAlias = tuple[Axis, tuple[tuple[int, ...], ...]]
"""An axis, and by node and residue of it the next row's node or -1."""


def captures(layout: Layout, value: int, *, required: Required = None, without: tuple[Take, ...] = ()) -> Family:
    """Everything a card of this value can capture: the sets that fall apart into groups of `value`.

    >>> family = captures(((), (1,), (), (1, 1), (), (2,), (), (1,)), 10)
    >>> family.total, family.shapes
    (8, 6)
    >>> family.list_sets(2)[0]
    (((2, 0, 1), (8, 0, 1)), ((4, 0, 1), (6, 0, 1)))

    Args:
        layout: what may be added up; builds and tricks are kinds of their value.
        value: the card's.
        required: value and kind of which something must be taken, or several such pairs.
        without: sets that are left out.

    Raises:
        ValueError: `value` is not 1 to 13, the required kind is not there, or two packs do not make the layout.
    """
    items = indexed(counts_of(layout), value)
    feasible = residues(items[1:], value)
    levels = _capture_levels(feasible, feasible.bits, items, 0)
    return Family(f"captures {value}", layout, levels, required, without)


def maximal_captures(layout: Layout, value: int, *, required: Required = None) -> Family:
    """The captures that no other capture contains. Arguments and errors as for `captures`."""
    items = indexed(counts_of(layout), value)
    feasible = residues(items[1:], value)
    levels = [
        (
            first,
            second,
            tuple(step for step in steps if _is_full(step[1:], (first, second), items, value)),
            nodes,
        )
        for first, second, steps, nodes in _capture_levels(feasible, undominated(feasible, items), items, 0)
    ]
    return Family(f"maximal {value}", layout, tuple(levels), required)


def is_maximal(counts: Counts, claim: Counts, value: int) -> bool:
    """Whether a claim is a capture that no other capture of a layout with these counts contains.

    Raises:
        ValueError: `value` is not 1 to 13, or no two packs make such a layout.
    """
    items, taken = indexed(counts, value), indexed(claim, value)
    if any(n > most for n, most in zip(taken, items, strict=True)) or not splits(claim, value):
        return False
    pairs = [(small, _partner(small, value)) for small in range(1, value // 2 + 1)]
    if not all(_is_full((taken[a], taken[b]), (a, b), items, value) for a, b in (*pairs, (value, 0))):
        return False
    feasible = residues(counts, value)
    return Residues(value, feasible.axes, undominated(feasible, items), (), implied=feasible.implied).holds(taken)


def groups(layout: Layout, total: int, *, required: Required = None, without: tuple[Take, ...] = ()) -> Family:
    """The sets that total exactly `total`: single groups. Arguments and errors as for `captures`."""
    items = indexed(counts_of(layout), total)
    return Family(f"groups {total}", layout, _group_levels(items, total), required, without)


def builds(layout: Layout, played: int, value: int, *, groups_made: int = 1) -> Family:
    """The open cards that may be laid together with a card of value `played` into a build of `value`.

    Args:
        layout: the open cards.
        played: value of the card played, at most `value`.
        value: the build's.
        groups_made: 1 for a single build, 2 for a double one, 0 for any number.

    Raises:
        ValueError: a value is not 1 to 13, `played` is above `value`, or no two packs make such a layout.
    """
    items = indexed(counts_of(layout), value)
    if not 1 <= played <= value:
        raise ValueError("the card played is not 1 to the value of the build")
    name = f"builds {played} {value} {groups_made}"
    if groups_made == 0:
        feasible = residues((*items[1:played], items[played] + 1, *items[played + 1 :]), value)
        return Family(name, layout, _capture_levels(feasible, feasible.bits, items, played))
    if groups_made == 1 or played == value:
        return Family(name, layout, _group_levels(items, groups_made * value - played))
    return Family(name, layout, _double_levels(items, value, 2 * value - played))


def any_builds(layout: Layout, value: int) -> Callable[[int], Family]:
    """The builds of any number of groups, by the value of the card played; what they have in common is made once.

    Raises:
        ValueError: `value` is not 1 to 10, or no two packs make such a layout.
    """
    items = indexed(counts_of(layout), value)
    if value > MOST_IN_COMMON:
        raise ValueError(f"only builds up to {MOST_IN_COMMON} have their automaton in common")
    feasible = feasible_residues(tuple(n + (1 <= number < value) for number, n in enumerate(items)), value)
    rows = _automaton(feasible, feasible.bits, items[1] + 1)

    def with_card(played: int) -> Family:
        return Family(f"builds {played} {value} 0", layout, _levels(rows, value, items, played))

    return with_card


def _capture_levels(feasible: Residues, bits: int, items: Counts, played: int) -> tuple[Level, ...]:
    """The automaton of the sets whose residue, a card of value `played` added (0: none), is among `bits`."""
    rows = _automaton(feasible, bits, items[1] + (played == 1))
    return _levels(rows, feasible.value, items, played)


def _automaton(feasible: Residues, bits: int, aces: int) -> list[Row]:
    """The residues among `bits`, axis by axis.

    A node is what remains of the bitset and, where it implies the ace, the total so far modulo the value.
    """
    value = feasible.value
    rows: list[Row] = []
    states = [(bits, 0)]
    edges = 0
    width = feasible.size
    for axis in reversed(feasible.axes):
        small, low, high = axis
        width //= high - low + 1
        mask = (1 << width) - 1
        after: dict[tuple[int, int], int] = {}
        nodes = []
        for rest, total in states:
            left, node = rest, []
            for residue in range(low, high + 1):
                part = left & mask
                left >>= width
                child = -1
                if part:
                    key = (part, (total + small * residue) % value if feasible.implied else 0)
                    child = after.get(key, -1)
                    if child < 0:
                        child = after[key] = len(after)
                node.append(child)
            nodes.append(tuple(node))
        edges += len(nodes) * (high - low + 1)
        if edges > MAX_EDGES:
            raise ValueError("more items than two packs can make")
        rows.append((axis, tuple(nodes)))
        states = list(after)
    if feasible.implied:
        last = [tuple(-(edge != -total % value) for edge in range(aces + 1)) for _, total in states]
        rows.append(((1, 0, aces), tuple(last)))
    return rows


def _levels(rows: list[Row], value: int, items: Counts, played: int) -> tuple[Level, ...]:
    """What can be taken of the items, a card of value `played` being laid to it, at each row of the automaton."""
    levels = [(axis[0], _partner(axis[0], value), _steps(axis, value, items, played), nodes) for axis, nodes in rows]
    return (*levels, (value, 0, tuple((0, n, 0) for n in range(items[value] + 1)), ((0,),)))


def _partner(small: int, value: int) -> int:
    """The complement of a small value, 0 where that is itself."""
    return value - small if 2 * small != value else 0


def _steps(axis: Axis, value: int, items: Counts, played: int) -> tuple[Step, ...]:
    """What can be taken of a small value and its complement, with the edge for the residue that makes."""
    small, low, high = axis
    large = _partner(small, value)
    more = (played == small) - (0 < large == played)
    steps = [
        ((a + more) % 2 if large == 0 else a - b + more - low, a, b)
        for a in range(items[small] + 1)
        for b in range(items[large] + 1)
    ]
    return tuple(step for step in steps if 0 <= step[0] <= high - low)


def _is_full(taken: tuple[int, int], values: tuple[int, int], items: Counts, value: int) -> bool:
    """Whether neither a pair nor an item of the value itself could still join."""
    (a, b), (first, second) = taken, values
    if first == value:
        return a == items[value]
    if second == 0:
        return a >= items[first] - 1
    return a == items[first] or b == items[second]


def _group_levels(items: Counts, total: int) -> tuple[Level, ...]:
    """The automaton of the sets with this total; a node is what it still lacks."""
    levels: list[Level] = []
    lacking = [total]
    for value in range(min(total, MAX_VALUE), 0, -1):
        taken = range(min(items[value], total // value) + 1)
        below = reachable(items[1:value])
        after: dict[int, int] = {}
        nodes = tuple(
            tuple(
                after.setdefault(left - n * value, len(after))
                if left >= n * value and below >> left - n * value & 1
                else -1
                for n in taken
            )
            for left in lacking
        )
        levels.append((value, 0, tuple((n, n, 0) for n in taken), nodes))
        lacking = list(after)
    return tuple(levels)


def _double_levels(items: Counts, value: int, total: int) -> tuple[Level, ...]:
    """The automaton of the sets with this total, below twice `value`, of which a part totals `value`.

    A node is what the total still lacks and which totals its parts make, of those that lower values can still bring
    to `value`.
    """
    levels: list[Level] = []
    whole = (2 << total) - 1
    within = (2 << value) - 1
    sums = [1]
    for number in range(1, value):
        made = sums[-1]
        for _ in range(min(items[number], total // number)):
            made |= made << number & whole
        sums.append(made)
    states = [(total, 1)]
    for number in range(value, 0, -1):
        most = min(items[number], total // number)
        below = sums[number - 1]
        useful = sum(1 << value - made for made in range(value + 1) if below >> made & 1)
        after: dict[tuple[int, int], int] = {}
        nodes = []
        for lacking, parts in states:
            left, made = lacking, parts
            node = []
            for _ in range(min(most, lacking // number) + 1):
                kept = made & useful
                node.append(after.setdefault((left, kept), len(after)) if kept and below >> left & 1 else -1)
                left -= number
                made = (made | made << number) & within
            nodes.append((*node, *(-1,) * (most + 1 - len(node))))
        levels.append((number, 0, tuple((n, n, 0) for n in range(most + 1)), tuple(nodes)))
        states = list(after)
    return tuple(levels)
