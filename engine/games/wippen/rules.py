"""Wippen's play: what is legal and why not, and what a move leads to."""

from msgspec.structs import replace

from ...cards import Card
from ...events import Built, Captured, Event, Extended, LeftOver, Raised, Scored, Swept, Trailed
from ...game import LegalMoves, Query
from ...mechanics.holding import Holder, Known
from ...mechanics.layout import free_id
from ...mechanics.runs import Listing, listing
from ...moves import Build, Capture, Deal, Extend, Hand, Move, Raise, Trail
from ...sheet import Scope, Sheet
from ...violations import Code, Malformed, Violation, violation
from .building import refuse_build, refuse_extend, refuse_raise, refuse_trail
from .capturing import refuse_capture
from .dealing import apply_deal, pack_is_at_hand, refuse_deal
from .knowledge import heaps_seen, holder_of, is_last_deal, places, table_of, without
from .listing import Plays
from .scoring import match_is_over, match_sheet, round_sheet, settle, takings_of
from .state import Takings, WippenState
from .table import PlayMove, Table, as_play
from .views import with_turn

# --- legality


def legal(state: WippenState, seat: int, query: Query) -> LegalMoves:
    """The legal moves of a seat, counted without being listed; and whether a deal must first be told."""
    if state.to_act is None or state.to_act.seat != seat:
        return listing(query, _nothing())
    if state.phase == "deal":
        at_hand = pack_is_at_hand(state)
        return listing(query, _nothing(Deal()) if at_hand else _nothing(), needs_chance=None if at_hand else "deal")
    plays = Plays(table_of(state), seat, holder_of(state, seat))
    return listing(query, plays.listing(), lambda: plays.blocked(state.hands[seat].cards))


def _nothing(*others: Move) -> Listing:
    return Listing(cards=(), moves=lambda _: (), groups=lambda _: (), shapes=lambda _: (), others=others)


def refuse(state: WippenState, move: Move, seat: int) -> Violation | None:
    """Why a seat's move is illegal, None where it is legal."""
    if state.phase == "over" or state.to_act is None:
        return violation("wippen", Code.GAME_OVER)
    if state.to_act.seat != seat:
        return violation("wippen", Code.NOT_YOUR_TURN, seat=seat, turn=state.to_act.seat)
    play = as_play(move)
    if isinstance(move, Deal) and state.phase == "deal":
        return refuse_deal(state, move)
    if play is None or state.phase != "play":
        return violation("wippen", Code.WRONG_PHASE, move=type(move).__name__.lower(), phase=state.phase)
    hold = holder_of(state, seat)
    if not hold.may(play.card):
        if isinstance(hold, Known):
            return violation("wippen", Code.NOT_IN_HAND, card=play.card)
        return violation("wippen", Code.CARD_ELSEWHERE, card=play.card, hand=seat)
    return refuse_play(table_of(state), play, seat, hold)


def refuse_play(table: Table, move: PlayMove, seat: int, hold: Holder) -> Violation | None:
    """Why the table, the duties or the rest of the hand forbid a move whose card may be held."""
    match move:
        case Capture():
            if move.tricks or move.heaps or move.announce or move.crossed is not None:
                raise Malformed("$.move", "heaps are not captured from, and nothing is announced or crossed")
            return refuse_capture(table, move, seat, hold)
        case Build():
            return refuse_build(table, move, seat, hold)
        case Extend():
            return refuse_extend(table, move, seat, hold)
        case Raise():
            return refuse_raise(table, move, seat, hold)
        case Trail():
            return refuse_trail(table, move, seat, hold)


# --- playing


def apply(state: WippenState, move: Move, seat: int) -> tuple[WippenState, tuple[Event, ...]]:
    """What a legal move leads to."""
    if isinstance(move, Deal):
        return apply_deal(state, move)
    play = as_play(move)
    assert play is not None
    after, events = _played(state, play, seat)
    if not any(map(len, after.hands)) and is_last_deal(after):
        after, rest = _counted(after, events)
        events += rest
    if state.past is not None:
        after = replace(after, past=(*state.past, *events))
    return with_turn(after), events


