"""Writes the functions that turn a message's bytes into structs.

A reader goes through the fields in the order of their numbers, as nearly everybody writes them, and from the start
again where they come in another: as often as there are fields, which does for any order. It trusts what it can check at
a glance. At anything else it raises one of `DOUBTS`: a field it does not know, a message in two parts, a list that is
not packed. Then `plain` looks again and either finds the value after all or tells what is wrong and where.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.struct_pb2 import Struct as JsonMessage
from msgspec import NODEFAULT

from .plan import Boxed, Choice, Eyes, Field, Flag, Json, Kind, Many, Member, Moving, Number, OneOf, Real, Record, Text
from .source import SMALL, Kept, Source, Spellings, tag_of

INT: Final = "cython.Py_ssize_t"
ARGUMENTS: Final = f"data: bytes, at: {INT}, end: {INT}"
"""A message is the part of the data from `at` up to `end`. Types are for Cython; Python does not look at them."""

NEXT: Final = "tag = data[at] if at < end else 0"
"""The first byte of the next field; 0, which begins none, where there is no more."""

LARGE: Final = SMALL - 1
MANY_FIELDS: Final = 8
SHORT: Final = 2
"""Bytes of a text that can be found by its characters."""
UNBOUNDED: Final = 1 << 30


def reader(source: Source, kind: Record | OneOf | Moving) -> str:
    """The name of the function that reads a message."""
    name = f"read_{kind.of.name}"
    if not source.once(name):
        return name
    match kind:
        case Record():
            return _record_reader(source, kind, name)
        case OneOf() if not source.for_cython:
            return _one_of_reader(source, kind, name)
        case OneOf(arms=arms):
            parts = [_Part(kind.of.fields_by_name[arm], record, "found") for arm, record in arms.items()]
            return _parts_reader(
                source, name, parts, ["found: object = None"], ["if found is None: raise Doubt"], "found"
            )
        case Moving():
            move, text = kind.of.fields_by_name["move"], kind.of.fields_by_name["text"]
            parts = [_Part(move, kind.move, "move"), _Part(text, Text(), "text")]
            absent = ["move: object = None", "text: object = None"]
            return _parts_reader(source, name, parts, absent, [], "of_parts(move, text)")


def _one_of_reader(source: Source, kind: OneOf, name: str) -> str:
    """Looks the one field that is there up in a table, which is quicker than going through them."""
    arms = []
    for arm, record in kind.arms.items():
        tag = int.from_bytes(tag_of(kind.of.fields_by_name[arm]), "little")
        arms.append(f"{tag}: {reader(source, record)}")
    table = source.table(f"readers_of_{kind.of.name}", f"{{{', '.join(arms)}}}")
    body = [
        "tag = data[at]",
        "at += 1",
        f"if tag > {LARGE}:",
        "    tag += data[at] << 8",
        "    at += 1",
        *_SIZE,
        "if to != end: raise Doubt",
        f"return {table}[tag](data, at, to)",
    ]
    return source.function(name, ARGUMENTS, body)


@dataclass(frozen=True)
class _Part:
    """A field, and the variable that it is put into; an enum's zero, when it is sent, is the default."""

    wire: FieldDescriptor
    kind: Kind
    to: str
    default: Any = NODEFAULT


def _record_reader(source: Source, record: Record, name: str) -> str:
    absent, checks, parts = [], [], []
    for index, each in enumerate(record.fields):
        to = f"v{index}"
        value, check = _absent(source, each, to)
        absent.append(f"{to}: object = {value}")
        checks += check
        parts.append(_Part(each.wire, each.kind, to, each.default))
    checks += _doubt_of_rivals(record)
    arguments = ", ".join(f"{each.name}=v{index}" for index, each in enumerate(record.fields))
    return _parts_reader(source, name, parts, absent, checks, f"{source.bind(record.struct, 'struct')}({arguments})")


