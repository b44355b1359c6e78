"""What a view knows: hands it does not see may play what they can hold, and nothing that the moves rule out."""

import os
import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from msgspec.structs import replace

from engine.cards import Card
from engine.events import Dealt, Event, LeftOver, Redealt
from engine.game import SPECTATOR, Query, Viewer, admit, judge, legal_moves, play, view
from engine.games.wippen import WIPPEN, WippenState
from engine.games.wippen.knowledge import unknown_cards
from engine.games.wippen.table import move_of
from engine.mechanics.holding import Covered, Facts, Known, can_be_filled
from engine.moves import Deal, Hand, parse
from engine.violations import ImpossibleState, Reason
from tests.engine.wippen.positions import EVERYTHING, after, cards, legal, position, started, verdict

COMPARED = int(os.environ.get("WIPPEN_WORLDS", "8"))
"""How many turns of a hidden hand are compared with all possible worlds, under each set of options."""


def last_deal(state: WippenState, rng: random.Random) -> WippenState:
    """The state once so many deals are played at random that none is left."""
    while state.stock.cards or state.phase == "deal":
        moves = legal_moves(WIPPEN, state, None, EVERYTHING).moves
        state = play(WIPPEN, state, rng.choice(moves).move).state
    return state


def worlds(state: WippenState, viewer: int) -> Iterator[WippenState]:
    """Every full state of three seats without a stock that the viewer cannot tell from this one."""
    seen = view(WIPPEN, state, viewer)
    one, other = (seat for seat in range(3) if seat != viewer)
    unknown = sorted(unknown_cards(seen).elements())
    assert state.past is not None
    last = max(at for at, event in enumerate(state.past) if isinstance(event, Redealt))
    played: list[list[Card]] = [[], [], []]
    for event in state.past[last:]:
        made = move_of(event)
        if made is not None:
            played[made[1]].append(made[0].card)
    for chosen in combinations(range(len(unknown)), len(state.hands[one])):
        hands = list(state.hands)
        hands[one] = Hand(tuple(unknown[at] for at in chosen))
        hands[other] = Hand(tuple(card for at, card in enumerate(unknown) if at not in chosen))
        dealt = tuple(Hand((*hand.cards, *played[seat])) for seat, hand in enumerate(hands))
        past = (*state.past[:last], Redealt(number=state.deals, hands=dealt), *state.past[last + 1 :])
        yield replace(state, hands=tuple(hands), past=past)


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"forcedCapture": "card"},
        {"forcedScope": "rank"},
        {"buildObligation": "noTrail"},
        {"buildObligation": "none"},
        {"buildObligation": "noTrail", "multiCapture": "single"},
        {"preset": "basic"},
        {"pictureValues": True, "buildInSum": "all", "raiseWithOpen": True, "maxGroups": 0},
    ],
    ids=str,
)
def test_a_hidden_hand_may_play_just_what_some_possible_hand_could(choices: dict[str, Any]) -> None:
    rng = random.Random(str(choices))
    compared = 0
    while compared < COMPARED:
        state = last_deal(started(seed=f"{choices} {rng.random()}", **choices), rng)
        while state.phase == "play" and compared < COMPARED:
            assert state.to_act is not None
            viewer = rng.choice([seat for seat in range(3) if seat != state.to_act.seat])
            if max(map(len, state.hands)) < 4:
                expected: set[str] = set()
                for world in worlds(state, viewer):
                    try:
                        admit(WIPPEN, world)
                    except ImpossibleState:
                        continue
                    expected |= legal(world)
                seen = view(WIPPEN, state, viewer)
                assert legal(seen) == expected
                compared += 1
            moves = legal_moves(WIPPEN, state, None, EVERYTHING).moves
            state = play(WIPPEN, state, rng.choice(moves).move).state


def test_who_laid_a_card_holds_nothing_that_could_capture() -> None:
    """On the view of seat 1: seat 0 laid a king while a seven lay open, so it holds no seven in this deal."""
    state = next(
        each
        for seed in range(200)
        if (each := started(seed=f"lays {seed}")).layout
        and not any(card in each.layout for card in cards("KS KH KD KC"))
        and (kings := [card for card in each.hands[0].cards if card in cards("KS KH KD KC")])
        and verdict(each, f"trail {kings[0]}") == "OK"
    )
    king = next(card for card in state.hands[0].cards if card.startswith("K"))
    state = after(state, f"trail {king}")
    while state.to_act and state.to_act.seat != 0:
        state = play(WIPPEN, state, legal_moves(WIPPEN, state, None, EVERYTHING).moves[0].move).state
    seen = view(WIPPEN, state, 1)
    assert state.past is not None
    assert isinstance(state.past[0], Dealt)
    for lying in state.past[0].layout or ():
        for suit in "SHDC":
            card = Card(lying[0] + suit)
            refused = judge(WIPPEN, seen, parse(f"trail {card}"), 0)
            assert refused is not None
            assert refused.code in ("CARD_ELSEWHERE", "MUST_CAPTURE")


