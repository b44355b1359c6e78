"""Who sees what of PeeWee 7, and the events behind a state."""

from msgspec.structs import replace

from ...cards import PACK, in_order
from ...events import (
    Called,
    Contracted,
    Dealt,
    Drawn,
    Event,
    Exposed,
    Played,
    Reshuffled,
    Scored,
    Seated,
    ThrownIn,
    TrickWon,
)
from ...game import Viewer
from ...mechanics.dealing import without
from ...mechanics.trick import SEATS
from ...moves import Hand
from .drawing import teams_are_made
from .scoring import deal_sheet, match_sheet, winners
from .state import HAND_TRICKS, PeeweeState
from .table import (
    dealt_to,
    decider,
    is_exposed_before_lead,
    is_thrown_in,
    peewee_is_exposed,
    peewee_of,
    settlement,
    visible_hands,
)


def project(state: PeeweeState, viewer: Viewer) -> PeeweeState:
    """A full state as one viewer sees it."""
    history = tuple(see(state, event, viewer) for event in history_of(state))
    return replace(shown(state, viewer), viewer=viewer, history=history)


def shown(state: PeeweeState, viewer: Viewer) -> PeeweeState:
    """What a viewer sees of a state; no history yet."""
    visible = visible_hands(state, viewer)
    hands = tuple(hand if index in visible else Hand((), len(hand)) for index, hand in enumerate(state.hands))
    return PeeweeState(
        ruleset=state.ruleset,
        chance=state.chance,
        viewer=viewer,
        phase=state.phase,
        seating=state.seating,
        dealer=state.dealer,
        to_act=state.to_act,
        may_also=state.may_also,
        hands=hands,
        options=state.options,
        draws=state.draws,
        packs=state.packs,
        black=state.black,
        deals=state.deals,
        calls=state.calls,
        contract=state.contract,
        master=state.master,
        tricks=state.tricks,
        score=state.score,
        score_before=state.score_before,
    )


def see(state: PeeweeState, event: Event, viewer: Viewer) -> Event:
    """An event as one viewer sees it: of a deal, the own hand only. All else is public."""
    del state
    if not isinstance(event, Dealt):
        return event
    hands = tuple(hand if index == viewer else Hand((), len(hand)) for index, hand in enumerate(event.hands))
    return replace(event, hands=hands)


def history_of(state: PeeweeState) -> tuple[Event, ...]:
    """The events since the last deal, or of the draw before the first, as the referee saw them.

    For a view: as its viewer saw them; the Peewee's hand is laid open in it where it is seen.
    """
    if not state.deals:
        return _draw_events(state)
    hands = tuple(_as_dealt(state, index) for index in range(SEATS))
    events: list[Event] = [Dealt(state.dealer, hands)]
    events += (Called(made.seat, made.call) for made in state.calls)
    if is_thrown_in(state):
        events.append(ThrownIn(state.dealer))
    if state.contract is None or state.master is None:
        return tuple(events)
    before_lead = replace(state, tricks=(), hands=tuple(_known_of(state, index) for index in range(SEATS)))
    events += contract_events(before_lead)
    for number, trick in enumerate(state.tricks, 1):
        for position, card in enumerate(trick.cards):
            hand = (trick.leader + position) % SEATS
            first = number == 1 and position == 0
            events.append(Played(decider(before_lead if first else state, hand), hand, card))
            if first and not is_exposed_before_lead(state):
                events += exposed(replace(before_lead, tricks=(trick,), hands=without(before_lead.hands, hand, card)))
        if trick.winner is not None:
            events.append(TrickWon(trick.winner, number))
    if state.score_before is not None:
        events += scored(state)
    return tuple(events)


def contract_events(state: PeeweeState) -> tuple[Event, ...]:
    """The bidding has just closed with a bid."""
    contract, master = state.contract, state.master
    if contract is None or master is None:
        return ()
    made = Contracted(master, contract.tricks, contract.strain, contract.dare)
    return (made, *exposed(state))


def exposed(state: PeeweeState) -> tuple[Event, ...]:
    """The Peewee's hand is laid open now, and told where it is seen whole."""
    peewee = peewee_of(state)
    if peewee is None or not peewee_is_exposed(state):
        return ()
    hand = state.hands[peewee]
    return () if hand.hidden else (Exposed(peewee, in_order(hand.cards)),)


def scored(state: PeeweeState) -> tuple[Event, ...]:
    """The deal has just been settled, and the match with it where it is won."""
    sheets = [deal_sheet(state.options, settlement(state))]
    if winners(state.options, state.score):
        sheets.append(match_sheet(state.options, state.score))
    return tuple(Scored(sheet) for sheet in sheets)


def _as_dealt(state: PeeweeState, index: int) -> Hand:
    if state.viewer is not None and index != state.viewer:
        return Hand((), HAND_TRICKS)
    return _known_of(state, index)


def _known_of(state: PeeweeState, index: int) -> Hand:
    cards = in_order(dealt_to(state, index))
    return Hand(cards, HAND_TRICKS - len(cards))


def _draw_events(state: PeeweeState) -> tuple[Event, ...]:
    events: list[Event] = [Reshuffled(len(PACK))] if state.packs else []
    events += (Drawn(draw.place, draw.card) for draw in state.draws)
    if teams_are_made(state.options, state.draws):
        events.append(Seated(state.seating, state.dealer))
    return tuple(events)
