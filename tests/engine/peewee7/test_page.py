"""What stands on the page of PeeWee 7 is so: its examples are played, its paper is printed, its options exist."""

import re
from pathlib import Path

import msgspec

from engine.game import play
from engine.games.peewee7 import PEEWEE7, PeeweeFacts, PeeweeOptions, paper
from engine.games.peewee7.scoring import settle
from engine.moves import parse
from tests.engine.peewee7.positions import contract, dealt, options

PAGE = (Path(__file__).parents[3] / "docs" / "games" / "peewee7.md").read_text()


def test_the_examples_are_legal_and_end_as_is_said() -> None:
    ends = []
    for block in re.findall(r"```play\n(.*?)```", PAGE, re.DOTALL):
        state = dealt()
        for words in block.splitlines():
            state = play(PEEWEE7, state, parse(words)).state
        ends.append((state.phase, state.contract, state.master))
    assert ends == [
        ("play", contract("7H", side=0, dare=2), 0),
        ("play", contract("7H", side=1), 3),
        ("play", contract("8H", side=0), 0),
    ]


def test_the_paper_is_printed_so() -> None:
    made = settle(options(), PeeweeFacts(contract=contract("8H", side=0), tricks=9)).after
    failed = settle(options(), PeeweeFacts(contract=contract("9D", side=1), tricks=7, score=made)).after
    assert paper(failed) in PAGE


def test_every_option_is_on_the_page_with_its_values_and_its_ruling() -> None:
    properties = msgspec.json.schema(PeeweeOptions)["$defs"]["PeeweeOptions"]["properties"]
    for name, described in properties.items():
        assert f"`{name}`" in PAGE
        clause = described["description"].rstrip(".").split()[-1]
        assert re.fullmatch(r"P-3|PA\d+", clause)
        for value in described.get("enum", []):
            assert re.search(rf"`{name}`: .*{value}", PAGE), (name, value)
