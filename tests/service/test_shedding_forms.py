"""How each transport tells a request that it is turned away: as any refusal, and when to ask again."""

import base64
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo  # type: ignore[import-untyped]
from grpc_health.v1 import health_pb2, health_pb2_grpc

from service.shedding import Waits
from service.wire.gen.scheids.v1 import tables_pb2, tables_pb2_grpc
from tests.service.grpc_server import raw, raw_decide, refused
from tests.service.running import SECONDS, WHIST, Running, running

ORIGIN = "https://app.example"


@pytest.fixture(scope="module")
def overloaded() -> Iterator[Running]:
    """A service that is overloaded, whoever asks."""
    with pytest.MonkeyPatch.context() as patch, running(cors_origins=ORIGIN) as service:
        patch.setattr(Waits, "is_too_long", lambda _, __: True)
        yield service


@pytest.fixture(scope="module")
def channel(overloaded: Running) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(str(overloaded.ready.grpc)) as made:
        yield made


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/deal"),
        ("POST", "/v1/batch"),
        ("GET", "/v1/games"),
        ("GET", "/v1/games?x=y"),
        ("POST", "/v1/tables"),
        ("GET", "/v1/tables/x/events"),
        ("GET", "/docs"),
        ("GET", "/nowhere"),
    ],
)
def test_over_rest(overloaded: Running, method: str, path: str) -> None:
    answer = overloaded.http.request(method, path, json=WHIST if method == "POST" else None)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.json()["code"], answer.json()["status"]) == ("OVERLOADED", 429)
    assert answer.headers["x-request-id"]


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics"])
def test_probes_are_let_in(overloaded: Running, path: str) -> None:
    assert overloaded.http.get(path).status_code == 200
    assert overloaded.http.head(path).status_code == 200


def test_pages_elsewhere_are_told_too(overloaded: Running) -> None:
    headers = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST"}
    assert overloaded.http.options("/v1/deal", headers=headers).is_success
    told = overloaded.http.post("/v1/deal", json=WHIST, headers={"Origin": ORIGIN})
    assert (told.status_code, told.headers["access-control-allow-origin"]) == (429, ORIGIN)
    assert told.headers["access-control-expose-headers"] == "Retry-After"
    other = overloaded.http.post("/v1/deal", json=WHIST, headers={"Origin": "https://other.example"})
    assert other.status_code == 429
    assert "access-control-allow-origin" not in other.headers


def test_over_connect(overloaded: Running) -> None:
    headers = {"Content-Type": "application/proto"}
    answer = overloaded.http.post("/scheids.v1.Referee/Deal", content=b"", headers=headers)
    told = answer.json()
    assert (answer.status_code, told["code"], answer.headers["retry-after"]) == (429, "resource_exhausted", "1")
    details = {each["type"]: base64.b64decode(each["value"] + "==") for each in told["details"]}
    assert ErrorInfo.FromString(details["google.rpc.ErrorInfo"]).reason == "OVERLOADED"
    assert RetryInfo.FromString(details["google.rpc.RetryInfo"]).retry_delay.seconds == 1


def test_a_watch_over_connect(overloaded: Running) -> None:
    headers = {"Content-Type": "application/connect+proto"}
    answer = overloaded.http.post("/scheids.v1.Tables/WatchTable", content=b"", headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/connect+proto")
    assert answer.content[0] == 2
    assert b"resource_exhausted" in answer.content


@pytest.mark.parametrize(("service", "method"), [("Referee", "Deal"), ("Referee", "Batch"), ("Tables", "GetTable")])
def test_over_grpc(channel: grpc.Channel, service: str, method: str) -> None:
    refusal = refused(lambda: raw(channel, method, service)(b"", timeout=SECONDS))
    assert (refusal.code, refusal.info.reason, refusal.problem.status) == ("RESOURCE_EXHAUSTED", "OVERLOADED", 429)
    assert refusal.retry is not None
    assert refusal.retry.retry_delay.seconds == 1


def test_streams_over_grpc(channel: grpc.Channel) -> None:
    assert refused(lambda: next(raw_decide(channel)(iter([b""]), timeout=SECONDS))).info.reason == "OVERLOADED"
    stub: Any = tables_pb2_grpc.TablesStub(channel)
    request = tables_pb2.WatchTableRequest(table="x")
    assert refused(lambda: next(stub.WatchTable(request, timeout=SECONDS))).info.reason == "OVERLOADED"


def test_health_is_told(channel: grpc.Channel) -> None:
    stub: Any = health_pb2_grpc.HealthStub(channel)
    answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=SECONDS)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
