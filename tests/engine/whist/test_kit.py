"""The conformance kit on whist, every variant."""

import random
from collections.abc import Iterable, Sequence
from itertools import product

import pytest
from msgspec.structs import replace

from engine.cards import PACK, WHOLE_PACK, Card, card_set
from engine.game import Viewer, view
from engine.games.whist import WHIST, WhistState
from engine.moves import Choose, Claim, Deal, Draw, End, Hand, Move, Play
from tests.engine import kit

CHOICES: dict[str, dict[str, object]] = {
    "short": {},
    "long": {"preset": "long"},
    "american": {"preset": "american"},
    "no trump": {"preset": "noTrump"},
    "no trump, nothing turned": {"preset": "noTrump", "turnUp": False},
    "dummy": {"preset": "dummy"},
    "dummy of place 2, exposed after the lead": {"dummy": True, "dummyExposed": "afterLead", "dummyPartner": 2},
    "dummy of place 1, revokes": {"dummy": True, "dummyPartner": 1, "revoke": "record", "match": "game"},
    "one game": {"match": "game", "honoursMustSplit": True, "honoursBarOneShort": True},
    "one deal": {"match": "deal", "slamBonus": 5},
    "honours apart": {"honoursTowardGame": False, "rubberBonus": "winner"},
    "stop at target": {"stopAtTarget": True},
    "draw for partners": {"drawForPartners": True, "match": "game"},
    "draw, ace low, ties by suit": {"drawForPartners": True, "drawAce": "low", "drawTie": "suit", "match": "deal"},
    "turned card always public": {"trumpCardPublic": "always"},
    "revokes cost tricks": {"revoke": "record"},
    "revokes cost points": {"revoke": "record", "revokePenalty": "points", "revokeBoth": "noWin"},
    "revokes cost what is chosen": {"revoke": "record", "revokePenalty": "choice", "revokerCannotWin": True},
    "both revoke: void": {"revoke": "record", "revokeBoth": "void", "match": "game"},
}


def outsiders(state: WhistState) -> Iterable[Move]:
    del state
    yield from map(Play, PACK)
    yield from (Claim(seat, trick) for seat, trick in product(range(4), range(1, 14)))
    yield from (Deal(), Draw(), End(), Choose("tricks"), Choose("deduct"), Choose("add"))


def conserved(state: WhistState) -> None:
    played = [card for trick in state.tricks for card in trick.cards]
    held = [card for hand in state.hands for card in hand.cards]
    assert len(played) + len(held) == (52 if state.deals else 0)
    if state.deals:
        assert card_set(played + held) == WHOLE_PACK
        assert len({len(hand) for hand in state.hands}) <= 2


def twins(state: WhistState, viewer: Viewer, rng: random.Random) -> Sequence[WhistState]:
    """Two cards of one suit change hands behind the viewer's back; and the seed is another."""
    seen = view(WHIST, state, viewer)
    hidden = [seat for seat in range(4) if seen.hands[seat].hidden]
    known = {state.trump_card}
    swaps = [
        (one, other, a, b)
        for one in hidden
        for other in hidden
        if one < other
        for a in state.hands[one].cards
        for b in state.hands[other].cards
        if a.suit is b.suit and not known & {a, b}
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


def scored(state: WhistState) -> None:
    sheet = WHIST.sheet(state, None)
    assert sheet.scope == "match"
    for total in sheet.totals:
        if total.unit == "points":
            rows = [item.points for item in sheet.items if item.side == total.side]
            of_row = [item.points for item in sheet.items if item.side == total.side and item.account == total.account]
            assert total.points == sum(rows if total.account == "total" else of_row)
    assert sheet.winners
    if state.options.match == "rubber":
        won = [game.winner for game in state.score.games]
        assert won.count(sheet.winners[0]) == 2


def plays_alike(move: Move, state: WhistState, viewer: Viewer) -> bool:
    del viewer
    exposes = state.options.dummy_exposed == "afterLead" and not state.tricks
    return not isinstance(move, Deal | Draw) and not exposes


SUBJECT = kit.Subject(
    game=WHIST,
    variants={name: (choices, 3 if "dummy" in name else 4) for name, choices in CHOICES.items()},
    outsiders=outsiders,
    conserved=conserved,
    twins=twins,
    deals=lambda state: state.deals,
    scored=scored,
    plays_alike=plays_alike,
)


@pytest.mark.parametrize("variant", SUBJECT.variants)
def test_conformance(variant: str) -> None:
    assert kit.run(SUBJECT, variant) >= kit.DEALS


def test_every_option_value_is_among_the_variants() -> None:
    named = {(name, repr(value)) for choices in CHOICES.values() for name, value in choices.items()}
    presets = {("preset", repr(preset)) for preset in WHIST.presets if preset != "short"}
    assert presets <= named
    literals = {
        ("honoursMustSplit", "True"),
        ("honoursBarOneShort", "True"),
        ("honoursTowardGame", "False"),
        ("stopAtTarget", "True"),
        ("rubberBonus", "'winner'"),
        ("revoke", "'record'"),
        ("revokePenalty", "'points'"),
        ("revokePenalty", "'choice'"),
        ("revokeBoth", "'noWin'"),
        ("revokeBoth", "'void'"),
        ("revokerCannotWin", "True"),
        ("drawAce", "'low'"),
        ("drawTie", "'suit'"),
        ("trumpCardPublic", "'always'"),
        ("turnUp", "False"),
        ("dummyExposed", "'afterLead'"),
        ("match", "'game'"),
        ("match", "'deal'"),
    }
    assert literals <= named
