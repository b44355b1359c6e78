"""Wippen's rulings, one by one, each with every value of its option."""

import random
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from engine.cards import PACK
from engine.events import LeftOver, Scored
from engine.game import SPECTATOR, Setup, begin, legal_moves, play, view
from engine.games.wippen import WIPPEN, WippenFacts, WippenHeapFact, WippenScore, WippenState
from engine.games.wippen.plan import plan_of
from engine.moves import Deal, Hand, Trail, parse
from engine.violations import Malformed
from tests.engine.wippen.positions import (
    EVERYTHING,
    after,
    cards,
    clause,
    legal,
    options,
    position,
    started,
    verdict,
)
from tests.engine.wippen.test_clauses import played_out

OWN_EIGHT = "8 of 0: 5D 3C"
ANOTHERS_EIGHT = "8 of 1: 5D 3C"


def captures(state: WippenState) -> set[str]:
    return {words for words in legal(state) if words.startswith("capture")}


def test_wia1_the_dealers_left_begins_every_deal() -> None:
    state = started(3, dealer=0, seed="first")
    rng = random.Random(1)
    firsts = []
    while state.score_before is None:
        fresh = state.phase == "play" and all(len(hand) == 4 for hand in state.hands)
        if fresh and state.to_act:
            firsts.append(state.to_act.seat)
        state = play(WIPPEN, state, rng.choice(legal_moves(WIPPEN, state, None, EVERYTHING).moves).move).state
    assert firsts == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("value", "laid"), [("hand", set()), ("card", {"trail 3H"}), ("off", {"trail 3H", "trail 7D", "trail QC"})]
)
def test_wia2_what_forced_capture_binds(value: str, laid: set[str]) -> None:
    state = position("7D QC 3H", "7S QD", forcedCapture=value)
    assert {words for words in legal(state) if words.startswith("trail")} == laid


@pytest.mark.parametrize(("value", "laid"), [("any", set()), ("rank", {"trail 9H"})])
def test_wia3_whether_sums_and_builds_force(value: str, laid: set[str]) -> None:
    state = position("9H", "2C 3D 4S", forcedScope=value)
    assert {words for words in legal(state) if words.startswith("trail")} == laid
    built = position("9H", "", ["9 of 1: 5D 4C"], forcedScope=value)
    assert {words for words in legal(built) if words.startswith("trail")} == laid
    equal = position("9H", "9C", forcedScope=value)
    assert verdict(equal, "trail 9H") == "MUST_CAPTURE"


def test_wia4_building_is_free_though_one_could_capture() -> None:
    assert "build 3C cards 3H value 6" in legal(position("3C 6D", "3H"))


def test_wia5_several_open_cards_of_the_played_rank() -> None:
    assert legal(position("7D", "7S 7H", preset="basic")) == {"capture 7D take 7S", "capture 7D take 7H"}
    assert verdict(position("7D", "7S 7H", preset="basic"), "capture 7D take 7S,7H") == "ONE_GROUP_ONLY"
    assert len(legal(position("7D", "7S 7H"))) == 3
    assert legal(position("KD", "KS KH")) == {"capture KD take KS", "capture KD take KH"}


@pytest.mark.parametrize(("value", "number"), [("any", 3), ("single", 2)])
def test_wia6_several_groups_at_once(value: str, number: int) -> None:
    state = position("9H", "2C 3D 4S 9D", multiCapture=value)
    assert len(captures(state)) == number
    whole = "capture 9H take 4S,9D,3D,2C"
    assert verdict(state, whole) == ("OK" if value == "any" else "ONE_GROUP_ONLY")
    if value == "single":
        assert clause(state, whole) == "wippen/WIA6"


@pytest.mark.parametrize(("value", "number"), [("free", 12), ("maximal", 1)])
def test_wia7_whether_a_capture_must_be_maximal(value: str, number: int) -> None:
    """After 4 4 2 no ten is left in 6 6 8, yet all six can be taken: that alone is maximal."""
    state = position("TC", "4C 4D 2H 6S 6D 8C", captureChoice=value)
    assert len(captures(state)) == number
    words = "capture TC take 2H,4D,4C"
    assert verdict(state, words) == ("OK" if value == "free" else "NOT_MAXIMAL")
    if value == "maximal":
        assert captures(state) == {"capture TC take 6S,2H,6D,4D,8C,4C"}
        assert clause(state, words) == "wippen/WIA7"


