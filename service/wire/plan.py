"""Pairs structs with messages, field by field, and lists everything they disagree about.

The rules: a struct's fields are its message's. A field that may be None has presence in protobuf, an enum's zero or no
message. A default that is not protobuf's own zero needs presence too, or an enum, whose zero then means the default. A
list that may be None, and a list in a list, stands in a small message of its own; one that is never empty is absent
where it is. A union is a message of one `oneof`,
an arm for each tag. Closed sets of texts are enums, named in upper case after the enum.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, get_args

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from msgspec import NODEFAULT, inspect

from engine.moves import Move, Pass, Raise
from service.messages import MoveInput, Problem, ScoreStateRequest

STRUCT: Final = "google.protobuf.Struct"
RENAMED: Final[Mapping[tuple[type, str], str]] = {(Problem, "type"): "problem_type"}
"""Fields whose struct's name is a keyword of a language that clients are generated for."""
ARMS: Final[Mapping[type, str]] = {ScoreStateRequest: "state", Pass: "pass_move", Raise: "raise_move"}
"""The arms of structs that carry no tag, or a tag that is a keyword."""


class Disagreement(Exception):  # noqa: N818 - what it says
    """The structs and the messages do not fit; `faults` has every reason."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(dict.fromkeys(faults))
        super().__init__("the structs and the protos disagree:\n" + "\n".join(f"- {fault}" for fault in self.faults))


@dataclass(frozen=True)
class Number:
    """An int of 32 bits, within bounds or one of a few."""

    low: int | None = None
    high: int | None = None
    allowed: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Real:
    """A float, a double in protobuf."""


@dataclass(frozen=True)
class Flag:
    """A bool."""


@dataclass(frozen=True)
class Text:
    """A str within lengths."""

    shortest: int | None = None
    longest: int | None = None
    pattern: str | None = None


@dataclass(frozen=True)
class Member:
    """A member of an enum of texts, such as a card; a string in protobuf."""

    of: type[Enum]


@dataclass(frozen=True)
class Choice:
    """One of a closed set of texts; an enum in protobuf, whose number each text has."""

    numbers: Mapping[str, int]


@dataclass(frozen=True)
class Many:
    """A tuple: of one kind and within lengths, or of `exactly` so many."""

    item: "Kind"
    shortest: int = 0
    longest: int | None = None
    exactly: int | None = None

    @property
    def never_empty(self) -> bool:
        """Whether an empty list on the wire can only mean that none is said."""
        return bool(self.exactly or self.shortest)


@dataclass(frozen=True)
class Boxed:
    """A tuple in a message of its own."""

    many: Many
    box: FieldDescriptor


@dataclass(frozen=True)
class Json:
    """A dict of plain values, a Struct in protobuf; `type` is what the dict may hold."""

    type: Any


@dataclass(frozen=True)
class Eyes:
    """A viewer: a seat or a word; a `oneof` of a number and a bool."""

    seat: Number
    number: FieldDescriptor
    word: FieldDescriptor


@dataclass(frozen=True)
class Moving:
    """A `MoveInput`: a move, its text, or both."""

    move: "OneOf"
    of: Descriptor


@dataclass(frozen=True)
class OneOf:
    """A union: its arms by their names."""

    name: str
    of: Descriptor
    arms: Mapping[str, "Record"]


@dataclass(eq=False)
class Record:
    """A struct and its message."""

    struct: type
    of: Descriptor
    fields: list["Field"] = field(default_factory=list)


Kind = Number | Real | Flag | Text | Member | Choice | Many | Boxed | Json | Eyes | Moving | OneOf | Record


@dataclass(frozen=True)
class Field:
    """A field of both: `default` is what an absent one becomes, NODEFAULT where it must be there."""

    name: str
    json: str
    kind: Kind
    default: Any
    wire: FieldDescriptor


class Planner:
    """Makes kinds of types and descriptors; `faults` collects what does not fit."""

    def __init__(self, kinds: Iterable[Any]) -> None:
        """`kinds` are those that `root` will be asked for: taken apart together they take a tenth of the time."""
        self.faults: list[str] = []
        self._records: dict[tuple[type, str], Record] = {}
        parts = [part for kind in kinds for part in _alternatives(kind)]
        self._infos = dict(zip(parts, inspect.multi_type_info(parts), strict=True))

    def root(self, kind: Any, of: Descriptor) -> "Record | OneOf":
        """The pair of a message and the struct, or the union of structs, that it means."""
        members = [info for each in _alternatives(kind) for info in _members(self._infos[each])]
        if len(members) == 1 and members[0].cls.__name__ == of.name:
            return self._record(members[0], of)
        return self._one_of(members, of)

    def _fault(self, where: str, what: str) -> None:
        self.faults.append(f"{where}: {what}")

    def _record(self, info: inspect.StructType, of: Descriptor) -> Record:
        key = (info.cls, of.full_name)
        if key in self._records:
            return self._records[key]
        record = self._records[key] = Record(info.cls, of)
        wires = {wire.name: wire for wire in of.fields}
        for each in info.fields:
            name = RENAMED.get((info.cls, each.name), each.name)
            where = f"{of.name}.{name}"
            wire = wires.pop(name, None)
            if wire is None:
                self._fault(where, f"{info.cls.__name__} has it, the message has not")
                continue
            planned = self._field(each, wire, where)
            if planned is not None:
                record.fields.append(planned)
        for name in wires:
            self._fault(f"{of.name}.{name}", f"the message has it, {info.cls.__name__} has not")
        return record

    def _field(self, info: inspect.Field, wire: FieldDescriptor, where: str) -> Field | None:
        bare, optional = _bare(info.type)
        default = info.default
        if default is NODEFAULT and info.default_factory is not NODEFAULT:
            default = info.default_factory()
        if optional and default is NODEFAULT:
            default = None
        if optional and default is not None:
            self._fault(where, "a default beside None cannot be told from an absent field")
        kind = self._kind(bare, wire, where, boxed=optional)
        if kind is None:
            return None
        if isinstance(kind, Number | Real | Flag | Text | Member):
            wanted = default is not NODEFAULT and default != _ZEROS[type(kind)]
            if wire.has_presence != wanted:
                self._fault(where, "must be optional" if wanted else "must not be optional")
        elif isinstance(kind, Choice) and wire.has_presence:
            self._fault(where, "an enum is absent where it is zero: must not be optional")
        elif isinstance(kind, Many) and default not in (NODEFAULT, ()) and not kind.never_empty:
            self._fault(where, "the default of a list that may be empty can only be the empty one")
        return Field(info.name, info.encode_name, kind, default, wire)

    def _kind(self, info: Any, wire: FieldDescriptor, where: str, *, boxed: bool) -> Kind | None:
        """The kind of a field or of a list's item; `boxed`: a list here stands in a message of its own."""
        if isinstance(info, inspect.VarTupleType | inspect.TupleType):
            return self._boxed(info, wire, where) if boxed else self._many(info, wire, where)
        if wire.is_repeated and not boxed:
            self._fault(where, "is repeated, the struct has no list")
            return None
        match info:
            case inspect.StructType() | inspect.UnionType() | inspect.CustomType() | inspect.DictType():
                return self._message(info, wire, where)
            case inspect.LiteralType(values=values) if all(isinstance(value, str) for value in values):
                return self._choice([str(value) for value in values], wire, where)
        made = _scalar(info)
        if made is None:
            self._fault(where, f"there is no rule for {info}")
            return None
        kind, expected = made
        if wire.type != expected:
            self._fault(where, f"must be {_TYPE_NAMES[expected]}, is {_TYPE_NAMES.get(wire.type, wire.type)}")
            return None
        return kind

    def _message(self, info: Any, wire: FieldDescriptor, where: str) -> Kind | None:
        of = wire.message_type
        if of is None:
            self._fault(where, "must be a message")
            return None
        if isinstance(info, inspect.DictType):
            if of.full_name != STRUCT:
                self._fault(where, f"must be a {STRUCT}")
            return Json(_TYPES_OF_DICTS[type(info.value_type)])
        if isinstance(info, inspect.CustomType):
            return self._moving(info, of, where)
        members = _members(info)
        if not members:
            return self._eyes(info, of, where)
        if len(members) == 1 and members[0].cls.__name__ == of.name:
            return self._record(members[0], of)
        return self._one_of(members, of)

    def _one_of(self, members: list[inspect.StructType], of: Descriptor) -> OneOf:
        wires = {wire.name: wire for wire in of.fields}
        if len(of.oneofs) != 1 or any(wire.containing_oneof is None for wire in of.fields):
            self._fault(of.name, "a union must be a message of one oneof")
        arms = {}
        for member in members:
            name = ARMS.get(member.cls) or snake(str(member.tag))
            wire = wires.pop(name, None)
            if wire is None or wire.message_type is None or wire.message_type.name != member.cls.__name__:
                self._fault(f"{of.name}.{name}", f"must be an arm, a {member.cls.__name__}")
                continue
            arms[name] = self._record(member, wire.message_type)
        for name in wires:
            self._fault(f"{of.name}.{name}", "the message has this arm, the union has not")
        return OneOf(of.oneofs[0].name if of.oneofs else "", of, arms)

    def _many(self, info: Any, wire: FieldDescriptor, where: str) -> Many | None:
        if not wire.is_repeated:
            self._fault(where, "must be repeated")
            return None
        item, *others = info.item_types if isinstance(info, inspect.TupleType) else [info.item_type]
        if any(other != item for other in others):
            self._fault(where, "the items of a tuple must be of one kind")
        kind = self._kind(item, wire, where, boxed=True)
        if isinstance(kind, Real):
            self._fault(where, "there is no rule for lists of floats")
        if kind is None:
            return None
        if isinstance(info, inspect.TupleType):
            return Many(kind, exactly=len(info.item_types))
        return Many(kind, info.min_length or 0, info.max_length)

    def _boxed(self, info: Any, wire: FieldDescriptor, where: str) -> Boxed | None:
        of = wire.message_type
        if of is None or len(of.fields) != 1:
            self._fault(where, "must be a message of one repeated field")
            return None
        (box,) = of.fields
        many = self._many(info, box, f"{where}.{box.name}")
        return None if many is None else Boxed(many, box)

    def _choice(self, values: Iterable[str], wire: FieldDescriptor, where: str) -> Choice | None:
        enum: EnumDescriptor | None = wire.enum_type
        if enum is None:
            self._fault(where, "must be an enum")
            return None
        prefix = f"{snake(enum.name).upper()}_"
        expected = {f"{prefix}UNSPECIFIED": "", **{f"{prefix}{snake(value).upper()}": value for value in values}}
        numbers = {value.name: value.number for value in enum.values}
        for name in sorted(expected.keys() - numbers.keys()):
            self._fault(where, f"{enum.name} lacks {name}")
        for name in sorted(numbers.keys() - expected.keys()):
            self._fault(where, f"{enum.name} has {name}, the struct has no such value")
        if numbers.get(f"{prefix}UNSPECIFIED", 0) != 0:
            self._fault(where, f"{prefix}UNSPECIFIED must be 0")
        return Choice({expected[name]: numbers[name] for name in numbers if expected.get(name)})

    def _eyes(self, info: Any, of: Descriptor, where: str) -> Eyes | None:
        match info:
            case inspect.UnionType(types=(inspect.IntType() as seat, inspect.LiteralType(values=(str(word),)))):
                number, flag = of.fields_by_name.get("seat"), of.fields_by_name.get(word)
                if number is None or flag is None or len(of.fields) != len(of.oneofs) + 1:
                    self._fault(where, f"must be a oneof of seat and {word}")
                    return None
                if number.type != FieldDescriptor.TYPE_INT32 or flag.type != FieldDescriptor.TYPE_BOOL:
                    self._fault(where, f"seat must be int32 and {word} bool")
                return Eyes(Number(seat.ge, seat.le), number, flag)
        self._fault(where, f"there is no rule for {info}")
        return None

    def _moving(self, info: inspect.CustomType, of: Descriptor, where: str) -> Moving | None:
        move, text = of.fields_by_name.get("move"), of.fields_by_name.get("text")
        of_move = None if move is None else move.message_type
        if info.cls is not MoveInput or of_move is None or text is None or not text.has_presence:
            self._fault(where, "must be a message of a move and an optional text")
            return None
        return Moving(self._one_of(_members(inspect.type_info(Move)), of_move), of)


