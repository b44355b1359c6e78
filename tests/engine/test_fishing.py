"""Captures and builds against the brute-force model: what is legal, how many, which, and from where on."""

from collections import Counter
from collections.abc import Callable
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.mechanics import fishing
from engine.mechanics.fishing import Family, Layout, Take
from tests.engine import brute_fishing as brute


def layouts(most: int, kinds: tuple[int, ...] = (1, 1, 2)) -> st.SearchStrategy[Layout]:
    """Layouts of up to `most` kinds, dense in few values so that captures are frequent."""

    def lay(rows: list[tuple[int, int]]) -> Layout:
        return tuple(tuple(kind for value, kind in rows if value == number) for number in range(1, 14))

    return st.integers(2, 13).flatmap(
        lambda top: st.lists(st.tuples(st.integers(1, top), st.sampled_from(kinds)), max_size=most).map(lay)
    )


VALUES = st.integers(1, 13)
ONE_PACK = layouts(10, (1,))
TWO_PACKS = layouts(7)
WITH_ALTERNATIVES = layouts(6, (1, 2, -1, -2))
ANY_LAYOUT = st.one_of(ONE_PACK, TWO_PACKS, WITH_ALTERNATIVES)


def counts(values: tuple[int, ...]) -> tuple[int, ...]:
    seen = Counter(values)
    return tuple(seen[value] for value in range(1, 14))


def everything(family: Family, page: int = 7) -> list[Take]:
    """All sets, page by page."""
    found, cursor = family.list_sets(page)
    listed = list(found)
    while cursor:
        found, cursor = family.list_sets(page, cursor)
        assert 0 < len(found) <= page
        listed += found
    return listed


def agrees(family: Family, expected: set[Take], layout: Layout) -> None:
    """The family is exactly the expected sets and shapes, counted, contained and listed without repetition."""
    listed = everything(family)
    assert len(listed) == len(set(listed)) == family.total
    assert set(listed) == expected
    assert all(take in family for take in listed)
    assert all((take in family) == (take in expected) for take, _ in islice(brute.takes(layout), 200))
    values = dict(brute.takes(layout))
    shapes, cursor = family.list_shapes(10_000)
    assert cursor == ""
    assert len(shapes) == len(set(shapes)) == family.shapes
    assert set(shapes) == {counts(values[take]) for take in expected}


@given(ANY_LAYOUT, VALUES)
@settings(max_examples=200, deadline=None)
def test_captures_are_those_of_the_model(layout: Layout, value: int) -> None:
    agrees(fishing.captures(layout, value), brute.captures(layout, value), layout)


@given(ANY_LAYOUT, VALUES)
@settings(max_examples=150, deadline=None)
def test_maximal_captures_are_those_of_the_model(layout: Layout, value: int) -> None:
    found = brute.captures(layout, value)
    maximal = brute.maximal(layout, found)
    agrees(fishing.maximal_captures(layout, value), maximal, layout)
    if all(kind > 0 for row in layout for kind in row):
        whole = fishing.counts_of(layout)
        for take, values in islice(brute.takes(layout), 60):
            assert fishing.is_maximal(whole, counts(values), value) == (take in maximal)


@given(ANY_LAYOUT, VALUES)
@settings(max_examples=100, deadline=None)
def test_groups_are_those_of_the_model(layout: Layout, total: int) -> None:
    agrees(fishing.groups(layout, total), brute.groups(layout, total), layout)


@given(st.one_of(layouts(8, (1,)), layouts(6)), VALUES, st.data())
@settings(max_examples=80, deadline=None)
def test_builds_are_those_of_the_model(layout: Layout, value: int, data: st.DataObject) -> None:
    played = data.draw(st.integers(1, value))
    for groups_made in (0, 1, 2):
        expected = brute.builds(layout, played, value, groups_made)
        agrees(fishing.builds(layout, played, value, groups_made=groups_made), expected, layout)


@given(ANY_LAYOUT, VALUES, st.data())
@settings(max_examples=100, deadline=None)
def test_required_kinds_and_sets_left_out(layout: Layout, value: int, data: st.DataObject) -> None:
    there = [(number, kind) for number, row in enumerate(layout, 1) for kind in range(len(row))]
    if not there:
        return
    required = data.draw(st.sampled_from(there))
    expected = {
        take for take in brute.captures(layout, value) if any((number, kind) == required for number, kind, _ in take)
    }
    agrees(fishing.captures(layout, value, required=required), expected, layout)
    without = tuple(take for take, _ in islice(brute.takes(layout), 5))
    family = fishing.captures(layout, value, required=required, without=without)
    assert family.total == len(expected - set(without))
    assert set(everything(family, 2)) == expected - set(without)


