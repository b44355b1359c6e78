"""The layout that fishing games share: builds, items, what pictures take, runs and their pages, dealing, ties."""

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import PACK, Card, in_order
from engine.game import Query
from engine.mechanics.builds import LayoutBuild
from engine.mechanics.fishing import captures
from engine.mechanics.layout import (
    Gain,
    Items,
    build_item,
    capture_family,
    deal_by_twos,
    free_id,
    into_groups,
    is_picture,
    open_items,
    picture_gains,
    picture_shapes,
    shared,
    taken_from,
    trick_item,
    value_of,
    values_of,
)
from engine.mechanics.runs import Few, Listing, Many, Shapes, listing, paged
from engine.moves import Capture, Trail
from engine.violations import Malformed


def cards(words: str) -> tuple[Card, ...]:
    return tuple(Card(word) for word in words.split())


def test_values_run_from_the_ace_to_the_king() -> None:
    assert [value_of(Card(rank + "S")) for rank in "A23456789TJQK"] == list(range(1, 14))
    assert [is_picture(Card(rank + "S")) for rank in "ATJQK"] == [False, False, True, True, True]
    assert values_of(cards("AS AH KD")) == (2, *[0] * 11, 1)


def test_cards_are_taken_out_as_often_as_they_are_named() -> None:
    assert taken_from(cards("7S 7S 2H"), cards("7S")) == cards("7S 2H")
    assert taken_from(cards("7S 2H"), cards("7S 7S")) is None


def test_a_build_has_one_form() -> None:
    one = LayoutBuild(id=1, value=9, owner=0, groups=(cards("3H 6D"), cards("4C 5S")))
    other = LayoutBuild(id=1, value=9, owner=0, groups=(cards("5S 4C"), cards("6D 3H")))
    assert one == other
    assert one.cards == in_order(cards("3H 6D 4C 5S"))
    assert not one.is_single
    assert free_id([one]) == 2
    assert free_id([LayoutBuild(id=2, value=9, groups=(cards("4C 5S"),))]) == 1


@given(st.lists(st.sampled_from([card for card in PACK if not is_picture(card)]), max_size=9), st.integers(1, 10))
def test_groups_are_whole_and_total_the_value(held: list[Card], value: int) -> None:
    groups = into_groups(held, value)
    if groups:
        assert Counter(card for group in groups for card in group) == Counter(held)
        assert all(sum(map(value_of, group)) == value for group in groups)
    assert groups == into_groups(held[::-1], value)


def some_items() -> Items:
    build = LayoutBuild(id=3, value=5, groups=(cards("2S 3S"),))
    tricks = (trick_item(5, 1), trick_item(2, 0, or_heap=True))
    return Items([*open_items(cards("7S 7S 2H AH")), build_item(build), *tricks])


def test_takes_and_gains_are_inverse() -> None:
    items = some_items()
    assert items.counts == (1, 2, 0, 0, 2, 0, 2, *[0] * 6)
    family = capture_family(items, 7)
    found = set()
    for take in family.list_sets(1000)[0]:
        gain = items.gain(take)
        assert items.take(gain) == take
        found.add(gain)
    assert len(found) == family.total
    assert Gain(cards("7S 7S"), (3,), (0,)) in found
    assert Gain(cards("7S"), (), (1,), (0,)) in found
    assert not any(0 in gain.tricks and 0 in gain.heaps for gain in found), "alternatives were taken together"
    assert items.take(Gain(cards("9S"))) is None
    assert items.take(Gain(builds=(1,))) is None


def test_builds_taken_together_are_one_item() -> None:
    pair = [LayoutBuild(id=at, value=8, groups=(cards(words),)) for at, words in ((1, "5S 3S"), (2, "6S 2S"))]
    together = build_item(*pair)
    items = Items([*open_items(cards("8S")), together])
    family = capture_family(items, 8, required=together)
    assert {items.gain(take) for take in family.list_sets(10)[0]} == {Gain((), (1, 2)), Gain(cards("8S"), (1, 2))}
    shapes, _ = Shapes(Card("8H"), family, 1).page(10, "", 100)
    assert {(shape.taken[7], shape.ways) for shape in shapes} == {(2, 1), (3, 1)}


@pytest.mark.parametrize("rule", ["one", "oneOrThree", "any", "all"])
@pytest.mark.parametrize("lying", ["", "KS", "KS KH", "KS KH KC", "KS KS KH", "KS KS KH KC"])
def test_what_a_picture_takes(rule: str, lying: str) -> None:
    equal = cards(lying)
    sizes = {"one": [1], "oneOrThree": [1, 3], "any": range(1, 9), "all": [len(equal)] if equal else []}[rule]
    expected = {in_order(chosen) for size in sizes for chosen in combinations(equal, size)}
    found = [gain.cards for gain in picture_gains(open_items(equal), rule)]  # type: ignore[arg-type]
    assert len(found) == len(set(found))
    assert set(found) == expected
    most = max(map(len, expected), default=0)
    largest = picture_gains(open_items(equal), rule, maximal=True)  # type: ignore[arg-type]
    assert {gain.cards for gain in largest} == {chosen for chosen in expected if len(chosen) == most}
    shapes = picture_shapes(Card("KD"), picture_gains(open_items(equal), rule))  # type: ignore[arg-type]
    assert {shape.taken[12]: shape.ways for shape in shapes} == dict(Counter(map(len, expected)))


def test_a_required_picture_is_always_taken() -> None:
    items = [*open_items(cards("KS KH")), trick_item(13, 2)]
    gains = picture_gains(items, "any", required=items[2])
    assert gains
    assert all(gain.tricks == (2,) for gain in gains)


