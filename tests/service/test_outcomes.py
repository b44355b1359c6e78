"""The odds over both transports: exact fractions and what they come to, and a clear refusal where there are none."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import grpc
import msgspec
import pytest

from engine.games import State
from service.batch import ODDS_WORK, work_of
from service.messages import ListOutcomesRequest
from service.wire.codec import CODEC
from service.wire.gen.scheids.v1 import common_pb2, games_pb2, referee_pb2, referee_pb2_grpc
from tests.service.grpc_messages import mid_hand, mid_round
from tests.service.grpc_server import LIMITS, raw_decide, refused, served
from tests.service.running import WHIST, Running, running

Json = dict[str, Any]
LIMITS_FOR_FOUR = msgspec.structs.replace(LIMITS, work=1 + 4 * ODDS_WORK)


def message_of(state: State) -> games_pb2.State:
    return games_pb2.State.FromString(CODEC.writer("State")(state))


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as service:
        yield service


@pytest.fixture(scope="module")
def channel() -> Iterator[grpc.Channel]:
    with served() as open_channel:
        yield open_channel


def dealt(server: Running, places: int = 3) -> Json:
    state: Json = server.http.post("/v1/deal", json={"game": "flip7", "places": places, "seed": "odds"}).json()["state"]
    return state


def test_fractions_are_exact_and_add_up(server: Running) -> None:
    answer = server.http.post("/v1/outcomes", json={"state": dealt(server)}).json()
    chances = [Fraction(int(each["numerator"]), int(each["denominator"])) for each in answer["next"]]
    assert sum(chances) == 1
    for told, exact in [
        *zip((each["probability"] for each in answer["next"]), chances, strict=True),
        *((each["value"], Fraction(f"{each['numerator']}/{each['denominator']}")) for each in answer["figures"]),
    ]:
        assert told == pytest.approx(float(exact), abs=1e-15)
    assert {(each["name"], each["unit"]) for each in answer["figures"]} >= {("bust", "chance"), ("gain", "points")}
    assert {each["seat"] for each in answer["figures"]} == {0, 1, 2}


def test_a_view_tells_what_a_state_does_and_no_more(server: Running) -> None:
    state = dealt(server)
    view = server.http.post("/v1/view", json={"state": state, "viewer": 1}).json()["view"]
    whole = server.http.post("/v1/outcomes", json={"state": state, "viewer": 1}).json()
    assert server.http.post("/v1/outcomes", json={"state": view}).json() == whole
    other = server.http.post("/v1/outcomes", json={"state": view, "viewer": 2})
    assert (other.status_code, other.json()["code"]) == (400, "IMPOSSIBLE_STATE")


def test_a_game_without_odds_says_so(server: Running, channel: grpc.Channel) -> None:
    state = server.http.post("/v1/deal", json=WHIST).json()["state"]
    answer = server.http.post("/v1/outcomes", json={"state": state})
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["path"]) == (400, "NO_ODDS", "$.state")
    assert problem["detail"] == "whist has no odds to tell"
    stub = referee_pb2_grpc.RefereeStub(channel)
    request = referee_pb2.ListOutcomesRequest(state=message_of(mid_hand()))
    with served(LIMITS_FOR_FOUR) as wide:
        refusal = refused(lambda: referee_pb2_grpc.RefereeStub(wide).ListOutcomes(request))
    assert (refusal.code, refusal.problem.code) == ("INVALID_ARGUMENT", "NO_ODDS")
    assert refused(lambda: stub.ListOutcomes(request)).problem.code == "TOO_MUCH_WORK"


def test_over_grpc(channel: grpc.Channel) -> None:
    stub = referee_pb2_grpc.RefereeStub(channel)
    request = referee_pb2.ListOutcomesRequest(state=message_of(mid_round()), viewer=common_pb2.Viewer(spectator=True))
    answer = stub.ListOutcomes(request)
    assert sum(int(each.numerator) for each in answer.next) == int(answer.next[0].denominator)
    assert sum(each.probability for each in answer.next) == pytest.approx(1)
    assert answer.figures[0].unit == referee_pb2.FIGURE_UNIT_CHANCE
    call = referee_pb2.BatchCall(id="odds", outcomes=request)
    sent = referee_pb2.DecideRequest(call=call).SerializeToString()
    (streamed,) = raw_decide(channel)(iter([sent]))
    assert referee_pb2.DecideResponse.FromString(streamed).result.outcomes == answer


def test_odds_cost_work_by_the_seat() -> None:
    state = mid_round()
    assert work_of(ListOutcomesRequest(state=state)) == 1 + ODDS_WORK * len(state.hands)
