"""Known numbers of captures, and the work that the largest layouts take.

The figures of `ONE_PACK` and `TWO_PACKS` count every card apart. They were found by other means: by listing every
subset, and for the largest by counting without cancelling pairs, over all numbers of cards per value.
"""

import random
import re

import pytest

from engine.mechanics import fishing
from engine.mechanics.fishing import Layout

# value, sets, shapes, groups, layout
ONE_PACK = """
10 3 2 2 Tx2
10 7 3 3 Tx3
10 7 3 3 9x1 Tx3
10 15 7 4 5x2 Tx3
10 31 7 6 5x3 Tx3
10 63 11 9 5x4 Tx3
9 87 15 10 3x3 6x2 9x3
9 167 19 13 3x3 6x3 9x3
9 335 23 19 3x4 6x3 9x3
3 623 27 23 Ax4 2x4 3x3
4 1,023 51 38 Ax4 2x4 3x1 4x3
4 1,983 71 42 Ax4 2x4 3x2 4x3
4 3,647 83 46 Ax4 2x4 3x3 4x3
5 6,351 135 77 Ax4 2x4 3x3 4x1 5x3
5 12,127 155 87 Ax4 2x4 3x4 4x1 5x3
5 22,695 207 91 Ax4 2x4 3x4 4x2 5x3
6 41,727 443 157 Ax4 2x4 3x4 4x2 5x1 6x3
6 79,551 547 167 Ax4 2x4 3x4 4x3 5x1 6x3
6 145,599 731 171 Ax4 2x4 3x4 4x3 5x2 6x3
7 279,911 835 307 Ax4 2x4 3x4 4x4 5x2 7x3
7 530,167 1,479 311 Ax4 2x4 3x4 4x4 5x2 6x1 7x3
8 1,011,391 2,167 530 Ax4 2x4 3x4 4x4 5x3 6x1 8x3
8 1,941,375 3,015 540 Ax4 2x4 3x4 4x4 5x3 6x2 8x3
9 7,047,375 - 929 Ax4 2x4 3x4 4x4 5x4 6x2 7x1 9x3
10 25,961,535 - 1,546 Ax4 2x4 3x4 4x4 5x4 6x3 7x2 Tx3
10 343,554,943 - 1,641 Ax4 2x4 3x4 4x4 5x4 6x4 7x3 8x2 Tx3
10 3,478,850,111 - 1,683 Ax4 2x4 3x4 4x4 5x4 6x4 7x4 8x3 9x2 Tx3
10 15,109,038,399 - 1,701 Ax4 2x4 3x4 4x4 5x4 6x4 7x4 8x4 9x4 Tx3
"""
TWO_PACKS = """
10 3 2 2 Tx2
10 7 3 3 Tx3
10 15 4 4 Tx4
10 31 5 5 Tx5
10 63 6 6 Tx6
10 127 7 7 Tx7
10 127 7 7 9x1 Tx7
10 255 15 8 5x2 Tx7
10 511 15 10 5x3 Tx7
2 1,023 19 31 Ax8 2x3
2 2,047 24 32 Ax8 2x4
2 4,095 29 33 Ax8 2x5
2 8,191 34 34 Ax8 2x6
2 16,383 39 35 Ax8 2x7
3 21,887 62 78 Ax8 2x2 3x6
3 43,775 71 79 Ax8 2x2 3x7
3 87,295 87 87 Ax8 2x3 3x7
3 173,183 103 95 Ax8 2x4 3x7
3 339,455 119 103 Ax8 2x5 3x7
3 652,287 127 111 Ax8 2x6 3x7
3 1,221,503 135 119 Ax8 2x7 3x7
3 2,221,823 143 127 Ax8 2x8 3x7
4 4,194,303 327 337 Ax8 2x8 3x1 4x7
4 16,596,991 - 353 Ax8 2x8 3x3 4x7
4 62,210,047 - 369 Ax8 2x8 3x5 4x7
5 809,247,359 - 1,003 Ax8 2x8 3x7 4x2 5x7
6 11,362,631,679 - 2,575 Ax8 2x8 3x8 4x4 5x1 6x7
6 86,326,853,631 - 2,655 Ax8 2x8 3x8 4x6 5x2 6x7
6 167,005,732,863 - 2,663 Ax8 2x8 3x8 4x6 5x3 6x7
8 34,473,311,567,871 - 14,626 Ax8 2x8 3x8 4x8 5x6 6x2 7x1 8x7
9 7,491,584,869,298,943 - 32,435 Ax8 2x8 3x8 4x8 5x8 6x5 7x3 8x1 9x7
10 13,444,364,417,759,707,480,063 54,584,767 69,507 Ax8 2x8 3x8 4x8 5x8 6x8 7x8 8x8 9x8 Tx7
"""
ROWS = (ONE_PACK + TWO_PACKS).replace("\n\n", "\n").strip().splitlines()
NUMERALS = "A23456789T"
TWO_PACKS_BUT_A_TEN: Layout = ((2, 2, 2, 2),) * 9 + ((2, 2, 2, 1),)
TWO_PACKS_BUT_A_KING: Layout = ((2, 2, 2, 2),) * 12 + ((2, 2, 2, 1),)


