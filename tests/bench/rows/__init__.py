"""The parts of the benchmark, each of which measures some figures."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tests.bench.context import Bench
from tests.bench.figures import Figure
from tests.bench.rows import peers, serving, stack, tables, traces

PARTS: Final[Mapping[str, Callable[[Bench], Iterator[Figure]]]] = {
    "rest": stack.rest,
    "grpc": stack.grpc,
    "batch": stack.batch,
    "stream": stack.stream,
    "fairness": stack.fairness,
    "tables": tables.tables,
    "workers": serving.workers,
    "start": serving.start,
    "traces": traces.traces,
    "boardgame": peers.boardgame,
    "cerbos": peers.cerbos,
    "openspiel": peers.openspiel,
    "rlcard": peers.rlcard,
    "flop7": peers.flop7,
    "pettingzoo": peers.pettingzoo,
    "memory": serving.memory,
}
BY_NAME: Final = frozenset({"memory"})
"""Parts that are long, and only measured where they are named."""
