"""States and views of Wippen that cannot have come about, each refused with the path of its fault."""

import os
import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.cards import Card
from engine.events import Captured, Dealt, Redealt, Trailed
from engine.game import SPECTATOR, FreeAction, Query, Setup, Turn, admit, judge, legal_moves, play, view
from engine.games.wippen import WIPPEN, WippenScore, WippenState
from engine.moves import Capture, Hand, Trail
from engine.violations import ImpossibleState, Refusal, UnsupportedRuleset
from tests.engine.wippen.positions import EVERYTHING, build, cards, options, position, started


def plays(state: WippenState, number: int, seed: int = 3) -> WippenState:
    rng = random.Random(seed)
    for _ in range(number):
        state = play(WIPPEN, state, rng.choice(legal_moves(WIPPEN, state, None, EVERYTHING).moves).move).state
    return state


def mid_round(**choices: Any) -> WippenState:
    return plays(started(seed="mid", **choices), 20)


def played_out(**choices: Any) -> WippenState:
    state = started(seed="out", **choices)
    while state.score_before is None:
        state = plays(state, 1)
    return state


def set_up() -> WippenState:
    return position("5C 7D", "2H KS", ["8 of 1: 5D 3C"])


def with_hand(state: WippenState, seat: int, hand: Hand) -> WippenState:
    return replace(state, hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]))


def with_heap(state: WippenState, seat: int, heap: Hand) -> WippenState:
    return replace(state, heaps=(*state.heaps[:seat], heap, *state.heaps[seat + 1 :]))


def with_build(words: str, **changes: Any) -> WippenState:
    return replace(set_up(), builds=(replace(build(words), **changes),))


def past(state: WippenState) -> tuple[Any, ...]:
    assert state.past is not None
    return state.past


def swapped_in_past() -> WippenState:
    """The first two cards that were dealt to seats 0 and 1 are the other way round."""
    state = mid_round()
    first = past(state)[0]
    one, other = first.hands[0].cards, first.hands[1].cards
    hands = (Hand((other[0], *one[1:])), Hand((one[0], *other[1:])), *first.hands[2:])
    return replace(state, past=(replace(first, hands=hands), *past(state)[1:]))


def lays_instead() -> WippenState:
    """The first capture of the past is told as a card laid."""
    state = mid_round()
    at = next(at for at, event in enumerate(past(state)) if isinstance(event, Captured))
    event = past(state)[at]
    return replace(state, past=(*past(state)[:at], Trailed(event.seat, event.card), *past(state)[at + 1 :]))


def names_a_build_twice() -> WippenState:
    """The first capture of the past took, it says, a build, and the same one again (WI-18)."""
    state = mid_round()
    at = next(at for at, event in enumerate(past(state)) if isinstance(event, Captured))
    twice = replace(past(state)[at], builds=(1, 1))
    return replace(state, past=(*past(state)[:at], twice, *past(state)[at + 1 :]))


def renumbered() -> WippenState:
    state = mid_round()
    events = [replace(event, number=9) if isinstance(event, Redealt) else event for event in past(state)]
    return replace(state, past=tuple(events))


def options_of(state: WippenState, **choices: Any) -> WippenState:
    return replace(state, options=options(choices))


