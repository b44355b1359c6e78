"""The batch: results in order, each with its own answer or problem, and a malformed item spoils only itself."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from service.batch import OPERATIONS
from service.messages import BatchCall
from service.transports.rest.bodies import WholeCall
from tests.service.running import WHIST, Running, running

Json = dict[str, Any]
FACTS: Json = {"game": "whist", "facts": {"tricks": [7, 6]}}


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as service:
        yield service


def results(server: Running, body: bytes) -> list[Json]:
    answer = server.http.post("/v1/batch", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200, answer.text
    found: list[Json] = answer.json()["results"]
    return found


def test_every_operation_can_be_called(server: Running) -> None:
    state = server.http.post("/v1/deal", json=WHIST).json()["state"]
    move = server.http.post("/v1/legal-moves", json={"state": state}).json()["moves"][0]
    flip = server.http.post("/v1/deal", json={"game": "flip7", "places": 2, "seed": "x"}).json()["state"]
    view = server.http.post("/v1/view", json={"state": state, "viewer": 1}).json()["view"]
    requests: Json = {
        "deal": WHIST,
        "validate": {"state": state, "move": move},
        "legalMoves": {"state": state},
        "play": {"state": state, "move": move},
        "score": {"state": state},
        "view": {"state": state, "viewer": 2},
        "replay": {**WHIST, "moves": [{"move": move}]},
        "outcomes": {"state": flip},
        "sample": {"view": view, "n": 2, "seed": "guess"},
        "simulate": {"state": view, "n": 2, "seed": "at random", "until": "deal"},
    }
    assert set(requests) == {"legalMoves" if name == "legal_moves" else name for name in OPERATIONS}
    calls = [{"id": f"my {name}", name: request} for name, request in requests.items()]
    found = server.http.post("/v1/batch", json={"calls": calls}).json()["results"]
    for (name, request), result in zip(requests.items(), found, strict=True):
        path = "legal-moves" if name == "legalMoves" else name
        assert result == {"id": f"my {name}", name: server.http.post(f"/v1/{path}", json=request).json()}


GOOD = b'{"id":"good","score":{"game":"whist","facts":{"tricks":[7,6]}}}'


@pytest.mark.parametrize(
    ("item", "known_as"),
    [
        (b"1", ""),
        (b"null", ""),
        (b"[]", ""),
        (b"{}", ""),
        (b'{"score":{}}', ""),
        (b'{"id":7,"score":{}}', ""),
        (b'{"id":"a"}', "a"),
        (b'{"id":"a","score":null}', "a"),
        (b'{"id":"a","score":{},"deal":{}}', "a"),
        (b'{"id":"a","score":{}}', "a"),
        (b'{"id":"a","score":1}', "a"),
        (b'{"id":"a","shuffle":{}}', "a"),
        (b'{"id":"' + b"a" * 129 + b'","score":{}}', ""),
        (b'{"id":"a","score":"\xff"}', "a"),
        (b'{"id":"\xff","score":{}}', ""),
        (b'{"id":"a","play":{"state":{},"move":"x"}}', "a"),
    ],
)
def test_a_malformed_item_spoils_only_itself(server: Running, item: bytes, known_as: str) -> None:
    before, bad, after = results(server, b'{"calls":[' + GOOD + b"," + item + b"," + GOOD + b"]}")
    assert before == after
    assert "sheet" in before["score"]
    assert set(bad) == {"id", "error"}
    assert (bad["id"], bad["error"]["code"]) == (known_as, "MALFORMED")


def test_an_item_too_deep_spoils_only_itself(server: Running) -> None:
    item = b'{"id":"deep","play":{"state":{},"move":' + b"[" * 40 + b"]" * 40 + b"}}"
    bad, after = results(server, b'{"calls":[' + item + b"," + GOOD + b"]}")
    assert bad["error"]["code"] == "TOO_DEEP"
    assert "score" in after


def test_an_illegal_move_among_the_calls(server: Running) -> None:
    state = server.http.post("/v1/deal", json=WHIST).json()["state"]
    stranger = state["hands"][1]["cards"][0]
    calls = [{"id": "x", "play": {"state": state, "move": f"play {stranger}"}}, {"id": "x", "score": FACTS}]
    answer = server.http.post("/v1/batch", json={"calls": calls}, headers={"Accept-Language": "nl"}).json()
    refused, scored = answer["results"]
    assert (refused["error"]["status"], refused["error"]["violation"]["code"]) == (422, "NOT_IN_HAND")
    assert (scored["id"], "score" in scored) == ("x", True)
    assert refused["error"]["detail"] == refused["error"]["violation"]["message"]


def test_no_calls_have_no_results(server: Running) -> None:
    assert results(server, b'{"calls":[]}') == []


def test_too_many_calls(server: Running) -> None:
    assert len(results(server, b'{"calls":[' + b",".join([GOOD] * 100) + b"]}")) == 100
    body = b'{"calls":[' + b",".join([GOOD] * 101) + b"]}"
    answer = server.http.post("/v1/batch", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"], answer.json()["path"]) == (400, "LIST_TOO_LONG", "$.calls")


def test_a_call_that_is_read_in_one_go_has_what_any_call_has() -> None:
    assert set(WholeCall.__struct_fields__) == set(BatchCall.__struct_fields__) == {"id", *OPERATIONS}


def test_both_forms_of_scoring_can_be_called(server: Running) -> None:
    state = server.http.post("/v1/deal", json=WHIST).json()["state"]
    for request in ({"state": state}, FACTS):
        (found,) = results(server, json.dumps({"calls": [{"id": "a", "score": request}]}).encode())
        assert found == {"id": "a", "score": server.http.post("/v1/score", json=request).json()}
