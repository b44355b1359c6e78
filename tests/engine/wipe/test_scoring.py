"""What Le Wipe scores from bare facts, and the sheets of states."""

from typing import Any

import msgspec
import pytest

from engine.cards import PACK, SUITS
from engine.game import play
from engine.games.wipe import WIPE, WipeCarry, WipeCount, WipeFacts, WipeScore, WipeTally
from engine.games.wipe.scoring import counted, match_sheet, sheet_of_facts
from engine.moves import Strike
from engine.sheet import Sheet
from engine.violations import Malformed
from tests.engine.wipe.positions import after, cards, dealt, heap, options, position

RED = tuple(card for card in PACK if card[1] in "HD")
BLACK = tuple(card for card in PACK if card[1] in "SC")


def rows(sheet: Sheet) -> dict[tuple[str, int], int]:
    return {(total.account, total.side): total.points for total in sheet.totals}


def items(sheet: Sheet) -> dict[tuple[str, int], int]:
    return {(item.rule, item.side): item.points for item in sheet.items}


def facts(**told: Any) -> WipeFacts:
    return msgspec.convert(told, WipeFacts)


def test_a_round_from_the_heaps_as_they_lie() -> None:
    sheet = sheet_of_facts(options(), WipeFacts(heaps=(RED, BLACK), last_trick=1))
    assert sheet.scope == "round"
    assert items(sheet) == {
        ("aces", 0): 2,
        ("aces", 1): 2,
        ("tenOfDiamonds", 0): 2,
        ("twoOfSpades", 1): 2,
        ("mostCards", 0): 1,
        ("mostCards", 1): 1,
        ("mostSpades", 1): 2,
        ("lastTrick", 1): 1,
    }
    assert rows(sheet)["round", 0] == 5
    assert rows(sheet)["round", 1] == 8
    assert sheet.winners == (1,)


def test_the_same_round_counted() -> None:
    heaps = WipeFacts(heaps=(RED, BLACK), last_trick=1)
    counts = WipeFacts(counts=(counted(RED), counted(BLACK)), last_trick=1)
    assert sheet_of_facts(options(), heaps) == sheet_of_facts(options(), counts)
    assert counted(BLACK) == WipeCount(cards=26, spades=13, aces=2, two_of_spades=True)


def test_heaps_that_hold_only_a_part_are_scored_as_they_are() -> None:
    sheet = sheet_of_facts(options(), WipeFacts(heaps=(cards("AS TD"), ())))
    assert items(sheet) == {("aces", 0): 1, ("tenOfDiamonds", 0): 2, ("mostCards", 0): 2, ("mostSpades", 0): 2}
    assert sheet_of_facts(options(), WipeFacts(heaps=((), ()))).winners == ()


def test_three_sides() -> None:
    thirds = tuple(tuple(card for card in PACK if card[1] == suit) for suit in SUITS[:3])
    sheet = sheet_of_facts(options(), WipeFacts(heaps=thirds, last_trick=2))
    assert items(sheet) == {
        ("aces", 0): 1,
        ("aces", 1): 1,
        ("aces", 2): 1,
        ("tenOfDiamonds", 2): 2,
        ("twoOfSpades", 0): 2,
        ("mostSpades", 0): 2,
        ("lastTrick", 2): 1,
    }


def test_points_of_earlier_rounds_and_wipes_stand_beside() -> None:
    told = facts(
        heaps=[[], ["AS"]],
        rounds=[[8, 5], [4, 9]],
        wipes=[{"made": 2, "struck": 1}, {"missed": 1, "mistaken": 1, "unannounced": 1}],
    )
    sheet = sheet_of_facts(options(missed_sweep="penalty", false_sweep="penalty"), told)
    assert rows(sheet) == {
        ("round", 0): 0,
        ("round", 1): 5,
        ("rounds", 0): 12,
        ("rounds", 1): 19,
        ("wipes", 0): 2,
        ("wipes", 1): -6,
    }


def test_carried_points_go_to_the_next_round_and_are_lost_after_the_last() -> None:
    won = facts(heaps=[["AS", "KH"], ["KD"]], carried={"cards": 2, "spades": 4})
    assert items(sheet_of_facts(options(tie="carry"), won)) == {
        ("aces", 0): 1,
        ("mostCards", 0): 4,
        ("mostSpades", 0): 6,
    }


def test_the_match_from_rounds_and_wipes() -> None:
    told = facts(rounds=[[8, 5], [4, 9]], wipes=[{"made": 3}, {"unannounced": 1}])
    sheet = sheet_of_facts(options(), told)
    assert sheet.scope == "match"
    assert items(sheet) == {
        ("roundPoints", 0): 12,
        ("roundPoints", 1): 14,
        ("wipe", 0): 6,
        ("unannouncedLastDeal", 1): -2,
    }
    assert rows(sheet)["total", 0] == 18
    assert rows(sheet)["total", 1] == 12
    assert sheet.winners == (0,)
    assert sheet_of_facts(options(rounds=3), told).winners == ()
    assert sheet_of_facts(options(rounds=2), told).winners == (0,)


