"""Writes the table of docs/settings.md from the settings themselves; with --check it fails where the page differs.

Usage: settings_page.py [--check]
"""

import sys
import types
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import msgspec
from msgspec import Meta

from service.config import PREFIX, Settings

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "settings.md"
BEGIN: Final = "<!-- made by `make settings`, from service/config.py -->"
END: Final = "<!-- as far as here -->"


def values(kind: Any) -> str:
    """What a setting can be: the words that it can be, from where to where it goes, or what it looks like."""
    if get_origin(kind) is Literal:
        return " or ".join(f"`{each}`" for each in get_args(kind))
    if isinstance(kind, types.UnionType):
        return " or ".join(values(each) for each in get_args(kind))
    base, *notes = get_args(kind) if hasattr(kind, "__metadata__") else (kind,)
    bounds = [note for note in notes if isinstance(note, Meta)]
    for note in bounds:
        if note.gt is not None:
            return f"more than {note.gt:,}, at most {note.le:,}"
        if note.ge is not None:
            return f"{note.ge:,} to {note.le:,}"
        if note.pattern is not None:
            return f"`{note.pattern}`"
    if base in (str, int, float, bool):
        return {str: "text", int: "a whole number", float: "a number", bool: "`true` or `false`"}[base]
    if get_origin(base) is Literal:
        return values(base)
    return str(getattr(base, "looks", "text"))


def row(field: Any) -> str:
    meaning = next(note.description for note in field.type.__metadata__ if note.description)
    default = str(field.default)
    cells = (f"`{PREFIX}{field.name.upper()}`", values(field.type), f"`{default}`" if default else "none", meaning)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def page(text: str) -> str:
    """The page with its table made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    rows = [row(field) for field in msgspec.structs.fields(Settings)]
    table = "\n".join(["| variable | value | default | meaning |", "|---|---|---|---|", *rows])
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def main() -> int:
    text = PAGE.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        print(f"{PAGE.name}: its table has no {BEGIN} or no {END}", file=sys.stderr)
        return 1
    made = page(text)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(made, encoding="utf-8")
    elif made != text:
        print(f"docs/{PAGE.name} is not what service/config.py says: make settings", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
