"""What is recorded: each request in a trace of its own, whatever goes on meanwhile, and nothing of what was asked."""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

import grpc
import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from engine.cards import PACK
from service.rules import Rules
from service.tables import match
from service.wire.gen.scheids.v1 import referee_pb2, referee_pb2_grpc, tables_pb2, tables_pb2_grpc, whist_pb2
from tests.service.access.calling import TRANSPORTS, Callers, listed, made
from tests.service.running import Running, running
from tests.service.tables.playing import GAMES
from tests.service.tracing.collector import SECONDS, Collector, Span, collecting, parent_of, tree_of

WHIST: Final = {"game": "whist", "seed": "hush-the-seed"}
MANY: Final = 60


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as here:
        yield here


@pytest.fixture(scope="module")
def service(collector: Collector) -> Iterator[Running]:
    with pytest.MonkeyPatch.context() as patched:
        for name, value in collector.environment().items():
            patched.setenv(name, value)
        with running(traces="otlp") as here:
            yield here


def deal(game: str) -> dict[str, Any]:
    return {"game": game, "seed": "hush-the-seed"}


def batch(number: int) -> dict[str, Any]:
    return {"calls": [{"id": str(each), "deal": WHIST} for each in range(number)]}


def messages(number: int) -> referee_pb2.BatchRequest:
    dealt = referee_pb2.DealRequest(whist=whist_pb2.WhistDealRequest(seed="hush-the-seed"))
    return referee_pb2.BatchRequest(calls=[referee_pb2.BatchCall(id=str(each), deal=dealt) for each in range(number)])


def served(spans: list[Span]) -> Span:
    (span,) = (each for each in spans if each.kind == "server")
    return span


async def at_once(service: Running, ask: Callable[[httpx.AsyncClient, grpc.aio.Channel, int], Awaitable[None]]) -> None:
    """Has so many ask at the same time, each by its number, over connections that all share."""
    async with (
        httpx.AsyncClient(base_url=service.url, timeout=SECONDS) as http,
        grpc.aio.insecure_channel(str(service.ready.grpc)) as channel,
    ):
        await asyncio.gather(*(ask(http, channel, number) for number in range(MANY)))


def test_requests_at_the_same_time_keep_apart(service: Running, collector: Collector) -> None:
    """Over both transports, short ones on the loops and long ones beside them, each in a trace of its own."""
    base = 1_000
    games = [*GAMES]

    async def ask(http: httpx.AsyncClient, channel: grpc.aio.Channel, number: int) -> None:
        headers = {"traceparent": parent_of(base + number)[2]}
        stub: Any = referee_pb2_grpc.RefereeStub(channel)
        match number % 4:
            case 0:
                await http.post("/v1/deal", json=deal(games[number % 5]), headers=headers)
            case 1:
                await http.post("/v1/batch", json=batch(number), headers=headers)
            case 2:
                await stub.Batch(messages(number), metadata=tuple(headers.items()))
            case 3:
                asked = (referee_pb2.DecideRequest(call=each) for each in messages(number).calls)
                calls = stub.Decide(asked, metadata=tuple(headers.items()))
                assert len([each async for each in calls]) == number

    asyncio.run(at_once(service, ask))
    for number in range(MANY):
        trace, caller, _ = parent_of(base + number)
        spans = collector.whole(trace)
        engine = {span.name: span.attributes for span in spans if span.kind == "internal"}
        match number % 4:
            case 0:
                assert tree_of(spans) == {
                    "POST /v1/deal": ("server", caller),
                    "engine.deal": ("internal", "POST /v1/deal"),
                }
                assert engine["engine.deal"]["scheids.game"] == games[number % 5]
            case 1 | 2:
                name = "POST /v1/batch" if number % 4 == 1 else "scheids.v1.Referee/Batch"
                assert tree_of(spans) == {name: ("server", caller), "engine.batch": ("internal", name)}
                assert engine["engine.batch"]["scheids.calls"] == number
                assert engine["engine.batch"]["scheids.engine.seconds"] > 0
            case 3:
                assert tree_of(spans) == {"scheids.v1.Referee/Decide": ("server", caller)}
                assert spans[0].attributes["scheids.calls"] == number