def _played(state: WippenState, move: PlayMove, seat: int) -> tuple[WippenState, tuple[Event, ...]]:
    table, gained = table_of(state).after(move, seat)
    hands, heaps = list(state.hands), list(state.heaps)
    hands[seat] = without(hands[seat], move.card)
    after = replace(state, layout=table.layout, builds=table.builds)
    events: tuple[Event, ...] = (_event(state, move, seat, gained),)
    if gained:
        heap = heaps[seat]
        hides = state.viewer is not None and state.history is not None
        heaps[seat] = Hand(heap.cards, heap.hidden + len(gained)) if hides else Hand((*heap.cards, *gained))
        after = replace(after, last_taker=seat)
        if _scores_wip(after):
            wips = tuple(number + (other == seat) for other, number in enumerate(state.wips))
            after = replace(after, wips=wips)
            events = (*events, Swept(seat))
    return replace(after, hands=tuple(hands), heaps=tuple(heaps)), events


def _scores_wip(state: WippenState) -> bool:
    """Whether a capture that led here is a wip that scores (WI-26, WIA33, WIA34)."""
    counts = state.options.wips and (state.options.sweep_last_deal or not is_last_deal(state))
    return counts and not state.layout and not state.builds


def _event(state: WippenState, move: PlayMove, seat: int, gained: tuple[Card, ...]) -> Event:
    match move:
        case Capture(card, take, builds):
            return Captured(seat, card, gained, take, builds)
        case Build(card, cards, value):
            return Built(seat, card, cards, free_id(state.builds), value)
        case Extend(card, build, cards):
            return Extended(seat, card, build, cards)
        case Raise(card, build, value, cards):
            return Raised(seat, card, build, value, cards)
        case Trail(card):
            return Trailed(seat, card)


def _counted(state: WippenState, events: tuple[Event, ...]) -> tuple[WippenState, tuple[Event, ...]]:
    """The round's end: what lies goes to the last taker, or to nobody (WI-12, WIA35, WIA36), and all is counted."""
    if state.viewer is not None and state.history is not None:
        heaps = [Hand(cards) for cards in heaps_seen((*state.history, *events), places(state))]
    else:
        heaps = list(state.heaps)
    rest = (*state.layout, *(card for build in state.builds for card in build.cards))
    left = LeftOver(state.last_taker, rest, tuple(build.id for build in state.builds))
    after = state
    if state.last_taker is not None:
        heaps[state.last_taker] = Hand((*heaps[state.last_taker].cards, *rest))
        after = replace(state, layout=(), builds=())
    after = replace(after, heaps=tuple(heaps), score_before=state.score)
    settled = settle(state.options, takings(after), state.score)
    after = replace(after, score=settled.after)
    return after, (*((left,) if rest else ()), *scored(after))


def takings(state: WippenState) -> list[Takings]:
    """What the heaps come to."""
    return [takings_of(heap.cards, wips) for heap, wips in zip(state.heaps, state.wips, strict=True)]


def scored(state: WippenState) -> tuple[Event, ...]:
    """The sheets of a settled round, and of the match where it is over."""
    assert state.score_before is not None
    sheets = [round_sheet(state.options, takings(state), state.score_before)]
    if match_is_over(state.options, state.score):
        sheets.append(match_sheet(state.options, takings(state), state.score_before))
    return tuple(map(Scored, sheets))


# --- the score


def sheet(state: WippenState, scope: Scope | None) -> Sheet:
    """The round's sheet, or the match's; while a round is under way, the score before it."""
    if scope not in (None, "round", "match"):
        raise Malformed("$.scope", "wippen is scored by the round or by the match")
    if state.score_before is None:
        return match_sheet(state.options, None, state.score)
    if scope == "match" or (scope is None and state.phase == "over"):
        return match_sheet(state.options, takings(state), state.score_before)
    return round_sheet(state.options, takings(state), state.score_before)
