"""More than can be done, measured and printed: what is answered, how fast, and what turning the rest away costs."""

import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bench.servers import TICK, ticks
from tests.service.operations.replicas import Replica
from tests.service.operations.test_overload import KINDS, Overload, aim, loaded, position

pytestmark = pytest.mark.bench

SECONDS = 2
PAIRS = 5
HALF_A_HAND = 26
SETTINGS = {
    "as it is": {},
    "nobody turned away": {"SCHEIDS_MAX_WAIT_MILLISECONDS": "0", "SCHEIDS_MAX_LONG_REQUESTS": "100000"},
}
EVERYBODY = (sys.executable, "-m", "tests.bench.turning_away")


@contextmanager
def started(one: Replica) -> Iterator[Replica]:
    try:
        one.start()
        yield one
    finally:
        one.kill()


@pytest.mark.parametrize("kind", KINDS)
def test_four_times_what_can_be_sustained(kind: str, tmp_path: Path) -> None:
    for name, settings in SETTINGS.items():
        with started(Replica(tmp_path, **settings)) as one:
            aimed = aim(kind, one, position(one), tmp_path / "body")
            print(f"\n{kind}, {name}: {Overload.of(one, aimed, KINDS[kind])}")


@pytest.mark.parametrize("kind", ["rest", "grpc"])
def test_what_turning_away_costs(kind: str, tmp_path: Path) -> None:
    """Whist, half a hand played: a short request, of which turning away saves the least."""
    with started(Replica(tmp_path)) as one, started(Replica(tmp_path, EVERYBODY)) as other:
        state = position(one, "whist", HALF_A_HAND)
        aims = [aim(kind, each, state, tmp_path / f"{at}") for at, each in enumerate((one, other))]
        pairs = [[spent(each, aimed) for each, aimed in zip((one, other), aims, strict=True)] for _ in range(PAIRS)]
    ratios = sorted(refusal / answer for answer, refusal in pairs)
    answers, refusals = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(
        f"\n{kind}: {answers:.0f} microseconds of the processor to answer, {refusals:.0f} to turn away: "
        f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    )


def spent(replica: Replica, aimed: list[str]) -> float:
    """Microseconds of the processor's time a request."""
    before = ticks(replica.pid)
    came = loaded(aimed, 0, SECONDS)
    return 1e6 * (ticks(replica.pid) - before) / TICK / (came.served + came.refused)
