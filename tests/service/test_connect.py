"""Connect, as a browser speaks it: protobuf over plain HTTP, with the answers and refusals that gRPC gives."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo  # type: ignore[import-untyped]

from service.wire.gen.scheids.v1 import common_pb2, referee_pb2, tables_pb2
from tests.service.running import Running, running

ORIGIN = "https://app.example"
REFEREE, TABLES = "/scheids.v1.Referee", "/scheids.v1.Tables"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(cors_origins=ORIGIN) as service:
        yield service


def call(server: Running, path: str, request: Message, token: str = "", **headers: str) -> httpx.Response:
    """A unary call."""
    sent = {"Content-Type": "application/proto", "Connect-Protocol-Version": "1", **headers}
    if token:
        sent["Authorization"] = f"Bearer {token}"
    return server.http.post(path, content=request.SerializeToString(), headers=sent)


def deal(server: Running, game: str = "whist") -> referee_pb2.DealResponse:
    request = referee_pb2.DealRequest()
    getattr(request, game).seed = "x"
    answer = call(server, f"{REFEREE}/Deal", request)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/proto")
    return referee_pb2.DealResponse.FromString(answer.content)


def info_of(told: dict[str, Any]) -> ErrorInfo:
    """The ErrorInfo of a refusal."""
    detail = next(each for each in told["details"] if each["type"] == "google.rpc.ErrorInfo")
    return ErrorInfo.FromString(base64.b64decode(detail["value"] + "=" * (-len(detail["value"]) % 4)))


@pytest.mark.parametrize("game", ["whist", "peewee7", "wippen", "wipe", "flip7"])
def test_methods_answer_as_over_grpc(server: Running, game: str) -> None:
    state = deal(server, game).state
    legal = call(server, f"{REFEREE}/ListLegalMoves", referee_pb2.ListLegalMovesRequest(state=state))
    moves = referee_pb2.ListLegalMovesResponse.FromString(legal.content).moves
    told = server.http.post("/v1/deal", json={"game": game, "seed": "x"}).json()["state"]
    texts = [each["text"] for each in server.http.post("/v1/legal-moves", json={"state": told}).json()["moves"]]
    assert [move.text for move in moves] == texts
    request = referee_pb2.PlayMoveRequest(state=state, move=common_pb2.MoveInput(text=texts[0]))
    assert call(server, f"{REFEREE}/PlayMove", request).status_code == 200
    batch = referee_pb2.BatchRequest(calls=[referee_pb2.BatchCall(id="a", play=request)])
    answer = referee_pb2.BatchResponse.FromString(call(server, f"{REFEREE}/Batch", batch).content)
    assert answer.results[0].id == "a"


def test_a_refusal_is_told_in_connects_form(server: Running) -> None:
    request = referee_pb2.PlayMoveRequest(state=deal(server).state, move=common_pb2.MoveInput(text="play 2C"))
    answer = call(server, f"{REFEREE}/PlayMove", request, **{"Accept-Language": "nl"})
    told = answer.json()
    assert (answer.status_code, told["code"]) == (400, "failed_precondition")
    assert info_of(told).reason == "ILLEGAL_MOVE"
    english = call(server, f"{REFEREE}/PlayMove", request).json()
    assert english["message"] != told["message"]


@pytest.mark.parametrize(
    ("headers", "content", "status", "code"),
    [
        ({"Content-Type": "application/json"}, b"{}", 400, "invalid_argument"),
        ({"Content-Type": "application/proto"}, b"\xff\xff", 400, "invalid_argument"),
        ({"Content-Type": "application/proto", "Content-Encoding": "gzip"}, b"", 400, "invalid_argument"),
        ({"Content-Type": "application/proto"}, b"x" * 2_000_000, 429, "resource_exhausted"),
    ],
)
def test_what_is_no_request(server: Running, headers: dict[str, str], content: bytes, status: int, code: str) -> None:
    answer = server.http.post(f"{REFEREE}/Deal", content=content, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_table_is_played_and_watched(server: Running) -> None:
    request = tables_pb2.CreateTableRequest()
    request.flip7.places = 2
    created = tables_pb2.CreateTableResponse.FromString(call(server, f"{TABLES}/CreateTable", request).content)
    tokens = []
    for code in created.join_codes:
        claim = tables_pb2.ClaimPlaceRequest(table=created.id, join_code=code)
        answer = call(server, f"{TABLES}/ClaimPlace", claim)
        tokens.append(tables_pb2.ClaimPlaceResponse.FromString(answer.content).token)
    frames = watched(server, created.id, tokens[0])
    kind, first = next(frames)
    assert (kind, first.version, first.table.place) == (0, 3, 0)
    call(server, f"{TABLES}/StartTable", tables_pb2.StartTableRequest(table=created.id), created.host_token)
    kind, started = next(frames)
    assert (kind, started.act) == (0, tables_pb2.TABLE_ACT_STARTED)
    call(server, f"{TABLES}/EndTable", tables_pb2.EndTableRequest(table=created.id), created.host_token)
    assert next(frames)[1].HasField("ended")
    assert next(frames) == (2, {})
    refused = call(server, f"{TABLES}/GetTable", tables_pb2.GetTableRequest(table=created.id), "forged")
    assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated")


def test_a_watch_is_refused_at_its_end(server: Running) -> None:
    kind, told = next(watched(server, "a" * 28, ""))
    assert kind == 2
    assert told["error"]["code"] == "not_found"


def watched(server: Running, table: str, token: str) -> Iterator[tuple[int, Any]]:
    """The envelopes of a stream: their flags, and the frame or what is told at the end."""
    data = tables_pb2.WatchTableRequest(table=table).SerializeToString()
    headers = {"Content-Type": "application/connect+proto", **({"Authorization": f"Bearer {token}"} if token else {})}
    body = b"\0" + len(data).to_bytes(4, "big") + data
    with httpx.stream("POST", f"{server.url}{TABLES}/WatchTable", content=body, headers=headers, timeout=20) as answer:
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/connect+proto")
        held = b""
        for chunk in answer.iter_raw():
            held += chunk
            while len(held) >= 5 and len(held) - 5 >= int.from_bytes(held[1:5], "big"):
                size = int.from_bytes(held[1:5], "big")
                kind, message, held = held[0], held[5 : 5 + size], held[5 + size :]
                yield kind, json.loads(message) if kind == 2 else tables_pb2.WatchTableResponse.FromString(message)


def test_a_page_of_another_origin_may_call_where_it_is_named(server: Running) -> None:
    asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST"}
    asked["Access-Control-Request-Headers"] = "content-type,connect-protocol-version,authorization"
    answer = server.http.options(f"{REFEREE}/Deal", headers=asked)
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    refused = server.http.options(f"{REFEREE}/Deal", headers={**asked, "Origin": "https://other.example"})
    assert refused.headers.get("access-control-allow-origin") != "https://other.example"
    answer = server.http.get("/v1/games", headers={"Origin": ORIGIN})
    assert answer.headers["access-control-allow-origin"] == ORIGIN


def test_no_other_page_may_where_none_is_named() -> None:
    with running() as server:
        answer = server.http.get("/v1/games", headers={"Origin": ORIGIN})
        assert "access-control-allow-origin" not in answer.headers
