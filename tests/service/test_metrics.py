"""What operators see: the metrics by their documented names, request ids, and that a service is about to stop."""

import io
import json
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client.parser import text_string_to_metric_families

from service import metrics, observability
from service.wire.gen.scheids.v1 import referee_pb2, referee_pb2_grpc
from tests.service.running import WHIST, Running, running

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as service:
        yield service


def samples(server: Running) -> Samples:
    """Every sample of the page."""
    text = server.http.get("/metrics").text
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def decisions(found: Samples, operation: str, game: str, code: str) -> float:
    labels = frozenset({("operation", operation), ("game", game), ("code", code)})
    return found.get(("scheids_engine_seconds_count", labels), 0.0)


def requests(found: Samples, **labels: str) -> float:
    return found.get(("scheids_requests_total", frozenset(labels.items())), 0.0)


def test_the_page_names_what_there_is() -> None:
    named = set(re.findall(r"^\| `(scheids_\w+)` \|", PAGE.read_text(), re.MULTILINE))
    there = set()
    for family in metrics.REGISTRY.collect():
        if family.name.startswith("scheids_"):
            there.add(family.name + {"counter": "_total"}.get(family.type, ""))
    assert named == there


def test_requests_are_counted_by_transport_operation_and_code(server: Running) -> None:
    before = samples(server)
    state = server.http.post("/v1/deal", json=WHIST).json()["state"]
    server.http.post("/v1/play", json={"state": state, "move": "play 2C"})
    server.http.get("/nowhere")
    with grpc.insecure_channel(str(server.ready.grpc)) as channel:
        referee_pb2_grpc.RefereeStub(channel).ListGames(referee_pb2.ListGamesRequest())
        with pytest.raises(grpc.RpcError):
            referee_pb2_grpc.RefereeStub(channel).GetGame(referee_pb2.GetGameRequest(game="snap"))
    body = referee_pb2.ListGamesRequest().SerializeToString()
    headers = {"Content-Type": "application/proto"}
    server.http.post("/scheids.v1.Referee/ListGames", content=body, headers=headers)
    after = samples(server)
    for labels in (
        {"transport": "rest", "operation": "deal", "code": "OK"},
        {"transport": "rest", "operation": "playMove", "code": "ILLEGAL_MOVE"},
        {"transport": "rest", "operation": "unknown", "code": "NOT_FOUND"},
        {"transport": "grpc", "operation": "listGames", "code": "OK"},
        {"transport": "grpc", "operation": "getGame", "code": "UNKNOWN_GAME"},
        {"transport": "connect", "operation": "listGames", "code": "OK"},
    ):
        assert requests(after, **labels) == requests(before, **labels) + 1, labels
    assert decisions(after, "play", "whist", "ILLEGAL_MOVE") == decisions(before, "play", "whist", "ILLEGAL_MOVE") + 1
    assert decisions(after, "deal", "whist", "OK") == decisions(before, "deal", "whist", "OK") + 1


def test_decisions_are_counted_by_game_those_at_tables_too(server: Running) -> None:
    created = server.http.post("/v1/tables", json={"game": "flip7", "places": 3, "seed": "a test's"}).json()
    path = f"/v1/tables/{created['id']}"
    tokens = [
        server.http.post(f"{path}/claim", json={"joinCode": code}).json()["token"] for code in created["joinCodes"]
    ]
    view = server.http.get(path, headers={"Authorization": f"Bearer {tokens[0]}"}).json()["view"]
    acting = {"Authorization": f"Bearer {tokens[view['toAct']['seat']]}"}
    moves = server.http.get(f"{path}/legal-moves", headers=acting).json()["legal"]["moves"]
    before = samples(server)
    for move in ("give freeze 0", moves[0]["text"]):
        server.http.post(f"{path}/moves", json={"move": move, "idempotencyKey": move}, headers=acting)
    after = samples(server)
    for code in ("OK", "ILLEGAL_MOVE"):
        assert decisions(after, "tables.play", "flip7", code) == decisions(before, "tables.play", "flip7", code) + 1
    assert decisions(after, "tables.legal_moves", "flip7", "OK") >= 1


def test_the_examples_of_the_documentation_are_no_decisions() -> None:
    with running() as service:
        before = samples(service)
        assert service.http.get("/openapi.json").status_code == 200
        for operation in ("tables.play", "tables.legal_moves"):
            assert decisions(samples(service), operation, "whist", "OK") == decisions(before, operation, "whist", "OK")


def test_tables_and_their_store_are_seen(server: Running) -> None:
    created = server.http.post("/v1/tables", json={"game": "whist", "spectators": True}).json()
    with server.http.stream("GET", f"/v1/tables/{created['id']}/events") as stream:
        lines = stream.iter_lines()
        assert next(lines)
        until = time.monotonic() + 10
        while samples(server)["scheids_watchers", frozenset()] < 1:
            assert time.monotonic() < until
    found = samples(server)
    assert found["scheids_store_up", frozenset()] == 1
    assert found["scheids_store_seconds_count", frozenset({("call", "create"), ("outcome", "created")})] >= 1


