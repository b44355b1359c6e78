"""Whist's state: what is dealt, played, claimed and scored."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ...cards import Card, Suit
from ...game import StateBase
from ...mechanics.trick import SEATS, Trick
from ...moves import Penalty
from ...sheet import Item
from .options import WhistOptions

SIDES = (0, 1)
PACK_TRICKS = 13

SeatNumber = Annotated[int, Meta(ge=0, le=SEATS - 1)]
Points = Annotated[int, Meta(ge=0, le=10_000_000)]
Pair = tuple[Points, Points]
Phase = Literal["draw", "deal", "expose", "play", "claim", "choose", "over"]


class _Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """What every part of the state shares."""


class WhistGameScore(_Part, frozen=True, kw_only=True):
    """A finished game: points by side, honours among them unless they are kept apart."""

    winner: Annotated[int, Meta(ge=0, le=1)]
    points: Pair
    honours: Pair = (0, 0)


class WhistScore(_Part, frozen=True, kw_only=True):
    """The score so far: finished games, and the running one. Even seats are side 0, odd seats side 1."""

    games: Annotated[tuple[WhistGameScore, ...], Meta(max_length=3)] = ()
    points: Pair = (0, 0)
    honours: Pair = (0, 0)


class WhistClaim(_Part, frozen=True, kw_only=True):
    """A revoke rightly claimed: the seat that claimed it, the hand that revoked, the trick, the penalty chosen."""

    seat: SeatNumber
    against: SeatNumber
    trick: Annotated[int, Meta(ge=1, le=PACK_TRICKS)]
    penalty: Penalty | None = None


class WhistDraw(_Part, frozen=True, kw_only=True):
    """A card drawn for partners."""

    place: SeatNumber
    card: Card


class WhistState(StateBase, frozen=True, kw_only=True, tag="whist"):
    """A whist match at one moment. Hands and tricks hold the deal at hand, or the one just ended.

    `deals` counts deals so far; `trump` is public; `trump_card` is the turned card, in views only while it is public.
    `score` is the score after all settled deals; `score_before`, present once the deal is settled, the one before it.
    """

    options: WhistOptions
    phase: Phase
    deck: Annotated[tuple[Card, ...], Meta(max_length=52)] | None = None
    draws: Annotated[tuple[WhistDraw, ...], Meta(max_length=256)] = ()
    deals: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    trump: Suit | None = None
    trump_card: Card | None = None
    tricks: Annotated[tuple[Trick, ...], Meta(max_length=PACK_TRICKS)] = ()
    claims: Annotated[tuple[WhistClaim, ...], Meta(max_length=52)] = ()
    score: WhistScore = WhistScore()
    score_before: WhistScore | None = None


class WhistRevokeFact(_Part, frozen=True, kw_only=True):
    """A revoke that was claimed: the offending side, and the penalty where the claimers choose."""

    side: Annotated[int, Meta(ge=0, le=1)]
    penalty: Penalty | None = None


class WhistFacts(_Part, frozen=True, kw_only=True):
    """What a person who keeps the score knows of a deal.

    Tricks won by side, how many honours each seat was dealt, revokes claimed, in order, and the score before. Without
    tricks: just the score, to be added up.
    """

    tricks: tuple[Annotated[int, Meta(ge=0, le=13)], Annotated[int, Meta(ge=0, le=13)]] | None = None
    honours: tuple[
        Annotated[int, Meta(ge=0, le=4)],
        Annotated[int, Meta(ge=0, le=4)],
        Annotated[int, Meta(ge=0, le=4)],
        Annotated[int, Meta(ge=0, le=4)],
    ] = (0, 0, 0, 0)
    revokes: Annotated[tuple[WhistRevokeFact, ...], Meta(max_length=52)] = ()
    score: WhistScore = WhistScore()


class Settlement(Struct, frozen=True):
    """A settled deal: its items, the running game's points when it ended, and the score after it.

    A `void` one counts for nothing.
    """

    items: tuple[Item, ...]
    points: Pair
    honours: Pair
    after: WhistScore
    winner: int | None
    void: bool = False
