"""Random play to the end of a deal or a match, many times over: what it comes to, counted."""

from collections.abc import Iterable
from math import sqrt
from typing import Any, Final

from .events import Scored
from .game import Game, Query, StateBase, Until, legal_moves, play
from .rng import Choices, Key, Stream, seed_bytes
from .sheet import Sheet

MOST_MOVES: Final = 5_000
"""Where a playout is given up: random bidding can go on for long."""
CHOICE: Final = Query(limit=256)
"""A move is chosen among so many: of captures there can be more than can be listed."""


class Tally:
    """Points of one side in one row, over many playouts."""

    __slots__ = ("least", "most", "number", "squares", "total", "unit")

    def __init__(self, unit: str) -> None:
        self.unit = unit
        self.number = 0
        self.total = 0
        self.squares = 0
        self.least = 0
        self.most = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self._told() == other._told()

    __hash__ = None  # type: ignore[assignment]

    def _told(self) -> tuple[str, int, int, int, int, int]:
        return self.unit, self.number, self.total, self.squares, self.least, self.most

    def add(self, points: int) -> None:
        """Counts the points of one more playout."""
        if not self.number or points < self.least:
            self.least = points
        if not self.number or points > self.most:
            self.most = points
        self.number += 1
        self.total += points
        self.squares += points * points

    @property
    def mean(self) -> float:
        """The average."""
        return self.total / self.number

    @property
    def deviation(self) -> float:
        """The standard deviation of the playouts."""
        return sqrt(max(0.0, self.squares / self.number - self.mean**2))


class Playouts:
    """What playouts came to: `finished` of `number` reached an end, `moves` were made in all.

    `wins` are by side, `points` by side and row of the paper.
    """

    __slots__ = ("finished", "moves", "number", "points", "wins")

    def __init__(self) -> None:
        self.number = 0
        self.finished = 0
        self.moves = 0
        self.wins: dict[int, int] = {}
        self.points: dict[tuple[int, str], Tally] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Playouts) and self._told() == other._told()

    __hash__ = None  # type: ignore[assignment]

    def _told(self) -> tuple[int, int, int, dict[int, int], dict[tuple[int, str], Tally]]:
        return self.number, self.finished, self.moves, self.wins, self.points

    def add(self, sheet: Sheet | None, moves: int) -> None:
        """Counts one more; without a sheet it was given up."""
        self.number += 1
        self.moves += moves
        if sheet is None:
            return
        self.finished += 1
        for side in sheet.winners:
            self.wins[side] = self.wins.get(side, 0) + 1
        for total in sheet.totals:
            row = (total.side, total.account)
            tally = self.points.get(row)
            if tally is None:
                tally = self.points[row] = Tally(total.unit)
            tally.add(total.points)


def playouts(
    game: Game[Any, Any, Any],
    state: StateBase,
    seed: str,
    numbers: Iterable[int],
    until: Until = "match",
    most: int = MOST_MOVES,
) -> Playouts:
    """Random play from a state, or from states that a view can be of, once for each number.

    Each legal move that is listed is as likely as the next. The same seed and number give the same playout. One that
    has not ended after `most` moves is given up.
    """
    simulation = Simulation(game, state, seed, until, most)
    for number in numbers:
        simulation.play_out(number)
    return simulation.found


class Simulation:
    """As `playouts`, one at a time: `found` is what those so far came to."""

    def __init__(
        self,
        game: Game[Any, Any, Any],
        state: StateBase,
        seed: str,
        until: Until = "match",
        most: int = MOST_MOVES,
    ) -> None:
        self.found = Playouts()
        self._game = game
        self._state = state
        self._key = Key(seed_bytes(seed))
        self._sampler = None if state.viewer is None else game.sampler(state)
        self._until: Until = until
        self._most = most

    def play_out(self, number: int) -> None:
        """Plays once more at random, as the number has it."""
        sampler = self._sampler
        begun = self._state if sampler is None else sampler.draw(Stream(self._key, "sample", number))
        choices = Choices(Stream(self._key, "playout", number))
        sheet, moves = _played_out(self._game, begun, choices, self._until, self._most)
        self.found.add(sheet, moves)


def _played_out(
    game: Game[Any, Any, Any], state: Any, choices: Choices, until: Until, most: int
) -> tuple[Sheet | None, int]:
    """The sheet at the end, and how many moves led there; no sheet where no end was reached."""
    moves = 0
    while True:
        if state.phase == "over":
            return game.sheet(state, "match"), moves
        if state.to_act is None or moves == most:
            return None, moves
        at_once = game.play_out(state, choices, until, most - moves) if game.play_out else None
        if at_once is not None:
            return at_once[0], moves + at_once[1]
        seat = state.to_act.seat
        legal = legal_moves(game, state, seat, CHOICE).moves
        if not legal:
            return None, moves
        outcome = play(game, state, legal[choices.below(len(legal))].move, seat)
        state = outcome.state
        moves += 1
        scored = next((event.sheet for event in outcome.events if isinstance(event, Scored)), None)
        if until == "deal" and scored is not None:
            return scored, moves
