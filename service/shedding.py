"""Turning requests away while more come than can be worked on, so that those which are let in are served in time.

What tells is how long requests wait for their turn, not how many there are: the measure needs no tuning to a machine or
to what requests cost. It is that of CoDel (RFC 8289): a queue that is empty now and then only smooths bursts, one in
which even the shortest wait of a whole interval was long stands, and will not go away by itself. Only then, and only
those that have waited too long, are turned away.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from .errors import ServiceError

INTERVALS: Final = 5
"""How many times the longest wait an interval is, over which waits have to have been long."""
BEAT_SECONDS: Final = 0.01
SPARED: Final = 5
"""What part of the time goes to requests that have waited too long: one in so many."""


def _nothing() -> None:
    pass


def overloaded() -> ServiceError:
    """What a request is told that is turned away."""
    return ServiceError("OVERLOADED", "more is asked of this service just now than it can do; ask again in a while")


class Waits:
    """How long requests wait in one queue. `longest` is in seconds; 0: nothing is ever too long.

    With `spares`, some that have waited too long are let in all the same, for about a fifth of the time: where even to
    turn requests away takes all the time there is, so that the queue grows no shorter, some are still answered. Used by
    one thread.
    """

    __slots__ = ("_ends", "_gap", "_late_at", "_least", "_long", "_spared_at", "_spares", "longest")

    def __init__(self, longest: float, *, spares: bool = False) -> None:
        self.longest = longest
        self._spares = spares
        self._late_at = self._spared_at = self._gap = 0.0
        self._least = 0.0
        self._ends = 0.0
        self._long = False

    def saw(self, waited: float, now: float) -> None:
        """Takes a wait into account that is over, or not over yet, at a time."""
        if now < self._ends:
            self._least = min(self._least, waited)
            return
        interval = INTERVALS * self.longest
        self._long = now < self._ends + interval and self._least > self.longest / 2 and self.longest > 0
        self._least = waited
        self._ends = now + interval

    def is_too_long(self, waited: float) -> bool:
        """Whether whoever has waited so long is to be turned away."""
        if not self._long or waited <= self.longest:
            return False
        return not (self._spares and self._is_spared(time.monotonic()))

    def _is_spared(self, now: float) -> bool:
        """Whether so much time has passed since the last that its work, the longest pause since, was a fifth of it."""
        if now - self._late_at > self.longest:
            self._spared_at, self._gap = now, 0.0
        else:
            self._gap = max(self._gap, now - self._late_at)
        self._late_at = now
        if self._gap == 0 or now - self._spared_at < SPARED * self._gap:
            return False
        self._spared_at, self._gap = now, 0.0
        return True


class LoopWaits:
    """How long what is ready waits in an event loop for its turn: as long as a heartbeat is late.

    Lives in the loop. `when_late` is called at each heartbeat that is late.
    """

    def __init__(self, longest: float) -> None:
        self.when_late: Callable[[], None] = _nothing
        self._waits = Waits(longest, spares=True)
        self._notable = longest / 2
        self._due = float("inf")

    def start(self) -> None:
        """Begins to measure the running loop."""
        self._due = time.monotonic()
        self._beat(asyncio.get_running_loop())

    def _beat(self, loop: asyncio.AbstractEventLoop) -> None:
        now = time.monotonic()
        late = now - self._due
        self._waits.saw(late, now)
        if late > BEAT_SECONDS:
            self.when_late()
        self._due = now + BEAT_SECONDS
        loop.call_later(BEAT_SECONDS, self._beat, loop)

    def are_too_long(self) -> bool:
        """Whether a request whose turn it is now is to be turned away."""
        now = time.monotonic()
        late = now - self._due
        if late > self._notable:  # a turn can last longer than an interval: it is not waited for its end
            self._waits.saw(late, now)
        return self._waits.is_too_long(late)
