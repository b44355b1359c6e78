"""What the codec writes of answers and their parts, against what protobuf itself makes of the same."""

import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import msgspec
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec import inspect

from engine.moves import Move
from service import messages
from service.messages import MoveInput
from service.wire.codec import CODEC, Writer
from service.wire.extension import NAME, functions_of
from service.wire.plan import Boxed, Choice, Eyes, Json, Many, Moving, OneOf, Record
from service.wire.source import Source
from service.wire.writing import writer
from tests.service.grpc_messages import records

COMPILED = os.environ.get("SCHEIDS_TEST_COMPILED") == "1"


RECORDS = records(plan for name, plan in CODEC.plans.items() if not name.endswith("Request"))


def writers() -> Mapping[str, Writer]:
    """What writes each of them: functions of the extension where that is tested, else of Python."""
    if COMPILED:
        assert functions_of(CODEC.extension).writers
        return {name: getattr(import_module(NAME), f"write_{name}") for name in RECORDS}
    source = Source()
    return {name: source.compiled(writer(source, record)) for name, record in RECORDS.items()}


WRITERS = writers()
PART = (Phase.generate, Phase.shrink)
WHOLE = (Phase.generate,)
"""What fails in a whole answer fails in a part of it too, which does not take minutes to make smaller."""


# --- structs of any values


def values(info: Any) -> st.SearchStrategy[Any]:  # noqa: C901, PLR0912 - one case a type
    """Values of a type, within its bounds; sizes take one byte to say, or two or three."""
    match info:
        case inspect.Metadata(type=inner):
            return values(inner)
        case inspect.UnionType(types=types):
            return st.one_of([values(each) for each in types])
        case inspect.NoneType():
            return st.none()
        case inspect.BoolType():
            return st.booleans()
        case inspect.EnumType(cls=cls):
            return st.sampled_from(list(cls))
        case inspect.LiteralType(values=literals):
            return st.sampled_from(literals)
        case inspect.IntType(ge=low, le=high):
            low, high = -(2**31) if low is None else low, 2**31 - 1 if high is None else high
            return st.integers(low, min(high, 300)) | st.integers(low, high)
        case inspect.FloatType():
            return st.just(-0.0) | st.floats(allow_nan=False)
        case inspect.StrType(max_length=int(most), pattern=str()):  # the one there is: of bytes in hexadecimal digits
            return st.binary(min_size=1, max_size=most // 2).map(bytes.hex)
        case inspect.StrType(min_length=least, max_length=most):
            short = st.text(min_size=least or 0, max_size=min(most or 9, 9))
            return short | st.sampled_from((127, 128, 4095, 4096, 20_000)).map(lambda size: ("z" * size)[:most])
        case inspect.CustomType():
            return st.builds(MoveInput, values(inspect.type_info(Move)), st.none() | st.text())
        case inspect.DictType(value_type=inspect.AnyType()):
            leaves = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text()
            return st.dictionaries(st.text(), st.recursive(leaves, lambda each: st.lists(each, max_size=3)), max_size=3)
        case inspect.DictType():
            each = st.text() | st.integers(-(2**31), 2**31 - 1) | st.lists(st.text(), max_size=3).map(tuple)
            return st.dictionaries(st.text(), each, max_size=3)
        case inspect.StructType(cls=cls):
            return structs(cls)
        case inspect.TupleType(item_types=items):
            return st.tuples(*map(values, items))
        case inspect.VarTupleType(item_type=item, min_length=least, max_length=most):
            longest = 200 if isinstance(item, inspect.IntType) else 3
            return st.lists(values(item), min_size=least or 0, max_size=min(most or longest, longest)).map(tuple)
    raise NotImplementedError(info)


@cache
def structs(cls: type) -> st.SearchStrategy[Any]:
    """Structs with any of their fields set."""
    fields = inspect.type_info(cls).fields  # type: ignore[attr-defined]
    if cls is messages.BatchResult:  # of which one answer is set, not any
        _, *answers = fields
        return st.one_of([st.builds(cls, id=st.text(), **{each.name: values(each.type)}) for each in answers])
    required = {each.name: values(each.type) for each in fields if each.required}
    optional = {each.name: values(each.type) for each in fields if not each.required}
    return st.fixed_dictionaries(required, optional=optional).map(lambda said: made(cls, said)).filter(bool)


def made(cls: type, said: dict[str, Any]) -> Any:
    """The struct; None where it refuses what it would be made of."""
    try:
        return cls(**said)
    except ValueError:
        return None


# --- protobuf's own messages of them


def message_of(record: Record, value: Any) -> Message:
    message = GetMessageClass(record.of)()
    fill(record, value, message)
    return message


def fill(kind: Any, value: Any, message: Any) -> None:
    """Says the value in a message of its kind."""
    message.SetInParent()
    match kind:
        case Record():
            for field in kind.fields:
                said = getattr(value, field.name)
                if said is not None:
                    put(field.kind, said, message, field.wire)
        case OneOf():
            arm = next(name for name, record in kind.arms.items() if record.struct is type(value))
            fill(kind.arms[arm], value, getattr(message, arm))
        case Boxed(many=many, box=box):
            put(many, value, message, box)
        case Moving(move=move):
            if value.words is None:
                fill(move, value.move, message.move)
            else:
                message.text = value.words
        case Eyes(number=number, word=word):
            is_word = value == word.name
            setattr(message, word.name if is_word else number.name, is_word or value)
        case Json():
            message.update(msgspec.to_builtins(value))


def put(kind: Any, value: Any, message: Any, wire: FieldDescriptor) -> None:
    """Says the value in a field."""
    if isinstance(kind, Many):
        field = getattr(message, wire.name)
        for each in value:
            if wire.message_type is None:
                field.append(plain(kind.item, each))
            else:
                fill(kind.item, each, field.add())
    elif wire.message_type is None:
        setattr(message, wire.name, plain(kind, value))
    else:
        fill(kind, value, getattr(message, wire.name))


def plain(kind: Any, value: Any) -> Any:
    return kind.numbers[value] if isinstance(kind, Choice) else value


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_what_is_written_is_what_protobuf_writes(name: str) -> None:
    record = RECORDS[name]
    write, parse = WRITERS[name], GetMessageClass(record.of).FromString

    @settings(max_examples=12, phases=WHOLE if name in CODEC.plans else PART)
    @given(structs(record.struct))
    def holds(value: Any) -> None:
        message, data = message_of(record, value), write(value)
        assert parse(data) == message
        assert data == message.SerializeToString(deterministic=True)

    holds()
