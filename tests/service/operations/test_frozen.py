"""Redis stands still: whoever does not need it notices nothing, tables refuse in time, and are back soon after it."""

import asyncio
import os
import signal
import statistics
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from scheids_client import AsyncScheids, Retry
from tests.service.operations.house import House, Watcher
from tests.service.operations.replicas import SECRET, Replica, replicas
from tests.service.store import servers

FROZEN_SECONDS = float(os.environ.get("FROZEN_SECONDS", "4"))
"""FROZEN_SECONDS=60 is the test at length."""
BEFORE_SECONDS = 3.0
BACK_SECONDS = 5.0
CALL_SECONDS = 2.0
SPARE = 3.0
"""What a busy machine may add to a call's time-out."""
LOOK_SECONDS = 0.2
ONCE = Retry(attempts=1)
PROBE_SECONDS = 5.0
"""As the liveness probe has it."""


class Probes:
    """What Kubernetes asks again and again, and how long each answer took. A probe that fails is raised."""

    def __init__(self, http: httpx.AsyncClient, channel: aio.Channel) -> None:
        self._http = http
        self._health: Any = health_pb2_grpc.HealthStub(channel)
        self.seconds: list[float] = []

    async def go_on(self) -> None:
        while True:
            for path in ("/livez", "/readyz"):
                await self._timed(self._get(path))
            for service in ("", "scheids.v1.Referee", "scheids.v1.Tables"):
                await self._timed(self._check(service))
            await asyncio.sleep(LOOK_SECONDS)

    async def _timed(self, probe: Awaitable[None]) -> None:
        began = time.monotonic()
        await probe
        self.seconds.append(time.monotonic() - began)

    async def _get(self, path: str) -> None:
        assert (await self._http.get(path)).status_code == httpx.codes.OK

    async def _check(self, service: str) -> None:
        answer = await self._health.Check(health_pb2.HealthCheckRequest(service=service), timeout=PROBE_SECONDS)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


@asynccontextmanager
async def probed(replica: Replica) -> AsyncIterator[Probes]:
    """Asks the probes until the end of the block."""
    async with (
        httpx.AsyncClient(base_url=f"http://{replica.http}", timeout=PROBE_SECONDS) as http,
        aio.insecure_channel(replica.grpc) as channel,
    ):
        probes = Probes(http, channel)
        asking = asyncio.create_task(probes.go_on())
        try:
            yield probes
        finally:
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking


@pytest.mark.redis
async def test_redis_stands_still(tmp_path: Path) -> None:
    with (
        servers.standalone(tmp_path) as redis,
        replicas(tmp_path, 1, SCHEIDS_REDIS_URL=redis.url, SCHEIDS_SECRET=SECRET) as (one,),
    ):
        async with (
            AsyncScheids(f"http://{one.http}", retry=ONCE) as http,
            AsyncScheids(f"grpc://{one.grpc}", retry=ONCE) as grpc,
            probed(one) as probes,
        ):
            house = House({"http": http, "grpc": grpc})
            async with house.open():
                await asyncio.sleep(BEFORE_SECONDS)
                pid, seen = one.pid, versions(house)
                redis.signal(signal.SIGSTOP)
                frozen = time.monotonic()
                try:
                    await asyncio.sleep(FROZEN_SECONDS)
                finally:
                    redis.signal(signal.SIGCONT)
                back = time.monotonic()
                await asyncio.sleep(BACK_SECONDS)
                well = time.monotonic()
                behind = [each for each, version in seen.items() if each.versions[-1] <= version]
                await asyncio.sleep(1)
        assert one.pid == pid
        assert not one.log
    refused = house.refused
    assert refused
    assert {call.refusal.code for call in refused if call.refusal} == {"STORE_AWAY"}
    assert not [call for call in refused if call.kind.endswith("stateless")]
    assert not [str(call) for call in refused if call.began < frozen - CALL_SECONDS or call.began >= well]
    slowest = max(call.seconds for call in refused)
    assert slowest < CALL_SECONDS + SPARE
    assert not behind, "a watcher has heard nothing since"
    for name in house.clients:
        assert house.seconds(f"{name} move", well, float("inf"))
    last = max(call.began + call.seconds for call in refused) - back
    print(f"\n{len(refused)} calls refused, each within {slowest:.2f} s; the last {last:.2f} s after Redis went on")
    print(f"{len(probes.seconds)} probes, the slowest {max(probes.seconds) * 1_000:.0f} ms")
    for name in house.clients:
        kind = f"{name} stateless"
        before, during = house.seconds(kind, 0, frozen), house.seconds(kind, frozen, back)
        print(f"{kind}: {quantiles(before)} before, {quantiles(during)} while Redis stood still")


def versions(house: House) -> dict[Watcher, int]:
    """How far each watcher is whose table goes on."""
    return {each: each.versions[-1] for table in house.tables if not table.ended for each in table.watchers.values()}


def quantiles(seconds: list[float]) -> str:
    """Median and 99th percentile."""
    return f"{statistics.median(seconds) * 1_000:.1f} / {seconds[int(len(seconds) * 0.99)] * 1_000:.1f} ms"
