"""What a round of Le Wipe scores, and what rounds and wipes add up to (clauses L-9 to L-12)."""

from collections.abc import Iterable, Sequence
from typing import Final

from ...cards import Card, Suit, card_set
from ...mechanics.layout import shared
from ...sheet import Item, Sheet, Total
from ...violations import Malformed
from .options import WipeOptions
from .state import Settlement, WipeCarry, WipeCount, WipeFacts, WipeScore, WipeTally

PACK_SIZE: Final = 52
SUIT_SIZE: Final = 13
ACES: Final = 4
TEN_OF_DIAMONDS: Final = Card("TD")
TWO_OF_SPADES: Final = Card("2S")
SPECIAL_POINTS: Final = 2
MAJORITY_POINTS: Final = 2
LAST_TRICK_POINTS: Final = 1
FEWEST_SIDES: Final = 2
ROUND_POINTS: Final = 13
WIPE_POINTS: Final = 2


def counted(cards: Sequence[Card]) -> WipeCount:
    """What a side's cards come to."""
    return WipeCount(
        cards=len(cards),
        spades=(card_set(cards) & Suit.SPADES.mask).bit_count(),
        aces=sum(card[0] == "A" for card in cards),
        ten_of_diamonds=TEN_OF_DIAMONDS in cards,
        two_of_spades=TWO_OF_SPADES in cards,
    )


def settle(
    options: WipeOptions, counts: Sequence[WipeCount], last_trick: int | None, before: WipeScore, *, last: bool
) -> Settlement:
    """Settles a round by what each side has won and who took the last trick (L-11, LA22 to LA24).

    `last`: no round follows, and nothing is carried over.
    """
    items: list[Item] = []
    for side, count in enumerate(counts):
        if count.aces:
            items.append(Item("aces", side, "round", count.aces))
        if count.ten_of_diamonds:
            items.append(Item("tenOfDiamonds", side, "round", SPECIAL_POINTS, (TEN_OF_DIAMONDS,)))
        if count.two_of_spades:
            items.append(Item("twoOfSpades", side, "round", SPECIAL_POINTS, (TWO_OF_SPADES,)))
    majorities = (
        ("mostCards", [count.cards for count in counts], before.carried.cards),
        ("mostSpades", [count.spades for count in counts], before.carried.spades),
    )
    carried = []
    for rule, numbers, waiting in majorities:
        points, left = shared(MAJORITY_POINTS + waiting, numbers, options.tie)
        items += [Item(rule, side, "round", each) for side, each in enumerate(points) if each]
        carried.append(0 if last else left)
    if last_trick is not None:
        items.append(Item("lastTrick", last_trick, "round", LAST_TRICK_POINTS))
    after = WipeScore(
        points=tuple(had + _points_of(items, side) for side, had in enumerate(before.points)),
        carried=WipeCarry(cards=carried[0], spades=carried[1]),
    )
    return Settlement(tuple(items), after)


def _points_of(items: Iterable[Item], side: int) -> int:
    return sum(item.points for item in items if item.side == side)


def wipe_points(tally: WipeTally) -> int:
    """What a side's wipe account stands at (L-9, L-10, L-12); it may be below zero (LA21)."""
    return WIPE_POINTS * (tally.made - tally.missed - tally.mistaken - tally.unannounced - tally.struck)


def penalties_off(options: WipeOptions) -> dict[str, str]:
    """The entries of wipe accounts that cannot be made, with the option that each would need (LA17, LA18, LA21)."""
    needed = {
        "missed": ("missedSweep penalty", options.missed_sweep == "penalty"),
        "mistaken": ("falseSweep penalty", options.false_sweep == "penalty"),
        "unannounced": ("lastDealAnnouncement required", options.last_deal_announcement == "required"),
    }
    return {entry: option for entry, (option, on) in needed.items() if not on}


def _wipe_items(wipes: Sequence[WipeTally]) -> list[Item]:
    items = []
    for side, tally in enumerate(wipes):
        entries = (
            ("wipe", tally.made),
            ("missedWipe", -tally.missed),
            ("mistakenWipe", -tally.mistaken),
            ("unannouncedLastDeal", -tally.unannounced),
            ("struckWipe", -tally.struck),
        )
        items += [Item(rule, side, "wipes", WIPE_POINTS * number) for rule, number in entries if number]
    return items


def round_sheet(items: Sequence[Item], score: WipeScore, wipes: Sequence[WipeTally]) -> Sheet:
    """The sheet of one round: what it scored, all rounds' points, and the wipe accounts, which are kept apart.

    `winners` have the most points of the round, once there are any.
    """
    of_round = [_points_of(items, side) for side in range(len(score.points))]
    rows = (("round", of_round), ("rounds", score.points), ("wipes", list(map(wipe_points, wipes))))
    winners = tuple(side for side, points in enumerate(of_round) if points and points == max(of_round))
    return Sheet("round", tuple(items), _totals(rows), winners)


