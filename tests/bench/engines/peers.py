"""One peer's rate, by its own Python: peers.py LOOP SECONDS prints how many a second, of processor's time.

Not of this project's environment: OpenSpiel, RLCard and flop7 are installed where this is run. Each loop asks for the
legal moves, takes one at random and makes it, as the libraries' own examples do.
"""

import random
import sys
import time
from collections.abc import Callable


def hearts(seconds: float) -> float:
    """Moves of OpenSpiel's hearts, cards passed on among them, each deal dealt by its own chance nodes."""
    import pyspiel

    game, rng, moves = pyspiel.load_game("hearts"), random.Random(1), 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            moves += not state.is_chance_node()
            state.apply_action(rng.choice(state.legal_actions()))
    return moves / (time.process_time() - began)


def bridge(seconds: float) -> float:
    """Cards of OpenSpiel's bridge, one no trump being played; dealing, bidding and double-dummy results left out."""
    import pyspiel

    game, rng = pyspiel.load_game("bridge(use_double_dummy_result=false)"), random.Random(1)
    moves, spent = 0, 0.0
    while spent < seconds:
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
        passing, *bids = state.legal_actions()
        for call in (bids[4], passing, passing, passing):
            state.apply_action(call)
        began = time.process_time()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            moves += 1
        spent += time.process_time() - began
    return moves / spent


def rlcard_bridge(seconds: float) -> float:
    """Deals of RLCard's bridge, bid and played; the bare game, without its environment."""
    import numpy as np
    from rlcard.games.bridge.game import BridgeGame

    rng, deals = random.Random(1), 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        game = BridgeGame()
        game.np_random = np.random.RandomState(deals)
        game.init_game()
        while not game.is_over():
            game.step(rng.choice(game.judger.get_legal_actions()))
        deals += 1
    return deals / (time.process_time() - began)


def flop7(seconds: float) -> float:
    """Games of flop7, three at the table, who hit or stay at random."""
    from flop7.core.classes.deck import Deck
    from flop7.core.classes.player import Player
    from flop7.core.engine.engine import GameEngine

    rng, games = random.Random(1), 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        GameEngine(
            deck=Deck(),
            players=[Player(str(number)) for number in range(3)],
            card_provider=lambda game, _player: game.deck.deal(),
            hit_stay_decider=lambda _game, _player: rng.random() < 0.5,
            target_selector=lambda _game, _event, _source, eligible: rng.choice(eligible),
        ).play()
        games += 1
    return games / (time.process_time() - began)


LOOPS: dict[str, Callable[[float], float]] = {each.__name__: each for each in (hearts, bridge, rlcard_bridge, flop7)}

if __name__ == "__main__":
    print(LOOPS[sys.argv[1]](float(sys.argv[2])))
