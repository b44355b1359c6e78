"""Watching, the same for each store: every frame once, in order, or a reset, or an end that says why."""

import asyncio
import random
import threading

import uvloop

from service.store import (
    Committed,
    Ended,
    Frame,
    NoTable,
    Overrun,
    Reset,
    Store,
    Watching,
    WatchItem,
    new_table_id,
)
from tests.service.conftest import Make
from tests.service.store.tables import ROUNDS, create, move, play, read

SECONDS = 20


async def take(watching: Watching, number: int) -> list[int]:
    """The versions of the next frames, each of which says what it is."""
    versions = []
    for _ in range(number):
        frame = await watching.next(SECONDS)
        assert isinstance(frame, Frame), frame
        assert frame.data == f"frame {frame.version}".encode()
        versions.append(frame.version)
    return versions


async def test_frames_that_are_there_come_first_and_then_those_that_come(store: Store) -> None:
    table = await create(store)
    await play(store, table, 1, 4)
    async with store.watch(table, 1) as watching:
        assert await take(watching, 3) == [2, 3, 4]
        assert await watching.next(0.05) is None
        waiting = asyncio.create_task(take(watching, 2))
        await play(store, table, 4, 6)
        assert await waiting == [5, 6]
        assert await watching.next(0) is None


async def test_a_frame_has_the_mark_of_its_version(store: Store) -> None:
    table = await create(store)
    async with store.watch(table, 1, mark=(await read(store, table)).mark) as watching:
        moved = await move(store, table, 1)
        frame = await watching.next(SECONDS)
        assert isinstance(moved, Committed)
        assert isinstance(frame, Frame)
        assert frame.mark == moved.mark


async def test_long_histories_are_read_whole(store: Store) -> None:
    table = await create(store)
    await play(store, table, 1, 260)
    async with store.watch(table, 0) as watching:
        assert await take(watching, 260) == list(range(1, 261))


async def test_each_watcher_has_its_own_place(store: Store) -> None:
    table, other = await create(store), await create(store)
    async with store.watch(table, 0) as first, store.watch(table, 1) as second, store.watch(other, 1) as third:
        await play(store, table, 1, 3)
        assert await take(first, 3) == [1, 2, 3]
        await play(store, other, 1, 2)
        assert await take(second, 2) == [2, 3]
        assert await take(third, 1) == [2]


async def test_leaving_disturbs_nobody(store: Store) -> None:
    table = await create(store)
    async with store.watch(table, 1) as stays:
        async with store.watch(table, 1) as leaves:
            await play(store, table, 1, 2)
            assert await take(leaves, 1) == [2]
        await play(store, table, 2, 3)
        assert await take(stays, 2) == [2, 3]
    async with store.watch(table, 3) as comes:
        await play(store, table, 3, 4)
        assert await take(comes, 1) == [4]


async def test_coming_and_going_misses_nothing(store: Store) -> None:
    """One watcher leaves at the moment at which another comes, over and over."""
    table = await create(store)
    version = 1

    async def one(delay: float) -> None:
        nonlocal version
        await asyncio.sleep(delay)
        at = version
        async with store.watch(table, at) as watching:
            assert await take(watching, 1) == [at + 1]

    watchers = [asyncio.create_task(one(number * 0.003)) for number in range(60)]
    while not all(watcher.done() for watcher in watchers):
        await play(store, table, version, version + 1)
        version += 1
        await asyncio.sleep(0.002)
    await asyncio.gather(*watchers)


async def test_resuming_at_random_points_sees_each_frame_once(make: Make) -> None:
    last = 150 * ROUNDS
    store = make(frames_kept=last)
    table = await create(store)
    rng = random.Random(5)

    async def player() -> None:
        for version in range(1, last):
            await play(store, table, version, version + 1)
            if rng.random() < 0.3:
                await asyncio.sleep(rng.random() * 0.004)

    async def watcher(seed: int) -> list[int]:
        own = random.Random(seed)
        seen: list[int] = []
        mark: bytes | None = None
        while len(seen) < last:
            async with store.watch(table, len(seen), mark=mark) as watching:
                for _ in range(own.randrange(1, 12)):
                    item = await watching.next(own.choice([0, 0.001, 0.01]))
                    if isinstance(item, Frame):
                        seen.append(item.version)
                        mark = item.mark
        return seen

    playing = asyncio.create_task(player())
    for seen in await asyncio.gather(*(watcher(seed) for seed in range(5))):
        assert seen == list(range(1, last + 1))
    await playing


