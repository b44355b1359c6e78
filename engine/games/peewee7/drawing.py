"""Open cards make the teams before the first deal: two black, two red (P-3, PA1 to PA3)."""

from collections.abc import Sequence
from typing import Final

from ...cards import PACK, Card, Suit
from ...mechanics.seating import seating_after
from ...mechanics.trick import SEATS
from ...rng import Stream, seed_bytes
from .options import PeeweeOptions
from .state import PeeweeDraw

TEAM: Final = 2
_BLACK: Final = (Suit.SPADES, Suit.CLUBS)


def is_black(card: Card) -> bool:
    """Whether it is a spade or a club."""
    return card.suit in _BLACK


def teams_are_made(options: PeeweeOptions, draws: Sequence[PeeweeDraw]) -> bool:
    """Whether two black and two red cards lie on top, when that is looked for: after each card, or each round."""
    if len(draws) < SEATS or (options.team_draw_check == "round" and len(draws) % SEATS):
        return False
    return sum(is_black(draw.card) for draw in draws[-SEATS:]) == TEAM


def is_used_up(options: PeeweeOptions, draws: Sequence[PeeweeDraw]) -> bool:
    """Whether the pack is, without teams: then all cards are taken up and shuffled, and it begins anew."""
    return len(draws) == len(PACK) and not teams_are_made(options, draws)


def seat_to_draw(dealer: int, draws: Sequence[PeeweeDraw]) -> int:
    """The seat before which the next card is laid: left of the dealer, across, right, the dealer, and so on."""
    return (dealer + 1 + len(draws)) % SEATS


def drawn_by_seed(seed: str, packs: int, draws: Sequence[PeeweeDraw]) -> Card:
    """The next card of pack number `packs` of the ``draw`` stream."""
    return Stream(seed_bytes(seed), "draw", packs).shuffled(PACK)[len(draws)]


def seats_before(dealer: int, draws: Sequence[PeeweeDraw]) -> tuple[int, ...]:
    """Where each place sat while the cards were laid: ``seats[place]``. At least one round has been laid."""
    seats = {draw.place: (dealer + 1 + step) % SEATS for step, draw in enumerate(draws[:SEATS])}
    return tuple(seats[place] for place in sorted(seats))


def seated(dealer: int, draws: Sequence[PeeweeDraw]) -> tuple[tuple[tuple[int, ...], ...], int]:
    """The seating once teams are made, and the black side: the dealer's mate comes to sit opposite (PA2)."""
    black = {draw.place: is_black(draw.card) for draw in draws[-SEATS:]}
    dealers = draws[SEATS - 1].place
    mate = next(place for place in black if place != dealers and black[place] == black[dealers])
    seating = seating_after(dealers, mate, seats_before(dealer, draws))
    return seating, dealer % 2 if black[dealers] else 1 - dealer % 2
