"""Told to stop, the service ends in time whoever watches, and what is under way ends before it; the exit code is 0."""

import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeAlias

import grpc
import httpx
import pytest

from scheids_client import Scheids
from service.wire.gen.scheids.v1 import referee_pb2, referee_pb2_grpc, tables_pb2, tables_pb2_grpc, whist_pb2
from tests.service.operations.replicas import Replica, replicas
from tests.service.running import SECONDS, WHIST

SHUTDOWN = 2
SPARE = 10
"""What the manifests leave beyond both settings."""
MOVES = 40
UNDONE = 100
SEGMENT = 536
SMALL = 4_096
PAUSE = 0.3
CALLS = 24
PLAYOUTS = 30

Watched: TypeAlias = tuple[str, str]
"""A table's id, and its host's token."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Replica, Watched]]:
    """A replica, and a table with long frames in its file."""
    with replicas(tmp_path_factory.mktemp("kept"), 1, SCHEIDS_SHUTDOWN_SECONDS=str(SHUTDOWN)) as (one,):
        table = long_table(one)
        one.kill()
        yield one, table


@pytest.fixture
def watched(kept: tuple[Replica, Watched]) -> Watched:
    return kept[1]


@pytest.fixture
def replica(kept: tuple[Replica, Watched]) -> Iterator[Replica]:
    """The replica, running."""
    one, _ = kept
    one.start()
    yield one
    one.kill()


def long_table(replica: Replica) -> Watched:
    """A table whose frames are more than any socket takes that nobody reads: each undo has every seat's view."""
    with Scheids(f"http://{replica.http}") as client:
        made = client.create_table("whist", seed="long", host_sees="all")
        places = [client.claim(made.id, code) for code in made.join_codes]

        def move() -> None:
            seen = made.host.get()
            assert seen.view is not None
            assert seen.view.to_act is not None
            seat = seen.view.to_act.seat
            place = next(at for at, seats in enumerate(seen.view.seating) if seat in seats)
            legal = places[place].legal_moves().legal.moves[0]
            made.host.version = places[place].play(legal.move, expected_version=seen.version).version

        for _ in range(MOVES):
            move()
        for _ in range(UNDONE):
            move()
            made.host.undo()
        assert made.host.token is not None
        return made.id, made.host.token


def stopped_in_time(replica: Replica) -> float:
    """Stops it: with code 0, and within the settings and ten seconds. How long it took."""
    code, seconds = replica.stop()
    assert code == 0, replica.log
    assert seconds < SHUTDOWN + SPARE
    return seconds


# --- who watches


def connect(address: str, *, reads: bool) -> socket.socket:
    """A connection; one that is not to be read takes as little as can be."""
    host, _, port = address.partition(":")
    made = socket.socket()
    made.settimeout(SECONDS)
    if not reads:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT)
    made.connect((host, int(port)))
    return made


def sse(watched: Watched) -> bytes:
    """The request for a table's events, from its second version on."""
    table, token = watched
    return (
        f"GET /v1/tables/{table}/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
        "Last-Event-ID: 1\r\n\r\n"
    ).encode()


