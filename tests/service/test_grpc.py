"""gRPC, over a real server: answers, refusals with their details, batches, streams, health and reflection."""

import queue
import threading
import time
from collections.abc import Iterator
from typing import Any

import grpc
import msgspec
import pytest
from google.protobuf.json_format import MessageToDict
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2

from engine import game as engine
from engine.game import Query
from engine.games import GAMES, State
from service.beside import Beside
from service.rules import Rules
from service.transports.grpc import serve
from service.wire.codec import CODEC
from service.wire.gen.scheids.v1 import common_pb2, games_pb2, referee_pb2, referee_pb2_grpc, whist_pb2
from tests.service.grpc_messages import ARMS, WHIST, mid_hand, played, requests
from tests.service.grpc_server import LIMITS, Refused, code_of, raw, raw_decide, refused, served

Stub = referee_pb2_grpc.RefereeStub
DUTCH = (("accept-language", "fr;q=0.2, nl-BE"),)


@pytest.fixture(scope="module")
def channel() -> Iterator[grpc.Channel]:
    with served() as open_channel:
        yield open_channel


@pytest.fixture(scope="module")
def stub(channel: grpc.Channel) -> Stub:
    return referee_pb2_grpc.RefereeStub(channel)


def message_of(state: State) -> games_pb2.State:
    return games_pb2.State.FromString(CODEC.writer("State")(state))


def text(words: str) -> common_pb2.MoveInput:
    return common_pb2.MoveInput(text=words)


def illegal() -> referee_pb2.PlayMoveRequest:
    """A play of a card that does not follow suit."""
    for state in played(0, 1):
        if state.to_act is None:
            continue
        blocked = engine.legal_moves(WHIST, state, None, Query(explain=True)).blocked
        if blocked:
            return referee_pb2.PlayMoveRequest(state=message_of(state), move=text(f"play {blocked[0].card}"))
    raise AssertionError("every card could always be played")


# --- answers


def test_a_game_is_played_through(stub: Stub) -> None:
    games = stub.ListGames(referee_pb2.ListGamesRequest()).games
    assert [game.game for game in games] == [game.name for game in GAMES]
    request = whist_pb2.WhistDealRequest(
        seed="s", options=whist_pb2.WhistOptionsChoices(match=whist_pb2.WHIST_MATCH_DEAL)
    )
    state = stub.Deal(referee_pb2.DealRequest(whist=request)).state
    events: list[str] = []
    while state.whist.phase == whist_pb2.WHIST_PHASE_PLAY:
        legal = stub.ListLegalMoves(referee_pb2.ListLegalMovesRequest(state=state, limit=1))
        assert int(legal.total) >= len(legal.moves) == 1
        chosen = common_pb2.MoveInput(move=legal.moves[0].move, text=legal.moves[0].text)
        assert stub.ValidateMove(referee_pb2.ValidateMoveRequest(state=state, move=chosen)).legal
        answer = stub.PlayMove(referee_pb2.PlayMoveRequest(state=state, move=chosen))
        state = answer.state
        events += [str(event.WhichOneof("event")) for event in answer.events]
    assert (events.count("played"), events.count("trick_won")) == (52, 13)
    assert not state.whist.HasField("to_act")
    score = referee_pb2.ScoreRequest(state=referee_pb2.ScoreStateRequest(state=state))
    sheet = stub.Score(score).sheet
    assert sheet.scope == common_pb2.SCOPE_MATCH
    assert len(sheet.winners) >= 1


def test_get_game_tells_options_clauses_and_limits(stub: Stub) -> None:
    game = stub.GetGame(referee_pb2.GetGameRequest(game="whist"))
    assert MessageToDict(game.options_schema)["properties"]["slamBonus"]["default"] == 0
    assert game.limits.work == LIMITS.work
    assert {"play", "claim"} <= set(game.move_types)
    assert all(clause.en and clause.nl and clause.fr for clause in game.clauses)


def test_a_view_hides_hands(stub: Stub) -> None:
    viewer = common_pb2.Viewer(seat=1)
    view = stub.ViewState(referee_pb2.ViewStateRequest(state=message_of(mid_hand()), viewer=viewer)).view.whist
    assert view.viewer == viewer
    assert [hand.hidden > 0 for hand in view.hands] == [True, False, True, True]
    assert not view.HasField("seed")


def test_facts_are_scored(stub: Stub) -> None:
    facts = whist_pb2.WhistFacts(tricks=common_pb2.Numbers(numbers=[9, 4]), honours=[3, 0, 1, 0])
    request = referee_pb2.ScoreRequest(whist=whist_pb2.WhistScoreFactsRequest(facts=facts))
    assert stub.Score(request).sheet.scope == common_pb2.SCOPE_DEAL


