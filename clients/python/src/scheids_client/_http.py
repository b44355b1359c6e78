"""HTTP, as far as it is the same with and without waiting."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Final
from urllib.parse import quote

import httpx
import msgspec

from . import models
from ._operations import ASKED, RECORD, Operation
from ._requests import not_encodable
from .errors import ScheidsError, error_of, own_error

JSON: Final = {"content-type": "application/json"}
LIMITS: Final = httpx.Limits(max_connections=None, max_keepalive_connections=20)
"""Each watch has a connection of its own, and there may be many."""
CONNECT_SECONDS: Final = 5.0
SILENCE_SECONDS: Final = 60.0
"""How long a watch may hear nothing before it is taken to be broken: the service has a heartbeat more often."""
AWAY: Final = frozenset({502, 503, 504})
"""What a proxy answers with for a service that it cannot reach."""
NO_CONTENT: Final = 204
OK: Final = 200
_TABLE: Final = re.compile(r"[\w-]{1,64}", re.ASCII)


def timeouts(seconds: float) -> httpx.Timeout:
    """The time a call may take, none of its steps more than all of it."""
    return httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))


def headers_of(language: str | None, token: str | None, api_key: str | None) -> dict[str, str]:
    """What goes with every call; in gRPC as metadata."""
    headers = {}
    if api_key is not None:
        headers["x-api-key"] = api_key
    if language is not None:
        headers["accept-language"] = language
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    return headers


def parts_of(operation: Operation, request: Any) -> tuple[str, bytes | None, Mapping[str, str]]:
    """A request's path, body and query. Malformed where something in it cannot be sent."""
    names = [name for name in ("table", "game") if f"{{{name}}}" in operation.path]
    named = {name: quote(getattr(request, name), safe="") for name in names}
    if "table" in named and not _TABLE.fullmatch(named["table"]):
        raise own_error("UNKNOWN_TABLE", "there is no such table")  # nor a path that would lead to one
    path = operation.path.format_map(named)
    if operation.verb == "POST":
        asked = msgspec.structs.replace(request, table="") if "table" in named else request
        return path, encoded(asked), {}
    fields = {} if request is None else msgspec.to_builtins(request)
    query = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in fields.items()
        if name not in named
    }
    return path, None, query


def encoded(value: Any) -> bytes:
    """A value as JSON. Malformed where it cannot be."""
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError) as fault:
        raise not_encodable(fault) from None


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def answer_in(operation: Operation, response: httpx.Response) -> Any:
    """What a response says; raised where it is a refusal."""
    if response.status_code != OK:
        raise refusal_in(response)
    kind = models.ReplayRequest if operation is RECORD else operation.answer
    answer = decoded(kind, response.content)
    return models.GetTableRecordResponse(record=answer) if operation is RECORD else answer


def decoded(kind: Any, content: bytes | str) -> Any:
    """The struct in a text."""
    try:
        return _decoder(kind).decode(content)
    except msgspec.DecodeError as fault:
        raise own_error("UNREADABLE_ANSWER", f"not an answer that this client can read: {fault}") from None


def refusal_in(response: httpx.Response) -> ScheidsError:
    """The refusal that a response is, read to its end."""
    try:
        return error_of(msgspec.json.decode(response.content, type=models.Problem))
    except msgspec.DecodeError:
        code = "UNREACHABLE" if response.status_code in AWAY else "UNREADABLE_ANSWER"
        return own_error(code, f"HTTP {response.status_code} without a problem that this client can read")


def pack(name: str, question: Any) -> bytes:
    """A call of a batch."""
    kind, _ = ASKED[type(question)]
    head, _, tail = kind.partition("_")
    return encoded({"id": name, head + tail.capitalize(): question})


def batch_of(parts: list[bytes]) -> bytes:
    """The body of a batch."""
    return b'{"calls":[' + b",".join(parts) + b"]}"


def frame_in(event: str, data: str) -> models.WatchTableResponse | None:
    """The frame that an event tells; None where it tells that there are no more."""
    if event != "end":
        frame: models.WatchTableResponse = decoded(models.WatchTableResponse, data)
        return frame
    reason = decoded(dict[str, str], data).get("reason", "")
    return None if reason == "ended" else decoded(models.WatchTableResponse, encoded({"version": 0, "gone": reason}))


@contextmanager
def failures() -> Iterator[None]:
    """Tells what goes wrong with a connection in this client's words."""
    try:
        yield
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as fault:
        raise own_error("UNREACHABLE", _words(fault), maybeDone=False) from fault
    except httpx.TimeoutException as fault:
        raise own_error("DEADLINE_EXCEEDED", f"no answer in time: {_words(fault)}") from fault
    except httpx.TransportError as fault:
        raise own_error("UNREACHABLE", _words(fault)) from fault


def _words(fault: Exception) -> str:
    return f"{type(fault).__name__}: {fault}"
