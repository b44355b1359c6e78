"""Wippen's score: the eleven points of a round and its wips, or most cards; the match to a target."""

from collections.abc import Iterable, Sequence
from typing import Final

from ...cards import PACK, Card, Suit
from ...mechanics.layout import shared, value_of
from ...sheet import Item, Sheet, Total, totals_of
from ...violations import Malformed
from .options import WippenOptions
from .plan import plan_of
from .state import Settlement, Takings, WippenFacts, WippenHeapFact, WippenScore

MOST_CARDS: Final = 2
MOST_SPADES: Final = 2
TEN_OF_DIAMONDS: Final = Card("TD")
TWO_OF_SPADES: Final = Card("2S")
ACE_OF_SPADES: Final = Card("AS")
ACES: Final = tuple(card for card in PACK if value_of(card) == 1)
WORTH: Final = {"tenOfDiamonds": 2, "twoOfSpades": 1, "aces": 1}
"""What each copy of a card scores by itself."""
SCORING: Final[dict[str, tuple[Card, ...]]] = {
    "tenOfDiamonds": (TEN_OF_DIAMONDS,),
    "twoOfSpades": (TWO_OF_SPADES,),
    "aces": ACES,
}


def takings_of(heap: Sequence[Card], wips: int) -> Takings:
    """What of these cards counts."""
    return Takings(
        cards=len(heap),
        spades=sum(card.suit is Suit.SPADES for card in heap),
        aces=sum(card in ACES for card in heap),
        tens=heap.count(TEN_OF_DIAMONDS),
        twos=heap.count(TWO_OF_SPADES),
        wips=wips,
        shown=tuple(heap),
    )


def settle(options: WippenOptions, takings: Sequence[Takings], before: WippenScore) -> Settlement:
    """What a round comes to (WI-13, WI-25, WI-26, WIA30 to WIA32)."""
    if not options.points:
        items = tuple(Item("cards", seat, "cards", taken.cards) for seat, taken in enumerate(takings))
        return Settlement(items, before)
    tie = options.tie
    cards, carried_cards = shared(MOST_CARDS + before.carried_cards, [taken.cards for taken in takings], tie)
    spades, carried_spades = shared(MOST_SPADES + before.carried_spades, [taken.spades for taken in takings], tie)
    items = (
        *_items("mostCards", cards),
        *_items("mostSpades", spades),
        *_card_items("tenOfDiamonds", takings, [taken.tens for taken in takings]),
        *_card_items("twoOfSpades", takings, [taken.twos for taken in takings]),
        *_card_items("aces", takings, [taken.aces for taken in takings]),
        *_items("wips", [taken.wips for taken in takings]),
    )
    points = tuple(
        total + sum(item.points for item in items if item.side == seat) for seat, total in enumerate(before.points)
    )
    return Settlement(items, WippenScore(points=points, carried_cards=carried_cards, carried_spades=carried_spades))


def _items(rule: str, points: Iterable[int]) -> list[Item]:
    return [Item(rule, seat, rule, each) for seat, each in enumerate(points) if each]


def _card_items(rule: str, takings: Sequence[Takings], numbers: Sequence[int]) -> list[Item]:
    found = []
    for seat, number in enumerate(numbers):
        shown = takings[seat].shown
        cards = None if shown is None else tuple(card for card in shown if card in SCORING[rule])
        if number:
            found.append(Item(rule, seat, rule, WORTH[rule] * number, cards))
    return found


def match_is_over(options: WippenOptions, score: WippenScore) -> bool:
    """Whether the match is decided after a settled round: one seat leads, at the target or above it (WIA37, WIA42)."""
    if not options.points:
        return True
    most = max(score.points)
    return most >= options.target and score.points.count(most) == 1


def round_sheet(options: WippenOptions, takings: Sequence[Takings], before: WippenScore) -> Sheet:
    """The sheet of a round."""
    settled = settle(options, takings, before)
    seats = range(len(takings))
    sums = [sum(item.points for item in settled.items if item.side == seat) for seat in seats]
    unit = "points" if options.points else "cards"
    totals = [*totals_of(settled.items, seats, unit)]
    if options.points:
        totals += [Total(seat, "round", sums[seat], unit) for seat in seats]
        totals += [Total(seat, "total", settled.after.points[seat], unit) for seat in seats]
    return Sheet("round", settled.items, tuple(totals), _leaders(sums))


def match_sheet(options: WippenOptions, takings: Sequence[Takings] | None, before: WippenScore) -> Sheet:
    """The match's sheet: the rounds before, and the last one item by item where it is there."""
    if not options.points:
        if takings is None:
            return Sheet("match", (), (), ())
        last = round_sheet(options, takings, before)
        return Sheet("match", last.items, last.totals, last.winners)
    items = [Item("earlierRounds", seat, "earlierRounds", points) for seat, points in enumerate(before.points)]
    after = before
    if takings is not None:
        settled = settle(options, takings, before)
        items += settled.items
        after = settled.after
    seats = range(len(before.points))
    totals = [
        *totals_of(items, seats, "points"),
        *(Total(seat, "total", after.points[seat], "points") for seat in seats),
    ]
    winners = _leaders(after.points) if match_is_over(options, after) else ()
    return Sheet("match", tuple(items), tuple(totals), winners)


