"""Moves that were judged, told to whoever keeps a log of them, and the line that such a log has of each.

Nothing is read or written here. A line holds the position as the acting seat saw it, never the whole of a full state,
and its `request` can be sent to ``POST /v1/validate`` as it is, which gives the line's verdict again.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, Protocol

import msgspec
from msgspec import Struct

from engine import game as engine
from engine.game import HOST, SPECTATOR, Viewer
from engine.games import BY_STATE, State
from engine.moves import Deal, Draw, Expose, Move
from engine.violations import Violation

from .messages import MoveInput, ValidateMoveRequest, to_json

CHANCE: Final = (Deal, Draw, Expose)
"""Moves that nobody decides on: they bring cards, and may say which, of every hand."""


class Judged(Struct, frozen=True, kw_only=True):
    """A move that was judged in a state or view, and why it was refused, where it was.

    `seat` is the one that was named. `at` is in milliseconds; without it, and without an `id`, they are those of the
    request that told of it.
    """

    source: Literal["stateless", "table"]
    state: State
    move: Move
    seat: int | None
    violation: Violation | None
    at: int | None = None
    id: str | None = None


Tell = Callable[[], Iterable[Judged]]
"""Tells what was judged, at a time and in a thread that whoever it is given to chooses."""


class Decisions(Protocol):
    """Takes what was judged. Neither call waits for anything, or raises; any thread may make them."""

    def take(self, tell: Tell) -> None:
        """Has all of it told later, or none of it."""

    def request_id(self) -> str | None:
        """The id of the request that is being answered."""


class Reason(Struct, frozen=True):
    """Why a move was refused: the violation's code and clause."""

    code: str
    clause: str


class Verdict(Struct, frozen=True, omit_defaults=True):
    """What was decided."""

    legal: bool
    violation: Reason | None = None


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the log; `version` is the service's, `at` in RFC 3339, `id` the request's, where it is known."""

    at: str
    id: str | None
    version: str
    source: str
    game: str
    ruleset: int
    options: Any
    verdict: Verdict
    request: ValidateMoveRequest


_encode: Final = msgspec.json.Encoder(enc_hook=to_json).encode


def line_of(judged: Judged, version: str, at: str, request_id: str | None) -> bytes:
    """The line, with its end."""
    state, refused = judged.state, judged.violation
    game = BY_STATE[type(state)]
    seen: State = state
    if state.viewer is None:
        actor = engine.acting_seat(game, state, judged.move, judged.seat)
        viewer: Viewer = SPECTATOR if actor == HOST else actor
        seen = engine.view(game, state, viewer)
    line = Line(
        at=at,
        id=request_id,
        version=version,
        source=judged.source,
        game=game.name,
        ruleset=state.ruleset,
        options=state.options,
        verdict=Verdict(refused is None, None if refused is None else Reason(refused.code, refused.clause)),
        request=ValidateMoveRequest(state=seen, move=MoveInput.in_words(judged.move), seat=judged.seat),
    )
    return _encode(line) + b"\n"
