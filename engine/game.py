"""The contract a game fulfils, and what every game then gets: judging, playing, views, replay.

What a game must supply is one `Game` record of functions over its own frozen state. The functions below are the same
for every game and are the only way in: they judge before they play, and let nothing leave for a seat unprojected.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from .cards import AnyCard, Card
from .events import Dealt, Event, Reshuffled, RoundBegan
from .moves import BARE_DEAL, Hand, Move, text
from .rng import Choices, Key, Stream, seed_bytes
from .sheet import Scope, Sheet
from .violations import IllegalMove, ImpossibleState, Malformed, Reason, UnsupportedRuleset, Violation

SPECTATOR: Final = "spectator"
FRESH: Final = (Dealt, RoundBegan, Reshuffled)
"""The events that begin a history: what was seen before them tells nothing of the cards they bring."""
Viewer = Annotated[int, Meta(ge=0, le=17)] | Literal["spectator"]
Seat = Annotated[int, Meta(ge=0, le=17)]
Ruleset = Annotated[int, Meta(ge=1, le=1_000)]
Chance = Literal["seed", "deck", "caller"]
Until = Literal["deal", "match"]
"""How far random play goes."""
NeedsChance = Literal["deal", "draw", "expose"]
"""What the caller must tell before anything can go on: the deal, a card drawn, the cards of a hand laid open."""
SeedText = Annotated[str, Meta(min_length=1, max_length=256)]
Seating = Annotated[tuple[Annotated[tuple[Seat, ...], Meta(max_length=18)], ...], Meta(max_length=18)]

DEFAULT_LIMIT: Final = 256
HOST: Final = -1
"""Stands where a seat would, with a move that is the host's: the referee's own, who has no seat."""


class Turn(Struct, frozen=True, forbid_unknown_fields=True):
    """Who decides (`seat`), and whose cards are played (`hand`)."""

    seat: Seat
    hand: Seat


class FreeAction(Struct, frozen=True, forbid_unknown_fields=True):
    """The types of move that a seat may make now without it being its turn."""

    seat: Seat
    moves: Annotated[tuple[str, ...], Meta(max_length=16)]


class StateBase(
    Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="game",
    rename="camel",
    omit_defaults=True,
):
    """What every game's state has. A state is complete: nothing about a game lives anywhere else.

    A view is the same type with `viewer` set: hidden cards have become numbers, `seed` and `deck` are gone, and
    `history` has the events since the last deal as that viewer saw them.
    """

    ruleset: Ruleset
    chance: Chance
    seed: SeedText | None = None
    viewer: Viewer | None = None
    phase: str
    seating: Seating
    dealer: Seat
    to_act: Turn | None
    may_also: Annotated[tuple[FreeAction, ...], Meta(max_length=18)] = ()
    hands: Annotated[tuple[Hand, ...], Meta(max_length=18)]
    history: Annotated[tuple[Event, ...], Meta(max_length=512)] | None = None


class Setup(Struct, frozen=True, kw_only=True):
    """What a match is begun from; what is None is the game's own choice. `deck` is the first deal's pack."""

    options: Any
    ruleset: int | None = None
    places: int | None = None
    seating: tuple[tuple[int, ...], ...] | None = None
    dealer: int | None = None
    chance: Chance
    seed: str | None = None
    deck: tuple[AnyCard, ...] | tuple[Card, ...] | None = None


class Query(Struct, frozen=True, kw_only=True):
    """How much of the legal moves is asked for. `cursor` is what an earlier answer gave to go on from."""

    limit: int = DEFAULT_LIMIT
    cursor: str | None = None
    card: AnyCard | None = None
    tier: str | None = None
    explain: bool = False


class LegalMove(Struct, frozen=True, forbid_unknown_fields=True):
    """A legal move and its text."""

    move: Move
    text: str


class Blocked(Struct, frozen=True):
    """A card of the hand that may not be played now, and why."""

    card: Card
    violation: Violation


class CaptureGroup(Struct, frozen=True, rename="camel", omit_defaults=True):
    """Things that total exactly the value of a card: what a capture with it is made of."""

    card: Card
    cards: tuple[Card, ...] = ()
    builds: tuple[int, ...] = ()
    tricks: tuple[int, ...] = ()
    heaps: tuple[int, ...] = ()


class CaptureShape(Struct, frozen=True, rename="camel", omit_defaults=True):
    """What captures have in common: how many things of each value they take, 1 (an ace) to 13 (a king).

    `ways` counts the captures of this shape. Where a capture can take from one heap only, `stolen_from` is the heap,
    and those that take from another, or from none, are counted apart.
    """

    card: Card
    taken: tuple[int, ...]
    ways: int
    stolen_from: int | None = None


class LegalMoves(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The moves asked for; `total` counts all there are. `needs_chance` names what the caller must tell first.

    Where a tier of captures was asked for, `groups` or `shapes` has them, `total` counts those, `moves` is empty.
    """

    moves: tuple[LegalMove, ...]
    total: int
    truncated: bool
    cursor: str | None = None
    groups: tuple[CaptureGroup, ...] | None = None
    shapes: tuple[CaptureShape, ...] | None = None
    blocked: tuple[Blocked, ...] | None = None
    needs_chance: NeedsChance | None = None


