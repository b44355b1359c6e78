"""What items add up to: the totals a layout reaches, and whether a claim falls apart into groups."""

from functools import cache
from typing import TypeAlias

from .residues import MAX_VALUE, Counts, fills, indexed, residues

Group: TypeAlias = tuple[int, ...]
"""The values of one group, the highest first."""


def reachable(counts: Counts) -> int:
    """The totals up to 13 that some of these items make, as a bitset; bit v: a card of v can capture.

    Bit 0 is always set. At most 13 steps a value, whatever the counts.

    >>> [value for value in range(1, 14) if reachable((0, 2, 0, 1)) >> value & 1]
    [2, 4, 6, 8]
    """
    totals = 1
    for number, copies in enumerate(counts, 1):
        for _ in range(min(copies, MAX_VALUE // number)):
            totals |= totals << number
    return totals & ((2 << MAX_VALUE) - 1)


def splits(claim: Counts, value: int) -> bool:
    """Whether the items, all of them, fall apart into one or more groups that total `value` each.

    False for no items, for an item above `value` and for a total that is no multiple of it. With a total of
    `value`, or of twice that, there are one or two groups: a single capture, a double build.

    >>> splits((0, 1, 0, 2, 0, 2, 0, 1), 10), splits((0, 0, 0, 0, 0, 0, 5, 0, 0, 1), 5)
    (True, False)

    Raises:
        ValueError: `value` is not 1 to 13, or no two packs make so many items.
    """
    items = indexed(claim, value)
    rest = _uncancelled(items, value)
    total = sum(number * copies for number, copies in enumerate(rest))
    if not any(items) or any(items[value + 1 :]) or total % value:
        return False
    if total <= value:
        return True
    if total == 2 * value:
        return bool(reachable(rest[1:]) >> value & 1)
    return residues(rest[1:], value).holds(rest)


def partition(claim: Counts, value: int) -> tuple[Group, ...]:
    """One way to split a claim into groups, always the same; () when there is none.

    >>> partition((0, 1, 0, 2, 0, 2, 0, 1), 10)
    ((8, 2), (6, 4), (6, 4))

    Raises:
        ValueError: as `splits`.
    """
    if not splits(claim, value):
        return ()
    items = indexed(claim, value)
    groups: list[Group] = [(value,)] * items[value]
    for small in range(1, value // 2 + 1):
        large = value - small
        pairs = items[small] // 2 if small == large else min(items[small], items[large])
        groups += [(large, small)] * pairs
    rest = _uncancelled(items, value)
    feasible = residues(rest[1:], value)
    for group in _larger_groups(value):
        while len(group) <= sum(rest):
            left = list(rest)
            for number in group:
                left[number] -= 1
            if min(left) < 0 or not feasible.holds(tuple(left)):
                break
            groups.append(group)
            rest = tuple(left)
    return tuple(sorted(groups, reverse=True))


def _uncancelled(items: Counts, value: int) -> Counts:
    """The items (index = value) without those of `value` and without complementary pairs.

    Cancelling is safe: a group with a and one with v - a can be regrouped as that pair and a group of all the
    rest.
    """
    rest = list(items)
    rest[value] = 0
    for small in range(1, value // 2 + 1):
        large = value - small
        if small == large:
            rest[small] %= 2
        else:
            pairs = min(rest[small], rest[large])
            rest[small] -= pairs
            rest[large] -= pairs
    return tuple(rest)


@cache
def _larger_groups(value: int) -> tuple[Group, ...]:
    """Every group of three or more items totalling `value`."""
    groups = []
    for small in range(1, value // 2 + 1):
        for copies, parts in fills(value, small):
            head = (small,) * copies if copies else (value - small,)
            groups.append(head + tuple(part for part, n in reversed(parts) for _ in range(n)))
    return tuple(sorted(groups, reverse=True))
