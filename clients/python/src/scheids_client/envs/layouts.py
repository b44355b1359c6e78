"""How each game is laid out in numbers: one class a family of games, and what each number is called."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scheids_engine.cards import PACK, Card, FlipCard, Strain
from scheids_engine.events import Captured, LeftOver
from scheids_engine.moves import Bid, Claim, Dare, DoubleDare, Give, Hit, Pass, Play, Stay, text

from .base import Layout

CARDS: Final = {card: at for at, card in enumerate(PACK)}
STRAINS: Final = ("S", "H", "D", "C", "NT")
SEATS: Final = 4
GIVEN: Final = ("freeze", "flip3", "second")
Numbers = NDArray[np.float32]


class Writing:
    """Numbers written one after another under their names."""

    def __init__(self, names: Sequence[str]) -> None:
        self._numbers = np.zeros(len(names), np.float32)
        self._at = 0

    def cards(self, held: Iterable[Any]) -> None:
        """How many there are of each card of the pack."""
        for card in held:
            self._numbers[self._at + CARDS[card]] += 1
        self._at += len(PACK)

    def numbers(self, *numbers: float) -> None:
        """Numbers as they are."""
        self._numbers[self._at : self._at + len(numbers)] = numbers
        self._at += len(numbers)

    def one_of(self, length: int, index: int | None) -> None:
        """A one in the place of the index, if there is one."""
        if index is not None:
            self._numbers[self._at + index] = 1
        self._at += length

    def done(self) -> Numbers:
        """All of them; each was written."""
        assert self._at == len(self._numbers), (self._at, len(self._numbers))  # noqa: S101 - a layout must be whole
        return self._numbers


def _cards(name: str) -> list[str]:
    return [f"{name} {card}" for card in PACK]


def _seats(name: str, seats: int) -> list[str]:
    return [f"{name} of seat +{seat}" for seat in range(seats)]


class Tricks:
    """Whist and PeeWee 7: whose cards are where, the trick at hand, trumps, tricks taken, and the contract."""

    def __init__(self, action_names: Sequence[str]) -> None:
        self.action_names: Sequence[str] | None = action_names
        self.names: Sequence[str] = [
            *_cards("held"),
            *(name for seat in range(SEATS) for name in _cards(f"in the trick by seat +{seat}")),
            *(name for seat in range(SEATS) for name in _cards(f"played by seat +{seat}")),
            *(name for seat in range(SEATS) for name in _cards(f"seen in the hand of seat +{seat}")),
            *(f"trumps {strain}" for strain in STRAINS),
            *("tricks of the own side", "tricks of the other side"),
            *_seats("dealer is the", SEATS),
            *("to play from the own hand", "to play from the partner's hand"),
            "tricks bid",
            *_seats("bidder is the", SEATS),
            "dares",
        ]

    def observe(self, view: Any, seat: int) -> Numbers:
        """A view as numbers."""
        out = Writing(self.names)
        out.cards(view.hands[seat].cards)
        tricks = view.tricks
        last = tricks[-1] if tricks and tricks[-1].winner is None else None
        for other in _from(seat, SEATS):
            out.cards(card for hand, card in _played(last) if hand == other)
        for other in _from(seat, SEATS):
            out.cards(card for trick in tricks for hand, card in _played(trick) if hand == other)
        for other in _from(seat, SEATS):
            out.cards(view.hands[other].cards)
        contract = getattr(view, "contract", None)
        trump = view.trump if contract is None and hasattr(view, "trump") else contract and contract.strain
        out.one_of(len(STRAINS), STRAINS.index(trump) if trump else None)
        won = [trick.winner for trick in tricks if trick.winner is not None]
        own = sum(winner % 2 == seat % 2 for winner in won)
        out.numbers(own, len(won) - own)
        out.one_of(SEATS, (view.dealer - seat) % SEATS)
        turn = view.to_act
        mine = turn is not None and turn.seat == seat
        out.numbers(mine and turn.hand == seat, mine and turn.hand != seat)
        out.numbers(contract.tricks if contract else 0)
        master = getattr(view, "master", None)
        out.one_of(SEATS, None if master is None else (master - seat) % SEATS)
        out.numbers(contract.dare if contract else 0)
        return out.done()


class Auction(Tricks):
    """PeeWee 7: the calls of the auction besides."""

    def __init__(self, action_names: Sequence[str]) -> None:
        super().__init__(action_names)
        self._tricks = self.names
        self.names = [
            *self._tricks,
            *(
                name
                for seat in range(SEATS)
                for name in (
                    f"tricks last bid by seat +{seat}",
                    *(f"strain {strain} last bid by seat +{seat}" for strain in STRAINS),
                    f"passes of seat +{seat}",
                    f"dares of seat +{seat}",
                )
            ),
        ]

    def observe(self, view: Any, seat: int) -> Numbers:
        """A view as numbers."""
        names, self.names = self.names, self._tricks
        tricks = super().observe(view, seat)
        self.names = names
        out = Writing(self.names[len(self._tricks) :])
        for other in _from(seat, SEATS):
            calls = [made.call for made in view.calls if made.seat == other]
            bids = [call for call in calls if isinstance(call, Bid)]
            out.numbers(bids[-1].tricks if bids else 0)
            out.one_of(len(STRAINS), STRAINS.index(bids[-1].strain) if bids else None)
            out.numbers(sum(isinstance(call, Pass) for call in calls))
            out.numbers(sum(isinstance(call, Dare | DoubleDare) for call in calls))
        return np.concatenate([tricks, out.done()])


class Fishing:
    """Wippen and Le Wipe: what is held, laid and built, what each is known to have taken, how many cards are left."""

    action_names: Sequence[str] | None = None
    VALUES: Final = range(1, 14)

    def __init__(self, seats: int) -> None:
        self._seats = seats
        self.names: Sequence[str] = [
            *_cards("held"),
            *_cards("laid"),
            *_cards("built in"),
            *(f"own builds of {value}" for value in self.VALUES),
            *(f"other builds of {value}" for value in self.VALUES),
            *(name for seat in range(seats) for name in _cards(f"taken by seat +{seat}")),
            *_seats("cards held", seats),
            "cards to be dealt",
            "seats",
        ]

    def observe(self, view: Any, seat: int) -> Numbers:
        """A view as numbers."""
        out = Writing(self.names)
        seats = len(view.hands)
        out.cards(view.hands[seat].cards)
        out.cards(view.layout)
        out.cards(card for build in view.builds for group in build.groups for card in group)
        for own in (True, False):
            out.numbers(
                *(
                    sum(build.value == value and (build.owner == seat) is own for build in view.builds)
                    for value in self.VALUES
                )
            )
        taken = _taken(view)
        for other in _from(seat, self._seats, seats):
            out.cards(() if other is None else taken[other])
        out.numbers(*(0 if other is None else len(view.hands[other]) for other in _from(seat, self._seats, seats)))
        out.numbers(len(view.stock), seats)
        return out.done()


class Flipping:
    """Flip 7: what lies before each seat, what has been put aside, and what is still to come."""

    SEATS: Final = 18
    KINDS: Final = (*(str(n) for n in range(13)), *("+2", "+4", "+6", "+8", "+10", "x2", "freeze", "flip3", "second"))
    STATUSES: Final = ("active", "stayed", "busted", "frozen")

    def __init__(self) -> None:
        self.action_names: Sequence[str] | None = [
            *(text(move) for move in (Hit(), Stay())),
            *(text(Give(FlipCard(card), to)) for card in GIVEN for to in range(self.SEATS)),
        ]
        self._at = {kind: at for at, kind in enumerate(self.KINDS)}
        self.names: Sequence[str] = [
            *(f"{kind} before seat +{seat}" for seat in range(self.SEATS) for kind in self.KINDS),
            *(f"seat +{seat} {status}" for seat in range(self.SEATS) for status in self.STATUSES),
            *_seats("total", self.SEATS),
            *(f"{kind} put aside" for kind in self.KINDS),
            *(f"{kind} to be given" for kind in GIVEN),
            *("cards in the deck", "own seat", "seats"),
        ]

    def observe(self, view: Any, seat: int) -> Numbers:
        """A view as numbers."""
        out = Writing(self.names)
        seats = len(view.rows)
        relative = [*_from(seat, self.SEATS, seats)]
        for other in relative:
            out.numbers(*self._counts(() if other is None else view.rows[other].cards))
        for other in relative:
            out.one_of(4, None if other is None else self.STATUSES.index(view.rows[other].status))
        out.numbers(*(0 if other is None else view.totals[other] for other in relative))
        out.numbers(*self._counts(view.discard))
        given = view.held.card if view.held is not None else _set_aside(view)
        out.one_of(3, None if given is None else GIVEN.index(given))
        out.numbers(len(view.deck), seat, seats)
        return out.done()

    def _counts(self, cards: Iterable[Any]) -> list[float]:
        counts = [0.0] * len(self.KINDS)
        for card in cards:
            counts[self._at[card]] += 1
        return counts


def _set_aside(view: Any) -> Any:
    waiting = view.phase == "give" and view.flip_threes and view.flip_threes[-1].set_aside
    return waiting[0] if waiting else None


def _from(seat: int, most: int, seats: int | None = None) -> Iterable[Any]:
    """The seats from one on, clockwise; None for those there are not."""
    there = most if seats is None else seats
    return [(seat + step) % there if step < there else None for step in range(most)]


def _played(trick: Any) -> list[tuple[int, Card]]:
    if trick is None:
        return []
    return [((trick.leader + position) % SEATS, card) for position, card in enumerate(trick.cards)]


def _taken(view: Any) -> list[list[Any]]:
    """What each seat is known to have taken: shown in heaps, or seen to be captured in the round."""
    taken: list[list[Any]] = [[] for _ in view.hands]
    for event in view.history or ():
        if isinstance(event, Captured):
            taken[event.seat] += event.gained
        elif isinstance(event, LeftOver) and event.seat is not None:
            taken[event.seat] += event.cards
    return taken


PLAYS: Final = [text(Play(card)) for card in PACK]
CALLS: Final = [
    *(text(Bid(tricks, Strain(strain))) for tricks in range(1, 14) for strain in STRAINS),
    *(text(call) for call in (Pass(), Dare(), DoubleDare())),
]
CHOICES: Final = [f"choose {penalty}" for penalty in ("tricks", "deduct", "add")]
CLAIMS: Final = [text(Claim(seat=seat, trick=trick)) for seat in range(SEATS) for trick in range(1, 14)]

LAYOUTS: Final[dict[str, Layout]] = {
    "whist": Tricks([*PLAYS, *CHOICES, "end", *CLAIMS]),
    "peewee7": Auction([*PLAYS, *CALLS]),
    "wippen": Fishing(12),
    "wipe": Fishing(8),
    "flip7": Flipping(),
}
"""The layout of each game."""