def test_a_record_is_replayed_up_to_its_first_illegal_move(stub: Stub) -> None:
    moves = [common_pb2.RecordedMove(move=text("end"))]
    record = whist_pb2.WhistReplayRequest(seed="s", moves=moves)
    answer = stub.Replay(referee_pb2.ReplayRequest(whist=record))
    assert (answer.index, answer.HasField("index"), answer.violation.code) == (0, True, "WRONG_PHASE")


def test_what_is_explained_is_told_apart_from_what_was_not_asked(stub: Stub) -> None:
    state = message_of(mid_hand())
    asked = stub.ListLegalMoves(referee_pb2.ListLegalMovesRequest(state=state, explain=True))
    plain = stub.ListLegalMoves(referee_pb2.ListLegalMovesRequest(state=state))
    assert asked.HasField("explained")
    assert not plain.HasField("explained")


# --- refusals


def test_an_illegal_move_is_an_answer_to_validate_and_a_refusal_of_play(stub: Stub) -> None:
    request = illegal()
    asked = referee_pb2.ValidateMoveRequest(state=request.state, move=request.move)
    answer = stub.ValidateMove(asked)
    assert not answer.legal
    refusal = refused(lambda: stub.PlayMove(request))
    assert (refusal.code, refusal.info.reason, refusal.info.domain) == (
        "FAILED_PRECONDITION",
        "ILLEGAL_MOVE",
        "scheids",
    )
    assert refusal.problem.violation == answer.violation
    assert refusal.info.metadata["clause"] == answer.violation.clause == "whist/W-13"
    assert refusal.info.metadata["violation"] == "MUST_FOLLOW_SUIT"
    assert refusal.message == answer.violation.message
    assert (refusal.problem.status, refusal.path, refusal.bad, refusal.retry) == (422, "$.move", None, None)


def test_the_language_is_chosen_by_metadata(stub: Stub) -> None:
    request = illegal()
    english, dutch = refused(lambda: stub.PlayMove(request)), refused(lambda: stub.PlayMove(request, metadata=DUTCH))
    assert english.message != dutch.message == dutch.problem.violation.message
    assert english.problem.violation.code == dutch.problem.violation.code
    asked = referee_pb2.ValidateMoveRequest(state=request.state, move=request.move)
    assert stub.ValidateMove(asked, metadata=DUTCH).violation.message == dutch.message


def impossible() -> referee_pb2.ViewStateRequest:
    state = message_of(mid_hand())
    state.whist.hands[0].cards[0] = state.whist.hands[1].cards[0]
    return referee_pb2.ViewStateRequest(state=state, viewer=common_pb2.Viewer(spectator=True))


def test_an_impossible_state_is_told_with_its_reason(stub: Stub) -> None:
    refusal = refused(lambda: stub.ViewState(impossible()))
    assert (refusal.code, refusal.info.reason) == ("INVALID_ARGUMENT", "IMPOSSIBLE_STATE")
    assert refusal.info.metadata["reason"] == "CARD_TWICE"
    assert refusal.bad is not None
    assert [each.field for each in refusal.bad.field_violations] == ["$.state.hands[1].cards[0]"] == [refusal.path]


def test_an_unknown_ruleset_is_refused_by_name(stub: Stub) -> None:
    request = referee_pb2.DealRequest(whist=whist_pb2.WhistDealRequest(ruleset=7))
    refusal = refused(lambda: stub.Deal(request))
    assert (refusal.code, refusal.info.reason, refusal.path) == ("INVALID_ARGUMENT", "UNSUPPORTED_RULESET", "$.ruleset")


def test_an_unknown_game_is_not_found(stub: Stub) -> None:
    refusal = refused(lambda: stub.GetGame(referee_pb2.GetGameRequest(game="x" * 5_000)))
    assert (refusal.code, refusal.info.reason, refusal.bad) == ("NOT_FOUND", "UNKNOWN_GAME", None)


@pytest.mark.parametrize("method", sorted(requests()))
def test_bytes_that_are_no_message_are_the_callers_fault(channel: grpc.Channel, method: str) -> None:
    refusal = refused(lambda: raw(channel, method)(b"\xff\xff\xff\xff"))
    assert (refusal.code, refusal.info.reason, refusal.path) == ("INVALID_ARGUMENT", "MALFORMED", "$")


def test_long_texts_do_not_burst_the_metadata(stub: Stub) -> None:
    request = referee_pb2.PlayMoveRequest(state=message_of(mid_hand()))
    request.state.whist.hands[0].cards[0] = "é☃\n" * 5_000
    refusal = refused(lambda: stub.PlayMove(request))
    assert (refusal.code, refusal.path) == ("INVALID_ARGUMENT", "$.state.hands[0].cards[0]")
    assert len(refusal.message) < 500


