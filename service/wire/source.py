"""Python source that is written at startup, and what it calls: numbers and texts as protobuf has them on the wire."""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from struct import Struct
from typing import Any, Final

import msgspec
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct as JsonMessage

from engine.violations import Malformed
from service.messages import MoveInput

VARINT, FIXED, SIZED = 0, 1, 2
SMALL: Final = 128
EXACT: Final = 2**53


class Doubt(Exception):  # noqa: N818 - not a fault yet
    """A reader cannot vouch for a message."""


DOUBTS: Final = (Doubt, KeyError, ValueError, Malformed)
"""What a reader raises where it cannot: a text or number that no table has ends in KeyError or ValueError."""


def varint(number: int) -> bytes:
    """A number as protobuf writes it; negative ones in ten bytes."""
    if -(1 << 31) <= number < 0:
        number += 1 << 64
    elif not 0 <= number < 1 << 31:
        raise ValueError("a number does not fit in 32 bits")
    out = bytearray()
    while number >= SMALL:
        out.append(number & (SMALL - 1) | SMALL)
        number >>= 7
    out.append(number)
    return bytes(out)


_SIZES: Final = tuple(varint(size) for size in range(4096))


def sized(tag: bytes, body: bytes) -> bytes:
    """A message, text or packed list as a field."""
    size = len(body)
    return tag + (_SIZES[size] if size < len(_SIZES) else varint(size)) + body


def packed(tag: bytes, numbers: Iterable[int]) -> bytes:
    """A list of numbers as a field; nothing where it is empty."""
    body = b"".join([_SIZES[n] if 0 <= n < SMALL else varint(n) for n in numbers])
    return sized(tag, body) if body else b""


def texted(tag: bytes, text: str) -> bytes:
    """A text as a field; nothing where it is empty."""
    return sized(tag, text.encode()) if text else b""


_DOUBLE: Final = Struct("<d").pack


def fixed(tag: bytes, number: float) -> bytes:
    """A double as a field."""
    return tag + _DOUBLE(number)


def tag_of(wire: FieldDescriptor) -> bytes:
    """What begins a field on the wire."""
    kind = SIZED if wire.is_repeated else _KINDS.get(wire.type, SIZED)
    return varint(wire.number << 3 | kind)


_KINDS: Final = {
    FieldDescriptor.TYPE_INT32: VARINT,
    FieldDescriptor.TYPE_BOOL: VARINT,
    FieldDescriptor.TYPE_ENUM: VARINT,
    FieldDescriptor.TYPE_DOUBLE: FIXED,
}


class Spellings(dict[str, Any]):
    """An enum's members by their texts; another spelling of one is looked up by the enum itself."""

    def __init__(self, of: type[Enum]) -> None:
        super().__init__({member.value: member for member in of})
        self.of = of

    def __missing__(self, text: str) -> Any:
        return self.of(text)


def write_json(value: Any) -> bytes:
    """A dict of plain values as a Struct's bytes."""
    message = JsonMessage()
    message.update(msgspec.to_builtins(value))
    return message.SerializeToString(deterministic=True)


def read_json(message: Message, kind: Any) -> Any:
    """A Struct as a dict of plain values; whole numbers are ints."""
    return msgspec.convert(whole(MessageToDict(message)), kind)


def whole(value: Any) -> Any:
    """The value with ints for floats that are whole, as far as floats tell one whole number from the next."""
    match value:
        case dict():
            return {key: whole(each) for key, each in value.items()}
        case list():
            return [whole(each) for each in value]
        case float() if value.is_integer() and abs(value) <= EXACT:
            return int(value)
    return value


class Source:
    """Python source, and the names it uses."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {
            "Doubt": Doubt,
            "fixed": fixed,
            "of_parts": MoveInput.of_parts,
            "packed": packed,
            "read_json": read_json,
            "sized": sized,
            "texted": texted,
            "varint": varint,
            "write_json": write_json,
        }
        self._done: set[str] = set()
        self._serial = 0

    def compiled(self) -> Mapping[str, Callable[..., Any]]:
        """The functions, by name: ``read_`` and ``write_`` and the message's."""
        exec(compile("\n".join(self.lines), "<codec>", "exec"), self.names)  # noqa: S102 - the source is our own
        return self.names

    def bind(self, value: Any, hint: str) -> str:
        """A name that the source knows the value by."""
        self._serial += 1
        name = f"{hint}_{self._serial}"
        self.names[name] = value
        return name

    def once(self, name: str) -> bool:
        """Whether this is the first time that the function is asked for."""
        new = name not in self._done
        self._done.add(name)
        return new

    def function(self, name: str, argument: str, body: Iterable[str]) -> str:
        """Writes a function and returns its name."""
        self.lines += [f"def {name}({argument}):", *(f"    {line}" for line in body), ""]
        return name