def snake(name: str) -> str:
    """A camelCase or CamelCase name in snake_case.

    >>> snake("turnedUp"), snake("WhistMatch")
    ('turned_up', 'whist_match')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _alternatives(kind: Any) -> tuple[Any, ...]:
    """The structs, or unions of structs, that a union is of; a kind that is none by itself."""
    return get_args(kind) or (kind,)


def _bare(info: Any) -> tuple[Any, bool]:
    """The type without its None and descriptions, and whether it had a None."""
    while isinstance(info, inspect.Metadata):
        info = info.type
    if not isinstance(info, inspect.UnionType):
        return info, isinstance(info, inspect.AnyType)
    rest = tuple(each for each in info.types if not isinstance(each, inspect.NoneType))
    optional = len(rest) < len(info.types)
    return (_bare(rest[0])[0] if len(rest) == 1 else inspect.UnionType(rest)), optional


def _members(info: Any) -> list[inspect.StructType]:
    """The structs of a struct's or a union's type; none where there is anything else in it."""
    types = info.types if isinstance(info, inspect.UnionType) else (info,)
    structs = [each for each in types if isinstance(each, inspect.StructType)]
    return structs if len(structs) == len(types) else []


def _scalar(info: Any) -> tuple[Kind, int] | None:
    match info:
        case inspect.IntType(gt=None, lt=None, multiple_of=None):
            return Number(info.ge, info.le), FieldDescriptor.TYPE_INT32
        case inspect.LiteralType(values=values) if all(type(value) is int for value in values):
            return Number(
                allowed=tuple(int(value) for value in values if value is not None)
            ), FieldDescriptor.TYPE_INT32
        case inspect.FloatType(gt=None, lt=None, ge=None, le=None, multiple_of=None):
            return Real(), FieldDescriptor.TYPE_DOUBLE
        case inspect.BoolType():
            return Flag(), FieldDescriptor.TYPE_BOOL
        case inspect.StrType():
            return Text(info.min_length, info.max_length, info.pattern), FieldDescriptor.TYPE_STRING
        case inspect.EnumType(cls=cls) if issubclass(cls, str):
            return Member(cls), FieldDescriptor.TYPE_STRING
    return None


_ZEROS: Final[Mapping[type, Any]] = {Number: 0, Real: 0.0, Flag: False, Text: "", Member: ""}
_TYPES_OF_DICTS: Final[Mapping[type, Any]] = {
    inspect.AnyType: dict[str, Any],
    inspect.UnionType: dict[str, str | int | tuple[str, ...]],
}
_TYPE_NAMES: Final[Mapping[int, str]] = {
    value: name.removeprefix("TYPE_").lower()
    for name, value in vars(FieldDescriptor).items()
    if name.startswith("TYPE_")
}
