"""RLCard's bridge: the bare game, whose judger lists and whose round judges, and as an environment."""

import random
from typing import Final

import rlcard
from rlcard.games.bridge.game import BridgeGame

from tests.bench.peers.walking import Steps, Walks, serve


def bridge() -> Steps:
    """Deals of the bare game."""
    game = BridgeGame()
    while True:
        game.init_game()
        while not game.is_over():
            game.step(random.choice(game.judger.get_legal_actions()))
        yield 1


def steps() -> Steps:
    """Steps of the environment, a deal at a time."""
    env = rlcard.make("bridge", config={"seed": 1})
    while True:
        done = 0
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(random.choice(list(state["legal_actions"])))
            done += 1
        yield done


def deals() -> Steps:
    """Deals of the environment."""
    return (1 for _ in steps())


WALKS: Final[Walks] = {"bridge": bridge, "bridge-environment": deals, "bridge-steps": steps}

if __name__ == "__main__":
    serve(WALKS)
