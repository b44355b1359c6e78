"""Which requests are worked on beside the event loops: the same over every transport, at tables and without."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import grpc
import httpx
import msgspec
import pytest

from engine.game import Setup, begin
from engine.games import BY_NAME, GAMES
from engine.moves import Capture
from service.access import UNLIMITED
from service.beside import LONG, SHORT_JSON, SHORT_LIST, SHORT_MESSAGE, Beside, Lane
from service.config import load
from service.messages import ListLegalMovesRequest, ListLegalMovesResponse, ListTableMovesResponse
from service.rules import Rules
from service.store.sqlite import SqliteStore
from service.tables import Caller, Watcher
from service.tables import match as matches
from service.transports import connect
from service.transports.grpc import referee, serve, tables
from service.transports.rest import create_app
from service.wire.codec import CODEC
from service.wire.gen.scheids.v1 import common_pb2, referee_pb2, tables_pb2
from service.wire.source import sized, tag_of
from tests.service.grpc_server import raw_decide
from tests.service.running import SECONDS
from tests.service.tables.playing import Evening, tables_over

T = TypeVar("T")
LIMITS = load({}).limits
EXPLODING = {"wippen", "wipe"}
PROTO = "application/proto"


class Counted(Lane):
    """A lane that counts what it is asked to do."""

    def __init__(self) -> None:
        super().__init__(256, 0.0)
        self.asked = 0

    async def do(self, work: Callable[[], T]) -> T:
        self.asked += 1
        return await super().do(work)


class Counting(Beside):
    """Lanes that count."""

    def __init__(self) -> None:
        super().__init__()
        self.large = self.of_large = Counted()
        self.long = self.of_long = Counted()

    def taken(self) -> int:
        """How much has been asked of the lane for what is large since the last time."""
        asked, self.of_large.asked = self.of_large.asked, 0
        return asked

    def taken_long(self) -> int:
        """The same of the one for what may take seconds."""
        asked, self.of_long.asked = self.of_long.asked, 0
        return asked


@pytest.fixture
def beside() -> Iterator[Counting]:
    made = Counting()
    yield made
    made.close()


def test_the_decision(beside: Counting) -> None:
    for operation in LONG:
        assert beside.lane(operation, 0, SHORT_JSON) is beside.long
    assert beside.lane("play", SHORT_JSON, SHORT_JSON) is None
    assert beside.lane("play", SHORT_JSON + 1, SHORT_JSON) is beside.large
    legal = ListLegalMovesResponse(moves=(None,) * SHORT_LIST, total="0", truncated=False)  # type: ignore[arg-type]
    assert beside.lane_of_answer(ListTableMovesResponse(version=1, legal=legal)) is None
    longer = msgspec.structs.replace(legal, moves=(*legal.moves, *legal.moves[:1]))
    assert beside.lane_of_answer(ListTableMovesResponse(version=1, legal=longer)) is beside.large
    assert beside.lane_of_answer(legal) is None
    assert beside.lane_of_list(None) is None


def test_lists_explode_where_cards_are_captured() -> None:
    assert {game.name for game in GAMES if game.explodes} == EXPLODING
    assert {game.name for game in GAMES if Capture in game.moves} == EXPLODING


# --- without a table


def http_over(beside: Beside, watcher: Watcher | None = None) -> httpx.AsyncClient:
    """A client of REST and Connect."""
    rules = Rules(LIMITS)
    app: Any = create_app(rules, watcher, more=connect.routes(rules, watcher, beside), beside=beside)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test")


async def posted(http: httpx.AsyncClient, path: str, kind: str, body: bytes, token: str | None = None) -> int:
    headers = {"Content-Type": kind} | ({} if token is None else {"Authorization": f"Bearer {token}"})
    return (await http.post(path, content=body, headers=headers)).status_code


async def by_rest(beside: Beside, request: ListLegalMovesRequest, more: int) -> None:
    async with http_over(beside) as http:
        body = msgspec.json.encode(request) + more * b" "
        assert await posted(http, "/v1/legal-moves", "application/json", body) == 200


def message_of(request: ListLegalMovesRequest, more: int) -> bytes:
    """The request, which says once more and again that nothing is to be explained."""
    return CODEC.writer("ListLegalMovesRequest")(request) + more // 2 * b"\x38\x00"


async def by_connect(beside: Beside, request: ListLegalMovesRequest, more: int) -> None:
    async with http_over(beside) as http:
        assert await posted(http, "/scheids.v1.Referee/ListLegalMoves", PROTO, message_of(request, more)) == 200


async def by_grpc(beside: Beside, request: ListLegalMovesRequest, more: int) -> None:
    answered = referee.works(Rules(LIMITS), beside)["ListLegalMoves"](message_of(request, more), "en", UNLIMITED)
    told = answered if isinstance(answered, bytes) else await answered
    assert referee_pb2.ListLegalMovesResponse.FromString(told).moves


async def by_stream(beside: Beside, request: ListLegalMovesRequest, more: int) -> None:
    legal_moves = referee_pb2.BatchCall.DESCRIPTOR.fields_by_name["legal_moves"]
    call = sized(tag_of(legal_moves), message_of(request, more))
    asked = sized(tag_of(referee_pb2.DecideRequest.DESCRIPTOR.fields_by_name["call"]), call)
    server = serve(Rules(LIMITS), "127.0.0.1:0", beside=beside)

    def decide() -> bytes:
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            (told,) = raw_decide(channel)(iter([asked]), timeout=SECONDS)
            return told

    try:
        told = await asyncio.to_thread(decide)
    finally:
        server.stop(0)
    assert referee_pb2.DecideResponse.FromString(told).result.legal_moves.moves


@pytest.mark.parametrize("ask", [by_rest, by_connect, by_grpc, by_stream])
async def test_what_is_long_without_a_table(
    beside: Counting, ask: Callable[[Beside, ListLegalMovesRequest, int], Awaitable[None]]
) -> None:
    for game in GAMES:
        setup = Setup(options=game.options(), chance="seed", seed="long lists")
        await ask(beside, ListLegalMovesRequest(state=begin(game, setup).state), 0)
        assert beside.taken() == (game.name in EXPLODING), game.name
    whist = begin(BY_NAME["whist"], Setup(options=BY_NAME["whist"].options(), chance="seed", seed="long bodies")).state
    await ask(beside, ListLegalMovesRequest(state=whist), SHORT_JSON if ask is by_rest else SHORT_MESSAGE)
    assert beside.taken() == 1


# --- at a table


class Table:
    """A table that is asked over a transport."""

    def __init__(self, beside: Counting, watcher: Watcher, evening: Evening, transport: str) -> None:
        self._beside = beside
        self._watcher = watcher
        self._evening = evening
        self._transport = transport
        self._token = evening.places[0]

    async def listed(self) -> None:
        """Has the first place's legal moves listed."""
        if self._transport == "rest":
            async with http_over(self._beside, self._watcher) as http:
                path = f"/v1/tables/{self._evening.id}/legal-moves"
                answer = await http.get(path, headers={"Authorization": f"Bearer {self._token}"})
                assert answer.status_code == 200
            return
        await self._asked("ListTableMoves", tables_pb2.ListTableMovesRequest(table=self._evening.id))

    async def refused(self, words: str) -> None:
        """Sends a move that is none."""
        if self._transport == "rest":
            async with http_over(self._beside, self._watcher) as http:
                path, body = f"/v1/tables/{self._evening.id}/moves", msgspec.json.encode({"move": words})
                assert await posted(http, path, "application/json", body, self._token) == 400
            return
        move = common_pb2.MoveInput(text=words)
        with pytest.raises(AssertionError):
            await self._asked("PlayTableMove", tables_pb2.PlayTableMoveRequest(table=self._evening.id, move=move))

    async def _asked(self, method: str, request: Any) -> None:
        data = request.SerializeToString()
        if self._transport == "connect":
            async with http_over(self._beside, self._watcher) as http:
                assert await posted(http, f"/scheids.v1.Tables/{method}", PROTO, data, self._token) == 200
            return
        use = tables.used(self._watcher, method, tables.OPERATIONS[method], self._beside)
        try:
            await use(data, Caller(self._token))
        except Exception as refusal:
            raise AssertionError from refusal


