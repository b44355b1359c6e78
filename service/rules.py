"""The stateless use cases: a position and a question in, an answer out. They speak structs and engine errors only."""

import secrets
import time
from collections import deque
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Final, TypeVar

from engine import game as engine
from engine.asking import AnyGame, admitted, clause_in, move_types, options_schema, query_of, setup_of
from engine.game import Query, Step, resolve_options
from engine.games import BY_NAME, BY_STATE, GAMES, State
from engine.playouts import Simulation
from engine.rng import SEED_BYTES
from engine.violations import IllegalMove, Violation, localised

from .decisions import CHANCE, Decisions, Judged
from .errors import OK, ServiceError, code_of
from .messages import (
    CaptureShape,
    Clause,
    DealRequest,
    DealResponse,
    ExplainedCard,
    Figure,
    GameSummary,
    GetGameRequest,
    GetGameResponse,
    Limits,
    ListGamesResponse,
    ListLegalMovesRequest,
    ListLegalMovesResponse,
    ListOutcomesRequest,
    ListOutcomesResponse,
    ListTableMovesRequest,
    NextCard,
    PlayMoveRequest,
    PlayMoveResponse,
    ReplayRequest,
    ReplayResponse,
    SampleStatesRequest,
    SampleStatesResponse,
    ScoreRequest,
    ScoreResponse,
    ScoreStateRequest,
    SimulatedPoints,
    SimulatedWins,
    SimulateRequest,
    SimulateResponse,
    ValidateMoveRequest,
    ValidateMoveResponse,
    ViewStateRequest,
    ViewStateResponse,
)

IN_STEPS: Final = frozenset({"replay", "sample", "simulate"})
"""The use cases that there are in steps too."""
T = TypeVar("T")
Observe = Callable[[str, str, str, float], None]


def ignore(operation: str, game: str, code: str, seconds: float) -> None:
    """What is told where nobody counts."""


class Observed:
    """Tells how long a decision took that is made in a block, and the code of its refusal or `OK`."""

    __slots__ = ("_began", "_game", "_observe", "_operation")

    def __init__(self, observe: Observe, operation: str, game: str) -> None:
        self._observe = observe
        self._operation = operation
        self._game = game
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        code = code_of(fault) if isinstance(fault, Exception) else OK
        self._observe(self._operation, self._game, code, time.perf_counter() - self._began)


