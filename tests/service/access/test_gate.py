"""Keys over every transport: who is let in, what stays open to all, and that no key is ever told."""

import io
import json
import signal
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx
import pytest
from grpc_health.v1 import health_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from service import observability
from service.access import Gate, KeyLimits, new_key, read_keys
from service.errors import STATUSES, ServiceError
from tests.service.access.calling import SERVICES, TRANSPORTS, WHIST, Callers, Told, listed, made, reason_in, until
from tests.service.running import SECONDS, Running, read_ready, running, started

ORIGIN = "https://cards.example"
OURS = made("ours")
OTHERS = made("others")
OPEN_PATHS = ("/livez", "/readyz", "/metrics", "/docs", "/docs/docs.js", "/docs/docs.css", "/openapi.json")


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(api_keys=listed(OURS, OTHERS), cors_origins=ORIGIN) as here:
        yield here


@pytest.fixture(scope="module")
def callers(server: Running) -> Iterator[Callers]:
    with grpc.insecure_channel(str(server.ready.grpc)) as channel:
        yield Callers(server.http, channel)


REFUSED: dict[str, int | str] = {"rest": 401, "connect": 401, "grpc": "UNAUTHENTICATED"}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_good_key_is_let_in_and_nothing_else_is(callers: Callers, transport: str) -> None:
    assert callers.deal(transport, OURS.headers).code == "OK"
    assert callers.deal(transport, OTHERS.headers).code == "OK"
    assert callers.deal(transport) == Told("NO_API_KEY", REFUSED[transport])
    bad = Told("INVALID_API_KEY", REFUSED[transport])
    unknown = made("unknown").headers
    for headers in (unknown, [*OURS.headers, *OURS.headers], [*OURS.headers, *unknown], [("x-api-key", "")]):
        assert callers.deal(transport, headers) == bad
    assert callers.deal(transport, [("authorization", f"Bearer {OURS.key}")]).code == "NO_API_KEY"


def test_every_operation_of_rest_needs_a_key(server: Running) -> None:
    document = server.http.get("/openapi.json").json()
    asked = 0
    for path, operations in document["paths"].items():
        for method, described in operations.items():
            if path in OPEN_PATHS:
                continue
            for query in ("", "?a=b"):
                answer = server.http.request(method, path.format(game="whist", table="a" * 28) + query)
                assert (answer.status_code, answer.json()["code"]) == (401, "NO_API_KEY"), (method, path)
            assert {"401", "429"} <= described["responses"].keys(), (method, path)
            assert {"apiKey": []} in described["security"] or {"token": [], "apiKey": []} in described["security"]
            asked += 1
    assert asked > 20


def test_every_method_needs_a_key(server: Running, callers: Callers) -> None:
    for service in SERVICES:
        for method in service.methods:
            if method.client_streaming:
                with pytest.raises(grpc.RpcError, match="API key"):
                    next(callers.decide(iter([]), ()))
                continue
            assert callers.grpc(service.name, method.name).code == "NO_API_KEY", method.name
            if not method.server_streaming:
                assert callers.connect(service.name, method.name).code == "NO_API_KEY", method.name
                continue
            answer = server.http.post(f"/{service.full_name}/{method.name}")
            assert answer.content[:1] == b"\x02"
            assert reason_in(json.loads(answer.content[5:])["error"]) == "NO_API_KEY"


def test_some_things_stay_open_to_all(server: Running) -> None:
    for path in OPEN_PATHS:
        assert server.http.get(path).status_code == 200, path
    with grpc.insecure_channel(str(server.ready.grpc)) as channel:
        check: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/grpc.health.v1.Health/Check")
        health = health_pb2.HealthCheckResponse.FromString(check(b"", timeout=SECONDS))
    assert health.status == health_pb2.HealthCheckResponse.SERVING


def test_a_page_may_send_a_key_and_is_told_of_a_refusal(server: Running) -> None:
    asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-api-key"}
    preflight = server.http.options("/v1/deal", headers=asked)
    assert preflight.status_code == 204
    assert "x-api-key" in preflight.headers["access-control-allow-headers"].lower()
    refused = server.http.post("/v1/deal", json={"game": "whist"}, headers={"Origin": ORIGIN})
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, ORIGIN)


def test_a_ticket_stands_for_the_key_of_who_got_it(server: Running) -> None:
    key = dict(OURS.headers)
    made_of = server.http.post("/v1/tables", json={"game": "whist"}, headers=key).json()
    path, token = f"/v1/tables/{made_of['id']}", {"Authorization": f"Bearer {made_of['hostToken']}"}
    assert server.http.post(f"{path}/event-tickets", json={}, headers=token).json()["code"] == "NO_API_KEY"
    ticket = server.http.post(f"{path}/event-tickets", json={}, headers=token | key).json()["ticket"]
    with server.http.stream("GET", f"{path}/events", params={"ticket": ticket}) as events:
        assert events.status_code == 200
        assert next(events.iter_lines()).startswith("id:")
    assert server.http.get(f"{path}/events", params={"ticket": "forged"}).json()["code"] == "INVALID_TOKEN"
    assert server.http.get(f"{path}/events").json()["code"] == "NO_API_KEY"


