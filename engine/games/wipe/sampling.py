"""Full states that a view of Le Wipe can be of."""

from collections import Counter

from msgspec.structs import replace

from ...cards import WHOLE_PACK, card_set, iter_cards
from ...events import Dealt, Event
from ...game import Sampler
from ...mechanics.laying import Covered, dealt_whole
from ...rng import Stream
from ...violations import ImpossibleState, Reason
from .knowledge import facts_of
from .state import WipeState
from .table import known_cards


def sampler(view: WipeState) -> Sampler[WipeState]:
    """Hidden hands and the stock as all that the moves prove leaves them."""
    unknown = Counter(iter_cards(WHOLE_PACK & ~card_set(card for _, card in known_cards(view))))
    try:
        layer = Covered(view.hands, unknown, facts_of(view)) if view.deals else None
    except ValueError:
        raise ImpossibleState("$.view.hands", Reason.NOT_A_POSSIBLE_DEAL) from None

    def draw(stream: Stream) -> WipeState:
        hands, stock = (view.hands, view.stock) if layer is None else layer.lay(stream)
        past = None if view.history is None else dealt_whole(view.history, hands)
        return replace(
            view,
            viewer=None,
            history=None,
            past=past and tuple(_cut(event, len(hands)) for event in past),
            chance="seed",
            seed=stream.seed(),
            hands=hands,
            stock=stock,
        )

    return Sampler(draw, exact=layer is None or layer.exact)


def _cut(event: Event, seats: int) -> Event:
    """A deal as the service makes it: cut by the seat before the dealer."""
    return replace(event, cut_by=(event.dealer - 1) % seats) if isinstance(event, Dealt) else event
