"""Positions of Le Wipe for tests: whole, possible states around the few cards a test speaks of."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from engine.cards import PACK, SUITS, Card, in_order
from engine.events import Event, WipeEntered
from engine.game import Query, Setup, admit, begin, choices_type, judge, legal_moves, play, resolve_options
from engine.games.wipe import WIPE, WipeHeap, WipeOptions, WipeScore, WipeState, WipeTally, WipeTrick
from engine.games.wipe.play import with_turn
from engine.games.wipe.table import CLOSING_RANKS, deal_sizes, heap_of, heaps_of, sides_of
from engine.mechanics.builds import LayoutBuild
from engine.moves import Capture, Hand, Move, parse
from engine.violations import Code

LISTED = Query(limit=100_000)


def cards(words: str) -> tuple[Card, ...]:
    """``"AS TD"`` as cards."""
    return tuple(Card(word) for word in words.split())


def options(**choices: Any) -> WipeOptions:
    """Resolved options, by their Python names."""
    return resolve_options(WIPE, msgspec.structs.replace(choices_type(WIPE)(), **choices))


def trick(words: str, seat: int = 1, *, crossed: bool = True) -> WipeTrick:
    """A trick, its capturing card first."""
    return WipeTrick(by=cards(words)[0], cards=cards(words), seat=seat, crossed=crossed)


def heap(*tricks: str, seat: int = 1, closed: str = "") -> WipeHeap:
    """A heap of one seat's tricks from the bottom up, each with its capturing card first."""
    return WipeHeap(tricks=tuple(trick(words, seat) for words in tricks), closed=cards(closed))


def build(number: int, value: int, words: str, owner: int | None = 1) -> LayoutBuild:
    """A build; a stroke parts its two groups."""
    return LayoutBuild(id=number, value=value, owner=owner, groups=tuple(cards(group) for group in words.split("/")))


def position(  # noqa: PLR0913 - what a test names of a position
    hand: str,
    layout: str = "",
    *,
    builds: Sequence[LayoutBuild] = (),
    heaps: Mapping[int, WipeHeap] | None = None,
    places: int = 2,
    deal: int | None = None,
    last_taker: int | None = None,
    just_took: bool = False,
    wipes: Mapping[int, WipeTally] | None = None,
    rounds: int = 1,
    stock: Sequence[Card] | None = None,
    others: Mapping[int, str] | None = None,
    match: int | None = None,
    **choices: Any,
) -> WipeState:
    """Seat 0 is to play with this hand, and the others hold as many cards.

    What is not named lies where it plays no part: in the other hands, the stock, and turned over on seat 0's heap.
    """
    chosen = replace(options(**choices), rounds=match or places)
    told = dict(heaps or {})
    piles = [told.get(index, WipeHeap()) for index in range(heaps_of(chosen, places))]
    held = cards(hand)
    named = {*held, *cards(layout), *(card for each in builds for card in each.cards)}
    named |= {card for each in piles for card in each.cards} | set(stock or ())
    named |= {card for words in (others or {}).values() for card in cards(words)}
    free = [card for card in PACK if card not in named]
    sizes = deal_sizes(places)
    out = (
        len(held)
        + len(cards(layout))
        + sum(len(each.cards) for each in builds)
        + sum(len(each.cards) for each in piles)
    )
    for number in [deal] if deal is not None else range(1, len(sizes) + 1):
        undealt = 48 - places * sum(sizes[:number])
        left = 52 - out - undealt - len(held) * (places - 1)
        shut = next((rank for rank in CLOSING_RANKS if all(Card(rank + suit) in free for suit in SUITS)), None)
        if left == 0 or (left >= 4 and shut is not None):
            break
    else:
        raise ValueError("no such position")
    closed = [Card((shut or "") + suit) for suit in SUITS] if left else []
    free = [card for card in free if card not in closed]
    closed += [free.pop() for _ in range(left - len(closed))]
    hands = [Hand(in_order(held))]
    for seat in range(1, places):
        own = list(cards((others or {}).get(seat, "")))
        own += [free.pop() for _ in range(len(held) - len(own))]
        hands.append(Hand(in_order(own)))
    piles[0] = replace(piles[0], closed=(*piles[0].closed, *closed))
    tallies = [(wipes or {}).get(side, WipeTally()) for side in range(sides_of(places))]
    state = WipeState(
        ruleset=1,
        options=chosen,
        chance="deck",
        phase="play",
        seating=tuple((seat,) for seat in range(places)),
        dealer=places - 1,
        to_act=None,
        hands=tuple(hands),
        rounds=rounds,
        deals=number,
        stock=Hand(tuple(stock) if stock is not None else tuple(free)),
        layout=cards(layout),
        builds=tuple(builds),
        heaps=tuple(piles),
        last_taker=_taker(chosen, piles, places) if last_taker is None else last_taker,
        just_took=just_took,
        wipes=tuple(tallies),
        score=WipeScore(points=(0,) * sides_of(places)),
    )
    late = chosen.last_deal_announcement == "auto" and number == len(sizes)
    state = with_turn(replace(state, announced=late))
    if number == len(sizes) and len(held) < sizes[-1] and not late:
        state = with_turn(replace(state, announced=True))
    admit(WIPE, state)
    return state