@pytest.mark.parametrize("row", ROWS)
def test_known_figures(row: str) -> None:
    value, sets, shapes, groups, *_ = row.replace(",", "").split()
    lying = {number: int(copies) for number, copies in re.findall(r"([A2-9T])x(\d)", row)}
    layout = tuple((1,) * lying.get(number, 0) for number in NUMERALS)
    family = fishing.captures(layout, int(value))
    assert family.total == int(sets)
    assert shapes == "-" or family.shapes == int(shapes)
    assert fishing.groups(layout, int(value)).total == int(groups)


def test_two_packs_as_values() -> None:
    family = fishing.captures(TWO_PACKS_BUT_A_TEN, 10)
    assert family.total == 167_787_163_898_772_371
    assert family.shapes == 54_584_767


def test_listing_goes_on_anywhere_in_the_largest_layouts() -> None:
    random_places = random.Random(10)
    for family in (
        fishing.captures(TWO_PACKS_BUT_A_KING, 13),
        fishing.captures(((1,) * 4,) * 9 + ((1,) * 3,), 10),
        fishing.builds(TWO_PACKS_BUT_A_KING, 1, 13, groups_made=2),
        fishing.builds(TWO_PACKS_BUT_A_KING, 5, 13, groups_made=0),
    ):
        stamp, _ = family.list_sets(1)[1].rsplit("-", 1)
        for _ in range(20):
            place = random_places.randrange(1, family.total - 3)
            found, cursor = family.list_sets(3, f"{stamp}-{place:x}")
            assert cursor == f"{stamp}-{place + 3:x}"
            assert len(set(found)) == 3
            assert all(take in family for take in found)
            again, _ = family.list_sets(2, f"{stamp}-{place + 1:x}")
            assert again == found[1:]


def test_listed_captures_split() -> None:
    family = fishing.captures(TWO_PACKS_BUT_A_KING, 13)
    stamp, _ = family.list_shapes(1)[1].rsplit("-", 1)
    for place in range(1, family.shapes, family.shapes // 40):
        for shape in family.list_shapes(2, f"{stamp}-{place:x}")[0]:
            groups = fishing.partition(shape, 13)
            assert {sum(group) for group in groups} == {13}
            assert len(groups) * 13 == sum(value * copies for value, copies in enumerate(shape, 1))


def layouts_of_two_packs(number: int) -> list[tuple[int, ...]]:
    """Counts after random cards of two packs were laid together into builds, at random, up to 12."""
    chance = random.Random(number)
    found = []
    for _ in range(number):
        counts = [8] * 13
        for _ in range(chance.randrange(60)):
            there = [value for value in range(1, 12) if counts[value - 1]]
            first, second = chance.choice(there), chance.choice(there)
            if first + second <= 12 and counts[first - 1] > 0 and counts[second - 1] > (first == second):
                counts[first - 1] -= 1
                counts[second - 1] -= 1
                counts[first + second - 1] += 1
        found.append(tuple(counts))
    return found


def test_no_layout_of_two_packs_takes_more_work_than_the_bounds() -> None:
    """The bounds are those beyond which a layout is refused, so none that can lie there may reach them."""
    largest_box = largest_automaton = 0
    for counts in [(8,) * 13, *layouts_of_two_packs(12)]:
        layout = tuple((1,) * copies for copies in counts)
        largest_box = max(largest_box, fishing.residues(counts, 13).size)
        for family in (
            fishing.captures(layout, 13),
            fishing.builds(layout, 1, 13, groups_made=2),
            fishing.maximal_captures(layout, 13),
        ):
            largest_automaton = max(largest_automaton, family.size)
        assert fishing.is_maximal(counts, counts, 13) == fishing.splits(counts, 13)
    assert largest_box == 1_085_773 <= fishing.MAX_BOX
    assert largest_automaton <= 40_000 <= fishing.MAX_EDGES


def test_impossible_layouts_are_refused_before_they_cost_anything() -> None:
    with pytest.raises(ValueError, match="two packs"):
        fishing.captures(((1,) * 8, (1,) * 14, (1,) * 14, (1,) * 16, (1,) * 26, (1,) * 26), 13)
    with pytest.raises(ValueError, match="two packs"):
        fishing.captures(((10**9,),), 13)


def test_every_set_of_a_middling_layout_is_listed_once() -> None:
    layout: Layout = ((2, 1), (1, 2), (1, 1), (2,), (1,), (1, -2))
    for value in range(3, 9):
        family = fishing.captures(layout, value)
        found, cursor = family.list_sets(50)
        pages = list(found)
        while cursor:
            found, cursor = family.list_sets(50, cursor)
            pages += found
        assert len(pages) == len(set(pages)) == family.total
