"""The benchmark: ratios of this machine, in one run. ``make bench``, or ``python -m tests.bench --help``.

Each ratio is the median of pairs measured in turn, A B B A, with its spread. Nothing fails on a time.
"""

import argparse
import sys
import time
import traceback
from fnmatch import fnmatch
from typing import Final

from tests.bench import compiled, h2load, page, servers
from tests.bench.context import Bench
from tests.bench.figures import Figure, shown
from tests.bench.rows import BY_NAME, PARTS

PAIRS: Final = 6
SECONDS: Final = 2.0
QUICK_PAIRS: Final = 2
QUICK_SECONDS: Final = 0.4


def arguments() -> argparse.Namespace:
    """What is asked for on the command line."""
    parser = argparse.ArgumentParser(prog="make bench ARGS=...", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"by default all: {' '.join(PARTS)}; * is understood")
    parser.add_argument("--quick", action="store_true", help="about two minutes, to see that all of it works")
    parser.add_argument("--pairs", type=int, help=f"of each comparison, by default {PAIRS}")
    parser.add_argument("--seconds", type=float, help=f"of each measurement, by default {SECONDS:g}")
    parser.add_argument("--write", action="store_true", help="docs/performance.md too, as a run of all parts does")
    parser.add_argument("--compiled", action="store_true", help="services run with the engine compiled")
    parser.add_argument("--minutes", type=float, help="how long memory is watched, by default 10")
    told = parser.parse_args()
    unknown = [each for each in told.parts if not any(fnmatch(name, each) for name in PARTS)]
    if unknown:
        parser.error(f"no part is called {', '.join(unknown)}; there are: {' '.join(PARTS)}")
    return told


def line(figure: Figure) -> str:
    """A figure as it is printed."""
    if figure.missing:
        return f"  {figure.what}: {figure.missing}{_asked(figure)}"
    ratios = figure.ratios
    told = f"{shown(figure.median)} ({shown(ratios[0])} to {shown(ratios[-1])})"
    if figure.theirs:
        ones, others = (sorted(side)[len(side) // 2] for side in (figure.ours, figure.theirs))
        told += f"; {shown(ones)} against {shown(others)} {figure.unit}"
    else:
        told += f" {figure.unit}"
    note = f" [{figure.note}]" if figure.note else ""
    return f"  {figure.what}: {told}{_asked(figure)}{note}"


def _asked(figure: Figure) -> str:
    if figure.target is None:
        return ""
    met = {True: " MET", False: " MISSED", None: ""}[figure.is_met]
    return f"; {figure.target}{met}"


def measured(bench: Bench, name: str) -> list[Figure] | None:
    """A part's figures, each printed once it is there; None where they could not be taken, which spoils no other."""
    figures = []
    try:
        for figure in PARTS[name](bench):
            print(line(figure), flush=True)
            figures.append(figure)
    except Exception:  # noqa: BLE001 - whatever a peer or a server of it does
        traceback.print_exc()
        return None
    return figures


def main() -> None:
    """Measures and prints."""
    told = arguments()
    if h2load.PROGRAM is None:
        sys.exit(h2load.WHY_NOT)
    wanted = told.parts or [name for name in PARTS if told.quick or name not in BY_NAME]
    if told.compiled:
        folder = compiled.folder()
        if isinstance(folder, str):
            sys.exit(folder)
        servers.FOLDER.set(folder)
    names = [name for name in PARTS if any(fnmatch(name, each) for each in wanted)]
    pairs = told.pairs or (QUICK_PAIRS if told.quick else PAIRS)
    seconds = told.seconds or (QUICK_SECONDS if told.quick else SECONDS)
    bench = Bench(pairs, seconds, told.quick, told.minutes)
    bench.folder.mkdir(parents=True, exist_ok=True)
    how = page.how(pairs, seconds, is_compiled=told.compiled)
    began = time.monotonic()
    print(how)
    print(f"median (least to most) of {pairs} pairs of {seconds:g} s", flush=True)
    failed: list[str] = []
    with bench.stack:
        for name in names:
            print(f"\n{name}", flush=True)
            figures = measured(bench, name)
            if figures is None:
                failed.append(name)
            elif not told.quick:
                page.keep(name, figures, how)
    if told.write or not (told.parts or told.quick):
        page.write()
    print(f"{time.monotonic() - began:.0f} s in all")
    if failed:
        sys.exit(f"not to be measured: {', '.join(failed)}")


if __name__ == "__main__":
    main()
