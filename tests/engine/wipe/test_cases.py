"""The worked positions of Le Wipe, against the engine."""

import pytest

from engine.cards import Card
from engine.events import LeftOver
from engine.game import judge, play, view
from engine.games.wipe import WIPE, WipeCount, WipeFacts, WipeTally
from engine.games.wipe.play import clears
from engine.games.wipe.scoring import sheet_of_facts
from engine.games.wipe.table import deal_sizes
from engine.moves import Capture, parse, text
from engine.violations import Code
from tests.engine.wipe.cases import CASES, CLOSING, Case
from tests.engine.wipe.positions import after, build, code_of, heap, legal_texts, options, position, wipe_points

PLAYED = [name for name, case in CASES.items() if case.legal is not None]
MADE = [name for name, case in CASES.items() if case.legal is None]


@pytest.mark.parametrize("name", PLAYED)
def test_what_is_legal(name: str) -> None:
    case: Case = CASES[name]
    assert case.legal is not None
    state = position(case.hand, case.layout, **case.given)
    expected = {text(parse(words)) for words in case.legal}
    assert legal_texts(state) == expected
    assert legal_texts(view(WIPE, state, 0)) == expected
    assert all(judge(WIPE, state, parse(words)) is None for words in expected)


@pytest.mark.parametrize("name", MADE)
def test_what_becomes_of_a_move(name: str) -> None:
    case = CASES[name]
    state = position(case.hand, case.layout, **case.given)
    assert code_of(state, case.move) is None
    assert wipe_points(state, case.move) == case.points
    move = parse(case.move)
    assert isinstance(move, Capture)
    assert clears(state, move) == case.clears


@pytest.mark.parametrize("name", CLOSING)
def test_who_may_close(name: str) -> None:
    tricks, closed, may, _ = CLOSING[name]
    state = position("TD 2H", "9S", heaps={0: heap(*tricks, seat=0, closed=closed)}, deal=4 if closed else 3)
    assert code_of(state, "close", 0) is (None if may else Code.NO_COMPLETE_SET)


def test_l48_a_tie_is_split_so_that_thirteen_points_come_out() -> None:
    facts = WipeFacts(
        counts=(
            WipeCount(cards=26, spades=6, aces=3, ten_of_diamonds=True),
            WipeCount(cards=26, spades=7, aces=1, two_of_spades=True),
        ),
        last_trick=0,
    )
    totals = {total.side: total.points for total in sheet_of_facts(options(), facts).totals if total.account == "round"}
    assert totals == {0: 7, 1: 6}


def test_l49_the_rest_goes_with_the_last_trick_and_is_no_wipe() -> None:
    state = position(
        "KS", "AD 9S", builds=[build(1, 5, "2D 3H")], heaps={1: heap("QS QH")}, deal=6, last_taker=1, others={1: "KD"}
    )
    state = after(state, "trail KS")
    done = play(WIPE, state, parse("trail KD"))
    left = next(event for event in done.events if isinstance(event, LeftOver))
    assert left == LeftOver(1, tuple(Card(name) for name in ["KS", "9S", "3H", "AD", "KD", "2D"]), (1,))
    assert done.state.heaps[1].rest == left.cards
    assert done.state.wipes == (WipeTally(), WipeTally())


def test_l51_three_are_dealt_four_hands_of_four() -> None:
    assert deal_sizes(3) == (4, 4, 4, 4)


def test_l57_the_dealer_who_forgets_the_last_deal_loses_two_points_and_may_be_below_zero() -> None:
    state = position("4S 5S 6S 7S", "9S", deal=6, heaps={1: heap("QS QH")})
    assert state.dealer == 1
    assert after(state, "trail 4S").wipes == (WipeTally(), WipeTally(unannounced=1))


def test_l58_wipes_are_added_after_the_last_round() -> None:
    facts = WipeFacts(rounds=((8, 5), (4, 9)), wipes=(WipeTally(made=3), WipeTally(unannounced=1)))
    sheet = sheet_of_facts(options(rounds=2), facts)
    assert {total.side: total.points for total in sheet.totals if total.account == "total"} == {0: 18, 1: 12}
    assert sheet.winners == (0,)
