"""Whether and when traces are sent: off, sampled, with the collector away, and when the service stops."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import httpx
import pytest

from service.config import BadSettings, load
from service.tracing.environment import CHECKS
from service.wire.gen.scheids.v1 import referee_pb2, referee_pb2_grpc
from tests.service.running import ROOT, WHIST, Running, read_ready, running, started
from tests.service.store.servers import Server, free_ports, standalone
from tests.service.tracing.collector import SECONDS, Collector, collecting, parent_of

SECRET: Final = "what the services of these tests sign tokens with"
ASKS: Final = """
import sys, grpc
from service.wire.gen.scheids.v1 import referee_pb2, referee_pb2_grpc
from tests.service.running import WHIST, running

with running(**dict(each.split("=") for each in sys.argv[1:])) as service:
    service.http.post("/v1/tables", json=WHIST).raise_for_status()
    service.http.post("/v1/batch", json={"calls": [{"id": "a", "deal": WHIST}]}).raise_for_status()
    with grpc.insecure_channel(str(service.ready.grpc)) as channel:
        referee_pb2_grpc.RefereeStub(channel).ListGames(referee_pb2.ListGamesRequest())
print(sorted({name.partition(".")[0] for name in sys.modules} & {"opentelemetry", "requests", "urllib3"}))
"""


def loaded_by(*settings: str, **environ: str) -> str:
    """Which libraries of traces a service has loaded that answered requests over both transports."""
    command = [sys.executable, "-c", ASKS, *settings]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environ}, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_off_nothing_of_it_is_loaded() -> None:
    assert loaded_by(OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:1") == "[]"


def test_on_it_is() -> None:
    with collecting() as collector:
        environ = {name: value for name, value in collector.environment().items() if name.startswith("OTEL")}
        assert loaded_by("traces=otlp", **environ) == "['opentelemetry', 'requests', 'urllib3']"
        assert {"POST /v1/tables", "POST /v1/batch"} < {span.name for span in collector.spans}


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as here:
        yield here


def asked(process: subprocess.Popen[str], numbers: range, *, sampled: bool = True) -> None:
    """A running process asked as often, each time with a parent of its own."""
    ready, _ = read_ready(process)
    with httpx.Client(base_url=ready["rest"], timeout=SECONDS) as http:
        for number in numbers:
            headers = {"traceparent": parent_of(number, sampled=sampled)[2]}
            assert http.get("/v1/games", headers=headers).status_code == 200


def stopped(process: subprocess.Popen[str]) -> str:
    """The log of a process that has been told to stop, and has."""
    process.terminate()
    _, log = process.communicate(timeout=2 * SECONDS)
    assert process.returncode == 0, log
    return log


@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_is_left_is_sent_on_stopping(collector: Collector, workers: str) -> None:
    """Nothing would be sent for an hour otherwise."""
    settings = {"SCHEIDS_TABLES": "off", "SCHEIDS_WORKERS": workers}
    with started(**settings, **collector.environment(OTEL_BSP_SCHEDULE_DELAY="3600000")) as process:
        asked(process, range(20))
        assert collector.spans == []
        stopped(process)
    assert {span.trace for span in collector.spans} == {parent_of(number)[0] for number in range(20)}


def test_a_collector_that_never_answers_holds_up_neither_requests_nor_the_stop(collector: Collector) -> None:
    """More spans than there is room for, with the exporter stuck: the requests are answered, the rest is dropped."""
    collector.hangs.set()
    small = {
        "OTEL_BSP_MAX_QUEUE_SIZE": "20",
        "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "10",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "600",
    }
    settings = {"SCHEIDS_TABLES": "off", "SCHEIDS_SHUTDOWN_SECONDS": "1"}
    with started(**settings, **collector.environment(**small)) as process:
        asked(process, range(100))
        log = stopped(process)
    assert collector.bodies == []
    said = [json.loads(line) for line in log.splitlines()]
    assert any("Queue full" in line["event"] for line in said)
    assert sum(line["event"] == "request" for line in said) == 100


def test_a_collector_that_is_not_there_is_no_matter() -> None:
    nowhere = f"http://127.0.0.1:{free_ports(1)[0]}"
    environ = {"SCHEIDS_TRACES": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": nowhere, "OTEL_BSP_SCHEDULE_DELAY": "10"}
    with started(SCHEIDS_TABLES="off", SCHEIDS_SHUTDOWN_SECONDS="1", **environ) as process:
        asked(process, range(20))
        log = stopped(process)
    assert sum(json.loads(line)["event"] == "request" for line in log.splitlines()) == 20


@contextmanager
def serving(collector: Collector, patched: pytest.MonkeyPatch, level: str, **environ: str) -> Iterator[Running]:
    """A service in this process, which sends its traces to a collector."""
    for name, value in collector.environment(**environ).items():
        patched.setenv(name, value)
    with running(traces="otlp", tables="off", log_level=level) as service:
        yield service


@pytest.mark.parametrize(
    ("sampler", "with_parent"), [("parentbased_always_off", 10), ("parentbased_traceidratio", 10), ("always_off", 0)]
)
def test_the_sampler_is_that_of_the_environment(
    collector: Collector,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    sampler: str,
    with_parent: int,
) -> None:
    share = {"OTEL_TRACES_SAMPLER": sampler, "OTEL_TRACES_SAMPLER_ARG": "0", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}
    named = {"OTEL_SERVICE_NAME": "dealer", "OTEL_EXPORTER_OTLP_HEADERS": "x-key=hush"}
    with serving(collector, monkeypatch, "info", **share, **named) as service:
        for number in range(10):
            parent, other = parent_of(number)[2], parent_of(number + 100, sampled=False)[2]
            for headers in ({"traceparent": parent}, {"traceparent": other}, {}):
                service.http.post("/v1/deal", json=WHIST, headers=headers)
        with grpc.insecure_channel(str(service.ready.grpc)) as channel:
            stub: Any = referee_pb2_grpc.RefereeStub(channel)
            stub.ListGames(referee_pb2.ListGamesRequest())
    traces = {span.trace for span in collector.spans}
    assert traces == {parent_of(number)[0] for number in range(with_parent)}
    log = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line.get("trace") for line in log].count(None) == 31 - len(traces)
    assert {line["trace"] for line in log if "trace" in line} == traces
    if traces:
        assert collector.resources[0]["service.name"] == "dealer"
        assert collector.headers[0]["x-key"] == "hush"
    assert "hush" not in str(log)


def test_a_share_is_that_share(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of 400, give or take sixty: six times the deviation. Were each judged twice, it would be a quarter."""
    half = {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.5"}
    with serving(collector, monkeypatch, "error", **half) as service:
        for _ in range(400):
            service.http.post("/v1/deal", json=WHIST)
    names = [span.name for span in collector.spans]
    assert 140 <= names.count("POST /v1/deal") <= 260
    assert names.count("engine.deal") == names.count("POST /v1/deal")


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Server]:
    with standalone(tmp_path) as server:
        yield server


