"""Why a capture is refused in Wippen."""

from msgspec.structs import replace

from ...cards import Card
from ...mechanics.builds import LayoutBuild
from ...mechanics.fishing import is_maximal, splits
from ...mechanics.holding import Holder
from ...mechanics.layout import Items, taken_from, value_of, values_of
from ...moves import Capture
from ...violations import Code, Violation, violation
from .table import Table

SIZES = {"one": (1,), "oneOrThree": (1, 3)}


def refuse_capture(table: Table, move: Capture, seat: int, hold: Holder) -> Violation | None:
    """Why a capture is illegal; the card is taken to be held."""
    absent = refuse_cards(table, move.take) or _refuse_builds(table, move)
    if absent:
        return absent
    if not move.take and not move.builds:
        return violation("wippen", Code.NOTHING_TAKEN)
    wrong = _refuse_number(table, move) if table.is_number(move.card) else _refuse_picture(table, move)
    return wrong or _refuse_duty(table, move, seat, hold)


def refuse_cards(table: Table, cards: tuple[Card, ...]) -> Violation | None:
    """Why these cards cannot be taken or used: one does not lie open, as often as it is named."""
    if taken_from(table.layout, cards) is not None:
        return None
    card = next(card for card in cards if cards.count(card) > table.layout.count(card))
    build = next((build for build in table.builds if card in build.cards), None)
    if build is not None:
        return violation("wippen", Code.CARD_IN_BUILD, card=card, build=build.id)
    return violation("wippen", Code.NOT_IN_LAYOUT, card=card)


def bad_sum(card: Card, value: int, clause: str) -> Violation:
    """Cards do not add up to the value, as this clause has it for what was made of them."""
    return replace(violation("wippen", Code.BAD_SUM, card=card, value=value), clause=f"wippen/{clause}")


def _refuse_builds(table: Table, move: Capture) -> Violation | None:
    unknown = next((number for number in move.builds if table.build(number) is None), None)
    return None if unknown is None else violation("wippen", Code.NO_SUCH_BUILD, build=unknown)


def _refuse_picture(table: Table, move: Capture) -> Violation | None:
    value = value_of(move.card)
    if move.builds or any(value_of(card) != value for card in move.take):
        return violation("wippen", Code.PICTURE_NO_VALUE, card=move.card)
    rule = table.options.picture_capture
    matching = sum(value_of(card) == value for card in table.layout)
    if rule == "all" and len(move.take) < matching:
        return violation("wippen", Code.PICTURES_AT_ONCE, card=move.card, option=rule)
    if len(move.take) not in SIZES.get(rule, (len(move.take),)):
        return violation("wippen", Code.PICTURES_AT_ONCE, card=move.card, option=rule)
    if table.options.capture_choice == "maximal":
        most = max(size for size in SIZES.get(rule, (matching,)) if size <= matching)
        if len(move.take) < most:
            return violation("wippen", Code.NOT_MAXIMAL, card=move.card)
    return None


def _refuse_number(table: Table, move: Capture) -> Violation | None:
    value = value_of(move.card)
    options = table.options
    picture = next((card for card in move.take if not table.is_number(card)), None)
    if picture is not None:
        return violation("wippen", Code.PICTURE_NO_VALUE, card=picture)
    builds = [build for build in table.builds if build.id in move.builds]
    for build in builds:
        if build.value != value and not table.counts_in_sums(build):
            return violation("wippen", Code.BUILD_NOT_IN_SUM, build=build.id, value=build.value)
    claim = _claim(move, builds)
    total = sum(number * copies for number, copies in enumerate(claim, 1))
    if not splits(claim, value):
        return bad_sum(move.card, value, "WI-16" if total > value else "WI-15")
    if not options.adding and any(value_of(card) != value for card in move.take):
        return violation("wippen", Code.OPTION_OFF, option="adding")
    single = options.multi_capture == "single" or not options.adding
    if single and total > value:
        return violation("wippen", Code.ONE_GROUP_ONLY, card=move.card, value=value)
    if options.capture_choice == "maximal" and not single:
        there = Items(table.items(move.card)).counts
        if not is_maximal(there, claim, value):
            return violation("wippen", Code.NOT_MAXIMAL, card=move.card)
    return None


def _claim(move: Capture, builds: list[LayoutBuild]) -> tuple[int, ...]:
    counts = list(values_of(move.take))
    for build in builds:
        counts[build.value - 1] += 1
    return tuple(counts)


def _refuse_duty(table: Table, move: Capture, seat: int, hold: Holder) -> Violation | None:
    ways = table.must_take(move.card, seat, hold)
    if any({build.id for build in way} <= set(move.builds) for way in ways):
        return None
    own = table.owned_by(seat)
    if table.options.build_obligation == "noTrail":
        return violation("wippen", Code.LAST_HOLDING_CARD, card=move.card, value=value_of(move.card))
    return violation("wippen", Code.MUST_RESOLVE_BUILD, build=own[0].id, value=own[0].value)