async def test_a_watcher_behind_what_is_kept_is_reset(make: Make) -> None:
    store = make(frames_kept=5)
    table = await create(store)
    await play(store, table, 1, 10)
    async with store.watch(table, 2) as watching:
        assert await watching.next(SECONDS) == Reset(10)
        found = await read(store, table)
        watching.seek(found.version, found.mark)
        await play(store, table, 10, 11)
        assert await take(watching, 1) == [11]
    async with store.watch(table, 6) as watching:
        assert await take(watching, 5) == [7, 8, 9, 10, 11]


async def test_a_watcher_ahead_of_the_store_is_reset(store: Store) -> None:
    table = await create(store)
    async with store.watch(table, 40) as watching:
        assert await watching.next(SECONDS) == Reset(1)
        await play(store, table, 1, 2)
        assert await take(watching, 1) == [2]


async def test_a_watcher_of_an_undone_version_is_reset(store: Store) -> None:
    table = await create(store)
    await play(store, table, 1, 3)
    async with store.watch(table, 2, mark=b"12345678") as watching:
        assert await watching.next(SECONDS) == Reset(3)


async def test_a_slow_watcher_is_dropped_and_may_resume(store: Store) -> None:
    table = await create(store)
    async with store.watch(table, 1, room=4) as slow, store.watch(table, 1) as quick:
        assert await slow.next(0) is None
        assert await quick.next(0) is None
        await play(store, table, 1, 9)
        assert await take(quick, 8) == list(range(2, 10))
        await asyncio.sleep(0.02)
        assert await take(slow, 4) == [2, 3, 4, 5]
        assert await slow.next(SECONDS) == Overrun(5)
        assert await slow.next(SECONDS) == Overrun(5)
    async with store.watch(table, 5) as resumed:
        assert await take(resumed, 4) == [6, 7, 8, 9]


async def test_the_end_of_a_table_ends_its_watches(store: Store) -> None:
    table = await create(store)
    async with store.watch(table, 1) as watching:
        await play(store, table, 1, 2, ends=True)
        frame = await watching.next(SECONDS)
        assert isinstance(frame, Frame)
        assert frame.last
        assert await watching.next(SECONDS) == Ended(2)
    async with store.watch(table, 2) as late:
        assert await late.next(SECONDS) == Ended(2)
    async with store.watch(table, 0) as replayed:
        assert await take(replayed, 2) == [1, 2]
        assert await replayed.next(SECONDS) == Ended(2)


async def test_no_table_ends_its_watches(store: Store) -> None:
    deleted, expires = await create(store), await create(store, ttl=1)
    async with store.watch(deleted, 1) as first, store.watch(expires, 1) as second:
        assert await first.next(0) is None
        assert await second.next(0) is None
        await store.delete(deleted)
        assert await first.next(SECONDS) == NoTable()
        assert await second.next(SECONDS) == NoTable()
    for text in (new_table_id(), "{}"):
        async with store.watch(text, 0) as nobody:
            assert await nobody.next(SECONDS) == NoTable()


async def test_watchers_of_another_loop_are_told(store: Store) -> None:
    table = await create(store)
    ready = threading.Event()
    seen: list[WatchItem | None] = []

    async def elsewhere() -> None:
        async with store.watch(table, 1) as watching:
            assert await watching.next(0) is None
            ready.set()
            seen.extend([await watching.next(SECONDS), await watching.next(SECONDS)])
        await store.close()

    thread = threading.Thread(target=lambda: uvloop.run(elsewhere()))
    thread.start()
    await asyncio.to_thread(ready.wait, SECONDS)
    await play(store, table, 1, 3)
    await asyncio.to_thread(thread.join)
    assert [item.data for item in seen if isinstance(item, Frame)] == [b"frame 2", b"frame 3"]
