"""Requests and responses that are the same for every game."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Raw

from engine.cards import AnyCard, Card
from engine.events import Event
from engine.game import CaptureGroup, LegalMove, NeedsChance, SeedText, Viewer
from engine.sheet import Scope, Sheet
from engine.violations import Violation

from .base import MoveInput, Request, Response, SeatNumber, State
from .by_game import ScoreFactsRequest

# --- games


class Limits(Response, frozen=True, kw_only=True):
    """What one request may ask for; each is a setting of the service."""

    body_bytes: int
    nesting: int
    batch_calls: int
    legal_moves: int
    record_moves: int
    work: int


class Clause(Response, frozen=True, kw_only=True):
    """A clause of a game's rules, in the project's words, in three languages."""

    id: str
    en: str
    nl: str
    fr: str


class GameSummary(Response, frozen=True, kw_only=True):
    """A game that is refereed here: how many places it can have, its rulesets, the newest last, and its presets."""

    game: str
    min_places: int
    max_places: int
    places: tuple[int, ...]
    rulesets: tuple[int, ...]
    presets: tuple[str, ...]


class ListGamesResponse(Response, frozen=True, kw_only=True):
    """All games."""

    games: tuple[GameSummary, ...]


class GetGameRequest(Request, frozen=True, kw_only=True):
    """Asks what a game is."""

    game: str


class GetGameResponse(Response, frozen=True, kw_only=True):
    """What a game is: `options_schema` is the JSON Schema of its options, with defaults and meanings."""

    game: str
    min_places: int
    max_places: int
    places: tuple[int, ...]
    rulesets: tuple[int, ...]
    presets: tuple[str, ...]
    options_schema: dict[str, Any]
    move_types: tuple[str, ...]
    clauses: tuple[Clause, ...]
    limits: Limits


# --- dealing, and records


class DealResponse(Response, frozen=True, kw_only=True):
    """A match begun, and dealt where the service holds the cards."""

    state: State


class ReplayResponse(Response, frozen=True, kw_only=True):
    """Where a record leads; with the first illegal move's violation and index, the state just before it."""

    state: State
    sheet: Sheet
    violation: Violation | None = None
    index: int | None = None


# --- a position and a move


class ValidateMoveRequest(Request, frozen=True, kw_only=True):
    """Asks whether a move is legal; `seat` is who makes it, by default who is to act."""

    state: State
    move: MoveInput
    seat: SeatNumber | None = None


class ValidateMoveResponse(Response, frozen=True, kw_only=True):
    """Legal, or the one violation why not."""

    legal: bool
    violation: Violation | None = None


class ListLegalMovesRequest(Request, frozen=True, kw_only=True):
    """Asks for the legal moves of a seat, by default the one to act; `cursor` goes on from an earlier answer."""

    state: State
    seat: SeatNumber | None = None
    card: AnyCard | None = None
    tier: Literal["groups", "shapes", "moves"] | None = None
    limit: Annotated[int, Meta(ge=1)] | None = None
    cursor: Annotated[str, Meta(max_length=64)] | None = None
    explain: bool = False


class ExplainedCard(Response, frozen=True, kw_only=True):
    """A card that may not be played now, and why."""

    card: Card
    violation: Violation


class CaptureShape(Response, frozen=True, kw_only=True):
    """What captures have in common: how many things of each value they take, 1 (an ace) to 13 (a king).

    `ways` counts the captures of this shape, a decimal string. Where a capture can take from one heap only,
    `stolen_from` is the heap, and those that take from another, or from none, are counted apart.
    """

    card: Card
    taken: tuple[int, ...]
    ways: str
    stolen_from: int | None = None


class ListLegalMovesResponse(Response, frozen=True, kw_only=True):
    """A page of legal moves.

    `total` is exact, a decimal string since it can exceed 64 bits. Where a tier of captures was asked for, `groups` or
    `shapes` has them, `total` counts those, and `moves` is empty. `needs_chance` says that first a deal or draw must be
    told by who holds the cards.
    """

    moves: tuple[LegalMove, ...]
    total: str
    truncated: bool
    cursor: str | None = None
    groups: tuple[CaptureGroup, ...] | None = None
    shapes: tuple[CaptureShape, ...] | None = None
    explained: tuple[ExplainedCard, ...] | None = None
    needs_chance: NeedsChance | None = None


class PlayMoveRequest(Request, frozen=True, kw_only=True):
    """Plays a move."""

    state: State
    move: MoveInput
    seat: SeatNumber | None = None


class PlayMoveResponse(Response, frozen=True, kw_only=True):
    """What the move led to."""

    state: State
    events: tuple[Event, ...]


class ScoreStateRequest(Request, frozen=True, kw_only=True):
    """Asks for a state's score: of the deal, or of the match (the default once it is over)."""

    state: State
    scope: Scope | None = None


