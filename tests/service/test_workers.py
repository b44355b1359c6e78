"""Several processes behind one pair of addresses: `scheids serve --workers N`."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import grpc
import httpx
import pytest
from msgspec.structs import replace

from service.app import Ready
from service.config import BadSettings, load
from service.signals import STOPPING, Signals
from service.wire.gen.scheids.v1 import referee_pb2
from service.workers import WorkerFailed, Workers
from tests.service.running import FREE, SECONDS, WHIST, read_ready, started

Process = subprocess.Popen[str]
CALLS: Final = 40


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[Process, str, str]]:
    """A service of two workers, and its addresses."""
    with started("--workers", "2", SCHEIDS_TABLES="off") as process:
        match, _ = read_ready(process)
        yield process, match["rest"], match["grpc"]
        process.terminate()
        assert process.wait(SECONDS) == 0


def workers_of(process: Process) -> set[int]:
    """The workers' process ids."""
    children = {int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()}
    return {pid for pid in children if "resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_text()}


def sockets_of(pid: int) -> int:
    """How many sockets a process has open."""
    found = 0
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found += each.readlink().name.startswith("socket:")
    return found


def eventually(holds: Callable[[], bool]) -> None:
    """Waits until something holds."""
    until = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def deal(url: str) -> int:
    """A connection of its own that asks for a deal: the status."""
    return httpx.post(f"{url}/v1/deal", json=WHIST, timeout=SECONDS).status_code


def list_games(address: str) -> int:
    """A channel of its own that asks for the games: how many there are."""
    with grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
        method = channel.unary_unary(
            "/scheids.v1.Referee/ListGames",
            request_serializer=referee_pb2.ListGamesRequest.SerializeToString,
            response_deserializer=referee_pb2.ListGamesResponse.FromString,
        )
        return len(method(referee_pb2.ListGamesRequest(), timeout=SECONDS).games)


def test_both_workers_get_connections(pair: tuple[Process, str, str]) -> None:
    process, rest, rpc = pair
    workers = workers_of(process)
    assert len(workers) == 2
    idle = {pid: sockets_of(pid) for pid in workers}
    with httpx.Client(base_url=rest, timeout=SECONDS) as first:
        held = [httpx.Client(base_url=rest, timeout=SECONDS) for _ in range(CALLS)]
        assert {client.post("/v1/deal", json=WHIST).status_code for client in [first, *held]} == {200}
        assert all(sockets_of(pid) > idle[pid] for pid in workers)
        for client in held:
            client.close()
    assert {list_games(rpc) for _ in range(4)} == {5}


def test_each_page_of_metrics_is_of_all_workers(pair: tuple[Process, str, str]) -> None:
    _, rest, _ = pair

    def counted() -> float:
        page = httpx.get(f"{rest}/metrics", timeout=SECONDS).text
        found = [line for line in page.splitlines() if line.startswith("scheids_requests_total")]
        assert 'scheids_build_info{version="' in page
        assert "scheids_store_up 1.0" in page
        return sum(float(line.split()[-1]) for line in found if 'operation="deal"' in line and 'code="OK"' in line)

    before = counted()
    assert {deal(rest) for _ in range(CALLS)} == {200}
    assert {counted() for _ in range(8)} == {before + CALLS}


def test_a_worker_that_dies_is_replaced(pair: tuple[Process, str, str]) -> None:
    process, rest, _ = pair
    before = workers_of(process)
    dead = min(before)
    os.kill(dead, signal.SIGKILL)
    eventually(lambda: len(workers_of(process) - {dead}) == 2)
    assert before - {dead} < workers_of(process)
    eventually(lambda: deal(rest) == 200)


def test_the_port_is_another_services(pair: tuple[Process, str, str]) -> None:
    _, rest, _ = pair
    taken = rest.removeprefix("http://")
    for more in ((), ("--workers", "2")):
        with started(*more, SCHEIDS_TABLES="off", SCHEIDS_HTTP_ADDRESS=taken) as second:
            assert second.wait(SECONDS) == 1
            assert second.stderr is not None
            assert "SCHEIDS_HTTP_ADDRESS" in second.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_all_of_them(number: int) -> None:
    with started("--workers", "2", SCHEIDS_TABLES="off") as process:
        match, _ = read_ready(process)
        workers = workers_of(process)
        process.send_signal(number)
        assert process.wait(SECONDS) == 0
        assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
        host, _, port = match["rest"].removeprefix("http://").partition(":")
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((host, int(port)), SECONDS)


def test_a_signal_before_they_are_ready() -> None:
    with started("--workers", "2", SCHEIDS_TABLES="off") as process:
        eventually(lambda: len(workers_of(process)) == 2)
        process.terminate()
        assert process.wait(SECONDS) == 0


def test_workers_end_with_who_watches_over_them() -> None:
    with started("--workers", "2", SCHEIDS_TABLES="off") as process:
        read_ready(process)
        workers = workers_of(process)
        process.kill()
        eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def test_a_worker_that_cannot_start_says_why(tmp_path: Path) -> None:
    settings = replace(load({**FREE, "SCHEIDS_DATA_DIR": str(tmp_path)}), workers=2)
    before = {number: signal.getsignal(number) for number in STOPPING}
    announced: list[Ready] = []
    try:
        with pytest.raises(WorkerFailed, match="SCHEIDS_DATA_DIR"):
            Workers(settings).run(announced.append, Signals())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert not announced


def test_the_embedded_store_is_for_one_process() -> None:
    with pytest.raises(BadSettings, match="SCHEIDS_WORKERS: the embedded store is for one process"):
        load({**FREE, "SCHEIDS_WORKERS": "2"})
    assert load({**FREE, "SCHEIDS_WORKERS": "2", "SCHEIDS_TABLES": "off"}).workers == 2
