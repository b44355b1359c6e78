"""A real server for the tests of gRPC, and what its refusals carry."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import grpc
import msgspec
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from grpc_status import rpc_status

from service.beside import Beside
from service.messages import Limits
from service.rules import Rules
from service.store.sqlite import SqliteStore
from service.tables import TableLimits, Tables, Tokens, Watcher
from service.transports.grpc import serve
from service.wire.gen.scheids.v1 import common_pb2

LIMITS = Limits(body_bytes=65_536, nesting=32, batch_calls=20, legal_moves=100, record_moves=400, work=300)


@contextmanager
def served(limits: Limits = LIMITS, watcher: Watcher | None = None) -> Iterator[grpc.Channel]:
    """A channel to a real server, which hosts tables where it has a watcher."""
    beside = Beside()
    server = serve(Rules(limits), "127.0.0.1:0", watcher, beside=beside)
    try:
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            yield channel
    finally:
        server.stop(0)
        beside.close()


def watcher_over(path: Path, **settings: Any) -> Watcher:
    """Tables in a file, and their watcher."""
    tokens = Tokens(["a secret of thirty-two bytes, or more"], 3_600, 60, time.time)
    store = SqliteStore(path, synchronous="NORMAL")
    limits = TableLimits(ttl_seconds=600, most_ttl_seconds=3_600)
    tables = Tables(store, tokens, Rules(LIMITS), limits, beside=Beside())
    return Watcher(tables, **settings)


def raw(channel: grpc.Channel, method: str, service: str = "Referee") -> Callable[..., bytes]:
    """A method from bytes to bytes."""
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/scheids.v1.{service}/{method}")
    return call


def raw_watch(channel: grpc.Channel) -> Callable[..., Any]:
    """The stream of a table's frames from bytes to bytes."""
    call: grpc.UnaryStreamMultiCallable[bytes, bytes] = channel.unary_stream("/scheids.v1.Tables/WatchTable")
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
