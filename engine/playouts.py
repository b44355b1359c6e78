"""Random play to the end of a deal or a match, many times over: what it comes to, counted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
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


@dataclass
class Tally:
    """Points of one side in one row, over many playouts."""

    unit: str
    number: int = 0
    total: int = 0
    squares: int = 0
    least: int = 0
    most: int = 0

    def add(self, points: int) -> None:
        """Counts the points of one more playout."""
        self.least = points if not self.number else min(self.least, points)
        self.most = points if not self.number else max(self.most, points)
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


@dataclass
class Playouts:
    """What playouts came to: `finished` of `number` reached an end, `moves` were made in all."""

    number: int = 0
    finished: int = 0
    moves: int = 0
    wins: Counter[int] = field(default_factory=Counter)
    points: dict[tuple[int, str], Tally] = field(default_factory=dict)

    def add(self, sheet: Sheet | None, moves: int) -> None:
        """Counts one more; without a sheet it was given up."""
        self.number += 1
        self.moves += moves
        if sheet is None:
            return
        self.finished += 1
        self.wins.update(sheet.winners)
        for total in sheet.totals:
            row = (total.side, total.account)
            tally = self.points.get(row)
            if tally is None:
                tally = self.points[row] = Tally(total.unit)
            tally.add(total.points)


def playouts(
    game: Game[Any, Any, Any], state: StateBase, seed: str, numbers: Iterable[int], until: Until = "match"
) -> Playouts:
    """Random play from a state, or from states that a view can be of, once for each number.

    Each legal move that is listed is as likely as the next. The same seed and number give the same playout.
    """
    key = Key(seed_bytes(seed))
    sampler = None if state.viewer is None else game.sampler(state)
    found = Playouts()
    for number in numbers:
        begun = state if sampler is None else sampler.draw(Stream(key, "sample", number))
        found.add(*_played_out(game, begun, Choices(Stream(key, "playout", number)), until))
    return found


def _played_out(game: Game[Any, Any, Any], state: Any, choices: Choices, until: Until) -> tuple[Sheet | None, int]:
    """The sheet at the end, and how many moves led there; no sheet where no end was reached."""
    moves = 0
    while True:
        if state.phase == "over":
            return game.sheet(state, "match"), moves
        if state.to_act is None or moves == MOST_MOVES:
            return None, moves
        at_once = game.play_out(state, choices, until, MOST_MOVES - moves) if game.play_out else None
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
