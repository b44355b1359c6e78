"""The one thread that touches the file, and the file itself.

Jobs come from any event loop. Those that wait are done together, in one transaction: each is acknowledged once the
transaction is on the disk, and one fsync serves them all.
"""

import asyncio
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from service.store import SCHEMA, NewerSchema, StoreAway
from service.store.watching import Note

BATCH: Final = 256
PURGE_SECONDS: Final = 30
LOCK_SECONDS: Final = 1.0
T = TypeVar("T")

_TABLES: Final = """
CREATE TABLE tables (
    id TEXT PRIMARY KEY, version INTEGER NOT NULL, mark BLOB NOT NULL, ended INTEGER NOT NULL, ttl INTEGER NOT NULL,
    expires REAL NOT NULL, answers INTEGER NOT NULL, document BLOB NOT NULL
);
CREATE INDEX tables_expire ON tables (expires);
CREATE TABLE frames (
    id TEXT NOT NULL, version INTEGER NOT NULL, mark BLOB NOT NULL, frame BLOB NOT NULL, PRIMARY KEY (id, version)
) WITHOUT ROWID;
CREATE TABLE epochs (
    id TEXT NOT NULL, place INTEGER NOT NULL, epoch INTEGER NOT NULL, PRIMARY KEY (id, place)
) WITHOUT ROWID;
CREATE TABLE answers (
    id TEXT NOT NULL, place INTEGER NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL, body BLOB NOT NULL,
    epoch INTEGER, version INTEGER NOT NULL, answer BLOB NOT NULL, PRIMARY KEY (id, place, key)
) WITHOUT ROWID;
CREATE TABLE creations (
    key TEXT PRIMARY KEY, body BLOB NOT NULL, answer BLOB NOT NULL, expires REAL NOT NULL
) WITHOUT ROWID;
"""


class StoreInUse(Exception):  # noqa: N818 - reads as what happened
    """Another process has the file open: the embedded store is for one."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is in use by another process; the embedded store serves one process only")
        self.path = path


class Done(Generic[T]):
    """What a job came to, and what the watchers of a table are to be told once it is on the disk."""

    __slots__ = ("news", "result")

    def __init__(self, result: T, news: tuple[str, Note] | None = None) -> None:
        self.result = result
        self.news = news


class _Waiting(Generic[T]):
    __slots__ = ("future", "job")

    def __init__(self, job: Callable[[sqlite3.Connection], Done[T]]) -> None:
        self.job = job
        self.future: Future[T] = Future()


class Worker:
    """Does jobs on the file, in the order they come in."""

    def __init__(self, path: Path | None, tell: Callable[[str, Note], None], *, synchronous: str) -> None:
        """Opens the file, or makes it. StoreInUse, NewerSchema, or OSError where it cannot be had. None: in memory."""
        self._database = _open(path, synchronous)
        self._tell = tell
        self._lock = threading.Lock()
        self._closed = False
        self._queue: queue.SimpleQueue[_Waiting[Any] | None] = queue.SimpleQueue()
        self._purged = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="store-sqlite", daemon=True)
        self._thread.start()

    async def do(self, job: Callable[[sqlite3.Connection], Done[T]]) -> T:
        """The result of a job. It may be done twice, the first time undone, and so has no effect but on the file."""
        waiting = _Waiting(job)
        with self._lock:
            if self._closed:
                raise StoreAway("the store is closed")
            self._queue.put(waiting)
        return await asyncio.wrap_future(waiting.future)

    async def close(self) -> None:
        """Does what is waiting, then lets go of the file."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        while True:
            batch, open_still = self._batch()
            if batch:
                self._do(batch)
            if time.monotonic() - self._purged > PURGE_SECONDS:
                self._purged = time.monotonic()
                self._do([_Waiting(purge)])
            if not open_still:
                self._database.close()
                return

    def _batch(self) -> tuple[list[_Waiting[Any]], bool]:
        """What is waiting, at least one job unless it is time to purge; False once there will be no more."""
        batch: list[_Waiting[Any]] = []
        try:
            waiting = self._queue.get(timeout=PURGE_SECONDS)
            while waiting is not None:
                if waiting.future.set_running_or_notify_cancel():
                    batch.append(waiting)
                if len(batch) == BATCH:
                    return batch, True
                waiting = self._queue.get_nowait()
        except queue.Empty:
            return batch, True
        return batch, False

    def _do(self, batch: list[_Waiting[Any]]) -> None:
        try:
            done = self._transaction(batch)
        except Exception as fault:  # noqa: BLE001 - whoever waits is told, whatever it is
            if len(batch) == 1:
                batch[0].future.set_exception(_fault(fault))
            else:
                for waiting in batch:  # one spoils only itself
                    self._do([waiting])
            return
        for waiting, one in zip(batch, done, strict=True):
            waiting.future.set_result(one.result)
            if one.news is not None:
                self._tell(*one.news)

    def _transaction(self, batch: list[_Waiting[Any]]) -> list[Done[Any]]:
        self._database.execute("BEGIN")
        try:
            done = [waiting.job(self._database) for waiting in batch]
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
        return done


def purge(database: sqlite3.Connection) -> Done[None]:
    """Takes away what has expired."""
    now = time.time()
    for (table,) in database.execute("SELECT id FROM tables WHERE expires <= ?", (now,)).fetchall():
        remove(database, table)
    database.execute("DELETE FROM creations WHERE expires <= ?", (now,))
    return Done(None)


def remove(database: sqlite3.Connection, table: str) -> None:
    """Takes away a table with all that is its own."""
    database.execute("DELETE FROM tables WHERE id = ?", (table,))
    database.execute("DELETE FROM frames WHERE id = ?", (table,))
    database.execute("DELETE FROM epochs WHERE id = ?", (table,))
    database.execute("DELETE FROM answers WHERE id = ?", (table,))


def _fault(fault: Exception) -> Exception:
    if isinstance(fault, sqlite3.OperationalError):
        return StoreAway(f"SQLite: {fault}")
    return fault


def _open(path: Path | None, synchronous: str) -> sqlite3.Connection:
    if path is None:
        memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        _prepare(memory, synchronous)
        return memory
    with suppress(FileExistsError):  # one that is there stays untouched: closing it would undo our locks on it
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))  # seeds and hidden cards are in it
    database = sqlite3.connect(path, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _prepare(database, synchronous)
    except BaseException as fault:
        database.close()
        if not isinstance(fault, sqlite3.DatabaseError):
            raise
        if fault.sqlite_errorcode in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise StoreInUse(path) from fault
        raise OSError(f"{path} cannot be used: {fault}") from fault
    return database


def _prepare(database: sqlite3.Connection, synchronous: str) -> None:
    """Takes the file for this process alone, until it dies, and lays out an empty one."""
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute(f"PRAGMA synchronous = {synchronous}")
    database.execute("BEGIN IMMEDIATE")
    found = database.execute("PRAGMA user_version").fetchone()[0]
    if found > SCHEMA:
        raise NewerSchema(found)
    if found == 0:
        for statement in _TABLES.split(";"):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {SCHEMA}")
    database.execute("COMMIT")
