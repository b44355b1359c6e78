"""The routes of hosted tables: tokens, keys and requests from HTTP, and frames as Server-Sent Events."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import ServerSentEvent, ServerSentEventMessage
from msgspec.structs import replace

from engine.violations import Malformed
from service.access import HEADER, Gate
from service.beside import SHORT_JSON, Beside, in_lane
from service.errors import tables_off
from service.language import negotiate
from service.messages import Limits, TableKey, TableRequest, WatchTableRequest, WatchTableResponse, fault_of
from service.tables import Caller, Watcher

from .bodies import decoder, encode, read_with
from .endpoints import Endpoint, Told
from .receiving import AnyRequest, Asked, admitted, body_of, token_of
from .table_operations import TABLE_OPERATIONS, WATCH, TableOperation

PRIVATE: Final = {"Cache-Control": "no-store"}
STREAMED: Final = {**PRIVATE, "X-Accel-Buffering": "no"}
KEY_HEADER: Final = "idempotency-key"
LAST_EVENT: Final = "last-event-id"
TICKET: Final = "ticket"
"""Given to a caller who had a key, for a browser's EventSource, which can send none."""


def tables(watcher: Watcher | None, limits: Limits, gate: Gate | None, beside: Beside) -> list[Endpoint]:
    """What has one answer; where tables are off each answers that they are."""
    return [_operation(watcher, each, limits, gate, beside) for each in TABLE_OPERATIONS]


def _operation(
    watcher: Watcher | None, operation: TableOperation, limits: Limits, gate: Gate | None, beside: Beside
) -> Endpoint:
    read = _from_body(operation, limits, beside) if operation.method == "POST" else _from_query(operation)
    use = None if watcher is None else watcher.tables.use_case(operation.name)

    async def answer(request: Asked, table: str) -> Told:
        admitted(gate, request, operation.name)
        if use is None:
            raise tables_off()
        asked = await read(request)
        if isinstance(asked, TableRequest):
            asked = replace(asked, table=table)
        caller = Caller(token_of(request), negotiate(request.headers.get("accept-language")))
        answered = await use(asked, caller)
        document = answered.record if operation.name == "record" else answered
        return Told(await in_lane(beside.lane_of_answer(document), lambda: encode(document)), PRIVATE)

    return Endpoint(operation.method, operation.path, operation.id, answer)


# --- requests


def _from_body(operation: TableOperation, limits: Limits, beside: Beside) -> Callable[[Asked], Any]:
    decode = decoder(operation.request)

    async def read(request: Asked) -> Any:
        body = await body_of(request, limits, may_be_empty=True) or b"{}"
        lane = beside.lane(operation.name, len(body), SHORT_JSON)
        asked = await in_lane(lane, lambda: read_with(decode, body, limits))
        if isinstance(asked, TableRequest) and asked.table:
            raise Malformed("$.table", "the table is named by the path")
        return _keyed(request, asked)

    return read


def _from_query(operation: TableOperation) -> Callable[[Asked], Any]:
    async def read(request: Asked) -> Any:
        return _keyed(request, _queried(request, operation.request))

    return read


def _queried(request: Asked, kind: Any, *besides: str) -> Any:
    """A request whose fields are the query's."""
    query = {name: value for name, value in request.query_params.items() if name not in besides}
    if "table" in query:
        raise Malformed("$.table", "the table is named by the path")
    try:
        return msgspec.convert(query, kind, strict=False)
    except msgspec.ValidationError as fault:
        raise Malformed(fault_of(fault)[1], fault_of(fault)[0]) from None


def _keyed(request: Asked, asked: Any) -> Any:
    """The request with the key of the header, which is the field's equal."""
    key = request.headers.get(KEY_HEADER)
    if key is None or not hasattr(asked, "idempotency_key"):
        return asked
    if asked.idempotency_key not in (None, key):
        raise Malformed("$.idempotencyKey", "the header Idempotency-Key has another key")
    try:
        return replace(asked, idempotency_key=msgspec.convert(key, TableKey))
    except msgspec.ValidationError as fault:
        raise Malformed("$.idempotencyKey", fault_of(fault)[0]) from None


# --- events


def watch(watcher: Watcher | None, gate: Gate | None) -> HTTPRouteHandler:
    """The route of a table's events."""

    async def handle(request: AnyRequest, table: FromPath[str]) -> Response[Any]:
        if TICKET not in request.query_params or HEADER in request.headers:
            admitted(gate, request, WATCH.name)
        if watcher is None:
            raise tables_off()
        asked = replace(_queried(request, WatchTableRequest, TICKET), table=table)
        last = request.headers.get(LAST_EVENT)
        if last is not None:
            asked = replace(asked, after_version=_version(last))
        frames = await watcher.watch(asked, token_of(request), request.query_params.get(TICKET))
        if frames is None:
            return Response(b"", status_code=HTTPStatus.NO_CONTENT, headers=PRIVATE)
        return ServerSentEvent(_events(frames), headers=STREAMED)

    return get(WATCH.path, name=WATCH.id)(handle)


def _version(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len("2000000000")):
        raise Malformed("$.afterVersion", "Last-Event-ID is not the id of an event of this table")
    return int(text)


async def _events(frames: AsyncGenerator[WatchTableResponse, None]) -> AsyncIterator[ServerSentEventMessage]:
    async with aclosing(frames):
        async for frame in frames:
            yield _event(frame)
            if frame.ended is not None:
                yield ServerSentEventMessage(event="end", data='{"reason":"ended"}')


def _event(frame: WatchTableResponse) -> ServerSentEventMessage:
    if frame.gone is not None:
        return ServerSentEventMessage(event="end", data=encode({"reason": frame.gone}))
    if frame.act is None and frame.table is None and frame.ended is None:
        return ServerSentEventMessage(comment="heartbeat", data=None)
    return ServerSentEventMessage(event="reset" if frame.reset else "frame", id=frame.version, data=encode(frame))
