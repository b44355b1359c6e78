"""Hands of which some are hidden, laid out whole: what sampling makes of a view of a game of tricks, or of fishing."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from ..cards import Card, Suit, in_order, iter_cards
from ..events import Built, Captured, Dealt, Event, Extended, Raised, Redealt, Trailed
from ..moves import Hand
from ..rng import Stream
from .deduction import Unseen
from .holding import Facts
from .layout import HIGHEST_PICTURE, value_of
from .sampling import Box, Layer


def layer_of(hands: Sequence[Hand], open_still: Unseen) -> Callable[[Stream], tuple[Hand, ...]]:
    """What lays the unknown cards into the hands, by suits: each way that agrees with voids is as likely as the next.

    ValueError where they cannot lie so.
    """
    suits = list(Suit)
    cards = {at: tuple(iter_cards(open_still.unknown & suit.mask)) for at, suit in enumerate(suits)}
    boxes = [
        Box(hole, frozenset(at for at, suit in enumerate(suits) if void & suit.mask))
        for hole, void in zip(open_still.holes, open_still.voids, strict=True)
    ]
    layer: Layer[Card] = Layer(cards, boxes)

    def laid(stream: Stream) -> tuple[Hand, ...]:
        filled = layer.lay(stream)
        return tuple(
            hand if not hand.hidden else Hand(in_order((*iter_cards(certain), *more)))
            for hand, certain, more in zip(hands, open_still.certain, filled, strict=True)
        )

    return laid


class Covered:
    """Hidden hands and a stock, laid out by values, each way that agrees with what is proved of the hands alike."""

    def __init__(self, hands: Sequence[Hand], unknown: Counter[Card], facts: Sequence[Facts]) -> None:
        """ValueError where the unknown cards cannot lie so; what no hand takes is the stock."""
        cards: dict[int, list[Card]] = {}
        for card in unknown.elements():
            cards.setdefault(value_of(card), []).append(card)
        self._hands = tuple(hands)
        boxes = [_box(hand, proved) for hand, proved in zip(hands, facts, strict=True)]
        stock = unknown.total() - sum(box.size for box in boxes)
        self._layer: Layer[Card] = Layer(cards, [*boxes, Box(stock)])

    @property
    def exact(self) -> bool:
        """Whether the chances are exactly equal."""
        return self._layer.exact

    def lay(self, stream: Stream) -> tuple[tuple[Hand, ...], Hand]:
        """The hands, and the stock in the order it is dealt."""
        *filled, stock = self._layer.lay(stream)
        hands = tuple(
            Hand(in_order((*hand.cards, *more))) if hand.hidden else hand
            for hand, more in zip(self._hands, filled, strict=True)
        )
        return hands, Hand(tuple(stock))


def _box(hand: Hand, proved: Facts) -> Box:
    if not hand.hidden:
        return Box(0)
    known = Counter(map(value_of, hand.cards))
    never = frozenset(value for value in range(HIGHEST_PICTURE + 1) if proved.never >> value & 1)
    return Box(hand.hidden, never, {value: number - known[value] for value, number in proved.holds.items()})


def dealt_whole(events: Iterable[Event], hands: Sequence[Hand]) -> tuple[Event, ...]:
    """The events of a round of fishing with every hand told in its deals: what it played of them, and what it holds."""
    told: list[Event] = []
    held = [list(hand.cards) for hand in hands]
    for event in reversed([*events]):
        match event:
            case Captured() | Built() | Extended() | Raised() | Trailed():
                held[event.seat].append(event.card)
                told.append(event)
            case Dealt() | Redealt():
                told.append(replace(event, hands=tuple(Hand(in_order(cards)) for cards in held)))
                held = [[] for _ in hands]
            case _:
                told.append(event)
    return tuple(reversed(told))
