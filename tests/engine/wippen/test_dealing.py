"""Where the cards come from: a seed, a deck that is given, or a caller who tells each deal as it happens."""

import random
from collections import Counter
from typing import Any

import pytest

from engine.cards import PACK, Card
from engine.game import SPECTATOR, Query, Setup, Step, admit, begin, judge, legal_moves, play, replay, view
from engine.games.wippen import WIPPEN, WippenState
from engine.games.wippen.plan import plan_of
from engine.moves import Deal, Draw, Hand, Trail
from engine.violations import Malformed
from tests.engine.wippen.positions import EVERYTHING, cards, options, started


def setup(chance: Any, places: int = 3, **told: Any) -> Setup:
    return Setup(options=options(told.pop("choices", {})), places=places, chance=chance, **told)


def play_deal(state: WippenState, rng: random.Random) -> WippenState:
    while state.phase == "play":
        state = play(WIPPEN, state, rng.choice(legal_moves(WIPPEN, state, None, EVERYTHING).moves).move).state
    return state


def test_the_same_seed_deals_the_same_cards_and_each_round_others() -> None:
    one, other = started(seed="same"), started(seed="same")
    assert one == other
    assert started(seed="other").hands != one.hands
    rng = random.Random(2)
    state = one
    while state.score_before is None:
        state = play_deal(state, rng)
        if state.score_before is None:
            state = play(WIPPEN, state, Deal()).state
    second = play(WIPPEN, state, Deal()).state
    assert second.rounds == 2
    assert (second.deals, second.wips, second.last_taker, second.score_before) == (1, (0, 0, 0), None, None)
    assert Counter((*second.stock.cards, *second.layout, *(c for h in second.hands for c in h.cards))) == Counter(PACK)
    assert second.layout != one.layout


def test_a_deck_deals_the_first_round_and_the_next_must_be_told() -> None:
    deck = tuple(random.Random(3).sample(PACK, 52))
    state = begin(WIPPEN, setup("deck", deck=deck)).state
    assert state.deck is None
    assert Counter(state.hands[0].cards) == Counter((*deck[0:2], *deck[8:10]))
    assert state.stock.cards == deck[16:]
    rng = random.Random(3)
    while state.score_before is None:
        state = play_deal(state, rng)
        if state.score_before is None:
            assert legal_moves(WIPPEN, state, None, EVERYTHING).moves[0].move == Deal()
            refused = judge(WIPPEN, state, Deal(deck=state.stock.cards))  # type: ignore[arg-type]
            assert refused is not None
            assert refused.code == "CHANCE_IS_DRAWN"
            state = play(WIPPEN, state, Deal()).state
    answer = legal_moves(WIPPEN, state, None, EVERYTHING)
    assert (answer.moves, answer.needs_chance) == ((), "deal")
    refused = judge(WIPPEN, state, Deal())
    assert refused is not None
    assert (refused.code, refused.clause) == ("NEEDS_CHANCE", "wippen/WI-4")
    again = play(WIPPEN, state, Deal(deck=deck)).state  # type: ignore[arg-type]
    admit(WIPPEN, again)
    assert again.dealer == 0
    assert Counter(again.hands[1].cards) == Counter((*deck[0:2], *deck[8:10]))


@pytest.mark.parametrize(
    ("places", "choices", "deck"),
    [(3, {}, PACK[:51]), (3, {}, (*PACK[:51], PACK[0])), (5, {}, PACK), (3, {"packs": 2}, PACK * 2)],
)
def test_a_deck_that_is_not_just_the_rounds_cards_is_malformed(
    places: int, choices: dict[str, Any], deck: tuple[Card, ...]
) -> None:
    with pytest.raises(Malformed) as refused:
        begin(WIPPEN, setup("deck", places=places, choices=choices, deck=deck))
    assert refused.value.path == "$.deck"


