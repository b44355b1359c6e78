"""The HTTP server, and how it and gRPC's end: callers are sent elsewhere first, and what is under way is finished."""

import asyncio
import random
import socket
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .shedding import LoopWaits
from .tables import Watcher
from .transports import rest
from .transports.grpc import GrpcServer
from .transports.rest.gathering import Gathering

TICK_SECONDS: Final = 0.1
LAST_SECONDS: Final = 1.0
"""How long traces may be sent though the time of the shutdown is over."""
IDLE_SECONDS: Final = 75
"""How long a connection may be idle: longer than clients and proxies keep theirs, so that none is used as it closes."""
HANDSHAKE_SECONDS: Final = 10.0
"""How long a caller may take to begin to speak TLS."""
PARTING_SECONDS: Final = 1.0
"""How long it may take to answer that TLS is over: those who keep a connection for later do not look."""
SPREAD: Final = 0.1
"""By what share ages differ, so that connections made at once do not end at once; gRPC has the same."""
ACCEPTED: Final = 256
"""The most connections that are accepted at once."""
CLOSE: Final = (b"connection", b"close")


@dataclass
class Drain:
    """What comes before the end: callers are told to go elsewhere, given time to, and those who watch are let go."""

    readiness: rest.Readiness
    grpc: GrpcServer
    watcher: Watcher | None
    seconds: int
    grace: int
    _until: float = 0.0

    @property
    def left(self) -> float:
        """How many seconds of the shutdown are left for what comes last, which has a moment at least."""
        return max(self._until - time.monotonic(), LAST_SECONDS)

    async def drained(self, hurried: Callable[[], bool]) -> None:
        """Turns readiness and health, goes on serving for a while, unless hurried, and ends watches."""
        self.readiness.stopping = True
        self.grpc.turn_away()
        until = asyncio.get_running_loop().time() + self.seconds
        while asyncio.get_running_loop().time() < until and not hurried():  # noqa: ASYNC110 - uvicorn tells by a flag
            await asyncio.sleep(TICK_SECONDS)
        self._until = time.monotonic() + self.grace
        if self.watcher is not None:
            self.watcher.stop()

    def end_grpc(self) -> "asyncio.Future[None]":
        """Begins to end gRPC, so that it ends while HTTP does; done once it has."""
        return asyncio.wrap_future(self.grpc.end(self.grace))

    async def ended(self, ending: "asyncio.Future[None]", hurried: Callable[[], bool]) -> None:
        """Waits until gRPC has ended, which it does at once where it is hurried."""
        while not ending.done() and not hurried():
            await asyncio.wait({ending}, timeout=TICK_SECONDS)
        if hurried():
            self._until = 0.0
            self.grpc.end(0)
        await ending


class HttpServer(uvicorn.Server):
    """uvicorn that says when it listens, and sends callers elsewhere before it stops listening.

    libuv accepts one connection at each turn of the event loop. While turns are long that is too few, and probes, which
    come over new connections, would be among those who wait: then all are accepted that are there.
    """

    announce: Callable[[], None]

    def __init__(
        self,
        drain: Drain,
        waits: LoopWaits,
        config: uvicorn.Config,
        beside: tuple[socket.socket, uvicorn.Config] | None = None,
    ) -> None:
        """`beside` is served too, at a socket of its own."""
        super().__init__(config)
        self._drain = drain
        self._waits = waits
        self._beside = beside
        self._accepting: set[asyncio.Task[Any]] = set()
        self._announced = False

    def told(self, times: int) -> None:
        """Ends it; where it has been told more than once, without waiting for anybody."""
        self.force_exit = times > 1
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leaves signals to whoever calls `told`: uvicorn heeds none before it runs, and no second SIGTERM."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.config.encoded_headers = [*self.config.encoded_headers, CLOSE]
        telling_time = asyncio.create_task(self._tell_time())
        await self._drain.drained(lambda: self.force_exit or not self._announced)
        ending = self._drain.end_grpc()
        await super().shutdown(sockets)
        if self.force_exit:  # then uvicorn leaves it out
            await self.lifespan.shutdown()
        await self._drain.ended(ending, lambda: self.force_exit)
        telling_time.cancel()

    async def _tell_time(self) -> None:
        """Has what every answer says besides its own, the time among it, be true: uvicorn itself no longer does."""
        while True:
            await self.on_tick(0)
            await asyncio.sleep(1)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup([])
        served = [(at, self.config) for at in sockets or ()]
        if self._beside is not None:
            self._beside[1].load()
            served.append(self._beside)
        for at, config in served:
            self.servers.append(await self._served(at, config))
        self._waits.when_late = lambda: self._accept(served)
        if not self.should_exit:
            self._announced = True
            self.announce()

    async def _served(self, at: socket.socket, config: uvicorn.Config) -> asyncio.Server:
        """What uvicorn would listen with; a caller who does not answer the end of TLS is not waited for as long."""
        return await asyncio.get_running_loop().create_server(
            lambda: self._connection(config), sock=at, backlog=config.backlog, **_tls(config)
        )

    def _accept(self, served: list[tuple[socket.socket, uvicorn.Config]]) -> None:
        """Accepts the connections that are there."""
        loop = asyncio.get_running_loop()
        for listener, config in served:
            with suppress(OSError):  # there are no more, or it has been closed
                for _ in range(ACCEPTED):
                    accepted, _ = listener.accept()
                    accepted.setblocking(False)  # noqa: FBT003 - the name of the method says what is meant
                    made = loop.connect_accepted_socket(partial(self._connection, config), accepted, **_tls(config))
                    task = loop.create_task(made)
                    self._accepting.add(task)
                    task.add_done_callback(self._accepted)

    def _accepted(self, task: "asyncio.Task[Any]") -> None:
        self._accepting.discard(task)
        if not task.cancelled():
            task.exception()  # of a handshake that failed, which is the caller's business

    def _connection(self, config: uvicorn.Config) -> asyncio.Protocol:
        made: Any = config.http_protocol_class
        protocol: asyncio.Protocol = made(config=config, server_state=self.server_state, app_state=self.lifespan.state)
        return protocol


def _tls(config: uvicorn.Config) -> dict[str, Any]:
    if config.ssl is None:
        return {}
    return {
        "ssl": config.ssl,
        "ssl_handshake_timeout": HANDSHAKE_SECONDS,
        "ssl_shutdown_timeout": PARTING_SECONDS,
    }


def connection_of_age(seconds: int) -> type[asyncio.Protocol]:
    """A kind of connection that is closed with the first answer after so many seconds, more or less; 0: never."""

    class Connection(HttpToolsProtocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.transport = Gathering(transport, self.loop)  # type: ignore[assignment]
            age = seconds * random.uniform(1 - SPREAD, 1 + SPREAD)  # noqa: S311 - a spread
            self._until = self.loop.time() + age if seconds else float("inf")

        def on_headers_complete(self) -> None:
            super().on_headers_complete()
            if self.loop.time() >= self._until:
                self.cycle.keep_alive = False

    return Connection