@pytest.mark.parametrize(("value", "sizes"), [("one", {1}), ("oneOrThree", {1, 3}), ("any", {1, 2, 3}), ("all", {3})])
def test_wia8_how_many_pictures_at_once(value: str, sizes: set[int]) -> None:
    state = position("KD", "KS KH KC 2D", pictureCapture=value)
    assert {words.count("K") - 1 for words in captures(state)} == sizes
    for size, words in {1: "KS", 2: "KS,KH", 3: "KS,KH,KC"}.items():
        assert verdict(state, f"capture KD take {words}") == ("OK" if size in sizes else "PICTURES_AT_ONCE")
    two = position("KD", "KS KH 2D", pictureCapture=value)
    assert {words.count("K") - 1 for words in captures(two)} == {
        "one": {1}, "oneOrThree": {1}, "any": {1, 2}, "all": {2}
    }[value]  # fmt: skip
    if value != "one":
        most = position("KD", "KS KH KC 2D", pictureCapture=value, captureChoice="maximal")
        assert captures(most) == {"capture KD take KS,KH,KC"}


def test_wia9_pictures_as_eleven_twelve_thirteen() -> None:
    plain = position("KD 2H", "TD 3H QS AD")
    assert captures(plain) == set()
    state = position("KD 2H", "TD 3H QS AD", pictureValues=True)
    assert captures(state) == {
        "capture KD take 3H,TD",
        "capture KD take QS,AD",
        "capture KD take QS,3H,AD,TD",
    }
    built = position("2C KH", "JD", pictureValues=True)
    assert "build 2C cards JD value 13" in legal(built)
    assert "raise 3S build 1 value 13" in legal(position("3S KH", "", ["10 of 1: 6D 4C"], pictureValues=True))
    assert verdict(position("6C KH", "7D 8S 5H", pictureValues=True), "build 6C cards 8S,5H,7D value 13") == (
        "PICTURES_DOUBLED"
    )
    several = position("KD", "KS KH", pictureValues=True, pictureCapture="one")
    assert len(captures(several)) == 3


def test_wia10_an_ace_is_one() -> None:
    assert captures(position("7C", "2D 4S AH")) == {"capture 7C take 4S,AH,2D"}
    assert captures(position("JC QC KC", "TS AS")) == set()


@pytest.mark.parametrize(("value", "single", "double"), [("none", 0, 0), ("double", 0, 1), ("all", 1, 1)])
def test_wia11_a_build_in_a_sum(value: str, single: int, double: int) -> None:
    of_one = position("8D KH", "3S", ["5 of 1: 2C 3D"], buildInSum=value)
    assert len(captures(of_one)) == single
    of_two = position("6D KH", "2S", ["4 of 1: 4C / 3D AH"], buildInSum=value)
    assert len(captures(of_two)) == double
    if value == "none":
        assert clause(of_two, "capture 6D take 2S builds 1") == "wippen/WIA11"


def test_wia12_the_value_is_part_of_the_move() -> None:
    """Five on five is ten, or twice five."""
    state = position("5C 5D TD", "5H")
    assert {"build 5C cards 5H value 10", "build 5C cards 5H value 5"} <= legal(state)
    assert after(state, "build 5C cards 5H value 10").builds[0].is_single
    assert not after(state, "build 5C cards 5H value 5").builds[0].is_single
    with pytest.raises(Malformed):
        parse("build 5C cards 5H")


@pytest.mark.parametrize("value", ["resolve", "noTrail", "capture", "none"])
def test_wia13_what_the_builder_owes(value: str) -> None:
    state = position("8S 2C KD TH", "KH", [OWN_EIGHT], buildObligation=value)
    found = legal(state)
    assert "capture 8S builds 1" in found
    assert ("raise 2C build 1 value 10" in found) == (value != "capture")
    assert ("capture KD take KH" in found) == (value in ("noTrail", "none"))
    loose = position("8S 2C", "", [OWN_EIGHT], buildObligation=value, forcedCapture="off")
    assert ("trail 2C" in legal(loose)) == (value == "none")
    assert ("trail 8S" in legal(loose)) == (value == "none")


