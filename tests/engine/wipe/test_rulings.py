"""The rulings on Le Wipe, one test or more each, named by them; and every option's every value at work."""

from typing import Any

import pytest

from engine.cards import AnyCard, Card
from engine.game import Query, Turn, legal_moves
from engine.games.wipe import WIPE, WipeState
from engine.violations import Code, Malformed
from tests.engine.wipe.positions import (
    after,
    build,
    captures,
    cards,
    clause_of,
    code_of,
    heap,
    legal_texts,
    position,
    trails,
)

# --- capturing


def test_la1_capturing_is_free_or_forced_by_the_card_or_by_the_hand() -> None:
    assert trails(position("7C 4D", "7H")) == {"7C", "4D"}
    assert trails(position("7C 4D", "7H", forced_capture="card")) == {"4D"}
    forced = position("7C 4D", "7H", forced_capture="hand")
    assert trails(forced) == set()
    assert code_of(forced, "trail 4D") is Code.MUST_CAPTURE
    assert clause_of(forced, "trail 4D") == "wipe/LA1"


def test_la1_stealing_and_sums_are_captures_too() -> None:
    steal = position("8C 2H", "KD", heaps={1: heap("8D 3C 5H")}, forced_capture="hand")
    assert trails(steal) == set()
    adds = position("8C 2H", "3D 5D", forced_capture="card")
    assert trails(adds) == {"2H"}
    assert "build 2H cards 5D value 7" not in legal_texts(adds)
    may_build = position("8C 7H 2H", "3D 5D", forced_capture="hand")
    assert "build 2H cards 5D value 7" in legal_texts(may_build)


def test_la2_laying_a_card_down_is_always_possible() -> None:
    state = position("7C KD", "7H KS", builds=[build(1, 7, "3S 4S", owner=0)])
    assert trails(state) == {"7C", "KD"}
    now = after(state, "trail KD")
    assert set(now.layout) == set(cards("7H KS KD"))


def test_la3_pictures_take_their_own_rank_one_at_a_time() -> None:
    state = position("KC TD", "KS KH QD")
    assert captures(state) == {"KC take KS", "KC take KH"}
    assert code_of(state, "capture KC take QD") is Code.PICTURE_NO_VALUE
    assert code_of(state, "capture KC take KS,KH") is Code.PICTURES_AT_ONCE
    assert code_of(state, "capture TD take QD") is Code.PICTURE_NO_VALUE
    assert clause_of(state, "capture TD take QD") == "wipe/LA3"


def test_la3_or_one_or_all_three_others_or_any_or_all() -> None:
    three = {"KC take KS", "KC take KH", "KC take KD", "KC take KS,KH,KD"}
    assert captures(position("KC", "KS KH KD", picture_capture="oneOrThree")) == three
    assert captures(position("KC", "KS KH", picture_capture="oneOrThree")) == {"KC take KS", "KC take KH"}
    pairs = {"KC take KS,KH", "KC take KS,KD", "KC take KH,KD"}
    assert captures(position("KC", "KS KH KD", picture_capture="any")) == three | pairs
    assert captures(position("KC", "KS KH QD", picture_capture="all")) == {"KC take KS,KH"}


def test_la3_three_others_are_three_cards_be_they_in_a_trick() -> None:
    state = position("KC", "KS", heaps={1: heap("KD KH")}, picture_capture="oneOrThree")
    assert captures(state) == {"KC take KS", "KC tricks 1", "KC take KS tricks 1"}


def test_la3_all_that_match_must_go_a_trick_as_well() -> None:
    state = position("KC", "KS", heaps={1: heap("KD KH")}, picture_capture="all")
    assert captures(state) == {"KC take KS tricks 1"}


def test_la3_pictures_with_values_are_added_up_and_built_to_thirteen() -> None:
    state = position("QH 2S", "JS AD 9H TH", picture_values=True)
    assert captures(state) == {"QH take JS,AD"}
    assert "build 2S cards TH value 12" in legal_texts(state)
    king = position("KC 2S", "JS AD 9H", picture_values=True)
    assert "build 2S cards JS value 13" in legal_texts(king)
    assert code_of(position("KC 2S", "JS AD 9H"), "build 2S cards JS value 13") is Code.PICTURE_NO_VALUE
    assert code_of(position("QH 2S", "TH AD 9H"), "build 2S cards TH value 12") is Code.ABOVE_CEILING
    one = position("KC", "KS KH", picture_values=True, picture_capture="one")
    assert "KC take KS,KH" in captures(one)


