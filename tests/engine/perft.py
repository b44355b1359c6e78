"""Perft: from a position, how many sequences of so many legal moves there are.

A table is plain text, a line a count: ``setup as JSON | moves first, semicolon-separated | depth | count``. Write the
counts of lines that end in ``?`` with ``python -m tests.engine.perft GAME``.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.game import Query, begin, legal_moves, play
from engine.games import BY_NAME
from engine.moves import parse
from tests.engine.golden import setup_of

FOLDER: Final = Path(__file__).parent.parent / "perft"
UNKNOWN: Final = "?"


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    game: str
    setup: dict[str, Any]
    first: tuple[str, ...]
    depth: int
    count: int | None

    @classmethod
    def of(cls, game: str, line: str) -> "Row":
        """The row a line is."""
        setup, first, depth, count = (part.strip() for part in line.split(" | "))
        moves = tuple(words.strip() for words in first.split(";") if words.strip())
        return cls(game, json.loads(setup), moves, int(depth), None if count == UNKNOWN else int(count))

    def position(self) -> Any:
        """The position the count is from."""
        state = begin(BY_NAME[self.game], setup_of(self.game, self.setup)).state
        for words in self.first:
            state = play(BY_NAME[self.game], state, parse(words)).state
        return state


def children(game: str, state: Any) -> Iterator[tuple[str, Any]]:
    """Every legal move of every seat, and where it leads."""
    for seat in range(len(state.hands)):
        for entry in legal_moves(BY_NAME[game], state, seat, Query(limit=100_000)).moves:
            yield f"{seat} {entry.text}", play(BY_NAME[game], state, entry.move, seat).state


def perft(game: str, state: Any, depth: int) -> int:
    """How many sequences of `depth` legal moves there are."""
    if depth == 0:
        return 1
    return sum(perft(game, after, depth - 1) for _, after in children(game, state))


def divided(row: Row) -> dict[str, int]:
    """The count below each first move, to find where two engines part."""
    return {words: perft(row.game, after, row.depth - 1) for words, after in children(row.game, row.position())}


def rows(path: Path) -> list[Row]:
    """The rows of a table; lines that begin with ``#`` are remarks."""
    lines = path.read_text().splitlines()
    return [Row.of(path.stem, line) for line in lines if line.strip() and not line.startswith("#")]


if __name__ == "__main__":
    table = FOLDER / f"{sys.argv[1]}.txt"
    filled = []
    for text in table.read_text().splitlines():
        if text.endswith(f"| {UNKNOWN}"):
            asked = Row.of(table.stem, text)
            filled.append(text.removesuffix(UNKNOWN) + str(perft(asked.game, asked.position(), asked.depth)))
        else:
            filled.append(text)
    table.write_text("\n".join(filled) + "\n")
