"""What is Redis' alone: keys, round trips, retries, redirections, the one reader."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis.crc import key_slot

from service.store import Committed, Frame, NewerSchema, Reset, StoreAway, Table, digest, new_table_id
from service.store.redis import RedisStore
from tests.service.store import servers
from tests.service.store.proxy import proxy
from tests.service.store.servers import Cluster, Server
from tests.service.store.tables import ROUNDS, TTL, create, move, once, play, read

pytestmark = pytest.mark.redis
SECONDS = 20
Make = Callable[..., RedisStore]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that tests may look into and disturb, but leave as it was."""
    with servers.standalone(tmp_path_factory.mktemp("looked-into")) as one:
        yield one


@pytest.fixture
def store(server: Server, make_redis: Make) -> RedisStore:
    return make_redis(server.url)


def calls(server: Server, command: str) -> int:
    """How often a command was called."""
    return int(server.redis.info("commandstats").get(f"cmdstat_{command}", {"calls": 0})["calls"])


async def test_a_table_is_two_keys_that_expire(server: Server, make_redis: Make) -> None:
    store = make_redis(server.url, prefix="mine")
    table = await create(store, epochs={0: 1})
    await play(store, table, 1, 4)
    keys = [key.decode() for key in server.redis.keys("mine:*")]
    assert sorted(keys) == [f"mine:{{{table[:4]}}}:{table}", f"mine:{{{table[:4]}}}:{table}:frames"]
    assert all(0 < server.redis.ttl(key) <= TTL for key in keys)
    entries = server.redis.xrange(keys[0] if keys[0].endswith("frames") else keys[1])
    assert [entry[0] for entry in entries] == [b"1-0", b"2-0", b"3-0", b"4-0"]


async def test_a_commit_is_one_round_trip(server: Server, make_redis: Make) -> None:
    async with proxy(server.url) as wire:
        store = make_redis(wire.url)
        table = await create(store)
        await play(store, table, 1, 2)
        requests, scripts = wire.requests, calls(server, "evalsha")
        await play(store, table, 2, 102, epochs={0: 1})
        assert wire.requests - requests == 100
        assert calls(server, "evalsha") - scripts == 100
        for _ in range(2):
            requests = wire.requests
            await read(store, table, places=[0])
            await store.frames(table, 50)
            await store.recall(table, 0)
        assert wire.requests - requests == 3
        await store.close()


async def test_what_is_asked_at_once_goes_in_one_write(server: Server, make_redis: Make) -> None:
    async with proxy(server.url) as wire:
        store = make_redis(wire.url)
        tables = [await create(store) for _ in range(50)]
        await asyncio.gather(*(play(store, table, 1, 2) for table in tables))
        requests, scripts = wire.requests, calls(server, "evalsha")
        moved = await asyncio.gather(*(move(store, table, 2) for table in tables))
        assert all(isinstance(each, Committed) for each in moved)
        assert calls(server, "evalsha") - scripts == 50
        assert wire.requests - requests == 1
        assert wire.connections == 1
        await store.close()


async def test_a_caller_who_goes_away_takes_no_reply_of_another(store: RedisStore) -> None:
    tables = [await create(store, document=f"of {number}".encode()) for number in range(9)]
    reading = [asyncio.create_task(store.read(table)) for table in tables]
    await asyncio.sleep(0)
    for task in reading[::2]:
        task.cancel()
    found = await asyncio.gather(*reading, return_exceptions=True)
    assert [isinstance(each, asyncio.CancelledError) for each in found] == [True, False] * 4 + [True]
    assert [each.document for each in found if isinstance(each, Table)] == [b"of 1", b"of 3", b"of 5", b"of 7"]
    assert [(await read(store, table)).document for table in tables] == [b"of %d" % number for number in range(9)]


async def test_a_connection_that_was_closed_is_made_anew(server: Server, store: RedisStore) -> None:
    table = await create(store)
    for version in range(1, 4):
        server.redis.client_kill_filter(skipme=True)
        await play(store, table, version, version + 1)
    assert [client["name"] for client in server.redis.client_list()].count("scheids") == 1


async def test_scripts_that_were_flushed_are_loaded_again(server: Server, store: RedisStore) -> None:
    table = await create(store)
    server.redis.script_flush()
    await play(store, table, 1, 2)
    server.redis.script_flush()
    assert (await read(store, table)).version == 2


