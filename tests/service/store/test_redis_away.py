"""Redis goes away: nobody waits for it, nothing acknowledged is lost, and all comes back by itself."""

import asyncio
import functools
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from service.store import Committed, Frame, Frames, Overrun, Repeated, Store, StoreAway
from service.store.redis import RedisStore
from tests.service.store import servers
from tests.service.store.servers import Server
from tests.service.store.tables import ROUNDS, create, move, once, play, read

pytestmark = pytest.mark.redis
AT_ONCE = 0.1
SECONDS = 20
Make = Callable[..., RedisStore]


async def refused(call: Awaitable[Any]) -> float:
    """How many seconds it took to be told that the store is away."""
    start = time.monotonic()
    with pytest.raises(StoreAway):
        await call
    return time.monotonic() - start


async def back(store: RedisStore) -> None:
    """Returns once the store says of itself that it is there."""
    async with asyncio.timeout(SECONDS):
        while store.away is not None:  # noqa: ASYNC110 - the store tells, it does not signal
            await asyncio.sleep(0.01)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with servers.standalone(tmp_path) as one:
        yield one


async def test_a_server_that_hangs(server: Server, make_redis: Make) -> None:
    store = make_redis(server.url, call_seconds=0.8)
    table, other = await create(store), await create(store)
    async with store.watch(table, 1) as watching:
        server.signal(signal.SIGSTOP)
        spent = await asyncio.gather(*(refused(move(store, table, 1)) for _ in range(40)))
        assert max(spent) < 1.2, "not within its time"
        assert store.away == "Redis did not answer in time"
        for call in (store.read(table), move(store, table, 1), store.frames(other, 0), store.ping()):
            assert await refused(call) < AT_ONCE
        assert await refused(store.watch(other, 1).__aenter__()) < AT_ONCE
        assert await watching.next(0) is None
        await asyncio.sleep(1)
        assert await refused(store.read(table)) < AT_ONCE
        server.signal(signal.SIGCONT)
        await back(store)
        found = await read(store, table)
        assert found.version in {1, 2}, "one of the commits may have been carried out after all"
        await play(store, table, found.version, 5)
        for version in range(2, 6):
            frame = await watching.next(SECONDS)
            assert isinstance(frame, Frame)
            assert frame.version == version


async def test_a_server_that_is_down_and_comes_up(server: Server, make_redis: Make) -> None:
    store = make_redis(server.url)
    await store.ping()
    server.kill()
    assert await refused(store.ping()) < AT_ONCE
    assert store.away is not None
    server.start()
    await back(store)
    await store.ping()


async def test_a_server_that_was_never_there(tmp_path: Path, make_redis: Make) -> None:
    port, *sentinels = servers.free_ports(3)
    for url in (
        f"redis://127.0.0.1:{port}",
        f"redis+cluster://127.0.0.1:{port}",
        f"redis+sentinel://127.0.0.1:{sentinels[0]},127.0.0.1:{sentinels[1]}/tables",
    ):
        store = make_redis(url)
        away = [store.away]
        assert await refused(store.read("a" * 28)) < 1
        away.append(store.away)
        assert await refused(store.read("a" * 28)) < AT_ONCE
        assert [reason is None for reason in away] == [True, False], "nobody had asked before"
    store = make_redis(f"redis://127.0.0.1:{port}")
    await refused(store.read("a" * 28))
    late = Server(tmp_path / "late", port)
    with servers.running(late):
        await back(store)
        await create(store)


