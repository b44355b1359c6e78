"""Why a card may not be built with in Wippen, may not double or raise a build, or may not be laid."""

from ...cards import Card
from ...mechanics.builds import LayoutBuild
from ...mechanics.fishing import splits
from ...mechanics.holding import Holder
from ...mechanics.layout import HIGHEST_NUMERAL, value_of, values_of
from ...moves import Build, Extend, Raise, Trail
from ...violations import Code, Violation, violation
from .capturing import bad_sum, refuse_cards
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
    return wrong or refuse_duty(table, None, seat) or refuse_holding(table, move, move.value, seat, hold)


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
        return bad_sum(move.card, build.value, "WI-22")
    wrong = refuse_another_group(table, build)
    return wrong or refuse_duty(table, build, seat) or refuse_holding(table, move, build.value, seat, hold)


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
    return wrong or refuse_duty(table, build, seat) or refuse_holding(table, move, move.value, seat, hold)


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
        return bad_sum(move.card, value, "WI-17" if isinstance(move, Build) else "WI-21")
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


def refuse_another_group(table: Table, build: LayoutBuild) -> Violation | None:
    """Why a build may have no further group."""
    if build.value > HIGHEST_NUMERAL:
        return violation("wippen", Code.PICTURES_DOUBLED, value=build.value)
    if not build.is_single and table.options.max_groups:
        return violation("wippen", Code.TOO_MANY_GROUPS, groups=table.options.max_groups)
    return None


def refuse_duty(table: Table, build: LayoutBuild | None, seat: int) -> Violation | None:
    """Why the seat must see to a build of its own first; `build` is the one it extends or raises."""
    if table.options.build_obligation == "noTrail":
        return None
    for own in table.owned_by(seat):
        if own != build or table.options.build_obligation == "capture":
            return violation("wippen", Code.MUST_RESOLVE_BUILD, build=own.id, value=own.value)
    return None


def refuse_holding(table: Table, move: Build | Extend | Raise, value: int, seat: int, hold: Holder) -> Violation | None:
    """Why what is held after a move would not do: no card of the value built, or none for a build that is owned."""
    if not hold.may(move.card, {value: 1}):
        return violation("wippen", Code.NO_HOLDING_CARD, value=value)
    needs = table.needs_after(move, seat)
    if hold.may(move.card, needs):
        return None
    short = next((each for each in sorted(needs) if not hold.may(move.card, {each: needs[each]})), value)
    return violation("wippen", Code.LAST_HOLDING_CARD, card=move.card, value=short)
