"""What is known in Wippen: whose turn it is, the cards whose place is unknown, what moves prove of hidden hands."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ...cards import Card
from ...events import Captured, Dealt, Event, LeftOver, Redealt
from ...game import SPECTATOR, Turn, Viewer
from ...mechanics.holding import Covered, Facts, Holder, Known
from ...moves import Hand
from .plan import HAND_SIZE, Plan, plan_of
from .scoring import match_is_over
from .state import Phase, WippenState
from .table import Table, move_of


def places(state: WippenState) -> int:
    """How many play."""
    return len(state.hands)


def plan(state: WippenState) -> Plan:
    """The cards and deals of each round."""
    return plan_of(state.options, places(state))


def table_of(state: WippenState) -> Table:
    """What lies on the table."""
    return Table(state.options, state.layout, state.builds)


def is_settled(state: WippenState) -> bool:
    """Whether the round at hand has been counted."""
    return state.score_before is not None


def is_last_deal(state: WippenState) -> bool:
    """Whether no deal follows in this round."""
    return state.deals == plan(state).deals


def next_dealer(state: WippenState) -> int:
    """The seat that deals next: the same for a whole round, then the next in line (WI-7)."""
    return (state.dealer + 1) % places(state) if is_settled(state) else state.dealer


def seat_to_play(state: WippenState) -> int:
    """The seat to play: in every deal from the dealer's left, in turn (WI-3, WIA1)."""
    played = HAND_SIZE * places(state) - sum(map(len, state.hands))
    return (state.dealer + 1 + played) % places(state)


def phase_of(state: WippenState) -> Phase:
    """The phase that the rest of the state makes it."""
    if any(map(len, state.hands)):
        return "play"
    return "over" if is_settled(state) and match_is_over(state.options, state.score) else "deal"


def turn_of(state: WippenState) -> Turn | None:
    """Who decides: the dealer deals, then each plays in turn."""
    if state.phase == "over":
        return None
    seat = seat_to_play(state) if state.phase == "play" else next_dealer(state)
    return Turn(seat, seat)


def sees_hand(state: WippenState, viewer: Viewer, seat: int) -> bool:
    """Whether a viewer sees the cards of a hand: its own, or any where all lie open (WI-2)."""
    return state.options.open_hands or (viewer != SPECTATOR and int(viewer) == seat)


def heaps_seen(history: Iterable[Event], seats: int) -> tuple[tuple[Card, ...], ...]:
    """What went to each heap in the sight of all."""
    heaps: list[list[Card]] = [[] for _ in range(seats)]
    for event in history:
        if isinstance(event, Captured):
            heaps[event.seat] += event.gained
        elif isinstance(event, LeftOver) and event.seat is not None:
            heaps[event.seat] += event.cards
    return tuple(map(tuple, heaps))


def taken_cards(state: WippenState) -> tuple[Card, ...]:
    """The cards known to lie in heaps: shown there, or remembered."""
    shown = tuple(card for heap in state.heaps for card in heap.cards)
    if state.history is None or not any(heap.hidden for heap in state.heaps):
        return shown
    return tuple(card for heap in heaps_seen(state.history, places(state)) for card in heap)


def known_cards(state: WippenState) -> Counter[Card]:
    """The cards of the round whose place is known."""
    return Counter(
        (
            *(card for hand in state.hands for card in hand.cards),
            *state.layout,
            *(card for build in state.builds for card in build.cards),
            *taken_cards(state),
            *state.stock.cards,
        )
    )


def unknown_cards(state: WippenState) -> Counter[Card]:
    """The cards of the round whose place is not known: in hands that are not seen, or in the stock."""
    unknown = Counter(plan(state).cards)
    unknown.subtract(known_cards(state))
    return unknown


NO_FACTS = Facts()


def facts_at_start(table: Table, seats: int) -> list[Facts]:
    """What is proved where no past is known: a builder holds a card for each build he owes for."""
    return [Facts(0, dict(table.needs_of(table.owned_by(seat)))) for seat in range(seats)]


def facts_of(state: WippenState) -> Sequence[Facts]:
    """What the moves since the last deal prove of each hand, and the builds now owned."""
    history = state.history
    if history is None:
        return facts_at_start(table_of(state), places(state))
    facts = [NO_FACTS] * places(state)
    table = Table(state.options, (), ())
    for event in history:
        made = move_of(event)
        if made is not None:
            move, seat = made
            facts[seat] = table.facts_after(facts[seat], move, seat)
            table = table.after(move, seat)[0]
        elif isinstance(event, Dealt):
            table = Table(state.options, event.layout or (), ())
        elif isinstance(event, Redealt):
            facts = [NO_FACTS] * places(state)
    return facts


def holder_of(state: WippenState, seat: int, facts: Sequence[Facts] | None = None) -> Holder:
    """The hand of a seat, as far as it is known; `facts` where they are worked out already."""
    hand = state.hands[seat]
    if not hand.hidden:
        return Known(hand.cards)
    return Covered(state.hands, seat, unknown_cards(state), facts_of(state) if facts is None else facts)


def without(hand: Hand, card: Card) -> Hand:
    """A hand once the card is played: from those seen, else from those hidden."""
    if card not in hand.cards:
        return Hand(hand.cards, hand.hidden - 1)
    at = hand.cards.index(card)
    return Hand(hand.cards[:at] + hand.cards[at + 1 :], hand.hidden)
