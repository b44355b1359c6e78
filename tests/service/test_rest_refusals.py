"""Everything a caller can get wrong: a problem with a stable code, in one shape, never a 5xx."""

import socket
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.service.running import WHIST, Running, running

Json = dict[str, Any]
JSON = {"Content-Type": "application/json"}
PATHS = ["deal", "validate", "legal-moves", "play", "score", "view", "replay", "batch"]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as service:
        yield service


def problem_of(answer: httpx.Response, status: int, code: str) -> Json:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem: Json = answer.json()
    assert (problem["type"], problem["status"], problem["code"]) == ("about:blank", status, code)
    assert problem["title"]
    assert problem["detail"]
    return problem


def post(server: Running, path: str, body: bytes) -> httpx.Response:
    return server.http.post(path, content=body, headers=JSON)


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v2/games", "/v1/games/whist/more", "/v1/d%C3%A9al", "/%00", "/docs/../etc"]
)
def test_unknown_routes(server: Running, path: str) -> None:
    problem_of(server.http.get(path), 404, "NOT_FOUND")


def test_an_unknown_game(server: Running) -> None:
    assert problem_of(server.http.get("/v1/games/snap"), 404, "UNKNOWN_GAME")["path"] == "$.game"
    assert problem_of(server.http.post("/v1/deal", json={"game": "snap"}), 400, "MALFORMED")["path"] == "$.game"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "PROPFIND"])
def test_methods_that_are_not_allowed(server: Running, method: str, path: str) -> None:
    answer = server.http.request(method, f"/v1/{path}")
    assert sorted(answer.headers["allow"].split(", ")) == ["OPTIONS", "POST"]
    if method == "HEAD":
        assert (answer.status_code, answer.content) == (405, b"")
    else:
        problem_of(answer, 405, "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json; charset=utf-16"},
        {"Content-Type": "application/jsonp"},
        {**JSON, "Content-Encoding": "gzip"},
    ],
)
def test_what_is_not_json(server: Running, path: str, headers: dict[str, str]) -> None:
    answer = server.http.post(f"/v1/{path}", content=b'{"game":"whist"}', headers=headers)
    problem_of(answer, 415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "Application/JSON", 'application/json;charset="UTF-8"']
)
def test_what_is_json(server: Running, kind: str) -> None:
    answer = server.http.post("/v1/deal", content=b'{"game":"whist"}', headers={"Content-Type": kind})
    assert answer.status_code == 200


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nul",
        b"[]",
        b"1",
        b'"x"',
        b"null",
        b'{"a":1}',
        b"\xef\xbb\xbf{}",
        b"{} {}",
        b"{'a':1}",
        b'{"a":1,}',
        b"\xff",
        b"\0",
    ],
)
def test_bodies_that_are_no_request(server: Running, path: str, body: bytes) -> None:
    problem = problem_of(post(server, f"/v1/{path}", body), 400, "MALFORMED")
    assert problem["path"].startswith("$")


@pytest.mark.parametrize(
    ("path", "body", "at"),
    [
        ("deal", b'{"game":"whist","seed":"\xff"}', "$"),
        ("deal", b'{"game":"whist","seed":"\xed\xa0\x80"}', "$"),
        ("deal", rb'{"game":"whist","seed":"\ud800"}', "$"),
        ("deal", b'{"game":"whist","dealer":NaN}', "$"),
        ("deal", b'{"game":"whist","dealer":Infinity}', "$"),
        ("deal", b'{"game":"whist","dealer":1.5}', "$.dealer"),
        ("deal", b'{"game":"whist","dealer":-1}', "$.dealer"),
        ("deal", b'{"game":"whist","dealer":1e999}', "$.dealer"),
        ("deal", b'{"game":"whist","dealer":' + b"9" * 40 + b"}", "$.dealer"),
        ("deal", b'{"game":"whist","dealer":' + b"9" * 40_000 + b"}", "$.dealer"),
        ("deal", b'{"game":"whist","dealer":"0"}', "$.dealer"),
        ("deal", b'{"game":"whist","dealer":true}', "$.dealer"),
        ("deal", b'{"game":"whist","surprise":1}', "$"),
        ("deal", b'{"game":"whist","options":{"target":7}}', "$.options.target"),
        ("deal", b'{"game":"whist","options":{"drawAce":"low"}}', "$.options.drawAce"),
        ("deal", b'{"game":"whist","deck":["AS","1S"]}', "$.deck[1]"),
        ("deal", b'{"game":"whist","deck":["AS"]}', "$.deck"),
        ("replay", b'{"game":"whist","seed":"x","moves":[{"move":"play AS"},{"move":"play"}]}', "$.moves[1].move"),
        ("replay", b'{"game":"whist","moves":[{"move":{"type":"draw","card":"Z"}}]}', "$.moves[0].move.card"),
        ("play", b'{"move":{"move":{"type":"end"},"text":"draw"}}', "$.move.text"),
        ("replay", b'{"game":"whist","moves":[]}', "$.seed"),
        ("score", b'{"scope":"deal"}', "$"),
        ("score", b'{"game":"whist","facts":{"tricks":[9,9]}}', "$.facts.tricks"),
    ],
)  # fmt: skip
def test_faults_have_a_path(server: Running, path: str, body: bytes, at: str) -> None:
    assert problem_of(post(server, f"/v1/{path}", body), 400, "MALFORMED")["path"] == at


def test_a_ruleset_there_is_not(server: Running) -> None:
    problem_of(server.http.post("/v1/deal", json={**WHIST, "ruleset": 99}), 400, "UNSUPPORTED_RULESET")
    digits = b"9" * 4_000
    problem_of(post(server, "/v1/deal", b'{"game":"whist","ruleset":' + digits + b"}"), 400, "MALFORMED")


