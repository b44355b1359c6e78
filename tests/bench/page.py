"""What has been measured here, kept in build/ by parts, and docs/performance.md, whose tables are made of it.

A block of the page begins with the line ``<!-- bench: PART PART -->`` and ends with ``<!-- /bench -->``; what is
between is made anew once all of these parts have been measured. What anyone else wrote on the page stays.
"""

import os
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from tests.bench.figures import Figure, shown
from tests.bench.peers import environments
from tests.bench.servers import BUILD
from tests.service.running import ROOT

KEPT: Final = BUILD / "figures.json"
PAGE: Final = ROOT / "docs" / "performance.md"
PLOT: Final = ROOT / "docs" / "performance.svg"
BLOCK: Final = re.compile(r"(<!-- bench: (?P<parts>[\w ]+) -->\n).*?(<!-- /bench -->)", re.DOTALL)


class Measured(msgspec.Struct):
    """A part's figures, and how they were taken."""

    figures: tuple[Figure, ...]
    how: str


def kept() -> dict[str, Measured]:
    """What has been measured here so far, by part."""
    if not KEPT.is_file():
        return {}
    return msgspec.json.decode(KEPT.read_bytes(), type=dict[str, Measured])


def keep(part: str, figures: Sequence[Figure], how: str) -> None:
    """Remembers a part's figures in place of those that it had."""
    every = {**kept(), part: Measured(tuple(figures), how)}
    KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(every)))


def how(pairs: int, seconds: float, *, is_compiled: bool) -> str:
    """How figures are taken here, in words; to be asked before a load begins, since it tells of other work."""
    engine = ", services with the engine compiled" if is_compiled else ""
    machine = f"{os.cpu_count()} cores of {_processor()}, Python {platform.python_version()}"
    return f"{machine}, {pairs} pairs of {seconds:g} s, load average {os.getloadavg()[0]:.1f} from other work{engine}"


def _processor() -> str:
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else platform.machine()


def write() -> None:
    """Makes the page's tables and its plot anew."""
    PAGE.write_text(blocks(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    subprocess.run([environments.python(), "-m", "tests.bench.peers.draw", KEPT, PLOT], cwd=ROOT, check=True)


def blocks(text: str) -> str:
    """The page's text with its tables made anew."""
    every = kept()
    return BLOCK.sub(lambda block: _block(block, every), text)


def _block(block: "re.Match[str]", every: Mapping[str, Measured]) -> str:
    parts = block["parts"].split()
    if any(part not in every for part in parts):
        return block[0]
    figures = [figure for part in parts for figure in every[part].figures]
    ways = dict.fromkeys(every[part].how for part in parts)
    lines = [
        f"Taken on {'; '.join(ways)}.",
        "",
        "| what | median | spread | must be | ours against the other |",
        "|---|---|---|---|---|",
        *map(_row, figures),
        "",
    ]
    notes = dict.fromkeys(f"{figure.what}: {figure.note}" for figure in figures if figure.note)
    lines += [*(f"- {note}." for note in notes), ""] if notes else []
    return f"{block[1]}\n" + "\n".join(lines) + f"\n{block[3]}"


def _row(figure: Figure) -> str:
    target = "" if figure.target is None else str(figure.target)
    if figure.missing:
        return f"| {figure.what} | | | {target} | {figure.missing} |"
    ratios = figure.ratios
    mark = f"**{shown(figure.median)}**" if figure.is_met is False else shown(figure.median)
    spread = f"{shown(ratios[0])} to {shown(ratios[-1])}"
    sides = (
        f"{shown(median(figure.ours))} / {shown(median(figure.theirs))} {figure.unit}" if figure.theirs else figure.unit
    )
    return f"| {figure.what} | {mark} | {spread} | {target} | {sides} |"
