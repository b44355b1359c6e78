"""The decision log: what was judged, as lines of JSON in a file or on standard output, written beside the requests.

Requests only queue. Where the queue is full, since what is written to is slow, decisions are dropped, and counted.
"""

import fcntl
import os
import queue
import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

from .decisions import Tell, line_of
from .observability import REQUEST, report

ROOM: Final = 1_024
"""How many may wait: each is a stateless decision, or a deal of a table."""
LAST_SECONDS: Final = 1
"""How long there may be no room in the end, and how long what waits may then take to be written."""
STANDARD_OUTPUT: Final = 1
MODE: Final = 0o640
LOCK_MODE: Final = 0o600


class Sink(Protocol):
    """What lines are written to."""

    def write(self, line: bytes) -> None:
        """Writes a line. OSError where it cannot."""

    def close(self) -> None:
        """Lets go of it."""


class Descriptor:
    """What is written to past any buffer, so that nothing is left to be written when the process ends."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._torn = False

    def write(self, line: bytes) -> None:
        """Writes a line, by itself though the one before may have been cut short. OSError where it cannot."""
        left = b"\n" + line if self._torn else line
        while left:
            number = os.write(self.number, left)
            left = left[number:]
            self._torn = bool(left)


class StandardOutput:
    """Standard output."""

    def __init__(self) -> None:
        self._descriptor = Descriptor(STANDARD_OUTPUT)

    def write(self, line: bytes) -> None:
        """Writes a line."""
        self._descriptor.write(line)

    def close(self) -> None:
        """Leaves it open: it is not ours."""


class File:
    """A file that is added to. Where it has been moved away or deleted, a new one is begun."""

    def __init__(self, path: Path) -> None:
        """OSError where the file cannot be opened."""
        self._path = path
        self._descriptor = self._opened()

    def write(self, line: bytes) -> None:
        """Writes a line."""
        if not self._is_in_place():
            fresh = self._opened()
            self.close()
            self._descriptor = fresh
        self._descriptor.write(line)

    def close(self) -> None:
        """Closes it."""
        os.close(self._descriptor.number)

    def _opened(self) -> Descriptor:
        """A pipe that nobody reads is refused, and not waited for."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
        opened = os.open(self._path, flags, MODE)
        os.set_blocking(opened, True)
        return Descriptor(opened)

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(self._path.stat(), os.fstat(self._descriptor.number))
        except FileNotFoundError:
            return False


class InTurns:
    """Writes elsewhere, while no other process does that shares `lock`: a pipe takes a long line in pieces."""

    def __init__(self, sink: Sink, lock: Path) -> None:
        """OSError where the lock cannot be opened."""
        self._sink = sink
        self._lock = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, LOCK_MODE)

    def write(self, line: bytes) -> None:
        """Writes a line."""
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        try:
            self._sink.write(line)
        finally:
            fcntl.flock(self._lock, fcntl.LOCK_UN)

    def close(self) -> None:
        """Lets go of both."""
        self._sink.close()
        os.close(self._lock)


class DecisionLog:
    """Takes what was judged, a share of it, and writes it in a thread of its own."""

    def __init__(
        self,
        sink: Sink,
        share: float,
        version: str,
        count: Callable[[str], None],
        *,
        room: int = ROOM,
        drawn: Callable[[], float] = random.random,
    ) -> None:
        """`count` is told of each decision: `written`, `failed`; and of each `dropped`, which may be a whole deal."""
        self._sink = sink
        self._share = share
        self._version = version
        self._count = count
        self._drawn = drawn
        self._waiting: queue.Queue[tuple[float, str | None, Tell] | None] = queue.Queue(room)
        self._failing = False
        self._writer = threading.Thread(target=self._write, name="decisions", daemon=True)
        self._writer.start()

    def take(self, tell: Tell) -> None:
        """Queues it, if it is of the share, and there is room."""
        if self._drawn() >= self._share:
            return
        try:
            self._waiting.put_nowait((time.time(), self.request_id(), tell))
        except queue.Full:
            self._count("dropped")

    def request_id(self) -> str | None:
        """The id of the request that is being answered."""
        return REQUEST.get()

    def close(self) -> None:
        """Writes what waits, as far as that is soon done, and ends."""
        with suppress(queue.Full):
            self._waiting.put(None, timeout=LAST_SECONDS)
            self._writer.join(LAST_SECONDS)
        if not self._writer.is_alive():
            self._sink.close()

    def _write(self) -> None:
        while (taken := self._waiting.get()) is not None:
            now, request_id, tell = taken
            try:
                for judged in tell():
                    at = now if judged.at is None else judged.at / 1_000
                    own = request_id if judged.source == "stateless" else judged.id
                    self._write_line(line_of(judged, self._version, _moment(at), own))
            except Exception as fault:  # noqa: BLE001 - one that cannot be told must not end the others
                self._count("failed")
                report(fault)

    def _write_line(self, line: bytes) -> None:
        try:
            self._sink.write(line)
        except OSError as fault:
            self._count("failed")
            if not self._failing:
                report(fault)
            self._failing = True
        else:
            self._count("written")
            self._failing = False


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
