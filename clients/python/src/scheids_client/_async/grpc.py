"""Over gRPC."""

from collections.abc import Sequence
from typing import Any

import grpc
import grpc.aio

from .. import models
from .._channels import AsyncStream, async_channel
from .._http import headers_of
from .._operations import BATCH, DECIDE, TICKET, WATCH, Operation
from .._protobuf import PACKAGE, error_from, pack, read_answer, read_decided, sized, write_request
from ..errors import own_error
from .transport import Asked, AsyncDecider, AsyncFrames, AsyncTransport

# async only:
Channel = grpc.aio.Channel
# sync only:
#: Channel = grpc.Channel
# end


class AsyncGrpc(AsyncTransport):
    """The service behind a channel, which is opened with the first call."""

    def __init__(
        self, target: str, credentials: grpc.ChannelCredentials | None, options: Sequence[tuple[str, Any]]
    ) -> None:
        self._target = target
        self._credentials = credentials
        self._options = options
        self._opened: Channel | None = None

    @property
    def _channel(self) -> Channel:
        if self._opened is None:
            self._opened = async_channel(self._target, self._credentials, self._options)
        return self._opened

    async def call(self, operation: Operation, request: Any, asked: Asked) -> Any:
        if operation is TICKET:
            raise own_error("UNSUPPORTED_OVER_GRPC", "tickets are for browsers: ask for one over HTTP")
        data = await self._answered(operation, write_request(operation, request), asked)
        return read_answer(f"{operation.method}Response", data)

    async def _answered(self, operation: Operation, data: bytes, asked: Asked) -> bytes:
        method: Any = self._channel.unary_unary(_path(operation.service, operation.method))
        try:
            answer: bytes = await method(data, timeout=asked.timeout, metadata=_metadata(asked))
        except grpc.RpcError as failed:
            raise error_from(failed) from None
        return answer

    def pack(self, name: str, question: Any) -> bytes:
        return pack(name, question)

    async def batch(self, parts: Sequence[bytes], asked: Asked) -> Sequence[models.BatchResult]:
        data = await self._answered(BATCH, b"".join(map(sized, parts)), asked)
        results: Sequence[models.BatchResult] = read_answer("BatchResponse", data).results
        return results

    async def watch(self, request: models.WatchTableRequest, asked: Asked) -> AsyncFrames | None:
        method: Any = self._channel.unary_stream(_path(WATCH.service, WATCH.method))
        return AsyncAnswers(method(write_request(WATCH, request), metadata=_metadata(asked)))

    def decide(self, asked: Asked) -> AsyncDecider:
        # a stream that has come to its time is opened anew, and so is one that hangs
        stream = AsyncStream(self._channel, _path("Referee", DECIDE), _metadata(asked), asked.timeout)
        return AsyncDecisions(stream)

    async def aclose(self) -> None:
        if self._opened is not None:
            await self._opened.close()


def _path(service: str, method: str) -> str:
    return f"/{PACKAGE}.{service}/{method}"


def _metadata(asked: Asked) -> tuple[tuple[str, str], ...]:
    return tuple(headers_of(asked.language, asked.token, asked.api_key).items())


class AsyncAnswers(AsyncFrames):
    """Frames as a call's answers."""

    def __init__(self, call: Any) -> None:
        self._call = call
        self._frames = call.__aiter__()

    async def next(self) -> models.WatchTableResponse | None:
        try:
            data = await anext(self._frames, None)
        except grpc.RpcError as failed:
            raise error_from(failed) from None
        if data is None:
            return None
        frame: models.WatchTableResponse = read_answer("WatchTableResponse", data)
        return frame

    async def aclose(self) -> None:
        self._call.cancel()


class AsyncDecisions(AsyncDecider):
    """A stream of its own."""

    def __init__(self, stream: AsyncStream) -> None:
        self._stream = stream

    async def send(self, part: bytes) -> None:
        try:
            await self._stream.send(sized(part))
        except grpc.RpcError as failed:
            raise error_from(failed) from None

    async def receive(self) -> models.BatchResult:
        try:
            return read_decided(await self._stream.receive())
        except grpc.RpcError as failed:
            raise error_from(failed) from None
        except StopAsyncIteration:
            raise own_error("UNREACHABLE", "the stream broke off") from None

    async def aclose(self) -> None:
        self._stream.cancel()
