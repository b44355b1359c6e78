"""The service as it is started: the ready line, its example, signals, and what stops it from starting."""

import re
import shlex
import signal
import socket
import subprocess
import time
from typing import Any

import httpx
import pytest

from service.app import CannotListen, Service
from service.cli.serving import example
from service.config import load
from service.kinds import Address
from tests.service.running import COMMAND, FREE, ROOT, SECONDS, environment, read_ready, running, started


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_fresh_start(number: signal.Signals) -> None:
    """Start, read the ready line, paste its example, stop."""
    with started() as process:
        ready, tried = read_ready(process)
        pasted = shlex.split(tried.removeprefix("Try: "))
        assert pasted[:3] == ["curl", "-s", f"{ready['rest']}/v1/deal"]
        answer = request_of(pasted)
        assert answer["state"]["phase"] == "play"
        host, _, port = ready["grpc"].rpartition(":")
        socket.create_connection((host, int(port)), SECONDS).close()
        process.send_signal(number)
        _, errors = process.communicate(timeout=SECONDS)
        assert process.returncode == 0, errors
        assert "Traceback" not in errors
        assert errors.count('"event":"request"') == 1


def request_of(curl: list[str]) -> Any:
    """What a curl command answers, whether or not this machine has curl."""
    named = dict(zip(curl[3::2], curl[4::2], strict=True))
    header = named["-H"].partition(": ")
    return httpx.post(curl[2], content=named["-d"], headers={header[0]: header[2]}).json()


def test_addresses_on_the_command_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
    with started("--http-address", f"127.0.0.1:{port}") as process:
        assert read_ready(process)[0]["rest"] == f"http://127.0.0.1:{port}"


def run(*arguments: str, **added: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env=environment(**added),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_bad_settings_are_told_at_once_with_code_2() -> None:
    done = run("serve", "--http-address", "nowhere", SCHEIDS_MAX_WORK="0", SCHEIDS_TYPO="1")
    assert (done.returncode, done.stdout) == (2, "")
    for name in ("SCHEIDS_HTTP_ADDRESS", "SCHEIDS_MAX_WORK", "SCHEIDS_TYPO"):
        assert name in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("what", "setting"), [("HTTP", "SCHEIDS_HTTP_ADDRESS"), ("gRPC", "SCHEIDS_GRPC_ADDRESS")])
def test_an_address_in_use_is_told_with_code_1(what: str, setting: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        taken = f"127.0.0.1:{holder.getsockname()[1]}"
        done = run("serve", **{setting: taken})
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{what} cannot be served on {taken} ({setting})" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_host_there_is_not() -> None:
    with pytest.raises(CannotListen, match="HTTP cannot be served on no-such-host"):
        Service(load({**FREE, "SCHEIDS_TABLES": "off", "SCHEIDS_HTTP_ADDRESS": "no-such-host.invalid:1"}))


def test_version_and_settings() -> None:
    assert re.fullmatch(r"scheids, version \S+\n", run("--version").stdout)
    told = run("settings").stdout
    assert "SCHEIDS_HTTP_ADDRESS=127.0.0.1:8080" in told
    assert "SCHEIDS_MAX_BODY_BYTES=1048576" in told


def test_the_example_reaches_a_service_on_every_interface() -> None:
    assert "http://127.0.0.1:80/" in example(Address("0.0.0.0:80"))
    assert "http://[::1]:80/" in example(Address("[::]:80"))


def test_the_service_is_there_as_soon_as_it_says_so() -> None:
    with running() as server:
        assert server.http.get("/readyz").status_code == 200


def test_the_time_goes_on_while_it_drains() -> None:
    with running(tables="off", drain_seconds=4) as here:
        here.service.stop()
        while here.http.get("/readyz").status_code == 200:
            time.sleep(0.05)
        told = []
        for _ in range(2):
            answer = here.http.get("/livez")
            told.append((answer.headers["date"], answer.headers["connection"]))
            time.sleep(1.3)
    assert told[0][0] != told[1][0]
    assert told[1][1] == "close"
