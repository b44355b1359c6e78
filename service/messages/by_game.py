"""What a match is begun from, its record, and facts to be scored: a request each, for each game.

They differ in their options, in the cards of their deck, and in their facts. All are tagged by `game`. A table is
created from what a match is begun from and what a table needs besides; its record can be replayed.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta

from engine.cards import Card, FlipCard
from engine.game import Chance, Ruleset, Seating, SeedText, choices_type
from engine.games import BY_NAME
from engine.games.flip7 import Flip7Facts
from engine.games.peewee7 import PeeweeFacts
from engine.games.whist import WhistFacts
from engine.games.wipe import WipeFacts
from engine.games.wippen import WippenFacts
from engine.sheet import Sheet

from .base import MoveInput, Request, SeatNumber

Pack = Annotated[tuple[Card, ...], Meta(max_length=104)]
FlipDeck = Annotated[tuple[FlipCard, ...], Meta(max_length=94)]


class _Begun(Request, frozen=True, kw_only=True, tag_field="game"):
    """What a match is begun from. Of `seed`, `deck` and `chance` one is named; without any the service draws a seed."""

    ruleset: Ruleset | None = None
    places: Annotated[int, Meta(ge=1, le=18)] | None = None
    seating: Seating | None = None
    dealer: SeatNumber | None = None
    chance: Chance | None = None
    seed: SeedText | None = None


Moment = Annotated[str, Meta(max_length=32)]
"""A time in UTC, as in RFC 3339."""
Entropy = Annotated[str, Meta(min_length=2, max_length=64, pattern="^(?:[0-9a-f]{2})+$")]
"""1 to 32 bytes in lower case hexadecimal digits."""
EndReason = Literal["over", "resigned", "endedByHost"]


class RecordedMove(Request, frozen=True, kw_only=True):
    """A move of a record, the seat that made it, and when."""

    seat: SeatNumber | None = None
    move: MoveInput
    at: Moment | None = None


class RecordedTable(Request, frozen=True, kw_only=True):
    """What a table's record says of the table; replaying passes over it.

    `secret` is the seed that `commitment` was made of; the record's `seed` is what it and the `entropies` came to.
    `complete` says that the game is over, and the record therefore whole.
    """

    id: Annotated[str, Meta(max_length=64)]
    version: int
    created_at: Moment
    complete: bool
    names: Annotated[tuple[Annotated[str, Meta(max_length=64)], ...], Meta(max_length=18)] = ()
    commitment: Annotated[str, Meta(max_length=64)] | None = None
    secret: Annotated[str, Meta(max_length=64)] | None = None
    entropies: Annotated[tuple[Annotated[str, Meta(max_length=64)], ...], Meta(max_length=18)] = ()
    ended_at: Moment | None = None
    reason: EndReason | None = None
    resigned: Annotated[tuple[SeatNumber, ...], Meta(max_length=18)] = ()


class _Record(_Begun, frozen=True, kw_only=True):
    """A record: what a match was begun from, its moves, and, where a table was played, the table and the result."""

    moves: tuple[RecordedMove, ...]
    table: RecordedTable | None = None
    result: Sheet | None = None


Name = Annotated[str, Meta(max_length=64)]
TableKey = Annotated[str, Meta(min_length=1, max_length=128)]
"""An idempotency key."""
TURN_SECONDS_MOST = 86_400
TTL_SECONDS_MOST = 31_536_000


class _Created(_Begun, frozen=True, kw_only=True):
    """What a table is made from.

    `names` and `meta` are of the places, in order; `meta` is an object of the caller's own for each. `deals` says
    whether deals happen by themselves or are the dealer's act; `host_sees` what the host is shown.
    """

    names: Annotated[tuple[Name, ...], Meta(max_length=18)] | None = None
    meta: Annotated[tuple[dict[str, Any], ...], Meta(max_length=18)] | None = None
    spectators: bool = False
    host_sees: Literal["spectator", "all"] | None = None
    deals: Literal["auto", "dealer"] | None = None
    turn_seconds: Annotated[int, Meta(ge=1, le=TURN_SECONDS_MOST)] | None = None
    ttl_seconds: Annotated[int, Meta(ge=1, le=TTL_SECONDS_MOST)] | None = None
    idempotency_key: TableKey | None = None


# --- whist


WhistChoices: Any = choices_type(BY_NAME["whist"])


class WhistDealRequest(_Begun, frozen=True, kw_only=True, tag="whist"):
    """Begins a match of whist."""

    options: WhistChoices | None = None
    deck: Pack | None = None


class WhistReplayRequest(_Record, frozen=True, kw_only=True, tag="whist"):
    """A record of whist."""

    options: WhistChoices | None = None
    deck: Pack | None = None


class WhistCreateTableRequest(_Created, frozen=True, kw_only=True, tag="whist"):
    """Creates a table of whist."""

    options: WhistChoices | None = None
    deck: Pack | None = None


class WhistScoreFactsRequest(Request, frozen=True, kw_only=True, tag_field="game", tag="whist"):
    """Scores bare facts of whist."""

    options: WhistChoices | None = None
    facts: WhistFacts


# --- PeeWee 7


PeeweeChoices: Any = choices_type(BY_NAME["peewee7"])


class PeeweeDealRequest(_Begun, frozen=True, kw_only=True, tag="peewee7"):
    """Begins a match of PeeWee 7."""

    options: PeeweeChoices | None = None
    deck: Pack | None = None


class PeeweeReplayRequest(_Record, frozen=True, kw_only=True, tag="peewee7"):
    """A record of PeeWee 7."""

    options: PeeweeChoices | None = None
    deck: Pack | None = None


class PeeweeCreateTableRequest(_Created, frozen=True, kw_only=True, tag="peewee7"):
    """Creates a table of PeeWee 7."""

    options: PeeweeChoices | None = None
    deck: Pack | None = None


class PeeweeScoreFactsRequest(Request, frozen=True, kw_only=True, tag_field="game", tag="peewee7"):
    """Scores bare facts of PeeWee 7."""

    options: PeeweeChoices | None = None
    facts: PeeweeFacts


# --- Wippen


WippenChoices: Any = choices_type(BY_NAME["wippen"])


class WippenDealRequest(_Begun, frozen=True, kw_only=True, tag="wippen"):
    """Begins a match of Wippen."""

    options: WippenChoices | None = None
    deck: Pack | None = None


class WippenReplayRequest(_Record, frozen=True, kw_only=True, tag="wippen"):
    """A record of Wippen."""

    options: WippenChoices | None = None
    deck: Pack | None = None


class WippenCreateTableRequest(_Created, frozen=True, kw_only=True, tag="wippen"):
    """Creates a table of Wippen."""

    options: WippenChoices | None = None
    deck: Pack | None = None


class WippenScoreFactsRequest(Request, frozen=True, kw_only=True, tag_field="game", tag="wippen"):
    """Scores bare facts of Wippen."""

    options: WippenChoices | None = None
    facts: WippenFacts


# --- Le Wipe


WipeChoices: Any = choices_type(BY_NAME["wipe"])


class WipeDealRequest(_Begun, frozen=True, kw_only=True, tag="wipe"):
    """Begins a match of Le Wipe."""

    options: WipeChoices | None = None
    deck: Pack | None = None


class WipeReplayRequest(_Record, frozen=True, kw_only=True, tag="wipe"):
    """A record of Le Wipe."""

    options: WipeChoices | None = None
    deck: Pack | None = None


class WipeCreateTableRequest(_Created, frozen=True, kw_only=True, tag="wipe"):
    """Creates a table of Le Wipe."""

    options: WipeChoices | None = None
    deck: Pack | None = None


class WipeScoreFactsRequest(Request, frozen=True, kw_only=True, tag_field="game", tag="wipe"):
    """Scores bare facts of Le Wipe."""

    options: WipeChoices | None = None
    facts: WipeFacts


# --- Flip 7


Flip7Choices: Any = choices_type(BY_NAME["flip7"])


class Flip7DealRequest(_Begun, frozen=True, kw_only=True, tag="flip7"):
    """Begins a match of Flip 7."""

    options: Flip7Choices | None = None
    deck: FlipDeck | None = None


class Flip7ReplayRequest(_Record, frozen=True, kw_only=True, tag="flip7"):
    """A record of Flip 7."""

    options: Flip7Choices | None = None
    deck: FlipDeck | None = None


class Flip7CreateTableRequest(_Created, frozen=True, kw_only=True, tag="flip7"):
    """Creates a table of Flip 7."""

    options: Flip7Choices | None = None
    deck: FlipDeck | None = None


class Flip7ScoreFactsRequest(Request, frozen=True, kw_only=True, tag_field="game", tag="flip7"):
    """Scores bare facts of Flip 7."""

    options: Flip7Choices | None = None
    facts: Flip7Facts


# --- any game

DealRequest = WhistDealRequest | PeeweeDealRequest | WippenDealRequest | WipeDealRequest | Flip7DealRequest
ReplayRequest = WhistReplayRequest | PeeweeReplayRequest | WippenReplayRequest | WipeReplayRequest | Flip7ReplayRequest
CreateTableRequest = (
    WhistCreateTableRequest
    | PeeweeCreateTableRequest
    | WippenCreateTableRequest
    | WipeCreateTableRequest
    | Flip7CreateTableRequest
)
ScoreFactsRequest = (
    WhistScoreFactsRequest
    | PeeweeScoreFactsRequest
    | WippenScoreFactsRequest
    | WipeScoreFactsRequest
    | Flip7ScoreFactsRequest
)

CHOICES: dict[str, Any] = {
    "whist": WhistChoices,
    "peewee7": PeeweeChoices,
    "wippen": WippenChoices,
    "wipe": WipeChoices,
    "flip7": Flip7Choices,
}
"""The options of each game as a caller names them."""
RECORDS: dict[str, Any] = {each.__struct_config__.tag: each for each in ReplayRequest.__args__}
"""The record of each game."""
