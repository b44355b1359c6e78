"""Writes engine/catalogues.py from locales/<language>/*.po; with --check, says whether it is up to date instead."""

import sys
from pathlib import Path
from typing import Final

from babel.messages.pofile import read_po

ROOT: Final = Path(__file__).parent.parent
TARGET: Final = ROOT / "engine" / "catalogues.py"
LANGUAGES: Final = ("en", "nl", "fr")


def catalogue(language: str) -> dict[str, str]:
    """The messages of one language by key, of all its files; an empty one, or one told twice, ends the script."""
    messages: dict[str, str] = {}
    for path in sorted((ROOT / "locales" / language).glob("*.po")):
        with path.open("rb") as source:
            found = {str(entry.id): str(entry.string) for entry in read_po(source) if entry.id}
        faulty = sorted(key for key, words in found.items() if not words or key in messages)
        if faulty:
            sys.exit(f"{language}/{path.name} leaves empty, or tells again, {faulty}")
        messages |= found
    return messages


def rendered() -> str:
    """The module's text."""
    catalogues = {language: catalogue(language) for language in LANGUAGES}
    for language in LANGUAGES:
        missing = catalogues["en"].keys() ^ catalogues[language].keys()
        if missing:
            sys.exit(f"{language} and en differ in {sorted(missing)}")
    lines = ['"""Messages by language and key. Generated from locales/ by scripts/make_catalogues.py."""', ""]
    lines += ["from typing import Final", "", "CATALOGUES: Final[dict[str, dict[str, str]]] = {"]
    for language, messages in catalogues.items():
        lines.append(f'    "{language}": {{')
        lines += [f"        {quoted(key)}: {quoted(words)}," for key, words in messages.items()]
        lines.append("    },")
    return "\n".join([*lines, "}", ""])


def quoted(words: str) -> str:
    """A Python string literal in double quotes."""
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"') + '"'


if __name__ == "__main__":
    text = rendered()
    if "--check" not in sys.argv:
        TARGET.write_text(text)
    elif not TARGET.exists() or TARGET.read_text() != text:
        sys.exit("engine/catalogues.py is stale: run scripts/make_catalogues.py")