async def test_a_lost_answer_is_no_second_move(server: Server, make_redis: Make) -> None:
    """The call is tried again, finds that it was carried out, and says so: with a key and without one."""
    async with proxy(server.url) as wire:
        store = make_redis(wire.url)
        table = await create(store, epochs={0: 1})
        wire.lose_answers = 1
        moved = await move(store, table, 1, epoch=1, epochs={0: 2}, ends=False)
        assert isinstance(moved, Committed)
        assert (moved.version, wire.lose_answers) == (2, 0)
        wire.lose_answers = 2
        moved = await move(store, table, 2, once=once("k"), answer=b"answer", ends=True)
        assert isinstance(moved, Committed)
        assert wire.lose_answers == 0
        found = await read(store, table)
        assert (found.version, found.mark, found.ended) == (3, moved.mark, True)
        wire.lose_answers = 1
        await create(store)
        wire.lose_answers = 1
        again = new_table_id("again")
        await create(store, id=again, once=once("again"), answer=b"created")
        await store.close()


async def test_an_answer_lost_every_time_is_maybe_done(server: Server, make_redis: Make) -> None:
    async with proxy(server.url) as wire:
        store = make_redis(wire.url, attempts=2)
        table = await create(store)
        wire.lose_answers = 2
        with pytest.raises(StoreAway) as away:
            await move(store, table, 1)
        assert away.value.maybe_done
        await store.close()


async def test_a_server_that_refuses_writes_is_away_and_nothing_is_written(server: Server, store: RedisStore) -> None:
    table = await create(store)
    server.redis.config_set("maxmemory", "1")
    try:
        with pytest.raises(StoreAway, match="OOM") as away:
            await move(store, table, 1)
    finally:
        server.redis.config_set("maxmemory", "0")
    assert not away.value.maybe_done
    assert store.away is None
    assert (await read(store, table)).version == 1


async def test_a_newer_schema_is_refused_by_name(server: Server, store: RedisStore) -> None:
    table = await create(store)
    server.redis.hset(f"scheids:{{{table[:4]}}}:{table}", "schema", 2)
    for call in (store.read(table), store.frames(table, 0), store.recall(table, 0), move(store, table, 1)):
        with pytest.raises(NewerSchema, match=r"schema is 2; .* above 1"):
            await call
    key = "newer"
    server.redis.set(f"scheids:{{{new_table_id(key)[:4]}}}:made:{key}", b"\x00\x02" + digest(b"body"))
    with pytest.raises(NewerSchema):
        await create(store, id=new_table_id(key), once=once(key))


async def test_one_connection_reads_for_all_that_is_watched(server: Server, make_redis: Make) -> None:
    store = make_redis(server.url, connections=8)
    tables = [await create(store) for _ in range(100)]
    watches = [store.watch(table, 1) for table in tables for _ in range(5 * ROUNDS)]
    await asyncio.gather(*(watch.__aenter__() for watch in watches))
    assert await asyncio.gather(*(watch.next(0) for watch in watches)) == [None] * len(watches)
    names = [client["name"] for client in server.redis.client_list()]
    assert names.count("scheids-watch") == 1
    assert names.count("scheids") <= 8
    assert len(server.redis.client_list(_type="pubsub")) == 1
    await asyncio.gather(*(play(store, table, 1, 3) for table in tables))
    for _ in range(2):
        items = await asyncio.gather(*(watch.next(SECONDS) for watch in watches))
        assert all(isinstance(item, Frame) for item in items)
    for watch in watches:
        await watch.__aexit__(None, None, None)
    await asyncio.to_thread(servers.wait_until, "nobody listens", lambda: not server.redis.pubsub_shardchannels())


async def test_a_reader_that_is_cut_off_misses_nothing(server: Server, store: RedisStore) -> None:
    table = await create(store)
    last = 120

    async def player() -> None:
        for version in range(1, last):
            if version % 40 == 39:
                server.redis.client_kill_filter(_type="pubsub")
            await play(store, table, version, version + 1)
            if version % 40 == 39:
                await asyncio.sleep(0.3)  # nothing that comes later tells of it

    playing = asyncio.create_task(player())
    async with store.watch(table, 0) as watching:
        for version in range(1, last + 1):
            frame = await watching.next(SECONDS)
            assert isinstance(frame, Frame)
            assert frame.version == version
    await playing


