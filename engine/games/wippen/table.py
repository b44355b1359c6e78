"""What lies on the table in Wippen, what a card can take of it, what a builder owes, and what a move makes of it."""

from collections import Counter
from collections.abc import Iterable

from ...cards import Card, in_order
from ...events import Built, Captured, Event, Extended, Raised, Trailed
from ...mechanics.builds import LayoutBuild
from ...mechanics.fishing import partition, reachable
from ...mechanics.holding import Facts, Holder, Needs
from ...mechanics.layout import (
    HIGHEST_NUMERAL,
    HIGHEST_PICTURE,
    Item,
    build_item,
    free_id,
    into_groups,
    is_picture,
    open_items,
    taken_from,
    value_of,
    values_of,
)
from ...moves import Build, Capture, Extend, Move, Raise, Trail
from .options import WippenOptions

PlayMove = Capture | Build | Extend | Raise | Trail


class Table:
    """The open cards and the builds, under the options agreed; never changed."""

    __slots__ = ("builds", "layout", "options")

    def __init__(self, options: WippenOptions, layout: tuple[Card, ...], builds: tuple[LayoutBuild, ...]) -> None:
        self.options = options
        self.layout = layout
        self.builds = builds

    @property
    def ceiling(self) -> int:
        """The highest value of a build: ten (WIA21), or thirteen where pictures have values (WIA9)."""
        return HIGHEST_PICTURE if self.options.picture_values else HIGHEST_NUMERAL

    def is_number(self, card: Card) -> bool:
        """Whether the card has a number to add up: numerals do (WI-15), pictures by option only."""
        return self.options.picture_values or not is_picture(card)

    def build(self, number: int) -> LayoutBuild | None:
        """The build with this id."""
        return next((build for build in self.builds if build.id == number), None)

    def owned_by(self, seat: int) -> tuple[LayoutBuild, ...]:
        """The builds a seat owns and owes something for."""
        if self.options.build_obligation == "none":
            return ()
        return tuple(build for build in self.builds if build.owner == seat)

    def numbers(self) -> tuple[Card, ...]:
        """The open cards that can be added up."""
        return tuple(card for card in self.layout if self.is_number(card))

    def counts_in_sums(self, build: LayoutBuild) -> bool:
        """Whether a capture can add the build to other cards (WI-23, WIA11)."""
        agreed = self.options.build_in_sum
        return agreed == "all" or (agreed == "double" and not build.is_single)

    # --- what is owed

    def needs_of(self, builds: Iterable[LayoutBuild]) -> Needs:
        """What the owner of these builds must hold: a card of each value, or one a build where each takes one."""
        return self._needs(build.value for build in builds)

    def _needs(self, values: Iterable[int]) -> dict[int, int]:
        if self.options.multi_capture == "single":
            return dict(Counter(values))
        return dict.fromkeys(values, 1)

    def needs_after(self, move: PlayMove, seat: int) -> Needs:
        """What the seat must hold once it has made this move, which is taken to be possible otherwise."""
        own = {build.id: build.value for build in self.owned_by(seat)}
        made = None
        match move:
            case Capture():
                own = {number: value for number, value in own.items() if number not in move.builds}
            case Build():
                made = own[0] = move.value
            case Raise():
                made = own[move.build] = move.value
            case Extend():
                made = own[move.build] = self._the(move.build).value
        if self.options.build_obligation == "none":
            return {} if made is None else {made: 1}
        return self._needs(own.values())

    def must_take(self, card: Card, seat: int, hold: Holder) -> list[tuple[LayoutBuild, ...]]:
        """The sets of own builds of which a capture with the card must take one; [()] where it is free (WI-20).

        Empty where the card cannot rightly capture, whatever it takes.
        """
        own = self.owned_by(seat)
        value = value_of(card)
        if own and self.options.build_obligation != "noTrail":
            possible = all(
                self.is_number(card) and (build.value == value or (build.value < value and self.counts_in_sums(build)))
                for build in own
            )
            return [own] if possible else []
        if hold.may(card, self.needs_of(own)):
            return [()]
        matching = tuple(build for build in own if build.value == value)
        if self.options.multi_capture == "single":
            return [(build,) for build in matching]
        return [matching] if matching else []

    # --- what can be taken

    def items(self, card: Card, together: tuple[LayoutBuild, ...] = ()) -> list[Item]:
        """What a card can take something of; the builds `together` are one item, of their value."""
        value = value_of(card)
        if not self.is_number(card):
            return open_items(other for other in self.layout if value_of(other) == value)
        if not self.options.adding:
            return open_items(other for other in self.numbers() if value_of(other) == value)
        found = open_items(other for other in self.numbers() if value_of(other) <= value)
        found += [
            build_item(build)
            for build in self.builds
            if build not in together and (build.value == value or (build.value < value and self.counts_in_sums(build)))
        ]
        return [*found, build_item(*together)] if together else found

    def takers(self) -> int:
        """The values of which a card can take something, as bits."""
        adders = list(values_of(self.layout))
        bits = sum(2 << index for index, number in enumerate(adders) if number)
        for build in self.builds:
            bits |= 1 << build.value
            adders[build.value - 1] += self.counts_in_sums(build)
        if self.options.adding:
            bits |= reachable(tuple(adders[: self.ceiling])) & ~1 & ((2 << self.ceiling) - 1)
        return bits

    def forcing(self) -> int:
        """The values of which a card must capture rather than be laid, as bits (WI-10, WIA2, WIA3)."""
        if self.options.forced_capture == "off":
            return 0
        if self.options.forced_scope == "rank":
            return sum(2 << index for index, number in enumerate(values_of(self.layout)) if number)
        return self.takers()

    # --- what a move makes of it

    def after(self, move: PlayMove, seat: int) -> tuple["Table", tuple[Card, ...]]:
        """The table after a move that it allows, and the cards that go to the seat's heap."""
        match move:
            case Capture(card, take, numbers):
                taken = [build for build in self.builds if build.id in numbers]
                gained = in_order((card, *take, *(inner for build in taken for inner in build.cards)))
                left = tuple(build for build in self.builds if build.id not in numbers)
                return Table(self.options, self._without(take), left), gained
            case Trail(card):
                return Table(self.options, in_order((*self.layout, card)), self.builds), ()
            case Build(card, cards, value):
                groups = into_groups((card, *cards), value)
                build = LayoutBuild(id=free_id(self.builds), value=value, owner=seat, groups=groups)
                return self._with(build, cards), ()
            case Extend(card, number, cards):
                build = self._the(number)
                groups = (*build.groups, (card, *cards))
                more = LayoutBuild(id=number, value=build.value, owner=seat, groups=groups)
                return self._with(more, cards), ()
            case Raise(card, number, value, cards):
                groups = raised_groups(self._the(number), card, cards, value)
                higher = LayoutBuild(id=number, value=value, owner=seat, groups=groups)
                return self._with(higher, cards), ()

    def facts_after(self, facts: Facts, move: PlayMove, seat: int) -> Facts:
        """What is proved of the rest of a hand once its seat has rightly made this move."""
        lacked = self.forcing() if isinstance(move, Trail) and self.options.forced_capture == "hand" else 0
        return facts.after(value_of(move.card), self.needs_after(move, seat), lacked)

    def _the(self, number: int) -> LayoutBuild:
        build = self.build(number)
        assert build is not None
        return build

    def _without(self, cards: Iterable[Card]) -> tuple[Card, ...]:
        left = taken_from(self.layout, cards)
        assert left is not None
        return left

    def _with(self, build: LayoutBuild, cards: Iterable[Card]) -> "Table":
        others = [other for other in self.builds if other.id != build.id]
        builds = tuple(sorted((*others, build), key=lambda each: each.id))
        return Table(self.options, self._without(cards), builds)


