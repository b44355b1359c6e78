"""Many callers at one table at once, over services in processes of their own: one move a version, and one a key."""

import asyncio
import functools
import itertools
import random
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack
from typing import Any

import grpc
import msgspec
import pytest

from service.messages import PlayTableMoveResponse, from_json
from service.wire.codec import CODEC
from service.wire.gen.scheids.v1 import common_pb2, tables_pb2, tables_pb2_grpc
from tests.service.tables.callers import ROUNDS, SECRET, Answer, Connection, Process, Table, Turn, new_key

RACERS = 64
TWINS = 16
DEAL = {"options": {"match": "deal"}}
read = msgspec.json.Decoder(PlayTableMoveResponse, dec_hook=from_json).decode
KINDS = [pytest.param("redis", marks=pytest.mark.redis), "sqlite"]


@pytest.fixture(scope="module", params=KINDS)
def services(request: pytest.FixtureRequest) -> Iterator[list[Process]]:
    """Two services over one Redis, or one over a file."""
    with ExitStack() as stack:
        if request.param == "sqlite":
            yield [stack.enter_context(Process())]
            return
        url = request.getfixturevalue("redis_url")
        settings = {"SCHEIDS_REDIS_URL": url, "SCHEIDS_SECRET": SECRET}
        yield [stack.enter_context(Process(**settings)) for _ in range(2)]


def connections(stack: ExitStack, services: list[Process], number: int) -> list[Connection]:
    """So many, to each of the services in turn."""
    made = []
    for service in itertools.islice(itertools.cycle(services), number):
        made.append(Connection(functools.partial(getattr, service, "rest")))
        stack.callback(made[-1].close)
    return made


class Board:
    """What can be done at each version of a table: looked up once for all the racers who are told of it."""

    def __init__(self, table: Table, connection: Connection) -> None:
        self._table = table
        self._connection = connection
        self._turns: dict[int, Turn | None] = {}
        self._lock = asyncio.Lock()

    async def turn(self, version: int) -> Turn | None:
        """The turn at a version, or at a later one where that is past; None once the match is over."""
        async with self._lock:
            if version not in self._turns:
                turn = await self._table.turn(self._connection)
                if turn is None:
                    return None
                self._turns[version] = self._turns[turn.version] = turn
            return self._turns[version]


class Race:
    """Callers who all try to make each move of a match."""

    def __init__(self, table: Table, board: Board) -> None:
        self.table = table
        self.board = board
        self.tried: dict[int, int] = {}
        self.newest = table.began

    async def run(self, connection: Connection, rng: random.Random) -> None:
        version = self.table.began
        while turn := await self.board.turn(version):
            text = rng.choice(turn.moves)
            body = {"move": text, "expectedVersion": turn.version, "idempotencyKey": new_key()}
            self.tried[turn.version] = self.tried.get(turn.version, 0) + 1
            acknowledged = self.newest
            answer = await connection.call("POST", f"{self.table.path}/moves", body, turn.token)
            if answer.status != 200 and answer.code == "TABLE_ENDED":
                return
            version = self._won(answer, turn, text) if answer.status == 200 else _told(answer, turn, acknowledged)
            self.newest = max(self.newest, version)

    def _won(self, answer: Answer, turn: Turn, text: str) -> int:
        version: int = answer.json["version"]
        assert version == turn.version + 1
        assert version not in self.table.moved, "two moves of one version"
        self.table.moved[version] = text
        return version


def _told(answer: Answer, turn: Turn, acknowledged: int) -> int:
    """The version that a loser was told: none older than what anybody had been told when it asked."""
    assert (answer.status, answer.code) == (409, "STALE_VERSION"), answer.body
    version: int = answer.json["params"]["version"]
    assert version >= max(turn.version + 1, acknowledged)
    return version


async def test_of_64_callers_one_makes_each_move(services: list[Process]) -> None:
    for number in range(ROUNDS):
        with ExitStack() as stack:
            one, *racers = connections(stack, services, 1 + RACERS)
            table = await Table.of(one, "whist", **DEAL, seed=f"race {number}")
            race = Race(table, Board(table, one))
            async with asyncio.TaskGroup() as group:
                for i, racer in enumerate(racers):
                    group.create_task(race.run(racer, random.Random(i)))
            assert await table.check(one) == []
            assert len(table.moved) == 52
            assert sum(race.tried.values()) > 4 * len(table.moved), "that was no race"
            print(f"{sum(race.tried.values())} tries of {len(table.moved)} moves by {RACERS}")


async def test_a_key_that_comes_many_times_at_once_makes_one_move(services: list[Process]) -> None:
    with ExitStack() as stack:
        one, *twins = connections(stack, services, 1 + TWINS)
        table = await Table.of(one, "wippen", places=3)
        for _ in range(10 * ROUNDS):
            turn = await table.turn(one)
            if turn is None:
                break
            versioned: dict[str, Any] = random.choice(({"expectedVersion": turn.version}, {}))
            body = {"move": turn.moves[-1], "idempotencyKey": new_key(), **versioned}
            path = f"{table.path}/moves"
            answers = await asyncio.gather(*(twin.call("POST", path, body, turn.token) for twin in twins))
            assert {answer.status for answer in answers} == {200}, answers
            assert len({answer.body for answer in answers}) == 1
            assert answers[0].json["version"] == turn.version + 1
            table.moved[turn.version + 1] = turn.moves[-1]
            other = {**body, "move": "close"}
            refused = await twins[0].call("POST", path, other, turn.token)
            assert (refused.status, refused.code) == (409, "KEY_REUSED")
        await table.end(one)
        assert await table.check(one) == []


async def test_a_key_is_one_over_both_transports(services: list[Process]) -> None:
    async with AsyncExitStack() as stack:
        rest = await stack.enter_async_context(Connection(lambda: services[0].rest))
        channel = stack.enter_context(grpc.insecure_channel(services[-1].grpc))
        stub = tables_pb2_grpc.TablesStub(channel)
        table = await Table.of(rest, "whist", **DEAL)
        for number in range(6):
            turn = await table.turn(rest)
            assert turn is not None
            text, key = turn.moves[0], new_key()
            body: dict[str, Any] = {"move": text, "expectedVersion": turn.version, "idempotencyKey": key}
            path, metadata = f"{table.path}/moves", (("authorization", f"Bearer {turn.token}"),)

            def over_grpc(move: str = text, turn: Turn = turn, key: str = key, metadata: Any = metadata) -> bytes:
                asked = tables_pb2.PlayTableMoveRequest(
                    table=table.id,
                    move=common_pb2.MoveInput(text=move),
                    expected_version=turn.version,
                    idempotency_key=key,
                )
                return stub.PlayTableMove(asked, metadata=metadata, timeout=10).SerializeToString()

            first = over_grpc() if number % 2 else None
            answer = await rest.call("POST", path, body, turn.token)
            assert answer.status == 200
            second = over_grpc()
            assert first in (None, second)
            meant = CODEC.reader("PlayTableMoveResponse")(second)
            assert meant == read(answer.body)
            with pytest.raises(grpc.RpcError) as reused:
                over_grpc(turn.moves[-1])
            assert reused.value.code() is grpc.StatusCode.ALREADY_EXISTS
            table.moved[turn.version + 1] = text
        await table.end(rest)
        assert await table.check(rest) == []
