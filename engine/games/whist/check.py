"""Which states and views of whist can have come about; each function raises ImpossibleState where one cannot."""

from ...events import Event, Exposed, TurnedUp
from ...game import SPECTATOR
from ...mechanics.checking import check_chance, check_hands, check_no_revokes, check_tricks, require
from ...mechanics.seating import seating_after
from ...mechanics.tricks import SEATS
from ...violations import ImpossibleState, Malformed, Reason
from .drawing import standing
from .options import check_options
from .rules import hidden_cards_fit, history_of, seating_is_possible
from .scoring import fault_in_score, match_is_over
from .state import WhistScore, WhistState
from .table import (
    dealt_to,
    decider,
    dummy_of,
    free_actions,
    is_played_out,
    phase_of,
    revokes,
    settlement,
    trump_card_is_public,
    turn_of,
)


def check(state: WhistState) -> None:
    """The whole state: options, seats, cards, tricks, trumps, claims, score, and what follows from them."""
    _check_options(state)
    if state.viewer is not None and state.viewer != SPECTATOR and int(state.viewer) >= SEATS:
        raise ImpossibleState("$.viewer", Reason.NOT_POSSIBLE_NOW)
    if not seating_is_possible(state.options, state.seating):
        raise ImpossibleState("$.seating", Reason.NOT_POSSIBLE_NOW)
    if state.dealer >= SEATS:
        raise ImpossibleState("$.dealer", Reason.NOT_POSSIBLE_NOW)
    check_chance(state)
    _check_draws(state)
    _check_cards(state)
    _check_tricks(state)
    _check_trump(state)
    _check_revokes(state)
    _check_claims(state)
    _check_score(state)
    _check_what_follows(state)


def _check_options(state: WhistState) -> None:
    try:
        check_options(state.options)
    except Malformed as fault:
        raise ImpossibleState(fault.path, Reason.OPTIONS_CONTRADICT, detail=fault.detail) from None


def _check_draws(state: WhistState) -> None:
    if state.deals or not state.options.draw_for_partners:
        require(not state.draws, "$.draws", Reason.NOT_POSSIBLE_NOW)
        return
    for index, draw in enumerate(state.draws):
        before = standing(state.options, state.draws[:index])
        path = f"$.draws[{index}]"
        require(bool(before.pending) and before.pending[0] == draw.place, f"{path}.place", Reason.NOT_POSSIBLE_NOW)
        if draw.card in before.fresh:
            raise ImpossibleState(f"{path}.card", Reason.CARD_TWICE, card=draw.card)
    now = standing(state.options, state.draws)
    if now.pending or now.dealer is None:
        return
    partner = next(place for place in now.low_team if place != now.dealer)
    seats = [own[0] for own in state.seating]
    require(state.seating == seating_after(now.dealer, partner, seats), "$.seating")
    require(state.dealer == seats[now.dealer], "$.dealer")


def _check_cards(state: WhistState) -> None:
    check_hands(state)
    if state.viewer is not None and state.viewer != SPECTATOR:
        own = decider(state, int(state.viewer))
        require(not state.hands[own].hidden, f"$.hands[{own}].hidden", Reason.OWN_HAND_UNKNOWN)


def _check_tricks(state: WhistState) -> None:
    require(bool(state.deals) or not state.tricks, "$.tricks", Reason.NOT_POSSIBLE_NOW)
    check_tricks(state.tricks, (state.dealer + 1) % SEATS, state.trump)


def _check_trump(state: WhistState) -> None:
    trumps_are_made = bool(state.deals) and state.options.trump == "turned"
    require((state.trump is not None) == trumps_are_made, "$.trump", Reason.NOT_POSSIBLE_NOW)
    turned = state.trump_card
    known = bool(state.deals) and state.options.turn_up
    shown = known if state.viewer is None else trump_card_is_public(state)
    require((turned is not None) == shown, "$.trumpCard", Reason.NOT_POSSIBLE_NOW)
    if turned is None:
        return
    require(state.trump in (None, turned.suit), "$.trumpCard")
    require(turned in dealt_to(state, state.dealer), "$.trumpCard", Reason.NOT_POSSIBLE_NOW)


