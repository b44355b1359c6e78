"""Who sees what of Wippen: hands, the stock and heaps are hidden; whatever is played or laid is public (WIA40)."""

from msgspec.structs import replace

from ...events import Dealt, Event, Redealt
from ...game import Viewer
from ...moves import Hand
from .knowledge import is_settled, phase_of, sees_hand, turn_of
from .state import WippenState


def with_turn(state: WippenState) -> WippenState:
    """The state with the phase and the turn that the rest of it makes."""
    phased = replace(state, phase=phase_of(state))
    return replace(phased, to_act=turn_of(phased))


def project(state: WippenState, viewer: Viewer) -> WippenState:
    """A full state as one viewer sees it."""
    history = None if state.past is None else tuple(see(state, event, viewer) for event in state.past)
    return shown(replace(state, history=history), viewer)


def shown(state: WippenState, viewer: Viewer) -> WippenState:
    """What a viewer sees of a state, by allow-list. Heaps are counted at the end, and seen where nothing else tells."""
    heaps_are_seen = (
        is_settled(state)
        or (state.viewer is None and state.past is None)
        or (state.viewer is not None and state.history is None)
    )
    return WippenState(
        ruleset=state.ruleset,
        options=state.options,
        chance=state.chance,
        viewer=viewer,
        phase=state.phase,
        seating=state.seating,
        dealer=state.dealer,
        to_act=state.to_act,
        may_also=state.may_also,
        hands=tuple(
            hand if sees_hand(state, viewer, seat) else Hand((), len(hand)) for seat, hand in enumerate(state.hands)
        ),
        history=state.history,
        rounds=state.rounds,
        deals=state.deals,
        stock=Hand((), len(state.stock)),
        layout=state.layout,
        builds=state.builds,
        heaps=tuple(heap if heaps_are_seen else Hand((), len(heap)) for heap in state.heaps),
        last_taker=state.last_taker,
        wips=state.wips,
        score=state.score,
        score_before=state.score_before,
    )


def see(state: WippenState, event: Event, viewer: Viewer) -> Event:
    """An event as one viewer sees it: of a deal, the own hand only, or all where they lie open."""
    if not isinstance(event, Dealt | Redealt):
        return event
    hands = tuple(
        hand if sees_hand(state, viewer, seat) else Hand((), len(hand)) for seat, hand in enumerate(event.hands)
    )
    return replace(event, hands=hands)
