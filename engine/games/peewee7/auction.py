"""The bidding of PeeWee 7: what may be called, when it closes, and whose contract it is (P-6 to P-14)."""

from collections.abc import Iterable, Sequence
from typing import Final

from ...cards import Strain
from ...mechanics.trick import SEATS
from ...moves import Bid, Call, Dare, DoubleDare, Pass
from ...violations import Code, Param, Violation, violation
from .options import PeeweeOptions
from .state import GAME, HAND_TRICKS, LEAST_BID, PeeweeContract

CLOSING_PASSES: Final = 3
DARED: Final = 1

RANK: Final[dict[Strain, int]] = {
    strain: rank
    for rank, strain in enumerate((Strain.CLUBS, Strain.DIAMONDS, Strain.SPADES, Strain.HEARTS, Strain.NO_TRUMP))
}
"""The strains from low to high: unlike in bridge, hearts above spades (P-7)."""

PASS: Final = Pass()
DARE: Final = Dare()
DOUBLE_DARE: Final = DoubleDare()
BIDS: Final = tuple(Bid(tricks, strain) for tricks in range(LEAST_BID, HAND_TRICKS + 1) for strain in RANK)
"""From low to high."""
_HIGHER: Final = tuple(BIDS[place + 1 :] for place in range(len(BIDS)))
"""The bids above each."""
_HIGHER_IN_ANOTHER: Final = tuple(
    tuple(bid for bid in higher if bid.strain is not low.strain) for low, higher in zip(BIDS, _HIGHER, strict=True)
)
"""Those of them in another strain."""


class Auction:
    """Where the bidding stands; never changed. `turn` is None once it is closed.

    `place` is where the standing bid is among `BIDS` (-1 before any), `bidder` its seat, `dare` how often it was dared;
    `passes` counts those since another call; `out` are the seats that may not call again; `first` is the first seat of
    a side to bid a strain.
    """

    __slots__ = ("bidder", "dare", "first", "out", "passes", "place", "turn")

    def __init__(
        self,
        turn: int | None,
        place: int = -1,
        bidder: int | None = None,
        *,
        dare: int = 0,
        passes: int = 0,
        out: frozenset[int] = frozenset(),
        first: dict[tuple[int, Strain], int] | None = None,
    ) -> None:
        self.turn = turn
        self.place = place
        self.bidder = bidder
        self.dare = dare
        self.passes = passes
        self.out = out
        self.first = first or {}

    @property
    def bid(self) -> Bid | None:
        """The standing bid."""
        return None if self.place < 0 else BIDS[self.place]


def auction_of(options: PeeweeOptions, dealer: int, calls: Iterable[Call]) -> Auction:
    """Where the bidding stands after these calls, which are taken to have been legal: the dealer's left begins."""
    auction = Auction((dealer + 1) % SEATS)
    for call in calls:
        auction = after(options, auction, call)
    return auction


def after(options: PeeweeOptions, auction: Auction, call: Call) -> Auction:
    """Where the bidding stands after one more call of the seat whose turn it is."""
    seat = auction.turn
    if seat is None:
        return auction
    place, bidder, dare, passes, out, first = auction.place, auction.bidder, auction.dare, 0, auction.out, auction.first
    if isinstance(call, Pass):
        passes = auction.passes + 1
        if options.pass_is_final:
            out = out | {seat}
    elif isinstance(call, Bid):
        place, bidder, dare = _place(call), seat, 0
        named = seat % 2, call.strain
        if named not in first:
            first = {**first, named: seat}
    else:
        dare += 1
    turn = None if _is_closed(options, bidder, passes, len(out)) else (seat + 1) % SEATS
    while turn is not None and turn in out:
        turn = (turn + 1) % SEATS
    return Auction(turn, place, bidder, dare=dare, passes=passes, out=out, first=first)


def _is_closed(options: PeeweeOptions, bidder: int | None, passes: int, out: int) -> bool:
    if bidder is None:
        return passes == options.opening_passes
    return CLOSING_PASSES in (passes, out)


def legal_calls(options: PeeweeOptions, auction: Auction) -> tuple[Call, ...]:
    """What the seat whose turn it is may call: pass, dare, double dare, the bids from low to high."""
    others, bids = open_calls(options, auction)
    return (*others, *bids)


