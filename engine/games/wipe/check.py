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
    _check_options(state)
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
        _require(hidden_cards_fit(state, facts), "$.hands", Reason.NOT_A_POSSIBLE_DEAL)


def _require(holds: bool, path: str, reason: Reason = Reason.DISAGREES) -> None:  # noqa: FBT001 - reads as a sentence
    if not holds:
        raise ImpossibleState(path, reason)


def _check_options(state: WipeState) -> None:
    try:
        check_options(state.options)
    except Malformed as fault:
        raise ImpossibleState(fault.path, Reason.OPTIONS_CONTRADICT, detail=fault.detail) from None


def _check_seats(state: WipeState) -> None:
    seats = len(state.hands)
    _require(seats in PLACES, "$.hands", Reason.WRONG_COUNT)
    _require(seating_is_possible(state.seating, seats), "$.seating", Reason.NOT_POSSIBLE_NOW)
    _require(state.dealer < seats, "$.dealer", Reason.NOT_POSSIBLE_NOW)
    if state.viewer is not None and state.viewer != SPECTATOR:
        _require(int(state.viewer) < seats, "$.viewer", Reason.NOT_POSSIBLE_NOW)
    _require(len(state.heaps) == heaps_of(state.options, seats), "$.heaps", Reason.WRONG_COUNT)
    _require(len(state.wipes) == sides_of(seats), "$.wipes", Reason.WRONG_COUNT)
    _require(len(state.score.points) == sides_of(seats), "$.score.points", Reason.WRONG_COUNT)
    if state.score_before is not None:
        _require(len(state.score_before.points) == sides_of(seats), "$.scoreBefore.points", Reason.WRONG_COUNT)


def _check_chance(state: WipeState) -> None:
    full = state.viewer is None
    _require(state.seed is None or state.chance == "seed", "$.seed", Reason.NOT_POSSIBLE_NOW)
    _require(state.seed is not None or state.chance != "seed" or not full, "$.seed", Reason.CARDS_MISSING)
    if state.deck is not None:
        _require(state.chance == "deck" and not state.deals and full, "$.deck", Reason.NOT_POSSIBLE_NOW)
        whole = len(state.deck) == len(PACK) and card_set(state.deck) == WHOLE_PACK
        _require(whole, "$.deck", Reason.CARDS_MISSING)
    _require(state.past is None or full, "$.past", Reason.NOT_VISIBLE)


def _check_progress(state: WipeState) -> None:
    _require(state.deals <= len(deal_sizes(len(state.hands))), "$.deals", Reason.NOT_POSSIBLE_NOW)
    _require(state.rounds <= rounds_of(state), "$.rounds", Reason.NOT_POSSIBLE_NOW)
    _require(bool(state.rounds) == bool(state.deals), "$.deals")


def _check_hands(state: WipeState) -> None:
    seats = len(state.hands)
    sizes = deal_sizes(seats)
    size = sizes[state.deals - 1] if state.deals else 0
    played = cards_played(state)
    for seat, hand in enumerate(state.hands):
        own = len(range((seat - state.dealer - 1) % seats, played, seats))
        if len(hand) != size - own:
            raise ImpossibleState(f"$.hands[{seat}]", Reason.WRONG_HAND_SIZE, count=len(hand), expected=size - own)
        _require(state.viewer is not None or not hand.hidden, f"$.hands[{seat}].hidden", Reason.HIDDEN_IN_STATE)
    if state.viewer is not None and state.viewer != SPECTATOR:
        own = int(state.viewer)
        _require(not state.hands[own].hidden, f"$.hands[{own}].hidden", Reason.OWN_HAND_UNKNOWN)
    left = UNDEALT - seats * sum(sizes[: state.deals]) if state.deals else 0
    _require(len(state.stock) == left, "$.stock", Reason.WRONG_COUNT)
    if state.viewer is not None:
        _require(not state.stock.cards, "$.stock.cards", Reason.NOT_VISIBLE)
    elif state.chance == "seed":
        _require(not state.stock.hidden, "$.stock.hidden", Reason.HIDDEN_IN_STATE)
    _require(not (state.stock.cards and state.stock.hidden), "$.stock", Reason.WRONG_COUNT)


def _check_cards(state: WipeState) -> None:
    seen = 0
    for path, card in shown_cards(state):
        if seen & card.bit:
            raise ImpossibleState(path, Reason.CARD_TWICE, card=card)
        seen |= card.bit
    total = seen.bit_count() + sum(hand.hidden for hand in state.hands) + state.stock.hidden
    _require(total == (len(PACK) if state.deals else 0), "$.layout", Reason.WRONG_COUNT)


