"""Four times what can be sustained: the rest is turned away in order, what is let in is answered, probes always are."""

import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import grpc
import httpx
import msgspec
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client.parser import text_string_to_metric_families

from service import messages
from service.transports.rest.bodies import decoder
from service.wire.codec import CODEC
from tests.bench.overload import REFUSED, SERVED, Came
from tests.service.operations.replicas import Replica, replicas
from tests.service.running import ROOT, WHIST

LOADED_SECONDS = float(os.environ.get("OVERLOAD_SECONDS", "5"))
"""OVERLOAD_SECONDS=30 is the test at length."""
STEADY_SECONDS = 2
SECONDS = 60
TIMES = 4
TRIES = 3
"""How often it is tried to ask for more than can be done: a busy machine may have become an idle one meanwhile."""
MOVES = 24
PROBE_SECONDS = 0.2
MEGABYTES = 200
"""By how much memory may grow: two thousand requests under way, and what they are worked on with."""
KINDS = {"rest": "listLegalMoves", "grpc": "listLegalMoves", "long": "simulate"}
"""The operation that each kind of load asks for."""


@pytest.fixture(scope="module")
def replica(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replica]:
    with replicas(tmp_path_factory.mktemp("overload"), 1) as (one,):
        yield one


@pytest.fixture(scope="module")
def state(replica: Replica) -> dict[str, Any]:
    return position(replica)


def position(replica: Replica, game: str = "wippen", moves: int = MOVES) -> dict[str, Any]:
    """A position of play at random; by default one that takes a millisecond or two, so that few requests are a load."""
    rng = random.Random(1)
    with httpx.Client(base_url=f"http://{replica.http}", timeout=SECONDS) as http:
        made: dict[str, Any] = http.post("/v1/deal", json={"game": game, "seed": "x"}).json()["state"]
        for _ in range(moves):
            legal = http.post("/v1/legal-moves", json={"state": made}).json()["moves"]
            made = http.post("/v1/play", json={"state": made, "move": rng.choice(legal)["text"]}).json()["state"]
    return made


def aim(kind: str, replica: Replica, state: dict[str, Any], body: Path) -> list[str]:
    """What `tests.bench.overload` is told to ask; the request is put into a file."""
    match kind:
        case "rest":
            body.write_bytes(msgspec.json.encode({"state": state}))
            return ["rest", replica.http, "/v1/legal-moves", str(body)]
        case "grpc":
            request = decoder(messages.ListLegalMovesRequest)(msgspec.json.encode({"state": state}))
            body.write_bytes(CODEC.writer("ListLegalMovesRequest")(request))
            return ["grpc", replica.grpc, "/scheids.v1.Referee/ListLegalMoves", str(body)]
        case _:
            dealt = httpx.post(f"http://{replica.http}/v1/deal", json=WHIST, timeout=SECONDS).json()
            body.write_bytes(msgspec.json.encode({"state": dealt["state"], "n": 2, "seed": "a"}))
            return ["rest", replica.http, "/v1/simulate", str(body)]


def loaded(aimed: list[str], rate: float, seconds: float) -> Came:
    """What came of a load."""
    command = [sys.executable, "-m", "tests.bench.overload", *aimed, str(rate), str(seconds)]
    printed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    return msgspec.json.decode(printed, type=Came)


def megabytes(replica: Replica) -> float:
    """What the process has in memory."""
    lines = Path(f"/proc/{replica.pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1_000


def counted(replica: Replica, operation: str) -> float:
    """How many requests for an operation were turned away."""
    page = httpx.get(f"http://{replica.http}/metrics", timeout=SECONDS).text
    samples = (sample for family in text_string_to_metric_families(page) for sample in family.samples)
    wanted = {"operation": operation, "code": "OVERLOADED"}
    totals = (each for each in samples if each.name == "scheids_requests_total")
    return sum(each.value for each in totals if wanted.items() <= each.labels.items())


@contextmanager
def probed(replica: Replica) -> Iterator[list[str]]:
    """Asks the probes, each over a new connection, until the end of the block; which of them failed."""
    over = threading.Event()
    failed: list[str] = []

    def ask() -> None:
        while not over.wait(PROBE_SECONDS):
            for path in ("/livez", "/readyz", "/metrics"):
                status = httpx.get(f"http://{replica.http}{path}", timeout=SECONDS).status_code
                if status != httpx.codes.OK:
                    failed.append(f"{path}: {status}")
            with grpc.insecure_channel(replica.grpc) as channel:
                stub: Any = health_pb2_grpc.HealthStub(channel)
                try:
                    stub.Check(health_pb2.HealthCheckRequest(), timeout=SECONDS)
                except grpc.RpcError as refused:
                    failed.append(f"health: {refused}")

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield failed
    finally:
        over.set()
        asking.join()


@dataclass(frozen=True)
class Overload:
    """What can be sustained, and what came of more than that."""

    steady: Came
    came: Came
    failed: list[str]
    """Probes that did."""
    counted: float
    """How many the service says that it turned away."""
    megabytes: tuple[float, float]
    """Before and after."""

    @classmethod
    def of(cls, replica: Replica, aimed: list[str], operation: str) -> Self:
        steady = loaded(aimed, 0, STEADY_SECONDS)
        turned_away, before = counted(replica, operation), megabytes(replica)
        with probed(replica) as failed:
            came = loaded(aimed, TIMES * steady.served / steady.seconds, LOADED_SECONDS)
        memory = (before, megabytes(replica))
        return cls(steady, came, failed, counted(replica, operation) - turned_away, memory)

    def __str__(self) -> str:
        steady, came = self.steady, self.came
        return (
            f"{steady.served / steady.seconds:.0f} a second sustained, median {steady.median:.0f} ms, 99 % "
            f"{steady.p99:.0f} ms; of {TIMES} times as many {came.served / came.seconds:.0f} a second answered, median "
            f"{came.median:.0f} ms, 99 % {came.p99:.0f} ms, {came.refused / came.seconds:.0f} a second turned away; "
            f"{self.megabytes[0]:.0f} MB before and {self.megabytes[1]:.0f} MB after"
        )


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_too_much_is_turned_away(kind: str, replica: Replica, state: dict[str, Any], tmp_path: Path) -> None:
    aimed = aim(kind, replica, state, tmp_path / "body")
    tried = (Overload.of(replica, aimed, KINDS[kind]) for _ in range(TRIES))
    overload = next((each for each in tried if each.came.refused), None)
    assert overload is not None, "nobody was turned away"
    print(f"\n{kind}: {overload}")
    assert overload.came.counts.keys() <= {*SERVED, *REFUSED}
    assert overload.came.served > 0, "nobody was served any more"
    assert not overload.failed
    assert overload.counted == overload.came.refused
    assert overload.megabytes[1] - overload.megabytes[0] < MEGABYTES
    after = loaded(aimed, 1 / STEADY_SECONDS, STEADY_SECONDS)
    assert after.counts.keys() <= set(SERVED), "it is not over"
    assert not replica.log