class NextCard(Struct, frozen=True):
    """A card that may come next, in `ways` of `of` equally likely ways."""

    card: AnyCard
    ways: int
    of: int


class Figure(Struct, frozen=True):
    """A named fraction, exact and in lowest terms, of a seat or of the whole table: a chance, or points on average."""

    name: str
    unit: Literal["chance", "points"]
    seat: int | None
    numerator: int
    denominator: int


class Odds(Struct, frozen=True):
    """What a viewer can know of what comes: the next card, each that is possible once, and the game's own figures."""

    next: tuple[NextCard, ...]
    figures: tuple[Figure, ...]


class Step(Struct, frozen=True):
    """A seat's move in a record."""

    move: Move
    seat: int | None = None


def _each_for_itself(_state: Any, seat: int) -> int:
    return seat


S = TypeVar("S", bound=StateBase)
Opt = TypeVar("Opt", bound=Struct)
F = TypeVar("F", bound=Struct)


@dataclass(frozen=True)
class Sampler(Generic[S]):
    """Draws full states whose view, for the viewer it was made for, is the one it was made of.

    But for where cards come from: those of a drawn state come from a seed of its own, so that it can be played on.
    `exact`: each way the hidden cards can lie is exactly as likely as any other.
    """

    draw: Callable[[Stream], S]
    exact: bool = True


@dataclass(frozen=True, kw_only=True)
class Game(Generic[S, Opt, F]):
    """What a game supplies. States given to these functions have passed `check` or come from the engine itself."""

    name: str
    rulesets: tuple[int, ...]
    places: Sequence[int]
    """The numbers of places that can play, the least first; options can rule out some of them."""
    seats: int | None
    state: type[S]
    options: type[Opt]
    facts: type[F]
    presets: dict[str, dict[str, Any]]
    moves: tuple[type[Move], ...]
    free: tuple[type[Move], ...]
    explodes: bool = False
    """Whether legal moves can be so many that even a page of them takes long to make, as where cards are captured."""
    host: tuple[type[Move], ...] = ()
    """The moves of the host, made without a seat; `refuse` and `apply` are given `HOST` for one."""
    clauses: tuple[str, ...]
    check_options: Callable[[Opt], None]
    """Raises Malformed (path from ``$``) where options contradict each other."""
    implied: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    """What options named by the caller say of others that are not named, in the options' Python names."""
    start: Callable[[Setup], S]
    """The state before the first act of chance; Malformed where the setup cannot be."""
    check: Callable[[S], None]
    """Raises ImpossibleState where the state or view cannot have come about."""
    legal: Callable[[S, int, Query], LegalMoves]
    """The legal moves of a seat, as much as is asked for; `mechanics.listing` answers where they are few."""
    refuse: Callable[[S, Move, int], Violation | None]
    """Why the seat's move is illegal, by what that seat may see; None where it is legal."""
    apply: Callable[[S, Move, int], tuple[S, tuple[Event, ...]]]
    """What a legal move leads to, and the referee's events."""
    project: Callable[[S, Viewer], S]
    """A full state as one viewer sees it, history included."""
    see: Callable[[S, Event, Viewer], Event]
    """An event of a full state as one viewer sees it."""
    sheet: Callable[[S, Scope | None], Sheet]
    """The score of a state: of the deal, or of the match (which is what None means once it is over)."""
    sheet_of_facts: Callable[[Opt, F], Sheet]
    """The score of bare facts; Malformed (path from ``$``) where they cannot be."""
    odds: Callable[[S], Odds] | None = None
    """The odds of a view, from what its viewer has seen; None where the game has none to tell."""
    sampler: Callable[[S], Sampler[S]]
    """What draws full states that a view can be of; ImpossibleState where there is none."""
    play_out: Callable[[S, Choices, Until, int], tuple[Sheet | None, int] | None] | None = None
    """Random play in one call, where the game has that: the sheet at the end, None where that is not reached within so
    many moves, and how many were made; None where the state is to be played on move by move. Equal to playing on by
    `legal` and `play`, choosing among the moves as they are listed."""
    side_of: Callable[[S, int], int] = _each_for_itself
    """The side a seat plays for."""


