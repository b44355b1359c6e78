"""The referee in this process, without a service: the package ``scheids-client[local]`` has the engine for it.

`LocalScheids` has the calls of `Scheids` that keep nothing, and gives the same answers. States that it has given are
known to be possible and are not looked at again, so that playing on is fast.
"""

import secrets
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from . import models
from ._json import to_json
from ._operations import (
    ASKED,
    DEAL,
    GET_GAME,
    LEGAL_MOVES,
    LIST_GAMES,
    OUTCOMES,
    PLAY,
    REPLAY,
    SAMPLE,
    SCORE,
    SIMULATE,
    VALIDATE,
    VIEW,
    Operation,
    Question,
)
from ._results import Result
from ._sync.referee import Referee
from .errors import ScheidsError, error_of

try:
    from scheids_engine import asking, rng
    from scheids_engine import game as engine
    from scheids_engine import moves as engine_moves
    from scheids_engine.cards import AnyCard, Card, FlipCard
    from scheids_engine.game import Until
    from scheids_engine.games import BY_NAME, BY_STATE, GAMES, State
    from scheids_engine.playouts import playouts
    from scheids_engine.sheet import Scope
    from scheids_engine.violations import (
        ENGLISH,
        LANGUAGES,
        IllegalMove,
        ImpossibleState,
        Malformed,
        Refusal,
        UnsupportedRuleset,
        Violation,
        localised,
        message,
    )
except ImportError as missing:  # pragma: no cover - tested where it is not installed
    raise ImportError("the engine is not installed: pip install 'scheids-client[local]'") from missing

__all__ = ["LocalScheids"]

LIMITS: Final = models.Limits(
    body_bytes=2**31 - 1,
    nesting=2**31 - 1,
    batch_calls=2**31 - 1,
    legal_moves=1_000,
    record_moves=2**31 - 1,
    work=2**31 - 1,
)
"""Only a page of legal moves has a limit."""
KEPT: Final = 1_024
"""How many states are remembered as possible."""
STATUSES: Final = {
    "MALFORMED": (400, "Malformed request"),
    "IMPOSSIBLE_STATE": (400, "Impossible state"),
    "UNSUPPORTED_RULESET": (400, "Unsupported ruleset"),
    "NO_ODDS": (400, "No odds"),
    "UNKNOWN_GAME": (404, "Unknown game"),
    "ILLEGAL_MOVE": (422, "Illegal move"),
}


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """What is read strictly: a field that nobody knows is refused."""


class _Held(_Strict, frozen=True, kw_only=True):
    state: State


class _Seen(_Strict, frozen=True, kw_only=True):
    view: State


class _Asked(_Strict, frozen=True, kw_only=True):
    """What a request may have beside its state and move."""

    seat: engine.Seat | None = None
    scope: Scope | None = None
    viewer: engine.Viewer | None = None
    card: AnyCard | None = None
    tier: str | None = None
    limit: Annotated[int, Meta(ge=1)] | None = None
    cursor: Annotated[str, Meta(max_length=64)] | None = None
    explain: bool = False
    n: Annotated[int, Meta(ge=1, le=10_000)] = 1
    seed: engine.SeedText = "-"
    until: Until | None = None


class _Step(_Strict, frozen=True, kw_only=True):
    seat: engine.Seat | None = None
    move: Any


def _begun(game: Any) -> Any:
    """What a match of a game is begun from, or what its record has."""
    card = Annotated[tuple[FlipCard, ...], Meta(max_length=94)]
    pack = Annotated[tuple[Card, ...], Meta(max_length=104)]
    number = Annotated[int, Meta(ge=1, le=18)]
    return msgspec.defstruct(
        f"Begun_{game.name}",
        [
            ("options", engine.choices_type(game) | None, None),
            ("ruleset", engine.Ruleset | None, None),
            ("places", number | None, None),
            ("seating", engine.Seating | None, None),
            ("dealer", engine.Seat | None, None),
            ("chance", engine.Chance | None, None),
            ("seed", engine.SeedText | None, None),
            ("deck", (card if game.name == "flip7" else pack) | None, None),
            ("moves", tuple[_Step, ...], ()),
            ("facts", game.facts | None, None),
        ],
        frozen=True,
        kw_only=True,
        rename="camel",
    )


