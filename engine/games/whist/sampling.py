"""Full states that a view of whist can be of."""

from msgspec.structs import replace

from ...events import TurnedUp
from ...game import Sampler
from ...mechanics.laying import layer_of
from ...rng import Stream
from ...violations import ImpossibleState, Reason
from .rules import unseen_in
from .state import WhistState


def sampler(view: WhistState) -> Sampler[WhistState]:
    """Hidden hands as voids and the turned card leave them."""
    turned = next((event.card for event in view.history or () if isinstance(event, TurnedUp)), view.trump_card)
    try:
        laid = layer_of(view.hands, unseen_in(view)) if view.deals else None
    except ValueError:
        raise ImpossibleState("$.view.hands", Reason.NOT_A_POSSIBLE_DEAL) from None

    def draw(stream: Stream) -> WhistState:
        return replace(
            view,
            viewer=None,
            history=None,
            chance="seed",
            seed=stream.seed(),
            hands=view.hands if laid is None else laid(stream),
            trump_card=turned,
        )

    return Sampler(draw)