async def test_a_watcher_of_what_a_failover_has_undone_is_reset(server: Server, store: RedisStore) -> None:
    """The frames it saw are gone, and others stand under their versions."""
    table = await create(store)
    keys = [f"scheids:{{{table[:4]}}}:{table}", f"scheids:{{{table[:4]}}}:{table}:frames"]
    await play(store, table, 1, 3)
    kept = [server.redis.dump(key) for key in keys]
    async with store.watch(table, 3) as watching:
        await play(store, table, 3, 5)
        assert isinstance(await watching.next(SECONDS), Frame)
        assert isinstance(await watching.next(SECONDS), Frame)
        for key, value in zip(keys, kept, strict=True):
            server.redis.restore(key, TTL * 1000, value, replace=True)
        await play(store, table, 3, 6, document=b"another course")
        server.redis.client_kill_filter(_type="pubsub")
        assert await watching.next(SECONDS) == Reset(6)
        found = await read(store, table)
        watching.seek(found.version, found.mark)
        await play(store, table, 6, 7)
        frame = await watching.next(SECONDS)
        assert isinstance(frame, Frame)
        assert frame.version == 7


async def test_a_password(tmp_path: Path, make_redis: Make) -> None:
    with servers.standalone(tmp_path) as server:
        server.redis.execute_command("ACL", "SETUSER", "me", "on", ">secret", "~*", "&*", "+@all")
        server.redis.execute_command("ACL", "SETUSER", "default", "off")
        store = make_redis(server.url.replace("//", "//me:secret@"))
        table = await create(store)
        async with store.watch(table, 1) as watching:
            await play(store, table, 1, 2)
            assert isinstance(await watching.next(SECONDS), Frame)
        for user in ("//", "//me:wrong-one@"):
            with pytest.raises(StoreAway) as away:
                await make_redis(server.url.replace("//", user)).read(table)
            assert "wrong-one" not in str(away.value)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with servers.cluster(tmp_path_factory.mktemp("moved")) as one:
        yield one


async def test_tables_are_spread_over_the_cluster_with_one_reader_a_node(three: Cluster, make_redis: Make) -> None:
    store = make_redis(three.url)
    tables = [await create(store) for _ in range(60)]
    watches = [store.watch(table, 1) for table in tables]
    await asyncio.gather(*(watch.__aenter__() for watch in watches))
    for server in three.servers:
        assert server.redis.dbsize() > 10
        assert len(server.redis.client_list(_type="pubsub")) == 1
    await asyncio.gather(*(play(store, table, 1, 3) for table in tables))
    for watch in watches:
        assert isinstance(await watch.next(SECONDS), Frame)
        assert isinstance(await watch.next(SECONDS), Frame)
        await watch.__aexit__(None, None, None)


async def test_a_slot_that_moves_takes_its_table_along(three: Cluster, make_redis: Make) -> None:
    """Commits and a watcher go on while a slot moves from one node to another: ASK, TRYAGAIN, then MOVED."""
    store = make_redis(three.url, call_seconds=6, attempts=30)
    table = await create(store)
    tag = f"scheids:{{{table[:4]}}}:{table}"
    slot = key_slot(tag.encode())
    source = three.owner(slot)
    target = next(server for server in three.servers if server is not source)
    names = {server: server.redis.execute_command("CLUSTER", "MYID").decode() for server in (source, target)}
    moving = asyncio.Event()
    version = 1

    async def player() -> None:
        nonlocal version
        while not moving.is_set() or version < 60:
            await play(store, table, version, version + 1)
            version += 1
            await asyncio.sleep(0.002)

    def move_keys() -> None:
        target.redis.execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", names[source])
        source.redis.execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", names[target])
        source.redis.execute_command("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", f"{tag}:frames")
        source.redis.execute_command("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", tag)

    def move_slot() -> None:
        for server in (target, source):
            server.redis.execute_command("CLUSTER", "SETSLOT", slot, "NODE", names[target])

    playing = asyncio.create_task(player())
    async with store.watch(table, 0) as watching:
        await asyncio.sleep(0.05)
        await asyncio.to_thread(move_keys)
        start = time.monotonic()
        await read(store, table)
        assert time.monotonic() - start < 1, "ASK was not followed"
        await asyncio.to_thread(move_slot)
        moving.set()
        await playing
        for expected in range(1, version + 1):
            frame = await watching.next(SECONDS)
            assert isinstance(frame, Frame)
            assert frame.version == expected
        await play(store, table, version, version + 1)
        assert isinstance(await watching.next(SECONDS), Frame)
    assert target.redis.exists(tag)