@pytest.mark.parametrize("language", ["en", "nl", "fr"])
def test_an_impossible_state_says_why(server: Running, language: str) -> None:
    state = server.http.post("/v1/deal", json=WHIST).json()["state"]
    state["hands"][0]["cards"][0] = state["hands"][1]["cards"][0]
    answer = server.http.post("/v1/legal-moves", json={"state": state}, headers={"Accept-Language": language})
    problem = problem_of(answer, 400, "IMPOSSIBLE_STATE")
    assert problem["params"]["reason"] == "CARD_TWICE"
    assert problem["path"].startswith("$.state")


@pytest.mark.parametrize("path", ["deal", "play", "score", "batch"])
@pytest.mark.parametrize(
    "start", [b"", b'{"move":', b'{"calls":[', b'{"calls":[{"play":{"move":', b'{"state":', b'{"options":', b'{"x":']
)
@pytest.mark.parametrize("bracket", [b"[", b'{"a":'])
def test_nesting_without_end_is_refused_at_once(server: Running, path: str, start: bytes, bracket: bytes) -> None:
    began = time.monotonic()
    answer = post(server, f"/v1/{path}", start + bracket * 200_000)
    assert time.monotonic() - began < 2
    if len(start) + 200_000 * len(bracket) <= 1_048_576:
        problem_of(answer, 400, "TOO_DEEP")
    else:
        problem_of(answer, 413, "TOO_LARGE")


def test_nesting_is_refused_from_the_limit(server: Running) -> None:
    def move_of(depth: int) -> bytes:
        return b'{"state":{},"move":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"

    problem_of(post(server, "/v1/play", move_of(32)), 400, "MALFORMED")
    problem_of(post(server, "/v1/play", move_of(33)), 400, "TOO_DEEP")


def test_brackets_in_text_are_no_nesting(server: Running) -> None:
    for text in (rb'"' + b"[" * 5_000 + rb'"', rb'"\"[[[[' + b"[" * 5_000 + rb'\\"', b'"' + b'\\"[' * 300_000):
        problem_of(post(server, "/v1/play", b'{"state":{},"move":' + text + b"}"), 400, "MALFORMED")


def test_a_body_too_large(server: Running) -> None:
    problem_of(post(server, "/v1/deal", b" " * 1_048_577), 413, "TOO_LARGE")
    assert post(server, "/v1/deal", b'{"game":"whist"}'.ljust(1_048_576)).status_code == 200


def test_a_body_too_large_of_unsaid_length(server: Running) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 65_536

    problem_of(server.http.post("/v1/deal", content=endless(), headers=JSON), 413, "TOO_LARGE")


def test_a_body_too_large_is_not_waited_for(server: Running) -> None:
    """The announced length is enough."""
    with socket.create_connection((server.ready.rest.host, server.ready.rest.port), 5) as connection:
        connection.sendall(
            b"POST /v1/deal HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n\r\n"
        )
        assert connection.recv(64).startswith(b"HTTP/1.1 413")


def test_a_caller_that_goes_away(server: Running) -> None:
    with socket.create_connection((server.ready.rest.host, server.ready.rest.port), 5) as connection:
        connection.sendall(
            b"POST /v1/deal HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
        )
    assert server.http.get("/livez").status_code == 200


def test_a_record_too_long(server: Running) -> None:
    body = {**WHIST, "moves": [{"move": "deal"}] * 4_097}
    assert problem_of(server.http.post("/v1/replay", json=body), 400, "LIST_TOO_LONG")["path"] == "$.moves"


def test_work_beyond_the_limit() -> None:
    with running(max_work=50) as server:
        body = {**WHIST, "moves": [{"move": "deal"}] * 50}
        answer = server.http.post("/v1/replay", json=body)
        problem = problem_of(answer, 429, "TOO_MUCH_WORK")
        assert problem["params"] == {"work": 51}
        assert int(answer.headers["retry-after"]) > 0
        calls = [{"id": str(index), "replay": {**WHIST, "moves": [{"move": "deal"}] * 24}} for index in range(3)]
        answer = server.http.post("/v1/batch", json={"calls": calls})
        problem_of(answer, 429, "TOO_MUCH_WORK")
        assert server.http.post("/v1/batch", json={"calls": calls[:2]}).status_code == 200


def test_legal_moves_are_cut_at_the_limit() -> None:
    with running(max_legal_moves=3) as server:
        state = server.http.post("/v1/deal", json=WHIST).json()["state"]
        found = server.http.post("/v1/legal-moves", json={"state": state, "limit": 1_000}).json()
        assert (len(found["moves"]), found["total"], found["truncated"]) == (3, "13", True)
        assert server.http.get("/v1/games/whist").json()["limits"]["legalMoves"] == 3


@pytest.mark.parametrize(
    "move", ["claim 4 1", "claim 0 14", "choose x", f"deal hands {'/'.join(['+1'] * 30)}", "hit me"]
)
def test_a_text_that_is_no_move_is_refused_at_the_move(server: Running, move: str) -> None:
    state = server.http.post("/v1/deal", json=WHIST).json()["state"]
    answer = server.http.post("/v1/play", json={"state": state, "move": move})
    problem = problem_of(answer, 400, "MALFORMED")
    assert problem["path"] == "$.move"
    assert "\0" not in problem["detail"]
    record = server.http.post("/v1/replay", json={**WHIST, "moves": [{"move": move}]})
    assert problem_of(record, 400, "MALFORMED")["path"] == "$.moves[0].move"
