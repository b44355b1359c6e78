"""Which states and views of whist can have come about; each function raises ImpossibleState where one cannot."""

from ...events import TurnedUp
from ...game import SPECTATOR, Viewer
from ...mechanics.checking import (
    cards_are_possible,
    check_chance,
    check_hands,
    check_no_revokes,
    check_tricks,
)
from ...mechanics.requiring import require, require_now, require_options
from ...mechanics.seating import seating_after
from ...mechanics.trick import SEATS
from ...violations import ImpossibleState, Reason
from .drawing import standing
from .options import check_options
from .rules import hidden_cards_fit, seating_is_possible
from .scoring import fault_in_score, match_is_over
from .state import WhistScore, WhistState
from .table import (
    decider,
    dummy_of,
    exposed_hand_is_untold,
    free_actions,
    is_played_out,
    match_is_decided,
    phase_of,
    played_by,
    revokes,
    settlement,
    trump_card_is_public,
    turn_of,
    visible_hands,
)
from .views import history_of, see


def check(state: WhistState) -> None:
    """The whole state: options, seats, cards, tricks, trumps, claims, score, and what follows from them."""
    require_options(check_options, state.options)
    viewer = state.viewer
    require_now(viewer is None or viewer == SPECTATOR or int(viewer) < SEATS, "$.viewer")
    require_now(seating_is_possible(state.options, state.seating), "$.seating")
    require_now(state.dealer < SEATS, "$.dealer")
    check_chance(state)
    _check_draws(state)
    possible = cards_are_possible(state, _first_leader(state), state.trump, must_follow=_must_follow(state))
    if not possible:
        check_hands(state)
    if state.viewer is not None:
        _check_seen(state, state.viewer)
    require_now(bool(state.deals) or not state.tricks, "$.tricks")
    if not possible:
        check_tricks(state.tricks, _first_leader(state), state.trump)
    _check_trump(state)
    if not possible and _must_follow(state):
        check_no_revokes(state.tricks, state.hands)
    if state.viewer is not None and state.deals:
        require(hidden_cards_fit(state), "$.hands", Reason.NOT_A_POSSIBLE_DEAL)
    _check_claims(state)
    _check_score(state)
    _check_what_follows(state)


def _check_draws(state: WhistState) -> None:
    if state.deals or not state.options.draw_for_partners:
        require_now(not state.draws, "$.draws")
        return
    for index, draw in enumerate(state.draws):
        before = standing(state.options, state.draws[:index])
        path = f"$.draws[{index}]"
        require_now(bool(before.pending) and before.pending[0] == draw.place, f"{path}.place")
        if draw.card in before.fresh:
            raise ImpossibleState(f"{path}.card", Reason.CARD_TWICE, card=draw.card)
    now = standing(state.options, state.draws)
    if now.pending or now.dealer is None:
        return
    partner = next(place for place in now.low_team if place != now.dealer)
    seats = [own[0] for own in state.seating]
    require(state.seating == seating_after(now.dealer, partner, seats), "$.seating")
    require(state.dealer == seats[now.dealer], "$.dealer")


def _first_leader(state: WhistState) -> int:
    return (state.dealer + 1) % SEATS


def _must_follow(state: WhistState) -> bool:
    return state.options.revoke == "prevent"


def _check_seen(state: WhistState, viewer: Viewer) -> None:
    """A view lists just the hands its viewer sees, and the turned card while it lies open."""
    visible = visible_hands(state, viewer)
    untold = dummy_of(state) if exposed_hand_is_untold(state) else None
    open_cards = {state.trump_card} if trump_card_is_public(state) else set()
    for index, hand in enumerate(state.hands):
        path = f"$.hands[{index}]"
        if index in visible and index != untold:
            require(not hand.hidden, f"{path}.hidden", Reason.OWN_HAND_UNKNOWN)
        else:
            shown = open_cards if index == state.dealer else set()
            require(shown.issuperset(hand.cards), f"{path}.cards", Reason.NOT_VISIBLE)
    at_once = len(state.tricks) <= 1 and sum(len(trick.cards) for trick in state.tricks) <= 1
    require(untold is None or at_once, f"$.hands[{untold}].hidden", Reason.CARDS_MISSING)


