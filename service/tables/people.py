"""The places of a table: what is said of them when it is made, and changing one of them."""

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from engine.violations import Malformed
from service.messages import CreateTableRequest

from .document import Document, Person

META_BYTES: Final = 4_096
META_DEPTH: Final = 16
"""How deeply lists and objects may lie in each other: protobuf's readers stop at 100 messages, three for each."""
EXACT: Final = 2**53
"""Up to here every client, whose numbers may all be doubles, tells one whole number from the next."""


def people_of(request: CreateTableRequest, places: int) -> tuple[Person, ...]:
    """The places of a new table. Malformed where names and notes are not one for each place, or too much."""
    for name, given in (("names", request.names), ("meta", request.meta)):
        if given is not None and len(given) != places:
            raise Malformed(f"$.{name}", f"there are {places} places, and one of {name} for each")
    if request.meta is not None and len(msgspec.json.encode(request.meta)) > META_BYTES:
        raise Malformed("$.meta", f"all of it is at most {META_BYTES} bytes")
    for at, noted in enumerate(request.meta or ()):
        _check_noted(noted, f"$.meta[{at}]")
    names = request.names or ("",) * places
    metas = request.meta or ({},) * places
    return tuple(Person(name=name or None, meta=meta or None) for name, meta in zip(names, metas, strict=True))


def with_person(document: Document, place: int, person: Person) -> Document:
    """The document with another person at a place."""
    people = (*document.people[:place], person, *document.people[place + 1 :])
    return replace(document, people=people)


def _check_noted(value: Any, path: str, depth: int = 1) -> None:
    """Malformed where somebody at the table could not be told this as it is."""
    match value:
        case dict() | list():
            if depth > META_DEPTH:
                raise Malformed(path, f"lists and objects lie in each other at most {META_DEPTH} deep")
            for each in value.values() if isinstance(value, dict) else value:
                _check_noted(each, path, depth + 1)
        case int() if abs(value) > EXACT:
            raise Malformed(path, "whole numbers are at most 2^53; write others as text")
