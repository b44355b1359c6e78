"""The calls of the service: one table, of which each transport knows its half."""

from typing import Any, Final, Literal, NamedTuple

from . import models


class Operation(NamedTuple):
    """A call: its method in gRPC, its verb and path in REST, and what it is answered with.

    All of them can be repeated: they change nothing, or carry a key.
    """

    method: str
    verb: Literal["GET", "POST", "DELETE"]
    path: str
    answer: Any
    service: Literal["Referee", "Tables"] = "Referee"


LIST_GAMES: Final = Operation("ListGames", "GET", "/v1/games", models.ListGamesResponse)
GET_GAME: Final = Operation("GetGame", "GET", "/v1/games/{game}", models.GetGameResponse)
DEAL: Final = Operation("Deal", "POST", "/v1/deal", models.DealResponse)
VALIDATE: Final = Operation("ValidateMove", "POST", "/v1/validate", models.ValidateMoveResponse)
LEGAL_MOVES: Final = Operation("ListLegalMoves", "POST", "/v1/legal-moves", models.ListLegalMovesResponse)
PLAY: Final = Operation("PlayMove", "POST", "/v1/play", models.PlayMoveResponse)
SCORE: Final = Operation("Score", "POST", "/v1/score", models.ScoreResponse)
VIEW: Final = Operation("ViewState", "POST", "/v1/view", models.ViewStateResponse)
REPLAY: Final = Operation("Replay", "POST", "/v1/replay", models.ReplayResponse)
OUTCOMES: Final = Operation("ListOutcomes", "POST", "/v1/outcomes", models.ListOutcomesResponse)
SAMPLE: Final = Operation("SampleStates", "POST", "/v1/sample", models.SampleStatesResponse)
SIMULATE: Final = Operation("Simulate", "POST", "/v1/simulate", models.SimulateResponse)
BATCH: Final = Operation("Batch", "POST", "/v1/batch", models.BatchResponse)

TABLE: Final = "/v1/tables/{table}"
CREATE_TABLE: Final = Operation("CreateTable", "POST", "/v1/tables", models.CreateTableResponse, "Tables")
CLAIM: Final = Operation("ClaimPlace", "POST", f"{TABLE}/claim", models.ClaimPlaceResponse, "Tables")
GET_TABLE: Final = Operation("GetTable", "GET", TABLE, models.GetTableResponse, "Tables")
TABLE_MOVES: Final = Operation("ListTableMoves", "GET", f"{TABLE}/legal-moves", models.ListTableMovesResponse, "Tables")
RECORD: Final = Operation("GetTableRecord", "GET", f"{TABLE}/record", models.GetTableRecordResponse, "Tables")
PLAY_AT_TABLE: Final = Operation("PlayTableMove", "POST", f"{TABLE}/moves", models.PlayTableMoveResponse, "Tables")
START: Final = Operation("StartTable", "POST", f"{TABLE}/start", models.StartTableResponse, "Tables")
ADD_ENTROPY: Final = Operation("AddEntropy", "POST", f"{TABLE}/entropy", models.AddEntropyResponse, "Tables")
RESIGN: Final = Operation("ResignTable", "POST", f"{TABLE}/resign", models.ResignTableResponse, "Tables")
UNDO: Final = Operation("UndoTable", "POST", f"{TABLE}/undo", models.UndoTableResponse, "Tables")
REISSUE: Final = Operation("ReissueToken", "POST", f"{TABLE}/reissue", models.ReissueTokenResponse, "Tables")
END: Final = Operation("EndTable", "DELETE", TABLE, models.EndTableResponse, "Tables")
TICKET: Final = Operation("", "POST", f"{TABLE}/event-tickets", models.CreateEventTicketResponse, "Tables")
"""REST's alone."""
WATCH: Final = Operation("WatchTable", "GET", f"{TABLE}/events", models.WatchTableResponse, "Tables")
DECIDE: Final = "Decide"

Question = (
    models.WhistDealRequest
    | models.PeeweeDealRequest
    | models.WippenDealRequest
    | models.WipeDealRequest
    | models.Flip7DealRequest
    | models.ValidateMoveRequest
    | models.ListLegalMovesRequest
    | models.PlayMoveRequest
    | models.ScoreStateRequest
    | models.WhistScoreFactsRequest
    | models.PeeweeScoreFactsRequest
    | models.WippenScoreFactsRequest
    | models.WipeScoreFactsRequest
    | models.Flip7ScoreFactsRequest
    | models.ViewStateRequest
    | models.WhistReplayRequest
    | models.PeeweeReplayRequest
    | models.WippenReplayRequest
    | models.WipeReplayRequest
    | models.Flip7ReplayRequest
    | models.ListOutcomesRequest
    | models.SampleStatesRequest
    | models.SimulateRequest
)
"""What can be asked in a batch or a stream."""
Answer = (
    models.DealResponse
    | models.ValidateMoveResponse
    | models.ListLegalMovesResponse
    | models.PlayMoveResponse[Any]
    | models.ScoreResponse
    | models.ViewStateResponse
    | models.ReplayResponse[Any]
    | models.ListOutcomesResponse
    | models.SampleStatesResponse
    | models.SimulateResponse
)
"""What a question is answered with."""

_KINDS: Final[dict[Any, tuple[str, Operation]]] = {
    models.DealRequest: ("deal", DEAL),
    models.ValidateMoveRequest: ("validate", VALIDATE),
    models.ListLegalMovesRequest: ("legal_moves", LEGAL_MOVES),
    models.PlayMoveRequest: ("play", PLAY),
    models.ScoreRequest: ("score", SCORE),
    models.ViewStateRequest: ("view", VIEW),
    models.ReplayRequest: ("replay", REPLAY),
    models.ListOutcomesRequest: ("outcomes", OUTCOMES),
    models.SampleStatesRequest: ("sample", SAMPLE),
    models.SimulateRequest: ("simulate", SIMULATE),
}
ASKED: Final[dict[type, tuple[str, Operation]]] = {
    each: named for kind, named in _KINDS.items() for each in getattr(kind, "__args__", (kind,))
}
"""What a batch calls each kind of question, and the call that it is when asked alone."""

ODDS_WORK: Final = 100
SAMPLE_WORK: Final = 10
PLAYOUT_WORK: Final = 100


def work_of(question: Any) -> int:
    """What the service counts a question as, towards `Limits.work`."""
    if isinstance(question, models.ListOutcomesRequest):
        return 1 + ODDS_WORK * len(question.state.hands)
    if isinstance(question, models.SampleStatesRequest):
        return 1 + SAMPLE_WORK * question.n
    if isinstance(question, models.SimulateRequest):
        return 1 + PLAYOUT_WORK * question.n
    moves: tuple[Any, ...] = getattr(question, "moves", ())
    return 1 + len(moves)
