"""The score from bare facts, as people keep it on paper, and the sheets of a match."""

from typing import Any

import pytest

from engine.cards import PACK
from engine.game import Query, legal_moves, play
from engine.games.wippen import WIPPEN, WippenFacts, WippenHeapFact, WippenScore
from engine.moves import Deal
from engine.sheet import Sheet
from engine.violations import Malformed
from tests.engine.wippen.positions import cards, options, position, started
from tests.engine.wippen.test_clauses import played_out


def fact(cards_taken: int, spades: int, aces: int, tens: int = 0, twos: int = 0, wips: int = 0) -> WippenHeapFact:
    return WippenHeapFact(
        cards=cards_taken, spades=spades, aces=aces, ten_of_diamonds=tens, two_of_spades=twos, wips=wips
    )


def round_points(sheet: Sheet) -> tuple[int, ...]:
    return tuple(total.points for total in sheet.totals if total.account == "round")


@pytest.mark.parametrize(
    ("choices", "heaps", "points"),
    [
        ({}, [fact(30, 6, 2, 1, 0, 1), fact(22, 7, 2, 0, 1)], (7, 5)),
        ({"tie": "none"}, [fact(26, 6, 4, 1), fact(26, 7, 0, 0, 1)], (6, 3)),
        ({}, [fact(14, 4, 1), fact(13, 4, 1), fact(13, 4, 1, 1), fact(12, 1, 1, 0, 1)], (3, 1, 3, 2)),
        ({"packs": 2}, [fact(60, 14, 5, 2), fact(40, 11, 3, 0, 2)], (13, 5)),
    ],
)
def test_rounds_counted_on_paper(choices: dict[str, Any], heaps: list[WippenHeapFact], points: tuple[int, ...]) -> None:
    sheet = WIPPEN.sheet_of_facts(options(choices), WippenFacts(heaps=tuple(heaps)))
    assert sheet.scope == "round"
    assert round_points(sheet) == points
    assert sheet.winners == tuple(seat for seat, each in enumerate(points) if each == max(points))


@pytest.mark.parametrize(
    ("before", "heaps", "totals", "winners"),
    [
        ((50, 51), [fact(20, 6, 4, 1), fact(32, 7, 0, 0, 1, 1)], (56, 57), (1,)),
        ((50, 50), [fact(20, 6, 4, 1), fact(32, 7, 0, 0, 1, 1)], (56, 56), ()),
    ],
)
def test_the_match_is_decided_by_the_score_after_a_round(
    before: tuple[int, int], heaps: list[WippenHeapFact], totals: tuple[int, int], winners: tuple[int, ...]
) -> None:
    sheet = WIPPEN.sheet_of_facts(options(), WippenFacts(heaps=tuple(heaps), score=WippenScore(points=before)))
    assert tuple(total.points for total in sheet.totals if total.account == "total") == totals
    match = WIPPEN.sheet_of_facts(options(), WippenFacts(score=WippenScore(points=totals)))
    assert match.winners == winners


def test_heaps_told_card_by_card_count_the_same_and_name_the_cards() -> None:
    heaps = (PACK[:30], PACK[30:])
    sheet = WIPPEN.sheet_of_facts(
        options(), WippenFacts(heaps=tuple(WippenHeapFact(heap=tuple(heap)) for heap in heaps))
    )
    counted = [
        fact(
            len(heap),
            sum(card[1] == "S" for card in heap),
            sum(card[0] == "A" for card in heap),
            sum(card == "TD" for card in heap),
            sum(card == "2S" for card in heap),
        )
        for heap in heaps
    ]
    assert round_points(sheet) == round_points(WIPPEN.sheet_of_facts(options(), WippenFacts(heaps=tuple(counted))))
    aces = [item for item in sheet.items if item.rule == "aces"]
    assert sorted(card for item in aces for card in item.cards or ()) == sorted(cards("AS AH AD AC"))
    assert {item.rule for item in sheet.items} == {"mostCards", "mostSpades", "tenOfDiamonds", "twoOfSpades", "aces"}


def told(*heaps: WippenHeapFact, **score: Any) -> WippenFacts:
    return WippenFacts(heaps=heaps or None, score=WippenScore(**score) if score else None)


