"""Compiles the engine with mypyc into a folder: scripts/compile_engine.py [FOLDER], by default build/compiled.

FOLDER/engine is then the engine with an extension beside each module of `COMPILED`, which Python takes in place of it;
the modules of structs stay as they are. It is made anew only where a source has changed. Needs mypy, setuptools and a C
compiler.
"""

import argparse
import hashlib
import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "compiled"
COMPILED = (
    *("playouts.py", "rng.py"),
    *(f"mechanics/{name}.py" for name in ("cardplay", "cardsets", "checking", "dealing", "deduction", "holding")),
    *(f"mechanics/{name}.py" for name in ("laying", "layout", "playing", "requiring", "runs", "sampling")),
    *(f"mechanics/{name}.py" for name in ("seating", "tricks")),
    *(f"mechanics/fishing/{name}.py" for name in ("capturing", "families", "maximal", "pool", "residues", "sums")),
    *(f"games/whist/{name}.py" for name in ("check", "playout", "rules", "sampling", "scoring", "table", "views")),
    *(f"games/peewee7/{name}.py" for name in ("auction", "check", "playout", "rules", "sampling", "scoring", "table")),
    *(f"games/peewee7/{name}.py" for name in ("drawing", "views")),
    *(f"games/flip7/{name}.py" for name in ("budget", "check", "deck", "history", "playout", "resolve")),
    *(f"games/flip7/{name}.py" for name in ("rounds", "rules", "sampling", "scoring", "table")),
    *(f"games/wippen/{name}.py" for name in ("building", "capturing", "check", "course", "dealing", "knowledge")),
    *(f"games/wippen/{name}.py" for name in ("listing", "rules", "sampling", "scoring", "table", "views")),
    *(f"games/wipe/{name}.py" for name in ("check", "judging", "knowledge", "listing", "play", "rules", "sampling")),
    *(f"games/wipe/{name}.py" for name in ("scoring", "table", "takings", "views")),
)


def digest_of(engine: Path) -> str:
    """What the sources and this program amount to."""
    digest = hashlib.sha256(sys.version.encode())
    for path in (Path(__file__), *sorted(engine.rglob("*.py"))):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def compile_into(out: Path) -> bool:
    """Makes `out`/engine; False where it was there already, of the same sources."""
    made_of = out / "made-of"
    digest = digest_of(ROOT / "engine")
    if made_of.is_file() and made_of.read_text() == digest:
        return False
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(ROOT / "engine", out / "engine", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    _build(out)
    made_of.write_text(digest)
    return True


def _build(out: Path) -> None:
    from mypyc.build import mypycify  # noqa: PLC0415 - so that --help and an up-to-date build need no compiler
    from setuptools import setup  # type: ignore[import-untyped]  # noqa: PLC0415

    here = Path.cwd()
    os.chdir(out)
    try:
        flags = ["--config-file=", "--strict", "--no-warn-unused-ignores", "--explicit-package-bases"]
        modules = mypycify(
            [*flags, *(f"engine/{path}" for path in COMPILED)],
            group_name="engine",
            opt_level="3",
            debug_level="0",
            multi_file=True,
        )
        setup(
            name="engine",
            packages=[],
            ext_modules=modules,
            script_args=["--quiet", "build_ext", "--inplace", "--build-temp", str(out / "temporary")],
        )
    finally:
        os.chdir(here)
    for left in ("build", "temporary", ".mypy_cache"):
        shutil.rmtree(out / left, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=OUT)
    out = parser.parse_args().folder.resolve()
    print(f"{out}: {'compiled' if compile_into(out) else 'is up to date'}")


if __name__ == "__main__":
    main()
