"""Writes the functions that turn messages into structs.

A reader trusts what it can check at a glance. At anything else it raises one of `DOUBTS`; then `plain` looks again
and either finds the value after all or tells what is wrong and where.
"""

import re
from collections.abc import Iterable

from msgspec import NODEFAULT

from .plan import Boxed, Choice, Eyes, Field, Flag, Json, Kind, Many, Member, Moving, Number, OneOf, Real, Record, Text
from .source import Source, Spellings


def reader(source: Source, kind: Record | OneOf | Moving) -> str:
    """The name of the function that reads a message."""
    name = f"read_{kind.of.name}"
    if not source.once(name):
        return name
    match kind:
        case Record():
            return _record_reader(source, kind, name)
        case OneOf():
            arms = [f"{arm!r}: {reader(source, record)}" for arm, record in kind.arms.items()]
            source.lines.append(f"readers_of_{kind.of.name} = {{{', '.join(arms)}}}")
            body = [f"arm = m.WhichOneof({kind.name!r})", f"return readers_of_{kind.of.name}[arm](getattr(m, arm))"]
            return source.function(name, "m", body)
        case Moving():
            body = [
                f"move = {reader(source, kind.move)}(m.move) if m.HasField('move') else None",
                "return of_parts(move, m.text if m.HasField('text') else None)",
            ]
            return source.function(name, "m", body)


def _record_reader(source: Source, record: Record, name: str) -> str:
    body: list[str] = []
    for index, each in enumerate(record.fields):
        body += _read_field(source, each, f"v{index}")
    arguments = ", ".join(f"{each.name}=v{index}" for index, each in enumerate(record.fields))
    body.append(f"return {source.bind(record.struct, 'struct')}({arguments})")
    return source.function(name, "m", body)


def _read_field(source: Source, each: Field, to: str) -> list[str]:
    wire = f"m.{each.wire.name}"
    default = "None" if each.default is None else ""
    if each.default is not NODEFAULT and not default:
        default = source.bind(each.default, "default")
    if isinstance(each.kind, Many):
        lines = _read_value(source, each.kind, wire, to)
        if each.kind.never_empty and default:
            return [f"if {wire}:", *_indented(lines), "else:", f"    {to} = {default}"]
        return lines
    if isinstance(each.kind, Choice):
        texts = {number: text for text, number in each.kind.numbers.items()}
        if each.default is not NODEFAULT:
            texts[0] = each.default
        return [f"{to} = {source.bind(texts, 'texts')}[{wire}]"]
    if not each.wire.has_presence:
        return _read_value(source, each.kind, wire, to)
    absent = f"{to} = {default}" if default else "raise Doubt"
    there = f"if m.HasField({each.wire.name!r}):"
    return [there, *_indented(_read_value(source, each.kind, wire, to)), "else:", f"    {absent}"]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _read_value(source: Source, kind: Kind, wire: str, to: str, depth: int = 1) -> list[str]:
    """Statements that put what `wire` holds into `to`."""
    match kind:
        case Flag() | Real():
            return [f"{to} = {wire}"]
        case Number() | Text():
            return [f"{to} = {wire}", *_doubt_if(_out_of_bounds(source, kind, to))]
        case Member(of=of):
            return [f"{to} = {source.bind(Spellings(of), 'members')}[{wire}]"]
        case Many():
            return _read_many(source, kind, wire, to, depth)
        case Boxed(many=many, box=box):
            return _read_many(source, many, f"{wire}.{box.name}", to, depth)
        case Json(type=held):
            return [f"{to} = read_json({wire}, {source.bind(held, 'held')})"]
        case Eyes(seat=seat, number=number, word=word):
            seen = f"{wire}.{number.name}"
            return [
                f"if {wire}.HasField({number.name!r}):",
                *_indented([f"{to} = {seen}", *_doubt_if(_out_of_bounds(source, seat, to))]),
                f"elif {wire}.{word.name}:",
                f"    {to} = {word.name!r}",
                "else:",
                "    raise Doubt",
            ]
        case _:
            return [f"{to} = {reader(source, kind)}({wire})"]  # type: ignore[arg-type]


def _read_many(source: Source, many: Many, wire: str, to: str, depth: int) -> list[str]:
    """A slice of a repeated field is a list, made faster than iteration would; of one that is too long none is made."""
    item = f"x{depth}"
    length = f"len({to})"
    if many.exactly is not None:
        checked = _doubt_if(f"{length} != {many.exactly}")
    else:
        checked = _doubt_if(_beyond(length, many.shortest or None, many.longest))
    match many.item:
        case Number() | Text() as kind:
            wrong = _doubt_if(_out_of_bounds(source, kind, item))
            lines = [f"{to} = tuple({to}[:])"]
            lines += [f"for {item} in {to}:", *_indented(wrong)] if wrong else []
        case Member(of=of):
            lines = [f"{to} = tuple(map({source.bind(Spellings(of).__getitem__, 'member')}, {to}[:]))"]
        case Choice(numbers=numbers):
            texts = {number: text for text, number in numbers.items()}
            lines = [f"{to} = tuple(map({source.bind(texts.__getitem__, 'text')}, {to}[:]))"]
        case Record() | OneOf() | Moving() as kind:
            lines = [f"{to} = tuple(map({reader(source, kind)}, {to}[:]))"]
        case kind:
            value = f"y{depth}"
            inner = _read_value(source, kind, item, value, depth + 1)
            made = f"made{depth}"
            lines = [f"{made} = []", f"for {item} in {to}[:]:", *_indented([*inner, f"{made}.append({value})"])]
            lines.append(f"{to} = tuple({made})")
    return [f"{to} = {wire}", *checked, *lines]


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
    return [f"if {wrong}:", "    raise Doubt"] if wrong else []
