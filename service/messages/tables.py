"""Requests and responses of hosted tables.

On gRPC the table's id stands in the request; on REST it stands in the path, and the body does not name it.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta

from engine.cards import AnyCard
from engine.events import Event
from engine.game import Turn
from engine.sheet import Sheet

from .base import MoveInput, Request, Response, SeatNumber, State
from .by_game import EndReason, Entropy, Moment, Name, ReplayRequest, TableKey
from .calls import ListLegalMovesResponse

Version = Annotated[int, Meta(ge=0, le=2_000_000_000)]
TableId = Annotated[str, Meta(max_length=64)]
Act = Literal[
    "created",
    "claimed",
    "reissued",
    "started",
    "entropy",
    "moved",
    "timedOut",
    "undone",
    "resigned",
    "ended",
]
"""What made a version of a table."""


class TableRequest(Request, frozen=True, kw_only=True):
    """What is asked of a table."""

    table: TableId = ""


class TableChange(TableRequest, frozen=True, kw_only=True):
    """What changes a table: refused where the table is no longer at `expected_version`, done once for a key."""

    expected_version: Version | None = None
    idempotency_key: TableKey | None = None


class CreateTableResponse(Response, frozen=True, kw_only=True):
    """A table, the host's token, and a code for each place, good for one claim."""

    id: str
    version: int
    host_token: str
    join_codes: tuple[str, ...]
    commitment: str | None = None


class ClaimPlaceRequest(TableRequest, frozen=True, kw_only=True):
    """Swaps a join code for a token; `name` replaces the name the place was created with."""

    join_code: Annotated[str, Meta(min_length=1, max_length=64)]
    name: Name | None = None
    idempotency_key: TableKey | None = None


class ClaimPlaceResponse(Response, frozen=True, kw_only=True):
    """The place, and the token that only the claimer sees."""

    version: int
    place: int
    token: str


class GetTableRequest(TableRequest, frozen=True, kw_only=True):
    """Asks for the table as the token's holder sees it."""


class TablePlace(Response, frozen=True, kw_only=True):
    """A place of a table, as everybody sees it; `seats` are where its cards lie, once the cards are dealt."""

    place: int
    claimed: bool
    seats: tuple[int, ...] = ()
    name: str | None = None
    meta: dict[str, Any] | None = None
    resigned: bool = False
    sent_entropy: bool = False


class TableEnd(Response, frozen=True, kw_only=True):
    """How a table ended. `seed` is what `commitment` was made of, `entropies` those that were mixed into it."""

    at: Moment
    reason: EndReason
    place: int | None = None
    seed: str | None = None
    entropies: tuple[str, ...] = ()
    winners: tuple[int, ...] = ()


class GetTableResponse(Response, frozen=True, kw_only=True):
    """A table as one holder of a token, or a spectator, sees it.

    `place` is the holder's, absent for the host and a spectator. `view` is there once the cards are dealt; `views`, one
    a seat, only for the host of a table made to show all. `cards_from` says who chose the order of the cards.
    """

    id: str
    version: int
    game: str
    status: Literal["open", "playing", "ended"]
    host: bool = False
    place: int | None = None
    places: tuple[TablePlace, ...]
    cards_from: Literal["service", "seed", "deck", "caller"]
    commitment: str | None = None
    host_sees: Literal["spectator", "all"]
    spectators: bool
    deals: Literal["auto", "dealer"]
    created_at: Moment
    turn_seconds: int | None = None
    turn_ends_at: Moment | None = None
    view: State | None = None
    views: tuple[State, ...] | None = None
    sheet: Sheet | None = None
    ended: TableEnd | None = None


class ListTableMovesRequest(TableRequest, frozen=True, kw_only=True):
    """Asks for the legal moves of the holder's place: of `seat` where it has several."""

    seat: SeatNumber | None = None
    card: AnyCard | None = None
    tier: Literal["groups", "shapes", "moves"] | None = None
    limit: Annotated[int, Meta(ge=1)] | None = None
    cursor: Annotated[str, Meta(max_length=64)] | None = None
    explain: bool = False