@pytest.mark.parametrize("transport", ["rest", "connect", "grpc"])
async def test_what_is_long_at_a_table(
    tmp_path: Path, beside: Counting, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path / "tables.db", synchronous="NORMAL")
    watcher = Watcher(tables_over(store, beside=beside))
    try:
        for game in ("whist", "wippen", "wipe"):
            table = Table(beside, watcher, await Evening.of(watcher.tables, game), transport)
            await table.listed()
            assert beside.taken() == (game in EXPLODING), game
            await table.refused("fly")
            assert beside.taken() == 0, game
            await table.refused("fly" + SHORT_JSON * "y")
            assert beside.taken() == 1, game
            with monkeypatch.context() as patched:
                patched.setattr("service.beside.SHORT_LIST", 0)
                await table.listed()
            assert beside.taken() == (game in EXPLODING) + 1, game
    finally:
        await store.close()


async def test_what_is_told_of_a_whole_match_is_made_beside_too(tmp_path: Path, beside: Counting) -> None:
    """Undoing a move, a record, and the answer to a call that is made again once others have come after it."""
    store = SqliteStore(tmp_path / "tables.db", synchronous="NORMAL")
    evening = await Evening.of(tables_over(store, beside=beside), "whist")
    again: list[tuple[int, str, str]] = []
    try:
        for key in ("first", "second"):
            place = await evening.to_act()
            assert place is not None
            words = (await evening.legal(place))[0]
            await evening.play(evening.places[place], words, idempotency_key=key)
            again.append((place, words, key))
        assert beside.taken_long() == 0
        await evening.undo()
        assert beside.taken_long() == 1
        place, words, key = again[-1]
        await evening.play(evening.places[place], words, idempotency_key=key)
        assert beside.taken_long() == 1
        await evening.record(evening.host)
        assert beside.taken_long() == 1
    finally:
        await store.close()


