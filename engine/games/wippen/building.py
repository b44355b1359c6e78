"""Building, doubling and raising in Wippen, and laying a card: why refused, and all there are, listed lazily."""

from collections.abc import Iterator
from functools import partial

from ...cards import Card
from ...mechanics.fishing import Family, Take, builds, groups, splits
from ...mechanics.holding import Holder
from ...mechanics.layout import (
    HIGHEST_NUMERAL,
    Few,
    Items,
    LayoutBuild,
    Many,
    Run,
    open_items,
    value_of,
    values_of,
)
from ...moves import Build, Extend, Move, Raise, Trail
from ...violations import Code, Violation, violation
from .capturing import refuse_cards
from .table import Table

DOUBLE = 2


def refuse_trail(table: Table, move: Trail, seat: int, hold: Holder) -> Violation | None:
    """Why a card may not be laid: a build is owed for, or the hand can capture (WI-10, WI-20)."""
    own = table.owned_by(seat)
    if own:
        return violation("wippen", Code.MUST_RESOLVE_BUILD, build=own[0].id, value=own[0].value)
    forcing = table.forcing()
    if table.options.forced_capture == "card":
        forced = bool(forcing >> value_of(move.card) & 1)
    else:
        forced = not hold.may(move.card, lacks=forcing)
    return violation("wippen", Code.MUST_CAPTURE, card=move.card) if forced else None


def refuse_build(table: Table, move: Build, seat: int, hold: Holder) -> Violation | None:
    """Why a new build is illegal; the card is taken to be held."""
    if not table.options.building:
        return violation("wippen", Code.OPTION_OFF, option="building")
    wrong = _refuse_numbers(table, move.card, move.cards)
    if wrong:
        return wrong
    if not move.cards:
        return violation("wippen", Code.NOTHING_ADDED, card=move.card)
    wrong = _refuse_value(table, move.value) or _refuse_groups(table, value_of(move.card), move)
    return wrong or _refuse_duty(table, None, seat) or _refuse_holding(table, move, move.value, seat, hold)


def refuse_extend(table: Table, move: Extend, seat: int, hold: Holder) -> Violation | None:
    """Why a further group on a build is illegal; the card is taken to be held."""
    if not table.options.double_building:
        return violation("wippen", Code.OPTION_OFF, option="doubleBuilding")
    build = table.build(move.build)
    if build is None:
        return violation("wippen", Code.NO_SUCH_BUILD, build=move.build)
    if build.owner != seat and not table.options.extend_foreign:
        return violation("wippen", Code.OPTION_OFF, option="extendForeign")
    wrong = _refuse_numbers(table, move.card, move.cards)
    if wrong:
        return wrong
    if sum(map(value_of, (move.card, *move.cards))) != build.value:
        return violation("wippen", Code.BAD_SUM, card=move.card, value=build.value)
    wrong = _refuse_another_group(table, build)
    return wrong or _refuse_duty(table, build, seat) or _refuse_holding(table, move, build.value, seat, hold)


def refuse_raise(table: Table, move: Raise, seat: int, hold: Holder) -> Violation | None:
    """Why a build may not get this higher value; the card is taken to be held."""
    if not table.options.raising:
        return violation("wippen", Code.OPTION_OFF, option="raising")
    build = table.build(move.build)
    if build is None:
        return violation("wippen", Code.NO_SUCH_BUILD, build=move.build)
    if not build.is_single:
        return violation("wippen", Code.DOUBLE_LOCKED, build=build.id)
    if build.owner == seat and not table.options.raise_own:
        return violation("wippen", Code.OPTION_OFF, option="raiseOwn")
    if move.cards and not table.options.raise_with_open:
        return violation("wippen", Code.OPTION_OFF, option="raiseWithOpen")
    heart = build.value + value_of(move.card)
    wrong = _refuse_numbers(table, move.card, move.cards) or _refuse_value(table, max(heart, move.value))
    wrong = wrong or _refuse_groups(table, heart, move)
    return wrong or _refuse_duty(table, build, seat) or _refuse_holding(table, move, move.value, seat, hold)


def _refuse_numbers(table: Table, card: Card, cards: tuple[Card, ...]) -> Violation | None:
    absent = refuse_cards(table, cards)
    if absent:
        return absent
    picture = next((each for each in (card, *cards) if not table.is_number(each)), None)
    return None if picture is None else violation("wippen", Code.PICTURE_NO_VALUE, card=picture)


def _refuse_value(table: Table, value: int) -> Violation | None:
    if value > table.ceiling:
        return violation("wippen", Code.ABOVE_CEILING, value=value, highest=table.ceiling)
    return None


def _refuse_groups(table: Table, laid: int, move: Build | Raise) -> Violation | None:
    """Why what is laid, a card or a build raised by it, makes no groups of the value with the open cards."""
    value = move.value
    total = laid + sum(map(value_of, move.cards))
    if total == value:
        return None
    if laid > value or total % value:
        return violation("wippen", Code.BAD_SUM, card=move.card, value=value)
    counts = list(values_of(move.cards))
    counts[laid - 1] += 1
    if not splits(tuple(counts), value):
        return violation("wippen", Code.BAD_GROUPS, value=value)
    if not table.options.double_building:
        return violation("wippen", Code.OPTION_OFF, option="doubleBuilding")
    if value > HIGHEST_NUMERAL:
        return violation("wippen", Code.PICTURES_DOUBLED, value=value)
    if total > DOUBLE * value and table.options.max_groups:
        return violation("wippen", Code.TOO_MANY_GROUPS, groups=table.options.max_groups)
    return None


