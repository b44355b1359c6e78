"""The spans of requests that come over HTTP: REST's by the conventions for HTTP, Connect's by those for RPC."""

from typing import Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.errors import STATUSES
from service.observability import CONNECT, NOTES, operation_of

from .otlp import TRACEPARENT, Attributes, Request, Traces, fail

UNTRACED: Final = frozenset({"/livez", "/readyz", "/metrics"})
"""What is asked all the time by whoever looks after the service."""
METHODS: Final = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
OTHER: Final = "_OTHER"
SERVER_ERROR: Final = 500
FAILURES: Final = frozenset(
    {"DATA_LOSS", "DEADLINE_EXCEEDED", "INTERNAL", "UNAVAILABLE", "UNIMPLEMENTED", "UNKNOWN"},
)
"""The statuses of RPC that are the server's failure; the others tell the caller of its own."""
_HEADER: Final = TRACEPARENT.encode()


class TracedHttp:
    """ASGI around an app: a span a request, around the log's line, which tells the trace."""

    def __init__(self, app: ASGIApp, traces: Traces) -> None:
        self._app = app
        self._traces = traces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or scope["path"] in UNTRACED:
            await self._app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in METHODS else OTHER
        parents = [value.decode("latin-1") for name, value in scope["headers"] if name == _HEADER]
        with self._traces.request(method, parents, {}) as request:
            if request is None:
                await self._app(scope, receive, send)
                return
            status: int | None = None

            async def observed(event: Message) -> None:
                nonlocal status
                if event["type"] == "http.response.start":
                    status = event["status"]
                await send(event)

            try:
                await self._app(scope, receive, observed)
            except BaseException as fault:
                fail(request.span, type(fault).__qualname__)
                raise
            finally:
                _end(request, scope, method, status)


def _end(request: Request, scope: Scope, method: str, status: int | None) -> None:
    """Names the span, now that the request has been routed and answered."""
    told: dict[str, str] = scope.get(NOTES, {})  # type: ignore[assignment]
    request.code = told.get("code")
    transport, operation = operation_of(scope)
    if transport == CONNECT.strip():
        _name_rpc(request, str(scope["path_template"]).removeprefix("/"))
    else:
        _name_http(request, scope, method, status)
    request.end(operation)


def _name_rpc(request: Request, method: str) -> None:
    request.span.update_name(method)
    attributes: Attributes = {"rpc.system.name": "connectrpc", "rpc.method": method}
    if request.code is not None:
        code = STATUSES[request.code].grpc
        attributes["rpc.response.status_code"] = code.lower()
        if code in FAILURES:
            fail(request.span, code.lower())
    request.span.set_attributes(attributes)


def _name_http(request: Request, scope: Scope, method: str, status: int | None) -> None:
    route = route_of(scope)
    attributes: Attributes = {
        "http.request.method": method,
        "url.scheme": "https" if scope["scheme"] == "https" else "http",
        "network.protocol.version": scope["http_version"],
    }
    if route is not None:
        attributes["http.route"] = route
        request.span.update_name(f"{method} {route}")
    if status is not None:
        attributes["http.response.status_code"] = status
        if status >= SERVER_ERROR:
            fail(request.span, str(status))
    request.span.set_attributes(attributes)


def route_of(scope: Scope) -> str | None:
    """The template of the path, as in the OpenAPI document; None where there is no such route."""
    return scope.get("path_template") or None
