"""k8s/ and the Dockerfile say nothing of the service that it does not say itself."""

import copy
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import yaml
from grpc_health.v1 import health_pb2

from service.config import settings_table
from service.transports.grpc.server import HEALTH_SECONDS, LAST_SECONDS
from tests.deploy.knowing import SPARE_SECONDS, Deployed, image_user, paths_of_service
from tests.deploy.layers import K8S, Document, containers, layered, named, read
from tests.service.running import ROOT, Running, read_ready, running, started

SECONDS = 30
UNDER_WAY_SECONDS = 0.3
OVERLAYS = sorted(path for path in (K8S / "overlays").iterdir() if path.is_dir())
COMPONENTS = sorted((K8S / "components").iterdir())
DOCKERFILE = (ROOT / "Dockerfile").read_text()


@pytest.fixture(scope="module")
def paths() -> frozenset[str]:
    return paths_of_service()


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    """The service with its Redis away, which no probe may notice."""
    with running(redis_url="redis://127.0.0.1:1/0", secret="only for this test and long enough") as here:
        yield here


def with_components(*components: Path) -> Deployed:
    documents = layered(K8S / "overlays" / "production")
    for component in components:
        documents = layered(component, documents)
    return Deployed(documents)


@pytest.mark.parametrize("overlay", OVERLAYS, ids=lambda path: path.name)
def test_overlay(overlay: Path, paths: frozenset[str]) -> None:
    assert Deployed(layered(overlay)).faults(paths) == []


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda path: path.name)
def test_component(component: Path, paths: frozenset[str]) -> None:
    assert with_components(component).faults(paths) == []


def probe(name: str, kind: str, key: str, value: Any) -> Callable[[Deployed], None]:
    return lambda here: here.container[name].update({kind: {**here.container[name][kind], key: value}})


def setting(name: str, value: str) -> Callable[[Deployed], None]:
    return lambda here: here.of("ConfigMap")[0]["data"].update({name: value})


def without(variable: str) -> Callable[[Deployed], None]:
    return lambda here: here.container.update(env=[each for each in here.container["env"] if each["name"] != variable])


def first(kind: str) -> Callable[[Deployed], Document]:
    return lambda here: here.of(kind)[0]


