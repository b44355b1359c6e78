"""The conformance kit on Le Wipe: every value of every option, every number of places."""

import os
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, get_args, get_type_hints

import pytest
from msgspec.structs import replace

from engine.cards import PACK, WHOLE_PACK, Card, card_set
from engine.events import Dealt, Event, LeftOver, Redealt
from engine.game import Viewer, admit
from engine.games.wipe import WIPE, WipeOptions, WipeState
from engine.games.wipe.options import DEFAULTS
from engine.games.wipe.scoring import ROUND_POINTS
from engine.games.wipe.table import PLACES, deal_sizes, known_cards
from engine.mechanics.layout import value_of
from engine.moves import Announce, Build, Capture, Close, Deal, Extend, Hand, Move, Raise, Strike, Trail
from engine.violations import ImpossibleState, Malformed
from tests.engine import kit
from tests.engine.majorities import is_given_whole, ruled
from tests.engine.wipe.positions import options

VARIANTS: dict[str, tuple[dict[str, Any], int]] = {
    "two": ({}, 2),
    "three": ({"rounds": 2}, 3),
    "four": ({"rounds": 1}, 4),
    "six": ({"rounds": 2}, 6),
    "eight": ({"rounds": 2}, 8),
    "forced by the card, one group, no raising": (
        {"forcedCapture": "card", "multiCapture": "single", "raising": False, "rounds": 1},
        2,
    ),
    "forced by the hand, heaps of players": ({"forcedCapture": "hand", "piles": "player", "rounds": 1}, 4),
    "forced by the hand, doubles of any cards": (
        {"forcedCapture": "hand", "doubleBuilding": True, "buildLayoutCards": "any", "rounds": 1},
        3,
    ),
    "pictures have values, doubles": (
        {"pictureValues": True, "doubleBuilding": True, "buildObligation": "noTrail", "rounds": 1},
        2,
    ),
    "pictures by one or three, not stolen alone": (
        {"pictureCapture": "oneOrThree", "stealAlone": False, "tie": "carry", "rounds": 2},
        3,
    ),
    "any number of pictures, one steal a move": (
        {"pictureCapture": "any", "stealLimit": "onePerMove", "piles": "player", "rounds": 1, "tie": "all"},
        6,
    ),
    "all pictures, crossing declared": (
        {"pictureCapture": "all", "crossing": "declared", "tie": "none", "rounds": 1},
        4,
    ),
    "no stealing, builds in no sum, resolved": (
        {"steal": False, "buildInSum": "none", "buildObligation": "resolve", "rounds": 1},
        2,
    ),
    "builds resolved, of any cards, doubled": (
        {"buildObligation": "resolve", "buildLayoutCards": "any", "doubleBuilding": True, "rounds": 1},
        4,
    ),
    "builds captured, one group, closing at once": (
        {"buildObligation": "capture", "multiCapture": "single", "closeTiming": "immediateOnly", "rounds": 1},
        3,
    ),
    "no trailing with a build, one group": (
        {
            "buildObligation": "noTrail",
            "multiCapture": "single",
            "buildLayoutCards": "any",
            "doubleBuilding": True,
            "rounds": 1,
        },
        2,
    ),
    "no building, wipes missed and mistaken cost": (
        {"building": False, "missedSweep": "penalty", "falseSweep": "penalty", "rounds": 1},
        8,
    ),
    "mistaken wipes refused, none in the last deal, announced by the referee": (
        {"falseSweep": "reject", "sweepLastDeal": False, "lastDealAnnouncement": "auto", "rounds": 1},
        2,
    ),
}
NEVER_AT_DEFAULT = {"rounds"}
SHARE = 18
"""A deal of Le Wipe has many moves, and many viewers: the kit's number of deals is parted by this."""


def outsiders(state: WipeState) -> Iterable[Move]:
    yield from (Deal(), Close(), Announce("lastDeal"), Strike(0), Trail(Card("2C")))
    unseen = PACK[sum(map(len, state.hands)) % 11 :: 11]
    open_cards = state.layout[:3]
    heaps = tuple(index for index, heap in enumerate(state.heaps) if heap.tricks)
    for card in unseen:
        yield Trail(card)
        yield Capture(card, open_cards[:1])
        yield Capture(card, open_cards[:2], tuple(build.id for build in state.builds[:1]))
        for heap in heaps:
            yield Capture(card, tricks=(heap,))
            yield Capture(card, open_cards[:1], heaps=(heap,))
        yield Build(card, open_cards[:1], 7)
        for build in state.builds[:2]:
            yield Raise(card, build.id, min(13, build.value + 2))
            yield Extend(card, build.id)


