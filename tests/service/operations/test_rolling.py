"""A rolling restart under load, through what is documented for clients: nothing fails, and nothing is lost."""

import asyncio
import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from scheids_client import AsyncScheids, Retry
from tests.service.operations.house import House
from tests.service.operations.replicas import SECRET, Balancer, Replica, replicas
from tests.service.running import ROOT
from tests.service.store.servers import Server

ROUNDS = int(os.environ.get("ROLLING_ROUNDS", "1"))
"""How often each replica is replaced; ROLLING_ROUNDS=2 is the test at length."""
DRAIN = {"SCHEIDS_DRAIN_SECONDS": "1", "SCHEIDS_SHUTDOWN_SECONDS": "10"}
STEADY_SECONDS = 1.0
ONCE = Retry(attempts=1)
"""The Python client's own retries are left out: any client has to come through."""


def documented_service_config() -> str:
    """The service config of docs/operations.md."""
    page = (ROOT / "docs" / "operations.md").read_text()
    (text,) = re.findall(r"```json\n( *\{\n *\"loadBalancingConfig\".*?)```", page, re.DOTALL)
    return json.dumps(json.loads(text))


@pytest.mark.redis
async def test_nothing_fails_while_each_replica_is_replaced(tmp_path: Path, redis_server: Server) -> None:
    over = {"SCHEIDS_REDIS_URL": redis_server.url, "SCHEIDS_SECRET": SECRET, **DRAIN}
    with replicas(tmp_path, 3, **over) as three:
        balancer = Balancer([each.http for each in three])
        config = (("grpc.service_config", documented_service_config()),)
        addresses = ",".join(each.grpc for each in three)
        async with (
            balancer.open(),
            AsyncScheids(balancer.url, retry=ONCE) as http,
            AsyncScheids(f"grpc://{addresses}", retry=ONCE, channel_options=config) as grpc,
        ):
            house = House({"http": http, "grpc": grpc})
            async with house.open():
                for _ in range(ROUNDS):
                    for each in three:
                        await asyncio.sleep(STEADY_SECONDS)
                        await replaced(each)
                await asyncio.sleep(STEADY_SECONDS)
        assert not any(each.log for each in three)
    told(house)
    assert not house.refused, [str(call) for call in house.refused]
    opened = Counter(name for table in house.tables for name, watcher in table.watchers.items() if watcher.opened > 1)
    assert all(opened[name] for name in house.clients), "no watcher had to resume"


async def replaced(replica: Replica) -> None:
    code, _ = await asyncio.to_thread(replica.stop)
    assert code == 0
    await asyncio.to_thread(replica.start)


def told(house: House) -> None:
    """Prints what came of it."""
    kinds = Counter(call.kind for call in house.calls)
    moves = sum(len(table.moved) for table in house.tables)
    opened = sum(watcher.opened for table in house.tables for watcher in table.watchers.values())
    watchers = sum(len(table.watchers) for table in house.tables)
    print(f"\n{moves} moves acknowledged at {len(house.tables)} tables; {watchers} watchers opened {opened} streams")
    print(f"calls: {dict(kinds)}; refused: {len(house.refused)}")
