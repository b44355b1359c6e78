"""One trace of one move: a process of the service, a redis-server, and a collector that hears of it."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any, Final

import grpc
import httpx
import pytest

from service.wire.gen.scheids.v1 import (
    common_pb2,
    referee_pb2,
    referee_pb2_grpc,
    tables_pb2,
    tables_pb2_grpc,
    whist_pb2,
)
from tests.service.running import WHIST, read_ready, started
from tests.service.store.servers import Server
from tests.service.tracing.collector import SECONDS, Collector, Span, collecting, parent_of, tree_of

SECRET: Final = "what the services of these tests sign tokens with"
pytestmark = pytest.mark.redis


class Here:
    """The service, its clients, and its collector."""

    def __init__(self, process: subprocess.Popen[str], collector: Collector, redis: Server) -> None:
        ready, _ = read_ready(process)
        self.process = process
        self.collector = collector
        self.redis = redis
        self.http = httpx.Client(base_url=ready["rest"], timeout=SECONDS)
        self.channel = grpc.insecure_channel(ready["grpc"])
        self.tables: Any = tables_pb2_grpc.TablesStub(self.channel)
        self.referee: Any = referee_pb2_grpc.RefereeStub(self.channel)


@pytest.fixture(scope="module")
def here(redis_server: Server) -> Iterator[Here]:
    settings = {"SCHEIDS_REDIS_URL": redis_server.url, "SCHEIDS_SECRET": SECRET}
    with collecting() as collector, started(**settings, **collector.environment()) as process:
        service = Here(process, collector, redis_server)
        with service.http, service.channel:
            yield service


def table(here: Here) -> tuple[str, list[str]]:
    """A table of whist whose cards are dealt, and the tokens of its places."""
    created = here.http.post("/v1/tables", json=WHIST).json()
    path = f"/v1/tables/{created['id']}"
    codes = created["joinCodes"]
    return path, [here.http.post(f"{path}/claim", json={"joinCode": code}).json()["token"] for code in codes]


def a_move(here: Here, path: str, tokens: list[str]) -> tuple[str, str, int]:
    """The token of who is to act, a legal move, and the version."""
    for token in tokens:
        found = here.http.get(f"{path}/legal-moves", headers={"Authorization": f"Bearer {token}"}).json()
        if found["legal"]["moves"]:
            return token, found["legal"]["moves"][0]["text"], found["version"]
    raise AssertionError("nobody is to act")


def of_redis(spans: list[Span], redis: Server) -> None:
    (span,) = (each for each in spans if each.kind == "client")
    assert span.attributes == {
        "db.system.name": "redis",
        "db.operation.name": "EVALSHA",
        "db.stored_procedure.name": "commit",
        "db.namespace": "0",
        "server.address": "127.0.0.1",
        "server.port": redis.port,
    }


def within(spans: list[Span]) -> None:
    """Each span lies within its parent, and none has failed."""
    by_id = {span.id: span for span in spans}
    for span in spans:
        assert not span.failed
        assert span.began <= span.ended
        outer = by_id.get(span.parent, span)
        assert outer.began <= span.began
        assert span.ended <= outer.ended


def test_over_grpc(here: Here) -> None:
    path, tokens = table(here)
    token, words, version = a_move(here, path, tokens)
    trace, caller, parent = parent_of(1)
    request = tables_pb2.PlayTableMoveRequest(
        table=path.rpartition("/")[2], move=common_pb2.MoveInput(text=words), expected_version=version
    )
    metadata = (("authorization", f"Bearer {token}"), ("traceparent", parent))
    assert here.tables.PlayTableMove(request, metadata=metadata).version == version + 1
    spans = here.collector.whole(trace)
    assert tree_of(spans) == {
        "scheids.v1.Tables/PlayTableMove": ("server", caller),
        "tables.play": ("internal", "scheids.v1.Tables/PlayTableMove"),
        "engine.play": ("internal", "tables.play"),
        "EVALSHA commit": ("client", "tables.play"),
    }
    within(spans)
    of_redis(spans, here.redis)
    told = {span.name: span.attributes for span in spans}
    assert told["scheids.v1.Tables/PlayTableMove"] == {
        "rpc.system.name": "grpc",
        "rpc.method": "scheids.v1.Tables/PlayTableMove",
        "rpc.response.status_code": "OK",
    }
    assert told["tables.play"] == {"scheids.operation": "play"}
    assert told["engine.play"] == {"scheids.operation": "play", "scheids.game": "whist"}


def test_over_rest(here: Here) -> None:
    path, tokens = table(here)
    token, words, version = a_move(here, path, tokens)
    trace, caller, parent = parent_of(2)
    body = {"move": words, "expectedVersion": version}
    headers = {"Authorization": f"Bearer {token}", "traceparent": parent}
    assert here.http.post(f"{path}/moves", json=body, headers=headers).status_code == 200
    spans = here.collector.whole(trace)
    assert tree_of(spans) == {
        "POST /v1/tables/{table}/moves": ("server", caller),
        "tables.play": ("internal", "POST /v1/tables/{table}/moves"),
        "engine.play": ("internal", "tables.play"),
        "EVALSHA commit": ("client", "tables.play"),
    }
    within(spans)
    of_redis(spans, here.redis)
    (served,) = (span for span in spans if span.kind == "server")
    assert served.attributes == {
        "http.request.method": "POST",
        "http.route": "/v1/tables/{table}/moves",
        "http.response.status_code": 200,
        "network.protocol.version": "1.1",
        "url.scheme": "http",
    }


def test_over_connect_and_without_a_table(here: Here) -> None:
    trace, caller, parent = parent_of(3)
    body = referee_pb2.DealRequest(whist=whist_pb2.WhistDealRequest(seed="a")).SerializeToString()
    headers = {"Content-Type": "application/proto", "traceparent": parent}
    assert here.http.post("/scheids.v1.Referee/Deal", content=body, headers=headers).status_code == 200
    spans = here.collector.whole(trace)
    assert tree_of(spans) == {
        "scheids.v1.Referee/Deal": ("server", caller),
        "engine.deal": ("internal", "scheids.v1.Referee/Deal"),
    }
    within(spans)
    (served,) = (span for span in spans if span.kind == "server")
    assert served.attributes == {"rpc.system.name": "connectrpc", "rpc.method": "scheids.v1.Referee/Deal"}


def test_the_log_tells_the_trace(here: Here) -> None:
    """Read last of all: it ends the process, whose traces must all have been sent by then."""
    over_rest, _, parent = parent_of(4)
    over_grpc, _, other = parent_of(5)
    assert here.http.get("/v1/games", headers={"traceparent": parent}).status_code == 200
    assert here.http.get("/v1/games", headers={"traceparent": parent_of(6, sampled=False)[2]}).status_code == 200
    here.referee.ListGames(referee_pb2.ListGamesRequest(), metadata=(("traceparent", other),))
    here.process.terminate()
    _, log = here.process.communicate(timeout=SECONDS)
    assert here.process.returncode == 0
    lines = [json.loads(line) for line in log.splitlines()]
    told = [(line["transport"], line.get("trace")) for line in lines[-3:]]
    assert told == [("rest", over_rest), ("rest", None), ("grpc", over_grpc)]
    names = {trace: [span.name for span in here.collector.trace(trace)] for trace in (over_rest, over_grpc)}
    assert names == {over_rest: ["GET /v1/games"], over_grpc: ["scheids.v1.Referee/ListGames"]}
    assert here.collector.resources[0]["service.name"] == "scheids"
    traced = {line["trace"] for line in lines if "trace" in line}
    assert traced == {span.trace for span in here.collector.spans}
