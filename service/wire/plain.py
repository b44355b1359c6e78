"""Messages as the plain values that JSON would have brought, for the careful second look at what a reader doubted."""

from typing import Any

import msgspec
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from msgspec import NODEFAULT

from engine.violations import Malformed
from service.messages import from_json

from .plan import Boxed, Choice, Eyes, Field, Json, Kind, Many, Moving, OneOf, Record
from .source import whole


def read_carefully(kind: Record | OneOf, message: Message) -> Any:
    """The struct that the message means. Malformed, or msgspec's ValidationError, with the path of what is wrong."""
    record = kind if isinstance(kind, Record) else _arm(kind, message, "$")
    held = message if isinstance(kind, Record) else getattr(message, str(message.WhichOneof(kind.name)))
    return msgspec.convert(_record(record, held, "$"), record.struct, dec_hook=from_json)


def _arm(kind: OneOf, message: Message, path: str) -> Record:
    arm = message.WhichOneof(kind.name)
    if arm is None:
        raise Malformed(path, f"nothing is set: one of {', '.join(kind.arms)} must be")
    return kind.arms[arm]


def _record(record: Record, message: Message, path: str) -> dict[str, Any]:
    config = record.struct.__struct_config__  # type: ignore[attr-defined]
    values = {} if config.tag is None else {config.tag_field: config.tag}
    for each in record.fields:
        if _is_there(each, message):
            values[each.json] = _value(each.kind, getattr(message, each.wire.name), f"{path}.{each.json}")
        elif each.default is None:
            values[each.json] = None
    return values


def _is_there(each: Field, message: Message) -> bool:
    """Whether the field has a value of its own; what is required and has no presence always has."""
    if each.wire.has_presence:
        return message.HasField(each.wire.name)
    return bool(getattr(message, each.wire.name)) or (each.default is NODEFAULT and not isinstance(each.kind, Choice))


def _value(kind: Kind, value: Any, path: str) -> Any:
    match kind:
        case Choice(numbers=numbers):
            text = next((text for text, number in numbers.items() if number == value), None)
            if text is None:
                raise Malformed(path, f"the enum has no value {value}")
            return text
        case Many(item=item, longest=longest):
            looked_at = value if longest is None else value[: longest + 1]
            return [_value(item, each, f"{path}[{index}]") for index, each in enumerate(looked_at)]
        case Boxed(many=many, box=box):
            return _value(many, getattr(value, box.name), path)
        case Json():
            return _json(value, path)
        case Eyes(number=number, word=word):
            if value.HasField(number.name):
                return getattr(value, number.name)
            if getattr(value, word.name):
                return word.name
            raise Malformed(path, f"nothing is set: {number.name} or {word.name} must be")
        case Moving():
            return _move(kind, value, path)
        case OneOf():
            return _record(_arm(kind, value, path), getattr(value, value.WhichOneof(kind.name)), path)
        case Record():
            return _record(kind, value, path)
    return value


def _json(value: Any, path: str) -> Any:
    try:
        return whole(MessageToDict(value))
    except ValueError:
        raise Malformed(path, "numbers are finite") from None


def _move(kind: Moving, value: Any, path: str) -> Any:
    """A move as JSON has it: its text, its object, or the pair of both."""
    if not value.HasField("move"):
        if not value.HasField("text"):
            raise Malformed(path, "nothing is set: move or text must be")
        return value.text
    if not value.HasField("text"):
        return _value(kind.move, value.move, path)
    return {"move": _value(kind.move, value.move, f"{path}.move"), "text": value.text}
