"""What a deal of PeeWee 7 scores, and what stands on the paper (P-2, P-8, P-11, P-12, P-19 to P-21)."""

from collections.abc import Iterator
from typing import Final

import msgspec

from ...cards import Strain
from ...sheet import Item, Sheet, Total
from ...violations import Malformed
from .options import PeeweeOptions
from .state import BOOK, HAND_TRICKS, SIDES, Pair, PeeweeFacts, PeeweeRow, PeeweeScore, Settlement

CROSS: Final = 2
"""A cross in half crosses, the unit of all points: a stroke is one (PA25)."""
CROSSES_TO_WIN: Final = 7
MOST_CROSSES: Final = 9
"""Of one deal: seven for thirteen tricks, and two for a double dare."""
HALVES: Final = "halfCrosses"
CROSSES: Final = "crosses"
DARE_RULES: Final = {1: "dare", 2: "doubleDare"}

ROWS: Final[dict[Strain, str]] = {
    Strain.NO_TRUMP: "no_trump",
    Strain.HEARTS: "hearts",
    Strain.SPADES: "spades",
    Strain.DIAMONDS: "diamonds",
    Strain.CLUBS: "clubs",
}
"""The rows of the paper from top to bottom, and the score's fields."""
ACCOUNTS: Final = tuple(map(str, ROWS))
_WIRE_NAMES: Final = PeeweeScore.__struct_encode_fields__


def row_of(score: PeeweeScore, strain: Strain) -> PeeweeRow:
    """A strain's row."""
    row: PeeweeRow = getattr(score, ROWS[strain])
    return row


def rows_of(score: PeeweeScore) -> tuple[PeeweeRow, ...]:
    """The rows from top to bottom."""
    return score.no_trump, score.hearts, score.spades, score.diamonds, score.clubs


def halves_in(row: PeeweeRow) -> Pair:
    """What each side has in a row, in half crosses."""
    (crosses, other_crosses), (strokes, other_strokes) = row.crosses, row.strokes
    return CROSS * crosses + strokes, CROSS * other_crosses + other_strokes


def whole_in(row: PeeweeRow) -> Pair:
    """The same of its crosses alone."""
    crosses, other_crosses = row.crosses
    return CROSS * crosses, CROSS * other_crosses


def settle(options: PeeweeOptions, facts: PeeweeFacts) -> Settlement:
    """Settles a deal: the contract's crosses and a stroke for each trick over or short, all to one side, in one row.

    The contracting side scores where it took the tricks it bid, else the other (P-19, P-20, PA23, PA30, PA32).
    """
    contract, tricks = facts.contract, facts.tricks
    if contract is None or tricks is None:
        return Settlement((), facts.score, None)
    made = tricks >= contract.tricks
    side = contract.side if made else 1 - contract.side
    account = str(contract.strain)
    crosses, strokes = contract.tricks - BOOK, abs(tricks - contract.tricks)
    items = [Item("contractMade" if made else "contractFailed", side, account, CROSS * crosses)]
    if contract.dare:
        items.append(Item(DARE_RULES[contract.dare], side, account, CROSS * contract.dare))
    if strokes:
        items.append(Item("overtricks" if made else "undertricks", side, account, strokes))
    row = row_of(facts.score, contract.strain)
    written = PeeweeRow(
        crosses=_plus(row.crosses, side, crosses + contract.dare), strokes=_plus(row.strokes, side, strokes)
    )
    after = msgspec.structs.replace(facts.score, **{ROWS[contract.strain]: written})
    return Settlement(tuple(items), after, next(iter(winners(options, after)), None))


def _plus(pair: Pair, side: int, points: int) -> Pair:
    return (pair[0] + points, pair[1]) if side == 0 else (pair[0], pair[1] + points)


def winners(options: PeeweeOptions, score: PeeweeScore) -> tuple[int, ...]:
    """The sides with seven crosses, in a row or in all (PA25, PA26); in a match that stopped in time, one at most."""
    best = _best(options, score)
    return tuple([side for side in SIDES if best[side] >= CROSSES_TO_WIN * CROSS])


def _best(options: PeeweeOptions, score: PeeweeScore) -> Pair:
    """What each side has in its best row, or in all of them, in half crosses that count."""
    halves_count, together = options.halves_count, options.win_scope == "total"
    best, other_best = 0, 0
    for row in rows_of(score):
        counted, other_counted = halves_in(row) if halves_count else whole_in(row)
        if together:
            best, other_best = best + counted, other_best + other_counted
        else:
            best, other_best = max(best, counted), max(other_best, other_counted)
    return best, other_best


def deal_sheet(options: PeeweeOptions, settled: Settlement) -> Sheet:
    """The sheet of one deal: what it scored, and the paper after it."""
    won = () if settled.winner is None else (settled.winner,)
    return Sheet("deal", settled.items, _totals(options, settled.after), won)


