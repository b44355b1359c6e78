"""Traces, as the rest of the service knows them: work is done within spans, and who records them is not asked.

Nothing here needs OpenTelemetry: `otlp.py` alone imports it, and is loaded only where traces are on.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Any, Final, Protocol, TypeAlias

UseCase: TypeAlias = Callable[[Any, Any], Awaitable[Any]]
"""From a request and its caller to an answer."""


class Here(Protocol):
    """Where in a recorded request the work that is going on belongs."""

    @property
    def trace(self) -> str:
        """The trace's id, 32 hex digits."""

    def refuse(self, code: str) -> None:
        """Notes the code of the problem that the request is answered with."""


HERE: Final[ContextVar[Any]] = ContextVar("scheids.tracing", default=None)
"""The `Here` of what is going on; None where nothing is recorded. Threads that work for a request need its context."""


def trace_id() -> str | None:
    """The id of the trace that is recorded, if one is."""
    here: Here | None = HERE.get()
    return None if here is None else here.trace


def refused(code: str) -> None:
    """Says by which problem's code the request is refused."""
    here: Here | None = HERE.get()
    if here is not None:
        here.refuse(code)


class Spans(Protocol):
    """What use cases and stores tell of their work. What is raised within a span is its end, and goes on."""

    def around(self, operation: str, use_case: UseCase) -> UseCase:
        """The use case, each call of which is a span."""

    def engine(self, game: str) -> AbstractContextManager[None]:
        """The span of what the engine decides within the use case."""

    def command(self, script: str, address: tuple[str, int], database: int, tries: int) -> AbstractContextManager[None]:
        """The span of a script's going to a Redis server and its reply; `tries` counts from 1."""


class _Untraced:
    """Spans of which there is no record."""

    def around(self, operation: str, use_case: UseCase) -> UseCase:
        del operation
        return use_case

    def engine(self, game: str) -> AbstractContextManager[None]:
        del game
        return _NOTHING

    def command(self, script: str, address: tuple[str, int], database: int, tries: int) -> AbstractContextManager[None]:
        del script, address, database, tries
        return _NOTHING


_NOTHING: Final = nullcontext()
UNTRACED: Final[Spans] = _Untraced()
