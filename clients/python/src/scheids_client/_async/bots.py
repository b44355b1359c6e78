"""A function that plays a seat."""

from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable
from typing import Final

from .. import models
from .._requests import new_key
from .._retrying import FOREVER, Retry
from ..errors import StaleVersion, TableEnded
from .table import AsyncTable

AsyncChoose = Callable[
    [models.State, Sequence[models.LegalMove]],
    # async only:
    Awaitable[models.MoveInput | None] | models.MoveInput | None,
    # sync only:
    #: models.MoveInput | None,
    # end
]
"""Chooses from a view and its legal moves; None: nothing now, where nobody has to act."""
ATTEMPT_SECONDS: Final = 15.0


async def async_play_seat(
    table: AsyncTable, choose: AsyncChoose, *, most_moves: int = 1_000, patience: float = 120.0
) -> models.GetTableResponse:
    """Plays a place's turns until the table ends; see `scheids_client.bots.play_seat`."""
    bot = AsyncBot(table, choose, most_moves, patience)
    async with bot.table.watch(patience=patience) as watch:
        async for frame in watch:
            if frame.ended is not None:
                break
            if bot.concerned(frame):
                await bot.act()
    return await bot.table.get()


class AsyncBot:
    """A place that is played by a function."""

    def __init__(self, table: AsyncTable, choose: AsyncChoose, most_moves: int, patience: float) -> None:
        patient = Retry(attempts=FOREVER, first=0.05, most=1.0, each=ATTEMPT_SECONDS)
        self.table = table.with_options(timeout=patience, retry=patient)
        self._choose = choose
        self._most_moves = most_moves
        self._seats: frozenset[int] | None = None
        self._acted = 0

    def concerned(self, frame: models.WatchTableResponse) -> bool:
        """Whether it may be for this place to act after a frame."""
        if frame.version < self._acted:
            return False
        if frame.table is not None or frame.view is not None:
            return True
        if any(isinstance(event, models.Seated) for event in frame.events):
            self._seats = None
        return self._seats is None or frame.to_act is None or frame.to_act.seat in self._seats

    async def act(self) -> None:
        """Makes a move where it is for this place to."""
        while True:
            seen = await self.table.get()
            self._acted = seen.version
            if seen.status != "playing" or seen.view is None or seen.place is None:
                return
            seat = self._seat(seen.view, seen.place)
            if seat is None:
                return
            try:
                moves = await self._moves(seat)
                if self.table.version != seen.version:
                    continue
                chosen = await self._chosen(seen.view, moves) if moves else None
                if chosen is None:
                    return
                played = await self.table.play(
                    chosen, seat=seat, expected_version=seen.version, idempotency_key=new_key()
                )
            except StaleVersion:
                continue
            except TableEnded:
                return
            self._acted = played.version
            return

    def _seat(self, view: models.State, place: int) -> int | None:
        """The seat of the place that is to act; where nobody is, one that may."""
        self._seats = frozenset(view.seating[place]) if place < len(view.seating) else frozenset()
        if view.to_act is not None:
            return view.to_act.seat if view.to_act.seat in self._seats else None
        return next((free.seat for free in view.may_also if free.seat in self._seats), None)

    async def _moves(self, seat: int) -> list[models.LegalMove]:
        moves: list[models.LegalMove] = []
        async for move in self.table.iter_legal_moves(seat=seat):
            moves.append(move)
            if len(moves) >= self._most_moves:
                break
        return moves

    async def _chosen(self, view: models.State, moves: Sequence[models.LegalMove]) -> models.MoveInput | None:
        chosen = self._choose(view, moves)
        # async only:
        if isawaitable(chosen):
            return await chosen
        # sync only:
        # end
        return chosen
