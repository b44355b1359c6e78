"""One table: code -> gRPC status, HTTP status; and how every refusal becomes a `Problem`."""

from typing import Any, Final

import msgspec
from msgspec import Struct

from engine.violations import (
    ENGLISH,
    IllegalMove,
    ImpossibleState,
    Malformed,
    UnsupportedRuleset,
    Violation,
    localised,
    message,
)

from .messages import Problem, fault_of
from .store import NewerSchema, StoreAway

OK: Final = "OK"
"""Stands where a code would, of what was not refused."""
PROBLEM_TYPE: Final = "about:blank"
_AWAY: Final = "tables cannot be reached just now; ask again, with the same idempotency key"


class Status(Struct, frozen=True):
    """What a code is on each transport, and its title."""

    grpc: str
    http: int
    title: str


STATUSES: Final[dict[str, Status]] = {
    "MALFORMED": Status("INVALID_ARGUMENT", 400, "Malformed request"),
    "TOO_DEEP": Status("INVALID_ARGUMENT", 400, "Nested too deeply"),
    "IMPOSSIBLE_STATE": Status("INVALID_ARGUMENT", 400, "Impossible state"),
    "UNSUPPORTED_RULESET": Status("INVALID_ARGUMENT", 400, "Unsupported ruleset"),
    "NO_ODDS": Status("INVALID_ARGUMENT", 400, "No odds"),
    "LIST_TOO_LONG": Status("INVALID_ARGUMENT", 400, "List too long"),
    "UNKNOWN_GAME": Status("NOT_FOUND", 404, "Unknown game"),
    "NOT_FOUND": Status("UNIMPLEMENTED", 404, "Unknown route"),
    "METHOD_NOT_ALLOWED": Status("UNIMPLEMENTED", 405, "Method not allowed"),
    "NO_API_KEY": Status("UNAUTHENTICATED", 401, "No API key"),
    "INVALID_API_KEY": Status("UNAUTHENTICATED", 401, "Invalid API key"),
    "INVALID_TOKEN": Status("UNAUTHENTICATED", 401, "Invalid token"),
    "NO_TOKEN": Status("UNAUTHENTICATED", 401, "No token"),
    "FORBIDDEN": Status("PERMISSION_DENIED", 403, "Forbidden"),
    "BAD_JOIN_CODE": Status("PERMISSION_DENIED", 403, "Bad join code"),
    "UNKNOWN_TABLE": Status("NOT_FOUND", 404, "Unknown table"),
    "STALE_VERSION": Status("ABORTED", 409, "Stale version"),
    "KEY_REUSED": Status("ALREADY_EXISTS", 409, "Key reused"),
    "TABLE_ENDED": Status("FAILED_PRECONDITION", 409, "Table ended"),
    "NOT_STARTED": Status("FAILED_PRECONDITION", 409, "Not started"),
    "ALREADY_STARTED": Status("FAILED_PRECONDITION", 409, "Already started"),
    "NOTHING_TO_UNDO": Status("FAILED_PRECONDITION", 409, "Nothing to undo"),
    "ENTROPY_CLOSED": Status("FAILED_PRECONDITION", 409, "Entropy closed"),
    "TOO_LARGE": Status("RESOURCE_EXHAUSTED", 413, "Too large"),
    "UNSUPPORTED_MEDIA_TYPE": Status("INVALID_ARGUMENT", 415, "Unsupported media type"),
    "ILLEGAL_MOVE": Status("FAILED_PRECONDITION", 422, "Illegal move"),
    "OVERLOADED": Status("RESOURCE_EXHAUSTED", 429, "Overloaded"),
    "TOO_MUCH_WORK": Status("RESOURCE_EXHAUSTED", 429, "Too much work"),
    "RATE_LIMITED": Status("RESOURCE_EXHAUSTED", 429, "Too many calls"),
    "TABLES_OFF": Status("UNIMPLEMENTED", 501, "Tables are off"),
    "STORE_AWAY": Status("UNAVAILABLE", 503, "Store away"),
    "DEADLINE_EXCEEDED": Status("DEADLINE_EXCEEDED", 504, "Deadline exceeded"),
    "INTERNAL": Status("INTERNAL", 500, "Internal error"),
}


class ServiceError(Exception):
    """A refusal of the service itself; `code` is a key of `STATUSES`."""

    def __init__(self, code: str, detail: str, path: str | None = None, **params: Any) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.path = path
        self.params = params


def code_of(error: Exception) -> str:
    """The code of the problem that a caller is told."""
    return "ILLEGAL_MOVE" if isinstance(error, IllegalMove) else problem_of(error).code


def tables_off() -> ServiceError:
    """What everything of tables says where tables are off."""
    return ServiceError("TABLES_OFF", "this service hosts no tables")


def problem_of(error: Exception, language: str = ENGLISH) -> Problem:
    """The problem a caller is told; an error that is no refusal becomes INTERNAL and tells nothing."""
    match error:
        case IllegalMove():
            refused = localised(error.violation, language)
            return _problem("ILLEGAL_MOVE", refused.message, error.path, refused.params, refused)
        case ImpossibleState():
            detail = message(error.reason, error.params, language)
            return _problem("IMPOSSIBLE_STATE", detail, error.path, {"reason": error.reason.value, **error.params})
        case UnsupportedRuleset():
            return _problem("UNSUPPORTED_RULESET", error.detail, error.path)
        case Malformed():
            return _problem("MALFORMED", error.detail, error.path)
        case RecursionError():
            return _problem("TOO_DEEP", "the body is nested more deeply than any message is", "$")
        case msgspec.ValidationError():
            detail, path = fault_of(error)
            return _problem("MALFORMED", detail, path)
        case msgspec.DecodeError():
            return _problem("MALFORMED", str(error), "$")
        case ServiceError():
            return _problem(error.code, error.detail, error.path, error.params or None)
        case StoreAway():
            return _problem("STORE_AWAY", _AWAY, None, {"maybeDone": int(error.maybe_done)})
        case NewerSchema():
            return _problem("STORE_AWAY", "the table was written by a newer version of this service")
        case _:
            return _problem("INTERNAL", "the service failed; the request was not at fault")


def _problem(
    code: str,
    detail: str,
    path: str | None = None,
    params: dict[str, Any] | None = None,
    violation: Violation | None = None,
) -> Problem:
    status = STATUSES[code]
    return Problem(
        type=PROBLEM_TYPE,
        title=status.title,
        status=status.http,
        code=code,
        detail=detail,
        path=path,
        params=params,
        violation=violation,
    )
