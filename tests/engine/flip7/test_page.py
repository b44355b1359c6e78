"""The examples on the page of Flip 7, played."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.cards import AnyCard, FlipCard
from engine.game import Setup, admit, begin, choices_type, play, resolve_options
from engine.games.flip7 import FLIP7, Flip7State
from engine.moves import parse
from tests.engine.flip7.positions import acting, cards, choices, rest_of

PAGE = Path(__file__).parents[3] / "docs" / "games" / "flip7.md"
BLOCKS = re.findall(r"^```flip7\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)


def lines(block: str) -> Iterator[tuple[str, str]]:
    for line in block.splitlines():
        first, _, rest = line.partition(" ")
        yield first, rest


def begun(block: str) -> Flip7State:
    told: dict[str, Any] = dict(lines(block))
    options = msgspec.convert(json.loads(told.get("options", "{}")), choices_type(FLIP7))
    top = cards(told.get("deck", ""))
    order = (*top, *sorted(rest_of(top), reverse=True, key=value))
    deck = None if "chance" in told else tuple(map(AnyCard, order))
    chance: Any = told.get("chance", "deck")
    return begin(FLIP7, Setup(options=resolve_options(FLIP7, options), places=3, chance=chance, deck=deck)).state


def value(card: FlipCard) -> int:
    return int(card) if card.isdigit() else -1


@pytest.mark.parametrize("block", BLOCKS)
def test_example(block: str) -> None:
    state = begun(block)
    checked = 0
    for first, rest in lines(block):
        match first:
            case "options" | "deck" | "chance":
                continue
            case "rows":
                found = [" ".join(each.cards) or "-" for each in state.rows]
                assert found == [words.strip() for words in rest.split("|")]
            case "scores":
                assert list(state.totals) == [int(points) for points in rest.split()]
            case "asked":
                seat, _, moves = rest.partition(": ")
                assert acting(state) == int(seat)
                wanted = set() if moves == "a card" else set(moves.split(", "))
                assert choices(state) == wanted
            case _:
                state = admit(FLIP7, play(FLIP7, state, parse(rest), int(first)).state)
                continue
        checked += 1
    assert checked


def test_the_page_has_examples() -> None:
    assert len(BLOCKS) >= 6
