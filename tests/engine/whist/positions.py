"""Positions of whist for tests: whole, possible states around the few cards a test speaks of."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from engine.cards import PACK, Card
from engine.game import Query, Setup, admit, begin, choices_type, legal_moves, play, resolve_options
from engine.games.whist import WHIST, WhistOptions, WhistState
from engine.moves import Deal, Hand, Move, Play


def cards(words: str) -> tuple[Card, ...]:
    """``"AS TD"`` as cards."""
    return tuple(Card(word) for word in words.split())


def options(**choices: Any) -> WhistOptions:
    """Resolved options, by their Python names or ``preset``."""
    return resolve_options(WHIST, msgspec.structs.replace(choices_type(WHIST)(), **choices))


def deck_for(hands: Sequence[Iterable[Card]], dealer: int, last: Card | None = None) -> tuple[Card, ...]:
    """The pack that deals seat *s* at least ``hands[s]`` and turns `last` up; the rest falls as it comes."""
    named = [list(hand) for hand in hands]
    free = [card for card in PACK if not any(card in hand for hand in named) and card is not last]
    random.Random(7).shuffle(free)
    if last is not None:
        named[dealer] = [card for card in named[dealer] if card is not last]
    for seat, hand in enumerate(named):
        size = 12 if seat == dealer and last is not None else 13
        hand += [free.pop() for _ in range(size - len(hand))]
    if last is not None:
        named[dealer].append(last)
    return tuple(named[(dealer + 1 + index) % 4][index // 4] for index in range(52))


def dealt(
    hands: Sequence[Iterable[Card]] = ((), (), (), ()), dealer: int = 3, last: Card | None = None, **choices: Any
) -> WhistState:
    """A state just dealt."""
    chosen = options(**choices)
    setup = Setup(options=chosen, chance="deck", deck=deck_for(hands, dealer, last), dealer=dealer)
    return begin(WHIST, setup).state


def played(state: WhistState, words: str) -> WhistState:
    """The state after these cards were played in turn."""
    for card in cards(words):
        state = play(WHIST, state, Play(card)).state
        admit(WHIST, state)
    return state


def legal_cards(state: WhistState, seat: int | None = None) -> set[str]:
    """The cards a seat may play."""
    moves = (entry.move for entry in legal_moves(WHIST, state, seat, Query()).moves)
    return {str(move.card) for move in moves if isinstance(move, Play)}


def play_out(state: WhistState, seed: int = 0) -> WhistState:
    """The state once its deal is played to the end, at random."""
    rng = random.Random(seed)
    while state.phase == "play":
        move: Move = rng.choice(legal_moves(WHIST, state, None, Query()).moves).move
        state = play(WHIST, state, move).state
    return state


def one_suit_each(dealer: int = 3, **choices: Any) -> WhistState:
    """Every seat is dealt a whole suit: 0 spades, 1 hearts, 2 diamonds, 3 clubs, which are trumps (dealer 3)."""
    suits = [[card for card in PACK if card.suit == suit] for suit in "SHDC"]
    last = suits[dealer][-1]
    return dealt(suits, dealer=dealer, last=last, **choices)


def tell(hands: Sequence[str], turned: str | None = None) -> Deal:
    """A deal told by the caller; an empty hand is one not seen."""
    told = tuple(Hand(cards(words), 0) if words else Hand((), 13) for words in hands)
    return Deal(hands=told, turned=Card(turned) if turned else None)
