"""Writes what is stale anew; with `--check` says what is.

Usage: python -m scripts.client_python [--check]
"""

import subprocess
import sys
from typing import Final

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from .codec import Coder
from .contract import ROOT, Contract, comments_of, compiled
from .games import Games
from .models import Models
from .sync import without_waiting
from .wire import wire_text

PACKAGE: Final = ROOT / "clients" / "python" / "src" / "scheids_client"


def generated(described: FileDescriptorSet) -> dict[str, str]:
    """The files, by their paths in the package."""
    contract = Contract(comments_of(described))
    made = {
        "models.py": Models(contract).text(),
        "_codec.py": Coder(contract).text(),
        "_async/games.py": Games(contract).text(),
        "_wire.py": wire_text(described),
    }
    return {name: formatted(name, text) for name, text in made.items()}


def formatted(name: str, text: str) -> str:
    """The text as ruff formats it, without imports that it does not need."""
    ruff = [sys.executable, "-m", "ruff"]
    said = ["--quiet", "--stdin-filename", str(ROOT / "scripts" / name), "-"]
    for command in (["check", "--fix-only", "--select", "F401,I"], ["format"]):
        asked = [*ruff, *command, *said]
        done = subprocess.run(asked, input=text, capture_output=True, text=True, check=False, cwd=ROOT)
        if done.returncode:
            raise SystemExit(f"client_python: {name}: {done.stderr}")
        text = done.stdout
    return text


def wanted() -> dict[str, str]:
    """All that is generated."""
    made = generated(compiled())
    waiting = {f"_async/{path.name}": path.read_text() for path in sorted((PACKAGE / "_async").glob("*.py"))}
    waiting["_async/games.py"] = made["_async/games.py"]
    for name, text in waiting.items():
        sync = name.replace("_async/", "_sync/")
        made[sync] = formatted(sync, without_waiting(text))
    return made


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print(__doc__, file=sys.stderr)
        return 2
    made = wanted()
    stale = [name for name, text in made.items() if _present(name) != text]
    left = {f"_sync/{path.name}" for path in (PACKAGE / "_sync").glob("*.py")} - set(made)
    if check:
        for name in sorted({*stale, *left}):
            print(f"client_python: stale: {(PACKAGE / name).relative_to(ROOT)}", file=sys.stderr)
        if stale or left:
            print("client_python: run `make clients-python` and commit what it wrote", file=sys.stderr)
            return 1
        print("client_python: up to date")
        return 0
    for name in stale:
        (PACKAGE / name).parent.mkdir(exist_ok=True)
        (PACKAGE / name).write_text(made[name])
    for name in left:
        (PACKAGE / name).unlink()
    print(f"client_python: wrote {len(stale)} of {len(made)} files")
    return 0


def _present(name: str) -> str | None:
    path = PACKAGE / name
    return path.read_text() if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
