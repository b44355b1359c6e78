"""Functions that play: a seat at a table, from the first turn to the last."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias, overload

from . import models
from ._async.bots import async_play_seat
from ._async.table import AsyncTable
from ._sync.bots import sync_play_seat
from ._sync.table import Table

__all__ = ["AsyncChoose", "Choose", "play_seat"]

Choose: TypeAlias = Callable[[models.State, Sequence[models.LegalMove]], models.MoveInput | None]
"""Chooses a move from what its seat sees and may do. None: nothing now, where nobody has to act."""
AsyncChoose: TypeAlias = Callable[
    [models.State, Sequence[models.LegalMove]], Awaitable[models.MoveInput | None] | models.MoveInput | None
]
"""The same, which may be waited for."""


@overload
def play_seat(
    table: Table, choose: Choose, *, most_moves: int = 1_000, patience: float = 120.0
) -> models.GetTableResponse: ...


@overload
def play_seat(
    table: AsyncTable, choose: AsyncChoose, *, most_moves: int = 1_000, patience: float = 120.0
) -> Awaitable[models.GetTableResponse]: ...


def play_seat(table: Any, choose: Any, *, most_moves: int = 1_000, patience: float = 120.0) -> Any:
    """Plays a place's turns until the table ends, and gives the table as it then is; of an `AsyncTable`, to be awaited.

    `choose` is asked for a move whenever it is for the place to act: its own turn, that of a hand it plays for another,
    a deal where deals are the dealer's act. It gets the view and the legal moves, of which there are at most
    `most_moves` where they are very many, and returns one of them, its text, or any other move. Where nobody is to act
    but the place may, it may return None, and is asked again after the next thing that happens.

    A move goes with a key and with the version that it was chosen for. So none is lost and none made twice where the
    service, or the connection, goes away and comes back within `patience` seconds; and what was chosen for a position
    that is no more (somebody closed, the host took a move back) is not played but chosen anew.

    An exception of `choose` ends the play, and is the caller's. So does IllegalMove, where `choose` made a move up.
    """
    if isinstance(table, AsyncTable):
        return async_play_seat(table, choose, most_moves=most_moves, patience=patience)
    return sync_play_seat(table, choose, most_moves=most_moves, patience=patience)
