"""Watching a table: the store's frames, each as the watcher may see it, from a full view on until an end."""

import asyncio
import random
import threading
from collections.abc import AsyncGenerator
from typing import Final

from service.errors import ServiceError
from service.messages import WatchTableRequest, WatchTableResponse
from service.store import HOST, Ended, Frame, NoTable, Overrun, Reset, StoreAway, Watching

from .document import Kept, decode_frame
from .hints import Loaded
from .seeing import Eyes, frame_of, sees_all, table_of
from .tables import Tables
from .tokens import Holder

HEARTBEAT_SECONDS: Final = 15.0
RETRY_SECONDS: Final = 0.5
SPARE_SECONDS: Final = 0.01
"""How long after a turn's end it is looked at."""
SPREAD: Final = 0.1
"""By what share the longest watches differ, so that those begun at once do not end at once."""


class Watcher:
    """Makes watches.

    `heartbeat` is how many seconds may pass without a frame, `room` how many frames may wait, `longest` how many
    seconds a watch may last, more or less: then it ends as if the service stopped.
    """

    def __init__(
        self, tables: Tables, *, heartbeat: float = HEARTBEAT_SECONDS, room: int = 256, longest: float | None = None
    ) -> None:
        self.tables = tables
        self._heartbeat = heartbeat
        self._room = room
        self._longest = float("inf") if longest is None else longest
        self._lock = threading.Lock()
        self._open: set[Watching] = set()
        self._settling: set[str] = set()
        self._stopping = False

    @property
    def watches(self) -> int:
        """How many there are."""
        return len(self._open)

    @property
    def is_away(self) -> bool:
        """Whether the store cannot be reached."""
        return self.tables.keeper.store.away is not None

    def stop(self) -> None:
        """Ends every watch: the service is about to stop, and watchers go elsewhere. Any thread may call this."""
        self._stopping = True
        with self._lock:
            watches = tuple(self._open)
        for watching in watches:
            watching.interrupt()

    async def watch(
        self, request: WatchTableRequest, token: str | None, ticket: str | None = None
    ) -> AsyncGenerator[WatchTableResponse, None] | None:
        """The frames; None where the table has ended and all of it has been seen. Refusals come before any frame."""
        holder = self.tables.watcher(request.table, token, ticket)
        loaded, eyes = await self.tables.seen(request.table, None, holder)
        after = request.after_version
        if after is not None and loaded.document.ended is not None and after == loaded.version:
            return None
        return self._frames(loaded, after, holder, eyes)

    async def _frames(
        self, loaded: Loaded, after: int | None, holder: Holder | None, eyes: Eyes
    ) -> AsyncGenerator[WatchTableResponse, None]:
        table, turn_ends = loaded.document.id, loaded.document.turn_ends
        version, mark = (loaded.version, loaded.mark) if after is None else (after, None)
        all_of_it, told_end = sees_all(loaded.document, eyes), False
        now = asyncio.get_running_loop().time
        until = now() + self._longest * random.uniform(1 - SPREAD, 1 + SPREAD)  # noqa: S311 - a spread
        if after is None:
            yield _whole(loaded, eyes)
            if loaded.document.ended is not None:
                return
        async with self.tables.keeper.store.watch(table, version, mark=mark, room=self._room) as watching:
            self._enter(watching)
            try:
                while True:
                    item = await watching.next(within=min(self._pause(turn_ends), max(0, until - now())))
                    match item:
                        case Frame():
                            kept = decode_frame(item.data)
                            version, turn_ends = item.version, kept.turn_ends
                            told_end = item.last
                            yield frame_of(kept, version, eyes, all_of_it=all_of_it)
                            if _ends_token(kept, holder):
                                yield WatchTableResponse(version=version, gone="revoked")
                                return
                        case None if self._stopping or now() >= until:
                            yield WatchTableResponse(version=version, gone="stopping")
                            return
                        case None if turn_ends is not None and self.tables.keeper.now() >= turn_ends:
                            if await self._settle(table):
                                turn_ends = None  # the next is that of the frame which comes of it
                        case None:
                            yield WatchTableResponse(version=version)
                        case Overrun():
                            yield WatchTableResponse(version=version, gone="slow")
                            return
                        case Ended() if told_end:
                            return
                        case Reset() | Ended() | NoTable():
                            again = await self._again(table, holder, version)
                            yield again if isinstance(again, WatchTableResponse) else _whole(again, eyes, reset=True)
                            if isinstance(again, WatchTableResponse) or again.document.ended is not None:
                                return
                            version, turn_ends = again.version, again.document.turn_ends
                            watching.seek(version, again.mark)
            finally:
                self._leave(watching)

    def _pause(self, turn_ends: int | None) -> float:
        """How long to wait for a frame: not beyond the end of the turn."""
        if self._stopping:
            return 0
        if turn_ends is None:
            return self._heartbeat
        return min(self._heartbeat, max(0, turn_ends - self.tables.keeper.now()) / 1000 + SPARE_SECONDS)

    async def _again(self, table: str, holder: Holder | None, version: int) -> Loaded | WatchTableResponse:
        """The table as it is now; or the frame that ends a watch, where the watcher may see it no longer."""
        while True:
            try:
                return (await self.tables.seen(table, None, holder))[0]
            except StoreAway:
                if self._stopping:
                    return WatchTableResponse(version=version, gone="stopping")
                await asyncio.sleep(RETRY_SECONDS)
            except ServiceError as refused:
                revoked = refused.code == "INVALID_TOKEN"
                return WatchTableResponse(version=version, gone="revoked" if revoked else "expired")

    async def _settle(self, table: str) -> bool:
        """Sees to it that a turn which is over is played; where others here do so already, waits a little instead."""
        if table in self._settling:
            await asyncio.sleep(SPARE_SECONDS)
            return False
        self._settling.add(table)
        try:
            await self.tables.settle(table)
        except (StoreAway, ServiceError):
            await asyncio.sleep(RETRY_SECONDS)
            return False
        finally:
            self._settling.discard(table)
        return True

    def _enter(self, watching: Watching) -> None:
        with self._lock:
            self._open.add(watching)

    def _leave(self, watching: Watching) -> None:
        with self._lock:
            self._open.discard(watching)


def _whole(loaded: Loaded, eyes: Eyes, *, reset: bool = False) -> WatchTableResponse:
    table = table_of(loaded.document, loaded.version, eyes)
    return WatchTableResponse(version=loaded.version, reset=reset, table=table, ended=table.ended)


def _ends_token(kept: Kept, holder: Holder | None) -> bool:
    if holder is None or kept.act != "reissued" or kept.epoch is None:
        return False
    place = HOST if kept.place is None else kept.place
    return place == holder.place and kept.epoch > holder.epoch
