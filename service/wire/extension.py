"""The readers of requests as source for Cython, and the extension that `scripts/compile_codec.py` makes of it.

The extension is taken where there is one, and where it was made of the very source that would be written now.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, Final

from .plan import OneOf, Record
from .reading import ARGUMENTS, reader
from .source import Source

NAME: Final = "scheids_codec"

_SHORT: Final = """\
import cython


@cython.cfunc
def short(table: list, first: cython.uchar, second: cython.uchar):
    if first > 127 or second > 127: return None
    row = table[first]
    return None if row is None else cython.cast(list, row)[second]
"""


class Extension:
    """The source of an extension for some messages, and their readers."""

    def __init__(self, plans: Iterable[Record | OneOf]) -> None:
        self._source = source = Source(for_cython=True)
        self._readers = {plan.of.name: source.expose(reader(source, plan)) for plan in plans}

    @cached_property
    def text(self) -> str:
        """The module. What it cannot have in itself, such as the structs, it is given by `bind`."""
        names = sorted(self._source.names)
        lines = [f"@cython.cfunc\n{line}" if line.startswith("def ") else line for line in self._source.lines]
        exposed = sorted(set(self._source.exposed))
        return "\n".join(
            [
                _SHORT,
                *(f"{name} = cython.declare({'list' if name.startswith('table_') else 'object'})" for name in names),
                "",
                *lines,
                *(f"def call_{name}({ARGUMENTS}): return {name}(data, at, end)" for name in exposed),
                "",
                f"FUNCTIONS = {{{', '.join(f'{name!r}: call_{name}' for name in exposed)}}}",
                "",
                "def bind(names):",
                f"    global {', '.join(names)}",
                *(f"    {name} = names[{name!r}]" for name in names),
                "",
            ]
        )

    @property
    def digest(self) -> str:
        """What the source amounts to."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def readers(self) -> Mapping[str, Callable[[bytes, int, int], Any]]:
        """What reads a message, by its name; none where there is no extension of this source."""
        try:
            found: Any = import_module(NAME)
        except ImportError:
            return {}
        if self.digest != found.MADE_OF:
            return {}
        found.bind(self._source.names)
        self._source.names.update(found.FUNCTIONS)
        return {message: found.FUNCTIONS[name] for message, name in self._readers.items()}
