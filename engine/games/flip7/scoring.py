"""What a row scores, what the rounds add up to, and who has won (F-14, F-17, F-18)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from ...cards import FlipCard
from ...sheet import Item, Sheet, Total
from ...violations import Malformed
from .deck import COUNTS, DOUBLE, FLIP_THREE, FREEZE, NUMBERS, PLUSES, SECOND_CHANCE
from .options import Flip7Options
from .state import Flip7Facts, Flip7Row

SEVEN: Final = 7
SEVEN_BONUS: Final = 15
MOST_POINTS: Final = 2 * sum(range(6, 13)) + sum(PLUSES.values()) + SEVEN_BONUS
CHALLENGE_ROUNDS: Final = 4
CHALLENGE_SEATS: Final = 2
UNIT: Final = "points"


def row_items(seat: int, cards: Sequence[FlipCard], *, busted: bool) -> list[Item]:
    """The lines of one row: its numbers, doubled by x2, then the pluses, then the bonus for seven (F-14, FA26)."""
    if busted:
        return [Item("bust", seat, "round", 0, tuple(cards))]
    numbers = tuple(card for card in cards if card in NUMBERS)
    total = sum(NUMBERS[card] for card in numbers)
    items = [Item("numbers", seat, "round", total, numbers)] if numbers else []
    if DOUBLE in cards:
        items.append(Item("double", seat, "round", total, (DOUBLE,)))
    items += [Item("plus", seat, "round", PLUSES[card], (card,)) for card in cards if card in PLUSES]
    if len(numbers) == SEVEN:
        items.append(Item("flip7", seat, "round", SEVEN_BONUS))
    return items


def points_of(cards: Iterable[FlipCard]) -> int:
    """What a row that is not busted scores.

    >>> points_of(map(FlipCard, ("7", "11", "+8", "x2")))
    44
    """
    total = pluses = count = 0
    factor = 1
    for card in cards:
        if card in NUMBERS:
            total += NUMBERS[card]
            count += 1
        elif card is DOUBLE:
            factor = 2
        else:
            pluses += PLUSES.get(card, 0)
    return factor * total + pluses + (SEVEN_BONUS if count == SEVEN else 0)


def round_points(rows: Sequence[Flip7Row]) -> tuple[int, ...]:
    """What each seat scores: nothing if busted, else its row, whether or not it stopped (FA27)."""
    return tuple(0 if row.status == "busted" else points_of(row.cards) for row in rows)


def match_is_over(options: Flip7Options, totals: Sequence[int]) -> bool:
    """Whether the totals after a round end the match (F-17, FA25); a challenge ends when it is reached (F-18, FA31)."""
    match options.challenge:
        case "off":
            top = max(totals)
            return top >= options.target and (options.tie == "shared" or list(totals).count(top) == 1)
        case "any":
            return max(totals) >= options.target
        case "each":
            return min(totals) >= options.target
        case "combined":
            return sum(totals) >= options.target


def winners_of(options: Flip7Options, totals: Sequence[int], rounds: int) -> tuple[int, ...]:
    """Who has won: the highest, or in a challenge everybody if it was reached in time."""
    seats = range(len(totals))
    if not match_is_over(options, totals):
        return ()
    if options.challenge != "off":
        return tuple(seats) if rounds <= CHALLENGE_ROUNDS else ()
    return tuple(seat for seat in seats if totals[seat] == max(totals))


def round_sheet(rows: Sequence[tuple[Sequence[FlipCard], bool]], totals: Sequence[int]) -> Sheet:
    """The sheet of a round: each row's lines and points, and the running totals."""
    items = [item for seat, (cards, busted) in enumerate(rows) for item in row_items(seat, cards, busted=busted)]
    points = [sum(item.points for item in items if item.side == seat) for seat in range(len(rows))]
    return Sheet("round", tuple(items), (*_row("round", points), *_row("total", totals)), ())


def match_sheet(options: Flip7Options, totals: Sequence[int], rounds: int) -> Sheet:
    """The sheet of the match: the totals after so many rounds; of a challenge that is reached, whether it was met."""
    items = tuple(Item("points", seat, "total", points) for seat, points in enumerate(totals))
    winners = winners_of(options, totals, rounds)
    rows = _row("total", totals)
    if options.challenge != "off" and match_is_over(options, totals):
        met = int(bool(winners))
        rows += tuple(Total(seat, "challenge", met, "met") for seat in range(len(totals)))
    return Sheet("match", items, rows, winners)


