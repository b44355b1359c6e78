"""Listing captures: counted exactly, made no further than asked for, in three tiers, whatever lies open."""

import random
from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from engine.cards import PACK, AnyCard, Card
from engine.game import Query, judge, legal_moves, play, view
from engine.games.wippen import WIPPEN, WippenState
from engine.mechanics.layout import is_picture
from engine.mechanics.runs import MOST_NAMED
from engine.moves import Build, Capture, Extend, Hand, Raise, Trail
from engine.violations import Malformed
from tests.engine.wippen.positions import EVERYTHING, after, cards, position, started


def whole_pack(packs: int = 1, **choices: Any) -> WippenState:
    """Every numeral but the ten that is played lies open; pictures are in the other hands and a heap."""
    numerals = [card for card in PACK for _ in range(packs) if not is_picture(card)]
    numerals.remove(Card("TD"))
    return position("TD", numerals, deals=4, forcedCapture="off", packs=packs, **choices)


def test_the_whole_pack_is_counted_and_a_page_of_it_listed() -> None:
    answer = legal_moves(WIPPEN, whole_pack(), None, Query(limit=10))
    assert answer.total == 15_109_038_399 + 1
    assert len(answer.moves) == 10
    assert answer.truncated
    groups = legal_moves(WIPPEN, whole_pack(), None, Query(limit=10, tier="groups"))
    assert (groups.total, len(groups.groups or ())) == (1_701, 10)


def test_the_last_page_is_reached_by_its_cursor() -> None:
    state = whole_pack()
    first = legal_moves(WIPPEN, state, None, Query(limit=1))
    assert first.cursor is not None
    run, _, inner = first.cursor.partition(".")
    tier, stamp, _ = inner.split("-")
    last = f"{run}.{tier}-{stamp}-{15_109_038_399:x}"
    page = legal_moves(WIPPEN, state, None, Query(limit=10, cursor=last))
    assert [entry.text for entry in page.moves][-1] == "trail TD"
    assert page.cursor is None
    for cursor in (
        f"{run}.{tier}-{stamp}-{15_109_038_400:x}",
        f"7.{inner}",
        "nonsense",
        f"{run}.{tier}-000000000000-1",
    ):
        with pytest.raises(Malformed) as refused:
            legal_moves(WIPPEN, state, None, Query(cursor=cursor))
        assert refused.value.path == "$.cursor"


def test_a_page_ends_once_its_moves_name_many_cards_and_the_next_goes_on_from_there() -> None:
    state = whole_pack(2)
    page = legal_moves(WIPPEN, state, None, Query(limit=5_000))
    named = sum(len(entry.move.take) for entry in page.moves if isinstance(entry.move, Capture))
    assert MOST_NAMED <= named < MOST_NAMED + len(state.layout)
    assert page.truncated
    following = legal_moves(WIPPEN, state, None, Query(limit=3, cursor=page.cursor))
    but_one = legal_moves(WIPPEN, state, None, Query(limit=len(page.moves) - 1))
    assert but_one.moves == page.moves[:-1]
    across = legal_moves(WIPPEN, state, None, Query(limit=4, cursor=but_one.cursor))
    assert across.moves == (page.moves[-1], *following.moves)
    assert page.total == following.total == across.total


def test_totals_beyond_sixty_four_bits() -> None:
    state = whole_pack(2)
    answer = legal_moves(WIPPEN, state, None, Query(limit=3))
    assert answer.total > 2**64 // 1000
    assert judge(WIPPEN, state, answer.moves[-1].move) is None
    assert legal_moves(WIPPEN, state, None, Query(limit=3, tier="shapes")).total > 10**6


