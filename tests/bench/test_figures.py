"""The benchmark's own arithmetic: pairs in turn, ratios and their bounds, and the page that is made of them."""

from pathlib import Path

import pytest

from tests.bench import h2load, page
from tests.bench.figures import RATE, Figure, at_least, at_most, in_turn, shown
from tests.bench.h2load import GRPC, LoadFailedError, Target
from tests.bench.rows import BY_NAME, PARTS
from tests.bench.servers import Server

PRINTED = """
finished in 250.50ms, 399.20 req/s, 1.55MB/s
requests: 100 total, 100 started, 100 done, {good} succeeded, 0 failed, 0 errored, 0 timeout
traffic: 3.10MB (3254960) total, 1.13MB (1189850) headers (space savings 0.00%), 1.59MB ({data}) data
"""


def test_pairs_are_taken_a_b_b_a() -> None:
    order: list[str] = []

    def measure(side: str) -> int:
        order.append(side)
        return len(order)

    ones, others = in_turn(3, lambda: measure("A"), lambda: measure("B"))
    assert "".join(order) == "ABBAAB"
    assert (ones, others) == ([1, 4, 5], [2, 3, 6])


def test_a_ratio_is_the_median_of_the_pairs() -> None:
    figure = Figure("ours / theirs", at_least(0.5), ours=(1.0, 9.0, 4.0), theirs=(2.0, 9.0, 16.0))
    assert figure.ratios == [0.25, 0.5, 1.0]
    assert (figure.median, figure.is_met) == (0.5, True)


@pytest.mark.parametrize(
    ("figure", "is_met"),
    [
        (Figure("more", at_least(2), ours=(1.9,), theirs=(1.0,)), False),
        (Figure("less", at_most(2), ours=(1.9,), theirs=(1.0,)), True),
        (Figure("a value", at_most(1), unit="s", ours=(0.8, 1.2, 1.1)), False),
        (Figure("nothing asked", ours=(1.0,), theirs=(1.0,)), None),
        (Figure("not there", at_least(1), missing="not built"), None),
    ],
)
def test_bounds(figure: Figure, is_met: object) -> None:
    assert figure.is_met is is_met


def test_figures_have_the_digits_they_are_worth() -> None:
    assert [shown(value) for value in (0.123, 12.34, 1234.5)] == ["0.12", "12.3", "1,234"]


def test_every_long_part_is_a_part() -> None:
    assert set(PARTS) >= BY_NAME


# --- h2load


def _target(answer_bytes: int) -> Target:
    return Target(Server(0, {}), "http://127.0.0.1:1/", Path("body"), answer_bytes, GRPC)


def test_a_load_lasts_as_long_as_h2load_says() -> None:
    assert h2load.lasted(PRINTED.format(good=100, data=2000), _target(20), 100) == 0.2505


@pytest.mark.parametrize(("good", "data"), [(99, 1980), (100, 1999)])
def test_answers_that_fail_or_are_others_are_no_load(good: int, data: int) -> None:
    with pytest.raises(LoadFailedError):
        h2load.lasted(PRINTED.format(good=good, data=data), _target(20), 100)


# --- the page

TEXT = """# Performance

<!-- bench: one two -->
old
<!-- /bench -->

what somebody wrote

<!-- bench: three -->
older
<!-- /bench -->
"""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "KEPT", tmp_path / "figures.json")
    page.keep("one", [Figure("ours / theirs", at_least(2), RATE, (1.0,), (1.0,), "asked so")], "two cores")
    page.keep("two", [Figure("later", at_least(2), missing="not built")], "two cores")


@pytest.mark.usefixtures("kept")
def test_a_block_is_made_anew_once_all_its_parts_are_measured() -> None:
    made = page.blocks(TEXT)
    assert "\n| ours / theirs | **1.00** | 1.00 to 1.00 | at least 2 | 1.00 / 1.00 a second |\n" in made
    assert "\n| later | | | at least 2 | not built |\n" in made
    assert "Taken on two cores.\n" in made
    assert "- ours / theirs: asked so.\n" in made
    assert "old\n" not in made.replace("older", "")
    assert "what somebody wrote" in made
    assert "older" in made
    assert page.blocks(made) == made


@pytest.mark.usefixtures("kept")
def test_a_part_is_kept_in_place_of_what_it_was() -> None:
    page.keep("one", [Figure("again", ours=(2.0,))], "one core")
    assert {name: part.figures[0].what for name, part in page.kept().items()} == {"one": "again", "two": "later"}


def test_the_page_has_a_block_of_every_part() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    named = [part for block in page.BLOCK.finditer(text) for part in block["parts"].split()]
    assert sorted(named) == sorted(PARTS)
