"""Playing out at once against the same choices played move by move, each listed, judged and applied."""

import dataclasses
import itertools
from typing import Any

import msgspec
import pytest

from engine.cards import PACK, card_set, in_order, iter_cards
from engine.game import Query, Setup, begin, choices_type, legal_moves, play, resolve_options, view
from engine.games import BY_NAME, GAMES
from engine.games.whist import WHIST
from engine.mechanics.cardsets import count, highest, picked
from engine.moves import Move
from engine.playouts import playouts
from engine.rng import Choices, Stream

AT_ONCE = [game.name for game in GAMES if game.play_out]
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "whist": [
        {},
        {"preset": "long", "honoursTowardGame": False},
        {"preset": "american", "match": "game"},
        {"preset": "noTrump", "match": "deal"},
        {"preset": "dummy", "dummyExposed": "afterLead"},
        {"honoursMustSplit": True, "honoursBarOneShort": True, "stopAtTarget": True, "slamBonus": 3},
        {"revoke": "record", "match": "deal"},
        {"drawForPartners": True},
    ],
    "peewee7": [
        {},
        {"passIsFinal": True, "openingPasses": 3},
        {"nextDealer": "same", "overbidAfterDare": "any", "winScope": "total"},
        {"masterRule": "lastBidder", "peeweeLeadChosenBy": "master", "halvesCount": False},
        {"dareRequires": "ownSuitBid"},
        {"teamDraw": True},
    ],
    "flip7": [
        {},
        {"dealReplaceAction": True, "reshuffle": "eager", "tie": "shared"},
        {"initialDealAfterFlip3": "offer", "secondChanceGift": True, "setAside": "oneByOne"},
        {"preset": "challenge"},
        {"target": 1_000},
    ],
}


def begun(name: str, chosen: dict[str, Any], seed: str) -> Any:
    game = BY_NAME[name]
    options = resolve_options(game, msgspec.convert(chosen, choices_type(game)))
    return begin(game, Setup(options=options, chance="seed", seed=seed)).state


def choices_of(state: Any) -> list[Move]:
    return [each.move for each in legal_moves(WHIST, state, None, Query()).moves]


def move_by_move(name: str) -> Any:
    return dataclasses.replace(BY_NAME[name], play_out=None)


@pytest.mark.parametrize(("name", "chosen"), [(name, chosen) for name in AT_ONCE for chosen in VARIANTS[name]], ids=str)
def test_at_once_is_move_by_move(name: str, chosen: dict[str, Any]) -> None:
    for seed in range(3):
        state = begun(name, chosen, str(seed))
        for moves, until in itertools.product((0, 9, 30), ("deal", "match")):
            somewhere = state
            for number in range(moves):
                legal = legal_moves(BY_NAME[name], somewhere, None, Query()).moves
                if legal:
                    move = legal[Stream(bytes(32), "test", number).below(len(legal))].move
                    somewhere = play(BY_NAME[name], somewhere, move).state
            at_once = playouts(BY_NAME[name], somewhere, "seed", [seed], until)  # type: ignore[arg-type]
            assert at_once == playouts(move_by_move(name), somewhere, "seed", [seed], until)  # type: ignore[arg-type]
            assert at_once.moves > 0


@pytest.mark.parametrize("name", AT_ONCE)
def test_views_are_sampled_and_played_out_alike(name: str) -> None:
    seen = view(BY_NAME[name], begun(name, {}, "view"), 0)
    assert playouts(BY_NAME[name], seen, "x", range(5)) == playouts(move_by_move(name), seen, "x", range(5))


@pytest.mark.parametrize("name", AT_ONCE)
def test_giving_up_comes_after_as_many_moves(name: str) -> None:
    state = begun(name, {}, "long")
    given_up = 0
    for most in (1, 20, 51, 52, 53, 60, 105, 106, 107):
        at_once = playouts(BY_NAME[name], state, "x", range(4), most=most)
        assert at_once == playouts(move_by_move(name), state, "x", range(4), most=most)
        given_up += at_once.number - at_once.finished
    assert given_up


def test_without_the_cards_of_the_next_deal_only_this_one_is_played_out() -> None:
    deck = tuple(iter_cards((1 << 52) - 1))
    setup = Setup(options=resolve_options(WHIST, None), chance="deck", deck=deck)
    state = begin(WHIST, setup).state
    found = playouts(WHIST, state, "x", [1])
    assert (found.finished, found.moves) == (0, 52)
    assert found == playouts(move_by_move("whist"), state, "x", [1])


@pytest.mark.parametrize("trump", ["turned", "none"])
def test_from_anywhere_in_a_deal_the_same_cards_are_played(trump: str) -> None:
    """With one choice left to be made after another: every position of many deals, each played out both ways."""
    for seed in range(6):
        state = begun("whist", {"match": "deal", "trump": trump}, f"step {seed}")
        choices = Choices(Stream(bytes(32), "test", seed))
        while state.to_act is not None:
            at_once = playouts(WHIST, state, "x", [seed])
            assert at_once == playouts(move_by_move("whist"), state, "x", [seed])
            assert at_once.moves == sum(map(len, state.hands))
            state = play(WHIST, state, choices_of(state)[choices.below(len(choices_of(state)))]).state


def test_cards_are_picked_in_the_order_of_a_hand() -> None:
    choices = Choices(Stream(bytes(32), "test", 0))
    for _ in range(300):
        cards = [card for card in iter_cards((1 << 52) - 1) if choices.below(3)]
        mask = card_set(cards)
        assert count(mask) == len(cards)
        assert [picked(mask, index) for index in range(len(cards))] == [card.bit for card in in_order(cards)]


def test_the_highest_of_any_cards_is_the_one_with_the_highest_bit() -> None:
    assert [highest(card.bit | card.bit >> 1 | 1) for card in PACK] == [card.bit for card in PACK]


def test_choices_are_unbiased_and_few_words_serve_many() -> None:
    stream = Stream(bytes(32), "test", 0)
    choices = Choices(stream)
    drawn = [choices.below(6) for _ in range(60_000)]
    assert all(abs(drawn.count(face) - 10_000) < 500 for face in range(6))
    pairs = [(drawn[at], drawn[at + 1]) for at in range(0, len(drawn), 2)]
    assert all(abs(pairs.count((one, other)) - 30_000 / 36) < 150 for one in range(6) for other in range(6))
    assert choices.below(1) == 0
    assert stream._counter < 700  # noqa: SLF001 - 60,000 choices of six take 155,100 bits, 606 blocks of 256