async def test_lists_are_made_while_a_whole_match_is_told(
    tmp_path: Path, beside: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match at a table has thousands of moves: undoing one of them again and again turned others' lists away."""
    store = SqliteStore(tmp_path / "tables.db", synchronous="NORMAL")
    tables = tables_over(store, beside=beside)
    evening, other = await Evening.of(tables, "wippen"), await Evening.of(tables, "wippen")
    begun, may, undone = threading.Event(), threading.Event(), matches.undone

    def long(*asked: Any) -> matches.Change:
        begun.set()
        assert may.wait(SECONDS)
        return undone(*asked)

    monkeypatch.setattr(matches, "undone", long)
    try:
        for each in (evening, other):
            place = await each.to_act()
            assert place is not None
            await each.play(each.places[place], (await each.legal(place))[0], idempotency_key="first")
        undoing = asyncio.create_task(evening.undo())
        assert await asyncio.to_thread(begun.wait, SECONDS)
        place = await other.to_act()
        assert place is not None
        assert await asyncio.wait_for(other.legal(place), 5)
        may.set()
        await undoing
    finally:
        may.set()
        await store.close()


class Waiting(Rules):
    """Rules whose lists are not made before they may."""

    def __init__(self) -> None:
        super().__init__(LIMITS)
        self.begun = threading.Event()
        self.may = threading.Event()

    def listed(self, *asked: Any) -> ListLegalMovesResponse:
        self.begun.set()
        assert self.may.wait(SECONDS)
        return super().listed(*asked)


async def test_the_event_loop_goes_on_while_a_list_is_made(tmp_path: Path, beside: Counting) -> None:
    rules = Waiting()
    store = SqliteStore(tmp_path / "tables.db", synchronous="NORMAL")
    evening = await Evening.of(tables_over(store, rules=rules, beside=beside), "wippen")
    place = await evening.to_act()
    assert place is not None
    try:
        asked = asyncio.create_task(evening.legal(place))
        assert await asyncio.to_thread(rules.begun.wait, SECONDS)
        assert not asked.done()
        rules.may.set()
        assert await asked
    finally:
        await store.close()