ScoreRequest = ScoreStateRequest | ScoreFactsRequest


class ScoreResponse(Response, frozen=True, kw_only=True):
    """The sheet."""

    sheet: Sheet


class ViewStateRequest(Request, frozen=True, kw_only=True):
    """Asks for what one viewer sees of a state."""

    state: State
    viewer: Viewer


class ViewStateResponse(Response, frozen=True, kw_only=True):
    """The view: a state with `viewer` set."""

    view: State


class ListOutcomesRequest(Request, frozen=True, kw_only=True):
    """Asks for the odds, as far as `viewer` can tell: by default whose view the state is, or the spectator."""

    state: State
    viewer: Viewer | None = None


class NextCard(Response, frozen=True, kw_only=True):
    """A card that may come next: in `numerator` of `denominator` equally likely ways, both decimal strings."""

    card: AnyCard
    numerator: str
    denominator: str
    probability: float


class Figure(Response, frozen=True, kw_only=True):
    """A figure the game tells, of a seat or of the whole table: a chance, or points on average.

    It is the fraction, in lowest terms, of two decimal strings; `value` is what that comes to, nearly.
    """

    name: str
    unit: Literal["chance", "points"]
    seat: int | None = None
    numerator: str
    denominator: str
    value: float


class ListOutcomesResponse(Response, frozen=True, kw_only=True):
    """The odds: each card that may come next, once, and the game's own figures."""

    next: tuple[NextCard, ...]
    figures: tuple[Figure, ...]


class SampleStatesRequest(Request, frozen=True, kw_only=True):
    """Asks for `n` full states that the view can be of; the same seed gives the same."""

    view: State
    n: Annotated[int, Meta(ge=1, le=10_000)] = 1
    seed: SeedText


class SampleStatesResponse(Response, frozen=True, kw_only=True):
    """Full states whose view is the one asked about, but that cards to come are drawn from a seed of their own.

    `uniform`: each way the hidden cards can lie is exactly as likely as any other; otherwise very nearly.
    """

    states: tuple[State, ...]
    uniform: bool


class SimulateRequest(Request, frozen=True, kw_only=True):
    """Asks what random play comes to, `n` times over, from a state or from states that a view can be of."""

    state: State
    n: Annotated[int, Meta(ge=1, le=10_000)] = 100
    seed: SeedText
    until: Literal["deal", "match"] | None = None


class SimulatedPoints(Response, frozen=True, kw_only=True):
    """The points of a side in a row of the paper, over all playouts that reached an end."""

    side: int
    account: str
    unit: str
    mean: float
    deviation: float
    least: int
    most: int


class SimulatedWins(Response, frozen=True, kw_only=True):
    """How many playouts a side won."""

    side: int
    wins: int


class SimulateResponse(Response, frozen=True, kw_only=True):
    """What the playouts came to: how many reached an end, how many moves they took on average, wins and points."""

    playouts: int
    finished: int
    moves: float
    wins: tuple[SimulatedWins, ...]
    points: tuple[SimulatedPoints, ...]


# --- many at once


class BatchCall(Request, frozen=True, kw_only=True):
    """One call of a batch: an id of the caller's choice, and exactly one request, kept as its text, empty if absent."""

    id: Annotated[str, Meta(max_length=128)]
    deal: Raw = Raw()
    validate: Raw = Raw()
    legal_moves: Raw = Raw()
    play: Raw = Raw()
    score: Raw = Raw()
    view: Raw = Raw()
    replay: Raw = Raw()
    outcomes: Raw = Raw()
    sample: Raw = Raw()
    simulate: Raw = Raw()


class BatchRequest(Request, frozen=True, kw_only=True):
    """Calls in any number up to the limit; each is decoded by itself."""

    calls: tuple[Raw, ...]


class Problem(Response, frozen=True, kw_only=True):
    """Why a request was refused (RFC 9457): `path` is the JSON path of the fault, from ``$``."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    path: str | None = None
    params: dict[str, Any] | None = None
    violation: Violation | None = None


class BatchResult(Response, frozen=True, kw_only=True):
    """The answer to one call, or its problem."""

    id: str
    deal: DealResponse | None = None
    validate: ValidateMoveResponse | None = None
    legal_moves: ListLegalMovesResponse | None = None
    play: PlayMoveResponse | None = None
    score: ScoreResponse | None = None
    view: ViewStateResponse | None = None
    replay: ReplayResponse | None = None
    outcomes: ListOutcomesResponse | None = None
    sample: SampleStatesResponse | None = None
    simulate: SimulateResponse | None = None
    error: Problem | None = None


class BatchResponse(Response, frozen=True, kw_only=True):
    """The results, in the calls' order."""

    results: tuple[BatchResult, ...]
