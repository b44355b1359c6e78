"""Bounded loads by nghttp2's h2load, over HTTP/1.1 or gRPC: a compiled program, much cheaper than what it asks."""

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.servers import Server, children_seconds

PROGRAM: Final = shutil.which("h2load")
WHY_NOT: Final = "there is no h2load on the PATH (Debian: apt-get install nghttp2-client)"
FINISHED: Final = re.compile(r"finished in ([\d.]+)(us|ms|s), ")
REQUESTS: Final = re.compile(r"requests: \d+ total, .* (?P<good>\d+) succeeded")
DATA: Final = re.compile(r"\((\d+)\) data$", re.MULTILINE)
UNITS: Final = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
MOST_SECONDS: Final = 120
"""How long any load lasts at most."""
BEFORE: Final = 0.3
"""Seconds that an endless load runs before what it disturbs."""
JSON: Final = ("--h1", "-H", "content-type: application/json")
GRPC: Final = ("-H", "content-type: application/grpc", "-H", "te: trailers")


class LoadFailedError(RuntimeError):
    """What was asked was not answered as it should be."""


@dataclass(frozen=True)
class Target:
    """What is asked of a server, `body` being a file as it goes out, and the bytes of its answer.

    A body of gRPC may have several messages, which make a stream: then each answer counts, `messages` to a stream.
    """

    server: Server
    url: str
    body: Path
    answer_bytes: int
    over: tuple[str, ...]
    messages: int = 1

    @classmethod
    def rest(cls, server: Server, path: str, body: Path, answer_bytes: int) -> "Target":
        """A request over REST."""
        return cls(server, f"{server.rest}{path}", body, answer_bytes, JSON)

    @classmethod
    def grpc(cls, server: Server, method: str, body: Path, answer_bytes: int, messages: int = 1) -> "Target":
        """A method of gRPC, its name with its service's."""
        return cls(server, f"http://{server.grpc}/{method}", body, answer_bytes, GRPC, messages)


@dataclass(frozen=True)
class Manner:
    """How it is asked: one thing after the other on each stream of each connection, at most `pace` a second on each."""

    connections: int = 16
    streams: int = 1
    pace: int | None = None

    @property
    def at_once(self) -> int:
        """How many answers are waited for at once."""
        return self.connections * self.streams


@dataclass(frozen=True)
class Load:
    """What a load came to."""

    rate: float
    """Answers a second."""
    cost: float
    """Microseconds of the server's processor time for each."""
    busy: float
    """The share of one processor that the load itself took."""
    milliseconds: tuple[float, ...] = ()
    """How long each took, where that was asked for."""


def load(target: Target, number: int, manner: Manner, *, times: Path | None = None) -> Load:
    """Asks so often. How long each request took is noted where a file for that is named."""
    command = [*_command(target, manner), "-n", f"{number}"]
    if times is not None:
        times.unlink(missing_ok=True)
        command += [f"--log-file={times}"]
    own, before, began = children_seconds(), target.server.processor_seconds(), time.monotonic()
    done = subprocess.run([*command, target.url], capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
    took, spent = time.monotonic() - began, target.server.processor_seconds() - before
    seconds = lasted(done.stdout + done.stderr, target, number)
    answers = number * target.messages
    noted = () if times is None else _times(times)
    return Load(answers / seconds, spent / answers * 1e6, (children_seconds() - own) / took, noted)


@contextmanager
def endless(target: Target, manner: Manner, most_seconds: float = MOST_SECONDS) -> Iterator[None]:
    """Asks meanwhile; LoadFailedError where it could not to the end."""
    command = [*_command(target, manner), "-D", f"{most_seconds:.0f}s"]
    with subprocess.Popen([*command, target.url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        time.sleep(BEFORE)
        try:
            yield
            if process.poll() is not None:
                raise LoadFailedError(f"{target.url} was not asked to the end")
        finally:
            process.terminate()


def _command(target: Target, manner: Manner) -> list[str]:
    assert PROGRAM is not None, WHY_NOT
    command = [PROGRAM, "-t", "1", "-c", f"{manner.connections}", "-m", f"{manner.streams}"]
    if manner.pace is not None:
        command += ["--rps", f"{manner.pace}"]
    return [*command, "-d", str(target.body), *target.over]


def lasted(printed: str, target: Target, number: int) -> float:
    """In how many seconds that many answers came, each as long as it must be."""
    finished, requests, data = FINISHED.search(printed), REQUESTS.search(printed), DATA.search(printed)
    if not finished or not requests or not data or int(requests["good"]) != number:
        raise LoadFailedError(f"{target.url}:\n{printed}")
    if int(data[1]) != number * target.answer_bytes:
        raise LoadFailedError(f"{target.url}: {data[1]} bytes are not {number} answers of {target.answer_bytes}")
    return float(finished[1]) * UNITS[finished[2]]


def _times(file: Path) -> tuple[float, ...]:
    """Milliseconds, from h2load's log: when, status, and microseconds."""
    lines = file.read_text(encoding="ascii").splitlines()
    return tuple(int(line.split("\t")[2]) / 1_000 for line in lines)
