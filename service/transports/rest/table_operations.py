"""The REST operations of hosted tables: one table, from which both the routes and their documentation are made."""

from typing import Any, Final, Literal

from msgspec import Struct

from service.messages import (
    AddEntropyRequest,
    AddEntropyResponse,
    ClaimPlaceRequest,
    ClaimPlaceResponse,
    CreateEventTicketRequest,
    CreateEventTicketResponse,
    CreateTableRequest,
    CreateTableResponse,
    EndTableRequest,
    EndTableResponse,
    GetTableRecordRequest,
    GetTableRequest,
    GetTableResponse,
    ListTableMovesRequest,
    ListTableMovesResponse,
    PlayTableMoveRequest,
    PlayTableMoveResponse,
    ReissueTokenRequest,
    ReissueTokenResponse,
    ReplayRequest,
    ResignTableRequest,
    ResignTableResponse,
    StartTableRequest,
    StartTableResponse,
    UndoTableRequest,
    UndoTableResponse,
    WatchTableRequest,
    WatchTableResponse,
)

Method = Literal["GET", "POST", "DELETE"]


class TableOperation(Struct, frozen=True, kw_only=True):
    """A route of a table: `name` is the method of `Tables`, `id` what clients made from the document call it.

    A request of a GET and a DELETE is read from the query, that of a POST from the body.
    """

    name: str
    method: Method
    path: str
    id: str
    summary: str
    description: str
    request: Any
    response: Any
    authorization: Literal["none", "required", "optional"] = "required"
    refusals: tuple[str, ...] = ()
    """Codes it can answer besides those that every operation of its kind can."""


CHANGING: Final = ("STALE_VERSION", "KEY_REUSED", "TABLE_ENDED")
TABLE: Final = "/v1/tables/{table:str}"

