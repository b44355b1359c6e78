"""Flip 7, by Eric Olsen: take one more card, or stop in time?

The rules are the published game's, as `docs/games/flip7.md` has them clause by clause (``F-1`` to ``F-18``) with the
rulings where they are silent (``FA1`` to ``FA41``). Where this departs from the publisher's staff: a seat that had to
flip three before its first card is dealt that card all the same, unless the option says otherwise.

Read on in `options`, `deck`, `state`, `scoring`, `table`, `resolve`, `rules`, `check`, `odds`, in that order.
"""

from typing import Final

from ...game import Game
from ...moves import Deal, Draw, Give, Hit, Stay
from .check import check
from .odds import odds
from .options import PRESETS, Flip7Options, check_options
from .playout import play_out
from .rules import apply, legal, project, refuse, see, sheet, start
from .sampling import sampler
from .scoring import sheet_of_facts
from .state import (
    Flip7Deck,
    Flip7Facts,
    Flip7FlipThree,
    Flip7Given,
    Flip7Held,
    Flip7Row,
    Flip7RowFact,
    Flip7State,
)

__all__ = [
    "FLIP7",
    "Flip7Deck",
    "Flip7Facts",
    "Flip7FlipThree",
    "Flip7Given",
    "Flip7Held",
    "Flip7Options",
    "Flip7Row",
    "Flip7RowFact",
    "Flip7State",
]

CLAUSES: Final = (*(f"F-{number}" for number in range(1, 19)), "FA15", "FA33")

FLIP7: Final = Game(
    name="flip7",
    rulesets=(1,),
    places=range(1, 19),
    seats=None,
    state=Flip7State,
    options=Flip7Options,
    facts=Flip7Facts,
    presets=PRESETS,
    moves=(Deal, Hit, Stay, Give, Draw),
    free=(),
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
    play_out=play_out,
    odds=odds,
)
