"""Writes the functions that turn structs into a message's bytes.

Every field is one expression, most of them a look-up in a table of what each card, choice or small number is on the
wire. What is not said is left out, defaults are said. Fields come in the order of their numbers, which readers expect.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine.game import LegalMove
from engine.mechanics.listing import LISTED_PLAYS

from .plan import Boxed, Choice, Eyes, Field, Flag, Json, Kind, Many, Member, Moving, Number, OneOf, Real, Record, Text
from .source import SMALL, Source, sized, tag_of, varint

ALWAYS_THE_SAME: Final[Mapping[Any, Iterable[Any]]] = {LegalMove: LISTED_PLAYS.values()}
"""Structs that are answered again and again, by their kinds: what each is on the wire is made once."""


def writer(source: Source, kind: Record | OneOf | Moving) -> str:
    """The name of the function that writes a message."""
    name = f"write_{kind.of.name}"
    if not source.once(name):
        return name
    match kind:
        case Record():
            body = _record(source, kind, name)
        case OneOf():
            arms = []
            for arm, record in kind.arms.items():
                tag = source.bind(tag_of(kind.of.fields_by_name[arm]), "tag")
                arms.append(f"{source.bind(record.struct, 'struct')}: ({tag}, {writer(source, record)})")
            table = source.table(f"arms_of_{kind.of.name}", f"{{{', '.join(arms)}}}")
            body = [f"tag, write = {table}[type(v)]", "return sized(tag, write(v))"]
        case _:
            tag = source.bind(tag_of(kind.of.fields_by_name["move"]), "tag")
            words = source.bind(tag_of(kind.of.fields_by_name["text"]), "tag")
            body = [
                f"if v.words is not None: return sized({words}, v.words.encode())",
                f"return sized({tag}, {writer(source, kind.move)}(v.move))",
            ]
    return source.function(name, "v", body)


def _record(source: Source, kind: Record, name: str) -> list[str]:
    in_order = sorted(kind.fields, key=lambda each: each.wire.number)
    parts = [f"{_field(source, each)}," for each in in_order]
    body = ['return b"".join((', *(f"    {part}" for part in parts), "))"]
    if kind.struct not in ALWAYS_THE_SAME:
        return body
    anew = source.function(f"{name}_anew", "v", body)
    known = source.bind(tuple(ALWAYS_THE_SAME[kind.struct]), "known")
    table = source.table(f"known_to_{name}", f"{{id(each): {anew}(each) for each in {known}}}")
    return [f"found = {table}.get(id(v))", f"return {anew}(v) if found is None else found"]


def _field(source: Source, each: Field) -> str:
    value = f"v.{each.name}"
    tag = tag_of(each.wire)
    if isinstance(each.kind, Choice):
        table: dict[str | None, bytes] = {text: tag + varint(n) for text, n in each.kind.numbers.items()}
        return f"{source.bind({**table, None: b''} if each.default is None else table, 'choices')}[{value}]"
    written = _value(source, each.kind, value, tag, each.wire.has_presence)
    return f'b"" if {value} is None else {written}' if each.default is None else written


def _value(source: Source, kind: Kind, value: str, tag: bytes, present: bool, depth: int = 1) -> str:  # noqa: FBT001 - internal, and all of it needed
    """An expression for the bytes of a field; `present`: its zero is written too."""
    name = source.bind(tag, "tag")
    match kind:
        case Number():
            return _number(source, value, tag, present)
        case Real():
            return f"fixed({name}, {value})" if present else f"fixed_unless_zero({name}, {value})"
        case Flag():
            return f"{source.bind((tag + varint(0) if present else b'', tag + varint(1)), 'flags')}[{value}]"
        case Text():
            return f"sized({name}, {value}.encode())" if present else f"texted({name}, {value})"
        case Member(of=of):
            return f"{source.bind({each: sized(tag, each.value.encode()) for each in of}, 'members')}[{value}]"
        case Many():
            return _many(source, kind, value, tag, depth)
        case Boxed(many=many, box=box):
            return f"sized({name}, {_many(source, many, value, tag_of(box), depth)})"
        case Json():
            return f"sized({name}, write_json({value}))"
        case Eyes(number=number, word=word):
            seat = _number(source, value, tag_of(number), present=True)
            seen = source.bind(tag_of(word) + varint(1), "word")
            return f"sized({name}, {seen} if {value} == {word.name!r} else {seat})"
        case _:
            return f"sized({name}, {writer(source, kind)}({value}))"  # type: ignore[arg-type]


def _number(source: Source, value: str, tag: bytes, present: bool) -> str:  # noqa: FBT001 - as above
    small = tuple(tag + varint(n) if n or present else b"" for n in range(SMALL))
    table, name = source.bind(small, "numbers"), source.bind(tag, "tag")
    return f"({table}[{value}] if 0 <= {value} < {SMALL} else {name} + varint({value}))"


def _many(source: Source, many: Many, value: str, tag: bytes, depth: int) -> str:
    if isinstance(many.item, Number):
        return f"packed({source.bind(tag, 'tag')}, {value})"
    if isinstance(many.item, Choice):
        number = source.bind(many.item.numbers.__getitem__, "number")
        return f"packed({source.bind(tag, 'tag')}, map({number}, {value}))"
    item = f"x{depth}"
    written = _value(source, many.item, item, tag, True, depth + 1)  # noqa: FBT003 - an item is always written
    return f'b"".join([{written} for {item} in {value}])'
