"""Steps of environments: PettingZoo's own card games, and those of the Scheids client."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from pettingzoo.classic import leduc_holdem_v4, texas_holdem_no_limit_v6, texas_holdem_v4

from scheids_client import envs
from tests.bench.peers.walking import Steps, Walks, serve

PEERS: Final = {"leduc": leduc_holdem_v4, "texas": texas_holdem_v4, "texas-no-limit": texas_holdem_no_limit_v6}


def steps(make: Callable[[], Any]) -> Steps:
    """Steps of random agents, through PettingZoo's interface."""
    env, rng, seed = make(), np.random.default_rng(1), 0
    env.reset(seed=seed)
    while True:
        observed, _, over, cut, _ = env.last()
        if over or cut or not env.agents:
            seed += 1
            env.reset(seed=seed)
            continue
        told = observed if isinstance(observed, dict) else env.infos[env.agent_selection]
        env.step(int(rng.choice(np.flatnonzero(told["action_mask"]))))
        yield 1


OURS: Final[Walks] = {f"scheids-{game}": partial(steps, partial(envs.env, game)) for game in envs.LAYOUTS}

if __name__ == "__main__":
    serve({**OURS, **{name: partial(steps, peer.env) for name, peer in PEERS.items()}})
