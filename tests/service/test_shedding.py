"""When a queue is held to stand, and who is turned away."""

import asyncio
import time

import pytest

from service.shedding import INTERVALS, LoopWaits, Waits

LONGEST = 0.1
INTERVAL = INTERVALS * LONGEST
STEP = 0.01


def after(waits: Waits, seen: list[float]) -> Waits:
    """Waits that were seen one after the other."""
    for at, waited in enumerate(seen):
        waits.saw(waited, 100 + at * STEP)
    return waits


LONG = [LONGEST] * int(2.5 * INTERVAL / STEP)


def test_a_queue_that_stands() -> None:
    waits = after(Waits(LONGEST), LONG)
    assert waits.is_too_long(1.01 * LONGEST)
    assert not waits.is_too_long(0.99 * LONGEST)


@pytest.mark.parametrize("every", [2, 10, int(INTERVAL / STEP) - 1])
def test_a_queue_that_is_short_now_and_then(every: int) -> None:
    waits = after(Waits(LONGEST), [0.0 if at % every == 0 else 20 * LONGEST for at in range(len(LONG) * 4)])
    assert not waits.is_too_long(20 * LONGEST)


def test_it_does_not_stand_before_it_has_for_an_interval() -> None:
    assert not after(Waits(LONGEST), [5.0] * int(0.9 * INTERVAL / STEP)).is_too_long(5.0)


def test_it_is_over_with_one_short_wait() -> None:
    assert not after(Waits(LONGEST), [*LONG, 0.0, *LONG[: int(INTERVAL / STEP)]]).is_too_long(5.0)


def test_what_was_long_ago_tells_nothing() -> None:
    waits = after(Waits(LONGEST), LONG)
    waits.saw(5.0, 100 + len(LONG) * STEP + 3 * INTERVAL)
    assert not waits.is_too_long(5.0)


def test_without_a_longest_wait_nobody_is_turned_away() -> None:
    assert not after(Waits(0), LONG).is_too_long(1_000)


@pytest.mark.parametrize("cost", [0.000_2, 0.005])
def test_some_are_spared_for_a_part_of_the_time(cost: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """To refuse takes a tenth of a millisecond, to answer `cost`."""
    now = 1_000.0
    monkeypatch.setattr("service.shedding.time.monotonic", lambda: now)
    waits = after(Waits(LONGEST, spares=True), LONG)
    spent = {True: 0.0, False: 0.0}
    while sum(spent.values()) < 5:
        refused = waits.is_too_long(5.0)
        takes = 0.000_1 if refused else cost
        spent[refused] += takes
        now += takes
    assert 0.1 < spent[False] / sum(spent.values()) < 0.35
    assert not waits.is_too_long(LONGEST)


async def test_a_turn_of_the_loop_that_does_not_end() -> None:
    """Requests that are worked on one after the other in one turn, for longer than an interval and another."""
    waits = LoopWaits(0.02)
    waits.start()
    await asyncio.sleep(0.05)
    assert not waits.are_too_long()
    told = []
    until = time.monotonic() + 2.5 * INTERVALS * 0.02
    while time.monotonic() < until:
        told.append(waits.are_too_long())
        time.sleep(0.002)  # noqa: ASYNC251 - which is what is looked at
    assert not told[0]
    assert any(told)
    await asyncio.sleep(0)
