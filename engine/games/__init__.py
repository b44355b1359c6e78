"""The games there are."""

from typing import Any, Final

from ..game import Game
from .whist import WHIST, WhistState

GAMES: Final[tuple[Game[Any, Any, Any], ...]] = (WHIST,)
BY_NAME: Final[dict[str, Game[Any, Any, Any]]] = {game.name: game for game in GAMES}
BY_STATE: Final[dict[type, Game[Any, Any, Any]]] = {game.state: game for game in GAMES}

State = WhistState
