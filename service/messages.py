"""Requests and responses, as every transport means them.

Unions are tagged by `game` where a body carries options or a state, by `type` where it is a move or an event. A field
that may be absent is None when it is.
"""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from engine import games, moves
from engine.cards import AnyCard, Card
from engine.events import Event
from engine.game import Chance, LegalMove, NeedsChance, Ruleset, Seating, SeedText, Viewer, choices_type
from engine.games import BY_NAME
from engine.games.whist import WhistFacts
from engine.moves import Move
from engine.sheet import Scope, Sheet
from engine.violations import Malformed, Violation

SeatNumber = Annotated[int, Meta(ge=0, le=17)]
Language = Literal["en", "nl", "fr"]
State = games.State
"""A state or view of any game."""


class MoveInput:
    """A move however the caller wrote it: as its text, as a tagged object, or as the pair an answer gave."""

    __slots__ = ("move",)

    def __init__(self, move: Move) -> None:
        self.move = move

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MoveInput) and other.move == self.move

    def __hash__(self) -> int:
        return hash(self.move)

    @classmethod
    def of_parts(cls, move: Move | None, text: str | None) -> "MoveInput":
        """The move of an object, a text, or both, which must then agree. Malformed otherwise."""
        if text is None:
            if move is None:
                raise Malformed("$", "neither a move nor its text")
            return cls(move)
        parsed = moves.parse(text)
        if move is not None and move != parsed:
            raise Malformed("$.text", "the move and its text disagree")
        return cls(parsed)


_INNER_PATH: Final = "\0"


def from_json(kind: type, value: Any) -> MoveInput:
    """The decoder's hook. Raises ValueError, the path inside the value behind a NUL, as `fault_of` reads it."""
    if kind is not MoveInput:
        raise NotImplementedError(kind)
    try:
        if isinstance(value, str):
            return MoveInput.of_parts(None, value)
        if isinstance(value, dict) and "move" in value:
            pair = msgspec.convert(value, LegalMove)
            return MoveInput.of_parts(pair.move, pair.text)
        return MoveInput(msgspec.convert(value, Move))
    except Malformed as fault:
        raise ValueError(f"{fault.detail}{_INNER_PATH}{fault.path.removeprefix('$')}") from None
    except msgspec.ValidationError as fault:
        detail, path = fault_of(fault)
        raise ValueError(f"{detail}{_INNER_PATH}{path.removeprefix('$')}") from None


def to_json(value: Any) -> Any:
    """The encoder's hook: a move in a request is written as its object."""
    if isinstance(value, MoveInput):
        return value.move
    raise NotImplementedError(type(value))


_AT: Final = " - at `"


def fault_of(error: Exception) -> tuple[str, str]:
    """What a decoder's error says, and the JSON path of the fault from ``$``."""
    said, _, at = str(error).rpartition(_AT) if _AT in str(error) else (str(error), "", "")
    detail, _, inner = said.partition(_INNER_PATH)
    return detail, (at.removesuffix("`") or "$") + inner


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """What every request shares."""


class Response(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What every response shares."""


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
    """A game that is refereed here: how many places it takes, its rulesets, the newest last, and its presets."""

    game: str
    min_places: int
    max_places: int
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
    rulesets: tuple[int, ...]
    presets: tuple[str, ...]
    options_schema: dict[str, Any]
    move_types: tuple[str, ...]
    clauses: tuple[Clause, ...]
    limits: Limits


# --- dealing, and records


class _Begun(Request, frozen=True, kw_only=True):
    """What a match is begun from. Of `seed`, `deck` and `chance` one is named; without any the service draws a seed."""

    ruleset: Ruleset | None = None
    places: Annotated[int, Meta(ge=1, le=18)] | None = None
    seating: Seating | None = None
    dealer: SeatNumber | None = None
    chance: Chance | None = None
    seed: SeedText | None = None
    deck: Annotated[tuple[Card, ...], Meta(max_length=104)] | None = None


class RecordedMove(Request, frozen=True, kw_only=True):
    """A move of a record, and the seat that made it."""

    seat: SeatNumber | None = None
    move: MoveInput


WhistChoices: Any = choices_type(BY_NAME["whist"])


class WhistDealRequest(_Begun, frozen=True, kw_only=True, tag_field="game", tag="whist"):
    """Begins a match of whist."""

    options: WhistChoices | None = None


class WhistReplayRequest(_Begun, frozen=True, kw_only=True, tag_field="game", tag="whist"):
    """A record of whist: what it was begun from, and its moves."""

    options: WhistChoices | None = None
    moves: tuple[RecordedMove, ...]


class WhistScoreFactsRequest(Request, frozen=True, kw_only=True, tag_field="game", tag="whist"):
    """Scores bare facts of whist."""

    options: WhistChoices | None = None
    facts: WhistFacts


DealRequest = WhistDealRequest
ReplayRequest = WhistReplayRequest
ScoreFactsRequest = WhistScoreFactsRequest


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


class ListLegalMovesResponse(Response, frozen=True, kw_only=True):
    """A page of legal moves.

    `total` is exact, a decimal string since it can exceed 64 bits. `needs_chance` says that first a deal or draw must
    be told by who holds the cards.
    """

    moves: tuple[LegalMove, ...]
    total: str
    truncated: bool
    cursor: str | None = None
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
    error: Problem | None = None


class BatchResponse(Response, frozen=True, kw_only=True):
    """The results, in the calls' order."""

    results: tuple[BatchResult, ...]