def _check_trump(state: WhistState) -> None:
    trumps_are_made = bool(state.deals) and state.options.trump == "turned"
    require_now((state.trump is not None) == trumps_are_made, "$.trump")
    turned = state.trump_card
    known = bool(state.deals) and state.options.turn_up
    shown = known if state.viewer is None else trump_card_is_public(state)
    require_now((turned is not None) == shown, "$.trumpCard")
    if turned is None:
        return
    require(state.trump in (None, turned.suit), "$.trumpCard")
    dealers = turned in state.hands[state.dealer].cards or turned in played_by(state, state.dealer)
    require_now(dealers, "$.trumpCard")


def _check_claims(state: WhistState) -> None:
    if not state.claims:
        return
    possible = state.options.revoke == "record" and is_played_out(state)
    require_now(possible, "$.claims")
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
        require_now(right, f"$.claims[{index}]")
        made.add(revoke)
        open_still = index == len(state.claims) - 1 and state.score_before is None
        chosen = state.options.revoke_penalty == "choice"
        told = claim.penalty is not None
        require_now(told == chosen or (chosen and open_still), f"$.claims[{index}].penalty")


def _check_score(state: WhistState) -> None:
    before = state.score if state.score_before is None else state.score_before
    _check_score_itself(state, before, "$.score" if state.score_before is None else "$.scoreBefore")
    if state.score_before is None:
        return
    require_now(is_played_out(state), "$.scoreBefore")
    require(state.score == settlement(state).after, "$.score")


def _check_score_itself(state: WhistState, score: WhistScore, path: str) -> None:
    earlier = max(0, state.deals - 1)
    fault = fault_in_score(state.options, score, earlier)
    if fault is None and match_is_over(state.options, score, counted=False):
        fault = ".games"
    if fault is not None:
        raise ImpossibleState(f"{path}{fault}", Reason.NOT_POSSIBLE_NOW)
    deals_again = state.options.match != "deal" or state.options.revoke_both == "void"
    require_now(deals_again or not earlier, "$.deals")


def _check_what_follows(state: WhistState) -> None:
    settled, played_out = state.score_before is not None, is_played_out(state)
    if state.options.revoke == "prevent" or not played_out:
        require_now(settled == played_out, "$.scoreBefore")
    elif settled:
        require_now(match_is_decided(state), "$.scoreBefore")
    phase = phase_of(state)
    if state.phase != phase:
        raise ImpossibleState("$.phase", Reason.WRONG_PHASE_STATE, expected=phase)
    turn = turn_of(state, phase)
    if state.to_act != turn:
        expected = "null" if turn is None else f"seat {turn.seat}, hand {turn.hand}"
        raise ImpossibleState("$.toAct", Reason.WRONG_TURN, expected=expected)
    require(state.may_also == free_actions(state, phase), "$.mayAlso")
    if state.viewer is not None:
        _check_history(state, state.viewer)


def _check_history(state: WhistState, viewer: Viewer) -> None:
    """A view's history is what the rest of it tells, and the turned card where that is not shown any more."""
    if state.history is None:
        shown = not state.deals or not state.options.turn_up or state.trump_card is not None
        require(shown, "$.history", Reason.CARDS_MISSING)
        return
    turned = next((event.card for event in state.history if isinstance(event, TurnedUp)), None)
    if state.deals and state.options.turn_up:
        require(turned is not None, "$.history", Reason.CARDS_MISSING)
    require(turned is None or state.trump in (None, turned.suit), "$.history")
    expected = tuple(see(state, event, viewer) for event in history_of(state, turned))
    require(state.history == expected, "$.history")
