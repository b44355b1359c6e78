"""Whether a round can have come to what lies on the table, by what that takes in turns, actions and Flip Threes.

A state need not tell how it came about, but every card of a round was dealt, drawn at a turn or turned in a Flip Three,
and turns go round. So a seat that lies behind must have given its cards away or lost them, one that is ahead must have
flipped three, and the draws must make as many cards as have come. What this round put aside is not marked off from
what earlier ones did: it is taken to be as much as helps.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ...cards import FlipCard
from .deck import ACTIONS, FLIP_THREE, FREEZE, NUMBERS, SECOND_CHANCE
from .resolve import FLIPS
from .state import Flip7Row, Flip7State
from .table import active_seats, deal_position, lying

NEARLY_ALL: Final = 75
"""Cards on the table from which the deck may have run dry in mid-round (FA22): then draws are not counted."""
MOST_CYCLES: Final = 40
MOST_IN_DEAL: Final = 3
"""Flip Threes dealt before a shuffle in the middle of the deal; there is at most one."""


class Spent(NamedTuple):
    """What this round can have put aside: the newest discards that are actions, and numbers beside a Second Chance.

    `shuffled`: more may have been and was shuffled in again.
    """

    flip_threes: int
    freezes: int
    seconds: int
    numbers: int
    shuffled: bool

    @property
    def cards(self) -> int:
        """How many there are."""
        return self.flip_threes + self.freezes + self.seconds + self.numbers


def newest_discards(discard: Sequence[FlipCard]) -> int:
    """How many of the newest discards a round under way can have put aside: no row has been cleared since."""
    start = len(discard)
    while start:
        card = discard[start - 1]
        if card not in (FREEZE, FLIP_THREE, SECOND_CHANCE):
            break
        saved = card is SECOND_CHANCE and start > 1 and discard[start - 2] in NUMBERS
        start -= 2 if saved else 1
    return len(discard) - start


def spent_by(state: Flip7State) -> Spent:
    """What the round at hand can have put aside."""
    newest = newest_discards(state.discard)
    cards = Counter(state.discard[len(state.discard) - newest :])
    numbers = sum(many for card, many in cards.items() if card in NUMBERS)
    shuffled = state.shuffles > 1 and newest == len(state.discard)
    return Spent(cards[FLIP_THREE], cards[FREEZE], cards[SECOND_CHANCE], numbers, shuffled)


class _Moment(NamedTuple):
    """When it could be: in the deal (`cycles` is None) or so many times round, at whose turn, drawing or not."""

    turn: int
    cycles: int | None
    has_drawn: bool


class _Draws(NamedTuple):
    """How often a seat drew by itself, at least and at most."""

    fewest: int
    most: int


def size_of(row: Flip7Row) -> int:
    """How many cards a row has that its seat drew or was given, but for a Freeze."""
    return sum(card is not FREEZE for card in row.cards)


def flipped_in(row: Flip7Row) -> int:
    """How many cards of a row can only have come by being drawn for it."""
    return sum(card not in (FREEZE, SECOND_CHANCE) for card in row.cards)


def is_under_resolution(state: Flip7State) -> bool:
    """Whether an action drawn by the turn's seat is still being settled."""
    return bool(state.held or state.flip_threes)


def can_have_come(state: Flip7State) -> bool:
    """Whether turns, actions and Flip Threes can have led to the rows of a round that was dealt."""
    if _on_the_table(state) >= NEARLY_ALL:
        return True
    spent = spent_by(state)
    return any(_fits(state, spent, moment) for moment in _moments(state))


def _on_the_table(state: Flip7State) -> int:
    pending = len(state.given) + (state.held is not None)
    pending += sum(len(each.set_aside) + (each.left > 0) for each in state.flip_threes)
    return pending + sum(len(row.cards) for row in state.rows)


def _moments(state: Flip7State) -> Iterator[_Moment]:
    if state.turn is not None:
        has_drawn = is_under_resolution(state)
        for cycles in (None,) if state.dealing else range(MOST_CYCLES):
            yield _Moment(state.turn, cycles, has_drawn)
    elif active_seats(state):
        for turn, row in enumerate(state.rows):
            if row.status != "stayed":
                for cycles in (None, *range(MOST_CYCLES)):
                    yield _Moment(turn, cycles, has_drawn=True)
    else:
        yield _Moment((state.dealer + 1) % len(state.rows), MOST_CYCLES, has_drawn=False)


def _fits(state: Flip7State, spent: Spent, moment: _Moment) -> bool:
    draws = _draws(state, spent, moment)
    if any(each.most < each.fewest for each in draws):
        return False
    over = sum(not each.left for each in state.flip_threes)
    needed = _flip_threes_needed(state, spent, draws)
    if spent.shuffled:
        return moment.cycles is not None or needed <= spent.flip_threes - over + MOST_IN_DEAL
    if needed > spent.flip_threes - over or _lost(state, draws) > _can_be_lost(state, spent):
        return False
    return any(_adds_up(state, spent, draws, finished) for finished in range(over, spent.flip_threes + 1))


def _has_flipped_three(state: Flip7State, spent: Spent) -> bool:
    return spent.shuffled or bool(spent.flip_threes or state.flip_threes)


