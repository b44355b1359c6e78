"""Hosted tables, measured and printed: against a bare endpoint, in round trips, in bytes, and until watchers hear."""

import asyncio
import functools
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from service.store.redis import RedisStore
from tests.bench.table_load import FACTS, Script, script_of
from tests.bench.test_stateless import PAIRS, ROOT, SECONDS, started
from tests.service.store import servers
from tests.service.store.servers import Server
from tests.service.tables.callers import SECRET, Connection, Process, Table, connect, head, request
from tests.service.tables.playing import GAMES, Evening, tables_over

pytestmark = [pytest.mark.bench, pytest.mark.redis]

READY = re.compile(r"^(?P<pid>\d+) (?P<port>\d+)$")
WATCHERS = (1, 200)
MOVES = 40
PACE = 0.05
MOST_MOVES = 2_000
Load = tuple[float, float]
Traffic = tuple[float, float, float]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with servers.standalone(tmp_path) as one:
        yield one


def over(server: Server) -> Process:
    return Process(SCHEIDS_REDIS_URL=server.url, SCHEIDS_SECRET=SECRET)


def loaded(kind: str, address: str, pid: int) -> Load:
    """What a load of `SECONDS` got: moves a second, and microseconds of the processor's time a move."""
    command = [sys.executable, "-m", "tests.bench.table_load", kind, address, str(SECONDS), str(pid)]
    printed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    rate, spent = printed.split()
    return float(rate), float(spent)


def compare(what: str, ours: Callable[[], Load], bare: Callable[[], Load]) -> None:
    """Measures in turn and prints the median ratios with their spreads."""
    pairs = [(ours(), bare()) for _ in range(PAIRS)]
    for at, unit in ((0, "a second"), (1, "microseconds of the processor each")):
        ratios = sorted(one[at] / other[at] for one, other in pairs)
        one, other = (statistics.median(side[at] for side in sides) for sides in zip(*pairs, strict=True))
        print(
            f"\n{what}: ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}); "
            f"{one:,.0f} against {other:,.0f} {unit}"
        )