def test_wia14_nothing_else_comes_before_the_own_build() -> None:
    state = position("8S KD 2H 4C", "KH 2S", [OWN_EIGHT])
    assert verdict(state, "capture KD take KH") == "MUST_RESOLVE_BUILD"
    assert verdict(state, "build 2H cards 2S value 4") == "MUST_RESOLVE_BUILD"
    free = position("8S KD 2H 4C", "KH 2S", [OWN_EIGHT], buildObligation="noTrail")
    assert {"capture KD take KH", "build 2H cards 2S value 4"} <= legal(free)


def test_wia15_the_last_holding_card_is_not_let_go() -> None:
    state = position("8S 4D", "8H", [OWN_EIGHT], buildObligation="noTrail")
    assert verdict(state, "capture 8S take 8H") == "LAST_HOLDING_CARD"
    assert clause(state, "capture 8S take 8H") == "wippen/WIA15"
    assert legal(state) == {"capture 8S builds 1", "capture 8S take 8H builds 1"}
    two = position("8S 9C", "", [OWN_EIGHT, "8 of 0: 6S 2H"], buildObligation="noTrail")
    assert legal(two) == {"capture 8S builds 1,2"}
    singly = position("8S 8C", "", [OWN_EIGHT, "8 of 0: 6S 2H"], buildObligation="noTrail", multiCapture="single")
    assert captures(singly) == {f"capture {card} builds {number}" for card, number in product(("8S", "8C"), (1, 2))}
    ownerless = position("KS 2C", "", ["8: 5D 3C"])
    assert verdict(ownerless, "trail KS") == "OK"


def test_wia16_another_who_takes_raises_or_doubles_ends_the_duty() -> None:
    assert verdict(position("8S KD", "4H"), "trail 8S") == "OK"
    assert verdict(position("8S 3D", "", ["10 of 1: 5D 3C 2H"]), "trail 8S") == "OK"
    state = position("8S 5S KC", "3H 4C", [ANOTHERS_EIGHT])
    assert after(state, "extend 5S build 1 cards 3H").builds[0].owner == 0


@pytest.mark.parametrize("value", [True, False])
def test_wia17_raising_the_own_build(value: bool) -> None:  # noqa: FBT001 - a value of an option
    state = position("3H 8D 5S", "", ["5 of 0: 2C 3D"], raiseOwn=value)
    assert ("raise 3H build 1 value 8" in legal(state)) == value
    assert verdict(state, "raise 3H build 1 value 8") == ("OK" if value else "OPTION_OFF")


def test_wia18_raising_anothers_build() -> None:
    assert "raise 2H build 1 value 10" in legal(position("2H TD", "", [ANOTHERS_EIGHT]))


@pytest.mark.parametrize("value", [False, True])
def test_wia19_open_cards_help_a_raise_by_option(value: bool) -> None:  # noqa: FBT001 - a value of an option
    state = position("AH TD", "AC", [ANOTHERS_EIGHT], raiseWithOpen=value)
    words = "raise AH build 1 cards AC value 10"
    assert (words in legal(state)) == value
    assert verdict(state, words) == ("OK" if value else "OPTION_OFF")
    if value:
        built = after(state, words).builds[0]
        assert (built.value, set(built.cards)) == (10, set(cards("5D 3C AH AC")))


def test_wia20_a_raise_draws_no_group_of_the_new_value_in_unless_agreed() -> None:
    words = "raise 2H build 1 cards 9D value 9"
    state = position("2H 9S", "9D", ["7 of 1: 3C 4D"])
    assert verdict(state, words) == "OPTION_OFF"
    agreed = position("2H 9S", "9D 5H 4S", ["7 of 1: 3C 4D"], raiseWithOpen=True)
    built = after(agreed, words).builds[0]
    assert set(built.groups) == {cards("2H 4D 3C"), cards("9D")}
    assert "raise 2H build 1 cards 4S,5H value 9" in legal(agreed)
    assert verdict(agreed, "raise 2H build 1 cards 4S,5H,9D value 9") == "TOO_MANY_GROUPS"
    single = position("2H 9S", "9D", ["7 of 1: 3C 4D"], raiseWithOpen=True, doubleBuilding=False)
    assert verdict(single, words) == "OPTION_OFF"


