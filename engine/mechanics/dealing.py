"""Thirteen cards each from the 52: packs and deals as callers tell them, hands as they are played from."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from ..cards import PACK, WHOLE_PACK, AnyCard, Card, card_set, cards_of
from ..game import SPECTATOR, Viewer
from ..moves import Deal, Hand
from ..violations import Malformed
from .trick import SEATS

HAND_SIZE: Final = 13
NO_CARDS: Final = (Hand(),) * SEATS


def whole_pack(path: str, cards: Iterable[AnyCard | Card]) -> tuple[Card, ...]:
    """The pack in the order told; Malformed at `path` where it is not each of the 52 cards once."""
    french = cards_of(Card, map(AnyCard, cards))
    if french is None or len(french) != len(PACK) or card_set(french) != WHOLE_PACK:
        raise Malformed(path, "not each of the 52 cards exactly once")
    return french


def check_told_hands(deal: Deal, seen_by: Callable[[Sequence[Hand]], Viewer | None]) -> None:
    """Malformed where the deck or the hands that a caller tells cannot be a deal.

    `seen_by` says whose view a deal is of which some hands are told.
    """
    if deal.layout is not None:
        raise Malformed("$.move.layout", "no card is laid open beside the hands")
    if deal.deck is not None:
        if deal.hands is not None or deal.turned is not None:
            raise Malformed("$.move", "a deal is told by the deck or by the hands, not by both")
        whole_pack("$.move.deck", deal.deck)
        return
    hands = deal.hands or ()
    if len(hands) != SEATS or any(len(hand) != HAND_SIZE for hand in hands):
        raise Malformed("$.move.hands", "four hands get thirteen cards each")
    if any(hand.cards and hand.hidden for hand in hands):
        raise Malformed("$.move.hands", "a hand is told whole or not at all")
    known = [card for hand in hands for card in hand.cards]
    if card_set(known).bit_count() != len(known):
        raise Malformed("$.move.hands", "a card is there twice")
    if len(known) < len(PACK) and seen_by(hands) is None:
        raise Malformed("$.move.hands", "nobody sees just these hands: tell one seat's view, or all")


def whose_view(
    hands: Sequence[Hand],
    viewer: Viewer | None,
    visible: Callable[[Viewer], frozenset[int]],
    seats: Iterable[int] = range(SEATS),
) -> Viewer | None:
    """Whose view a partly told deal is: who of the spectator and `seats`, or is it `viewer`, sees just those hands."""
    told = {index for index, hand in enumerate(hands) if hand.cards}
    viewers: tuple[Viewer, ...] = (SPECTATOR, *seats) if viewer is None else (viewer,)
    return next((each for each in viewers if visible(each) == told), None)


def without(hands: tuple[Hand, ...], index: int, card: Card) -> tuple[Hand, ...]:
    """The hands once a card is played from one of them: the known card, else one of the hidden."""
    hand = hands[index]
    if card in hand.cards:
        left = Hand(tuple(held for held in hand.cards if held is not card), hand.hidden)
    else:
        left = Hand(hand.cards, hand.hidden - 1)
    return (*hands[:index], left, *hands[index + 1 :])