def open_calls(options: PeeweeOptions, auction: Auction) -> tuple[Sequence[Call], Sequence[Bid]]:
    """The same, what is no bid by itself."""
    others: list[Call] = [PASS]
    if _refuse_dare(options, auction) is None:
        others.append(DARE)
    if _refuse_double_dare(auction) is None:
        others.append(DOUBLE_DARE)
    standing = auction.bid
    if standing is None:
        return others, BIDS
    closed = _is_closed_suit(options, auction, standing.strain)
    return others, (_HIGHER_IN_ANOTHER if closed else _HIGHER)[auction.place]


def _place(bid: Bid) -> int:
    """Where a bid stands among `BIDS`."""
    return (bid.tricks - LEAST_BID) * len(RANK) + RANK[bid.strain]


def _is_closed_suit(options: PeeweeOptions, auction: Auction, strain: Strain) -> bool:
    """Whether a standing dare closes the strain (PA13)."""
    if auction.dare == 0 or auction.bid is None:
        return False
    return strain is auction.bid.strain and options.overbid_after_dare == "otherSuit"


def refuse_call(options: PeeweeOptions, auction: Auction, call: Call) -> Code | None:
    """Why the seat whose turn it is may not make a call; None where it may."""
    match call:
        case Pass():
            return None
        case Bid():
            return _refuse_bid(options, auction, call)
        case Dare():
            return _refuse_dare(options, auction)
        case DoubleDare():
            return _refuse_double_dare(auction)


def _refuse_bid(options: PeeweeOptions, auction: Auction, bid: Bid) -> Code | None:
    if bid.tricks < LEAST_BID:
        return Code.BID_BELOW_MINIMUM
    if _is_closed_suit(options, auction, bid.strain):
        return Code.DARED_SUIT_CLOSED
    return None if _place(bid) > auction.place else Code.BID_TOO_LOW


def _refuse_dare(options: PeeweeOptions, auction: Auction) -> Code | None:
    bid, bidder, seat = auction.bid, auction.bidder, auction.turn
    if bid is None or bidder is None or seat is None:
        return Code.NO_BID_STANDS
    if bidder % 2 == seat % 2:
        return Code.OWN_SIDE
    if auction.dare:
        return Code.ALREADY_DARED
    if options.dare_requires == "ownSuitBid" and (seat % 2, bid.strain) not in auction.first:
        return Code.SUIT_NOT_BID
    return None


def _refuse_double_dare(auction: Auction) -> Code | None:
    bidder, seat = auction.bidder, auction.turn
    if bidder is None or seat is None:
        return Code.NO_BID_STANDS
    if bidder % 2 != seat % 2:
        return Code.NOT_OWN_BID
    if auction.dare == 0:
        return Code.NOT_DARED
    return None if auction.dare == DARED else Code.ALREADY_DARED


def why(code: Code, auction: Auction, call: Call) -> Violation:
    """The violation of a call refused, with what its message speaks of."""
    params: dict[str, Param] = {}
    match code:
        case Code.BID_BELOW_MINIMUM:
            params = {"minimum": LEAST_BID}
        case Code.BID_TOO_LOW:
            params = {"bid": _words(call), "standing": _words(auction.bid)}
        case Code.DARED_SUIT_CLOSED | Code.SUIT_NOT_BID if auction.bid:
            params = {"suit": auction.bid.strain}
        case Code.OWN_SIDE | Code.NOT_OWN_BID if auction.bidder is not None:
            params = {"seat": auction.bidder}
        case _:
            pass
    return violation(GAME, code, **params)


def _words(call: Call | None) -> str:
    return f"{call.tricks}{call.strain}" if isinstance(call, Bid) else ""


def outcome(options: PeeweeOptions, auction: Auction) -> tuple[PeeweeContract, int] | None:
    """The contract of a closed auction and its Master's seat; None where nobody bid.

    The Master is of the side that made the last bid, whoever named the suit first or dared it (P-14, PA16, PA17).
    """
    bid, bidder = auction.bid, auction.bidder
    if bid is None or bidder is None:
        return None
    side = bidder % 2
    master = bidder if options.master_rule == "lastBidder" else auction.first[side, bid.strain]
    return PeeweeContract(tricks=bid.tricks, strain=bid.strain, side=side, dare=auction.dare), master