@pytest.mark.parametrize(
    ("told", "path"),
    [
        ({}, "$.facts"),
        ({"heaps": [["AS"], ["AS"]]}, "$.facts.heaps[1][0]"),
        ({"heaps": [["AS"], []], "counts": [{"cards": 1}, {"cards": 0}]}, "$.facts.counts"),
        ({"heaps": [["AS"], []], "rounds": [[1, 2, 3]]}, "$.facts.rounds[0]"),
        ({"heaps": [["AS"], []], "wipes": [{}, {}, {}]}, "$.facts.wipes"),
        ({"heaps": [["AS"], []], "lastTrick": 2}, "$.facts.lastTrick"),
        ({"rounds": [[1, 2]], "lastTrick": 0}, "$.facts.lastTrick"),
        ({"rounds": [[1]]}, "$.facts.rounds[0]"),
        ({"rounds": [[1, 2], [1]]}, "$.facts.rounds[1]"),
        ({"heaps": [["AS"], []], "carried": {"cards": 2}}, "$.facts.carried"),
        ({"wipes": [{"made": 1, "struck": 2}, {}]}, "$.facts.wipes[0].struck"),
        ({"wipes": [{}, {"missed": 1}]}, "$.facts.wipes[1].missed"),
        ({"wipes": [{}, {"mistaken": 1}]}, "$.facts.wipes[1].mistaken"),
        ({"counts": [{"cards": 30}, {"cards": 30}]}, "$.facts.counts"),
        ({"counts": [{"cards": 30, "spades": 7}, {"cards": 20, "spades": 7}]}, "$.facts.counts"),
        ({"counts": [{"cards": 30, "aces": 3}, {"cards": 20, "aces": 2}]}, "$.facts.counts"),
        ({"counts": [{"cards": 2, "tenOfDiamonds": True}, {"cards": 2, "tenOfDiamonds": True}]}, "$.facts.counts"),
        ({"counts": [{"cards": 2, "aces": 3}, {"cards": 2}]}, "$.facts.counts[0]"),
        ({"counts": [{"cards": 2, "twoOfSpades": True}, {"cards": 2}]}, "$.facts.counts[0]"),
        ({"counts": [{"cards": 1, "spades": 1, "tenOfDiamonds": True}, {"cards": 2}]}, "$.facts.counts[0]"),
    ],
)
def test_facts_that_cannot_be_are_malformed(told: dict[str, Any], path: str) -> None:
    with pytest.raises(Malformed) as refused:
        sheet_of_facts(options(), facts(**told))
    assert refused.value.path == path


def test_more_rounds_than_the_match_has_are_malformed() -> None:
    with pytest.raises(Malformed, match="2 rounds"):
        sheet_of_facts(options(rounds=2), facts(rounds=[[1, 2]] * 3))
    with pytest.raises(Malformed, match="is over"):
        sheet_of_facts(options(rounds=2), facts(rounds=[[1, 2]] * 2, heaps=[["AS"], []]))


def test_the_sheet_of_a_round_under_way_is_the_score_before_it() -> None:
    state = position("7C 2D", "7H", wipes={0: WipeTally(made=1)})
    sheet = WIPE.sheet(state, None)
    assert (sheet.scope, sheet.items, sheet.winners) == ("round", (), ())
    assert rows(sheet)["wipes", 0] == 2
    assert WIPE.sheet(state, "match").winners == ()
    for scope in ("deal", "game"):
        with pytest.raises(Malformed, match="by the round or by the match"):
            WIPE.sheet(state, scope)


def test_a_strike_changes_the_account_and_not_the_rounds() -> None:
    state = position("7C 2D", "7H", wipes={0: WipeTally(made=1)})
    struck = play(WIPE, state, Strike(0)).state
    assert rows(WIPE.sheet(struck, None))["wipes", 0] == 0
    assert items(WIPE.sheet(struck, "match")) == {("wipe", 0): 2, ("struckWipe", 0): -2}


def test_an_account_below_zero_counts() -> None:
    sheet = match_sheet(WipeScore(points=(6, 7)), (WipeTally(), WipeTally(unannounced=2)), over=True)
    assert rows(sheet)["total", 1] == 3
    assert sheet.winners == (0,)


def test_the_sheet_of_a_state_is_that_of_its_heaps() -> None:
    state = position("KS", "AD 9S", heaps={1: heap("QS QH")}, deal=6, last_taker=1, others={1: "KD"})
    state = after(state, "trail KS", "trail KD")
    heaps = tuple(pile.cards for pile in state.heaps)
    assert WIPE.sheet(state, "round").items == sheet_of_facts(options(), WipeFacts(heaps=heaps, last_trick=1)).items
    assert state.score_before == WipeScore(points=(0, 0))
    assert WIPE.sheet(dealt(2), None).items == ()
    assert WipeCarry() == state.score.carried