FAULTY: dict[str, tuple[Callable[[Deployed], Any], str]] = {
    "a probe's path": (probe("livenessProbe", "httpGet", "path", "/healthz"), "no probe /healthz"),
    "a page that is no probe": (probe("startupProbe", "httpGet", "path", "/v1/games"), "no probe /v1/games"),
    "a probe's port": (probe("livenessProbe", "httpGet", "port", "web"), "web is not the port of HTTP"),
    "a probe's number": (probe("readinessProbe", "grpc", "port", 50051), "50051 is not the port of gRPC"),
    "a health nobody has": (
        probe("readinessProbe", "grpc", "service", "scheids.v2.Referee"),
        "no health of scheids.v2",
    ),
    "no probe": (lambda here: here.container.pop("livenessProbe"), "asks neither"),
    "a container's number": (lambda here: here.container["ports"][0].update(containerPort=8000), "container has 8000"),
    "a container's name": (lambda here: here.container["ports"][1].update(name="rpc"), "no port grpc"),
    "a setting": (setting("SCHEIDS_DRAIN_SECOND", "5"), "SCHEIDS_DRAIN_SECOND: there is no such setting"),
    "a value": (setting("SCHEIDS_LOG_LEVEL", "loud"), "SCHEIDS_LOG_LEVEL"),
    "a variable": (lambda here: here.container["env"].append({"name": "SCHEIDS_PORT", "value": "1"}), "SCHEIDS_PORT"),
    "links of services": (lambda here: here.pod.pop("enableServiceLinks"), "SCHEIDS_SERVICE_HOST"),
    "a secret left out": (without("SCHEIDS_SECRET"), "SCHEIDS_SECRET"),
    "a variable of traces": (setting("OTEL_TRACES_SAMPLE", "always_on"), "OTEL_TRACES_SAMPLE: makes no difference"),
    "a value of traces": (setting("OTEL_TRACES_SAMPLER", "sometimes"), "OTEL_TRACES_SAMPLER: Expected one of"),
    "a collector's port": (
        setting("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317"),
        "no NetworkPolicy lets them out to 4317",
    ),
    "another port": (setting("SCHEIDS_HTTP_ADDRESS", "0.0.0.0:9000"), "the service listens on 9000"),
    "no public address": (setting("SCHEIDS_GRPC_ADDRESS", "127.0.0.1:8081"), "from within the pod only"),
    "a longer drain": (setting("SCHEIDS_DRAIN_SECONDS", "30"), "grace"),
    "a longer shutdown": (setting("SCHEIDS_SHUTDOWN_SECONDS", "15"), "grace"),
    "a shorter grace": (lambda here: here.pod.update(terminationGracePeriodSeconds=34), "grace: 34 s, and"),
    "the default grace": (lambda here: here.pod.pop("terminationGracePeriodSeconds"), "grace: 30 s, and"),
    "another user": (lambda here: here.pod["securityContext"].update(runAsUser=1000), "the image's is 10001"),
    "a writable root": (lambda here: here.container["securityContext"].pop("readOnlyRootFilesystem"), "restricted"),
    "a token": (lambda here: here.pod.pop("automountServiceAccountToken"), "automountServiceAccountToken"),
    "another version": (lambda here: here.container.update(image="scheids:latest"), "scheids:latest"),
    "a Service's port": (lambda here: first("Service")(here)["spec"]["ports"][0].update(targetPort="web"), "port web"),
    "a budget of nothing": (
        lambda here: first("PodDisruptionBudget")(here)["spec"].update(selector={"matchLabels": {"a": "b"}}),
        "selects no pod",
    ),
    "a port monitored": (
        lambda here: first("ServiceMonitor")(here)["spec"]["endpoints"][0].update(port="metrics"),
        "not one Service has the port metrics",
    ),
    "a path monitored": (
        lambda here: first("ServiceMonitor")(here)["spec"]["endpoints"][0].update(path="/stats"),
        "no /stats",
    ),
    "a route": (
        lambda here: first("HTTPRoute")(here)["spec"]["rules"][0]["matches"][0]["path"].update(value="/v2"),
        "nothing under /v2",
    ),
    "a route's port": (
        lambda here: first("GRPCRoute")(here)["spec"]["rules"][0]["backendRefs"][0].update(port=50051),
        "has no port 50051",
    ),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_fault_is_found(fault: str, paths: frozenset[str]) -> None:
    components = (K8S / "components" / name for name in ("gateway", "monitoring", "tracing"))
    here = Deployed(copy.deepcopy(with_components(*components).documents))
    assert here.faults(paths) == []
    spoil, told = FAULTY[fault]
    spoil(here)
    assert told in "\n".join(Deployed(here.documents).faults(paths))


FAULTY_WITH_TLS: dict[str, tuple[Callable[[Deployed], Any], str]] = {
    "a probe that speaks no TLS": (probe("livenessProbe", "httpGet", "port", "http"), "http is not the port of HTTP"),
    "a probe of gRPC": (
        lambda here: here.container.update(readinessProbe={"grpc": {"port": 8081}}),
        "a gRPC probe knows no TLS",
    ),
    "no plain address": (setting("SCHEIDS_PROBE_ADDRESS", ""), "does not listen on it"),
    "another plain port": (setting("SCHEIDS_PROBE_ADDRESS", "0.0.0.0:9000"), "the service listens on 9000"),
    "a monitor that speaks no TLS": (
        lambda here: first("ServiceMonitor")(here)["spec"]["endpoints"][0].update(port="http"),
        "speaks no plain HTTP at http",
    ),
    "a file that no Secret has": (setting("SCHEIDS_TLS_CERT_FILE", "/etc/scheids/tls/cert.pem"), "No such file"),
    "no certificates": (lambda here: here.container["volumeMounts"].pop(0), "No such file"),
    "keys elsewhere": (setting("SCHEIDS_API_KEYS_FILE", "/etc/scheids/keys.json"), "No such file"),
}


@pytest.mark.parametrize("fault", FAULTY_WITH_TLS)
def test_a_fault_of_access_is_found(fault: str, paths: frozenset[str]) -> None:
    components = (K8S / "components" / name for name in ("monitoring", "api-keys", "tls"))
    here = Deployed(copy.deepcopy(with_components(*components).documents))
    assert here.faults(paths) == []
    spoil, told = FAULTY_WITH_TLS[fault]
    spoil(here)
    assert told in "\n".join(Deployed(here.documents).faults(paths))


def test_with_tls_callers_may_need_certificates(paths: frozenset[str]) -> None:
    here = Deployed(copy.deepcopy(with_components(K8S / "components/tls").documents))
    setting("SCHEIDS_TLS_CLIENT_CA_FILE", "/etc/scheids/tls/ca.crt")(here)
    assert Deployed(here.documents).faults(paths) == []


def test_probes_answer_while_redis_is_away(service: Running) -> None:
    container = with_components().container
    asked = []
    for name in ("startupProbe", "readinessProbe", "livenessProbe"):
        if "httpGet" in container[name]:
            answer = service.http.get(container[name]["httpGet"]["path"])
            assert answer.status_code == 200, (name, answer.text)
            asked.append(container[name]["httpGet"]["path"])
        else:
            with grpc.insecure_channel(str(service.ready.grpc)) as channel:
                check = channel.unary_unary(
                    "/grpc.health.v1.Health/Check",
                    request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
                    response_deserializer=health_pb2.HealthCheckResponse.FromString,
                )
                request = health_pb2.HealthCheckRequest(service=container[name]["grpc"].get("service", ""))
                assert check(request, timeout=SECONDS).status == health_pb2.HealthCheckResponse.SERVING
            asked.append("health")
    assert asked == ["/readyz", "health", "/livez"]


def test_routes_lead_callers_to_all_they_need_and_no_further(paths: frozenset[str]) -> None:
    (route,) = with_components(K8S / "components/gateway").of("HTTPRoute")
    matches = [match["path"] for rule in route["spec"]["rules"] for match in rule["matches"]]
    beyond = {
        path
        for path in paths
        if not any(
            path == match["value"] or (match["type"] == "PathPrefix" and path.startswith(match["value"] + "/"))
            for match in matches
        )
    }
    assert beyond == {"/livez", "/readyz", "/metrics"}


def nothing(until: threading.Event) -> Iterator[bytes]:
    """What a caller sends who has opened a stream and says nothing on it."""
    until.wait()
    yield from ()


def test_the_longest_stop_is_within_what_is_reckoned() -> None:
    """A request that never ends and a call that never ends: after the drain both are waited for at once."""
    settings = {"SCHEIDS_TABLES": "off", "SCHEIDS_DRAIN_SECONDS": "1", "SCHEIDS_SHUTDOWN_SECONDS": "1"}
    with started(**settings) as process:
        ready, _ = read_ready(process)
        host, port = ready["rest"].removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as http, grpc.insecure_channel(ready["grpc"]) as channel:
            http.sendall(b"POST /v1/deal HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{")
            ended = threading.Event()
            decide: Any = channel.stream_stream("/scheids.v1.Referee/Decide")
            call = decide(nothing(ended))
            grpc.channel_ready_future(channel).result(SECONDS)
            time.sleep(UNDER_WAY_SECONDS)
            assert not call.done()
            process.terminate()
            try:
                assert process.wait(1 + 1 + HEALTH_SECONDS + LAST_SECONDS + SPARE_SECONDS) == 0
            finally:
                ended.set()


def test_no_secret_is_in_the_manifests() -> None:
    kinds = [document["kind"] for path in K8S.rglob("*.yaml") for document in read(path) if "kind" in document]
    assert "Secret" not in kinds
    generated = {path.parent.name for path in K8S.rglob("*.yaml") if "secretGenerator" in path.read_text()}
    assert generated == {"dev"}


def test_production_asks_for_secrets_that_the_page_tells_to_make() -> None:
    page = (ROOT / "docs" / "operations.md").read_text()
    for each in (with_components(), with_components(K8S / "components/redis-sentinel")):
        for variable in each.container["env"]:
            named_key = variable.get("valueFrom", {}).get("secretKeyRef")
            if named_key:
                assert f"--from-literal={named_key['key']}=" in page


def test_every_manifest_is_explained() -> None:
    page = (ROOT / "docs" / "operations.md").read_text()
    for path in K8S.rglob("[a-z]*.yaml"):
        assert f"`{path.relative_to(K8S)}`" in page, path


def test_every_skip_is_explained() -> None:
    lines = (K8S / ".checkov.yaml").read_text().splitlines()
    skips = [number for number, line in enumerate(lines) if re.match(r"\s*- CKV", line)]
    assert skips
    assert all(re.search(r"- CKV\w+  # \w.{20}", lines[number]) for number in skips)


@pytest.mark.redis
@pytest.mark.skipif(shutil.which("redis-server") is None, reason="no redis-server on the PATH")
def test_redis_of_dev_understands_what_it_is_told(tmp_path: Path) -> None:
    redis = containers(named(layered(K8S / "overlays" / "dev"), "StatefulSet", "redis"))[0]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    told_so = [str(tmp_path) if each == "/data" else each for each in redis["args"]]
    command = [*redis["command"], *told_so, "--port", port, "--bind", "127.0.0.1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            told = ""
            until = time.monotonic() + SECONDS
            while "appendfsync" not in told and time.monotonic() < until:
                told = subprocess.run(
                    ["redis-cli", "-p", port, "config", "get", "append*", "maxmemory*", "save"],
                    capture_output=True,
                    text=True,
                    check=False,
                ).stdout
            lines = told.splitlines()
            found = dict(zip(lines[::2], lines[1::2], strict=False))
        finally:
            server.terminate()
    assert (found["appendonly"], found["appendfsync"]) == ("yes", "always")
    assert found["maxmemory-policy"] == "noeviction"


def test_the_dockerfile_sets_what_can_be_set() -> None:
    known = {name for name, _, _ in settings_table()}
    used = set(re.findall(r"SCHEIDS_\w+", DOCKERFILE))
    assert used
    assert used <= known
    exposed = re.findall(r"^EXPOSE (.*)$", DOCKERFILE, re.MULTILINE)
    assert exposed == [" ".join(str(port) for port in with_components().ports.values())]


def test_the_dockerfile_runs_as_nobody_special_and_checks_no_health() -> None:
    assert image_user() == "10001:10001"
    assert "HEALTHCHECK" not in DOCKERFILE
    assert re.search(r'^ENTRYPOINT \["/', DOCKERFILE, re.MULTILINE)
    assert with_components().container["args"] == yaml.safe_load(re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)[0])


def test_images_are_named_by_version() -> None:
    names = re.findall(r"^FROM (\S+) AS base$", DOCKERFILE, re.MULTILINE)
    for overlay in OVERLAYS:
        names += [container["image"] for document in layered(overlay) for container in containers(document)]
    assert len(names) >= 4
    assert all(re.fullmatch(r"[\w./-]+:\d+\.\d+\.\d+(-[\w-]+)?", name) for name in names), names
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)[1:] == ["base", "base"]


def test_the_builder_is_sent_only_what_is_copied() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = re.findall(r"^COPY (?!--)(.*) \S+$", DOCKERFILE, re.MULTILINE)
    assert kept == {name for line in copied for name in line.split()}
