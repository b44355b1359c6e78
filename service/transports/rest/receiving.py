"""What a request brings: its body, no more of it being read than may be."""

import re
from typing import Any, Final, Protocol

from litestar import Request
from litestar.types import Receive

from service.access import HEADER, UNLIMITED, Admission, Gate
from service.errors import ServiceError
from service.messages import Limits
from service.observability import note
from service.tables import bearer

AnyRequest = Request[Any, Any, Any]
JSON: Final = "application/json"
LONGEST_LENGTH: Final = 18
"""Digits of a Content-Length beyond which it need not be read as a number."""
_JSON_TYPE: Final = re.compile(r'\s*application/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*', re.IGNORECASE)


class Asked(Protocol):
    """What endpoints look at of a request, Litestar's or another."""

    @property
    def headers(self) -> Any: ...

    @property
    def query_params(self) -> Any: ...

    @property
    def scope(self) -> Any: ...

    @property
    def receive(self) -> Receive: ...


class Disconnected(Exception):  # noqa: N818 - the caller's choice, not an error
    """The caller went away before its request had arrived."""


async def body_of(
    request: Asked, limits: Limits, *, may_be_empty: bool = False, media_type: str | None = None
) -> bytes:
    """The body, no more of it being read than the limit allows. 413 and 415 where it is not to be read at all.

    One that may be empty needs no type where it is. It is JSON unless another type is named.
    """
    headers = request.headers
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise ServiceError("UNSUPPORTED_MEDIA_TYPE", "the body is to be sent as it is, without a content coding")
    bodiless = may_be_empty and "content-type" not in headers and headers.get("content-length", "0") == "0"
    if not bodiless and not _is_of(headers.get("content-type", ""), media_type):
        expected = "application/json, in UTF-8" if media_type is None else media_type
        raise ServiceError("UNSUPPORTED_MEDIA_TYPE", f"the body is to be {expected}")
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


def token_of(request: Asked) -> str | None:
    """The bearer's token; INVALID_TOKEN where the authorization is another, or there are several."""
    return bearer(request.headers.getall("authorization", []))


def admitted(gate: Gate | None, request: Asked, operation: str) -> Admission:
    """Lets a call of an operation in, as `Gate.admit`; the log says whose key it came with. Without a gate, all."""
    if gate is None:
        return UNLIMITED
    admission = gate.admit(operation, lambda: request.headers.getall(HEADER, []))
    note(request.scope, key=admission.name)
    return admission


def _too_large(limits: Limits) -> ServiceError:
    return ServiceError("TOO_LARGE", f"a body has at most {limits.body_bytes} bytes")


def _is_of(content_type: str, media_type: str | None) -> bool:
    if media_type is not None:
        return content_type.lower() == media_type
    return content_type == JSON or _JSON_TYPE.fullmatch(content_type) is not None
