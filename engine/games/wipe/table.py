"""What follows from a state of Le Wipe: sides and heaps, deals, who plays, who may close or announce, the phase."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from ...cards import SUITS, Card, card_set
from ...game import FreeAction, Turn
from ...mechanics.cardsets import set_of
from .options import WipeOptions
from .state import Phase, WipeHeap, WipeState

PLACES: Final = (2, 3, 4, 6, 8)
HAND_SIZE: Final = 4
LAYOUT_SIZE: Final = 4
UNDEALT: Final = 48
CLOSING_RANKS: Final = {rank: card_set(Card(rank + suit) for suit in SUITS) for rank in "ATJQK"}


def sides_of(seats: int) -> int:
    """How many sides play: two teams of four or more seats, else each seat for itself (L-1)."""
    return seats if seats < 4 else 2


def side_of(seats: int, seat: int) -> int:
    """The side of a seat: the teams sit alternately (LA29)."""
    return seat % sides_of(seats)


def heaps_of(options: WipeOptions, seats: int) -> int:
    """How many heaps there are (LA10)."""
    return seats if options.piles == "player" else sides_of(seats)


def heap_of(options: WipeOptions, seats: int, seat: int) -> int:
    """The heap that a seat's captures go to."""
    return seat % heaps_of(options, seats)


@cache
def deal_sizes(seats: int) -> tuple[int, ...]:
    """The hands of a round's deals: four cards each, and where eight play two in the second (L-2, LA25).

    >>> deal_sizes(3), deal_sizes(8)
    ((4, 4, 4, 4), (4, 2))
    """
    whole, left = divmod(UNDEALT, HAND_SIZE * seats)
    return (HAND_SIZE,) * whole + ((left // seats,) if left else ())


def rounds_of(state: WipeState) -> int:
    """How many rounds the match has (LA27)."""
    return state.options.rounds or len(state.hands)


def is_last_deal(state: WipeState) -> bool:
    """Whether the deal at hand is the round's last."""
    return state.deals == len(deal_sizes(len(state.hands)))


def cards_played(state: WipeState) -> int:
    """How many cards of the deal at hand have been played."""
    seats = len(state.hands)
    return seats * deal_sizes(seats)[state.deals - 1] - sum(map(len, state.hands)) if state.deals else 0


def is_played_out(state: WipeState) -> bool:
    """Whether the last card of the round has been played."""
    return bool(state.deals) and is_last_deal(state) and not any(map(len, state.hands))


def next_dealer(state: WipeState) -> int:
    """The seat that deals next: the same for a whole round, then the next in line (LA29)."""
    return (state.dealer + 1) % len(state.hands) if is_played_out(state) else state.dealer


def last_player(state: WipeState) -> int | None:
    """The seat that played the last card of the round at hand, while that round is under way."""
    if not state.deals or is_played_out(state):
        return None
    played = cards_played(state)
    if not played and state.deals == 1:
        return None
    return (state.dealer + played) % len(state.hands)


def phase_of(state: WipeState) -> Phase:
    """The phase that the rest of the state makes it."""
    if state.deals and any(map(len, state.hands)):
        return "play"
    return "over" if is_played_out(state) and state.rounds >= rounds_of(state) else "deal"


def turn_of(state: WipeState) -> Turn | None:
    """Who decides: the dealer where cards are dealt, else clockwise from his left (LA29)."""
    phase = phase_of(state)
    if phase == "over":
        return None
    seat = next_player(state) if phase == "play" else next_dealer(state)
    return Turn(seat, seat)


def next_player(state: WipeState) -> int:
    """The seat that plays next of the deal at hand, or of the next."""
    return (state.dealer + 1 + cards_played(state)) % len(state.hands)


def won_by(state: WipeState, side: int) -> tuple[WipeHeap, ...]:
    """The heaps of a side."""
    sides = sides_of(len(state.hands))
    return tuple(heap for index, heap in enumerate(state.heaps) if index % sides == side)


def complete_ranks(heaps: Sequence[WipeHeap]) -> str:
    """The ranks with which these heaps can be closed: all four won, one of them at least still open (L-8, LA15)."""
    shown = shut = 0
    for heap in heaps:
        for trick in heap.tricks:
            shown |= set_of(trick.cards)
        shut |= set_of(heap.closed)
    won = shown | shut
    return "".join(rank for rank, four in CLOSING_RANKS.items() if won & four == four and shown & four)


def may_close(state: WipeState, seat: int) -> bool:
    """Whether the moment is one at which a seat's side may close, if it has a complete set (LA15)."""
    seats = len(state.hands)
    side = side_of(seats, seat)
    last = last_player(state)
    just_played = last is not None and side_of(seats, last) == side
    if state.options.close_timing == "immediateOnly":
        return just_played and state.just_took and _has_completed(state, side)
    return just_played or (phase_of(state) == "play" and side_of(seats, next_player(state)) == side)


def _has_completed(state: WipeState, side: int) -> bool:
    last = last_player(state)
    if last is None:
        return False
    tricks = state.heaps[heap_of(state.options, len(state.hands), last)].tricks
    completed = set(complete_ranks(won_by(state, side)))
    return bool(tricks) and any(card[0] in completed for card in tricks[-1].cards)


def may_announce(state: WipeState) -> bool:
    """Whether the dealer may announce the last deal: it is dealt, and none of its cards is played (LA21)."""
    return (
        state.options.last_deal_announcement == "required"
        and is_last_deal(state)
        and not cards_played(state)
        and not state.announced
    )


def free_actions(state: WipeState) -> tuple[FreeAction, ...]:
    """Who may close now, and whether the dealer may announce. The host's strikes are nobody's: they are not listed."""
    seats = len(state.hands)
    announcer = state.dealer if may_announce(state) else None
    complete = [bool(complete_ranks(won_by(state, side))) for side in range(sides_of(seats))]
    if announcer is None and not any(complete):
        return ()
    found = []
    for seat in range(seats):
        moves: tuple[str, ...] = ("announce",) if seat == announcer else ()
        if complete[side_of(seats, seat)] and may_close(state, seat):
            moves += ("close",)
        if moves:
            found.append(FreeAction(seat, moves))
    return tuple(found)


def shown_cards(state: WipeState) -> Iterator[tuple[str, Card]]:
    """Every card that the state shows, with its JSON path, one after the other."""
    parts: list[tuple[str, Sequence[Card]]] = [
        *((f"$.hands[{seat}].cards", hand.cards) for seat, hand in enumerate(state.hands)),
        ("$.stock.cards", state.stock.cards),
        ("$.layout", state.layout),
        *(
            (f"$.builds[{number}].groups[{at}]", group)
            for number, build in enumerate(state.builds)
            for at, group in enumerate(build.groups)
        ),
    ]
    for number, heap in enumerate(state.heaps):
        parts += [(f"$.heaps[{number}].tricks[{at}].cards", trick.cards) for at, trick in enumerate(heap.tricks)]
        parts += [(f"$.heaps[{number}].closed", heap.closed), (f"$.heaps[{number}].rest", heap.rest)]
    for path, cards in parts:
        for index, card in enumerate(cards):
            yield f"{path}[{index}]", card


def known_cards(state: WipeState) -> tuple[tuple[str, Card], ...]:
    """Every card that the state shows, with its JSON path."""
    return tuple(shown_cards(state))
