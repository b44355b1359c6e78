"""Who sees what of a state of whist, and the events that lead to it."""

from typing import Final

from msgspec.structs import replace

from ...cards import PACK, Card, in_order
from ...events import Chosen, Claimed, Dealt, Drawn, Event, Exposed, Played, Scored, Seated, Tied, TrickWon, TurnedUp
from ...game import SPECTATOR, Viewer
from ...mechanics.dealing import without
from ...mechanics.trick import SEATS
from ...moves import Hand
from .drawing import standing
from .scoring import deal_sheet, match_sheet
from .state import PACK_TRICKS, WhistState
from .table import (
    dealt_to,
    decider,
    dummy_is_exposed,
    dummy_of,
    match_is_decided,
    played_by,
    settlement,
    trump_card_is_public,
    visible_hands,
)

_PLAYED: Final = [[{card: Played(seat, hand, card) for card in PACK} for hand in range(SEATS)] for seat in range(SEATS)]
"""Every event of a card that is played, made once: by the seat that decides and the hand."""


def project(state: WhistState, viewer: Viewer) -> WhistState:
    """A full state as one viewer sees it."""
    history = tuple(see(state, event, viewer) for event in history_of(state, viewer=viewer))
    return replace(shown(state, viewer), viewer=viewer, history=history)


def shown(state: WhistState, viewer: Viewer) -> WhistState:
    """The state's fields that a viewer sees, named one by one; its history is still the state's."""
    visible = visible_hands(state, viewer)
    public = trump_card_is_public(state)
    lies_open = public and state.trump_card not in played_by(state, state.dealer)
    hands = []
    for index, hand in enumerate(state.hands):
        if index in visible:
            hands.append(hand)
            continue
        turned = (state.trump_card,) if lies_open and index == state.dealer and state.trump_card else ()
        hands.append(Hand(turned, len(hand) - len(turned)))
    return WhistState(
        ruleset=state.ruleset,
        chance=state.chance,
        viewer=viewer,
        phase=state.phase,
        seating=state.seating,
        dealer=state.dealer,
        to_act=state.to_act,
        may_also=state.may_also,
        hands=tuple(hands),
        history=state.history,
        options=state.options,
        draws=state.draws,
        deals=state.deals,
        trump=state.trump,
        trump_card=state.trump_card if public else None,
        tricks=state.tricks,
        claims=state.claims,
        score=state.score,
        score_before=state.score_before,
    )


def see(state: WhistState, event: Event, viewer: Viewer) -> Event:
    """An event as one viewer sees it: of a deal, the own hand only."""
    if not isinstance(event, Dealt):
        return event
    own = _own_hand(state, viewer)
    hands = tuple(hand if index in own else Hand((), len(hand)) for index, hand in enumerate(event.hands))
    return replace(event, hands=hands)


def history_of(state: WhistState, turned: Card | None = None, *, viewer: Viewer | None = None) -> tuple[Event, ...]:
    """The events since the last deal, or of the draw before the first, as the referee saw them.

    Of a view: as far as it tells, before `see`; `turned` is then the turned card it no longer shows. Hands that a
    `viewer` never saw dealt may be without their cards.
    """
    if not state.deals:
        return _draw_events(state)
    turned = turned or state.trump_card
    told = range(SEATS) if viewer is None else (*_own_hand(state, viewer), dummy_of(state))
    hands = tuple(_as_dealt(state, index) if index in told else Hand((), PACK_TRICKS) for index in range(SEATS))
    dealt = replace(state, tricks=(), hands=hands, trump_card=turned)
    events = [*deal_events(dealt)]
    played = [_PLAYED[decider(state, hand)][hand] for hand in range(SEATS)]
    for number, trick in enumerate(state.tricks, 1):
        for position, card in enumerate(trick.cards):
            hand = (trick.leader + position) % SEATS
            events.append(played[hand][card])
            if number == 1 and position == 0 and not dummy_is_exposed(dealt):
                events += exposed(replace(dealt, hands=without(dealt.hands, hand, card)))
        if trick.winner is not None:
            events.append(TrickWon(trick.winner, number))
    for claim in state.claims:
        events.append(Claimed(claim.seat, claim.against, claim.trick))
        if claim.penalty:
            events.append(Chosen(claim.seat, claim.penalty))
    if state.score_before is not None:
        events += scored(state)
    return tuple(events)


def _as_dealt(state: WhistState, index: int) -> Hand:
    if state.hands[index].hidden or (state.viewer is not None and index not in visible_hands(state, state.viewer)):
        return Hand((), PACK_TRICKS)
    return Hand(in_order(dealt_to(state, index)))


def _own_hand(state: WhistState, viewer: Viewer) -> tuple[int, ...]:
    return () if viewer == SPECTATOR else (decider(state, int(viewer)),)


def deal_events(state: WhistState) -> tuple[Event, ...]:
    """What a deal tells: the hands, the turned card, dummy's hand where it is open at once."""
    cut_by = decider(state, (state.dealer - 1) % SEATS) if state.chance == "seed" else None
    events: list[Event] = [Dealt(state.dealer, state.hands, cut_by)]
    if state.trump_card is not None:
        events.append(TurnedUp(state.trump_card))
    if dummy_is_exposed(state):
        events += exposed(state)
    return tuple(events)


def _draw_events(state: WhistState) -> tuple[Event, ...]:
    events: list[Event] = []
    for count, draw in enumerate(state.draws, 1):
        before = standing(state.options, state.draws[: count - 1])
        now = standing(state.options, state.draws[:count])
        events.append(Drawn(draw.place, draw.card))
        if not now.pending:
            events.append(Seated(state.seating, state.dealer))
        elif len(before.pending) == 1 and now.decides is not None:
            events.append(Tied(now.pending, now.decides))
    return tuple(events)


def exposed(state: WhistState) -> tuple[Event, ...]:
    """Dummy's hand laid open, where its cards are known."""
    dummy = dummy_of(state)
    if dummy is None or state.hands[dummy].hidden:
        return ()
    return (Exposed(dummy, state.hands[dummy].cards),)


def scored(state: WhistState) -> tuple[Event, ...]:
    """The sheets of a settled deal, and of the match where it ends."""
    sheets = [deal_sheet(settlement(state))]
    if match_is_decided(state):
        sheets.append(match_sheet(state.options, state.score))
    return tuple(Scored(sheet) for sheet in sheets)
