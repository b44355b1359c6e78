"""Positions of Flip 7 for tests: whole, possible states around the few cards a test speaks of."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from engine.cards import AnyCard, FlipCard
from engine.events import Event
from engine.game import Outcome, Query, Setup, Turn, admit, begin, choices_type, legal_moves, play, resolve_options
from engine.games.flip7 import FLIP7, Flip7Deck, Flip7Options, Flip7Row, Flip7State
from engine.games.flip7.deck import COUNTS, DECK, in_deck_order
from engine.moves import Hand, parse

MID_MATCH = 4
"""A round by which even a single seat can have gone through the deck once."""


def cards(words: str) -> tuple[FlipCard, ...]:
    """``"12 +4 freeze"`` as cards."""
    return tuple(FlipCard(word) for word in words.split())


def options(**choices: Any) -> Flip7Options:
    """Resolved options, by their Python names or ``preset``."""
    return resolve_options(FLIP7, replace(choices_type(FLIP7)(), **choices))


def rest_of(seen: Iterable[FlipCard]) -> tuple[FlipCard, ...]:
    """The cards of the game that are not among these."""
    return in_deck_order((COUNTS - Counter(seen)).elements())


def dealing(words: str, seats: int = 3, dealer: int | None = None, **choices: Any) -> Flip7State:
    """A match begun with these cards on top of the deck, as far as it goes by itself."""
    return begun(words, seats, dealer, **choices).state


def begun(words: str, seats: int = 3, dealer: int | None = None, **choices: Any) -> Outcome[Flip7State]:
    """The same, with the events."""
    top = cards(words)
    setup = Setup(
        options=options(**choices),
        places=seats,
        dealer=dealer,
        chance="deck",
        deck=tuple(map(AnyCard, (*top, *rest_of(top)))),
    )
    return begin(FLIP7, setup)


def position(
    rows: Sequence[str],
    deck: str = "",
    *,
    turn: int = 0,
    dealer: int | None = None,
    out: dict[int, str] | None = None,
    rest: str = "deck",
    **choices: Any,
) -> Flip7State:
    """A round in the middle of a match, at the turn of a seat: these rows and the top of the deck.

    Seats that are `out` have that status. All other cards are under the deck, which was just made; with
    ``rest="discard"`` they are put aside, the deck is the first and given, and each card of the next must be told.
    """
    before = [Flip7Row(cards=cards(words)) for words in rows]
    for seat, status in (out or {}).items():
        before[seat] = replace(before[seat], status=status)
    top = cards(deck)
    others = rest_of([*top, *(card for row in before for card in row.cards)])
    seats = len(before)
    given = rest == "discard"
    state = Flip7State(
        ruleset=1,
        options=options(**choices),
        chance="deck" if given else "seed",
        seed=None if given else "position",
        phase="turns",
        seating=tuple((seat,) for seat in range(seats)),
        dealer=seats - 1 if dealer is None else dealer,
        to_act=Turn(turn, turn),
        hands=(Hand(),) * seats,
        round=MID_MATCH,
        shuffles=1 if given else 2,
        totals=(0,) * seats,
        rows=tuple(before),
        deck=Flip7Deck(cards=top if given else (*top, *others)),
        discard=others if given else (),
        turn=turn,
    )
    return admit(FLIP7, state)


def crowded(rows: Sequence[str], deck: str, **choices: Any) -> Flip7State:
    """Eighteen seats; all cards lie before them but for those of the deck named.

    The Flip Threes and Second Chances that are not on the deck are put aside. The seats after those named are out,
    those with a Freeze frozen.
    """
    named = [cards(words) for words in rows]
    put_aside = Counter(cards("flip3 flip3 flip3 second second second")) - Counter(cards(deck))
    lying = Counter(DECK) - put_aside - Counter(cards(deck)) - sum(map(Counter, named), Counter[FlipCard]())
    others: list[list[FlipCard]] = [[] for _ in range(18 - len(named))]
    for card in sorted(lying.elements(), key=lambda card: (card == "freeze", -COUNTS[card], card)):
        free = [each for each in others if card not in each and "freeze" not in each and len(each) < 6]
        min(free or others, key=len).append(card)
    out = {seat: "frozen" if "freeze" in each else "stayed" for seat, each in enumerate(others, len(named))}
    state = position([*rows, *map(" ".join, others)], out=out, **choices)
    put_aside_cards = in_deck_order(put_aside.elements())
    return admit(FLIP7, replace(state, deck=Flip7Deck(cards=cards(deck)), discard=put_aside_cards))


def after(state: Flip7State, *moves: str) -> Flip7State:
    """The state after these moves, each made by the seat to act or by the seat it begins with."""
    return told(state, *moves)[0]


def told(state: Flip7State, *moves: str) -> tuple[Flip7State, list[Event]]:
    """The same, with the events. Every state on the way is possible, and survives the wire."""
    events: list[Event] = []
    for words in moves:
        first, _, others = words.partition(" ")
        seat = int(first) if first.isdigit() else None
        outcome = play(FLIP7, state, parse(words if seat is None else others), seat)
        state = admit(FLIP7, outcome.state)
        assert msgspec.json.decode(msgspec.json.encode(state), type=Flip7State) == state
        assert len(state.deck) + len(state.discard) + on_the_table(state) == len(DECK)
        events += outcome.events
    return state, events


def on_the_table(state: Flip7State) -> int:
    """How many cards lie before seats or are being resolved."""
    pending = len(state.given) + (state.held is not None)
    pending += sum(len(each.set_aside) + (each.left > 0) for each in state.flip_threes)
    return pending + sum(len(row.cards) for row in state.rows)


def row(state: Flip7State, seat: int) -> str:
    """What lies before a seat, in deck order."""
    return " ".join(in_deck_order(state.rows[seat].cards))


def statuses(state: Flip7State) -> str:
    """``"active busted"``: each seat's status."""
    return " ".join(each.status for each in state.rows)


def choices(state: Flip7State, seat: int | None = None) -> set[str]:
    """The texts of the legal moves of a seat, by default the one to act."""
    return {entry.text for entry in legal_moves(FLIP7, state, seat, Query()).moves}


def acting(state: Flip7State) -> int | None:
    """The seat to act."""
    return None if state.to_act is None else state.to_act.seat
