"""The log: JSON, one line a request, and nothing in it of what was asked or answered.

A line names the route's template, not the path, and never the query. Of an unexpected exception the line has the type
and the frames; its message is left out, since it could hold a card that somebody must not see.
"""

import logging
import random
import re
import sys
import time
import traceback
from collections.abc import Iterable, MutableMapping
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, TextIO

import msgspec
import structlog
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from . import metrics
from .errors import OK
from .tracing import trace_id

NOTES: Final = "scheids.notes"
"""Where in a scope a handler leaves what the request's line is to say."""

OPERATION: Final = "scheids.operation"
"""Where in a scope the operation is named, where no route of Litestar's names it."""

CLIENT_CLOSED: Final = 499


_LEVELS: Final = {number: logging.getLevelName(number).lower() for number in logging.getLevelNamesMapping().values()}


def configure(level: str, stream: TextIO | None = None, *, traced: bool = False) -> None:
    """Sends this log, and that of the libraries, to a stream (standard error) as JSON, from a level up.

    `traced`: lines tell the trace that they belong to.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        *([_add_trace] if traced else ()),
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.JSONRenderer(serializer=_json)],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(stream or sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared, _safe_exception],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(serializer=_json),
            ],
        )
    )
    handler.name = __name__
    _lines.level, _lines.stream, _lines.traced = number, stream, traced
    root = logging.getLogger()
    root.handlers[:] = [*(other for other in root.handlers if other.name != __name__), handler]
    root.setLevel(max(number, logging.WARNING))


class _Lines:
    """Where the lines of requests go, from which level up, and whether they tell their traces."""

    level = logging.INFO
    stream: TextIO | None = None
    traced = False


_lines: Final = _Lines()


def log_request(level: int, facts: dict[str, Any]) -> None:
    """Writes the line of a request: as the general logger would, whose steps cost more than most requests do."""
    if level < _lines.level:
        return
    facts |= {"event": "request", "level": _LEVELS[level], "timestamp": datetime.now(UTC)}
    if _lines.traced:
        _add_trace(None, "", facts)
    stream = _lines.stream or sys.stderr
    stream.write(_json(facts) + "\n")
    stream.flush()


_encode: Final = msgspec.json.Encoder(enc_hook=repr).encode


def _json(value: Any, **_: Any) -> str:
    return _encode(value).decode()


def _add_trace(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    trace = trace_id()
    if trace is not None:
        event["trace"] = trace
    return event


def _safe_exception(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    info = event.pop("exc_info", None)
    if isinstance(info, tuple) and info[1] is not None:
        event.update(facts_of(info[1]))
    return event


def facts_of(fault: BaseException) -> dict[str, Any]:
    """What the log says of an exception: its type and the frames it came through."""
    frames = traceback.extract_tb(fault.__traceback__)
    return {
        "exception": type(fault).__qualname__,
        "traceback": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }


def report(fault: Exception) -> None:
    """Logs a fault of the service that a caller is told nothing of."""
    structlog.get_logger().error("failed", **facts_of(fault))


def note(scope: Scope, **facts: Any) -> None:
    """Adds to the line of a request."""
    scope.setdefault(NOTES, {}).update(facts)  # type: ignore[typeddict-item]


REQUEST_ID: Final = b"x-request-id"
REQUEST: Final[ContextVar[str | None]] = ContextVar("request", default=None)
"""The id of the request that is being answered."""
_WELL_FORMED: Final = re.compile(rb"[A-Za-z0-9._:/+=-]{1,128}")
CONNECT: Final = "connect "
_ids: Final = random.Random()  # noqa: S311 - ids tell requests apart, and guard nothing


def request_id_of(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The id that a request came with, where that is one; else a new one."""
    for name, value in headers:
        if name == REQUEST_ID and _WELL_FORMED.fullmatch(value):
            return value.decode()
    return f"{_ids.getrandbits(64):016x}"


def operation_of(scope: Scope) -> tuple[str, str]:
    """By which transport a request came, and the operation it asked for."""
    name: Any = scope.get(OPERATION) or getattr(scope.get("route_handler"), "name", None) or "unknown"
    if name.startswith(CONNECT):
        return "connect", operation_named(name.removeprefix(CONNECT))
    return "rest", name


@cache
def operation_named(method: str) -> str:
    """The operation behind a method of a service, as it is counted.

    >>> operation_named("ListLegalMoves")
    'listLegalMoves'
    """
    return method[:1].lower() + method[1:]


def _code_of(status: int) -> str:
    return "CANCELLED" if status == CLIENT_CLOSED else OK


class RequestLog:
    """ASGI around an app: one line a request, once it has been answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        status = CLIENT_CLOSED
        began = time.perf_counter()
        request_id = request_id_of(scope["headers"])
        REQUEST.set(request_id)

        async def observed(event: Message) -> None:
            nonlocal status
            if event["type"] == "http.response.start":
                status = event["status"]
                event["headers"] = [*event["headers"], (REQUEST_ID, request_id.encode())]
            await send(event)

        try:
            await self._app(scope, receive, observed)
        finally:
            seconds = time.perf_counter() - began
            told: dict[str, Any] = scope.get(NOTES, {})  # type: ignore[assignment]
            transport, operation = operation_of(scope)
            metrics.answered(transport, operation, told.get("code", _code_of(status)), seconds)
            level = logging.ERROR if "traceback" in told else logging.INFO
            facts = {
                "transport": transport,
                "id": request_id,
                "method": scope["method"],
                "route": scope.get("path_template"),
                "status": status,
                "ms": round(seconds * 1_000, 3),
                **told,
            }
            log_request(level, facts)
