"""Wippen: capturing by equal cards and sums, building, and wips, for two to twelve.

The rules are those of a Flemish family game as `docs/games/wippen.md` has them, clause by clause (``WI-1`` to
``WI-26``), with the rulings where they are silent (``WIA1`` to ``WIA42``). All additional rules are on by default; the
presets ``family`` and ``basic`` leave most or all of them out.

Read on in `options`, `plan`, `state`, `table`, `capturing`, `building`, `scoring`, `knowledge`, `views`, `dealing`,
`rules`, `course`, `check`, in that order.
"""

from typing import Final

from ...game import Game
from ...moves import Build, Capture, Deal, Extend, Raise, Trail
from .check import check
from .dealing import start
from .options import PRESETS, WippenOptions, check_options, implied
from .plan import PLACES
from .rules import apply, legal, refuse, sheet
from .sampling import sampler
from .scoring import sheet_of_facts
from .state import WippenFacts, WippenHeapFact, WippenScore, WippenState
from .views import project, see

__all__ = ["WIPPEN", "WippenFacts", "WippenHeapFact", "WippenOptions", "WippenScore", "WippenState"]

CLAUSES: Final = (
    *(f"WI-{number}" for number in range(1, 27)),
    *("WIA6", "WIA7", "WIA8", "WIA11", "WIA15", "WIA21", "WIA25", "WIA37"),
)

WIPPEN: Final = Game(
    name="wippen",
    rulesets=(1,),
    places=PLACES,
    seats=None,
    state=WippenState,
    options=WippenOptions,
    facts=WippenFacts,
    presets=PRESETS,
    moves=(Capture, Build, Extend, Raise, Trail, Deal),
    free=(),
    explodes=True,
    clauses=CLAUSES,
    check_options=check_options,
    implied=implied,
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
)
