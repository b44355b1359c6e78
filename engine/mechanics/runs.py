"""Listing moves of which there may be billions: counted without being made, and made a page at a time.

A *run* is a stretch of the legal moves, or of the groups or shapes of captures, that knows how many they are without
making them; `listing` pages through runs.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Generic, Literal, Protocol, TypeVar

from ..cards import Card
from ..game import Blocked, CaptureGroup, CaptureShape, LegalMove, LegalMoves, Query
from ..moves import Move, text
from ..violations import Malformed
from .fishing import CursorError, Family, Take
from .layout import value_of

MOST_NAMED: Final = 25_000
"""How many cards the moves of one page name, until it ends short of its limit: more than 256 moves ever do."""

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Run(Protocol[T_co]):
    """A stretch of a listing: how many entries, and a page of them with the cursor of the next, "" at the end.

    `room` is how many things the page's entries may name, before the last of them.
    """

    @property
    def total(self) -> int: ...

    def page(self, limit: int, cursor: str, room: int) -> tuple[Sequence[T_co], str]: ...


class Few(Generic[T]):
    """A run of entries made beforehand."""

    __slots__ = ("entries",)

    def __init__(self, entries: Sequence[T]) -> None:
        self.entries = entries

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.entries)

    def page(self, limit: int, cursor: str, room: int) -> tuple[Sequence[T], str]:
        """Entries from the cursor on."""
        del room
        if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) < len("1000000000")):
            raise CursorError("the cursor is not of this listing")
        start = int(cursor or 0)
        if cursor and start >= len(self.entries):
            raise CursorError("the cursor is not of this listing")
        end = start + limit
        return self.entries[start:end], str(end) if end < len(self.entries) else ""


class Many(Generic[T]):
    """A run of a family's sets, each made an entry when it is asked for."""

    __slots__ = ("family", "make")

    def __init__(self, family: Family, make: Callable[[Take], T]) -> None:
        self.family = family
        self.make = make

    @property
    def total(self) -> int:
        """How many there are."""
        return self.family.total

    def page(self, limit: int, cursor: str, room: int) -> tuple[Sequence[T], str]:
        """Entries from the cursor on."""
        takes, following = self.family.list_sets(limit, cursor, room)
        return tuple(map(self.make, takes)), following


class Shapes:
    """A run of the shapes of a family of captures with a card.

    `bundled` is how many builds the family has as one item of the card's value beyond the first.
    """

    __slots__ = ("bundled", "card", "family")

    def __init__(self, card: Card, family: Family, bundled: int = 0) -> None:
        self.card = card
        self.family = family
        self.bundled = bundled

    @property
    def total(self) -> int:
        """How many there are."""
        return self.family.shapes

    def page(self, limit: int, cursor: str, room: int) -> tuple[Sequence[CaptureShape], str]:
        """Shapes from the cursor on."""
        del room
        shapes, following = self.family.list_shapes(limit, cursor)
        at = value_of(self.card) - 1
        return tuple(
            CaptureShape(
                self.card,
                (*shape[:at], shape[at] + self.bundled, *shape[at + 1 :]) if self.bundled else shape,
                self.family.ways(shape),
            )
            for shape in shapes
        ), following


class Listing:
    """What there is to list of a seat's moves: the cards it may play, each once, and by card the runs of each tier.

    `others` are moves that play no card; listed after the rest, and not where one card is asked for.
    """

    __slots__ = ("cards", "groups", "moves", "others", "shapes")

    def __init__(
        self,
        *,
        cards: Sequence[Card],
        moves: Callable[[Card], Iterable[Run[Move]]],
        groups: Callable[[Card], Iterable[Run[CaptureGroup]]],
        shapes: Callable[[Card], Iterable[Run[CaptureShape]]],
        others: Sequence[Move] = (),
    ) -> None:
        self.cards = cards
        self.moves = moves
        self.groups = groups
        self.shapes = shapes
        self.others = others


def listing(
    query: Query,
    what: Listing,
    blocked: Callable[[], Sequence[Blocked]] = tuple,
    needs_chance: Literal["deal", "draw"] | None = None,
) -> LegalMoves:
    """The page that is asked for, of the tier that is asked for; no more is made than its limit."""
    cards = [card for card in what.cards if query.card is None or str(card) == query.card]
    moves: tuple[LegalMove, ...] = ()
    found_groups = found_shapes = None
    match query.tier:
        case None | "moves":
            runs = [run for card in cards for run in what.moves(card)]
            if query.card is None:
                runs.append(Few(what.others))
            found, total, cursor = paged(query, runs)
            moves = tuple(LegalMove(move, text(move)) for move in found)
        case "groups":
            found_groups, total, cursor = paged(query, [run for card in cards for run in what.groups(card)])
        case "shapes":
            found_shapes, total, cursor = paged(query, [run for card in cards for run in what.shapes(card)])
        case _:
            raise Malformed("$.tier", "the tiers are groups, shapes and moves")
    return LegalMoves(
        moves=moves,
        total=total,
        truncated=cursor is not None,
        cursor=cursor,
        groups=found_groups,
        shapes=found_shapes,
        blocked=tuple(blocked()) if query.explain else None,
        needs_chance=needs_chance,
    )


def paged(query: Query, runs: Sequence[Run[T]]) -> tuple[tuple[T, ...], int, str | None]:
    """The page of these runs that is asked for, how many entries there are, and the cursor of the next page."""
    total = sum(run.total for run in runs)
    number, inner = _cursor(query.cursor, len(runs))
    found: list[T] = []
    room = MOST_NAMED
    for index in range(number, len(runs)):
        try:
            entries, inner = runs[index].page(query.limit - len(found), inner, room)
        except CursorError:
            raise _not_given() from None
        found += entries
        room -= sum(map(_named, entries))
        if inner:
            return tuple(found), total, f"{index}.{inner}"
    return tuple(found), total, None


def _named(entry: object) -> int:
    """How many cards an entry names beside the one that is played."""
    return len(getattr(entry, "take", ())) + len(getattr(entry, "cards", ()))


def _cursor(cursor: str | None, runs: int) -> tuple[int, str]:
    if cursor is None:
        return 0, ""
    number, dot, inner = cursor.partition(".")
    if not (dot and inner and number.isascii() and number.isdigit() and len(number) < len("10000")):
        raise _not_given()
    if int(number) >= runs:
        raise _not_given()
    return int(number), inner


def _not_given() -> Malformed:
    return Malformed("$.cursor", "not a cursor that an answer gave")
