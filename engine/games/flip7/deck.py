"""The 94 cards of Flip 7 and what they are worth (F-1, FA1)."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from ...cards import FlipCard

NUMBERS: Final[dict[FlipCard, int]] = {FlipCard(str(value)): value for value in range(13)}
PLUSES: Final[dict[FlipCard, int]] = {FlipCard(f"+{value}"): value for value in (2, 4, 6, 8, 10)}
DOUBLE: Final = FlipCard("x2")
FREEZE: Final = FlipCard("freeze")
FLIP_THREE: Final = FlipCard("flip3")
SECOND_CHANCE: Final = FlipCard("second")
ACTIONS: Final = (FREEZE, FLIP_THREE, SECOND_CHANCE)

DECK: Final[tuple[FlipCard, ...]] = (
    *(number for number, value in NUMBERS.items() for _ in range(max(1, value))),
    *PLUSES,
    DOUBLE,
    *(action for action in ACTIONS for _ in range(3)),
)
"""Every card, in the order that every shuffle starts from."""
COUNTS: Final = Counter(DECK)
_PLACE: Final = {card: place for place, card in enumerate(FlipCard)}


def in_deck_order(cards: Iterable[FlipCard]) -> tuple[FlipCard, ...]:
    """The cards as `DECK` has them."""
    return tuple(sorted(cards, key=_PLACE.__getitem__))


def feeds(card: FlipCard) -> bool:
    """Whether it is a Flip Three or a Second Chance, which by themselves would feed each other for ever (FA38)."""
    return card is FLIP_THREE or card is SECOND_CHANCE


def can_be_drawn(cards: Iterable[FlipCard]) -> bool:
    """Whether there is a card to draw among those of deck and discards (FA22, FA38)."""
    for card in cards:  # noqa: SIM110 - compiled, a loop takes a third of the time of a generator
        if not feeds(card):
            return True
    return False
