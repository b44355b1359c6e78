"""What a call at a table asks of Redis: as often as wire.md says, and no more."""

from collections.abc import AsyncIterator, Callable

import pytest

from service.store.redis import RedisStore
from tests.service.store.proxy import Proxy, proxy
from tests.service.tables.playing import Evening, tables_over

pytestmark = pytest.mark.redis
Make = Callable[..., RedisStore]


@pytest.fixture
async def wire(redis_url: str) -> AsyncIterator[Proxy]:
    async with proxy(redis_url) as counting:
        yield counting


class Count:
    """How often Redis was asked since the last look."""

    def __init__(self, wire: Proxy) -> None:
        self._wire = wire
        self._before = 0

    def __call__(self) -> int:
        before, self._before = self._before, self._wire.requests
        return self._before - before


async def test_a_warm_move_is_one_round_trip_and_a_cold_one_two(redis_url: str, wire: Proxy, make_redis: Make) -> None:
    """Cold is who never had the table, and also who has it as it was before others moved on."""
    evening = await Evening.of(tables_over(make_redis(redis_url)), "whist")
    store = make_redis(wire.url)
    here = Evening(tables_over(store), evening.created, evening.places)
    await store.ping()  # connected from here on
    asked = Count(wire)
    asked()
    version, place, moves = await turn(evening)
    for number in range(6):
        who = (here, evening)[number == 3]
        await who.play(who.places[place], moves[0], expected_version=version, idempotency_key=f"key {number}")
        assert asked() == (2, 1, 1, 0, 2, 1)[number], number
        version, place, moves = await turn(evening)


async def turn(evening: Evening) -> tuple[int, int, list[str]]:
    place = await evening.to_act()
    assert place is not None
    return await evening.version(), place, await evening.legal(place)
