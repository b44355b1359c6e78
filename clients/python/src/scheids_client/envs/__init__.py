"""PettingZoo environments, one a game, on the engine in this process: ``scheids-client[local,envs]``.

    env = scheids_client.envs.env("whist", options={"match": "deal"})

An agent is a place. Observations are ``{"observation": float32, "action_mask": int8}``; `Layout.names` says what each
number is. Actions have ids that never change where a game's moves are finite (`Layout.action_names`); in Wippen and Le
Wipe, whose captures are not, they are indices into the listed moves, `LISTED` of them at most. The reward comes when a
deal or round is scored: the own side's points less the average of the others'.
"""

from .base import LISTED, Layout, ScheidsEnv, env, raw_env
from .layouts import LAYOUTS

__all__ = ["LAYOUTS", "LISTED", "Layout", "ScheidsEnv", "env", "raw_env"]
