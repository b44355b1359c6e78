"""The face-up cards of a fishing game: open cards and builds, what a card takes of them, moves listed lazily.

What can be taken, an *item*, is an open card, a whole build, or another heap's last trick. Values are 1 (an ace) to 10,
and 11, 12, 13 for jack, queen and king; whether those are numbers that add up is each game's matter. `Items` turns
items into `fishing`'s kinds, and its takes back into what is gained.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Final, Literal

from ..cards import SUIT_SIZE, Card, in_order
from ..game import CaptureShape
from .builds import LayoutBuild, ordered
from .fishing import (
    Counts,
    Family,
    Layout,
    Take,
    captures,
    counts_of,
    groups,
    maximal_captures,
    partition,
)

HIGHEST_NUMERAL: Final = 10
HIGHEST_PICTURE: Final = 13


def value_of(card: Card) -> int:
    """A card's number: ace 1, 2 to 10, jack 11, queen 12, king 13.

    >>> [value_of(Card(name)) for name in ("AS", "2H", "TD", "JC", "KC")]
    [1, 2, 10, 11, 13]
    """
    return (card.rank + 1) % SUIT_SIZE + 1


def is_picture(card: Card) -> bool:
    """Whether it is a jack, queen or king."""
    return value_of(card) > HIGHEST_NUMERAL


def values_of(cards: Iterable[Card]) -> Counts:
    """How many of the cards have each value, 1 to 13."""
    found = [0] * HIGHEST_PICTURE
    for card in cards:
        found[value_of(card) - 1] += 1
    return tuple(found)


def taken_from(cards: Iterable[Card], out: Iterable[Card]) -> tuple[Card, ...] | None:
    """The cards without those taken out, as a multiset; None where one of these is not among them."""
    left = list(cards)
    for card in out:
        if card not in left:
            return None
        left.remove(card)
    return in_order(left)


# --- the layout


def free_id(builds: Iterable[LayoutBuild]) -> int:
    """The lowest number, from 1, that no build has: a new one's."""
    used = {build.id for build in builds}
    return next(number for number in range(1, len(used) + 2) if number not in used)


def into_groups(cards: Iterable[Card], value: int) -> tuple[tuple[Card, ...], ...]:
    """The cards split into groups that total `value`, always in the same way; () where they do not split.

    >>> into_groups((Card("4C"), Card("5S"), Card("3H"), Card("6D")), 9)
    ((<Card._5S: '5S'>, <Card._4C: '4C'>), (<Card._3H: '3H'>, <Card._6D: '6D'>))
    """
    held = list(in_order(cards))
    made = []
    for group in partition(values_of(held), value):
        chosen = []
        for number in group:
            card = next(card for card in held if value_of(card) == number)
            held.remove(card)
            chosen.append(card)
        made.append(chosen)
    return ordered(made)


# --- items, and what taking them brings


class Gain:
    """What a capture takes: cards of the layout, builds by id, last tricks and whole heaps by the heap's owner.

    Never changed; equal to another that takes the same.
    """

    __slots__ = ("builds", "cards", "heaps", "tricks")

    def __init__(
        self,
        cards: tuple[Card, ...] = (),
        builds: tuple[int, ...] = (),
        tricks: tuple[int, ...] = (),
        heaps: tuple[int, ...] = (),
    ) -> None:
        self.cards = cards
        self.builds = builds
        self.tricks = tricks
        self.heaps = heaps

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Gain):
            return NotImplemented
        return (
            self.cards == other.cards
            and self.builds == other.builds
            and self.tricks == other.tricks
            and self.heaps == other.heaps
        )

    def __hash__(self) -> int:
        return hash((self.cards, self.builds, self.tricks, self.heaps))

    def __add__(self, other: "Gain") -> "Gain":
        return Gain(
            in_order(self.cards + other.cards),
            tuple(sorted(self.builds + other.builds)),
            tuple(sorted(self.tricks + other.tricks)),
            tuple(sorted(self.heaps + other.heaps)),
        )


NOTHING: Final = Gain()


class Item:
    """Something that can be taken: taking *n* of it, or of alternatives the *n*-th, brings ``gains[n - 1]``.

    Never changed; equal to another that brings the same. It counts as `value`.
    """

    __slots__ = ("alternatives", "gains", "value")

    def __init__(self, value: int, gains: tuple[Gain, ...], *, alternatives: bool = False) -> None:
        self.value = value
        self.gains = gains
        self.alternatives = alternatives

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Item):
            return NotImplemented
        return self.value == other.value and self.alternatives == other.alternatives and self.gains == other.gains

    def __hash__(self) -> int:
        return hash((self.value, self.gains, self.alternatives))


def open_items(cards: Iterable[Card]) -> list[Item]:
    """The open cards as items; equal cards are one item of which several can be taken."""
    counted = Counter(cards)
    return [
        Item(value_of(card), tuple(Gain((card,) * taken) for taken in range(1, counted[card] + 1)))
        for card in in_order(counted)
    ]


def build_item(*builds: LayoutBuild, value: int | None = None) -> Item:
    """A build as an item; several are taken all or none, and then are of one value. It counts as its own value."""
    return Item(value or builds[0].value, (Gain(builds=tuple(sorted(build.id for build in builds))),))


def trick_item(value: int, owner: int, *, or_heap: bool = False) -> Item:
    """The last trick of a heap, or where that is open too, either the trick or the whole heap, of the same value."""
    gains = (Gain(tricks=(owner,)), Gain(heaps=(owner,)))
    return Item(value, gains if or_heap else gains[:1], alternatives=or_heap)


