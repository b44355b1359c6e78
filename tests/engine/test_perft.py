"""The perft tables still count what they did."""

import pytest

from engine.games import GAMES
from tests.engine import perft

ROWS = [row for path in sorted(perft.FOLDER.glob("*.txt")) for row in perft.rows(path)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.game} {row.setup} {len(row.first)}+{row.depth}")
def test_perft(row: perft.Row) -> None:
    below = perft.divided(row)
    assert sum(below.values()) == row.count, below


def test_every_game_has_a_table() -> None:
    assert {row.game for row in ROWS} == {game.name for game in GAMES}
