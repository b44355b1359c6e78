"""How often, and for how long, a call is tried."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tenacity import retry_if_exception_type, stop_after_attempt, stop_any, wait_random_exponential
from tenacity.stop import stop_base
from tenacity.wait import wait_base

from .errors import DeadlineExceeded, Overloaded, RateLimited, StoreAway, Unreachable

PASSING: Final = (Unreachable, StoreAway, DeadlineExceeded, Overloaded, RateLimited)
"""What may be over a moment later."""


@dataclass(frozen=True, kw_only=True)
class Retry:
    """A call that failed for want of an answer is tried again, after a random pause that doubles.

    Every call may be: one that changes nothing, and one that changes a table by its idempotency key. One that there is
    no room for is tried again once there is, unless its time would be over by then.
    `attempts` bounds how often it is tried in all, the time-out of the call for how long. The pause is between nothing
    and `first` seconds at first, and never more than `most`. `each` is how long one attempt may take.
    """

    attempts: int = 8
    first: float = 0.1
    most: float = 2.0
    each: float | None = None


FOREVER: Final = 1_000_000


class Deadline:
    """When a call is over."""

    def __init__(self, seconds: float, each: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._end = clock() + seconds
        self._each = each
        self._clock = clock

    @property
    def left(self) -> float:
        """How many seconds are left; never less than a moment, in which a call can fail in order."""
        return max(0.001, self._end - self._clock())

    @property
    def attempt(self) -> float:
        """How long the next attempt may take."""
        return self.left if self._each is None else min(self.left, self._each)


class stop_at(stop_base):  # noqa: N801 - named as tenacity names its own
    """Stops where the next attempt would begin after a deadline."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def __call__(self, retry_state: Any) -> bool:
        return bool(retry_state.upcoming_sleep >= self._deadline.left)


class wait_for_room(wait_base):  # noqa: N801 - as above
    """Waits as another does, and for as long as the service said there is no room."""

    def __init__(self, otherwise: wait_base) -> None:
        self._otherwise = otherwise

    def __call__(self, retry_state: Any) -> float:
        failed = retry_state.outcome.exception()
        told = failed.retry_after if isinstance(failed, Overloaded | RateLimited) else 0.0
        return float(told + self._otherwise(retry_state))


def policy(retry: Retry, deadline: Deadline) -> dict[str, Any]:
    """What tenacity is told."""
    return {
        "retry": retry_if_exception_type(PASSING),
        "stop": stop_any(stop_after_attempt(retry.attempts), stop_at(deadline)),
        "wait": wait_for_room(wait_random_exponential(multiplier=retry.first, max=retry.most)),
        "reraise": True,
    }
