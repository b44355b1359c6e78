"""Buckets that replicas share: each tells, every now and then, what was taken from its own, and takes over the level.

A replica decides by itself, and at once. So several can let more through than one would: at most a full bucket and what
comes back in `SECONDS`, for each replica but the first, in any stretch of time. What was too much is a debt of all of
them. While the ledger is away each goes on by its own bucket alone.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

import structlog
from msgspec import Struct

from service.observability import report
from service.store import StoreAway

from .buckets import Bucket, Clock

SECONDS: Final = 0.5
MOST: Final = 500
"""How many buckets are told of in one go."""


class Spent(Struct, frozen=True):
    """What was taken from a bucket within the last `seconds`, of which so much comes back per second, up to the burst.

    What came back within that time counts before the bucket is full: it may have been taken as it came.
    """

    name: str
    tokens: float
    rate: float
    burst: float
    seconds: float


class Ledger(Protocol):
    """Where the levels of shared buckets are kept."""

    async def settle(self, spent: Sequence[Spent]) -> Sequence[float]:
        """Takes so much from each bucket; the level that each then has, below zero where there is a debt.

        StoreAway where they cannot be reached.
        """

    async def close(self) -> None:
        """Lets go of the connections."""


class Sharing:
    """Brings buckets and ledger together."""

    def __init__(self, buckets: Callable[[], Iterable[Bucket]], ledger: Ledger, clock: Clock = time.monotonic) -> None:
        self._buckets = buckets
        self._ledger = ledger
        self._clock = clock
        self._at = clock()
        self._away = False

    async def run(self) -> None:
        """Goes on until it is cancelled."""
        try:
            while True:
                await asyncio.sleep(SECONDS)
                try:
                    await self.settle()
                except Exception as fault:  # noqa: BLE001 - callers are served whatever becomes of this
                    report(fault)
        finally:
            await self._ledger.close()

    async def settle(self) -> None:
        """Tells what was taken since the last time, and takes over what others have taken."""
        before, self._at = self._at, self._clock()
        taken = [(bucket, tokens) for bucket in self._buckets() if (tokens := bucket.spent()) is not None]
        try:
            for at in range(0, len(taken), MOST):
                await self._settle(taken[at : at + MOST], self._at - before)
        except StoreAway as fault:
            if not self._away:
                structlog.get_logger().warning("limits are each replica's own", reason=fault.reason)
            self._away = True
            return
        if taken and self._away:
            structlog.get_logger().info("limits are shared again")
            self._away = False

    async def _settle(self, taken: Sequence[tuple[Bucket, float]], seconds: float) -> None:
        spent = [Spent(bucket.name, tokens, bucket.limit.rate, bucket.limit.burst, seconds) for bucket, tokens in taken]
        levels = await self._ledger.settle(spent)
        for (bucket, _), level in zip(taken, levels, strict=True):
            bucket.settle(level)
