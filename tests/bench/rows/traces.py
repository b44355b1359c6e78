"""What traces cost: the service with all requests recorded, and with one in a hundred, against the service without."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Final

from tests.bench.context import Bench, Side
from tests.bench.figures import Figure, in_turn
from tests.bench.rows import stack, tables
from tests.bench.servers import PORT, Server, scheids, started
from tests.service.tables.callers import SECRET

SHARES: Final = {"all": "1", "1 %": "0.01"}
"""How much is recorded, and the sampler's argument for it."""


def without(bench: Bench) -> Server:
    """The service with its tables in Redis, and no traces: another than the parts for tables have, just as warm."""
    return bench.once("scheids untraced", lambda: scheids("scheids-untraced", **_settings(bench)))


def traced(bench: Bench, share: str) -> Server:
    """The same, with traces of a share of the requests going to a collector."""
    return bench.once(f"scheids traced {share}", lambda: _traced(bench, share))


def _settings(bench: Bench) -> dict[str, str]:
    return {"SCHEIDS_TABLES": "on", "SCHEIDS_REDIS_URL": tables.store(bench).url, "SCHEIDS_SECRET": SECRET}


@contextmanager
def _traced(bench: Bench, share: str) -> Iterator[Server]:
    with ExitStack() as opened:
        command = [sys.executable, "-m", "tests.bench.bare.collector"]
        collector = opened.enter_context(started(f"collector-{SHARES[share]}", command, PORT))
        settings = {
            **_settings(bench),
            "SCHEIDS_TRACES": "otlp",
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.rest,
            "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
            "OTEL_TRACES_SAMPLER_ARG": SHARES[share],
        }
        yield opened.enter_context(scheids(f"scheids-traced-{SHARES[share]}", **settings))


def traces(bench: Bench) -> Iterator[Figure]:
    """Legal moves over REST and gRPC, and moves at tables."""
    for share in SHARES:
        ours, bare = traced(bench, share), without(bench)
        rest = [stack.rest_target(bench, "legal-moves", each, "/v1/") for each in (ours, bare)]
        yield from stack.both(
            f"REST legal-moves, traces of {share} / off", None, bench.loads(rest[0], rest[1], stack.REST)
        )
        grpc = [stack.grpc_target(bench, "ListLegalMoves", each) for each in (ours, bare)]
        yield from stack.both(
            f"gRPC ListLegalMoves, traces of {share} / off", None, bench.loads(grpc[0], grpc[1], stack.GRPC)
        )
        for each in (ours, bare):
            tables.moves("table", each, bench.seconds / 2)
        one, other = in_turn(
            bench.pairs,
            partial(tables.moves, "table", ours, bench.seconds),
            partial(tables.moves, "table", bare, bench.seconds),
        )
        yield from stack.both(
            f"table moves kept in Redis, traces of {share} / off", None, (Side.of(one), Side.of(other))
        )
