"""What a legal move of Le Wipe leads to."""

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from ...cards import PACK, Card, cards_of, in_order
from ...events import (
    Announced,
    Built,
    Captured,
    Closed,
    Dealt,
    Event,
    Extended,
    LeftOver,
    Raised,
    Redealt,
    Scored,
    Trailed,
    WipeEntered,
)
from ...game import SPECTATOR, Viewer
from ...mechanics.builds import LayoutBuild
from ...mechanics.layout import Gain, deal_by_twos, free_id, into_groups, taken_from, value_of
from ...moves import Announce, Build, Capture, Close, Deal, Extend, Hand, Move, Raise, Strike, Trail
from ...rng import shuffle_and_cut
from .scoring import WIPE_POINTS, counted, match_sheet, round_sheet, settle
from .state import Settlement, WipeHeap, WipeState, WipeTally, WipeTrick
from .table import (
    cards_played,
    deal_sizes,
    free_actions,
    heap_of,
    heaps_of,
    is_last_deal,
    is_played_out,
    next_dealer,
    phase_of,
    rounds_of,
    side_of,
    sides_of,
    turn_of,
    won_by,
)
from .takings import gained
from .views import hands_seen, project

Entry = Literal["made", "missed", "mistaken", "unannounced", "struck"]
Result = tuple[WipeState, tuple[Event, ...]]


def apply(state: WipeState, move: Move, seat: int) -> Result:
    """What a legal move leads to."""
    after, events = advance(state, move, seat)
    return _remembered(replace(after, may_also=free_actions(after)), events), events


def advance(state: WipeState, move: Move, seat: int) -> Result:
    """What a legal move leads to, but for who may also act, and for what the state remembers."""
    match move:
        case Deal():
            after, events = _apply_deal(state, move)
        case Announce():
            after, events = replace(state, announced=True), (Announced(seat, "lastDeal"),)
        case Close():
            after, events = _apply_close(state, seat)
        case Strike(side):
            after, events = _entered(state, side, "struck")
        case _:
            after, events = _apply_card(state, move, seat)
    return replace(after, phase=phase_of(after), to_act=turn_of(after)), events


def with_turn(state: WipeState) -> WipeState:
    """The state with the phase, the turn and the free actions that follow from the rest of it."""
    return replace(state, phase=phase_of(state), to_act=turn_of(state), may_also=free_actions(state))


def _remembered(state: WipeState, events: tuple[Event, ...]) -> WipeState:
    if state.viewer is not None:
        return state
    if events and isinstance(events[0], Dealt):
        return replace(state, past=events)
    return state if state.past is None else replace(state, past=(*state.past, *events))


def _entered(state: WipeState, side: int, entry: Entry) -> Result:
    tally = state.wipes[side]
    more = replace(tally, **{entry: getattr(tally, entry) + 1})
    wipes = (*state.wipes[:side], more, *state.wipes[side + 1 :])
    points = WIPE_POINTS if entry == "made" else -WIPE_POINTS
    return replace(state, wipes=wipes), (WipeEntered(side, entry, points),)


# --- a card


def _apply_card(state: WipeState, move: Move, seat: int) -> Result:
    first_of_last = is_last_deal(state) and not cards_played(state)
    seats = len(state.hands)
    match move:
        case Capture():
            after, events = _apply_capture(state, move, seat)
        case Build():
            after, events = _apply_build(state, move, seat)
        case Extend():
            after, events = _apply_extend(state, move, seat)
        case Raise():
            after, events = _apply_raise(state, move, seat)
        case _:
            assert isinstance(move, Trail)
            after, events = replace(state, layout=(*state.layout, move.card)), (Trailed(seat, move.card),)
    assert isinstance(move, Capture | Build | Extend | Raise | Trail)
    after = replace(
        after,
        hands=_without(state.hands, seat, move.card),
        heaps=_crossed(after, (seat + 1) % seats),
        just_took=isinstance(move, Capture),
    )
    if first_of_last and state.options.last_deal_announcement == "required" and not state.announced:
        after, entered = _entered(after, side_of(seats, state.dealer), "unannounced")
        events += entered
    if is_played_out(after):
        after, ended = _settle(after)
        events += ended
    return after, events


def _without(hands: tuple[Hand, ...], seat: int, card: Card) -> tuple[Hand, ...]:
    hand = hands[seat]
    if card in hand.cards:
        left = Hand(tuple(held for held in hand.cards if held is not card), hand.hidden)
    else:
        left = Hand(hand.cards, hand.hidden - 1)
    return (*hands[:seat], left, *hands[seat + 1 :])


def _crossed(state: WipeState, seat: int) -> tuple[WipeHeap, ...]:
    """The heaps when a seat's turn has come: what it left uncrossed counts as crossed (LA11)."""
    if state.options.crossing == "auto":
        return state.heaps
    return tuple(
        replace(
            heap,
            tricks=tuple(replace(trick, crossed=trick.crossed or trick.seat == seat) for trick in heap.tricks),
        )
        for heap in state.heaps
    )


