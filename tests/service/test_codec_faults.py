"""What the codec refuses, and where it says the fault is: as REST would have said."""

from typing import Any

import msgspec
import pytest

from engine.game import Turn
from engine.moves import Hand
from engine.violations import Malformed
from service import messages
from service.errors import problem_of
from service.wire.codec import CODEC, MEANINGS, Reader
from service.wire.gen.scheids.v1 import common_pb2, games_pb2, referee_pb2, tables_pb2, whist_pb2
from service.wire.source import varint
from tests.service.grpc_messages import mid_hand, requests


def fault(read: Reader, data: bytes) -> tuple[str, str | None]:
    with pytest.raises((Malformed, msgspec.ValidationError)) as raised:
        read(data)
    problem = problem_of(raised.value)
    assert problem.status == 400
    return problem.code, problem.path


def set_card(state: whist_pb2.WhistState) -> None:
    state.hands[0].cards[3] = "XX"


STATE_FAULTS = [
    (set_card, "$.state.hands[0].cards[3]"),
    (lambda s: s.hands[1].cards.append(""), "$.state.hands[1].cards[7]"),
    (lambda s: setattr(s.hands[2], "hidden", -1), "$.state.hands[2].hidden"),
    (lambda s: setattr(s.to_act, "seat", 18), "$.state.toAct.seat"),
    (lambda s: setattr(s, "dealer", 2**31 - 1), "$.state.dealer"),
    (lambda s: setattr(s, "phase", 77), "$.state.phase"),
    (lambda s: setattr(s.options, "rubber_bonus", 9), "$.state.options.rubberBonus"),
    (lambda s: setattr(s.options, "target", 7), "$.state.options.target"),
    (lambda s: setattr(s.options, "slam_bonus", 1_000_001), "$.state.options.slamBonus"),
    (lambda s: s.seating.add(seats=[0, 40]), "$.state.seating[4][1]"),
    (lambda s: s.hands.extend([common_pb2.Hand()] * 15), "$.state.hands"),
    (lambda s: setattr(s, "seed", ""), "$.state.seed"),
    (lambda s: setattr(s, "seed", "x" * 257), "$.state.seed"),
    (lambda s: s.viewer.SetInParent(), "$.state.viewer"),
    (lambda s: setattr(s.viewer, "spectator", False), "$.state.viewer"),
    (lambda s: setattr(s.viewer, "seat", -1), "$.state.viewer"),
    (lambda s: s.score.points.append(3), "$.state.score.points"),
    (lambda s: s.history.events.add(), "$.state.history[0]"),
    (lambda s: s.history.events.add().played.SetInParent(), "$.state.history[0].card"),
    (lambda s: s.history.events.add().tied.SetInParent(), "$.state.history[0]"),
    (lambda s: s.tricks[0].cards.append("AS"), "$.state.tricks[0].cards"),
    (lambda s: setattr(s.tricks[1], "winner", 4), "$.state.tricks[1].winner"),
    (lambda s: setattr(s, "trump", "X"), "$.state.trump"),
    (lambda s: s.ClearField("options"), "$.state"),
    (lambda s: s.ClearField("phase"), "$.state"),
]


@pytest.mark.parametrize(("change", "path"), STATE_FAULTS)
def test_the_fault_in_a_state_is_told_by_its_json_path(change: Any, path: str) -> None:
    message = referee_pb2.ViewStateRequest.FromString(requests()["ViewState"])
    change(message.state.whist)
    assert fault(CODEC.reader("ViewStateRequest"), message.SerializeToString()) == ("MALFORMED", path)


MOVE_FAULTS = [
    (common_pb2.MoveInput(), "$.move"),
    (common_pb2.MoveInput(text="play ZZ"), "$.move"),
    (common_pb2.MoveInput(text=""), "$.move"),
    (common_pb2.MoveInput(move=common_pb2.Move()), "$.move"),
    (common_pb2.MoveInput(move=common_pb2.Move(play=common_pb2.Play(card="1S"))), "$.move.card"),
    (common_pb2.MoveInput(move=common_pb2.Move(claim=common_pb2.Claim(seat=1))), "$.move.trick"),
    (common_pb2.MoveInput(move=common_pb2.Move(end=common_pb2.End()), text="draw"), "$.move.text"),
    (common_pb2.MoveInput(move=common_pb2.Move(play=common_pb2.Play(card="1S")), text="draw"), "$.move.move.card"),
]


