"""Draws the ratios that have a bound: python -m tests.bench.peers.draw FIGURES SVG.

The Python of the peers runs it, which has what it needs.
"""

import json
import sys
from pathlib import Path
from statistics import median
from typing import Any, Final

import matplotlib as mpl
from matplotlib import pyplot as plt

MET: Final = "#2a7f62"
MISSED: Final = "#b5482f"
INCHES_A_ROW: Final = 0.3


def ratios(figure: dict[str, Any]) -> list[float]:
    """Each pair's ratio, so that more is better, as a share of what it must be."""
    bound = figure["target"]["value"]
    theirs = figure["theirs"] or [1.0] * len(figure["ours"])
    found = [one / other / bound for one, other in zip(figure["ours"], theirs, strict=True)]
    return sorted(found if figure["target"]["bound"] == "at least" else [1 / each for each in found])


def draw(figures: list[dict[str, Any]], file: Path) -> None:
    """One line a figure: its median, and from the least to the most."""
    mpl.rcParams.update(
        {"svg.fonttype": "none", "font.size": 8, "svg.hashsalt": "scheids", "font.family": "sans-serif"}
    )
    canvas, axes = plt.subplots(figsize=(9, INCHES_A_ROW * len(figures) + 0.9), layout="constrained")
    for row, figure in enumerate(reversed(figures)):
        found = ratios(figure)
        middle = median(found)
        colour = MET if middle >= 1 else MISSED
        axes.plot([found[0], found[-1]], [row, row], color=colour, linewidth=1.5)
        axes.plot([middle], [row], "o", color=colour, markersize=4)
    axes.axvline(1, color="#777777", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(figures)), [figure["what"] for figure in reversed(figures)])
    axes.set_xlabel("share of what it must be; more is better")
    axes.spines[["top", "right"]].set_visible(False)
    canvas.savefig(file, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    kept = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    every = [figure for part in kept.values() for figure in part["figures"]]
    draw([figure for figure in every if figure["target"] and not figure["missing"]], Path(sys.argv[2]))
