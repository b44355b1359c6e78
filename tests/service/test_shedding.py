"""When a queue is held to stand, and who is turned away."""

import pytest

from service.shedding import INTERVALS, Waits

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


def test_some_are_spared() -> None:
    waits = after(Waits(LONGEST, spared=5), LONG)
    assert sum(waits.is_too_long(5.0) for _ in range(1_000)) == 800
    assert not waits.is_too_long(LONGEST)
