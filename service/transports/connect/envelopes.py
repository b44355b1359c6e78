"""The bytes of Connect: messages of streams in envelopes, and refusals as JSON."""

import base64
import json
from typing import Any, Final

from service.errors import problem_of
from service.transports.grpc.status import code_of, status_of

PROTO: Final = "application/proto"
STREAMED: Final = "application/connect+proto"
LAST: Final = b"\x02"
MESSAGE: Final = b"\x00"
_LENGTH: Final = 4
_HEAD: Final = 1 + _LENGTH

STATUSES: Final = {
    "canceled": 499,
    "invalid_argument": 400,
    "deadline_exceeded": 504,
    "not_found": 404,
    "already_exists": 409,
    "permission_denied": 403,
    "resource_exhausted": 429,
    "failed_precondition": 400,
    "aborted": 409,
    "unimplemented": 501,
    "internal": 500,
    "unavailable": 503,
    "unauthenticated": 401,
}
"""The HTTP status of each Connect code, as the protocol has it."""


def enveloped(kind: bytes, data: bytes) -> bytes:
    """A message of a stream."""
    return kind + len(data).to_bytes(_LENGTH, "big") + data


def opened(body: bytes) -> bytes | None:
    """The one message of a stream's request; None where it is not just that."""
    if len(body) < _HEAD or body[:1] != MESSAGE or int.from_bytes(body[1:_HEAD], "big") != len(body) - _HEAD:
        return None
    return body[_HEAD:]


def refusal(error: Exception, language: str) -> tuple[dict[str, Any], int, str]:
    """A refusal as Connect tells it, its HTTP status, and the problem's code."""
    problem = problem_of(error, language)
    status = status_of(problem)
    code = code_of(problem).name.lower().replace("cancelled", "canceled")
    details = [
        {
            "type": detail.type_url.rpartition("/")[2],
            "value": base64.b64encode(detail.value).decode().rstrip("="),
        }
        for detail in status.details
    ]
    return {"code": code, "message": status.message, "details": details}, STATUSES[code], problem.code


def last(told: dict[str, Any] | None = None) -> bytes:
    """The end of a stream, with its refusal where there is one."""
    return enveloped(LAST, json.dumps({} if told is None else {"error": told}).encode())
