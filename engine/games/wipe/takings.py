"""What a card can take in Le Wipe, by what lies open: cards, builds and the opponents' last tricks, added up.

Everything here is public. What the hand allows, and what its builds oblige to, is `rules`' matter.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from ...cards import Card
from ...game import CaptureShape
from ...mechanics.fishing import Counts, Family, Take, captures, groups, reachable, splits
from ...mechanics.layout import (
    HIGHEST_NUMERAL,
    HIGHEST_PICTURE,
    NOTHING,
    Gain,
    Item,
    Items,
    build_item,
    is_picture,
    open_items,
    trick_item,
    value_of,
)
from .options import WipeOptions
from .state import WipeState
from .table import side_of, sides_of

ALL_OTHERS: Final = 3
NONE_DROPPED: Final[Mapping[Counts, int]] = {}


def has_value(options: WipeOptions, card: Card) -> bool:
    """Whether a card is added up: numerals, and pictures where they have values (LA3)."""
    return options.picture_values or not is_picture(card)


def ceiling(options: WipeOptions) -> int:
    """The highest value that is added up to."""
    return HIGHEST_PICTURE if options.picture_values else HIGHEST_NUMERAL


class Stealable:
    """A heap that a seat can steal from: its last trick's capturing card, and whether the whole heap is open too."""

    __slots__ = ("by", "heap", "whole")

    def __init__(self, heap: int, by: Card, *, whole: bool) -> None:
        self.heap = heap
        self.by = by
        self.whole = whole

    @property
    def item(self) -> Item:
        """The trick as an item: it counts the value of its capturing card (L-5, LA6, LA11)."""
        return trick_item(value_of(self.by), self.heap, or_heap=self.whole)


def stealables(state: WipeState, seat: int) -> list[Stealable]:
    """The opponents' heaps with an open trick (L-5, LA8, LA10, LA14)."""
    if not state.options.steal:
        return []
    seats = len(state.hands)
    return [
        Stealable(index, heap.tricks[-1].by, whole=is_open_whole(state, index))
        for index, heap in enumerate(state.heaps)
        if index % sides_of(seats) != side_of(seats, seat) and heap.tricks
    ]


def is_open_whole(state: WipeState, heap: int) -> bool:
    """Whether a heap can be taken whole: a trick of it was not laid crosswise, and it has more than one (L-6, LA11)."""
    tricks = state.heaps[heap].tricks
    return len(tricks) > 1 and not all(trick.crossed for trick in tricks)


class Part:
    """Some of the captures with a card: a family of item sets, or a few gains; no capture is in two parts.

    `stolen_from` is the heap they all steal from, where one capture can steal from one only. `dropped` are shapes of
    sets that the family leaves out, with their number; `bundled` builds are one item of the family.
    """

    __slots__ = ("bundled", "dropped", "family", "gains", "items", "stolen_from")

    def __init__(
        self,
        *,
        gains: Sequence[Gain] = (),
        items: Items | None = None,
        family: Family | None = None,
        stolen_from: int | None = None,
        dropped: Mapping[Counts, int] = NONE_DROPPED,
        bundled: int = 0,
    ) -> None:
        self.gains = gains
        self.items = items
        self.family = family
        self.stolen_from = stolen_from
        self.dropped = dropped
        self.bundled = bundled

    def narrowed(self, family: Family) -> "Part":
        """The part with another family of its items."""
        return Part(
            items=self.items,
            family=family,
            stolen_from=self.stolen_from,
            dropped=self.dropped,
            bundled=self.bundled,
        )

    @property
    def total(self) -> int:
        """How many captures."""
        return len(self.gains) if self.family is None else self.family.total


def parts_of(state: WipeState, seat: int, card: Card, required: Item | None = None) -> list[Part]:
    """All that a seat can take with a card, of that the captures that take something required."""
    open_heaps = stealables(state, seat)
    if not has_value(state.options, card):
        gains = picture_gains(state, seat, card) if required is None else []
        return [Part(gains=gains)]
    tricks = [heap for heap in open_heaps if has_value(state.options, heap.by) and value_of(heap.by) <= value_of(card)]
    if state.options.steal_limit == "onePerOpponent":
        return [_part(state, card, required, tricks)]
    return [_part(state, card, required, ()), *(_part(state, card, required, (heap,), heap) for heap in tricks)]


