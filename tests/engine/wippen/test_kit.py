"""The conformance kit on Wippen: every variant, every number of places."""

import os
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args, get_origin

import msgspec
import pytest
from msgspec.structs import replace

from engine.cards import PACK, Card
from engine.events import Dealt, Event, LeftOver, Redealt
from engine.game import Viewer, view
from engine.games.wippen import WIPPEN, WippenState
from engine.games.wippen.plan import plan_of
from engine.mechanics.layout import value_of
from engine.moves import Build, Capture, Deal, Extend, Hand, Move, Raise, Trail
from engine.violations import Malformed
from tests.engine import kit
from tests.engine.majorities import is_given_whole, ruled
from tests.engine.wippen.model import random_choices
from tests.engine.wippen.positions import options

VARIANTS: dict[str, tuple[dict[str, Any], int]] = {
    "full, two": ({}, 2),
    "full, three": ({}, 3),
    "full, four": ({}, 4),
    "full, five, eight pictures out": ({}, 5),
    "full, six": ({}, 6),
    "full, nine, no pictures": ({}, 9),
    "full, ten": ({}, 10),
    "full, eleven": ({}, 11),
    "full, twelve": ({}, 12),
    "two packs, two": ({"packs": 2}, 2),
    "two packs, three": ({"packs": 2, "removedRanks": ["J", "Q", "K"]}, 3),
    "two packs, four": ({"packs": 2}, 4),
    "two packs, five": ({"packs": 2}, 5),
    "two packs, six": ({"packs": 2, "tie": "carry"}, 6),
    "two packs, seven": ({"packs": 2, "removedRanks": ["Q", "K", "J"]}, 7),
    "two packs, eight": ({"packs": 2}, 8),
    "two packs, ten": ({"packs": 2}, 10),
    "two packs, eleven": ({"packs": 2}, 11),
    "two packs, twelve": ({"packs": 2, "openHands": True}, 12),
    "family": ({"preset": "family"}, 4),
    "basic": ({"preset": "basic"}, 3),
    "basic, only the card played is bound": ({"preset": "basic", "forcedCapture": "card"}, 2),
    "no raising, ties to nobody": ({"raising": False, "tie": "none"}, 3),
    "no double building, ties to all": ({"doubleBuilding": False, "tie": "all"}, 3),
    "no building": ({"building": False}, 4),
    "no wips": ({"wips": False, "target": 20}, 2),
    "no points": ({"points": False}, 3),
    "no points, two packs": ({"points": False, "packs": 2}, 4),
    "a card bound for its own sake": ({"forcedCapture": "card"}, 3),
    "never bound": ({"forcedCapture": "off"}, 2),
    "bound by equal cards only": ({"forcedScope": "rank"}, 3),
    "one group": ({"multiCapture": "single"}, 3),
    "one group, two builds each": ({"multiCapture": "single", "buildObligation": "noTrail", "packs": 2}, 2),
    "all that can be taken": ({"captureChoice": "maximal"}, 3),
    "all, of pictures too": ({"captureChoice": "maximal", "pictureCapture": "any"}, 3),
    "one picture or three": ({"pictureCapture": "oneOrThree", "preset": "basic"}, 4),
    "any pictures": ({"pictureCapture": "any", "packs": 2}, 3),
    "all pictures": ({"pictureCapture": "all"}, 3),
    "pictures have values": ({"pictureValues": True}, 3),
    "pictures have values, more groups": ({"pictureValues": True, "maxGroups": 0, "buildInSum": "all"}, 4),
    "double builds in sums": ({"buildInSum": "double"}, 3),
    "builds in sums": ({"buildInSum": "all"}, 3),
    "builds in sums, all taken": ({"buildInSum": "all", "captureChoice": "maximal"}, 3),
    "a builder does not lay": ({"buildObligation": "noTrail"}, 3),
    "a builder captures": ({"buildObligation": "capture"}, 3),
    "a builder owes nothing": ({"buildObligation": "none"}, 3),
    "a builder owes nothing, nobody is bound": ({"buildObligation": "none", "forcedCapture": "off"}, 3),
    "own builds stay": ({"raiseOwn": False}, 3),
    "others' builds stay single": ({"extendForeign": False}, 3),
    "raising with open cards": ({"raiseWithOpen": True, "maxGroups": 0}, 3),
    "any number of groups": ({"maxGroups": 0}, 2),
    "wips to the end": ({"sweepLastDeal": True, "target": 15}, 2),
    "open hands": ({"openHands": True}, 3),
}


