"""OpenSpiel's card games, played at random through Python: a call for the actions and one for that which is chosen."""

import random
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import pyspiel

from tests.bench.peers.walking import Steps, Walks, serve

STATES: Final = 200
GAMES: Final = 200


def chosen(state: Any) -> Any:
    """An action at random; those of a deal are equally likely in all of these games."""
    actions = state.legal_actions()
    return actions[int(random.random() * len(actions))]


def with_deal(name: str) -> Steps:
    """Moves, those of the deal not counted."""
    game = pyspiel.load_game(name)
    while True:
        state, moves = game.new_initial_state(), 0
        while not state.is_terminal():
            moves += not state.is_chance_node()
            state.apply_action(chosen(state))
        yield moves


def as_the_example(name: str) -> Steps:
    """As OpenSpiel's own example plays: numpy chooses, by the chances of what is dealt."""
    game = pyspiel.load_game(name)
    while True:
        state, moves = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                action = np.random.choice(actions, p=chances)  # noqa: NPY002 - as the example does
            else:
                action = random.choice(state.legal_actions(state.current_player()))
                moves += 1
            state.apply_action(action)
        yield moves


def without_python(name: str) -> Steps:
    """By OpenSpiel's own bots, a whole game in one call; how long a game is on average is found first."""
    walk, game = with_deal(name), pyspiel.load_game(name)
    moves = sum(next(walk) for _ in range(GAMES)) / GAMES
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(game.num_players())]
    seed = 0
    yield 0
    while True:
        pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
        seed += 1
        yield moves


def bridge_hands() -> Iterator[Any]:
    """Hands of bridge that have been dealt and bid."""
    game = pyspiel.load_game("bridge(use_double_dummy_result=false)")
    while True:
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(chosen(state))
        passing, bid, *_ = state.legal_actions()
        for call in (bid, passing, passing, passing):
            state.apply_action(call)
        yield state


def bridge_play() -> Steps:
    """Moves of bridge's play alone."""
    made = bridge_hands()
    hands = [next(made) for _ in range(STATES)]
    yield 0
    number = 0
    while True:
        state, moves = hands[number % STATES].clone(), 0
        while not state.is_terminal():
            state.apply_action(chosen(state))
            moves += 1
        number += 1
        yield moves


WALKS: Final[Walks] = {
    "hearts": partial(with_deal, "hearts"),
    "hearts-example": partial(as_the_example, "hearts"),
    "hearts-inside": partial(without_python, "hearts"),
    "spades": partial(with_deal, "spades"),
    "bridge-play": bridge_play,
}

if __name__ == "__main__":
    serve(WALKS)