class Rules:
    """The use cases under one set of limits. Methods take a request and the caller's language."""

    def __init__(self, limits: Limits, observe: Observe = ignore, decisions: Decisions | None = None) -> None:
        """`observe` is told of each decision: operation, game, the code of a refusal or `OK`, and seconds it took.

        `decisions`, where there is one, takes each move that was judged; those of tables, once their deal is over.
        """
        self.limits = limits
        self.observe = observe
        self.decisions = decisions
        self._games = {game.name: _described(game, limits) for game in GAMES}

    def observed(self, operation: str, game: str) -> Observed:
        """Has `observe` told of the decision that is made in the block."""
        return Observed(self.observe, operation, game)

    def list_games(self) -> ListGamesResponse:
        """All games."""
        return ListGamesResponse(games=tuple(_summary(game) for game in GAMES))

    def get_game(self, request: GetGameRequest) -> GetGameResponse:
        """What a game is; UNKNOWN_GAME where there is none of the name."""
        found = self._games.get(request.game)
        if found is None:
            raise ServiceError("UNKNOWN_GAME", f"no game is called {request.game[:40]!r}", "$.game")
        return found

    def deal(self, request: DealRequest, language: str) -> DealResponse:
        """Begins a match, and deals where the service holds the cards."""
        del language
        game = _game_of(request)
        return DealResponse(state=engine.begin(game, setup_of(game, request, drawn_seed)).state)

    def validate(self, request: ValidateMoveRequest, language: str) -> ValidateMoveResponse:
        """Judges a move."""
        game = admitted(request.state)
        refused = engine.judge(game, request.state, request.move.move, request.seat)
        self._judged(request, refused)
        if refused is None:
            return ValidateMoveResponse(legal=True)
        return ValidateMoveResponse(legal=False, violation=localised(refused, language))

    def legal_moves(self, request: ListLegalMovesRequest, language: str) -> ListLegalMovesResponse:
        """Lists legal moves, at most as many as the service's limit."""
        admitted(request.state)
        query = self.query(request)
        return self.listed(request.state, request.seat, query, language)

    def query(self, request: ListLegalMovesRequest | ListTableMovesRequest) -> Query:
        """How much of the legal moves is asked for, within the limit."""
        return query_of(request, self.limits.legal_moves)

    def listed(self, state: State, seat: int | None, query: Query, language: str) -> ListLegalMovesResponse:
        """The legal moves of a state that is known to be possible."""
        found = engine.legal_moves(BY_STATE[type(state)], state, seat, query)
        blocked = (found.blocked or ()) if query.explain else None
        return ListLegalMovesResponse(
            moves=found.moves,
            total=str(found.total),
            truncated=found.truncated,
            cursor=found.cursor,
            groups=found.groups,
            shapes=None if found.shapes is None else tuple(map(_shape, found.shapes)),
            explained=None if blocked is None else tuple(_explained(each, language) for each in blocked),
            needs_chance=found.needs_chance,
        )

    def play(self, request: PlayMoveRequest, language: str) -> PlayMoveResponse:
        """Plays a move; IllegalMove where it is refused."""
        del language
        game = admitted(request.state)
        try:
            outcome = engine.play(game, request.state, request.move.move, request.seat)
        except IllegalMove as refused:
            self._judged(request, refused.violation)
            raise
        self._judged(request, None)
        return PlayMoveResponse(state=outcome.state, events=outcome.events)

    def _judged(self, request: ValidateMoveRequest | PlayMoveRequest, refused: Violation | None) -> None:
        move = request.move.move
        if self.decisions is not None and not isinstance(move, CHANCE):
            judged = Judged(source="stateless", state=request.state, move=move, seat=request.seat, violation=refused)
            self.decisions.take(lambda: (judged,))

    def score(self, request: ScoreRequest, language: str) -> ScoreResponse:
        """Scores a state, or bare facts."""
        del language
        if isinstance(request, ScoreStateRequest):
            game = admitted(request.state)
            return ScoreResponse(sheet=game.sheet(request.state, request.scope))
        game = _game_of(request)
        return ScoreResponse(sheet=game.sheet_of_facts(resolve_options(game, request.options), request.facts))

    def view(self, request: ViewStateRequest, language: str) -> ViewStateResponse:
        """What one viewer sees of a state."""
        del language
        game = admitted(request.state)
        return ViewStateResponse(view=engine.view(game, request.state, request.viewer))

    def outcomes(self, request: ListOutcomesRequest, language: str) -> ListOutcomesResponse:
        """The odds, as far as a viewer can tell; NO_ODDS where the game has none to tell."""
        del language
        game = admitted(request.state)
        if game.odds is None:
            raise ServiceError("NO_ODDS", f"{game.name} has no odds to tell", "$.state")
        found = engine.odds(game, request.state, request.viewer)
        return ListOutcomesResponse(next=tuple(map(_next_card, found.next)), figures=tuple(map(_figure, found.figures)))

    def sample(self, request: SampleStatesRequest, language: str) -> SampleStatesResponse:
        """Full states that a view can be of. Malformed where it is no view."""
        return _last(self.sample_in_steps(request, language))

    def sample_in_steps(self, request: SampleStatesRequest, language: str) -> Iterator[SampleStatesResponse | None]:
        """As `sample`, a state at a time: None, and the answer in the end."""
        del language
        game = admitted(request.view, "$.view")
        draw, exact = engine.sampling(game, request.view, request.seed)
        states = []
        for number in range(request.n):
            states.append(draw(number))
            yield None
        yield SampleStatesResponse(states=tuple(states), uniform=exact)

    def simulate(self, request: SimulateRequest, language: str) -> SimulateResponse:
        """What random play comes to."""
        return _last(self.simulate_in_steps(request, language))

    def simulate_in_steps(self, request: SimulateRequest, language: str) -> Iterator[SimulateResponse | None]:
        """As `simulate`, a playout at a time: None, and the answer in the end."""
        del language
        game = admitted(request.state)
        simulation = Simulation(game, request.state, request.seed, request.until or "match")
        for number in range(request.n):
            simulation.play_out(number)
            yield None
        found = simulation.found
        yield SimulateResponse(
            playouts=found.number,
            finished=found.finished,
            moves=found.moves / found.number,
            wins=tuple(SimulatedWins(side=side, wins=wins) for side, wins in sorted(found.wins.items())),
            points=tuple(
                SimulatedPoints(
                    side=side,
                    account=account,
                    unit=tally.unit,
                    mean=tally.mean,
                    deviation=tally.deviation,
                    least=tally.least,
                    most=tally.most,
                )
                for (side, account), tally in found.points.items()
            ),
        )

    def replay(self, request: ReplayRequest, language: str) -> ReplayResponse:
        """Plays a record through, as far as its moves are legal."""
        return _last(self.replay_in_steps(request, language))

    def replay_in_steps(self, request: ReplayRequest, language: str) -> Iterator[ReplayResponse | None]:
        """As `replay`, a move at a time: None, and the answer in the end."""
        if len(request.moves) > self.limits.record_moves:
            raise ServiceError("LIST_TOO_LONG", f"a record has at most {self.limits.record_moves} moves", "$.moves")
        game = _game_of(request)
        steps = [Step(step.move.move, step.seat) for step in request.moves]
        moves = engine.replaying(game, setup_of(game, request), steps)
        replayed = next(moves)
        for reached in moves:
            replayed = reached
            yield None
        refused = replayed.violation
        yield ReplayResponse(
            state=replayed.state,
            sheet=game.sheet(replayed.state, None),
            violation=refused and localised(refused, language),
            index=replayed.index,
        )


