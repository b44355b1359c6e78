"""Services and stores that die under load: what was acknowledged is there, once; who watches misses nothing."""

import asyncio
import functools
import random
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from service.wire.gen.scheids.v1 import tables_pb2, tables_pb2_grpc
from tests.service.grpc_server import code_of
from tests.service.store import servers
from tests.service.store.servers import Server
from tests.service.tables.callers import (
    PAUSE,
    ROUNDS,
    SECONDS,
    SECRET,
    Answer,
    Connection,
    Gone,
    Lost,
    Process,
    Table,
    Turn,
    Watcher,
    new_key,
)

GAMES: dict[str, dict[str, Any]] = {
    "whist": {"options": {"preset": "short"}},
    "peewee7": {},
    "wippen": {"places": 3},
    "wipe": {"places": 2},
    "flip7": {"places": 3},
}
PLAYERS = 2
"""They play at each table, each for whoever is to act: of two who make one move, one is told that it is too late."""
AT_ONCE = 0.5
"""Far below the two seconds that a call may wait for a store that does not answer."""
MOVES = 6
LAG = 0.3
ALWAYS = ("--appendonly", "yes", "--appendfsync", "always")


def over_redis(url: str, **settings: str) -> Process:
    return Process(SCHEIDS_REDIS_URL=url, SCHEIDS_SECRET=SECRET, **settings)


class Room:
    """Where one game is played, at one table after the other."""

    def __init__(self, house: "House", game: str) -> None:
        self._house = house
        self._game = game
        self._lock = asyncio.Lock()
        self.tables: list[Table] = []

    async def next(self, connection: Connection, before: Table | None) -> Table:
        """The table after one that is over, opened by whoever comes first."""
        async with self._lock:
            if not self.tables or self.tables[-1] is before:
                seed = f"table {len(self.tables)} of {self._game}"
                table = await self._open(connection, seed)
                self.tables.append(table)
                self._house.attend(table)
            return self.tables[-1]

    async def _open(self, connection: Connection, seed: str) -> Table:
        while True:
            try:
                return await Table.of(connection, self._game, seed=seed, **GAMES[self._game])
            except Gone:
                assert self._house.forgets


