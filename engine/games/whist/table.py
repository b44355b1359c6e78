"""What follows from a state of whist: who decides, what is exposed, what has been played, what it scores."""

from collections.abc import Sequence
from typing import Final, TypeVar

from ...cards import PACK, Card, card_set
from ...game import SPECTATOR, FreeAction, Turn, Viewer
from ...mechanics.cardsets import set_of
from ...mechanics.trick import SEATS, Trick
from ...mechanics.tricks import cards_played_by, revokes_in, trick_under_way
from ...mechanics.tricks import complete_tricks as complete_among
from .drawing import standing
from .options import WhistOptions
from .scoring import match_is_over, settle
from .state import PACK_TRICKS, Phase, Settlement, WhistFacts, WhistRevokeFact, WhistState

HONOURS: Final = "AKQJ"
HONOUR_CARDS: Final = card_set(card for card in PACK if card[0] in HONOURS)
"""The honours of all four suits."""

T = TypeVar("T")


def places_of(options: WhistOptions) -> int:
    """How many places there are: four, or three in dummy whist."""
    return SEATS - 1 if options.dummy else SEATS


def default_seating(options: WhistOptions) -> tuple[tuple[int, ...], ...]:
    """Place *p* in seat *p*; in dummy whist dummy's partner in seats 0 and 2 and the others clockwise from them."""
    if not options.dummy:
        return tuple((seat,) for seat in range(SEATS))
    partner = options.dummy_partner
    seats = {partner: (0, 2), (partner + 1) % 3: (1,), (partner + 2) % 3: (3,)}
    return tuple(seats[place] for place in range(SEATS - 1))


def dummy_of(state: WhistState) -> int | None:
    """Dummy's seat: the second of the two seats its partner has."""
    return state.seating[state.options.dummy_partner][1] if state.options.dummy else None


def decider(state: WhistState, hand: int) -> int:
    """The seat that decides for a hand: its own, or for dummy its partner's."""
    return (hand + 2) % SEATS if hand == dummy_of(state) else hand


def hands_dealt(deck: Sequence[T], dealer: int) -> tuple[Sequence[T], ...]:
    """What each seat gets of a pack: one card at a time, from the dealer's left on (W-7)."""
    return tuple(deck[(seat - dealer - 1) % SEATS :: SEATS] for seat in range(SEATS))


def next_dealer(state: WhistState) -> int:
    """The seat that deals next: clockwise after every hand, void or not (W-3, WA4, WA34)."""
    return (state.dealer + 1) % SEATS if state.deals else state.dealer


def complete_tricks(state: WhistState) -> int:
    """How many tricks are complete."""
    return complete_among(state.tricks)


def current_trick(state: WhistState) -> Trick:
    """The trick being played, perhaps still without a card: the left of the dealer leads first (W-11), then winners."""
    return trick_under_way(state.tricks, (state.dealer + 1) % SEATS)


def is_played_out(state: WhistState) -> bool:
    """Whether all thirteen tricks of the deal at hand are complete."""
    return complete_tricks(state) == PACK_TRICKS


def dealer_has_played(state: WhistState) -> bool:
    """Whether the dealer has played to trick 1, and so has taken up the turned card (W-9)."""
    return bool(state.tricks) and len(state.tricks[0].cards) == SEATS


def dummy_is_exposed(state: WhistState) -> bool:
    """Whether dummy's hand lies open (WA26): before the lead, or after it. A dummy on lead is exposed to lead."""
    dummy = dummy_of(state)
    if dummy is None or not state.deals:
        return False
    first_leader = (state.dealer + 1) % SEATS
    return state.options.dummy_exposed == "beforeLead" or bool(state.tricks) or first_leader == dummy


def exposed_hand_is_untold(state: WhistState) -> bool:
    """Whether a view lacks the cards of dummy's hand though it lies open: who holds the cards must tell them."""
    dummy = dummy_of(state)
    return dummy is not None and dummy_is_exposed(state) and state.hands[dummy].hidden > 0