def test_tables_at_the_same_time_keep_apart(service: Running, collector: Collector) -> None:
    base = 2_000
    games = [*GAMES]

    async def ask(http: httpx.AsyncClient, channel: grpc.aio.Channel, number: int) -> None:
        """The even make a table over REST, the odd look at one over gRPC."""
        parent = parent_of(base + number)[2]
        body = {"game": games[number % 5], **GAMES[games[number % 5]], "spectators": True}
        own = {"traceparent": parent} if number % 2 == 0 else {}
        created = (await http.post("/v1/tables", json=body, headers=own)).json()
        if number % 2:
            stub: Any = tables_pb2_grpc.TablesStub(channel)
            await stub.GetTable(tables_pb2.GetTableRequest(table=created["id"]), metadata=(("traceparent", parent),))

    asyncio.run(at_once(service, ask))
    for number in range(MANY):
        trace, caller, _ = parent_of(base + number)
        spans = collector.whole(trace)
        if number % 2:
            assert tree_of(spans) == {
                "scheids.v1.Tables/GetTable": ("server", caller),
                "tables.get": ("internal", "scheids.v1.Tables/GetTable"),
                "read": ("client", "tables.get"),
            }
        else:
            assert tree_of(spans) == {
                "POST /v1/tables": ("server", caller),
                "tables.create": ("internal", "POST /v1/tables"),
                "engine.create": ("internal", "tables.create"),
                "create": ("client", "tables.create"),
            }
            (engine,) = (span for span in spans if span.name == "engine.create")
            assert engine.attributes["scheids.game"] == games[number % 5]


def test_what_is_asked_in_one_go_over_one_connection_keeps_apart(service: Running, collector: Collector) -> None:
    """Uvicorn starts the second request from within the first."""
    trace, caller, parent = parent_of(3_000)
    silent, _, unsampled = parent_of(3_001, sampled=False)

    def request(line: str, body: str, *headers: str) -> bytes:
        length = f"Content-Length: {len(body)}"
        json = "Content-Type: application/json"
        return "\r\n".join((f"{line} HTTP/1.1", "Host: a", json, length, *headers, "", body)).encode()

    table = '{"game":"whist"}'
    with socket.create_connection((service.ready.rest.host, service.ready.rest.port), SECONDS) as connection:
        connection.sendall(
            request("GET /v1/games", "", f"traceparent: {parent}")
            + request("POST /v1/tables", table, f"traceparent: {unsampled}")
            + request("GET /v1/games/flip7", "")
            + request("GET /v1/games/wipe", "", "Connection: close")
        )
        answered = b""
        while data := connection.recv(1 << 16):
            answered += data
    assert answered.count(b"HTTP/1.1 200") == 4
    collector.until("the last", lambda _: len(roots(collector, "GET /v1/games/{game}")) >= 2)
    assert tree_of(collector.whole(trace)) == {"GET /v1/games": ("server", caller)}
    assert collector.trace(silent) == []
    first, second = roots(collector, "GET /v1/games/{game}")
    assert len({trace, first.trace, second.trace}) == 3


def roots(collector: Collector, name: str) -> list[Span]:
    return [span for span in collector.spans if span.name == name and not span.parent]


@pytest.mark.parametrize(
    "bad", ["", "00-1-2-01", "00-" + "0" * 32 + "-" + "1" * 16 + "-01", "ff-" + "1" * 32 + "-" + "1" * 16 + "-01"]
)
def test_a_parent_that_is_none_begins_a_new_trace(service: Running, collector: Collector, bad: str) -> None:
    before = len(roots(collector, "GET /openapi.json"))
    assert service.http.get("/openapi.json", headers={"traceparent": bad}).status_code == 200
    collector.until("it", lambda _: len(roots(collector, "GET /openapi.json")) == before + 1)


def test_two_parents_are_none(service: Running, collector: Collector) -> None:
    before = len(roots(collector, "GET /docs"))
    headers = [("traceparent", parent_of(number)[2]) for number in (4_000, 4_001)]
    assert service.http.get("/docs", headers=headers).status_code == 200
    collector.until("it", lambda _: len(roots(collector, "GET /docs")) == before + 1)


def test_probes_leave_no_trace(service: Running, collector: Collector) -> None:
    trace, _, parent = parent_of(4_100)
    for path in ("/livez", "/readyz", "/metrics"):
        assert service.http.get(path, headers={"traceparent": parent}).status_code == 200
    with grpc.insecure_channel(str(service.ready.grpc)) as channel:
        check: Any = channel.unary_unary("/grpc.health.v1.Health/Check")
        assert check(b"", metadata=(("traceparent", parent),)) == b"\x08\x01"
    service.http.get("/v1/games", headers={"traceparent": parent})
    assert [span.name for span in collector.whole(trace)] == ["GET /v1/games"]


