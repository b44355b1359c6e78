"""PeeWee 7: bidding for tricks, two against two, the bidder's partner laying the hand open.

The rules are those of the Dutch-language page that describes the game, as `docs/games/peewee7.md` has them clause by
clause (``P-1`` to ``P-21``) with the rulings where it is silent (``PA1`` to ``PA33``). Where this departs from bridge:
hearts rank above spades, the hand is laid open by the partner of who first named the suit, the left of the dealer
leads whoever's contract it is, and overtricks and undertricks are half crosses on the paper.

Read on in `options`, `state`, `drawing`, `auction`, `scoring`, `paper`, `table`, `views`, `rules`, `check`, in that
order.
"""

from typing import Final

from ...game import Game
from ...moves import Bid, Dare, Deal, DoubleDare, Draw, Expose, Pass, Play
from .check import check
from .options import PRESETS, PeeweeOptions, check_options
from .paper import paper
from .playout import play_out
from .rules import apply, legal, refuse, sheet, start
from .sampling import sampler
from .scoring import sheet_of_facts
from .state import GAME, PeeweeCall, PeeweeContract, PeeweeDraw, PeeweeFacts, PeeweeRow, PeeweeScore, PeeweeState
from .views import project, see

__all__ = [
    "PEEWEE7",
    "PeeweeCall",
    "PeeweeContract",
    "PeeweeDraw",
    "PeeweeFacts",
    "PeeweeOptions",
    "PeeweeRow",
    "PeeweeScore",
    "PeeweeState",
    "paper",
]

CLAUSES: Final = (*(f"P-{number}" for number in range(1, 22)), "PA4", "PA10", "PA11")

PEEWEE7: Final = Game(
    name=GAME,
    rulesets=(1,),
    places=range(4, 5),
    seats=4,
    state=PeeweeState,
    options=PeeweeOptions,
    facts=PeeweeFacts,
    presets=PRESETS,
    moves=(Play, Deal, Draw, Expose, Bid, Pass, Dare, DoubleDare),
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
    side_of=lambda _, seat: seat % 2,
)