def test_la4_the_ace_is_one() -> None:
    assert captures(position("8C", "AD 7H")) == {"8C take 7H,AD"}
    assert captures(position("AC", "AD KH")) == {"AC take AD"}


def test_la5_one_group_or_several() -> None:
    several = position("9C", "9D 4H 5S")
    assert captures(several) == {"9C take 9D", "9C take 5S,4H", "9C take 5S,4H,9D"}
    single = position("9C", "9D 4H 5S", multi_capture="single")
    assert captures(single) == {"9C take 9D", "9C take 5S,4H"}
    assert code_of(single, "capture 9C take 9D,4H,5S") is Code.ONE_GROUP_ONLY
    assert code_of(position("6C", "3S 3H 3D 9H"), "capture 6C take 3S,3H,3D") is Code.BAD_SUM
    assert code_of(position("6C", "4S 4H 4D"), "capture 6C take 4S,4H,4D") is Code.BAD_GROUPS


def test_la6_a_trick_counts_its_last_capturing_card_whatever_is_in_it() -> None:
    state = position("TC 5D", "KD", heaps={1: heap("TH 2C 3C 5H 8D")})
    assert captures(state) == {"TC tricks 1"}
    pictures = position("QC KC", "2D", heaps={1: heap("QD QH")})
    assert captures(pictures) == {"QC tricks 1"}
    assert code_of(pictures, "capture KC tricks 1") is Code.PICTURE_NO_VALUE


def test_la7_a_trick_alone_or_only_with_something_of_the_layout() -> None:
    alone: dict[str, Any] = {"heaps": {1: heap("8D 3C 5H")}}
    assert captures(position("8C", "2D 6D", **alone)) == {"8C tricks 1", "8C take 6D,2D", "8C take 6D,2D tricks 1"}
    with_more = position("8C TC", "2D 6D", steal_alone=False, **alone)
    assert captures(with_more) == {"8C take 6D,2D", "8C take 6D,2D tricks 1", "TC take 2D tricks 1"}
    assert code_of(with_more, "capture 8C tricks 1") is Code.STEAL_NOT_ALONE
    assert clause_of(with_more, "capture 8C tricks 1") == "wipe/LA7"
    picture = position("KC", "KS", heaps={1: heap("KD KH")}, picture_capture="any", steal_alone=False)
    assert captures(picture) == {"KC take KS", "KC take KS tricks 1"}


def test_la7_and_la13_no_groups_of_a_card_that_may_not_capture() -> None:
    """A trick alone is no capture where something must come along, nor is what leaves a build that is due."""
    alone = position("8C 9S", "6D 2H", heaps={1: heap("9D 4C 5C")}, steal_alone=False)
    assert groups_of(alone) == {("8C", cards("2H 6D"), ())}
    along = position("8C 9S", "6D 3H", heaps={1: heap("9D 4C 5C")}, steal_alone=False)
    assert groups_of(along) == {("9S", cards("3H 6D"), ()), ("9S", (), (1,))}
    due = position("8S KD 2H", "KH 2S", builds=[build(1, 8, "5D 3C", 0)], build_obligation="resolve")
    assert {group[0] for group in groups_of(due)} == {"8S"}


def groups_of(state: WipeState) -> set[tuple[Card, tuple[Card, ...], tuple[int, ...]]]:
    groups = legal_moves(WIPE, state, None, Query(tier="groups")).groups or ()
    return {(group.card, group.cards, group.tricks) for group in groups}


def test_la8_lower_tricks_are_out_of_reach() -> None:
    state = position("4H 9H", "KD", heaps={1: heap("4D 4C", "9D 4S 5S")})
    assert captures(state) == {"9H tricks 1"}
    assert captures(position("4H 9H", "KD", heaps={1: heap("4D 4C")})) == {"4H tricks 1"}


def test_la9_one_trick_from_each_opponent_or_one_a_move() -> None:
    given: dict[str, Any] = {"places": 3, "heaps": {1: heap("4D 4C"), 2: heap("4S 4H", seat=2)}}
    assert captures(position("8C", "KD", **given)) == {"8C tricks 1,2"}
    one = position("8C", "2D 2H", steal_limit="onePerMove", **given)
    assert captures(one) == {"8C take 2H,2D tricks 1", "8C take 2H,2D tricks 2"}
    assert code_of(one, "capture 8C tricks 1,2") is Code.ONE_STEAL_ONLY