def _doubt_of_rivals(record: Record) -> list[str]:
    """Statements for where several fields came of which protobuf keeps the last."""
    rivals: dict[str, list[str]] = {}
    for index, each in enumerate(record.fields):
        if each.wire.containing_oneof is not None:
            rivals.setdefault(each.wire.containing_oneof.name, []).append(f"(v{index} is not None)")
    return [f"if {' + '.join(are_there)} > 1: raise Doubt" for are_there in rivals.values() if len(are_there) > 1]


def _absent(source: Source, each: Field, to: str) -> tuple[str, list[str]]:
    """What a field is until it is read, as an expression, and statements for where it has not been."""
    lacking = [f"if {to} is None: raise Doubt"]
    match each.kind:
        case Many() as many:
            if many.never_empty and each.default is not NODEFAULT:
                return "()", [f"if not {to}: {to} = {source.bind(each.default, 'default')}"]
            return "()", _doubt_if(_wrong_length(many, f"len({to})")) if many.never_empty else []
        case _ if each.default is None:
            return "None", []
        case Choice() | OneOf() | Moving() | Record() | Boxed() | Json() | Eyes():
            if each.default is NODEFAULT:
                return "None", lacking
            if isinstance(each.kind, Choice):
                return repr(each.default), []
            return "None", [f"if {to} is None: {to} = {source.bind(each.default, 'default')}"]
        case Number() | Real() | Flag() | Text() | Member() as kind if not each.wire.has_presence:
            return _zero(source, kind, to)
    if each.default is NODEFAULT:
        return "None", lacking
    return source.bind(each.default, "default"), []


def _zero(source: Source, kind: Number | Real | Flag | Text | Member, to: str) -> tuple[str, list[str]]:
    """As `_absent`, of what is zero where it is absent: a zero may be out of bounds."""
    match kind:
        case Real():
            return "0.0", []
        case Flag():
            return "False", []
        case Number():
            return "0", _doubt_if(_out_of_bounds(source, kind, to)) if _refuses(kind, 0) else []
        case Text():
            return '""', _doubt_if(_out_of_bounds(source, kind, to)) if _refuses(kind, "") else []
        case Member():
            return "None", [f"if {to} is None: raise Doubt"]


def _refuses(kind: Number | Text, zero: Any) -> bool:
    match kind:
        case Number():
            if kind.allowed is not None:
                return zero not in kind.allowed
            return not ((kind.low is None or kind.low <= zero) and (kind.high is None or zero <= kind.high))
        case Text():
            return bool(kind.shortest) or kind.pattern is not None


def _parts_reader(
    source: Source, name: str, parts: Iterable[_Part], absent: Iterable[str], checks: Iterable[str], made: str
) -> str:
    in_order = sorted(parts, key=lambda part: part.wire.number)
    fields = [line for part in in_order for line in _read_part(source, part)]
    body = [
        *absent,
        *(f"{name}: {INT}" for name in ("tag", "number", "to", "rounds")),
        "items: list",
        NEXT,
        "rounds = 0",
        "while tag:",
        f"    if rounds == {len(in_order)}: raise Doubt",
        "    rounds += 1",
        *_indented(fields),
        "if at != end: raise Doubt",
        *checks,
        f"return {made}",
    ]
    return source.function(name, ARGUMENTS, body)


def _read_part(source: Source, part: _Part) -> list[str]:
    tag = tag_of(part.wire)
    here = _here(tag)
    if isinstance(part.kind, Many):
        return [f"if {here}:", *_indented(_read_many(source, part.kind, tag, part.to)), f"    {NEXT}"]
    once = _doubt_if(f"{part.to} is not None") if _in_parts(part.kind) else []
    lines = [*once, f"at += {len(tag)}", *_read_value(source, part.kind, part.to, part.default)]
    return [f"if {here}:", *_indented(lines), f"    {NEXT}"]


def _here(tag: bytes) -> str:
    """Whether the next field is this one, as an expression."""
    return " and ".join([f"tag == {tag[0]}", *(f"data[at + {n}] == {byte}" for n, byte in enumerate(tag[1:], 1))])


def _in_parts(kind: Kind) -> bool:
    """Whether two values of a field would be parts of one."""
    return isinstance(kind, Record | OneOf | Moving | Boxed | Json | Eyes)


