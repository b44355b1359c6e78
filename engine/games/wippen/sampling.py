"""Full states that a view of Wippen can be of."""

from msgspec.structs import replace

from ...game import Sampler
from ...mechanics.laying import Covered, dealt_whole
from ...moves import Hand
from ...rng import Stream
from ...violations import ImpossibleState, Reason
from .knowledge import facts_of, heaps_seen, places, unknown_cards
from .state import WippenState


def sampler(view: WippenState) -> Sampler[WippenState]:
    """Hidden hands and the stock as all that the moves prove leaves them."""
    try:
        layer = Covered(view.hands, unknown_cards(view), facts_of(view)) if view.rounds else None
    except ValueError:
        raise ImpossibleState("$.view.hands", Reason.NOT_A_POSSIBLE_DEAL) from None
    heaps = view.heaps
    if view.history is not None and view.rounds:
        heaps = tuple(map(Hand, heaps_seen(view.history, places(view))))

    def draw(stream: Stream) -> WippenState:
        hands, stock = (view.hands, view.stock) if layer is None else layer.lay(stream)
        return replace(
            view,
            viewer=None,
            history=None,
            past=None if view.history is None else dealt_whole(view.history, hands),
            chance="seed",
            seed=stream.seed(),
            hands=hands,
            stock=stock,
            heaps=heaps,
        )

    return Sampler(draw, exact=layer is None or layer.exact)