def _check_builds(state: WipeState) -> None:
    options, seats = state.options, len(state.hands)
    _require(options.building or not state.builds, "$.builds", Reason.NOT_POSSIBLE_NOW)
    ids = [build.id for build in state.builds]
    for index, build in enumerate(state.builds):
        path = f"$.builds[{index}]"
        _require(ids.count(build.id) == 1, f"{path}.id", Reason.NOT_POSSIBLE_NOW)
        _require(build.owner is None or build.owner < seats, f"{path}.owner", Reason.NOT_POSSIBLE_NOW)
        _require(build.value <= ceiling(options), f"{path}.value", Reason.NOT_POSSIBLE_NOW)
        most = 2 if options.double_building else 1
        _require(len(build.groups) <= most and len(build.cards) > 1, f"{path}.groups", Reason.WRONG_COUNT)
        for number, group in enumerate(build.groups):
            adds = all(has_value(options, card) for card in group) and sum(map(value_of, group)) == build.value
            _require(adds, f"{path}.groups[{number}]")
            plain = options.build_layout_cards == "any" or options.raising or len(group) <= 2
            _require(plain, f"{path}.groups[{number}]", Reason.NOT_POSSIBLE_NOW)
    _check_owed(state)


def _check_owed(state: WipeState) -> None:
    owners = Counter(build.owner for build in state.builds if build.owner is not None)
    if state.options.build_obligation in ("resolve", "capture"):
        _require(max(owners.values(), default=0) <= 1, "$.builds", Reason.NOT_POSSIBLE_NOW)
    if is_played_out(state):
        return
    for seat, owed in enumerate(owed_holdings(state.options, state.builds, len(state.hands))):
        hand = state.hands[seat]
        held = Counter(map(value_of, hand.cards))
        _require(bool(hand.hidden) or owed <= held, f"$.hands[{seat}]", Reason.NOT_POSSIBLE_NOW)


def _check_heaps(state: WipeState) -> None:
    seats = len(state.hands)
    next_to_play = (state.dealer + 1 + cards_played(state)) % seats
    uncrossed = Counter(trick.seat for heap in state.heaps for trick in heap.tricks if not trick.crossed)
    for index, heap in enumerate(state.heaps):
        path = f"$.heaps[{index}]"
        for number, trick in enumerate(heap.tricks):
            where = f"{path}.tricks[{number}]"
            own = trick.seat < seats and heap_of(state.options, seats, trick.seat) == index
            _require(own, f"{where}.seat", Reason.NOT_POSSIBLE_NOW)
            _require(trick.by in trick.cards, f"{where}.by")
            _require(_can_be_taken(state, trick), f"{where}.cards", Reason.NOT_POSSIBLE_NOW)
            if not trick.crossed:
                lately = uncrossed[trick.seat] == 1 and (trick.seat != next_to_play or is_played_out(state))
                _require(state.options.crossing == "declared" and lately, f"{where}.crossed", Reason.NOT_POSSIBLE_NOW)
        ended = is_played_out(state) and state.last_taker is not None
        last = ended and heap_of(state.options, seats, state.last_taker or 0) == index
        _require(last or not heap.rest, f"{path}.rest", Reason.NOT_POSSIBLE_NOW)
    for side in range(sides_of(seats)):
        shut = [replace(heap, tricks=()) for heap in won_by(state, side)]
        closed = [card for heap in shut for card in heap.closed]
        complete = any(sum(card[0] == rank for card in closed) == 4 for rank in "ATJQK")
        _require(complete or not closed, f"$.heaps[{side}].closed", Reason.NOT_POSSIBLE_NOW)
    if is_played_out(state) and state.last_taker is not None:
        _require(not state.layout, "$.layout", Reason.NOT_POSSIBLE_NOW)
        _require(not state.builds, "$.builds", Reason.NOT_POSSIBLE_NOW)


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
    _require(taker is None or taker < seats, "$.lastTaker", Reason.NOT_POSSIBLE_NOW)
    _require((taker is not None) == won, "$.lastTaker")
    if taker is not None:
        heap = state.heaps[heap_of(state.options, seats, taker)]
        shown = not heap.tricks or heap.tricks[-1].seat == taker
        _require(bool(heap.cards) and shown, "$.lastTaker")
    anything = state.deals > 1 or cards_played(state) > 0
    last = (state.dealer + cards_played(state)) % seats
    _require(not state.just_took or (anything and taker == last), "$.justTook", Reason.NOT_POSSIBLE_NOW)


