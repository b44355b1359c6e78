"""One rate of the engine: python -m tests.bench.engines.ours LOOP SECONDS tells how many a second of processor's time.

Whether it is the compiled engine depends on which one Python finds first.
"""

import random
import sys
import time
from collections.abc import Callable
from itertools import count
from typing import Any, Final

from engine.game import Query, Setup, begin, legal_moves, play, resolve_options
from engine.games import BY_NAME
from engine.playouts import playouts

DEAL: Final = 52


OPTIONS: Final[dict[str, Any]] = {name: resolve_options(game, None) for name, game in BY_NAME.items()}


def begun(name: str, seed: int) -> Any:
    """The first deal of a match, which has a seed of its own."""
    return begin(BY_NAME[name], Setup(options=OPTIONS[name], chance="seed", seed=str(seed))).state


def whist(seconds: float) -> float:
    """Cards of whist played, rubbers from their beginning: each deal shuffled, each card judged, each deal scored."""
    cards, began = 0, time.process_time()
    for seed in count():
        found = playouts(BY_NAME["whist"], begun("whist", seed), "x", [seed])
        cards += (found.moves + 1) // (DEAL + 1) * DEAL
        if time.process_time() - began >= seconds:
            break
    return cards / (time.process_time() - began)


def whist_play(seconds: float) -> float:
    """Cards of whist played, from a deal on the table to its sheet."""
    states = [begun("whist", seed) for seed in range(20)]
    cards, began = 0, time.process_time()
    for number in count():
        for state in states:
            cards += playouts(BY_NAME["whist"], state, "x", [number], "deal").moves
        if time.process_time() - began >= seconds:
            break
    return cards / (time.process_time() - began)


def whist_by_states(seconds: float) -> float:
    """Cards of whist played move by move: a whole state, its legal moves listed, one judged and applied, its events."""
    game, rng, cards, began = BY_NAME["whist"], random.Random(1), 0, time.process_time()
    for seed in count():
        state = begun("whist", seed)
        for _ in range(DEAL):
            state = play(game, state, rng.choice(legal_moves(game, state, None, Query()).moves).move).state
        cards += DEAL
        if time.process_time() - began >= seconds:
            break
    return cards / (time.process_time() - began)


def peewee_deals(seconds: float) -> float:
    """Deals of PeeWee 7, each of a new match: shuffled, bid, played and scored."""
    return _playouts("peewee7", "deal", seconds)


def flip7_games(seconds: float) -> float:
    """Matches of Flip 7, three at the table."""
    return _playouts("flip7", "match", seconds)


def _playouts(name: str, until: Any, seconds: float) -> float:
    number, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        number += playouts(BY_NAME[name], begun(name, number), "x", [number], until).finished
    return number / (time.process_time() - began)


LOOPS: Final[dict[str, Callable[[float], float]]] = {
    each.__name__: each for each in (whist, whist_play, whist_by_states, peewee_deals, flip7_games)
}

if __name__ == "__main__":
    print(LOOPS[sys.argv[1]](float(sys.argv[2])))
