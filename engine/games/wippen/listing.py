"""The legal moves of a seat of Wippen that is to play, listed lazily: captures, builds, extensions, raises, laying.

Cards of one value have the same moves, whichever of them is played, so what they take is worked out once.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from ...cards import Card
from ...game import Blocked, CaptureGroup, CaptureShape
from ...mechanics.builds import LayoutBuild
from ...mechanics.fishing import Family, Pool, Take, groups
from ...mechanics.holding import Holder
from ...mechanics.layout import (
    HIGHEST_NUMERAL,
    Gain,
    Items,
    build_item,
    capture_family,
    open_items,
    picture_gains,
    picture_shapes,
    value_of,
)
from ...mechanics.runs import Few, Listing, Many, Run, Shapes
from ...moves import Build, Capture, Extend, Move, Raise, Trail
from .building import DOUBLE, refuse_another_group, refuse_duty, refuse_holding, refuse_trail
from .table import Table

Offer = Callable[[Card], Run[Move]]
"""Moves with whichever card of a value is named."""


class Plays:
    """What a seat can play, worked out as it is asked for."""

    __slots__ = ("_captures", "_groups", "_hold", "_numbers", "_offers", "_pool", "_seat", "_table")

    def __init__(self, table: Table, seat: int, hold: Holder) -> None:
        self._table = table
        self._seat = seat
        self._hold = hold
        self._numbers = Items(open_items(table.numbers()))
        self._pool = Pool(self._numbers.layout)
        self._captures: dict[int, list[tuple[tuple[LayoutBuild, ...], Items, Family]]] = {}
        self._groups: dict[int, tuple[Items, Family]] = {}
        self._offers: dict[int, list[Offer]] = {}

    def listing(self) -> Listing:
        """All of it, to be listed."""
        return Listing(cards=self._hold.playable(), moves=self.moves, groups=self.groups, shapes=self.shapes)

    def blocked(self, cards: Iterable[Card]) -> tuple[Blocked, ...]:
        """Those of the cards with which there is no legal move, each with the reason why it may not just be laid."""
        found = []
        for card in dict.fromkeys(cards):
            if not any(run.total for run in self.moves(card)):
                why = refuse_trail(self._table, Trail(card), self._seat, self._hold)
                assert why is not None
                found.append(Blocked(card, why))
        return tuple(found)

    def moves(self, card: Card) -> Iterator[Run[Move]]:
        """Every legal move with a card."""
        value = value_of(card)
        if value not in self._offers:
            each = (self._capturing, self._building, self._extending, self._raising, self._laying)
            self._offers[value] = [offer for offers in each for offer in offers(card)]
        return (offer(card) for offer in self._offers[value])

    def groups(self, card: Card) -> Iterator[Run[CaptureGroup]]:
        """The groups that captures with a card are made of, where it can rightly capture."""
        if not self._table.is_number(card):
            if self._ways(card):
                singly = picture_gains(self._table.items(card), "one")
                yield Few([CaptureGroup(card, gain.cards) for gain in singly])
            return
        value = value_of(card)
        if value not in self._groups:
            items = Items(self._table.items(card))
            self._groups[value] = items, groups(items.layout, value)
        items, family = self._groups[value]
        if any(self._is_possible(card, way, family) for way in self._ways(card)):
            yield Many(family, partial(_group_of, card, items))

    def _is_possible(self, card: Card, way: tuple[LayoutBuild, ...], family: Family) -> bool:
        """Whether there is a capture that takes these builds; with none, any group is one."""
        if not way:
            return family.total > 0
        return any(taken.total for own, _, taken in self._captured(card) if own == way)

    def shapes(self, card: Card) -> Iterator[Run[CaptureShape]]:
        """The shapes of the legal captures with a card."""
        if not self._table.is_number(card):
            for _ in self._ways(card):
                yield Few(picture_shapes(card, self._picture_gains(card)))
        for way, _, family in self._captured(card):
            yield Shapes(card, family, max(0, len(way) - 1))

    # --- captures

    def _ways(self, card: Card) -> list[tuple[LayoutBuild, ...]]:
        return self._table.must_take(card, self._seat, self._hold)

    def _capturing(self, card: Card) -> Iterator[Offer]:
        if not self._table.is_number(card):
            for _ in self._ways(card):
                yield lambda card: Few([_capture(card, gain) for gain in self._picture_gains(card)])
        for _, items, family in self._captured(card):
            yield partial(_many, family, _capture_of, items)

    def _picture_gains(self, card: Card) -> list[Gain]:
        options = self._table.options
        maximal = options.capture_choice == "maximal"
        return picture_gains(self._table.items(card), options.picture_capture, maximal=maximal)

    def _captured(self, card: Card) -> list[tuple[tuple[LayoutBuild, ...], Items, Family]]:
        """The captures with a number, by the builds of which one must be taken, which together are one item."""
        value = value_of(card)
        if value not in self._captures:
            number = self._table.is_number(card)
            self._captures[value] = [self._taking(card, way) for way in self._ways(card) if number and self._can(way)]
        return self._captures[value]

    def _can(self, way: tuple[LayoutBuild, ...]) -> bool:
        return len(way) <= 1 or not self._singly()

    def _singly(self) -> bool:
        options = self._table.options
        return options.multi_capture == "single" or not options.adding

    def _taking(self, card: Card, way: tuple[LayoutBuild, ...]) -> tuple[tuple[LayoutBuild, ...], Items, Family]:
        items = Items(self._table.items(card, way))
        family = capture_family(
            items,
            value_of(card),
            single=self._singly(),
            maximal=self._table.options.capture_choice == "maximal",
            required=build_item(*way) if way else None,
        )
        return way, items, family

    # --- builds, and laying

    def _building(self, card: Card) -> Iterator[Offer]:
        table, seat = self._table, self._seat
        if not table.options.building or not table.is_number(card) or refuse_duty(table, None, seat):
            return
        for value in range(value_of(card), table.ceiling + 1):
            if refuse_holding(table, Build(card, (), value), value, seat, self._hold) is None:
                for family in self._made(value_of(card), value):
                    yield partial(_many, family, partial(_build_of, value), self._numbers)

    def _extending(self, card: Card) -> Iterator[Offer]:
        table, seat = self._table, self._seat
        if not table.options.double_building or not table.is_number(card):
            return
        for build in table.builds:
            short = build.value - value_of(card)
            refused = (
                short < 0
                or (build.owner != seat and not table.options.extend_foreign)
                or refuse_another_group(table, build)
                or refuse_duty(table, build, seat)
                or refuse_holding(table, Extend(card, build.id), build.value, seat, self._hold)
            )
            if not refused and short:
                yield partial(_many, self._pool.groups(short), partial(_extend_of, build.id), self._numbers)
            elif not refused:
                yield partial(_extended, build.id)

    def _raising(self, card: Card) -> Iterator[Offer]:
        table, seat = self._table, self._seat
        if not table.options.raising or not table.is_number(card):
            return
        for build in table.builds:
            laid = build.value + value_of(card)
            if not build.is_single or (build.owner == seat and not table.options.raise_own):
                continue
            if refuse_duty(table, build, seat):
                continue
            highest = table.ceiling if table.options.raise_with_open else min(laid, table.ceiling)
            for value in range(laid, highest + 1):
                if refuse_holding(table, Raise(card, build.id, value), value, seat, self._hold) is None:
                    yield from self._raised(build, laid, value)

    def _raised(self, build: LayoutBuild, laid: int, value: int) -> Iterator[Offer]:
        if laid == value:
            yield partial(_raised, build.id, value)
        if self._table.options.raise_with_open:
            for family in self._made(laid, value):
                yield partial(_many, family, partial(_raise_of, build.id, value), self._numbers)

    def _laying(self, card: Card) -> Iterator[Offer]:
        if refuse_trail(self._table, Trail(card), self._seat, self._hold) is None:
            yield lambda card: Few([Trail(card)])

    def _made(self, laid: int, value: int) -> Iterator[Family]:
        """The open cards that make one group, or more where that is agreed, of the value with what is laid."""
        several = self._table.options.double_building and value <= HIGHEST_NUMERAL
        if several and not self._table.options.max_groups:
            yield self._pool.builds(laid, value, 0)
            return
        if laid < value:
            yield self._pool.groups(value - laid)
        if several:
            yield self._pool.builds(laid, value, DOUBLE)


def _many(family: Family, make: Callable[[Card, Items, Take], Move], items: Items, card: Card) -> Run[Move]:
    return Many(family, partial(make, card, items))


def _capture(card: Card, gain: Gain) -> Move:
    return Capture(card, gain.cards, gain.builds)


def _capture_of(card: Card, items: Items, take: Take) -> Move:
    return _capture(card, items.gain(take))


def _group_of(card: Card, items: Items, take: Take) -> CaptureGroup:
    gain = items.gain(take)
    return CaptureGroup(card, gain.cards, gain.builds)


def _build_of(value: int, card: Card, items: Items, take: Take) -> Move:
    return Build(card, items.gain(take).cards, value)


def _extend_of(number: int, card: Card, items: Items, take: Take) -> Move:
    return Extend(card, number, items.gain(take).cards)


def _extended(number: int, card: Card) -> Run[Move]:
    return Few([Extend(card, number)])


def _raise_of(number: int, value: int, card: Card, items: Items, take: Take) -> Move:
    return Raise(card, number, value, items.gain(take).cards)


def _raised(number: int, value: int, card: Card) -> Run[Move]:
    return Few([Raise(card, number, value)])
