"""Connections have an age, at which callers come anew and none of their calls fails; and clients may ping."""

import asyncio
import os
import socket
import struct
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
from grpc import aio

from service.wire.gen.scheids.v1 import referee_pb2, referee_pb2_grpc
from tests.service.running import SECONDS, WHIST, Running, running

AGE = 1
ASKED_SECONDS = 4.0
CALLERS = 8
PINGS = int(os.environ.get("PINGS", "1"))
"""PINGS=6 is the test at length: gRPC hangs up at the third ping that comes too early."""
PING_SECONDS = 5.1
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, PING, GOAWAY = 4, 6, 7
ACK = 1
ESTABLISHED = "01"


def test_over_http_an_old_connection_is_closed_with_an_answer() -> None:
    with running(connection_seconds=AGE) as service, httpx.Client(base_url=service.url, timeout=SECONDS) as http:
        assert "connection" not in http.post("/v1/deal", json=WHIST).headers
        time.sleep(AGE * 1.2)
        last = http.post("/v1/deal", json=WHIST)
        assert (last.status_code, last.headers["connection"]) == (200, "close")
        assert "connection" not in http.post("/v1/deal", json=WHIST).headers


def test_without_an_age_it_stays() -> None:
    with running(connection_seconds=0) as service, httpx.Client(base_url=service.url, timeout=SECONDS) as http:
        http.get("/livez")
        time.sleep(AGE * 1.2)
        assert "connection" not in http.get("/livez").headers


async def test_over_grpc_no_call_fails_as_connections_end() -> None:
    with running(connection_seconds=AGE) as service:
        ports: set[str] = set()
        until = time.monotonic() + ASKED_SECONDS

        async def ask(channel: aio.Channel) -> int:
            stub: Any = referee_pb2_grpc.RefereeStub(channel)
            calls = 0
            while time.monotonic() < until:
                await stub.GetGame(referee_pb2.GetGameRequest(game="whist"), timeout=SECONDS)
                calls += 1
                await asyncio.sleep(0.01)
            return calls

        async def look() -> None:
            while time.monotonic() < until:
                ports.update(ports_to(service))
                await asyncio.sleep(0.1)

        async with aio.insecure_channel(str(service.ready.grpc)) as channel:
            calls = await asyncio.gather(*(ask(channel) for _ in range(CALLERS)), look())
    assert all(calls[:-1])
    assert len(ports) > 1, "there was but one connection"


def ports_to(service: Running) -> set[str]:
    """The ports of this machine that are connected to gRPC's."""
    wanted = f":{service.ready.grpc.port:04X}"
    rows = [line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/net/{table}").read_text().splitlines()]
    return {row[1].rpartition(":")[2] for row in rows if row[2].endswith(wanted) and row[3] == ESTABLISHED}


def test_clients_may_ping_without_calls() -> None:
    """Every five seconds, which is more often than any client does by itself."""
    with running() as service:
        address = service.ready.grpc
        with closing(socket.create_connection((address.host, address.port), SECONDS)) as connection:
            connection.sendall(PREFACE + frame(SETTINGS))
            for number in range(PINGS):
                time.sleep(PING_SECONDS if number else 0)
                sent = number.to_bytes(8, "big")
                connection.sendall(frame(PING, sent))
                kind = flags = 0
                data = b""
                while (kind, flags & ACK) != (PING, ACK):
                    kind, flags, data = received(connection)
                    assert kind != GOAWAY, data
                assert data == sent


def frame(kind: int, data: bytes = b"") -> bytes:
    """A frame of HTTP/2, of the connection as a whole."""
    return len(data).to_bytes(3, "big") + struct.pack(">BBI", kind, 0, 0) + data


def received(connection: socket.socket) -> tuple[int, int, bytes]:
    """The next frame's kind, flags and content."""
    head = exactly(connection, 9)
    return head[3], head[4], exactly(connection, int.from_bytes(head[:3], "big"))


def exactly(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        assert more, "hung up"
        data += more
    return data
