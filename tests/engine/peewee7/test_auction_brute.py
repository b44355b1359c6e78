"""Every call at every point of ten thousand random biddings, against a listing that knows nothing of the engine."""

import random
from typing import Any

import pytest

from engine.cards import Strain
from engine.game import Query, judge, legal_moves, play
from engine.games.peewee7 import PEEWEE7, PeeweeContract
from engine.games.peewee7.auction import Auction, after, auction_of, legal_calls, outcome
from engine.moves import Bid, Call, text
from tests.engine.peewee7 import brute_auction as brute
from tests.engine.peewee7.positions import call, dealt, legal, options

AUCTIONS = 10_000
CHOICES: dict[str, tuple[object, ...]] = {
    "openingPasses": (4, 3),
    "passIsFinal": (False, True),
    "dareRequires": ("opponentBid", "ownSuitBid"),
    "overbidAfterDare": ("otherSuit", "any"),
    "masterRule": ("firstOfTeam", "lastBidder"),
}


def word(made: Call) -> str:
    return f"{made.tricks}{made.strain}" if isinstance(made, Bid) else text(made)


def chosen(rng: random.Random, calls: tuple[Call, ...]) -> Call:
    """A call: often a pass or a dare, and of the bids a low one, so that biddings grow long."""
    bids = [each for each in calls if isinstance(each, Bid)]
    others = [each for each in calls if not isinstance(each, Bid)]
    if bids and rng.random() < 0.55:
        return bids[min(int(rng.expovariate(0.35)), len(bids) - 1)]
    return rng.choice(others)


@pytest.mark.parametrize("share", range(4))
def test_every_call_at_every_point_of_random_biddings(share: int) -> None:
    rng = random.Random(f"bidding {share}")
    longest = points = 0
    for _ in range(AUCTIONS // 4):
        named: dict[str, Any] = {name: rng.choice(values) for name, values in CHOICES.items()}
        rules, chose, dealer = brute.Rules(**named), options(**named), rng.randrange(4)
        auction, made = auction_of(chose, dealer, ()), list[tuple[int, str]]()
        while auction.turn is not None:
            calls = legal_calls(chose, auction)
            assert [(dealer + 1 + seat) % 4 for seat in [brute.turn(rules, made)] if seat is not None] == [auction.turn]
            assert len(calls) == len(set(calls))
            assert {word(each) for each in calls} == brute.allowed(rules, made)
            call_made = chosen(rng, calls)
            made.append(((auction.turn - dealer - 1) % 4, word(call_made)))
            auction = after(chose, auction, call_made)
            points += 1
        assert brute.turn(rules, made) is None
        check_contract(dealer, brute.contract(rules, made), outcome(chose, auction))
        longest = max(longest, len(made))
    assert points > AUCTIONS // 4 * 5
    assert longest > 30


def check_contract(
    dealer: int, expected: tuple[str, int, int, int] | None, found: tuple[PeeweeContract, int] | None
) -> None:
    assert (expected is None) == (found is None)
    if expected is None or found is None:
        return
    bid, side, dares, master = expected
    made, seat = found
    assert seat == (dealer + 1 + master) % 4
    assert (words_of(made), made.dare) == (bid, dares)
    assert made.side == seat % 2 == (dealer + 1 + side) % 2


def words_of(made: PeeweeContract) -> str:
    return f"{made.tricks}{made.strain}"


def test_the_whole_engine_agrees_with_the_listing() -> None:
    """Legal moves and judging, through the door that every caller comes in by."""
    rng = random.Random("door")
    for _ in range(40):
        named: dict[str, Any] = {name: rng.choice(values) for name, values in CHOICES.items()}
        rules, made = brute.Rules(**named), list[tuple[int, str]]()
        state = dealt(**named)
        while state.phase == "auction":
            assert state.to_act is not None
            seat = state.to_act.seat
            wanted = brute.allowed(rules, made)
            assert {words.removeprefix("bid ") for words in legal(state)} == wanted
            judged = {each: judge(PEEWEE7, state, call(each), seat) for each in brute.EVERY_CALL}
            assert {each for each, refused in judged.items() if refused is None} == wanted
            move = chosen(rng, tuple(e.move for e in legal_moves(PEEWEE7, state, None, Query()).moves))  # type: ignore[misc]
            made.append((seat, word(move)))
            state = play(PEEWEE7, state, move).state
        closed = brute.contract(rules, made)
        if closed is None:
            assert (state.phase, state.contract, state.master) == ("deal", None, None)
            continue
        assert state.contract is not None
        assert (words_of(state.contract), state.contract.side, state.contract.dare) == closed[:3]
        assert state.master == closed[3]


def test_how_many_biddings_there_are() -> None:
    """Counts of sequences of so many calls: the engine's against the listing's."""

    def by_listing(made: brute.Made, depth: int) -> int:
        if depth == 0:
            return 1
        seat, calls = brute.turn(brute.Rules(), made), brute.allowed(brute.Rules(), made)
        return sum(by_listing([*made, (seat or 0, each)], depth - 1) for each in calls)

    def by_engine(auction: Auction, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(by_engine(after(standard, auction, each), depth - 1) for each in legal_calls(standard, auction))

    standard, opening = options(), auction_of(options(), 3, ())
    assert [by_engine(opening, depth) for depth in range(4)] == [by_listing([], depth) for depth in range(4)]
    assert by_engine(opening, 1) == 36


def test_a_bidding_can_be_as_long_as_the_state_allows() -> None:
    """All 35 bids, each dared twice, every call after as many passes as can be."""
    state = dealt()
    for bid in brute.LADDER:
        opening = [] if state.calls else ["pass"] * 3
        for each in [*opening, bid, "pass", "pass", "dare", "pass", "pass", "doubleDare", "pass", "pass"]:
            state = play(PEEWEE7, state, call(each)).state
    state = play(PEEWEE7, state, call("pass")).state
    assert state.phase == "play"
    assert len(state.calls) == 319
    assert state.contract is not None
    assert state.contract.strain is Strain.NO_TRUMP
