"""The codec: both ways, over everything that play reaches and every field there is."""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message_factory import GetMessageClass
from msgspec import inspect

from engine.cards import Card
from engine.game import LegalMove
from engine.mechanics.listing import LISTED_PLAYS
from engine.moves import Play
from engine.violations import LANGUAGES, Code, Malformed, violation
from service import messages
from service.errors import problem_of
from service.messages import MoveInput
from service.wire.codec import CODEC, MEANINGS
from service.wire.extension import NAME, NONE, functions_of
from service.wire.gen.scheids.v1 import common_pb2, games_pb2, referee_pb2, whist_pb2
from service.wire.plain import read_carefully
from service.wire.reading import reader
from service.wire.source import DOUBTS, Doubt, Source, Spellings, number_at, numbers_of, varint
from service.wire.writing import writer
from tests.service.grpc_messages import mid_hand, played, positions, random_message, random_struct, records, value_of
from tests.service.running import ROOT

COMPILED = os.environ.get("SCHEIDS_TEST_COMPILED") == "1"


def quick_readers() -> dict[str, Any]:
    """The readers that doubt, without the careful look that follows; those of the extension where that is tested."""
    source, extension = Source(), functions_of(CODEC.extension).readers
    assert bool(extension) == COMPILED
    plain = {name: source.compiled(reader(source, plan)) for name, plan in CODEC.plans.items()}
    return {name: whole(read) for name, read in {**plain, **extension}.items()}


def whole(read: Callable[[bytes, int, int], Any]) -> Callable[[bytes], Any]:
    """Reads all of the data."""
    return lambda data: read(data, 0, len(data))


QUICK = quick_readers()


def test_states_and_views_come_back_as_they_were() -> None:
    read, write = CODEC.reader("State"), CODEC.writer("State")
    seen = 0
    for state in positions():
        data = write(state)
        message = games_pb2.State.FromString(data)
        assert read(data) == QUICK["State"](data) == read_carefully(CODEC.plans["State"], message) == state
        assert read(message.SerializeToString()) == state
        assert games_pb2.State.FromString(data) == message
        seen += 1
    assert seen > 100


def test_what_is_written_is_what_json_has() -> None:
    """Field for field: protobuf's own JSON differs from ours in enums, wrapped lists and unions only."""
    state = mid_hand()
    json = msgspec.to_builtins(state)
    read = games_pb2.State.FromString(CODEC.writer("State")(state))
    message = MessageToDict(read, always_print_fields_with_no_presence=True)["whist"]
    assert [hand["cards"] for hand in message["hands"]] == [list(hand["cards"]) for hand in json["hands"]]
    assert [trick["cards"] for trick in message["tricks"]] == [list(trick["cards"]) for trick in json["tricks"]]
    assert message["toAct"] == json["toAct"]
    assert message["seed"] == json["seed"]
    assert message["trumpCard"] == json["trumpCard"]
    assert set(json) - set(message) == {"game"}
    assert set(message) - set(json) <= {"mayAlso", "draws", "claims", "score"}


@pytest.mark.parametrize("name", sorted(MEANINGS))
def test_every_message_comes_back_as_it_was(name: str) -> None:
    read, write, plan = CODEC.reader(name), CODEC.writer(name), CODEC.plans[name]
    parse = GetMessageClass(plan.of).FromString
    for seed in range(40):
        value = random_struct(MEANINGS[name], random.Random(seed))
        data = write(value)
        assert read(data) == QUICK[name](data) == read_carefully(plan, parse(data)) == value
        assert read(parse(data).SerializeToString()) == value


def test_every_field_makes_a_difference() -> None:
    """Each field, set to each thing it may be, is found again."""
    for record in records().values():
        if record.struct is messages.BatchResult:  # of which one answer is set, not any
            continue
        source, kind = Source(), inspect.type_info(record.struct)
        read, write = whole(source.compiled(reader(source, record))), source.compiled(writer(source, record))
        for seed, field in enumerate(kind.fields * 5):  # type: ignore[attr-defined]
            choices = random.Random(seed)
            base = value_of(kind, choices)
            with suppress(ValueError):  # what the struct itself refuses
                base = msgspec.structs.replace(base, **{field.name: value_of(field.type, choices)})
            assert read(write(base)) == base


# --- the readers that doubt, against the careful look


