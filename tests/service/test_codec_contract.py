"""The protos and the structs: nothing is missing, no name is a keyword, what does not fit does not start."""

# ruff: noqa: ARG005 - a change is given messages and enums, and needs one of them

import keyword
from collections.abc import Callable

import pytest
from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.struct_pb2 import DESCRIPTOR as STRUCT_FILE

from service.wire.codec import MEANINGS, Codec
from service.wire.gen.scheids.v1 import (
    common_pb2,
    flip7_pb2,
    games_pb2,
    peewee7_pb2,
    referee_pb2,
    tables_pb2,
    whist_pb2,
    wipe_pb2,
    wippen_pb2,
)
from service.wire.plan import Choice, Disagreement, Many
from tests.service.grpc_messages import records

FILES = (common_pb2, whist_pb2, peewee7_pb2, wippen_pb2, wipe_pb2, flip7_pb2, games_pb2, referee_pb2, tables_pb2)


def test_every_message_has_its_struct_but_lists_unions_and_calls() -> None:
    every = {name for file in FILES for name in file.DESCRIPTOR.message_types_by_name}
    lists = {
        "Cards",
        "Hands",
        "Numbers",
        "Seats",
        "Seating",
        "Events",
        "ExplainedCards",
        "CaptureGroups",
        "CaptureShapes",
        "WippenPictureRanks",
        "WippenHeapFacts",
        "WipeCardSets",
        "WipeCounts",
        "WipeTallies",
        "PlaceNames",
        "PlaceMetas",
        "States",
    }
    begun = {"DealRequest", "ReplayRequest", "ScoreRequest", "CreateTableRequest"}
    unions = {"Move", "Call", "MoveInput", "Event", "Viewer", "State"} | begun
    calls = {"ListGamesRequest", "BatchRequest", "BatchCall", "DecideRequest", "DecideResponse"}
    assert every - set(records()) == lists | unions | calls


def test_every_field_of_every_struct_is_planned() -> None:
    for record in records().values():
        assert [field.name for field in record.fields] == list(record.struct.__struct_fields__)  # type: ignore[attr-defined]


KEYWORDS = {
    "go": """
        break case chan const continue default defer else fallthrough for func go goto if import interface map
        package range return select struct switch type var
    """,
    "typescript": """
        break case catch class const continue debugger default delete do else enum export extends false finally
        for function if implements import in instanceof interface let new null package private protected public
        return static super switch this throw true try typeof var void while with yield
    """,
    "java": """
        abstract assert boolean break byte case catch char class const continue default do double else enum
        extends final finally float for goto if implements import instanceof int interface long native new
        package private protected public return short static strictfp super switch synchronized this throw throws
        transient try void volatile while true false null
    """,
    "csharp": """
        abstract as base bool break byte case catch char checked class const continue decimal default delegate do
        double else enum event explicit extern false finally fixed float for foreach goto if implicit in int
        interface internal is lock long namespace new null object operator out override params private protected
        public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw
        true try typeof uint ulong unchecked unsafe ushort using virtual void volatile while
    """,
    "python": " ".join(keyword.kwlist),
}
ALLOWED = {("csharp", "params"), ("csharp", "event")}
"""C# properties are in PascalCase, so that these, the house's own words, are none of its keywords there."""


def all_messages() -> list[Descriptor]:
    return [of for file in FILES for of in file.DESCRIPTOR.message_types_by_name.values()]


@pytest.mark.parametrize("language", sorted(KEYWORDS))
def test_no_name_is_a_keyword(language: str) -> None:
    words = set(KEYWORDS[language].split())
    for of in all_messages():
        names = {field.name for field in of.fields} | {oneof.name for oneof in of.oneofs}
        assert {name for name in names & words if (language, name) not in ALLOWED} == set(), of.name


def test_every_choice_has_all_its_numbers() -> None:
    for record in records().values():
        for field in record.fields:
            kind = field.kind.item if isinstance(field.kind, Many) else field.kind
            if isinstance(kind, Choice):
                assert field.wire.enum_type is not None
                assert set(kind.numbers.values()) | {0} == {value.number for value in field.wire.enum_type.values}


# --- a codec that does not fit

Change = Callable[[dict[str, DescriptorProto], dict[str, EnumDescriptorProto]], object]


def doctored(change: Change) -> dict[str, Descriptor]:
    """The descriptors as they would be if the protos had been changed."""
    protos = [FileDescriptorProto.FromString(file.DESCRIPTOR.serialized_pb) for file in FILES]
    messages = {message.name: message for proto in protos for message in proto.message_type}
    enums = {enum.name: enum for proto in protos for enum in proto.enum_type}
    change(messages, enums)
    pool = DescriptorPool()
    pool.AddSerializedFile(STRUCT_FILE.serialized_pb)
    for proto in protos:
        pool.Add(proto)
    return {name: pool.FindMessageTypeByName(f"scheids.v1.{name}") for name in MEANINGS}


def field(of: DescriptorProto, name: str) -> FieldDescriptorProto:
    return next(each for each in of.field if each.name == name)


def remove(of: DescriptorProto, name: str) -> None:
    of.field.remove(field(of, name))