def _row(account: str, points: Sequence[int]) -> tuple[Total, ...]:
    return tuple(Total(seat, account, each, UNIT) for seat, each in enumerate(points))


def fault_in_row(cards: Sequence[FlipCard], *, busted: bool) -> str | None:
    """Why these cards cannot lie before a seat, in whatever order; None where they can."""
    count = Counter(cards)
    numbers = [card for card in count if card in NUMBERS]
    twice = [card for card in numbers if count[card] > 1]
    if any(many > COUNTS[card] for card, many in count.items()):
        return "the deck has not so many of a card"
    if count[FLIP_THREE]:
        return "a Flip Three does not stay before a seat"
    if count[SECOND_CHANCE] > 1 or count[FREEZE] > 1:
        return "a seat has at most one Second Chance and one Freeze"
    if busted and (count[SECOND_CHANCE] or count[FREEZE]):
        return "a busted seat has neither Second Chance nor Freeze"
    if len(numbers) > SEVEN or (len(numbers) == SEVEN and (busted or count[FREEZE])):
        return "the seventh number ends the round"
    if len(twice) > int(busted) or any(count[card] > 2 for card in twice):
        return "the first number that is there twice busts the row"
    return None


def sheet_of_facts(options: Flip7Options, facts: Flip7Facts) -> Sheet:
    """The sheet of bare facts: of the round whose rows are told, else of the match after the totals told."""
    seats = len(facts.rows or facts.totals)
    if not seats:
        raise Malformed("$.facts", "neither the rows of a round nor totals are told")
    if options.challenge != "off" and seats > CHALLENGE_SEATS:
        raise Malformed("$.options.challenge", f"is for at most {CHALLENGE_SEATS} places")
    if not facts.rows:
        return _match_of_facts(options, facts)
    if facts.rounds is not None:
        raise Malformed("$.facts.rounds", "goes with totals that no rows are added to")
    if len(facts.totals) > seats:
        raise Malformed("$.facts.totals", f"more totals than the {seats} rows")
    totals = (*facts.totals, *(0 for _ in range(seats - len(facts.totals))))
    if match_is_over(options, totals):
        raise Malformed("$.facts.totals", "the match is over: no round follows")
    _check_rows(facts)
    rows = [Flip7Row(cards=row.cards, status="busted" if row.busted else "active") for row in facts.rows]
    after = [before + points for before, points in zip(totals, round_points(rows), strict=True)]
    return round_sheet([(row.cards, row.busted) for row in facts.rows], after)


def _match_of_facts(options: Flip7Options, facts: Flip7Facts) -> Sheet:
    if facts.rounds is not None and max(facts.totals) > MOST_POINTS * facts.rounds:
        raise Malformed("$.facts.totals", f"a round brings at most {MOST_POINTS} points")
    if facts.rounds is None and options.challenge != "off":
        raise Malformed("$.facts.rounds", "a challenge is against the rounds: tell how many were played")
    if _was_over_before(options, facts.totals):
        raise Malformed("$.facts.totals", "the match was over before the last round")
    return match_sheet(options, facts.totals, facts.rounds or 0)


def _was_over_before(options: Flip7Options, totals: Sequence[int]) -> bool:
    """Whether the match had ended before its last round, however much each seat won in it."""
    before = sorted((total - MOST_POINTS for total in totals), reverse=True)
    match options.challenge:
        case "each":
            return before[-1] >= options.target
        case "combined":
            return sum(before) >= options.target
        case "off" if options.tie == "extraRound":
            second = sorted(totals)[-2] if len(totals) > 1 else -1
            return before[0] >= options.target and before[0] > second
        case _:
            return before[0] >= options.target


def _check_rows(facts: Flip7Facts) -> None:
    for seat, row in enumerate(facts.rows):
        fault = fault_in_row(row.cards, busted=row.busted)
        if fault is not None:
            raise Malformed(f"$.facts.rows[{seat}].cards", fault)
    seen = Counter(card for row in facts.rows for card in row.cards)
    if any(many > COUNTS[card] for card, many in seen.items()):
        raise Malformed("$.facts.rows", "the deck has not so many of a card")
    if sum(sum(card in NUMBERS for card in row.cards) == SEVEN and not row.busted for row in facts.rows) > 1:
        raise Malformed("$.facts.rows", "the first row with seven numbers ends the round")
