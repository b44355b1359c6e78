"""Random agents' steps a second: our PettingZoo environments beside RLCard's bridge and PettingZoo's own card games.

The peers are installed from PyPI into an environment of their own; all walk in one process, in turn.
"""

import json
import subprocess
import sys
import venv
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[2]
ROUNDS = 7
WALK = r"""
import json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np, rlcard
from pettingzoo.classic import leduc_holdem_v4, texas_holdem_no_limit_v6, texas_holdem_v4
from scheids_client import envs

STEPS = 3000

def pettingzoo_steps(env, seed):
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    steps, began = 0, time.perf_counter()
    while steps < STEPS:
        observed, _, over, cut, _ = env.last()
        if over or cut or not env.agents:
            env.reset(seed=seed + steps + 1)
            continue
        mask = observed["action_mask"] if isinstance(observed, dict) else env.infos[env.agent_selection]["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
        steps += 1
    return steps / (time.perf_counter() - began)

def rlcard_steps(name, seed):
    env = rlcard.make(name, config={"seed": seed})
    rng = np.random.default_rng(seed)
    state, _ = env.reset()
    steps, began = 0, time.perf_counter()
    while steps < STEPS:
        state, _ = env.step(int(rng.choice(list(state["legal_actions"]))))
        steps += 1
        if env.is_over():
            state, _ = env.reset()
    return steps / (time.perf_counter() - began)

walks = {
    **{game: (lambda seed, game=game: pettingzoo_steps(envs.env(game), seed)) for game in envs.LAYOUTS},
    "rlcard bridge": lambda seed: rlcard_steps("bridge", seed),
    "pettingzoo texas": lambda seed: pettingzoo_steps(texas_holdem_v4.env(), seed),
    "pettingzoo leduc": lambda seed: pettingzoo_steps(leduc_holdem_v4.env(), seed),
    "pettingzoo texas, no limit": lambda seed: pettingzoo_steps(texas_holdem_no_limit_v6.env(), seed),
}
rounds = [{name: walk(number) for name, walk in walks.items()} for number in range(int(sys.argv[1]))]
print(json.dumps(rounds))
"""


@pytest.mark.bench
def test_steps_a_second(tmp_path: Path) -> None:
    venv.create(tmp_path / "peers", with_pip=True)
    python = tmp_path / "peers" / "bin" / "python"
    needed = ["pettingzoo[classic]", "rlcard", "msgspec", "grpcio", "httpx", "httpx-sse", "tenacity", "protobuf"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *needed], check=True)
    paths = f"{ROOT / 'clients/python/src'}:{ROOT / 'clients/python/engine'}"
    done = subprocess.run(
        [python, "-c", WALK, str(ROUNDS)], env={"PYTHONPATH": paths}, capture_output=True, text=True, check=True
    )
    rounds = json.loads(done.stdout.splitlines()[-1])
    print(file=sys.stderr)
    for name in rounds[0]:
        print(f"{name:>26}: {median(each[name] for each in rounds):>9,.0f} steps/s")
    for peer in ("rlcard bridge", "pettingzoo leduc", "pettingzoo texas", "pettingzoo texas, no limit"):
        ratios = sorted(each["whist"] / each[peer] for each in rounds)
        print(f"whist / {peer}: {median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})")
