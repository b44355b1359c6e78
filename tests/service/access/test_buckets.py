"""Token buckets: what fits, when there is room again, and levels that others have brought about."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.access import Bucket, Limit, TableLimit
from service.access.buckets import TABLES_KNOWN
from service.errors import ServiceError
from tests.service.tables.playing import Clock


def bucket(rate: float, burst: float, clock: Clock | None = None) -> Bucket:
    return Bucket("calls:test", Limit(rate, burst), clock or Clock(0))


def test_a_full_bucket_lets_a_burst_through_and_then_the_rate() -> None:
    clock = Clock(0)
    one = bucket(2, 4, clock)
    assert [one.take() for _ in range(6)] == [0, 0, 0, 0, 0.5, 0.5]
    clock.now += 0.5
    assert [one.take(), one.take()] == [0, 0.5]
    clock.now += 1_000
    assert [one.take() for _ in range(5)] == [0, 0, 0, 0, 0.5]


def test_more_than_fits_is_let_through_when_full_and_paid_off() -> None:
    clock = Clock(0)
    one = bucket(1, 4, clock)
    assert one.take(10) == 0
    assert one.take() == 7  # six owed, and one
    clock.now += 7
    assert one.take() == 0
    assert one.take(10) == 4


@given(
    rate=st.floats(0.1, 100),
    burst=st.integers(1, 50),
    steps=st.lists(st.tuples(st.floats(0, 10), st.integers(1, 60)), max_size=60),
)
def test_never_more_than_the_limit(rate: float, burst: int, steps: list[tuple[float, int]]) -> None:
    """Whatever is let through fits the burst and the rate, but for what the last call owes; a wait told is enough."""
    clock = Clock(0)
    one = bucket(rate, burst, clock)
    through, last = 0, 0
    for pause, tokens in steps:
        clock.now += pause
        wait = one.take(tokens)
        if wait:
            clock.now += wait + 1e-6
            assert one.take(tokens) == 0
        through, last = through + tokens, tokens
        assert through - max(0, last - burst) <= burst + rate * clock.now + 1e-6


def test_the_level_of_all_is_taken_over_but_for_what_was_taken_since() -> None:
    clock = Clock(0)
    one = bucket(1, 10, clock)
    one.take(3)
    assert one.spent() == 3
    one.take(2)
    one.settle(5)
    assert one.take(3) == 0
    assert one.take(1) == 1
    assert one.spent() == 5
    one.settle(-4)
    assert one.take() == 5
    one.settle(100)
    assert one.take(10) == 0


def test_another_limit_holds_at_once() -> None:
    one = bucket(1, 10)
    one.change(Limit(2, 4))
    assert one.take(4) == 0
    assert one.take(1) == 0.5


def test_threads_take_no_more_than_there_is() -> None:
    one = bucket(0.001, 5_000)
    taken: list[int] = []

    def work() -> None:
        taken.append(sum(one.take() == 0 for _ in range(2_000)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == 5_000
    assert one.spent() == 5_000


def test_each_table_has_a_bucket_and_few_are_remembered() -> None:
    limit = TableLimit(2, Clock(0))
    for _ in range(2):
        limit.take("a")
        limit.take("b")
    with pytest.raises(ServiceError) as refused:
        limit.take("a")
    assert (refused.value.code, refused.value.params) == ("RATE_LIMITED", {"limit": "reissues", "retryAfter": 30})
    for number in range(TABLES_KNOWN):
        limit.take(str(number))
    assert len(list(limit.buckets)) == TABLES_KNOWN
