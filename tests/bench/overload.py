"""More requests than can be answered, at a rate that does not wait for answers; from a process of its own.

python -m tests.bench.overload KIND ADDRESS TARGET BODY RATE SECONDS

KIND is ``rest`` (TARGET a path) or ``grpc`` (TARGET a full method name), BODY a file with the request as it goes out,
RATE requests a second; 0 asks one after the other over `CONNECTIONS`, to find what can be sustained. A request is
missed where `MOST` wait for answers already. Prints a `Came` as JSON.
"""

import asyncio
import statistics
import sys
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, Self

import grpc
import msgspec
import uvloop

CONNECTIONS: Final = 16
MOST: Final = 2_000
CHANNELS: Final = 8
TICK_SECONDS: Final = 0.002
"""How often the requests that are due are sent."""
SETTLING: Final = 0.4
"""The share of the time after which answers are timed: until then the service has found out."""
SERVED: Final = ("200", "OK")
REFUSED: Final = ("429 OVERLOADED", "RESOURCE_EXHAUSTED OVERLOADED")


class Came(msgspec.Struct, frozen=True):
    """What came of a load: counts by status, and how long those that were served waited, in milliseconds."""

    seconds: float
    counts: dict[str, int]
    missed: int
    median: float
    p99: float

    @property
    def served(self) -> int:
        return sum(self.counts.get(name, 0) for name in SERVED)

    @property
    def refused(self) -> int:
        return sum(self.counts.get(name, 0) for name in REFUSED)


class Connection(asyncio.Protocol):
    """A kept-alive connection over which one thing is asked at a time."""

    def __init__(self) -> None:
        self._transport: Any = None
        self._data = b""
        self._answered: asyncio.Future[str] | None = None

    @classmethod
    async def to(cls, address: str) -> Self:
        host, _, port = address.partition(":")
        _, made = await asyncio.get_running_loop().create_connection(cls, host, int(port))
        return made

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def connection_lost(self, _: Exception | None) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_result("lost")

    def ask(self, message: bytes) -> "asyncio.Future[str]":
        self._answered = asyncio.get_running_loop().create_future()
        self._transport.write(message)
        return self._answered

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, end, body = self._data.partition(b"\r\n\r\n")
        if not end:
            return
        lines = head.lower().split(b"\r\n")
        length = int(next(line for line in lines if line.startswith(b"content-length:")).partition(b":")[2])
        if len(body) < length or self._answered is None:
            return
        status = head[9:12].decode()
        if status == "429":
            retries = any(line.startswith(b"retry-after:") for line in lines)
            status += f" {msgspec.json.decode(body)['code']}" if retries else " without Retry-After"
        self._data = b""
        self._answered.set_result(status)


Ask = Callable[[], Awaitable[str]]


async def over_rest(address: str, path: str, body: bytes) -> Ask:
    lines = (f"POST {path} HTTP/1.1", f"Host: {address}", "Content-Type: application/json")
    message = "\r\n".join((*lines, f"Content-Length: {len(body)}", "", "")).encode() + body
    free: deque[Connection] = deque()

    async def ask() -> str:
        connection = free.popleft() if free else await Connection.to(address)
        status = await connection.ask(message)
        if status != "lost":
            free.append(connection)
        return status

    return ask


def over_grpc(address: str, method: str, body: bytes) -> Ask:
    options = [("grpc.use_local_subchannel_pool", 1)]
    calls: deque[grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]] = deque(
        grpc.aio.insecure_channel(address, options).unary_unary(method) for _ in range(CHANNELS)
    )

    async def ask() -> str:
        calls.rotate()
        try:
            await calls[0](body)
        except grpc.aio.AioRpcError as refused:
            told = dict(refused.trailing_metadata() or ()).get("grpc-status-details-bin", b"")
            code = "OVERLOADED" if b"OVERLOADED" in told and b"RetryInfo" in told else "without details"
            return f"{refused.code().name} {code}"
        return "OK"

    return ask


class Load:
    """Asks, and counts."""

    def __init__(self, ask: Ask, seconds: float) -> None:
        self._ask = ask
        self._seconds = seconds
        self._began = time.perf_counter()
        self._counts: Counter[str] = Counter()
        self._waits: list[float] = []

    async def _one(self, due: float) -> None:
        status = await self._ask()
        now = time.perf_counter()
        self._counts[status] += 1
        if status in SERVED and due - self._began > SETTLING * self._seconds:
            self._waits.append(1_000 * (now - due))

    async def steady(self) -> Came:
        """One after the other."""

        async def go_on() -> None:
            while (now := time.perf_counter()) < self._began + self._seconds:
                await self._one(now)

        await asyncio.gather(*(go_on() for _ in range(CONNECTIONS)))
        return self._came(0)

    async def at(self, rate: float) -> Came:
        """As many a second, whether answers come or not."""
        under_way: set[asyncio.Task[None]] = set()
        sent = missed = 0
        while (now := time.perf_counter()) < self._began + self._seconds:
            while self._began + sent / rate <= now:
                due = self._began + sent / rate
                sent += 1
                if len(under_way) >= MOST:
                    missed += 1
                    continue
                task = asyncio.create_task(self._one(due))
                under_way.add(task)
                task.add_done_callback(under_way.discard)
            await asyncio.sleep(TICK_SECONDS)
        if under_way:
            await asyncio.wait(under_way)
        return self._came(missed)

    def _came(self, missed: int) -> Came:
        ranked = sorted(self._waits) or [0.0]
        middle, last = statistics.median(ranked), ranked[int(len(ranked) * 0.99)]
        return Came(time.perf_counter() - self._began, dict(self._counts), missed, middle, last)


async def load(kind: str, address: str, target: str, body: bytes, rate: float, seconds: float) -> Came:
    ask = await over_rest(address, target, body) if kind == "rest" else over_grpc(address, target, body)
    asking = Load(ask, seconds)
    return await (asking.at(rate) if rate else asking.steady())


if __name__ == "__main__":
    kind, address, target, body_path, rate, seconds = sys.argv[1:7]
    came = uvloop.run(load(kind, address, target, Path(body_path).read_bytes(), float(rate), float(seconds)))
    print(msgspec.json.encode(came).decode())