def test_la9_shapes_tell_the_one_heap_that_is_stolen_from_of_pictures_too() -> None:
    told = {}
    for limit in ("onePerOpponent", "onePerMove"):
        state = position("KC 8S", "KS 8H", heaps={1: heap("8D 3C 5H", "KD KH")}, steal_limit=limit)
        shapes = legal_moves(WIPE, state, None, Query(tier="shapes", card=AnyCard("KC"))).shapes or ()
        told[limit] = [(shape.taken[12], shape.ways, shape.stolen_from) for shape in shapes]
    assert told == {"onePerOpponent": [(1, 2, None)], "onePerMove": [(1, 1, None), (1, 1, 1)]}


def test_la10_a_heap_a_team_or_a_player_and_never_the_own_side_s() -> None:
    team = position("8C", "KD", places=4, heaps={0: heap("8D 3C 5H", seat=2), 1: heap("8S 8H", seat=3)})
    assert len(team.heaps) == 2
    assert captures(team) == {"8C tricks 1"}
    assert code_of(team, "capture 8C tricks 0") is Code.OWN_HEAP
    given: dict[str, Any] = {"places": 4, "heaps": {2: heap("8D 3C 5H", seat=2), 3: heap("8S 8H", seat=3)}}
    player = position("8C", "KD", piles="player", **given)
    assert len(player.heaps) == 4
    assert captures(player) == {"8C tricks 3"}
    assert code_of(player, "capture 8C tricks 2") is Code.OWN_HEAP
    assert code_of(player, "capture 8C tricks 1") is Code.NO_OPEN_TRICK
    for words in ("capture 8C tricks 4", "capture 8C heaps 17"):
        with pytest.raises(Malformed, match="there is no heap"):
            code_of(player, words)


def robbable(**choices: Any) -> WipeState:
    """Seat 0 has just taken a nine without laying it crosswise on its queens; three play."""
    state = position(
        "9H 4S",
        "9S KC",
        places=3,
        heaps={0: heap("QS QH", seat=0)},
        others={1: "9D 2D", 2: "9C 6D"},
        crossing="declared",
        **choices,
    )
    return after(state, "capture 9H take 9S crossed no")


def test_la11_the_referee_crosses_unless_captures_declare_it() -> None:
    plain = position("9H 4S", "9S KC", heaps={0: heap("QS QH", seat=0)})
    for words in ("crossed no", "crossed yes"):
        assert code_of(plain, f"capture 9H take 9S {words}") is Code.CROSSING_NOT_DECLARED
    assert clause_of(plain, "capture 9H take 9S crossed no") == "wipe/LA11"
    assert after(plain, "capture 9H take 9S").heaps[0].tricks[-1].crossed
    declared = position("9H 4S", "9S KC", heaps={0: heap("QS QH", seat=0)}, crossing="declared")
    assert after(declared, "capture 9H take 9S").heaps[0].tricks[-1].crossed
    assert after(declared, "capture 9H take 9S crossed yes").heaps[0].tricks[-1].crossed
    assert not after(declared, "capture 9H take 9S crossed no").heaps[0].tricks[-1].crossed


def test_la11_the_heap_is_open_until_the_seat_s_next_turn_and_counts_its_last_capturing_card() -> None:
    state = robbable()
    assert captures(state) == {"9D tricks 0", "9D heaps 0"}
    assert code_of(state, "capture 9D heaps 0") is None
    with pytest.raises(Malformed, match="not both"):
        code_of(state, "capture 9D tricks 0 heaps 0")
    later = after(state, "trail 2D")
    assert captures(later) == {"9C tricks 0", "9C heaps 0"}
    again = after(later, "trail 6D")
    assert again.to_act == Turn(0, 0)
    assert all(trick.crossed for trick in again.heaps[0].tricks)
    closed = after(again, "trail 4S")
    assert captures(closed) == {"9D tricks 0"}
    assert code_of(closed, "capture 9D heaps 0") is Code.HEAP_NOT_OPEN


