"""`models.py`: a struct for each message."""

from collections.abc import Iterator
from typing import Any, Final, cast

from msgspec import Struct, inspect

from service.wire.plan import OneOf, Record

from .contract import CARDS, GENERIC, Contract
from .source import BY, doc, literal, quoted, type_of

TICKETS: Final = '''
class CreateEventTicketRequest(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Asks for a ticket that watches the table with the holder's eyes, and does nothing else."""

    table: str
    """The table's id."""


class CreateEventTicketResponse(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A ticket."""

    ticket: str
    """It goes behind `?ticket=`."""

    seconds: int
    """How many seconds it is good for."""

'''
"""What REST alone has: browsers need it, whose EventSource sends no headers."""


class Models:
    """Writes `models.py`."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract

    def text(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield '"""What the service is told and tells: a struct for each message.'
        yield ""
        yield BY
        yield ""
        yield "Structs are frozen and compare by value. A type that is a closed set of texts is so to type checkers"
        yield "only: what a newer service may add can be read all the same."
        yield '"""'
        yield ""
        yield "from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, TypedDict, TypeVar"
        yield ""
        yield "from msgspec import Struct"
        yield ""
        yield "Card: TypeAlias = str"
        yield from doc('A card of the French pack, rank then suit: "AS", "TD", "9C".', "")
        yield "FlipCard: TypeAlias = str"
        yield from doc('A card of Flip 7: "0" to "12", "+2" to "+10", "x2", "freeze", "flip3", "second".', "")
        yield "AnyCard: TypeAlias = str"
        yield from doc("A card of any game.", "")
        yield "Param: TypeAlias = str | int | tuple[str, ...]"
        yield from doc("What the message of a violation speaks of.", "")
        yield "Viewer: TypeAlias = int | Literal['spectator']".replace("'", '"')
        yield from doc("Whose eyes: a seat's, or those of a spectator, who holds no cards.", "")
        yield from self._texts()
        for name, kind in self.contract.kinds.items():
            yield ""
            if isinstance(kind, OneOf):
                yield from self._union(name, kind)
            else:
                yield ""
                yield from self._struct(name, kind)
                if name.endswith("OptionsChoices"):
                    yield ""
                    yield ""
                    yield from self._dict(name, kind)
        yield from ("", *TICKETS.splitlines(), "")
        yield from self._tables()

    def _texts(self) -> Iterator[str]:
        texts = {name: literal(choice.numbers) for name, choice in self.contract.choices.items()}
        texts |= {
            name: literal(each.value for each in member.of)
            for name, member in self.contract.members.items()
            if name not in CARDS
        }
        yield ""
        yield "if TYPE_CHECKING:"
        yield from (f"    {name}: TypeAlias = {text}" for name, text in sorted(texts.items()))
        yield "else:"
        yield from (f"    {name} = str" for name in sorted(texts))

    def _tables(self) -> Iterator[str]:
        games = self._games()
        yield f"Facts: TypeAlias = {' | '.join(self._facts(game) for game in games)}"
        yield from doc("What a person who keeps the score of a game knows.", "")
        dicts = [self._choices(game).replace("Choices", "Dict") for game in games]
        yield f"OptionsDict: TypeAlias = {' | '.join(dicts)}"
        yield from doc("Options of any game, by the names of the game's page and of JSON.", "")
        yield f"OptionsChoices: TypeAlias = {' | '.join(map(self._choices, games))}"
        yield from doc("Options of any game, as a struct.", "")
        for title, suffix in (("DEALS", "DealRequest"), ("RECORDS", "ReplayRequest"), ("TABLES", "CreateTableRequest")):
            yield f"{title}: Final[dict[str, type[{suffix}]]] = {{"
            yield from (f'    "{game}": {record.of.name},' for game, record in self._arms(suffix).items())
            yield "}"
        yield "CHOICES: Final[dict[str, type[OptionsChoices]]] = {"
        yield from (f'    "{game}": {self._choices(game)},' for game in games)
        yield "}"
        yield "SCORED: Final[dict[type[Facts], Any]] = {"
        for record in self._facts_requests():
            yield f"    {self._field(record, 'facts')}: {record.of.name},"
        yield "}"

    def _arms(self, name: str) -> dict[str, Record]:
        return dict(cast("OneOf", self.contract.kinds[name]).arms)

    def _games(self) -> list[str]:
        return list(self._arms("DealRequest"))

    def _facts_requests(self) -> list[Record]:
        return [record for name, record in self._arms("ScoreRequest").items() if name != "state"]

    def _field(self, record: Record, name: str) -> str:
        field = next(each for each in record.fields if each.name == name)
        return type_of(field.kind, field)

    def _facts(self, game: str) -> str:
        return self._field(self._arms("ScoreRequest")[game], "facts")

    def _choices(self, game: str) -> str:
        return self._field(self._arms("DealRequest")[game], "options")

    def _union(self, name: str, union: OneOf) -> Iterator[str]:
        yield f"{name}: TypeAlias = {' | '.join(record.of.name for record in union.arms.values())}"
        yield from doc(self.contract.comments[name], "")
        if name == "State":
            yield 'S = TypeVar("S", bound=State)'
        if name == "Move":
            yield "if TYPE_CHECKING:"
            yield '    MoveInput: TypeAlias = "str | Move | LegalMove"'
            yield "else:"
            yield "    MoveInput = str | Move"

    def _struct(self, name: str, record: Record) -> Iterator[str]:
        config = record.struct.__struct_config__  # type: ignore[attr-defined]
        bases = "Struct, Generic[S]" if name in GENERIC else "Struct"
        moves = self.contract.moving.move.arms.values() if self.contract.moving else ()
        settings = ["frozen=True"]
        if record not in moves:
            settings.append("kw_only=True")
        settings.append('rename="camel"')
        if config.omit_defaults:
            settings.append("omit_defaults=True")
        if name.endswith("OptionsChoices"):
            settings.append("forbid_unknown_fields=True")
        if config.tag is not None:
            settings += [f'tag_field="{config.tag_field}"', f'tag="{config.tag}"']
        yield f"class {name}({bases}, {', '.join(settings)}):"
        yield from doc(self.contract.comments[name])
        infos = {info.name: info for info in _info(record.struct).fields}
        for each in record.fields:
            info = infos[each.name]
            kind = "S" if name in GENERIC and each.name == "state" else type_of(each.kind, each)
            optional = " | None" if each.default is None else ""
            default = "" if info.required else f" = {self.default(each.default)}"
            yield ""
            yield f"    {each.name}: {kind}{optional}{default}"
            yield from doc(self.contract.comments[f"{name}.{each.wire.name}"])

    def _dict(self, name: str, record: Record) -> Iterator[str]:
        yield f"class {name.replace('Choices', 'Dict')}(TypedDict, total=False):"
        yield from doc("The same options by the names of the game's page and of JSON.")
        for each in record.fields:
            yield ""
            yield f"    {each.json}: {type_of(each.kind, each)}"
            yield from doc(self.contract.comments[f"{name}.{each.wire.name}"])

    def default(self, value: Any) -> str:
        """The source of a default."""
        if isinstance(value, Struct):
            fields = _info(type(value)).fields
            shown = [
                f"{info.name}={self.default(getattr(value, info.name))}"
                for info in fields
                if info.required or getattr(value, info.name) != info.default
            ]
            return f"{self.contract.names[type(value)]}({', '.join(shown)})"
        if isinstance(value, tuple):
            return f"({''.join(f'{self.default(each)}, ' for each in value).rstrip()})" if value else "()"
        return quoted(str(value)) if isinstance(value, str) else repr(value)


def _info(struct: type) -> inspect.StructType:
    return cast("inspect.StructType", inspect.type_info(struct))
