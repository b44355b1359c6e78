"""A trick, as states keep it."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from ..cards import Card, Suit

SEATS: Final = 4


class Trick(Struct, frozen=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """The cards of a trick in the order played, from `leader` clockwise; `winner` once all four lie."""

    leader: Annotated[int, Meta(ge=0, le=SEATS - 1)]
    cards: Annotated[tuple[Card, ...], Meta(max_length=SEATS)] = ()
    winner: Annotated[int, Meta(ge=0, le=SEATS - 1)] | None = None

    @property
    def led(self) -> Suit | None:
        """The led suit, None before the lead."""
        return self.cards[0].suit if self.cards else None

    @property
    def turn(self) -> int:
        """The hand that plays next."""
        return (self.leader + len(self.cards)) % SEATS
