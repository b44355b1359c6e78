"""Messages of the protos: their classes, from structs to bytes and back, and what a failed call carries."""

from functools import cache
from typing import Any, Final

import grpc
from google.protobuf import any_pb2, struct_pb2
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from . import models
from ._codec import READERS, WRITERS
from ._operations import ASKED, Operation
from ._requests import not_encodable
from ._wire import PROTOS
from .errors import ScheidsError, error_of, own_error

PACKAGE: Final = "scheids.v1"
DETAILS: Final = "grpc-status-details-bin"
_PROBLEM: Final = f"type.googleapis.com/{PACKAGE}.Problem"
_SMALL: Final = 128


def _pool() -> DescriptorPool:
    """A pool of this client's own, so that no other package's protos can disagree with its."""
    pool = DescriptorPool()
    for data in (any_pb2.DESCRIPTOR.serialized_pb, struct_pb2.DESCRIPTOR.serialized_pb, *PROTOS):
        pool.AddSerializedFile(data)
    return pool


_POOL: Final = _pool()


@cache
def message(name: str) -> Any:
    """The class of a message."""
    return GetMessageClass(_POOL.FindMessageTypeByName(name if "." in name else f"{PACKAGE}.{name}"))


def write_request(operation: Operation, request: Any) -> bytes:
    """A request's bytes. Malformed where something in it cannot be sent."""
    return _written(f"{operation.method}Request", request)


def _written(name: str, value: Any) -> bytes:
    made = message(name)()
    if name in WRITERS:
        try:
            WRITERS[name](made, value)
        except (AttributeError, KeyError, TypeError, ValueError) as fault:
            raise not_encodable(fault) from None
    data: bytes = made.SerializeToString()
    return data


def read_answer(name: str, data: bytes) -> Any:
    """The struct that a message's bytes mean."""
    try:
        return READERS[name](message(name).FromString(data))
    except (DecodeError, KeyError, ValueError) as fault:
        raise own_error("UNREADABLE_ANSWER", f"not a {name} that this client can read: {fault!r}") from None


def pack(name: str, question: Any) -> bytes:
    """A BatchCall's bytes."""
    kind, operation = ASKED[type(question)]
    call = message("BatchCall")(id=name)
    held = getattr(call, kind)
    held.SetInParent()
    try:
        WRITERS[f"{operation.method}Request"](held, question)
    except (AttributeError, KeyError, TypeError, ValueError) as fault:
        raise not_encodable(fault) from None
    data: bytes = call.SerializeToString()
    return data


def sized(data: bytes) -> bytes:
    """A message as the first field of another."""
    size, head = len(data), bytearray(b"\n")
    while size >= _SMALL:
        head.append(size & (_SMALL - 1) | _SMALL)
        size >>= 7
    head.append(size)
    return bytes(head) + data


def read_decided(data: bytes) -> models.BatchResult:
    """The result in a DecideResponse."""
    try:
        result: models.BatchResult = READERS["BatchResult"](message("DecideResponse").FromString(data).result)
    except (DecodeError, KeyError, ValueError) as fault:
        raise own_error("UNREADABLE_ANSWER", f"not a DecideResponse that this client can read: {fault!r}") from None
    return result


_OWN: Final = {
    grpc.StatusCode.UNAVAILABLE: "UNREACHABLE",
    grpc.StatusCode.CANCELLED: "UNREACHABLE",  # by the server, which stops
    grpc.StatusCode.DEADLINE_EXCEEDED: "DEADLINE_EXCEEDED",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "TOO_LARGE",
    grpc.StatusCode.UNIMPLEMENTED: "NOT_FOUND",
}
"""What a status without details means: it is gRPC's own, not the service's."""


def error_from(failed: Any) -> ScheidsError:
    """The exception for a call that gRPC says has failed."""
    for key, value in failed.trailing_metadata() or ():
        if key == DETAILS:
            for detail in message("google.rpc.Status").FromString(value).details:
                if detail.type_url == _PROBLEM:
                    return error_of(read_answer("Problem", detail.value))
    code = failed.code()
    return own_error(_OWN.get(code, "UNREADABLE_ANSWER"), f"{code.name}: {failed.details()}")