_SIZE: Final = (
    "to = data[at]",
    "at += 1",
    f"if to > {LARGE}:",
    "    to = size_at(data, at - 1)",
    "    at = after_varint(data, at)",
    "to += at",
    "if to > end: raise Doubt",
)
"""Reads how long a text or message is: it is between `at` and `to` then."""

_NUMBER: Final = (
    "number = data[at]",
    "at += 1",
    f"if number > {LARGE}:",
    "    number = number_at(data, at - 1)",
    "    at = after_varint(data, at)",
)


def _read_value(source: Source, kind: Kind, to: str, zero: Any = NODEFAULT) -> list[str]:
    """Statements that put what begins at `at` into a variable, and put `at` behind it; `zero` is what an enum's is."""
    match kind:
        case Number():
            return [*_NUMBER, *_doubt_if(_out_of_bounds(source, kind, "number")), f"{to} = number"]
        case Flag():
            return [f"{to} = FLAGS[data[at]]", "at += 1"]
        case Real():
            return [f"{to} = double_at(data, at)", "at += 8"]
        case Choice(numbers=numbers):
            unset = {} if zero is NODEFAULT else {0: zero}
            texts = source.bind({**{number: text for text, number in numbers.items()}, **unset}, "texts")
            if max(numbers.values()) < SMALL:
                return [f"{to} = {texts}[data[at]]", "at += 1"]
            return [*_NUMBER, f"{to} = {texts}[number]"]
        case Text():
            return [*_SIZE, f"{to} = data[at:to].decode()", *_doubt_if(_out_of_bounds(source, kind, to)), "at = to"]
        case Member(of=of):
            return [*_SIZE, f"{to} = {source.bind(Spellings(of), 'members')}[data[at:to]]", "at = to"]
        case Json(type=held):
            parse, held_by = source.bind(JsonMessage.FromString, "parse"), source.bind(held, "held")
            return [*_SIZE, f"{to} = read_json({parse}(data[at:to]), {held_by})", "at = to"]
        case Record() if _is_small(kind):
            kept = source.bind(Kept(source.expose(reader(source, kind)), source.names), "kept")
            return [*_SIZE, f"{to} = {kept}[data[at:to]]", "at = to"]
        case _:
            return [*_SIZE, f"{to} = {_message_reader(source, kind)}(data, at, to)", "at = to"]


def _is_small(record: Record) -> bool:
    """Whether it has many fields but few bytes, as a match's options, which come with each request of the match."""
    return len(record.fields) >= MANY_FIELDS and all(
        isinstance(each.kind, Number | Flag | Choice | Member) for each in record.fields
    )


def _message_reader(source: Source, kind: Kind) -> str:
    match kind:
        case Record() | OneOf() | Moving():
            return reader(source, kind)
        case Boxed(many=many, box=box):
            name = source.fresh("read_box")
            checks = _doubt_if(_wrong_length(many, "len(found)")) if many.never_empty else []
            return _parts_reader(source, name, [_Part(box, many, "found")], ["found: object = ()"], checks, "found")
        case Eyes(seat=seat, number=number, word=word):
            name = source.fresh("read_eyes")
            parts = [_Part(number, seat, "seat"), _Part(word, Flag(), "every")]
            absent = ["seat: object = None", "every: object = None"]
            checks = ["if not every if seat is None else every is not None: raise Doubt"]
            return _parts_reader(source, name, parts, absent, checks, f"{word.name!r} if seat is None else seat")
    raise AssertionError(kind)


def _read_many(source: Source, many: Many, tag: bytes, to: str) -> list[str]:
    """Statements that read all the items of a list, one after the other in the data as they always come."""
    length = _doubt_if(_wrong_length(many, f"len({to})"))
    begun = [*_doubt_if(f"len({to})"), f"at += {len(tag)}"]
    match many.item:
        case Number() as kind:
            wrong = _out_of_bounds(source, kind, "each")
            each = [f"for each in {to}:", *_indented(_doubt_if(wrong))] if wrong else []
            return [*begun, *_SIZE, f"{to} = numbers_of(data[at:to])", "at = to", *length, *each]
        case Choice(numbers=numbers):
            text = source.bind({number: text for text, number in numbers.items()}.__getitem__, "text")
            return [*begun, *_SIZE, f"{to} = tuple(map({text}, data[at:to]))", "at = to", *length]
    most = many.longest if many.longest is not None else UNBOUNDED
    if _width(many.item) == SHORT and isinstance(many.item, Member):
        read = (_read_short_texts if source.for_cython else _read_texts)(source, many.item, tag, to, most)
    else:
        item = source.fresh("item")
        value = [*_read_value(source, many.item, item), f"items.append({item})"]
        read = _each(tag, value, most, to)
    return [*_doubt_if(f"len({to})"), *read, *length]