def _check_revokes(state: WhistState) -> None:
    if state.options.revoke == "prevent":
        check_no_revokes(state.tricks, state.hands)
    if state.viewer is not None and state.deals:
        require(hidden_cards_fit(state), "$.hands", Reason.NOT_A_POSSIBLE_DEAL)


def _check_claims(state: WhistState) -> None:
    if not state.claims:
        return
    possible = state.options.revoke == "record" and is_played_out(state)
    require(possible, "$.claims", Reason.NOT_POSSIBLE_NOW)
    found = revokes(state)
    made: set[tuple[int, int]] = set()
    for index, claim in enumerate(state.claims):
        revoke = (claim.against, claim.trick)
        right = (
            revoke in found
            and revoke not in made
            and claim.against % 2 != claim.seat % 2
            and claim.against != dummy_of(state)
            and decider(state, claim.seat) == claim.seat
        )
        require(right, f"$.claims[{index}]", Reason.NOT_POSSIBLE_NOW)
        made.add(revoke)
        open_still = index == len(state.claims) - 1 and state.score_before is None
        chosen = state.options.revoke_penalty == "choice"
        told = claim.penalty is not None
        require(told == chosen or (chosen and open_still), f"$.claims[{index}].penalty", Reason.NOT_POSSIBLE_NOW)


def _check_score(state: WhistState) -> None:
    before = state.score if state.score_before is None else state.score_before
    _check_score_itself(state, before, "$.score" if state.score_before is None else "$.scoreBefore")
    if state.score_before is None:
        return
    require(is_played_out(state), "$.scoreBefore", Reason.NOT_POSSIBLE_NOW)
    require(state.score == settlement(state).after, "$.score")


def _check_score_itself(state: WhistState, score: WhistScore, path: str) -> None:
    fault = fault_in_score(state.options, score)
    require(fault is None, f"{path}{fault}", Reason.NOT_POSSIBLE_NOW)
    require(not match_is_over(state.options, score, 0), f"{path}.games", Reason.NOT_POSSIBLE_NOW)
    earlier = max(0, state.deals - 1)
    require(bool(earlier) or score == WhistScore(), path, Reason.NOT_POSSIBLE_NOW)
    require(state.options.match != "deal" or not earlier, "$.deals", Reason.NOT_POSSIBLE_NOW)


def _check_what_follows(state: WhistState) -> None:
    if state.options.revoke == "prevent" or not is_played_out(state):
        require((state.score_before is not None) == is_played_out(state), "$.scoreBefore", Reason.NOT_POSSIBLE_NOW)
    phase = phase_of(state)
    if state.phase != phase:
        raise ImpossibleState("$.phase", Reason.WRONG_PHASE_STATE, expected=phase)
    turn = turn_of(state)
    if state.to_act != turn:
        expected = "null" if turn is None else f"seat {turn.seat}, hand {turn.hand}"
        raise ImpossibleState("$.toAct", Reason.WRONG_TURN, expected=expected)
    require(state.may_also == free_actions(state), "$.mayAlso")
    if state.viewer is not None and state.history is not None:
        _check_history(state, state.history)


def _check_history(state: WhistState, history: tuple[Event, ...]) -> None:
    turned = next((event.card for event in history if isinstance(event, TurnedUp)), None)
    if turned is not None and state.trump is not None:
        require(turned.suit is state.trump, "$.history")
    expected = [event for event in history_of(state, turned) if not isinstance(event, Exposed)]
    told = [event for event in history if not isinstance(event, Exposed)]
    require(told == expected, "$.history")
    if state.deals and state.options.turn_up:
        require(turned is not None, "$.history", Reason.CARDS_MISSING)