def _apply_capture(state: WipeState, move: Capture, seat: int) -> Result:
    cards = in_order((move.card, *gained(state, Gain(move.take, move.builds, move.tricks, move.heaps))))
    trick = WipeTrick(by=move.card, cards=cards, seat=seat, crossed=move.crossed is not False)
    own = heap_of(state.options, len(state.hands), seat)
    heaps = []
    for index, heap in enumerate(state.heaps):
        tricks = heap.tricks
        if index in move.tricks:
            tricks = tricks[:-1]
        elif index in move.heaps:
            tricks = ()
        elif index == own:
            tricks = (*tricks, trick)
        heaps.append(replace(heap, tricks=tricks))
    layout = taken_from(state.layout, move.take)
    assert layout is not None
    builds = tuple(build for build in state.builds if build.id not in move.builds)
    after = replace(state, heaps=tuple(heaps), layout=layout, builds=builds, last_taker=seat)
    captured = Captured(
        seat, move.card, cards, move.take, move.builds, move.tricks, move.announce, move.crossed, move.heaps
    )
    entry = _wipe_entry(state, move)
    if entry is None:
        return after, (captured,)
    after, entered = _entered(after, side_of(len(state.hands), seat), entry)
    return after, (captured, *entered)


def _wipe_entry(state: WipeState, move: Capture) -> Entry | None:
    """What a capture enters in the wipe account (L-9, LA17 to LA20)."""
    announced = bool(move.announce)
    if not clears(state, move):
        return "mistaken" if announced and state.options.false_sweep == "penalty" else None
    if is_last_deal(state) and not state.options.sweep_last_deal:
        return None
    if announced:
        return "made"
    return "missed" if state.options.missed_sweep == "penalty" else None


def clears(state: WipeState, move: Capture) -> bool:
    """Whether a capture uses the last things of the layout: builds too, and not just tricks (LA19, LA20)."""
    left = len(state.layout) + len(state.builds) - len(move.take) - len(move.builds)
    return bool(move.take or move.builds) and not left


def _apply_build(state: WipeState, move: Build, seat: int) -> Result:
    made = built(state, move, seat)
    layout = taken_from(state.layout, move.cards)
    assert layout is not None
    after = replace(state, layout=layout, builds=(*state.builds, made))
    return after, (Built(seat, move.card, move.cards, made.id, move.value),)


def built(state: WipeState, move: Build, seat: int) -> LayoutBuild:
    """The new build of a move whose cards total its value, or fall apart into two groups of it."""
    cards = (move.card, *move.cards)
    single = sum(map(value_of, cards)) == move.value
    groups = (cards,) if single else into_groups(cards, move.value)
    return LayoutBuild(id=free_id(state.builds), value=move.value, owner=seat, groups=groups)


def _apply_extend(state: WipeState, move: Extend, seat: int) -> Result:
    layout = taken_from(state.layout, move.cards)
    assert layout is not None
    builds = tuple(
        replace(build, owner=seat, groups=(*build.groups, (move.card, *move.cards)))
        if build.id == move.build
        else build
        for build in state.builds
    )
    return replace(state, layout=layout, builds=builds), (Extended(seat, move.card, move.build, move.cards),)


def _apply_raise(state: WipeState, move: Raise, seat: int) -> Result:
    builds = tuple(
        replace(build, owner=seat, value=move.value, groups=((*build.cards, move.card),))
        if build.id == move.build
        else build
        for build in state.builds
    )
    return replace(state, builds=builds), (Raised(seat, move.card, move.build, move.value),)


def _apply_close(state: WipeState, seat: int) -> Result:
    seats = len(state.hands)
    side = side_of(seats, seat)
    cards = in_order(card for heap in won_by(state, side) for card in heap.open_cards)
    heaps = tuple(
        replace(heap, tricks=(), closed=(*heap.closed, *heap.open_cards)) if index % sides_of(seats) == side else heap
        for index, heap in enumerate(state.heaps)
    )
    return replace(state, heaps=heaps), (Closed(seat, cards),)


# --- the end of a round


def settlement(state: WipeState) -> Settlement:
    """The round played out, settled."""
    seats = len(state.hands)
    cards = [[card for heap in won_by(state, side) for card in heap.cards] for side in range(sides_of(seats))]
    taker = None if state.last_taker is None else side_of(seats, state.last_taker)
    before = state.score if state.score_before is None else state.score_before
    last = state.rounds >= rounds_of(state)
    return settle(state.options, tuple(map(counted, cards)), taker, before, last=last)


def _settle(state: WipeState) -> Result:
    after, events = _left_over(state)
    settled = settlement(after)
    after = replace(after, score_before=state.score, score=settled.after)
    sheets = [round_sheet(settled.items, after.score, after.wipes)]
    if after.rounds >= rounds_of(after):
        sheets.append(match_sheet(after.score, after.wipes, over=True))
    return after, (*events, *map(Scored, sheets))