class Players:
    """They play on tables of their own, each move under a key, and note what was acknowledged."""

    def __init__(self, store: Store, tables: list[str]) -> None:
        self.store = store
        self.acknowledged = dict.fromkeys(tables, 1)
        self.away = 0
        self._over = False

    async def play(self, table: str) -> None:
        while True:
            version = self.acknowledged[table]
            after = version + 1
            try:
                moved = await move(self.store, table, version, once=once(str(after)), answer=str(after).encode())
            except StoreAway:
                self.away += 1
                await asyncio.sleep(0.01)
                continue
            match moved:
                case Committed():
                    assert moved.version == after
                case Repeated():
                    assert (moved.version, moved.answer) == (after, str(after).encode())
                case _:
                    raise AssertionError((moved, version))
            self.acknowledged[table] = after
            if self._over:
                return

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as group:
            for table in self.acknowledged:
                group.create_task(self.play(table))
            yield
            self._over = True

    async def go_on(self, moves: int) -> None:
        """Returns once every table is so many moves further."""
        aim = {table: version + moves for table, version in self.acknowledged.items()}
        async with asyncio.timeout(60):
            while any(self.acknowledged[table] < version for table, version in aim.items()):  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    async def check(self) -> None:
        """Every acknowledged move is there, none twice."""
        for table, version in self.acknowledged.items():
            found = await read(self.store, table)
            assert found.version == version
            assert found.document == f"document {version}".encode()
            frames = await self.store.frames(table, max(version - 90, 0))
            assert isinstance(frames, Frames)
            assert [frame.data for frame in frames.frames] == [
                f"frame {number}".encode() for number in range(max(version - 90, 0) + 1, version + 1)
            ]


async def test_kill_9_of_redis_loses_nothing(tmp_path: Path, make_redis: Make) -> None:
    with servers.standalone(tmp_path, "--appendonly", "yes", "--appendfsync", "always") as server:
        store = make_redis(server.url)
        players = Players(store, [await create(store) for _ in range(8)])
        async with players.playing():
            for _ in range(ROUNDS):
                await players.go_on(20)
                server.kill()
                await asyncio.sleep(0.2)
                await asyncio.to_thread(server.start)
                await players.go_on(20)
        assert players.away > 0
        await players.check()


async def test_a_failover_loses_nothing_that_a_replica_confirmed(tmp_path: Path, make_redis: Make) -> None:
    with servers.pair(tmp_path) as two:
        store = make_redis(two.url, wait_replicas=1, wait_seconds=0.3)
        tables = [await create(store) for _ in range(8)]
        plain = make_redis(two.url)
        await plain.ping()
        players = Players(store, tables)
        leader, follower = two.primary, two.replica
        async with store.watch(tables[0], 0) as watching, players.playing():
            for _ in range(ROUNDS):
                await players.go_on(20)
                leader.kill()
                await refused(plain.read(tables[0]))
                await asyncio.to_thread(servers.wait_until, "the replica leads", functools.partial(leads, follower))
                await back(plain)
                await read(plain, tables[0])  # that the old primary is not there yet keeps nobody
                await asyncio.to_thread(leader.start)
                leader.redis.replicaof("127.0.0.1", follower.port)  # as the Sentinels would, after 8 s
                leader, follower = follower, leader
                await players.go_on(20)
        await players.check()
        assert players.away > 0
        assert leads(leader)
        version = 0
        while version < players.acknowledged[tables[0]]:
            item = await watching.next(SECONDS)
            if isinstance(item, Overrun):  # it was not looked at all that time
                break
            assert isinstance(item, Frame)
            assert item.version == version + 1
            version += 1


async def test_a_primary_that_hangs_is_left_behind(tmp_path: Path, make_redis: Make) -> None:
    """Its connections stay open and say nothing: calls and watchers find the new one all the same."""
    with servers.pair(tmp_path, sentinels=1) as two:
        store = make_redis(two.url, call_seconds=0.8, wait_replicas=1, wait_seconds=0.3)
        table = await create(store)
        plain = make_redis(two.url, call_seconds=0.8)
        async with plain.watch(table, 1) as watching:
            assert await watching.next(0) is None
            two.primary.signal(signal.SIGSTOP)
            assert await refused(plain.read(table)) < 1.2
            await asyncio.to_thread(servers.wait_until, "the replica leads", functools.partial(leads, two.replica))
            await back(plain)
            await play(plain, table, 1, 3)
            for version in (2, 3):
                frame = await watching.next(SECONDS)
                assert isinstance(frame, Frame)
                assert frame.version == version