def test_wia21_no_build_above_ten() -> None:
    state = position("AS TC", "4H", ["10 of 1: 5D 3C 2H"], others={1: "TD"})
    assert legal(state) == {"capture TC builds 1"}
    assert clause(state, "raise AS build 1 value 11") == "wippen/WIA21"
    assert verdict(position("5S JC", "6H"), "build 5S cards 6H value 11") == "ABOVE_CEILING"


def test_wia22_double_is_two_groups_not_twice_the_total() -> None:
    assert verdict(position("4C 9D", "8H 6S"), "build 4C cards 6S,8H value 9") == "BAD_GROUPS"
    assert verdict(position("4C 9D", "5H 6S 3D"), "build 4C cards 6S,5H,3D value 9") == "OK"


def test_wia23_single_cards_are_groups() -> None:
    assert "build 7C cards 7H value 7" in legal(position("7C 7D", "7H"))
    assert "extend 8S build 1" in legal(position("8S 8C", "8H", [OWN_EIGHT]))
    assert verdict(position("8S 2C", "", [ANOTHERS_EIGHT]), "extend 8S build 1") == "NO_HOLDING_CARD"


@pytest.mark.parametrize("value", [True, False])
def test_wia24_doubling_anothers_build(value: bool) -> None:  # noqa: FBT001 - a value of an option
    state = position("5S 8D", "3H", ["8 of 1: 6C 2D"], extendForeign=value)
    words = "extend 5S build 1 cards 3H"
    assert verdict(state, words) == ("OK" if value else "OPTION_OFF")
    own = position("5S 8D", "3H", ["8 of 0: 6C 2D"], extendForeign=value)
    assert verdict(own, words) == "OK"


@pytest.mark.parametrize("value", [2, 0])
def test_wia25_a_third_group(value: int) -> None:
    state = position("5S 8D", "3H", ["8 of 0: 6C 2D / 8H"], maxGroups=value)
    words = "extend 5S build 1 cards 3H"
    assert verdict(state, words) == ("TOO_MANY_GROUPS" if value else "OK")
    at_once = position("4C 9D", "5S 3H 6D 9H", maxGroups=value)
    assert verdict(at_once, "build 4C cards 5S,3H,9H,6D value 9") == ("TOO_MANY_GROUPS" if value else "OK")
    if value:
        assert clause(state, words) == "wippen/WIA25"


def test_wia26_a_second_build_of_a_value_is_a_build_of_its_own() -> None:
    state = position("5S 8D", "3H", [ANOTHERS_EIGHT])
    then = after(position("5S 8D", "3H", ["8 of 1: 6C 2D"]), "build 5S cards 3H value 8")
    assert "build 5S cards 3H value 8" in legal(state)
    assert [built.value for built in then.builds] == [8, 8]
    assert [built.id for built in then.builds] == [1, 2]
    taking = position("8D", "", ["8 of 1: 6C 2D", "8 of 2: 5C 3D"])
    assert "capture 8D builds 1,2" in legal(taking)


def test_wia27_a_build_is_no_part_of_a_new_one() -> None:
    state = position("3C 9D", "6H", ["9 of 1: 5H 4S"])
    assert verdict(state, "build 3C cards 5H,4S,6H value 9") == "CARD_IN_BUILD"


