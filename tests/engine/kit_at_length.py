"""The conformance kit on the fishing games, at length: ``python -m tests.engine.kit_at_length --rounds 24``.

Every variant of the tests, and as many of options and numbers of places drawn at random, each for so many rounds.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.engine import kit
from tests.engine.wipe import test_kit as wipe
from tests.engine.wippen import test_kit as wippen

Deals = Callable[[kit.Subject, str], int]
GAMES: dict[str, tuple[kit.Subject, Callable[[int], dict[str, tuple[kit.Choices, int]]], Deals]] = {
    "wippen": (wippen.SUBJECT, wippen.drawn, wippen.deals_a_round),
    "wipe": (wipe.SUBJECT, wipe.drawn, wipe.deals_a_round),
}


def run(name: str, rounds: int, drawn: int, part: str) -> None:
    """Plays, checks and prints what was played."""
    subject, draw, deals_a_round = GAMES[name]
    counted = states = 0

    def conserved(state: Any) -> None:
        nonlocal counted, states
        subject.conserved(state)
        counted += state.score_before is not None
        states += 1

    variants = {variant: of for variant, of in {**subject.variants, **draw(drawn)}.items() if part in variant}
    watched = replace(subject, conserved=conserved, variants=variants)
    began = time.process_time()
    for variant in variants:
        before = counted
        kit.run(watched, variant, rounds * deals_a_round(watched, variant))
        print(f"  {variant}: {counted - before} rounds", flush=True)
    places = sorted({places for _, places in variants.values()})
    print(
        f"{name}: {len(variants)} variants, places {places}, {counted} rounds, {states} states, "
        f"{time.process_time() - began:.0f} s",
        flush=True,
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--rounds", type=int, default=24, help="rounds of each variant")
    parser.add_argument("--drawn", type=int, default=40, help="variants drawn at random beside those of the tests")
    parser.add_argument("--only", default="", metavar="PART", help="variants that have this in their name")
    chosen = parser.parse_args()
    for name in chosen.games:
        run(name, chosen.rounds, chosen.drawn, chosen.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