def group_parts(state: WipeState, seat: int, card: Card) -> list[Part]:
    """The single groups that captures with a card are made of; for a picture without a value, each thing it matches."""
    if not has_value(state.options, card):
        return [Part(gains=[gain for item in _matching(state, seat, card) for gain in item.gains])]
    found = []
    for part in parts_of(state, seat, card):
        assert part.items is not None
        needed = [part.items.kind(heap.item) for heap in stealables(state, seat) if heap.heap == part.stolen_from]
        found.append(part.narrowed(groups(part.items.layout, value_of(card), required=tuple(needed))))
    return found


def _part(
    state: WipeState,
    card: Card,
    required: Item | None,
    tricks: Sequence[Stealable],
    stolen: Stealable | None = None,
) -> Part:
    value = value_of(card)
    single = state.options.multi_capture == "single"
    bundle: set[int] = set(required.gains[0].builds) if required else set()
    items = Items(
        [
            *open_items(
                lying for lying in state.layout if has_value(state.options, lying) and value_of(lying) <= value
            ),
            *(
                build_item(build)
                for build in state.builds
                if build.id not in bundle and is_addable(state.options, build.value, value)
            ),
            *([required] if required else []),
            *(heap.item for heap in tricks),
        ]
    )
    needed = tuple(items.kind(item) for item in (required, stolen and stolen.item) if item)
    without = () if state.options.steal_alone or required else _only_tricks(items, tricks, value, stolen, single=single)
    make = groups if single else captures
    shapes = Counter(_shape(items, take) for take in without)
    return Part(
        items=items,
        family=make(items.layout, value, required=needed, without=without),
        stolen_from=stolen.heap if stolen else None,
        dropped=shapes,
        bundled=max(0, len(bundle) - 1),
    )


def is_addable(options: WipeOptions, build: int, value: int) -> bool:
    """Whether a build can be among what a card of this value takes (LA12)."""
    return build == value or (build < value and options.build_in_sum == "all")


def _only_tricks(
    items: Items, tricks: Sequence[Stealable], value: int, stolen: Stealable | None, *, single: bool
) -> tuple[Take, ...]:
    """The sets that take tricks and nothing of the layout (LA7)."""
    kinds = [(*items.kind(heap.item), len(heap.item.gains)) for heap in tricks]
    found = []
    for marks in product(*(range(most + 1) for _, _, most in kinds)):
        take = tuple(sorted((number, kind, mark) for (number, kind, _), mark in zip(kinds, marks, strict=True) if mark))
        counts = _shape(items, take)
        if _adds_up(counts, value, single=single) and (stolen is None or all(marks)):
            found.append(take)
    return tuple(found)


def _shape(items: Items, take: Take) -> Counts:
    taken = [0] * HIGHEST_PICTURE
    for value, kind, mark in take:
        taken[value - 1] += 1 if items.layout[value - 1][kind] < 0 else mark
    return tuple(taken)


def _adds_up(counts: Counts, value: int, *, single: bool) -> bool:
    """Whether things of these values are one group, or some, of the value."""
    if single:
        return sum(number * copies for number, copies in enumerate(counts, 1)) == value
    return splits(counts, value)


def picture_gains(state: WipeState, seat: int, card: Card) -> list[Gain]:
    """What a picture without a value takes: of its own rank only, so many as the option says (LA3, LA6)."""
    items = _matching(state, seat, card)
    found = []
    for marks in product(*(range(len(item.gains) + 1) for item in items)):
        taken = [item.gains[mark - 1] for item, mark in zip(items, marks, strict=True) if mark]
        gain = sum(taken, NOTHING)
        if taken and picture_takes(state, seat, card, gain) and (gain.cards or state.options.steal_alone):
            found.append(gain)
    return found


