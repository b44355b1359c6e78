"""Replicas that share a bucket, in a time of the test's own: what docs/operations.md says they let through at most."""

from collections.abc import Sequence

import pytest

from service.access import Bucket, Limit
from service.access.sharing import SECONDS, Sharing, Spent
from service.store import StoreAway
from tests.service.tables.playing import Clock

STEP = 0.004
STEPS_A_ROUND = round(SECONDS / STEP)


class Levels:
    """A ledger in memory, which can be away."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._levels: dict[str, tuple[float, float]] = {}
        self.away = False

    async def settle(self, spent: Sequence[Spent]) -> Sequence[float]:
        if self.away:
            raise StoreAway("for the test")
        return [self._settled(each) for each in spent]

    def _settled(self, spent: Spent) -> float:
        level, at = self._levels.get(spent.name, (spent.burst, self._clock.now))
        passed = self._clock.now - at
        meanwhile = min(passed, spent.seconds)
        level = min(spent.burst, level + (passed - meanwhile) * spent.rate)
        level = min(spent.burst, level + meanwhile * spent.rate - spent.tokens)
        self._levels[spent.name] = level, self._clock.now
        return level

    async def close(self) -> None:
        """There is nothing to let go of."""


async def let_through(replicas: int, limit: Limit, levels: Levels, clock: Clock, seconds: float) -> list[float]:
    """When calls are let through by replicas that are asked all the time, and share in turns."""
    buckets = [Bucket("calls:test", limit, clock) for _ in range(replicas)]
    sharing = [Sharing(lambda bucket=bucket: [bucket], levels, clock) for bucket in buckets]  # type: ignore[misc]
    through = []
    for step in range(round(seconds / STEP)):
        for number, (bucket, one) in enumerate(zip(buckets, sharing, strict=True)):
            if bucket.take() == 0:
                through.append(clock.now)
            if step % STEPS_A_ROUND == number * STEPS_A_ROUND // replicas:
                await one.settle()
        clock.now += STEP
    return through


def most_beyond(rate: float, times: list[float]) -> float:
    """How many more than the rate's there were in some stretch of time."""
    most = least = 0.0
    for number, time in enumerate(times):
        least = min(least, number - rate * time)
        most = max(most, number + 1 - rate * time - least)
    return most


@pytest.mark.parametrize("limit", [Limit(40, 10), Limit(40, 100), Limit(20, 20), Limit(100, 5)], ids=str)
@pytest.mark.parametrize("replicas", [1, 2, 3, 5])
async def test_they_let_through_what_the_page_says_at_most(replicas: int, limit: Limit) -> None:
    clock, seconds = Clock(0), 20
    through = await let_through(replicas, limit, Levels(clock), clock, seconds)
    stated = limit.burst + (replicas - 1) * (limit.burst + limit.rate * SECONDS)
    assert most_beyond(limit.rate, through) <= stated + replicas
    assert len(through) >= 0.9 * (limit.burst + limit.rate * seconds)


async def test_while_the_ledger_is_away_each_limits_by_itself_and_nobody_pays_later() -> None:
    clock = Clock(0)
    levels = Levels(clock)
    levels.away = True
    limit = Limit(40, 10)
    alone = await let_through(2, limit, levels, clock, 10)
    assert len(alone) == pytest.approx(2 * (10 + 40 * 10), rel=0.02)
    levels.away = False
    again = await let_through(2, limit, levels, clock, 10)
    assert len(again) >= 0.95 * (10 + 40 * 10)
