"""The gRPC server: an event loop in a thread of its own, so that neither it nor HTTP's starves the other."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Final, TypeAlias

import grpc
import uvloop
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2

from service.access import Gate
from service.beside import Beside
from service.messages import Limits
from service.rules import Rules
from service.tables import Watcher

from . import referee, tables
from .ending import Ending
from .shedding import Shedding

SERVICES: Final = (referee.SERVICE, tables.SERVICE)
REFLECTION_V1: Final = "grpc.reflection.v1.ServerReflection"
HEALTH_SECONDS: Final = 1
"""How long a stop waits for those who watch the health and do not read what they are told."""
LAST_SECONDS: Final = 1
"""How long a stop waits, when grace is over, for calls that have been cancelled."""

PINGS_MS: Final = 5_000
"""Clients may ping as often as this; by default gRPC would hang up on those who ping within five minutes."""
IDLE_MS: Final = 60_000
DEAD_MS: Final = 20_000
STREAMS: Final = 1_000
"""Calls and watches over one connection; a client that has more keeps the rest until it may."""
PENDING: Final = 5_000
"""Calls that wait to be accepted, from which on gRPC itself cuts some off, of whatever method: health among them. It
does so from 1,000 on where it is not told otherwise."""
GRACE: Final = 1.25
"""How long a connection that has come to its age waits for its streams, in ages: the longest watch is over by then."""

Around: TypeAlias = Callable[[grpc.GenericRpcHandler], grpc.GenericRpcHandler]
"""Puts something around each call of a service."""


def itself(service: grpc.GenericRpcHandler) -> grpc.GenericRpcHandler:
    """Puts nothing around it."""
    return service


def serve(  # noqa: PLR0913 - each is apart from the others
    rules: Rules,
    address: str,
    watcher: Watcher | None = None,
    *,
    beside: Beside,
    gate: Gate | None = None,
    credentials: grpc.ServerCredentials | None = None,
    shared: bool = False,
    connection_seconds: int = 0,
    around: Around = itself,
    longest_wait: float = 0.0,
) -> "GrpcServer":
    """A server that answers by the time this returns. RuntimeError where the address cannot be had.

    Without a watcher tables are off. `shared`: other processes that say so may have the same address. Stopping the
    server stops the watcher, and closes its store for the server's loop. The gate lets calls in; health and reflection
    are for everybody. Connections are told to end at the age of `connection_seconds`, unless that is 0. What takes long
    is done `beside` the event loop. Where calls wait longer than `longest_wait`, in seconds, some are turned away,
    unless that is 0.
    """

    def handlers(ending: Ending) -> Sequence[grpc.GenericRpcHandler]:
        return (
            around(referee.handler(rules, ending, beside, gate)),
            around(tables.handler(watcher, beside, gate)),
            *_reflection(),
        )

    settings = options(rules.limits, connection_seconds, shared=shared)
    return GrpcServer(handlers, Shedding(longest_wait), address, watcher, credentials, settings)


class GrpcServer:
    """A running server; `port` is the one it listens on."""

    port: int

    def __init__(
        self,
        handlers: Callable[[Ending], Sequence[grpc.GenericRpcHandler]],
        shedding: Shedding,
        address: str,
        watcher: Watcher | None,
        credentials: grpc.ServerCredentials | None,
        options: Sequence[tuple[str, int]],
    ) -> None:
        started: Future[int] = Future()
        self._handlers = handlers
        self._shedding = shedding
        self._watcher = watcher
        self._options = options
        self._over: Future[None] = Future()
        self._stop_asked: asyncio.Future[float] | None = None
        self._turn_asked: asyncio.Event | None = None
        self._server: grpc.aio.Server | None = None
        self._hurrying: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(
            target=self._run, args=(address, credentials, started), name="grpc", daemon=True
        )
        self._thread.start()
        self.port = started.result()

    def stop(self, grace: float) -> None:
        """As `end`, and waits for it."""
        self.end(grace)
        self._thread.join()

    def end(self, grace: float) -> "Future[None]":
        """Ends watches, takes no more calls, gives those under way so many seconds; what it gives is done in the end.

        May be called from any thread but the server's own, and more than once: the shortest time holds.
        """
        asked = self._stop_asked
        if asked is not None and self._thread.is_alive():
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                asked.get_loop().call_soon_threadsafe(self._stop_within, asked, grace)
        return self._over

    def turn_away(self) -> None:
        """Reports NOT_SERVING, and serves on: callers go elsewhere. May be called from any thread."""
        asked, turn = self._stop_asked, self._turn_asked
        if asked is not None and turn is not None:
            with contextlib.suppress(RuntimeError):  # as above
                asked.get_loop().call_soon_threadsafe(turn.set)

    def _stop_within(self, asked: "asyncio.Future[float]", grace: float) -> None:
        if not asked.done():
            asked.set_result(grace)
        elif self._server is not None:
            self._hurrying.add(asked.get_loop().create_task(self._server.stop(grace)))

    def _run(self, address: str, credentials: grpc.ServerCredentials | None, started: Future[int]) -> None:
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(self._serve(address, credentials, started))
        except BaseException as error:
            if started.done():
                raise
            started.set_exception(error)
        finally:
            self._over.set_result(None)

    async def _serve(self, address: str, credentials: grpc.ServerCredentials | None, started: Future[int]) -> None:
        self._server = server = grpc.aio.server(options=self._options)
        ending = Ending()
        server.add_generic_rpc_handlers((self._shedding, *self._handlers(ending)))
        states = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(states, server)
        port = (
            server.add_insecure_port(address) if credentials is None else server.add_secure_port(address, credentials)
        )
        async with self._shedding.measuring(server):
            await server.start()
            await states.set(referee.SERVICE, health_pb2.HealthCheckResponse.SERVING)
            on = health_pb2.HealthCheckResponse.SERVING if self._watcher else health_pb2.HealthCheckResponse.NOT_SERVING
            await states.set(tables.SERVICE, on)
            self._stop_asked = asyncio.get_running_loop().create_future()
            self._turn_asked = asyncio.Event()
            turning = asyncio.create_task(_turned(states, self._turn_asked))
            started.set_result(port)
            grace = await self._stop_asked
        try:
            if self._watcher is not None:
                self._watcher.stop()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(states.enter_graceful_shutdown(), HEALTH_SECONDS)
            turning.cancel()
            ending.begin()
            await server.stop(grace)
        finally:
            if self._watcher is not None:
                await _all_over()
                await self._watcher.tables.keeper.store.close()


async def _turned(states: health.aio.HealthServicer, asked: asyncio.Event) -> None:
    """Reports NOT_SERVING once that is asked."""
    await asked.wait()
    await states.enter_graceful_shutdown()


async def _all_over() -> None:
    """Waits for calls that have been cancelled and are yet to let go of what they hold."""
    calls = asyncio.all_tasks() - {asyncio.current_task()}
    if calls:
        await asyncio.wait(calls, timeout=LAST_SECONDS)


def options(limits: Limits, connection_seconds: int = 0, *, shared: bool = False) -> list[tuple[str, int]]:
    """The settings of gRPC itself."""
    age = 1_000 * connection_seconds
    aging = [("grpc.max_connection_age_ms", age), ("grpc.max_connection_age_grace_ms", int(GRACE * age))]
    return [
        *(aging if age else ()),
        ("grpc.max_concurrent_streams", STREAMS),
        ("grpc.server.max_pending_requests", PENDING),
        ("grpc.server.max_pending_requests_hard_limit", 2 * PENDING),
        ("grpc.so_reuseport", int(shared)),
        ("grpc.max_receive_message_length", limits.body_bytes),
        ("grpc.max_send_message_length", -1),
        ("grpc.keepalive_time_ms", IDLE_MS),
        ("grpc.keepalive_timeout_ms", DEAD_MS),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", PINGS_MS),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", PINGS_MS),
    ]


def _reflection() -> tuple[grpc.GenericRpcHandler, ...]:
    """Reflection in both versions that clients ask for: their messages are the same on the wire."""
    servicer = reflection.aio.ReflectionServicer((*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME))
    method = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    return tuple(
        grpc.method_handlers_generic_handler(name, {"ServerReflectionInfo": method})
        for name in (reflection.SERVICE_NAME, REFLECTION_V1)
    )
