"""Python source that is written at startup, and what it calls: numbers and texts as protobuf has them on the wire."""

import __future__

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from struct import Struct
from struct import error as StructError  # noqa: N812 - the one exception that has a lower-case name
from typing import Any, Final, TypeVar

import msgspec
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError, Message
from google.protobuf.struct_pb2 import Struct as JsonMessage

from engine.violations import Malformed
from service.messages import MoveInput

VARINT, FIXED, SIZED = 0, 1, 2
SMALL: Final = 128
LONGEST_SIZE, LONGEST_NUMBER = 5, 10
EXACT: Final = 2**53
T = TypeVar("T")


class Doubt(Exception):  # noqa: N818 - not a fault yet
    """A reader cannot vouch for a message."""


DOUBTS: Final = (Doubt, LookupError, ValueError, Malformed, DecodeError, StructError)
"""What a reader raises where it cannot, be it that no table has a text or number, or that the data end too early."""


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


def _varint_at(data: bytes, at: int, longest: int) -> int:
    number = 0
    for shift in range(0, 7 * longest, 7):
        byte = data[at]
        number |= (byte & (SMALL - 1)) << shift
        if byte < SMALL:
            return number
        at += 1
    raise Doubt


def after_varint(data: bytes, at: int) -> int:
    """What comes after the number that begins there."""
    while data[at] >= SMALL:
        at += 1
    return at + 1


def size_at(data: bytes, at: int) -> int:
    """The size that begins there."""
    return _varint_at(data, at, LONGEST_SIZE)


def number_at(data: bytes, at: int) -> int:
    """The number of 32 bits that begins there; negative ones have 64."""
    number = _varint_at(data, at, LONGEST_NUMBER)
    if (1 << 64) - (1 << 31) <= number < 1 << 64:
        return number - (1 << 64)
    if number >= 1 << 31:
        raise Doubt
    return number


def texts_at(
    data: bytes, at: int, end: int, tag: bytes, member: Callable[[bytes], T], most: int
) -> tuple[tuple[T, ...], int]:
    """The texts of a list that begins there, at most so many, and what comes after them."""
    texts: list[T] = []
    while at < end and data.startswith(tag, at):
        at += len(tag)
        to = after_varint(data, at) + size_at(data, at)
        at = after_varint(data, at)
        if to > end or len(texts) == most:
            raise Doubt
        texts.append(member(data[at:to]))
        at = to
    return tuple(texts), at


def numbers_of(data: bytes) -> tuple[int, ...]:
    """The numbers of a packed list."""
    if data.isascii():
        return tuple(data)
    numbers, at = [], 0
    while at < len(data):
        numbers.append(number_at(data, at))
        at = after_varint(data, at)
    return tuple(numbers)


def double_at(data: bytes, at: int) -> float:
    """The double there."""
    number: float = _DOUBLE.unpack_from(data, at)[0]
    return number


SIZES: Final = tuple(varint(size) for size in range(4096))


def sized(tag: bytes, body: bytes) -> bytes:
    """A message, text or packed list as a field."""
    size = len(body)
    return tag + (SIZES[size] if size < len(SIZES) else varint(size)) + body


def packed(tag: bytes, numbers: Iterable[int]) -> bytes:
    """A list of numbers as a field; nothing where it is empty."""
    body = b"".join([SIZES[n] if 0 <= n < SMALL else varint(n) for n in numbers])
    return sized(tag, body) if body else b""


def texted(tag: bytes, text: str) -> bytes:
    """A text as a field; nothing where it is empty."""
    return sized(tag, text.encode()) if text else b""


_DOUBLE: Final = Struct("<d")


def fixed(tag: bytes, number: float) -> bytes:
    """A double as a field."""
    return tag + _DOUBLE.pack(number)


def fixed_unless_zero(tag: bytes, number: float) -> bytes:
    """A double as a field; nothing where it is zero, which minus zero is not."""
    data = _DOUBLE.pack(number)
    return tag + data if any(data) else b""


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


class Spellings(dict[bytes, Any]):
    """An enum's members by their texts; another spelling of one is looked up by the enum itself."""

    def __init__(self, of: type[Enum]) -> None:
        super().__init__({member.value.encode(): member for member in of})
        self.of = of

    def __missing__(self, text: bytes) -> Any:
        return self.of(text.decode())


class Kept(dict[bytes, Any]):
    """Structs by the bytes of their messages, as far as they have been read lately."""

    MOST = 1_000
    LONGEST = 200
    """In bytes; any message can be written at length."""

    def __init__(self, reader: str, functions: Mapping[str, Any]) -> None:
        """`reader` is the name of the one among the functions that reads such a message."""
        super().__init__()
        self._reader = reader
        self._functions = functions

    def __missing__(self, data: bytes) -> Any:
        value = self._functions[self._reader](data, 0, len(data))
        if len(data) <= self.LONGEST:
            if len(self) >= self.MOST:
                self.clear()
            self[data] = value
        return value


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
    """Python source, and the names it uses; `for_cython`, it does by hand what Python has quicker functions for."""

    def __init__(self, *, for_cython: bool = False) -> None:
        self.for_cython = for_cython
        self.lines: list[str] = []
        self.tables: dict[str, str] = {}
        self.exposed: list[str] = []
        self.names: dict[str, Any] = {
            "Doubt": Doubt,
            "FLAGS": (False, True),
            "SIZES": SIZES,
            "after_varint": after_varint,
            "double_at": double_at,
            "fixed": fixed,
            "fixed_unless_zero": fixed_unless_zero,
            "number_at": number_at,
            "numbers_of": numbers_of,
            "of_parts": MoveInput.of_parts,
            "packed": packed,
            "read_json": read_json,
            "size_at": size_at,
            "sized": sized,
            "texted": texted,
            "texts_at": texts_at,
            "varint": varint,
            "write_json": write_json,
        }
        self._done: set[str] = set()
        self._serial = 0

    def compiled(self, name: str) -> Callable[..., Any]:
        """The function of a name, once all that has been written is compiled."""
        if self.lines:
            text = "\n".join([*self.lines, *(f"{name} = {made}" for name, made in self.tables.items())])
            exec(compile(text, "<codec>", "exec", __future__.annotations.compiler_flag), self.names)  # noqa: S102 - it is our own
            self.lines.clear()
            self.tables.clear()
        function: Callable[..., Any] = self.names[name]
        return function

    def table(self, name: str, made: str) -> str:
        """Names what an expression makes of the functions, once they are there."""
        self.tables[name] = made
        return name

    def expose(self, name: str) -> str:
        """Says that a function is called by others than those written here."""
        self.exposed.append(name)
        return name

    def bind(self, value: Any, hint: str) -> str:
        """A name that the source knows the value by."""
        name = self.fresh(hint)
        self.names[name] = value
        return name

    def fresh(self, hint: str) -> str:
        """A name that nothing has yet."""
        self._serial += 1
        return f"{hint}_{self._serial}"

    def once(self, name: str) -> bool:
        """Whether this is the first time that the function is asked for."""
        new = name not in self._done
        self._done.add(name)
        return new

    def function(self, name: str, argument: str, body: Iterable[str]) -> str:
        """Writes a function and returns its name."""
        self.lines += [f"def {name}({argument}):", *(f"    {line}" for line in body), ""]
        return name