def test_an_owner_is_known_to_hold_a_card_of_his_value() -> None:
    state = position("2D 5H", "9S", ["7 of 1: 5C 2H"])
    seen = view(WIPPEN, state, 0)
    then = play(WIPPEN, seen, parse("trail 2D")).state
    assert then.to_act is not None
    assert then.to_act.seat == 1
    assert verdict(then, "capture 7S builds 1") == "OK"
    assert verdict(then, "trail KC") == "MUST_RESOLVE_BUILD"
    assert {words for words in legal(then) if words.startswith("trail")} == set()


def test_views_show_counts_of_heaps_and_the_history_has_the_captures() -> None:
    rng = random.Random(4)
    state = started(seed="heaps")
    for _ in range(20):
        state = play(WIPPEN, state, rng.choice(legal_moves(WIPPEN, state, None, EVERYTHING).moves).move).state
    assert any(map(len, state.heaps))
    for viewer in (0, 1, 2, SPECTATOR):
        seen = view(WIPPEN, state, viewer)
        assert [len(heap) for heap in seen.heaps] == [len(heap) for heap in state.heaps]
        assert not any(heap.cards for heap in seen.heaps)
        assert seen.past is None
        assert seen.history is not None
        assert seen.stock == Hand((), len(state.stock))
        gained = [card for event in seen.history for card in getattr(event, "gained", ())]
        assert Counter(gained) == Counter(card for heap in state.heaps for card in heap.cards)
        dealt = [event for event in seen.history if isinstance(event, Dealt | Redealt)]
        for event in dealt:
            for seat, hand in enumerate(event.hands):
                assert bool(hand.cards) == (seat == viewer)


def test_a_position_without_a_past_shows_its_heaps_instead() -> None:
    state = position("5C 7D", "2H")
    seen = view(WIPPEN, state, 0)
    assert seen.history is None
    assert seen.heaps == state.heaps
    admit(WIPPEN, seen)
    then = play(WIPPEN, seen, parse("build 5C cards 2H value 7")).state
    assert then.history is None
    admit(WIPPEN, then)
    hidden = replace(seen, heaps=tuple(Hand((), len(heap)) for heap in seen.heaps))
    with pytest.raises(ImpossibleState) as fault:
        admit(WIPPEN, hidden)
    assert fault.value.path == "$.heaps[1].hidden"


def viewers(state: WippenState) -> list[Viewer]:
    return [*range(len(state.hands)), SPECTATOR]


@pytest.mark.parametrize("choices", [{}, {"openHands": True}, {"points": False}], ids=str)
def test_a_round_played_on_views_ends_as_it_does_for_the_referee(choices: dict[str, Any]) -> None:
    """Each viewer follows the whole round on its view, told of each deal what it sees, the count included."""
    rng = random.Random(9)
    state = started(seed="follow", **choices)
    seen = {viewer: view(WIPPEN, state, viewer) for viewer in viewers(state)}
    while not (state.score_before is not None and state.phase in ("deal", "over")):
        assert state.to_act is not None
        seat = state.to_act.seat
        move = rng.choice(legal_moves(WIPPEN, state, None, EVERYTHING).moves).move
        state = play(WIPPEN, state, move).state
        assert state.past is not None
        for viewer, before in seen.items():
            told = move
            if isinstance(state.past[-1], Redealt):
                assert legal_moves(WIPPEN, before, None, EVERYTHING).needs_chance == "deal"
                assert verdict(before, "deal") == "NEEDS_CHANCE"
                event = WIPPEN.see(state, state.past[-1], viewer)
                assert isinstance(event, Redealt)
                told = Deal(hands=event.hands)
            seen[viewer] = play(WIPPEN, before, told, seat).state
            assert seen[viewer] == view(WIPPEN, state, viewer)
    assert all(heap.cards for heap in seen[0].heaps if len(heap))


