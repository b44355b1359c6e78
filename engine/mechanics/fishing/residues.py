"""The feasible residues of a layout: which imbalances of complementary values fall apart into groups.

A set of items can be captured by v when it splits into groups totalling v each. Pairs {a, v - a} may be
cancelled first, so all that matters is the residue: for each small value s < v / 2 the difference (items of
s) - (items of v - s), and for v / 2 the parity. A residue is feasible when what it leaves over splits. All
feasible residues of a layout are found here as one bitset, without tables.

Three facts keep this small. A group with the large value v - s is filled up by values below s, and a group of
small values by values up to its highest, so the bitset grows one axis, and on it one item, at a time.
Residues total a multiple of v, so while there are fewer than v aces the other residues imply the ace's, and
it needs no axis. And laying cards together makes no more items than there were cards, so two packs stay below
`MAX_BOX`.
"""

from functools import cache
from typing import Final, TypeAlias

Counts: TypeAlias = tuple[int, ...]
"""Items per value: index 0 is value 1. Values past the end have none."""

Axis: TypeAlias = tuple[int, int, int]
"""A small value, its lowest and its highest residue; for v / 2 the residue is its parity."""

Fill: TypeAlias = tuple[int, tuple[tuple[int, int], ...]]
"""A group: copies of the small value (0: one item of the large value instead), then (lower value, copies)."""

MAX_VALUE: Final = 13
MAX_ITEMS: Final = 104
MAX_BOX: Final = 1_800_000
"""Residues in the largest box. For v = 13 there are five axes besides the ace's; of two packs, at most 80
cards lie on them, and aces laid together make four twos more: at most ((84 + 5) / 5) ** 5. A smaller v has
fewer axes."""


class Residues:
    """The feasible residues in a box: bit i of `bits` is the residue with index i; the last axis counts most.

    Where the ace is `implied`, its residue is minus the total of the others, modulo the value, and `lower` is
    the box without its last axis, as bitsets by total modulo the value.
    """

    __slots__ = ("axes", "bits", "implied", "lower", "value")

    def __init__(self, value: int, axes: tuple[Axis, ...], bits: int, lower: tuple[int, ...], *, implied: bool) -> None:
        self.value = value
        self.axes = axes
        self.bits = bits
        self.lower = lower
        self.implied = implied

    @property
    def size(self) -> int:
        """Residues in the box, feasible or not."""
        return box_size(self.axes)

    def holds(self, items: Counts) -> bool:
        """Whether items (index = value) of the layout the box was made for have a feasible residue."""
        index, stride, total = 0, 1, 0
        for small, low, high in self.axes:
            large = self.value - small
            residue = items[small] % 2 if small == large else items[small] - items[large]
            if not low <= residue <= high:
                return False
            index += (residue - low) * stride
            stride *= high - low + 1
            total += small * residue
        if self.implied and items[1] - items[self.value - 1] != -total % self.value:
            return False
        return bool(self.bits >> index & 1)


def indexed(counts: Counts, value: int) -> Counts:
    """The counts with index = value, 0 to 13.

    Raises:
        ValueError: `value` is not 1 to 13, there are counts for values above 13 or below 0, or more than 104
        items.
    """
    if not 1 <= value <= MAX_VALUE or len(counts) > MAX_VALUE:
        raise ValueError(f"values are 1 to {MAX_VALUE}")
    if min(counts, default=0) < 0 or sum(counts) > MAX_ITEMS:
        raise ValueError("counts are 0 or more, and two packs have 104 cards")
    return (0, *counts, *(0,) * (MAX_VALUE - len(counts)))


def box_size(axes: tuple[Axis, ...]) -> int:
    """Residues in a box, feasible or not."""
    size = 1
    for _, low, high in axes:
        size *= high - low + 1
    return size


def residues(counts: Counts, value: int) -> Residues:
    """The feasible residues, for `value`, of every set of these items.

    Raises:
        ValueError: `value` is not 1 to 13, or the box is above `MAX_BOX`: no two packs make such a layout.
    """
    return feasible_residues(indexed(counts, value), value)


