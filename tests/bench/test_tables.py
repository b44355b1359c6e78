"""Hosted tables, measured and printed: against a bare endpoint, in round trips, in bytes, and until watchers hear."""

import asyncio
import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.store.redis import RedisStore
from tests.bench.table_load import FACTS, Script, script_of
from tests.service.store import servers
from tests.service.store.servers import Server
from tests.service.tables.callers import SECRET, Connection, Process, Table, connect, head, request
from tests.service.tables.playing import GAMES, Evening, tables_over

pytestmark = [pytest.mark.bench, pytest.mark.redis]

WATCHERS = (1, 200)
MOVES = 40
PACE = 0.05
MOST_MOVES = 2_000
Traffic = tuple[float, float, float]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with servers.standalone(tmp_path) as one:
        yield one


def over(server: Server) -> Process:
    return Process(SCHEIDS_REDIS_URL=server.url, SCHEIDS_SECRET=SECRET)


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