def connects(watched: Watched) -> bytes:
    """The same over Connect."""
    table, token = watched
    message = tables_pb2.WatchTableRequest(table=table, after_version=1).SerializeToString()
    body = b"\0" + len(message).to_bytes(4, "big") + message
    return (
        f"POST /scheids.v1.Tables/WatchTable HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/connect+proto\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def all_of(connection: socket.socket) -> bytes:
    """What comes until the connection ends."""
    parts = []
    try:
        while data := connection.recv(1 << 16):
            parts.append(data)
    except ConnectionResetError:
        pass
    return b"".join(parts)


OVER_HTTP = pytest.mark.parametrize(
    ("request_of", "ends_with"),
    [
        (sse, b'event: end\r\ndata: {"reason":"stopping"}\r\n\r\n\r\n0\r\n\r\n'),
        (connects, b"\x02\x00\x00\x00\x02{}\r\n0\r\n\r\n"),
    ],
    ids=["sse", "connect"],
)


@OVER_HTTP
def test_who_watches_over_http_is_told(
    replica: Replica, watched: Watched, request_of: Callable[[Watched], bytes], ends_with: bytes
) -> None:
    with closing(connect(replica.http, reads=True)) as connection, ThreadPoolExecutor(1) as pool:
        connection.sendall(request_of(watched))
        read = pool.submit(all_of, connection)
        time.sleep(PAUSE)
        stopped_in_time(replica)
        assert read.result(SECONDS).endswith(ends_with)


@OVER_HTTP
def test_who_does_not_read_over_http_is_left(
    replica: Replica, watched: Watched, request_of: Callable[[Watched], bytes], ends_with: bytes
) -> None:
    with closing(connect(replica.http, reads=False)) as connection:
        connection.sendall(request_of(watched))
        time.sleep(PAUSE)
        assert stopped_in_time(replica) >= SHUTDOWN, "nobody was waited for: all of it had been taken"
        read = all_of(connection)
        assert read.startswith(b"HTTP/1.1 200")
        assert not read.endswith(ends_with)


@pytest.mark.parametrize("reads", [True, False], ids=["reads", "does not read"])
def test_who_watches_over_grpc(replica: Replica, watched: Watched, *, reads: bool) -> None:
    table, token = watched
    options = [("grpc.http2.bdp_probe", 0)]
    with grpc.insecure_channel(replica.grpc, options) as channel, ThreadPoolExecutor(1) as pool:
        stub: Any = tables_pb2_grpc.TablesStub(channel)
        request = tables_pb2.WatchTableRequest(table=table, after_version=1)
        frames = stub.WatchTable(request, metadata=(("authorization", f"Bearer {token}"),))
        first = next(frames)
        assert first.version == 2
        rest: Future[list[Any]] | None = pool.submit(list, frames) if reads else None
        time.sleep(PAUSE)
        seconds = stopped_in_time(replica)
        if rest is not None:
            assert rest.result(SECONDS)[-1].gone == tables_pb2.WATCH_GONE_STOPPING
        else:
            assert seconds >= SHUTDOWN, "nobody was waited for: all of it had been taken"
            with pytest.raises(grpc.RpcError):
                list(frames)


# --- what is under way


@pytest.fixture
def patient(tmp_path: Path) -> Iterator[Replica]:
    """One that waits for as long as these tests do."""
    with replicas(tmp_path, 1, SCHEIDS_SHUTDOWN_SECONDS=str(SECONDS), SCHEIDS_MAX_WORK="1000000") as (one,):
        yield one


def batch_of(replica: Replica) -> tuple[dict[str, Any], referee_pb2.BatchRequest]:
    """A batch of some seconds' work, as JSON and as protobuf."""
    state = httpx.post(f"http://{replica.http}/v1/deal", json=WHIST).json()["state"]
    with grpc.insecure_channel(replica.grpc) as channel:
        stub: Any = referee_pb2_grpc.RefereeStub(channel)
        dealt = stub.Deal(referee_pb2.DealRequest(whist=whist_pb2.WhistDealRequest(seed="a")), timeout=SECONDS)
    calls = [{"id": str(at), "simulate": {"state": state, "n": PLAYOUTS, "seed": str(at)}} for at in range(CALLS)]
    simulate = referee_pb2.SimulateRequest(state=dealt.state, n=PLAYOUTS, seed="a batch")
    return (
        {"calls": calls},
        referee_pb2.BatchRequest(calls=[referee_pb2.BatchCall(id=str(at), simulate=simulate) for at in range(CALLS)]),
    )


def test_batches_under_way_end(patient: Replica) -> None:
    as_json, as_protobuf = batch_of(patient)

    def over_rest() -> list[str]:
        answer = httpx.post(f"http://{patient.http}/v1/batch", json=as_json, timeout=SECONDS)
        return [each["id"] for each in answer.json()["results"] if "simulate" in each]

    def over_connect() -> list[str]:
        answer = httpx.post(
            f"http://{patient.http}/scheids.v1.Referee/Batch",
            content=as_protobuf.SerializeToString(),
            headers={"Content-Type": "application/proto"},
            timeout=SECONDS,
        )
        results = referee_pb2.BatchResponse.FromString(answer.content).results
        return [each.id for each in results if each.HasField("simulate")]

    with grpc.insecure_channel(patient.grpc) as channel, ThreadPoolExecutor() as pool:
        stub: Any = referee_pb2_grpc.RefereeStub(channel)

        def over_grpc() -> list[str]:
            results = stub.Batch(as_protobuf, timeout=SECONDS).results
            return [each.id for each in results if each.HasField("simulate")]

        def over_decide() -> list[str]:
            asked = iter([referee_pb2.DecideRequest(call=call) for call in as_protobuf.calls])
            return [each.result.id for each in stub.Decide(asked, timeout=SECONDS) if each.result.HasField("simulate")]

        asked = [pool.submit(each) for each in (over_rest, over_connect, over_grpc, over_decide)]
        time.sleep(PAUSE)
        assert not any(each.done() for each in asked), "all was over before it was told to stop"
        code, _ = patient.stop()
        assert code == 0, patient.log
        for each in asked:
            assert each.result(0) == [str(at) for at in range(CALLS)]


def test_a_stream_of_which_nothing_is_asked_ends(patient: Replica) -> None:
    _, batch = batch_of(patient)
    with grpc.insecure_channel(patient.grpc) as channel:
        stub: Any = referee_pb2_grpc.RefereeStub(channel)
        asked: SimpleQueue[referee_pb2.DecideRequest | None] = SimpleQueue()
        answers = stub.Decide(iter(asked.get, None))
        asked.put(referee_pb2.DecideRequest(call=batch.calls[0]))
        assert next(answers).result.id == "0"
        patient.tell()
        with pytest.raises(grpc.RpcError) as ended:
            next(answers)
        asked.put(None)
        assert ended.value.code() is grpc.StatusCode.UNAVAILABLE
        assert patient.wait() == 0