def running_sheet(options: PeeweeOptions, score: PeeweeScore) -> Sheet:
    """The sheet of a deal not yet played out, or thrown in: nothing scored, and the paper as it stands."""
    return Sheet("deal", (), _totals(options, score), ())


def match_sheet(options: PeeweeOptions, score: PeeweeScore) -> Sheet:
    """The sheet of the match: the crosses and strokes in each row, and the winner."""
    items = []
    for account, row in zip(ACCOUNTS, rows_of(score), strict=True):
        for side in SIDES:
            items += [Item("crosses", side, account, CROSS * row.crosses[side])] if row.crosses[side] else []
            items += [Item("strokes", side, account, row.strokes[side])] if row.strokes[side] else []
    return Sheet("match", tuple(items), _totals(options, score), winners(options, score))


def _totals(options: PeeweeOptions, score: PeeweeScore) -> tuple[Total, ...]:
    """All rows of both sides in half crosses; their whole crosses too where only those count; and all rows together."""
    totals = []
    together, whole_together = (0, 0), (0, 0)
    for account, row in zip(ACCOUNTS, rows_of(score), strict=True):
        halves = halves_in(row)
        totals += _of_sides(account, halves, HALVES)
        together = _sum(together, halves)
        if not options.halves_count:
            totals += _of_sides(account, row.crosses, CROSSES)
            whole_together = _sum(whole_together, row.crosses)
    if options.win_scope == "total":
        totals += _of_sides("total", together, HALVES)
        if not options.halves_count:
            totals += _of_sides("total", whole_together, CROSSES)
    return tuple(totals)


def _of_sides(account: str, points: Pair, unit: str) -> list[Total]:
    return [Total(0, account, points[0], unit), Total(1, account, points[1], unit)]


def _sum(one: Pair, other: Pair) -> Pair:
    return one[0] + other[0], one[1] + other[1]


def fault_in_score(score: PeeweeScore) -> str | None:
    """The path, below ``score``, of a row that no deals can have led to."""
    for name, row in zip(_WIRE_NAMES, rows_of(score), strict=True):
        for side in SIDES:
            if _fewest_deals(row.crosses[side], row.strokes[side]) is None:
                return f".{name}"
    return None


def fewest_deals(score: PeeweeScore) -> int:
    """How many deals it takes at least to write this."""
    deals = 0
    for row in rows_of(score):
        for side in SIDES:
            deals += _fewest_deals(row.crosses[side], row.strokes[side]) or 0
    return deals


def _fewest_deals(crosses: int, strokes: int) -> int | None:
    """One deal writes 1 to 9 crosses, and with *n* of them at most *n* + 6 strokes, never more than 13."""
    if not crosses:
        return None if strokes else 0
    for deals in range(-(-crosses // MOST_CROSSES), crosses + 1):
        if strokes <= min(HAND_TRICKS * deals, BOOK * deals + crosses):
            return deals
    return None


def can_have_ended(options: PeeweeOptions, score: PeeweeScore) -> bool:
    """Whether one last deal can have won this, the game being open before it."""
    return any(
        not winners(options, before)
        for side in winners(options, score)
        for strain in ROWS
        for before in _before_last_deal(score, strain, side)
    )


def _before_last_deal(score: PeeweeScore, strain: Strain, side: int) -> Iterator[PeeweeScore]:
    row = row_of(score, strain)
    for crosses in range(1, min(MOST_CROSSES, row.crosses[side]) + 1):
        for strokes in range(min(HAND_TRICKS, BOOK + crosses, row.strokes[side]) + 1):
            earlier = PeeweeRow(crosses=_plus(row.crosses, side, -crosses), strokes=_plus(row.strokes, side, -strokes))
            before = msgspec.structs.replace(score, **{ROWS[strain]: earlier})
            if fault_in_score(before) is None:
                yield before


def sheet_of_facts(options: PeeweeOptions, facts: PeeweeFacts) -> Sheet:
    """The sheet of bare facts: of the deal where a contract is told, else of the paper."""
    fault = fault_in_score(facts.score)
    if fault is not None:
        raise Malformed(f"$.facts.score{fault}", "no deals write such crosses and strokes")
    if (facts.contract is None) != (facts.tricks is None):
        missing = "tricks" if facts.tricks is None else "contract"
        raise Malformed(f"$.facts.{missing}", "a deal is told by its contract and the tricks the side took")
    won = winners(options, facts.score)
    if won and not can_have_ended(options, facts.score):
        raise Malformed("$.facts.score", "the game was won before")
    if facts.contract is None:
        return match_sheet(options, facts.score)
    if won:
        raise Malformed("$.facts.score", "the game is won: no deal follows")
    return deal_sheet(options, settle(options, facts))