Doctored = tuple[str, Callable[[], WippenState]]
FAULTS: dict[str, Doctored] = {
    "a card twice in a hand": ("$.hands[0].cards[1]", lambda: with_hand(set_up(), 0, Hand(cards("5C 5C")))),
    "a card of the pot in a hand": ("$.layout[0]", lambda: with_hand(set_up(), 0, Hand(cards("5C 2H")))),
    "a card of a build in the pot": (
        "$.builds[0].groups[0][1]",
        lambda: replace(set_up(), layout=cards("3C KS"), stock=Hand((Card("2H"), *set_up().stock.cards[1:]))),
    ),
    "a card in two heaps": ("$.heaps[1].cards[0]", lambda: with_heap(set_up(), 0, Hand(set_up().heaps[1].cards[:2]))),
    "a card missing": ("$.stock", lambda: replace(set_up(), stock=Hand(set_up().stock.cards[1:]))),
    "a card too few in heaps": ("$", lambda: with_heap(set_up(), 1, Hand(set_up().heaps[1].cards[1:]))),
    "five cards in a hand": ("$.hands", lambda: with_hand(started(), 0, Hand(started().stock.cards[:5]))),
    "a hand too short": ("$.hands", lambda: with_hand(set_up(), 2, Hand(set_up().hands[2].cards[:1]))),
    "hidden cards in a full state": ("$.hands[1].hidden", lambda: with_hand(set_up(), 1, Hand((), 2))),
    "a hidden stock in a full state": ("$.stock.hidden", lambda: replace(set_up(), stock=Hand((), 24))),
    "a removed card": (
        "$.hands[0].cards[0]",
        lambda: with_hand(position("5C 7D", places=5, deals=1), 0, Hand(cards("KS 7D"))),
    ),
    "too many places": (
        "$.hands",
        lambda: replace(set_up(), hands=(*set_up().hands, *[Hand(set_up().hands[1].cards)] * 4)),
    ),
    "a seat taken twice": ("$.seating", lambda: replace(set_up(), seating=((0,), (0,), (2,)))),
    "a dealer who is not there": ("$.dealer", lambda: replace(set_up(), dealer=7)),
    "a last taker who is not there": ("$.lastTaker", lambda: replace(set_up(), last_taker=9)),
    "an owner who is not there": ("$.builds[0].owner", lambda: with_build("8 of 7: 5D 3C")),
    "heaps of others": ("$.heaps", lambda: replace(set_up(), heaps=(*set_up().heaps, Hand()))),
    "too few counts of wips": ("$.wips", lambda: replace(set_up(), wips=(0, 0))),
    "points of others": ("$.score.points", lambda: replace(set_up(), score=WippenScore(points=(0, 0)))),
    "a build that does not add up": ("$.builds[0].groups[0]", lambda: with_build("9 of 1: 5D 3C")),
    "a build of one card": (
        "$.builds[0].groups",
        lambda: replace(
            set_up(),
            builds=(build("5: 5D"),),
            heaps=(Hand(), Hand((Card("3C"), *set_up().heaps[1].cards)), Hand()),
        ),
    ),
    "a build with a picture": (
        "$.builds[0].groups[0]",
        lambda: replace(with_build("8 of 1: 5D 3C", groups=(cards("KS 5D 3C"),)), layout=cards("2H")),
    ),
    "a build above ten": (
        "$.builds[0].value",
        lambda: with_build("8 of 1: 5D 3C", value=11),
    ),
    "three groups where two are the most": (
        "$.builds[0].groups",
        lambda: options_of(position("8D 2C", "", ["8 of 0: 5D 3C / 8H / 6S 2H"], maxGroups=0)),
    ),
    "a double build where none is agreed": (
        "$.builds[0].groups",
        lambda: options_of(position("8D 2C", "", ["8 of 0: 5D 3C / 8H"]), doubleBuilding=False),
    ),
    "a double build of a picture's value": (
        "$.builds[0].groups",
        lambda: with_picture_values(position("KD 2C", "", ["10 of 1: 5D 5C"], pictureValues=True)),
    ),
    "a build where none is agreed": ("$.builds[0]", lambda: options_of(set_up(), building=False)),
    "builds out of order": (
        "$.builds",
        lambda: replace(two_builds(), builds=two_builds().builds[::-1]),
    ),
    "an owner without a card of the value": ("$.hands[1]", lambda: exchanged_with_stock(set_up(), 1)),
    "two builds to see to at once": ("$.builds", lambda: options_of(two_builds())),
    "two builds of one value and one card, one group at a time": (
        "$.hands[0]",
        lambda: options_of(
            position("8D 2C", "", ["8 of 0: 5D 3C", "8 of 0: 6S 2H"], buildObligation="noTrail"),
            buildObligation="noTrail",
            multiCapture="single",
        ),
    ),
    "a heap of one card": (
        "$.heaps[0]",
        lambda: with_heap(
            with_heap(set_up(), 1, Hand(set_up().heaps[1].cards[1:])), 0, Hand(set_up().heaps[1].cards[:1])
        ),
    ),
    "more wips than captures": ("$.wips[1]", lambda: replace(set_up(), wips=(0, 40, 0))),
    "wips where none are agreed": (
        "$.wips",
        lambda: replace(position("5C 7D", "2H", wips=False), wips=(0, 1, 0)),
    ),
    "wips though there is one deal": (
        "$.wips",
        lambda: replace(position("5C 7D", "2H", places=12), wips=(0, 1, *(0,) * 10)),
    ),
    "heaps that nobody took": ("$.lastTaker", lambda: replace(set_up(), last_taker=None)),
    "a last taker without a heap": ("$.lastTaker", lambda: replace(set_up(), last_taker=2)),
    "the wrong phase": ("$.phase", lambda: replace(set_up(), phase="deal")),
    "the wrong turn": ("$.toAct", lambda: replace(set_up(), to_act=Turn(1, 1))),
    "nobody's turn": ("$.toAct", lambda: replace(set_up(), to_act=None)),
    "a free action": ("$.mayAlso", lambda: replace(set_up(), may_also=(FreeAction(0, ("claim",)),))),
    "a deal too many": ("$.deals", lambda: replace(set_up(), deals=9)),
    "deals of no round": ("$.deals", lambda: replace(set_up(), rounds=0)),
    "cards before the first round": (
        "$.rounds",
        lambda: replace(played_out(), rounds=0, deals=0, score_before=None),
    ),
    "a second round without points": (
        "$.rounds",
        lambda: replace(position("5C 7D", "2H", points=False), rounds=2),
    ),
    "no seed": ("$.seed", lambda: replace(set_up(), seed=None)),
    "a seed where the caller tells": ("$.seed", lambda: replace(set_up(), chance="caller")),
    "a deck after it was dealt": (
        "$.deck",
        lambda: replace(set_up(), chance="deck", seed=None, deck=set_up().stock.cards),
    ),
    "a score in the first round": ("$.score", lambda: replace(set_up(), score=WippenScore(points=(1, 0, 0)))),
    "a match that was over": (
        "$.score.points",
        lambda: replace(set_up(), rounds=9, score=WippenScore(points=(60, 0, 0))),
    ),
    "more points than rounds give": (
        "$.score.points",
        lambda: replace(set_up(), rounds=2, score=WippenScore(points=(40, 0, 0))),
    ),
    "points carried that are not": (
        "$.score.carriedCards",
        lambda: replace(set_up(), rounds=2, score=WippenScore(points=(4, 0, 0), carried_cards=2)),
    ),
    "an odd number of points carried": (
        "$.score.carriedSpades",
        lambda: replace(
            position("5C 7D", "2H", tie="carry"), rounds=3, score=WippenScore(points=(4, 0, 0), carried_spades=3)
        ),
    ),
    "a round not yet played out that is counted": (
        "$.scoreBefore",
        lambda: replace(set_up(), score_before=WippenScore(points=(0, 0, 0))),
    ),
    "a round played out that is not counted": (
        "$.scoreBefore",
        lambda: replace(played_out(), score_before=None),
    ),
    "a score that does not add up": (
        "$.score",
        lambda: replace(played_out(), score=WippenScore(points=(1, 0, 0))),
    ),
    "options that contradict each other": (
        "$.options.raising",
        lambda: replace(started(), options=replace(started().options, building=False)),
    ),
    "a number of places without a plan": (
        "$.hands",
        lambda: replace(started(places=8, packs=2), options=options()),
    ),
    "a history in a full state": ("$.history", lambda: replace(set_up(), history=())),
    "a past in a view": ("$.past", lambda: replace(view(WIPPEN, mid_round(), 0), past=())),
    "a past that is cut short": ("$.past", lambda: replace(mid_round(), past=past(mid_round())[:-1])),
    "a past without its deal": ("$.past", lambda: replace(mid_round(), past=past(mid_round())[1:])),
    "a past that was dealt otherwise": ("$.past", swapped_in_past),
    "a past in which a card is laid that could capture": ("$.past", lays_instead),
    "a past whose deals are numbered otherwise": ("$.past", renumbered),
    "a past before the first round": (
        "$.past",
        lambda: replace(undealt(), past=past(mid_round())),
    ),
    "a past of another dealer": (
        "$.past[0]",
        lambda: replace(mid_round(), past=(replace(past(mid_round())[0], dealer=0), *past(mid_round())[1:])),
    ),
    "a past with other events": (
        "$.past",
        lambda: replace(mid_round(), past=(*past(mid_round()), Dealt(2, mid_round().hands, layout=mid_round().layout))),
    ),
    "a view that hides its own hand": (
        "$.hands[0].hidden",
        lambda: with_hand(view(WIPPEN, set_up(), 0), 0, Hand((), 2)),
    ),
    "a view that hides a hand that lies open": (
        "$.hands[1].hidden",
        lambda: with_hand(view(WIPPEN, started(openHands=True), 0), 1, Hand((), 4)),
    ),
    "a view of more than its viewer sees": (
        "$.hands[1].cards",
        lambda: replace(view(WIPPEN, set_up(), 0), hands=set_up().hands),
    ),
    "a view that sees the stock": ("$.stock.cards", lambda: replace(view(WIPPEN, set_up(), 0), stock=set_up().stock)),
    "a view that sees into heaps": (
        "$.heaps",
        lambda: replace(view(WIPPEN, mid_round(), 0), heaps=mid_round().heaps),
    ),
    "a view of nobody": ("$.viewer", lambda: replace(view(WIPPEN, set_up(), 0), viewer=7)),
    "a view with a seed": ("$.seed", lambda: replace(view(WIPPEN, set_up(), 0), seed="x")),
    "a capture of a build that names it twice": ("$.past", names_a_build_twice),
    "a view with a history that was not": (
        "$.history",
        lambda: replace(view(WIPPEN, mid_round(), 0), history=view(WIPPEN, mid_round(), 1).history),
    ),
}


