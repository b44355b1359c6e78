"""The match on a table: beginning it, playing on, taking back, and telling any moment of it again from the log.

Everything here is from one document to the next; nothing is read or written.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from engine import game as engine
from engine.asking import setup_of
from engine.default import default_act
from engine.events import Event
from engine.game import HOST, Game, Setup
from engine.games import BY_NAME, State
from engine.moves import Deal, Draw, Expose, Move, text
from engine.rng import mixed
from engine.violations import Malformed
from service.errors import ServiceError
from service.messages import TableEnd

from .document import CLOCK, FOLLOWS, UNDO, Document, Line, moment, read_log, standing, written

AnyGame = Game[Any, Any, Any]
DEALING: Final = frozenset({"deal", "roundOver"})
DRAWING: Final = frozenset({"draw", "teamDraw"})
"""The phases in which it is still open who plays with whom."""
MOST_FOLLOWING: Final = 200
"""How many acts of the service's own may follow one move in its version."""
MOST_LINES: Final = 4_096
"""How long a log may become: as many moves as a record may have, unless the service is set otherwise."""


class Step(Struct, frozen=True):
    """What one act led to; the events are the referee's."""

    state: State
    events: tuple[Event, ...]


class Change(Struct, frozen=True):
    """What became of a document, in one version."""

    document: Document
    steps: tuple[Step, ...] = ()


def game_of(document: Document) -> AnyGame:
    """The table's game."""
    return BY_NAME[document.begun.__struct_config__.tag]  # type: ignore[index]


def ready_to_start(document: Document) -> bool:
    """Whether the cards are dealt without anybody's asking: nobody is waited for."""
    people = document.people
    if document.state is not None or any(person.claimed_at is None for person in people):
        return False
    return document.cards_from != "service" or all(person.entropy is not None for person in people)


def started(document: Document, now: int) -> Change:
    """The match begun, with what the places have added to the seed."""
    if document.state is not None:
        raise ServiceError("ALREADY_STARTED", "the cards have been dealt")
    document = _seeded(document)
    return _settled(document, (begun(document),), (), now)


def begun(document: Document) -> Step:
    """What the match begins with, once what it is shuffled from is known."""
    outcome = engine.begin(game_of(document), _setup(document.begun))
    return Step(outcome.state, outcome.events)


def _seeded(document: Document) -> Document:
    """The document with the seed that the service's secret and what the places have added to it come to."""
    if document.secret is None:
        return document
    added = [bytes.fromhex(person.entropy or "") for person in document.people]
    seed = mixed(document.secret, added) if any(added) else document.secret
    return replace(document, begun=replace(document.begun, seed=seed))


def moved(document: Document, move: Move, seat: int | None, who: int, now: int) -> Change:
    """A move made. IllegalMove or Malformed where it is refused."""
    state = playing(document)
    game = game_of(document)
    if document.lines >= MOST_LINES:
        raise ServiceError("LIST_TOO_LONG", f"a table takes at most {MOST_LINES} moves", "$.move")
    actor = engine.acting_seat(game, state, move, seat)
    outcome = engine.play(game, state, move, seat)
    if outcome.state.viewer is not None:
        raise Malformed("$.move.hands", "a table is told every hand: each place is to see its own")
    return _settled(document, (Step(outcome.state, outcome.events),), (Line(now, who, actor, text(move)),), now)


def seat_of(state: State, place: int, named: int | None) -> int:
    """The seat that a place acts from: the one named, the one to act, else its first. FORBIDDEN where not its own."""
    own = state.seating[place] if 0 <= place < len(state.seating) else ()
    if not own:
        raise ServiceError("FORBIDDEN", "there is no such place")
    if named is not None:
        if named not in own:
            raise ServiceError("FORBIDDEN", "that seat is another place's", "$.seat")
        return named
    return state.to_act.seat if state.to_act is not None and state.to_act.seat in own else own[0]


def check_place_may(document: Document, move: Move) -> None:
    """FORBIDDEN where a place's move tells cards, or is the host's."""
    game = game_of(document)
    tells = isinstance(move, Expose) or (isinstance(move, Deal) and move != Deal())
    if tells or (isinstance(move, Draw) and move != Draw()) or type(move) in game.host:
        raise ServiceError("FORBIDDEN", "this is the host's to do", "$.move")


def check_host_may(document: Document, move: Move) -> None:
    """FORBIDDEN where a move is not the host's: it strikes, and tells what cards come where the service cannot."""
    tells = isinstance(move, Deal | Draw | Expose) and move not in (Deal(), Draw())
    if type(move) not in game_of(document).host and not tells:
        raise ServiceError("FORBIDDEN", "the host does not play", "$.move")


def timed_out(document: Document, now: int) -> tuple[Change, int] | None:
    """What the default act leads to where the turn is over, and the seat it is for; None where nothing is due."""
    if document.turn_ends is None or document.ended is not None or now < document.turn_ends:
        return None
    state, game = playing(document), game_of(document)
    act = default_act(game, state)
    if act is None or document.lines >= MOST_LINES:
        return None
    seat, move = act
    outcome = engine.play(game, state, move, seat)
    line = Line(now, CLOCK, seat, text(move))
    return _settled(document, (Step(outcome.state, outcome.events),), (line,), now), seat


def undone(document: Document, now: int) -> Change:
    """The last move that somebody made taken back, with what followed it by itself; a resignation stands."""
    playing(document)
    lines = [*read_log(document.log)]
    if all(line.who == FOLLOWS for line in standing(lines)):
        raise ServiceError("NOTHING_TO_UNDO", "no move has been made")
    line = Line(now, HOST, HOST, UNDO)
    state = _replayed(document, standing([*lines, line]))[-1].state
    return _settled(replace(document, state=state), (), (line,), now)


