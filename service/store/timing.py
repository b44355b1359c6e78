"""A store whose calls are timed and counted."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

from . import (
    FRAMES_LIMIT,
    Commit,
    CommitOutcome,
    CreateOutcome,
    FramesOutcome,
    NewTable,
    NoTable,
    Once,
    RecallOutcome,
    Store,
    Table,
    Watching,
)

Timed = Callable[[str], AbstractContextManager[Callable[[str], None]]]
"""Times what is done in a block, under a call's name; what it gives is told the outcome."""


Outcome = TypeVar("Outcome")


class TimedStore:
    """Another store (`service.store.Store`), each call of which is timed."""

    def __init__(self, store: Store, timed: Timed) -> None:
        self._store = store
        self._timed = timed

    async def create(self, new: NewTable) -> CreateOutcome:
        with self._timed("create") as tell:
            return _told(tell, await self._store.create(new))

    async def commit(self, commit: Commit) -> CommitOutcome:
        with self._timed("commit") as tell:
            return _told(tell, await self._store.commit(commit))

    async def recall(
        self, table: str, place: int, *, epoch: int | None = None, once: Once | None = None
    ) -> RecallOutcome:
        with self._timed("recall") as tell:
            return _told(tell, await self._store.recall(table, place, epoch=epoch, once=once))

    async def read(
        self, table: str, *, known: tuple[int, bytes] | None = None, places: Sequence[int] = ()
    ) -> Table | NoTable:
        with self._timed("read") as tell:
            return _told(tell, await self._store.read(table, known=known, places=places))

    async def frames(
        self, table: str, after: int, *, mark: bytes | None = None, limit: int = FRAMES_LIMIT
    ) -> FramesOutcome:
        with self._timed("frames") as tell:
            return _told(tell, await self._store.frames(table, after, mark=mark, limit=limit))

    async def delete(self, table: str) -> bool:
        with self._timed("delete") as tell:
            return _told(tell, await self._store.delete(table))

    def watch(self, table: str, after: int, *, mark: bytes | None = None, room: int = 256) -> Watching:
        return self._store.watch(table, after, mark=mark, room=room)

    @property
    def away(self) -> str | None:
        return self._store.away

    async def ping(self) -> None:
        await self._store.ping()

    async def close(self) -> None:
        await self._store.close()


def _told(tell: Callable[[str], None], outcome: Outcome) -> Outcome:
    """The outcome, its kind told."""
    tell("done" if isinstance(outcome, bool) else type(outcome).__name__.lower())
    return outcome
