"""The stores that tables are kept in, and servers for them that live as long as the tests."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from service.store import Store
from service.store.redis import RedisOptions, RedisStore
from service.store.sqlite import SqliteStore
from tests.service.store import servers

Make: TypeAlias = Callable[..., Store]
KINDS = ("sqlite", "redis", "cluster", "sentinel")


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Server]:
    with servers.standalone(tmp_path_factory.mktemp("standalone")) as server:
        yield server


@pytest.fixture(scope="session")
def redis_url(redis_server: servers.Server) -> str:
    return redis_server.url


@pytest.fixture(scope="session")
def cluster_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with servers.cluster(tmp_path_factory.mktemp("cluster")) as three:
        yield three.url


@pytest.fixture(scope="session")
def sentinel_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with servers.pair(tmp_path_factory.mktemp("sentinel")) as two:
        yield two.url


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips what needs a redis-server where there is none."""
    if servers.PROGRAM is None:
        for item in items:
            if item.get_closest_marker("redis"):
                item.add_marker(pytest.mark.skip(reason=servers.WHY_NOT))


@pytest.fixture
async def make_redis() -> AsyncIterator[Callable[..., RedisStore]]:
    """Makes Redis stores, and closes them in the end."""
    made: list[RedisStore] = []

    def make(url: str, **options: Any) -> RedisStore:
        made.append(RedisStore(url, RedisOptions(**options)))
        return made[-1]

    yield make
    for store in made:
        await store.close()


@pytest.fixture(params=[pytest.param(kind, marks=() if kind == "sqlite" else pytest.mark.redis) for kind in KINDS])
async def make(
    request: pytest.FixtureRequest, tmp_path: Path, make_redis: Callable[..., RedisStore]
) -> AsyncIterator[Make]:
    """Makes stores of one kind, all of them over the same tables; SQLite has but one."""
    if request.param != "sqlite":
        url = request.getfixturevalue(f"{request.param}_url")

        def one_more(**options: Any) -> Store:
            return make_redis(url, **options)

        yield one_more
        return
    made: list[SqliteStore] = []

    def the_one(**options: Any) -> Store:
        if not made:
            made.append(SqliteStore(tmp_path / "tables.db", **options))
        return made[0]

    yield the_one
    for store in made:
        await store.close()


@pytest.fixture
def store(make: Make) -> Store:
    return make()