class House:
    """Everybody who plays and watches at the tables of a service, which may be killed meanwhile.

    `forgets`: its store may lose what was acknowledged.
    """

    def __init__(self, service: Process, *, forgets: bool = False) -> None:
        self.service = service
        self.rooms = [Room(self, game) for game in GAMES]
        self.watchers: list[Watcher] = []
        self.refused = 0
        """How often the store was away."""
        self.lost = 0
        """How often there was no answer at all."""
        self.late = 0
        """How often another had moved before."""
        self.missing = 0
        """How many moves were acknowledged and are not there."""
        self.forgotten: set[Table] = set()
        self.forgets = forgets
        self._moves = 0
        self._over = False
        self._group: asyncio.TaskGroup | None = None
        self._watches: dict[Table, asyncio.Task[None]] = {}

    def where(self) -> str:
        return self.service.rest

    @property
    def tables(self) -> list[Table]:
        """All of them; without those that were forgotten, where that may be."""
        return [table for room in self.rooms for table in room.tables if table not in self.forgotten]

    def attend(self, table: Table) -> None:
        watcher = Watcher(table, self.where)
        self.watchers.append(watcher)
        assert self._group is not None
        self._watches[table] = self._group.create_task(watcher.watch())

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Plays until the end of the block, then ends every table and sees that all is well with it."""
        async with Connection(self.where) as one, asyncio.TaskGroup() as group:
            self._group = group
            players = [
                group.create_task(self._play(room, random.Random(number)))
                for room in self.rooms
                for number in range(PLAYERS)
            ]
            yield
            self._over = True
            await asyncio.gather(*players)
            for table in self.tables:
                if not await table.end(one):
                    assert self.forgets
                    self.forgotten.add(table)
            for table in self.forgotten:
                self._watches[table].cancel()
            _, waiting = await asyncio.wait(self._watches.values(), timeout=SECONDS)
            assert not waiting, "a watcher is not told of the end"
        async with Connection(self.where) as one:
            for table in self.tables:
                missing = await table.check(one)
                assert not missing or self.forgets, missing
                self.missing += len(missing) + table.undone
            await self._check_watchers(one)

    async def go_on(self, moves: int = MOVES * PLAYERS * len(GAMES)) -> None:
        """Returns once so many more moves were acknowledged."""
        aim = self._moves + moves
        async with asyncio.timeout(2 * SECONDS):
            while self._moves < aim:  # noqa: ASYNC110 - it is looked at, nobody tells
                await asyncio.sleep(PAUSE)

    async def _play(self, room: Room, rng: random.Random) -> None:
        async with Connection(self.where) as connection:
            table = await room.next(connection, None)
            while not self._over:
                try:
                    turn = await table.turn(connection)
                    if turn is None:
                        table = await room.next(connection, table)
                    else:
                        await self._move(connection, table, turn, rng.choice(turn.moves))
                except Gone:
                    assert self.forgets
                    self.forgotten.add(table)
                    table = await room.next(connection, table)

    async def _move(self, connection: Connection, table: Table, turn: Turn, text: str) -> None:
        """Makes one move, asking with the same key until there is an answer."""
        body = {"move": text, "expectedVersion": turn.version, "idempotencyKey": new_key()}
        after = turn.version + 1
        newest = max(table.moved, default=0)
        while True:
            answer: Answer | None
            try:
                answer = await connection.call("POST", f"{table.path}/moves", body, turn.token)
            except Lost:
                self.lost += 1
                answer = None
            if answer is not None and answer.status != 503:
                break
            if answer is not None:
                assert answer.code == "STORE_AWAY"
                self.refused += 1
            await asyncio.sleep(PAUSE)
        if answer.status == 200:
            assert answer.json["version"] == after
            assert after not in table.moved or self.forgets, "two moves of one version"
            table.undone += after in table.moved
            table.moved[after] = text
            self._moves += 1
            return
        if answer.status == 404:
            raise Gone
        refusal = (answer.status, answer.code)
        if refusal not in ((409, "STALE_VERSION"), (409, "TABLE_ENDED")):
            # a version that came once more may be another's turn, with other cards
            assert self.forgets, answer.body
            assert answer.status in (403, 422)
            return
        self.late += 1
        told = answer.json["params"]["version"]
        assert told >= newest or self.forgets, "the table went back"

    async def _check_watchers(self, connection: Connection) -> None:
        """Each has seen every version of its table, and of every move that it was one."""
        for watcher in self.watchers:
            table = watcher.table
            if table in self.forgotten:
                continue
            version = (await connection.insist("GET", table.path, token=table.host)).json["version"]
            assert watcher.ended
            assert watcher.last is not None
            assert watcher.last == version or self.forgets  # it may have been told of an end that was forgotten
            if not watcher.resets:
                assert {watcher.acts[at] for at in table.moved if at in watcher.acts} <= {"moved"}
                first = min(watcher.acts)
                assert [*watcher.acts] == [*range(first, watcher.last + 1)]


class Readiness:
    """What the probe says of the tables, and that it is always ready."""

    def __init__(self, where: Callable[[], str]) -> None:
        self._where = where

    async def tables(self) -> str:
        async with Connection(self._where) as one:
            answer = await one.call("GET", "/readyz")
            assert answer.status == 200
            assert answer.json["status"] == "ready"
            return str(answer.json["tables"])

    async def until(self, said: str) -> float:
        """How many seconds it took until the tables were so."""
        start = time.monotonic()
        async with asyncio.timeout(SECONDS):
            while await self.tables() != said:  # noqa: ASYNC110 - that is how a probe is used
                await asyncio.sleep(PAUSE)
        return time.monotonic() - start


def told(house: House, what: str) -> None:
    """Prints what came of it."""
    moves = sum(len(table.moved) for table in house.tables)
    resets = sum(len(watcher.resets) for watcher in house.watchers)
    opened = sum(watcher.opened for watcher in house.watchers)
    print(
        f"\n{what}: {moves} moves acknowledged at {len(house.watchers)} tables; {house.late} calls too late, "
        f"{house.lost} without an answer, {house.refused} refused; {house.missing} moves lost, "
        f"{len(house.forgotten)} tables forgotten; {opened} streams watched, {resets} resets"
    )


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.redis)])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Process]:
    """A service that can be killed."""
    if request.param == "sqlite":
        with Process(SCHEIDS_DATA_DIR=str(tmp_path)) as made:
            yield made
    else:
        with over_redis(request.getfixturevalue("redis_url")) as made:
            yield made


async def test_kill_9_of_the_service(service: Process) -> None:
    house = House(service)
    async with house.open():
        for _ in range(ROUNDS):
            await house.go_on()
            service.kill()
            await asyncio.to_thread(service.start)
            await house.go_on()
    told(house, "kill -9 of the service")
    assert house.lost > 0
    assert not any(watcher.resets for watcher in house.watchers)


@pytest.mark.redis
async def test_kill_9_of_redis(tmp_path: Path) -> None:
    with servers.standalone(tmp_path, *ALWAYS) as server, over_redis(server.url) as service:
        house, ready = House(service), Readiness(lambda: service.rest)
        async with house.open():
            for _ in range(ROUNDS):
                await house.go_on()
                assert await ready.tables() == "ready"
                server.kill()
                await ready.until("away")
                slowest = await while_away(house)
                await asyncio.to_thread(server.start)
                spent = await ready.until("ready")
                print(f"\na refusal within {slowest * 1000:.0f} ms; back after {spent * 1000:.0f} ms")
                await house.go_on()
        told(house, "kill -9 of redis-server")
        assert house.refused > 0
        assert house.lost == 0
        assert not any(watcher.resets for watcher in house.watchers)


async def while_away(house: House) -> float:
    """Calls at tables are refused at once, all else goes on. How long the longest refusal took."""
    table = house.rooms[0].tables[-1]
    slowest = 0.0
    metadata = (("authorization", f"Bearer {table.host}"),)
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(Connection(house.where))
        channel = stack.enter_context(grpc.insecure_channel(house.service.grpc))
        stub: Any = tables_pb2_grpc.TablesStub(channel)
        health: Any = health_pb2_grpc.HealthStub(channel)
        for _ in range(10):
            for method, path, token in (
                ("GET", table.path, table.host),
                ("GET", f"{table.path}/legal-moves", table.tokens[0]),
                ("GET", f"{table.path}/events", None),
                ("POST", f"{table.path}/claim", None),
            ):
                start = time.monotonic()
                answer = await one.call(method, path, {"joinCode": "none"} if method == "POST" else None, token)
                slowest = max(slowest, time.monotonic() - start)
                assert (answer.status, answer.code) == (503, "STORE_AWAY")
            start = time.monotonic()
            with pytest.raises(grpc.RpcError) as refused:
                stub.GetTable(tables_pb2.GetTableRequest(table=table.id), metadata=metadata, timeout=SECONDS)
            slowest = max(slowest, time.monotonic() - start)
            assert code_of(refused.value) == "UNAVAILABLE"
            assert health.Check(health_pb2.HealthCheckRequest()).status == health_pb2.HealthCheckResponse.SERVING
            dealt = await one.call("POST", "/v1/deal", {"game": "whist"})
            assert dealt.status == 200
            assert (await one.call("POST", "/v1/legal-moves", {"state": dealt.json["state"]})).status == 200
            assert (await one.call("GET", "/livez")).status == 200
    assert slowest < AT_ONCE
    return slowest


@pytest.mark.redis
@pytest.mark.parametrize("waits", [True, False], ids=["wait", "no-wait"])
async def test_a_failover(tmp_path: Path, *, waits: bool) -> None:
    settings = {"SCHEIDS_REDIS_WAIT_REPLICAS": "1", "SCHEIDS_REDIS_WAIT_MILLISECONDS": "300"} if waits else {}
    with ExitStack() as stack:
        two = stack.enter_context(servers.pair(tmp_path))
        service = stack.enter_context(over_redis(two.url, **settings))
        house = House(service, forgets=not waits)
        async with house.open():
            for _ in range(ROUNDS):
                await house.go_on()
                # asked anew each time: on a busy machine the Sentinels may have changed their minds
                leader, follower = (two.primary, two.replica) if leads(two.primary) else (two.replica, two.primary)
                await cut_off(leader, follower)
                await asyncio.to_thread(servers.wait_until, "the replica leads", functools.partial(leads, follower))
                async with Connection(house.where) as one:  # whoever answers now is the new primary
                    await one.insist("GET", house.rooms[0].tables[0].path)
                await asyncio.to_thread(leader.start)
                leader.redis.replicaof("127.0.0.1", follower.port)  # as the Sentinels would, after 8 s
                await house.go_on()
        told(house, f"a failover, {'waiting for the replica' if waits else 'not waiting'}")
        assert house.refused > 0


async def cut_off(leader: Server, follower: Server) -> None:
    """Kills a primary that for a moment has gone on without its replica."""
    follower.signal(signal.SIGSTOP)
    leader.redis.client_kill_filter(_type="replica")
    await asyncio.sleep(LAG)
    leader.kill()
    follower.signal(signal.SIGCONT)


def leads(server: Server) -> bool:
    return bool(server.redis.role()[0] == b"master")
