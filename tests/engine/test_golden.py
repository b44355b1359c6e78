"""Golden records come out as they did: a released ruleset never changes."""

import json
from pathlib import Path

import pytest

from engine.games import GAMES
from tests.engine import golden

FILES = sorted(golden.FOLDER.glob("*/*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_golden(path: Path) -> None:
    document = json.loads(path.read_text())
    assert golden.replayed(document) == document


def test_every_game_and_ruleset_has_golden_records() -> None:
    found = {(document["game"], document["ruleset"]) for document in (json.loads(path.read_text()) for path in FILES)}
    assert found == {(game.name, ruleset) for game in GAMES for ruleset in game.rulesets}
