"""What operators count, in Prometheus' form; docs/operations.md names each and says what it is for.

One registry a process: both transports, the use cases and the store write to it, and `/metrics` shows it. Processes
that share their addresses count into files, of which the page of each is the sum.
"""

import os
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol
from weakref import WeakSet

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
REGISTRY: Final = CollectorRegistry()
FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder of the files; prometheus_client reads it, once, when it is imported."""
SHOWN_SECONDS: Final = 1.0
"""How old what one process says of itself can be on the page of another."""
FAST: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
COUNTS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)

ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)
GCCollector(registry=REGISTRY)

BUILD: Final = Gauge(
    "scheids_build_info", "The version of the service.", ["version"], registry=REGISTRY, multiprocess_mode="max"
)
REQUESTS: Final = Counter(
    "scheids_requests", "Requests answered.", ["transport", "operation", "code"], registry=REGISTRY
)
SECONDS: Final = Histogram(
    "scheids_request_seconds",
    "How long a request took, streams apart.",
    ["transport", "operation"],
    buckets=FAST,
    registry=REGISTRY,
)
ENGINE: Final = Histogram(
    "scheids_engine_seconds",
    "How long a decision took.",
    ["operation", "game", "code"],
    buckets=FAST,
    registry=REGISTRY,
)
BATCH: Final = Histogram("scheids_batch_calls", "Calls in a batch.", buckets=COUNTS, registry=REGISTRY)
STORE: Final = Histogram(
    "scheids_store_seconds", "How long a call of the store took.", ["call", "outcome"], buckets=FAST, registry=REGISTRY
)
STORE_UP: Final = Gauge(
    "scheids_store_up", "Whether the store of tables can be reached.", registry=REGISTRY, multiprocess_mode="livemin"
)
WATCHERS: Final = Gauge("scheids_watchers", "Who watch a table.", registry=REGISTRY, multiprocess_mode="livesum")
DECISIONS: Final = Counter("scheids_decisions", "Decisions for the log of them.", ["outcome"], registry=REGISTRY)
API_KEYS: Final = Gauge("scheids_api_keys", "API keys that are good.", registry=REGISTRY, multiprocess_mode="livemax")
LIMITED: Final = Counter(
    "scheids_rate_limited", "Calls refused since a key had made too many.", ["key", "limit"], registry=REGISTRY
)
STREAMS: Final = frozenset({"watchTable", "decide"})
"""Operations without an end in time, which would drown the others' seconds."""


@cache
def _requests(transport: str, operation: str, code: str) -> Any:
    return REQUESTS.labels(transport, operation, code)


@cache
def _seconds(transport: str, operation: str) -> Any:
    return SECONDS.labels(transport, operation)


@cache
def _engine(operation: str, game: str, code: str) -> Any:
    return ENGINE.labels(operation, game, code)


@cache
def _store(call: str, outcome: str) -> Any:
    return STORE.labels(call, outcome)


def answered(transport: str, operation: str, code: str, seconds: float) -> None:
    """Counts an answer; `code` is the problem's, or `OK`."""
    _requests(transport, operation, code).inc()
    if operation not in STREAMS:
        _seconds(transport, operation).observe(seconds)


LOGGED: Final = {outcome: DECISIONS.labels(outcome) for outcome in ("written", "failed", "dropped")}


def logged(outcome: str) -> None:
    """Counts a decision that was to be logged."""
    LOGGED[outcome].inc()


def decided(operation: str, game: str, code: str, seconds: float) -> None:
    """Counts a decision of the engine; `code` is the problem's, or `OK`."""
    _engine(operation, game, code).observe(seconds)


class Timed:
    """Counts a call of the store, made in a block, under the outcome that is told, and as `away` where it raises."""

    __slots__ = ("_began", "_call", "_outcome")

    def __init__(self, call: str) -> None:
        self._call = call
        self._outcome = "away"
        self._began = 0.0

    def __enter__(self) -> Callable[[str], None]:
        self._began = time.perf_counter()
        return self._tell

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        _store(self._call, self._outcome).observe(time.perf_counter() - self._began)

    def _tell(self, outcome: str) -> None:
        self._outcome = outcome


class Hosting(Protocol):
    """What hosts tables."""

    @property
    def watches(self) -> int:
        """How many watch a table."""

    @property
    def is_away(self) -> bool:
        """Whether its store cannot be reached."""


_HOSTING: Final[WeakSet[Hosting]] = WeakSet()


def hosts(hosting: Hosting) -> None:
    """Counts those who watch, and shows the store of, one more that hosts tables, for as long as it is there."""
    _HOSTING.add(hosting)


def _show() -> None:
    WATCHERS.set(sum(each.watches for each in _HOSTING))
    STORE_UP.set(all(not each.is_away for each in _HOSTING))


def shared_folder() -> Path | None:
    """The folder that this process shares with the others of its service; None where it is the only one."""
    named = os.environ.get(FOLDER)
    return Path(named) if named else None


def keep_shown() -> None:
    """Has the pages of other processes show what this one says of itself, for as long as it lives."""

    def keep() -> None:
        while True:
            _show()
            time.sleep(SHOWN_SECONDS)

    threading.Thread(target=keep, name="metrics", daemon=True).start()


def page() -> bytes:
    """All of it, as Prometheus reads it."""
    _show()
    registry = REGISTRY
    if FOLDER in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
