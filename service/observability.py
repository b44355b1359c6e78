"""The log: JSON, one line a request, and nothing in it of what was asked or answered.

A line names the route's template, not the path, and never the query. Of an unexpected exception the line has the type
and the frames; its message is left out, since it could hold a card that somebody must not see.
"""

import logging
import sys
import time
import traceback
from collections.abc import MutableMapping
from typing import Any, Final, TextIO

import msgspec
import structlog
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

NOTES: Final = "scheids.notes"
"""Where in a scope a handler leaves what the request's line is to say."""

CLIENT_CLOSED: Final = 499


def configure(level: str, stream: TextIO | None = None) -> None:
    """Sends this log, and that of the libraries, to a stream (standard error) as JSON, from a level up."""
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
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
    root = logging.getLogger()
    root.handlers[:] = [*(other for other in root.handlers if other.name != __name__), handler]
    root.setLevel(max(number, logging.WARNING))


def _json(value: Any, **_: Any) -> str:
    return msgspec.json.encode(value, enc_hook=repr).decode()


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


class RequestLog:
    """ASGI around an app: one line a request, once it has been answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._log = structlog.get_logger().bind()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        status = CLIENT_CLOSED
        began = time.perf_counter()

        async def observed(event: Message) -> None:
            nonlocal status
            if event["type"] == "http.response.start":
                status = event["status"]
            await send(event)

        try:
            await self._app(scope, receive, observed)
        finally:
            facts = {
                "transport": "rest",
                "method": scope["method"],
                "route": scope.get("path_template"),
                "status": status,
                "ms": round((time.perf_counter() - began) * 1_000, 3),
                **scope.get(NOTES, {}),  # type: ignore[dict-item]
            }
            level = logging.ERROR if "traceback" in facts else logging.INFO
            self._log.log(level, "request", **facts)
