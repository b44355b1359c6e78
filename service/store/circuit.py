"""A circuit: while a server is away nobody waits for it.

It opens at the first call that could not be carried out, retries and all. From then on every call is refused at once,
and a task of the circuit's own asks whether the server is back: it recovers without a caller's having to wait and see,
which the circuit breakers one can install leave to a caller.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from . import StoreAway

FIRST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 1.0


class Circuit:
    """Closed while the server answers. Lives in one event loop."""

    def __init__(self, probe: Callable[[], Awaitable[None]]) -> None:
        """`probe` returns when the server is there, and raises `StoreAway` while it is not."""
        self._probe = probe
        self._probing: asyncio.Task[None] | None = None
        self._closed = False
        self.away: str | None = None

    def check(self) -> None:
        """StoreAway while the circuit is open."""
        if self.away is not None:
            raise StoreAway(self.away)

    def open(self, reason: str) -> None:
        """Refuses every call until a probe succeeds; a closed one does not, which nobody asks any more."""
        if self.away is None and not self._closed:
            self.away = reason
            self._probing = asyncio.get_running_loop().create_task(self._recover(), name="store-circuit")

    async def close(self) -> None:
        """Ends the probing, for good."""
        self._closed = True
        if self._probing is not None:
            self._probing.cancel()
            with suppress(asyncio.CancelledError):
                await self._probing

    async def _recover(self) -> None:
        pause = FIRST_PAUSE
        while True:
            try:
                await self._probe()
            except StoreAway as fault:
                self.away = fault.reason
            else:
                self.away = None
                return
            await asyncio.sleep(pause * random.uniform(0.75, 1.25))  # noqa: S311 - spreads probes, guards nothing
            pause = min(2 * pause, LONGEST_PAUSE)
