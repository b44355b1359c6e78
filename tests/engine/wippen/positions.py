"""Positions of Wippen for tests: whole, possible states around the few cards a test speaks of."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from engine.cards import Card, in_order
from engine.game import Query, Setup, admit, begin, choices_type, judge, legal_moves, play, resolve_options
from engine.games.wippen import WIPPEN, WippenOptions, WippenScore, WippenState
from engine.games.wippen.plan import plan_of
from engine.mechanics.builds import LayoutBuild
from engine.mechanics.layout import value_of
from engine.moves import Hand, parse
from engine.violations import LANGUAGES, localised

EVERYTHING = Query(limit=100_000)
CHOICES = choices_type(WIPPEN)


def cards(words: str) -> tuple[Card, ...]:
    """``"AS TD"`` as cards."""
    return tuple(Card(word) for word in words.split())


def options(choices: Mapping[str, Any] | None = None) -> WippenOptions:
    """Resolved options, by the names callers use."""
    return resolve_options(WIPPEN, msgspec.convert(dict(choices or {}), CHOICES))


def build(words: str, number: int = 1) -> LayoutBuild:
    """A build from ``"8 of 1: 5D 3C / 8H"``: its value, its owner, its groups; ``"8: ..."`` has no owner."""
    head, _, groups = words.partition(":")
    value, _, owner = head.partition(" of ")
    return LayoutBuild(
        id=number,
        value=int(value),
        owner=int(owner) if owner else None,
        groups=tuple(cards(group) for group in groups.split("/")),
    )


def position(
    hand: str | Sequence[Card],
    layout: str | Sequence[Card] = "",
    builds: Iterable[str | LayoutBuild] = (),
    *,
    places: int | None = None,
    deals: int | None = None,
    others: Mapping[int, str] | None = None,
    **choices: Any,
) -> WippenState:
    """A state with seat 0 to play from this hand, the first of a round of turns; the rest falls as it comes.

    Other owners hold a card of their build's value; `others` names cards of other hands. Without `places` and `deals`
    it is the second deal of four.
    """
    chosen = options(choices)
    seats = places or (3 if chosen.packs == 1 else 6)
    plan = plan_of(chosen, seats)
    own = cards(hand) if isinstance(hand, str) else tuple(hand)
    lying = cards(layout) if isinstance(layout, str) else tuple(layout)
    made = tuple(each if isinstance(each, LayoutBuild) else build(each, at) for at, each in enumerate(builds, 1))
    number = deals or min(2, plan.deals)
    free = Counter(plan.cards)
    free.subtract((*own, *lying, *(card for each in made for card in each.cards)))
    hands: list[list[Card]] = [list(own), *([] for _ in range(seats - 1))]
    for seat, words in (others or {}).items():
        hands[seat] += cards(words)
        free.subtract(cards(words))
    for each in made:
        if each.owner and not any(value_of(card) == each.value for card in hands[each.owner]):
            holding = next(card for card in free if free[card] > 0 and value_of(card) == each.value)
            hands[each.owner].append(holding)
            free[holding] -= 1
    assert min(free.values()) >= 0, "a card is there too often"
    rest = sorted(free.elements(), key=lambda card: (card.number * 31) % 53)
    for held in hands[1:]:
        while len(held) < len(own):
            held.append(rest.pop())
    stock_size = len(plan.cards) - 4 - 4 * seats * number
    stock = tuple(rest[:stock_size])
    heap = rest[stock_size:]
    state = WippenState(
        ruleset=1,
        options=chosen,
        chance="seed",
        seed="positions",
        phase="play",
        seating=tuple((seat,) for seat in range(seats)),
        dealer=seats - 1,
        to_act={"seat": 0, "hand": 0},  # type: ignore[arg-type]
        hands=tuple(Hand(in_order(held)) for held in hands),
        rounds=1,
        deals=number,
        stock=Hand(stock),
        layout=lying,
        builds=made,
        heaps=tuple(Hand(tuple(heap) if seat == 1 else ()) for seat in range(seats)),
        last_taker=1 if heap else None,
        wips=(0,) * seats,
        score=WippenScore(points=(0,) * seats),
    )
    state = msgspec.json.decode(msgspec.json.encode(state), type=WippenState)
    admit(WIPPEN, state)
    return state


def legal(state: WippenState, seat: int | None = None) -> set[str]:
    """The texts of the legal moves; counted as many as they are listed."""
    answer = legal_moves(WIPPEN, state, seat, EVERYTHING)
    found = {entry.text for entry in answer.moves}
    assert answer.total == len(answer.moves) == len(found)
    return found


def verdict(state: WippenState, words: str, seat: int | None = None) -> str:
    """``"OK"``, or the code of the violation, which has its words in every language."""
    refused = judge(WIPPEN, state, parse(words), seat)
    if refused is None:
        return "OK"
    for language in LANGUAGES:
        assert "{" not in localised(refused, language).message
    return str(refused.code)


def clause(state: WippenState, words: str) -> str:
    """The clause that a refused move's violation cites."""
    refused = judge(WIPPEN, state, parse(words))
    assert refused is not None
    return refused.clause


def after(state: WippenState, *moves: str) -> WippenState:
    """The state these moves lead to, each found possible."""
    for words in moves:
        state = play(WIPPEN, state, parse(words)).state
        admit(WIPPEN, state)
    return state


def started(places: int = 3, seed: str = "wippen", dealer: int | None = None, **choices: Any) -> WippenState:
    """A match just dealt from a seed."""
    chosen = options(choices)
    return begin(WIPPEN, Setup(options=chosen, places=places, chance="seed", seed=seed, dealer=dealer)).state
