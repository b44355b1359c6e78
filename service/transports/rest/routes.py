"""The routes: one handler made for each operation of the table, the games, the documentation, and the probes."""

import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final

from litestar import HttpMethod, Litestar, Request, Response, post, route
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.types import ASGIApp

from service.batch import LONG, answer, run_batch
from service.errors import ServiceError
from service.language import negotiate
from service.messages import GetGameRequest, Limits
from service.observability import RequestLog, report
from service.rules import Rules

from .bodies import encode, read, read_batch
from .openapi import document
from .operations import OPERATIONS, Operation
from .problems import Disconnected, respond

AnyRequest = Request[Any, Any, Any]
JSON: Final = "application/json"
READING: Final = [HttpMethod.GET, HttpMethod.HEAD]
LONGEST_LENGTH: Final = 18
"""Digits of a Content-Length beyond which it need not be read as a number."""

_PAGES: Final = {
    "/docs": ("index.html", "text/html"),
    "/docs/docs.js": ("docs.js", "text/javascript"),
    "/docs/docs.css": ("docs.css", "text/css"),
}
_PAGE_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}
_JSON_TYPE: Final = re.compile(r'\s*application/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*', re.IGNORECASE)


def create_app(rules: Rules, on_shutdown: Sequence[Callable[[], Any]] = ()) -> ASGIApp:
    """The ASGI application; `on_shutdown` is called once it stops serving."""
    long = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rest-long")
    app = Litestar(
        [
            *(_posted(rules, operation, long) for operation in OPERATIONS),
            *_games(rules),
            *_probes(),
            _text("/openapi.json", encode(document(rules)), JSON),
            *(_page(path, *page) for path, page in _PAGES.items()),
        ],
        exception_handlers={Exception: respond, HTTPException: respond},
        on_shutdown=[*on_shutdown, long.shutdown],
        request_max_body_size=None,
        openapi_config=None,
        logging_config=None,
        debug=False,
    )
    return RequestLog(app)


def _posted(rules: Rules, operation: Operation, long: ThreadPoolExecutor) -> HTTPRouteHandler:
    name = operation.name

    def work(body: bytes, language: str) -> bytes:
        if name == "batch":
            return encode(run_batch(rules, read_batch(body, rules.limits), language, report))
        return encode(answer(rules, name, read(name, body, rules.limits), language))

    async def handle(request: AnyRequest) -> Response[bytes]:
        body = await _body(request, rules.limits)
        language = negotiate(request.headers.get("accept-language"))
        if name in LONG:
            answered = await asyncio.get_running_loop().run_in_executor(long, work, body, language)
        else:
            answered = work(body, language)
        return Response(answered, media_type=JSON)

    return post(operation.path, name=operation.id, status_code=HTTPStatus.OK)(handle)


async def _body(request: AnyRequest, limits: Limits) -> bytes:
    """The body, no more of it being read than the limit allows. 413 and 415 where it is not to be read at all."""
    headers = request.headers
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise ServiceError("UNSUPPORTED_MEDIA_TYPE", "the body is to be sent as it is, without a content coding")
    if not _JSON_TYPE.fullmatch(headers.get("content-type", "")):
        raise ServiceError("UNSUPPORTED_MEDIA_TYPE", "the body is to be application/json, in UTF-8")
    announced = headers.get("content-length", "0")
    if announced.isdecimal() and (len(announced) > LONGEST_LENGTH or int(announced) > limits.body_bytes):
        raise _too_large(limits)
    parts: list[bytes] = []
    size = 0
    while True:
        event = await request.receive()
        if event["type"] != "http.request":
            raise Disconnected
        size += len(event["body"])
        if size > limits.body_bytes:
            raise _too_large(limits)
        parts.append(event["body"])
        if not event["more_body"]:
            return b"".join(parts)


def _too_large(limits: Limits) -> ServiceError:
    return ServiceError("TOO_LARGE", f"a body has at most {limits.body_bytes} bytes")


def _games(rules: Rules) -> list[HTTPRouteHandler]:
    async def list_games() -> Response[bytes]:
        return Response(encode(rules.list_games()), media_type=JSON)

    async def get_game(game: FromPath[str]) -> Response[bytes]:
        return Response(encode(rules.get_game(GetGameRequest(game=game))), media_type=JSON)

    return [
        route("/v1/games", http_method=READING, name="listGames")(list_games),
        route("/v1/games/{game:str}", http_method=READING, name="getGame")(get_game),
    ]


def _probes() -> list[HTTPRouteHandler]:
    return [
        _text("/livez", encode({"status": "alive"}), JSON),
        _text("/readyz", encode({"status": "ready", "tables": "off"}), JSON),
    ]


def _page(path: str, name: str, media_type: str) -> HTTPRouteHandler:
    return _text(path, (files(__package__) / "pages" / name).read_bytes(), media_type, _PAGE_HEADERS)


def _text(path: str, content: bytes, media_type: str, headers: dict[str, str] | None = None) -> HTTPRouteHandler:
    """A route that always answers the same."""

    async def handle() -> Response[bytes]:
        return Response(content, media_type=media_type, headers=headers)

    return route(path, http_method=READING, name=path)(handle)
