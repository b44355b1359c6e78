"""The worked cases of all games, and the request each call takes."""

from collections.abc import Callable
from typing import Any, Final

from service import messages
from tests.cases import flip7, peewee7, whist, wipe, wippen
from tests.cases.case import Case

CASES: Final[list[Case]] = [*whist.CASES, *peewee7.CASES, *wippen.CASES, *wipe.CASES, *flip7.CASES]

REQUESTS: Final[dict[str, Callable[[dict[str, Any]], Any]]] = {
    "deal": lambda _: messages.DealRequest,
    "validate": lambda _: messages.ValidateMoveRequest,
    "legal_moves": lambda _: messages.ListLegalMovesRequest,
    "play": lambda _: messages.PlayMoveRequest,
    "score": lambda body: messages.ScoreStateRequest if "state" in body else messages.ScoreFactsRequest,
    "view": lambda _: messages.ViewStateRequest,
    "replay": lambda _: messages.ReplayRequest,
    "outcomes": lambda _: messages.ListOutcomesRequest,
}