class Items:
    """Items by value, as `fishing` wants them, and the way back."""

    __slots__ = ("_rows", "layout")

    def __init__(self, items: Iterable[Item]) -> None:
        rows: list[list[Item]] = [[] for _ in range(HIGHEST_PICTURE)]
        for item in items:
            rows[item.value - 1].append(item)
        self._rows = rows
        self.layout: Layout = tuple(
            tuple(-len(item.gains) if item.alternatives else len(item.gains) for item in row) for row in rows
        )

    @property
    def counts(self) -> Counts:
        """How many items of each value can be taken together."""
        return counts_of(self.layout)

    def kind(self, wanted: Item) -> tuple[int, int]:
        """The value and kind that `fishing` knows an item by."""
        return wanted.value, self._rows[wanted.value - 1].index(wanted)

    def gain(self, take: Take) -> Gain:
        """What a take brings."""
        cards: list[Card] = []
        others: list[Gain] = []
        for value, kind, mark in take:
            gain = self._rows[value - 1][kind].gains[mark - 1]
            if gain.cards:
                cards += gain.cards
            else:
                others.append(gain)
        return sum(others, Gain(in_order(cards)))

    def take(self, wanted: Gain) -> Take | None:
        """The take that brings just this; None where none does."""
        found: list[tuple[int, int, int]] = []
        for value, row in enumerate(self._rows, 1):
            for kind, item in enumerate(row):
                marks = range(len(item.gains), 0, -1)
                mark = next((mark for mark in marks if _has(wanted, item.gains[mark - 1])), 0)
                if mark:
                    found.append((value, kind, mark))
        return tuple(found) if self.gain(tuple(found)) == wanted else None


def _has(gain: Gain, part: Gain) -> bool:
    return (
        Counter(part.cards) <= Counter(gain.cards)
        and set(part.builds) <= set(gain.builds)
        and set(part.tricks) <= set(gain.tricks)
        and set(part.heaps) <= set(gain.heaps)
    )


def capture_family(
    items: Items, value: int, *, single: bool = False, maximal: bool = False, required: Item | None = None
) -> Family:
    """The captures by a card of this value: of one group only, of those that no other contains, or all."""
    kind = None if required is None else items.kind(required)
    if single:
        return groups(items.layout, value, required=kind)
    if maximal:
        return maximal_captures(items.layout, value, required=kind)
    return captures(items.layout, value, required=kind)


PictureCapture = Literal["one", "oneOrThree", "any", "all"]


def picture_gains(
    items: Sequence[Item], rule: PictureCapture, *, maximal: bool = False, required: Item | None = None
) -> list[Gain]:
    """What a picture can take of the items that match it: one, one or three, any, or all of them at once."""
    marks = product(*(range(len(item.gains) + 1) for item in items))
    found: list[tuple[int, Gain]] = []
    for chosen in marks:
        taken = [(item, mark) for item, mark in zip(items, chosen, strict=True) if mark]
        size = sum(1 if item.alternatives else mark for item, mark in taken)
        gain = sum((item.gains[mark - 1] for item, mark in taken), NOTHING)
        if size and (required is None or any(item == required for item, _ in taken)):
            found.append((size, gain))
    most = sum(1 if item.alternatives else len(item.gains) for item in items)
    sizes = {"one": {1}, "oneOrThree": {1, 3}, "any": set(range(1, most + 1)), "all": {most}}[rule]
    sizes = {size for size in sizes if size <= most}
    if maximal and sizes:
        sizes = {max(sizes)}
    return [gain for size, gain in found if size in sizes]


def picture_shapes(card: Card, gains: Iterable[Gain]) -> list[CaptureShape]:
    """The shapes of what a picture can take: so many that match it."""
    sizes = Counter(len(gain.cards) + len(gain.builds) + len(gain.tricks + gain.heaps) for gain in gains)
    value = value_of(card)
    return [
        CaptureShape(card, tuple(size if number == value else 0 for number in range(1, HIGHEST_PICTURE + 1)), ways)
        for size, ways in sorted(sizes.items())
    ]


# --- dealing by twos, and sharing points


def deal_by_twos(
    stock: Sequence[Card], seats: int, dealer: int, *, packets: int = 2, with_layout: bool = False
) -> tuple[tuple[tuple[Card, ...], ...], tuple[Card, ...], tuple[Card, ...]]:
    """Hands, layout and what is left of the stock: two cards each from the dealer's left, so many times.

    The layout, where there is one, gets two each time just before the dealer.
    """
    hands: list[list[Card]] = [[] for _ in range(seats)]
    layout: list[Card] = []
    places = [hands[(dealer + turn) % seats] for turn in range(1, seats)]
    places += [layout, hands[dealer]] if with_layout else [hands[dealer]]
    at = 0
    for place in places * packets:
        place.extend(stock[at : at + 2])
        at += 2
    return tuple(map(in_order, hands)), in_order(layout), tuple(stock[at:])


Tie = Literal["split", "none", "all", "carry"]


def shared(points: int, amounts: Sequence[int], tie: Tie) -> tuple[tuple[int, ...], int]:
    """Points for the most of something, by side, and the points that are carried to the next round.

    split: two sides share, more get nothing; none: nobody scores; all: each side gets all; carry: the next round's
    most is worth so much more.

    >>> shared(2, (6, 7), "split"), shared(2, (6, 6, 1), "split"), shared(2, (6, 6), "carry")
    (((0, 2), 0), ((1, 1, 0), 0), ((0, 0), 2))
    """
    most = max(amounts)
    sides = [side for side, amount in enumerate(amounts) if amount == most and most > 0]
    each = 0
    if len(sides) == 1 or tie == "all":
        each = points
    elif tie == "split" and len(sides) == 2:
        each = points // 2
    carried = points if tie == "carry" and len(sides) != 1 else 0
    return tuple(each if side in sides else 0 for side in range(len(amounts))), carried