@pytest.mark.parametrize(
    ("choices", "facts", "path"),
    [
        ({}, told(), "$.facts"),
        ({}, told(fact(30, 6, 2, 1), fact(23, 7, 2, 0, 1)), "$.facts.heaps"),
        ({}, told(fact(30, 6, 2, 1), fact(20, 7, 2, 0, 1)), "$.facts.heaps"),
        ({}, told(fact(30, 6, 2, 1), fact(22, 6, 2, 0, 1)), "$.facts.heaps"),
        ({}, told(fact(30, 6, 2, 1), fact(22, 7, 1, 0, 1)), "$.facts.heaps"),
        ({}, told(fact(30, 6, 2, 1), fact(22, 7, 2, 1, 1)), "$.facts.heaps"),
        ({}, told(fact(30, 6, 2, 1, 1), fact(22, 7, 2, 0, 1)), "$.facts.heaps"),
        ({}, told(fact(52, 13, 4, 1, 1)), "$.facts.heaps"),
        ({}, told(*[fact(0, 0, 0)] * 7), "$.facts.heaps"),
        ({}, told(fact(2, 3, 0), fact(50, 10, 4, 1, 1)), "$.facts.heaps[0].cards"),
        ({}, told(fact(50, 13, 4, 1), fact(2, 0, 0, 0, 1)), "$.facts.heaps[1].spades"),
        ({}, told(fact(16, 13, 4, 1, 1), fact(36, 0, 0)), "$.facts.heaps[0].cards"),
        ({}, told(fact(2, 2, 1, 0, 1), fact(2, 2, 1), fact(48, 9, 2, 1)), "$.facts.heaps"),
        ({}, told(fact(39, 0, 4, 1), fact(13, 13, 0, 0, 1)), "$.facts.heaps"),
        ({}, told(WippenHeapFact(heap=cards("AS 2S")), fact(2, 2, 1), fact(48, 9, 2, 1)), "$.facts.heaps"),
        ({}, told(fact(2, 0, 0, 0, 0, 2), fact(50, 13, 4, 1, 1)), "$.facts.heaps[0].wips"),
        ({"wips": False}, told(fact(30, 6, 2, 1, 0, 1), fact(22, 7, 2, 0, 1)), "$.facts.heaps[0].wips"),
        ({}, told(WippenHeapFact(heap=PACK[:20], cards=21), WippenHeapFact(heap=PACK[20:])), "$.facts.heaps[0].cards"),
        ({}, told(WippenHeapFact(heap=PACK[:20]), WippenHeapFact(heap=PACK[19:])), "$.facts.heaps[0].heap[19]"),
        ({}, told(fact(30, 6, 2, 1), fact(22, 7, 2, 0, 1), points=(1, 2, 3)), "$.facts.score.points"),
        ({}, told(fact(30, 6, 2, 1), fact(22, 7, 2, 0, 1), points=(60, 2)), "$.facts.score.points"),
        ({}, told(points=(1, 2), carried_cards=2), "$.facts.score.carriedCards"),
        ({"tie": "carry"}, told(points=(1, 2), carried_spades=3), "$.facts.score.carriedSpades"),
        ({"preset": "basic"}, told(points=(1, 2)), "$.facts.score"),
    ],
)
def test_facts_that_cannot_be_are_refused(choices: dict[str, Any], facts: WippenFacts, path: str) -> None:
    with pytest.raises(Malformed) as refused:
        WIPPEN.sheet_of_facts(options(choices), facts)
    assert refused.value.path == path


def test_one_deal_has_no_wips() -> None:
    heaps = [fact(10, 2, 0, 1, 0, 1), fact(42, 11, 4, 0, 1), *[fact(0, 0, 0)] * 10]
    with pytest.raises(Malformed) as refused:
        WIPPEN.sheet_of_facts(options(), told(*heaps))
    assert refused.value.path == "$.facts.heaps[0].wips"
    sheet = WIPPEN.sheet_of_facts(options({"sweepLastDeal": True}), told(*heaps))
    assert round_points(sheet)[:2] == (3, 9)


def test_a_round_that_nobody_took_from_scores_nothing() -> None:
    sheet = WIPPEN.sheet_of_facts(options(), told(fact(0, 0, 0), fact(0, 0, 0)))
    assert round_points(sheet) == (0, 0)
    assert sheet.winners == ()


def test_the_sheet_of_a_state_is_the_rounds_the_matchs_or_the_score_so_far() -> None:
    state = position("5C 7D", "2H")
    assert WIPPEN.sheet(state, None).scope == "match"
    with pytest.raises(Malformed):
        WIPPEN.sheet(state, "deal")
    done = played_out(started(2, seed="sheet"))
    assert WIPPEN.sheet(done, None).scope == "round"
    assert WIPPEN.sheet(done, "match").scope == "match"
    assert round_points(WIPPEN.sheet(done, "round")) == done.score.points
    second = play(WIPPEN, done, Deal()).state
    sheet = WIPPEN.sheet(second, None)
    assert [item.points for item in sheet.items if item.rule == "earlierRounds"] == list(done.score.points)
    assert legal_moves(WIPPEN, second, None, Query()).total
