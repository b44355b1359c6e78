"""Why a card may not be played as a seat of Le Wipe wants to: laid down, to capture, or to build."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ...cards import Card
from ...mechanics.builds import LayoutBuild
from ...mechanics.fishing import splits
from ...mechanics.holding import Holder
from ...mechanics.layout import Gain, value_of, values_of
from ...moves import Build, Capture, Extend, Raise, Trail
from ...violations import Code, Malformed, Param, Violation, violation
from .knowledge import holder_of, owed_holdings
from .play import built, clears
from .state import WipeState
from .table import heaps_of, side_of, sides_of
from .takings import (
    adds_up,
    capturing_values,
    ceiling,
    has_value,
    is_addable,
    is_open_whole,
    picture_takes,
    taken_values,
)

CardMove = Capture | Build | Extend | Raise | Trail


def no(code: Code, **params: Param) -> Violation:
    """A violation of this game's clauses."""
    return violation("wipe", code, **params)


def refuse_card(state: WipeState, move: CardMove, seat: int, holder: Holder | None = None) -> Violation | None:
    """Why a seat may not play this card so now; it is that seat's turn. `holder` is its hand, where that is at hand."""
    holder = holder or holder_of(state, seat)
    if not holder.may(move.card):
        if state.hands[seat].hidden:
            return no(Code.CARD_ELSEWHERE, card=move.card, hand=seat)
        return no(Code.NOT_IN_HAND, card=move.card)
    match move:
        case Trail():
            return _refuse_trail(state, move, seat, holder)
        case Capture():
            return _refuse_capture(state, move, seat, holder)
        case Build():
            return _refuse_build(state, move, seat, holder)
        case Extend():
            return _refuse_extend(state, move, seat, holder)
        case Raise():
            return _refuse_raise(state, move, seat, holder)


# --- builds that oblige


def owned(state: WipeState, seat: int) -> tuple[LayoutBuild, ...]:
    """The builds that a seat owes something for: none where nothing is owed (LA13)."""
    if state.options.build_obligation == "none":
        return ()
    return tuple(build for build in state.builds if build.owner == seat)


def due_build(state: WipeState, seat: int) -> LayoutBuild | None:
    """The build that a seat's move must deal with now (LA13)."""
    mine = owned(state, seat)
    return mine[0] if mine and state.options.build_obligation in ("resolve", "capture") else None


def still_owed(state: WipeState, seat: int, builds: Iterable[LayoutBuild]) -> Counter[int]:
    """How many cards of each value a seat must hold with these builds in the layout."""
    return owed_holdings(state.options, builds, len(state.hands))[seat]


def _refuse_due(state: WipeState, seat: int, dealt_with: int | None = None) -> Violation | None:
    """Why a build that is due forbids a move that captures, raises or extends only this one."""
    due = due_build(state, seat)
    if due is None or due.id == dealt_with:
        return None
    return no(Code.MUST_RESOLVE_BUILD, build=due.id, value=due.value)


def _refuse_keeping(
    state: WipeState, seat: int, card: Card, holder: Holder, builds: Iterable[LayoutBuild]
) -> Violation | None:
    """Why a card may not be played with these builds then in the layout: one of them would have no holding card."""
    owed = still_owed(state, seat, builds)
    if not owed or holder.may(card, owed):
        return None
    value = next((value for value, number in owed.items() if not holder.may(card, {value: number})), min(owed))
    return no(Code.LAST_HOLDING_CARD, card=card, value=value)


# --- laying down


def _refuse_trail(state: WipeState, move: Trail, seat: int, holder: Holder) -> Violation | None:
    mine = owned(state, seat)
    if mine:
        return no(Code.MUST_RESOLVE_BUILD, build=mine[0].id, value=mine[0].value)
    if state.options.forced_capture == "off":
        return None
    taking = capturing_values(state, seat)
    if value_of(move.card) in taking:
        return no(Code.MUST_CAPTURE, card=move.card)
    lacks = sum(1 << value for value in taking)
    if state.options.forced_capture == "card" or holder.may(move.card, lacks=lacks):
        return None
    return no(Code.MUST_CAPTURE, card=move.card)


# --- capturing


def _refuse_capture(state: WipeState, move: Capture, seat: int, holder: Holder) -> Violation | None:
    if not (move.take or move.builds or move.tricks or move.heaps):
        return no(Code.NOTHING_TAKEN)
    return (
        _refuse_cards(state, move.take)
        or _refuse_builds(state, move.builds)
        or _refuse_stealing(state, move, seat)
        or (_refuse_sum(state, move) if has_value(state.options, move.card) else _refuse_rank(state, move, seat))
        or _refuse_uncaptured(state, move, seat, holder)
        or _refuse_manner(state, move)
    )


