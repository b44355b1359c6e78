"""Every refusal as problem details (RFC 9457), Litestar's own among them."""

from http import HTTPStatus
from typing import Any, Final

from litestar import Request, Response
from litestar.exceptions import HTTPException

from service.batch import retry_after
from service.errors import ServiceError, problem_of
from service.language import negotiate
from service.observability import CLIENT_CLOSED, facts_of, note

from .bodies import encode
from .endpoints import Told, response_of
from .receiving import Asked, Disconnected

PROBLEM_JSON: Final = "application/problem+json"

_CODES: Final = {
    HTTPStatus.NOT_FOUND: ("NOT_FOUND", "there is nothing here; /docs shows what there is"),
    HTTPStatus.METHOD_NOT_ALLOWED: ("METHOD_NOT_ALLOWED", "not with this method; Allow names those there are"),
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: ("UNSUPPORTED_MEDIA_TYPE", "the body is to be application/json"),
}


def respond(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """What Litestar answers to a request that raised."""
    return response_of(told_of(request, error))


def told_of(request: Asked, error: Exception) -> Told:
    """The answer to a request that raised; what was no refusal is noted for the log and told to nobody."""
    if isinstance(error, Disconnected):
        return Told(b"", status=CLIENT_CLOSED)
    language = negotiate(request.headers.get("accept-language"))
    headers: dict[str, str] = {}
    if isinstance(error, HTTPException) and error.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
        headers = dict(error.headers or {})
        error = _refusal(error)
    problem = problem_of(error, language)
    if problem.code == "INTERNAL":
        note(request.scope, **facts_of(error))
    if problem.status == HTTPStatus.TOO_MANY_REQUESTS:
        headers["Retry-After"] = str(retry_after(problem))
    note(request.scope, code=problem.code)
    return Told(encode(problem), headers, problem.status, PROBLEM_JSON)


def _refusal(error: HTTPException) -> ServiceError:
    """What Litestar refuses, in this service's codes."""
    code, detail = _CODES.get(HTTPStatus(error.status_code), ("MALFORMED", error.detail))
    return ServiceError(code, detail)
