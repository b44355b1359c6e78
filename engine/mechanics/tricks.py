"""Tricks: leading, following, winning, and what past tricks prove. Hands are card sets as integers."""

from collections.abc import Sequence

from ..cards import Card, Suit
from ..native import i64
from .cardsets import BITS, highest_card, set_of, suit_of
from .trick import SEATS, Trick


def followable(hand: i64, led: i64) -> i64:
    """The cards of a hand that may be played: those of the suit led, or all where there are none.

    `led` is the whole led suit as a card set, 0 where nothing need be followed.
    """
    return hand & led or hand


def contenders(lying: i64, led: i64, trump: i64) -> i64:
    """The cards of a trick of which the highest wins it: the trumps, else those of the suit led."""
    return lying & trump or lying & led


def winner_of(leader: int, cards: Sequence[Card], trump: Suit | None) -> int:
    """The hand that wins a complete trick: the highest trump, else the highest card of the led suit.

    >>> winner_of(3, [Card("AS"), Card("2C"), Card("KS"), Card("QS")], Suit("C"))
    0
    """
    lying = set_of(cards)
    winning = contenders(lying, suit_of(BITS[cards[0]]), trump.mask if trump else 0)
    return (leader + cards.index(highest_card(winning))) % SEATS


def complete_tricks(tricks: Sequence[Trick]) -> int:
    """How many of the tricks are complete: all, but perhaps the last."""
    return len(tricks) - (1 if tricks and tricks[-1].winner is None else 0)


def trick_under_way(tricks: Sequence[Trick], first_leader: int) -> Trick:
    """The trick being played, perhaps still without a card: winners lead, `first_leader` to the first trick."""
    if not tricks:
        return Trick(first_leader)
    last = tricks[-1]
    return last if last.winner is None else Trick(last.winner)


def with_card(
    tricks: tuple[Trick, ...], first_leader: int, card: Card, trump: Suit | None
) -> tuple[tuple[Trick, ...], int | None]:
    """The tricks once a card is played to the one under way, and who has won it if that completes it."""
    trick = trick_under_way(tricks, first_leader)
    done = tricks[:-1] if trick.cards else tricks
    cards = (*trick.cards, card)
    winner = winner_of(trick.leader, cards, trump) if len(cards) == SEATS else None
    return (*done, Trick(trick.leader, cards, winner)), winner


def cards_played_by(tricks: Sequence[Trick], hand: int) -> tuple[Card, ...]:
    """The cards a hand has played, in order."""
    return tuple(
        trick.cards[position] for trick in tricks if (position := (hand - trick.leader) % SEATS) < len(trick.cards)
    )


def plays(tricks: Sequence[Trick]) -> list[tuple[int, int, Card]]:
    """Every play as (trick number from 1, hand, card), in order."""
    return [
        (number, (trick.leader + position) % SEATS, card)
        for number, trick in enumerate(tricks, 1)
        for position, card in enumerate(trick.cards)
    ]


def revokes_in(tricks: Sequence[Trick], hands: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """The revokes as (hand, trick number), in order: `hands` are what is held after the tricks, all of it known."""
    held = list(hands)
    found = []
    for number, hand, card in reversed(plays(tricks)):
        led = tricks[number - 1].cards[0].suit
        if card.suit is not led and held[hand] & led.mask:
            found.append((hand, number))
        held[hand] |= BITS[card]
    return tuple(reversed(found))


def voids_in(tricks: Sequence[Trick]) -> list[int]:
    """For each hand the cards of the suits it failed to follow: where revokes are prevented it holds none."""
    voids = [0] * SEATS
    for trick in tricks:
        led, hand = 0, trick.leader
        for card in trick.cards:
            led = led or suit_of(BITS[card])
            if not BITS[card] & led:
                voids[hand] |= led
            hand = (hand + 1) % SEATS
    return voids
