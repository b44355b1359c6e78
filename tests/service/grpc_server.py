"""A real server for the tests of gRPC, and what its refusals carry."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import grpc
import msgspec
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from grpc_status import rpc_status

from service.messages import Limits
from service.rules import Rules
from service.transports.grpc import serve
from service.wire.gen.scheids.v1 import common_pb2

LIMITS = Limits(body_bytes=65_536, nesting=32, batch_calls=20, legal_moves=100, record_moves=400, work=300)


@contextmanager
def served(limits: Limits = LIMITS) -> Iterator[grpc.Channel]:
    """A channel to a real server."""
    server = serve(Rules(limits), "127.0.0.1:0")
    try:
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            yield channel
    finally:
        server.stop(0)


def raw(channel: grpc.Channel, method: str) -> Callable[..., bytes]:
    """A method from bytes to bytes."""
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/scheids.v1.Referee/{method}")
    return call


def raw_decide(channel: grpc.Channel) -> Callable[..., Iterator[bytes]]:
    """The stream from bytes to bytes."""
    call: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/scheids.v1.Referee/Decide")
    return call


class Refused(msgspec.Struct):
    """How a call was refused."""

    code: str
    message: str
    info: ErrorInfo
    problem: common_pb2.Problem
    bad: BadRequest | None = None
    retry: RetryInfo | None = None

    @property
    def path(self) -> str:
        """The path of the fault."""
        return self.problem.path


def refused(call: Callable[[], object]) -> Refused:
    """The refusal that the call ends with."""
    try:
        answer = call()
    except grpc.RpcError as error:
        return _read(error)
    raise AssertionError(f"not refused: {answer}")


def code_of(error: grpc.RpcError) -> str:
    """The name of the status that a call failed with."""
    name: str = cast("Any", error).code().name
    return name


def _read(error: grpc.RpcError) -> Refused:
    status = rpc_status.from_call(cast("grpc.Call", error))
    assert isinstance(status, Status), error
    kinds = {"info": ErrorInfo, "problem": common_pb2.Problem, "bad": BadRequest, "retry": RetryInfo}
    found: dict[str, Any] = {}
    for name, kind in kinds.items():
        for detail in status.details:
            if detail.Is(kind.DESCRIPTOR):
                found[name] = kind()
                assert detail.Unpack(found[name])
    return Refused(code_of(error), status.message, **found)
