"""Which states and views of Le Wipe are refused as impossible; and nothing a caller sends makes the engine fail."""

import random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from engine.cards import PACK, AnyCard, Card
from engine.events import Dealt, Redealt, Trailed, WipeEntered
from engine.game import HOST, SPECTATOR, FreeAction, Query, Setup, Turn, admit, begin, judge, legal_moves, play, view
from engine.games.wipe import WIPE, WipeCarry, WipeHeap, WipeOptions, WipeScore, WipeState, WipeTally
from engine.games.wipe.table import PLACES
from engine.moves import Announce, Build, Capture, Close, Deal, Extend, Hand, Move, Raise, Strike, Trail
from engine.violations import ImpossibleState, Reason, Refusal
from tests.engine import kit
from tests.engine.wipe.positions import after, build, cards, dealt, heap, options, position, trail_out, trick
from tests.engine.wipe.test_kit import SUBJECT


def plain(**given: Any) -> WipeState:
    """A position that is possible."""
    chosen: dict[str, Any] = {"heaps": {1: heap("8D 3C 5H")}, "builds": [build(1, 9, "5S 4S")], **given}
    return position("7C 2D", "7H QD", **chosen)


def seeded(places: int = 2, **choices: Any) -> WipeState:
    return begin(WIPE, Setup(options=options(**choices), places=places, chance="seed", seed="check")).state


def refused_at(state: WipeState, path: str, reason: Reason | None = None) -> None:
    with pytest.raises(ImpossibleState) as refused:
        admit(WIPE, state)
    assert refused.value.path == path
    assert reason is None or refused.value.reason is reason