def undealt() -> WippenState:
    return WIPPEN.start(Setup(options=options(), places=3, chance="seed", seed="x"))


def exchanged_with_stock(state: WippenState, seat: int) -> WippenState:
    """The hand has other cards, low ones of the stock, and the stock has its."""
    held = state.hands[seat].cards
    low = [card for card in state.stock.cards if card[0] in "23456"][: len(held)]
    stock = [*held, *(card for card in state.stock.cards if card not in low)]
    return replace(with_hand(state, seat, Hand(tuple(low))), stock=Hand(tuple(stock)))


def two_builds() -> WippenState:
    return position("8D 9C", "", ["8 of 0: 5D 3C", "9 of 0: 6S 3H"], buildObligation="noTrail")


def with_picture_values(state: WippenState) -> WippenState:
    """The build becomes a double one of eleven, of ten and an ace twice; other cards fill their places."""
    groups = (cards("TS AS"), cards("TH AH"))
    gone = [card for group in groups for card in group]
    fill = [*cards("5D 5C"), *(card for card in state.heaps[1].cards if card not in gone)]
    stock = [card if card not in gone else fill.pop() for card in state.stock.cards]
    hands = [Hand(tuple(card if card not in gone else fill.pop() for card in hand.cards)) for hand in state.hands]
    doubled = replace(state.builds[0], value=11, owner=None, groups=groups)
    return replace(
        state,
        hands=tuple(hands),
        stock=Hand(tuple(stock)),
        builds=(doubled,),
        heaps=(Hand(), Hand(tuple(fill)), Hand()),
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_impossible(fault: str) -> None:
    path, doctored = FAULTS[fault]
    with pytest.raises(ImpossibleState) as refused:
        admit(WIPPEN, doctored())
    assert refused.value.path.startswith(path), refused.value.path


def test_the_doctored_states_are_possible_before() -> None:
    for state in (set_up(), mid_round(), played_out(), two_builds(), undealt()):
        admit(WIPPEN, state)


def test_a_heap_has_no_order() -> None:
    """Its cards told the other way round, the round is played out and counted, and is still possible (WI-12, WI-25)."""
    state = mid_round()
    while max(sum(card[0] == "A" for card in heap.cards) for heap in state.heaps) < 2:
        state = plays(state, 1)
    assert state.score_before is None
    state = replace(state, heaps=tuple(Hand(heap.cards[::-1]) for heap in state.heaps))
    admit(WIPPEN, state)
    while state.score_before is None:
        state = plays(state, 1)
    admit(WIPPEN, state)


def test_an_unknown_ruleset_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedRuleset, match="ruleset 7"):
        admit(WIPPEN, replace(set_up(), ruleset=7))


