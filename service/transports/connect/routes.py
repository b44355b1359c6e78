"""The routes of Connect: one handler for each method that a browser can call."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from http import HTTPStatus
from types import ModuleType
from typing import Any, Final

from litestar import Response, post
from litestar.handlers import HTTPRouteHandler
from litestar.response import Stream

from service.access import Admission, Gate
from service.batch import retry_after
from service.beside import Beside
from service.errors import ServiceError, problem_of, tables_off
from service.language import negotiate
from service.messages import Limits, WatchTableResponse
from service.observability import CONNECT, OPERATION, facts_of, note
from service.rules import Rules
from service.tables import Caller, Watcher
from service.transports.grpc import referee, tables
from service.transports.grpc.status import PASSING
from service.transports.rest.endpoints import Told
from service.transports.rest.receiving import JSON, AnyRequest, admitted, body_of, token_of
from service.wire.codec import CODEC

from .envelopes import MESSAGE, PROTO, STREAMED, enveloped, last, opened, refusal

Answer = Callable[[bytes, Caller, Admission], Awaitable[bytes]]
Frames = AsyncGenerator[WatchTableResponse, None]
HEADERS: Final = {"Cache-Control": "no-store"}
PATHS: Final = tuple(f"/{service}/" for service in (referee.SERVICE, tables.SERVICE))
"""How the paths of its routes begin."""


def again(error: Exception) -> dict[str, str]:
    """When to ask again."""
    return {"Retry-After": str(retry_after(problem_of(error)))}


def refused(scope: Any, error: Exception, language: str) -> Told:
    """How the request of a scope is told what is refused, before it has come to its route."""
    service, _, name = scope["path"].lstrip("/").partition("/")
    told, status, _ = refusal(error, language)
    if name in (referee.METHODS if service == referee.SERVICE else {*tables.OPERATIONS, tables.WATCH}):
        scope[OPERATION] = f"{CONNECT}{name}"
    if name == tables.WATCH:
        return Told(last(told), HEADERS, media_type=STREAMED)
    return Told(json.dumps(told).encode(), {**HEADERS, **again(error)}, status)


def routes(rules: Rules, watcher: Watcher | None, beside: Beside, gate: Gate | None = None) -> list[HTTPRouteHandler]:
    """A route for each method that has one request and one answer, and for watching."""
    return [
        *(
            _unary(rules.limits, gate, _path(referee, name), referee.operation_of(name), _in_language(worked))
            for name, worked in referee.works(rules, beside).items()
        ),
        *(
            _unary(rules.limits, gate, _path(tables, name), operation, _asked(watcher, name, operation, beside))
            for name, operation in tables.OPERATIONS.items()
        ),
        _watch(rules.limits, gate, watcher, beside),
    ]


def _in_language(worked: referee.Worked) -> Answer:
    async def answer(data: bytes, caller: Caller, admission: Admission) -> bytes:
        answered = worked(data, caller.language, admission)
        return answered if isinstance(answered, bytes) else await answered

    return answer


def _asked(watcher: Watcher | None, name: str, operation: str, beside: Beside) -> Answer:
    use = None if watcher is None else tables.used(watcher, name, operation, beside)

    async def answer(data: bytes, caller: Caller, _: Admission) -> bytes:
        if use is None:
            raise tables_off()
        return await use(data, caller)

    return answer


def _path(service: ModuleType, name: str) -> str:
    return f"{service.SERVICE}/{name}"


def _unary(limits: Limits, gate: Gate | None, path: str, operation: str, answer: Answer) -> HTTPRouteHandler:
    name = path.partition("/")[2]

    async def handle(request: AnyRequest) -> Response[bytes]:
        language = negotiate(request.headers.get("accept-language"))
        try:
            admission = admitted(gate, request, operation)
            data = await body_of(request, limits, media_type=PROTO)
            answered = await answer(data, Caller(token_of(request), language), admission)
        except Exception as error:  # noqa: BLE001 - everything is answered
            told, status, code = refusal(error, language)
            _note(request, error, code)
            headers = {**HEADERS, **again(error)} if code in PASSING else HEADERS
            return Response(json.dumps(told).encode(), status_code=status, media_type=JSON, headers=headers)
        return Response(answered, media_type=PROTO, headers=HEADERS)

    return post(f"/{path}", name=f"{CONNECT}{name}", status_code=HTTPStatus.OK)(handle)


def _watch(limits: Limits, gate: Gate | None, watcher: Watcher | None, beside: Beside) -> HTTPRouteHandler:
    read, write = tables.reader(tables.WATCH, tables.WATCHING, beside), CODEC.writer("WatchTableResponse")

    async def asked(request: AnyRequest) -> Frames | None:
        admitted(gate, request, tables.WATCHING)
        if watcher is None:
            raise tables_off()
        data = opened(await body_of(request, limits, media_type=STREAMED))
        if data is None:
            raise ServiceError("MALFORMED", "a stream's request is one message in an envelope", "$")
        return await watcher.watch(await read(data), token_of(request))

    async def told(frames: Frames | None) -> AsyncIterator[bytes]:
        if frames is not None:
            async with aclosing(frames):
                async for frame in frames:
                    yield enveloped(MESSAGE, write(frame))
        yield last()

    async def handle(request: AnyRequest) -> Stream:
        language = negotiate(request.headers.get("accept-language"))
        try:
            answered = told(await asked(request))
        except Exception as error:  # noqa: BLE001 - as above
            refused, _, code = refusal(error, language)
            _note(request, error, code)
            answered = _refused(refused)
        return Stream(answered, media_type=STREAMED, headers=HEADERS)

    return post(f"/{tables.SERVICE}/{tables.WATCH}", name=f"{CONNECT}{tables.WATCH}", status_code=HTTPStatus.OK)(handle)


async def _refused(told: dict[str, Any]) -> AsyncIterator[bytes]:
    yield last(told)


def _note(request: AnyRequest, error: Exception, code: str) -> None:
    note(request.scope, code=code, **(facts_of(error) if code == "INTERNAL" else {}))