def test_la11_a_crossed_trick_on_top_does_not_shut_the_heap_before() -> None:
    """A partner's trick on top: the heap is open whole, and counts the partner's card, until the seat plays again."""
    state = position(
        "9H 4S",
        "9S 5C KC",
        places=4,
        heaps={0: heap("QS QH", seat=0)},
        others={1: "5S 2D", 2: "5D 2H", 3: "5H 8S"},
        crossing="declared",
    )
    state = after(state, "capture 9H take 9S crossed no", "trail 2D", "capture 5D take 5C")
    assert captures(state) == {"5H tricks 0", "5H heaps 0"}
    robbed = after(state, "capture 5H heaps 0")
    assert [trick.by for trick in robbed.heaps[1].tricks] == [Card("5H")]
    assert len(robbed.heaps[1].tricks[0].cards) == 7


def test_la11_a_heap_of_one_trick_is_that_trick() -> None:
    state = position("9H 4S", "9S KC", others={1: "9D 2D"}, crossing="declared", deal=3, heaps={0: heap(closed="")})
    state = after(state, "capture 9H take 9S crossed no")
    assert captures(state) == {"9D tricks 0"}
    assert code_of(state, "capture 9D heaps 0") is Code.HEAP_NOT_OPEN


# --- building


def test_la12_a_build_is_laid_on_one_open_card_or_raised() -> None:
    state = position("9C 2D 4S", "3H 4H", builds=[build(1, 5, "AD 4C")])
    assert "raise 4S build 1 value 9" in legal_texts(state)
    assert code_of(state, "build 2D cards 3H,4H value 9") is Code.ONE_THING_ONLY
    assert code_of(state, "raise 2D build 1 cards 4H value 9") is Code.ONE_THING_ONLY
    raised = after(state, "raise 4S build 1 value 9")
    assert [(made.id, made.value, made.owner, made.is_single) for made in raised.builds] == [(1, 9, 0, True)]
    many = position("9C 2D 4S", "3H 4H", build_layout_cards="any")
    assert "build 2D cards 4H,3H value 9" in legal_texts(many)
    assert code_of(position("9C 4S", builds=[build(1, 5, "AD 4C")], raising=False), "raise 4S build 1 value 9") is (
        Code.OPTION_OFF
    )
    off = position("5C 2D", "3H", building=False)
    assert code_of(off, "build 2D cards 3H value 5") is Code.OPTION_OFF
    assert code_of(state, "raise 4S build 2 value 9") is Code.NO_SUCH_BUILD
    assert code_of(state, "raise 4S build 1 value 8") is Code.BAD_SUM
    assert code_of(position("TC 8S", builds=[build(1, 5, "AD 4C")]), "raise 8S build 1 value 13") is Code.ABOVE_CEILING


def test_la12_a_build_counts_in_sums_or_is_taken_by_its_value_only() -> None:
    given: dict[str, Any] = {"builds": [build(1, 5, "AD 4C")]}
    assert captures(position("8C 5H", "3D", **given)) == {"8C take 3D builds 1", "5H builds 1"}
    none = position("8C 5H", "3D 5D", build_in_sum="none", **given)
    assert captures(none) == {"8C take 5D,3D", "5H builds 1", "5H take 5D", "5H take 5D builds 1"}
    assert code_of(none, "capture 8C take 3D builds 1") is Code.BUILD_NOT_IN_SUM


def test_la12_no_doubles_unless_agreed() -> None:
    assert code_of(position("7C 7D", "7H"), "build 7C cards 7H value 7") is Code.OPTION_OFF
    state = position("7C 7D", "7H 3S 4S", double_building=True)
    assert "build 7C cards 7H value 7" in legal_texts(state)
    assert code_of(state, "build 7C cards 3S,4S value 7") is Code.ONE_THING_ONLY
    (made,) = after(state, "build 7C cards 7H value 7").builds
    assert made.groups == (cards("7H"), cards("7C"))
    extend = position("7C 7D AC", "3S", builds=[build(4, 7, "2S 5H")], double_building=True)
    assert "extend 7C build 4" in legal_texts(extend)
    (made,) = after(extend, "extend 7C build 4").builds
    assert (made.owner, made.is_single) == (0, False)
    double = position("7C 7D AC 8C", "3S", builds=[build(4, 7, "2S 5H/7H")], double_building=True)
    assert code_of(double, "extend 7C build 4") is Code.TOO_MANY_GROUPS
    assert code_of(double, "raise AC build 4 value 8") is Code.DOUBLE_LOCKED
    assert "7C builds 4" in captures(double)
    assert code_of(position("7C 7D", builds=[build(4, 7, "2S 5H")]), "extend 7C build 4") is Code.OPTION_OFF
    many = position("7C AC", "3S 3H 7H", builds=[build(4, 7, "2S 5H")], double_building=True, build_layout_cards="any")
    assert "extend AC build 4 cards 3S,3H" in legal_texts(many)
    assert "build AC cards 3S,7H,3H value 7" in legal_texts(many)


