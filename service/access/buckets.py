"""Token buckets: how many calls may be made at once, and how fast room for more comes back.

A batch takes as many tokens as it has calls. One that is larger than the bucket is let through when the bucket is full,
and leaves a debt that is paid off before the next. What is taken is also told to whoever shares the bucket, and the
level that all of them have brought it to is taken over: see `sharing`.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

Clock = Callable[[], float]
ROUNDS: Final = 4
"""For how many rounds of sharing a bucket that nothing was asked of goes on learning what others have taken."""
TABLES_KNOWN: Final = 10_000
"""How many tables' buckets are remembered: a forgotten one is full again."""


class Limit(Struct, frozen=True):
    """Tokens that come back per second, and how many there are at most."""

    rate: float
    burst: float


def per_minute(number: int) -> Limit:
    """So many a minute, all of them at once where somebody likes."""
    return Limit(number / 60, number)


class Bucket:
    """A bucket, full at first. May be used from any thread."""

    __slots__ = ("_at", "_clock", "_level", "_lock", "_rounds", "_spent", "limit", "name")

    def __init__(self, name: str, limit: Limit, clock: Clock = time.monotonic) -> None:
        self.name = name
        self.limit = limit
        self._clock = clock
        self._lock = threading.Lock()
        self._level = limit.burst
        self._at = clock()
        self._spent = 0.0
        self._rounds = 0

    def take(self, tokens: int = 1, taken: int = 0) -> float:
        """Takes them, and returns 0; or takes nothing, and returns in how many seconds there is room.

        `taken` are those of them that were taken before.
        """
        with self._lock:
            self._fill()
            self._rounds = ROUNDS
            missing = min(tokens, self.limit.burst) - self._level
            if missing - taken > 0:
                return missing / self.limit.rate
            self._level -= tokens - taken
            self._spent += tokens - taken
            return 0.0

    def give_back(self, tokens: int = 1) -> None:
        """Undoes a `take` that came to nothing."""
        with self._lock:
            self._level += tokens
            self._spent -= tokens

    def change(self, limit: Limit) -> None:
        """Another limit from now on."""
        with self._lock:
            self._fill()
            self.limit = limit
            self._level = min(self._level, limit.burst)

    def spent(self) -> float | None:
        """What was taken since this was asked last; None where nothing has been asked of the bucket for some rounds."""
        with self._lock:
            if not self._rounds:
                return None
            self._rounds -= 1
            spent, self._spent = self._spent, 0.0
            return spent

    def settle(self, level: float) -> None:
        """Takes over the level that all who share the bucket have brought it to, this one up to the last `spent`."""
        with self._lock:
            self._level = min(level, self.limit.burst) - self._spent
            self._at = self._clock()

    def _fill(self) -> None:
        now = self._clock()
        self._level = min(self.limit.burst, self._level + (now - self._at) * self.limit.rate)
        self._at = now


class TableBuckets:
    """A bucket for each table that one was asked for of late. May be used from any thread."""

    def __init__(self, name: str, limit: Limit, clock: Clock = time.monotonic) -> None:
        self._name = name
        self._limit = limit
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def of(self, table: str) -> Bucket:
        """The table's bucket."""
        with self._lock:
            bucket = self._buckets.get(table)
            if bucket is None:
                bucket = self._buckets[table] = Bucket(f"{self._name}:{table}", self._limit, self._clock)
                if len(self._buckets) > TABLES_KNOWN:
                    self._buckets.popitem(last=False)
            self._buckets.move_to_end(table)
            return bucket

    def __iter__(self) -> Iterator[Bucket]:
        with self._lock:
            return iter(list(self._buckets.values()))
