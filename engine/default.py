"""What is played for a seat that does not play in time: the least that the rules ask of it, the same each time.

A pass or a stay where there is one; else the lowest card, laid down rather than used; else the first legal move.
"""

from typing import Any, Final

from .cards import in_order
from .game import Game, Query, StateBase, legal_moves
from .moves import Move, Pass, Play, Stay, Trail

_RETIRING: Final = (Pass, Stay)
_LAYING: Final = (Play, Trail)


def default_act(game: Game[Any, Any, Any], state: StateBase) -> tuple[int, Move] | None:
    """The seat to act and its default act; None where nobody has to act, or only who holds the cards can."""
    if state.to_act is None:
        return None
    seat = state.to_act.seat
    moves = [each.move for each in legal_moves(game, state, seat, Query()).moves]
    retiring = [move for move in moves if isinstance(move, _RETIRING)]
    laying = {move.card: move for move in moves if isinstance(move, _LAYING)}
    if retiring:
        return seat, retiring[0]
    if laying:
        return seat, laying[min(in_order(laying), key=lambda card: card.rank)]
    return (seat, moves[0]) if moves else None