def test_a_large_message_is_refused(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        raw(channel, "Deal")(bytes(LIMITS.body_bytes + 1))
    assert raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


def record_of(moves: int) -> referee_pb2.ReplayRequest:
    steps = [common_pb2.RecordedMove(move=text("draw"))] * moves
    return referee_pb2.ReplayRequest(whist=whist_pb2.WhistReplayRequest(seed="s", moves=steps))


def test_too_much_work_is_refused_before_it_is_done(stub: Stub) -> None:
    refusal = refused(lambda: stub.Replay(record_of(LIMITS.work)))
    assert (refusal.code, refusal.info.reason, refusal.problem.status) == ("RESOURCE_EXHAUSTED", "TOO_MUCH_WORK", 429)
    assert refusal.retry is not None
    assert refusal.retry.retry_delay.seconds > 0
    assert stub.Replay(record_of(LIMITS.work - 1)).index == 0
    assert refused(lambda: stub.Replay(record_of(LIMITS.record_moves + 1))).code in {
        "INVALID_ARGUMENT",
        "RESOURCE_EXHAUSTED",
    }


def test_an_unknown_method_is_unimplemented(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        raw(channel, "Guess")(b"")
    assert raised.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_a_deadline_that_has_passed_is_said_to_have(stub: Stub) -> None:
    codes = set()
    for _ in range(50):  # now and then an answer is faster than the clock of the deadline
        try:
            stub.Replay(record_of(250), timeout=0.000_01)
        except grpc.RpcError as error:
            codes.add(code_of(error))
    assert codes == {"DEADLINE_EXCEEDED"}


def test_a_fault_of_the_service_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("the ace of spades")

    monkeypatch.setattr(Rules, "deal", fail)
    with served() as channel:
        stub = referee_pb2_grpc.RefereeStub(channel)
        refusal = refused(lambda: stub.Deal(referee_pb2.DealRequest(whist=whist_pb2.WhistDealRequest())))
    assert (refusal.code, refusal.info.reason) == ("INTERNAL", "INTERNAL")
    assert "ace" not in str(msgspec.structs.asdict(refusal))


# --- many at once


def batch() -> referee_pb2.BatchRequest:
    return referee_pb2.BatchRequest.FromString(requests()["Batch"])


def test_a_batch_answers_in_order(stub: Stub) -> None:
    answer = stub.Batch(batch())
    assert [(each.id, each.WhichOneof("result")) for each in answer.results] == list(ARMS.items())


def broken_calls() -> list[tuple[bytes, str, str]]:
    """Calls as bytes, with the id and the code of what comes of them."""
    good = batch().calls[0]
    illegal_call = referee_pb2.BatchCall(id="illegal", play=illegal())
    return [
        (good.SerializeToString(), "Deal", ""),
        (b"\xff\xff", "", "MALFORMED"),
        (b"\x0a\x01b\x12\x01\xff", "b", "MALFORMED"),
        (b"\x0a\x02\xc3\x28", "", "MALFORMED"),
        (referee_pb2.BatchCall(id="none").SerializeToString(), "none", "MALFORMED"),
        (referee_pb2.BatchCall(id="y" * 129, deal=good.deal).SerializeToString(), "", "MALFORMED"),
        (illegal_call.SerializeToString(), "illegal", "ILLEGAL_MOVE"),
        (referee_pb2.BatchCall(id="bad", view=impossible()).SerializeToString(), "bad", "IMPOSSIBLE_STATE"),
        (referee_pb2.BatchCall(id="é☃", deal=good.deal).SerializeToString(), "é☃", ""),
    ]


def framed(part: bytes) -> bytes:
    return b"\x0a" + bytes((len(part) % 128 | 128, len(part) // 128)) + part


def test_a_broken_call_of_a_batch_spoils_only_itself(channel: grpc.Channel) -> None:
    data = b"".join(framed(call) for call, _, _ in broken_calls())
    results = referee_pb2.BatchResponse.FromString(raw(channel, "Batch")(data)).results
    assert [(each.id, each.error.code) for each in results] == [(name, code) for _, name, code in broken_calls()]


def test_a_broken_call_of_a_stream_spoils_only_itself(channel: grpc.Channel) -> None:
    sent = [*(framed(part) for part, _, _ in broken_calls()), b"\xff", b""]
    answers = raw_decide(channel)(iter(sent), metadata=DUTCH)
    results = [referee_pb2.DecideResponse.FromString(each).result for each in answers]
    expected = [(name, code) for _, name, code in broken_calls()] + [("", "MALFORMED")] * 2
    assert [(each.id, each.error.code) for each in results] == expected
    assert (
        results[6].error.violation.message
        == refused(lambda: referee_pb2_grpc.RefereeStub(channel).PlayMove(illegal(), metadata=DUTCH)).message
    )


def test_a_batch_is_limited_in_calls_and_in_work(stub: Stub) -> None:
    calls = [referee_pb2.BatchCall(id=str(n), deal=batch().calls[0].deal) for n in range(LIMITS.batch_calls + 1)]
    refusal = refused(lambda: stub.Batch(referee_pb2.BatchRequest(calls=calls)))
    assert (refusal.code, refusal.info.reason, refusal.path) == ("INVALID_ARGUMENT", "LIST_TOO_LONG", "$.calls")
    heavy = [referee_pb2.BatchCall(id=str(n), replay=record_of(60)) for n in range(6)]
    assert refused(lambda: stub.Batch(referee_pb2.BatchRequest(calls=heavy))).info.reason == "TOO_MUCH_WORK"
    assert len(stub.Batch(referee_pb2.BatchRequest(calls=heavy[:4])).results) == 4


def test_a_stream_answers_each_call_before_the_next_is_sent(stub: Stub) -> None:
    sent: queue.Queue[referee_pb2.DecideRequest | None] = queue.Queue()
    answers = stub.Decide(iter(sent.get, None), timeout=20)
    for number in range(50):
        sent.put(referee_pb2.DecideRequest(call=referee_pb2.BatchCall(id=str(number), deal=batch().calls[0].deal)))
        assert next(answers).result.id == str(number)
    long = referee_pb2.BatchCall(id="heavy", replay=record_of(LIMITS.work))
    sent.put(referee_pb2.DecideRequest(call=long))
    assert next(answers).result.error.code == "TOO_MUCH_WORK"
    sent.put(None)
    assert list(answers) == []


def test_open_streams_do_not_keep_others_waiting(channel: grpc.Channel, stub: Stub) -> None:
    hold = threading.Event()

    def silent() -> Iterator[bytes]:
        hold.wait(20)
        yield from ()

    streams = [raw_decide(channel)(silent()) for _ in range(30)]
    assert stub.ListGames(referee_pb2.ListGamesRequest(), timeout=5).games
    hold.set()
    assert [list(stream) for stream in streams] == [[]] * 30


# --- the server


def test_health_is_told_and_ends_with_the_server() -> None:
    server = serve(Rules(LIMITS), "127.0.0.1:0", beside=Beside())
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        for service in ("", "scheids.v1.Referee"):
            request = health_pb2.HealthCheckRequest(service=service)
            assert health.Check(request).status == health_pb2.HealthCheckResponse.SERVING
        watch = health.Watch(health_pb2.HealthCheckRequest(service="scheids.v1.Referee"))
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        stopping = threading.Thread(target=server.stop, args=(0.3,))
        stopping.start()
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
        stopping.join()
    server.stop(0)


def test_a_stop_lets_calls_under_way_finish() -> None:
    server = serve(Rules(LIMITS), "127.0.0.1:0", beside=Beside())
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        sent: queue.Queue[bytes | None] = queue.Queue()
        answers = raw_decide(channel)(iter(sent.get, None))
        sent.put(b"")
        next(answers)
        stopping = threading.Thread(target=server.stop, args=(10,))
        stopping.start()
        time.sleep(0.1)
        sent.put(b"")
        assert next(answers)
        sent.put(None)
        assert list(answers) == []
        stopping.join(5)
        assert not stopping.is_alive()


def test_an_address_in_use_is_refused() -> None:
    server = serve(Rules(LIMITS), "127.0.0.1:0", beside=Beside())
    try:
        with pytest.raises(RuntimeError, match="bind"):
            serve(Rules(LIMITS), f"127.0.0.1:{server.port}", beside=Beside())
    finally:
        server.stop(0)


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_reflection_lists_and_describes_the_service(channel: grpc.Channel, version: str) -> None:
    ask = channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    asked = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="scheids.v1.Referee"),
    ]
    listed, described = ask(iter(asked))
    names = {service.name for service in listed.list_services_response.service}
    assert {"scheids.v1.Referee", "grpc.health.v1.Health"} <= names
    assert b"scheids/v1/referee.proto" in described.file_descriptor_response.file_descriptor_proto[0]


def details(refusal: Refused) -> set[str]:
    return {name for name in ("bad", "retry") if getattr(refusal, name) is not None}


def test_which_details_go_with_which_refusal(stub: Stub) -> None:
    assert details(refused(lambda: stub.ViewState(impossible()))) == {"bad"}
    assert details(refused(lambda: stub.PlayMove(illegal()))) == set()
    assert details(refused(lambda: stub.Replay(record_of(LIMITS.work)))) == {"retry"}
