"""Thirteen tricks played card by card, hands as card sets: what many moves in one call are made on.

The rules are those of `tricks`, which states are judged by too.
"""

from collections.abc import Sequence

from ..cards import card_set
from ..moves import Hand
from ..rng import Choices
from .cardsets import count, picked, suit_of
from .trick import SEATS, Trick
from .tricks import contenders, followable


class CardPlay:
    """Four hands under way, complete and never changed: `after` makes the next one.

    `turn` is the hand that plays now; `hand`, `second`, `third` and `last` are what it and those after it hold. `lying`
    is the trick under way, `led` the suit led to it as a card set (0 before the lead), `best` the hand winning it;
    `ours` and `theirs` count the tricks won by the even and the odd hands.
    """

    __slots__ = ("best", "hand", "last", "led", "lying", "ours", "second", "theirs", "third", "trump", "turn")

    def __init__(
        self,
        hands: tuple[int, int, int, int],
        trump: int,
        turn: int,
        trick: tuple[int, int, int] = (0, 0, 0),
        won: tuple[int, int] = (0, 0),
    ) -> None:
        """`hands` from `turn` on; `trick` is what lies, the led suit and the hand that is winning."""
        self.hand, self.second, self.third, self.last = hands
        self.trump = trump
        self.turn = turn
        self.lying, self.led, self.best = trick
        self.ours, self.theirs = won

    def playable(self) -> int:
        """The cards that may be played now."""
        return followable(self.hand, self.led)

    def left(self) -> int:
        """How many cards are still held."""
        return count(self.hand) + count(self.second) + count(self.third) + count(self.last)

    def after(self, card: int) -> "CardPlay":
        """The hands once a card, a set of one, is played; ValueError where it may not be."""
        if not card & followable(self.hand, self.led):
            raise ValueError(f"{card:#x} may not be played")
        lying = self.lying | card
        led = self.led or suit_of(card)
        winning = contenders(lying, led, self.trump)
        best = self.turn if card & winning and card > winning ^ card else self.best
        hands = (self.second, self.third, self.last, self.hand ^ card)
        turn = (self.turn + 1) % SEATS
        if count(lying) < SEATS:
            return CardPlay(hands, self.trump, turn, (lying, led, best), (self.ours, self.theirs))
        ours = 1 - best % 2
        while turn != best:
            hands = (hands[1], hands[2], hands[3], hands[0])
            turn = (turn + 1) % SEATS
        return CardPlay(hands, self.trump, turn, (0, 0, 0), (self.ours + ours, self.theirs + 1 - ours))


def led_by(
    hands: Sequence[int], turn: int, trump: int, trick: tuple[int, int, int] = (0, 0, 0), won: tuple[int, int] = (0, 0)
) -> CardPlay:
    """The hands, in the order of the seats, when it is the turn of one of them; as for `CardPlay`."""
    first, second, third, last = (*hands[turn:], *hands[:turn])
    return CardPlay((first, second, third, last), trump, turn, trick, won)


def card_play(hands: Sequence[Hand], tricks: Sequence[Trick], under_way: Trick, trump: int) -> CardPlay:
    """The hands of a state in which every hand is seen; `under_way` is the trick being played, perhaps still empty."""
    lying, led, best = card_set(under_way.cards), 0, 0
    if under_way.led is not None:
        led = under_way.led.mask
        highest = 1 << contenders(lying, led, trump).bit_length() - 1
        best = (under_way.leader + [card.bit for card in under_way.cards].index(highest)) % SEATS
    won = [trick.winner % 2 for trick in tricks if trick.winner is not None]
    held = [card_set(hand.cards) for hand in hands]
    return led_by(held, under_way.turn, trump, (lying, led, best), (won.count(0), won.count(1)))


def played_out(play: CardPlay, choices: Choices) -> CardPlay:
    """The end of random play: each card that may be played is as likely as the next."""
    while play.hand:
        playable = play.playable()
        play = play.after(picked(playable, choices.below(count(playable))))
    return play
