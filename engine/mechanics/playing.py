"""Playing to a trick: which cards of a hand may be, and why the others may not, whether the hand is seen or not."""

from collections.abc import Callable, Sequence

from ..cards import Card, Suit, in_order, iter_cards
from ..game import Blocked
from ..moves import Hand
from ..violations import Code, Malformed, Violation, violation
from .cardsets import BITS, set_of
from .deduction import Unseen
from .tricks import followable


def playable(hand: Hand, index: int, led: Suit | None, unseen: Callable[[], Unseen]) -> tuple[Card, ...]:
    """The cards that may be played from hand `index`; from one not seen whole, all that it could rightly play.

    `led` is None where nothing need be followed. `unseen` is called where the hand is not seen whole.
    """
    if hand.hidden:
        return in_order(iter_cards(unseen().may_play(index, led)))
    may = followable(set_of(hand.cards), led.mask if led else 0)
    return tuple([card for card in hand.cards if BITS[card] & may])


def refuse_card(
    game: str, hand: Hand, index: int, card: Card, led: Suit | None, unseen: Callable[[], Unseen]
) -> Violation | None:
    """Why a card may not be played from hand `index`; None where it may. As for `playable`."""
    if not hand.hidden:
        if card not in hand.cards:
            return violation(game, Code.NOT_IN_HAND, card=card)
        if led is None or card.suit is led:
            return None
        following = set_of(hand.cards) & led.mask
        return _must_follow(game, card, led, following) if following else None
    open_still = unseen()
    if not open_still.may_hold(index) & BITS[card]:
        return violation(game, Code.CARD_ELSEWHERE, card=card, hand=index)
    if led is None or open_still.may_play(index, led) & BITS[card]:
        return None
    return _must_follow(game, card, led, open_still.certain[index] & led.mask)


def _must_follow(game: str, card: Card, led: Suit, following: int) -> Violation:
    return violation(game, Code.MUST_FOLLOW_SUIT, card=card, ledSuit=led, cards=in_order(iter_cards(following)))


def with_exposed(hands: tuple[Hand, ...], index: int, cards: Sequence[Card]) -> tuple[Hand, ...]:
    """The hands once hand `index` is laid open."""
    return (*hands[:index], Hand(in_order(cards)), *hands[index + 1 :])


def refuse_exposed(
    game: str, hands: tuple[Hand, ...], index: int, cards: Sequence[Card], unseen: Callable[[tuple[Hand, ...]], Unseen]
) -> Violation | None:
    """Why hand `index`, not seen yet, cannot be these cards; Malformed where they are too few, too many or twice."""
    if len(cards) != len(hands[index]) or len(set(cards)) != len(cards):
        raise Malformed("$.move.cards", f"the hand has {len(hands[index])} cards, each once")
    may_hold = unseen(hands).may_hold(index)
    elsewhere = next((card for card in cards if not BITS[card] & may_hold), None)
    if elsewhere is None and not unseen(with_exposed(hands, index, cards)).can_be():
        elsewhere = cards[0]
    return violation(game, Code.CARD_ELSEWHERE, card=elsewhere, hand=index) if elsewhere else None


def blocked(hand: Hand, refused: Callable[[Card], Violation | None]) -> tuple[Blocked, ...]:
    """The known cards of a hand that may not be played, each with the reason."""
    reasons = ((card, refused(card)) for card in hand.cards)
    return tuple(Blocked(card, why) for card, why in reasons if why is not None)