class Outcome(Struct, Generic[S], frozen=True):
    """What a move led to."""

    state: S
    events: tuple[Event, ...]


class Replayed(Struct, Generic[S], frozen=True):
    """Where a record leads: its last state; and, where a move was illegal, the violation and that move's index."""

    state: S
    violation: Violation | None = None
    index: int | None = None


def choices_type(game: Game[Any, Any, Any]) -> type[Struct]:
    """The game's options as a caller names them: each optional, and a preset's name."""
    hints = msgspec.structs.fields(game.options)
    presets = Literal[tuple(game.presets)]  # type: ignore[valid-type]
    return msgspec.defstruct(
        f"{game.options.__name__}Choices",
        [("preset", presets | None, None), *((f.name, f.type | None, None) for f in hints)],
        frozen=True,
        forbid_unknown_fields=True,
        rename="camel",
        omit_defaults=True,
        module=__name__,
    )


def resolve_options(game: Game[S, Opt, F], choices: Struct | None) -> Opt:
    """The full options behind a caller's choices: defaults, the preset's, those that follow, then those named."""
    named = {} if choices is None else {k: v for k, v in msgspec.structs.asdict(choices).items() if v is not None}
    preset = game.presets[named.pop("preset")] if "preset" in named else {}
    implied = game.implied(named) if game.implied else {}
    options = game.options(**{**preset, **implied, **named})
    game.check_options(options)
    return options


def begin(game: Game[S, Opt, F], setup: Setup) -> Outcome[S]:
    """Starts a match, and deals where the cards are at hand and nothing comes before the deal."""
    if setup.ruleset is not None:
        _supported(game, setup.ruleset)
    state = game.start(setup)
    if state.phase != "deal" or state.to_act is None:
        return Outcome(state, ())
    seat = state.to_act.seat
    if game.refuse(state, BARE_DEAL, seat) is not None:
        return Outcome(state, ())
    return Outcome(*game.apply(state, BARE_DEAL, seat))


def admit(game: Game[S, Opt, F], state: S) -> S:
    """A caller's state, once everything in it has been found possible."""
    _supported(game, state.ruleset)
    if state.viewer is None and state.history is not None:
        raise ImpossibleState("$.history", Reason.DISAGREES)
    if state.viewer is not None and state.seed is not None:
        raise ImpossibleState("$.seed", Reason.NOT_VISIBLE)
    game.check(state)
    return state


def _supported(game: Game[S, Opt, F], ruleset: int) -> None:
    if ruleset not in game.rulesets:
        raise UnsupportedRuleset("$.ruleset", f"{game.name} has no ruleset {ruleset}; it has {game.rulesets}")


def acting_seat(game: Game[S, Opt, F], state: S, move: Move, seat: int | None) -> int:
    """Whose move it is taken to be: the seat named, else the one to act.

    A free action must name its seat; where no seat is named, a move of the host is the host's.
    """
    if type(move) not in game.moves:
        raise Malformed("$.move", f"{game.name} has no such move: {text(move)[:40]}")
    if seat is not None:
        if not 0 <= seat < len(state.hands):
            raise Malformed("$.seat", f"there is no seat {seat}")
        return seat
    if type(move) in game.host:
        return HOST
    if type(move) in game.free or state.to_act is None:
        raise Malformed("$.seat", "which seat makes this move must be said")
    return state.to_act.seat


def judge(game: Game[S, Opt, F], state: S, move: Move, seat: int | None = None) -> Violation | None:
    """None where the move is legal, else the one reason why not. Malformed where it is no move of this game."""
    return game.refuse(state, move, acting_seat(game, state, move, seat))


