"""A service that is killed, or stopped, and started again under playing bots loses no move and makes none twice."""

import asyncio
import random
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from scheids_client import AsyncScheids, Scheids, bots, models
from tests.service.running import COMMAND, ROOT, environment, read_ready

ENDS = (signal.SIGKILL, signal.SIGTERM)
"""How the service is ended: as by a fault, and as by an operator, when it ends what is watched."""
THINKING = 0.004


class Killed:
    """A service on the same ports each time it is started."""

    def __init__(self, folder: Path) -> None:
        ports = [_free_port(), _free_port()]
        self.addresses = [f"{scheme}://127.0.0.1:{port}" for scheme, port in zip(("http", "grpc"), ports, strict=True)]
        self._environ = environment(
            SCHEIDS_TABLES="on",
            SCHEIDS_DATA_DIR=str(folder),
            SCHEIDS_LOG_LEVEL="error",
            SCHEIDS_HTTP_ADDRESS=f"127.0.0.1:{ports[0]}",
            SCHEIDS_GRPC_ADDRESS=f"127.0.0.1:{ports[1]}",
        )
        self.start()

    def start(self) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen([*COMMAND, "serve"], cwd=ROOT, env=self._environ, stdout=pipe, text=True)
        read_ready(self._process)

    def end(self, how: signal.Signals) -> None:
        self._process.send_signal(how)
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def stop(self) -> None:
        self._process.terminate()
        self._process.communicate(timeout=30)


def _free_port() -> int:
    """A port below those that the system gives away by itself."""
    for port in random.sample(range(20_000, 32_000), 100):
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")


Choose = Callable[[models.State, Sequence[models.LegalMove]], models.LegalMove]


def chooser(seed: int, chosen: list[str]) -> Choose:
    """Chooses at random, and notes what."""
    choices = random.Random(seed)

    def choose(_: models.State, moves: Sequence[models.LegalMove]) -> models.LegalMove:
        time.sleep(THINKING)
        move = choices.choice(moves)
        chosen.append(move.text)
        return move

    return choose


def in_threads(service: Killed, chosen: dict[int, list[str]], ids: list[str]) -> None:
    """Whist, with bots over both transports."""
    with Scheids(service.addresses[0]) as http, Scheids(service.addresses[1]) as grpc:
        made = http.create_table("whist", options={"match": "game"}, seed="a seed", spectators=True)
        ids.append(made.id)
        threads = []
        for place, code in enumerate(made.join_codes):
            table = (http, grpc)[place % 2].claim(made.id, code)
            choose = chooser(place, chosen.setdefault(place, []))
            threads.append(threading.Thread(target=bots.play_seat, args=(table, choose)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(100)
            assert not thread.is_alive()


async def with_waiting(service: Killed, chosen: dict[int, list[str]], ids: list[str]) -> None:
    """Flip 7, with bots over both transports."""
    async with AsyncScheids(service.addresses[0]) as http, AsyncScheids(service.addresses[1]) as grpc:
        made = await http.create_table("flip7", places=2, seed="a seed", spectators=True)
        ids.append(made.id)
        tables = [await client.claim(made.id, code) for client, code in zip((http, grpc), made.join_codes, strict=True)]
        await asyncio.gather(
            *(bots.play_seat(table, chooser(place, chosen.setdefault(place, []))) for place, table in enumerate(tables))
        )


@pytest.mark.parametrize("play", [in_threads, with_waiting])
def test_no_move_is_lost_and_none_made_twice(play: Callable[..., object], tmp_path: Path) -> None:
    service = Killed(tmp_path)
    chosen: dict[int, list[str]] = {}
    ids: list[str] = []

    def run() -> None:
        played = play(service, chosen, ids)
        if asyncio.iscoroutine(played):
            asyncio.run(played)

    players = threading.Thread(target=run)
    players.start()
    ended = 0
    try:
        while not sum(map(len, chosen.values())):
            time.sleep(0.01)
        for how in ENDS:
            moves = sum(map(len, chosen.values()))
            while players.is_alive() and sum(map(len, chosen.values())) < moves + 10:
                time.sleep(0.002)
            if not players.is_alive():
                break
            service.end(how)
            ended += 1
            service.start()
        players.join(100)
        assert not players.is_alive()
        assert ended == len(ENDS)
        with Scheids(service.addresses[0]) as client:
            table = client.table(ids[0])
            record, seen = table.record(), table.get()
            replayed = client.replay(record)
            frames = list(table.watch(after_version=1))
        made: dict[int, list[str]] = {}
        for move in record.moves:
            assert isinstance(move.move, str)
            if move.move != "deal":  # which is the service's own
                made.setdefault(move.seat or 0, []).append(move.move)
        assert made == chosen
        assert (replayed.violation, seen.status) == (None, "ended")
        assert [frame.version for frame in frames] == list(range(frames[0].version, seen.version + 1))
    finally:
        service.stop()