async def half_played(service: Process, redis: Any) -> tuple[bytes, list[int]]:
    """An answer to a move in the middle of a hand, and the bytes of what the commit had: document, frame, answer."""
    async with Connection(lambda: service.rest) as connection:
        script = await script_of(connection)
        table = await Table.of(connection, "whist", **FACTS)
        answer = b""
        for place, text in script[: len(script) // 2]:
            body = {"move": text, "expectedVersion": table.began + len(table.moved), "idempotencyKey": text}
            answer = (await connection.call("POST", f"{table.path}/moves", body, table.tokens[place])).body
            table.moved[len(table.moved)] = text
    key = f"scheids:{{{table.id[:4]}}}:{table.id}"
    kept = redis.hgetall(key)
    frame = redis.xrevrange(f"{key}:frames", count=1)[0][1][b"frame"]
    record = next(value for name, value in kept.items() if name.startswith(b"answer:"))
    return answer, [len(kept[b"document"]), len(frame), len(record)]


def test_moves_a_second(server: Server, tmp_path: Path) -> None:
    with ExitStack() as stack:
        ours = stack.enter_context(over(server))
        file = stack.enter_context(Process(SCHEIDS_DATA_DIR=str(tmp_path / "data")))
        answer, sizes = asyncio.run(half_played(ours, server.redis))
        (tmp_path / "answer").write_bytes(answer)
        arguments = [str(server.port), str(tmp_path / "answer"), ",".join(map(str, sizes))]
        bare = stack.enter_context(started("-m", "tests.bench.bare_table", *arguments, ready=READY))
        print(f"\na move of whist: {len(answer)} bytes of answer; document, frame, record: {sizes} bytes")
        for name, store in (("Redis", ours), ("a file", file)):
            compare(
                f"moves at a table, kept in {name} / a bare endpoint with one EVALSHA",
                functools.partial(loaded, "table", store.rest, store.pid),
                functools.partial(loaded, "bare", f"127.0.0.1:{bare['port']}", int(bare["pid"])),
            )


def test_round_trips(server: Server) -> None:
    with over(server) as here, over(server) as there:
        warm, cold = asyncio.run(counted(server.redis, here, there))
    print(f"\nround trips to Redis a move: {warm[0]:.2f} warm, {cold[0]:.2f} where another replica made the last move")
    print(
        f"bytes to Redis a move: {warm[1]:,.0f} warm, {cold[1]:,.0f} cold; from Redis: {warm[2]:,.0f}, {cold[2]:,.0f}"
    )


async def counted(redis: Any, here: Process, there: Process) -> tuple[Traffic, Traffic]:
    """What goes to and fro for each move: all of them made at one replica, and each at the other."""
    async with Connection(lambda: here.rest) as one, Connection(lambda: there.rest) as other:
        script = await script_of(one)
        await of_a_hand(redis, script, [one, other])  # Redis is sent the scripts, and connections are made
        return await of_a_hand(redis, script, [one]), await of_a_hand(redis, script, [other, one])


async def of_a_hand(redis: Any, script: Script, turns: list[Connection]) -> Traffic:
    table = await Table.of(turns[-1], "whist", **FACTS)
    before = traffic(redis)
    for number, (place, text) in enumerate(script):
        body = {"move": text, "expectedVersion": table.began + number, "idempotencyKey": text}
        connection = turns[number % len(turns)]
        assert (await connection.call("POST", f"{table.path}/moves", body, table.tokens[place])).status == 200
    scripts, arrived, left = (now - then for now, then in zip(traffic(redis), before, strict=True))
    return scripts / len(script), arrived / len(script), left / len(script)


def traffic(redis: Any) -> Traffic:
    """How often scripts were called, and how many bytes came in and went out."""
    calls = redis.info("commandstats")
    stats = redis.info("stats")
    scripts = sum(calls.get(f"cmdstat_{name}", {"calls": 0})["calls"] for name in ("eval", "evalsha"))
    return scripts, stats["total_net_input_bytes"], stats["total_net_output_bytes"]


@pytest.mark.parametrize("game", GAMES)
async def test_bytes_of_a_table(server: Server, game: str) -> None:
    store = RedisStore(server.url)
    evening = await Evening.of(tables_over(store), game, seed=f"bytes of {game}")
    rng = random.Random(game)
    moves = 0
    sizes = []
    while moves < MOST_MOVES:
        sizes.append(memory(server.redis, evening.id))
        if not await evening.random_move(rng):
            break
        moves += 1
    version = await evening.version()
    await store.close()
    first, (table, frames) = sizes[0], sizes[-1]
    print(
        f"\n{game}: {moves} moves, {version} versions: {table + frames:,} bytes ({table:,} the table, {frames:,} its "
        f"frames); {sum(first):,} before the first move, {(table + frames - sum(first)) / moves:,.0f} a move"
    )


def memory(redis: Any, table: str) -> tuple[int, int]:
    """What the two keys of a table take."""
    key = f"scheids:{{{table[:4]}}}:{table}"
    return redis.memory_usage(key, samples=0), redis.memory_usage(f"{key}:frames", samples=0)


class Listener:
    """Watches a table and notes when each version came, reading no more of it than that."""

    def __init__(self, table: Table, address: str) -> None:
        self._table = table
        self._address = address
        self.came: dict[int, float] = {}
        self.watching = asyncio.Event()

    async def listen(self) -> None:
        reader, writer = await connect(self._address)
        writer.write(request("GET", f"{self._table.path}/events", self._address, b"", self._table.host))
        status, _ = await head(reader)
        assert status == 200
        rest = b""
        while data := await reader.read(1 << 16):
            now = time.perf_counter()
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                if line.startswith(b"id: "):
                    self.came[int(line[4:])] = now
                    self.watching.set()
        writer.close()


@pytest.mark.parametrize("watchers", WATCHERS)
def test_until_watchers_hear(server: Server, watchers: int) -> None:
    with over(server) as service:
        answered, behind = asyncio.run(heard(service, watchers))
    print(f"\n{watchers} watchers: a move is answered within {quantiles(answered)} of its sending")
    print(f"{watchers} watchers: its frame is there {quantiles(behind)} after the answer")


async def heard(service: Process, watchers: int) -> tuple[list[float], list[float]]:
    """The seconds from sending a move to its answer, and from there until each watcher had the frame."""
    async with Connection(lambda: service.rest) as connection:
        script = await script_of(connection)
        table = await Table.of(connection, "whist", **FACTS)
        listeners = [Listener(table, service.rest) for _ in range(watchers)]
        tasks = [asyncio.create_task(each.listen()) for each in listeners]
        await asyncio.gather(*(each.watching.wait() for each in listeners))
        await asyncio.sleep(0.5)
        spent: list[float] = []
        answers: dict[int, float] = {}
        for number, (place, text) in enumerate(script[:MOVES]):
            body = {"move": text, "expectedVersion": table.began + number, "idempotencyKey": text}
            sent = time.perf_counter()
            played = await connection.call("POST", f"{table.path}/moves", body, table.tokens[place])
            answers[played.json["version"]] = time.perf_counter()
            spent.append(time.perf_counter() - sent)
            await asyncio.sleep(PACE)
        await table.end(connection)
        await asyncio.gather(*tasks)
    return spent, [each.came[version] - at for each in listeners for version, at in answers.items()]


def quantiles(seconds: list[float]) -> str:
    """Median, 99th percentile and maximum."""
    ranked = sorted(seconds)
    figures = (statistics.median(ranked), ranked[int(len(ranked) * 0.99)], ranked[-1])
    return " / ".join(f"{figure * 1000:.1f}" for figure in figures) + " ms (median / 99 % / all)"
