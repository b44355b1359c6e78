"""The legal moves of a seat of Le Wipe that is to play, listed lazily: captures, builds, raises, laying down."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from ...cards import Card
from ...game import Blocked, CaptureGroup, CaptureShape
from ...mechanics.fishing import Take, builds, groups
from ...mechanics.holding import Holder
from ...mechanics.layout import (
    Few,
    Gain,
    Items,
    LayoutBuild,
    Listing,
    Many,
    Run,
    build_item,
    open_items,
    value_of,
)
from ...moves import Build, Capture, Extend, Move, Raise, Trail
from .judging import due_build, owned, raised, refuse_card, still_owed, with_build
from .knowledge import holder_of
from .state import WipeState
from .takings import Part, ceiling, group_parts, has_value, is_addable, parts_of, shapes_of


def listing_of(state: WipeState, seat: int, others: Sequence[Move]) -> Listing:
    """What a seat can play now, whose turn it is; `others` are its moves that play no card."""
    plays = _Plays(state, seat, holder_of(state, seat))
    return Listing(
        cards=plays.holder.playable(), moves=plays.moves, groups=plays.groups, shapes=plays.shapes, others=others
    )


def blocked_cards(state: WipeState, seat: int) -> tuple[Blocked, ...]:
    """The known cards of the hand that may not be played in any way, with the reason why not even laid down."""
    plays = _Plays(state, seat, holder_of(state, seat))
    found = []
    for card in state.hands[seat].cards:
        if not any(run.total for run in plays.moves(card)):
            refused = refuse_card(state, Trail(card), seat, plays.holder)
            assert refused is not None
            found.append(Blocked(card, refused))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ShapesOf:
    """A run of the shapes of a part; a shape all of whose captures are left out of it is left out too."""

    card: Card
    part: Part

    @property
    def total(self) -> int:
        """How many there are."""
        family = self.part.family
        assert family is not None
        return family.shapes - sum(family.ways(shape) == number for shape, number in self.part.dropped.items())

    def page(self, limit: int, cursor: str) -> tuple[Sequence[CaptureShape], str]:
        """Shapes from the cursor on."""
        family = self.part.family
        assert family is not None
        found: list[CaptureShape] = []
        at = value_of(self.card) - 1
        while True:
            shapes, cursor = family.list_shapes(limit - len(found), cursor)
            for shape in shapes:
                ways = family.ways(shape) - self.part.dropped[shape]
                taken = (*shape[:at], shape[at] + self.part.bundled, *shape[at + 1 :]) if self.part.bundled else shape
                if ways:
                    found.append(CaptureShape(self.card, taken, ways, self.part.stolen_from))
            if not cursor or len(found) >= limit:
                return found, cursor


@dataclass(frozen=True, slots=True)
class _Plays:
    """The plays of a seat, card by card."""

    state: WipeState
    seat: int
    holder: Holder

    def moves(self, card: Card) -> Iterator[Run[Move]]:
        """The moves with a card: captures, new builds, extended and raised ones, and laying it down."""
        for part in self._captures(card):
            if part.family is None or part.items is None:
                yield Few([_capture(card, gain) for gain in part.gains])
            else:
                yield Many(part.family, _maker(card, part.items))
        if self.state.options.building and has_value(self.state.options, card):
            yield from self._builds(card)
        yield Few([Trail(card)] if refuse_card(self.state, Trail(card), self.seat, self.holder) is None else [])

    def groups(self, card: Card) -> Iterator[Run[CaptureGroup]]:
        """The single groups that captures with a card are made of."""
        for part in group_parts(self.state, self.seat, card):
            if part.family is None or part.items is None:
                yield Few([_group(card, gain) for gain in part.gains])
            else:
                yield Many(part.family, _group_maker(card, part.items))

    def shapes(self, card: Card) -> Iterator[Run[CaptureShape]]:
        """The shapes of the captures with a card."""
        for part in self._captures(card):
            yield Few(list(shapes_of(card, part))) if part.family is None else ShapesOf(card, part)

    # --- captures

    def _captures(self, card: Card) -> list[Part]:
        """The captures with a card, in parts: all, or what takes a build that is due or would have no holding card."""
        state, seat, value = self.state, self.seat, value_of(card)
        due = due_build(state, seat)
        if due is not None and not is_addable(state.options, due.value, value):
            return []
        mine = [build for build in owned(state, seat) if build.value == value and has_value(state.options, card)]
        others = [build for build in owned(state, seat) if build not in mine and build is not due]
        if not self._may_keep(card, others):
            return []
        if not mine or self._may_keep(card, [*others, *mine]):
            return parts_of(state, seat, card, None if due is None else build_item(due))
        if state.options.multi_capture == "any":
            return parts_of(state, seat, card, build_item(*mine))
        enough = self._may_keep(card, [*others, *mine[1:]])
        return [Part(gains=[Gain(builds=(build.id,)) for build in mine])] if enough else []

    def _may_keep(self, card: Card, left: Sequence[LayoutBuild]) -> bool:
        """Whether what is owed for the builds left can still be held after this card."""
        return self.holder.may(card, still_owed(self.state, self.seat, left))

    # --- builds

    def _builds(self, card: Card) -> Iterator[Run[Move]]:
        state, due = self.state, due_build(self.state, self.seat)
        if due is None:
            for value in range(value_of(card), ceiling(state.options) + 1):
                yield from self._new_builds(card, value)
        if due is not None and state.options.build_obligation == "capture":
            return
        for build in state.builds:
            if build.is_single and due in (None, build):
                yield from self._extensions(card, build)
                yield from self._raises(card, build)

    def _may_leave(self, card: Card, changed: LayoutBuild, builds_after: Sequence[LayoutBuild]) -> bool:
        owed = still_owed(self.state, self.seat, builds_after)
        owed[changed.value] = max(1, owed[changed.value])
        return self.holder.may(card, owed)

    def _new_builds(self, card: Card, value: int) -> Iterator[Run[Move]]:
        state = self.state
        new = LayoutBuild(id=1, value=value, owner=self.seat, groups=((card,),))
        if not self._may_leave(card, new, (*state.builds, new)):
            return
        played = value_of(card)
        items = Items(open_items(lying for lying in state.layout if has_value(state.options, lying)))

        def make(take: Take) -> Move:
            return Build(card, items.gain(take).cards, value)

        if state.options.build_layout_cards == "any":
            yield Many(builds(items.layout, played, value), make)
            if state.options.double_building:
                yield Many(builds(items.layout, played, value, groups_made=2), make)
            return
        added = {value - played} | ({played} if state.options.double_building and played == value else set())
        yield Few(
            [
                Build(card, (lying,), value)
                for lying in state.layout
                if has_value(state.options, lying) and value_of(lying) in added
            ]
        )

    def _extensions(self, card: Card, build: LayoutBuild) -> Iterator[Run[Move]]:
        state, played = self.state, value_of(card)
        if not state.options.double_building or played > build.value:
            return
        changed = replace(build, owner=self.seat, groups=(*build.groups, (card,)))
        if not self._may_leave(card, changed, with_build(state, changed)):
            return
        if played == build.value:
            yield Few([Extend(card, build.id)])
        elif state.options.build_layout_cards == "any":
            items = Items(open_items(lying for lying in state.layout if has_value(state.options, lying)))

            def make(take: Take) -> Move:
                return Extend(card, build.id, items.gain(take).cards)

            yield Many(groups(items.layout, build.value - played), make)

    def _raises(self, card: Card, build: LayoutBuild) -> Iterator[Run[Move]]:
        state = self.state
        value = build.value + value_of(card)
        if not state.options.raising or value > ceiling(state.options):
            return
        changed = raised(build, card, self.seat)
        if self._may_leave(card, changed, with_build(state, changed)):
            yield Few([Raise(card, build.id, value)])


def _capture(card: Card, gain: Gain) -> Move:
    return Capture(card, gain.cards, gain.builds, gain.tricks, heaps=gain.heaps)


def _maker(card: Card, items: Items) -> Callable[[Take], Move]:
    return lambda take: _capture(card, items.gain(take))


def _group(card: Card, gain: Gain) -> CaptureGroup:
    return CaptureGroup(card, gain.cards, gain.builds, gain.tricks, gain.heaps)


def _group_maker(card: Card, items: Items) -> Callable[[Take], CaptureGroup]:
    return lambda take: _group(card, items.gain(take))