def test_a_refusal_is_told_and_is_no_failure(service: Running, collector: Collector) -> None:
    state = service.http.post("/v1/deal", json=WHIST).json()["state"]
    rest, _, parent = parent_of(4_200)
    service.http.post("/v1/play", json={"state": state, "move": "play 2C"}, headers={"traceparent": parent})
    spans = collector.whole(rest)
    assert served(spans).attributes["scheids.code"] == "ILLEGAL_MOVE"
    assert served(spans).attributes["http.response.status_code"] == 422
    rpc, _, parent = parent_of(4_201)
    with grpc.insecure_channel(str(service.ready.grpc)) as channel:
        stub: Any = referee_pb2_grpc.RefereeStub(channel)
        with pytest.raises(grpc.RpcError):
            stub.GetGame(referee_pb2.GetGameRequest(game="snap"), metadata=(("traceparent", parent),))
    assert served(collector.whole(rpc)).attributes["scheids.code"] == "UNKNOWN_GAME"
    assert served(collector.whole(rpc)).attributes["rpc.response.status_code"] == "NOT_FOUND"
    connect, _, parent = parent_of(4_202)
    body = referee_pb2.GetGameRequest(game="snap").SerializeToString()
    headers = {"Content-Type": "application/proto", "traceparent": parent}
    service.http.post("/scheids.v1.Referee/GetGame", content=body, headers=headers)
    assert served(collector.whole(connect)).attributes["rpc.response.status_code"] == "not_found"
    assert not any(span.failed for trace in (rest, rpc, connect) for span in collector.trace(trace))


def test_a_watch_is_one_span_for_as_long_as_it_lasts(service: Running, collector: Collector) -> None:
    created = service.http.post("/v1/tables", json={"game": "whist", "spectators": True}).json()
    path = f"/v1/tables/{created['id']}"
    sse, caller, parent = parent_of(4_400)
    rpc, other, again = parent_of(4_401)
    with (
        service.http.stream("GET", f"{path}/events", headers={"traceparent": parent}) as stream,
        grpc.insecure_channel(str(service.ready.grpc)) as channel,
    ):
        stub: Any = tables_pb2_grpc.TablesStub(channel)
        request = tables_pb2.WatchTableRequest(table=created["id"])
        frames = stub.WatchTable(request, metadata=(("traceparent", again),))
        next(frames)
        lines = stream.iter_lines()
        assert next(lines)
        assert not any(span.kind == "server" for trace in (sse, rpc) for span in collector.trace(trace))
        service.http.delete(path, headers={"Authorization": f"Bearer {created['hostToken']}"})
        assert [frame.ended.reason for frame in frames][-1]
        assert [*lines]
    for trace, parent_span, name in (
        (sse, caller, "GET /v1/tables/{table}/events"),
        (rpc, other, "scheids.v1.Tables/WatchTable"),
    ):
        spans = collector.whole(trace)
        assert (served(spans).name, served(spans).parent) == (name, parent_span)
        others = [span for span in spans if span.kind != "server"]
        assert {(span.kind, span.parent) for span in others} == {("client", served(spans).id)}
        assert not any(span.failed for span in spans)


SPADES: Final = "the dealer holds the queen of spades"


