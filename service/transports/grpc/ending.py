"""How streams that callers hold open end with the server: once nothing more is asked of them."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LAST_WORD_SECONDS: Final = 0.5
"""How long a server that ends waits for a stream's next question: what was sent may be on its way."""


class Ending:
    """Whether the server is ending. Lives in its event loop."""

    def __init__(self) -> None:
        self._begun = False
        self._open: set[Opened] = set()

    def begin(self) -> None:
        """From now on nobody is waited for longer than `LAST_WORD_SECONDS`."""
        self._begun = True
        for opened in self._open:
            opened.hurry()

    @contextmanager
    def opened(self) -> "Iterator[Opened]":
        """Around a stream's whole life. TimeoutError where a server that ends has waited for it for too long."""
        opened = Opened()
        self._open.add(opened)
        if self._begun:
            opened.hurry()
        try:
            yield opened
        except asyncio.CancelledError:
            if not opened.is_over:
                raise
            opened.task.uncancel()
            raise TimeoutError from None
        finally:
            self._open.discard(opened)
            opened.close()


class Opened:
    """A stream that a caller holds open: it says when it waits for the caller and when it works."""

    __slots__ = ("_loop", "_timer", "_waits_since", "is_over", "task")

    def __init__(self) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - streams are answered by tasks
        self.task = task
        self.is_over = False
        self._loop = asyncio.get_running_loop()
        self._waits_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def waits(self) -> None:
        """It waits for the caller from now on."""
        self._waits_since = self._loop.time()

    def works(self) -> None:
        """It no longer does."""
        self._waits_since = None

    def hurry(self) -> None:
        """Ends it once it has waited, from now on, for as long as a server that ends waits."""
        if self._waits_since is not None:
            self.waits()
        self._look()

    def close(self) -> None:
        """It is over."""
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        since = self._waits_since
        left = LAST_WORD_SECONDS if since is None else since + LAST_WORD_SECONDS - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look)
        else:
            self.is_over = True
            self.task.cancel()
