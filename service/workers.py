"""Several processes that share both ports, and the one that watches over them.

Each is a whole service, which the kernel gives its share of connections (SO_REUSEPORT). Who watches over them binds
both ports and listens on neither: they stay taken while workers come and go, and one that another service has is found
in use.
"""

import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from tempfile import TemporaryDirectory
from typing import Final

import structlog
from msgspec.structs import replace
from prometheus_client.multiprocess import mark_process_dead

from . import metrics, observability
from .app import Ready, Service, address_of, bound, settle_process
from .config import Settings
from .hosting import CannotStart
from .kinds import Address, OtherAddress
from .signals import Signals

FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 10.0
"""How long a worker that fails again and again before it is ready is not started anew."""

_context: Final = multiprocessing.get_context("spawn")


class WorkerFailed(CannotStart):
    """A worker ended before it was ready; the message is what it said of that."""


class Workers:
    """So many services of the same settings, as one: `run` until it is told to stop."""

    def __init__(self, settings: Settings) -> None:
        """Takes both ports. CannotListen where one is not to be had."""
        observability.configure(settings.log_level)
        with ExitStack() as stack:
            http = stack.enter_context(_taken("HTTP", settings.http_address, "HTTP_ADDRESS"))
            grpc = stack.enter_context(_taken("gRPC", settings.grpc_address, "GRPC_ADDRESS"))
            asked = settings.probe_address.address
            probes = asked and address_of(asked, stack.enter_context(_taken("HTTP", asked, "PROBE_ADDRESS")))
            self._ports = stack.pop_all()
        self.ready = Ready(
            address_of(settings.http_address, http),
            address_of(settings.grpc_address, grpc),
            probes,
            tls=settings.tls_files is not None,
        )
        self._settings = replace(
            settings,
            http_address=self.ready.rest,
            grpc_address=self.ready.grpc,
            probe_address=OtherAddress(str(probes or "")),
        )
        self._told = 0
        self._woken, self._waker = _context.Pipe(duplex=False)

    def run(self, announce: Callable[[Ready], None], signals: Signals) -> None:
        """Serves until a signal comes; `announce` is called once every worker answers.

        A worker that dies is replaced. WorkerFailed where one cannot start at the first.
        """
        signals.tell(self._signalled)
        with self._ports, TemporaryDirectory(prefix="scheids-metrics-") as folder:
            workers = [_Worker(self._settings, folder) for _ in range(self._settings.workers)]
            try:
                if self._all_started(workers):
                    announce(self.ready)
                    self._watch_over(workers)
            finally:
                self._end(workers)

    def _signalled(self, times: int) -> None:
        self._told = times
        self._waker.send_bytes(b"!")

    def _wait(self, workers: "list[_Worker]", seconds: float | None = None) -> None:
        """Waits for news of a worker, or a signal."""
        pipes = [worker.news for worker in workers if not worker.is_over]
        if self._woken in wait([self._woken, *pipes], seconds):
            self._woken.recv_bytes()

    def _all_started(self, workers: "list[_Worker]") -> bool:
        while not self._told and not all(worker.is_ready for worker in workers):
            self._wait(workers)
            for worker in workers:
                worker.hear()
                if worker.is_over:
                    raise WorkerFailed(worker.complaint or "a worker ended before it was ready")
        return not self._told

    def _watch_over(self, workers: "list[_Worker]") -> None:
        while not self._told:
            now = time.monotonic()
            for at, worker in enumerate(workers):
                worker.hear()
                if worker.is_over and worker.again_at <= now:
                    mark_process_dead(worker.process.pid, worker.folder)  # type: ignore[no-untyped-call]
                    structlog.get_logger().error("worker replaced", code=worker.process.exitcode, why=worker.complaint)
                    workers[at] = worker.successor()
            due = [worker.again_at - now for worker in workers if worker.is_over]
            self._wait(workers, max(0.0, min(due)) if due else None)

    def _end(self, workers: "list[_Worker]") -> None:
        """Tells workers to stop, again for each signal more, until all have."""
        told = 0
        while any(not worker.is_over for worker in workers):
            while told < max(1, self._told):
                told += 1
                for worker in workers:
                    worker.tell(signal.SIGTERM)
            self._wait(workers)
            for worker in workers:
                worker.hear()
        for worker in workers:
            worker.process.join()


class _Worker:
    """A process, and what has been heard of it. Its pipe ends when it does; the process ends when the pipe does.

    `folder` is where it keeps what it counts.
    """

    def __init__(self, settings: Settings, folder: str, pause: float = 0.0) -> None:
        self._settings = settings
        self.folder = folder
        self._pause = pause
        self.news, told = _context.Pipe()
        self.process: BaseProcess = _context.Process(target=_work, args=(settings, told), name="scheids-worker")
        os.environ[metrics.FOLDER] = folder
        try:
            self.process.start()
        finally:
            del os.environ[metrics.FOLDER]
        told.close()
        self.is_ready = False
        self.is_over = False
        self.complaint: str | None = None
        self.again_at = 0.0

    def hear(self) -> None:
        """Takes in whatever it has said."""
        while not self.is_over and self.news.poll():
            try:
                said = self.news.recv()
            except (EOFError, ConnectionError):
                self.process.join()
                self.is_over = True
                self.news.close()
                if not self.is_ready:
                    self._pause = min(LONGEST_PAUSE, max(FIRST_PAUSE, 2 * self._pause))
                    self.again_at = time.monotonic() + self._pause
                return
            if said is None:
                self.is_ready, self._pause = True, 0.0
            else:
                self.complaint = said

    def successor(self) -> "_Worker":
        """Another in its place."""
        return _Worker(self._settings, self.folder, self._pause)

    def tell(self, number: int) -> None:
        """Sends a signal, if it is still there."""
        if not self.is_over and self.process.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, number)


def _work(settings: Settings, told: Connection) -> None:
    """A worker's whole life."""
    os.setpgrp()  # Ctrl-C is for the one that watches over it
    signals = Signals()
    try:
        with Service(settings, shared=True) as service:
            settle_process()
            metrics.keep_shown()
            threading.Thread(target=_stop_with, args=(told, service), name="watched-over", daemon=True).start()
            service.run(lambda _: told.send(None), signals)
    except CannotStart as fault:
        told.send(str(fault))
        sys.exit(1)


def _stop_with(told: Connection, service: Service) -> None:
    """Stops the service once nobody watches over it any more."""
    with suppress(EOFError, OSError):
        told.recv()
    service.stop()


@contextmanager
def _taken(what: str, address: Address, setting: str) -> Iterator[socket.socket]:
    """A socket that keeps a port for those who share it, once it is sure that nobody has it already."""
    if address.port:
        bound(what, address, setting, shared=False).close()
    with bound(what, address, setting, shared=True) as kept:
        yield kept
