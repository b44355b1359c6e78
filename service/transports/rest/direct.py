"""The short way in, for requests that need nothing of HTTP but their endpoint's own path and method.

A general router, its request and its response cost more than deciding does. What is asked for in another way - with a
slash more, as HEAD, with a query, from another origin's page, or not there at all - goes on to Litestar, whose routes
lead to the same endpoints: nobody can tell which way an answer came.
"""

from collections.abc import Sequence
from typing import Any, Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from service.observability import OPERATION

from .endpoints import TABLE, Endpoint, Told
from .problems import told_of

_TABLES: Final = f"/v1/tables/{TABLE}"
_PREFIX: Final = _TABLES.removesuffix(TABLE)


class Headers:
    """The headers of a request, by their names in lower case."""

    __slots__ = ("_first", "_lines")

    def __init__(self, lines: Sequence[tuple[bytes, bytes]]) -> None:
        self._lines = lines
        self._first = dict(reversed(lines))

    def __contains__(self, name: str) -> bool:
        return name.encode() in self._first

    def get(self, name: str, default: Any = None) -> Any:
        """The first of a name."""
        found = self._first.get(name.encode())
        return default if found is None else found.decode("latin-1")

    def getall(self, name: str, default: list[str]) -> list[str]:
        """All of a name, in order."""
        wanted = name.encode()
        return [value.decode("latin-1") for key, value in self._lines if key == wanted] or default


class Arrived:
    """A request, as far as endpoints look at one."""

    __slots__ = ("headers", "query_params", "receive", "scope")

    def __init__(self, scope: Any, receive: Receive) -> None:
        self.scope = scope
        self.receive = receive
        self.headers = Headers(scope["headers"])
        self.query_params: dict[str, str] = {}


class Direct:
    """ASGI before another app: answers at the endpoints, and leaves the rest to the app.

    `minds_origin`: a request that names an origin is the app's, which says what its page may do.
    """

    def __init__(self, app: ASGIApp, endpoints: Sequence[Endpoint], *, minds_origin: bool) -> None:
        self._app = app
        self._minds_origin = minds_origin
        self._whole = {(each.method, each.path): each for each in endpoints if TABLE not in each.path}
        self._of_table = {
            (each.method, each.path.removeprefix(_TABLES)): each for each in endpoints if TABLE in each.path
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self._found(scope) if scope["type"] == ScopeType.HTTP else None
        if found is None:
            await self._app(scope, receive, send)
            return
        endpoint, table = found
        _name(scope, endpoint)
        asked: Any = Arrived(scope, receive)
        try:
            told = await endpoint.answer(asked, table)
        except Exception as error:  # noqa: BLE001 - everything is answered
            told = told_of(asked, error)
        await tell(told, send)

    def name(self, scope: Scope) -> None:
        """Notes what was asked for, where that is an endpoint's own."""
        found = self._found(scope)
        if found is not None:
            _name(scope, found[0])

    def _found(self, scope: Any) -> tuple[Endpoint, str] | None:
        if scope["query_string"] or (self._minds_origin and any(name == b"origin" for name, _ in scope["headers"])):
            return None
        method, path = scope["method"], scope["path"]
        endpoint = self._whole.get((method, path))
        if endpoint is not None:
            return endpoint, ""
        if not path.startswith(_PREFIX):
            return None
        table, slash, verb = path[len(_PREFIX) :].partition("/")
        endpoint = self._of_table.get((method, slash + verb))
        return None if endpoint is None or not table else (endpoint, table)


def _name(scope: Any, endpoint: Endpoint) -> None:
    scope["path_template"] = endpoint.template
    scope[OPERATION] = endpoint.id


async def tell(told: Told, send: Send) -> None:
    """Sends an answer."""
    headers = [
        (b"content-type", told.media_type.encode()),
        *((name.lower().encode(), value.encode("latin-1")) for name, value in told.headers.items()),
        (b"content-length", b"%d" % len(told.body)),
    ]
    await send({"type": "http.response.start", "status": told.status, "headers": headers})
    await send({"type": "http.response.body", "body": told.body, "more_body": False})
