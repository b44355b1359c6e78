"""Watching a table: every version once and in order, through whatever comes between, and only what one may see."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from service.errors import ServiceError
from service.messages import WatchTableRequest, WatchTableResponse
from service.store import Store
from service.tables import Tables, Watcher
from tests.service.tables.playing import GAMES, Clock, Evening, Refused, encoded, tables_over

SECONDS = 30
RESUMES = 1_000
MANY = 2_000
Frames = AsyncGenerator[WatchTableResponse, None]


@pytest.fixture
def tables(store: Store) -> Tables:
    return tables_over(store)


@pytest.fixture
def watcher(tables: Tables) -> Watcher:
    return Watcher(tables)


async def watch(watcher: Watcher, evening: Evening, token: str | None, after: int | None = None) -> Frames:
    frames = await watcher.watch(WatchTableRequest(table=evening.id, after_version=after), token)
    assert frames is not None
    return frames


async def following(frames: Frames) -> WatchTableResponse:
    return await asyncio.wait_for(anext(frames), SECONDS)


async def to_the_end(frames: Frames) -> list[WatchTableResponse]:
    return [frame async for frame in frames]


async def all_there(watcher: Watcher, number: int) -> None:
    async with asyncio.timeout(SECONDS):
        while watcher.watches < number:  # noqa: ASYNC110 - a watch says nothing when it begins
            await asyncio.sleep(0.01)


async def test_first_all_of_it_then_each_version(watcher: Watcher, tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", start=False)
    frames = await watch(watcher, evening, evening.places[1])
    first = await following(frames)
    assert first.table is not None
    assert (first.version, first.table.place, first.table.view) == (5, 1, None)
    await evening.start()
    started = await following(frames)
    assert (started.version, started.act, started.place) == (6, "started", None)
    assert started.view is not None
    assert encoded(started.view) == encoded((await evening.seen(evening.places[1])).view)
    for _ in range(3):
        place = await evening.to_act()
        answer = await evening.random_move(random.Random(1))
        assert answer is not None
        frame = await following(frames)
        assert (frame.version, frame.act, frame.place) == (answer.version, "moved", place)
        assert encoded(frame.events) == encoded(answer.events)
        assert frame.to_act == answer.view.to_act
    await frames.aclose()
    assert watcher.watches == 0


@pytest.mark.parametrize("game", GAMES)
async def test_each_is_shown_what_is_theirs(watcher: Watcher, tables: Tables, game: str) -> None:
    """What a place hears in frames is what it would have been answered, and the host and a spectator hear no more."""
    evening = await Evening.of(tables, game, spectators=True, start=False)
    after = await evening.version()
    watches = {
        token: asyncio.create_task(to_the_end(await watch(watcher, evening, token, after)))
        for token in (None, evening.host, *evening.places)
    }
    await evening.start()
    rng = random.Random(game)
    answers = []
    for _ in range(20):
        place = await evening.to_act()
        answer = await evening.random_move(rng)
        if answer is None:
            break
        answers.append((place, answer))
    if (await evening.seen(evening.host)).ended is None:
        await evening.end()
    heard = {token: await asyncio.wait_for(task, SECONDS) for token, task in watches.items()}
    for frames in heard.values():
        assert [frame.version for frame in frames] == list(range(after + 1, after + 1 + len(frames)))
        assert frames[-1].ended is not None
    for place, answer in answers:
        assert place is not None
        frame = heard[evening.places[place]][answer.version - after - 1]
        assert encoded(frame.events) == encoded(answer.events)
    assert encoded(heard[None]) == encoded(heard[evening.host])


async def test_a_host_who_sees_all_hears_all(watcher: Watcher, tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", hostSees="all", start=False)
    frames = await watch(watcher, evening, evening.host, await evening.version())
    await evening.start()
    started = await following(frames)
    dealt: Any = started.events[0]
    assert all(len(hand.cards) == 13 for hand in dealt.hands)
    assert started.views is not None
    assert len(started.views) == 4
    await frames.aclose()


async def test_resuming_goes_on_behind_the_version(watcher: Watcher, tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    for after in (1, 3, 5):
        frames = await watch(watcher, evening, evening.places[0], after)
        assert [(await following(frames)).version for _ in range(after, 6)] == list(range(after + 1, 7))
        await frames.aclose()


async def test_who_is_ahead_is_reset(watcher: Watcher, tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    frames = await watch(watcher, evening, evening.places[0], 99)
    frame = await following(frames)
    assert frame.reset
    assert frame.table is not None
    assert frame.version == frame.table.version == 6
    await evening.random_move(random.Random(1))
    assert (await following(frames)).version == 7
    await frames.aclose()


async def test_who_is_too_far_behind_is_reset(make: Any) -> None:
    tables = tables_over(make(frames_kept=4))
    evening = await Evening.of(tables, "whist")
    rng = random.Random(1)
    for _ in range(6):
        await evening.random_move(rng)
    frames = await watch(Watcher(tables), evening, evening.places[0], 3)
    frame = await following(frames)
    assert (frame.reset, frame.version) == (True, 12)
    await evening.random_move(rng)
    assert (await following(frames)).version == 13
    await frames.aclose()


async def test_taking_back_brings_the_view(watcher: Watcher, tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    before = (await evening.seen(evening.places[2])).view
    await evening.random_move(random.Random(1))
    frames = await watch(watcher, evening, evening.places[2], await evening.version())
    await evening.undo()
    frame = await following(frames)
    assert frame.act == "undone"
    assert encoded(frame.view) == encoded(before)
    await frames.aclose()


async def test_a_replaced_token_ends_its_watch_and_all_are_told(watcher: Watcher, tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    after = await evening.version()
    mine = await watch(watcher, evening, evening.places[0], after)
    others = await watch(watcher, evening, evening.places[1], after)
    await evening.reissue(evening.places[0])
    assert [(frame.act, frame.gone) for frame in await to_the_end(mine)] == [("reissued", None), (None, "revoked")]
    told = await following(others)
    assert (told.act, told.place) == ("reissued", 0)
    with Refused("INVALID_TOKEN"):
        await watch(watcher, evening, evening.places[0])
    await others.aclose()


async def test_a_claim_is_heard_with_its_name(watcher: Watcher, tables: Tables) -> None:
    evening = await Evening.of(tables, "flip7", names=["Ann", "Bo", "Cy"], start=False)
    frames = await watch(watcher, evening, evening.host, 1)
    claims = [await following(frames) for _ in range(3)]
    assert [(frame.act, frame.place, frame.name) for frame in claims] == [
        ("claimed", 0, "Ann"),
        ("claimed", 1, "Bo"),
        ("claimed", 2, "Cy"),
    ]
    await frames.aclose()


async def test_an_ended_table_says_how_it_ended_and_then_no_more(watcher: Watcher, tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    await evening.end()
    version = await evening.version()
    whole = await to_the_end(await watch(watcher, evening, evening.places[0]))
    assert whole[0].table is not None
    assert whole[0].table.ended is not None
    last = await to_the_end(await watch(watcher, evening, evening.places[0], version - 1))
    assert [frame.version for frame in last] == [version]
    assert last[0].ended is not None
    request = WatchTableRequest(table=evening.id, after_version=version)
    assert await watcher.watch(request, evening.places[0]) is None


async def test_a_table_that_expires_ends_the_watch(watcher: Watcher, tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", ttlSeconds=1)
    frames = await asyncio.wait_for(to_the_end(await watch(watcher, evening, evening.places[0])), SECONDS)
    assert frames[-1].gone == "expired"


async def test_silence_is_broken_by_heartbeats(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    frames = await watch(Watcher(tables, heartbeat=0.05), evening, evening.places[0])
    await following(frames)
    for _ in range(3):
        frame = await following(frames)
        assert (frame.version, frame.act, frame.table, frame.gone) == (6, None, None, None)
    await frames.aclose()


async def test_a_stop_ends_every_watch_at_once(tables: Tables) -> None:
    watcher = Watcher(tables, heartbeat=3_600)
    evening = await Evening.of(tables, "whist")
    tasks = [
        asyncio.create_task(to_the_end(await watch(watcher, evening, evening.places[place]))) for place in range(4)
    ]
    await all_there(watcher, len(tasks))
    watcher.stop()
    for task in tasks:
        assert (await asyncio.wait_for(task, SECONDS))[-1].gone == "stopping"
    late = await to_the_end(await watch(watcher, evening, evening.places[0]))
    assert late[-1].gone == "stopping"


async def test_who_does_not_read_is_let_go_and_can_resume(tables: Tables) -> None:
    watcher = Watcher(tables, room=3)
    evening = await Evening.of(tables, "whist")
    frames = await watch(watcher, evening, evening.places[0])
    seen = (await following(frames)).version
    await evening.random_move(random.Random(1))
    seen = (await following(frames)).version
    rng = random.Random(1)
    for _ in range(8):
        await evening.random_move(rng)
    await asyncio.sleep(0.3)
    rest = await asyncio.wait_for(to_the_end(frames), SECONDS)
    assert rest[-1].gone == "slow"
    versions = [frame.version for frame in rest[:-1]]
    assert versions == list(range(seen + 1, seen + 1 + len(versions)))
    again = await watch(watcher, evening, evening.places[0], versions[-1] if versions else seen)
    last = await evening.version()
    while (await following(again)).version < last:
        pass
    await again.aclose()


async def test_a_turn_that_is_over_is_played_while_somebody_watches(store: Store) -> None:
    tables = tables_over(store, time.time)
    evening = await Evening.of(tables, "flip7", turnSeconds=1)
    watcher = Watcher(tables)
    watches = [await watch(watcher, evening, token) for token in (*evening.places, *evening.places)]
    for frames in watches:
        await following(frames)
    for frames in watches:
        frame = await following(frames)
        assert (frame.act, frame.version) == ("timedOut", 6)
        await frames.aclose()


async def test_the_clock_stands_still_for_who_does_not_look(store: Store) -> None:
    clock = Clock()
    tables = tables_over(store, clock)
    evening = await Evening.of(tables, "flip7", turnSeconds=1)
    clock.now += 1_000
    assert await evening.version() == 6
    assert await evening.version() == 6


async def test_a_watcher_who_comes_and_goes_sees_every_version_once(tables: Tables, watcher: Watcher) -> None:
    """Leaves a thousand times, at random, often while a frame is on its way."""
    evening = await Evening.of(tables, "wippen", seed="a long evening", options={"preset": "full", "target": 400})
    rng = random.Random(RESUMES)
    over = asyncio.Event()
    seen: list[WatchTableResponse] = []
    after = await evening.version()

    async def play() -> None:
        while not over.is_set():
            assert await evening.random_move(rng), "the evening was not long enough"
            await asyncio.sleep(rng.random() / 200)

    async def read(frames: Frames, number: int) -> None:
        async for frame in frames:
            seen.append(frame)
            number -= 1
            if number <= 0:
                return

    player = asyncio.create_task(play())
    for _ in range(RESUMES):
        frames = await watch(watcher, evening, evening.places[0], seen[-1].version if seen else after)
        reading = asyncio.create_task(read(frames, rng.randrange(3)))
        await asyncio.wait([reading], timeout=rng.random() / 300)
        reading.cancel()
        await asyncio.wait([reading])
        assert reading.cancelled() or reading.exception() is None
        await frames.aclose()
    over.set()
    await player
    assert [frame.version for frame in seen] == list(range(after + 1, after + 1 + len(seen)))
    assert not any(frame.reset for frame in seen)
    assert len(seen) > 100
    assert watcher.watches == 0


@pytest.mark.redis
async def test_two_thousand_watch_one_table_over_one_reader(make_redis: Any, redis_url: str, redis_server: Any) -> None:
    store = make_redis(redis_url)
    tables = tables_over(store)
    evening = await Evening.of(tables, "whist", spectators=True)
    watcher = Watcher(tables, heartbeat=3_600)
    after = await evening.version()
    tasks = [
        asyncio.create_task(to_the_end(await watch(watcher, evening, None if number % 5 else evening.host, after)))
        for number in range(MANY)
    ]
    await all_there(watcher, MANY)
    names = [client["name"] for client in redis_server.redis.client_list()]
    assert names.count("scheids-watch") == 1
    rng = random.Random(2)
    for _ in range(5):
        await evening.random_move(rng)
    await evening.end()
    for task in tasks:
        frames = await asyncio.wait_for(task, SECONDS)
        assert [frame.version for frame in frames] == list(range(after + 1, after + 7))
    assert watcher.watches == 0


async def test_refusals_come_before_the_stream(watcher: Watcher, tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    with pytest.raises(ServiceError):
        await watcher.watch(WatchTableRequest(table=evening.id), None)
    with pytest.raises(ServiceError):
        await watcher.watch(WatchTableRequest(table="a" * 28), None)
