"""Each clause and ruling on a game's page has a test that bears its name, and each clause its words."""

import re
from pathlib import Path

import pytest

from engine.games import GAMES
from engine.violations import LANGUAGES, RESTS_ON, Code, message

ROOT = Path(__file__).parent.parent.parent
ROW = re.compile(r"^\| ([A-Z]+-?\d+) \|", re.MULTILINE)


def ids_of(game: str) -> set[str]:
    return set(ROW.findall((ROOT / "docs" / "games" / f"{game}.md").read_text()))


@pytest.mark.parametrize("game", [game.name for game in GAMES])
def test_every_clause_and_ruling_has_a_test(game: str) -> None:
    sources = "\n".join(path.read_text() for path in (ROOT / "tests" / "engine" / game).glob("test_*.py"))
    tested = set(re.findall(r"def test_([a-z]+\d+)", sources))
    wanted = {name.replace("-", "").lower() for name in ids_of(game)}
    assert wanted
    assert wanted <= tested, sorted(wanted - tested)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_violation_rests_on_a_clause_that_is_on_the_page_and_has_words(game: object) -> None:
    name, clauses = game.name, game.clauses  # type: ignore[attr-defined]
    assert set(RESTS_ON[name].values()) <= set(clauses) <= ids_of(name)
    for clause in clauses:
        for language in LANGUAGES:
            assert message(f"{name}/{clause}", {}, language)


def test_every_code_has_words_and_a_game() -> None:
    assert {code for rests in RESTS_ON.values() for code in rests} == set(Code)
