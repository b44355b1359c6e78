"""Redis servers of the tests' own: on free ports of this machine, in temporary folders, ended by their process ids."""

import contextlib
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis

PROGRAM = shutil.which("redis-server")
WHY_NOT = "there is no redis-server on the PATH (Debian: apt-get install redis-server)"
SECONDS = 30
SLOTS = 16_384
SERVICE = "tables"


def free_ports(number: int) -> list[int]:
    """Ports that nobody listens on at this moment."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def wait_until(what: str, is_so: Any) -> None:
    """Returns once `is_so()`; a server that is not up yet counts as no."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(redis.RedisError):
            if is_so():
                return
        time.sleep(0.02)
    raise AssertionError(f"not within {SECONDS} s: {what}")


class Server:
    """One redis-server; it keeps its folder and port over `kill` and `start`."""

    def __init__(self, folder: Path, port: int, *arguments: str, sentinel: bool = False) -> None:
        self.folder = folder
        self.port = port
        self._arguments = arguments
        self._sentinel = sentinel
        self._process: subprocess.Popen[bytes] | None = None
        self.redis: Any = redis.Redis(port=port, socket_timeout=SECONDS, protocol=2)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        assert PROGRAM is not None
        self.folder.mkdir(parents=True, exist_ok=True)
        plain = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder)]
        if self._sentinel:
            command = [PROGRAM, str(self.folder / "sentinel.conf"), *plain, "--sentinel"]
        else:
            command = [PROGRAM, *plain, "--save", "", "--repl-diskless-sync-delay", "0", *self._arguments]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log)
        wait_until(f"{self.port} answers", self.redis.ping)

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """Ends it by SIGKILL, whatever state it is in."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self.redis.connection_pool.disconnect()

    def close(self) -> None:
        self.kill()
        self.redis.close()


@contextmanager
def running(*servers: Server) -> Iterator[None]:
    """The servers started, and ended whatever happens."""
    try:
        for server in servers:
            server.start()
        yield
    finally:
        for server in servers:
            server.close()


@contextmanager
def standalone(folder: Path, *arguments: str) -> Iterator[Server]:
    """One server."""
    server = Server(folder / "redis", free_ports(1)[0], *arguments)
    with running(server):
        yield server


class Cluster:
    """Three primaries that share the slots."""

    def __init__(self, folder: Path) -> None:
        ports = free_ports(6)
        self.servers = [
            Server(
                folder / f"node{port}",
                port,
                *("--cluster-enabled", "yes", "--cluster-port", str(bus), "--cluster-node-timeout", "2000"),
            )
            for port, bus in zip(ports[:3], ports[3:], strict=True)
        ]
        self._buses = ports[3:]
        self.url = "redis+cluster://" + ",".join(f"127.0.0.1:{server.port}" for server in self.servers)

    def join(self) -> None:
        """Makes one cluster of the three."""
        first = self.servers[0]
        share = SLOTS // len(self.servers)
        for i, server in enumerate(self.servers):
            last = SLOTS - 1 if server is self.servers[-1] else (i + 1) * share - 1
            server.redis.execute_command("CLUSTER", "SET-CONFIG-EPOCH", i + 1)
            server.redis.execute_command("CLUSTER", "ADDSLOTSRANGE", i * share, last)
            if server is not first:
                first.redis.execute_command("CLUSTER", "MEET", "127.0.0.1", server.port, self._buses[i])
        for server in self.servers:
            wait_until(f"{server.port} is of the cluster", lambda server=server: self._whole(server))

    @staticmethod
    def _whole(server: Server) -> bool:
        state: dict[str, str] = server.redis.cluster("info")
        return state["cluster_state"] == "ok" and state["cluster_known_nodes"] == "3"

    def owner(self, slot: int) -> Server:
        """Whose slot it is."""
        for first, last, primary, *_ in self.servers[0].redis.execute_command("CLUSTER", "SLOTS", NEVER_PARSE=True):
            if first <= slot <= last:
                return next(server for server in self.servers if server.port == primary[1])
        raise AssertionError(slot)


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster of three."""
    three = Cluster(folder)
    with running(*three.servers):
        three.join()
        yield three


class Pair:
    """A primary, its replica, and the Sentinels that see to them."""

    def __init__(self, folder: Path, sentinels: int, arguments: Sequence[str]) -> None:
        ports = free_ports(2 + sentinels)
        self.primary = Server(folder / "primary", ports[0], *arguments)
        self.replica = Server(folder / "replica", ports[1], "--replicaof", f"127.0.0.1 {ports[0]}", *arguments)
        self.sentinels = [Server(folder / f"sentinel{port}", port, sentinel=True) for port in ports[2:]]
        for sentinel in self.sentinels:
            sentinel.folder.mkdir(parents=True)
            (sentinel.folder / "sentinel.conf").write_text(
                f"sentinel monitor {SERVICE} 127.0.0.1 {ports[0]} {sentinels // 2 + 1}\n"
                f"sentinel down-after-milliseconds {SERVICE} 700\n"
                f"sentinel failover-timeout {SERVICE} 4000\n"
            )
        hosts = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        self.url = f"redis+sentinel://{hosts}/{SERVICE}"

    @property
    def servers(self) -> list[Server]:
        return [self.primary, self.replica, *self.sentinels]

    def settle(self) -> None:
        """Returns once the replica follows, and every Sentinel knows it and the others."""
        wait_until("the replica follows", self._follows)
        for sentinel in self.sentinels:
            wait_until("the Sentinels know each other", lambda sentinel=sentinel: self._knows(sentinel))

    def _follows(self) -> bool:
        """Whether the replica has what was written just now."""
        self.primary.redis.set("settled", "yes")
        return bool(self.primary.redis.wait(1, 1000) == 1)

    def _knows(self, sentinel: Server) -> bool:
        flat = sentinel.redis.execute_command("SENTINEL", "MASTER", SERVICE)
        state = flat if isinstance(flat, dict) else dict(zip(flat[::2], flat[1::2], strict=True))
        seen = {_text(name): _text(value) for name, value in state.items()}
        return seen["num-slaves"] == "1" and int(seen["num-other-sentinels"]) == len(self.sentinels) - 1


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


@contextmanager
def pair(folder: Path, *arguments: str, sentinels: int = 3) -> Iterator[Pair]:
    """A primary and its replica, seen to by Sentinels."""
    two = Pair(folder, sentinels, arguments)
    with running(*two.servers):
        two.settle()
        yield two