def visible_hands(state: WhistState, viewer: Viewer) -> frozenset[int]:
    """The hands a viewer sees whole: the one it decides for, and dummy's once exposed."""
    own = set() if viewer == SPECTATOR else {decider(state, int(viewer))}
    dummy = dummy_of(state)
    if dummy is not None and dummy_is_exposed(state):
        own.add(dummy)
    return frozenset(own)


def trump_card_is_public(state: WhistState) -> bool:
    """Whether the turned card still lies open: until the dealer plays to trick 1, or always, if not played."""
    if not state.deals or not state.options.turn_up:
        return False
    return state.options.trump_card_public == "always" or not dealer_has_played(state)


def played_by(state: WhistState, hand: int) -> tuple[Card, ...]:
    """The cards a hand has played in this deal, in order."""
    return cards_played_by(state.tricks, hand)


def dealt_to(state: WhistState, hand: int) -> tuple[Card, ...]:
    """The known cards a hand was dealt: those it holds and those it played."""
    return (*state.hands[hand].cards, *played_by(state, hand))


def revokes(state: WhistState) -> tuple[tuple[int, int], ...]:
    """The revokes of a deal played out, as (hand, trick number): everything is public by then."""
    return revokes_in(state.tricks, [set_of(hand.cards) for hand in state.hands])


def facts_of(state: WhistState) -> WhistFacts:
    """What a deal played out comes to, for scoring."""
    won = [trick.winner for trick in state.tricks if trick.winner is not None]
    honours = [0] * SEATS
    if state.trump:
        names = {rank + state.trump for rank in HONOURS}
        honours = [len(names & set(played_by(state, hand))) for hand in range(SEATS)]
    return WhistFacts(
        tricks=(sum(seat % 2 == 0 for seat in won), sum(seat % 2 == 1 for seat in won)),
        honours=(honours[0], honours[1], honours[2], honours[3]),
        revokes=tuple(WhistRevokeFact(side=claim.against % 2, penalty=claim.penalty) for claim in state.claims),
        score=state.score if state.score_before is None else state.score_before,
    )


def settlement(state: WhistState) -> Settlement:
    """The deal played out, settled with the claims made so far."""
    return settle(state.options, facts_of(state))


def match_is_decided(state: WhistState) -> bool:
    """Whether a match whose deal is played out ends with it, by the claims made so far."""
    settled = settlement(state)
    return match_is_over(state.options, settled.after, counted=not settled.void)


def phase_of(state: WhistState) -> Phase:
    """The phase that the rest of the state makes it."""
    if not state.deals:
        return "draw" if state.options.draw_for_partners and standing(state.options, state.draws).pending else "deal"
    if not is_played_out(state):
        return "expose" if exposed_hand_is_untold(state) else "play"
    if state.score_before is None:
        return "choose" if choice_is_open(state) else "claim"
    return "over" if match_is_decided(state) else "deal"


def choice_is_open(state: WhistState) -> bool:
    """Whether the last claim still waits for its penalty to be chosen."""
    return state.options.revoke_penalty == "choice" and bool(state.claims) and state.claims[-1].penalty is None


def turn_of(state: WhistState, phase: Phase) -> Turn | None:
    """Who decides, and for which hand, the state being in this phase."""
    match phase:
        case "draw":
            seat = state.seating[standing(state.options, state.draws).pending[0]][0]
            return Turn(seat, seat)
        case "deal" | "claim":
            dealer = next_dealer(state)
            return Turn(decider(state, dealer), dealer)
        case "expose":
            partner = state.seating[state.options.dummy_partner]
            return Turn(partner[0], partner[1])
        case "play":
            hand = current_trick(state).turn
            return Turn(decider(state, hand), hand)
        case "choose":
            seat = state.claims[-1].seat
            return Turn(seat, seat)
        case "over":
            return None


def free_actions(state: WhistState, phase: Phase) -> tuple[FreeAction, ...]:
    """After a hand that recorded revokes every seat that decides may claim; whether rightly is not told."""
    if phase != "claim":
        return ()
    return tuple(FreeAction(seat, ("claim",)) for seat in range(SEATS) if decider(state, seat) == seat)
