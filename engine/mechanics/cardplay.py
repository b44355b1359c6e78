"""Thirteen tricks played out at random, hands as card sets: what many moves in one call are made on.

The rules are those of `tricks`, which states are judged by too.
"""

from collections.abc import Sequence
from typing import Final

from ..native import i64
from ..rng import Choices
from .cardsets import count, highest_card, picked, set_of, suit_of
from .trick import SEATS, Trick
from .tricks import contenders, followable

NO_TRICK: Final = (0, 0, 0)


class CardPlay:
    """Four hands under way; never changed.

    `hands` are what `turn`, the hand that plays now, and those after it hold; `trick` is what lies of the trick under
    way, the led suit as a card set (0 before the lead) and the hand that is winning it; `won` counts the tricks of the
    even and of the odd hands.
    """

    __slots__ = ("hands", "trick", "trump", "turn", "won")

    def __init__(
        self,
        hands: tuple[i64, i64, i64, i64],
        trump: i64,
        turn: i64,
        trick: tuple[i64, i64, i64] = NO_TRICK,
        won: tuple[i64, i64] = (0, 0),
    ) -> None:
        self.hands = hands
        self.trump = trump
        self.turn = turn
        self.trick = trick
        self.won = won

    def left(self) -> i64:
        """How many cards are still held."""
        first, second, third, last = self.hands
        return count(first) + count(second) + count(third) + count(last)


def led_by(
    hands: Sequence[int], turn: int, trump: int, trick: tuple[int, int, int] = NO_TRICK, won: tuple[int, int] = (0, 0)
) -> CardPlay:
    """The hands, in the order of the seats, when it is the turn of one of them; as for `CardPlay`."""
    first, second, third, last = (*hands[turn:], *hands[:turn])
    return CardPlay((first, second, third, last), trump, turn, trick, won)


def card_play(held: Sequence[int], tricks: Sequence[Trick], under_way: Trick, trump: int) -> CardPlay:
    """The play of a state whose hands hold these cards; `under_way` is the trick being played, perhaps still empty."""
    lying, led, best = set_of(under_way.cards), 0, 0
    if under_way.led is not None:
        led = under_way.led.mask
        winning = highest_card(contenders(lying, led, trump))
        best = (under_way.leader + under_way.cards.index(winning)) % SEATS
    won = [trick.winner % 2 for trick in tricks if trick.winner is not None]
    return led_by(held, under_way.turn, trump, (lying, led, best), (won.count(0), won.count(1)))


def played_out(play: CardPlay, choices: Choices) -> tuple[i64, i64]:
    """The tricks of the even and of the odd hands in the end: each card that may be played is as likely as the next."""
    hand, second, third, last = play.hands
    lying, led, best = play.trick
    even, odd = play.won
    trump = play.trump
    turn = play.turn
    number = count(lying)
    while hand:
        playable = followable(hand, led)
        card = picked(playable, choices.below(count(playable)))
        if not led:
            led = suit_of(card)
        lying |= card
        winning = contenders(lying, led, trump)
        if card & winning and card > winning ^ card:
            best = turn
        hand, second, third, last = second, third, last, hand ^ card
        turn = (turn + 1) % SEATS
        number += 1
        if number == SEATS:
            while turn != best:
                hand, second, third, last = second, third, last, hand
                turn = (turn + 1) % SEATS
            if best % 2:
                odd += 1
            else:
                even += 1
            lying = led = number = 0
    return even, odd
