"""Sampling and playouts over both transports: the same answers, within the limit of work, and of views only."""

from collections.abc import Iterator
from typing import Any

import grpc
import msgspec
import pytest

from service.batch import PLAYOUT_WORK, SAMPLE_WORK
from service.wire.gen.scheids.v1 import common_pb2, referee_pb2, referee_pb2_grpc
from tests.service.running import Running, running

Json = dict[str, Any]
GAMES = ("whist", "peewee7", "wippen", "wipe", "flip7")


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(max_work=1_000) as service:
        yield service


@pytest.fixture(scope="module")
def stub(server: Running) -> Iterator[referee_pb2_grpc.RefereeStub]:
    with grpc.insecure_channel(str(server.ready.grpc)) as channel:
        yield referee_pb2_grpc.RefereeStub(channel)


def viewed(server: Running, game: str) -> Json:
    state = server.http.post("/v1/deal", json={"game": game, "seed": "x"}).json()["state"]
    view: Json = server.http.post("/v1/view", json={"state": state, "viewer": 1}).json()["view"]
    return view


@pytest.mark.parametrize("game", GAMES)
def test_drawn_states_are_asked_about_like_any_other(server: Running, game: str) -> None:
    view = viewed(server, game)
    answer = server.http.post("/v1/sample", json={"view": view, "n": 3, "seed": "guess"}).json()
    assert answer["uniform"] is True
    assert len({msgspec.json.encode(state) for state in answer["states"]}) == 3
    for state in answer["states"]:
        again = server.http.post("/v1/view", json={"state": state, "viewer": 1})
        assert (again.status_code, again.json()["view"]) == (200, view)


@pytest.mark.parametrize("game", GAMES)
def test_both_transports_draw_the_same(server: Running, stub: referee_pb2_grpc.RefereeStub, game: str) -> None:
    request = referee_pb2.DealRequest()
    getattr(request, game).seed = "x"
    dealt = stub.Deal(request)
    seen_by = common_pb2.Viewer(seat=1)
    sampled = stub.ViewState(referee_pb2.ViewStateRequest(state=dealt.state, viewer=seen_by))
    states = stub.SampleStates(referee_pb2.SampleStatesRequest(view=sampled.view, n=2, seed="guess")).states
    told = server.http.post("/v1/sample", json={"view": viewed(server, game), "n": 2, "seed": "guess"}).json()
    assert [getattr(state, game).seed for state in states] == [state["seed"] for state in told["states"]]
    found = stub.Simulate(
        referee_pb2.SimulateRequest(state=sampled.view, n=3, seed="a", until=referee_pb2.SIMULATE_UNTIL_DEAL)
    )
    body = {"state": viewed(server, game), "n": 3, "seed": "a", "until": "deal"}
    other = server.http.post("/v1/simulate", json=body).json()
    assert (found.playouts, found.moves) == (other["playouts"], other["moves"])
    assert [point.mean for point in found.points] == [point["mean"] for point in other["points"]]


def test_playouts_add_up(server: Running) -> None:
    state = server.http.post("/v1/deal", json={"game": "whist", "options": {"match": "deal"}, "seed": "x"}).json()
    answer = server.http.post("/v1/simulate", json={"state": state["state"], "n": 9, "seed": "a"}).json()
    assert (answer["playouts"], answer["finished"], answer["moves"]) == (9, 9, 52)
    assert sum(side["wins"] for side in answer["wins"]) <= 9
    for row in answer["points"]:
        assert row["least"] <= row["mean"] <= row["most"]
        assert row["deviation"] >= 0


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/v1/sample", {"n": 1}, "MALFORMED"),
        ("/v1/sample", {"seed": "a", "n": 0}, "MALFORMED"),
        ("/v1/sample", {"seed": "a", "n": 1 + 1_000 // SAMPLE_WORK}, "TOO_MUCH_WORK"),
        ("/v1/simulate", {"seed": "a", "n": 1 + 1_000 // PLAYOUT_WORK}, "TOO_MUCH_WORK"),
        ("/v1/simulate", {"seed": "a", "until": "round"}, "MALFORMED"),
    ],
)
def test_what_is_refused(server: Running, path: str, body: Json, code: str) -> None:
    name = "view" if path == "/v1/sample" else "state"
    answer = server.http.post(path, json={name: viewed(server, "whist"), **body})
    assert answer.json()["code"] == code


def test_a_full_state_is_not_guessed_at(server: Running) -> None:
    state = server.http.post("/v1/deal", json={"game": "whist", "seed": "x"}).json()["state"]
    answer = server.http.post("/v1/sample", json={"view": state, "seed": "a"})
    assert (answer.status_code, answer.json()["code"], answer.json()["path"]) == (400, "MALFORMED", "$.view")
    broken = {**state, "dealer": 2, "viewer": 0}
    answer = server.http.post("/v1/sample", json={"view": broken, "seed": "a"})
    assert answer.json()["path"].startswith("$.view")