def test_a_fault_is_told_by_its_type(service: Running, collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError(SPADES)

    created = service.http.post("/v1/tables", json={"game": "whist"}).json()
    monkeypatch.setattr(Rules, "deal", broken)
    monkeypatch.setattr(match, "started", broken)
    rest, _, parent = parent_of(4_300)
    assert service.http.post("/v1/deal", json=WHIST, headers={"traceparent": parent}).status_code == 500
    rpc, _, parent = parent_of(4_301)
    metadata = (("traceparent", parent), ("authorization", f"Bearer {created['hostToken']}"))
    with grpc.insecure_channel(str(service.ready.grpc)) as channel:
        stub: Any = tables_pb2_grpc.TablesStub(channel)
        with pytest.raises(grpc.RpcError):
            stub.StartTable(tables_pb2.StartTableRequest(table=created["id"], idempotency_key="a"), metadata=metadata)
    failed = {span.name: span.attributes["error.type"] for span in collector.whole(rest) if span.failed}
    assert failed == {"POST /v1/deal": "500"}
    failed = {span.name: span.attributes["error.type"] for span in collector.whole(rpc) if span.failed}
    assert failed == {
        "scheids.v1.Tables/StartTable": "INTERNAL",
        "tables.start": "RuntimeError",
        "engine.start": "RuntimeError",
    }
    assert not any(SPADES.encode() in body for body in collector.bodies)


def words_of(collector: Collector) -> str:
    """Everything that was sent, but for ids, which are bytes at random."""
    told = []
    for body in collector.bodies:
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                for span in scope.spans:
                    span.trace_id = span.span_id = span.parent_span_id = b""
                    span.start_time_unix_nano = span.end_time_unix_nano = 0
        told.append(str(request))
    return "\n".join(told)


def test_nothing_of_what_was_asked_or_dealt_is_told(service: Running, collector: Collector) -> None:
    """Tables of every game, with whatever a caller can put anywhere."""
    hidden = {"hush-the-seed", "hush-a-name", "hush-meta", "hush-key", "hush-agent", "hush.host", "hush-state"}
    http = service.http
    for game, facts in GAMES.items():
        body = {"game": game, **facts, "names": None, "meta": None, "idempotencyKey": f"hush-key-{game}"}
        created = http.post("/v1/tables", json={name: value for name, value in body.items() if value}).json()
        path = f"/v1/tables/{created['id']}"
        hidden |= {created["id"], created["hostToken"], *created["joinCodes"]}
        tokens = []
        for code in created["joinCodes"]:
            claimed = http.post(f"{path}/claim", json={"joinCode": code, "name": "hush-a-name"}).json()
            tokens.append(claimed["token"])
            hidden.add(claimed["token"])
            entropy = {"entropy": "ab" * 32, "idempotencyKey": "hush-key"}
            http.post(f"{path}/entropy", json=entropy, headers={"Authorization": f"Bearer {claimed['token']}"})
        host = {"Authorization": f"Bearer {created['hostToken']}"}
        http.post(f"{path}/start", json={"idempotencyKey": "hush-key"}, headers=host)
        for token in tokens:
            asked = {
                "Authorization": f"Bearer {token}",
                "User-Agent": "hush-agent",
                "Host": "hush.host",
                "traceparent": parent_of(5_000)[2],
                "tracestate": "hush-state=hush-state",
                "baggage": f"token={token}",
                "X-Forwarded-For": "hush-agent",
                "X-Api-Key": "hush-agent",
                "X-Request-Id": "hush-agent",
            }
            legal = http.get(f"{path}/legal-moves?explain=true", headers=asked).json()
            for move in [*(each["text"] for each in legal["legal"]["moves"][:1]), "play 2C", "trail 2C"]:
                version = http.get(path, headers=asked).json()["version"]
                http.post(f"{path}/moves", json={"move": move, "expectedVersion": version}, headers=asked)
            ticket = http.post(f"{path}/event-tickets", headers=asked).json()["ticket"]
            hidden.add(ticket)
            with http.stream("GET", f"{path}/events?ticket={ticket}", headers={"traceparent": asked["traceparent"]}):
                pass
            http.get(f"/{token}/{created['id']}", headers=asked)
            http.request("HUSH-AGENT", f"{path}/{token}", headers=asked)
            with grpc.insecure_channel(str(service.ready.grpc)) as channel:
                metadata = tuple((name.lower(), value) for name, value in asked.items() if name != "Host")
                for method in ("Tables/GetTable", "Tables/hush-agent", "Referee/GetGame"):
                    call: Any = channel.unary_unary(f"/scheids.v1.{method}")
                    try:
                        call(tables_pb2.GetTableRequest(table=created["id"]).SerializeToString(), metadata=metadata)
                    except grpc.RpcError:
                        continue
        ended = http.delete(path, headers=host)
        assert ended.status_code == 200
        hidden.add(http.get(f"{path}/record", headers=host).json()["seed"])
        hidden.add("ab" * 32)
    trace, _, parent = parent_of(5_001)
    http.get("/v1/games", headers={"traceparent": parent})
    collector.whole(trace)
    sent = b"".join(collector.bodies).lower()
    assert sent.count(b"http.route") > 100
    assert [each for each in hidden if each.lower().encode() in sent] == []
    words = words_of(collector)
    cards = re.compile(rf"\b(?:{'|'.join(PACK)}|freeze|flip3)\b")
    assert cards.findall(words) == []
    assert not re.search(r"\b(?:play|trail|capture|bid) [0-9A-Z]", words)


def test_api_keys_are_not_told(collector: Collector, service: Running) -> None:
    """By a service of its own, which sends where the other does: good keys, bad ones, and none, over each transport."""
    del service
    ours, unknown = made("ours"), made("unknown")
    with (
        running(traces="otlp", api_keys=listed(ours)) as guarded,
        grpc.insecure_channel(str(guarded.ready.grpc)) as channel,
    ):
        callers = Callers(guarded.http, channel)
        for at, transport in enumerate(TRANSPORTS):
            parents = [parent_of(6_000 + 10 * at + number) for number in range(3)]
            for (_, _, parent), headers in zip(parents, (ours.headers, unknown.headers, []), strict=True):
                callers.deal(transport, [*headers, ("traceparent", parent)])
            told = [served(collector.whole(trace)) for trace, _, _ in parents]
            codes = [span.attributes.get("scheids.code") for span in told]
            assert codes == [None, "INVALID_API_KEY", "NO_API_KEY"]
            assert not any(span.failed for span in told)
    sent = b"".join(collector.bodies)
    assert [key for each in (ours, unknown) for key in (each.key, each.entry["sha256"]) if key.encode() in sent] == []
