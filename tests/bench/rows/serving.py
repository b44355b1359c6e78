"""The service as a process: what more workers cost, how soon it is ready, and whether its memory stays as it is."""

import math
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from statistics import linear_regression, median
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Final

import grpc
import httpx
from grpc_health.v1 import health_pb2

from service.tables import hints
from tests.bench import table_load
from tests.bench.bodies import REFEREE
from tests.bench.context import Bench
from tests.bench.figures import COST, Figure, at_most
from tests.bench.h2load import Manner, endless
from tests.bench.peers import environments
from tests.bench.rows import stack, tables
from tests.bench.servers import FOLDER, NotReadyError, Server, scheids, serve, service_environment
from tests.service.running import READY

MANY: Final = Manner(connections=32)
"""As many connections as it takes for each worker to get about its share."""
STARTS: Final = 10
MINUTES: Final = 10.0
SETTLED: Final = 0.2
"""The share of the time after which memory is to stay as it is."""
HAND: Final = 52
"""Moves of whist at a table: a load makes as many tables as could be played out."""
PLAYED_SECONDS: Final = 2
SAMPLE_SECONDS: Final = 1.0
MEGABYTE: Final = 1 << 20


def workers(bench: Bench) -> Iterator[Figure]:
    """The processor's time of a decision with two workers, and with one."""
    several = bench.once("scheids workers", lambda: scheids("scheids-workers", "--workers", "2"))
    for what, target in (
        ("REST validate", partial(stack.rest_target, bench, "validate", prefix="/v1/")),
        ("gRPC ValidateMove", partial(stack.grpc_target, bench, "ValidateMove")),
    ):
        two, one = bench.loads(target(server=several), target(server=stack.ours(bench)), MANY)
        yield Figure(f"CPU of {what}, two workers / one", at_most(1.1), COST, two.costs, one.costs)
        yield Figure(f"rate of {what}, two workers / one", ours=two.rates, theirs=one.rates)


# --- starting


def start(bench: Bench) -> Iterator[Figure]:
    """From the command to the first answers of both transports."""
    starts = 2 if bench.is_quick else STARTS
    python = str(environments.serving())
    two = ["--workers", "2"]
    tables_off = {"SCHEIDS_TABLES": "off"}
    for what, target, took in (
        ("", at_most(1), [_with_tables(python) for _ in range(starts)]),
        (" with two workers", at_most(1), [_until_ready(python, *two, **tables_off) for _ in range(starts)]),
        (", with the tests' packages", None, [_with_tables(sys.executable) for _ in range(starts)]),
    ):
        note = f"{starts} starts; files in the page cache"
        yield Figure(f"cold start to ready{what}", target, "s", tuple(each[0] for each in took), note=note)
        yield Figure(f"cold start to ready{what}: CPU", None, "s of CPU", tuple(each[1] for each in took))


def _with_tables(python: str) -> tuple[float, float]:
    with TemporaryDirectory() as folder:
        return _until_ready(python, SCHEIDS_TABLES="on", SCHEIDS_DATA_DIR=folder)


def _until_ready(python: str, *arguments: str, **settings: str) -> tuple[float, float]:
    """Seconds, and those of the processor."""
    command, environ = [python, *serve(*arguments)[1:]], service_environment(**settings)
    began = time.perf_counter()
    with subprocess.Popen(
        command, cwd=FOLDER.get(), env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            ready = next((found for line in process.stdout if (found := READY.search(line))), None)
            if ready is None:
                raise NotReadyError(f"{' '.join(command)} ended before it was ready")
            _ask(ready["rest"], ready["grpc"])
            return time.perf_counter() - began, Server(process.pid, {}).processor_seconds()
        finally:
            process.terminate()


def _ask(rest: str, address: str) -> None:
    """Both say that they are ready."""
    httpx.get(f"{rest}/readyz").raise_for_status()
    with grpc.insecure_channel(address) as channel:
        check: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/grpc.health.v1.Health/Check")
        asked = health_pb2.HealthCheckRequest(service=REFEREE).SerializeToString()
        told = health_pb2.HealthCheckResponse.FromString(check(asked, timeout=10))
        assert told.status == health_pb2.HealthCheckResponse.SERVING


# --- memory


def memory(bench: Bench) -> Iterator[Figure]:
    """What the service has of memory while it does a bit of everything."""
    minutes = bench.minutes or (0.3 if bench.is_quick else MINUTES)
    ageless = {"SCHEIDS_CONNECTION_SECONDS": "0"}  # each load keeps its connections, beyond the age they would have
    server = tables.in_redis(bench, "scheids-memory", **ageless)
    if not bench.is_quick:
        for _ in range(math.ceil(hints.MOST * HAND / table_load.MOST / PLAYED_SECONDS)):
            tables.moves("table", server, PLAYED_SECONDS)
    samples: list[tuple[float, int]] = []
    with ExitStack() as loads:
        _load_all(bench, server, minutes, loads)
        began = time.monotonic()
        while (passed := time.monotonic() - began) < minutes * 60:
            samples.append((passed / 60, sum(server.resident_bytes())))
            time.sleep(SAMPLE_SECONDS)
    settled = [(at, size / MEGABYTE) for at, size in samples if at >= SETTLED * minutes]
    slope = linear_regression(*zip(*settled, strict=True)).slope
    tenth = max(1, len(settled) // 10)
    first, last = (median(size for _, size in part) for part in (settled[:tenth], settled[-tenth:]))
    yield Figure(
        f"memory after {minutes:g} minutes of mixed load / after {SETTLED * minutes:g}",
        at_most(1.05),
        "MB",
        (last,),
        (first,),
        f"{slope:+.2f} MB a minute by least squares; {samples[0][1] / MEGABYTE:.0f} MB at first",
    )


def _load_all(bench: Bench, server: Server, minutes: float, loads: ExitStack) -> None:
    """Single calls and batches over both transports, streams, and moves at tables that are made meanwhile."""
    seconds = minutes * 60 + 10
    questions = stack.questions(bench)
    for target, manner in (
        (stack.rest_target(bench, "legal-moves", server, "/v1/"), Manner(4, 1, 50)),
        (stack.rest_target(bench, "validate", server, "/v1/"), Manner(4, 1, 50)),
        (stack.rest_target(bench, "batch", server, "/v1/"), Manner(1, 1, 4)),
        (stack.grpc_target(bench, "ListLegalMoves", server), Manner(4, 1, 50)),
        (stack.grpc_target(bench, "ValidateMove", server), Manner(4, 1, 50)),
        (stack.grpc_target(bench, "Batch", server), Manner(1, 1, 4)),
        (stack.stream_target(server, questions), Manner(1, 1, 1)),
    ):
        loads.enter_context(endless(target, manner, seconds))
    ends = time.monotonic() + minutes * 60

    def play() -> None:
        while time.monotonic() < ends:
            tables.moves("table", server, PLAYED_SECONDS)
            time.sleep(5)

    playing = Thread(target=play)
    playing.start()
    loads.callback(playing.join)