def raised_groups(build: LayoutBuild, card: Card, cards: tuple[Card, ...], value: int) -> tuple[tuple[Card, ...], ...]:
    """The groups of a build raised with a card and open cards: the old build and the card stay together.

    () where they do not split into groups of the value.
    """
    heart = build.value + value_of(card)
    counts = list(values_of(cards))
    if heart > value:
        return ()
    counts[heart - 1] += 1
    split = partition(tuple(counts), value)
    around = next((group for group in split if heart in group), None)
    if around is None:
        return ()
    helpers = list(around)
    helpers.remove(heart)
    chosen: list[Card] = []
    for number in helpers:
        chosen.append(next(other for other in _left(cards, chosen) if value_of(other) == number))
    rest = _left(cards, chosen)
    return ((*build.cards, card, *chosen), *(into_groups(rest, value) if rest else ()))


def _left(cards: Iterable[Card], out: Iterable[Card]) -> tuple[Card, ...]:
    left = taken_from(cards, out)
    assert left is not None
    return left


def move_of(event: Event) -> tuple[PlayMove, int] | None:
    """The move an event tells of, and its seat; None for an event that is no seat's play."""
    match event:
        case Captured():
            return Capture(event.card, event.take, event.builds), event.seat
        case Built():
            return Build(event.card, event.cards, event.value), event.seat
        case Extended():
            return Extend(event.card, event.build, event.cards), event.seat
        case Raised():
            return Raise(event.card, event.build, event.value, event.cards), event.seat
        case Trailed():
            return Trail(event.card), event.seat
        case _:
            return None


def as_play(move: Move) -> PlayMove | None:
    """The move where it plays a card of a hand."""
    return move if isinstance(move, Capture | Build | Extend | Raise | Trail) else None