def _each(tag: bytes, read: Iterable[str], most: int, to: str) -> list[str]:
    return [
        "items = []",
        f"while {_here(tag)}:",
        f"    if len(items) == {most}: raise Doubt",
        f"    at += {len(tag)}",
        *_indented(read),
        f"    {NEXT}",
        f"{to} = tuple(items)",
    ]


def _width(kind: Kind) -> int | None:
    """In how many bytes all the texts are usually written, where that is one number."""
    widths = {len(member.value) for member in kind.of} if isinstance(kind, Member) else set()
    return widths.pop() if len(widths) == 1 else None


def _read_texts(source: Source, item: Member, tag: bytes, to: str, most: int) -> list[str]:
    """All at once, where they are as short as they usually are."""
    begin = tag + bytes([SHORT])
    run = source.bind(re.compile(b"(?:%b%b){0,%d}" % (re.escape(begin), b"." * SHORT, most), re.DOTALL).match, "run")
    member = source.bind(Spellings(item.of).__getitem__, "member")
    return [
        f"to = {run}(data, at, end).end()",
        f"if to < end and data[to] == {tag[0]}:",
        f"    {to}, at = texts_at(data, at, end, {tag!r}, {member}, {most})",
        "else:",
        f"    {to} = tuple(map({member}, data[at + {len(begin)}:to].split({begin!r})))",
        "    at = to",
    ]


def _read_short_texts(source: Source, item: Member, tag: bytes, to: str, most: int) -> list[str]:
    """One by one, each found by its two characters, which is what C is fast at."""
    table: list[list[Any] | None] = [None] * SMALL
    for member in item.of:
        first, second = member.value.encode()
        row = table[first] = table[first] or [None] * SMALL
        row[second] = member
    name, spellings = source.bind(table, "table"), source.bind(Spellings(item.of), "members")
    read = [
        f"if data[at] == {SHORT} and at + {SHORT} < end:",
        f"    found = short({name}, data[at + 1], data[at + 2])",
        f"    items.append({spellings}[data[at + 1:at + 1 + {SHORT}]] if found is None else found)",
        f"    at += 1 + {SHORT}",
        "else:",
        *_indented(_SIZE),
        f"    items.append({spellings}[data[at:to]])",
        "    at = to",
    ]
    return _each(tag, read, most, to)


def _wrong_length(many: Many, length: str) -> str:
    if many.exactly is not None:
        return f"{length} != {many.exactly}"
    return _beyond(length, many.shortest or None, many.longest)


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _out_of_bounds(source: Source, kind: Number | Text, value: str) -> str:
    match kind:
        case Number(allowed=allowed) if allowed is not None:
            return f"{value} not in {allowed!r}"
        case Number():
            return _beyond(value, kind.low, kind.high)
        case Text():
            wrong = _beyond(f"len({value})", kind.shortest, kind.longest)
            if kind.pattern is None:
                return wrong
            unmatched = f"not {source.bind(re.compile(kind.pattern), 'pattern')}.search({value})"
            return f"{wrong} or {unmatched}" if wrong else unmatched


def _beyond(value: str, low: int | None, high: int | None) -> str:
    if low is None and high is None:
        return ""
    if low is None:
        return f"{value} > {high}"
    if high is None:
        return f"{value} < {low}"
    return f"not {low} <= {value} <= {high}"


def _doubt_if(wrong: str) -> list[str]:
    return [f"if {wrong}: raise Doubt"] if wrong else []