def test_labels_are_few_whatever_is_asked(server: Running) -> None:
    def ask(number: int) -> None:
        server.http.get(f"/v1/games/game{number}")
        server.http.get(f"/nowhere/{number}")
        server.http.get(f"/v1/tables/{number}")

    ask(0)
    samples(server)
    before = len(samples(server))
    for number in range(1, 50):
        ask(number)
    assert len(samples(server)) == before


def test_a_request_keeps_its_id(server: Running) -> None:
    answer = server.http.get("/livez", headers={"X-Request-Id": "mine-1"})
    assert answer.headers["x-request-id"] == "mine-1"
    made = {
        server.http.get("/livez", headers={"X-Request-Id": bad}).headers["x-request-id"]
        for bad in ("", "a b", "x" * 200)
    }
    assert len(made) == 3
    assert all(re.fullmatch("[0-9a-f]{16}", each) for each in made)


@pytest.mark.parametrize("game", ["whist", "snap"])
def test_a_call_keeps_its_id(server: Running, game: str) -> None:
    """Whether it is answered or refused."""

    def id_of(given: str) -> str:
        request = referee_pb2.GetGameRequest(game=game)
        try:
            _, call = stub.GetGame.with_call(request, metadata=(("x-request-id", given),))
        except grpc.RpcError as refused:
            call = refused
        return str(dict(call.trailing_metadata())["x-request-id"])

    with grpc.insecure_channel(str(server.ready.grpc)) as channel:
        stub: Any = referee_pb2_grpc.RefereeStub(channel)
        assert id_of("mine-1") == "mine-1"
        made = {id_of(bad) for bad in ("", "a b", "x" * 200)}
    assert len(made) == 3
    assert all(re.fullmatch("[0-9a-f]{16}", each) for each in made)


def test_a_service_says_that_it_stops_before_it_does() -> None:
    with running(drain_seconds=3, shutdown_seconds=5) as server:
        state = server.http.post("/v1/deal", json=WHIST).json()["state"]
        with grpc.insecure_channel(str(server.ready.grpc)) as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            asked = health_pb2.HealthCheckRequest(service="scheids.v1.Referee")
            assert health.Check(asked).status == health_pb2.HealthCheckResponse.SERVING
            began = time.monotonic()
            threading.Thread(target=server.service.stop).start()
            while server.http.get("/readyz").status_code != 503:
                assert time.monotonic() - began < 2
            assert server.http.get("/readyz").json()["status"] == "stopping"
            while health.Check(asked).status != health_pb2.HealthCheckResponse.NOT_SERVING:
                assert time.monotonic() - began < 2
            assert server.http.post("/v1/legal-moves", json={"state": state}).status_code == 200
            assert server.http.get("/livez").status_code == 200


def test_the_log_tells_the_code_of_a_refusal_over_either_transport(server: Running) -> None:
    log = io.StringIO()
    observability.configure("info", log)
    try:
        server.http.post("/v1/score", json={"game": "nope"})
        with grpc.insecure_channel(str(server.ready.grpc)) as channel, pytest.raises(grpc.RpcError):
            referee_pb2_grpc.RefereeStub(channel).GetGame(referee_pb2.GetGameRequest(game="nope"))
        until = time.monotonic() + 10
        while len(log.getvalue().splitlines()) < 2 and time.monotonic() < until:
            time.sleep(0.01)
    finally:
        observability.configure("error")
    told = [json.loads(line) for line in log.getvalue().splitlines()]
    assert {(line["transport"], line["code"]) for line in told} == {("rest", "MALFORMED"), ("grpc", "UNKNOWN_GAME")}


def test_a_batch_is_counted_once_it_is_taken_on_over_either_transport(server: Running) -> None:
    def batches() -> float:
        return samples(server)["scheids_batch_calls_count", frozenset()]

    def over_grpc(calls: int) -> None:
        with grpc.insecure_channel(str(server.ready.grpc)) as channel:
            asked = referee_pb2.BatchRequest(calls=[referee_pb2.BatchCall(id="a")] * calls)
            referee_pb2_grpc.RefereeStub(channel).Batch(asked)

    before = batches()
    assert server.http.post("/v1/batch", json={"calls": [{"id": "a"}]}).status_code == 200
    over_grpc(1)
    assert batches() == before + 2
    assert server.http.post("/v1/batch", json={"calls": [{"id": "a"}] * 101}).json()["code"] == "LIST_TOO_LONG"
    with pytest.raises(grpc.RpcError):
        over_grpc(101)
    assert batches() == before + 2