def conserved(state: WipeState) -> None:
    shown = [card for _, card in known_cards(state)]
    assert len(shown) == (len(PACK) if state.deals else 0)
    if state.deals:
        assert card_set(shown) == WHOLE_PACK
    if state.options.build_obligation != "none" and state.score_before is None:
        check_owners(state)
    if state.score_before is not None:
        check_round(state)


def check_owners(state: WipeState) -> None:
    """Where builds oblige, an owner holds a card for each, one for each where a card takes one group only."""
    owned: dict[int, Counter[int]] = {seat: Counter() for seat in range(len(state.hands))}
    for build in state.builds:
        assert build.owner is not None
        owned[build.owner][build.value] += 1
    for seat, hand in enumerate(state.hands):
        held = Counter(value_of(card) for card in hand.cards)
        singly = state.options.multi_capture == "single"
        assert all(held[value] >= (number if singly else 1) for value, number in owned[seat].items())


def check_round(state: WipeState) -> None:
    """A round counted: no build was left for which somebody owed, and 13 points went as ruled."""
    left = [event for event in state.past or () if isinstance(event, LeftOver)]
    assert len(left) <= 1
    assert not any(map(len, state.hands))
    assert state.options.build_obligation == "none" or not any(event.builds for event in left)
    before, tie = state.score_before, state.options.tie
    assert before is not None
    assert state.last_taker is None or not (state.layout or state.builds)
    gained = [after - had for after, had in zip(state.score.points, before.points, strict=True)]
    sides = len(state.wipes)
    heaps: list[list[str]] = [[] for _ in range(sides)]
    for index, heap in enumerate(state.heaps):
        heaps[index % sides] += map(str, heap.cards)
    cards = list(map(len, heaps))
    spades = [sum(card[1] == "S" for card in heap) for heap in heaps]
    worth = {"TD": 2, "2S": 2, "AS": 1, "AH": 1, "AD": 1, "AC": 1}
    singles = [sum(worth.get(card, 0) for card in heap) for heap in heaps]
    last = [int(state.last_taker is not None and state.last_taker % sides == side) for side in range(sides)]
    most = ruled(2 + before.carried.cards, cards, tie), ruled(2 + before.carried.spades, spades, tie)
    assert gained == [sum(each) for each in zip(singles, *most, last, strict=True)]
    if state.last_taker is not None and is_given_whole(cards, tie) and is_given_whole(spades, tie):
        assert sum(gained) == ROUND_POINTS + before.carried.cards + before.carried.spades


def twins(state: WipeState, viewer: Viewer, rng: random.Random) -> Sequence[WipeState]:
    """Two cards change places behind the viewer's back, wherever that could have been; and the seed is another."""
    made = [replace(state, seed="another seed")]
    hidden = [(seat, card) for seat, hand in enumerate(state.hands) if seat != viewer for card in hand.cards]
    hidden += [(-1, card) for card in state.stock.cards]
    if len(hidden) < 2:
        return made
    for (one, a), (other, b) in (rng.sample(hidden, 2) for _ in range(2)):
        twin = swapped(swapped(state, one, a, b), other, b, a) if one != other else state
        try:
            admit(WIPE, twin)
        except ImpossibleState:
            continue
        made.append(twin)
    return made


def swapped(state: WipeState, place: int, out: Card, into: Card) -> WipeState:
    """The state with a card of a hand, or of the stock, replaced by another; and dealt so."""
    if place < 0:
        return replace(state, stock=Hand(exchanged(state.stock.cards, out, into)))
    past = list(state.past or ())
    at = max(index for index, event in enumerate(past) if isinstance(event, Dealt | Redealt))
    past[at] = dealt_otherwise(past[at], place, out, into)
    return replace(state, hands=with_hand(state.hands, place, out, into), past=tuple(past))


