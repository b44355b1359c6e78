"""The image, built and run where there is no container engine: `make image-rootfs`.

scripts/image_rootfs.sh carries out the Dockerfile, scripts/image_run.sh starts what came of it; here it is asked. The
name of this file keeps it out of `make test`: building takes minutes.
"""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from grpc_health.v1 import health_pb2

from scripts.compiling.engine import COMPILED
from tests.service.running import FREE, READY, ROOT, WHIST

BUILD = ROOT / "scripts" / "image_rootfs.sh"
RUN = ROOT / "scripts" / "image_run.sh"
WORK = ROOT / "build" / "image"
UID = "10001"
SKIPPED = 77
PLAIN = """
import sys
from importlib import import_module
from pathlib import Path

from service.wire.codec import CODEC
from service.wire.extension import functions_of

modules = ["engine." + path.removesuffix(".py").replace("/", ".") for path in sys.argv[1:]]
taken = functions_of(CODEC.extension)
print(*(name for name in modules if Path(import_module(name).__file__).suffix != ".so"))
print(*(CODEC.plans.keys() - taken.readers.keys() - taken.writers.keys()))
"""
"""Tells which modules of the engine, and which messages, are in the hands of plain Python."""
SECRET = "a secret of thirty-two bytes or more"
SECONDS = 30
SETTINGS: dict[str, dict[str, str]] = {
    "without tables": {"SCHEIDS_TABLES": "off"},
    # Nothing listens there: probes and whatever is not about tables do not care.
    "Redis away": {"SCHEIDS_REDIS_URL": "redis://127.0.0.1:1/0", "SCHEIDS_SECRET": SECRET},
}


@dataclass
class Served:
    """The service out of the image: its process, its two addresses."""

    process: subprocess.Popen[str]
    rest: str
    grpc: str

    def of_process(self, name: str) -> str:
        """A file of the process under /proc."""
        return Path(f"/proc/{self.process.pid}/{name}").read_text()


@pytest.fixture(scope="module")
def image() -> dict[str, Any]:
    """The image's configuration, once it is built."""
    built = subprocess.run([BUILD, WORK], stderr=subprocess.PIPE, text=True, check=False)
    print(built.stderr)
    if built.returncode == SKIPPED:
        pytest.skip(built.stderr.strip())
    assert built.returncode == 0, built.stderr
    configuration: dict[str, Any] = json.loads((WORK / "image.json").read_text())["config"]
    return configuration


@contextmanager
def served(settings: dict[str, str]) -> Iterator[Served]:
    command = [str(RUN), str(WORK), *(f"{name}={value}" for name, value in {**FREE, **settings}.items())]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as run:
        assert run.stdout is not None
        try:
            line = run.stdout.readline()
            found = READY.fullmatch(line.strip())
            assert found, (line, run.stderr.read() if run.stderr and run.poll() is not None else "")
            yield Served(run, found["rest"], found["grpc"])
        finally:
            run.kill()


def health(channel: grpc.Channel) -> int:
    check = channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    return int(check(health_pb2.HealthCheckRequest(), timeout=SECONDS).status)


@pytest.fixture(params=list(SETTINGS))
def service(request: pytest.FixtureRequest, image: dict[str, Any]) -> Iterator[Served]:
    assert image
    with served(SETTINGS[request.param]) as here:
        yield here


def test_configuration(image: dict[str, Any]) -> None:
    assert image["User"] == f"{UID}:{UID}"
    assert image["Entrypoint"] == ["/opt/scheids/bin/scheids"]
    assert image["Cmd"] == ["serve"]
    assert image["Labels"]["org.opencontainers.image.title"] == "Scheids"
    assert not {"Healthcheck", "Volumes"} & image.keys()


def test_no_compiler(image: dict[str, Any]) -> None:
    assert image
    found = subprocess.run(
        ["chroot", WORK / "rootfs", "/usr/bin/which", "cc", "gcc", "g++", "make", "pip", "uv"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout == ""
    assert not [path for path in (WORK / "rootfs/opt/scheids").rglob("*") if path.name in {"pip", "hatchling"}]


def test_the_engine_and_the_codec_are_those_compiled(image: dict[str, Any]) -> None:
    assert image
    python = ["chroot", str(WORK / "rootfs"), "/opt/scheids/bin/python", "-I", "-B", "-c", PLAIN, *COMPILED]
    told = subprocess.run(python, capture_output=True, text=True, check=False)
    assert (told.stdout, told.stderr, told.returncode) == ("\n\n", "", 0)


def test_serves_from_a_read_only_root_as_nobody_special(service: Served) -> None:
    told = dict(line.split(":\t", 1) for line in service.of_process("status").splitlines())
    assert told["Uid"].split() == told["Gid"].split() == [UID] * 4
    assert told["Groups"].split() == []
    assert {told[name].strip("0") for name in ("CapPrm", "CapEff", "CapBnd", "CapInh", "CapAmb")} == {""}
    assert told["NoNewPrivs"] == "1"
    mounts = [line.split() for line in service.of_process("mountinfo").splitlines()]
    assert sorted((each[4], each[5].split(",")[0]) for each in mounts) == [
        ("/", "ro"),
        ("/dev", "ro"),
        ("/proc", "ro"),
        ("/tmp", "rw"),  # noqa: S108 - what is mounted there, not a file
    ]

    with httpx.Client(base_url=service.rest, timeout=SECONDS) as http:
        assert http.get("/livez").json() == {"status": "alive"}
        ready = http.get("/readyz")
        assert ready.status_code == 200
        print(ready.text)
        dealt = http.post("/v1/deal", json=WHIST)
        assert dealt.status_code == 200
        assert len(dealt.json()["state"]["hands"]) == 4
    with grpc.insecure_channel(service.grpc) as channel:
        assert health(channel) == health_pb2.HealthCheckResponse.SERVING

    os.kill(service.process.pid, signal.SIGTERM)
    assert service.process.wait(SECONDS) == 0


def test_tables_in_redis_away_are_told(image: dict[str, Any]) -> None:
    assert image
    with served(SETTINGS["Redis away"]) as service, httpx.Client(base_url=service.rest, timeout=SECONDS) as http:
        assert http.post("/v1/tables", json={**WHIST, "idempotencyKey": "once"}).status_code == 503
        ready = http.get("/readyz")
        assert (ready.status_code, ready.json()) == (200, {"status": "ready", "tables": "away"})
        assert http.get("/livez").status_code == 200


def test_a_public_address_without_a_secret_is_refused(image: dict[str, Any]) -> None:
    assert image
    refused = subprocess.run([RUN, WORK], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert refused.returncode == 2
    assert refused.stderr.count("set SCHEIDS_SECRET, or SCHEIDS_TABLES=off") == 2