def test_shapes_and_a_union_of_groups_are_enough_to_find_any_capture() -> None:
    """A client takes groups apart from each other and asks: any union is judged, and each has a listed shape."""
    state = position("TC", "4C 4D 2H 6S 6D 8C TH AC 9C")
    groups = legal_moves(WIPPEN, state, None, Query(tier="groups", card=AnyCard("TC"))).groups or ()
    shapes = {shape.taken for shape in legal_moves(WIPPEN, state, None, Query(tier="shapes")).shapes or ()}
    rng = random.Random(1)
    for _ in range(40):
        union: list[Card] = []
        for group in rng.sample(groups, len(groups)):
            if not set(group.cards) & set(union) and rng.random() < 0.7:
                union += group.cards
        if union:
            assert judge(WIPPEN, state, Capture(Card("TC"), tuple(union))) is None
            counted = Counter("A23456789T".index(card[0]) for card in union)
            assert tuple(counted[at] for at in range(13)) in shapes


def test_one_card_is_asked_for() -> None:
    state = position("7D QC 3H", "7S QD 4S")
    for card in ("7D", "QC", "3H", "9S"):
        answer = legal_moves(WIPPEN, state, None, Query(card=AnyCard(card)))
        assert {str(entry.move.card) for entry in answer.moves} <= {card}  # type: ignore[union-attr]
    whole = legal_moves(WIPPEN, state, None, EVERYTHING).total
    assert whole == sum(
        legal_moves(WIPPEN, state, None, Query(card=AnyCard(card))).total for card in ("7D", "QC", "3H")
    )


def test_groups_and_shapes_of_pictures() -> None:
    state = position("KD", "KS KH KC", pictureCapture="oneOrThree")
    groups = legal_moves(WIPPEN, state, None, Query(tier="groups")).groups or ()
    assert {group.cards for group in groups} == {cards("KS"), cards("KH"), cards("KC")}
    shapes = legal_moves(WIPPEN, state, None, Query(tier="shapes")).shapes or ()
    assert {(shape.taken[12], shape.ways) for shape in shapes} == {(1, 3), (3, 1)}


def test_no_groups_of_a_card_that_may_not_capture() -> None:
    state = position("8S KD 2H", "KH 2S", ["8 of 0: 5D 3C"])
    groups = legal_moves(WIPPEN, state, None, Query(tier="groups")).groups or ()
    assert {group.card for group in groups} == {"8S"}
    assert {group.builds for group in groups} == {(1,)}


def test_a_tier_that_is_none_is_malformed_in_every_phase() -> None:
    for state in (started(), position("5C 7D", "2H")):
        for seat in (0, 1):
            with pytest.raises(Malformed) as refused:
                legal_moves(WIPPEN, state, seat, Query(tier="sets"))
            assert refused.value.path == "$.tier"


def test_cards_that_cannot_be_played_are_explained() -> None:
    state = position("7D QC 3H", "7S QD")
    blocked = legal_moves(WIPPEN, state, None, Query(explain=True)).blocked or ()
    assert [(each.card, each.violation.code) for each in blocked] == [("3H", "MUST_CAPTURE")]
    owing = position("8S KD 2H", "KH", ["8 of 0: 5D 3C"])
    blocked = legal_moves(WIPPEN, owing, None, Query(explain=True)).blocked or ()
    assert {(each.card, each.violation.code) for each in blocked} == {
        ("KD", "MUST_RESOLVE_BUILD"),
        ("2H", "MUST_RESOLVE_BUILD"),
    }


def test_what_belongs_to_another_game_is_malformed() -> None:
    state = position("7D QC", "7S QD")
    card, taken = Card("7D"), cards("7S")
    for move in (
        Capture(card, taken, tricks=(1,)),
        Capture(card, taken, heaps=(1,)),
        Capture(card, taken, announce=("wipe",)),
        Capture(card, taken, crossed=True),
    ):
        with pytest.raises(Malformed):
            judge(WIPPEN, state, move)


