"""What is played for a seat that does not play in time: the least that the rules ask of it, the same each time.

A pass or a stay where there is one; else the lowest card, laid down rather than used, and of the led suit where there
is any; else the first legal move that is no free action.
"""

from collections.abc import Iterator
from typing import Any, Final

from .cards import Suit, in_order
from .game import Game, Query, StateBase, legal_moves
from .moves import Move, Pass, Play, Stay, Trail

_RETIRING: Final = (Pass(), Stay())
_LAYING: Final = (Play, Trail)


def default_act(game: Game[Any, Any, Any], state: StateBase) -> tuple[int, Move] | None:
    """The seat to act and its default act; None where nobody has to act, or only who holds the cards can."""
    if state.to_act is None:
        return None
    seat = state.to_act.seat
    for move in (*_RETIRING, *_layings(state, state.to_act.hand)):
        if type(move) in game.moves and game.refuse(state, move, seat) is None:
            return seat, move
    moves = [each.move for each in legal_moves(game, state, seat, Query()).moves]
    return next(((seat, move) for move in moves if type(move) not in game.free), None)


def _layings(state: StateBase, hand: int) -> Iterator[Move]:
    """The cards of a hand laid down, the lowest first; before them those of the led suit, also where none must be."""
    led = _led(state)
    cards = in_order(set(state.hands[hand].cards))
    for card in sorted(cards, key=lambda card: (card.suit is not led, card.rank)):
        for laying in _LAYING:
            yield laying(card)


def _led(state: StateBase) -> Suit | None:
    """The suit that was led to the trick under way, in a game of tricks."""
    tricks = getattr(state, "tricks", ())
    return tricks[-1].led if tricks and tricks[-1].winner is None else None
