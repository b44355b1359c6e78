"""The engine's own random play. It says first whether the engine is compiled."""

import sys
from itertools import count
from pathlib import Path
from typing import Any, Final

from engine import game as engine_game
from engine.game import Setup, begin, resolve_options
from engine.games.flip7 import FLIP7
from engine.games.peewee7 import PEEWEE7
from engine.games.whist import WHIST
from engine.playouts import playouts
from tests.bench.peers.walking import Steps, Walks, serve

SEED: Final = "bench"
STATES: Final = 200


def _setup(game: Any, number: int, places: int | None = None) -> Any:
    setup = Setup(options=resolve_options(game, None), chance="seed", seed=f"bench {number}", places=places)
    return begin(game, setup).state


def whist() -> Steps:
    """Moves of whist, each hand dealt, every move listed and judged."""
    for number in count():
        yield playouts(WHIST, _setup(WHIST, number), SEED, [number], "deal").moves


def whist_play() -> Steps:
    """The same of hands that have been dealt."""
    states = [_setup(WHIST, number) for number in range(STATES)]
    yield 0
    for number in count():
        yield playouts(WHIST, states[number % STATES], SEED, [number], "deal").moves


def peewee() -> Steps:
    """Deals of PeeWee 7, each dealt, bid and played."""
    for number in count():
        yield playouts(PEEWEE7, _setup(PEEWEE7, number), SEED, [number], "deal").number


def flip7() -> Steps:
    """Matches of Flip 7 at three places."""
    for number in count():
        yield playouts(FLIP7, _setup(FLIP7, number, 3), SEED, [number], "match").number


WALKS: Final[Walks] = {"whist": whist, "whist-play": whist_play, "peewee": peewee, "flip7": flip7}


def is_compiled() -> bool:
    """Whether the engine runs compiled here."""
    return any(
        str(getattr(module, "__file__", "")).endswith(".so")
        for name, module in sys.modules.items()
        if name.startswith("engine.") and Path(engine_game.__file__).parent in Path(str(module.__file__)).parents
    )


if __name__ == "__main__":
    serve(WALKS, "compiled" if is_compiled() else "plain")
