"""What is looked after while the service runs: files that change, and buckets that replicas share.

It has a thread and an event loop of its own: nothing of it is ever on a request's path, and a server that hangs is
waited for here alone.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import structlog
from msgspec import Struct

from service.observability import report

LOOK_SECONDS: Final = 1.0
"""How often files are looked at: looking is a call of the system for each."""
STOP_SECONDS: Final = 2.0
Stamp = tuple[tuple[int, int, int] | None, ...]


Task = Callable[[], Coroutine[Any, Any, None]]


class Watched(Struct, frozen=True):
    """Files that belong together, and what to do once one of them has changed.

    What `renew` raises is logged, and what was there before stays; it is tried again when the files change once more.
    """

    what: str
    paths: Sequence[Path]
    renew: Callable[[], None]


class Upkeep:
    """Looks after files, and runs `tasks`, from `start` to `stop`."""

    def __init__(self, watched: Iterable[Watched], tasks: Iterable[Task] = ()) -> None:
        self._watched = [(each, stamp_of(each.paths)) for each in watched]
        self._tasks = list(tasks)
        self._stopping = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._all: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="upkeep", daemon=True)

    def start(self) -> None:
        """Begins, where there is anything to look after."""
        if self._watched or self._tasks:
            self._thread.start()

    def stop(self) -> None:
        """Ends; returns once it has, or a server that hangs keeps it too long. From any thread, and more than once."""
        if not self._thread.is_alive():
            return
        self._stopping.set()
        loop, work = self._loop, self._all
        if loop is not None and work is not None:
            with suppress(RuntimeError):  # the loop has just been closed
                loop.call_soon_threadsafe(work.cancel)
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        with suppress(asyncio.CancelledError):
            asyncio.run(self._work())

    async def _work(self) -> None:
        self._all = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        if self._stopping.is_set():  # by whom nothing was found to be cancelled
            return
        async with asyncio.TaskGroup() as group:
            for task in self._tasks:
                group.create_task(task())
            group.create_task(self._look())

    async def _look(self) -> None:
        while self._watched:
            await asyncio.sleep(LOOK_SECONDS)
            self._watched = [(each, renewed(each, before)) for each, before in self._watched]


def stamp_of(paths: Sequence[Path]) -> Stamp:
    """What changes where a file does, or the link to it."""
    return tuple(_stamp(path) for path in paths)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def renewed(watched: Watched, before: Stamp) -> Stamp:
    """Does what is to be done where the files are no longer as before; how they are now."""
    now = stamp_of(watched.paths)
    if now == before:
        return before
    log = structlog.get_logger()
    try:
        watched.renew()
    except (OSError, ValueError) as fault:
        told = (fault.strerror or type(fault).__name__) if isinstance(fault, OSError) else str(fault)
        log.warning("not renewed", what=watched.what, reason=told)
    except Exception as fault:  # noqa: BLE001 - what is looked after besides is looked after all the same
        report(fault)
        log.warning("not renewed", what=watched.what, reason=type(fault).__name__)
    else:
        log.info("renewed", what=watched.what)
    return now
