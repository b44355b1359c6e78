"""The caller holds the deck: every card is told as it comes, on a full state or on a view, and leads the same way."""

import random
from typing import Any

import pytest
from msgspec.structs import replace

from engine.cards import AnyCard, FlipCard
from engine.events import Flipped, Reshuffled
from engine.game import SPECTATOR, Query, Setup, Step, Viewer, admit, begin, judge, legal_moves, play, replay, view
from engine.games.flip7 import FLIP7, Flip7State
from engine.games.flip7.deck import DECK
from engine.games.flip7.table import unseen
from engine.moves import Deal, Draw, Give, Hit, Move, Stay
from engine.violations import Code, Malformed
from tests.engine.flip7.positions import acting, after, cards, choices, options, position, rest_of, row

VARIANTS: list[tuple[int, dict[str, Any]]] = [
    (3, {}),
    (5, {"set_aside": "oneByOne", "reshuffle": "eager"}),
    (2, {"initial_deal_after_flip3": "offer", "deal_replace_action": True, "second_chance_gift": True}),
    (18, {"reshuffle": "eager"}),
    (1, {"challenge": "any", "target": 60}),
]


def by_caller(seats: int = 3, **chosen: Any) -> Flip7State:
    return begin(FLIP7, Setup(options=options(**chosen), places=seats, chance="caller")).state


def told_on(state: Flip7State, move: Move, seat: int, drawn: list[FlipCard]) -> Flip7State:
    """The state after a move, and the cards that then came."""
    state = admit(FLIP7, play(FLIP7, state, move, seat).state)
    for card in drawn:
        assert legal_moves(FLIP7, state, acting(state), Query()).needs_chance == "draw"
        assert state.phase == "draw"
        state = admit(FLIP7, play(FLIP7, state, Draw(AnyCard(card))).state)
    return state


@pytest.mark.parametrize(("seats", "chosen"), VARIANTS)
@pytest.mark.parametrize("seed", ["1", "2"])
def test_told_card_by_card_it_leads_where_the_service_led(seats: int, chosen: dict[str, Any], seed: str) -> None:
    rng = random.Random(f"{seats} {seed}")
    begun = begin(FLIP7, Setup(options=options(**chosen), places=seats, chance="seed", seed=seed))
    state = begun.state
    viewers: tuple[Viewer, ...] = (SPECTATOR, seats - 1)
    first = [event.card for event in begun.events if isinstance(event, Flipped)]
    hand = by_caller(seats, **chosen)
    for card in first:
        hand = admit(FLIP7, play(FLIP7, hand, Draw(AnyCard(card))).state)
    seen = [view(FLIP7, state, viewer) for viewer in viewers]
    for _ in range(250):
        found = legal_moves(FLIP7, state, None, Query()).moves
        if not found:
            break
        move, seat = rng.choice(found).move, acting(state)
        assert seat is not None
        outcome = play(FLIP7, state, move, seat)
        drawn = [event.card for event in outcome.events if isinstance(event, Flipped)]
        state = outcome.state
        hand = told_on(hand, move, seat, drawn)
        seen = [told_on(each, move, seat, drawn) for each in seen]
        assert seen == [view(FLIP7, state, viewer) for viewer in viewers]
        assert [replace(view(FLIP7, hand, viewer), chance="seed") for viewer in viewers] == seen
    assert state.round > 1


def test_a_match_begins_by_asking_for_the_first_card() -> None:
    state = by_caller()
    assert (state.phase, acting(state), state.deck.hidden) == ("draw", 0, 94)
    answer = legal_moves(FLIP7, state, 0, Query())
    assert (answer.moves, answer.total, answer.needs_chance) == ((), 0, "draw")
    assert legal_moves(FLIP7, state, 1, Query()).needs_chance is None