def dealt_otherwise(event: Event, seat: int, out: Card, into: Card) -> Event:
    assert isinstance(event, Dealt | Redealt)
    hands = with_hand(event.hands, seat, out, into)
    sorted_hands = tuple(Hand(tuple(sorted(hand.cards, key=hand_order))) for hand in hands)
    return replace(event, hands=sorted_hands)


def hand_order(card: Card) -> tuple[int, int]:
    return "SHDC".index(card[1]), -card.rank


def with_hand(hands: tuple[Hand, ...], seat: int, out: Card, into: Card) -> tuple[Hand, ...]:
    return (*hands[:seat], Hand(exchanged(hands[seat].cards, out, into)), *hands[seat + 1 :])


def exchanged(cards: tuple[Card, ...], out: Card, into: Card) -> tuple[Card, ...]:
    return tuple(into if card is out else card for card in cards)


def scored(state: WipeState) -> None:
    sheet = WIPE.sheet(state, None)
    assert sheet.scope == "match"
    by_row = {(total.side, total.account): total.points for total in sheet.totals}
    for side, points in enumerate(state.score.points):
        assert by_row[side, "rounds"] == points
        wipes = sum(item.points for item in sheet.items if item.side == side and item.account == "wipes")
        assert by_row[side, "wipes"] == wipes
        assert by_row[side, "total"] == points + wipes
    best = max(by_row[side, "total"] for side in range(len(state.wipes)))
    assert all(by_row[side, "total"] == best for side in sheet.winners)
    assert sheet.winners
    given = sum(state.score.points)
    rounds = state.options.rounds or 0
    if state.options.tie == "split" and len(state.wipes) == 2:
        assert given == ROUND_POINTS * rounds
    elif state.options.tie != "all":
        assert given <= ROUND_POINTS * rounds


def plays_alike(move: Move, state: WipeState, viewer: Viewer) -> bool:
    del state, viewer
    return not isinstance(move, Deal)


def deals_a_round(subject: kit.Subject, variant: str) -> int:
    return len(deal_sizes(subject.variants[variant][1]))


def drawn(number: int) -> dict[str, tuple[dict[str, Any], int]]:
    """So many variants of options and numbers of places drawn at random."""
    rng = random.Random("variants")
    found: dict[str, tuple[dict[str, Any], int]] = {}
    while len(found) < number:
        chosen = {name: rng.choice(values) for name, values in OPTION_VALUES.items() if rng.random() < 0.4}
        places = rng.choice(PLACES)
        try:
            options(**chosen)
        except Malformed:
            continue
        wired = {wire_name(name): value for name, value in chosen.items()}
        found[f"drawn {len(found)}, {places} places"] = (wired | {"rounds": rng.randint(1, 3)}, places)
    return found


def wire_name(name: str) -> str:
    return "".join(part.title() if index else part for index, part in enumerate(name.split("_")))


OPTION_VALUES: dict[str, tuple[Any, ...]] = {
    name: (True, False) if hint is bool else get_args(hint)
    for name, hint in get_type_hints(WipeOptions).items()
    if name not in NEVER_AT_DEFAULT
}
DRAWN = int(os.environ.get("KIT_DRAWN", "4"))
SUBJECT = kit.Subject(
    game=WIPE,
    variants={**VARIANTS, **drawn(DRAWN)},
    outsiders=outsiders,
    conserved=conserved,
    twins=twins,
    deals=lambda state: max(0, state.rounds - 1) * len(deal_sizes(len(state.hands))) + state.deals,
    scored=scored,
    plays_alike=plays_alike,
)


@pytest.mark.parametrize("variant", SUBJECT.variants)
def test_conformance(variant: str) -> None:
    deals = max(6, kit.DEALS // SHARE)
    assert kit.run(SUBJECT, variant, deals) >= deals


def test_every_option_value_and_every_number_of_places_is_among_the_variants() -> None:
    named = {(name, value) for choices, _ in VARIANTS.values() for name, value in choices.items()}
    for name, values in OPTION_VALUES.items():
        for value in values:
            assert (wire_name(name), value) in named or value == getattr(DEFAULTS, name), (name, value)
    assert {places for _, places in VARIANTS.values()} == set(PLACES)
