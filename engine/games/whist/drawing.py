"""Drawing for partners, seats and the first deal (W-2, WA1 to WA3)."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final, Literal

from msgspec import Struct

from ...cards import PACK, RANKS, Card
from ...mechanics.trick import SEATS
from ...rng import Stream, seed_bytes
from .options import WhistOptions
from .state import WhistDraw

HALF: Final = SEATS // 2
_TIE_SUITS: Final = "HDCS"


class Standing(Struct, frozen=True):
    """Where the draw stands: places from high to low, equals together; who still has to draw, and for what.

    `packs` is how often all cards were taken back because too few were left to draw from; `fresh` are the cards
    drawn since.
    """

    groups: tuple[tuple[int, ...], ...]
    pending: tuple[int, ...]
    decides: Literal["teams", "deal"] | None
    packs: int
    fresh: tuple[Card, ...]

    @property
    def high_team(self) -> tuple[int, ...]:
        """The places sure to be of the side of the high cards."""
        return self._surely(range(HALF))

    @property
    def low_team(self) -> tuple[int, ...]:
        """The places sure to be of the side of the low cards."""
        return self._surely(range(HALF, SEATS))

    @property
    def dealer(self) -> int | None:
        """The place that deals first, once it is known."""
        return self.groups[-1][0] if len(self.groups[-1]) == 1 else None

    def _surely(self, positions: range) -> tuple[int, ...]:
        start, sure = 0, list[int]()
        for group in self.groups:
            if start in positions and start + len(group) - 1 in positions:
                sure += group
            start += len(group)
        return tuple(sorted(sure))


def standing(options: WhistOptions, draws: Sequence[WhistDraw]) -> Standing:
    """The standing after these draws, which are taken to have been made in turn."""
    groups: list[tuple[int, ...]] = [tuple(range(SEATS))]
    pending: tuple[int, ...] = groups[0]
    decides: Literal["teams", "deal"] | None = "teams"
    packs, taken_back, done = 0, 0, 0
    while pending and done + len(pending) <= len(draws):
        drawn = {draw.place: draw.card for draw in draws[done : done + len(pending)]}
        done += len(pending)
        at = groups.index(pending)
        groups[at : at + 1] = _ranked(options, drawn)
        pending, decides = _tie(groups)
        if len(PACK) - (done - taken_back) < len(pending):
            packs, taken_back = packs + 1, done
    already = len(draws) - done
    fresh = tuple(draw.card for draw in draws[taken_back:])
    return Standing(tuple(groups), pending[already:], decides, packs, fresh)


def _ranked(options: WhistOptions, drawn: dict[int, Card]) -> list[tuple[int, ...]]:
    def height(place: int) -> tuple[int, int]:
        card = drawn[place]
        rank = -1 if options.draw_ace == "low" and card.rank == RANKS.index("A") else card.rank
        return rank, _TIE_SUITS.index(card.suit) if options.draw_tie == "suit" else 0

    ordered = sorted(sorted(drawn), key=height, reverse=True)
    return [tuple(sorted(equal)) for _, equal in groupby(ordered, key=height)]


def _tie(groups: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], Literal["teams", "deal"] | None]:
    start = 0
    for group in groups:
        if start < HALF < start + len(group):
            return group, "teams"
        start += len(group)
    return (groups[-1], "deal") if len(groups[-1]) > 1 else ((), None)


def drawn_by_seed(seed: str, now: Standing) -> Card:
    """The card a seeded draw brings: the next of pack number `packs` of the ``draw`` stream."""
    pack = Stream(seed_bytes(seed), "draw", now.packs).shuffled(PACK)
    return pack[len(now.fresh)]
