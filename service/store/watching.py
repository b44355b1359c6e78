"""Watchers of tables: what every store's watching shares.

A store tells `Watchers` of each frame once it is written, and of nothing else. Each `Watch` is a place in the frames of
one table. Frames that follow on it are handed on as they come; where one is missing, or the store was out of reach, the
watch reads on from the store itself, and so misses none.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Final, Self, TypeAlias

from msgspec import Struct

from . import Ended, Frame, Frames, FramesOutcome, NoTable, Overrun, Reset, StoreAway, WatchItem

RETRY_SECONDS: Final = 0.5
GRACE_SECONDS: Final = 0.1

Fetch: TypeAlias = Callable[[int, bytes | None], Awaitable[FramesOutcome]]


class Written(Struct, frozen=True):
    """A frame that was written, and for how many seconds the table lives from now."""

    frame: Frame
    ttl: int


class Resync(Struct, frozen=True):
    """Something may have been missed: the store is to be asked."""


Note: TypeAlias = Written | Resync


class Watchers:
    """All the watchers of a process. Any thread may call any of it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[str, set[Watch]] = {}

    def add(self, table: str, watch: "Watch") -> None:
        with self._lock:
            self._of.setdefault(table, set()).add(watch)

    def remove(self, table: str, watch: "Watch") -> bool:
        """Whether it was the last of its table."""
        with self._lock:
            watches = self._of.get(table, set())
            watches.discard(watch)
            if watches or table not in self._of:
                return False
            del self._of[table]
            return True

    def watched(self, table: str) -> bool:
        with self._lock:
            return table in self._of

    def tell(self, table: str, note: Note) -> None:
        """Hands a note to each watcher of the table, in the loop that the watcher lives in."""
        with self._lock:
            watches = tuple(self._of.get(table, ()))
        loops: dict[asyncio.AbstractEventLoop, list[Watch]] = {}
        for watch in watches:
            loops.setdefault(watch.loop, []).append(watch)
        for loop, its in loops.items():
            with suppress(RuntimeError):  # the loop is closed, and its watchers with it
                loop.call_soon_threadsafe(_offer, its, note)


def _offer(watches: "list[Watch]", note: Note) -> None:
    for watch in watches:
        watch.offer(note)


class Watch:
    """One watcher of one table (`service.store.Watching`). Lives in the event loop that makes it."""

    def __init__(
        self,
        after: int,
        mark: bytes | None,
        room: int,
        fetch: Fetch,
        enter: "Callable[[Watch], Awaitable[None]]",
        leave: "Callable[[Watch], Awaitable[None]]",
    ) -> None:
        """`fetch` reads frames behind a version, `enter` and `leave` have the watch told of new ones, or no longer."""
        self.loop = asyncio.get_running_loop()
        self._version = after
        self._mark = mark
        self._room = room
        self._fetch = fetch
        self._enter = enter
        self._leave = leave
        self._notes: deque[Written] = deque()
        self._read: deque[Frame] = deque()
        self._behind = True
        self._over = False
        self._end: Ended | NoTable | Overrun | None = None
        self._dies = float("inf")
        self._wake = asyncio.Event()
        self._interrupted = False

    async def __aenter__(self) -> Self:
        await self._enter(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._leave(self)

    def offer(self, note: Note) -> None:
        """Takes a note; called in the watch's own loop."""
        if isinstance(note, Resync):
            self._behind = True
            self._notes.clear()
        elif self._over or self._behind:
            return self._wake.set()  # it is behind, and reads this one from the store
        elif len(self._notes) >= self._room:
            self._over = True
        else:
            self._notes.append(note)
        return self._wake.set()

    def interrupt(self) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self.loop.call_soon_threadsafe(self._interrupt)

    def _interrupt(self) -> None:
        self._interrupted = True
        self._wake.set()

    def seek(self, version: int, mark: bytes | None = None) -> None:
        self._version, self._mark = version, mark
        self._read.clear()
        self._behind = True
        self._notes.clear()

    async def next(self, within: float | None = None) -> WatchItem | None:
        until = float("inf") if within is None else self.loop.time() + within
        while True:
            if self._end is not None:
                return self._end
            item = self._at_hand()
            if item is not None:
                return item
            if self._interrupted:
                self._interrupted = False
                return None
            pause = until - self.loop.time()
            if self._behind:
                try:
                    item = await self._catch_up()
                except StoreAway:
                    pause = min(pause, RETRY_SECONDS)
                    self._dies = max(self._dies, self.loop.time() + RETRY_SECONDS)
                else:
                    if item is not None:
                        return item
                    continue
            if not await self._woken(pause) and self.loop.time() >= until:
                return None

    def _at_hand(self) -> WatchItem | None:
        """The next frame, where it is here already."""
        if self._read:
            return self._give(self._read.popleft())
        while self._notes and not self._behind:
            note = self._notes.popleft()
            if note.frame.version == self._version + 1:
                self._dies = self.loop.time() + note.ttl
                return self._give(note.frame)
            undone = note.frame.version == self._version and self._mark not in (None, note.frame.mark)
            if undone or note.frame.version > self._version:
                self._behind = True  # a failover has undone what was seen, or one is missing
                self._notes.clear()
        if self._over and not self._behind:
            self._end = Overrun(self._version)
        return self._end

    def _give(self, frame: Frame) -> Frame:
        self._version, self._mark = frame.version, frame.mark
        if frame.last:
            self._end = Ended(frame.version)
        return frame

    async def _catch_up(self) -> WatchItem | None:
        """Reads frames from the store; a reset, or an end, where there are none to go on with."""
        self._behind, self._over = False, False  # first: what is written from now on is noted
        try:
            found = await self._fetch(self._version, self._mark)
        except BaseException:
            self._behind = True
            raise
        match found:
            case Frames():
                self._read.extend(found.frames)
                self._dies = self.loop.time() + found.left
                reached = found.frames[-1].version if found.frames else self._version
                if reached < found.version:
                    self._behind = True
                    self._notes.clear()
                elif found.ended and not found.frames:
                    self._end = Ended(found.version)
                return self._end
            case Reset():
                self.seek(found.version)
                return found
            case NoTable():
                self._end = found
                return found

    async def _woken(self, pause: float) -> bool:
        """Waits for news until `pause` is over or the table's time is; False if none came."""
        pause = min(pause, self._dies + GRACE_SECONDS - self.loop.time())
        try:
            async with asyncio.timeout(None if pause == float("inf") else max(pause, 0)):
                await self._wake.wait()
        except TimeoutError:
            if self.loop.time() >= self._dies:
                self._behind = True  # it ought to have expired: the store knows
            return False
        self._wake.clear()
        return True
