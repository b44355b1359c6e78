"""Commits per second, against a bare EVALSHA of the same size in the same run. `pytest -m bench -s` runs it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from redis.asyncio import BlockingConnectionPool, Redis

from service.store import Commit, Committed, Store
from service.store.redis import RedisOptions, RedisStore
from service.store.sqlite import SqliteStore
from tests.service.store import servers
from tests.service.store.tables import create, once

pytestmark = pytest.mark.bench
DOCUMENT, FRAME, ANSWER = bytes(4_000), bytes(600), bytes(1_500)
SECONDS = 2.0
BARE = "redis.call('SET', KEYS[1], ARGV[1]) return 1"
Call = Callable[[int], Awaitable[None]]


async def rate(call: Call, callers: int) -> float:
    """Calls per second of so many callers; each call is told which caller it is of."""
    count = 0
    until = time.perf_counter() + SECONDS

    async def one(caller: int) -> None:
        nonlocal count
        while time.perf_counter() < until:
            await call(caller)
            count += 1

    start = time.perf_counter()
    await asyncio.gather(*(one(caller) for caller in range(callers)))
    return count / (time.perf_counter() - start)


async def committing(store: Store, callers: int) -> Call:
    """Commits of a whist table's size, each caller on a table of its own."""
    tables = [await create(store) for _ in range(callers)]
    versions = [1] * callers

    async def commit(caller: int) -> None:
        version = versions[caller]
        key = once(str(version))
        moved = await store.commit(
            Commit(
                table=tables[caller],
                place=0,
                version=version,
                document=DOCUMENT,
                frame=FRAME,
                once=key,
                answer=ANSWER,
            )
        )
        assert isinstance(moved, Committed)
        versions[caller] += 1

    return commit


@pytest.mark.redis
async def test_redis(tmp_path: Path) -> None:
    with servers.standalone(tmp_path) as server:
        store = RedisStore(server.url, RedisOptions())
        bare = Redis.from_pool(BlockingConnectionPool(port=server.port, max_connections=32))
        sha = await bare.script_load(BARE)
        payload = DOCUMENT + FRAME + ANSWER

        async def evalsha(caller: int) -> None:
            await bare.evalsha(sha, 1, f"bare{caller}", payload)

        for callers in (1, 50):
            commit = await committing(store, callers)
            rates = [(await rate(evalsha, callers), await rate(commit, callers)) for _ in range(3)]
            one, other = max(pair[0] for pair in rates), max(pair[1] for pair in rates)
            print(f"\nredis, {callers} callers: bare EVALSHA {one:,.0f}/s, commit {other:,.0f}/s")
        before = server.redis.info("memory")["used_memory"]
        more = [await committing(store, 100)]
        for _ in range(30):
            await asyncio.gather(*(more[0](caller) for caller in range(100)))
        print(f"a table of 31 versions: {(server.redis.info('memory')['used_memory'] - before) / 100:,.0f} bytes")
        await bare.aclose()
        await store.close()


@pytest.mark.parametrize("synchronous", ["FULL", "NORMAL"])
async def test_sqlite(tmp_path: Path, synchronous: str) -> None:
    store = SqliteStore(tmp_path / "tables.db", synchronous="FULL" if synchronous == "FULL" else "NORMAL")
    for callers in (1, 50):
        print(
            f"\nsqlite {synchronous}, {callers} callers: {await rate(await committing(store, callers), callers):,.0f}/s"
        )
    await store.close()
