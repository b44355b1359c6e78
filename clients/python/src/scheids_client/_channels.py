"""Channels and streams of gRPC, with and without waiting."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from queue import SimpleQueue
from typing import Any, Final
from urllib.parse import SplitResult

import grpc
import grpc.aio

SERVICE_CONFIG: Final = json.dumps(
    {
        "loadBalancingConfig": [{"round_robin": {}}],
        "healthCheckConfig": {"serviceName": "scheids.v1.Referee"},
    }
)
"""Every address in turn, of those whose service says that it is well. Retries are the client's own: see `Retry`."""
OPTIONS: Final[tuple[tuple[str, Any], ...]] = (
    ("grpc.service_config", SERVICE_CONFIG),
    ("grpc.max_receive_message_length", -1),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.min_reconnect_backoff_ms", 5_000),  # which is how long a connection may take to come about
    ("grpc.use_local_subchannel_pool", 1),
)
Metadata = Sequence[tuple[str, str]]


def target_of(address: SplitResult) -> str:
    """An address as gRPC names it; several, separated by commas, are IP addresses."""
    if "," in address.netloc:
        return f"ipv6:{address.netloc}" if "[" in address.netloc else f"ipv4:{address.netloc}"
    return f"dns:///{address.netloc}"


def async_channel(
    target: str, credentials: grpc.ChannelCredentials | None, options: Sequence[tuple[str, Any]]
) -> grpc.aio.Channel:
    """A channel of the running event loop."""
    every = (*OPTIONS, *options)
    if credentials is None:
        return grpc.aio.insecure_channel(target, options=every)
    return grpc.aio.secure_channel(target, credentials, options=every)


def sync_channel(
    target: str, credentials: grpc.ChannelCredentials | None, options: Sequence[tuple[str, Any]]
) -> grpc.Channel:
    """A channel that any thread may use."""
    every = (*OPTIONS, *options)
    if credentials is None:
        return grpc.insecure_channel(target, options=every)
    return grpc.secure_channel(target, credentials, options=every)


class AsyncStream:
    """A stream of requests and answers."""

    def __init__(self, channel: grpc.aio.Channel, path: str, metadata: Metadata, timeout: float) -> None:
        self._call: Any = channel.stream_stream(path)(timeout=timeout, metadata=tuple(metadata))
        self._answers: AsyncIterator[bytes] = self._call.__aiter__()

    async def send(self, data: bytes) -> None:
        await self._call.write(data)

    async def receive(self) -> bytes:
        """The next answer; StopAsyncIteration where there is none."""
        data: bytes = await anext(self._answers)
        return data

    def cancel(self) -> None:
        self._call.cancel()


class Stream:
    """A stream of requests and answers."""

    def __init__(self, channel: grpc.Channel, path: str, metadata: Metadata, timeout: float) -> None:
        self._requests: SimpleQueue[bytes | None] = SimpleQueue()
        method: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(path)
        self._call: Any = method(self._sent(), timeout=timeout, metadata=tuple(metadata))

    def _sent(self) -> Iterator[bytes]:
        while (data := self._requests.get()) is not None:
            yield data

    def send(self, data: bytes) -> None:
        self._requests.put(data)

    def receive(self) -> bytes:
        """The next answer; StopIteration where there is none."""
        data: bytes = next(self._call)
        return data

    def cancel(self) -> None:
        self._requests.put(None)
        self._call.cancel()
