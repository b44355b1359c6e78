"""The plan of a round: which cards are played with, and in how many deals (WI-1, WI-6, WIA28, WIA29)."""

from functools import cache
from typing import Final, NamedTuple

from ...cards import PACK, RANKS, Card
from ...violations import Malformed
from .options import PictureRank, WippenOptions

PLACES: Final = range(2, 13)
HAND_SIZE: Final = 4
LAYOUT_SIZE: Final = 4
SET_SIZE: Final = 4


class Plan(NamedTuple):
    """The cards of a round, in the pack's order, and its number of deals."""

    cards: tuple[Card, ...]
    deals: int


def plan_of(options: WippenOptions, places: int) -> Plan:
    """The plan for so many places; Malformed (path ``$.places``) where there is none.

    >>> plan_of(WippenOptions(), 5).deals, len(plan_of(WippenOptions(), 5).cards)
    (2, 44)
    """
    return _plan(options.packs, options.removed_ranks, places)


@cache
def _plan(packs: int, removed_ranks: tuple[PictureRank, ...], places: int) -> Plan:
    if places not in PLACES:
        raise Malformed("$.places", f"two to twelve can play, not {places}")
    whole = packs * len(PACK)
    pictures = packs * SET_SIZE * len(removed_ranks)
    removed = (whole - LAYOUT_SIZE) % (HAND_SIZE * places)
    deals = (whole - LAYOUT_SIZE - removed) // (HAND_SIZE * places)
    if removed > pictures:
        raise Malformed(
            "$.places",
            f"{places} places and {whole} cards: {removed} would have to be removed, of {pictures} pictures",
        )
    if deals < 1:
        raise Malformed("$.places", f"{places} places need more than {whole} cards")
    sets = [rank for rank in removed_ranks for _ in range(packs)][: removed // SET_SIZE]
    cards = tuple(
        card
        for card in PACK
        for _ in range(packs - sets.count(RANKS[card.rank]))  # type: ignore[arg-type]
    )
    return Plan(cards, deals)
