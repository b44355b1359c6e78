"""Random play of Flip 7 to the end in one call: the rules of a state's moves, on a state that stays thawed."""

from ...game import Until
from ...rng import Choices
from ...sheet import Sheet
from .resolve import Resolution
from .scoring import match_sheet
from .state import Flip7State


def play_out(state: Flip7State, choices: Choices, until: Until, most: int) -> tuple[Sheet | None, int] | None:
    """The sheet that random play ends with, None where it does not within so many moves; and how many it took.

    None where the state is not of a kind that is played out here: one in which the order of the deck is not known.
    """
    if state.viewer is not None or state.seed is None:
        return None
    going = Resolution(state, told=False)
    for moves in range(most):
        seat = going.acting
        if seat is None:
            break
        match going.phase:
            case "turns":
                if going.rows[seat].cards and choices.below(2):
                    going.stay()
                else:
                    going.hit()
            case "give":
                going.give(_taker(going, choices))
            case "draw":
                return None, moves
            case _:
                going.deal()
        if until == "deal" and going.phase in ("roundOver", "over"):
            return going.round_sheet(), moves + 1
        if going.phase == "over":
            return match_sheet(going.options, going.totals, going.round), moves + 1
    return None, most


def _taker(going: Resolution, choices: Choices) -> int:
    """One of the seats that may be given the card that must be given now."""
    card = going.to_give()
    takers = [seat for seat in going.seats if going.may_give(card, seat)]
    return takers[choices.below(len(takers))]
