"""Writes docs/dependencies.md, what the locks bring in and under which licence, or checks that it is so.

Usage: dependencies.py [--check]

Fails on a licence that nobody has allowed yet, and on a lock file that names a host or lacks a hash.
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "dependencies.md"
LOCKS = ROOT / "requirements"

# Licences that ask nothing of users of the service beyond keeping their text.
PERMISSIVE = frozenset(
    {
        *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "PSF-2.0", "Zlib"),
        *("Apache-2.0 OR BSD-2-Clause", "Apache-2.0 OR BSD-3-Clause", "MIT OR Apache-2.0"),
    }
)
# Weak copyleft, which binds changes to their own files only; used unchanged.
WEAK = frozenset({"MPL-2.0"})

# What packages wrote before there were licence expressions.
SPELLINGS = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache 2": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd 2-clause license": "BSD-2-Clause",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
}
# Packages that declare it vaguely, or that are not installed on every platform; read from what they ship.
READ = {
    "async-timeout": "Apache-2.0",
    "colorama": "BSD-3-Clause",
    "promql-parser": "MIT",
    "tzdata": "Apache-2.0",
    "uv": "MIT OR Apache-2.0",
    "uvloop": "MIT OR Apache-2.0",
}
HEAD = """\
# Dependencies

What Scheids is built from, and under which licence. `make dependencies` writes this page from
`requirements/*.txt` and from what the packages declare; `make lint` checks it, and that every licence is one
the project allows.

Scheids itself is under the Apache License 2.0 (`LICENSE`). It contains no code of the packages below; an
image of the service contains those of the first table. Redis is a separate program, spoken to over its
protocol.
"""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(lock: str) -> list[str]:
    found = re.findall(r"^([\w.-]+)==", (LOCKS / f"{lock}.txt").read_text(), re.MULTILINE)
    return sorted(map(canonical, found))


def declared(name: str) -> str:
    if name in READ:
        return READ[name]
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return "unknown"
    fields = [value for key in ("License-Expression", "License") for value in about.get_all(key) or []]
    classifiers = [value for value in about.get_all("Classifier") or [] if value.startswith("License")]
    fields.append(" OR ".join(value.rsplit(" :: ", 1)[-1] for value in classifiers))
    first = next((field for field in fields if field.strip()), "unknown").strip().splitlines()[0].strip()
    return SPELLINGS.get(first.lower(), first)


def sections() -> Iterator[tuple[str, list[str]]]:
    runtime, build, dev = locked("runtime"), [*locked("build"), *locked("compile")], locked("dev")
    yield "Part of the running service", runtime
    yield "Used to build, check and test it", sorted({*build, *dev} - {*runtime})
    yield "Used to lock the versions", locked("lock")


def licences() -> dict[str, str]:
    return {name: declared(name) for _, names in sections() for name in names}


def page(licence: dict[str, str]) -> str:
    lines = [HEAD]
    for title, names in sections():
        lines += [f"## {title}", "", "| package | licence |", "|---|---|"]
        lines += [f"| {name} | {licence[name]} |" for name in names]
        lines.append("")
    return "\n".join(lines)


def faults(licence: dict[str, str]) -> Iterator[str]:
    for name, text in licence.items():
        if not set(text.split(" AND ")) <= PERMISSIVE | WEAK:
            yield f"{name}: licence '{text}' is not one the project allows (scripts/dependencies.py)"
    for path in sorted(LOCKS.glob("*.txt")):
        text = re.sub(r"^\s*#.*$", "", path.read_text(), flags=re.MULTILINE)
        if "://" in text or re.search(r"^-", text, re.MULTILINE):
            yield f"{path.name}: names a host or an option; lock with `make lock`"
        for requirement in re.findall(r"^[\w.-]+==(?:.*\\\n)*.*", text, re.MULTILINE):
            if "--hash=sha256:" not in requirement:
                yield f"{path.name}: no hash: {requirement}"


def main() -> int:
    licence = licences()
    found = list(faults(licence))
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text() != page(licence):
            found.append("docs/dependencies.md is stale; run `make dependencies`")
    else:
        PAGE.write_text(page(licence))
        print(f"dependencies: wrote {PAGE.relative_to(ROOT)}")
    for fault in found:
        print(f"dependencies: {fault}", file=sys.stderr)
    print(f"dependencies: {len(licence)} packages, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
