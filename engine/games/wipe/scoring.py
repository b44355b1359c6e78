"""What a round of Le Wipe scores, and what rounds and wipes add up to (clauses L-9 to L-12)."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ...cards import Card, Suit, card_set
from ...sheet import Item, Sheet, Total, totals_of
from ...violations import Malformed
from .options import WipeOptions
from .state import WipeCarry, WipeCount, WipeFacts, WipeScore, WipeTally

PACK_SIZE: Final = 52
ROUND_POINTS: Final = 13
ACES: Final = (Card.AS, Card.AH, Card.AD, Card.AC)
TEN_OF_DIAMONDS: Final = Card("TD")
TWO_OF_SPADES: Final = Card("2S")
SPECIAL_POINTS: Final = 2
MAJORITY_POINTS: Final = 2
LAST_TRICK_POINTS: Final = 1
WIPE_POINTS: Final = 2
POSSIBLE_SIDES: Final = (2, 3)


class Settlement(Struct, frozen=True):
    """A settled round: its items, and the score after it."""

    items: tuple[Item, ...]
    after: WipeScore


def counted(heaps: Iterable[Iterable[Card]]) -> tuple[WipeCount, ...]:
    """What each side's cards come to."""
    return tuple(_count(tuple(cards)) for cards in heaps)


def _count(cards: Sequence[Card]) -> WipeCount:
    return WipeCount(
        cards=len(cards),
        spades=(card_set(cards) & Suit.SPADES.mask).bit_count(),
        aces=sum(card in ACES for card in cards),
        ten_of_diamonds=TEN_OF_DIAMONDS in cards,
        two_of_spades=TWO_OF_SPADES in cards,
    )


def settle(
    options: WipeOptions, counts: Sequence[WipeCount], last_trick: int | None, before: WipeScore, *, more_rounds: bool
) -> Settlement:
    """Settles a round by what each side has won and which one took the last trick (L-11, LA22 to LA24)."""
    items: list[Item] = []
    for side, count in enumerate(counts):
        if count.aces:
            items.append(Item("aces", side, "round", count.aces))
        if count.ten_of_diamonds:
            items.append(Item("tenOfDiamonds", side, "round", SPECIAL_POINTS, (TEN_OF_DIAMONDS,)))
        if count.two_of_spades:
            items.append(Item("twoOfSpades", side, "round", SPECIAL_POINTS, (TWO_OF_SPADES,)))
    carried = before.carried
    cards, carried_cards = _majority(
        options, "mostCards", [count.cards for count in counts], MAJORITY_POINTS + carried.cards
    )
    spades, carried_spades = _majority(
        options, "mostSpades", [count.spades for count in counts], MAJORITY_POINTS + carried.spades
    )
    items += cards + spades
    if last_trick is not None:
        items.append(Item("lastTrick", last_trick, "round", LAST_TRICK_POINTS))
    points = tuple(
        had + sum(item.points for item in items if item.side == side) for side, had in enumerate(before.points)
    )
    carry = WipeCarry(cards=carried_cards, spades=carried_spades) if more_rounds else WipeCarry()
    return Settlement(tuple(items), WipeScore(points=points, carried=carry))


def _majority(
    options: WipeOptions, rule: str, numbers: Sequence[int], prize: int
) -> tuple[list[Item], int]:
    """Who gets the prize for the most, and what of it waits for the next round. Nobody has the most of nothing."""
    most = max(numbers)
    first = [side for side, number in enumerate(numbers) if number == most and most]
    if len(first) == 1:
        return [Item(rule, first[0], "round", prize)], 0
    match options.tie:
        case "split":
            share = prize // 2 if len(first) == 2 else 0
        case "all":
            share = prize
        case "carry":
            return [], prize
        case _:
            share = 0
    return [Item(rule, side, "round", share) for side in first if share], 0


def wipe_points(tally: WipeTally) -> int:
    """What a side's wipe account stands at (L-9, L-10, L-12); it may be below zero (LA21)."""
    return WIPE_POINTS * (tally.made - tally.missed - tally.mistaken - tally.unannounced - tally.struck)


def _wipe_items(wipes: Sequence[WipeTally]) -> list[Item]:
    items = []
    for side, tally in enumerate(wipes):
        entries = (
            ("wipe", tally.made),
            ("missedWipe", -tally.missed),
            ("mistakenWipe", -tally.mistaken),
            ("lastDealNotAnnounced", -tally.unannounced),
            ("struckWipe", -tally.struck),
        )
        items += [Item(rule, side, "wipes", WIPE_POINTS * number) for rule, number in entries if number]
    return items


def round_sheet(items: Sequence[Item], score: WipeScore, wipes: Sequence[WipeTally]) -> Sheet:
    """The sheet of one round: what it scored, the points of all rounds so far, and the wipes, which are kept apart.

    `winners` are those with the most points of the round, once it is settled.
    """
    sides = range(len(score.points))
    of_round = [sum(item.points for item in items if item.side == side) for side in sides]
    totals = (
        *(Total(side, "round", of_round[side], "points") for side in sides),
        *(Total(side, "rounds", score.points[side], "points") for side in sides),
        *(Total(side, "wipes", wipe_points(wipes[side]), "points") for side in sides),
    )
    winners = tuple(side for side in sides if items and of_round[side] == max(of_round))
    return Sheet("round", tuple(items), totals, winners)


def match_sheet(score: WipeScore, wipes: Sequence[WipeTally], *, over: bool) -> Sheet:
    """The sheet of the match: the points of all rounds, and the wipes, added only now (L-12)."""
    sides = range(len(score.points))
    items = [Item("roundPoints", side, "rounds", score.points[side]) for side in sides if score.points[side]]
    items += _wipe_items(wipes)
    total = [score.points[side] + wipe_points(wipes[side]) for side in sides]
    rows = {row.account for row in (*items,)} | {"rounds", "wipes"}
    del rows
    totals = (
        *(Total(side, "rounds", score.points[side], "points") for side in sides),
        *(Total(side, "wipes", wipe_points(wipes[side]), "points") for side in sides),
        *(Total(side, "total", total[side], "points") for side in sides),
    )
    winners = tuple(side for side in sides if over and total[side] == max(total))
    return Sheet("match", tuple(items), totals, winners)
