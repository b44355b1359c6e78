"""Worked positions: the legal moves, their number, or what comes of one move."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.game import Query, legal_moves
from engine.games.wippen import WIPPEN
from tests.engine.wippen.positions import after, clause, legal, position, verdict

WORKED = json.loads((Path(__file__).parent / "worked.json").read_text())


def position_of(row: dict[str, Any]) -> Any:
    return position(row["hand"], row["layout"], row.get("builds", ()), deals=row.get("deals"), **row.get("options", {}))


@pytest.mark.parametrize("row", WORKED, ids=lambda row: f"{row['rests']}: {row['name']}")
def test_worked(row: dict[str, Any]) -> None:
    state = position_of(row)
    if "legal" in row:
        assert legal(state) == set(row["legal"])
    elif "total" in row:
        assert legal_moves(WIPPEN, state, None, Query(limit=1)).total == row["total"]
    else:
        assert verdict(state, row["move"]) == row["verdict"]
        if row["verdict"] == "BAD_SUM":
            assert clause(state, row["move"]) == f"wippen/{row['rests']}"
        if "wips" in row:
            then = after(state, row["move"])
            assert then.wips[0] == row["wips"]
            assert (not then.layout and not then.builds) == (row["left"] == "nothing")