def outsiders(state: WippenState) -> Iterable[Move]:
    """Moves around what lies open, drawn alike for all who see the same."""
    lying = (*state.layout, *(card for build in state.builds for card in build.cards))
    rng = random.Random(f"{state.layout} {state.builds} {state.rounds} {state.deals} {sum(map(len, state.hands))}")
    numbers = [build.id for build in state.builds] or [1]
    for card in rng.sample(PACK, 14):
        taken = tuple(rng.sample(lying, min(len(lying), rng.randint(0, 3))))
        equal = tuple(other for other in state.layout if value_of(other) == value_of(card))
        yield Trail(card)
        yield Capture(card, taken, tuple(rng.sample(numbers, rng.randint(0, len(numbers)))))
        yield Capture(card, equal[:1])
        yield Capture(card, equal)
        yield Build(card, taken, rng.randint(1, 13))
        yield Build(card, taken[:1], min(13, value_of(card) + sum(map(value_of, taken[:1]))))
        number = rng.choice(numbers)
        yield Extend(card, number, taken[:2])
        built = next((build.value for build in state.builds if build.id == number), 1)
        yield Raise(card, number, min(13, built + value_of(card)), taken if rng.random() < 0.2 else ())
    yield Deal()


def conserved(state: WippenState) -> None:
    """Every card of the round is in one place; an owner holds his card; nothing is left once a round is counted."""
    there = Counter(
        (
            *(card for hand in (*state.hands, *state.heaps, state.stock) for card in hand.cards),
            *state.layout,
            *(card for build in state.builds for card in build.cards),
        )
    )
    if state.rounds:
        assert there == Counter(plan_of(state.options, len(state.hands)).cards)
    if state.options.build_obligation != "none":
        check_owners(state)
    if state.score_before is not None:
        check_round(state)


def check_owners(state: WippenState) -> None:
    """An owner holds a card for each of his builds, one for each where a card takes one group only."""
    owned: dict[int, Counter[int]] = {seat: Counter() for seat in range(len(state.hands))}
    for build in state.builds:
        assert build.owner is not None
        owned[build.owner][build.value] += 1
    for seat, hand in enumerate(state.hands):
        held = Counter(value_of(card) for card in hand.cards)
        singly = state.options.multi_capture == "single"
        assert all(held[value] >= (number if singly else 1) for value, number in owned[seat].items())


def check_round(state: WippenState) -> None:
    """A round counted: no build was left for which somebody owed; 11 points, or 18, and the wips, went as ruled."""
    left = [event for event in state.past or () if isinstance(event, LeftOver)]
    assert len(left) <= 1
    assert not any(map(len, state.hands))
    assert state.options.build_obligation == "none" or not any(event.builds for event in left)
    assert state.last_taker is None or not (state.layout or state.builds)
    before, options = state.score_before, state.options
    assert before is not None
    gained = [after - had for after, had in zip(state.score.points, before.points, strict=True)]
    if not options.points:
        assert not any(gained)
        return
    heaps = [[str(card) for card in heap.cards] for heap in state.heaps]
    cards = list(map(len, heaps))
    spades = [sum(card[1] == "S" for card in heap) for heap in heaps]
    worth = {"TD": 2, "2S": 1, "AS": 1, "AH": 1, "AD": 1, "AC": 1}
    singles = [sum(worth.get(card, 0) for card in heap) for heap in heaps]
    most = ruled(2 + before.carried_cards, cards, options.tie), ruled(2 + before.carried_spades, spades, options.tie)
    assert gained == [sum(each) for each in zip(singles, *most, state.wips, strict=True)]
    if state.last_taker is not None and is_given_whole(cards, options.tie) and is_given_whole(spades, options.tie):
        given = {1: 11, 2: 18}[options.packs] + before.carried_cards + before.carried_spades
        assert sum(gained) - sum(state.wips) == given


def twins(state: WippenState, viewer: Viewer, rng: random.Random) -> Sequence[WippenState]:
    """Two cards of one rank change places behind the viewer's back; the stock is shuffled; the seed is another."""
    seen = view(WIPPEN, state, viewer)
    hidden = [seat for seat in range(len(state.hands)) if seen.hands[seat].hidden]
    stock = list(state.stock.cards)
    rng.shuffle(stock)
    made = [replace(state, seed="another seed", stock=Hand(tuple(stock)))]
    swaps = [
        (one, other, a, b)
        for one in hidden
        for other in (*hidden, None)
        if other is None or one < other
        for a in state.hands[one].cards
        for b in (state.stock if other is None else state.hands[other]).cards
        if a is not b and value_of(a) == value_of(b)
    ]
    for one, other, a, b in rng.sample(swaps, min(2, len(swaps))):
        hands = list(state.hands)
        hands[one] = swapped(hands[one], a, b)
        swap = {one: (a, b)}
        if other is None:
            made.append(replace(state, hands=tuple(hands), stock=swapped(state.stock, b, a), past=told(state, swap)))
        else:
            hands[other] = swapped(hands[other], b, a)
            made.append(replace(state, hands=tuple(hands), past=told(state, swap | {other: (b, a)})))
    return made