def _refuse_cards(state: WipeState, cards: Sequence[Card]) -> Violation | None:
    for card in cards:
        if cards.count(card) > 1 or card not in state.layout:
            inside = next((build.id for build in state.builds if card in build.cards), None)
            if inside is None:
                return no(Code.NOT_IN_LAYOUT, card=card)
            return no(Code.CARD_IN_BUILD, card=card, build=inside)
    return None


def _refuse_builds(state: WipeState, ids: Iterable[int]) -> Violation | None:
    there = {build.id for build in state.builds}
    return next((no(Code.NO_SUCH_BUILD, build=number) for number in ids if number not in there), None)


def _refuse_stealing(state: WipeState, move: Capture, seat: int) -> Violation | None:
    stolen = (*move.tricks, *move.heaps)
    seats = len(state.hands)
    for name, heaps in (("tricks", move.tricks), ("heaps", move.heaps)):
        for index, heap in enumerate(heaps):
            if not 0 <= heap < heaps_of(state.options, seats):
                raise Malformed(f"$.move.{name}[{index}]", f"there is no heap {heap}")
    if set(move.tricks) & set(move.heaps):
        raise Malformed("$.move.heaps", "a heap is taken whole or its last trick is, not both")
    if stolen and not state.options.steal:
        return no(Code.STEALING_OFF)
    for heap in stolen:
        if heap % sides_of(seats) == side_of(seats, seat):
            return no(Code.OWN_HEAP, heap=heap)
        if not state.heaps[heap].tricks:
            return no(Code.NO_OPEN_TRICK, heap=heap)
        if heap in move.heaps and not is_open_whole(state, heap):
            return no(Code.HEAP_NOT_OPEN, heap=heap)
    if len(stolen) > 1 and state.options.steal_limit == "onePerMove":
        return no(Code.ONE_STEAL_ONLY)
    if stolen and not (move.take or move.builds or state.options.steal_alone):
        return no(Code.STEAL_NOT_ALONE)
    return None


def _ranks_stolen(state: WipeState, move: Capture) -> list[Card]:
    return [state.heaps[heap].tricks[-1].by for heap in (*move.tricks, *move.heaps)]


def _refuse_rank(state: WipeState, move: Capture, seat: int) -> Violation | None:
    """Why a picture without a value does not take these: its own rank only, and so many (LA3, LA6)."""
    others = [card for card in (*move.take, *_ranks_stolen(state, move)) if card[0] != move.card[0]]
    if others or move.builds:
        return no(Code.PICTURE_NO_VALUE, card=move.card)
    if not picture_takes(state, seat, move.card, _gain(move)):
        return no(Code.PICTURES_AT_ONCE, card=move.card, option=state.options.picture_capture)
    return None


def _refuse_sum(state: WipeState, move: Capture) -> Violation | None:
    """Why a card does not take things that total its value, or fall apart into groups that do (L-3, LA5)."""
    value = value_of(move.card)
    for card in (*move.take, *_ranks_stolen(state, move)):
        if not has_value(state.options, card):
            return no(Code.PICTURE_NO_VALUE, card=card)
    for build in state.builds:
        if build.id in move.builds and build.value < value and not is_addable(state.options, build.value, value):
            return no(Code.BUILD_NOT_IN_SUM, build=build.id, value=build.value)
    counts = taken_values(state, _gain(move))
    if adds_up(state.options, counts, value):
        return None
    total = sum(number * copies for number, copies in enumerate(counts, 1))
    if total % value or any(counts[value:]):
        return no(Code.BAD_SUM, card=move.card, value=value)
    return no(Code.ONE_GROUP_ONLY if splits(counts, value) else Code.BAD_GROUPS, card=move.card, value=value)


def _refuse_uncaptured(state: WipeState, move: Capture, seat: int, holder: Holder) -> Violation | None:
    due = due_build(state, seat)
    left = [build for build in state.builds if build.id not in move.builds]
    if due in left:
        return _refuse_due(state, seat)
    return _refuse_keeping(state, seat, move.card, holder, left)


def _refuse_manner(state: WipeState, move: Capture) -> Violation | None:
    if move.crossed is not None and state.options.crossing == "auto":
        return no(Code.CROSSING_NOT_DECLARED)
    if move.announce and state.options.false_sweep == "reject" and not clears(state, move):
        return no(Code.NOT_A_WIPE)
    return None


def _gain(move: Capture) -> Gain:
    return Gain(move.take, move.builds, move.tricks, move.heaps)


# --- building


