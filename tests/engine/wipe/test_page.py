"""The examples on Le Wipe's page are played."""

import re
from pathlib import Path
from typing import Any

import pytest

from engine.game import choices_type
from engine.games.wipe import WIPE
from engine.games.wipe.table import PLACES, deal_sizes, sides_of
from engine.mechanics.builds import LayoutBuild
from engine.moves import parse, text
from tests.engine.wipe.positions import build, heap, legal_texts, options, position

PAGE = (Path(__file__).parent.parent.parent.parent / "docs" / "games" / "wipe.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.split("### Examples")[1].split("###")[0].splitlines()
    if line.startswith("| `")
]
PLANS = re.findall(r"^\| (\d) \| (\d) \| ([\d ]+) \|$", PAGE, re.MULTILINE)
MOVES = re.findall(r"^\| `([^`]+)` \| (?:turn|free|the host's) \|", PAGE, re.MULTILINE)


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]*)`", cell)


def underscored(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1]} {row[2]} {row[4]}")
def test_example(row: list[str]) -> None:
    hand, centre, pile, builds, told, moves = row
    named = dict(words.split(": ") for words in quoted(told))
    choices: dict[str, Any] = {
        underscored(name): {"true": True, "false": False}.get(value, value) for name, value in named.items()
    }
    made: list[LayoutBuild] = []
    for number, words in enumerate(quoted(builds), 1):
        value, _, cards = words.partition(": ")
        made.append(build(number, int(value), cards))
    heaps = {1: heap(*quoted(pile)[0].split(" / "))} if quoted(pile) else {}
    state = position(quoted(hand)[0], "".join(quoted(centre)), builds=made, heaps=heaps, **choices)
    assert legal_texts(state) == {text(parse(words)) for words in quoted(moves)}


def test_there_are_examples_and_moves_in_their_one_form() -> None:
    assert len(ROWS) >= 8
    assert len(MOVES) == 11
    for words in MOVES:
        assert text(parse(words)) == words
    assert {type(parse(words)) for words in MOVES} == set(WIPE.moves) - {type(parse("deal"))}


def test_the_deals_on_the_page() -> None:
    assert [int(places) for places, _, _ in PLANS] == list(PLACES)
    for places, sides, hands in PLANS:
        assert sides_of(int(places)) == int(sides)
        assert deal_sizes(int(places)) == tuple(map(int, hands.split()))


def test_every_option_is_on_the_page() -> None:
    for name in choices_type(WIPE).__struct_encode_fields__:
        assert f"`{name}`" in PAGE or name == "preset", name
    assert options().rounds is None