@pytest.mark.redis
@pytest.mark.skipif(shutil.which("redis-server") is None, reason="no redis-server on the PATH")
def test_each_try_is_a_span(collector: Collector, redis: Server) -> None:
    """Redis refuses to write: the client tries again, and gives up."""
    settings = {"SCHEIDS_REDIS_URL": redis.url, "SCHEIDS_SECRET": SECRET}
    with started(**settings, **collector.environment()) as process:
        ready, _ = read_ready(process)
        with httpx.Client(base_url=ready["rest"], timeout=SECONDS) as http:
            assert http.post("/v1/tables", json=WHIST).status_code == 200
            redis.redis.replicaof("127.0.0.1", free_ports(1)[0])
            trace, _, parent = parent_of(1)
            assert http.post("/v1/tables", json=WHIST, headers={"traceparent": parent}).status_code == 503
        spans = collector.whole(trace)
    tries = sorted((span for span in spans if span.kind == "client"), key=lambda span: span.began)
    assert [span.attributes.get("scheids.redis.tries") for span in tries] == [None, 2, 3, 4]
    assert all(span.failed and span.attributes["error.type"] == "READONLY" for span in tries)
    assert {span.attributes["db.response.status_code"] for span in tries} == {"READONLY"}
    (use_case,) = (span for span in spans if span.name == "tables.create")
    assert {span.parent for span in tries} == {use_case.id}
    (request,) = (span for span in spans if span.kind == "server")
    assert (request.failed, request.attributes["scheids.code"]) == (True, "STORE_AWAY")


BAD: Final[Mapping[str, str]] = {
    "OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:43189999",
    "OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY": "/hush@nowhere",
    "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
    "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": "zstd",
    "OTEL_EXPORTER_OTLP_TIMEOUT": "soon",
    "OTEL_EXPORTER_OTLP_HEADERS": "hush",
    "OTEL_EXPORTER_OTLP_CERTIFICATE": "/nowhere/at/all.pem",
    "OTEL_TRACES_EXPORTER": "zipkin",
    "OTEL_TRACES_SAMPLER": "sometimes",
    "OTEL_TRACES_SAMPLER_ARG": "1%",
    "OTEL_RESOURCE_ATTRIBUTES": "dealer",
    "OTEL_BSP_SCHEDULE_DELAY": "0",
    "OTEL_BSP_MAX_QUEUE_SIZE": "many",
}


def test_every_fault_is_told_with_the_others() -> None:
    with pytest.raises(BadSettings) as bad:
        load({"SCHEIDS_TRACES": "otlp", "SCHEIDS_MAX_NESTING": "1", **BAD})
    assert len(bad.value.faults) == len(BAD) + 1
    told = "\n".join(bad.value.faults)
    assert [name for name in BAD if f"{name}: Expected" not in told] == []
    assert "hush" not in told


def test_sizes_that_do_not_fit_together() -> None:
    with pytest.raises(BadSettings, match="is above OTEL_BSP_MAX_QUEUE_SIZE, 100"):
        load({"SCHEIDS_TRACES": "otlp", "OTEL_BSP_MAX_QUEUE_SIZE": "100"})


def test_what_is_well_formed_is_good(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.touch()
    good = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example.com/otlp",
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Basic%20aHVzaA==, x-tenant=a",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "2.5",
        "OTEL_EXPORTER_OTLP_CERTIFICATE": str(file),
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
        "OTEL_TRACES_SAMPLER_ARG": "0.01",
        "OTEL_RESOURCE_ATTRIBUTES": "k8s.pod.name=a-1,k8s.namespace.name=b",
        "OTEL_BSP_MAX_QUEUE_SIZE": "",
    }
    assert set(good) <= set(CHECKS)
    assert load({"SCHEIDS_TRACES": "otlp", **good}).traces == "otlp"


def test_off_nobody_minds() -> None:
    assert load(BAD).traces == "off"
