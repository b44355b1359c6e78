"""The REST operations: one table, from which both the routes and their documentation are made."""

from typing import Any, Final

from msgspec import Struct

from service.messages import (
    BatchRequest,
    BatchResponse,
    DealRequest,
    DealResponse,
    ListLegalMovesRequest,
    ListLegalMovesResponse,
    ListOutcomesRequest,
    ListOutcomesResponse,
    PlayMoveRequest,
    PlayMoveResponse,
    ReplayRequest,
    ReplayResponse,
    SampleStatesRequest,
    SampleStatesResponse,
    ScoreRequest,
    ScoreResponse,
    SimulateRequest,
    SimulateResponse,
    ValidateMoveRequest,
    ValidateMoveResponse,
    ViewStateRequest,
    ViewStateResponse,
)


class Operation(Struct, frozen=True, kw_only=True):
    """A POST route: `name` is the method of `Rules`, `id` what clients made from the OpenAPI document call it."""

    name: str
    path: str
    id: str
    summary: str
    description: str
    request: Any
    response: type[Struct]
    refusals: tuple[str, ...] = ()
    """Codes it can answer besides those that every POST can."""


OPERATIONS: Final = (
    Operation(
        name="deal",
        path="/v1/deal",
        id="deal",
        summary="Begin a match, and deal",
        description="Begins a match of a game under the options named; without a seed, a deck or `chance` the service "
        "draws a seed. The state in the answer is all there is: keep it, and send it with the next question.",
        request=DealRequest,
        response=DealResponse,
    ),
    Operation(
        name="validate",
        path="/v1/validate",
        id="validateMove",
        summary="Judge a move",
        description="Says whether a move is legal, and if not, why: the code is stable, the message in the language "
        "asked for. An illegal move is an answer here, not an error.",
        request=ValidateMoveRequest,
        response=ValidateMoveResponse,
    ),
    Operation(
        name="legal_moves",
        path="/v1/legal-moves",
        id="listLegalMoves",
        summary="List the legal moves",
        description="Every legal move of a seat, each with its text, a page at a time; `total` counts them all. With "
        "`explain`, also each card that may not be played, and why. Captures can be very many: as `tier`, `groups` "
        "asks for the sets they are made of, `shapes` for what they have in common, counted.",
        request=ListLegalMovesRequest,
        response=ListLegalMovesResponse,
    ),
    Operation(
        name="play",
        path="/v1/play",
        id="playMove",
        summary="Play a move",
        description="Judges a move and plays it: the new state, and what happened. An illegal move is refused with "
        "its violation and changes nothing.",
        request=PlayMoveRequest,
        response=PlayMoveResponse,
        refusals=("ILLEGAL_MOVE",),
    ),
    Operation(
        name="score",
        path="/v1/score",
        id="score",
        summary="Score a state, or bare facts",
        description="The itemised sheet of a state; or, for those who keep only the score here, of the tricks and "
        "honours they tell.",
        request=ScoreRequest,
        response=ScoreResponse,
    ),
    Operation(
        name="view",
        path="/v1/view",
        id="viewState",
        summary="See a state as one viewer does",
        description="What one seat, or the spectator, may see of a state: hidden cards become a number. The view can "
        "be sent wherever a state can.",
        request=ViewStateRequest,
        response=ViewStateResponse,
    ),
    Operation(
        name="replay",
        path="/v1/replay",
        id="replay",
        summary="Replay a record",
        description="Plays a record through as far as its moves are legal: where it leads, what it scores, and the "
        "first illegal move.",
        request=ReplayRequest,
        response=ReplayResponse,
    ),
    Operation(
        name="outcomes",
        path="/v1/outcomes",
        id="listOutcomes",
        summary="Tell the odds",
        description="The cards that may come next and the game's own figures, in exact fractions, from what `viewer` "
        "has seen: the state's own viewer, or the spectator, where none is named. Not every game has odds to tell.",
        request=ListOutcomesRequest,
        response=ListOutcomesResponse,
        refusals=("NO_ODDS",),
    ),
    Operation(
        name="sample",
        path="/v1/sample",
        id="sampleStates",
        summary="Guess the hidden cards",
        description="Full states that a view can be of, drawn at random under a seed of yours: whatever the viewer has "
        "seen, voids, forced captures and builds included, they agree with. Each way the cards can lie is as likely as "
        "the next. What is still to be dealt comes from a seed of each state's own, so that all can be played out.",
        request=SampleStatesRequest,
        response=SampleStatesResponse,
    ),
    Operation(
        name="simulate",
        path="/v1/simulate",
        id="simulate",
        summary="Play out at random",
        description="Random play from a state, or from states that a view can be of, to the end of the deal or of the "
        "match, many times over under a seed of yours: how often each side won, and the points.",
        request=SimulateRequest,
        response=SimulateResponse,
    ),
    Operation(
        name="batch",
        path="/v1/batch",
        id="batch",
        summary="Ask many questions at once",
        description="Calls with an id of yours and exactly one request each. The results come in the same order, each "
        "with its own answer or its own problem, whose path counts from that call's request.",
        request=BatchRequest,
        response=BatchResponse,
    ),
)
