"""Flip 7's state: the deck, what lies before each seat, and what is being resolved."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from ...cards import FlipCard
from ...events import Event
from ...game import StateBase
from .options import Flip7Options

MOST_SEATS: Final = 18
SeatNumber = Annotated[int, Meta(ge=0, le=MOST_SEATS - 1)]
Points = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Rounds = Annotated[int, Meta(ge=0, le=1_000_000)]
Cards = Annotated[tuple[FlipCard, ...], Meta(max_length=94)]
Status = Literal["active", "stayed", "busted", "frozen"]
Phase = Literal["deal", "turns", "give", "draw", "roundOver", "over"]


class _Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """What every part of the state shares."""


class Flip7Deck(_Part, frozen=True, kw_only=True):
    """The cards left to draw: those whose order is known, the next first, or how many there are."""

    cards: Cards = ()
    hidden: Annotated[int, Meta(ge=0, le=94)] = 0

    def __len__(self) -> int:
        return len(self.cards) + self.hidden


class Flip7Row(_Part, frozen=True, kw_only=True):
    """What lies before a seat, in the order it came; a busted row ends with the number that busted it."""

    cards: Cards = ()
    status: Status = "active"


class Flip7Held(_Part, frozen=True, kw_only=True):
    """An action card that a seat has turned and must give now."""

    seat: SeatNumber
    card: FlipCard


class Flip7FlipThree(_Part, frozen=True, kw_only=True):
    """A Flip Three: whose it is, how many of its cards are not settled yet, the actions set aside in it, in order.

    While `left` is not 0 the Flip Three card itself lies here; after that it is discarded, and what is set aside is
    given.
    """

    seat: SeatNumber
    left: Annotated[int, Meta(ge=0, le=3)]
    set_aside: Annotated[tuple[FlipCard, ...], Meta(max_length=3)] = ()


class Flip7Given(_Part, frozen=True, kw_only=True):
    """An action card that was set aside and has been given, and has yet to take effect."""

    card: FlipCard
    to: SeatNumber


class Flip7State(StateBase, frozen=True, kw_only=True, tag="flip7"):
    """A match of Flip 7 at one moment. Nobody has a hand: `hands` are empty, `rows` hold what lies before each seat.

    `round` counts the rounds begun, `shuffles` how often a deck was made; `totals` are the points of the rounds
    scored, `discard` is oldest first. `turn` is the seat whose card is being dealt or whose turn it is, None between
    rounds; `dealing` is whether the round's first cards are still being dealt. Under way are `held`, `flip_threes` (the
    innermost last) and `given` (the next to take effect first). `owed`: the turn's seat is dealt another card for the
    action it got; `offered`: the seats that the deal will ask instead of dealing to them. `log` has the events since
    the last deal or shuffle; in a view they are its `history`.
    """

    options: Flip7Options
    phase: Phase
    round: Rounds = 0
    shuffles: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 0
    totals: Annotated[tuple[Points, ...], Meta(max_length=MOST_SEATS)]
    rows: Annotated[tuple[Flip7Row, ...], Meta(max_length=MOST_SEATS)]
    deck: Flip7Deck
    discard: Cards = ()
    turn: SeatNumber | None = None
    dealing: bool = False
    owed: bool = False
    offered: Annotated[tuple[SeatNumber, ...], Meta(max_length=MOST_SEATS)] = ()
    held: Flip7Held | None = None
    flip_threes: Annotated[tuple[Flip7FlipThree, ...], Meta(max_length=6)] = ()
    given: Annotated[tuple[Flip7Given, ...], Meta(max_length=6)] = ()
    log: Annotated[tuple[Event, ...], Meta(max_length=512)] = ()


class Flip7RowFact(_Part, frozen=True, kw_only=True):
    """What lies before somebody when a round is scored, in any order, and whether it was busted."""

    cards: Cards = ()
    busted: bool = False


class Flip7Facts(_Part, frozen=True, kw_only=True):
    """What a person who keeps the score knows: the rows of a round, and the totals before it, one a seat.

    Without rows: the totals after `rounds` rounds. A missing total is 0.
    """

    rows: Annotated[tuple[Flip7RowFact, ...], Meta(max_length=MOST_SEATS)] = ()
    totals: Annotated[tuple[Points, ...], Meta(max_length=MOST_SEATS)] = ()
    rounds: Rounds | None = None