def _left_over(state: WipeState) -> Result:
    """What still lies goes to the heap that the last trick went to; where there was none, it stays (LA22, LA23)."""
    cards = in_order((*state.layout, *(card for build in state.builds for card in build.cards)))
    if not cards:
        return state, ()
    ids = tuple(sorted(build.id for build in state.builds))
    event = LeftOver(state.last_taker, cards, ids)
    if state.last_taker is None:
        return state, (event,)
    own = heap_of(state.options, len(state.hands), state.last_taker)
    heap = replace(state.heaps[own], rest=cards)
    heaps = (*state.heaps[:own], heap, *state.heaps[own + 1 :])
    return replace(state, heaps=heaps, layout=(), builds=()), (event,)


# --- dealing


def pack_is_at_hand(state: WipeState) -> bool:
    """Whether the cards of the next deal need not be told."""
    if begins_round(state):
        return state.seed is not None or state.deck is not None
    return bool(state.stock.cards) and not state.stock.hidden


def begins_round(state: WipeState) -> bool:
    """Whether the next deal is a round's first."""
    return not state.deals or is_played_out(state)


def viewer_of(state: WipeState, hands: Sequence[Hand]) -> Viewer | None:
    """Whose view a partly told deal is: the first viewer who sees just the hands told."""
    told = [seat for seat, hand in enumerate(hands) if hand.cards]
    viewers: tuple[Viewer, ...] = (SPECTATOR, *range(len(hands))) if state.viewer is None else (state.viewer,)
    return next((viewer for viewer in viewers if told == [seat for seat in range(len(hands)) if seat == viewer]), None)


def _apply_deal(state: WipeState, deal: Deal) -> Result:
    first = begins_round(state)
    seats = len(state.hands)
    dealer = next_dealer(state)
    hands, layout, stock = _cards_of(state, deal, dealer)
    if state.viewer is None and any(hand.hidden for hand in hands):
        viewer = viewer_of(state, hands)
        assert viewer is not None
        state = project(state, viewer)
    if state.viewer is not None:
        hands, stock = hands_seen(hands, state.viewer), Hand((), len(stock))
    if first:
        cut_by = (dealer - 1) % seats if state.chance == "seed" else None
        return _new_round(state, dealer, hands, layout, stock), (Dealt(dealer, hands, cut_by, layout),)
    after = replace(state, deals=state.deals + 1, hands=hands, stock=stock)
    events: tuple[Event, ...] = (Redealt(after.deals, hands),)
    if is_last_deal(after) and state.options.last_deal_announcement == "auto":
        after = replace(after, announced=True)
        events += (Announced(dealer, "lastDeal"),)
    return after, events


def _new_round(
    state: WipeState, dealer: int, hands: tuple[Hand, ...], layout: tuple[Card, ...], stock: Hand
) -> WipeState:
    return replace(
        state,
        dealer=dealer,
        deck=None,
        rounds=state.rounds + 1,
        deals=1,
        hands=hands,
        stock=stock,
        layout=layout,
        builds=(),
        heaps=(WipeHeap(),) * heaps_of(state.options, len(hands)),
        last_taker=None,
        just_took=False,
        announced=False,
        score_before=None,
        past=None,
    )


def next_deal_size(state: WipeState) -> int:
    """How many cards each hand gets in the next deal."""
    return deal_sizes(len(state.hands))[0 if begins_round(state) else state.deals]


def _cards_of(state: WipeState, deal: Deal, dealer: int) -> tuple[tuple[Hand, ...], tuple[Card, ...], Hand]:
    """The hands, the layout and the stock that a deal brings: two by two from the dealer's left (L-2)."""
    first = begins_round(state)
    seats = len(state.hands)
    if deal.hands is not None:
        hands = tuple(Hand(in_order(hand.cards), hand.hidden) for hand in deal.hands)
        layout = in_order(deal.layout or ())
        stock = len(PACK) if first else len(state.stock)
        return hands, layout, Hand((), stock - len(layout) - sum(map(len, hands)))
    packets = next_deal_size(state) // 2
    dealt, layout, left = deal_by_twos(_pack(state, deal), seats, dealer, packets=packets, with_layout=first)
    return tuple(map(Hand, dealt)), layout, Hand(left)


def _pack(state: WipeState, deal: Deal) -> tuple[Card, ...]:
    if deal.deck is not None:
        told = cards_of(Card, deal.deck)
        assert told is not None
        return told
    if not begins_round(state):
        return state.stock.cards
    if state.deck is not None:
        return state.deck
    assert state.seed is not None
    return shuffle_and_cut(PACK, state.seed, state.rounds + 1)


def empty_score(seats: int) -> tuple[WipeTally, ...]:
    """The wipe accounts before anything is entered."""
    return (WipeTally(),) * sides_of(seats)
