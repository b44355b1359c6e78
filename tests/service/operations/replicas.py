"""Replicas of the service, each on ports that stay its own, and a balancer before their HTTP ports."""

import asyncio
import random
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from itertools import count
from pathlib import Path

import httpx

from tests.service.running import COMMAND, ROOT, SECONDS, environment, read_ready

SECRET = "what the replicas of these tests sign tokens with"
LOOK_SECONDS = 0.1
"""How often the balancer asks who is ready."""


class Replica:
    """A process of ``scheids serve`` that can be ended and started again."""

    def __init__(self, folder: Path, command: Sequence[str] = (*COMMAND, "serve"), **settings: str) -> None:
        self._command = command
        self.http, self.grpc = (f"127.0.0.1:{port}" for port in _free_ports(2))
        self._log = folder / f"{self.http}.log"
        self._environ = environment(
            SCHEIDS_TABLES="on",
            SCHEIDS_LOG_LEVEL="error",
            SCHEIDS_DATA_DIR=str(folder / self.http),
            SCHEIDS_HTTP_ADDRESS=self.http,
            SCHEIDS_GRPC_ADDRESS=self.grpc,
            **settings,
        )
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Returns once it answers."""
        with self._log.open("a") as log:
            self._process = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environ, stdout=subprocess.PIPE, stderr=log, text=True
            )
        read_ready(self._process)

    def tell(self) -> None:
        """Tells it to stop."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)

    def wait(self) -> int:
        """Its exit code, once it has ended."""
        assert self._process is not None
        code = self._process.wait(SECONDS)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None
        return code

    def stop(self) -> tuple[int, float]:
        """Tells it to stop: its exit code, and how many seconds that took."""
        began = time.monotonic()
        self.tell()
        return self.wait(), time.monotonic() - began

    @property
    def log(self) -> str:
        """What it has logged."""
        return self._log.read_text()

    def kill(self) -> None:
        """Ends it, if it runs."""
        if self._process is not None:
            self._process.kill()
            self.wait()


@contextmanager
def replicas(folder: Path, number: int, **settings: str) -> Iterator[list[Replica]]:
    """So many, running; ended whatever happens."""
    made = [Replica(folder, **settings) for _ in range(number)]
    try:
        with ThreadPoolExecutor(number) as pool:
            list(pool.map(Replica.start, made))
        yield made
    finally:
        for each in made:
            each.kill()


def _free_ports(number: int) -> Iterator[int]:
    """Ports that nobody has, below those that the system gives away by itself."""
    found = 0
    for port in random.sample(range(20_000, 32_000), 100):
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            yield port
            found += 1
        if found == number:
            return
    raise AssertionError("no port is free")


class Balancer:
    """Leads each new connection to the next replica that says it is ready, as a Service of Kubernetes does.

    What is connected stays so, until either side ends it.
    """

    def __init__(self, addresses: list[str]) -> None:
        self._addresses = addresses
        self._ready: list[str] = []
        self._known = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self._turn = count()
        self.url = ""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        looking = asyncio.create_task(self._look())
        try:
            await asyncio.wait_for(self._known.wait(), SECONDS)
            yield
        finally:
            server.close()
            for task in (looking, *self._connections):
                task.cancel()
            await asyncio.wait((looking, *self._connections))

    async def _look(self) -> None:
        async with httpx.AsyncClient(timeout=SECONDS) as http:
            while True:
                self._ready = [each for each in self._addresses if await _is_ready(http, each)]
                if self._ready:
                    self._known.set()
                await asyncio.sleep(LOOK_SECONDS)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        here = asyncio.current_task()
        assert here is not None
        self._connections.add(here)
        ready = self._ready
        host, _, port = ready[next(self._turn) % len(ready)].partition(":")
        async with AsyncExitStack() as stack:
            stack.push_async_callback(_closed, writer)
            with suppress(OSError):
                there, back = await asyncio.open_connection(host, int(port))
                stack.push_async_callback(_closed, back)
                await asyncio.gather(_pipe(reader, back), _pipe(there, writer))
        self._connections.discard(here)


async def _is_ready(http: httpx.AsyncClient, address: str) -> bool:
    with suppress(httpx.HTTPError):
        return (await http.get(f"http://{address}/readyz")).status_code == httpx.codes.OK
    return False


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Hands on what comes; and once nothing more does, ends the connection."""
    with suppress(OSError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    await _closed(writer)


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
