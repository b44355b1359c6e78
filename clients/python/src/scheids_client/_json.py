"""JSON: of structs as text, and of plain values in protobuf's Struct."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from . import models

Kind = TypeVar("Kind")
EXACT: Final = 2**53
"""Up to here a double tells one whole number from the next."""


def to_json(value: Any) -> bytes:
    """A struct (a state, a view, a record, a move) as the JSON that the service speaks, to be kept."""
    return msgspec.json.encode(value)


def from_json(text: bytes | str, kind: type[Kind]) -> Kind:
    """A struct of a kind from JSON. msgspec's ValidationError where the text is none; see also `state_from_json`."""
    return msgspec.json.decode(text, type=kind)


def state_from_json(text: bytes | str) -> models.State:
    """A state or view of any game from JSON."""
    state: models.State = _read_state(text)
    return state


_read_state: Final = msgspec.json.Decoder(models.State).decode


def read_json(m: Any, lists: Callable[[Iterable[Any]], Any] = list) -> dict[str, Any]:
    """A Struct as a dict of plain values; numbers that are whole are ints."""
    return {name: _value(value, lists) for name, value in m.fields.items()}


def _value(m: Any, lists: Callable[[Iterable[Any]], Any]) -> Any:
    match m.WhichOneof("kind"):
        case "number_value":
            number = m.number_value
            return int(number) if number.is_integer() and abs(number) <= EXACT else number
        case "string_value":
            return m.string_value
        case "bool_value":
            return m.bool_value
        case "struct_value":
            return read_json(m.struct_value, lists)
        case "list_value":
            return lists(_value(each, lists) for each in m.list_value.values)
    return None


def write_json(m: Any, value: Mapping[str, Any]) -> None:
    """Fills a Struct."""
    for name, each in value.items():
        _fill(m.fields[name], each)


def _fill(m: Any, value: Any) -> None:
    match value:
        case None:
            m.null_value = 0
        case bool():
            m.bool_value = value
        case int() | float():
            m.number_value = value
        case str():
            m.string_value = value
        case Mapping():
            m.struct_value.SetInParent()
            write_json(m.struct_value, value)
        case _:
            m.list_value.SetInParent()
            for each in value:
                _fill(m.list_value.values.add(), each)
