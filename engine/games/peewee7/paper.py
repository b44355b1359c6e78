"""The paper the score is kept on, as text: a row a strain, a column a side, a cross ``X``, a stroke ``/``."""

from typing import Final

from ...violations import ENGLISH, Language, message
from .scoring import CROSS, ROWS, halves_in, rows_of
from .state import SIDES, PeeweeRow, PeeweeScore, PeeweeState

_COLUMNS: Final = ("black", "red")


def paper(
    of: PeeweeState | PeeweeScore, *, halves_count: bool = True, black: int = 0, language: Language = ENGLISH
) -> str:
    """The paper, the black side's column first. Of a state, its options and columns hold, whatever is named here.

    Two strokes are drawn across each other as a cross where half crosses count; else all stay strokes.

    >>> print(paper(PeeweeScore(hearts=PeeweeRow(crosses=(2, 0), strokes=(1, 0)), clubs=PeeweeRow(crosses=(0, 1)))))
             | black | red
    ---------+-------+----
    No trump |       |
    Hearts   | XX/   |
    Spades   |       |
    Diamonds |       |
    Clubs    |       | X
    """
    if isinstance(of, PeeweeState):
        score, halves_count, black = of.score, of.options.halves_count, of.black
    else:
        score = of
    columns = SIDES if black == 0 else SIDES[::-1]
    table = [["", *(message(f"peewee7 {column}", {}, language) for column in _COLUMNS)]]
    for strain, row in zip(ROWS, rows_of(score), strict=True):
        marks = [_marks(row, side, halves_count) for side in columns]
        table.append([message(f"peewee7 row {strain}", {}, language), *marks])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def _marks(row: PeeweeRow, side: int, halves_count: bool) -> str:  # noqa: FBT001 - an option of the rules
    if not halves_count:
        return "X" * row.crosses[side] + "/" * row.strokes[side]
    crosses, strokes = divmod(halves_in(row)[side], CROSS)
    return "X" * crosses + "/" * strokes
