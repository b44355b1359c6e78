"""Full states that a view of PeeWee 7 can be of."""

from msgspec.structs import replace

from ...game import Sampler
from ...mechanics.laying import layer_of
from ...rng import Stream
from ...violations import ImpossibleState, Reason
from .rules import unseen_in
from .state import PeeweeState


def sampler(view: PeeweeState) -> Sampler[PeeweeState]:
    """Hidden hands as voids leave them: a bid proves nothing of a hand."""
    try:
        laid = layer_of(view.hands, unseen_in(view)) if view.deals else None
    except ValueError:
        raise ImpossibleState("$.view.hands", Reason.NOT_A_POSSIBLE_DEAL) from None

    def draw(stream: Stream) -> PeeweeState:
        return replace(
            view,
            viewer=None,
            history=None,
            chance="seed",
            seed=stream.seed(),
            hands=view.hands if laid is None else laid(stream),
        )

    return Sampler(draw)
