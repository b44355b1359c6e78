"""Which states and views of PeeWee 7 can have come about; each function raises ImpossibleState where one cannot."""

from ...game import SPECTATOR, Viewer
from ...mechanics.checking import (
    cards_are_possible,
    check_chance,
    check_hands,
    check_no_revokes,
    check_tricks,
)
from ...mechanics.requiring import require, require_now, require_options
from ...mechanics.seating import each_has_one_seat
from ...mechanics.trick import SEATS
from ...violations import ImpossibleState, Reason
from .auction import Auction, after, auction_of, outcome, refuse_call
from .drawing import is_used_up, seated, teams_are_made
from .options import PeeweeOptions, check_options
from .rules import unseen_in
from .scoring import fault_in_score, fewest_deals, winners
from .state import PeeweeCall, PeeweeState
from .table import (
    exposed_hand_is_untold,
    first_leader,
    is_exposed_before_lead,
    is_played_out,
    peewee_of,
    phase_of,
    settlement,
    turn_of,
    visible_hands,
)
from .views import history_of


def check(state: PeeweeState) -> None:
    """The whole state: options, seats, draw, calls, cards, tricks, paper, and what follows from them."""
    require_options(check_options, state.options)
    viewer = state.viewer
    require_now(viewer is None or viewer == SPECTATOR or int(viewer) < SEATS, "$.viewer")
    require_now(each_has_one_seat(state.seating), "$.seating")
    require_now(state.dealer < SEATS, "$.dealer")
    check_chance(state)
    _check_draws(state)
    _check_calls(state)
    _check_cards(state)
    _check_score(state)
    _check_what_follows(state)


def _check_draws(state: PeeweeState) -> None:
    draws, options = state.draws, state.options
    drawing = options.team_draw and not state.deals
    require_now(drawing or not draws, "$.draws")
    may_run_out = drawing and options.team_draw_check == "round"
    require_now(may_run_out or not state.packs, "$.packs")
    require_now(options.team_draw or not state.black, "$.black")
    seen = 0
    for index, draw in enumerate(draws):
        if seen & draw.card.bit:
            raise ImpossibleState(f"$.draws[{index}].card", Reason.CARD_TWICE, card=draw.card)
        seen |= draw.card.bit
        before = [earlier.place for earlier in draws[:index]]
        in_turn = draw.place == before[-SEATS] if index >= SEATS else draw.place not in before
        require_now(in_turn, f"$.draws[{index}].place")
        require_now(not teams_are_made(options, draws[:index]), f"$.draws[{index}]")
    require(not is_used_up(options, draws), "$.draws", Reason.WRONG_COUNT)
    if teams_are_made(options, draws):
        seating, black = seated(state.dealer, draws)
        require(state.seating == seating, "$.seating")
        require(state.black == black, "$.black")
    elif drawing:
        require_now(not state.black, "$.black")
        for index, draw in enumerate(draws[:SEATS]):
            laid_before = (state.dealer + 1 + index) % SEATS
            require_now(state.seating[draw.place] == (laid_before,), f"$.draws[{index}].place")


def _check_calls(state: PeeweeState) -> None:
    require_now(bool(state.deals) or not state.calls, "$.calls")
    auction = auction_of(state.options, state.dealer, ())
    for index, made in enumerate(state.calls):
        fault = _fault_in_call(state.options, auction, made)
        if fault is not None:
            raise ImpossibleState(f"$.calls[{index}]{fault}", Reason.NOT_POSSIBLE_NOW)
        auction = after(state.options, auction, made.call)
    closed = outcome(state.options, auction) if auction.turn is None else None
    require(state.contract == (closed[0] if closed else None), "$.contract")
    require(state.master == (closed[1] if closed else None), "$.master")


def _fault_in_call(options: PeeweeOptions, auction: Auction, made: PeeweeCall) -> str | None:
    """The path, below the call, of what cannot have been called next."""
    if auction.turn is None:
        return ""
    if made.seat != auction.turn:
        return ".seat"
    return None if refuse_call(options, auction, made.call) is None else ".call"


def _check_cards(state: PeeweeState) -> None:
    trump = state.contract.strain.trump if state.contract else None
    possible = cards_are_possible(state, first_leader(state), trump, must_follow=True)
    if not possible:
        check_hands(state)
    require_now(state.contract is not None or not state.tricks, "$.tricks")
    if not possible:
        check_tricks(state.tricks, first_leader(state), trump)
        check_no_revokes(state.tricks, state.hands)
    if state.viewer is None or not state.deals:
        return
    _check_seen(state, state.viewer)
    require(unseen_in(state).can_be(), "$.hands", Reason.NOT_A_POSSIBLE_DEAL)


def _check_seen(state: PeeweeState, viewer: Viewer) -> None:
    """A view lists just the hands its viewer sees; an exposed one may still have to be told, at once."""
    visible = visible_hands(state, viewer)
    untold = peewee_of(state) if exposed_hand_is_untold(state) else None
    for index, hand in enumerate(state.hands):
        path = f"$.hands[{index}]"
        if index in visible and index != untold:
            require(not hand.hidden, f"{path}.hidden", Reason.OWN_HAND_UNKNOWN)
        else:
            require(not hand.cards, f"{path}.cards", Reason.NOT_VISIBLE)
    played = sum(len(trick.cards) for trick in state.tricks)
    at_once = played == (0 if is_exposed_before_lead(state) else 1)
    require(untold is None or at_once, f"$.hands[{untold}].hidden", Reason.CARDS_MISSING)


def _check_score(state: PeeweeState) -> None:
    settled = state.score_before is not None
    require_now(settled == is_played_out(state), "$.scoreBefore")
    before = state.score if state.score_before is None else state.score_before
    path = "$.scoreBefore" if settled else "$.score"
    fault = fault_in_score(before)
    if fault is not None:
        raise ImpossibleState(f"{path}{fault}", Reason.NOT_POSSIBLE_NOW)
    require_now(not winners(state.options, before), path)
    require_now(fewest_deals(before) <= max(0, state.deals - 1), path)
    if settled:
        require(state.score == settlement(state).after, "$.score")


def _check_what_follows(state: PeeweeState) -> None:
    phase = phase_of(state)
    if state.phase != phase:
        raise ImpossibleState("$.phase", Reason.WRONG_PHASE_STATE, expected=phase)
    turn = turn_of(state, phase)
    if state.to_act != turn:
        expected = "null" if turn is None else f"seat {turn.seat}, hand {turn.hand}"
        raise ImpossibleState("$.toAct", Reason.WRONG_TURN, expected=expected)
    require(not state.may_also, "$.mayAlso")
    if state.viewer is not None and state.history is not None:
        require(state.history == history_of(state), "$.history")