@pytest.mark.parametrize("name", sorted(name for name in MEANINGS if not name.endswith("Response")))
def test_what_a_reader_does_not_doubt_is_what_the_careful_look_finds(name: str) -> None:
    plan = CODEC.plans[name]
    for seed in range(150):
        message = random_message(plan.of, random.Random(seed))
        try:
            value = QUICK[name](message.SerializeToString())
        except DOUBTS:
            continue
        assert read_carefully(plan, message) == value


def spoilt(data: bytes, choices: random.Random) -> bytes:
    """The data with some of them changed, left out, said twice or in another place."""
    spoilt = bytearray(data)
    for _ in range(choices.randint(1, 3)):
        at, to = sorted(choices.choices(range(len(spoilt) + 1), k=2))
        to = min(to, at + choices.choice((1, 2, 4, 40)))
        part = spoilt[at:to]
        match choices.randrange(5):
            case 0:
                spoilt[at:to] = b""
            case 1:
                spoilt[to:to] = part
            case 2:
                spoilt[at:to] = choices.randbytes(len(part))
            case 3 if part:
                spoilt[at] ^= 1 << choices.randrange(8)
            case _:
                other = choices.randint(0, len(spoilt))
                spoilt[other:other] = part
    return bytes(spoilt)


@pytest.mark.parametrize("name", sorted(name for name in MEANINGS if not name.endswith("Response")))
def test_what_a_reader_makes_of_spoilt_bytes_is_what_the_careful_look_finds(name: str) -> None:
    write, plan = CODEC.writer(name), CODEC.plans[name]
    parse = GetMessageClass(plan.of).FromString
    trusted = 0
    for seed in range(120):
        choices = random.Random(seed)
        data = spoilt(write(random_struct(MEANINGS[name], choices)), choices)
        try:
            value = QUICK[name](data)
        except DOUBTS:
            continue
        trusted += 1
        assert read_carefully(plan, parse(data)) == value, data
    assert trusted


@pytest.mark.parametrize(
    ("data", "trusted"),
    [
        (b"\x0a\x81\x80\x00t", True),  # a size in more bytes than it needs
        (b"\x0a\x81\x80\x80\x80\x00t", True),  # in as many as there may be
        (b"\x0a\x81\x80\x80\x80\x80\x00t", False),  # in more
        (b"\x0a\x02t", False),  # of more than there is
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01t", False),  # of more than there can be
        (b"\x10\xac\x02", True),  # a number in two bytes
        (b"\x10" + b"\xff" * 9 + b"\x01", False),  # below the least version
        (b"\x10\x81", False),  # a number without an end
        (b"\x10", False),
        (b"\x20\x01\x0a\x01t", True),  # fields in another order
        (b"\x20\x01\x20\x02", True),  # of two values the last counts
        (b"\x20\x01" * 1_000, False),  # of so many too, but who sends them?
        (b"\x0a\x01\xff", False),  # a text that is not UTF-8
        (b"\x00", False),  # a field that cannot be
        (b"\xf8\x01\x01", False),  # a field that nobody knows
    ],
)
def test_what_is_on_the_wire_is_read_as_protobuf_reads_it(data: bytes, trusted: bool) -> None:  # noqa: FBT001 - a case
    name = "ReissueTokenRequest"
    plan = CODEC.plans[name]
    parse, found = GetMessageClass(plan.of).FromString, []
    for read in (QUICK[name], lambda data: read_carefully(plan, parse(data)), CODEC.reader(name)):
        try:
            found.append(read(data))
        except (*DOUBTS, msgspec.ValidationError) as fault:
            found.append(type(fault))
    quick, careful, either = found
    assert isinstance(quick, messages.ReissueTokenRequest) == trusted
    assert quick == careful == either or not trusted
    assert careful == either or not isinstance(careful, messages.ReissueTokenRequest)


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**31 - 1, -1, -129, -(2**31)])
def test_numbers_are_read_as_protobuf_writes_them(number: int) -> None:
    data = common_pb2.Numbers(numbers=[number]).SerializeToString()[2:]
    assert data == varint(number)
    assert number_at(data, 0) == number
    assert numbers_of(data + data) == (number, number)


@pytest.mark.parametrize(
    "data", [b"\xff\xff\xff\xff\x0f", b"\xff" * 10 + b"\x01", b"\xff" * 8 + b"\x7f", b"\xff" * 9 + b"\x7f", b"\x80"]
)
def test_numbers_of_more_than_32_bits_are_doubted(data: bytes) -> None:
    with pytest.raises(DOUBTS):
        number_at(data, 0)


