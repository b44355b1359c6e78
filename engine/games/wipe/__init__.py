"""Le Wipe, a fishing game of the Cassino family in which an opponent's last trick can be captured again.

The rules are those of a French house text, as `docs/games/wipe.md` has them clause by clause (``L-1`` to ``L-12``) with
the rulings where the text is silent (``LA1`` to ``LA33``), each an option where it could be read otherwise. Where this
departs from the family: capturing is never compulsory, a last trick won can be stolen as a whole, a side with four of a
kind may turn its cards over, and wipes are announced and kept on an account of their own.

Read on in `options`, `state`, `scoring`, `table`, `takings`, `views`, `play`, `knowledge`, `judging`, `listing`,
`rules`, `check`, in that order.
"""

from typing import Final

from ...game import Game
from ...moves import Announce, Build, Capture, Close, Deal, Extend, Raise, Strike, Trail
from .check import check
from .options import PRESETS, WipeOptions, check_options
from .play import apply
from .rules import legal, refuse, sheet, start
from .sampling import sampler
from .scoring import sheet_of_facts
from .state import WipeCarry, WipeCount, WipeFacts, WipeHeap, WipeScore, WipeState, WipeTally, WipeTrick
from .table import PLACES, side_of
from .views import project, see

__all__ = [
    "WIPE",
    "WipeCarry",
    "WipeCount",
    "WipeFacts",
    "WipeHeap",
    "WipeOptions",
    "WipeScore",
    "WipeState",
    "WipeTally",
    "WipeTrick",
]

CITED_RULINGS: Final = (1, 3, 5, 7, 9, 10, 11, 12, 13, 15, 18, 21, 27, 28, 29)
CLAUSES: Final = (*(f"L-{number}" for number in range(1, 13)), *(f"LA{number}" for number in CITED_RULINGS))

WIPE: Final = Game(
    name="wipe",
    rulesets=(1,),
    places=PLACES,
    seats=None,
    state=WipeState,
    options=WipeOptions,
    facts=WipeFacts,
    presets=PRESETS,
    moves=(Capture, Build, Extend, Raise, Trail, Close, Announce, Deal, Strike),
    free=(Close, Announce),
    explodes=True,
    host=(Strike,),
    clauses=CLAUSES,
    check_options=check_options,
    start=start,
    check=check,
    legal=legal,
    refuse=refuse,
    apply=apply,
    project=project,
    see=see,
    sheet=sheet,
    sheet_of_facts=sheet_of_facts,
    sampler=sampler,
    side_of=lambda state, seat: side_of(len(state.hands), seat),
)