def _last(steps: Iterator[T | None]) -> T:
    answer = deque(steps, maxlen=1).pop()
    assert answer is not None  # noqa: S101 - that is how they end
    return answer


def _game_of(request: Any) -> AnyGame:
    return BY_NAME[request.__struct_config__.tag]


def _explained(blocked: engine.Blocked, language: str) -> ExplainedCard:
    return ExplainedCard(card=blocked.card, violation=localised(blocked.violation, language))


def _shape(shape: engine.CaptureShape) -> CaptureShape:
    return CaptureShape(card=shape.card, taken=shape.taken, ways=str(shape.ways), stolen_from=shape.stolen_from)


def _next_card(each: engine.NextCard) -> NextCard:
    return NextCard(card=each.card, numerator=str(each.ways), denominator=str(each.of), probability=each.ways / each.of)


def _figure(figure: engine.Figure) -> Figure:
    return Figure(
        name=figure.name,
        unit=figure.unit,
        seat=figure.seat,
        numerator=str(figure.numerator),
        denominator=str(figure.denominator),
        value=figure.numerator / figure.denominator,
    )


def drawn_seed() -> str:
    """A seed that nobody can foresee."""
    return secrets.token_hex(SEED_BYTES)


def _summary(game: AnyGame) -> GameSummary:
    return GameSummary(
        game=game.name,
        min_places=game.places[0],
        max_places=game.places[-1],
        places=tuple(game.places),
        rulesets=game.rulesets,
        presets=tuple(game.presets),
    )


def _described(game: AnyGame, limits: Limits) -> GetGameResponse:
    summary = _summary(game)
    return GetGameResponse(
        game=summary.game,
        min_places=summary.min_places,
        max_places=summary.max_places,
        places=summary.places,
        rulesets=summary.rulesets,
        presets=summary.presets,
        options_schema=options_schema(game),
        move_types=move_types(game),
        clauses=tuple(_clause(game, clause) for clause in game.clauses),
        limits=limits,
    )


def _clause(game: AnyGame, clause: str) -> Clause:
    return Clause(id=f"{game.name}/{clause}", **clause_in(game, clause))
