"""Documents read from the store and changes written to it: the one loop that makes every change safe."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol

from msgspec import Struct

from engine.violations import IllegalMove, Malformed
from service.beside import Lane, in_lane
from service.errors import ServiceError
from service.messages import Act
from service.store import (
    HOST,
    Commit,
    Committed,
    Ended,
    Fresh,
    KeyReused,
    NoTable,
    Once,
    Repeated,
    Revoked,
    Stale,
    Store,
    is_table_id,
)
from service.tracing import UNTRACED, Spans

from . import match as matches
from .deals import Deals
from .document import Answer, Document, Kept, decode_answer, decode_document, encode
from .hints import Hints, Loaded
from .match import Change
from .seeing import kept_frame
from .tokens import Holder, invalid_token

ATTEMPTS: Final = 64
"""How often a change without an expected version is tried while others come before it."""
Clock = Callable[[], float]


class Draft(Struct, frozen=True, kw_only=True):
    """What a change comes to, before it is written. `reissued` is the epoch that a place's new token has."""

    change: Change
    act: Act
    place: int | None = None
    seat: int | None = None
    name: str | None = None
    anew: bool = False
    epochs: Mapping[int, int] = {}
    reissued: int | None = None

    def frame(self, now: int) -> Kept:
        """The frame as it is kept."""
        return kept_frame(
            self.change,
            self.act,
            now,
            anew=self.anew,
            place=self.place,
            seat=self.seat,
            name=self.name,
            epoch=self.reissued,
        )


class Make(Protocol):
    """Makes a change of a document at a time in milliseconds, or refuses."""

    def __call__(self, document: Document, now: int) -> Draft: ...


class Asked(Struct, frozen=True):
    """Who asks for a change, under which key, and of which version; `epoch` is None where no token asks."""

    table: str
    place: int
    epoch: int | None = None
    once: Once | None = None
    expected: int | None = None


class Done(Struct, frozen=True):
    """A change that is written, now or by an earlier call with its key: then `frame` is None."""

    document: Document
    version: int
    answer: Answer
    frame: Kept | None