def test_history_that_cannot_have_been_is_refused() -> None:
    rng = random.Random(2)
    state = started(seed="history")
    for _ in range(9):
        state = play(WIPPEN, state, rng.choice(legal_moves(WIPPEN, state, None, EVERYTHING).moves).move).state
    seen = view(WIPPEN, state, 1)
    assert seen.history is not None
    lies: list[tuple[Event, ...]] = [
        (),
        seen.history[1:],
        seen.history[:-1],
        (*seen.history, seen.history[-1]),
        (*seen.history, LeftOver(0, ())),
        (seen.history[0], *reversed(seen.history[1:])),
    ]
    for history in lies:
        with pytest.raises(ImpossibleState) as fault:
            admit(WIPPEN, replace(seen, history=history))
        assert fault.value.path.startswith("$.history")


def test_cards_that_cannot_lie_as_a_view_says_are_refused() -> None:
    """All sevens but the viewer's own are open, in a heap or a build: another owner of a build of seven cannot be."""
    state = position("7D 2C", "KH", ["7 of 1: 5C 2H"], others={1: "7S"})
    seen = view(WIPPEN, state, 0)
    admit(WIPPEN, seen)
    layout = (*seen.layout, *cards("7H 7C 7S"))
    heap = [card for card in seen.heaps[1].cards if card not in layout]
    spare = len(seen.heaps[1].cards) - len(heap)
    lying = replace(seen, layout=layout, heaps=(seen.heaps[0], Hand(tuple(heap[3 - spare :])), seen.heaps[2]))
    with pytest.raises(ImpossibleState) as fault:
        admit(WIPPEN, lying)
    assert fault.value.reason == Reason.NOT_A_POSSIBLE_DEAL


# --- the deduction by itself


def test_holes_are_filled_exactly_when_they_can_be() -> None:
    """Against every way to hand the cards out."""
    rng = random.Random(1)
    for _ in range(400):
        unknown = [0, *(rng.choice((0, 0, 1, 1, 2)) for _ in range(4)), *([0] * 9)]
        pile = [value for value, number in enumerate(unknown) for _ in range(number)]
        hands = []
        for _ in range(rng.randint(1, 3)):
            never = rng.choice((0, 2, 4, 2 | 4, 8 | 16))
            holds = {rng.randint(1, 4): rng.choice((1, 1, 2))} if rng.random() < 0.5 else {}
            hands.append((rng.randint(0, 2), Facts(never, holds), Counter({rng.randint(1, 4): rng.randint(0, 1)})))
        assert can_be_filled(unknown, hands) == filled_somehow(pile, hands)


def filled_somehow(pile: list[int], hands: list[tuple[int, Facts, Counter[int]]]) -> bool:
    if not hands:
        return True
    holes, facts, known = hands[0]
    for chosen in combinations(range(len(pile)), holes):
        drawn = [pile[at] for at in chosen]
        held = Counter(drawn) + known
        if any(facts.never >> value & 1 for value in drawn) or any(held[v] < n for v, n in facts.holds.items()):
            continue
        if filled_somehow([value for at, value in enumerate(pile) if at not in chosen], hands[1:]):
            return True
    return False


def test_a_known_hand_is_asked_as_a_covered_one_without_holes() -> None:
    hand = cards("7S 7H 2C")
    known = Known(hand)
    covered = Covered((Hand(hand),), 0, Counter(), (Facts(),))
    assert known.playable() == covered.playable()
    for card in (*hand, *cards("KS 7D")):
        for needs in ({}, {7: 1}, {7: 2}, {2: 1}, {9: 1}):
            for lacks in (0, 1 << 7, 1 << 2, 1 << 9):
                assert known.may(card, needs, lacks) == covered.may(card, needs, lacks)


def test_what_moves_prove_fades_as_cards_are_played() -> None:
    facts = Facts().after(5, {7: 1}, 0)
    assert facts.holds == {7: 1}
    assert facts.after(3, {}, 0).holds == {7: 1}
    assert facts.after(7, {}, 0).holds == {}
    assert facts.after(7, {7: 1}, 0).holds == {7: 1}
    assert facts.after(2, {}, 1 << 9).never == 1 << 9


def test_a_limit_is_never_passed_on_a_view() -> None:
    state = started(seed="limit")
    assert state.to_act is not None
    seen = view(WIPPEN, state, SPECTATOR)
    page = legal_moves(WIPPEN, seen, None, Query(limit=5))
    assert len(page.moves) == 5
    assert page.truncated
    assert page.total > 5
