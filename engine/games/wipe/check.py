"""Which states and views of Le Wipe can have come about; each function raises ImpossibleState where one cannot."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from ...cards import PACK, WHOLE_PACK, card_set, in_order
from ...events import Event
from ...game import HOST, SPECTATOR
from ...mechanics.builds import LayoutBuild
from ...mechanics.holding import Facts
from ...mechanics.layout import value_of
from ...mechanics.requiring import require, require_now, require_options, require_seed
from ...moves import Build, Capture, Deal, Extend, Move, Raise, Trail
from ...violations import ImpossibleState, Malformed, Reason
from .knowledge import (
    NOTHING_KNOWN,
    Trusted,
    before_round,
    first_deal,
    hidden_cards_fit,
    learnt,
    move_of,
    owed_holdings,
)
from .options import check_options
from .play import advance, settlement, with_turn
from .rules import refuse, seating_is_possible
from .scoring import MAJORITY_POINTS, ROUND_POINTS, penalties_off
from .state import WipeScore, WipeState, WipeTally, WipeTrick
from .table import (
    PLACES,
    UNDEALT,
    cards_played,
    deal_sizes,
    free_actions,
    heap_of,
    heaps_of,
    is_last_deal,
    is_played_out,
    phase_of,
    rounds_of,
    shown_cards,
    sides_of,
    turn_of,
    won_by,
)
from .takings import ceiling, has_value

TRUSTED: Final = Trusted()


def check(state: WipeState) -> None:
    """The whole state: options, seats, cards, builds, heaps, accounts, score, events, and what follows from them."""
    require_options(check_options, state.options)
    _check_seats(state)
    _check_chance(state)
    _check_progress(state)
    _check_hands(state)
    _check_cards(state)
    _check_builds(state)
    _check_heaps(state)
    _check_takers(state)
    _check_wipes(state)
    _check_score(state)
    _check_what_follows(state)
    facts = _check_events(state)
    if state.viewer is not None and state.deals:
        require(hidden_cards_fit(state, facts), "$.hands", Reason.NOT_A_POSSIBLE_DEAL)


def _check_seats(state: WipeState) -> None:
    seats = len(state.hands)
    require(seats in PLACES, "$.hands", Reason.WRONG_COUNT)
    require_now(seating_is_possible(state.seating, seats), "$.seating")
    require_now(state.dealer < seats, "$.dealer")
    if state.viewer is not None and state.viewer != SPECTATOR:
        require_now(int(state.viewer) < seats, "$.viewer")
    require(len(state.heaps) == heaps_of(state.options, seats), "$.heaps", Reason.WRONG_COUNT)
    require(len(state.wipes) == sides_of(seats), "$.wipes", Reason.WRONG_COUNT)
    require(len(state.score.points) == sides_of(seats), "$.score.points", Reason.WRONG_COUNT)
    if state.score_before is not None:
        require(len(state.score_before.points) == sides_of(seats), "$.scoreBefore.points", Reason.WRONG_COUNT)


def _check_chance(state: WipeState) -> None:
    full = state.viewer is None
    require_seed(state.seed, state.chance, state.viewer)
    if state.deck is not None:
        require_now(state.chance == "deck" and not state.deals and full, "$.deck")
        whole = len(state.deck) == len(PACK) and card_set(state.deck) == WHOLE_PACK
        require(whole, "$.deck", Reason.CARDS_MISSING)
    require(state.past is None or full, "$.past", Reason.NOT_VISIBLE)


def _check_progress(state: WipeState) -> None:
    require_now(state.deals <= len(deal_sizes(len(state.hands))), "$.deals")
    require_now(state.rounds <= rounds_of(state), "$.rounds")
    require(bool(state.rounds) == bool(state.deals), "$.deals")


def _check_hands(state: WipeState) -> None:
    seats = len(state.hands)
    sizes = deal_sizes(seats)
    size = sizes[state.deals - 1] if state.deals else 0
    played = cards_played(state)
    for seat, hand in enumerate(state.hands):
        own = len(range((seat - state.dealer - 1) % seats, played, seats))
        if len(hand) != size - own:
            raise ImpossibleState(f"$.hands[{seat}]", Reason.WRONG_HAND_SIZE, count=len(hand), expected=size - own)
        require(state.viewer is not None or not hand.hidden, f"$.hands[{seat}].hidden", Reason.HIDDEN_IN_STATE)
    if state.viewer is not None and state.viewer != SPECTATOR:
        own = int(state.viewer)
        require(not state.hands[own].hidden, f"$.hands[{own}].hidden", Reason.OWN_HAND_UNKNOWN)
    left = UNDEALT - seats * sum(sizes[: state.deals]) if state.deals else 0
    require(len(state.stock) == left, "$.stock", Reason.WRONG_COUNT)
    if state.viewer is not None:
        require(not state.stock.cards, "$.stock.cards", Reason.NOT_VISIBLE)
    elif state.chance == "seed":
        require(not state.stock.hidden, "$.stock.hidden", Reason.HIDDEN_IN_STATE)
    require(not (state.stock.cards and state.stock.hidden), "$.stock", Reason.WRONG_COUNT)


def _check_cards(state: WipeState) -> None:
    seen = 0
    for path, card in shown_cards(state):
        if seen & card.bit:
            raise ImpossibleState(path, Reason.CARD_TWICE, card=card)
        seen |= card.bit
    total = seen.bit_count() + sum(hand.hidden for hand in state.hands) + state.stock.hidden
    require(total == (len(PACK) if state.deals else 0), "$.layout", Reason.WRONG_COUNT)


def _check_builds(state: WipeState) -> None:
    options, seats = state.options, len(state.hands)
    require_now(options.building or not state.builds, "$.builds")
    ids = [build.id for build in state.builds]
    for index, build in enumerate(state.builds):
        path = f"$.builds[{index}]"
        require_now(ids.count(build.id) == 1, f"{path}.id")
        require_now(build.owner is None or build.owner < seats, f"{path}.owner")
        require_now(build.value <= ceiling(options), f"{path}.value")
        most = 2 if options.double_building else 1
        require(len(build.groups) <= most and len(build.cards) > 1, f"{path}.groups", Reason.WRONG_COUNT)
        for number, group in enumerate(build.groups):
            adds = all(has_value(options, card) for card in group) and sum(map(value_of, group)) == build.value
            require(adds, f"{path}.groups[{number}]")
            plain = options.build_layout_cards == "any" or options.raising or len(group) <= 2
            require_now(plain, f"{path}.groups[{number}]")
    _check_owed(state)


def _check_owed(state: WipeState) -> None:
    owners = Counter(build.owner for build in state.builds if build.owner is not None)
    if state.options.build_obligation in ("resolve", "capture"):
        require_now(max(owners.values(), default=0) <= 1, "$.builds")
    if is_played_out(state):
        return
    for seat, owed in enumerate(owed_holdings(state.options, state.builds, len(state.hands))):
        hand = state.hands[seat]
        held = Counter(map(value_of, hand.cards))
        require_now(bool(hand.hidden) or owed <= held, f"$.hands[{seat}]")


def _check_heaps(state: WipeState) -> None:
    seats = len(state.hands)
    next_to_play = (state.dealer + 1 + cards_played(state)) % seats
    uncrossed = Counter(trick.seat for heap in state.heaps for trick in heap.tricks if not trick.crossed)
    for index, heap in enumerate(state.heaps):
        path = f"$.heaps[{index}]"
        for number, trick in enumerate(heap.tricks):
            where = f"{path}.tricks[{number}]"
            own = trick.seat < seats and heap_of(state.options, seats, trick.seat) == index
            require_now(own, f"{where}.seat")
            require(trick.by in trick.cards, f"{where}.by")
            require_now(_can_be_taken(state, trick), f"{where}.cards")
            if not trick.crossed:
                lately = uncrossed[trick.seat] == 1 and (trick.seat != next_to_play or is_played_out(state))
                require_now(state.options.crossing == "declared" and lately, f"{where}.crossed")
        ended = is_played_out(state) and state.last_taker is not None
        last = ended and heap_of(state.options, seats, state.last_taker or 0) == index
        require_now(last or not heap.rest, f"{path}.rest")
    for side in range(sides_of(seats)):
        shut = [replace(heap, tricks=()) for heap in won_by(state, side)]
        closed = [card for heap in shut for card in heap.closed]
        complete = any(sum(card[0] == rank for card in closed) == 4 for rank in "ATJQK")
        require_now(complete or not closed, f"$.heaps[{side}].closed")
    if is_played_out(state) and state.last_taker is not None:
        require_now(not state.layout, "$.layout")
        require_now(not state.builds, "$.builds")


def _can_be_taken(state: WipeState, trick: WipeTrick) -> bool:
    """Whether a capture can have brought in such cards: no higher ones, enough of them, and pictures with their like.

    What a card takes is no higher than itself, and so is all that is in a trick it takes (LA6); but a heap taken whole
    may have held anything.
    """
    others = [card for card in trick.cards if card is not trick.by]
    if has_value(state.options, trick.by):
        added = [value_of(card) for card in others if has_value(state.options, card)]
        low = len(added) == len(others) and max(added) <= value_of(trick.by)
        return sum(added) >= value_of(trick.by) and (low or state.options.crossing == "declared")
    alike = [card for card in others if card[0] == trick.by[0]]
    return bool(alike) and (alike == others or state.options.crossing == "declared")


def _check_takers(state: WipeState) -> None:
    seats = len(state.hands)
    won = any(heap.cards for heap in state.heaps)
    taker = state.last_taker
    require_now(taker is None or taker < seats, "$.lastTaker")
    require((taker is not None) == won, "$.lastTaker")
    if taker is not None:
        heap = state.heaps[heap_of(state.options, seats, taker)]
        shown = not heap.tricks or heap.tricks[-1].seat == taker
        require(bool(heap.cards) and shown, "$.lastTaker")
    anything = state.deals > 1 or cards_played(state) > 0
    last = (state.dealer + cards_played(state)) % seats
    require_now(not state.just_took or (anything and taker == last), "$.justTook")


def _check_wipes(state: WipeState) -> None:
    options = state.options
    earlier = max(0, state.rounds - 1)
    for side, tally in enumerate(state.wipes):
        path = f"$.wipes[{side}]"
        require_now(tally.struck <= tally.made, f"{path}.struck")
        for entry in penalties_off(options):
            require_now(not getattr(tally, entry), f"{path}.{entry}")
        most = len(PACK) * state.rounds
        require_now(tally.made + tally.missed + tally.mistaken <= most, path)
    late = is_last_deal(state) and bool(state.deals) and cards_played(state) > 0
    if options.last_deal_announcement == "auto":
        told = bool(state.deals) and is_last_deal(state)
        require_now(state.announced == told, "$.announced")
    require_now(not state.announced or (bool(state.deals) and is_last_deal(state)), "$.announced")
    penalised = sum(tally.unannounced for tally in state.wipes)
    require_now(penalised <= earlier + late, "$.wipes")
    if late and not state.announced:
        side = state.dealer % sides_of(len(state.hands))
        require(state.wipes[side].unannounced > 0, f"$.wipes[{side}].unannounced")


def _check_score(state: WipeState) -> None:
    before, path = state.score, "$.score"
    if state.score_before is not None:
        before, path = state.score_before, "$.scoreBefore"
        require_now(is_played_out(state), path)
        require(state.score == settlement(state).after, "$.score")
    require_now((state.score_before is not None) == is_played_out(state), "$.scoreBefore")
    earlier = max(0, state.rounds - 1)
    require_now(bool(earlier) or not any(before.points), f"{path}.points")
    most = ROUND_POINTS * earlier
    if state.options.tie == "all":
        most += 2 * MAJORITY_POINTS * (len(before.points) - 1) * earlier
    require_now(sum(before.points) + _waiting(before) <= most, f"{path}.points")
    carries = state.options.tie == "carry"
    require_now(carries or not _waiting(before), f"{path}.carried")
    for waiting in (before.carried.cards, before.carried.spades):
        possible = waiting % MAJORITY_POINTS == 0 and waiting <= MAJORITY_POINTS * earlier
        require_now(possible, f"{path}.carried")


def _waiting(score: WipeScore) -> int:
    return score.carried.cards + score.carried.spades


def _check_what_follows(state: WipeState) -> None:
    if not state.deals:
        quiet = not (state.last_taker is not None or state.just_took or any(map(_is_begun, state.wipes)))
        require_now(quiet, "$.wipes")
    phase = phase_of(state)
    if state.phase != phase:
        raise ImpossibleState("$.phase", Reason.WRONG_PHASE_STATE, expected=phase)
    turn = turn_of(state)
    if state.to_act != turn:
        expected = "null" if turn is None else f"seat {turn.seat}, hand {turn.hand}"
        raise ImpossibleState("$.toAct", Reason.WRONG_TURN, expected=expected)
    require(state.may_also == free_actions(state), "$.mayAlso")


def _is_begun(tally: WipeTally) -> bool:
    return tally != WipeTally()


# --- the round's events


def _check_events(state: WipeState) -> list[Facts]:
    """Plays the round's events again, each of which must be legal. What they prove of the hands that are not seen."""
    path = "$.past" if state.viewer is None else "$.history"
    events = state.past if state.viewer is None else state.history
    facts = [NOTHING_KNOWN] * len(state.hands)
    if events is None:
        return facts
    if not state.deals:
        require_now(not events, path)
        return facts
    deal = first_deal(events[0]) if events else None
    if deal is None:
        raise ImpossibleState(path, Reason.CARDS_MISSING)
    now = replace(with_turn(before_round(state, events)), seed=None, deck=None)
    expected: list[Event] = []
    for index, event in enumerate(events):
        if index and (getattr(event, "seat", None) or 0) not in range(len(state.hands)):
            raise ImpossibleState(f"{path}[{index}].seat", Reason.NOT_POSSIBLE_NOW)
        try:
            found = move_of(now, event) if index else (deal, state.dealer)
            if found is None:
                continue
            move, seat = found
            unseen = seat != HOST and bool(now.hands[seat].hidden)
            refused = refuse(now, move, seat, TRUSTED if unseen else None)
        except (Malformed, ValueError):
            raise ImpossibleState(f"{path}[{index}]", Reason.NOT_POSSIBLE_NOW) from None
        require_now(refused is None, f"{path}[{index}]")
        before, (now, made) = now, advance(now, move, seat)
        expected += made
        if unseen or isinstance(move, Deal):
            _check_against(facts[seat], move, f"{path}[{index}]")
            facts = learnt(facts, before, move, seat, now)
            holds = sum(facts[seat].holds.values()) <= len(now.hands[seat])
            require_now(holds, f"{path}[{index}]")
    for index, (told, follows) in enumerate(zip(events, expected, strict=False)):
        require(told == follows, f"{path}[{index}]")
    require(len(events) == len(expected), path)
    _check_outcome(state, now)
    return facts


def _check_against(facts: Facts, move: Move, path: str) -> None:
    """A hand that is not seen does not play what it proved not to hold."""
    if isinstance(move, Capture | Build | Extend | Raise | Trail):
        require_now(not facts.never >> value_of(move.card) & 1, path)


def _check_outcome(state: WipeState, now: WipeState) -> None:
    """What the events lead to is what the state has."""
    for seat, (hand, left) in enumerate(zip(state.hands, now.hands, strict=True)):
        same = in_order(hand.cards) == in_order(left.cards) and hand.hidden == left.hidden
        require(same, f"$.hands[{seat}]")
    for name, path in (
        ("layout", "$.layout"),
        ("heaps", "$.heaps"),
        ("deals", "$.deals"),
        ("last_taker", "$.lastTaker"),
        ("just_took", "$.justTook"),
        ("announced", "$.announced"),
        ("wipes", "$.wipes"),
        ("score", "$.score"),
    ):
        require(getattr(state, name) == getattr(now, name), path)
    require(_by_id(state.builds) == _by_id(now.builds), "$.builds")


def _by_id(builds: Iterable[LayoutBuild]) -> list[LayoutBuild]:
    return sorted(builds, key=lambda build: build.id)
