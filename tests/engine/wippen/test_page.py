"""The examples on Wippen's page are played."""

import re
from pathlib import Path

import pytest

from engine.game import choices_type
from engine.games.wippen import WIPPEN
from engine.games.wippen.plan import plan_of
from engine.moves import parse, text
from engine.violations import Malformed
from tests.engine.wippen.positions import legal, options, position

PAGE = (Path(__file__).parent.parent.parent.parent / "docs" / "games" / "wippen.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.split("### Examples")[1].split("###")[0].splitlines()
    if line.startswith("| `")
]
PLANS = re.findall(r"^\| (\d+) \| (\d+ / \d+|refused) \| (\d+ / \d+|refused) \|$", PAGE, re.MULTILINE)


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]*)`", cell)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1]} {row[2]} {row[3]}")
def test_example(row: list[str]) -> None:
    hand, pot, builds, told, moves = row
    named = dict(words.split(": ") for words in quoted(told))
    choices = {name: {"true": True, "false": False}.get(value, value) for name, value in named.items()}
    state = position(quoted(hand)[0], "".join(quoted(pot)), quoted(builds), **choices)  # type: ignore[arg-type]
    assert legal(state) == set(quoted(moves))


def test_there_are_examples_and_moves_in_their_one_form() -> None:
    assert len(ROWS) >= 8
    for words in re.findall(r"^\| `((?:trail|capture|build|extend|raise) [^`]+)` \|", PAGE, re.MULTILINE):
        assert text(parse(words)) == words


def test_the_plans_on_the_page() -> None:
    assert [int(places) for places, _, _ in PLANS] == list(range(2, 13))
    for places, *told in PLANS:
        for packs, words in enumerate(told, 1):
            try:
                plan = plan_of(options({"packs": packs}), int(places))
            except Malformed:
                assert words == "refused"
            else:
                assert words == f"{plan.deals} / {52 * packs - len(plan.cards)}"


def test_every_option_and_value_is_on_the_page() -> None:
    for name in choices_type(WIPPEN).__struct_encode_fields__:
        assert f"`{name}" in PAGE or name in ("preset", "packs", *SWITCHES), name


SWITCHES = ("adding", "building", "raising", "doubleBuilding", "points", "wips")
