"""What walks: random play in one process, for as long as is asked, counted by the processor's time.

Each of the peers has a module of its own, ``python -m tests.bench.peers.walk_openspiel``, which the Python of the peers
runs. It reads lines of a walk's name and seconds, and prints for each how many there were a second.
"""

import sys
import time
from collections.abc import Callable, Iterator

Steps = Iterator[float]
"""Yields, time and again, how much has been done since it last did; from the first one on it is timed."""
Walks = dict[str, Callable[[], Steps]]


def pace(walk: Callable[[], Steps], seconds: float) -> float:
    """How many a second of the processor's time."""
    steps = walk()
    next(steps)
    done, began = 0.0, time.process_time()
    while (spent := time.process_time() - began) < seconds:
        done += next(steps)
    return done / spent


def serve(walks: Walks, told: str = "ready") -> None:
    """Says so, and walks as it is told to, until there is nothing more to read."""
    print(told, flush=True)
    for line in sys.stdin:
        name, seconds = line.split()
        print(pace(walks[name], float(seconds)), flush=True)
