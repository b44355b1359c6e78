"""Who sees what of Le Wipe: everything lies open but the other hands and the stock (L-4, LA31)."""

from collections.abc import Sequence

from msgspec.structs import replace

from ...events import Dealt, Event, Redealt
from ...game import Viewer
from ...moves import Hand
from .state import WipeState


def project(state: WipeState, viewer: Viewer) -> WipeState:
    """A full state as one viewer sees it; its history where the state has its past."""
    history = None if state.past is None else tuple(see(state, event, viewer) for event in state.past)
    return WipeState(
        ruleset=state.ruleset,
        chance=state.chance,
        viewer=viewer,
        phase=state.phase,
        seating=state.seating,
        dealer=state.dealer,
        to_act=state.to_act,
        may_also=state.may_also,
        hands=hands_seen(state.hands, viewer),
        history=history,
        options=state.options,
        rounds=state.rounds,
        deals=state.deals,
        stock=Hand((), len(state.stock)),
        layout=state.layout,
        builds=state.builds,
        heaps=state.heaps,
        last_taker=state.last_taker,
        just_took=state.just_took,
        announced=state.announced,
        wipes=state.wipes,
        score=state.score,
        score_before=state.score_before,
    )


def see(state: WipeState, event: Event, viewer: Viewer) -> Event:
    """An event as one viewer sees it: of a deal, the own hand and the layout only."""
    del state
    if isinstance(event, Dealt | Redealt):
        return replace(event, hands=hands_seen(event.hands, viewer))
    return event


def hands_seen(hands: Sequence[Hand], viewer: Viewer) -> tuple[Hand, ...]:
    """The hands, of which a viewer sees its own."""
    return tuple(hand if seat == viewer else Hand((), len(hand)) for seat, hand in enumerate(hands))