def _taker(chosen: WipeOptions, piles: Sequence[WipeHeap], places: int) -> int | None:
    for pile in piles:
        if pile.tricks:
            return pile.tricks[-1].seat
    for seat in range(places):
        if piles[heap_of(chosen, places, seat)].cards:
            return seat
    return None


def legal_texts(state: WipeState, seat: int | None = None) -> set[str]:
    """The texts of the legal moves; each is listed once."""
    found = legal_moves(WIPE, state, seat, LISTED)
    texts = [entry.text for entry in found.moves]
    assert found.total == len(texts) == len(set(texts))
    return set(texts)


def code_of(state: WipeState, words: str, seat: int | None = None) -> Code | None:
    """Why a move is refused, None where it is legal."""
    refused = judge(WIPE, state, parse(words), seat)
    return None if refused is None else refused.code


def clause_of(state: WipeState, words: str, seat: int | None = None) -> str | None:
    """The clause a refusal rests on."""
    refused = judge(WIPE, state, parse(words), seat)
    return None if refused is None else refused.clause


def after(state: WipeState, *words: str, seat: int | None = None) -> WipeState:
    """The state after these moves, each of which is possible."""
    for each in words:
        state = play(WIPE, state, parse(each), seat).state
        admit(WIPE, state)
    return state


def events_of(state: WipeState, words: str, seat: int | None = None) -> tuple[Event, ...]:
    """The events of a move."""
    return play(WIPE, state, parse(words), seat).events


def wipe_points(state: WipeState, words: str) -> tuple[int, ...]:
    """The points that a move enters in wipe accounts."""
    return tuple(event.points for event in events_of(state, words) if isinstance(event, WipeEntered))


def is_plain(move: Move) -> bool:
    """Whether a move has no manner: an announcement, or a word about crossing."""
    return not isinstance(move, Capture) or (not move.announce and move.crossed is None)


def dealt(places: int = 4, deck: Sequence[Card] | None = None, dealer: int | None = None, **choices: Any) -> WipeState:
    """A match just begun, of which the pack is known: by default in the order of `PACK`."""
    setup = Setup(options=options(**choices), places=places, chance="deck", deck=tuple(deck or PACK), dealer=dealer)
    return begin(WIPE, setup).state


def trail_out(state: WipeState) -> WipeState:
    """The state once everybody has laid down the cards of this deal, in the order held."""
    while state.phase == "play":
        assert state.to_act is not None
        state = after(state, f"trail {state.hands[state.to_act.seat].cards[0]}")
    return state


def trails(state: WipeState) -> set[str]:
    """The cards that may be laid down."""
    return {words.removeprefix("trail ") for words in legal_texts(state) if words.startswith("trail")}


def captures(state: WipeState) -> set[str]:
    """The captures that are legal, without their verb."""
    return {words.removeprefix("capture ") for words in legal_texts(state) if words.startswith("capture")}
