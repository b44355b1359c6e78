"""The games there are."""

from typing import Any, Final

from ..game import Game
from .flip7 import FLIP7, Flip7State
from .peewee7 import PEEWEE7, PeeweeState
from .whist import WHIST, WhistState
from .wipe import WIPE, WipeState
from .wippen import WIPPEN, WippenState

GAMES: Final[tuple[Game[Any, Any, Any], ...]] = (WHIST, PEEWEE7, WIPPEN, WIPE, FLIP7)
BY_NAME: Final[dict[str, Game[Any, Any, Any]]] = {game.name: game for game in GAMES}
BY_STATE: Final[dict[type, Game[Any, Any, Any]]] = {game.state: game for game in GAMES}

State = WhistState | PeeweeState | WippenState | WipeState | Flip7State