def test_a_card_is_told_and_nothing_else_meanwhile() -> None:
    state = by_caller()
    expected: list[tuple[Move, Code]] = [
        (Draw(), Code.NEEDS_CHANCE),
        (Hit(), Code.NEEDS_CHANCE),
        (Stay(), Code.NEEDS_CHANCE),
        (Give(FlipCard("freeze"), 1), Code.NEEDS_CHANCE),
        (Deal(), Code.WRONG_PHASE),
    ]
    for move, code in expected:
        refused = judge(FLIP7, state, move)
        assert refused is not None
        assert refused.code == code
    with pytest.raises(Malformed, match="not a card of Flip 7"):
        judge(FLIP7, state, Draw(AnyCard("AS")))


def test_only_a_card_that_is_left_can_come() -> None:
    state = after(by_caller(), "draw 0", "draw 12", "draw x2", "hit")
    refused = judge(FLIP7, state, Draw(AnyCard("0")))
    assert refused is not None
    assert (refused.code, refused.clause) == (Code.NOT_IN_DECK, "flip7/F-1")
    assert judge(FLIP7, state, Draw(AnyCard("12"))) is None


def test_where_the_order_is_known_no_card_is_told() -> None:
    deck = tuple(map(AnyCard, (*cards("1 2 3"), *rest_of(cards("1 2 3")))))
    setups = (
        Setup(options=options(), places=3, chance="seed", seed="x"),
        Setup(options=options(), places=3, chance="deck", deck=deck),
    )
    for setup in setups:
        state = begin(FLIP7, setup).state
        refused = judge(FLIP7, state, Draw(AnyCard("5")))
        assert refused is not None
        assert refused.code == Code.CHANCE_IS_DRAWN
        over = state
        while over.phase != "roundOver":
            words = sorted(choices(over))
            over = after(over, "stay" if "stay" in words else words[0])
        refused = judge(FLIP7, over, Deal(deck=(AnyCard("5"),)))
        assert refused is not None
        assert refused.code == Code.CHANCE_IS_DRAWN


def test_a_deal_tells_no_cards() -> None:
    state = by_caller(2)
    state = after(state, "draw 1", "draw 2", "stay", "stay")
    with pytest.raises(Malformed, match="told by draw"):
        judge(FLIP7, state, Deal(deck=(AnyCard("5"),)))
    assert after(state, "deal").phase == "draw"


def test_a_deck_given_runs_out_and_then_cards_are_told() -> None:
    state = after(position(["5", "9"], "3", rest="discard"), "hit", "hit")
    assert (state.phase, acting(state), state.chance) == ("draw", 1, "deck")
    assert sum(unseen(state).values()) == len(state.deck) == state.deck.hidden == 91
    assert row(after(state, "draw 12"), 1) == "9 12"


def test_a_shuffle_is_announced_before_the_card_is_asked_for() -> None:
    state = position(["5", "9"], "3", rest="discard")
    state = after(state, "hit")
    outcome = play(FLIP7, state, Hit())
    assert isinstance(outcome.events[-1], Reshuffled)
    assert outcome.state.log == outcome.events[-1:]


def test_a_record_with_told_cards_is_replayed() -> None:
    setup = Setup(options=options(), places=2, chance="caller")
    steps = [
        Step(Draw(AnyCard("5"))),
        Step(Draw(AnyCard("freeze")), 1),
        Step(Give(FlipCard("freeze"), 0)),
        Step(Hit(), 1),
        Step(Draw(AnyCard("7")), 1),
    ]
    replayed = replay(FLIP7, setup, steps)
    assert replayed.violation is None
    assert [row(replayed.state, seat) for seat in range(2)] == ["5 freeze", "7"]
    assert replay(FLIP7, setup, [*steps, Step(Draw(AnyCard("7")))]).index == 5


@pytest.mark.parametrize("chance", ["seed", "deck"])
def test_what_is_missing_is_said(chance: str) -> None:
    with pytest.raises(Malformed, match="missing"):
        begin(FLIP7, Setup(options=options(), chance=chance))  # type: ignore[arg-type]
    with pytest.raises(Malformed, match="94 cards"):
        begin(FLIP7, Setup(options=options(), chance="deck", deck=tuple(map(AnyCard, DECK[1:]))))