@pytest.mark.parametrize(("move", "path"), MOVE_FAULTS)
def test_the_fault_in_a_move_is_told_by_its_json_path(move: common_pb2.MoveInput, path: str) -> None:
    message = referee_pb2.PlayMoveRequest.FromString(requests()["PlayMove"])
    message.move.CopyFrom(move)
    assert fault(CODEC.reader("PlayMoveRequest"), message.SerializeToString()) == ("MALFORMED", path)


@pytest.mark.parametrize(
    ("name", "data", "path"),
    [
        ("DealRequest", b"", "$"),
        ("DealRequest", b"\xff\xff\xff", "$"),
        (
            "DealRequest",
            referee_pb2.DealRequest(whist=whist_pb2.WhistDealRequest(places=0)).SerializeToString(),
            "$.places",
        ),
        ("DealRequest", b"\x0a\x04\x3a\x02\xff\xfe", "$"),
        ("GetGameRequest", b"\x0a\x02\xc3\x28", "$"),
        ("PlayMoveRequest", b"", "$"),
        ("PlayMoveRequest", referee_pb2.PlayMoveRequest(state=games_pb2.State()).SerializeToString(), "$.state"),
        ("CreateTableRequest", b"", "$"),
        ("PlayTableMoveRequest", tables_pb2.PlayTableMoveRequest(table="x").SerializeToString(), "$"),
        ("ClaimPlaceRequest", tables_pb2.ClaimPlaceRequest(table="x" * 65).SerializeToString(), "$.table"),
        ("ClaimPlaceRequest", tables_pb2.ClaimPlaceRequest(table="x").SerializeToString(), "$.joinCode"),
        ("AddEntropyRequest", tables_pb2.AddEntropyRequest(entropy="xy").SerializeToString(), "$.entropy"),
        ("UndoTableRequest", tables_pb2.UndoTableRequest(expected_version=-1).SerializeToString(), "$.expectedVersion"),
        (
            "WatchTableRequest",
            tables_pb2.WatchTableRequest(after_version=2**31 - 1).SerializeToString(),
            "$.afterVersion",
        ),
        ("ScoreRequest", b"", "$"),
        ("ScoreRequest", referee_pb2.ScoreRequest(whist=whist_pb2.WhistScoreFactsRequest()).SerializeToString(), "$"),
    ],
)
def test_what_is_no_request_is_malformed(name: str, data: bytes, path: str) -> None:
    assert fault(CODEC.reader(name), data) == ("MALFORMED", path)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_json_does_not_have_are_malformed(number: float) -> None:
    message = tables_pb2.CreateTableRequest(whist=whist_pb2.WhistCreateTableRequest())
    message.whist.meta.metas.add()
    message.whist.meta.metas.add().fields["a"].list_value.values.add().number_value = number
    assert fault(CODEC.reader("CreateTableRequest"), message.SerializeToString()) == ("MALFORMED", "$.meta[1]")


@pytest.mark.parametrize("name", ["State", "PlayMoveRequest"])
def test_a_fault_is_told_as_rest_tells_it(name: str) -> None:
    """The same position with the same fault, as JSON: code, path and words agree."""
    json = msgspec.json.decode(msgspec.json.encode(mid_hand()))
    json["hands"][0]["cards"][3] = "XX"
    body = json if name == "State" else {"state": json, "move": "end"}
    with pytest.raises(msgspec.ValidationError) as told:
        msgspec.convert(body, MEANINGS[name], dec_hook=messages.from_json)
    message = games_pb2.State.FromString(CODEC.writer("State")(mid_hand()))
    set_card(message.whist)
    if name == "PlayMoveRequest":
        message = referee_pb2.PlayMoveRequest(state=message, move=common_pb2.MoveInput(text="end"))  # type: ignore[assignment]
    with pytest.raises(msgspec.ValidationError) as ours:
        CODEC.reader(name)(message.SerializeToString())
    assert problem_of(ours.value) == problem_of(told.value)


def test_numbers_that_do_not_fit_are_not_written() -> None:
    with pytest.raises(ValueError, match="32 bits"):
        CODEC.writer("State")(msgspec.structs.replace(mid_hand(), dealer=2**31))
    assert varint(-1) == b"\xff" * 9 + b"\x01"
    assert CODEC.writer("State")(msgspec.structs.replace(mid_hand(), to_act=Turn(-1, 3), hands=(Hand(hidden=300),)))