def feasible_residues(items: Counts, value: int) -> Residues:
    """The feasible residues of items (index = value), however many.

    Raises:
        ValueError: the box is above `MAX_BOX`.
    """
    axes = _axes(items, value)
    if box_size(axes) > MAX_BOX:
        raise ValueError("more items than two packs can make")
    implied = value > 2 and items[1] < value
    bits, width, start = 1, 1, 0
    lower: tuple[int, ...] = ()
    classes = (1,) + (0,) * (value - 1)
    if axes and axes[0][0] == 1 and value > 2:
        start, width = 1, items[1] + 1
        bits = sum(1 << aces for aces in range(0, width, value))
    for number in range(start, len(axes)):
        small, low, high = axes[number]
        below = axes[:number]
        moves = [
            (copies, dict(parts).get(1, 0), *_shift(parts, below))
            for copies, parts in fills(value, small)
            if all(items[part] >= n for part, n in parts)
        ]
        room = (
            {residue: _room_for_aces(classes, small * residue, items[1]) for residue in range(low, high + 1)}
            if implied
            else {}
        )
        slices = {0: bits}
        for residue in (*range(1, high + 1), *range(-1, low - 1, -1)):
            made = 0
            for copies, aces, mask, by in moves:
                source = residue - copies if copies else residue + 1
                if source in slices and (copies > 0) == (residue > 0):
                    made |= (slices[source] & mask & (room[source][aces] if implied else -1)) << by
            slices[residue] = made
        bits = 0
        for residue in range(low, high + 1):
            bits |= slices[residue] << (residue - low) * width
        lower = classes
        if implied and number + 1 < len(axes):
            classes = _widened(classes, axes[number], width)
        width *= high - low + 1
    return Residues(value, axes, bits, lower, implied=implied)


@cache
def fills(value: int, small: int) -> tuple[Fill, ...]:
    """Every group of three or more items totalling `value` in which `small`, or its complement, is decisive.

    That is: the complement with lower values than `small`, or `small` as the highest with no such complement.
    """
    groups: list[Fill] = [(0, parts) for parts in _partitions(small, small - 1)]
    for copies in range(1, value // small + 1):
        groups += [
            (copies, parts)
            for parts in _partitions(value - copies * small, small - 1)
            if copies + sum(n for _, n in parts) > 2
        ]
    if 2 * small == value:
        groups = [fill for fill in groups if fill[0] == 1]
    return tuple(groups)


def _partitions(total: int, highest: int) -> list[tuple[tuple[int, int], ...]]:
    """The multisets of 1..`highest` with this total, as (value, copies) in ascending order."""
    if total == 0:
        return [()]
    if highest == 0:
        return []
    found = []
    for copies in range(total // highest + 1):
        tail = ((highest, copies),) if copies else ()
        found += [head + tail for head in _partitions(total - copies * highest, highest - 1)]
    return found


def _axes(items: Counts, value: int) -> tuple[Axis, ...]:
    """The axes of the values there are items of, the lowest first.

    A large value needs lower small ones for the rest of its group, which bounds how many can be left over.
    """
    axes: list[Axis] = []
    room = 0
    for small in range(1, value // 2 + 1):
        large = value - small
        if small == large:
            low, high = 0, min(1, items[small])
        else:
            low, high = -min(items[large], room // small), items[small]
            room += small * items[small]
        if (items[small] or items[large]) and not (small == 1 < large and items[1] < value):
            axes.append((small, low, high))
    return tuple(axes)


def _room_for_aces(classes: tuple[int, ...], total: int, aces: int) -> tuple[int, ...]:
    """By aces still to be added: the residues whose implied ace leaves room for them.

    Args:
        classes: the residues of a box by their total modulo the value.
        total: what the axes outside that box total.
        aces: how many there are.
    """
    masks = [0] * (aces + 1)
    mask = 0
    for implied in range(aces + 1):
        mask |= classes[(-implied - total) % len(classes)]
        masks[aces - implied] = mask
    return tuple(masks)


def _shift(parts: tuple[tuple[int, int], ...], axes: tuple[Axis, ...]) -> tuple[int, int]:
    """What adding items does to a box: the residues that stay within, and how their index grows."""
    copies = dict(parts)
    mask, width, by = 1, 1, 0
    for small, low, high in axes:
        added = copies.get(small, 0)
        by += added * width
        mask = repeated(mask, width, high - low + 1 - added)
        width *= high - low + 1
    return mask, by


def repeated(bits: int, width: int, times: int) -> int:
    """`times` copies of `bits`, each `width` apart; 0 when `times` is not positive."""
    if times <= 0:
        return 0
    made, result = 1, bits
    while made < times:
        more = min(made, times - made)
        result |= (result & ((1 << more * width) - 1)) << made * width
        made += more
    return result


def _widened(classes: tuple[int, ...], axis: Axis, width: int) -> tuple[int, ...]:
    """The residues of a box by their total, modulo the number of classes, with one more axis."""
    small, low, high = axis
    value = len(classes)
    return tuple(
        sum(classes[(total - small * residue) % value] << (residue - low) * width for residue in range(low, high + 1))
        for total in range(value)
    )