def picture_takes(state: WipeState, seat: int, card: Card, gain: Gain) -> bool:
    """Whether a picture may take so many at once, all of its rank (LA3)."""
    taken = len(gain.cards) + len(gain.tricks) + len(gain.heaps)
    match state.options.picture_capture:
        case "one":
            return taken == 1
        case "oneOrThree":
            pictures = sum(won[0] == card[0] for won in gained(state, gain))
            return taken == 1 or pictures == ALL_OTHERS
        case "any":
            return True
        case "all":
            return taken == len(_matching(state, seat, card))


def _matching(state: WipeState, seat: int, card: Card) -> list[Item]:
    """The open cards and the tricks of a picture's rank."""
    return [
        *open_items(lying for lying in state.layout if lying[0] == card[0]),
        *(heap.item for heap in stealables(state, seat) if heap.by[0] == card[0]),
    ]


def gained(state: WipeState, gain: Gain) -> tuple[Card, ...]:
    """All the cards that a gain brings in."""
    cards = list(gain.cards)
    cards += [card for build in state.builds if build.id in gain.builds for card in build.cards]
    for index, heap in enumerate(state.heaps):
        if index in gain.tricks and heap.tricks:
            cards += heap.tricks[-1].cards
        if index in gain.heaps:
            cards += heap.open_cards
    return tuple(cards)


def taken_values(state: WipeState, gain: Gain) -> Counts:
    """How many things of each value a gain takes: builds and tricks are one each."""
    values = Counter(map(value_of, gain.cards))
    values.update(build.value for build in state.builds if build.id in gain.builds)
    values.update(value_of(state.heaps[heap].tricks[-1].by) for heap in (*gain.tricks, *gain.heaps))
    return tuple(values[value] for value in range(1, HIGHEST_PICTURE + 1))


def adds_up(options: WipeOptions, counts: Counts, value: int) -> bool:
    """Whether a card of this value takes such things: one group of the value, or as many as there are (LA5)."""
    return _adds_up(counts, value, single=options.multi_capture == "single")


def capturing_values(state: WipeState, seat: int) -> frozenset[int]:
    """The values of the cards with which a seat could capture something now, whatever it holds and owes."""
    options = state.options
    open_heaps = stealables(state, seat)
    added = Counter(value_of(card) for card in state.layout if has_value(options, card))
    alone = {value_of(card) for card in state.layout} | {build.value for build in state.builds}
    if options.build_in_sum == "all":
        added.update(build.value for build in state.builds)
    if options.steal_alone:
        alone |= {value_of(heap.by) for heap in open_heaps}
    sums = reachable(tuple(added[value] for value in range(1, HIGHEST_PICTURE + 1)))
    with_tricks = 0
    for stolen in _stolen_totals(options, open_heaps):
        with_tricks |= (sums if options.steal_alone else sums & ~1) << stolen
    return frozenset(
        value
        for value in range(1, HIGHEST_PICTURE + 1)
        if value in alone or (value <= ceiling(options) and (sums | with_tricks) >> value & 1)
    )


def _stolen_totals(options: WipeOptions, open_heaps: Sequence[Stealable]) -> set[int]:
    """What the tricks that one group can have total."""
    values = [value_of(heap.by) for heap in open_heaps if has_value(options, heap.by)]
    if options.steal_limit == "onePerMove":
        return set(values)
    totals = {0}
    for value in values:
        totals |= {total + value for total in totals}
    return totals - {0}


def shapes_of(options: WipeOptions, card: Card, part: Part) -> Iterator[CaptureShape]:
    """The shapes of a part that is a few gains, told apart by the heap where one only can be stolen from (LA9)."""
    apart = options.steal_limit == "onePerMove"
    counted: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for gain in part.gains:
        stolen = gain.tricks + gain.heaps
        counted[len(gain.cards) + len(gain.builds) + len(stolen), stolen if apart else ()] += 1
    for (size, heap), ways in sorted(counted.items()):
        taken = [0] * HIGHEST_PICTURE
        taken[value_of(card) - 1] = size
        yield CaptureShape(card, tuple(taken), ways, heap[0] if heap else None)