def resigned(document: Document, place: int, now: int) -> Change:
    """A place gone: the match is over where one side is left, else the place acts by default from now on."""
    playing(document)
    people = [*document.people]
    if people[place].resigned:
        raise ServiceError("FORBIDDEN", "the place has resigned before")
    people[place] = replace(people[place], resigned=True)
    return _settled(replace(document, people=tuple(people)), (), (), now, resigning=place)


def ended_by_host(document: Document, now: int) -> Change:
    """The table ended before its time; before the cards were dealt, the record tells what they would have been."""
    return Change(_ended(_seeded(document), now, "endedByHost"))


def told_again(document: Document, lines: int) -> tuple[State, tuple[Step, ...]]:
    """The state once the log had so many lines, and the steps of the version that made the last of them."""
    log = standing([*read_log(document.log, lines)])
    steps = _replayed(document, log)
    first = len(log) - 1
    while first >= 0 and log[first].who == FOLLOWS:
        first -= 1
    return steps[-1].state, steps[first + 1 :]


def moves_of(document: Document) -> list[Line]:
    """The moves that count, in order."""
    return standing([*read_log(document.log)])


def _replayed(document: Document, log: Sequence[Line]) -> tuple[Step, ...]:
    """The beginning and each line after it."""
    game = game_of(document)
    steps = [begun(document)]
    for line in log:
        outcome = engine.play(game, steps[-1].state, line.move, line.named)
        steps.append(Step(outcome.state, outcome.events))
    return tuple(steps)


def check_going_on(document: Document) -> None:
    """TABLE_ENDED where it is not."""
    if document.ended is not None:
        raise table_ended()


def table_ended(**params: Any) -> ServiceError:
    """The table is not to be changed any more."""
    return ServiceError("TABLE_ENDED", "the table has ended", **params)


def playing(document: Document) -> State:
    """The state of a match that is going on; TABLE_ENDED or NOT_STARTED where it is not."""
    check_going_on(document)
    if document.state is None:
        raise ServiceError("NOT_STARTED", "the cards have not been dealt")
    return document.state


def _setup(begun: Any) -> Setup:
    return setup_of(BY_NAME[begun.__struct_config__.tag], begun)


def _settled(
    document: Document,
    steps: tuple[Step, ...],
    lines: tuple[Line, ...],
    now: int,
    *,
    resigning: int | None = None,
) -> Change:
    """The document after these steps and whatever follows by itself; ended where the match is over or given up."""
    game, before = game_of(document), document.state
    state = steps[-1].state if steps else before
    winners = None if state is None else _winners(document, game, state)
    while state is not None and winners is None:
        if len(steps) >= MOST_FOLLOWING or document.lines + len(lines) >= MOST_LINES:
            break
        act = _following(document, game, state)
        if act is None:
            break
        seat, move = act
        outcome = engine.play(game, state, move, seat)
        state = outcome.state
        steps = (*steps, Step(state, outcome.events))
        lines = (*lines, Line(now, FOLLOWS, seat, text(move)))
        winners = _winners(document, game, state)
    log = document.log + b"".join(map(written, lines))
    document = replace(document, state=state, log=log, lines=document.lines + len(lines))
    if state is not None and state.phase == "over" and not state.may_also:
        return Change(_ended(document, now, "over", winners=game.sheet(state, "match").winners), steps)
    if winners is not None:
        return Change(_ended(document, now, "resigned", place=resigning, winners=winners), steps)
    same_turn = resigning is not None and state is before
    return Change(document if same_turn else _clocked(document, now), steps)


def _winners(document: Document, game: AnyGame, state: State) -> tuple[int, ...] | None:
    """The side that has won since all places of the others have resigned, None while there are others.

    While it is open who plays with whom each place is by itself.
    """
    staying = [place for place, person in enumerate(document.people) if not person.resigned]
    if len(staying) == len(document.people):
        return None
    sides = {game.side_of(state, seat) for place in staying for seat in state.seating[place]}
    one = len(staying) <= 1 if state.phase in DRAWING else len(sides) <= 1
    return tuple(sides) if one else None


def _following(document: Document, game: AnyGame, state: State) -> tuple[int, Move] | None:
    """What the service does next by itself: it deals, and acts for who has resigned."""
    if state.to_act is None or state.phase == "over":
        return None
    seat = state.to_act.seat
    deals = document.deals == "auto" and not state.may_also and state.phase in DEALING
    if deals and game.refuse(state, Deal(), seat) is None:
        return seat, Deal()
    gone = [place for place, person in enumerate(document.people) if person.resigned]
    return default_act(game, state) if any(seat in state.seating[place] for place in gone) else None


def _clocked(document: Document, now: int) -> Document:
    """The document with its turn's end, where turns have one and there is something that could be played then."""
    if document.turn_seconds is None:
        return document
    acting = (
        document.state is not None
        and default_act(game_of(document), document.state) is not None
        and document.lines < MOST_LINES
    )
    return replace(document, turn_ends=now + 1000 * document.turn_seconds if acting else None)


def _ended(document: Document, now: int, reason: Any, *, place: int | None = None, winners: Any = ()) -> Document:
    entropies = tuple(person.entropy or "" for person in document.people)
    end = TableEnd(
        at=moment(now),
        reason=reason,
        place=place,
        seed=document.secret,
        entropies=entropies if any(entropies) else (),
        winners=tuple(winners),
    )
    return replace(document, ended=end, turn_ends=None)