def implicit(of: DescriptorProto, name: str) -> None:
    """Makes a field no longer optional."""
    found = field(of, name)
    found.proto3_optional = False
    del of.oneof_decl[found.oneof_index]
    for each in of.field:
        if each.HasField("oneof_index") and each.oneof_index > found.oneof_index:
            each.oneof_index -= 1
    found.ClearField("oneof_index")


def optional(of: DescriptorProto, name: str) -> None:
    """Makes a field optional."""
    found = field(of, name)
    found.proto3_optional = True
    found.oneof_index = len(of.oneof_decl)
    of.oneof_decl.add(name=f"_{name}")


def test_the_protos_as_they_are_fit() -> None:
    Codec(MEANINGS, doctored(lambda m, e: None))


DISAGREEMENTS: list[tuple[Change, str]] = [
    (lambda m, e: remove(m["WhistState"], "deals"), "WhistState.deals: WhistState has it, the message has not"),
    (
        lambda m, e: m["Hand"].field.add(name="extra", number=999, type=5, label=1),
        "Hand.extra: the message has it, Hand has not",
    ),
    (lambda m, e: setattr(field(m["Turn"], "seat"), "type", 9), "Turn.seat: must be int32, is string"),
    (lambda m, e: setattr(field(m["Figure"], "value"), "type", 5), "Figure.value: must be double, is int32"),
    (lambda m, e: setattr(field(m["Turn"], "seat"), "label", 3), "Turn.seat: is repeated, the struct has no list"),
    (lambda m, e: setattr(field(m["Hand"], "cards"), "label", 1), "Hand.cards: must be repeated"),
    (lambda m, e: implicit(m["Trick"], "winner"), "Trick.winner: must be optional"),
    (lambda m, e: implicit(m["WhistOptions"], "turn_up"), "WhistOptions.turn_up: must be optional"),
    (lambda m, e: optional(m["WhistState"], "ruleset"), "WhistState.ruleset: must not be optional"),
    (lambda m, e: optional(m["Choose"], "penalty"), "Choose.penalty: an enum is absent where it is zero"),
    (lambda m, e: e["Chance"].value.pop(), "WhistState.chance: Chance lacks CHANCE_CALLER"),
    (
        lambda m, e: e["Chance"].value.add(name="CHANCE_LUCK", number=9),
        "Chance has CHANCE_LUCK, the struct has no such",
    ),
    (
        lambda m, e: e["TableAct"].value.pop(),
        "WatchTableResponse.act: TableAct lacks TABLE_ACT_ENDED",
    ),
    (
        lambda m, e: setattr(field(m["PlaceMetas"], "metas"), "type_name", ".scheids.v1.Hand"),
        "WhistCreateTableRequest.meta.metas: must be a google.protobuf.Struct",
    ),
    (
        lambda m, e: remove(m["CreateTableRequest"], "wipe"),
        "CreateTableRequest.wipe: must be an arm, a WipeCreateTableRequest",
    ),
    (lambda m, e: implicit(m["TablePlace"], "name"), "TablePlace.name: must be optional"),
    (lambda m, e: remove(m["Event"], "played"), "Event.played: must be an arm, a Played"),
    (
        lambda m, e: m["Move"].field.add(name="rob", number=999, type=5, label=1, oneof_index=0),
        "Move.rob: the message has",
    ),
    (
        lambda m, e: m["State"].field.add(name="x", number=999, type=5, label=1),
        "State: a union must be a message of one oneof",
    ),
    (lambda m, e: remove(m["Viewer"], "spectator"), "WhistState.viewer: must be a oneof of seat and spectator"),
    (lambda m, e: implicit(m["MoveInput"], "text"), "must be a message of a move and an optional text"),
    (
        lambda m, e: m["Cards"].field.add(name="x", number=999, type=5, label=1),
        "must be a message of one repeated field",
    ),
    (
        lambda m, e: setattr(field(m["Violation"], "params"), "type_name", ".scheids.v1.Hand"),
        "must be a google.protobuf.Struct",
    ),
    (lambda m, e: setattr(field(m["WhistState"], "score"), "type_name", ".scheids.v1.Hand"), "Hand"),
]


@pytest.mark.parametrize(("change", "told"), DISAGREEMENTS, ids=[told for _, told in DISAGREEMENTS])
def test_a_codec_that_does_not_fit_does_not_start(change: Change, told: str) -> None:
    with pytest.raises(Disagreement) as raised:
        Codec(MEANINGS, doctored(change))
    assert told in str(raised.value)


def test_every_disagreement_is_told_at_once() -> None:
    def change(messages: dict[str, DescriptorProto], enums: dict[str, EnumDescriptorProto]) -> None:
        remove(messages["WhistState"], "deals")
        optional(messages["WhistState"], "ruleset")
        enums["Chance"].value.pop()

    with pytest.raises(Disagreement) as raised:
        Codec(MEANINGS, doctored(change))
    faults = " ".join(raised.value.faults)
    assert all(each in faults for each in ("WhistState.deals", "WhistState.ruleset", "CHANCE_CALLER"))