def _check_wipes(state: WipeState) -> None:
    options = state.options
    earlier = max(0, state.rounds - 1)
    for side, tally in enumerate(state.wipes):
        path = f"$.wipes[{side}]"
        _require(tally.struck <= tally.made, f"{path}.struck", Reason.NOT_POSSIBLE_NOW)
        for entry in penalties_off(options):
            _require(not getattr(tally, entry), f"{path}.{entry}", Reason.NOT_POSSIBLE_NOW)
        most = len(PACK) * state.rounds
        _require(tally.made + tally.missed + tally.mistaken <= most, path, Reason.NOT_POSSIBLE_NOW)
    late = is_last_deal(state) and bool(state.deals) and cards_played(state) > 0
    if options.last_deal_announcement == "auto":
        told = bool(state.deals) and is_last_deal(state)
        _require(state.announced == told, "$.announced", Reason.NOT_POSSIBLE_NOW)
    _require(not state.announced or (bool(state.deals) and is_last_deal(state)), "$.announced", Reason.NOT_POSSIBLE_NOW)
    penalised = sum(tally.unannounced for tally in state.wipes)
    _require(penalised <= earlier + late, "$.wipes", Reason.NOT_POSSIBLE_NOW)
    if late and not state.announced:
        side = state.dealer % sides_of(len(state.hands))
        _require(state.wipes[side].unannounced > 0, f"$.wipes[{side}].unannounced")


def _check_score(state: WipeState) -> None:
    before, path = state.score, "$.score"
    if state.score_before is not None:
        before, path = state.score_before, "$.scoreBefore"
        _require(is_played_out(state), path, Reason.NOT_POSSIBLE_NOW)
        _require(state.score == settlement(state).after, "$.score")
    _require((state.score_before is not None) == is_played_out(state), "$.scoreBefore", Reason.NOT_POSSIBLE_NOW)
    earlier = max(0, state.rounds - 1)
    _require(bool(earlier) or not any(before.points), f"{path}.points", Reason.NOT_POSSIBLE_NOW)
    most = ROUND_POINTS * earlier
    if state.options.tie == "all":
        most += 2 * MAJORITY_POINTS * (len(before.points) - 1) * earlier
    _require(sum(before.points) + _waiting(before) <= most, f"{path}.points", Reason.NOT_POSSIBLE_NOW)
    carries = state.options.tie == "carry"
    _require(carries or not _waiting(before), f"{path}.carried", Reason.NOT_POSSIBLE_NOW)
    for waiting in (before.carried.cards, before.carried.spades):
        possible = waiting % MAJORITY_POINTS == 0 and waiting <= MAJORITY_POINTS * earlier
        _require(possible, f"{path}.carried", Reason.NOT_POSSIBLE_NOW)


def _waiting(score: WipeScore) -> int:
    return score.carried.cards + score.carried.spades


def _check_what_follows(state: WipeState) -> None:
    if not state.deals:
        quiet = not (state.last_taker is not None or state.just_took or any(map(_is_begun, state.wipes)))
        _require(quiet, "$.wipes", Reason.NOT_POSSIBLE_NOW)
    phase = phase_of(state)
    if state.phase != phase:
        raise ImpossibleState("$.phase", Reason.WRONG_PHASE_STATE, expected=phase)
    turn = turn_of(state)
    if state.to_act != turn:
        expected = "null" if turn is None else f"seat {turn.seat}, hand {turn.hand}"
        raise ImpossibleState("$.toAct", Reason.WRONG_TURN, expected=expected)
    _require(state.may_also == free_actions(state), "$.mayAlso")


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
        _require(not events, path, Reason.NOT_POSSIBLE_NOW)
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
        _require(refused is None, f"{path}[{index}]", Reason.NOT_POSSIBLE_NOW)
        before, (now, made) = now, advance(now, move, seat)
        expected += made
        if unseen or isinstance(move, Deal):
            _check_against(facts[seat], move, f"{path}[{index}]")
            facts = learnt(facts, before, move, seat, now)
            holds = sum(facts[seat].holds.values()) <= len(now.hands[seat])
            _require(holds, f"{path}[{index}]", Reason.NOT_POSSIBLE_NOW)
    for index, (told, follows) in enumerate(zip(events, expected, strict=False)):
        _require(told == follows, f"{path}[{index}]")
    _require(len(events) == len(expected), path)
    _check_outcome(state, now)
    return facts


def _check_against(facts: Facts, move: Move, path: str) -> None:
    """A hand that is not seen does not play what it proved not to hold."""
    if isinstance(move, Capture | Build | Extend | Raise | Trail):
        _require(not facts.never >> value_of(move.card) & 1, path, Reason.NOT_POSSIBLE_NOW)


def _check_outcome(state: WipeState, now: WipeState) -> None:
    """What the events lead to is what the state has."""
    for seat, (hand, left) in enumerate(zip(state.hands, now.hands, strict=True)):
        same = in_order(hand.cards) == in_order(left.cards) and hand.hidden == left.hidden
        _require(same, f"$.hands[{seat}]")
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
        _require(getattr(state, name) == getattr(now, name), path)
    _require(_by_id(state.builds) == _by_id(now.builds), "$.builds")


def _by_id(builds: Iterable[LayoutBuild]) -> list[LayoutBuild]:
    return sorted(builds, key=lambda build: build.id)
