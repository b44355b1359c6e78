"""`_codec.py`: between structs and protobuf's messages."""

from collections.abc import Iterator
from typing import Any

from msgspec import NODEFAULT, Struct

from service.wire.plan import (
    Boxed,
    Choice,
    Eyes,
    Field,
    Flag,
    Json,
    Kind,
    Many,
    Member,
    Moving,
    Number,
    OneOf,
    Real,
    Record,
    Text,
)

from .contract import GENERIC, Contract
from .models import Models
from .source import BY, type_of


class Coder:
    """Writes `_codec.py`: straight code, a function a message and a direction."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.models = Models(contract)

    def text(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield f'"""Between structs and protobuf\'s messages. {BY}"""'
        yield ""
        yield "from collections.abc import Callable"
        yield "from typing import Any, Final"
        yield ""
        yield "from . import models"
        yield "from ._json import read_json, write_json"
        yield ""
        for name, choice in sorted(self.contract.choices.items()):
            numbers = ", ".join(f'"{text}": {number}' for text, number in choice.numbers.items())
            yield f"_{name}: Final[dict[str, int]] = {{{numbers}}}"
            yield f"_{name}_texts: Final[dict[int, Any]] = {{number: text for text, number in _{name}.items()}}"
        for name, kind in self.contract.kinds.items():
            yield ""
            yield ""
            yield from self._writer(name, kind)
            yield ""
            yield ""
            yield from self._reader(name, kind)
        yield ""
        yield ""
        yield from self._moving()
        yield ""
        yield ""
        yield "WRITERS: Final[dict[str, Callable[[Any, Any], None]]] = {"
        yield from (f'    "{name}": write_{name},' for name in sorted(self._requests()))
        yield "}"
        yield "READERS: Final[dict[str, Callable[[Any], Any]]] = {"
        yield from (f'    "{name}": read_{name},' for name in sorted(self._responses()))
        yield "}"

    def _requests(self) -> set[str]:
        return {name for name in self.contract.kinds if name.endswith("Request")}

    def _responses(self) -> set[str]:
        return {name for name in self.contract.kinds if name.endswith("Response")} | {"BatchResult", "Problem"}

    def _moving(self) -> Iterator[str]:
        yield "def write_MoveInput(m: Any, v: models.MoveInput) -> None:"
        yield "    if isinstance(v, str):"
        yield "        m.text = v"
        yield "    elif isinstance(v, models.LegalMove):"
        yield "        write_LegalMove(m, v)"
        yield "    else:"
        yield "        write_Move(m.move, v)"
        yield ""
        yield ""
        yield "def read_MoveInput(m: Any) -> models.MoveInput:"
        yield '    if not m.HasField("move"):'
        yield "        return str(m.text)"
        yield '    return read_LegalMove(m) if m.HasField("text") else read_Move(m.move)'

    # --- writing

    def _writer(self, name: str, kind: Record | OneOf) -> Iterator[str]:
        yield f"def write_{name}(m: Any, v: Any) -> None:"
        if isinstance(kind, OneOf):
            yield f"    arm, write = _arms_of_{name}[type(v)]"
            yield "    held = getattr(m, arm)"
            yield "    held.SetInParent()"
            yield "    write(held, v)"
            yield ""
            yield ""
            yield f"_arms_of_{name}: Final[dict[type, tuple[str, Callable[[Any, Any], None]]]] = {{"
            for arm, record in kind.arms.items():
                yield f'    models.{record.of.name}: ("{arm}", write_{record.of.name}),'
            yield "}"
            return
        lines = [line for each in kind.fields for line in self._write_field(each)]
        yield from (f"    {line}" for line in lines or ["del m, v"])

    def _write_field(self, each: Field) -> Iterator[str]:
        lines = list(self._write(each.kind, f"m.{each.wire.name}", f"v.{each.name}", each))
        if each.default is None:
            yield f"if v.{each.name} is not None:"
            yield from (f"    {line}" for line in lines)
        else:
            yield from lines

    def _write(self, kind: Kind, wire: str, value: str, each: Field) -> Iterator[str]:
        match kind:
            case Number() | Real() | Flag() | Text() | Member():
                yield f"{wire} = {value}"
            case Choice():
                yield f"{wire} = _{type_of(kind, each)}[{value}]"
            case Many(item=item):
                yield from self._write_many(item, wire, value, each)
            case Boxed(many=many, box=box):
                yield f"{wire}.SetInParent()"
                yield from self._write_many(many.item, f"{wire}.{box.name}", value, each)
            case Json():
                yield f"{wire}.SetInParent()"
                yield f"write_json({wire}, {value})"
            case Eyes(number=number, word=word):
                yield f"if isinstance({value}, int):"
                yield f"    {wire}.{number.name} = {value}"
                yield "else:"
                yield f'    {wire}.{word.name} = {value} == "{word.name}"'
            case Moving():
                yield f"write_MoveInput({wire}, {value})"
            case OneOf(of=of):
                yield f"write_{of.name}({wire}, {value})"
            case Record(of=of):
                yield f"{wire}.SetInParent()"
                yield f"write_{of.name}({wire}, {value})"

    def _write_many(self, item: Kind, wire: str, value: str, each: Field) -> Iterator[str]:
        match item:
            case Number() | Text() | Member():
                yield f"{wire}.extend({value})"
            case Choice():
                yield f"{wire}.extend([_{type_of(item, each)}[text] for text in {value}])"
            case Json():
                yield f"for one in {value}:"
                yield f"    write_json({wire}.add(), one)"
            case OneOf(of=of) | Record(of=of) | Moving(of=of):
                yield f"for one in {value}:"
                yield f"    write_{of.name}({wire}.add(), one)"
            case Boxed(box=box):
                yield f"for one in {value}:"
                yield f"    {wire}.add().{box.name}.extend(one)"
            case _:
                raise NotImplementedError(item)

    # --- reading

    def _reader(self, name: str, kind: Record | OneOf) -> Iterator[str]:
        if isinstance(kind, OneOf):
            yield f"def read_{name}(m: Any) -> models.{name}:"
            yield f'    arm = m.WhichOneof("{kind.name}")'
            yield f'    found: models.{name} = _readers_of_{name}[arm](getattr(m, arm or ""))'
            yield "    return found"
            yield ""
            yield ""
            yield f"_readers_of_{name}: Final[dict[str, Callable[[Any], Any]]] = {{"
            yield from (f'    "{arm}": read_{record.of.name},' for arm, record in kind.arms.items())
            yield "}"
            return
        of = f"models.{name}[Any]" if name in GENERIC else f"models.{name}"
        yield f"def read_{name}(m: Any) -> {of}:"
        if not kind.fields:
            yield "    del m"
        yield f"    return models.{name}("
        yield from (f"        {each.name}={self._read_field(each)}," for each in kind.fields)
        yield "    )"

    def _read_field(self, each: Field) -> str:
        wire = f"m.{each.wire.name}"
        default = "None" if each.default is NODEFAULT else self._default(each.default)
        if isinstance(each.kind, Choice):
            text = f"_{type_of(each.kind, each)}_texts.get({wire}, str({wire}))"
            return text if each.default is NODEFAULT else f"{text} if {wire} else {default}"
        read = self._read(each.kind, wire, each)
        if isinstance(each.kind, Many):
            return f"{read} or {default}" if each.kind.never_empty and each.default is not NODEFAULT else read
        if not each.wire.has_presence or each.default is NODEFAULT:
            return read
        return f'{read} if m.HasField("{each.wire.name}") else {default}'

    def _default(self, value: Any) -> str:
        text = self.models.default(value)
        return f"models.{text}" if isinstance(value, Struct) else text

    def _read(self, kind: Kind, wire: str, each: Field) -> str:
        match kind:
            case Number() | Real() | Flag() | Text() | Member():
                return wire
            case Many(item=item):
                return self._read_many(item, wire, each)
            case Boxed(many=many, box=box):
                return self._read_many(many.item, f"{wire}.{box.name}", each)
            case Json(type=held):
                return f"read_json({wire})" if held == dict[str, Any] else f"read_json({wire}, lists=tuple)"
            case Eyes(number=number, word=word):
                return f'({wire}.{number.name} if {wire}.HasField("{number.name}") else "{word.name}")'
            case Moving(of=of) | OneOf(of=of) | Record(of=of):
                return f"read_{of.name}({wire})"
        raise NotImplementedError(kind)

    def _read_many(self, item: Kind, wire: str, each: Field) -> str:
        match item:
            case Number() | Text() | Member():
                return f"tuple({wire}[:])"
            case Choice():
                name = type_of(item, each)
                return f"tuple([_{name}_texts.get(number, str(number)) for number in {wire}])"
            case Json():
                return f"tuple([read_json(one) for one in {wire}])"
            case OneOf(of=of) | Record(of=of) | Moving(of=of):
                return f"tuple([read_{of.name}(one) for one in {wire}])"
            case Boxed(box=box):
                return f"tuple([tuple(one.{box.name}) for one in {wire}])"
        raise NotImplementedError(item)
