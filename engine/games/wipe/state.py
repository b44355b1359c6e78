"""Le Wipe's state: what is held, what lies open, what is won, what is entered on the paper."""

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from ...cards import Card, in_order
from ...events import Event
from ...game import StateBase
from ...mechanics.builds import LayoutBuild
from ...moves import CardSet, Hand
from ...sheet import Item
from .options import WipeOptions

MOST_SEATS = 8

SeatNumber = Annotated[int, Meta(ge=0, le=MOST_SEATS - 1)]
SideNumber = Annotated[int, Meta(ge=0, le=2)]
Number = Annotated[int, Meta(ge=0, le=100_000_000)]
Points = Annotated[int, Meta(ge=0, le=100_000_000)]
SidePoints = Annotated[tuple[Points, ...], Meta(max_length=3)]
Phase = Literal["deal", "play", "over"]


class _Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """What every part of the state shares."""


class WipeTrick(_Part, frozen=True, kw_only=True):
    """All that one capture brought in, the capturing card `by` included, and the seat that made it.

    Not `crossed`: it does not lie crosswise on the tricks below, and its seat has not had its next turn yet.
    """

    by: Card
    cards: Annotated[tuple[Card, ...], Meta(min_length=2, max_length=52)]
    seat: SeatNumber
    crossed: bool = True

    def __post_init__(self) -> None:
        force_setattr(self, "cards", in_order(self.cards))


class WipeHeap(_Part, frozen=True, kw_only=True):
    """What is won: open tricks from the bottom up, cards turned over, and at the end of a round what was left over."""

    tricks: Annotated[tuple[WipeTrick, ...], Meta(max_length=26)] = ()
    closed: CardSet = ()
    rest: CardSet = ()

    def __post_init__(self) -> None:
        force_setattr(self, "closed", in_order(self.closed))
        force_setattr(self, "rest", in_order(self.rest))

    @property
    def open_cards(self) -> tuple[Card, ...]:
        """The cards of all open tricks."""
        return tuple(card for trick in self.tricks for card in trick.cards)

    @property
    def cards(self) -> tuple[Card, ...]:
        """All its cards."""
        return (*self.open_cards, *self.closed, *self.rest)


class WipeTally(_Part, frozen=True, kw_only=True):
    """A side's wipe account, two points an entry.

    Wipes made count for it; against it those missed or mistakenly announced, last deals not announced, and wipes
    struck by the host.
    """

    made: Number = 0
    missed: Number = 0
    mistaken: Number = 0
    unannounced: Number = 0
    struck: Number = 0


class WipeCarry(_Part, frozen=True, kw_only=True):
    """Points for most cards and most spades of earlier rounds that nobody won and that go to the next."""

    cards: Number = 0
    spades: Number = 0


class WipeScore(_Part, frozen=True, kw_only=True):
    """The points of all settled rounds by side, wipes apart, and what is carried over."""

    points: SidePoints
    carried: WipeCarry = WipeCarry()


class WipeState(StateBase, frozen=True, kw_only=True, tag="wipe"):
    """A match of Le Wipe at one moment. Hands, layout and heaps are those of the round at hand, or the one just ended.

    `rounds` counts the rounds begun and `deals` the deals of the round; `stock` is what is still to be dealt of it, the
    next card first. `heaps` are the sides', or each seat's (``piles: player``). `last_taker` is the seat that captured
    last in the round, `just_took` whether the last card played did it; `announced` whether this last deal has been.
    `score_before`, present once the round is settled, is the score without it. `past` has the round's events, from its
    first deal on, where the state tells them; a view has them as its history.
    """

    options: WipeOptions
    phase: Phase
    deck: Annotated[tuple[Card, ...], Meta(max_length=52)] | None = None
    rounds: Number = 0
    deals: Annotated[int, Meta(ge=0, le=6)] = 0
    stock: Hand = Hand()
    layout: CardSet = ()
    builds: Annotated[tuple[LayoutBuild, ...], Meta(max_length=26)] = ()
    heaps: Annotated[tuple[WipeHeap, ...], Meta(max_length=MOST_SEATS)] = ()
    last_taker: SeatNumber | None = None
    just_took: bool = False
    announced: bool = False
    wipes: Annotated[tuple[WipeTally, ...], Meta(max_length=3)]
    score: WipeScore
    score_before: WipeScore | None = None
    past: Annotated[tuple[Event, ...], Meta(max_length=512)] | None = None

    def __post_init__(self) -> None:
        force_setattr(self, "layout", in_order(self.layout))


class WipeCount(_Part, frozen=True, kw_only=True):
    """What a side has won in a round, counted."""

    cards: Annotated[int, Meta(ge=0, le=52)]
    spades: Annotated[int, Meta(ge=0, le=13)] = 0
    aces: Annotated[int, Meta(ge=0, le=4)] = 0
    ten_of_diamonds: bool = False
    two_of_spades: bool = False


class WipeFacts(_Part, frozen=True, kw_only=True):
    """What people who keep the score know, by side.

    Of a round: the cards won, or what they come to, and which side took the last trick. Then the wipe accounts, the
    points of the rounds before, and what is carried over. Without cards: just the score, to be added up.
    """

    heaps: Annotated[tuple[CardSet, ...], Meta(min_length=2, max_length=3)] | None = None
    counts: Annotated[tuple[WipeCount, ...], Meta(min_length=2, max_length=3)] | None = None
    last_trick: SideNumber | None = None
    wipes: Annotated[tuple[WipeTally, ...], Meta(min_length=2, max_length=3)] | None = None
    rounds: Annotated[tuple[SidePoints, ...], Meta(max_length=10_000)] = ()
    carried: WipeCarry = WipeCarry()


class Settlement(Struct, frozen=True):
    """A settled round: its items, and the score after it."""

    items: tuple[Item, ...]
    after: WipeScore
