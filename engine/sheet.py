"""The score sheet every game fills in: an item for each thing that scored, and the rows' totals."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from .cards import AnyCard, Card, FlipCard

Scope = Literal["deal", "round", "game", "match"]
if TYPE_CHECKING:
    SheetCard = Card | FlipCard | AnyCard
else:
    SheetCard = AnyCard  # what is read, since a text does not tell which of the enums it is of


class Item(Struct, frozen=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """One line: what scored (`rule`), for which side, in which row of the paper (`account`), how many points."""

    rule: str
    side: int
    account: str
    points: int
    cards: tuple[SheetCard, ...] | None = None


class Total(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A row's total for a side, in a stated unit."""

    side: int
    account: str
    points: int
    unit: str


class Sheet(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """An itemised score. `winners` are the sides that won what `scope` names; empty while nobody has."""

    scope: Scope
    items: tuple[Item, ...]
    totals: tuple[Total, ...]
    winners: tuple[int, ...]


def totals_of(items: Iterable[Item], sides: Sequence[int], unit: str) -> tuple[Total, ...]:
    """The rows of a sheet in order of appearance, one total a side, zero where a side has no item."""
    accounts: dict[str, dict[int, int]] = {}
    for item in items:
        accounts.setdefault(item.account, defaultdict(int))[item.side] += item.points
    return tuple(Total(side, account, points[side], unit) for account, points in accounts.items() for side in sides)
