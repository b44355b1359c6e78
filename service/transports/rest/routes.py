"""The routes: one handler made for each operation of the table, the games, the documentation, and the probes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final

from litestar import Litestar, Response, route
from litestar.config.cors import CORSConfig
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.types import ASGIApp

from service import metrics
from service.access import HEADER, Admission, Gate
from service.batch import Coding, batch_in_steps, batch_of, count_batch, worked
from service.beside import SHORT_JSON, Beside
from service.language import negotiate
from service.messages import BatchResult, GetGameRequest
from service.observability import RequestLog, report
from service.rules import Rules
from service.shedding import LoopWaits
from service.tables import Watcher
from service.tracing.absent import opentelemetry_absent

from .bodies import encode, read, read_batch
from .direct import Direct
from .endpoints import READING, Endpoint, Told, routed
from .openapi import document
from .operations import OPERATIONS, Operation
from .problems import respond
from .receiving import JSON, AnyRequest, Asked, admitted, body_of
from .shedding import Refuse, Shedding
from .tables import tables, watch

CORS_HEADERS: Final = (
    *("Accept-Language", "Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID"),
    *("Connect-Protocol-Version", "Connect-Timeout-Ms", "X-User-Agent"),
    *("Traceparent", "Tracestate", HEADER),
)
CORS_EXPOSED: Final = ("Retry-After",)
CORS_SECONDS: Final = 7_200
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


class Readiness:
    """Whether requests are still wanted: no longer once `stopping`."""

    stopping = False


@opentelemetry_absent()
def create_app(  # noqa: PLR0913 - one more for each transport and for what all share
    rules: Rules,
    watcher: Watcher | None = None,
    on_shutdown: Sequence[Callable[[], Any]] = (),
    *,
    beside: Beside,
    readiness: Readiness | None = None,
    more: Sequence[HTTPRouteHandler] = (),
    cors_origins: Sequence[str] = (),
    gate: Gate | None = None,
    waits: LoopWaits | None = None,
    others: Mapping[str, Refuse] | None = None,
) -> ASGIApp:
    """The ASGI application; without a watcher tables are off. `on_shutdown` is called once it stops serving.

    `more` are routes of another transport in the same port, and `others` how such a transport refuses, by how its paths
    begin. Pages of `cors_origins` may call from browsers. The gate lets calls in; probes, metrics and documentation are
    for everybody. What takes long is done `beside` the event loop; as long as `waits` for it are too long, requests are
    turned away.
    """
    waits = waits or LoopWaits(0)
    endpoints = [
        *(_posted(rules, operation, beside, gate) for operation in OPERATIONS),
        *tables(watcher, rules.limits, gate, beside),
    ]
    app = Litestar(
        [
            *map(routed, endpoints),
            *_games(rules, gate),
            watch(watcher, gate),
            *_probes(watcher, readiness or Readiness()),
            *more,
            _documented(rules, beside),
            *(_page(path, *page) for path, page in _PAGES.items()),
        ],
        exception_handlers={Exception: respond, HTTPException: respond},
        on_startup=[waits.start],
        on_shutdown=[*on_shutdown],
        request_max_body_size=None,
        openapi_config=None,
        cors_config=_cors(cors_origins),
        logging_config=None,
        debug=False,
    )
    direct = Direct(app, endpoints, minds_origin=bool(cors_origins))
    return RequestLog(Shedding(direct, direct, waits, others or {}, cors_origins))


def create_probes(watcher: Watcher | None, readiness: Readiness) -> ASGIApp:
    """Probes and metrics, and nothing else."""
    app = Litestar(
        _probes(watcher, readiness),
        exception_handlers={Exception: respond, HTTPException: respond},
        openapi_config=None,
        logging_config=None,
        debug=False,
    )
    return RequestLog(app)


def _cors(origins: Sequence[str]) -> CORSConfig | None:
    if not origins:
        return None
    return CORSConfig(
        allow_origins=list(origins),
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=list(CORS_HEADERS),
        expose_headers=list(CORS_EXPOSED),
        max_age=CORS_SECONDS,
    )


def _posted(rules: Rules, operation: Operation, beside: Beside, gate: Gate | None) -> Endpoint:
    name = operation.name

    work = worked(rules, name, Coding(lambda body: read(name, body, rules.limits), encode, SHORT_JSON), beside)

    async def told(request: Asked, _: str) -> Told:
        admission = admitted(gate, request, name)
        body = await body_of(request, rules.limits)
        language = negotiate(request.headers.get("accept-language"))
        if name == "batch":
            return Told(await _batched(rules, body, language, beside, admission))
        answered = work(body, language)
        return Told(answered if isinstance(answered, bytes) else await answered)

    return Endpoint("POST", operation.path, operation.id, told)


async def _batched(rules: Rules, body: bytes, language: str, beside: Beside, admission: Admission) -> bytes:
    """The answer to a batch, worked on in turns, between which other long requests have theirs."""

    def begun() -> Iterator[BatchResult | None]:
        calls = read_batch(body, rules.limits)
        count_batch(admission, len(calls))
        return batch_in_steps(rules, calls, language, report)

    return await beside.long.in_turns(begun, lambda steps: encode(batch_of(steps)))


def _games(rules: Rules, gate: Gate | None) -> list[HTTPRouteHandler]:
    async def list_games(request: AnyRequest) -> Response[bytes]:
        admitted(gate, request, "list_games")
        return Response(encode(rules.list_games()), media_type=JSON)

    async def get_game(request: AnyRequest, game: FromPath[str]) -> Response[bytes]:
        admitted(gate, request, "get_game")
        return Response(encode(rules.get_game(GetGameRequest(game=game))), media_type=JSON)

    return [
        route("/v1/games", http_method=READING, name="listGames")(list_games),
        route("/v1/games/{game:str}", http_method=READING, name="getGame")(get_game),
    ]


def _probes(watcher: Watcher | None, readiness: Readiness) -> list[HTTPRouteHandler]:
    async def ready() -> Response[bytes]:
        told = {"status": "stopping" if readiness.stopping else "ready", "tables": _tables_are(watcher)}
        status = HTTPStatus.SERVICE_UNAVAILABLE if readiness.stopping else HTTPStatus.OK
        return Response(encode(told), media_type=JSON, status_code=status)

    async def counted() -> Response[bytes]:
        return Response(metrics.page(), media_type=metrics.CONTENT_TYPE)

    return [
        _text("/livez", encode({"status": "alive"}), JSON),
        route("/readyz", http_method=READING, name="getReadiness")(ready),
        route("/metrics", http_method=READING, name="getMetrics")(counted),
    ]


def _tables_are(watcher: Watcher | None) -> str:
    if watcher is None:
        return "off"
    return "away" if watcher.is_away else "ready"


def _documented(rules: Rules, beside: Beside) -> HTTPRouteHandler:
    """The OpenAPI document: made when it is first asked for, since making it would be a fifth of the start."""
    made = cache(lambda: encode(document(rules)))

    async def handle() -> Response[bytes]:
        document = made() if made.cache_info().currsize else await beside.long.do(made)
        return Response(document, media_type=JSON)

    return route("/openapi.json", http_method=READING, name="/openapi.json")(handle)


def _page(path: str, name: str, media_type: str) -> HTTPRouteHandler:
    return _text(path, (files(__package__) / "pages" / name).read_bytes(), media_type, _PAGE_HEADERS)


def _text(path: str, content: bytes, media_type: str, headers: dict[str, str] | None = None) -> HTTPRouteHandler:
    """A route that always answers the same."""

    async def handle() -> Response[bytes]:
        return Response(content, media_type=media_type, headers=headers)

    return route(path, http_method=READING, name=path)(handle)