def match_sheet(score: WipeScore, wipes: Sequence[WipeTally], *, over: bool) -> Sheet:
    """The sheet of the match: all rounds' points and, added only now, the wipes (L-12). Level sides share (LA27)."""
    items = [Item("roundPoints", side, "rounds", points) for side, points in enumerate(score.points) if points]
    account = list(map(wipe_points, wipes))
    total = [points + extra for points, extra in zip(score.points, account, strict=True)]
    rows = (("rounds", score.points), ("wipes", account), ("total", total))
    winners = tuple(side for side, points in enumerate(total) if over and points == max(total))
    return Sheet("match", (*items, *_wipe_items(wipes)), _totals(rows), winners)


def _totals(rows: Iterable[tuple[str, Sequence[int]]]) -> tuple[Total, ...]:
    return tuple(
        Total(side, account, points[side], "points") for account, points in rows for side in range(len(points))
    )


def sheet_of_facts(options: WipeOptions, facts: WipeFacts) -> Sheet:
    """The sheet of bare facts: of a round where its cards are told, else of the match as far as it is told."""
    sides = _sides_told(facts)
    wipes = facts.wipes or (WipeTally(),) * sides
    for side, tally in enumerate(wipes):
        if tally.struck > tally.made:
            raise Malformed(f"$.facts.wipes[{side}].struck", "more wipes are struck than were made")
        for entry, needed in penalties_off(options).items():
            if getattr(tally, entry):
                raise Malformed(f"$.facts.wipes[{side}].{entry}", f"presupposes {needed}")
    if options.rounds is not None and len(facts.rounds) > options.rounds:
        raise Malformed("$.facts.rounds", f"a match has {options.rounds} rounds")
    score = WipeScore(points=tuple(map(sum, zip(*facts.rounds, strict=True))) or (0,) * sides, carried=facts.carried)
    if facts.carried != WipeCarry() and options.tie != "carry":
        raise Malformed("$.facts.carried", "presupposes tie carry")
    counts = _counts_told(facts)
    if counts is None:
        if facts.last_trick is not None:
            raise Malformed("$.facts.lastTrick", "is of a round, whose cards are missing")
        return match_sheet(score, wipes, over=options.rounds in (None, len(facts.rounds)))
    if len(facts.rounds) == options.rounds:
        raise Malformed("$.facts.rounds", "the match is over: no round follows")
    if facts.last_trick is not None and facts.last_trick >= sides:
        raise Malformed("$.facts.lastTrick", f"there are {sides} sides")
    last = options.rounds is not None and len(facts.rounds) + 1 == options.rounds
    settled = settle(options, counts, facts.last_trick, score, last=last)
    return round_sheet(settled.items, settled.after, wipes)


def _sides_told(facts: WipeFacts) -> int:
    told = (("heaps", facts.heaps), ("counts", facts.counts), ("wipes", facts.wipes))
    sizes = [(name, len(by_side)) for name, by_side in told if by_side is not None]
    sides = sizes[0][1] if sizes else len(facts.rounds[0]) if facts.rounds else None
    if sides is None:
        raise Malformed("$.facts", "tell the cards won, the rounds' points or the wipes")
    wrong = [name for name, size in sizes if size != sides or size < FEWEST_SIDES]
    wrong += [
        f"rounds[{number}]"
        for number, points in enumerate(facts.rounds)
        if len(points) != sides or sides < FEWEST_SIDES
    ]
    if wrong:
        raise Malformed(f"$.facts.{wrong[0]}", "there are two or three sides, the same everywhere")
    return sides


def _counts_told(facts: WipeFacts) -> tuple[WipeCount, ...] | None:
    if facts.heaps is not None:
        if facts.counts is not None:
            raise Malformed("$.facts.counts", "the cards are told as they are or counted, not both")
        seen = 0
        for side, cards in enumerate(facts.heaps):
            for index, card in enumerate(cards):
                if seen & card.bit:
                    raise Malformed(f"$.facts.heaps[{side}][{index}]", f"{card} is there twice")
                seen |= card.bit
        return tuple(map(counted, facts.heaps))
    if facts.counts is not None:
        _check_counts(facts.counts)
    return facts.counts


def _check_counts(counts: Sequence[WipeCount]) -> None:
    for side, count in enumerate(counts):
        ace_of_spades = bool(count.aces) and count.spades > count.two_of_spades
        least = count.spades + count.aces - ace_of_spades + count.ten_of_diamonds
        if count.cards < least or count.spades < count.two_of_spades:
            raise Malformed(f"$.facts.counts[{side}]", "fewer cards, or spades, than those named among them")
    limits = {
        "cards": (sum(count.cards for count in counts), PACK_SIZE),
        "spades": (sum(count.spades for count in counts), SUIT_SIZE),
        "aces": (sum(count.aces for count in counts), ACES),
        "tenOfDiamonds": (sum(count.ten_of_diamonds for count in counts), 1),
        "twoOfSpades": (sum(count.two_of_spades for count in counts), 1),
    }
    for name, (number, most) in limits.items():
        if number > most:
            raise Malformed("$.facts.counts", f"{name}: {number}, and the pack has {most}")