def _leaders(amounts: Sequence[int]) -> tuple[int, ...]:
    """Those with most; nobody where nobody has any."""
    most = max(amounts)
    return tuple(seat for seat, amount in enumerate(amounts) if amount == most > 0)


# --- bare facts


def sheet_of_facts(options: WippenOptions, facts: WippenFacts) -> Sheet:
    """The sheet of a round from what each seat took, or of the match from the score alone.

    What was taken must be the round's whole pack, or nothing at all (WIA35).
    """
    if facts.heaps is None:
        if facts.score is None:
            raise Malformed("$.facts", "neither heaps nor a score are told")
        _check_score(options, facts.score)
        return match_sheet(options, None, facts.score)
    places = len(facts.heaps)
    try:
        plan = plan_of(options, places)
    except Malformed as fault:
        raise Malformed("$.facts.heaps", fault.detail) from None
    before = facts.score or WippenScore(points=(0,) * places)
    if len(before.points) != places:
        raise Malformed("$.facts.score.points", f"there are {places} heaps")
    _check_score(options, before)
    if match_is_over(options, before) and options.points:
        raise Malformed("$.facts.score.points", "the match is over: no round follows")
    takings = [_told(fact, f"$.facts.heaps[{seat}]") for seat, fact in enumerate(facts.heaps)]
    _check_heaps(facts.heaps, takings, plan.cards, ("cards",) if not options.points else None)
    for seat, taken in enumerate(takings):
        if taken.wips and not options.wips:
            raise Malformed(f"$.facts.heaps[{seat}].wips", "presupposes wips")
        if taken.wips and plan.deals == 1 and not options.sweep_last_deal:
            raise Malformed(f"$.facts.heaps[{seat}].wips", "the only deal of a round is its last, where none score")
        if 2 * taken.wips > taken.cards:
            raise Malformed(f"$.facts.heaps[{seat}].wips", "each wip takes two cards at least")
    return round_sheet(options, takings, before)


def _check_score(options: WippenOptions, score: WippenScore) -> None:
    if not options.points and (any(score.points) or score.carried_cards or score.carried_spades):
        raise Malformed("$.facts.score", "presupposes points")
    for name, carried in (("carriedCards", score.carried_cards), ("carriedSpades", score.carried_spades)):
        if carried and (options.tie != "carry" or carried % MOST_CARDS):
            raise Malformed(f"$.facts.score.{name}", "so many points are not carried")


def _told(fact: WippenHeapFact, path: str) -> Takings:
    if fact.heap is None:
        return Takings(fact.cards, fact.spades, fact.aces, fact.ten_of_diamonds, fact.two_of_spades, fact.wips)
    found = takings_of(fact.heap, fact.wips)
    told = Takings(fact.cards, fact.spades, fact.aces, fact.ten_of_diamonds, fact.two_of_spades, fact.wips)
    for name, number in _counted(found).items():
        if _counted(told)[name] not in (0, number):
            raise Malformed(f"{path}.{name}", f"the heap has {number}")
    return found


def _counted(taken: Takings) -> dict[str, int]:
    return {
        "cards": taken.cards,
        "spades": taken.spades,
        "aces": taken.aces,
        "tenOfDiamonds": taken.tens,
        "twoOfSpades": taken.twos,
    }


def _check_heaps(
    heaps: Sequence[WippenHeapFact],
    takings: Sequence[Takings],
    cards: tuple[Card, ...],
    names: tuple[str, ...] | None,
) -> None:
    """Malformed where the heaps are not the round's whole pack, by all numbers or by those named."""
    for seat, fact in enumerate(heaps):
        for index, card in enumerate(fact.heap or ()):
            if sum((other.heap or ()).count(card) for other in heaps) > cards.count(card):
                raise Malformed(f"$.facts.heaps[{seat}].heap[{index}]", f"{card} is there too often")
    for seat, taken in enumerate(takings):
        if taken.twos > taken.spades:
            raise Malformed(f"$.facts.heaps[{seat}].spades", "the two of spades is one")
    there = cards.count(ACE_OF_SPADES)
    spade_aces = [_spade_aces(fact, taken, there) for fact, taken in zip(heaps, takings, strict=True)]
    for seat, (least, most) in enumerate(spade_aces):
        if least > most:
            raise Malformed(f"$.facts.heaps[{seat}].cards", "fewer than of those that count")
    if not any(taken.cards for taken in takings):
        return
    whole = _counted(takings_of(cards, 0))
    for name in names or whole:
        number = whole[name]
        total = sum(_counted(taken)[name] for taken in takings)
        if total != number:
            raise Malformed("$.facts.heaps", f"{name}: {total} in all, where a round has {number}")
    if names is None and not sum(least for least, _ in spade_aces) <= there <= sum(most for _, most in spade_aces):
        raise Malformed("$.facts.heaps", f"so many spades and aces do not go with {there} of the ace of spades")


def _spade_aces(fact: WippenHeapFact, taken: Takings, there: int) -> tuple[int, int]:
    """The fewest and the most aces of spades among so many cards: each is one of the spades and one of the aces."""
    if fact.heap is not None:
        number = fact.heap.count(ACE_OF_SPADES)
        return number, number
    most = min(there, taken.aces, taken.spades - taken.twos)
    return max(0, taken.spades + taken.aces + taken.tens - taken.cards), most
