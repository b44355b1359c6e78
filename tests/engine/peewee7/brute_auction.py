"""The bidding of PeeWee 7 once more, from the rules and without the engine: every call there is, asked one by one.

Calls are words: ``7H``, ``13NT``, ``pass``, ``dare``, ``doubleDare``. Nothing is remembered but the list of calls made
so far; each question goes through that list anew. Seats are counted from the dealer's left.
"""

from dataclasses import dataclass

LADDER = [f"{tricks}{strain}" for tricks in range(7, 14) for strain in ("C", "D", "S", "H", "NT")]
"""The bids, from low to high."""
HEIGHT = {bid: height for height, bid in enumerate(LADDER)}
STRAIN = {bid: bid.strip("0123456789") for bid in LADDER}
EVERY_CALL = ["pass", "dare", "doubleDare", *LADDER]


@dataclass(frozen=True)
class Rules:
    """The options that touch the bidding, under their names on the wire."""

    openingPasses: int = 4  # noqa: N815 - the wire's name
    passIsFinal: bool = False  # noqa: N815
    dareRequires: str = "opponentBid"  # noqa: N815
    overbidAfterDare: str = "otherSuit"  # noqa: N815
    masterRule: str = "firstOfTeam"  # noqa: N815


Made = list[tuple[int, str]]


def bids_among(made: Made) -> list[int]:
    """Where in the list the bids are."""
    return [index for index, (_, call) in enumerate(made) if call in HEIGHT]


def is_closed(rules: Rules, made: Made) -> bool:
    """Whether nobody may call any more."""
    tail = 0
    while tail < len(made) and made[-1 - tail][1] == "pass":
        tail += 1
    if not bids_among(made):
        return tail == rules.openingPasses
    passed = {seat for seat, call in made if call == "pass"}
    return tail == 3 or (rules.passIsFinal and len(passed) == 3)


def turn(rules: Rules, made: Made) -> int | None:
    """The seat that calls next, None when the bidding is closed."""
    if is_closed(rules, made):
        return None
    seat = (made[-1][0] + 1) % 4 if made else 0
    if rules.passIsFinal:
        while (seat, "pass") in made:
            seat = (seat + 1) % 4
    return seat


def allowed(rules: Rules, made: Made) -> set[str]:
    """Every call the seat whose turn it is may make."""
    seat = turn(rules, made)
    if seat is None:
        return set()
    where = bids_among(made)
    if not where:
        return {"pass", *LADDER}
    bidder, bid = made[where[-1]]
    dares = [word for _, word in made[where[-1] :] if word in ("dare", "doubleDare")]
    ours = (seat + bidder) % 2 == 0
    named = any((made[index][0] + seat) % 2 == 0 and STRAIN[made[index][1]] == STRAIN[bid] for index in where)
    shut = STRAIN[bid] if dares and rules.overbidAfterDare == "otherSuit" else ""

    def may(call: str) -> bool:
        if call == "pass":
            return True
        if call == "doubleDare":
            return ours and dares == ["dare"]
        if call == "dare":
            return not ours and not dares and (named or rules.dareRequires == "opponentBid")
        return HEIGHT[call] > HEIGHT[bid] and STRAIN[call] != shut

    return {call for call in EVERY_CALL if may(call)}


def contract(rules: Rules, made: Made) -> tuple[str, int, int, int] | None:
    """Of a closed bidding: the bid, the side, how often it was dared, the Master. None where nobody bid."""
    where = bids_among(made)
    if not where:
        return None
    bidder, bid = made[where[-1]]
    dares = sum(word in ("dare", "doubleDare") for _, word in made[where[-1] :])
    side = bidder % 2
    same = [made[index][0] for index in where if made[index][0] % 2 == side
            and STRAIN[made[index][1]] == STRAIN[bid]]  # fmt: skip
    return bid, side, dares, bidder if rules.masterRule == "lastBidder" else same[0]