SMALL_KINDS = (
    "Turn",
    "Hand",
    "FreeAction",
    "Trick",
    "Play",
    "Deal",
    "Claim",
    "Choose",
    "Item",
    "WhistScore",
    "WhistOptions",
    "PeeweeCall",
    "PeeweeRow",
    "WippenOptions",
    "WipeTrick",
    "Flip7FlipThree",
    "NextCard",
    "Figure",
)


@pytest.mark.parametrize("name", SMALL_KINDS)
def test_readers_of_parts_agree_with_the_careful_look(name: str) -> None:
    record, source, trusted = records()[name], Source(), 0
    quick = whole(source.compiled(reader(source, record)))
    for seed in range(200):
        message = random_message(record.of, random.Random(seed))
        try:
            value = quick(message.SerializeToString())
        except DOUBTS:
            continue
        trusted += 1
        assert read_carefully(record, message) == value
    assert trusted


def test_of_two_answers_the_last_counts() -> None:
    """Also where a message has fields beside those of which one is set."""
    sample, simulate = b"\x52\x00", b"\x5a\x00"
    for data in (sample + simulate, simulate + sample):
        with pytest.raises(Doubt):
            QUICK["BatchResult"](data)
        found = referee_pb2.BatchResult.FromString(CODEC.writer("BatchResult")(CODEC.reader("BatchResult")(data)))
        assert found.WhichOneof("result") == referee_pb2.BatchResult.FromString(data).WhichOneof("result")


def test_of_a_list_too_long_no_more_is_looked_at_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[bytes] = []

    def look_up(spellings: Spellings, text: bytes) -> Any:
        looked_up.append(text)
        return spellings.of(text.decode())

    monkeypatch.setattr(Spellings, "__missing__", look_up)
    source, hand = Source(), records()["Hand"]
    quick = whole(source.compiled(reader(source, hand)))
    assert len(quick(common_pb2.Hand(cards=["as"] * 104).SerializeToString()).cards) == len(looked_up) == 104
    with pytest.raises(Doubt):
        quick(common_pb2.Hand(cards=["as"] * 10_000).SerializeToString())
    assert len(looked_up) == 208


def test_a_reader_and_a_writer_are_made_once() -> None:
    assert CODEC.reader("PlayTableMoveRequest") is CODEC.reader("PlayTableMoveRequest")
    assert CODEC.writer("PlayTableMoveResponse") is CODEC.writer("PlayTableMoveResponse")


@pytest.mark.parametrize("words", [None, "xx"], ids=["its own text", "another text"])
def test_a_play_that_is_always_the_same_is_written_as_any_equal_one_and_another_as_it_is(words: str | None) -> None:
    """What is known of the one must not be told of another."""
    write = CODEC.writer("ListLegalMovesResponse")
    for card, listed in LISTED_PLAYS.items():
        other = LegalMove(Play(card), words or listed.text)
        mine, its = (
            referee_pb2.ListLegalMovesResponse.FromString(
                write(messages.ListLegalMovesResponse(moves=(each,), total="1", truncated=False))
            ).moves[0]
            for each in (listed, other)
        )
        assert (mine == its) == (words is None)
        assert (its.text, mine.text) == (other.text, listed.text)
        assert mine.move == its.move


# --- the extension


def test_an_extension_made_of_another_source_is_left_alone_and_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    other = ModuleType(NAME)
    other.MADE_OF = "another source"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, NAME, other)
    assert functions_of(CODEC.extension) is NONE
    assert "another source" in caplog.text


def test_what_only_has_the_name_of_an_extension_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, NAME, ModuleType(NAME))
    assert functions_of(CODEC.extension) is NONE


def test_an_extension_whose_source_is_not_here_is_left_alone_and_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_source(_: object) -> str:
        raise OSError("could not get source code")

    monkeypatch.setattr("service.wire.extension.getsource", no_source)
    monkeypatch.setitem(sys.modules, NAME, ModuleType(NAME))
    assert functions_of(CODEC.extension) is NONE
    assert "could not get source code" in caplog.text


def test_an_extension_that_cannot_be_loaded_is_left_alone_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / f"{NAME}{EXTENSION_SUFFIXES[0]}").write_bytes(b"half of it")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    assert functions_of(CODEC.extension) is NONE
    assert "cannot be loaded" in caplog.text


