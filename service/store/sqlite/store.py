"""The embedded store: what each call does to the file."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal

from service.store import (
    ANSWERS_KEPT,
    FIRST_VERSION,
    FRAMES_KEPT,
    FRAMES_LIMIT,
    Commit,
    CommitOutcome,
    Committed,
    Created,
    CreateOutcome,
    Ended,
    Frame,
    Frames,
    FramesOutcome,
    Fresh,
    IdTaken,
    KeyReused,
    NewTable,
    NoTable,
    Once,
    RecallOutcome,
    Repeated,
    Revoked,
    Stale,
    Table,
    check_new,
    new_mark,
)
from service.store.checks import Remembered, again, lead_on
from service.store.watching import Resync, Watch, Watchers, Written

from .worker import Done, Worker, remove

_FOUND: Final = "SELECT version, mark, ended, ttl, expires, answers FROM tables WHERE id = ? AND expires > ?"


class SqliteStore:
    """Tables in a file of this process (`service.store.Store`)."""

    def __init__(
        self, path: Path | None, *, frames_kept: int = FRAMES_KEPT, synchronous: Literal["FULL", "NORMAL"] = "FULL"
    ) -> None:
        """Opens the file, or makes it, readable by its owner alone. Without a path the tables lie in memory.

        StoreInUse where another process has it, NewerSchema, or OSError where it cannot be had. With `FULL`, what was
        acknowledged outlives the machine's death, with `NORMAL` the process's.
        """
        self._frames_kept = frames_kept
        self._watchers = Watchers()
        self._worker = Worker(path, self._watchers.tell, synchronous=synchronous)
        self._lock = threading.Lock()
        self._loops: set[asyncio.AbstractEventLoop] = set()

    async def create(self, new: NewTable) -> CreateOutcome:
        check_new(new)
        self._here()
        mark = new_mark()

        def job(database: sqlite3.Connection) -> Done[CreateOutcome]:
            now = time.time()
            if new.once is not None:
                query = "SELECT body, answer FROM creations WHERE key = ? AND expires > ?"
                made = database.execute(query, (new.once.key, now)).fetchone()
                if made is not None:
                    return Done(Repeated(made[1], FIRST_VERSION) if made[0] == new.once.body else KeyReused())
            if database.execute(_FOUND, (new.id, now)).fetchone() is not None:
                return Done(IdTaken())
            remove(database, new.id)
            row = (new.id, FIRST_VERSION, mark, 0, new.ttl, now + new.ttl, 0, new.document)
            database.execute("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            database.execute("INSERT INTO frames VALUES (?, ?, ?, ?)", (new.id, FIRST_VERSION, mark, new.frame))
            rows = [(new.id, place, epoch) for place, epoch in new.epochs.items()]
            database.executemany("INSERT INTO epochs VALUES (?, ?, ?)", rows)
            if new.once is not None:
                kept = (new.once.key, new.once.body, new.answer, now + new.ttl)
                database.execute("INSERT OR REPLACE INTO creations VALUES (?, ?, ?, ?)", kept)
            return Done(Created(mark))

        return await self._worker.do(job)

    async def commit(self, commit: Commit) -> CommitOutcome:
        self._here()
        mark = new_mark()

        def job(database: sqlite3.Connection) -> Done[CommitOutcome]:
            now = time.time()
            found = database.execute(_FOUND, (commit.table, now)).fetchone()
            refused = _guard(database, found, commit.table, commit.place, commit.epoch, commit.once)
            if refused is not None:
                return Done(refused)
            version, its, ended, ttl, _, answers = found
            if ended:
                return Done(Ended(version))
            if version != commit.version or (commit.mark is not None and commit.mark != its):
                return Done(Stale(version))
            ttl = ttl if commit.ttl is None else commit.ttl
            self._write(database, commit, mark, now + ttl, ttl, answers)
            frame = Frame(version + 1, mark, commit.frame, commit.ends)
            return Done(Committed(version + 1, mark), (commit.table, Written(frame, ttl)))

        return await self._worker.do(job)

    def _write(
        self, database: sqlite3.Connection, commit: Commit, mark: bytes, expires: float, ttl: int, answers: int
    ) -> None:
        table, version, once = commit.table, commit.version + 1, commit.once
        if once is not None:
            answers += 1
            row = (table, commit.place, once.key, answers, once.body, commit.epoch, version, commit.answer)
            database.execute("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            oldest = (table, answers - ANSWERS_KEPT)
            database.execute("DELETE FROM answers WHERE id = ? AND number <= ?", oldest)
        database.execute(
            "UPDATE tables SET version = ?, mark = ?, ended = ?, ttl = ?, expires = ?, answers = ?, document = ?"
            " WHERE id = ?",
            (version, mark, int(commit.ends), ttl, expires, answers, commit.document, table),
        )
        rows = [(table, place, epoch) for place, epoch in commit.epochs.items()]
        database.executemany("INSERT OR REPLACE INTO epochs VALUES (?, ?, ?)", rows)
        database.execute("INSERT INTO frames VALUES (?, ?, ?, ?)", (table, version, mark, commit.frame))
        trimmed = (table, version - self._frames_kept)
        database.execute("DELETE FROM frames WHERE id = ? AND version <= ?", trimmed)

    async def recall(
        self, table: str, place: int, *, epoch: int | None = None, once: Once | None = None
    ) -> RecallOutcome:
        self._here()

        def job(database: sqlite3.Connection) -> Done[RecallOutcome]:
            found = database.execute(_FOUND, (table, time.time())).fetchone()
            refused = _guard(database, found, table, place, epoch, once)
            return Done(Fresh(found[0], bool(found[2])) if refused is None else refused)

        return await self._worker.do(job)

    async def read(
        self, table: str, *, known: tuple[int, bytes] | None = None, places: Sequence[int] = ()
    ) -> Table | NoTable:
        self._here()

        def job(database: sqlite3.Connection) -> Done[Table | NoTable]:
            now = time.time()
            found = database.execute(_FOUND, (table, now)).fetchone()
            if found is None:
                return Done(NoTable())
            version, mark, ended, _, expires, _ = found
            document = None
            if known != (version, mark):
                document = database.execute("SELECT document FROM tables WHERE id = ?", (table,)).fetchone()[0]
            all_of_them = dict(database.execute("SELECT place, epoch FROM epochs WHERE id = ?", (table,)))
            epochs = {place: all_of_them[place] for place in places if place in all_of_them}
            return Done(Table(version, mark, bool(ended), document, epochs, expires - now))

        return await self._worker.do(job)

    async def frames(
        self, table: str, after: int, *, mark: bytes | None = None, limit: int = FRAMES_LIMIT
    ) -> FramesOutcome:
        self._here()

        def job(database: sqlite3.Connection) -> Done[FramesOutcome]:
            now = time.time()
            found = database.execute(_FOUND, (table, now)).fetchone()
            if found is None:
                return Done(NoTable())
            version, _, ended, _, expires, _ = found
            query = "SELECT version, mark, frame FROM frames WHERE id = ? AND version >= ? ORDER BY version LIMIT ?"
            rows = database.execute(query, (table, after, limit + 1)).fetchall()
            read = [Frame(at, its, data, bool(ended) and at == version) for at, its, data in rows]
            return Done(lead_on(read, after, mark, limit, Frames((), version, bool(ended), expires - now)))

        return await self._worker.do(job)

    async def delete(self, table: str) -> bool:
        self._here()

        def job(database: sqlite3.Connection) -> Done[bool]:
            there = database.execute(_FOUND, (table, time.time())).fetchone() is not None
            remove(database, table)
            return Done(there, (table, Resync()))

        return await self._worker.do(job)

    def watch(self, table: str, after: int, *, mark: bytes | None = None, room: int = 256) -> Watch:
        async def fetch(version: int, its: bytes | None) -> FramesOutcome:
            return await self.frames(table, version, mark=its)

        async def enter(watch: Watch) -> None:
            self._watchers.add(table, watch)

        async def leave(watch: Watch) -> None:
            self._watchers.remove(table, watch)

        return Watch(after, mark, room, fetch, enter, leave)

    @property
    def away(self) -> str | None:
        return None

    async def ping(self) -> None:
        def job(database: sqlite3.Connection) -> Done[Any]:
            return Done(database.execute("SELECT 1").fetchone())

        self._here()
        await self._worker.do(job)

    async def close(self) -> None:
        with self._lock:
            self._loops.discard(asyncio.get_running_loop())
            last = not self._loops
        if last:
            await self._worker.close()

    def _here(self) -> None:
        """Takes note of the event loop that calls: the last one to leave closes the file."""
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            with self._lock:
                self._loops.add(loop)


def _guard(
    database: sqlite3.Connection,
    found: Sequence[Any] | None,
    table: str,
    place: int,
    epoch: int | None,
    once: Once | None,
) -> Repeated | KeyReused | Revoked | NoTable | None:
    """The first four checks of a commit; None where it passes them."""
    if found is None:
        return NoTable()
    good = True
    if epoch is not None:
        current = database.execute("SELECT epoch FROM epochs WHERE id = ? AND place = ?", (table, place)).fetchone()
        good = current is not None and current[0] == epoch
    first = None
    if once is not None:
        query = "SELECT body, epoch, version, answer FROM answers WHERE id = ? AND place = ? AND key = ?"
        first = database.execute(query, (table, place, once.key)).fetchone()
    return again(None if first is None else Remembered(*first), once, epoch, good=good)
