"""Who is shown what of a table: everything that leaves for somebody is made here, of views and seen events.

`Eyes` are whose: a place's, the host's (`HOST`), or a spectator's (None).
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from msgspec.structs import replace

from engine import game as engine
from engine.events import Event
from engine.game import SPECTATOR, Viewer
from engine.games import State
from engine.moves import Deal
from service.messages import (
    Act,
    GetTableRecordResponse,
    GetTableResponse,
    MoveInput,
    RecordedMove,
    RecordedTable,
    TablePlace,
    WatchTableResponse,
)
from service.store import HOST

from .document import Document, Kept, Line, moment
from .match import Change, Step, game_of, moves_of

Eyes = int | None


def sees_all(document: Document, eyes: Eyes) -> bool:
    """Whether these are the eyes of a host who sees all."""
    return eyes == HOST and document.host_sees == "all"


def viewer_of(state: State, eyes: Eyes) -> Viewer:
    """The viewer, for the engine, behind these eyes."""
    return SPECTATOR if eyes is None or eyes == HOST else state.seating[eyes][0]


def view_of(document: Document, state: State, eyes: Eyes) -> State:
    """The view of a state."""
    view: State = engine.view(game_of(document), state, viewer_of(state, eyes))
    return view


def views_of(document: Document, state: State, eyes: Eyes) -> tuple[State, ...] | None:
    """Every seat's view, for who sees all."""
    if not sees_all(document, eyes):
        return None
    game = game_of(document)
    return tuple(engine.view(game, state, seat) for seat in range(len(state.hands)))


def events_of(document: Document, steps: Sequence[Step], eyes: Eyes) -> tuple[Event, ...]:
    """The events of steps."""
    if sees_all(document, eyes):
        return _as_they_were(steps)
    return _seen(game_of(document).see, steps, eyes)


def _as_they_were(steps: Sequence[Step]) -> tuple[Event, ...]:
    return steps[0].events if len(steps) == 1 else tuple([event for step in steps for event in step.events])


def _seen(see: Callable[[Any, Event, Viewer], Event], steps: Sequence[Step], eyes: Eyes) -> tuple[Event, ...]:
    seen: list[Event] = []
    for step in steps:
        state, viewer = step.state, viewer_of(step.state, eyes)
        seen += [see(state, event, viewer) for event in step.events]
    return tuple(seen)


def table_of(document: Document, version: int, eyes: Eyes) -> GetTableResponse:
    """The table at a version."""
    state = document.state
    status = _status(document)
    game = game_of(document)
    return GetTableResponse(
        id=document.id,
        version=version,
        game=game.name,
        status=status,
        host=eyes == HOST,
        place=None if eyes == HOST else eyes,
        places=_places(document),
        cards_from=document.cards_from,
        commitment=document.commitment,
        host_sees=document.host_sees,
        spectators=document.spectators,
        deals=document.deals,
        created_at=moment(document.created),
        turn_seconds=document.turn_seconds,
        turn_ends_at=None if document.turn_ends is None else moment(document.turn_ends),
        view=None if state is None else view_of(document, state, eyes),
        views=None if state is None else views_of(document, state, eyes),
        sheet=None if state is None or document.ended is None else game.sheet(state, None),
        ended=document.ended,
    )


def _status(document: Document) -> Literal["open", "playing", "ended"]:
    if document.ended is not None:
        return "ended"
    return "open" if document.state is None else "playing"


def _places(document: Document) -> tuple[TablePlace, ...]:
    seating = None if document.state is None else document.state.seating
    return tuple(
        TablePlace(
            place=place,
            claimed=person.claimed_at is not None,
            seats=() if seating is None else seating[place],
            name=person.name,
            meta=person.meta,
            resigned=person.resigned,
            sent_entropy=person.entropy is not None,
        )
        for place, person in enumerate(document.people)
    )


# --- frames


def kept_frame(change: Change, act: Act, now: int, *, anew: bool = False, **facts: Any) -> Kept:
    """A version's frame as it is kept; `anew`: the events do not lead to the state, so that views are in it."""
    document, steps = change.document, change.steps
    state = document.state
    see = game_of(document).see
    places = range(len(document.people))
    seen = _seen(see, steps, None)
    everything = _as_they_were(steps)
    kept = Kept(
        at=now,
        act=act,
        events=seen,
        own={place: its for place in places if (its := _seen(see, steps, place)) != seen},
        all=everything if document.host_sees == "all" and everything != seen else None,
        to_act=None if state is None else state.to_act,
        phase=None if state is None else state.phase,
        turn_ends=document.turn_ends,
        ended=document.ended,
        **facts,
    )
    if state is None or not anew:
        return kept
    return replace(
        kept,
        view=view_of(document, state, None),
        own_views={place: view_of(document, state, place) for place in places},
        all_views=views_of(document, state, HOST),
    )


def events_in(kept: Kept, eyes: Eyes, *, all_of_it: bool) -> tuple[Event, ...]:
    """The events of a kept frame as these eyes see them; `all_of_it` for a host who sees all."""
    if all_of_it and kept.all is not None:
        return kept.all
    return kept.events if eyes is None else kept.own.get(eyes, kept.events)


def frame_of(kept: Kept, version: int, eyes: Eyes, *, all_of_it: bool) -> WatchTableResponse:
    """A kept frame as these eyes see it; `all_of_it` for a host who sees all."""
    place = -1 if eyes is None else eyes
    view = kept.own_views.get(place, kept.view)
    return WatchTableResponse(
        version=version,
        at=moment(kept.at),
        act=kept.act,
        place=kept.place,
        seat=kept.seat,
        name=kept.name,
        events=events_in(kept, eyes, all_of_it=all_of_it),
        to_act=kept.to_act,
        phase=kept.phase,
        turn_ends_at=None if kept.turn_ends is None else moment(kept.turn_ends),
        view=view,
        views=kept.all_views if all_of_it else None,
        ended=kept.ended,
    )


# --- records


def record_of(document: Document, version: int, eyes: Eyes) -> GetTableRecordResponse:
    """The record: whole once the table has ended, before that without what these eyes may not see."""
    complete = document.ended is not None
    all_of_it = complete or sees_all(document, eyes)
    game = game_of(document)
    begun = document.begun
    record = replace(
        begun,
        seed=begun.seed if complete or (document.cards_from == "seed" and sees_all(document, eyes)) else None,
        deck=begun.deck if all_of_it else None,
        moves=tuple(_recorded(line, told=all_of_it) for line in moves_of(document)),
        result=game.sheet(document.state, None) if complete and document.state is not None else None,
        table=RecordedTable(
            id=document.id,
            version=version,
            created_at=moment(document.created),
            complete=complete,
            names=_names(document),
            commitment=document.commitment,
            secret=document.secret if complete else None,
            entropies=() if document.ended is None else document.ended.entropies,
            ended_at=None if document.ended is None else document.ended.at,
            reason=None if document.ended is None else document.ended.reason,
            resigned=tuple(place for place, person in enumerate(document.people) if person.resigned),
        ),
    )
    return GetTableRecordResponse(record=record)


def _names(document: Document) -> tuple[str, ...]:
    names = tuple(person.name or "" for person in document.people)
    return names if any(names) else ()


def _recorded(line: Line, *, told: bool) -> RecordedMove:
    move = line.move
    if not told and isinstance(move, Deal):
        move = Deal()
    return RecordedMove(seat=line.named, move=MoveInput.in_words(move), at=moment(line.at))