def test_the_source_of_the_extension_is_the_same_in_every_process() -> None:
    """Else no process would take what another has made."""
    program = "from service.wire.codec import CODEC; print(CODEC.extension().digest)"
    environ = {**os.environ, "PYTHONHASHSEED": "1"}
    told = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environ, capture_output=True, check=True)
    assert told.stdout.decode().strip() == CODEC.extension().digest


# --- what is read


def read_state(change: Any) -> Any:
    message = games_pb2.State.FromString(CODEC.writer("State")(mid_hand()))
    change(message.whist)
    return CODEC.reader("State")(message.SerializeToString())


def test_other_spellings_of_cards_are_understood() -> None:
    def spell(state: whist_pb2.WhistState) -> None:
        for hand in state.hands:
            hand.cards[:] = [card.lower().replace("t", "10") for card in hand.cards]
        state.trump = state.trump.lower()

    assert read_state(spell) == mid_hand()


def test_absent_fields_are_the_defaults() -> None:
    def strip(state: whist_pb2.WhistState) -> None:
        state.options.Clear()
        state.ClearField("score")

    assert read_state(strip) == mid_hand()
    data = referee_pb2.ListLegalMovesRequest(state=games_pb2.State.FromString(CODEC.writer("State")(mid_hand())))
    assert CODEC.reader("ListLegalMovesRequest")(data.SerializeToString()) == messages.ListLegalMovesRequest(
        state=mid_hand()
    )


def test_none_and_empty_differ() -> None:
    read, write = CODEC.reader("DealRequest"), CODEC.writer("DealRequest")
    for request in (
        messages.WhistDealRequest(),
        messages.WhistDealRequest(seating=(), deck=()),
        messages.WhistDealRequest(seating=((), (1,)), ruleset=1, dealer=0),
    ):
        assert read(write(request)) == request


def test_what_is_noted_of_places_comes_back_as_it_was() -> None:
    read, write = CODEC.reader("CreateTableRequest"), CODEC.writer("CreateTableRequest")
    notes = {"id": 2**53, "big": 1e300, "half": 0.5, "none": None, "in": {"list": [True, -3, "é", [], {}]}}
    for request in (
        messages.WhistCreateTableRequest(),
        messages.WhistCreateTableRequest(names=(), meta=()),
        messages.WipeCreateTableRequest(names=("", "Ada"), meta=({}, notes), ttl_seconds=1),
    ):
        assert read(write(request)) == request
    found = read(write(messages.WipeCreateTableRequest(meta=(notes,)))).meta[0]
    assert {name: type(value) for name, value in found.items()} == {name: type(value) for name, value in notes.items()}


def test_unknown_fields_are_ignored() -> None:
    data = CODEC.writer("State")(mid_hand()) + varint(1999 << 3 | 2) + b"\x03abc"
    assert CODEC.reader("State")(data) == mid_hand()


def test_a_move_may_be_its_text_or_its_message_or_both() -> None:
    read = CODEC.reader("ReplayRequest")
    move = common_pb2.Move(play=common_pb2.Play(card="10d"))
    forms = [
        common_pb2.MoveInput(move=move),
        common_pb2.MoveInput(text="play 10d"),
        common_pb2.MoveInput(move=move, text="play TD"),
    ]
    record = whist_pb2.WhistReplayRequest(moves=[common_pb2.RecordedMove(move=form) for form in forms])
    found = read(referee_pb2.ReplayRequest(whist=record).SerializeToString()).moves
    assert [each.move for each in found] == [MoveInput(Play(Card("TD")))] * 3


def test_params_come_back_in_every_language() -> None:
    refused = violation("whist", Code.MUST_FOLLOW_SUIT, ledSuit="S", card="AH", cards=("AS", "KS"), count=2)
    for language in LANGUAGES:
        problem = problem_of(Malformed("$.x", language), language)
        problem = msgspec.structs.replace(problem, violation=refused, params={"a": [1, {"b": None}], "c": 1.5})
        assert CODEC.reader("Problem")(CODEC.writer("Problem")(problem)) == problem


def test_matches_are_long_enough_to_mean_something() -> None:
    assert {state.phase for variant in range(6) for state in played(variant, 1)} >= {
        "draw",
        "deal",
        "play",
        "claim",
        "over",
    }
