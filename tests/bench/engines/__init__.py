"""The engine beside other engines: moves, deals and games a second of processor's time, pair by pair.

The peers are `open_spiel`, `rlcard` and `flop7` of PyPI, in an environment of their own whose Python is named:
``python -m tests.bench.engines PYTHON [SECONDS [PAIRS]]``. Ours is the engine plain, and compiled where `make compiled`
made it.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from tests.bench.figures import Figure, Target, in_turn

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[2]
COMPILED: Final = ROOT / "build" / "compiled"
ROWS: Final[tuple[tuple[str, str, str, Target | None], ...]] = (
    ("whist moves, deal included / OpenSpiel hearts", "whist", "hearts", Target("at least", 3)),
    ("whist moves, play phase only / OpenSpiel bridge", "whist_play", "bridge", Target("at least", 1)),
    ("PeeWee 7 deals / RLCard bridge", "peewee_deals", "rlcard_bridge", Target("at least", 10)),
    ("Flip 7 games / flop7", "flip7_games", "flop7", Target("at least", 10)),
    ("whist moves, a state each, deal included / OpenSpiel hearts", "whist_by_states", "hearts", None),
)


def rate(python: str, *program: str, path: str = "") -> float:
    """What a loop in a process of its own got."""
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([python, *program], cwd=ROOT, capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout)


def engines(peers: Path, pairs: int, seconds: float) -> Iterator[Figure]:
    """Each loop beside its peer: first the compiled engine, where it is built, then the plain one."""
    builds = {"compiled": f"{COMPILED}:{ROOT}"} if (COMPILED / "made-of").is_file() else {}
    for build, path in {**builds, "plain": str(ROOT)}.items():
        for what, ours, theirs, target in ROWS:
            ones, others = in_turn(
                pairs,
                partial(rate, sys.executable, "-P", "-m", "tests.bench.engines.ours", ours, str(seconds), path=path),
                partial(rate, str(peers), str(HERE / "peers.py"), theirs, str(seconds)),
            )
            asked = target if build == "compiled" else None
            yield Figure(f"{what}, {build}", asked, ours=tuple(ones), theirs=tuple(others))
