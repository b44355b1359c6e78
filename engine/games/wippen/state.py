"""Wippen's state: what is dealt, laid, taken and scored."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ...cards import Card
from ...events import Event
from ...game import Seat, StateBase
from ...mechanics.builds import LayoutBuild
from ...moves import CardSet, Hand
from ...sheet import Item
from .options import WippenOptions
from .plan import PLACES

MOST_PLACES = PLACES[-1]
Points = Annotated[int, Meta(ge=0, le=10_000_000)]
Phase = Literal["deal", "play", "over"]


class _Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """What every part shares."""


class WippenScore(_Part, frozen=True, kw_only=True):
    """The score after all rounds that are settled, by seat; and what ties carry to the next round's most."""

    points: Annotated[tuple[Points, ...], Meta(min_length=2, max_length=MOST_PLACES)]
    carried_cards: Points = 0
    carried_spades: Points = 0


class WippenState(StateBase, frozen=True, kw_only=True, tag="wippen"):
    """A match of Wippen at one moment. Each seat plays for itself.

    `rounds` counts rounds begun, `deals` the deals of the round at hand, which stays as it ended until the next is
    dealt. `stock` is what is still to be dealt, the next card first. `heaps` are what each seat took: in views only
    how many cards, until the round is counted. `past` has the round's events as the referee saw them, from its first
    deal on; a position set up without it has no past, and its views no history: they show the heaps instead.
    `score` is the score after all settled rounds; `score_before`, present once the round is settled, the one before.
    """

    options: WippenOptions
    phase: Phase
    deck: CardSet | None = None
    rounds: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    deals: Annotated[int, Meta(ge=0, le=12)] = 0
    stock: Hand = Hand()
    layout: CardSet = ()
    builds: Annotated[tuple[LayoutBuild, ...], Meta(max_length=52)] = ()
    heaps: Annotated[tuple[Hand, ...], Meta(max_length=MOST_PLACES)]
    last_taker: Seat | None = None
    wips: Annotated[tuple[Annotated[int, Meta(ge=0, le=104)], ...], Meta(max_length=MOST_PLACES)]
    past: Annotated[tuple[Event, ...], Meta(max_length=512)] | None = None
    score: WippenScore
    score_before: WippenScore | None = None


class WippenHeapFact(_Part, frozen=True, kw_only=True):
    """What a seat took in a round: the cards themselves, or how many there are of those that count; and its wips."""

    heap: CardSet | None = None
    cards: Annotated[int, Meta(ge=0, le=104)] = 0
    spades: Annotated[int, Meta(ge=0, le=26)] = 0
    aces: Annotated[int, Meta(ge=0, le=8)] = 0
    ten_of_diamonds: Annotated[int, Meta(ge=0, le=2)] = 0
    two_of_spades: Annotated[int, Meta(ge=0, le=2)] = 0
    wips: Annotated[int, Meta(ge=0, le=104)] = 0


class WippenFacts(_Part, frozen=True, kw_only=True):
    """What a person who keeps the score knows: what each seat took, and the score before the round.

    Without heaps: just the score, to see who has won.
    """

    heaps: Annotated[tuple[WippenHeapFact, ...], Meta(max_length=MOST_PLACES)] | None = None
    score: WippenScore | None = None


class Takings(Struct, frozen=True):
    """What of a heap counts; `cards` are those that score by themselves, where they are known."""

    cards: int
    spades: int
    aces: int
    tens: int
    twos: int
    wips: int
    shown: tuple[Card, ...] | None = None


class Settlement(Struct, frozen=True):
    """A round's sheet, and the score after it."""

    items: tuple[Item, ...]
    after: WippenScore
