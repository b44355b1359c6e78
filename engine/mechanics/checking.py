"""What must hold of the hands and tricks of any state or view: ImpossibleState is raised where it does not."""

from collections.abc import Sequence
from typing import Protocol

from ..cards import PACK, WHOLE_PACK, Card, Suit, card_set
from ..game import Chance, Viewer
from ..moves import Hand
from ..native import i64
from ..violations import ImpossibleState, Reason
from .cardsets import BITS, count, highest_card, set_of, suit_of
from .dealing import HAND_SIZE
from .requiring import require, require_now, require_seed
from .trick import SEATS, Trick
from .tricks import cards_played_by, contenders, revokes_in, winner_of


class _Table(Protocol):
    @property
    def chance(self) -> Chance: ...
    @property
    def seed(self) -> str | None: ...
    @property
    def deck(self) -> tuple[Card, ...] | None: ...
    @property
    def viewer(self) -> Viewer | None: ...
    @property
    def hands(self) -> tuple[Hand, ...]: ...
    @property
    def tricks(self) -> tuple[Trick, ...]: ...
    @property
    def deals(self) -> int: ...


def check_chance(state: _Table) -> None:
    """A seed where chance is one, and a deck only until it is dealt; in no view."""
    require_seed(state.seed, state.chance, state.viewer)
    deck = state.deck
    if deck is not None:
        require_now(state.chance == "deck" and not state.deals and state.viewer is None, "$.deck")
        require(len(deck) == len(PACK) and card_set(deck) == WHOLE_PACK, "$.deck", Reason.CARDS_MISSING)


def cards_are_possible(state: _Table, first_leader: int, trump: Suit | None, *, must_follow: bool) -> bool:
    """Whether `check_hands`, `check_tricks` and, where suits must be followed, `check_no_revokes` find no fault.

    All that holds is found in one pass, on card sets; where it does not, those functions say what.
    """
    hands, tricks = state.hands, state.tricks
    if len(hands) != SEATS:
        return False
    trumps = trump.mask if trump else 0
    voids = [0] * SEATS
    seen: i64 = 0
    lacked: i64 = 0
    leader, winner, played = first_leader, None, 0
    for index, trick in enumerate(tricks):
        if index:
            if winner is None:
                return False
            leader = winner
        cards = trick.cards
        if trick.leader != leader or not cards:
            return False
        led = suit_of(BITS[cards[0]])
        lying, best = _laid(cards, led, trumps, seen)
        if not lying:
            return False
        if must_follow and lying & (~led | lacked):
            if not _has_followed(trick, led, voids):
                return False
            lacked |= led
        seen |= lying
        played = len(cards)
        winner = None
        if played == SEATS:
            winner = (leader + best) % SEATS
        if trick.winner != winner:
            return False
    left = [(HAND_SIZE if state.deals else 0) - len(tricks)] * SEATS
    for position in range(played, SEATS if tricks else 0):
        left[(leader + position) % SEATS] += 1
    return _hands_are_possible(hands, seen, left, voids, in_view=state.viewer is not None)


def _laid(cards: tuple[Card, ...], led: i64, trumps: i64, seen: i64) -> tuple[i64, int]:
    """The cards of a trick as a set, 0 where one has been `seen` before; and the position of the best of them."""
    lying: i64 = 0
    for each in cards:
        card: i64 = BITS[each]
        if card & (seen | lying):
            return 0, 0
        lying |= card
    return lying, cards.index(highest_card(contenders(lying, led, trumps)))


def _has_followed(trick: Trick, led: i64, voids: list[int]) -> bool:
    """Whether no hand plays to the trick what it was found to be void of; notes those void of the suit led."""
    hand = trick.leader
    for card in trick.cards:
        bit = BITS[card]
        void: i64 = voids[hand]
        if void & bit:
            return False
        if not led & bit:
            voids[hand] = void | led
        hand = (hand + 1) % SEATS
    return True


def _hands_are_possible(
    hands: tuple[Hand, ...], seen: i64, left: list[int], voids: list[int], *, in_view: bool
) -> bool:
    """Whether the hands are what is left of them, of cards not seen elsewhere and of no suit they are void of."""
    for index, hand in enumerate(hands):
        cards, hidden = hand.cards, hand.hidden
        held = set_of(cards)
        if held & (seen | voids[index]) or count(held) != len(cards):
            return False
        seen |= held
        if len(cards) + hidden != left[index] or (hidden and not in_view):
            return False
    return True


def check_hands(state: _Table) -> None:
    """Four hands, each with what it has not played of its thirteen, no card twice, hidden ones only in a view."""
    require(len(state.hands) == SEATS, "$.hands", Reason.WRONG_COUNT)
    seen = 0
    for index, hand in enumerate(state.hands):
        path = f"$.hands[{index}]"
        size = HAND_SIZE - len(cards_played_by(state.tricks, index)) if state.deals else 0
        if len(hand) != size:
            raise ImpossibleState(path, Reason.WRONG_HAND_SIZE, count=len(hand), expected=size)
        require(state.viewer is not None or not hand.hidden, f"{path}.hidden", Reason.HIDDEN_IN_STATE)
        seen = _check_new(hand.cards, seen, f"{path}.cards")
    for number, trick in enumerate(state.tricks):
        seen = _check_new(trick.cards, seen, f"$.tricks[{number}].cards")


def _check_new(cards: Sequence[Card], seen: int, path: str) -> int:
    for position, card in enumerate(cards):
        if seen & BITS[card]:
            raise ImpossibleState(f"{path}[{position}]", Reason.CARD_TWICE, card=card)
        seen |= BITS[card]
    return seen


def check_tricks(tricks: Sequence[Trick], first_leader: int, trump: Suit | None) -> None:
    """Each trick led by the winner of the one before, complete but for the last, and won by whom it says."""
    leader = first_leader
    for index, trick in enumerate(tricks):
        path = f"$.tricks[{index}]"
        last = index == len(tricks) - 1
        if trick.leader != leader:
            raise ImpossibleState(f"{path}.leader", Reason.WRONG_LEADER, expected=leader)
        complete = len(trick.cards) == SEATS
        require(bool(trick.cards) and (complete or last), f"{path}.cards", Reason.WRONG_COUNT)
        winner = winner_of(trick.leader, trick.cards, trump) if complete else None
        if trick.winner != winner:
            raise ImpossibleState(f"{path}.winner", Reason.WRONG_WINNER, expected=-1 if winner is None else winner)
        leader = leader if winner is None else winner


def check_no_revokes(tricks: Sequence[Trick], hands: Sequence[Hand]) -> None:
    """No hand failed to follow suit while it held a card of it, as far as cards are known."""
    for hand, number in revokes_in(tricks, [set_of(hand.cards) for hand in hands]):
        raise ImpossibleState(f"$.tricks[{number - 1}]", Reason.REVOKED, hand=hand)
