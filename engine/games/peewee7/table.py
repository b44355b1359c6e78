"""What follows from a state of PeeWee 7: who decides, whose hand lies open, what has been called and played."""

from collections.abc import Sequence
from typing import Final, TypeVar

from ...cards import Card
from ...game import SPECTATOR, Turn, Viewer
from ...mechanics.trick import SEATS, Trick
from ...mechanics.tricks import cards_played_by, complete_tricks, trick_under_way
from .auction import Auction, auction_of
from .drawing import seat_to_draw, teams_are_made
from .scoring import settle, winners
from .state import HAND_TRICKS, PeeweeFacts, PeeweeState, Phase, Settlement

PACKETS: Final = (4, 5, 4)
T = TypeVar("T")


def bidding(state: PeeweeState) -> Auction:
    """Where the bidding of the deal at hand stands."""
    return auction_of(state.options, state.dealer, (made.call for made in state.calls))


def is_thrown_in(state: PeeweeState) -> bool:
    """Whether nobody bid on the deal at hand (P-10)."""
    return state.deals > 0 and state.contract is None and bidding(state).turn is None


def hands_dealt(deck: Sequence[T], dealer: int) -> list[list[T]]:
    """What each seat gets of a pack: four, five, four cards at a time from the dealer's left on (P-4)."""
    hands: list[list[T]] = [[] for _ in range(SEATS)]
    at = 0
    for packet in PACKETS:
        for step in range(1, SEATS + 1):
            hands[(dealer + step) % SEATS] += deck[at : at + packet]
            at += packet
    return hands


def next_dealer(state: PeeweeState) -> int:
    """The seat that deals next: the same again after a deal thrown in, else clockwise, or always the same (PA29)."""
    stays = not state.deals or state.options.next_dealer == "same" or is_thrown_in(state)
    return state.dealer if stays else (state.dealer + 1) % SEATS


def first_leader(state: PeeweeState) -> int:
    """The hand that leads to the first trick, whoever's contract it is (P-15)."""
    return (state.dealer + 1) % SEATS


def current_trick(state: PeeweeState) -> Trick:
    """The trick being played, perhaps still without a card."""
    return trick_under_way(state.tricks, first_leader(state))


def is_played_out(state: PeeweeState) -> bool:
    """Whether all thirteen tricks of the deal at hand are complete."""
    return complete_tricks(state.tricks) == HAND_TRICKS


def peewee_of(state: PeeweeState) -> int | None:
    """The Peewee's seat, once there is a contract: opposite the Master."""
    return None if state.master is None else (state.master + 2) % SEATS


def is_exposed_before_lead(state: PeeweeState) -> bool:
    """Whether the Peewee, being on lead, lays all thirteen cards open for the Master to choose from (PA18)."""
    by_master = state.options.peewee_lead_chosen_by == "master"
    return by_master and peewee_of(state) == first_leader(state)


def peewee_is_exposed(state: PeeweeState) -> bool:
    """Whether the Peewee's hand lies open: from the first card on (P-16, PA19)."""
    return state.master is not None and (bool(state.tricks) or is_exposed_before_lead(state))


def exposed_hand_is_untold(state: PeeweeState) -> bool:
    """Whether a view lacks the cards of the Peewee's hand though it lies open: who sees the table must tell them."""
    peewee = peewee_of(state)
    return peewee is not None and peewee_is_exposed(state) and state.hands[peewee].hidden > 0


def decider(state: PeeweeState, hand: int) -> int:
    """The seat that decides for a hand: its own, or for the exposed Peewee's the Master's."""
    if hand == peewee_of(state) and peewee_is_exposed(state):
        return (hand + 2) % SEATS
    return hand


def visible_hands(state: PeeweeState, viewer: Viewer) -> frozenset[int]:
    """The hands a viewer sees whole: the own one, and the Peewee's once exposed."""
    seen = set() if viewer == SPECTATOR else {int(viewer)}
    peewee = peewee_of(state)
    if peewee is not None and peewee_is_exposed(state):
        seen.add(peewee)
    return frozenset(seen)


def dealt_to(state: PeeweeState, hand: int) -> tuple[Card, ...]:
    """The known cards a hand was dealt: those it holds and those it played."""
    return (*state.hands[hand].cards, *cards_played_by(state.tricks, hand))


def facts_of(state: PeeweeState) -> PeeweeFacts:
    """What a deal played out comes to, for scoring."""
    before = state.score if state.score_before is None else state.score_before
    if state.contract is None:
        return PeeweeFacts(score=before)
    won = sum(trick.winner is not None and trick.winner % 2 == state.contract.side for trick in state.tricks)
    return PeeweeFacts(contract=state.contract, tricks=won, score=before)


def settlement(state: PeeweeState) -> Settlement:
    """The deal played out, settled."""
    return settle(state.options, facts_of(state))


def phase_of(state: PeeweeState) -> Phase:
    """The phase that the rest of the state makes it."""
    if not state.deals:
        drawing = state.options.team_draw and not teams_are_made(state.options, state.draws)
        return "teamDraw" if drawing else "deal"
    if state.contract is None:
        return "deal" if bidding(state).turn is None else "auction"
    if not is_played_out(state):
        return "expose" if exposed_hand_is_untold(state) else "play"
    return "over" if winners(state.options, state.score) else "deal"


def turn_of(state: PeeweeState, phase: Phase) -> Turn | None:
    """Who decides, and for which hand, the state being in this phase."""
    match phase:
        case "teamDraw":
            return Turn(state.dealer, seat_to_draw(state.dealer, state.draws))
        case "deal":
            dealer = next_dealer(state)
            return Turn(dealer, dealer)
        case "auction":
            seat = bidding(state).turn
            return None if seat is None else Turn(seat, seat)
        case "expose":
            peewee = peewee_of(state)
            return None if peewee is None else Turn(peewee, peewee)
        case "play":
            hand = current_trick(state).turn
            return Turn(decider(state, hand), hand)
        case "over":
            return None
