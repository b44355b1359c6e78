"""The one flat union of events: what everybody at the table is told, in the order it happened.

The events a play returns are the referee's own; each seat hears of them through the game's projection only.
"""

from typing import Literal

from msgspec import Struct

from .cards import Card, FlipCard, Strain
from .moves import Call, Hand, Penalty
from .sheet import Sheet


class EventBase(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", rename="camel", omit_defaults=True):
    """What every event shares: frozen, strict, tagged by ``type``."""


class Drawn(EventBase, frozen=True, tag="drawn"):
    """A place drew a card, for partners or for the deal."""

    place: int
    card: Card


class Tied(EventBase, frozen=True, tag="tied"):
    """These places drew equal cards and draw again, to decide the teams or the first deal."""

    places: tuple[int, ...]
    decides: Literal["teams", "deal"]


class Seated(EventBase, frozen=True, tag="seated"):
    """Who sits where from now on (``seating[place]`` are its seats), and which seat deals first."""

    seating: tuple[tuple[int, ...], ...]
    dealer: int


class Dealt(EventBase, frozen=True, tag="dealt"):
    """A deal: what each hand got. `cut_by` is the seat that cut, where the service held the cards.

    `layout` is what was laid open beside the hands, where a game has that.
    """

    dealer: int
    hands: tuple[Hand, ...]
    cut_by: int | None = None
    layout: tuple[Card, ...] | None = None


class TurnedUp(EventBase, frozen=True, tag="turnedUp"):
    """The last card of the pack, the dealer's, is turned up."""

    card: Card


class Exposed(EventBase, frozen=True, tag="exposed"):
    """A hand is laid open for all to see."""

    hand: int
    cards: tuple[Card, ...]


class Played(EventBase, frozen=True, tag="played"):
    """`seat` played a card from `hand` (another seat's where it plays for it)."""

    seat: int
    hand: int
    card: Card


class Called(EventBase, frozen=True, tag="called"):
    """`seat` made a call: a bid, a pass, a dare, a double dare."""

    seat: int
    call: Call


class Contracted(EventBase, frozen=True, tag="contracted"):
    """The bidding is closed: `seat` plays for so many tricks. `dare` is 1 where that is dared, 2 where doubly so."""

    seat: int
    tricks: int
    strain: Strain
    dare: int


class ThrownIn(EventBase, frozen=True, tag="thrownIn"):
    """Nobody bid: the cards are thrown in, and `dealer` deals next."""

    dealer: int


class TrickWon(EventBase, frozen=True, tag="trickWon"):
    """The trick is complete; `winner` is the hand that won it and leads next, `trick` its number from 1."""

    winner: int
    trick: int


class Claimed(EventBase, frozen=True, tag="claimed"):
    """`seat` claimed, rightly, that the hand `against` revoked in a trick."""

    seat: int
    against: int
    trick: int


class Chosen(EventBase, frozen=True, tag="chosen"):
    """`seat` chose the penalty for the revoke its side claimed."""

    seat: int
    penalty: Penalty


class Scored(EventBase, frozen=True, tag="scored"):
    """A deal, or the match, is settled."""

    sheet: Sheet


class RoundBegan(EventBase, frozen=True, tag="roundBegan"):
    """A round of Flip 7 begins: what lay on the table is put aside, and `dealer` deals."""

    round: int
    dealer: int


class AskedForCard(EventBase, frozen=True, tag="askedForCard"):
    """`seat` takes a card: it hits."""

    seat: int


class Flipped(EventBase, frozen=True, tag="flipped"):
    """A card is turned over for `seat`."""

    seat: int
    card: FlipCard


class Reshuffled(EventBase, frozen=True, tag="reshuffled"):
    """Cards that had been put aside, or all that lay open, so many, were shuffled into a new deck."""

    cards: int


class Saved(EventBase, frozen=True, tag="saved"):
    """The duplicate just turned is discarded, together with the seat's Second Chance."""

    seat: int
    card: FlipCard


class Busted(EventBase, frozen=True, tag="busted"):
    """The card just turned is a duplicate: the seat scores nothing this round."""

    seat: int
    card: FlipCard


class SetAside(EventBase, frozen=True, tag="setAside"):
    """An action card turned during a Flip Three is set aside until its three cards are there."""

    seat: int
    card: FlipCard


class Given(EventBase, frozen=True, tag="given"):
    """`seat` gives an action card to `to`, which may be itself."""

    seat: int
    card: FlipCard
    to: int


class Frozen(EventBase, frozen=True, tag="frozen"):
    """A Freeze takes effect: the seat's points are safe and it is out of the round."""

    seat: int


class FlipThreeBegan(EventBase, frozen=True, tag="flipThreeBegan"):
    """A Flip Three takes effect: the seat turns three cards over."""

    seat: int


class Discarded(EventBase, frozen=True, tag="discarded"):
    """Cards are put aside: a Flip Three that is done, actions that come to nothing."""

    cards: tuple[FlipCard, ...]


class Stayed(EventBase, frozen=True, tag="stayed"):
    """The seat's points are safe and it is out of the round; `forced` where no card is left to take."""

    seat: int
    forced: bool = False


class FlippedSeven(EventBase, frozen=True, tag="flippedSeven"):
    """The seat has seven different numbers, which ends the round."""

    seat: int


class Redealt(EventBase, frozen=True, tag="redealt"):
    """A later deal of the same round, the `number`-th: what each hand got."""

    number: int
    hands: tuple[Hand, ...]


class Captured(EventBase, frozen=True, tag="captured"):
    """`seat` captured with a card. `gained` is all that goes to its heap by it, that card included."""

    seat: int
    card: Card
    gained: tuple[Card, ...]
    take: tuple[Card, ...] = ()
    builds: tuple[int, ...] = ()
    tricks: tuple[int, ...] = ()
    announce: tuple[Literal["wipe"], ...] = ()
    crossed: bool | None = None
    heaps: tuple[int, ...] = ()


class Built(EventBase, frozen=True, tag="built"):
    """`seat` laid a card together with cards of the layout as a new build."""

    seat: int
    card: Card
    cards: tuple[Card, ...]
    build: int
    value: int


class Extended(EventBase, frozen=True, tag="extended"):
    """`seat` added one more group to a build, and owns it from now on."""

    seat: int
    card: Card
    build: int
    cards: tuple[Card, ...] = ()


class Raised(EventBase, frozen=True, tag="raised"):
    """`seat` added a card to a build, which now has a higher value, and owns it from now on."""

    seat: int
    card: Card
    build: int
    value: int
    cards: tuple[Card, ...] = ()


class Trailed(EventBase, frozen=True, tag="trailed"):
    """`seat` laid a card open in the layout."""

    seat: int
    card: Card


class Swept(EventBase, frozen=True, tag="swept"):
    """The capture just made left nothing in the layout, and scores for that."""

    seat: int


class LeftOver(EventBase, frozen=True, tag="leftOver"):
    """The round is played out: what still lay goes to the seat that took last, or to nobody where none ever did."""

    seat: int | None
    cards: tuple[Card, ...]
    builds: tuple[int, ...] = ()


class Closed(EventBase, frozen=True, tag="closed"):
    """`seat` turned over all that its side had won and that lay open; nobody can take it any more."""

    seat: int
    cards: tuple[Card, ...]


class Announced(EventBase, frozen=True, tag="announced"):
    """The dealer has said that this is the last deal, or the referee has for it."""

    seat: int
    what: Literal["lastDeal"]


class WipeEntered(EventBase, frozen=True, tag="wipeEntered"):
    """An entry in a side's wipe account.

    A wipe made, or two points lost for one missed, mistakenly announced or struck by the host, or for a last deal not
    announced.
    """

    side: int
    entry: Literal["made", "missed", "mistaken", "unannounced", "struck"]
    points: int


Event = (
    Drawn
    | Tied
    | Seated
    | Dealt
    | TurnedUp
    | Exposed
    | Played
    | TrickWon
    | Claimed
    | Chosen
    | Scored
    | Called
    | Contracted
    | ThrownIn
    | Redealt
    | Captured
    | Built
    | Extended
    | Raised
    | Trailed
    | Swept
    | LeftOver
    | Closed
    | Announced
    | WipeEntered
    | RoundBegan
    | AskedForCard
    | Flipped
    | Reshuffled
    | Saved
    | Busted
    | SetAside
    | Given
    | Frozen
    | FlipThreeBegan
    | Discarded
    | Stayed
    | FlippedSeven
)