def told_deals(state: WippenState) -> WippenState:
    """The first deal of a caller who sees all hands."""
    deal = Deal(hands=tuple(Hand(cards(words)) for words in ("AS 2S 3S 4S", "5S 6S 7S 8S", "9S TS JS QS")),
                layout=cards("AH 2H KH QH"))  # fmt: skip
    return play(WIPPEN, state, deal).state


def test_a_caller_tells_each_deal() -> None:
    state = begin(WIPPEN, setup("caller")).state
    assert state.phase == "deal"
    assert legal_moves(WIPPEN, state, None, EVERYTHING).needs_chance == "deal"
    state = told_deals(state)
    admit(WIPPEN, state)
    assert state.viewer is None
    assert state.stock == Hand((), 36)
    state = play_deal(state, random.Random(1))
    assert legal_moves(WIPPEN, state, None, EVERYTHING).needs_chance == "deal"
    again = Deal(hands=tuple(Hand(cards(words)) for words in ("AD 2D 3D 4D", "5D 6D 7D 8D", "9D TD JD QD")))
    then = play(WIPPEN, state, again).state
    admit(WIPPEN, then)
    assert then.stock == Hand((), 24)
    left = [card for card in PACK if card[1] in "DC" or card in cards("3H 4H 5H 6H 7H 8H 9H TH JH KS")]
    order = tuple(random.Random(2).sample(left, 36))
    by_deck = play(WIPPEN, state, Deal(deck=order)).state  # type: ignore[arg-type]
    admit(WIPPEN, by_deck)
    assert by_deck.stock.cards == order[12:]
    assert legal_moves(WIPPEN, play_deal(by_deck, random.Random(1)), None, EVERYTHING).needs_chance is None


