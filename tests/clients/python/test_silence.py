"""Nothing happens at a table for longer than a heartbeat, and than a watch lasts: whoever watches goes on."""

import asyncio
import threading
import time

import pytest

from scheids_client import AsyncScheids, Scheids
from tests.clients.python.conftest import TRANSPORTS, address_of
from tests.service.running import SECONDS, running

SILENCE = 2.5
"""Some heartbeats, and more than a watch of these tests lasts."""


@pytest.mark.parametrize("connection_seconds", [0, 1], ids=["heartbeats", "the age of a watch"])
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_silent_table_is_watched(transport: str, connection_seconds: int) -> None:
    with (
        running(heartbeat_seconds=1, connection_seconds=connection_seconds) as service,
        Scheids(address_of(service, transport)) as client,
    ):
        host = client.create_table("flip7", places=2, seed="silence").host
        versions: list[int] = []
        watching = threading.Thread(target=lambda: versions.extend(each.version for each in host.watch()))
        watching.start()
        time.sleep(SILENCE)
        host.end()
        watching.join(SECONDS)
        assert versions == [1, 2]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_silent_table_is_watched_without_waiting(transport: str) -> None:
    with running(heartbeat_seconds=1, connection_seconds=1) as service:
        async with AsyncScheids(address_of(service, transport)) as client:
            host = (await client.create_table("flip7", places=2, seed="silence")).host

            async def versions() -> list[int]:
                return [each.version async for each in host.watch()]

            watching = asyncio.create_task(versions())
            await asyncio.sleep(SILENCE)
            await host.end()
            assert await asyncio.wait_for(watching, SECONDS) == [1, 2]
