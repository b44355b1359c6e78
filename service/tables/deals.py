"""The decisions of a table's deals, told once a deal is over: when the next one begins, or the table has ended.

A deal is what has cards of its own: in Whist and PeeWee 7 a deal, in Wippen, Le Wipe and Flip 7 a round with all that
is dealt in it. Until it is over nothing of it is told, in whatever way it is undone and played anew. The moves that
were made are in the table's log. What is not in it, the moves that were refused and the ids of requests, is remembered
here, in memory and within bounds: what one replica remembers the others do not tell, and it goes with the process.
"""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from engine import game as engine
from engine import moves
from engine.events import Dealt, Event, RoundBegan
from engine.game import HOST
from engine.games import State
from engine.moves import Move
from service.decisions import CHANCE, Decisions, Judged

from .document import FOLLOWS, UNDO, Document, Line, read_log
from .match import Change, begun, game_of

MOST_NOTES: Final = 50_000
"""How much is remembered, of all tables together."""
MOST_OF_TABLE: Final = 2_000
BEGINS: Final = (Dealt, RoundBegan)
"""The events that a deal begins with."""


class Note(Struct, frozen=True):
    """A request that came when the log had so many lines; and the move it asked for, where that was refused."""

    line: int
    id: str | None
    at: int = 0
    seat: int | None = None
    refused: str | None = None


class Deals:
    """Remembers what the tables' logs do not tell, and has each deal told once it is over. Any thread may call it."""

    def __init__(self, decisions: Decisions) -> None:
        self._decisions = decisions
        self._lock = threading.Lock()
        self._notes: OrderedDict[str, list[Note]] = OrderedDict()
        self._number = 0

    def refused(self, document: Document, seat: int | None, now: int, move: Move) -> None:
        """A move that was refused, once the store has confirmed the document."""
        if not isinstance(move, CHANCE):
            asked = self._decisions.request_id()
            self._note(document.id, Note(document.lines, asked, now, seat, moves.text(move)))

    def changed(self, before: Document, change: Change) -> None:
        """A change that has been written."""
        after = change.document
        if after.lines > before.lines:
            self._note(after.id, Note(before.lines, self._decisions.request_id()))
        begins = any(_begins(step.events) for step in change.steps)
        if (begins or after.ended is not None) and before.state is not None:
            notes = self._forgotten(after.id)
            self._decisions.take(lambda: decided(after, before.lines, notes))

    def seen(self, document: Document) -> None:
        """A document as it was found: where the table has ended, what is remembered of it can be told."""
        if document.ended is not None and document.id in self._notes:
            notes = [note for note in self._forgotten(document.id) if note.refused is not None]
            if notes:
                self._decisions.take(lambda: decided(document, None, notes))

    def _note(self, table: str, note: Note) -> None:
        with self._lock:
            notes = self._notes.setdefault(table, [])
            if len(notes) < MOST_OF_TABLE:
                notes.append(note)
                self._number += 1
            self._notes.move_to_end(table)
            while self._number > MOST_NOTES:
                self._number -= len(self._notes.popitem(last=False)[1])

    def _forgotten(self, table: str) -> Sequence[Note]:
        """What was remembered of a table, and is so no more."""
        with self._lock:
            notes = self._notes.pop(table, [])
            self._number -= len(notes)
            return notes


class _Moment(NamedTuple):
    """The match at a moment: the number of its deal, and whose act led to it."""

    state: State
    deal: int
    who: int


def decided(document: Document, since: int | None, notes: Iterable[Note]) -> Iterator[Judged]:
    """What was judged in the deals that are over since the log had so many lines (None: only what notes have).

    Each has the state it was judged in. Of the service's own acts, and of those of chance, nothing is told.
    """
    game = game_of(document)
    ids: dict[int, str | None] = {}
    refused: dict[int, list[Note]] = defaultdict(list)
    for note in notes:
        if note.refused is None:
            ids[note.line] = note.id
        else:
            refused[note.line].append(note)
    beginning = begun(document)
    match = [_Moment(beginning.state, _begins(beginning.events), HOST)]
    waiting: list[tuple[int, Judged]] = []
    lines = [*read_log(document.log)]
    for number in range(len(lines) + 1):
        state, deal, _ = match[-1]
        waiting += ((deal, _judged_again(document, state, note)) for note in refused.get(number, ()))
        if number == len(lines):
            break
        line = lines[number]
        if line.text == UNDO:
            while match.pop().who == FOLLOWS:
                pass
            continue
        outcome = engine.play(game, state, line.move, line.named)
        now = deal + _begins(outcome.events)
        match.append(_Moment(outcome.state, now, line.who))
        if since is not None and line.who >= HOST and not isinstance(line.move, CHANCE):
            waiting.append((now, _judged(state, line, ids.get(number))))
        if now > deal:
            over = [judged for its, judged in waiting if its < now]
            waiting = [(its, judged) for its, judged in waiting if its >= now]
            yield from over if since is None or number >= since else _told_late(over)
    if document.ended is not None:
        yield from (judged for _, judged in waiting)


def _told_late(over: Iterable[Judged]) -> Iterator[Judged]:
    """Of a deal that was over before: only what its end did not tell."""
    return (judged for judged in over if judged.violation is not None)


def _begins(events: Iterable[Event]) -> int:
    return sum(isinstance(event, BEGINS) for event in events)


def _judged(state: State, line: Line, request_id: str | None) -> Judged:
    return Judged(
        source="table",
        state=state,
        move=line.move,
        seat=line.named,
        violation=None,
        at=line.at,
        id=request_id,
    )


def _judged_again(document: Document, state: State, note: Note) -> Judged:
    """The move of a note, judged as it was then."""
    assert note.refused is not None  # noqa: S101 - that is what it was kept for
    move = moves.parse(note.refused)
    return Judged(
        source="table",
        state=state,
        move=move,
        seat=note.seat,
        violation=engine.judge(game_of(document), state, move, note.seat),
        at=note.at,
        id=note.id,
    )