class ListTableMovesResponse(Response, frozen=True, kw_only=True):
    """The legal moves at a version; none where it is not the place's turn."""

    version: int
    legal: ListLegalMovesResponse


class PlayTableMoveRequest(TableChange, frozen=True, kw_only=True):
    """Plays a move for the holder's place; `expected_version` or `idempotency_key`, or both, must be there."""

    move: MoveInput
    seat: SeatNumber | None = None


class PlayTableMoveResponse(Response, frozen=True, kw_only=True):
    """The version the move made, what the holder then saw, and what happened."""

    version: int
    view: State
    views: tuple[State, ...] | None = None
    events: tuple[Event, ...]


class StartTableRequest(TableChange, frozen=True, kw_only=True):
    """Has the cards dealt: the host's, where not every place is claimed and has sent its entropy."""


class AddEntropyRequest(TableChange, frozen=True, kw_only=True):
    """Adds to what the cards are shuffled from; each place may once."""

    entropy: Entropy


class ResignTableRequest(TableChange, frozen=True, kw_only=True):
    """Gives the match up."""


class UndoTableRequest(TableChange, frozen=True, kw_only=True):
    """Takes back the last move: the host's."""


class EndTableRequest(TableChange, frozen=True, kw_only=True):
    """Ends the table: the host's."""


class ReissueTokenRequest(TableChange, frozen=True, kw_only=True):
    """Makes the token of a place worthless; `place` is the host's to name, and the own where none is."""

    place: SeatNumber | None = None


class _Changed(Response, frozen=True, kw_only=True):
    """The version that a change made."""

    version: int


class StartTableResponse(_Changed, frozen=True, kw_only=True):
    """The version at which the cards were dealt."""


class AddEntropyResponse(_Changed, frozen=True, kw_only=True):
    """The version that has the entropy."""


class ResignTableResponse(_Changed, frozen=True, kw_only=True):
    """The version that has the resignation."""


class UndoTableResponse(_Changed, frozen=True, kw_only=True):
    """The version that is as the table was before the last move."""


class EndTableResponse(_Changed, frozen=True, kw_only=True):
    """The last version."""


class ReissueTokenResponse(Response, frozen=True, kw_only=True):
    """The holder's new token; where the host reissued a place, that place's new join code instead."""

    version: int
    token: str | None = None
    join_code: str | None = None


class CreateEventTicketRequest(TableRequest, frozen=True, kw_only=True):
    """Asks for a ticket that watches the table with the holder's eyes, and does nothing else."""


class CreateEventTicketResponse(Response, frozen=True, kw_only=True):
    """A ticket, good for so many seconds."""

    ticket: str
    seconds: int


class GetTableRecordRequest(TableRequest, frozen=True, kw_only=True):
    """Asks for the record, with what the holder may see of it."""


class GetTableRecordResponse(Response, frozen=True, kw_only=True):
    """The record; it can be replayed once it is complete."""

    record: ReplayRequest


class WatchTableRequest(TableRequest, frozen=True, kw_only=True):
    """Watches a table: from its present on, or from behind `after_version`, the last that was seen."""

    after_version: Version | None = None


class WatchTableResponse(Response, frozen=True, kw_only=True):
    """A frame: all that one version brought, as the watcher may see it.

    The first frame, and one with `reset`, has `table` instead: all of it at that version, from which to go on. `view`,
    and `views` for a host who sees all, are there where the events do not lead to them. `to_act` and `phase` are the
    game's after this version. `place` is who acted, absent for the host and the service. `ended` is in the last frame
    of a table that has ended; `gone` in the last of a watch that ends for another reason. A frame with none of `act`,
    `table` and `gone` is a heartbeat.
    """

    version: int
    at: Moment | None = None
    act: Act | None = None
    place: int | None = None
    seat: int | None = None
    name: str | None = None
    events: tuple[Event, ...] = ()
    to_act: Turn | None = None
    phase: str | None = None
    turn_ends_at: Moment | None = None
    view: State | None = None
    views: tuple[State, ...] | None = None
    reset: bool = False
    table: GetTableResponse | None = None
    ended: TableEnd | None = None
    gone: Literal["revoked", "expired", "slow", "stopping"] | None = None