def _refuse_build(state: WipeState, move: Build, seat: int, holder: Holder) -> Violation | None:
    if not move.cards:
        return no(Code.NOTHING_ADDED, card=move.card)
    refused = (
        _refuse_off(state)
        or _refuse_cards(state, move.cards)
        or _refuse_pictures(state, (move.card, *move.cards))
        or _refuse_due(state, seat)
        or _refuse_value(state, move)
    )
    if refused is not None:
        return refused
    if state.options.build_layout_cards == "one" and len(move.cards) > 1:
        return no(Code.ONE_THING_ONLY, card=move.card)
    return _refuse_holding(state, seat, move.card, holder, move.value, (*state.builds, built(state, move, seat)))


def _refuse_off(state: WipeState, *more: tuple[str, bool]) -> Violation | None:
    for name, on in (("building", state.options.building), *more):
        if not on:
            return no(Code.OPTION_OFF, option=name)
    return None


def _refuse_pictures(state: WipeState, cards: Iterable[Card]) -> Violation | None:
    without = (card for card in cards if not has_value(state.options, card))
    return next((no(Code.PICTURE_NO_VALUE, card=card) for card in without), None)


def _refuse_value(state: WipeState, move: Build) -> Violation | None:
    """Why cards are no build of the value said: their total is another, or they are not two groups of it."""
    cards = (move.card, *move.cards)
    total = sum(map(value_of, cards))
    if move.value > ceiling(state.options):
        return no(Code.ABOVE_CEILING, value=move.value, highest=ceiling(state.options))
    if total == move.value:
        return None
    if total != 2 * move.value:
        return no(Code.BAD_SUM, card=move.card, value=move.value)
    if not splits(values_of(cards), move.value):
        return no(Code.BAD_GROUPS, card=move.card, value=move.value)
    return _refuse_off(state, ("doubleBuilding", state.options.double_building))


def _refuse_holding(
    state: WipeState, seat: int, card: Card, holder: Holder, value: int, builds: Sequence[LayoutBuild]
) -> Violation | None:
    """Why a build may not be left so: no card of its value is held, or none for another owned build (L-7, LA13)."""
    if not holder.may(card, {value: 1}):
        return no(Code.NO_HOLDING_CARD, value=value)
    return _refuse_keeping(state, seat, card, holder, builds)


def _refuse_extend(state: WipeState, move: Extend, seat: int, holder: Holder) -> Violation | None:
    build = next((each for each in state.builds if each.id == move.build), None)
    refused = (
        _refuse_off(state, ("doubleBuilding", state.options.double_building))
        or _refuse_builds(state, (move.build,))
        or _refuse_cards(state, move.cards)
        or _refuse_pictures(state, (move.card, *move.cards))
        or _refuse_due(state, seat, move.build if state.options.build_obligation == "resolve" else None)
    )
    if refused is not None or build is None:
        return refused
    if not build.is_single:
        return no(Code.TOO_MANY_GROUPS, groups=len(build.groups))
    total = sum(map(value_of, (move.card, *move.cards)))
    if total != build.value:
        return no(Code.BAD_SUM, card=move.card, value=build.value)
    if state.options.build_layout_cards == "one" and move.cards:
        return no(Code.ONE_THING_ONLY, card=move.card)
    after = with_build(state, replace(build, owner=seat, groups=(*build.groups, (move.card, *move.cards))))
    return _refuse_holding(state, seat, move.card, holder, build.value, after)


def _refuse_raise(state: WipeState, move: Raise, seat: int, holder: Holder) -> Violation | None:
    build = next((each for each in state.builds if each.id == move.build), None)
    refused = (
        _refuse_off(state, ("raising", state.options.raising))
        or _refuse_builds(state, (move.build,))
        or _refuse_cards(state, move.cards)
        or _refuse_pictures(state, (move.card, *move.cards))
        or _refuse_due(state, seat, move.build if state.options.build_obligation == "resolve" else None)
    )
    if refused is not None or build is None:
        return refused
    if not build.is_single:
        return no(Code.DOUBLE_LOCKED, build=build.id)
    if move.cards:
        return no(Code.ONE_THING_ONLY, card=move.card)
    total = build.value + value_of(move.card)
    if total > ceiling(state.options):
        return no(Code.ABOVE_CEILING, value=total, highest=ceiling(state.options))
    if total != move.value:
        return no(Code.BAD_SUM, card=move.card, value=move.value)
    after = with_build(state, raised(build, move.card, seat))
    return _refuse_holding(state, seat, move.card, holder, total, after)


def raised(build: LayoutBuild, card: Card, seat: int) -> LayoutBuild:
    """A build with one more card, and the value that makes."""
    return replace(build, owner=seat, value=build.value + value_of(card), groups=((*build.cards, card),))


def with_build(state: WipeState, changed: LayoutBuild) -> tuple[LayoutBuild, ...]:
    """The layout's builds with one of them changed."""
    return tuple(changed if build.id == changed.id else build for build in state.builds)