def legal_moves(game: Game[S, Opt, F], state: S, seat: int | None, query: Query) -> LegalMoves:
    """The legal moves of a seat (by default the one to act), complete and without duplicates, a page at a time."""
    if seat is not None and not 0 <= seat < len(state.hands):
        raise Malformed("$.seat", f"there is no seat {seat}")
    if seat is None:
        seat = state.to_act.seat if state.to_act else None
    if seat is None:
        return LegalMoves(moves=(), total=0, truncated=False)
    return game.legal(state, seat, query)


def play(game: Game[S, Opt, F], state: S, move: Move, seat: int | None = None) -> Outcome[S]:
    """Judges, then plays. IllegalMove where it is refused, and then nothing has changed."""
    actor = acting_seat(game, state, move, seat)
    refused = game.refuse(state, move, actor)
    if refused is not None:
        raise IllegalMove(refused)
    after, events = game.apply(state, move, actor)
    if after.viewer is not None:
        after = msgspec.structs.replace(after, history=_history_with(after.history, events))
    return Outcome(after, events)


def _history_with(history: tuple[Event, ...] | None, events: tuple[Event, ...]) -> tuple[Event, ...] | None:
    """What a view's history becomes. One that is not told stays so until cards are dealt anew."""
    if history is None and not any(isinstance(event, FRESH) for event in events):
        return None
    return since_deal((*(history or ()), *events))


def since_deal(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events from the last deal, or the last making of a deck, on: what a history holds."""
    deals = [index for index, event in enumerate(events) if isinstance(event, FRESH)]
    return events[deals[-1] :] if deals else events


def view(game: Game[S, Opt, F], state: S, viewer: Viewer) -> S:
    """What a viewer sees: a seat, or the spectator. A view can only be seen by its own viewer."""
    if viewer != SPECTATOR and not 0 <= viewer < len(state.hands):
        raise Malformed("$.viewer", f"there is no seat {viewer}")
    if state.viewer is None:
        return game.project(state, viewer)
    if state.viewer != viewer:
        raise ImpossibleState("$.viewer", Reason.NOT_VISIBLE)
    return state


def odds(game: Game[S, Opt, F], state: S, viewer: Viewer | None = None) -> Odds:
    """The odds for a viewer, by default a view's own or the spectator: a full state tells no more than its views do."""
    if game.odds is None:
        raise Malformed("$.state", f"{game.name} has no odds")
    if viewer is None:
        viewer = SPECTATOR if state.viewer is None else state.viewer
    return game.odds(view(game, state, viewer))


def sample(game: Game[S, Opt, F], view: S, seed: str, numbers: Iterable[int]) -> tuple[tuple[S, ...], bool]:
    """Full states that a view can be of, one for each number; and whether they are drawn with equal chances exactly.

    The same seed and number give the same state. Malformed where the state is no view.
    """
    draw, exact = sampling(game, view, seed)
    return tuple(map(draw, numbers)), exact


def sampling(game: Game[S, Opt, F], view: S, seed: str) -> tuple[Callable[[int], S], bool]:
    """What draws the state of a number; otherwise as `sample`."""
    if view.viewer is None:
        raise Malformed("$.view", "the cards of a full state are known: a view is needed")
    sampler = game.sampler(view)
    key = Key(seed_bytes(seed))
    return lambda number: sampler.draw(Stream(key, "sample", number)), sampler.exact


def replay(game: Game[S, Opt, F], setup: Setup, steps: Sequence[Step]) -> Replayed[S]:
    """Plays a record through, as far as its moves are legal."""
    return deque(replaying(game, setup, steps), maxlen=1).pop()


def replaying(game: Game[S, Opt, F], setup: Setup, steps: Sequence[Step]) -> Iterator[Replayed[S]]:
    """As `replay`, a move at a time: where the record has led so far."""
    state = begin(game, setup).state
    yield Replayed(state)
    for index, step in enumerate(steps):
        try:
            state = play(game, state, step.move, step.seat).state
        except IllegalMove as refused:
            yield Replayed(state, refused.violation, index)
            return
        except Malformed as fault:
            raise Malformed(f"$.moves[{index}]{fault.path.removeprefix('$')}", fault.detail) from None
        yield Replayed(state)
