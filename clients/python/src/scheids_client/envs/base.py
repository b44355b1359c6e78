"""The environment that every game shares; what differs is its `Layout`."""

import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

try:
    import numpy as np
    from gymnasium import spaces
    from numpy.typing import NDArray
    from pettingzoo import AECEnv  # type: ignore[import-untyped]
    from pettingzoo.utils import wrappers  # type: ignore[import-untyped]

    from scheids_engine import game as engine
    from scheids_engine.events import Scored
    from scheids_engine.game import Query, Setup
    from scheids_engine.games import BY_NAME
    from scheids_engine.moves import Deal, Draw, Move, text
except ImportError as missing:  # pragma: no cover - tested where it is not installed
    raise ImportError("the environments need more: pip install 'scheids-client[local,envs]'") from missing

LISTED: Final = 256
"""How many moves an action can name where they are listed; the first so many, in the engine's order."""
MOST_MOVES: Final = 20_000
"""Where an episode is cut off (truncated)."""
EVERYTHING: Final = Query(limit=LISTED)
OF_CHANCE: Final = (Deal, Draw)
ILLEGAL_REWARD: Final = -1.0
Observation = dict[str, NDArray[Any]]


class Layout(Protocol):
    """How a game's views and moves are laid out in arrays of fixed size."""

    names: Sequence[str]
    """What each number of an observation is."""
    action_names: Sequence[str] | None
    """The text of the move that each action stands for; None where actions are indices into the listed moves."""

    def observe(self, view: Any, seat: int) -> NDArray[np.float32]:
        """A view as numbers, other seats counted from the own."""


class ScheidsEnv(AECEnv[str, Observation, int]):  # type: ignore[misc]
    """A match of one game, from its first deal to its end. Deals and draws happen by themselves."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012 - as PettingZoo has it

    def __init__(
        self,
        game: str,
        *,
        options: Mapping[str, Any] | None = None,
        places: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """The engine's Malformed, or msgspec's ValidationError, where options or the number of places cannot be."""
        from .layouts import LAYOUTS  # noqa: PLC0415 - layouts know the base

        super().__init__()
        self.metadata = {**type(self).metadata, "name": f"scheids_{game}_v1"}
        self.render_mode = render_mode
        self.game = BY_NAME[game]
        self.layout = LAYOUTS[game]
        named = msgspec.convert(dict(options or {}), engine.choices_type(self.game))
        self._options = engine.resolve_options(self.game, named)
        self._places = places
        self._state = self._begun("0")
        self._places = len(self._state.seating)
        self.possible_agents = [f"place_{place}" for place in range(self._places)]
        self._actions = {name: at for at, name in enumerate(self.layout.action_names or ())}
        number = len(self.layout.action_names) if self.layout.action_names is not None else LISTED
        size = len(self.layout.names)
        self.action_spaces = {agent: spaces.Discrete(number) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(-np.inf, np.inf, (size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (number,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._legal: dict[int, Move] = {}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    @property
    def state_of_match(self) -> Any:
        """The engine's full state, for whoever wants to look at more than an agent may."""
        return self._state

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a match; the same seed deals the same cards."""
        del options
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._moves = 0
        self._state = self._begun(secrets.token_hex(32) if seed is None else str(seed))
        self._go_on()

    def step(self, action: int | None) -> None:
        """Plays an agent's move; ValueError where the action is none that is legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        move = None if action is None else self._legal.get(int(action))
        if move is None:
            raise ValueError(f"action {action} is not legal now")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._play(move, self._state.to_act.seat)
        self._go_on()
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """What an agent sees, made of its view alone; nothing is masked in while it is not to act."""
        seat = self._seat_of(agent)
        mask = np.zeros(self.action_spaces[agent].n, np.int8)
        if agent == self.agent_selection and not (self.terminations[agent] or self.truncations[agent]):
            mask[list(self._legal)] = 1
        view = engine.view(self.game, self._state, seat)
        return {"observation": self.layout.observe(view, seat), "action_mask": mask}

    def render(self) -> str | None:
        """The match as text, as a spectator sees it, where the render mode is ``ansi``."""
        if self.render_mode != "ansi":
            return None
        view = engine.view(self.game, self._state, "spectator")
        turn = "" if view.to_act is None else f", seat {view.to_act.seat} to act"
        return f"{self.game.name}, {view.phase}{turn}"

    def close(self) -> None:
        """Nothing is to be let go of."""

    def _begun(self, seed: str) -> Any:
        setup = Setup(options=self._options, places=self._places, chance="seed", seed=seed)
        return engine.begin(self.game, setup).state

    def _go_on(self) -> None:
        """Lets chance act until an agent has to, or the match is over."""
        while self._state.to_act is not None:
            seat = self._state.to_act.seat
            moves = [each.move for each in engine.legal_moves(self.game, self._state, seat, EVERYTHING).moves]
            if self._moves >= MOST_MOVES or not moves:
                self.truncations = dict.fromkeys(self.agents, True)
                return
            if not isinstance(moves[0], OF_CHANCE):
                self._select(seat, moves)
                return
            self._play(moves[0], seat)
        self._legal = {}
        self.terminations = dict.fromkeys(self.agents, True)

    def _select(self, seat: int, moves: Sequence[Move]) -> None:
        place = next(place for place, seats in enumerate(self._state.seating) if seat in seats)
        self.agent_selection = self.possible_agents[place]
        if self.layout.action_names is None:
            self._legal = dict(enumerate(moves))
        else:
            self._legal = {self._actions[text(move)]: move for move in moves}

    def _play(self, move: Move, seat: int) -> None:
        outcome = engine.play(self.game, self._state, move, seat)
        self._state = outcome.state
        self._moves += 1
        for event in outcome.events:
            if isinstance(event, Scored) and event.sheet.scope != "match":
                self._reward(event)

    def _reward(self, scored: Scored) -> None:
        points: dict[int, int] = defaultdict(int)
        for item in scored.sheet.items:
            points[item.side] += item.points
        side_of = {agent: self.game.side_of(self._state, self._seat_of(agent)) for agent in self.possible_agents}
        sides = set(side_of.values())
        for agent in self.agents:
            own = side_of[agent]
            others = sides - {own}
            average = sum(points[side] for side in others) / len(others) if others else 0.0
            self.rewards[agent] += points[own] - average

    def _seat_of(self, agent: str) -> int:
        seats: Sequence[int] = self._state.seating[self.possible_agents.index(agent)]
        return seats[0]


def raw_env(game: str, **facts: Any) -> ScheidsEnv:
    """The environment as it is: an illegal action raises."""
    return ScheidsEnv(game, **facts)


def env(game: str, **facts: Any) -> Any:
    """The environment as PettingZoo's own are wrapped: an illegal action ends the episode, with a penalty."""
    wrapped: Any = raw_env(game, **facts)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=ILLEGAL_REWARD)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)