def _refuse_another_group(table: Table, build: LayoutBuild) -> Violation | None:
    if build.value > HIGHEST_NUMERAL:
        return violation("wippen", Code.PICTURES_DOUBLED, value=build.value)
    if not build.is_single and table.options.max_groups:
        return violation("wippen", Code.TOO_MANY_GROUPS, groups=table.options.max_groups)
    return None


def _refuse_duty(table: Table, build: LayoutBuild | None, seat: int) -> Violation | None:
    """Why the seat must see to a build of its own first; `build` is the one it extends or raises."""
    if table.options.build_obligation == "noTrail":
        return None
    for own in table.owned_by(seat):
        if own != build or table.options.build_obligation == "capture":
            return violation("wippen", Code.MUST_RESOLVE_BUILD, build=own.id, value=own.value)
    return None


def _refuse_holding(
    table: Table, move: Build | Extend | Raise, value: int, seat: int, hold: Holder
) -> Violation | None:
    if not hold.may(move.card, {value: 1}):
        return violation("wippen", Code.NO_HOLDING_CARD, value=value)
    needs = table.needs_after(move, seat)
    if hold.may(move.card, needs):
        return None
    short = next((each for each in sorted(needs) if not hold.may(move.card, {each: needs[each]})), value)
    return violation("wippen", Code.LAST_HOLDING_CARD, card=move.card, value=short)


# --- listing


def trail_runs(table: Table, card: Card, seat: int, hold: Holder) -> Iterator[Run[Move]]:
    """Laying a card, where it is legal."""
    move = Trail(card)
    if refuse_trail(table, move, seat, hold) is None:
        yield Few([move])


def build_runs(table: Table, card: Card, seat: int, hold: Holder) -> Iterator[Run[Move]]:
    """Every legal new build with a card."""
    if not table.options.building or not table.is_number(card) or _refuse_duty(table, None, seat):
        return
    items = Items(open_items(table.numbers()))
    for value in range(value_of(card), table.ceiling + 1):
        made = Build(card, (), value)
        if _refuse_holding(table, made, value, seat, hold) is None:
            for family in _families(table, items, value_of(card), value):
                yield Many(family, partial(_build_of, card, value, items))


def extend_runs(table: Table, card: Card, seat: int, hold: Holder) -> Iterator[Run[Move]]:
    """Every legal further group on a build with a card."""
    if not table.options.double_building or not table.is_number(card):
        return
    items = Items(open_items(table.numbers()))
    for build in table.builds:
        short = build.value - value_of(card)
        alone = Extend(card, build.id)
        refused = (
            short < 0
            or (build.owner != seat and not table.options.extend_foreign)
            or _refuse_another_group(table, build)
            or _refuse_duty(table, build, seat)
            or _refuse_holding(table, alone, build.value, seat, hold)
        )
        if not refused and short:
            yield Many(groups(items.layout, short), partial(_extend_of, card, build.id, items))
        elif not refused:
            yield Few([alone])


def raise_runs(table: Table, card: Card, seat: int, hold: Holder) -> Iterator[Run[Move]]:
    """Every legal raise with a card."""
    if not table.options.raising or not table.is_number(card):
        return
    for build in table.builds:
        heart = build.value + value_of(card)
        if not build.is_single or (build.owner == seat and not table.options.raise_own):
            continue
        if _refuse_duty(table, build, seat):
            continue
        for value in range(heart, table.ceiling + 1):
            if _refuse_holding(table, Raise(card, build.id, value), value, seat, hold) is None:
                yield from _raises_to(table, card, build, value)


def _raises_to(table: Table, card: Card, build: LayoutBuild, value: int) -> Iterator[Run[Move]]:
    heart = build.value + value_of(card)
    if heart == value:
        yield Few([Raise(card, build.id, value)])
    if table.options.raise_with_open:
        items = Items(open_items(table.numbers()))
        for family in _families(table, items, heart, value):
            yield Many(family, partial(_raise_of, card, build.id, value, items))


def _families(table: Table, items: Items, laid: int, value: int) -> Iterator[Family]:
    """The open cards that make one group, or more where that is agreed, of the value with what is laid."""
    several = table.options.double_building and value <= HIGHEST_NUMERAL
    if several and not table.options.max_groups:
        yield builds(items.layout, laid, value, groups_made=0)
        return
    if laid < value:
        yield builds(items.layout, laid, value)
    if several:
        yield builds(items.layout, laid, value, groups_made=DOUBLE)


def _build_of(card: Card, value: int, items: Items, take: Take) -> Move:
    return Build(card, items.gain(take).cards, value)


def _extend_of(card: Card, number: int, items: Items, take: Take) -> Move:
    return Extend(card, number, items.gain(take).cards)


def _raise_of(card: Card, number: int, value: int, items: Items, take: Take) -> Move:
    return Raise(card, number, value, items.gain(take).cards)
