"""How a round went, replayed: whether a state's past, or a view's history, leads just to that state."""

from collections import Counter

from msgspec.structs import replace

from ...cards import Card
from ...events import Dealt, Event, LeftOver, Redealt, Scored, Swept
from ...mechanics.holding import Covered, Facts, Holder, Known
from ...mechanics.requiring import require, require_now
from ...moves import Hand
from ...violations import ImpossibleState, Malformed, Reason
from .knowledge import NO_FACTS, is_last_deal, places, plan, seat_to_play, sees_hand, table_of, unknown_cards
from .plan import HAND_SIZE, LAYOUT_SIZE
from .rules import apply, refuse_play
from .state import WippenState
from .table import move_of
from .views import with_turn

FOLLOWS = (Swept, LeftOver, Scored)
"""Events that are no one's act: they follow from the one before."""


def check_course(state: WippenState) -> None:
    """ImpossibleState where the events told cannot have happened, or lead elsewhere."""
    path, events = ("$.past", state.past) if state.viewer is None else ("$.history", state.history)
    if events is None:
        return
    if not state.rounds:
        require(not events, path)
        return
    require(bool(events) and isinstance(events[0], Dealt), path, Reason.CARDS_MISSING)
    try:
        then = _replayed(state, events, path)
    except Malformed:
        raise ImpossibleState(path, Reason.NOT_POSSIBLE_NOW) from None
    told = tuple(map(_in_order, (then.past if state.viewer is None else then.history) or ()))
    events = tuple(map(_in_order, events))
    if told != events:
        at = next((at for at, (one, other) in enumerate(zip(told, events, strict=False)) if one != other), 0)
        raise ImpossibleState(f"{path}[{at}]", Reason.DISAGREES)
    for name in ("deals", "builds", "last_taker", "wips", "score", "score_before"):
        require(getattr(then, name) == getattr(state, name), path)
    require(Counter(then.layout) == Counter(state.layout), path)
    for one, other in zip((*then.hands, *then.heaps), (*state.hands, *state.heaps), strict=True):
        same = one.hidden == other.hidden and Counter(one.cards) == Counter(other.cards)
        require(same, path)
    require(len(then.stock) == len(state.stock), path)


def _in_order(event: Event) -> Event:
    """The event, the cards of a sheet in one order: they lie in a heap, which has none."""
    if not isinstance(event, Scored):
        return event
    items = tuple(replace(item, cards=item.cards and tuple(sorted(item.cards))) for item in event.sheet.items)
    return replace(event, sheet=replace(event.sheet, items=items))


def _replayed(state: WippenState, events: tuple[Event, ...], path: str) -> WippenState:
    """The state that the events lead to, each judged by what was known then."""
    now = _undealt(state)
    facts: list[Facts] = []
    unknown: Counter[Card] = Counter()
    for index, event in enumerate(events):
        at = f"{path}[{index}]"
        if isinstance(event, FOLLOWS):
            continue
        try:
            made = move_of(event)
        except ValueError:
            raise ImpossibleState(at, Reason.NOT_POSSIBLE_NOW) from None
        if isinstance(event, Dealt | Redealt):
            now = _dealt(now, event, at)
            facts = [NO_FACTS] * places(state)
            unknown = unknown_cards(now)
        elif made is None:
            raise ImpossibleState(at, Reason.NOT_POSSIBLE_NOW)
        else:
            move, seat = made
            require_now(now.phase == "play" and seat == seat_to_play(now), f"{at}.seat")
            hidden = now.hands[seat].hidden
            hold: Holder = Covered(now.hands, seat, unknown, facts) if hidden else Known(now.hands[seat].cards)
            table = table_of(now)
            possible = hold.may(move.card) and refuse_play(table, move, seat, hold) is None
            require_now(possible, at)
            unknown[move.card] -= hidden > 0
            if now.viewer is not None:
                facts[seat] = table.facts_after(facts[seat], move, seat)
            now = _with_history(*apply(now, move, seat))
    return now


def _with_history(now: WippenState, events: tuple[Event, ...]) -> WippenState:
    return now if now.viewer is None else replace(now, history=(*(now.history or ()), *events))


def _undealt(state: WippenState) -> WippenState:
    """The state before the round's first deal, as whoever has these events saw it."""
    nothing = (Hand(),) * places(state)
    return replace(
        state,
        deals=0,
        hands=nothing,
        heaps=nothing,
        layout=(),
        builds=(),
        last_taker=None,
        wips=(0,) * places(state),
        score=state.score if state.score_before is None else state.score_before,
        score_before=None,
        past=() if state.viewer is None else None,
        history=None if state.viewer is None else (),
    )


def _dealt(now: WippenState, event: Dealt | Redealt, path: str) -> WippenState:
    first = isinstance(event, Dealt)
    require_now(first == (now.deals == 0), path)
    require_now(not any(map(len, now.hands)) and not (now.deals and is_last_deal(now)), path)
    right = len(event.hands) == places(now) and all(len(hand) == HAND_SIZE for hand in event.hands)
    require(right, f"{path}.hands", Reason.WRONG_COUNT)
    shown = [now.viewer is None or sees_hand(now, now.viewer, seat) for seat in range(places(now))]
    seen = all(bool(hand.hidden) != shows for hand, shows in zip(event.hands, shown, strict=True))
    require(seen, f"{path}.hands", Reason.NOT_VISIBLE)
    layout = (event.layout or ()) if isinstance(event, Dealt) else now.layout
    if isinstance(event, Dealt):
        right = event.dealer == now.dealer and len(layout) == LAYOUT_SIZE and event.cut_by is None
    else:
        right = event.number == now.deals + 1
    require_now(right, path)
    came = Counter((*(card for hand in event.hands for card in hand.cards), *(layout if not now.deals else ())))
    require(came <= +unknown_cards(now), f"{path}.hands", Reason.NOT_A_POSSIBLE_DEAL)
    left = len(plan(now).cards) - LAYOUT_SIZE - HAND_SIZE * places(now) * (now.deals + 1)
    dealt = replace(now, deals=now.deals + 1, hands=event.hands, layout=layout, stock=Hand((), left))
    if now.viewer is None:
        return with_turn(replace(dealt, past=(*(now.past or ()), event)))
    return with_turn(replace(dealt, history=(*(now.history or ()), event)))
