"""Positions of PeeWee 7 for tests: whole, possible states around the few calls and cards a test speaks of."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from engine.cards import PACK, Card, Strain
from engine.game import Query, Setup, admit, begin, choices_type, legal_moves, play, resolve_options
from engine.games.peewee7 import PEEWEE7, PeeweeContract, PeeweeOptions, PeeweeRow, PeeweeScore, PeeweeState
from engine.moves import Move, Play, parse, text

SUIT_EACH = [[card for card in PACK if card.suit == suit] for suit in "SHDC"]
"""Seat 0 has the spades, 1 the hearts, 2 the diamonds, 3 the clubs."""


def options(**choices: Any) -> PeeweeOptions:
    """Resolved options, by their names on the wire."""
    return resolve_options(PEEWEE7, msgspec.convert(choices, choices_type(PEEWEE7)))


def cards(words: str) -> tuple[Card, ...]:
    """``"AS TD"`` as cards."""
    return tuple(Card(word) for word in words.split())


def deck_for(hands: Sequence[Iterable[Card]], dealer: int) -> tuple[Card, ...]:
    """The pack that deals seat *s* at least ``hands[s]``, four, five, four at a time; the rest falls as it comes."""
    named = [list(hand) for hand in (*hands, *[()] * (4 - len(hands)))]
    free = [card for card in PACK if not any(card in hand for hand in named)]
    random.Random(7).shuffle(free)
    for hand in named:
        hand += [free.pop() for _ in range(13 - len(hand))]
    order = [(dealer + step) % 4 for step in (1, 2, 3, 4)]
    return tuple(card for start, end in ((0, 4), (4, 9), (9, 13)) for seat in order for card in named[seat][start:end])


def begun(**choices: Any) -> PeeweeState:
    """The state before the first draw or deal, the caller holding the cards."""
    dealer = choices.pop("dealer", 3)
    return begin(PEEWEE7, Setup(options=options(**choices), chance="caller", dealer=dealer)).state


def dealt(hands: Sequence[Iterable[Card]] = ((), (), (), ()), dealer: int = 3, **choices: Any) -> PeeweeState:
    """A state just dealt: seat 0 calls first unless the dealer is another."""
    setup = Setup(options=options(**choices), chance="deck", deck=deck_for(hands, dealer), dealer=dealer)
    return begin(PEEWEE7, setup).state


def called(state: PeeweeState, words: str) -> PeeweeState:
    """The state after these calls in turn: ``"7H pass dare doubleDare"``."""
    for word in words.split():
        state = play(PEEWEE7, state, call(word)).state
        admit(PEEWEE7, state)
    return state


def call(word: str) -> Move:
    """``"7H"``, ``"pass"`` and so on as a move."""
    return parse(f"bid {word}" if word[0].isdigit() else word)


def played(state: PeeweeState, words: str) -> PeeweeState:
    """The state after these cards were played in turn, each by whoever decides for the hand."""
    for card in cards(words):
        state = play(PEEWEE7, state, Play(card)).state
        admit(PEEWEE7, state)
    return state


def legal(state: PeeweeState, seat: int | None = None) -> set[str]:
    """The texts of a seat's legal moves, by default the one's to act."""
    return {entry.text for entry in legal_moves(PEEWEE7, state, seat, Query()).moves}


def play_out(state: PeeweeState, seed: int = 0) -> PeeweeState:
    """The state once its deal is played to the end, at random."""
    rng = random.Random(seed)
    while state.phase == "play":
        state = play(PEEWEE7, state, rng.choice(legal_moves(PEEWEE7, state, None, Query()).moves).move).state
    return state


def calls_of(state: PeeweeState) -> list[str]:
    """What has been called, as texts with their seats."""
    return [f"{made.seat} {text(made.call)}" for made in state.calls]


def contract(words: str, side: int = 0, dare: int = 0) -> PeeweeContract:
    """``"8H"`` as a side's contract."""
    strain = words.lstrip("0123456789")
    return PeeweeContract(tricks=int(words.removesuffix(strain)), strain=Strain(strain), side=side, dare=dare)


def score(**halves: tuple[int, int]) -> PeeweeScore:
    """A paper from half crosses by row, each side's; an odd one is a stroke beside the crosses."""
    rows = {
        name: PeeweeRow(crosses=(first // 2, second // 2), strokes=(first % 2, second % 2))
        for name, (first, second) in halves.items()
    }
    return PeeweeScore(**rows)
