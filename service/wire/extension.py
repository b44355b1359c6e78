"""The codec's functions as source for Cython, and the extension that `scripts/compiling/codec.py` makes of it.

The extension is taken where there is one, and where it was made of the very source that would be written now.
"""

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from inspect import getsource
from typing import Any, Final

from .plan import OneOf, Record
from .reading import ARGUMENTS, reader
from .source import Source, sized, texted
from .writing import writer

NAME: Final = "scheids_codec"


@dataclass(frozen=True)
class Functions:
    """What reads a part of some data, and what writes a message, by the messages' names."""

    readers: Mapping[str, Callable[[bytes, int, int], Any]]
    writers: Mapping[str, Callable[[Any], bytes]]


NONE: Final = Functions({}, {})

_HEAD: Final = """\
import cython


@cython.cfunc
def short(table: list, first: cython.uchar, second: cython.uchar):
    if first > 127 or second > 127: return None
    row = table[first]
    return None if row is None else cython.cast(list, row)[second]
"""
_OFTEN: Final = (sized, texted)
"""What is compiled as it stands in `source`, since it is called so often."""


class Extension:
    """The source of an extension for some messages, with their readers and writers."""

    def __init__(self, read: Iterable[Record | OneOf], written: Iterable[Record | OneOf]) -> None:
        self._source = source = Source(for_cython=True)
        self._readers = {plan.of.name: source.expose(reader(source, plan)) for plan in read}
        self._writers = {plan.of.name: writer(source, plan) for plan in written}

    @cached_property
    def text(self) -> str:
        """The module. What it cannot have in itself, such as the structs, it is given by `bind`."""
        names = sorted(self._source.names.keys() - {each.__name__ for each in _OFTEN})
        tables = self._source.tables
        exposed = sorted(set(self._source.exposed))
        functions = {name: f"call_{name}" for name in exposed} | {name: name for name in self._writers.values()}
        return "\n".join(
            [
                _HEAD,
                *(f"\n@cython.cfunc\n{getsource(each)}" for each in _OFTEN),
                *(f"{name} = cython.declare({_type_of(name)})" for name in (*names, *tables)),
                "",
                *(_typed(line) for line in self._source.lines),
                *(f"def call_{name}({ARGUMENTS}): return {name}(data, at, end)" for name in exposed),
                "",
                f"FUNCTIONS = {{{', '.join(f'{name!r}: {function}' for name, function in functions.items())}}}",
                "",
                "def bind(names):",
                f"    global {', '.join((*names, *tables))}",
                *(f"    {name} = names[{name!r}]" for name in names),
                *(f"    {name} = {made}" for name, made in tables.items()),
                "",
            ]
        )

    @property
    def digest(self) -> str:
        """What the source amounts to."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def functions(self, found: Any) -> Functions:
        """What the extension that was found reads and writes; nothing where it was made of another source."""
        try:
            is_of_this = self.digest == getattr(found, "MADE_OF", None)
        except OSError as fault:  # Python runs without the text of what is compiled as it stands
            _left_alone(f"cannot be compared with a source that is not here ({fault})")
            return NONE
        if not is_of_this:
            _left_alone("was made of another source")
            return NONE
        found.bind(self._source.names)
        self._source.names.update(found.FUNCTIONS)
        return Functions(
            {message: found.FUNCTIONS[name] for message, name in self._readers.items()},
            {message: found.FUNCTIONS[name] for message, name in self._writers.items()},
        )


def functions_of(extension: Callable[[], Extension]) -> Functions:
    """What reads and writes each message; nothing where there is no extension of the source that `extension` writes."""
    try:
        found = import_module(NAME)
    except ModuleNotFoundError:
        return NONE
    except ImportError as fault:
        _left_alone(f"cannot be loaded ({fault})")
        return NONE
    return extension().functions(found)


def _left_alone(why: str) -> None:
    logging.getLogger(__name__).warning("the compiled codec %s, and is left alone", why)


def _type_of(name: str) -> str:
    if name.startswith("table_"):
        return "list"
    return "tuple" if name == "SIZES" else "object"


def _typed(line: str) -> str:
    """Readers are called from here only; writers stand in tables too, and are functions of Python's as well."""
    if line.startswith("def read_"):
        return f"@cython.cfunc\n{line}"
    return f"@cython.ccall\n{line}" if line.startswith("def ") else line
