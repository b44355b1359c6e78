"""PeeWee 7's state: what is drawn, dealt, called, played and written on the paper."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from ...cards import Card, Strain
from ...game import StateBase
from ...mechanics.trick import SEATS, Trick
from ...moves import Call
from ...sheet import Item
from .options import PeeweeOptions

GAME: Final = "peewee7"
SIDES: Final = (0, 1)
HAND_TRICKS: Final = 13
LEAST_BID: Final = 7
BOOK: Final = 6
MOST_CALLS: Final = 319
"""Three passes, 35 bids each with two passes, a dare, two passes, a double dare and two passes, and the third pass."""

SeatNumber = Annotated[int, Meta(ge=0, le=SEATS - 1)]
Side = Annotated[int, Meta(ge=0, le=1)]
DareLevel = Annotated[int, Meta(ge=0, le=2)]
Tricks = Annotated[int, Meta(ge=0, le=HAND_TRICKS)]
BidTricks = Annotated[int, Meta(ge=LEAST_BID, le=HAND_TRICKS)]
Marks = Annotated[int, Meta(ge=0, le=100)]
Pair = tuple[Marks, Marks]
Phase = Literal["teamDraw", "deal", "auction", "expose", "play", "over"]


class _Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """What every part of the state shares."""


class PeeweeDraw(_Part, frozen=True, kw_only=True):
    """A card laid open before a place, to make the teams."""

    place: SeatNumber
    card: Card


class PeeweeCall(_Part, frozen=True, kw_only=True):
    """A call, and the seat that made it."""

    seat: SeatNumber
    call: Call


class PeeweeContract(_Part, frozen=True, kw_only=True):
    """What a side undertook: so many tricks in a strain. `dare` is 1 where that was dared, 2 where doubly so."""

    tricks: BidTricks
    strain: Strain
    side: Side
    dare: DareLevel = 0


class PeeweeRow(_Part, frozen=True, kw_only=True):
    """A row of the paper: the crosses and the strokes (half crosses) each side has written there."""

    crosses: Pair = (0, 0)
    strokes: Pair = (0, 0)


class PeeweeScore(_Part, frozen=True, kw_only=True):
    """The paper: a row a strain, a column a side. Even seats are side 0, odd seats side 1."""

    no_trump: PeeweeRow = PeeweeRow()
    hearts: PeeweeRow = PeeweeRow()
    spades: PeeweeRow = PeeweeRow()
    diamonds: PeeweeRow = PeeweeRow()
    clubs: PeeweeRow = PeeweeRow()


class PeeweeState(StateBase, frozen=True, kw_only=True, tag="peewee7"):
    """A match of PeeWee 7 at one moment. Hands, calls and tricks hold the deal at hand, or the one just ended.

    `draws` are the cards laid open for the teams from the pack at hand, until the first deal; `packs` counts those
    used up before it. `black` is the side whose column is the black one. `deals` counts deals so far, those thrown in
    too. In a view the phase is `expose` where the Peewee's hand has just been laid open and its cards are still to be
    told. `contract` and `master` (a seat; the Peewee sits opposite) are there once the bidding has closed with a bid.
    `score` is the paper after all settled deals; `score_before`, present once the deal is settled, the one before it.
    """

    options: PeeweeOptions
    phase: Phase
    deck: Annotated[tuple[Card, ...], Meta(max_length=52)] | None = None
    draws: Annotated[tuple[PeeweeDraw, ...], Meta(max_length=52)] = ()
    packs: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    black: Side = 0
    deals: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    calls: Annotated[tuple[PeeweeCall, ...], Meta(max_length=MOST_CALLS)] = ()
    contract: PeeweeContract | None = None
    master: SeatNumber | None = None
    tricks: Annotated[tuple[Trick, ...], Meta(max_length=HAND_TRICKS)] = ()
    score: PeeweeScore = PeeweeScore()
    score_before: PeeweeScore | None = None


class PeeweeFacts(_Part, frozen=True, kw_only=True):
    """What a person who keeps the paper knows of a deal, and the paper before it.

    The contract and the `tricks` its side took; without both: just the paper, to be added up.
    """

    contract: PeeweeContract | None = None
    tricks: Tricks | None = None
    score: PeeweeScore = PeeweeScore()


class Settlement(Struct, frozen=True):
    """A settled deal: its items, the paper after it, and the side it made the winner."""

    items: tuple[Item, ...]
    after: PeeweeScore
    winner: int | None
