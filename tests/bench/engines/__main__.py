"""Prints the figures of `tests.bench.engines`."""

import sys
from pathlib import Path

from tests.bench.__main__ import line
from tests.bench.engines import engines

if __name__ == "__main__":
    peers, *told = sys.argv[1:]
    seconds, pairs = ([float(each) for each in told] + [2.0, 6.0][len(told) :])[:2]
    for figure in engines(Path(peers), int(pairs), seconds):
        print(line(figure), flush=True)
