"""The PettingZoo environments: PettingZoo's own tests, what agents see, what they are rewarded with."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test  # type: ignore[import-untyped]

from scheids_client import envs
from scheids_engine import game as engine
from scheids_engine.games import GAMES
from scheids_engine.violations import Malformed

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "whist": ("whist", {"options": {"preset": "short"}}),
    "whist with a dummy": ("whist", {"options": {"dummy": True, "match": "deal"}, "places": 3}),
    "whist with revokes": ("whist", {"options": {"revoke": "record", "match": "deal"}}),
    "whist drawn for partners": ("whist", {"options": {"drawForPartners": True, "match": "deal"}}),
    "peewee7": ("peewee7", {}),
    "wippen": ("wippen", {"places": 3}),
    "wippen, two packs": ("wippen", {"places": 5, "options": {"packs": 2}}),
    "wipe": ("wipe", {"places": 2}),
    "wipe in teams": ("wipe", {"places": 4}),
    "flip7": ("flip7", {"places": 4}),
    "flip7 alone": ("flip7", {"places": 1}),
}
CYCLES = 60


def made(variant: str) -> Any:
    game, facts = VARIANTS[variant]
    return envs.env(game, **facts)


def walk(env: Any, seed: int, most: int = 2_000) -> Any:
    """Random play: what was seen at each step."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for agent in env.agent_iter(most):
        observed, reward, terminated, truncated, _ = env.last()
        yield agent, observed, reward, terminated or truncated
        env.step(None if terminated or truncated else int(rng.choice(np.flatnonzero(observed["action_mask"]))))


def test_every_game_has_one() -> None:
    assert set(envs.LAYOUTS) == {game.name for game in GAMES}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("variant", VARIANTS)
def test_pettingzoos_own_tests(variant: str) -> None:
    api_test(made(variant), num_cycles=CYCLES)
    seed_test(lambda: made(variant), num_cycles=CYCLES)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_match_ends_and_observations_fit_their_space(variant: str) -> None:
    env = made(variant)
    steps = 0
    for agent, observed, _, over in walk(env, 5):
        assert env.observation_space(agent).contains(observed)
        assert over or observed["action_mask"].any()
        steps += 1
    assert not env.agents or steps == 2_000


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_mask_has_the_legal_moves(variant: str) -> None:
    env = made(variant)
    for _, observed, _, over in walk(env, 6, 60):
        if over:
            break
        raw = env.unwrapped
        legal = engine.legal_moves(raw.game, raw.state_of_match, None, engine.Query(limit=10_000))
        assert observed["action_mask"].sum() == min(legal.total, envs.LISTED)
        names = raw.layout.action_names
        if names is not None:
            named = {names[at] for at in np.flatnonzero(observed["action_mask"])}
            assert named == {move.text for move in legal.moves}


@pytest.mark.parametrize("variant", ["whist", "peewee7", "wippen", "wipe", "flip7"])
def test_agents_see_what_their_seat_does_and_no_more(variant: str) -> None:
    """What is observed is the same for every state that the seat's view can be of."""
    env = made(variant)
    raw = env.unwrapped
    for step, (agent, observed, _, over) in enumerate(walk(env, 7, 40)):
        if over:
            break
        if step % 5:
            continue
        state, seat = raw.state_of_match, raw.possible_agents.index(agent)
        view = engine.view(raw.game, state, seat)
        for drawn in engine.sample(raw.game, view, str(step), range(3))[0]:
            again = raw.layout.observe(engine.view(raw.game, drawn, seat), seat)
            assert np.array_equal(again, observed["observation"])


def test_whist_is_laid_out_as_it_is_named() -> None:
    env = envs.raw_env("whist")
    env.reset(seed=1)
    seen = dict(zip(env.layout.names, env.observe(env.agent_selection)["observation"], strict=True))
    seat = env.possible_agents.index(env.agent_selection)
    held = {name.removeprefix("held ") for name, number in seen.items() if name.startswith("held ") and number}
    assert held == set(env.state_of_match.hands[seat].cards)
    assert seen[f"trumps {env.state_of_match.trump}"] == 1


def test_rewards_are_the_difference_of_a_deal() -> None:
    env = envs.raw_env("whist", options={"match": "deal"})
    env.reset(seed=3)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    rng = np.random.default_rng(3)
    while env.agents:
        agent = env.agent_selection
        observed, reward, terminated, truncated, _ = env.last()
        rewards[agent] += reward
        dead = terminated or truncated
        env.step(None if dead else int(rng.choice(np.flatnonzero(observed["action_mask"]))))
    points = [0, 0]
    for item in env.game.sheet(env.state_of_match, "deal").items:
        points[item.side] += item.points
    assert list(rewards.values()) == [(points[0] - points[1]) * (1 if seat % 2 == 0 else -1) for seat in range(4)]
    assert any(rewards.values())


@pytest.mark.parametrize("game", ["whist", "peewee7", "flip7"])
def test_actions_are_these_for_ever(game: str) -> None:
    names = envs.LAYOUTS[game].action_names
    assert names is not None
    first = {"whist": "play 2S", "peewee7": "play 2S", "flip7": "hit"}
    assert (names[0], len(names)) == (first[game], {"whist": 108, "peewee7": 120, "flip7": 56}[game])
    assert len(set(names)) == len(names)


def test_an_illegal_action_raises_or_ends_it() -> None:
    raw = envs.raw_env("whist")
    raw.reset(seed=1)
    illegal = int(np.flatnonzero(raw.observe(raw.agent_selection)["action_mask"] == 0)[0])
    with pytest.raises(ValueError, match="not legal"):
        raw.step(illegal)
    wrapped = envs.env("whist")
    wrapped.reset(seed=1)
    wrapped.step(illegal)
    assert all(wrapped.terminations.values())


def test_what_cannot_be_made() -> None:
    with pytest.raises(KeyError):
        envs.env("snap")
    with pytest.raises(msgspec.ValidationError):
        envs.env("whist", options={"nonsense": 1})
    with pytest.raises(Malformed):
        envs.env("whist", places=9)


def test_it_is_shown_as_text() -> None:
    env = envs.env("whist", render_mode="ansi")
    env.reset(seed=1)
    assert env.render().startswith("whist, play")
    assert envs.raw_env("whist").render() is None


def test_the_page_tells_how_large_they_are() -> None:
    page = (Path(__file__).parents[3] / "docs" / "bots.md").read_text()
    sizes = {game: len(layout.names) for game, layout in envs.LAYOUTS.items()}
    for words in (
        f"| whist | {sizes['whist']}:",
        f"| PeeWee 7 | {sizes['peewee7']}:",
        f"| Wippen, Le Wipe | {sizes['wippen']}, {sizes['wipe']}:",
        f"| Flip 7 | {sizes['flip7']}:",
    ):
        assert words in page
