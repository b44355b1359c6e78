"""Moves at tables, each made from a version and with a key, against a bare endpoint that has as much kept."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.context import Bench, Side
from tests.bench.figures import COST, Figure, at_least, in_turn
from tests.bench.h2load import Load
from tests.bench.servers import PORT, Server, scheids, started
from tests.bench.table_load import FACTS, script_of
from tests.service.running import ROOT
from tests.service.store import servers
from tests.service.tables.callers import SECRET, Connection, Table


def store(bench: Bench) -> servers.Server:
    """A redis-server."""
    return bench.once("redis", _redis)


@contextmanager
def _redis() -> Iterator[servers.Server]:
    with TemporaryDirectory() as folder, servers.standalone(Path(folder)) as server:
        yield server


def in_redis(bench: Bench, name: str = "scheids-redis", **settings: str) -> Server:
    """The service with its tables in Redis; one with other settings has a name of its own."""
    kept = {"SCHEIDS_TABLES": "on", "SCHEIDS_REDIS_URL": store(bench).url, "SCHEIDS_SECRET": SECRET}
    return bench.once(name, lambda: scheids(name, **kept, **settings))


def in_a_file(bench: Bench) -> Server:
    """The service with its tables in SQLite."""
    return bench.once("scheids file", _in_a_file)


@contextmanager
def _in_a_file() -> Iterator[Server]:
    with (
        TemporaryDirectory() as folder,
        scheids("scheids-file", SCHEIDS_TABLES="on", SCHEIDS_DATA_DIR=folder) as server,
    ):
        yield server


def moves(kind: str, server: Server, seconds: float) -> Load:
    """What a load got, from a process of its own."""
    address = server.rest.removeprefix("http://")
    command = [sys.executable, "-m", "tests.bench.table_load", kind, address, f"{seconds:g}", f"{server.pid}"]
    printed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    rate, cost, busy = map(float, printed.split())
    return Load(rate, cost, busy)


def tables(bench: Bench) -> Iterator[Figure]:
    """Moves a second, and what they take of the processor, kept in Redis and in a file."""
    answer, sizes = asyncio.run(_half_played(in_redis(bench).rest.removeprefix("http://"), store(bench).redis))
    stored = bench.folder / "answer-table"
    stored.write_bytes(answer)
    arguments = [f"{store(bench).port}", str(stored), ",".join(map(str, sizes))]
    bare = bench.once(
        "bare table",
        lambda: started("bare-table", [sys.executable, "-m", "tests.bench.bare.table", *arguments], PORT),
    )
    note = f"{len(answer):,} bytes of answer; document, frame and record of {sizes} bytes"
    for name, target, ours in (("Redis", at_least(0.7), in_redis(bench)), ("a file", None, in_a_file(bench))):
        for kind, server in (("table", ours), ("bare", bare)):
            moves(kind, server, bench.seconds / 2)
        sides = in_turn(
            bench.pairs,
            partial(moves, "table", ours, bench.seconds),
            partial(moves, "bare", bare, bench.seconds),
        )
        one, other = (Side.of(side) for side in sides)
        what = f"warm table moves, kept in {name} / a bare endpoint with one EVALSHA"
        busy = f"{note}; the load took at most {max(one.busy, other.busy):.0%} of a processor"
        yield Figure(what, target, ours=one.rates, theirs=other.rates, note=busy)
        yield Figure(f"{what}: CPU", unit=COST, ours=one.costs, theirs=other.costs)


async def _half_played(address: str, redis: Any) -> tuple[bytes, list[int]]:
    """An answer to a move in the middle of a hand, and the bytes of what the commit had: document, frame, answer."""
    async with Connection(lambda: address) as connection:
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
