"""SIGTERM and Ctrl-C at any moment: before the service is there, while it starts, and once more while it ends."""

import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from tests.service.running import SECONDS, read_ready, started
from tests.service.test_workers import eventually, sockets_of, workers_of

LONG: Final = "60"
"""Seconds of the drain and of the shutdown: none of these tests waits so long."""
HALF: Final = b"POST /v1/deal HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
BOTH: Final = pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
EITHER: Final = pytest.mark.parametrize("arguments", [(), ("--workers", "2")], ids=["one process", "workers"])


def handles(pid: int, number: int) -> bool:
    """Whether a process has a handler of its own for a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def ends(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Its exit code and what it wrote, once it has ended."""
    out, errors = process.communicate(timeout=SECONDS)
    return process.returncode, out, errors


def told(process: subprocess.Popen[str], number: int, when: Callable[[], bool]) -> tuple[int, str, str]:
    """Signals once something holds: how it ends."""
    eventually(when)
    process.send_signal(number)
    return ends(process)


@EITHER
def test_stopped_as_soon_as_it_listens_to_signals(arguments: tuple[str, ...]) -> None:
    with started(*arguments, SCHEIDS_TABLES="off", SCHEIDS_DRAIN_SECONDS=LONG) as process:
        code, out, errors = told(process, signal.SIGTERM, lambda: handles(process.pid, signal.SIGTERM))
    assert (code, out) == (0, ""), errors
    assert "Traceback" not in errors


@BOTH
def test_stopped_while_it_takes_its_addresses(number: int) -> None:
    with started(SCHEIDS_DRAIN_SECONDS=LONG) as process:
        code, out, errors = told(process, number, lambda: sockets_of(process.pid) > 0)
    assert (code, out) == (0, ""), errors
    assert "Traceback" not in errors


def test_workers_are_stopped_while_they_start() -> None:
    with started("--workers", "2", SCHEIDS_TABLES="off", SCHEIDS_DRAIN_SECONDS=LONG) as process:
        eventually(lambda: len(workers_of(process)) == 2)
        worker = min(workers_of(process))
        code, out, errors = told(process, signal.SIGTERM, lambda: handles(worker, signal.SIGTERM))
    assert (code, out) == (0, ""), errors


@BOTH
@EITHER
def test_a_second_signal_hurries_it(number: int, arguments: tuple[str, ...]) -> None:
    settings = {"SCHEIDS_DRAIN_SECONDS": LONG, "SCHEIDS_SHUTDOWN_SECONDS": LONG, "SCHEIDS_TABLES": "off"}
    with started(*arguments, **settings) as process:
        ready, _ = read_ready(process)
        host, _, port = ready["rest"].removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as half, grpc.insecure_channel(ready["grpc"]) as channel:
            half.sendall(HALF)
            watch: Any = channel.unary_stream("/grpc.health.v1.Health/Watch")
            assert next(iter(watch(b"", timeout=SECONDS))) is not None
            began = time.monotonic()
            process.send_signal(number)
            eventually(lambda: next(iter(watch(b"", timeout=SECONDS))) != b"\x08\x01")
            process.send_signal(number)
            code, _, errors = ends(process)
    assert code == 0, errors
    assert "Traceback" not in errors
    assert time.monotonic() - began < int(LONG)