_BEGUN: Final[Mapping[str, Any]] = {game.name: msgspec.json.Decoder(_begun(game)).decode for game in GAMES}
_readers: Final = {"state": msgspec.json.Decoder(_Held).decode, "view": msgspec.json.Decoder(_Seen).decode}
_read_move: Final = msgspec.json.Decoder(engine_moves.Move).decode


class LocalScheids(Referee):
    """Referees in this process. It needs no closing; time-outs are not looked at. One may be used by many threads."""

    def __init__(self, *, language: str | None = None) -> None:
        """A referee whose messages are in a language: ``en``, ``nl`` or ``fr``."""
        self._language = _language(language)
        self._known: dict[int, tuple[models.State, Any]] = {}
        self._games: dict[str, models.GetGameResponse] = {}
        self._calls: dict[Operation, Callable[[Any], Any]] = {
            LIST_GAMES: self._list_games,
            GET_GAME: self._get_game,
            DEAL: self._dealt,
            VALIDATE: self._validated,
            LEGAL_MOVES: self._listed,
            PLAY: self._played,
            SCORE: self._scored,
            VIEW: self._viewed,
            REPLAY: self._replayed,
            OUTCOMES: self._odds,
            SAMPLE: self._sampled,
            SIMULATE: self._simulated,
        }

    def batch(self, questions: Iterable[Question], *, timeout: float | None = None) -> list[Result]:
        """Asks many questions at once; results come in their order, each with its own answer or its own error."""
        return list(self.decide(questions, timeout=timeout))

    def decide(
        self, questions: Iterable[Question] | AsyncIterable[Question], *, ahead: int = 1, timeout: float | None = None
    ) -> Iterator[Result]:
        """Asks questions as they come; results come in their order. Whatever `ahead` is, one is taken at a time."""
        del ahead
        if isinstance(questions, AsyncIterable):
            raise TypeError("a referee that does not wait cannot wait for questions")
        for question in questions:
            try:
                yield Result(self._ask(ASKED[type(question)][1], question, timeout))
            except ScheidsError as refused:
                yield Result(None, refused)

    def _ask(self, operation: Operation, request: Any, timeout: float | None) -> Any:
        del timeout
        try:
            return self._calls[operation](request)
        except Refusal as refused:
            raise self._error(refused) from None
        except msgspec.ValidationError as fault:
            said, _, at = str(fault).partition(" - at `")
            raise _problem("MALFORMED", said, at.removesuffix("`") or "$") from None

    def _error(self, refused: Refusal) -> ScheidsError:
        match refused:
            case IllegalMove(violation=violation):
                told = self._told(violation)
                return _problem("ILLEGAL_MOVE", told.message, refused.path, dict(told.params), told)
            case ImpossibleState(reason=reason, params=params):
                detail = message(reason, params, self._language)
                return _problem("IMPOSSIBLE_STATE", detail, refused.path, {"reason": reason.value, **params})
            case UnsupportedRuleset():
                return _problem("UNSUPPORTED_RULESET", refused.detail, refused.path)
        return _problem("MALFORMED", refused.detail, refused.path)

    def _told(self, violation: Violation) -> models.Violation:
        told: models.Violation = _model(models.Violation, localised(violation, self._language))
        return told

    # --- states

    def _admitted(self, state: models.State, name: str = "state") -> tuple[Any, Any]:
        """The state's game, and the engine's state, once it has been found possible."""
        known = self._known.get(id(state))
        if known is not None and known[0] is state:
            return BY_STATE[type(known[1])], known[1]
        held: State = getattr(_readers[name](to_json({name: state})), name)
        return asking.admitted(held, f"$.{name}"), held

    def _remembered(self, state: models.State, held: Any) -> None:
        while len(self._known) >= KEPT:
            self._known.pop(next(iter(self._known)), None)
        self._known[id(state)] = (state, held)

    # --- calls

    def _list_games(self, _request: None) -> models.ListGamesResponse:
        return models.ListGamesResponse(games=tuple(_model(models.GameSummary, _summary(game)) for game in GAMES))

    def _get_game(self, request: models.GetGameRequest) -> models.GetGameResponse:
        game = BY_NAME.get(request.game)
        if game is None:
            raise _problem("UNKNOWN_GAME", f"no game is called {request.game[:40]!r}", "$.game")
        if game.name not in self._games:
            described = {
                **_summary(game),
                "optionsSchema": asking.options_schema(game),
                "moveTypes": asking.move_types(game),
                "clauses": [_clause(game, clause) for clause in game.clauses],
                "limits": LIMITS,
            }
            self._games[game.name] = _model(models.GetGameResponse, described)
        return self._games[game.name]

    def _dealt(self, request: models.DealRequest) -> Any:
        game, begun = _read(request)
        return self._stated(models.DealResponse, engine.begin(game, asking.setup_of(game, begun, _drawn_seed)).state)

    def _validated(self, request: models.ValidateMoveRequest) -> models.ValidateMoveResponse:
        game, state = self._admitted(request.state)
        refused = engine.judge(game, state, _move(request.move), _asked(seat=request.seat).seat)
        violation = None if refused is None else self._told(refused)
        return models.ValidateMoveResponse(legal=violation is None, violation=violation)

    def _listed(self, request: models.ListLegalMovesRequest) -> Any:
        game, state = self._admitted(request.state)
        asked = _asked(
            seat=request.seat,
            card=request.card,
            tier=request.tier,
            limit=request.limit,
            cursor=request.cursor,
            explain=bool(request.explain),
        )
        found = engine.legal_moves(game, state, asked.seat, asking.query_of(asked, LIMITS.legal_moves))
        page = {
            "moves": found.moves,
            "total": str(found.total),
            "truncated": found.truncated,
            "cursor": found.cursor,
            "groups": found.groups,
            "shapes": None
            if found.shapes is None
            else [{**msgspec.to_builtins(shape), "ways": str(shape.ways)} for shape in found.shapes],
            "explained": [
                {"card": each.card, "violation": localised(each.violation, self._language)}
                for each in found.blocked or ()
            ]
            if request.explain
            else None,
            "needsChance": found.needs_chance,
        }
        return _model(models.ListLegalMovesResponse, page)

    def _played(self, request: models.PlayMoveRequest) -> Any:
        game, state = self._admitted(request.state)
        outcome = engine.play(game, state, _move(request.move), _asked(seat=request.seat).seat)
        return self._stated(models.PlayMoveResponse[models.State], outcome.state, events=outcome.events)

    def _scored(self, request: models.ScoreRequest) -> Any:
        if isinstance(request, models.ScoreStateRequest):
            game, state = self._admitted(request.state)
            sheet = game.sheet(state, _asked(scope=request.scope).scope)
        else:
            game, begun = _read(request)
            sheet = game.sheet_of_facts(engine.resolve_options(game, begun.options), begun.facts)
        return _model(models.ScoreResponse, {"sheet": sheet})

    def _viewed(self, request: models.ViewStateRequest) -> Any:
        game, state = self._admitted(request.state)
        viewer = _asked(viewer=request.viewer).viewer
        if viewer is None:
            raise Malformed("$.viewer", "a viewer must be named")
        return self._stated(models.ViewStateResponse, engine.view(game, state, viewer), name="view")

    def _replayed(self, request: models.ReplayRequest) -> Any:
        game, begun = _read(request)
        steps = [
            engine.Step(_move(step.move, f"$.moves[{index}].move"), begun.moves[index].seat)
            for index, step in enumerate(request.moves)
        ]
        replayed = engine.replay(game, asking.setup_of(game, begun), steps)
        return self._stated(
            models.ReplayResponse[models.State],
            replayed.state,
            sheet=game.sheet(replayed.state, None),
            violation=replayed.violation and localised(replayed.violation, self._language),
            index=replayed.index,
        )

    def _odds(self, request: models.ListOutcomesRequest) -> models.ListOutcomesResponse:
        game, state = self._admitted(request.state)
        if game.odds is None:
            raise _problem("NO_ODDS", f"{game.name} has no odds to tell", "$.state")
        found = engine.odds(game, state, _asked(viewer=request.viewer).viewer)
        return models.ListOutcomesResponse(
            next=tuple(
                models.NextCard(
                    card=each.card.value,
                    numerator=str(each.ways),
                    denominator=str(each.of),
                    probability=each.ways / each.of,
                )
                for each in found.next
            ),
            figures=tuple(
                models.Figure(
                    name=each.name,
                    unit=each.unit,
                    seat=each.seat,
                    numerator=str(each.numerator),
                    denominator=str(each.denominator),
                    value=each.numerator / each.denominator,
                )
                for each in found.figures
            ),
        )

    def _sampled(self, request: models.SampleStatesRequest) -> Any:
        game, view = self._admitted(request.view, "view")
        asked = _asked(n=request.n, seed=request.seed)
        states, exact = engine.sample(game, view, asked.seed, range(asked.n))
        answer: models.SampleStatesResponse = _model(models.SampleStatesResponse, {"states": states, "uniform": exact})
        for state, held in zip(answer.states, states, strict=True):
            self._remembered(state, held)
        return answer

    def _simulated(self, request: models.SimulateRequest) -> models.SimulateResponse:
        game, state = self._admitted(request.state)
        asked = _asked(n=request.n, seed=request.seed, until=request.until)
        found = playouts(game, state, asked.seed, range(asked.n), asked.until or "match")
        return models.SimulateResponse(
            playouts=found.number,
            finished=found.finished,
            moves=found.moves / found.number,
            wins=tuple(models.SimulatedWins(side=side, wins=wins) for side, wins in sorted(found.wins.items())),
            points=tuple(
                models.SimulatedPoints(
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

    def _stated(self, kind: Any, held: Any, *, name: str = "state", **more: Any) -> Any:
        """An answer with a state in it, which is remembered."""
        answer = _model(kind, {name: held, **more})
        self._remembered(getattr(answer, name), held)
        return answer


def _model(kind: Any, value: Any) -> Any:
    """The client's struct of what the engine's structs say: they are the same in JSON."""
    return msgspec.json.decode(msgspec.json.encode(value), type=kind)


def _asked(**named: Any) -> _Asked:
    return msgspec.convert(named, _Asked)


def _read(request: Any) -> tuple[Any, Any]:
    """A request's game, and what it is begun from in the engine's words."""
    game = str(request.__struct_config__.tag)
    return BY_NAME[game], _BEGUN[game](to_json(request))


def _move(move: models.MoveInput, path: str = "$.move") -> Any:
    try:
        if isinstance(move, str):
            return engine_moves.parse(move)
        if isinstance(move, models.LegalMove):
            parsed = engine_moves.parse(move.text)
            if parsed != _read_move(to_json(move.move)):
                raise Malformed("$.text", "the move and its text disagree")  # noqa: TRY301 - told with its path below
            return parsed
        return _read_move(to_json(move))
    except msgspec.ValidationError as fault:
        said, _, at = str(fault).partition(" - at `$")
        raise Malformed(f"{path}{at.removesuffix('`')}", said) from None
    except Malformed as fault:
        fault.path = f"{path}{fault.path.removeprefix('$')}"
        raise


def _summary(game: Any) -> dict[str, Any]:
    places = tuple(game.places)
    return {
        "game": game.name,
        "minPlaces": places[0],
        "maxPlaces": places[-1],
        "places": places,
        "rulesets": game.rulesets,
        "presets": tuple(game.presets),
    }


def _clause(game: Any, clause: str) -> models.Clause:
    return models.Clause(id=f"{game.name}/{clause}", **asking.clause_in(game, clause))


def _drawn_seed() -> str:
    return secrets.token_hex(rng.SEED_BYTES)


def _language(wanted: str | None) -> str:
    """The first language named of those there are."""
    tags = [part.split(";")[0].strip().split("-")[0].lower() for part in (wanted or "").split(",")]
    return next((tag for tag in tags if tag in LANGUAGES), ENGLISH)


def _problem(
    code: str,
    detail: str,
    path: str | None,
    params: dict[str, Any] | None = None,
    violation: models.Violation | None = None,
) -> ScheidsError:
    status, title = STATUSES[code]
    return error_of(
        models.Problem(
            type="about:blank",
            title=title,
            status=status,
            code=code,
            detail=detail,
            path=path,
            params=params,
            violation=violation,
        )
    )