@pytest.mark.parametrize(
    "choices", [{}, {"packs": 2, "maxGroups": 0, "raiseWithOpen": True, "buildInSum": "all"}], ids=str
)
def test_a_move_changes_just_the_cards_it_names(choices: dict[str, Any]) -> None:
    rng = random.Random(6)
    state = started(seed="changes", **choices)
    for _ in range(80):
        if state.phase == "play" and not state.score_before:
            assert state.to_act is not None
            seat = state.to_act.seat
            for entry in legal_moves(WIPPEN, state, None, EVERYTHING).moves:
                check_change(state, seat, entry.move)
        state = play(WIPPEN, state, rng.choice(legal_moves(WIPPEN, state, None, EVERYTHING).moves).move).state


def check_change(state: WippenState, seat: int, move: object) -> None:
    assert isinstance(move, Capture | Build | Extend | Raise | Trail)
    then = WIPPEN.apply(replace(state, deals=1), move, seat)[0]
    out = Counter(state.hands[seat].cards) - Counter(then.hands[seat].cards)
    assert out == Counter([move.card])
    assert [hand for at, hand in enumerate(then.hands) if at != seat] == [
        hand for at, hand in enumerate(state.hands) if at != seat
    ]
    left, came = Counter(state.layout) - Counter(then.layout), Counter(then.layout) - Counter(state.layout)
    before, now = {build.id: build for build in state.builds}, {build.id: build for build in then.builds}
    gained = Counter(then.heaps[seat].cards) - Counter(state.heaps[seat].cards)
    named = Counter(move.take if isinstance(move, Capture) else () if isinstance(move, Trail) else move.cards)
    assert left == named
    assert came == (Counter([move.card]) if isinstance(move, Trail) else Counter())
    if isinstance(move, Capture):
        inner = Counter(card for number in move.builds for card in before[number].cards)
        assert gained == named + inner + Counter([move.card])
        assert now == {number: build for number, build in before.items() if number not in move.builds}
        return
    assert not gained
    touched = [number for number in now if now[number] != before.get(number)]
    assert len(touched) == (0 if isinstance(move, Trail) else 1)
    for number in touched:
        grown = Counter(now[number].cards)
        if number in before:
            grown -= Counter(before[number].cards)
        assert grown == named + Counter([move.card])
        assert now[number].owner == seat
        assert all(
            sum("A23456789TJQK".index(card[0]) + 1 for card in group) == now[number].value
            for group in now[number].groups
        )


def test_a_card_that_is_there_twice_is_listed_once() -> None:
    state = position("7D 7D", "7S 7S", packs=2)
    answer = legal_moves(WIPPEN, state, None, EVERYTHING)
    texts = [entry.text for entry in answer.moves]
    assert len(texts) == len(set(texts)) == answer.total
    assert set(texts) == {
        "capture 7D take 7S",
        "capture 7D take 7S,7S",
        "build 7D cards 7S value 7",
    }
    assert after(state, "capture 7D take 7S").hands[0] == Hand(cards("7D"))


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"packs": 2, "maxGroups": 0, "raiseWithOpen": True, "forcedCapture": "off", "buildObligation": "none"},
        {"pictureValues": True, "captureChoice": "maximal", "buildInSum": "all", "buildObligation": "noTrail"},
    ],
    ids=str,
)
def test_cards_of_one_value_have_the_same_moves_in_a_hand_that_is_not_seen(choices: dict[str, Any]) -> None:
    state = position("8S 3D 2H", "KH 7D 2S AS 5C 4H", ["8 of 1: 5D 3C", "9 of 2: 6D 3S"], **choices)
    seen = view(WIPPEN, state, "spectator")
    found: dict[str, set[str]] = {}
    for entry in legal_moves(WIPPEN, seen, None, EVERYTHING).moves:
        assert judge(WIPPEN, seen, entry.move) is None
        verb, card, *rest = entry.text.split(" ")
        found.setdefault(card, set()).add(" ".join((verb, *rest)))
    for card, moves in found.items():
        alike = [other for other in found if other[0] == card[0]]
        assert all(found[other] == moves for other in alike)
    assert any(len([other for other in found if other[0] == card[0]]) > 1 for card in found)