PLAIN = plain()
MUTATIONS: dict[str, tuple[dict[str, Any], str]] = {
    "options that contradict": (
        {"options": WipeOptions(steal=False, steal_alone=False)},
        "$.options.stealAlone",
    ),
    "five hands": ({"hands": (Hand(),) * 5}, "$.hands"),
    "a seat taken twice": ({"seating": ((0,), (0,))}, "$.seating"),
    "a place without a seat": ({"seating": ((0, 1), ())}, "$.seating"),
    "a dealer who is not there": ({"dealer": 2}, "$.dealer"),
    "another number of heaps": ({"heaps": PLAIN.heaps[:1]}, "$.heaps"),
    "another number of wipe accounts": ({"wipes": (WipeTally(),)}, "$.wipes"),
    "another number of scores": ({"score": WipeScore(points=(0, 0, 0))}, "$.score.points"),
    "a seed although the caller gave a deck": ({"seed": "x"}, "$.seed"),
    "no seed although there must be one": ({"chance": "seed"}, "$.seed"),
    "a deck after the deal": ({"deck": PACK}, "$.deck"),
    "more deals than there are": ({"deals": 6, "hands": PLAIN.hands, "options": options(), "rounds": 3}, "$.rounds"),
    "a deal of no round": ({"rounds": 0}, "$.deals"),
    "a hand too large": ({"hands": (Hand(cards("7C 2D 9D")), PLAIN.hands[1])}, "$.hands[0]"),
    "a hidden card in a full state": (
        {"hands": (PLAIN.hands[0], Hand(PLAIN.hands[1].cards[:1], 1))},
        "$.hands[1].hidden",
    ),
    "a stock too small": ({"stock": Hand(PLAIN.stock.cards[:-1])}, "$.stock"),
    "a card twice": ({"layout": cards("7H 7C")}, "$.layout[1]"),
    "a card missing": ({"layout": cards("7H")}, "$.layout"),
    "two builds of one number": (
        {"builds": (build(1, 5, "5S"), build(1, 4, "4S"))},
        "$.builds[0].id",
    ),
    "a build owned by nobody there": ({"builds": (build(1, 9, "5S 4S", owner=5),)}, "$.builds[0].owner"),
    "a build of another value": ({"builds": (build(1, 8, "5S 4S"),)}, "$.builds[0].groups[0]"),
    "a double build": ({"builds": (build(1, 5, "5S/4S"),)}, "$.builds[0].groups"),
    "a trick in another's heap": (
        {"heaps": (PLAIN.heaps[0], WipeHeap(tricks=(trick("8D 3C 5H", 0),)))},
        "$.heaps[1].tricks[0].seat",
    ),
    "a trick without its capturing card": (
        {"heaps": (PLAIN.heaps[0], WipeHeap(tricks=(replace(trick("8D 3C 5H"), by=Card("7D")),)))},
        "$.heaps[1].tricks[0].by",
    ),
    "a trick that does not add up": (
        {"heaps": (PLAIN.heaps[0], WipeHeap(tricks=(replace(trick("8D 3C 5H"), by=Card("3C")),)))},
        "$.heaps[1].tricks[0].cards",
    ),
    "an uncrossed trick where all are crossed": (
        {"heaps": (PLAIN.heaps[0], WipeHeap(tricks=(trick("8D 3C 5H", crossed=False),)))},
        "$.heaps[1].tricks[0].crossed",
    ),
    "cards left over in mid-round": (
        {"heaps": (replace(PLAIN.heaps[0], closed=(), rest=PLAIN.heaps[0].closed), PLAIN.heaps[1])},
        "$.heaps[0].rest",
    ),
    "nobody took and yet there are heaps": ({"last_taker": None}, "$.lastTaker"),
    "the last trick is not the last taker's": ({"last_taker": 5}, "$.lastTaker"),
    "the last card took, but another's": ({"just_took": True, "last_taker": 0}, "$.justTook"),
    "more struck than made": ({"wipes": (WipeTally(struck=1), WipeTally())}, "$.wipes[0].struck"),
    "a missed wipe that costs nothing": ({"wipes": (WipeTally(missed=1), WipeTally())}, "$.wipes[0].missed"),
    "a mistaken wipe that costs nothing": ({"wipes": (WipeTally(mistaken=1), WipeTally())}, "$.wipes[0].mistaken"),
    "more wipes than captures": ({"wipes": (WipeTally(made=53), WipeTally())}, "$.wipes[0]"),
    "a penalty for a last deal not reached": ({"wipes": (WipeTally(unannounced=1), WipeTally())}, "$.wipes"),
    "a last deal announced before": ({"announced": True}, "$.announced"),
    "points before the first round is over": ({"score": WipeScore(points=(1, 0))}, "$.score.points"),
    "points carried that nobody carries": (
        {"score": WipeScore(points=(0, 0), carried=WipeCarry(cards=2))},
        "$.score.points",
    ),
    "a settled round in mid-round": ({"score_before": PLAIN.score}, "$.scoreBefore"),
    "another phase": ({"phase": "deal"}, "$.phase"),
    "another turn": ({"to_act": Turn(1, 1)}, "$.toAct"),
    "nobody's turn": ({"to_act": None}, "$.toAct"),
    "free actions that are not open": ({"may_also": (FreeAction(0, ("close",)),)}, "$.mayAlso"),
    "a history in a full state": ({"history": ()}, "$.history"),
    "a viewer who is not there": ({"viewer": 5}, "$.viewer"),
    "a view that does not see its own hand": (
        {"viewer": 0, "hands": (Hand((), 2), PLAIN.hands[1]), "stock": Hand((), len(PLAIN.stock))},
        "$.hands[0].hidden",
    ),
    "a view that sees the stock": ({"viewer": 0}, "$.stock.cards"),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_what_cannot_have_come_about(name: str) -> None:
    admit(WIPE, PLAIN)
    changes, path = MUTATIONS[name]
    state = replace(PLAIN, **changes)
    with pytest.raises(ImpossibleState) as refused:
        admit(WIPE, state)
    assert refused.value.path == path


def test_options_that_shape_what_can_lie_there() -> None:
    no_builds = replace(PLAIN, options=replace(PLAIN.options, building=False))
    refused_at(no_builds, "$.builds")
    tall = replace(PLAIN, options=replace(PLAIN.options, raising=False), builds=(build(1, 9, "5S 3S AS"),))
    with pytest.raises(ImpossibleState):
        admit(WIPE, tall)
    resolve = position("7C 2D", "7H", builds=[build(1, 9, "5S 4S", owner=None)], build_obligation="resolve")
    refused_at(replace(resolve, builds=(build(1, 9, "5S 4S", owner=0),)), "$.hands[0]")


def test_two_builds_of_one_owner_cannot_both_be_due() -> None:
    state = position(
        "9C 2D", "7H", builds=[build(1, 9, "5S 4S", owner=None), build(2, 9, "8S AS")], build_obligation="none"
    )
    due = replace(state.options, build_obligation="resolve")
    twice = (build(1, 9, "5S 4S", owner=0), build(2, 9, "8S AS", owner=0))
    refused_at(replace(state, options=due, builds=twice), "$.builds")


def test_a_settled_round_has_the_score_its_heaps_make() -> None:
    state = position("KS", "AD 9S", heaps={1: heap("QS QH")}, deal=6, last_taker=1, others={1: "KD"})
    state = after(state, "trail KS", "trail KD")
    admit(WIPE, state)
    refused_at(replace(state, score=WipeScore(points=(0, 13))), "$.score")
    refused_at(replace(state, score_before=None), "$.scoreBefore")
    unsettled = replace(state, heaps=(state.heaps[0], replace(state.heaps[1], rest=())), layout=state.heaps[1].rest)
    refused_at(unsettled, "$.layout")


def test_closed_cards_have_a_complete_set_among_them() -> None:
    state = position("7C 2D", "7H", heaps={1: heap(closed="QS QH QD QC 3S")})
    assert state.heaps[1].closed
    queens = [card for card in state.heaps[1].closed if card is not Card("QC")]
    broken = (state.heaps[0], WipeHeap(closed=(*queens, *cards("KS"))))
    with pytest.raises(ImpossibleState):
        admit(WIPE, replace(state, heaps=broken))


def test_an_uncrossed_trick_is_of_a_seat_whose_turn_has_not_come() -> None:
    state = position("9H 4S", "9S KC", heaps={0: heap("QS QH", seat=0)}, others={1: "9D 2D"}, crossing="declared")
    loose = WipeHeap(tricks=(trick("QS QH", 0, crossed=False),), closed=state.heaps[0].closed)
    refused_at(replace(state, heaps=(loose, state.heaps[1])), "$.heaps[0].tricks[0].crossed")


# --- the events of the round


def test_the_past_is_played_again() -> None:
    state = after(seeded(), f"trail {seeded().hands[0].cards[0]}")
    admit(WIPE, state)
    assert state.past is not None
    laid = state.past[1]
    assert isinstance(laid, Trailed)
    other = next(card for card in state.hands[0].cards if card is not laid.card)
    refused_at(replace(state, past=state.past[:1]), "$.hands[0]")
    refused_at(replace(state, past=(state.past[0], Trailed(0, other))), "$.hands[0]")
    refused_at(replace(state, past=(state.past[0], Trailed(1, laid.card))), "$.past[1]")
    refused_at(replace(state, past=(state.past[0], Trailed(7, laid.card))), "$.past[1].seat")
    refused_at(replace(state, past=(state.past[0], laid, WipeEntered(0, "made", 2))), "$.past")
    refused_at(replace(state, past=()), "$.past")
    refused_at(replace(state, past=state.past[1:]), "$.past")
    refused_at(replace(seeded(), past=(*state.past[:1], Redealt(2, state.hands))), "$.past[1]")
    dealt_to_another = replace(state.past[0], dealer=0)
    refused_at(replace(state, past=(dealt_to_another, laid)), "$.past[0]")


def test_a_state_without_a_past_is_a_position_and_its_views_have_no_history() -> None:
    state = replace(seeded(), past=None)
    admit(WIPE, state)
    assert view(WIPE, state, 0).history is None
    played = play(WIPE, view(WIPE, state, 0), Trail(state.hands[0].cards[0])).state
    assert played.history is None
    admit(WIPE, played)


def test_a_view_s_history_is_played_again() -> None:
    state = after(seeded(), f"trail {seeded().hands[0].cards[0]}")
    seen = view(WIPE, state, 1)
    assert seen.history is not None
    for viewer in (0, 1, SPECTATOR):
        admit(WIPE, view(WIPE, state, viewer))
    refused_at(replace(seen, history=seen.history[:1]), "$.hands[0]")
    refused_at(replace(seen, past=seen.history), "$.past")
    refused_at(replace(seen, history=(replace(seen.history[0], layout=None), *seen.history[1:])), "$.history")


def test_a_builder_s_hand_is_known_to_hold_the_value() -> None:
    """Seat 1 sees seat 0 build five and then lay down its last card: it must have been a five."""
    hands = ("5S 2D KS KH", "3H 9C QD QH")
    deck = two_hands(hands, layout="3S 7D JH JC")
    state = dealt(2, deck, dealer=1)
    state = after(state, "build 2D cards 3S value 5", "trail QD", "trail KS", "trail QH", "trail KH", "trail 9C")
    seen = view(WIPE, state, 1)
    assert [entry.text for entry in legal_moves(WIPE, seen, 0, Query()).moves] == [
        "capture 5S builds 1",
        "trail 5S",
        "capture 5H builds 1",
        "trail 5H",
        "capture 5D builds 1",
        "trail 5D",
        "capture 5C builds 1",
        "trail 5C",
    ]
    played = play(WIPE, seen, Trail(Card("5S"))).state
    admit(WIPE, played)
    assert played.history is not None
    lied = replace(
        played, history=(*played.history[:-1], Trailed(0, Card("6S"))), layout=swap(played.layout, "5S", "6S")
    )
    refused_at(lied, "$.history[7]")


def test_who_laid_down_under_forced_capture_held_nothing_that_captures() -> None:
    hands = ("5S 2D KS KH", "3H 9C QD QH")
    state = dealt(2, two_hands(hands, layout="7S 7D JH JC"), dealer=1, forced_capture="hand")
    state = after(state, "trail KS")
    seen = view(WIPE, state, 1)
    later = play(WIPE, seen, Trail(Card("QD"))).state
    possible = {entry.text.split()[1] for entry in legal_moves(WIPE, later, 0, Query(limit=1000)).moves}
    assert {"KH", "2D"} <= possible
    assert not {card for card in possible if card[0] in "7J"}
    lied = play(WIPE, later, Capture(Card("KH"), cards("KS"))).state
    admit(WIPE, lied)
    assert judge(WIPE, later, Capture(Card("7H"), cards("7S"))) is not None


def swap(layout: tuple[Card, ...], out: str, into: str) -> tuple[Card, ...]:
    return tuple(Card(into) if card == out else card for card in layout)


def two_hands(hands: tuple[str, str], layout: str) -> list[Card]:
    """The pack that deals seat 0 and seat 1, who deals, these hands, and lays these cards out."""
    first, second, middle = (list(cards(words)) for words in (*hands, layout))
    order = [*first[:2], *middle[:2], *second[:2], *first[2:], *middle[2:], *second[2:]]
    return order + [card for card in PACK if card not in order]


# --- whatever a caller sends


def mutated(value: Any, rng: random.Random) -> Any:
    """A JSON value with something in it changed, dropped, doubled, or put elsewhere."""
    if isinstance(value, dict) and value and rng.random() < 0.95:
        key = rng.choice(list(value))
        if rng.random() < 0.06:
            return {name: each for name, each in value.items() if name != key}
        return {**value, key: mutated(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        kind = rng.random()
        if kind < 0.1:
            return value[:at] + value[at + 1 :]
        if kind < 0.2:
            return [*value, rng.choice(value)]
        if kind < 0.25:
            return rng.sample(value, len(value))
        return [*value[:at], mutated(value[at], rng), *value[at + 1 :]]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([0, 1, 2, 3, 5, 7, value + 1, max(0, value - 1), 13, 17])
    if isinstance(value, str) and len(value) == 2:
        return str(rng.choice(PACK))
    return rng.choice(
        [None, [], 0, "play", "deal", "over", "hand", "noTrail", "any", "all", "declared", "player", "KS"]
    )


def states(rng: random.Random) -> list[WipeState]:
    """States and views along random matches."""
    found: list[WipeState] = [PLAIN, plain(crossing="declared", piles="player")]
    for name in list(SUBJECT.variants)[:: 1 + rng.randrange(3)]:
        state = begin(WIPE, kit.setup_of(SUBJECT, name, f"fuzz {rng.random()}")).state
        for _ in range(rng.randrange(60)):
            if state.to_act is None:
                break
            moves = legal_moves(WIPE, state, None, Query(limit=50)).moves
            state = play(WIPE, state, rng.choice(moves).move, state.to_act.seat).state
        found += [state, view(WIPE, state, rng.choice([0, 1, SPECTATOR]))]
    return found


def test_nothing_a_caller_sends_makes_the_engine_fail() -> None:
    rng = random.Random("whatever")
    asked = admitted = 0
    pool = [msgspec.to_builtins(state) for state in states(rng)]
    for _ in range(2500):
        body = rng.choice(pool)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            body = mutated(body, rng)
        try:
            state = msgspec.convert(body, WipeState)
        except msgspec.ValidationError:
            continue
        asked += 1
        try:
            admit(WIPE, state)
        except Refusal:
            continue
        admitted += 1
        used(state, rng)
    assert asked > 500
    assert admitted > 50


def used(state: WipeState, rng: random.Random) -> None:
    """Everything that can be asked of a state, with moves that need not make sense."""
    WIPE.sheet(state, None)
    for seat in range(len(state.hands)):
        for tier in ("moves", "groups", "shapes"):
            found = legal_moves(WIPE, state, seat, Query(limit=20, tier=tier, explain=True))
            for entry in found.moves[:3]:
                play(WIPE, state, entry.move, seat)
        for move in strange(rng):
            try:
                judge(WIPE, state, move, seat)
            except Refusal:
                continue
    if state.viewer is None:
        for viewer in (0, SPECTATOR):
            admit(WIPE, view(WIPE, state, viewer))


def strange(rng: random.Random) -> list[Move]:
    card, other = rng.choice(PACK), rng.choice(PACK)
    number = rng.randrange(1, 14)
    return [
        Trail(card),
        Capture(card, (other, other), (number,), (number,), ("wipe",), crossed=False, heaps=(number + 1,)),
        Capture(card, (other,), heaps=(0, 1)),
        Build(card, (other,), number),
        Build(card, (), number),
        Extend(card, number, (other,)),
        Raise(card, number, number, (other,)),
        Close(),
        Announce("lastDeal"),
        Strike(number),
        Deal(),
        Deal(deck=tuple(map(AnyCard, PACK))),
        Deal(hands=(Hand((card,), 3),) * 2, layout=(other,)),
        Deal(hands=(Hand((), 4),) * number, layout=PACK[:4]),
    ]


@pytest.mark.parametrize("places", PLACES)
def test_every_state_of_a_match_that_nobody_captures_in_is_possible(places: int) -> None:
    state = dealt(places, rounds=1)
    while state.phase != "over":
        state = trail_out(after(state, "deal") if state.phase == "deal" else state)
    assert judge(WIPE, state, Trail(Card("AS")), 0) is not None
    assert WIPE.refuse(state, Strike(0), HOST) is not None
    assert isinstance((state.past or ())[0], Dealt)
