"""The conformance kit on PeeWee 7, every option's every value."""

import dataclasses
import random
from collections.abc import Iterable, Sequence

import msgspec
import pytest
from msgspec.structs import replace

from engine.cards import PACK, WHOLE_PACK, Card, Strain, card_set
from engine.game import Viewer, begin, legal_moves, play, view
from engine.games.peewee7 import PEEWEE7, PeeweeOptions, PeeweeState
from engine.games.peewee7.scoring import halves_in, row_of
from engine.games.peewee7.table import is_exposed_before_lead
from engine.moves import Dare, Deal, DoubleDare, Draw, Expose, Hand, Move, Pass, Play, parse
from tests.engine import kit

CHOICES: dict[str, dict[str, object]] = {
    "standard": {"preset": "standard"},
    "team draw": {"teamDraw": True},
    "team draw by rounds, always the same dealer": {"teamDraw": True, "teamDrawCheck": "round", "nextDealer": "same"},
    "three passes throw in, a pass is final": {"openingPasses": 3, "passIsFinal": True},
    "a pass is final, the last bidder is Master": {"passIsFinal": True, "masterRule": "lastBidder"},
    "dares need an own bid": {"dareRequires": "ownSuitBid"},
    "any overbid, the Master leads": {"overbidAfterDare": "any", "peeweeLeadChosenBy": "master"},
    "strokes never win": {"halvesCount": False},
    "all rows together": {"winScope": "total"},
    "all rows together, whole crosses": {"winScope": "total", "halvesCount": False, "peeweeLeadChosenBy": "master"},
}
BIDS = [parse(f"bid {words}") for words in ["1C", "6NT", "7C", "7S", "8H", "9D", "11C", "13NT"]]
DEALS = max(1, kit.DEALS // 10)
"""Random deals of the quiet matches: a deal here has some ninety moves."""
GAMES = 1 + kit.DEALS // (110 if kit.DEALS < 1_000 else 10)
"""Whole matches a variant, of some four deals each: `make kit` has more than two thousand in all."""


def outsiders(state: PeeweeState) -> Iterable[Move]:
    del state
    yield from map(Play, PACK)
    yield Expose(PACK[:13])
    yield from (*BIDS, Pass(), Dare(), DoubleDare(), Deal(), Draw())


def conserved(state: PeeweeState) -> None:
    played = [card for trick in state.tricks for card in trick.cards]
    held = [card for hand in state.hands for card in hand.cards]
    assert len(played) + len(held) == (52 if state.deals else 0)
    if state.deals:
        assert card_set(played + held) == WHOLE_PACK
        assert len({len(hand) for hand in state.hands}) <= 2


def twins(state: PeeweeState, viewer: Viewer, rng: random.Random) -> Sequence[PeeweeState]:
    """Two cards of one suit change hands behind the viewer's back; and the seed is another."""
    seen = view(PEEWEE7, state, viewer)
    hidden = [seat for seat in range(4) if seen.hands[seat].hidden]
    swaps = [
        (one, other, a, b)
        for one in hidden
        for other in hidden
        if one < other
        for a in state.hands[one].cards
        for b in state.hands[other].cards
        if a.suit is b.suit or not state.tricks
    ]
    made = [replace(state, seed="another seed")]
    for one, other, a, b in rng.sample(swaps, min(2, len(swaps))):
        hands = list(state.hands)
        hands[one] = swapped(hands[one], a, b)
        hands[other] = swapped(hands[other], b, a)
        made.append(replace(state, hands=tuple(hands)))
    return made


def swapped(hand: Hand, out: Card, into: Card) -> Hand:
    return Hand(tuple(into if card is out else card for card in hand.cards), hand.hidden)


def scored(state: PeeweeState) -> None:
    sheet = PEEWEE7.sheet(state, None)
    assert sheet.scope == "match"
    assert len(sheet.winners) == 1
    for strain in Strain:
        for side in (0, 1):
            of_row = [item.points for item in sheet.items if (item.side, item.account) == (side, strain)]
            (points,) = [
                total.points
                for total in sheet.totals
                if (total.side, total.account, total.unit) == (side, strain, "halfCrosses")
            ]
            assert points == sum(of_row) == halves_in(row_of(state.score, strain))[side]


def plays_alike(move: Move, state: PeeweeState, viewer: Viewer) -> bool:
    """What comes by chance, and the hand that is laid open, a view must be told."""
    del viewer
    lead = isinstance(move, Play) and not state.tricks and not is_exposed_before_lead(state)
    closing = isinstance(move, Pass) and state.options.peewee_lead_chosen_by == "master"
    return not isinstance(move, Deal | Draw) and not lead and not closing


SUBJECT = kit.Subject(
    game=PEEWEE7,
    variants={name: (choices, 4) for name, choices in CHOICES.items()},
    outsiders=outsiders,
    conserved=conserved,
    twins=twins,
    deals=lambda state: state.deals,
    scored=scored,
    plays_alike=plays_alike,
)


@pytest.mark.parametrize("variant", SUBJECT.variants)
def test_conformance(variant: str) -> None:
    """Whole matches, to the end of each."""
    matches = dataclasses.replace(SUBJECT, deals=lambda _: 1)
    assert kit.run(matches, variant, GAMES) == GAMES


@pytest.mark.parametrize("variant", SUBJECT.variants)
def test_conformance_of_quiet_bidding(variant: str) -> None:
    """As the kit goes, but most calls are passes: deals are thrown in, contracts are low, matches are long."""
    rng = random.Random(f"quiet {variant}")
    state = begin(PEEWEE7, kit.setup_of(SUBJECT, variant, f"quiet {variant}")).state
    while state.to_act is not None and state.deals <= max(3, DEALS // 4):
        kit.check_state(SUBJECT, state)
        calling = state.phase == "auction"
        legal = kit.check_legal(SUBJECT, state, rng) if calling or rng.random() < 0.2 else None
        seat: int = state.to_act.seat
        move: Move = Pass()
        if not calling or rng.random() < 0.2:
            choices = legal or [(seat, each.move) for each in legal_moves(PEEWEE7, state, None, kit.EVERYTHING).moves]
            seat, move = rng.choice(choices[:12])
        after = play(PEEWEE7, state, move, seat).state
        if rng.random() < 0.04:
            kit.check_views(SUBJECT, state, rng)
            kit.check_play_on_views(SUBJECT, state, move, seat, after)
        state = after


def test_every_option_value_is_among_the_variants() -> None:
    named = {(name, value) for choices in CHOICES.values() for name, value in choices.items()}
    defaults = msgspec.to_builtins(PeeweeOptions())
    schema = msgspec.json.schema(PeeweeOptions)["$defs"]["PeeweeOptions"]["properties"]
    for name, described in schema.items():
        values = described.get("enum", [False, True])
        assert {(name, value) for value in values if value != defaults[name]} <= named