class Keeper:
    """Reads and changes the documents of a store."""

    def __init__(
        self, store: Store, clock: Clock = time.time, spans: Spans = UNTRACED, deals: Deals | None = None
    ) -> None:
        """`deals`, where there is one, is told of documents that are found and of changes that are written."""
        self.store = store
        self.deals = deals
        self._spans = spans
        self._clock = clock
        self._hints = Hints()

    def now(self) -> int:
        """The time in milliseconds."""
        return int(self._clock() * 1000)

    def remember(self, loaded: Loaded) -> None:
        """Takes a document that was just written as a hint."""
        self._hints.put(loaded)

    async def hinted(self, table: str) -> Loaded:
        """The table as it was when it was last looked at from here."""
        return self._hints.get(table) or await self.load(table)

    async def load(self, table: str, holder: Holder | None = None) -> Loaded:
        """The table as the store has it. INVALID_TOKEN where the holder's token was reissued, UNKNOWN_TABLE."""
        if not is_table_id(table):
            raise unknown_table()
        hint = self._hints.get(table)
        known = None if hint is None else (hint.version, hint.mark)
        found = await self.store.read(table, known=known, places=() if holder is None else (holder.place,))
        if isinstance(found, NoTable):
            raise unknown_table()
        if holder is not None and found.epochs.get(holder.place) != holder.epoch:
            raise invalid_token()
        if found.document is None:
            assert hint is not None  # noqa: S101 - only what was known is left out
            return hint
        loaded = Loaded(decode_document(found.document), found.version, found.mark)
        self._hints.put(loaded)
        if self.deals is not None:
            self.deals.seen(loaded.document)
        return loaded

    async def settled(self, loaded: Loaded) -> Loaded:
        """The table once a turn that is over has been played by default; others may do so at the same time."""
        now = self.now()
        due = matches.timed_out(loaded.document, now)
        if due is None:
            return loaded
        change, seat = due
        assert loaded.document.state is not None  # noqa: S101 - somebody was to act
        place = next(at for at, seats in enumerate(loaded.document.state.seating) if seat in seats)
        draft = Draft(change=change, act="timedOut", place=place, seat=seat)
        try:
            await self._commit(loaded, Asked(loaded.document.id, HOST), draft, now)
        except ServiceError as refused:
            if refused.code != "TABLE_ENDED":  # by somebody else, meanwhile
                raise
        return await self.load(loaded.document.id)

    async def change(self, asked: Asked, make: Make, lane: Lane | None = None) -> Done:
        """Makes a change and writes it, or finds that the key's first call did.

        A key, a token that is no longer good and a stale version each outweigh whatever `make` refuses; a refusal is
        told only once the store has confirmed the document it rests on. It is made in the `lane`, where there is one.
        """
        loaded = await self.hinted(asked.table)
        if asked.expected is not None and asked.expected > loaded.version:
            loaded = await self.load(asked.table)  # another replica has moved it on
        for _ in range(ATTEMPTS):
            loaded = await self.settled(loaded)
            if asked.expected in (None, loaded.version):
                now = self.now()
                try:
                    with self._spans.engine(matches.game_of(loaded.document).name):
                        draft = await in_lane(lane, partial(make, loaded.document, now))
                except (IllegalMove, Malformed, ServiceError) as refusal:
                    refused: Exception | None = refusal
                else:
                    written = await self._commit(loaded, asked, draft, now)
                    if isinstance(written, Done):
                        return written
                    _check_version(asked, written.version)
                    loaded = await self.load(asked.table)
                    continue
            else:
                refused = None
            done = await self._asked_before(asked)
            if done is not None:
                return done
            before, loaded = loaded, await self.load(asked.table)
            if refused is not None and (before.version, before.mark) == (loaded.version, loaded.mark):
                raise refused
        raise stale(loaded.version)

    async def _commit(self, loaded: Loaded, asked: Asked, draft: Draft, now: int) -> Done | Stale:
        document = draft.change.document
        epoch = _epoch_of(document, asked.place) if draft.reissued is None else draft.reissued
        answer = Answer(asked.place, epoch, now // 1000, document.lines)
        frame = draft.frame(now)
        written = await self.store.commit(
            Commit(
                table=document.id,
                place=asked.place,
                version=loaded.version,
                mark=loaded.mark,
                document=encode(document),
                frame=encode(frame),
                epoch=asked.epoch,
                once=asked.once,
                answer=encode(answer),
                epochs=draft.epochs,
                ends=document.ended is not None,
            )
        )
        match written:
            case Committed(version, mark):
                self._hints.put(Loaded(document, version, mark))
                if self.deals is not None:
                    self.deals.changed(loaded.document, draft.change)
                return Done(document, version, answer, frame)
            case Repeated():
                return await self._again(asked.table, written)
            case Stale():
                return written
            case _:
                raise _refusal(written)

    async def _asked_before(self, asked: Asked) -> Done | None:
        """What the key's first call was given. Raises what outweighs a refusal: a token, a key, a stale version."""
        found = await self.store.recall(asked.table, asked.place, epoch=asked.epoch, once=asked.once)
        match found:
            case Repeated():
                return await self._again(asked.table, found)
            case Fresh(version, ended):
                if ended:
                    raise matches.table_ended(version=version)
                _check_version(asked, version)
                return None
            case _:
                raise _refusal(found)

    async def _again(self, table: str, repeated: Repeated) -> Done:
        loaded = await self.load(table)
        return Done(loaded.document, repeated.version, decode_answer(repeated.answer), None)


def unknown_table() -> ServiceError:
    """One refusal for a table that is not there, and for one of which the caller may not know that it is."""
    return ServiceError("UNKNOWN_TABLE", "there is no such table")


def stale(version: int) -> ServiceError:
    """The table has moved on to a version."""
    return ServiceError("STALE_VERSION", f"the table is at version {version}", "$.expectedVersion", version=version)


def key_reused() -> ServiceError:
    """The key is another request's."""
    return ServiceError("KEY_REUSED", "the key came with another request before", "$.idempotencyKey")


def _check_version(asked: Asked, version: int) -> None:
    if asked.expected is not None and asked.expected != version:
        raise stale(version)


def _refusal(outcome: Any) -> ServiceError:
    match outcome:
        case Revoked():
            return invalid_token()
        case KeyReused():
            return key_reused()
        case Ended(version):
            return matches.table_ended(version=version)
        case _:
            return unknown_table()


def _epoch_of(document: Document, place: int) -> int:
    return document.host_epoch if place == HOST else document.people[place].epoch
