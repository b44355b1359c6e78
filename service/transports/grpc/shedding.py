"""Calls that are turned away, before anything of them is read, while more come than can be answered.

gRPC's core takes calls in and lets them wait until Python accepts them, one at each turn of the event loop: it is there
that they queue, and nothing tells how long. So a probe is sent the same way, over a socket that only this process's
user can reach, and it waits as long as any call does.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from tempfile import TemporaryDirectory
from typing import Final

import grpc
import structlog

from service.observability import facts_of
from service.shedding import Waits, overloaded

from . import referee, tables
from .calls import refusing

PROBE: Final = "/probe/Wait"
PROBE_SECONDS: Final = 0.1


class Shedding(grpc.GenericRpcHandler):
    """The handler that is asked first: it refuses calls, or leaves them to those after it.

    Health is always answered. Lives in the server's event loop.
    """

    def __init__(self, longest_wait: float) -> None:
        """`longest_wait` is in seconds; 0: nobody is turned away."""
        self._waits = Waits(longest_wait, spares=True)
        self._sent: float | None = None
        self._waited = 0.0
        self._accepted = 0
        self._answer: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(_nothing)
        names = {
            referee.SERVICE: {*referee.METHODS, referee.DECIDE},
            tables.SERVICE: {*tables.OPERATIONS, tables.WATCH},
        }
        self._refusals = {
            f"/{service}/{name}": refusing(name, overloaded) for service, its in names.items() for name in its
        }

    def service(self, details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes] | None":
        if details.method == PROBE:
            self._arrived()
            return self._answer
        self._accepted += 1
        waited = self._waited
        if self._sent is not None:
            now = time.monotonic()
            waited = max(waited, now - self._sent)
            self._waits.saw(waited, now)
        if self._waits.is_too_long(waited):
            return self._refusals.get(details.method)
        return None

    @asynccontextmanager
    async def measuring(self, server: grpc.aio.Server) -> AsyncIterator[None]:
        """Around a server's start and run, where there is a longest wait: sends it probes."""
        async with AsyncExitStack() as stack:
            if self._waits.longest:
                try:
                    folder = stack.enter_context(TemporaryDirectory(prefix="scheids-"))
                    address = f"unix:{folder}/probe"
                    server.add_insecure_port(address)
                except (OSError, RuntimeError) as fault:
                    structlog.get_logger().warning("gRPC calls are never turned away", **facts_of(fault))
                else:
                    probing = asyncio.create_task(self._probe_at(address))
                    stack.push_async_callback(_cancelled, probing)
            yield

    async def _probe_at(self, address: str) -> None:
        """Sends probes; none while nobody else calls."""
        accepted = 0
        async with grpc.aio.insecure_channel(address) as channel:
            probe: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(PROBE)
            while True:
                await asyncio.sleep(PROBE_SECONDS)
                if self._accepted == accepted:
                    self._waited = 0.0
                    self._waits.saw(0.0, time.monotonic())
                    continue
                accepted = self._accepted
                self._sent = time.monotonic()
                with suppress(grpc.RpcError):
                    await probe(b"")
                self._arrived()

    def _arrived(self) -> None:
        """A probe has been accepted, or has failed; it is told once."""
        if self._sent is not None:
            now = time.monotonic()
            self._waited = now - self._sent
            self._sent = None
            self._waits.saw(self._waited, now)


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def _nothing(data: bytes, _: object) -> bytes:
    return data