TABLE_OPERATIONS: Final = (
    TableOperation(
        name="create",
        method="POST",
        path="/v1/tables",
        id="createTable",
        summary="Open a table",
        description="Opens a table for a match of a game. The answer has the host's token, and for each place a code "
        "that is good for one claim. Unless a seed, a deck or `chance` is named the service shuffles, and commits "
        "itself to the seed. A key that is repeated gets the same table; let it be one that nobody guesses.",
        request=CreateTableRequest,
        response=CreateTableResponse,
        authorization="none",
        refusals=("KEY_REUSED",),
    ),
    TableOperation(
        name="claim",
        method="POST",
        path=f"{TABLE}/claim",
        id="claimPlace",
        summary="Claim a place",
        description="Swaps a join code for the token of its place. Everybody at the table is told of it. A key that is "
        "repeated with the code gets the same token; let it be one that nobody guesses.",
        request=ClaimPlaceRequest,
        response=ClaimPlaceResponse,
        authorization="none",
        refusals=("BAD_JOIN_CODE", "KEY_REUSED", "TABLE_ENDED"),
    ),
    TableOperation(
        name="get",
        method="GET",
        path=TABLE,
        id="getTable",
        summary="See a table",
        description="The table as the token's holder sees it; without a token as a spectator does, where the table "
        "has spectators.",
        request=GetTableRequest,
        response=GetTableResponse,
        authorization="optional",
    ),
    TableOperation(
        name="legal_moves",
        method="GET",
        path=f"{TABLE}/legal-moves",
        id="listTableMoves",
        summary="List the legal moves of a place",
        description="The legal moves of the token's place at the table's present version.",
        request=ListTableMovesRequest,
        response=ListTableMovesResponse,
        refusals=("FORBIDDEN", "NOT_STARTED"),
    ),
    TableOperation(
        name="record",
        method="GET",
        path=f"{TABLE}/record",
        id="getTableRecord",
        summary="Get the record",
        description="The match as one document, which `replay` accepts once it is complete. Before the table has "
        "ended it is without what the holder may not see.",
        request=GetTableRecordRequest,
        response=ReplayRequest,
        authorization="optional",
    ),
    TableOperation(
        name="play",
        method="POST",
        path=f"{TABLE}/moves",
        id="playTableMove",
        summary="Play a move at a table",
        description="Judges a move of the token's place and plays it. `expectedVersion`, `idempotencyKey` or both "
        "must be there: a move is refused where the table has moved on, and made once however often its key comes.",
        request=PlayTableMoveRequest,
        response=PlayTableMoveResponse,
        refusals=("ILLEGAL_MOVE", "FORBIDDEN", "NOT_STARTED", "LIST_TOO_LONG", *CHANGING),
    ),
    TableOperation(
        name="ticket",
        method="POST",
        path=f"{TABLE}/event-tickets",
        id="createEventTicket",
        summary="Get a ticket for the events",
        description="A ticket for `?ticket=`, since a browser's EventSource sends no headers. It is good for a short "
        "time, and for nothing but watching.",
        request=CreateEventTicketRequest,
        response=CreateEventTicketResponse,
    ),
    TableOperation(
        name="start",
        method="POST",
        path=f"{TABLE}/start",
        id="startTable",
        summary="Have the cards dealt",
        description="The host's: deals without waiting for places to be claimed or to send entropy.",
        request=StartTableRequest,
        response=StartTableResponse,
        refusals=("FORBIDDEN", "ALREADY_STARTED", *CHANGING),
    ),
    TableOperation(
        name="add_entropy",
        method="POST",
        path=f"{TABLE}/entropy",
        id="addEntropy",
        summary="Add to the shuffle",
        description="What a place adds to the service's seed, once, before the cards are dealt; they are dealt when "
        "every place has.",
        request=AddEntropyRequest,
        response=AddEntropyResponse,
        refusals=("FORBIDDEN", "ENTROPY_CLOSED", *CHANGING),
    ),
    TableOperation(
        name="resign",
        method="POST",
        path=f"{TABLE}/resign",
        id="resignTable",
        summary="Resign",
        description="Gives the match up for the token's place. Where one side is left it has won; otherwise the "
        "place's acts are the default ones from now on.",
        request=ResignTableRequest,
        response=ResignTableResponse,
        refusals=("FORBIDDEN", "NOT_STARTED", *CHANGING),
    ),
    TableOperation(
        name="undo",
        method="POST",
        path=f"{TABLE}/undo",
        id="undoTable",
        summary="Take the last move back",
        description="The host's: a new version that is as the table was before the last move that somebody made.",
        request=UndoTableRequest,
        response=UndoTableResponse,
        refusals=("FORBIDDEN", "NOT_STARTED", "NOTHING_TO_UNDO", *CHANGING),
    ),
    TableOperation(
        name="reissue",
        method="POST",
        path=f"{TABLE}/reissue",
        id="reissueToken",
        summary="Replace a token",
        description="Makes a token worthless, and ends what is watched with it. The holder gets a new one; for a "
        "place that the host names there is a new join code instead. Everybody at the table is told of it.",
        request=ReissueTokenRequest,
        response=ReissueTokenResponse,
        refusals=("FORBIDDEN", *CHANGING),
    ),
    TableOperation(
        name="end",
        method="DELETE",
        path=TABLE,
        id="endTable",
        summary="End a table",
        description="The host's: nothing more is played. The table can be looked at until it expires.",
        request=EndTableRequest,
        response=EndTableResponse,
        refusals=("FORBIDDEN", *CHANGING),
    ),
)

WATCH: Final = TableOperation(
    name="watch",
    method="GET",
    path=f"{TABLE}/events",
    id="watchTable",
    summary="Watch a table",
    description="Server-Sent Events. An event is a frame, its id the version: first all of the table, then each "
    "version as it comes. `Last-Event-ID` or `afterVersion` resumes; where that is too long ago an event `reset` has "
    "all of the table again. The event `end` is the last, and says why. Comments are heartbeats. A table that has "
    "ended, and of which all was seen, answers 204.",
    request=WatchTableRequest,
    response=WatchTableResponse,
    authorization="optional",
)
