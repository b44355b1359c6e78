"""What REST answers, whoever finds the way to it: each endpoint is a method, a path, and what it tells a request.

`direct` finds those that are asked for as they stand; Litestar finds all the rest, and them where a request needs
more of HTTP than that.
"""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Final, Literal

from litestar import HttpMethod, Response, delete, post, route
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from msgspec import Struct

from .receiving import JSON, AnyRequest, Asked

READING: Final = [HttpMethod.GET, HttpMethod.HEAD]
TABLE: Final = "{table:str}"


class Told(Struct, frozen=True):
    """An answer as HTTP has it."""

    body: bytes
    headers: Mapping[str, str] = {}
    status: int = HTTPStatus.OK
    media_type: str = JSON


Answer = Callable[[Asked, str], Awaitable[Told]]
"""What tells a request the answer; the text is the table that the path names, or empty."""


class Endpoint(Struct, frozen=True):
    """A method and a path, which can have a table's id in it; `id` is the operation's in the OpenAPI document."""

    method: Literal["GET", "POST", "DELETE"]
    path: str
    id: str
    answer: Answer

    @property
    def template(self) -> str:
        """The path as the log names it."""
        return self.path.replace(TABLE, "{table}")


def routed(endpoint: Endpoint) -> HTTPRouteHandler:
    """Litestar's route to an endpoint."""

    async def whole(request: AnyRequest) -> Response[bytes]:
        return response_of(await endpoint.answer(request, ""))

    async def of_table(request: AnyRequest, table: FromPath[str]) -> Response[bytes]:
        return response_of(await endpoint.answer(request, table))

    handle = of_table if TABLE in endpoint.path else whole
    match endpoint.method:
        case "POST":
            return post(endpoint.path, name=endpoint.id, status_code=HTTPStatus.OK)(handle)
        case "DELETE":
            return delete(endpoint.path, name=endpoint.id, status_code=HTTPStatus.OK)(handle)
        case "GET":
            return route(endpoint.path, http_method=READING, name=endpoint.id)(handle)


def response_of(told: Told) -> Response[bytes]:
    """The answer as Litestar's response."""
    headers = dict(told.headers)
    return Response(told.body, media_type=told.media_type, status_code=told.status, headers=headers)
