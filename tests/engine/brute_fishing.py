"""The plainest model of captures: every set of items, every way to split it. For pots of about ten items."""

from collections.abc import Iterator
from itertools import product

Take = tuple[tuple[int, int, int], ...]


def takes(layout: tuple[tuple[int, ...], ...]) -> Iterator[tuple[Take, tuple[int, ...]]]:
    """Every set of items but the empty one, with its values in ascending order.

    A kind n is n equal items; -n is n alternatives, at most one of which is taken.
    """
    kinds = [(value, index, kind) for value, row in enumerate(layout, 1) for index, kind in enumerate(row) if kind]
    for marks in product(*(range(abs(kind) + 1) for _, _, kind in kinds)):
        take = tuple((value, index, mark) for (value, index, _), mark in zip(kinds, marks, strict=True) if mark)
        values: list[int] = []
        for (value, _, kind), mark in zip(kinds, marks, strict=True):
            values += [value] * (mark if kind > 0 else min(mark, 1))
        if take:
            yield take, tuple(values)


def partitions(values: tuple[int, ...], total: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every way to split the values, all of them, into groups with this total; some come more than once."""
    if not values:
        yield ()
        return
    rest = values[1:]
    for chosen in product((False, True), repeat=len(rest)):
        group = (values[0], *(n for n, is_in in zip(rest, chosen, strict=True) if is_in))
        if sum(group) == total:
            others = tuple(n for n, is_in in zip(rest, chosen, strict=True) if not is_in)
            for more in partitions(others, total):
                yield (group, *more)


def splits(values: tuple[int, ...], total: int) -> bool:
    return bool(values) and sum(values) % total == 0 and any(True for _ in partitions(values, total))


def captures(layout: tuple[tuple[int, ...], ...], value: int) -> set[Take]:
    known: dict[tuple[int, ...], bool] = {}
    found = set()
    for take, values in takes(layout):
        if values not in known:
            known[values] = splits(values, value)
        if known[values]:
            found.add(take)
    return found


def maximal(layout: tuple[tuple[int, ...], ...], found: set[Take]) -> set[Take]:
    """The sets that no other of them contains; one alternative does not contain another."""

    def contains(large: Take, small: Take) -> bool:
        marks = {(value, index): mark for value, index, mark in large}
        return all(
            marks.get((value, index), 0) >= mark if layout[value - 1][index] > 0 else marks.get((value, index)) == mark
            for value, index, mark in small
        )

    return {small for small in found if not any(small != large and contains(large, small) for large in found)}


def groups(layout: tuple[tuple[int, ...], ...], total: int) -> set[Take]:
    return {take for take, values in takes(layout) if sum(values) == total}


def builds(layout: tuple[tuple[int, ...], ...], played: int, value: int, groups_made: int) -> set[Take]:
    """Open cards that with the card played make so many groups of the value; 0: any number of them."""
    known: dict[tuple[int, ...], bool] = {}
    found = set()
    for take, values in takes(layout):
        laid = (played, *values)
        if groups_made and sum(laid) != groups_made * value:
            continue
        if laid not in known:
            known[laid] = splits(laid, value)
        if known[laid]:
            found.add(take)
    return found
