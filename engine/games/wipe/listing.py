"""The legal moves of a seat of Le Wipe that is to play, listed lazily: captures, builds, raises, laying down."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from ...cards import Card
from ...game import Blocked, CaptureGroup, CaptureShape
from ...mechanics.builds import LayoutBuild
from ...mechanics.fishing import Family, Pool, Take
from ...mechanics.layout import Gain, Items, build_item, open_items, value_of
from ...mechanics.runs import Few, Listing, Many, Run
from ...moves import Build, Capture, Extend, Move, Raise, Trail
from .judging import due_build, owned, raised, refuse_card, still_owed, with_build
from .knowledge import holder_of
from .state import WipeState
from .takings import Part, ceiling, group_parts, has_value, is_addable, parts_of, shapes_of

Offer = Callable[[Card], Run[Move]]
"""Moves with whichever card of a value is named."""


class ShapesOf:
    """A run of the shapes of a part; a shape all of whose captures are left out of it is left out too."""

    __slots__ = ("card", "part")

    def __init__(self, card: Card, part: Part) -> None:
        self.card = card
        self.part = part

    @property
    def total(self) -> int:
        """How many there are."""
        family = self.part.family
        assert family is not None
        return family.shapes - sum(family.ways(shape) == number for shape, number in self.part.dropped.items())

    def page(self, limit: int, cursor: str, room: int) -> tuple[Sequence[CaptureShape], str]:
        """Shapes from the cursor on."""
        del room
        family = self.part.family
        assert family is not None
        found: list[CaptureShape] = []
        at = value_of(self.card) - 1
        while True:
            shapes, cursor = family.list_shapes(limit - len(found), cursor)
            for shape in shapes:
                ways = family.ways(shape) - self.part.dropped.get(shape, 0)
                taken = (*shape[:at], shape[at] + self.part.bundled, *shape[at + 1 :]) if self.part.bundled else shape
                if ways:
                    found.append(CaptureShape(self.card, taken, ways, self.part.stolen_from))
            if not cursor or len(found) >= limit:
                return found, cursor


class Plays:
    """What a seat can play, worked out as it is asked for. Cards of one value have the same moves."""

    def __init__(self, state: WipeState, seat: int) -> None:
        self.state = state
        self.seat = seat
        self.holder = holder_of(state, seat)
        self._shown = frozenset(state.hands[seat].cards)
        self._numbers = Items(open_items(lying for lying in state.layout if has_value(state.options, lying)))
        self._pool = Pool(self._numbers.layout)
        self._parts: dict[tuple[int, bool], list[Part]] = {}
        self._groups: dict[int, list[Part]] = {}
        self._offers: dict[tuple[int, bool], list[Offer]] = {}

    def listing(self, others: Sequence[Move]) -> Listing:
        """All of it, to be listed; `others` are the seat's moves that play no card."""
        return Listing(
            cards=self.holder.playable(), moves=self.moves, groups=self.groups, shapes=self.shapes, others=others
        )

    def blocked(self) -> tuple[Blocked, ...]:
        """The known cards of the hand that may not be played in any way, with the reason why not even laid down."""
        found = []
        for card in self.state.hands[self.seat].cards:
            if not any(run.total for run in self.moves(card)):
                refused = refuse_card(self.state, Trail(card), self.seat, self.holder)
                assert refused is not None
                found.append(Blocked(card, refused))
        return tuple(found)

    def moves(self, card: Card) -> Iterator[Run[Move]]:
        """The moves with a card: captures, new builds, extended and raised ones, and laying it down."""
        key = self._key(card)
        if key not in self._offers:
            self._offers[key] = list(self._offered(card))
        return (offer(card) for offer in self._offers[key])

    def groups(self, card: Card) -> Iterator[Run[CaptureGroup]]:
        """The single groups that captures with a card are made of, where it can rightly capture."""
        if not any(part.total for part in self._captures(card)):
            return
        value = value_of(card)
        if value not in self._groups:
            self._groups[value] = group_parts(self.state, self.seat, card)
        for part in self._groups[value]:
            if part.family is None or part.items is None:
                yield Few([_group(card, gain) for gain in part.gains])
            else:
                yield Many(part.family, partial(_group_of, card, part.items))

    def shapes(self, card: Card) -> Iterator[Run[CaptureShape]]:
        """The shapes of the captures with a card."""
        for part in self._captures(card):
            yield Few(list(shapes_of(self.state.options, card, part))) if part.family is None else ShapesOf(card, part)

    def _key(self, card: Card) -> tuple[int, bool]:
        """What a card has in common with those that have the same moves."""
        return value_of(card), card in self._shown

    def _offered(self, card: Card) -> Iterator[Offer]:
        for part in self._captures(card):
            if part.family is None or part.items is None:
                yield partial(_few_captures, part.gains)
            else:
                yield partial(_many, part.family, _capture_of, part.items)
        if self.state.options.building and has_value(self.state.options, card):
            yield from self._builds(card)
        if refuse_card(self.state, Trail(card), self.seat, self.holder) is None:
            yield lambda card: Few([Trail(card)])

    # --- captures

    def _captures(self, card: Card) -> list[Part]:
        key = self._key(card)
        if key not in self._parts:
            self._parts[key] = self._taking(card)
        return self._parts[key]

    def _taking(self, card: Card) -> list[Part]:
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

    def _builds(self, card: Card) -> Iterator[Offer]:
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

    def _new_builds(self, card: Card, value: int) -> Iterator[Offer]:
        state = self.state
        new = LayoutBuild(id=1, value=value, owner=self.seat, groups=((card,),))
        if not self._may_leave(card, new, (*state.builds, new)):
            return
        played = value_of(card)
        if state.options.build_layout_cards == "any":
            if played < value:
                yield partial(_many, self._pool.groups(value - played), partial(_build_of, value), self._numbers)
            if state.options.double_building:
                yield partial(_many, self._pool.builds(played, value, 2), partial(_build_of, value), self._numbers)
            return
        added = {value - played} | ({played} if state.options.double_building and played == value else set())
        onto = [lying for lying in state.layout if has_value(state.options, lying) and value_of(lying) in added]
        yield lambda card: Few([Build(card, (lying,), value) for lying in onto])

    def _extensions(self, card: Card, build: LayoutBuild) -> Iterator[Offer]:
        state, played = self.state, value_of(card)
        if not state.options.double_building or played > build.value:
            return
        changed = replace(build, owner=self.seat, groups=(*build.groups, (card,)))
        if not self._may_leave(card, changed, with_build(state, changed)):
            return
        if played == build.value:
            yield lambda card: Few([Extend(card, build.id)])
        elif state.options.build_layout_cards == "any":
            family = self._pool.groups(build.value - played)
            yield partial(_many, family, partial(_extend_of, build.id), self._numbers)

    def _raises(self, card: Card, build: LayoutBuild) -> Iterator[Offer]:
        state = self.state
        value = build.value + value_of(card)
        if not state.options.raising or value > ceiling(state.options):
            return
        changed = raised(build, card, self.seat)
        if self._may_leave(card, changed, with_build(state, changed)):
            yield lambda card: Few([Raise(card, build.id, value)])


def _many(family: Family, make: Callable[[Card, Items, Take], Move], items: Items, card: Card) -> Run[Move]:
    return Many(family, partial(make, card, items))


def _capture(card: Card, gain: Gain) -> Move:
    return Capture(card, gain.cards, gain.builds, gain.tricks, heaps=gain.heaps)


def _few_captures(gains: Sequence[Gain], card: Card) -> Run[Move]:
    return Few([_capture(card, gain) for gain in gains])


def _capture_of(card: Card, items: Items, take: Take) -> Move:
    return _capture(card, items.gain(take))


def _build_of(value: int, card: Card, items: Items, take: Take) -> Move:
    return Build(card, items.gain(take).cards, value)


def _extend_of(number: int, card: Card, items: Items, take: Take) -> Move:
    return Extend(card, number, items.gain(take).cards)


def _group(card: Card, gain: Gain) -> CaptureGroup:
    return CaptureGroup(card, gain.cards, gain.builds, gain.tricks, gain.heaps)


def _group_of(card: Card, items: Items, take: Take) -> CaptureGroup:
    return _group(card, items.gain(take))