@settings(max_examples=60, deadline=None)
@given(
    headers=st.lists(
        st.tuples(
            st.sampled_from(["x-api-key", "authorization", "x-request-id", "accept-language"]),
            st.one_of(
                st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=80),
                st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=80),
                st.just(OURS.key),
                st.builds(new_key),
            ),
        ),
        max_size=6,
    )
)
def test_odd_headers_are_the_callers_fault_or_none(server: Running, headers: list[tuple[str, str]]) -> None:
    body = b'{"game":"whist"}'
    proto = WHIST.SerializeToString()
    sent = [(name.encode(), value.strip().encode("latin-1")) for name, value in headers]
    good = [value for name, value in sent if name == b"x-api-key"] == [OURS.key.encode()]
    answer = server.http.post("/v1/deal", content=body, headers=[*sent, (b"content-type", b"application/json")])
    assert answer.status_code == (200 if good else 401), sent
    path = "/scheids.v1.Referee/Deal"
    answer = server.http.post(path, content=proto, headers=[*sent, (b"content-type", b"application/proto")])
    assert answer.status_code in (200, 401), sent
    with grpc.insecure_channel(str(server.ready.grpc)) as channel:
        clean = [(name.decode(), value.decode()) for name, value in sent if value.isascii()]
        told = Callers(server.http, channel).grpc("Referee", "Deal", proto, clean)
    assert told.code in ("OK", "NO_API_KEY", "INVALID_API_KEY")


def test_no_key_is_in_a_log_or_a_metric() -> None:
    unknown = made("unknown")
    with started(SCHEIDS_API_KEYS=listed(OURS), SCHEIDS_LOG_LEVEL="debug") as process:
        ready, _ = read_ready(process)
        with grpc.insecure_channel(ready["grpc"]) as channel, httpx.Client(base_url=ready["rest"]) as http:
            callers = Callers(http, channel)
            for transport in TRANSPORTS:
                assert callers.deal(transport, OURS.headers).code == "OK"
                assert callers.deal(transport, unknown.headers).code == "INVALID_API_KEY"
                assert callers.deal(transport).code == "NO_API_KEY"
            metrics = http.get("/metrics").text
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=SECONDS)
    lines = [json.loads(line) for line in log.splitlines()]
    keys = [(line["transport"], line["key"]) for line in lines if "key" in line]
    assert keys == [(transport, "ours") for transport in TRANSPORTS]
    for key in (OURS, unknown):
        for secret in (key.key, key.key[8:], key.entry["sha256"]):
            assert secret not in log
            assert secret not in metrics
    assert 'scheids_requests_total{code="INVALID_API_KEY",operation="deal",transport="grpc"}' in metrics


# --- keys that change


def test_a_changed_file_is_read_and_a_bad_one_is_not_believed(tmp_path: Path) -> None:
    """As Kubernetes does it: the file is a link into a folder, which is exchanged as a whole."""
    first, second = made("first"), made("second")

    def put(name: str, text: str) -> None:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "keys").write_text(text)
        (tmp_path / "new").symlink_to(folder)
        (tmp_path / "new").rename(tmp_path / "data")

    put("1", listed(first))
    path = tmp_path / "keys"
    path.symlink_to(tmp_path / "data" / "keys")
    log = io.StringIO()
    with running(api_keys_file=path) as server, grpc.insecure_channel(str(server.ready.grpc)) as channel:
        observability.configure("info", log)
        callers = Callers(server.http, channel)
        assert callers.deal("rest", first.headers).code == "OK"
        put("2", listed(second))
        until(lambda: callers.deal("rest", second.headers).code == "OK")
        for transport in TRANSPORTS:
            assert callers.deal(transport, second.headers).code == "OK"
            assert callers.deal(transport, first.headers).code == "INVALID_API_KEY"
        put("3", "[]")
        until(lambda: "not renewed" in log.getvalue())
        assert callers.deal("grpc", second.headers).code == "OK"
        (tmp_path / "data").unlink()
        until(lambda: log.getvalue().count("not renewed") == 2)
        assert callers.deal("grpc", second.headers).code == "OK"
        put("4", listed(first))
        until(lambda: callers.deal("grpc", first.headers).code == "OK")
    observability.configure("error")


LIMITS = KeyLimits(rate=10, burst=10, tables_per_minute=5, reissues_per_minute=5)


def test_a_key_that_is_taken_away_ends_what_it_was_let_in_for() -> None:
    kept, gone = made("kept"), made("gone")
    gate = Gate(read_keys(listed(kept, gone)), LIMITS)
    stays, goes = gate.admit("decide", lambda: [kept.key]), gate.admit("decide", lambda: [gone.key])
    goes.take()
    gate.replace(read_keys(listed(kept)))
    stays.take()
    with pytest.raises(ServiceError, match="not good"):
        goes.take()


def test_a_name_whose_key_changes_keeps_what_it_has_used() -> None:
    before, after = made("same"), made("same")
    gate = Gate(read_keys(listed(before)), LIMITS, lambda: 0.0)
    admission = gate.admit("decide", lambda: [before.key])
    admission.take(10)
    gate.replace(read_keys(listed(after)))
    with pytest.raises(ServiceError, match="not good"):
        admission.take()
    with pytest.raises(ServiceError, match="too many calls"):
        gate.admit("deal", lambda: [after.key])


def test_the_codes_are_of_the_table() -> None:
    assert (STATUSES["NO_API_KEY"].grpc, STATUSES["INVALID_API_KEY"].http) == ("UNAUTHENTICATED", 401)
    assert (STATUSES["RATE_LIMITED"].grpc, STATUSES["RATE_LIMITED"].http) == ("RESOURCE_EXHAUSTED", 429)


def test_without_keys_everybody_is_let_in() -> None:
    with running() as server, grpc.insecure_channel(str(server.ready.grpc)) as channel:
        for transport in TRANSPORTS:
            assert Callers(server.http, channel).deal(transport).code == "OK"
            assert Callers(server.http, channel).deal(transport, made("any").headers).code == "OK"
