"""How streams that callers hold open end with the server: once nothing more is asked of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

LAST_WORD_SECONDS: Final = 0.5
"""How long a server that ends waits for a stream's next question: what was sent may be on its way."""


class Ending:
    """Whether the server is ending. Lives in its event loop."""

    def __init__(self) -> None:
        self._begun = False
        self._waits: set[asyncio.Timeout] = set()

    def begin(self) -> None:
        """From now on nobody is waited for longer than `LAST_WORD_SECONDS`."""
        self._begun = True
        until = asyncio.get_running_loop().time() + LAST_WORD_SECONDS
        for wait in self._waits:
            wait.reschedule(until)

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """Around waiting for a caller; TimeoutError where that takes too long for a server that ends."""
        async with asyncio.timeout(LAST_WORD_SECONDS if self._begun else None) as wait:
            self._waits.add(wait)
            try:
                yield
            finally:
                self._waits.discard(wait)
