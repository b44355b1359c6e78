"""The service put together: the only place that constructs things.

REST runs on the main thread's event loop, gRPC in a thread of its own, both over the same `Rules`.
"""

import gc
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Final, Self

import uvicorn
from litestar.types import ASGIApp
from msgspec import Struct

from . import hosting, metrics, observability
from .beside import Beside
from .config import PREFIX, Settings, version_of_service
from .draining import IDLE_SECONDS, Drain, HttpServer, connection_of_age
from .hosting import CannotStart
from .kinds import Address
from .rules import Rules
from .shedding import LoopWaits
from .signals import Signals
from .transports import connect, grpc, rest

GC_THRESHOLDS: Final = (50_000, 20, 100)
TURN_SECONDS: Final = 0.0005
"""How long a thread has the interpreter while others wait: by default ten times as long, which short calls feel."""
BACKLOG: Final = 2_048


class Ready(Struct, frozen=True):
    """Where the service can be reached, once it can be."""

    rest: Address
    grpc: Address
    probes: Address | None = None
    tls: bool = False


class CannotListen(CannotStart):
    """An address could not be had; the message says which, whose setting it is, and why."""


class Service:
    """One running referee: made with its addresses taken, then `run` until it is told to stop.

    As a context manager it lets go of both addresses in the end, whatever happened.
    """

    def __init__(self, settings: Settings, *, shared: bool = False) -> None:
        """Takes its addresses and starts gRPC. CannotListen where an address is not to be had.

        `shared`: other processes that say so may have the same addresses.
        """
        observability.configure(settings.log_level, traced=settings.traces != "off")
        self._traces = traces = hosting.traces_of(settings)
        metrics.BUILD.labels(version_of_service()).set(1)
        self._decisions = hosting.decisions_of(settings)
        observe = traces.observing(metrics.decided) if traces else metrics.decided
        rules = Rules(settings.limits, observe, self._decisions)
        access = hosting.access_of(settings)
        self._upkeep = access.upkeep
        longest_wait = settings.max_wait_milliseconds / 1_000
        self._beside = beside = Beside(settings.max_long_requests, longest_wait)
        self._watcher = hosting.watcher_of(settings, rules, beside, traces, access.count_reissue)
        certificates = access.certificates
        waits = LoopWaits(longest_wait)
        readiness = rest.Readiness()
        probes = settings.probe_address.address
        with ExitStack() as taken:
            taken.callback(self._send_traces, 0)
            taken.callback(self._close_decisions)
            if self._watcher is not None:
                taken.callback(hosting.close, self._watcher)
            self._socket = taken.enter_context(_listen("HTTP", settings.http_address, "HTTP_ADDRESS", shared=shared))
            self._probes = None
            if probes is not None:
                self._probes = taken.enter_context(_listen("HTTP", probes, "PROBE_ADDRESS", shared=shared))
            try:
                self._grpc = grpc.serve(
                    rules,
                    str(settings.grpc_address),
                    self._watcher,
                    gate=access.gate,
                    credentials=None if certificates is None else grpc.credentials_of(certificates),
                    shared=shared,
                    connection_seconds=settings.connection_seconds,
                    around=hosting.around_calls(traces),
                    beside=beside,
                    longest_wait=longest_wait,
                )
            except (OSError, RuntimeError) as fault:
                raise CannotListen(_cannot("gRPC", settings.grpc_address, "GRPC_ADDRESS", fault)) from fault
            taken.pop_all()
        app = rest.create_app(
            rules,
            self._watcher,
            on_shutdown=[self._close_store],
            readiness=readiness,
            more=connect.routes(rules, self._watcher, beside, access.gate),
            others=dict.fromkeys(connect.PATHS, connect.refused),
            cors_origins=settings.origins,
            gate=access.gate,
            beside=beside,
            waits=waits,
        )
        self.ready = Ready(
            address_of(settings.http_address, self._socket),
            Address.of(settings.grpc_address.host, self._grpc.port),
            None if probes is None or self._probes is None else address_of(probes, self._probes),
            tls=certificates is not None,
        )
        self._drain = Drain(readiness, self._grpc, self._watcher, settings.drain_seconds, settings.shutdown_seconds)
        self._server = HttpServer(
            self._drain,
            waits,
            uvicorn.Config(
                hosting.traced(app, traces),
                loop="uvloop",
                http=connection_of_age(settings.connection_seconds),
                timeout_keep_alive=IDLE_SECONDS,
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=settings.shutdown_seconds,
                ssl_context_factory=None if certificates is None else lambda *_: certificates.renewing_context(),
            ),
            None if self._probes is None else (self._probes, _plain(rest.create_probes(self._watcher, readiness))),
        )

    def run(self, announce: Callable[[Ready], None], signals: Signals | None = None) -> None:
        """Serves until a signal or `stop`; `announce` is called once both transports answer, unless it is to stop then.

        A second signal hurries it.
        """
        self._server.announce = lambda: announce(self.ready)
        if signals is not None:
            signals.tell(self._server.told)
        self._upkeep.start()
        self._server.run(sockets=[self._socket])
        self._send_traces(self._drain.left)

    @property
    def watches(self) -> int:
        """How many watch a table."""
        return 0 if self._watcher is None else self._watcher.watches

    def stop(self) -> None:
        """Tells a running service, from any thread, to finish what it is at and to end."""
        self._server.should_exit = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()
        if self._probes is not None:
            self._probes.close()
        self._grpc.stop(0)
        self._upkeep.stop()
        self._beside.close()
        self._send_traces(0)
        self._close_decisions()

    def _close_decisions(self) -> None:
        if self._decisions is not None:
            self._decisions.close()

    def _send_traces(self, seconds: float) -> None:
        """Sends the traces that are left, within so many seconds."""
        if self._traces is not None:
            self._traces.close(seconds)

    async def _close_store(self) -> None:
        if self._watcher is not None:
            await self._watcher.tables.keeper.store.close()


def settle_process() -> None:
    """Settles a process that only serves: what has been made so far stays, and long work lets others in often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    sys.setswitchinterval(TURN_SECONDS)


def bound(what: str, address: Address, setting: str, *, shared: bool) -> socket.socket:
    """A socket bound here and not by a server, so that a port in use is said plainly and port 0 is known.

    `shared`: with others that say so. CannotListen where the address is not to be had.
    """
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
    except OSError as fault:
        raise CannotListen(_cannot(what, address, setting, fault)) from fault
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        made.bind(where)
    except OSError as fault:
        made.close()
        raise CannotListen(_cannot(what, address, setting, fault)) from fault
    return made


def address_of(asked: Address, taken: socket.socket) -> Address:
    """The address of a socket that one was asked for, with the port that it got."""
    return Address.of(asked.host, taken.getsockname()[1])


def _listen(what: str, address: Address, setting: str, *, shared: bool) -> socket.socket:
    listener = bound(what, address, setting, shared=shared)
    try:
        listener.listen(BACKLOG)
    except OSError as fault:
        listener.close()
        raise CannotListen(_cannot(what, address, setting, fault)) from fault
    return listener


def _plain(app: ASGIApp) -> uvicorn.Config:
    """How an app is served that is for machines nearby: without TLS, whatever the others have."""
    return uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
    )


def _cannot(what: str, address: Address, setting: str, fault: Exception) -> str:
    reason = getattr(fault, "strerror", None) or str(fault)
    return f"{what} cannot be served on {address} ({PREFIX}{setting}): {reason}"
