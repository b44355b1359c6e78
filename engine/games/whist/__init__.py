"""Whist, with Short and Long, American, no-trump and Dummy whist.

The rules are the traditional English partnership game's, as `docs/games/whist.md` has them clause by clause (``W-1`` to
``W-20``) with the rulings where the tradition is silent (``WA1`` to ``WA39``). Where this departs from common practice:
honours count toward the game by default, and only a rubber won 2-0 earns the bonus.

Read on in `options`, `state`, `drawing`, `scoring`, `table`, `views`, `rules`, `check`, in that order.
"""

from typing import Final

from ...game import Game
from ...moves import Choose, Claim, Deal, Draw, End, Expose, Play
from .check import check
from .options import PRESETS, WhistOptions, check_options
from .playout import play_out
from .rules import apply, legal, refuse, sheet, start
from .sampling import sampler
from .scoring import sheet_of_facts
from .state import (
    WhistClaim,
    WhistDraw,
    WhistFacts,
    WhistGameScore,
    WhistRevokeFact,
    WhistScore,
    WhistState,
)
from .views import project, see

__all__ = [
    "WHIST",
    "WhistClaim",
    "WhistDraw",
    "WhistFacts",
    "WhistGameScore",
    "WhistOptions",
    "WhistRevokeFact",
    "WhistScore",
    "WhistState",
]

CLAUSES: Final = (
    *(f"W-{number}" for number in range(1, 21)),
    *("WA2", "WA7", "WA10", "WA13", "WA26", "WA38"),
)

WHIST: Final = Game(
    name="whist",
    rulesets=(1,),
    places=range(3, 5),
    seats=4,
    state=WhistState,
    options=WhistOptions,
    facts=WhistFacts,
    presets=PRESETS,
    moves=(Play, Deal, Draw, Expose, Claim, Choose, End),
    free=(Claim,),
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
    side_of=lambda _, seat: seat % 2,
)
