"""The paper as text, and the score from bare facts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Strain
from engine.game import play
from engine.games.peewee7 import PEEWEE7, PeeweeContract, PeeweeFacts, PeeweeRow, PeeweeScore, paper
from engine.games.peewee7.scoring import ROWS, halves_in, row_of
from engine.moves import parse
from engine.violations import Malformed
from tests.engine.peewee7.positions import SUIT_EACH, begun, called, contract, dealt, options, play_out, score

WRITTEN = PeeweeScore(
    no_trump=PeeweeRow(crosses=(0, 7)),
    hearts=PeeweeRow(crosses=(2, 0), strokes=(1, 0)),
    diamonds=PeeweeRow(crosses=(3, 1), strokes=(2, 1)),
)


def test_the_paper_has_a_row_a_suit_and_a_column_a_side() -> None:
    assert paper(WRITTEN).splitlines() == [
        "         | black | red",
        "---------+-------+--------",
        "No trump |       | XXXXXXX",
        "Hearts   | XX/   |",
        "Spades   |       |",
        "Diamonds | XXXX  | X/",
        "Clubs    |       |",
    ]


def test_strokes_stay_strokes_where_they_do_not_count() -> None:
    assert paper(WRITTEN, halves_count=False).splitlines()[5] == "Diamonds | XXX// | X/"


def test_the_black_column_is_the_black_sides() -> None:
    assert paper(WRITTEN, black=1).splitlines()[2] == "No trump | XXXXXXX |"


@pytest.mark.parametrize(
    ("language", "head"),
    [("nl", "           | zwart | rood"), ("fr", "           | noir | rouge")],
)
def test_the_paper_in_other_languages(language: str, head: str) -> None:
    lines = paper(WRITTEN, language=language).splitlines()
    assert lines[0] == head
    assert len(lines) == 7


def test_the_paper_of_a_state_knows_its_options_and_its_columns() -> None:
    state = play_out(called(dealt(SUIT_EACH, halvesCount=False), "8S dare pass pass pass"))
    assert paper(state, halves_count=True).splitlines()[4] == "Spades   | XXX///// |"
    state = begun(teamDraw=True)
    for words in ("draw AS", "draw KH", "draw QS", "draw JH"):
        state = play(PEEWEE7, state, parse(words)).state
    assert state.black == 0
    assert paper(state) == paper(PeeweeScore())


def test_facts_of_a_deal_give_the_deals_sheet_and_the_rows_after_it() -> None:
    facts = PeeweeFacts(contract=contract("8H", side=1, dare=2), tricks=10, score=score(hearts=(3, 2)))
    sheet = PEEWEE7.sheet_of_facts(options(), facts)
    assert (sheet.scope, sheet.winners) == ("deal", ())
    assert [(item.rule, item.side, item.account, item.points) for item in sheet.items] == [
        ("contractMade", 1, "H", 4),
        ("doubleDare", 1, "H", 4),
        ("overtricks", 1, "H", 2),
    ]
    assert [(each.account, each.side, each.points, each.unit) for each in sheet.totals] == [
        (strain, side, {("H", 0): 3, ("H", 1): 12}.get((strain, side), 0), "halfCrosses")
        for strain in ("NT", "H", "S", "D", "C")
        for side in (0, 1)
    ]


def test_facts_without_a_deal_add_up_the_paper() -> None:
    sheet = PEEWEE7.sheet_of_facts(options(), PeeweeFacts(score=score(hearts=(14, 3), clubs=(0, 5))))
    assert (sheet.scope, sheet.winners) == ("match", (0,))
    assert [(item.rule, item.side, item.account, item.points) for item in sheet.items] == [
        ("crosses", 0, "H", 14),
        ("crosses", 1, "H", 2),
        ("strokes", 1, "H", 1),
        ("crosses", 1, "C", 4),
        ("strokes", 1, "C", 1),
    ]


@pytest.mark.parametrize(
    ("path", "facts"),
    [
        ("$.facts.tricks", PeeweeFacts(contract=contract("7H"))),
        ("$.facts.contract", PeeweeFacts(tricks=7)),
        ("$.facts.score.hearts", PeeweeFacts(score=score(hearts=(1, 0)))),
        ("$.facts.score.noTrump", PeeweeFacts(score=PeeweeScore(no_trump=PeeweeRow(crosses=(0, 1), strokes=(0, 9))))),
        ("$.facts.score", PeeweeFacts(contract=contract("7H"), tricks=7, score=score(spades=(14, 0)))),
        ("$.facts.score", PeeweeFacts(score=score(spades=(14, 0), clubs=(14, 0)))),
        ("$.facts.score", PeeweeFacts(score=score(spades=(14, 14)))),
        ("$.facts.score", PeeweeFacts(score=score(spades=(40, 0)))),
    ],
)
def test_facts_that_cannot_be_are_malformed(path: str, facts: PeeweeFacts) -> None:
    with pytest.raises(Malformed) as refused:
        PEEWEE7.sheet_of_facts(options(), facts)
    assert refused.value.path == path


def test_facts_at_the_edge_of_what_can_be() -> None:
    most = PeeweeFacts(contract=contract("13NT", side=1, dare=2), tricks=0, score=score(no_trump=(13, 0)))
    sheet = PEEWEE7.sheet_of_facts(options(), most)
    assert max(each.points for each in sheet.totals) == 13 + 31
    after = PeeweeScore(no_trump=PeeweeRow(crosses=(6 + 9, 0), strokes=(1 + 13, 0)))
    assert PEEWEE7.sheet_of_facts(options(), PeeweeFacts(score=after)).winners == (0,)


@given(
    st.integers(7, 13), st.sampled_from(list(Strain)), st.integers(0, 1), st.integers(0, 2), st.integers(0, 13),
    st.integers(0, 6), st.booleans(),
)  # fmt: skip
def test_a_deal_adds_its_worth_to_one_row_of_one_side(
    tricks: int,
    strain: Strain,
    side: int,
    dare: int,
    taken: int,
    before: int,
    counts: bool,  # noqa: FBT001
) -> None:
    """Recomputed from the clauses: the contract, the dare, and a half cross for each trick over or short."""
    earlier = PeeweeScore(**{name: PeeweeRow(crosses=(before, 6 - before)) for name in ROWS.values()})
    facts = PeeweeFacts(
        contract=PeeweeContract(tricks=tricks, strain=strain, side=side, dare=dare), tricks=taken, score=earlier
    )
    sheet = PEEWEE7.sheet_of_facts(options(halvesCount=counts), facts)
    scorer = side if taken >= tricks else 1 - side
    worth = 2 * (tricks - 6 + dare) + abs(taken - tricks)
    assert sum(item.points for item in sheet.items) == worth
    assert {(item.side, item.account) for item in sheet.items} == {(scorer, strain)}
    for each in sheet.totals:
        if each.unit == "halfCrosses":
            gained = worth if (each.side, each.account) == (scorer, strain) else 0
            assert each.points == halves_in(row_of(earlier, Strain(each.account)))[each.side] + gained
    held = (before, 6 - before)[scorer] * 2
    enough = held + (worth if counts else 2 * (tricks - 6 + dare)) >= 14
    assert sheet.winners == ((scorer,) if enough else ())
