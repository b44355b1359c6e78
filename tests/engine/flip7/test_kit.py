"""The conformance kit on Flip 7: every value of every option, and every number of places."""

import dataclasses
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product

import pytest
from msgspec.structs import fields, replace

from engine.cards import FlipCard
from engine.game import SPECTATOR, Viewer, begin, play
from engine.games.flip7 import FLIP7, Flip7Deck, Flip7State
from engine.games.flip7.deck import ACTIONS, COUNTS
from engine.games.flip7.table import lying, unseen
from engine.moves import Deal, Draw, Give, Hit, Move, Stay
from tests.engine import kit

CHOICES: dict[str, tuple[dict[str, object], int]] = {
    **{f"{places} places": ({}, places) for places in range(1, 19)},
    "an action is replaced in the deal": ({"dealReplaceAction": True}, 4),
    "asked after an early flip three": ({"initialDealAfterFlip3": "offer"}, 5),
    "asked and replaced": ({"initialDealAfterFlip3": "offer", "dealReplaceAction": True, "setAside": "oneByOne"}, 4),
    "second chances are gifts": ({"secondChanceGift": True}, 3),
    "one by one": ({"setAside": "oneByOne"}, 3),
    "one by one, eager, gifts": ({"setAside": "oneByOne", "reshuffle": "eager", "secondChanceGift": True}, 6),
    "eager": ({"reshuffle": "eager"}, 4),
    "eager, many": ({"reshuffle": "eager", "dealReplaceAction": True}, 18),
    "ties shared, a low target": ({"tie": "shared", "target": 20}, 3),
    "ties played off, a low target": ({"target": 20}, 4),
    "alone against the rounds": ({"preset": "challenge"}, 1),
    "each against the rounds": ({"challenge": "each", "target": 60}, 2),
    "together against the rounds": ({"challenge": "combined"}, 2),
}

VALUES: dict[str, dict[str, object]] = {
    "standard": {},
    "actions replaced": {"dealReplaceAction": True},
    "asked": {"initialDealAfterFlip3": "offer"},
    "gifts": {"secondChanceGift": True},
    "one by one": {"setAside": "oneByOne"},
    "eager": {"reshuffle": "eager"},
    "ties shared": {"tie": "shared"},
    "target 50": {"target": 50},
}
CHALLENGES = ("any", "each", "combined")
EVERYWHERE: dict[str, tuple[dict[str, object], int]] = {
    **{f"{name}, {places} places": (value, places) for name, value in VALUES.items() for places in range(1, 19)},
    **{f"challenge {of}, {places} places": ({"challenge": of}, places) for of in CHALLENGES for places in (1, 2)},
}
"""Every value of every option at every number of places that it goes with."""
AT_LENGTH = kit.DEALS >= 1_000


def matches_at(places: int) -> int:
    """Whole matches of each of these, more of the small ones: `make kit` has more than two thousand in all."""
    share = 50 if places <= 4 else 200 if places <= 9 else 500
    return max(1, kit.DEALS // share) if AT_LENGTH else 1


def outsiders(state: Flip7State) -> Iterable[Move]:
    yield from (Deal(), Hit(), Stay(), Draw())
    yield from (Give(card, to) for card, to in product(ACTIONS, range(len(state.rows))))


def conserved(state: Flip7State) -> None:
    table = Counter(lying(state))
    table.update(state.deck.cards)
    assert table + Counter() == COUNTS
    assert table.total() == 94
    assert unseen(state) == Counter(state.deck.cards)
    assert state.deck.hidden == 0
    if state.turn is not None:
        numbers = [[card for card in row.cards if card.isdigit()] for row in state.rows]
        for row, each in zip(state.rows, numbers, strict=True):
            assert len(each) - len(set(each)) == (row.status == "busted")
            assert len(set(each)) < 7


def twins(state: Flip7State, viewer: Viewer, rng: random.Random) -> Sequence[Flip7State]:
    """The same table with the deck in another order, and with another seed."""
    del viewer
    deck = list(state.deck.cards)
    rng.shuffle(deck)
    return [replace(state, deck=Flip7Deck(cards=tuple(deck))), replace(state, seed="another seed")]


def scored(state: Flip7State) -> None:
    sheet = FLIP7.sheet(state, None)
    assert (state.phase, sheet.scope) == ("over", "match")
    assert tuple(total.points for total in sheet.totals if total.account == "total") == state.totals
    if state.options.challenge == "off":
        top = max(state.totals)
        assert top >= state.options.target
        assert sheet.winners == tuple(seat for seat, total in enumerate(state.totals) if total == top)
        assert len(sheet.winners) == 1 or state.options.tie == "shared"
    else:
        assert bool(sheet.winners) == (state.round <= 4)
    last = FLIP7.sheet(state, "round")
    for seat in range(len(state.rows)):
        total = next(each.points for each in last.totals if (each.side, each.account) == (seat, "round"))
        assert total == sum(item.points for item in last.items if item.side == seat)


def plays_alike(move: Move, state: Flip7State, viewer: Viewer) -> bool:
    """Only where no card is drawn: on a view each must be told (see `test_telling.py`)."""
    del viewer
    after = play(FLIP7, state, move).state
    return (after.deck, after.shuffles) == (state.deck, state.shuffles)


SUBJECT = kit.Subject(
    game=FLIP7,
    variants=CHOICES,
    outsiders=outsiders,
    conserved=conserved,
    twins=twins,
    deals=lambda state: state.round,
    scored=scored,
    plays_alike=plays_alike,
)


@pytest.mark.parametrize("variant", SUBJECT.variants)
def test_conformance(variant: str) -> None:
    rounds = max(3, 8 * kit.DEALS // (20 + 10 * CHOICES[variant][1]))
    assert kit.run(SUBJECT, variant, rounds) >= rounds


@pytest.mark.parametrize("variant", EVERYWHERE if AT_LENGTH else list(EVERYWHERE)[::11])
def test_conformance_of_whole_matches(variant: str) -> None:
    matches = dataclasses.replace(SUBJECT, variants=EVERYWHERE, deals=lambda _: 1)
    wanted = matches_at(EVERYWHERE[variant][1])
    assert kit.run(matches, variant, wanted) == wanted


def test_every_option_value_is_among_the_variants() -> None:
    named = {(name, value) for choices, _ in CHOICES.values() for name, value in choices.items()}
    wanted = {
        ("target", 20),
        ("dealReplaceAction", True),
        ("initialDealAfterFlip3", "offer"),
        ("secondChanceGift", True),
        ("setAside", "oneByOne"),
        ("reshuffle", "eager"),
        ("tie", "shared"),
        ("challenge", "each"),
        ("challenge", "combined"),
        ("preset", "challenge"),
    }
    assert wanted <= named
    assert {field.encode_name for field in fields(FLIP7.options)} == {name for name, _ in wanted} - {"preset"}
    assert {places for _, places in CHOICES.values()} == set(FLIP7.places)
    everywhere = {(name, value) for choices in VALUES.values() for name, value in choices.items()}
    everywhere |= {("challenge", of) for of in CHALLENGES}
    assert {name for name, _ in everywhere} == {field.encode_name for field in fields(FLIP7.options)}


def test_a_card_in_the_kit_is_a_card_of_the_game() -> None:
    assert all(isinstance(card, FlipCard) for card in COUNTS)
    assert SPECTATOR in kit.viewers_of(begin(FLIP7, kit.setup_of(SUBJECT, "3 places", "x")).state)
