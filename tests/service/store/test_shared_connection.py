"""The connection that all calls share: each gets its own replies, and none is spoilt by what befalls another."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from service.store import StoreAway
from service.store.circuit import Circuit
from service.store.redis import RedisStore
from service.store.redis.nodes import LOST, Attempt, Node
from service.store.redis.target import RedisOptions, Target
from tests.service.store import servers
from tests.service.store.servers import Server
from tests.service.store.tables import create

Make = Callable[..., RedisStore]
Answer = Callable[[int, asyncio.StreamWriter], None]
PING = [("PING",)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with servers.standalone(tmp_path) as one:
        yield one


@asynccontextmanager
async def node_at(url: str, call_seconds: float = 2.0) -> AsyncIterator[Node]:
    async def probe(node: Node) -> None:
        await node.ping()

    target = Target.of(url)
    node = Node(target, target.addresses[0], RedisOptions(call_seconds=call_seconds), probe)
    try:
        yield node
    finally:
        await node.close()


class Impostor:
    """A server that greets as Redis does, unless it is `mute`, and answers the PINGs that come as a test will have it.

    `answer` is told which PING it is, over all connections.
    """

    def __init__(self, answer: Answer, *, mute: bool = False) -> None:
        self.connections = 0
        self._pings = 0
        self._answer = answer
        self._mute = mute

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while data := await reader.read(65_536):
            for command in data.split(b"*")[1:]:
                if b"PING" in command:
                    self._pings += 1
                    self._answer(self._pings, writer)
                elif not self._mute:
                    writer.write(b"+OK\r\n")
        writer.close()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """Its URL."""
        listening = await asyncio.start_server(self.serve, "127.0.0.1")
        async with listening:
            yield f"redis://127.0.0.1:{listening.sockets[0].getsockname()[1]}"


def soon(seconds: float = 1.0) -> float:
    return asyncio.get_running_loop().time() + seconds


async def lost(call: Awaitable[Any]) -> None:
    with pytest.raises(LOST):
        await call


async def test_a_reply_that_nobody_asked_for_is_given_to_nobody() -> None:
    def answer(which: int, writer: asyncio.StreamWriter) -> None:
        writer.write(b"+%d\r\n" % which + b"+surplus\r\n" * (which == 2))

    impostor = Impostor(answer)
    async with impostor.running() as url, node_at(url) as node:
        replies = []
        for _ in range(4):
            replies += await node.exchange(PING, Attempt(), soon())
            await asyncio.sleep(0.05)
        assert replies == [b"1", b"2", b"3", b"4"]
        assert impostor.connections == 2


async def test_what_is_no_reply_ends_the_connection_without_a_noise(caplog: pytest.LogCaptureFixture) -> None:
    impostor = Impostor(lambda which, writer: writer.write(b"+1\r\n" if which == 2 else b"HTTP/1.1 400\r\n\r\n"))
    async with impostor.running() as url, node_at(url) as node:
        await lost(node.exchange(PING, Attempt(), soon()))
        assert await node.exchange(PING, Attempt(), soon()) == [b"1"]
    assert not caplog.records


async def test_replies_come_in_the_smallest_pieces() -> None:
    """Errors in lists too, and other calls' in the same piece."""

    def answer(which: int, writer: asyncio.StreamWriter) -> None:
        data = b"*2\r\n:%d\r\n-NOSCRIPT none\r\n" % which
        for at in range(len(data)):
            asyncio.get_running_loop().call_later(0.02 * which + 0.0005 * at, writer.write, data[at : at + 1])

    async with Impostor(answer).running() as url, node_at(url) as node:
        found = await asyncio.gather(*(node.exchange(PING, Attempt(), soon()) for _ in range(3)))
    assert [replies[0][0] for replies in found] == [1, 2, 3]


async def test_all_who_wait_for_a_connection_share_it_and_its_failure() -> None:
    impostor = Impostor(lambda _, writer: writer.write(b"+PONG\r\n"), mute=True)
    async with impostor.running() as url, node_at(url, call_seconds=0.8) as node:
        start = time.monotonic()
        await asyncio.gather(*(lost(node.exchange(PING, Attempt(), soon(0.3 + 0.001 * at))) for at in range(60)))
        assert impostor.connections == 1, "a server that hangs has no queue of connections to live down"
        await lost(node.exchange(PING, Attempt(), soon()))
        assert time.monotonic() - start < 2


async def test_a_server_that_is_down_is_not_knocked_at_by_every_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = 0
    connection = Target.connection

    def counted(self: Target, *arguments: Any) -> Any:
        nonlocal tried
        tried += 1
        return connection(self, *arguments)

    monkeypatch.setattr(Target, "connection", counted)
    async with node_at(f"redis://127.0.0.1:{servers.free_ports(1)[0]}") as node:
        await asyncio.gather(*(lost(node.exchange(PING, Attempt(), soon())) for _ in range(500)))
    assert tried == 1


@pytest.mark.redis
async def test_who_has_little_time_left_spoils_no_call_of_others(server: Server) -> None:
    async with node_at(server.url) as node:
        await node.exchange(PING, Attempt(), soon())
        server.redis.client_pause(300)
        patient = asyncio.create_task(node.exchange([("SET", "patient", 1)], Attempt(), soon()))
        await lost(node.exchange([("SET", "hasty", 1)], Attempt(), soon(0.05)))
        assert await patient == [b"OK"]
        assert await node.exchange([("GET", "hasty")], Attempt(), soon()) == [b"1"]
        assert [client["name"] for client in server.redis.client_list()].count("scheids") == 1


@pytest.mark.redis
async def test_calls_that_are_under_way_at_the_close_leave_nothing_behind(server: Server, make_redis: Make) -> None:
    store = make_redis(server.url)
    table = await create(store)
    server.redis.client_pause(300)
    calls = [asyncio.create_task(store.read(table)) for _ in range(20)]
    await asyncio.sleep(0.02)
    await store.close()
    assert {type(found) for found in await asyncio.gather(*calls, return_exceptions=True)} == {StoreAway}
    assert {task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("store-")} == set()


async def test_a_circuit_that_is_closed_for_good_probes_no_more() -> None:
    asked = []

    async def probe() -> None:
        asked.append(True)
        raise StoreAway("still")

    circuit = Circuit(probe)
    await circuit.close()
    circuit.open("away")
    await asyncio.sleep(0.05)
    assert not asked
