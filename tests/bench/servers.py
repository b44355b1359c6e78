"""Servers in processes of their own, for as long as they are measured, and what they take of the processor."""

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.service.running import COMMAND, READY, ROOT, environment

BUILD: Final = ROOT / "build" / "bench"
FOLDER: Final = ContextVar("FOLDER", default=ROOT)
"""Where services are started: one that has an engine compiled is served with that."""
TICK: Final = os.sysconf("SC_CLK_TCK")
PAGE: Final = os.sysconf("SC_PAGE_SIZE")
STOP_SECONDS: Final = 20
READY_SECONDS: Final = 60
POLL_SECONDS: Final = 0.02
PORT: Final = re.compile(r"^(?P<port>\d+)$", re.MULTILINE)


class NotReadyError(RuntimeError):
    """A server ended before it was ready; the message has the last it wrote."""


@dataclass(frozen=True)
class Server:
    """A running server; `found` is what its ready line said."""

    pid: int
    found: Mapping[str, str]

    @property
    def rest(self) -> str:
        """Where REST is served."""
        return self.found.get("rest") or f"http://127.0.0.1:{self.found['port']}"

    @property
    def grpc(self) -> str:
        """Where gRPC is served, host and port."""
        return self.found.get("grpc") or f"127.0.0.1:{self.found['port']}"

    def processor_seconds(self) -> float:
        """How long it and the processes it started have had a processor, in user and system mode."""
        return sum(ticks(pid) for pid in family(self.pid)) / TICK

    def resident_bytes(self) -> list[int]:
        """The memory that each of its processes has, its own first."""
        return [_resident(pid) for pid in family(self.pid)]


def family(pid: int) -> list[int]:
    """A process and all that descend from it and still run."""
    try:
        told = [path.read_text(encoding="ascii") for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except FileNotFoundError:
        return []
    children = [int(child) for text in told for child in text.split()]
    return [pid, *(one for child in children for one in family(child))]


def ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
    return int(fields[11]) + int(fields[12])


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * PAGE


def children_seconds() -> float:
    """How long this process's children that have ended had a processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def started(
    name: str,
    command: Sequence[str],
    ready: re.Pattern[str],
    environ: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
) -> Iterator[Server]:
    """A server, once a line of what it prints matches; what it writes goes to a file of its name."""
    BUILD.mkdir(parents=True, exist_ok=True)
    log = BUILD / f"{name}.log"
    with (
        log.open("wb") as file,
        subprocess.Popen(command, cwd=cwd, env=environ, stdout=file, stderr=file, stdin=subprocess.DEVNULL) as process,
    ):
        try:
            yield Server(process.pid, _wait_for(ready, log, process))
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_for(ready: re.Pattern[str], log: Path, process: "subprocess.Popen[bytes]") -> Mapping[str, str]:
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until and process.poll() is None:
        if match := ready.search(_text(log)):
            return match.groupdict()
        time.sleep(POLL_SECONDS)
    raise NotReadyError(f"{process.args!r} was not ready:\n{_text(log)[-2_000:]}")


def _text(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")


@contextmanager
def scheids(name: str, *arguments: str, **settings: str) -> Iterator[Server]:
    """The service as it comes, with a log line for each request, without tables unless settings turn them on."""
    with started(name, serve(*arguments), READY, service_environment(**settings), FOLDER.get()) as server:
        yield server


def serve(*arguments: str) -> list[str]:
    """The command that starts the service, in `FOLDER` and `service_environment`."""
    return [*COMMAND, "serve", *arguments]


def service_environment(**settings: str) -> dict[str, str]:
    """A service's environment; whatever the working directory does not have comes from this checkout."""
    return environment(SCHEIDS_DRAIN_SECONDS="0", PYTHONPATH=str(ROOT), **settings)


@contextmanager
def bare(kind: str, folder: Path) -> Iterator[Server]:
    """A bare server of the stack that gives the answers in a folder."""
    command = [sys.executable, "-m", "tests.bench.bare.stack", kind, str(folder)]
    with started(f"bare-{kind}", command, PORT) as server:
        yield server