@given(ANY_LAYOUT, VALUES, st.data())
@settings(max_examples=100, deadline=None)
def test_several_required_kinds(layout: Layout, value: int, data: st.DataObject) -> None:
    there = [(number, kind) for number, row in enumerate(layout, 1) for kind in range(len(row))]
    if not there:
        return
    required = tuple(data.draw(st.lists(st.sampled_from(there), max_size=3, unique=True)))

    def has_all(take: Take) -> bool:
        return set(required) <= {(number, kind) for number, kind, _ in take}

    agrees(
        fishing.captures(layout, value, required=required), set(filter(has_all, brute.captures(layout, value))), layout
    )
    agrees(fishing.groups(layout, value, required=required), set(filter(has_all, brute.groups(layout, value))), layout)


@given(st.lists(st.integers(1, 13), max_size=9), VALUES)
@settings(max_examples=400, deadline=None)
def test_claims_split_as_in_the_model(values: list[int], value: int) -> None:
    judged_alike(tuple(sorted(values)), value)


@given(st.integers(2, 13), st.data())
@settings(max_examples=200, deadline=None)
def test_claims_made_of_groups_split_until_one_item_changes(value: int, data: st.DataObject) -> None:
    group = st.lists(st.integers(1, value - 1), min_size=1, max_size=4).filter(lambda g: sum(g) < value)
    made: list[int] = []
    for part in data.draw(st.lists(group, min_size=1, max_size=3)):
        made += [*part, value - sum(part)]
    claim = tuple(sorted(made))
    assert fishing.splits(counts(claim), value)
    judged_alike(claim, value)
    if len(claim) < 11:
        judged_alike((*claim, data.draw(st.integers(1, value))), value)
        judged_alike(claim[1:], value)


def judged_alike(values: tuple[int, ...], value: int) -> None:
    claim = counts(values)
    legal = brute.splits(values, value)
    assert fishing.splits(claim, value) == legal
    split = fishing.partition(claim, value)
    assert bool(split) == legal
    if legal:
        assert all(sum(group) == value for group in split)
        assert counts(tuple(number for group in split for number in group)) == claim
    assert fishing.partition(claim, value) == split


@given(layouts(9, (1, 2)))
@settings(max_examples=100, deadline=None)
def test_reachable_totals_are_those_of_some_set(layout: Layout) -> None:
    made = {sum(values) for _, values in brute.takes(layout)}
    reachable = fishing.reachable(fishing.counts_of(layout))
    assert {value for value in range(1, 14) if reachable >> value & 1} == {n for n in made if n <= 13}


@pytest.mark.parametrize(("values", "value", "total"), [((4, 4, 3, 3, 3, 3), 10, 13), ((4, 4, 2, 6, 6, 8), 10, 12)])
def test_sets_are_counted_and_not_ways_of_grouping_them(values: tuple[int, ...], value: int, total: int) -> None:
    assert fishing.captures(tuple((1,) * n for n in counts(values)), value).total == total


def test_a_capture_without_a_group_left_over_need_not_be_maximal() -> None:
    layout = counts((4, 4, 2, 6, 6, 8))
    assert not fishing.is_maximal(layout, counts((4, 4, 2)), 10)
    assert fishing.is_maximal(layout, counts((4, 4, 2, 6, 6, 8)), 10)


@pytest.mark.parametrize(
    "call",
    [
        lambda: fishing.captures(((1,),), 0),
        lambda: fishing.captures(((1,),), 14),
        lambda: fishing.captures(((),) * 14, 5),
        lambda: fishing.captures(((1,),), 5, required=(2, 0)),
        lambda: fishing.captures(((1,),), 5, required=(1, 1)),
        lambda: fishing.captures(((105,),), 5),
        lambda: fishing.splits((1, -1, 3), 5),
        lambda: fishing.builds(((1,),), 6, 5),
        lambda: fishing.builds(((1,),), 0, 5),
    ],
)
def test_what_cannot_be_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"1 to 13|required|two packs|played"):
        call()


def test_cursors_are_of_one_listing() -> None:
    layout: Layout = ((1, 1, 1), (1, 1), (2,))
    family = fishing.captures(layout, 3)
    first, cursor = family.list_sets(3)
    _, shape_cursor = family.list_shapes(3)
    assert fishing.captures(layout, 3).list_sets(3, cursor) == family.list_sets(3, cursor)
    assert not set(first) & set(family.list_sets(3, cursor)[0])
    stamp, place = cursor.rsplit("-", 1)
    strange = [
        shape_cursor,
        fishing.groups(layout, 3).list_sets(1)[1],
        fishing.captures(layout, 2).list_sets(1)[1],
        fishing.captures(((1, 1, 1), (1, 1), (1,)), 3).list_sets(1)[1],
        f"{stamp}-0",
        f"{stamp}-0{place}",
        f"{stamp}-{family.total + 1:x}",
        f"{stamp}-{place}\n",
        f"{stamp}-" + "f" * 40,
        "set",
        "x" * 5000,
    ]
    for wrong in strange:
        with pytest.raises(fishing.CursorError):
            family.list_sets(3, wrong)
    with pytest.raises(fishing.CursorError):
        family.list_shapes(3, cursor)