async def test_nobody_is_watched_over_a_replica(tmp_path: Path, make_redis: Make) -> None:
    """A primary that has become one would go on telling what it is told, until its link breaks."""
    with servers.pair(tmp_path, sentinels=1) as two:
        table = await create(make_redis(f"redis://127.0.0.1:{two.primary.port}"))
        behind = make_redis(f"redis://127.0.0.1:{two.replica.port}", call_seconds=0.6)
        with pytest.raises(StoreAway):
            async with behind.watch(table, 1):
                pass
        ahead = make_redis(f"redis://127.0.0.1:{two.primary.port}")
        async with ahead.watch(table, 1) as watching:
            assert await watching.next(0) is None


def leads(server: Server) -> bool:
    return bool(server.redis.role()[0] == b"master")


async def test_what_no_replica_confirms_is_not_acknowledged(tmp_path: Path, make_redis: Make) -> None:
    with servers.pair(tmp_path, sentinels=1) as two:
        store = make_redis(two.url, wait_replicas=1, wait_seconds=0.2)
        table = await create(store)
        two.replica.signal(signal.SIGSTOP)
        with pytest.raises(StoreAway, match="too few replicas") as away:
            await move(store, table, 1, once=once("k"), answer=b"answer")
        assert away.value.maybe_done
        anew = make_redis(two.url, wait_replicas=1, wait_seconds=0.2)
        for again in (store, anew):  # also over a connection that has written nothing yet
            with pytest.raises(StoreAway, match="too few replicas"):
                await move(again, table, 1, once=once("k"), answer=b"answer")
        assert store.away is None, "Redis itself is there"
        two.replica.signal(signal.SIGCONT)
        async with asyncio.timeout(SECONDS):
            while True:
                try:
                    moved = await move(store, table, 1, once=once("k"), answer=b"answer")
                except StoreAway:
                    continue
                assert moved == Repeated(b"answer", 2)
                break


async def test_nobody_waits_behind_who_waits_for_replicas(tmp_path: Path, make_redis: Make) -> None:
    with servers.pair(tmp_path, sentinels=1) as two:
        store = make_redis(two.url, wait_replicas=1, wait_seconds=0.5)
        tables = [await create(store) for _ in range(4)]
        await play(store, tables[0], 1, 2)
        two.replica.signal(signal.SIGSTOP)
        start = time.monotonic()
        moving = [asyncio.create_task(refused(move(store, table, 2 if table == tables[0] else 1))) for table in tables]
        await asyncio.sleep(0.1)
        assert (await read(store, tables[0])).version == 3
        assert time.monotonic() - start < 0.4
        assert max(await asyncio.gather(*moving)) < 1
        two.replica.signal(signal.SIGCONT)


async def test_one_node_of_a_cluster_takes_its_own_tables_along_and_no_other(tmp_path: Path, make_redis: Make) -> None:
    with servers.cluster(tmp_path) as three:
        for server in three.servers:
            server.redis.config_set("cluster-require-full-coverage", "no")
        store = make_redis(three.url, call_seconds=0.8)
        tables = [await create(store) for _ in range(30)]
        three.servers[0].signal(signal.SIGSTOP)
        spent = await asyncio.gather(*(outcome(store, table) for table in tables))
        assert {isinstance(one, StoreAway) for one in spent} == {True, False}
        start = time.monotonic()
        again = await asyncio.gather(*(outcome(store, table) for table in tables))
        assert time.monotonic() - start < 5 * AT_ONCE
        assert [type(one) for one in again] == [type(one) for one in spent]
        three.servers[0].signal(signal.SIGCONT)
        await back(store)
        async with asyncio.timeout(SECONDS):
            for table in tables:
                while isinstance(await outcome(store, table), StoreAway):  # noqa: ASYNC110 - the cluster agrees anew
                    await asyncio.sleep(0.02)


async def outcome(store: Store, table: str) -> object:
    try:
        return await store.read(table)
    except StoreAway as away:
        return away
