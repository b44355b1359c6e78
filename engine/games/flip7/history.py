"""Whether what is told of a round, since its deal or the last shuffle, can have led to the state it is told of."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from ...events import (
    AskedForCard,
    Busted,
    Discarded,
    Event,
    Flipped,
    FlippedSeven,
    FlipThreeBegan,
    Frozen,
    Given,
    Reshuffled,
    RoundBegan,
    Saved,
    Scored,
    SetAside,
    Stayed,
)
from ...game import SPECTATOR, Turn
from .deck import DECK
from .resolve import Resolution
from .scoring import round_points
from .state import Flip7Deck, Flip7Row, Flip7State

_OF_SEATS: Final = (
    AskedForCard,
    Busted,
    FlippedSeven,
    Flipped,
    FlipThreeBegan,
    Frozen,
    Given,
    Saved,
    SetAside,
    Stayed,
)
_STATUS: Final[dict[type, str]] = {Stayed: "stayed", Busted: "busted", Frozen: "frozen"}
_PUBLIC: Final = (
    *("phase", "to_act", "round", "shuffles", "dealer", "totals", "rows", "discard", "turn", "dealing", "owed"),
    *("offered", "held", "flip_threes", "given"),
)


def history_is_possible(state: Flip7State, events: Sequence[Event]) -> bool:
    """Whether the events can have led to the state. Told from the deal on, they are played again, card by card.

    Told from a shuffle or from some point on, they are only held against what they say of the deck and the seats: what
    lay on the table before is not known.
    """
    if not state.round or not all(_may_be_told(state, event) for event in events):
        return not events
    if any(isinstance(event, RoundBegan | Reshuffled) for event in events[1:]):
        return False
    flipped = sum(isinstance(event, Flipped) for event in events)
    if isinstance(events[0], RoundBegan):
        return _leads_here(state, events, len(state.deck) + flipped)
    if isinstance(events[0], Reshuffled) and events[0].cards != len(state.deck) + flipped:
        return False
    return all(_agrees(state, event) for event in events)


def _may_be_told(state: Flip7State, event: Event) -> bool:
    if isinstance(event, _OF_SEATS):
        seats = (event.seat, event.to) if isinstance(event, Given) else (event.seat,)
        return all(0 <= seat < len(state.rows) for seat in seats)
    return isinstance(event, RoundBegan | Reshuffled | Discarded | Scored)


def _agrees(state: Flip7State, event: Event) -> bool:
    if isinstance(event, Scored):
        return state.turn is None
    if isinstance(event, Stayed | Busted | Frozen):
        return state.rows[event.seat].status == _STATUS[type(event)]
    return True


def _leads_here(state: Flip7State, events: Sequence[Event], in_deck: int) -> bool:
    before = _before_the_deal(state, in_deck)
    if before is None:
        return False
    again = Resolution(before)
    again.deal()
    if not all(_goes_on(again, event) for event in events[1:]):
        return False
    now = again.frozen()
    same = all(getattr(now, name) == getattr(state, name) for name in _PUBLIC)
    return same and again.events == list(events) and len(now.deck) == len(state.deck)


def _goes_on(again: Resolution, event: Event) -> bool:
    """Does again what is behind an event, if it can be done; an event that only follows from others has nothing."""
    match event:
        case AskedForCard(seat):
            possible = again.awaits("turns", seat)
            if possible:
                again.hit()
        case Stayed(seat, forced=False):
            possible = again.awaits("turns", seat) and bool(again.rows[seat].cards)
            if possible:
                again.stay()
        case Flipped(seat, card):
            possible = again.awaits("draw", seat)
            if possible:
                again.draw(card)
        case Given(seat, card, to):
            possible = again.awaits("give", seat) and again.may_give(card, to)
            if possible:
                again.give(to)
        case _:
            possible = True
    return possible


def _before_the_deal(state: Flip7State, in_deck: int) -> Flip7State | None:
    """The spectator's view of the round before its deal, with the table already cleared; None where there is none."""
    seats = len(state.rows)
    dealer = (state.dealer - 1) % seats if state.round > 1 else state.dealer
    put_aside = state.discard[: max(0, len(DECK) - in_deck)]
    if len(put_aside) + in_deck != len(DECK):
        return None
    totals = state.totals
    if state.turn is None:
        points = round_points(state.rows)
        totals = tuple(total - each for total, each in zip(state.totals, points, strict=True))
    return replace(
        state,
        viewer=SPECTATOR,
        seed=None,
        history=None,
        log=(),
        phase="roundOver" if state.round > 1 else "deal",
        to_act=Turn(state.dealer, state.dealer),
        round=state.round - 1,
        dealer=dealer,
        shuffles=state.shuffles if state.round > 1 else 0,
        totals=totals,
        rows=(Flip7Row(),) * seats,
        deck=Flip7Deck(hidden=in_deck),
        discard=put_aside,
        turn=None,
        dealing=False,
        owed=False,
        offered=(),
        held=None,
        flip_threes=(),
        given=(),
    )
