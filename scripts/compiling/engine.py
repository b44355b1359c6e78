"""The engine, compiled with mypyc: an extension beside each module of `COMPILED`; those of structs stay as they are."""

import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

from scripts.compiling.part import ROOT, Part, link

GROUP = "engine"
COMPILED = (
    *("playouts.py", "rng.py"),
    *(f"mechanics/{name}.py" for name in ("cardplay", "cardsets", "checking", "dealing", "deduction", "holding")),
    *(f"mechanics/{name}.py" for name in ("laying", "layout", "listing", "playing", "requiring", "runs")),
    *(f"mechanics/{name}.py" for name in ("sampling", "seating", "tricks")),
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


def _sources() -> Iterator[bytes]:
    for path in sorted((ROOT / "engine").rglob("*.py")):
        yield str(path.relative_to(ROOT)).encode()
        yield path.read_bytes()


def _build(out: Path) -> None:
    from mypyc.build import mypycify  # noqa: PLC0415 - an up-to-date build needs none

    shutil.rmtree(out / "engine", ignore_errors=True)
    shutil.copytree(ROOT / "engine", out / "engine", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    flags = ["--config-file=", "--strict", "--no-warn-unused-ignores", "--explicit-package-bases"]
    with chdir(out):
        modules = mypycify(
            [*flags, *(f"engine/{path}" for path in COMPILED)],
            group_name=GROUP,
            opt_level="3",
            debug_level="0",
            multi_file=True,
        )
        link(modules, "--inplace")
    for left in ("build", "temporary", ".mypy_cache"):
        shutil.rmtree(out / left, ignore_errors=True)


PART = Part("engine", f"{GROUP}__mypyc", Path(__file__), _sources, _build)