def swapped(hand: Hand, out: Card, into: Card) -> Hand:
    at = hand.cards.index(out)
    return Hand((*hand.cards[:at], into, *hand.cards[at + 1 :]), hand.hidden)


def told(state: WippenState, swaps: dict[int, tuple[Card, Card]]) -> tuple[Event, ...] | None:
    """The past with other cards in the last deal."""
    assert state.past is not None
    last = max(at for at, event in enumerate(state.past) if isinstance(event, Dealt | Redealt))
    event = state.past[last]
    assert isinstance(event, Dealt | Redealt)
    hands = tuple(swapped(hand, *swaps[seat]) if seat in swaps else hand for seat, hand in enumerate(event.hands))
    return (*state.past[:last], replace(event, hands=hands), *state.past[last + 1 :])


def deals(state: WippenState) -> int:
    return max(0, state.rounds - 1) * plan_of(state.options, len(state.hands)).deals + state.deals


def scored(state: WippenState) -> None:
    sheet = WIPPEN.sheet(state, None)
    assert sheet.scope == "match"
    sums: dict[int, int] = dict.fromkeys(range(len(state.hands)), 0)
    for item in sheet.items:
        sums[item.side] += item.points
    if state.options.points:
        assert tuple(sums.values()) == state.score.points
        assert [total.points for total in sheet.totals if total.account == "total"] == list(sums.values())
        assert sheet.winners == (sums and (max(sums, key=sums.__getitem__),))
        assert max(sums.values()) >= state.options.target
    else:
        assert sheet.winners == tuple(seat for seat in sums if sums[seat] == max(sums.values()))


def plays_alike(move: Move, state: WippenState, viewer: Viewer) -> bool:
    del state, viewer
    return not isinstance(move, Deal)


def deals_a_round(subject: kit.Subject, variant: str) -> int:
    setup = kit.setup_of(subject, variant, "")
    return plan_of(setup.options, setup.places or 0).deals


def drawn(number: int) -> dict[str, tuple[dict[str, Any], int]]:
    """So many variants of options and numbers of places drawn at random."""
    rng = random.Random("variants")
    found: dict[str, tuple[dict[str, Any], int]] = {}
    while len(found) < number:
        choices = random_choices(rng)
        choices |= {name: rng.choice(values) for name, values in OF_ROUNDS.items() if rng.random() < 0.4}
        places = rng.randint(2, 12)
        try:
            plan_of(options(choices), places)
        except Malformed:
            continue
        found[f"drawn {len(found)}, {places} places"] = (choices, places)
    return found


OF_ROUNDS: dict[str, tuple[Any, ...]] = {
    "points": (True, False),
    "wips": (True, False),
    "removedRanks": (["K", "Q", "J"], ["J", "K", "Q"]),
    "tie": ("split", "none", "all", "carry"),
    "sweepLastDeal": (True, False),
    "target": (12, 52),
    "openHands": (True, False),
}
DRAWN = int(os.environ.get("KIT_DRAWN", "4"))
SUBJECT = kit.Subject(
    game=WIPPEN,
    variants={**VARIANTS, **drawn(DRAWN)},
    outsiders=outsiders,
    conserved=conserved,
    twins=twins,
    deals=deals,
    scored=scored,
    plays_alike=plays_alike,
)


@pytest.mark.parametrize("variant", SUBJECT.variants)
def test_conformance(variant: str) -> None:
    deals = max(1, kit.DEALS // (16 * SUBJECT.variants[variant][1]))
    assert kit.run(SUBJECT, variant, deals) >= deals


def test_every_option_value_and_number_of_places_is_among_the_variants() -> None:
    used = {(name, repr(value)) for choices, _ in VARIANTS.values() for name, value in choices.items()}
    assert {("preset", repr(preset)) for preset in WIPPEN.presets if preset != "full"} <= used
    for field in msgspec.structs.fields(WIPPEN.options):
        kind = get_args(field.type)[0]
        values = (True, False) if kind is bool else get_args(kind) if get_origin(kind) is Literal else ()
        for value in values:
            by_preset = (field.name, value) == ("adding", False)
            assert value == field.default or by_preset or (field.encode_name, repr(value)) in used, field.name
    for packs in (1, 2):
        counts = {places for choices, places in VARIANTS.values() if choices.get("packs", 1) == packs}
        possible = {2, 3, 4, 5, 6, 9, 10, 11, 12} if packs == 1 else {2, 3, 4, 5, 6, 7, 8, 10, 11, 12}
        assert counts == possible