def reached() -> list[dict[str, Any]]:
    states = [mid_round(), played_out(), set_up(), started(openHands=True), mid_round(buildObligation="none")]
    states += [mid_round(packs=2, pictureValues=True, buildInSum="all", maxGroups=0), undealt()]
    states += [view(WIPPEN, state, viewer) for state in states for viewer in (0, SPECTATOR)]
    return [msgspec.json.decode(msgspec.json.encode(state)) for state in states]


REACHED = reached()
EXAMPLES = int(os.environ.get("WIPPEN_DOCTORED", "300"))
"""Doctored states in a run; more where this variable says so."""


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(deeper for key, each in inner for deeper in places(each, (*path, key)))]


def exchanged(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = exchanged(value[path[0]], path[1:], new)
    return copy


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.data())
def test_a_state_changed_anywhere_is_possible_or_refused_but_never_fails(data: st.DataObject) -> None:
    """Whatever decodes is judged, listed, scored, played and viewed, or refused; nothing else is raised."""
    changed = data.draw(st.sampled_from(REACHED))
    for _ in range(data.draw(st.integers(1, 3))):
        everywhere = places(changed)
        path = data.draw(st.sampled_from(everywhere))
        other = data.draw(st.sampled_from(everywhere))
        donor: Any = changed
        for key in other:
            donor = donor[key]
        scalars = st.one_of(
            st.integers(-2, 60), st.none(), st.booleans(), st.sampled_from(["AS", "2C", "play", "over", "none"])
        )
        changed = exchanged(changed, path, data.draw(st.one_of(st.just(donor), scalars)))
    try:
        state = msgspec.convert(changed, WippenState)
    except msgspec.ValidationError:
        return
    try:
        admit(WIPPEN, state)
        rng = random.Random(1)
        for seat in range(len(state.hands)):
            for tier in ("groups", "shapes"):
                legal_moves(WIPPEN, state, seat, Query(limit=20, tier=tier))
            answer = legal_moves(WIPPEN, state, seat, Query(explain=True, limit=20))
            for entry in rng.sample(answer.moves, min(3, len(answer.moves))):
                admit(WIPPEN, play(WIPPEN, state, entry.move, seat).state)
            for move in (Trail(Card("7S")), Capture(Card("7S"), cards("7D 3C"), (1, 2))):
                judge(WIPPEN, state, move, seat)
        WIPPEN.sheet(state, None)
        view(WIPPEN, state, SPECTATOR)
    except Refusal:
        return
