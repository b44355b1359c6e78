"""flop7's matches of three."""

import random
from typing import Final

from flop7.core.classes.deck import Deck
from flop7.core.classes.player import Player
from flop7.core.engine.engine import GameEngine
from flop7.simulation.runner import run_game

from tests.bench.peers.walking import Steps, Walks, serve


def matches() -> Steps:
    """Three hit or stay, and choose among the rest, at random."""
    while True:
        GameEngine(
            deck=Deck(),
            players=[Player(name) for name in "ABC"],
            card_provider=lambda game, _player: game.deck.deal(),
            hit_stay_decider=lambda _game, _player: random.random() < 0.5,
            target_selector=lambda _game, _event, _source, eligible: random.choice(eligible),
        ).play()
        yield 1


def simulated() -> Steps:
    """As flop7's simulation plays them: three of its basic bots."""
    while True:
        run_game({"Basic": 3})
        yield 1


WALKS: Final[Walks] = {"flip7": matches, "flip7-simulated": simulated}

if __name__ == "__main__":
    serve(WALKS)
