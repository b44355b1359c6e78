"""Builds of a fishing game's layout, as states keep them."""

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from ..cards import Card, in_order
from ..moves import BuildId, BuildValue


def ordered(groups: Iterable[Iterable[Card]]) -> tuple[tuple[Card, ...], ...]:
    """The groups of a build as they are written: each as a hand is, and one after another by their cards."""
    return tuple(sorted(map(in_order, groups), key=lambda group: [card.number for card in group]))


class LayoutBuild(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """Cards laid together with one value: `owner` is the seat that last built, extended or raised, if it still plays.

    Each group totals the value; a build with one group is single, with two double.
    """

    id: BuildId
    value: BuildValue
    owner: Annotated[int, Meta(ge=0, le=17)] | None = None
    groups: Annotated[tuple[Annotated[tuple[Card, ...], Meta(max_length=13)], ...], Meta(min_length=1, max_length=52)]

    def __post_init__(self) -> None:
        force_setattr(self, "groups", ordered(self.groups))

    @property
    def cards(self) -> tuple[Card, ...]:
        """All its cards."""
        return in_order(card for group in self.groups for card in group)

    @property
    def is_single(self) -> bool:
        """Whether it has one group only."""
        return len(self.groups) == 1