def test_wia28_pictures_go_in_sets_of_four_in_an_agreed_order() -> None:
    def gone(packs: int, places: int, order: str = "KQJ") -> str:
        plan = plan_of(options({"packs": packs, "removedRanks": list(order)}), places)
        left = [card[0] for card in plan.cards]
        return "".join(rank * ((4 * packs - left.count(rank)) // 4) for rank in order)

    assert gone(1, 5) == "KQ"
    assert gone(2, 4) == "K"
    assert gone(2, 7) == "KKQQ"
    assert gone(2, 10) == "KKQQJ"
    assert gone(1, 5, "JQK") == "JQ"
    assert {card[1] for card in PACK if plan_of(options({"packs": 2}), 4).cards.count(card) == 1} == set("SHDC")
    with pytest.raises(Malformed):
        options({"removedRanks": ["K", "K", "J"]})


def test_wia29_numbers_outside_the_table_by_the_formula_or_refused_with_the_reason() -> None:
    assert plan_of(options(), 12).deals == 1
    with pytest.raises(Malformed, match="20 would have to be removed, of 12 pictures") as refused:
        started(7)
    assert refused.value.path == "$.places"
    assert started(7, packs=2).phase == "play"


FACTS = WippenFacts(
    heaps=(
        WippenHeapFact(cards=26, spades=6, aces=4, ten_of_diamonds=1),
        WippenHeapFact(cards=26, spades=7, two_of_spades=1),
    )
)


@pytest.mark.parametrize(
    ("value", "points"), [("split", (7 + 0, 4)), ("none", (6, 3)), ("all", (8, 5)), ("carry", (6, 3))]
)
def test_wia30_ties_for_most(value: str, points: tuple[int, int]) -> None:
    sheet = WIPPEN.sheet_of_facts(options({"tie": value}), FACTS)
    assert tuple(total.points for total in sheet.totals if total.account == "round") == points
    three = (14, 13, 13, 12)
    spades = (4, 4, 4, 1)
    facts = WippenFacts(
        heaps=tuple(
            WippenHeapFact(
                cards=three[seat], spades=spades[seat], aces=1, ten_of_diamonds=seat == 2, two_of_spades=seat == 3
            )
            for seat in range(4)
        )
    )
    sheet = WIPPEN.sheet_of_facts(options({"tie": value}), facts)
    given = 2 if value == "all" else 0
    assert tuple(total.points for total in sheet.totals if total.account == "round") == (
        3 + given, 1 + given, 3 + given, 2
    )  # fmt: skip


def test_wia30_carried_points_wait_for_the_next_round() -> None:
    before = WippenScore(points=(10, 10), carried_cards=2, carried_spades=4)
    facts = replace(FACTS, score=before)
    sheet = WIPPEN.sheet_of_facts(options({"tie": "carry"}), facts)
    assert [item.points for item in sheet.items if item.rule == "mostSpades"] == [6]
    state = started(2, tie="carry", seed="carry")
    rounds = 0
    while rounds < 40 and state.phase != "over":
        state = played_out(state)
        rounds += 1
        score = state.score
        assert score.carried_cards % 2 == score.carried_spades % 2 == 0
        if score.carried_cards:
            assert len(state.heaps[0]) == len(state.heaps[1])
            break
        if state.phase != "over":
            state = play(WIPPEN, state, Deal()).state
    assert state.score_before is not None


def test_wia31_a_tie_of_the_basic_game_is_shared() -> None:
    facts = WippenFacts(heaps=(WippenHeapFact(cards=26), WippenHeapFact(cards=26)))
    assert WIPPEN.sheet_of_facts(options({"preset": "basic"}), facts).winners == (0, 1)


def test_wia32_every_copy_scores() -> None:
    facts = WippenFacts(
        heaps=(
            WippenHeapFact(cards=60, spades=14, aces=5, ten_of_diamonds=2),
            WippenHeapFact(cards=40, spades=11, aces=3, two_of_spades=2),
        )
    )
    sheet = WIPPEN.sheet_of_facts(options({"packs": 2}), facts)
    assert tuple(total.points for total in sheet.totals if total.account == "round") == (13, 5)
    assert len(captures(position("7D", "7D 7S", packs=2))) == 3
    assert captures(position("7D", "7S 7S", packs=2)) == {"capture 7D take 7S", "capture 7D take 7S,7S"}
    assert verdict(position("7D", "7S 7S", packs=2), "capture 7D take 7S,7S,7S") == "NOT_IN_LAYOUT"


@pytest.mark.parametrize("value", [False, True])
def test_wia33_wips_in_the_last_deal(value: bool) -> None:  # noqa: FBT001 - a value of an option
    state = position("7D", "7S", deals=4, sweepLastDeal=value)
    assert legal(state) == {"capture 7D take 7S"}
    assert after(state, "capture 7D take 7S").wips == (int(value), 0, 0)
    only = position("7D 2C", "7S", places=12, sweepLastDeal=value)
    assert after(only, "capture 7D take 7S").wips[0] == int(value)


def test_wia34_no_wip_with_a_build_left_nor_by_laying_nor_by_the_rest() -> None:
    state = position("7D 2C", "7S", ["9 of 1: 5H 4S"])
    assert after(state, "capture 7D take 7S").wips == (0, 0, 0)
    assert after(position("7D 2C"), "trail 7D").wips == (0, 0, 0)
    done = played_out(started(3, seed="rest"))
    assert done.past is not None
    assert sum(done.wips) == sum(type(event).__name__ == "Swept" for event in done.past)


def nobody_took() -> WippenState:
    """Twelve play one deal in which nobody captures anything."""
    state = started(12, preset="family", forcedCapture="off")
    while state.phase == "play":
        assert state.to_act is not None
        state = play(WIPPEN, state, Trail(state.hands[state.to_act.seat].cards[0])).state
    return state


def test_wia35_a_pot_that_nobody_took_goes_to_nobody() -> None:
    state = nobody_took()
    assert state.last_taker is None
    assert state.past is not None
    (rest,) = [event for event in state.past if isinstance(event, LeftOver)]
    assert rest.seat is None
    assert len(rest.cards) == len(state.layout) == 52
    assert state.score.points == (0,) * 12
    WIPPEN.check(state)
    assert play(WIPPEN, state, Deal()).state.rounds == 2


def test_wia36_builds_left_at_the_end_go_with_the_pot() -> None:
    state = position("5C", "2H", ["9: 5H 4S", "7: 3C 4D"], deals=4, buildObligation="none", others={1: "KS", 2: "QS"})
    state = after(state, "trail 5C", "trail KS", "trail QS")
    assert not state.builds
    assert not state.layout
    assert set(cards("5C 2H 5H 4S 3C 4D KS QS")) <= set(state.heaps[1].cards)
    assert state.score_before is not None


@pytest.mark.parametrize(
    ("points", "winners"),
    [((57, 55), (0,)), ((55, 57), (1,)), ((55, 55), ()), ((51, 51), ()), ((52, 3), (0,)), ((10, 51), ())],
)
def test_wia37_the_target_is_tested_after_a_round(points: tuple[int, int], winners: tuple[int, ...]) -> None:
    sheet = WIPPEN.sheet_of_facts(options(), WippenFacts(score=WippenScore(points=points)))
    assert (sheet.scope, sheet.winners) == ("match", winners)


def test_wia37_a_match_ends_at_its_target() -> None:
    state = started(2, target=15, seed="target")
    sheets = 0
    while state.phase != "over":
        state = played_out(state)
        sheets += 1
        if state.phase != "over":
            assert max(state.score.points) < 15 or state.score.points[0] == state.score.points[1]
            state = play(WIPPEN, state, Deal()).state
    assert max(state.score.points) >= 15
    assert state.to_act is None
    assert legal(state) == set()
    assert verdict(state, "deal", 0) == "GAME_OVER"
    assert state.past is not None
    scopes = [event.sheet.scope for event in state.past if isinstance(event, Scored)]
    assert scopes == ["round", "match"]


@pytest.mark.parametrize(
    ("choices", "off"),
    [
        ({"adding": False}, {"adding", "building", "raising", "double_building"}),
        ({"building": False}, {"building", "raising", "double_building"}),
        ({"points": False}, {"points", "wips"}),
        ({"raising": False}, {"raising"}),
    ],
)
def test_wia38_switching_an_extra_off_switches_off_what_needs_it(choices: dict[str, Any], off: set[str]) -> None:
    chosen = options(choices)
    extras = ("adding", "building", "raising", "double_building", "points", "wips")
    assert {name for name in extras if not getattr(chosen, name)} == off


@pytest.mark.parametrize(
    ("choices", "path"),
    [
        ({"adding": False, "building": True}, "building"),
        ({"building": False, "raising": True}, "raising"),
        ({"building": False, "doubleBuilding": True}, "doubleBuilding"),
        ({"points": False, "wips": True}, "wips"),
        ({"preset": "basic", "building": True}, "building"),
        ({"preset": "family", "raising": True}, "raising"),
        ({"preset": "basic", "wips": True}, "wips"),
        ({"preset": "basic", "multiCapture": "single"}, "multiCapture"),
        ({"preset": "basic", "captureChoice": "maximal"}, "captureChoice"),
        ({"preset": "basic", "pictureValues": True}, "pictureValues"),
        ({"preset": "basic", "forcedScope": "rank"}, "forcedScope"),
        ({"forcedCapture": "off", "forcedScope": "rank"}, "forcedScope"),
        ({"building": False, "buildObligation": "none"}, "buildObligation"),
        ({"building": False, "buildInSum": "all"}, "buildInSum"),
        ({"doubleBuilding": False, "buildInSum": "double"}, "buildInSum"),
        ({"raising": False, "raiseOwn": False}, "raiseOwn"),
        ({"raising": False, "raiseWithOpen": True}, "raiseWithOpen"),
        ({"doubleBuilding": False, "extendForeign": False}, "extendForeign"),
        ({"doubleBuilding": False, "maxGroups": 0}, "maxGroups"),
        ({"points": False, "tie": "none"}, "tie"),
        ({"points": False, "target": 20}, "target"),
        ({"wips": False, "sweepLastDeal": True}, "sweepLastDeal"),
    ],
)
def test_wia38_what_is_named_without_what_it_presupposes_is_refused(choices: dict[str, Any], path: str) -> None:
    with pytest.raises(Malformed) as refused:
        options(choices)
    assert refused.value.path == f"$.options.{path}"


def test_wia38_an_extra_with_what_it_needs_is_taken_over_a_preset() -> None:
    chosen = options({"preset": "basic", "adding": True, "building": True})
    assert chosen.building
    assert not chosen.raising


def test_wia39_the_order_of_play_stays_and_an_empty_pot_is_laid_in() -> None:
    state = position("7D", "7S", deals=2, others={1: "KS", 2: "2C"})
    state = after(state, "capture 7D take 7S", "trail KS", "trail 2C", "deal")
    assert state.to_act is not None
    assert state.to_act.seat == 0
    assert set(state.layout) == set(cards("KS 2C"))


def test_wia40_heaps_are_counts_until_the_round_is_counted() -> None:
    state = started(3, seed="public")
    rng = random.Random(3)
    while not any(map(len, state.heaps)):
        state = play(WIPPEN, state, rng.choice(legal_moves(WIPPEN, state, None, EVERYTHING).moves).move).state
    for viewer in (0, SPECTATOR):
        seen = view(WIPPEN, state, viewer)
        assert seen.heaps == tuple(Hand((), len(heap)) for heap in state.heaps)
        assert (seen.wips, seen.last_taker) == (state.wips, state.last_taker)
    done = played_out(state)
    assert view(WIPPEN, done, SPECTATOR).heaps == done.heaps


def test_wia41_the_first_dealer_is_the_callers_or_the_last_seat() -> None:
    assert started(5).dealer == 4
    assert started(5, dealer=2).dealer == 2
    with pytest.raises(Malformed) as refused:
        started(5, dealer=5)
    assert refused.value.path == "$.dealer"


def test_wia42_without_points_one_round_is_the_match() -> None:
    state = played_out(started(3, preset="basic"))
    assert state.phase == "over"
    assert state.to_act is None
    sheet = WIPPEN.sheet(state, None)
    assert sheet.scope == "match"
    assert sheet.winners


def test_seating_gives_each_place_a_seat() -> None:
    state = begin(WIPPEN, Setup(options=options(), chance="seed", seed="x", seating=((2,), (0,), (1,)))).state
    assert len(state.hands) == 3
    for seating in (((0, 1), (2,)), ((0,), (0,)), ((0,), (3,))):
        with pytest.raises(Malformed) as refused:
            begin(WIPPEN, Setup(options=options(), places=2, chance="seed", seed="x", seating=seating))
        assert refused.value.path == "$.seating"