def _draws(state: Flip7State, spent: Spent, moment: _Moment) -> list[_Draws]:
    """How often each seat was dealt to or asked and drew, by that moment, but for the action that is being settled.

    A seat that is out can have been passed over by the deal only if an action came before it.
    """
    draws = [_Draws(0, 0)] * len(state.rows)
    may_be_out = _has_flipped_three(state, spent) or state.options.deal_replace_action
    for seat in sorted(range(len(state.rows)), key=lambda seat: deal_position(state, seat)):
        found = _draws_of(state, spent, moment, seat)
        if state.rows[seat].status in ("busted", "frozen") and found.most and not may_be_out:
            found = _Draws(max(1, found.fewest), found.most)
        kept = size_of(state.rows[seat]) - (SECOND_CHANCE in state.rows[seat].cards)
        may_be_out = may_be_out or found.most > kept
        draws[seat] = found
    return draws


def _draws_of(state: Flip7State, spent: Spent, moment: _Moment, seat: int) -> _Draws:
    options, status = state.options, state.rows[seat].status
    before = deal_position(state, seat) < deal_position(state, moment.turn)
    asked = 0 if moment.cycles is None else moment.cycles + before
    dealt = before or moment.cycles is not None
    drawn = asked + dealt
    if seat == moment.turn and (moment.has_drawn or status == "active"):
        drawn += moment.has_drawn and state.turn is None
        return _Draws(drawn, drawn)
    match status:
        case "active":
            return _Draws(drawn, drawn)
        case "stayed" if options.initial_deal_after_flip3 == "offer" and _has_flipped_three(state, spent):
            return _Draws(0, max(asked, int(options.deal_replace_action))) if dealt else _Draws(1, 0)
        case "stayed":
            return _Draws(1, asked)
        case _:
            return _Draws(0, drawn)


def _received(state: Flip7State, spent: Spent) -> int:
    """How many Second Chances can have been passed on: the first of all only where it may be given away (FA9)."""
    there = sum(SECOND_CHANCE in row.cards for row in state.rows)
    kept = 0 if state.options.second_chance_gift else 1
    return min(there, max(0, there + spent.seconds - kept))


def _saved_by(state: Flip7State) -> list[int]:
    """How many duplicates each seat was saved from, where no other row has the number; told in the first round only."""
    saved = [0] * len(state.rows)
    if state.round == 1:
        for card in state.discard:
            holders = [seat for seat, row in enumerate(state.rows) if card in row.cards and card in NUMBERS]
            if len(holders) == 1:
                saved[holders[0]] += 1
    return saved


def _flip_threes_needed(state: Flip7State, spent: Spent, draws: Sequence[_Draws]) -> int:
    """The Flip Threes it takes, beside those under way, for seats that got more cards than they drew by themselves."""
    replaced = state.options.deal_replace_action
    needed, received, saved = 0, _received(state, spent), _saved_by(state)
    for seat, (row, each) in enumerate(zip(state.rows, draws, strict=True)):
        has_second = SECOND_CHANCE in row.cards
        flipped = sum(FLIPS - each.left - len(each.set_aside) for each in state.flip_threes if each.seat == seat)
        ahead = size_of(row) + saved[seat] - each.most - flipped - (replaced and has_second)
        if ahead > 0 and has_second and not replaced and received and ahead % FLIPS == 1:
            ahead, received = ahead - 1, received - 1
        needed += -(-max(0, ahead) // FLIPS)
    return needed


def _lost(state: Flip7State, draws: Sequence[_Draws]) -> int:
    """How many cards at least were drawn and are not in the row of who drew them, nor saved it."""
    lost = sum(
        max(0, each.fewest - size_of(row) - 2 * saved)
        for row, each, saved in zip(state.rows, draws, _saved_by(state), strict=True)
    )
    return lost + is_under_resolution(state)


def _can_be_lost(state: Flip7State, spent: Spent) -> int:
    freezes = sum(FREEZE in row.cards for row in state.rows)
    running = sum(each.left > 0 for each in state.flip_threes)
    given = spent.cards - sum(_saved_by(state))
    return given + freezes + running + (state.held is not None) + _received(state, spent)


def _adds_up(state: Flip7State, spent: Spent, draws: Sequence[_Draws], finished: int) -> bool:
    """Whether the draws, and those of so many Flip Threes that are over, make as many cards as have come."""
    out = [row.status for row in state.rows]
    cut_short = state.turn is None and "active" in out
    dropped = "busted" in out or "frozen" in out or cut_short
    first = state.round == 1
    if first and finished < (min(1, spent.flip_threes) if dropped else spent.flip_threes):
        return False
    settling = is_under_resolution(state)
    replaced = 0
    if state.options.deal_replace_action:
        replaced = sum(card in ACTIONS for card in lying(state))
    most = sum(each.most for each in draws) + replaced
    fewest = max(sum(each.fewest for each in draws), _drawn_one_by_one(state, spent, finished))
    if finished and not settling:
        fewest = max(fewest, 1)
    if most < fewest:
        return False
    short = min(finished, out.count("busted") + cut_short)
    flipped = FLIPS * finished + sum(FLIPS - each.left for each in state.flip_threes if each.left)
    flipped += settling + (state.held is not None and bool(state.flip_threes))
    table = _on_the_table(state)
    at_least = table + (spent.cards if first else finished)
    return fewest + flipped - 2 * short <= table + spent.cards and most + flipped >= at_least


def _drawn_one_by_one(state: Flip7State, spent: Spent, finished: int) -> int:
    """The cards at least that no Flip Three can have brought, each having brought three to one seat; and its own."""
    running = sum(each.left > 0 for each in state.flip_threes)
    brought = sorted(min(FLIPS, size_of(row) - start) for row in state.rows for start in range(0, size_of(row), FLIPS))
    covered = sum(brought[max(0, len(brought) - finished - running) :]) if finished + running else 0
    own = bool(finished) and not is_under_resolution(state)
    return max(0, sum(brought) - covered - _received(state, spent)) + own