def test_ways_are_the_sets_of_a_shape() -> None:
    family = captures(((2,), (1, 1), (1,), (), (1, 1)), 5)
    takes, _ = family.list_sets(1000)
    counted = Counter(
        tuple(sum(number for value, _, number in take if value == at) for at in range(1, 14)) for take in takes
    )
    assert {shape: family.ways(shape) for shape in family.list_shapes(1000)[0]} == dict(counted)


# --- pages


def runs() -> list[Few[int] | Many[int]]:
    family = captures(((), (1, 1), (), (1, 1), (), (1,)), 6)
    return [Few([1, 2, 3]), Few([]), Many(family, len), Few([]), Few([9])]


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 100])
def test_pages_of_any_size_make_up_the_whole(limit: int) -> None:
    whole, total, cursor = paged(Query(limit=100), runs())
    assert cursor is None
    assert total == len(whole)
    found: list[int] = []
    following = None
    while True:
        page, of, following = paged(Query(limit=limit, cursor=following), runs())
        assert of == total
        assert len(page) <= limit
        found += page
        if following is None:
            break
    assert found == list(whole)


def test_a_page_of_nothing_goes_on_from_where_it_was() -> None:
    page, total, cursor = paged(Query(limit=0), runs())
    assert page == ()
    assert cursor is not None
    assert paged(Query(limit=100, cursor=cursor), runs()) == (*paged(Query(limit=100), runs())[:1], total, None)
    nothing: list[Few[int]] = [Few([])]
    assert paged(Query(limit=0), nothing) == ((), 0, None)


@pytest.mark.parametrize(
    "cursor",
    [
        "", "x", "1", "0.", ".1", "0.9", "0.-1", "9.1", "2.1", "2.set-000000000000-1", "0.1.1", "²".zfill(3), "0.²",
        "99999.1", "0." + "1" * 30,
    ],
)  # fmt: skip
def test_a_cursor_that_no_answer_gave_is_malformed(cursor: str) -> None:
    with pytest.raises(Malformed) as refused:
        paged(Query(limit=1, cursor=cursor), runs())
    assert refused.value.path == "$.cursor"


def test_a_listing_has_three_tiers_and_one_card() -> None:
    items = Items(open_items(cards("3S 4H 7D")))

    def capture_runs(card: Card) -> list[Many[Capture]]:
        return [Many(capture_family(items, value_of(card)), lambda take: Capture(card, items.gain(take).cards))]

    what = Listing(
        cards=cards("7S 4S"),
        moves=capture_runs,
        groups=lambda _: [],
        shapes=lambda card: [Shapes(card, capture_family(items, value_of(card)))],
        others=[Trail(Card("AS"))],
    )
    whole = listing(Query(), what)
    assert [entry.text for entry in whole.moves][-1] == "trail AS"
    assert whole.total == 5
    seven = listing(Query(card="7S"), what)  # type: ignore[arg-type]
    assert {entry.move.card for entry in seven.moves} == {"7S"}  # type: ignore[union-attr]
    assert seven.total == 3
    shapes = listing(Query(tier="shapes"), what)
    assert (shapes.moves, len(shapes.shapes or ()), shapes.total) == ((), 4, 4)
    assert listing(Query(tier="groups"), what).groups == ()
    with pytest.raises(Malformed) as refused:
        listing(Query(tier="sets"), what)
    assert refused.value.path == "$.tier"


# --- dealing, and ties


def test_two_by_two_with_the_layout_before_the_dealer() -> None:
    hands, layout, rest = deal_by_twos(PACK, 3, 1, with_layout=True)
    assert [set(hand) for hand in hands] == [
        {*PACK[2:4], *PACK[10:12]},
        {*PACK[6:8], *PACK[14:16]},
        {*PACK[0:2], *PACK[8:10]},
    ]
    assert set(layout) == {*PACK[4:6], *PACK[12:14]}
    assert rest == PACK[16:]
    hands, layout, rest = deal_by_twos(rest, 3, 1, packets=1)
    assert layout == ()
    assert [set(hand) for hand in hands] == [set(PACK[18:20]), set(PACK[20:22]), set(PACK[16:18])]
    assert rest == PACK[22:]


@pytest.mark.parametrize(
    ("tie", "amounts", "points"),
    [
        ("split", (3, 1), ((2, 0), 0)),
        ("split", (3, 3), ((1, 1), 0)),
        ("split", (3, 3, 3), ((0, 0, 0), 0)),
        ("none", (3, 3), ((0, 0), 0)),
        ("all", (3, 3, 1), ((2, 2, 0), 0)),
        ("carry", (3, 3, 1), ((0, 0, 0), 2)),
        ("carry", (3, 2, 1), ((2, 0, 0), 0)),
        ("all", (0, 0), ((0, 0), 0)),
        ("split", (0, 0), ((0, 0), 0)),
        ("carry", (0, 0), ((0, 0), 2)),
    ],
)
def test_points_for_most(tie: str, amounts: tuple[int, ...], points: tuple[tuple[int, ...], int]) -> None:
    assert shared(2, amounts, tie) == points  # type: ignore[arg-type]


def test_listing_makes_no_more_than_its_limit() -> None:
    made: list[object] = []
    rng = random.Random(1)
    pot = rng.sample([card for card in PACK if not is_picture(card)], 30)
    items = Items(open_items(pot))
    family = capture_family(items, 10)
    assert family.total > 10**6
    run = Many(family, made.append)
    paged(Query(limit=7), [run])
    assert len(made) == 7
