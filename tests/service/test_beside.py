"""Work beside the event loops: in turns, no more at once than is allowed, and no process waits for it to end."""

import asyncio
import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest

from service.beside import TURN_SECONDS, Beside, Lane
from service.config import load
from service.errors import ServiceError
from service.rules import Rules
from service.transports.rest import create_app
from service.wire.gen.scheids.v1 import referee_pb2, referee_pb2_grpc, whist_pb2
from tests.service.operations.replicas import replicas
from tests.service.running import SECONDS, WHIST, Running, running

WHO: ContextVar[str] = ContextVar("WHO")


@pytest.fixture
def beside() -> Iterator[Beside]:
    made = Beside(most_long=2)
    yield made
    made.close()


async def test_it_is_done_elsewhere_in_the_context_of_who_asks(beside: Beside) -> None:
    WHO.set("the caller")
    assert await beside.long.do(lambda: (WHO.get(), threading.current_thread() is threading.main_thread())) == (
        "the caller",
        False,
    )


def inverse(number: int) -> float:
    return 1 / number


async def test_what_goes_wrong_is_raised(beside: Beside) -> None:
    with pytest.raises(ZeroDivisionError):
        await beside.long.do(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        await beside.long.in_turns(lambda: map(inverse, (1, 0)), len)
    assert await beside.large.do(lambda: 1) == 1


async def test_turns(beside: Beside) -> None:
    said: list[str] = []

    def steps(name: str) -> Iterator[str]:
        for _ in range(3):
            time.sleep(2 * TURN_SECONDS)
            said.append(name)
            yield name

    one = asyncio.create_task(beside.long.in_turns(lambda: steps("one"), "-".join))
    other = asyncio.create_task(beside.long.in_turns(lambda: steps("other"), "-".join))
    assert (await one, await other) == ("one-one-one", "other-other-other")
    assert said == ["one", "other"] * 3


def numbered(done: list[float]) -> int:
    return len(done)


def slept(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


async def test_what_is_short_takes_one_turn(beside: Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each turn is a change of threads, there and back."""
    turns: list[None] = []
    take = Lane._turn  # noqa: SLF001 - to count them

    def counted(lane: Lane, work: Callable[[], Any]) -> Any:
        turns.append(None)
        return take(lane, work)

    monkeypatch.setattr(Lane, "_turn", counted)
    assert await beside.long.in_turns(lambda: iter([0.0] * 100), numbered) == 100
    assert len(turns) == 1
    assert await beside.long.in_turns(lambda: (slept(each) for each in (2 * TURN_SECONDS, 0.0)), numbered) == 2
    assert len(turns) == 3


async def test_no_more_at_once_than_is_allowed(beside: Beside) -> None:
    go_on = threading.Event()
    waiting = [asyncio.create_task(beside.long.do(go_on.wait)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(ServiceError) as refused:
        await beside.long.do(lambda: 1)
    assert refused.value.code == "OVERLOADED"
    go_on.set()
    await asyncio.gather(*waiting)
    assert await beside.long.do(lambda: 1) == 1


class Body:
    """What a request brought."""

    def work(self) -> None:
        raise AssertionError(self)


async def test_of_whoever_waits_no_longer_nothing_is_kept_until_the_turn_comes(beside: Beside) -> None:
    go_on = threading.Event()
    at_work = asyncio.create_task(beside.long.do(go_on.wait))
    await asyncio.sleep(0)
    body = Body()
    kept, waiting = weakref.ref(body), asyncio.create_task(beside.long.do(body.work))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    del body, waiting
    await asyncio.sleep(0)
    gc.collect()
    assert kept() is None
    go_on.set()
    assert await at_work


async def test_what_no_future_can_be_told_is_told_all_the_same(beside: Beside) -> None:
    with pytest.raises(RuntimeError):
        await asyncio.wait_for(beside.long.do(lambda: next(iter(()))), SECONDS)
    assert await beside.long.do(lambda: 1) == 1


async def test_what_is_under_way_when_it_closes_comes_to_its_end(beside: Beside) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def steps() -> Iterator[bool]:
        begun.set()
        yield go_on.wait()

    under_way = asyncio.create_task(beside.long.in_turns(steps, len))
    await asyncio.to_thread(begun.wait)
    beside.close()
    go_on.set()
    assert await asyncio.wait_for(under_way, SECONDS) == 1


async def test_what_is_waited_for_too_long_is_not_begun() -> None:
    beside = Beside(most_long=1_000, longest_wait=0.004)
    begun: list[int] = []

    def work(number: int) -> None:
        begun.append(number)
        time.sleep(0.01)

    asked = [beside.long.do(lambda number=number: work(number)) for number in range(200)]  # type: ignore[misc]
    told = await asyncio.gather(*asked, return_exceptions=True)
    beside.close()
    refused = [each for each in told if isinstance(each, ServiceError)]
    assert {each.code for each in refused} == {"OVERLOADED"}
    assert len(begun) == len(told) - len(refused)


# --- over each transport


def over_grpc(server: Running, calls: int, n: int) -> Callable[[], Any]:
    """A batch of simulations."""
    channel = grpc.insecure_channel(str(server.ready.grpc))
    stub: Any = referee_pb2_grpc.RefereeStub(channel)
    dealt = stub.Deal(referee_pb2.DealRequest(whist=whist_pb2.WhistDealRequest(seed="long")), timeout=SECONDS)
    simulate = referee_pb2.SimulateRequest(state=dealt.state, n=n, seed="long")
    batch = referee_pb2.BatchRequest(
        calls=[referee_pb2.BatchCall(id=str(at), simulate=simulate) for at in range(calls)]
    )

    def ask() -> Any:
        with channel:
            return stub.Batch(batch, timeout=SECONDS)

    return ask


def test_a_long_batch_over_grpc_lets_a_short_one_over_rest_in_between() -> None:
    with running(max_work=1_000_000) as server, ThreadPoolExecutor() as pool:
        long = pool.submit(over_grpc(server, 45, 40))
        time.sleep(0.2)
        short = {"calls": [{"id": "a", "score": {"game": "whist", "facts": {"tricks": [7, 6]}}}]}
        server.http.post("/v1/batch", json=short).raise_for_status()
        assert not long.done()
        assert len(long.result(SECONDS).results) == 45


def test_the_setting() -> None:
    """A second long request is turned away, over any transport; short ones are not."""
    over = threading.Event()
    with running(max_long_requests=1) as server, ThreadPoolExecutor() as pool:
        lane = server.service._beside.long  # noqa: SLF001 - so that it is busy for as long as this test likes

        async def hold() -> bool:
            return await lane.do(over.wait)

        held = pool.submit(asyncio.run, hold())
        while not lane._under_way:  # noqa: SLF001 - as above
            time.sleep(0.01)
        state = server.http.post("/v1/deal", json=WHIST).json()["state"]
        asked = {"state": state, "n": 1, "seed": "a"}
        answer = server.http.post("/v1/simulate", json=asked)
        assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (429, "OVERLOADED", "1")
        with pytest.raises(grpc.RpcError) as refused:
            over_grpc(server, 1, 1)()
        assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        over.set()
        assert held.result(SECONDS)
        assert server.http.post("/v1/simulate", json=asked).status_code == 200


@pytest.mark.parametrize("transport", ["rest", "grpc", "connect"])
def test_work_beyond_the_grace_period_is_left(tmp_path: Path, transport: str) -> None:
    settings = {"SCHEIDS_SHUTDOWN_SECONDS": "1", "SCHEIDS_MAX_WORK": "10000000"}
    with replicas(tmp_path, 1, **settings) as (one,), ThreadPoolExecutor() as pool:
        state = httpx.post(f"http://{one.http}/v1/deal", json=WHIST).json()["state"]
        channel = grpc.insecure_channel(one.grpc)
        stub: Any = referee_pb2_grpc.RefereeStub(channel)
        dealt = stub.Deal(referee_pb2.DealRequest(whist=whist_pb2.WhistDealRequest(seed="x")), timeout=SECONDS)
        for_ages = referee_pb2.SimulateRequest(state=dealt.state, n=10_000, seed="x")

        def ask() -> object:
            if transport == "rest":
                body = {"state": state, "n": 10_000, "seed": "x"}
                return httpx.post(f"http://{one.http}/v1/simulate", json=body, timeout=SECONDS)
            if transport == "grpc":
                return stub.Simulate(for_ages, timeout=SECONDS)
            url = f"http://{one.http}/scheids.v1.Referee/Simulate"
            headers = {"Content-Type": "application/proto"}
            return httpx.post(url, content=for_ages.SerializeToString(), headers=headers, timeout=SECONDS)

        asked = pool.submit(ask)
        time.sleep(0.5)
        assert not asked.done(), asked.result()
        code, seconds = one.stop()
        assert code == 0, one.log
        assert seconds < 1 + 10
        channel.close()


async def test_the_document_waits_for_nobody_once_it_has_been_made() -> None:
    beside = Beside(most_long=1)
    app: Any = create_app(Rules(load({}).limits), beside=beside)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as http:
        made = await http.get("/openapi.json")
        go_on = threading.Event()
        busy = asyncio.create_task(beside.long.do(go_on.wait))
        try:
            await asyncio.sleep(0)
            again = await asyncio.wait_for(http.get("/openapi.json"), 10)
            refused = await http.post("/v1/simulate", json={})
        finally:
            go_on.set()
            await busy
            beside.close()
    assert (made.status_code, again.status_code, refused.json()["code"]) == (200, 200, "OVERLOADED")
    assert again.content == made.content
