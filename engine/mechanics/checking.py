"""What must hold of the hands and tricks of any state or view: ImpossibleState is raised where it does not."""

from collections.abc import Sequence
from typing import Protocol

from ..cards import PACK, WHOLE_PACK, Card, Suit, card_set
from ..game import Chance, Viewer
from ..moves import Hand
from ..violations import ImpossibleState, Reason
from .dealing import HAND_SIZE
from .trick import SEATS, Trick
from .tricks import cards_played_by, revokes_in, winner_of


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


def require(holds: bool, path: str, reason: Reason = Reason.DISAGREES) -> None:  # noqa: FBT001 - reads as a sentence
    """Raises ImpossibleState at `path` unless it holds."""
    if not holds:
        raise ImpossibleState(path, reason)


def check_chance(state: _Table) -> None:
    """A seed where chance is one, and a deck only until it is dealt; in no view."""
    require(state.seed is None or state.chance == "seed", "$.seed", Reason.NOT_POSSIBLE_NOW)
    told = state.seed is not None or state.chance != "seed" or state.viewer is not None
    require(told, "$.seed", Reason.CARDS_MISSING)
    if state.deck is not None:
        undealt = state.chance == "deck" and not state.deals and state.viewer is None
        require(undealt, "$.deck", Reason.NOT_POSSIBLE_NOW)
        require(len(state.deck) == len(PACK) and card_set(state.deck) == WHOLE_PACK, "$.deck", Reason.CARDS_MISSING)


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
        if seen & card.bit:
            raise ImpossibleState(f"{path}[{position}]", Reason.CARD_TWICE, card=card)
        seen |= card.bit
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
    for hand, number in revokes_in(tricks, [card_set(hand.cards) for hand in hands]):
        raise ImpossibleState(f"$.tricks[{number - 1}]", Reason.REVOKED, hand=hand)