def test_la12_two_builds_never_merge() -> None:
    state = position("5C 2D", "3H", builds=[build(1, 5, "AD 4C")], double_building=True)
    now = after(state, "build 2D cards 3H value 5")
    assert [made.id for made in now.builds] == [1, 2]


def test_la13_the_builder_holds_the_value_and_owes_nothing() -> None:
    state = position("5C 2D KS", "3H 9S", others={1: "9D 9H KD"})
    now = after(state, "build 2D cards 3H value 5", "trail KD")
    assert trails(now) == {"5C", "KS"}
    partner = position("2D KS", "3H", places=4, others={2: "5C 5D"})
    assert code_of(partner, "build 2D cards 3H value 5") is Code.NO_HOLDING_CARD


def test_la13_or_the_build_is_resolved_on_the_next_turn() -> None:
    given: dict[str, Any] = {"builds": [build(1, 5, "AD 4C", owner=0)], "build_obligation": "resolve"}
    state = position("5C 9H 4D 2S", "9S 3H", **given)
    assert legal_texts(state) == {"capture 5C builds 1", "raise 4D build 1 value 9"}
    assert code_of(state, "capture 9H take 9S") is Code.MUST_RESOLVE_BUILD
    assert code_of(state, "trail 2S") is Code.MUST_RESOLVE_BUILD
    assert code_of(state, "build 2S cards 3H value 5") is Code.MUST_RESOLVE_BUILD
    assert clause_of(state, "trail 2S") == "wipe/LA13"
    sums = position("8C 5D", "3H", **given)
    assert captures(sums) == {"8C take 3H builds 1", "5D builds 1"}
    other = position(
        "5C 9H", "9S", builds=[build(1, 5, "AD 4C", owner=1)], others={1: "5D 2C"}, build_obligation="resolve"
    )
    assert "trail 9H" in legal_texts(other)


def test_la13_or_captured_and_nothing_else() -> None:
    state = position("5C 9H 4D", "9S", builds=[build(1, 5, "AD 4C", owner=0)], build_obligation="capture")
    assert legal_texts(state) == {"capture 5C builds 1"}


def test_la13_or_only_no_card_is_laid_down_and_a_holding_card_kept() -> None:
    given: dict[str, Any] = {"builds": [build(1, 5, "AD 4C", owner=0)], "build_obligation": "noTrail"}
    state = position("5C 9H 2D", "9S 5H 7C", **given)
    assert legal_texts(state) == {
        "capture 5C builds 1",
        "capture 5C take 5H builds 1",
        "capture 9H take 9S",
        "build 2D cards 7C value 9",
    }
    assert code_of(state, "trail 2D") is Code.MUST_RESOLVE_BUILD
    assert code_of(state, "capture 5C take 5H") is Code.LAST_HOLDING_CARD
    two = position("5C 5S 9H", "9S 5H", **given)
    assert "capture 5C take 5H" in legal_texts(two)


def test_la13_with_one_group_a_capture_each_build_keeps_its_own_card() -> None:
    given: dict[str, Any] = {
        "builds": [build(1, 5, "AD 4C", owner=0), build(2, 5, "2S 3S", owner=0)],
        "build_obligation": "noTrail",
        "multi_capture": "single",
    }
    state = position("5C 5S", "5H", **given)
    assert legal_texts(state) == {f"capture {card} builds {number}" for card in ("5C", "5S") for number in (1, 2)}


def test_la14_nothing_is_built_on_an_opponent_s_trick() -> None:
    state = position("8C 2D", "KD", heaps={1: heap("6D 6H")})
    assert not any(words.startswith("build") for words in legal_texts(state))
