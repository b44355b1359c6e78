"""Who sits where: ``seating[place]`` are a place's seats, seats counted clockwise."""

from collections.abc import Sequence
from itertools import permutations
from typing import Final

from .trick import SEATS

ONE_SEAT_EACH: Final[tuple[tuple[int, ...], ...]] = tuple((seat,) for seat in range(SEATS))
"""Place *p* in seat *p*."""
_ONE_EACH: Final = frozenset(permutations(ONE_SEAT_EACH))


def each_has_one_seat(seating: Sequence[Sequence[int]]) -> bool:
    """Whether four places have the four seats, one each."""
    return tuple(seating) in _ONE_EACH


def seating_after(dealer: int, partner: int, seats: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The seating that makes two places partners: the dealer stays and the partner moves opposite.

    The others keep their order clockwise from the dealer. ``seats[place]`` is where a place sat.

    >>> seating_after(3, 0, [0, 1, 2, 3])
    ((1,), (0,), (2,), (3,))
    """
    home = seats[dealer]
    others = sorted(
        (place for place in range(SEATS) if place not in (dealer, partner)),
        key=lambda place: (seats[place] - home) % SEATS,
    )
    order = (dealer, others[0], partner, others[1])
    return tuple(((home + order.index(place)) % SEATS,) for place in range(SEATS))
