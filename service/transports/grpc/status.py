"""Every refusal as a google.rpc.Status: the code and what is wrong, and the same for programs in its details."""

from collections.abc import Mapping
from typing import Final

import grpc
import msgspec
from google.protobuf.any_pb2 import Any as Detail
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]

from service.batch import retry_after
from service.errors import STATUSES
from service.messages import Problem
from service.wire.codec import CODEC

DOMAIN: Final = "scheids"
DETAILS_KEY: Final = "grpc-status-details-bin"
LONGEST_DETAIL: Final = 400
"""In bytes. Clients refuse more than 8 KB of metadata, and a detail is in it four times."""
BAD_REQUEST: Final = 400
PASSING: Final = frozenset({"OVERLOADED", "TOO_MUCH_WORK", "RATE_LIMITED", "STORE_AWAY"})
"""What waiting helps against."""

_write_problem: Final = CODEC.writer("Problem")
_PROBLEM_URL: Final = "type.googleapis.com/scheids.v1.Problem"


def code_of(problem: Problem) -> grpc.StatusCode:
    """The gRPC status of a problem."""
    return grpc.StatusCode[STATUSES[problem.code].grpc]


def shortened(text: str) -> str:
    """The text, cut where it is too long for metadata."""
    data = text.encode(errors="replace")
    return text if len(data) <= LONGEST_DETAIL else data[: LONGEST_DETAIL - 3].decode(errors="ignore") + "..."


def status_of(problem: Problem) -> Status:
    """The status, with its details."""
    problem = msgspec.structs.replace(problem, detail=shortened(problem.detail))
    status = Status(code=code_of(problem).value[0], message=problem.detail)
    for message in _details(problem):
        status.details.add().Pack(message)
    status.details.append(Detail(type_url=_PROBLEM_URL, value=_write_problem(problem)))
    return status


def _details(problem: Problem) -> list[Message]:
    metadata = {name: shortened(_spoken(value)) for name, value in (problem.params or {}).items()}
    if problem.violation is not None:
        metadata |= {"violation": problem.violation.code.value, "clause": problem.violation.clause}
    details: list[Message] = [ErrorInfo(reason=problem.code, domain=DOMAIN, metadata=metadata)]
    if problem.path is not None and problem.status == BAD_REQUEST:
        fault = BadRequest.FieldViolation(field=problem.path, description=problem.detail, reason=problem.code)
        details.append(BadRequest(field_violations=[fault]))
    if problem.code in PASSING:
        details.append(RetryInfo(retry_delay=Duration(seconds=retry_after(problem))))
    return details


def _spoken(value: object) -> str:
    match value:
        case str():
            return value
        case list() | tuple():
            return " ".join(map(str, value))
        case Mapping():
            return msgspec.json.encode(value).decode()
    return str(value)