@pytest.mark.parametrize(
    ("deal", "path"),
    [
        (Deal(hands=(Hand((), 4),) * 3), "$.move.layout"),
        (Deal(hands=(Hand((), 4),) * 3, layout=()), "$.move.layout"),
        (Deal(hands=(Hand((), 4),) * 3, layout=cards("AH 2H KH")), "$.move.layout"),
        (Deal(hands=(Hand((), 4),) * 2, layout=cards("AH 2H KH QH")), "$.move.hands"),
        (Deal(hands=(Hand((), 3), Hand((), 4), Hand((), 4)), layout=cards("AH 2H KH QH")), "$.move.hands"),
        (Deal(hands=(Hand(cards("AS"), 3), Hand((), 4), Hand((), 4)), layout=cards("AH 2H KH QH")), "$.move.hands"),
        (Deal(hands=(Hand(cards("AH 2S 3S 4S")), *(Hand((), 4),) * 2), layout=cards("AH 2H KH QH")), "$.move.hands"),
        (
            Deal(
                hands=(Hand(cards("AS 2S 3S 4S")), Hand(cards("AD 2D 3D 4D")), Hand((), 4)),
                layout=cards("AH 2H KH QH"),
            ),
            "$.move.hands",
        ),
        (Deal(layout=cards("AH 2H KH QH")), "$.move.hands"),
        (Deal(turned=Card("AS"), deck=PACK), "$.move.turned"),  # type: ignore[arg-type]
        (Deal(deck=PACK, layout=cards("AH")), "$.move"),  # type: ignore[arg-type]
        (Deal(deck=PACK[:40]), "$.move.deck"),  # type: ignore[arg-type]
        (Deal(deck=(*PACK[:51], PACK[0])), "$.move.deck"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_what_is_no_deal_is_malformed(deal: Deal, path: str) -> None:
    state = begin(WIPPEN, setup("caller")).state
    with pytest.raises(Malformed) as refused:
        judge(WIPPEN, state, deal)
    assert refused.value.path == path


def test_a_later_deal_brings_nothing_to_the_pot_and_no_card_that_was_seen() -> None:
    state = play_deal(told_deals(begin(WIPPEN, setup("caller")).state), random.Random(1))
    hands = tuple(Hand(cards(words)) for words in ("AD 2D 3D 4D", "5D 6D 7D 8D", "9D TD JD QD"))
    with pytest.raises(Malformed) as refused:
        judge(WIPPEN, state, Deal(hands=hands, layout=cards("AC 2C 3C 4C")))
    assert refused.value.path == "$.move.layout"
    with pytest.raises(Malformed) as refused:
        judge(WIPPEN, state, Deal(hands=(Hand(cards("AS 2D 3D 4D")), *hands[1:])))
    assert refused.value.path == "$.move.hands"


@pytest.mark.parametrize("viewer", [0, 1, 2, SPECTATOR])
def test_a_caller_who_sees_one_hand_gets_that_view(viewer: Any) -> None:
    """Told only what one seat sees, from the first deal or from a later one, the state is that seat's view."""
    words = ("AS 2S 3S 4S", "5S 6S 7S 8S", "9S TS JS QS")
    hands = tuple(Hand(cards(each)) if seat == viewer else Hand((), 4) for seat, each in enumerate(words))
    state = play(WIPPEN, begin(WIPPEN, setup("caller")).state, Deal(hands=hands, layout=cards("AH 2H KH QH"))).state
    assert state.viewer == viewer
    admit(WIPPEN, state)
    assert state.history is not None
    later = play_deal(told_deals(begin(WIPPEN, setup("caller")).state), random.Random(1))
    more = tuple(
        Hand(cards(each)) if seat == viewer else Hand((), 4)
        for seat, each in enumerate(("AD 2D 3D 4D", "5D 6D 7D 8D", "9D TD JD QD"))
    )
    then = play(WIPPEN, later, Deal(hands=more)).state
    assert then.viewer == viewer
    admit(WIPPEN, then)
    assert then.history is not None
    assert then.history[:-1] == view(WIPPEN, later, viewer).history


def test_moves_that_do_not_belong_in_a_phase() -> None:
    state = started()
    refused = judge(WIPPEN, state, Deal())
    assert refused is not None
    assert refused.code == "WRONG_PHASE"
    done = play_deal(state, random.Random(0))
    refused = judge(WIPPEN, done, Trail(PACK[0]))
    assert refused is not None
    assert (refused.code, refused.clause) == ("WRONG_PHASE", "wippen/WI-5")
    refused = judge(WIPPEN, state, Trail(PACK[0]), 1)
    assert refused is not None
    assert refused.code == "NOT_YOUR_TURN"
    with pytest.raises(Malformed):
        judge(WIPPEN, state, Draw())


def test_a_record_is_replayed_to_the_same_state() -> None:
    rng = random.Random(12)
    asked = setup("seed", places=4, seed="record")
    state = begin(WIPPEN, asked).state
    steps = []
    for _ in range(60):
        move = rng.choice(legal_moves(WIPPEN, state, None, Query(limit=1000)).moves).move
        steps.append(Step(move))
        state = play(WIPPEN, state, move).state
    assert replay(WIPPEN, asked, steps).state == state


def test_a_view_of_a_seeded_match_is_told_its_deals() -> None:
    state = play_deal(started(), random.Random(0))
    seen = view(WIPPEN, state, 1)
    assert legal_moves(WIPPEN, seen, None, EVERYTHING).needs_chance == "deal"
    own = tuple(sorted((Counter(plan_of(state.options, 3).cards) - Counter(
        (*state.layout, *(c for b in state.builds for c in b.cards), *(c for h in state.heaps for c in h.cards))
    )).elements()))[:4]  # fmt: skip
    then = play(WIPPEN, seen, Deal(hands=(Hand((), 4), Hand(own), Hand((), 4)))).state
    admit(WIPPEN, then)
    assert then.viewer == 1
    with pytest.raises(Malformed):
        judge(WIPPEN, seen, Deal(hands=(Hand(own), Hand((), 4), Hand((), 4))))
