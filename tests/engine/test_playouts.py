"""Playing out at once against the same choices played move by move, each listed, judged and applied."""

import dataclasses
import itertools
from typing import Any

import msgspec
import pytest

from engine.cards import Card, card_set, iter_cards
from engine.game import Query, Setup, begin, choices_type, legal_moves, play, resolve_options, view
from engine.games import BY_NAME, GAMES
from engine.games.whist import WHIST, WhistState
from engine.mechanics.cardplay import card_play
from engine.mechanics.cardsets import count, picked
from engine.mechanics.tricks import trick_under_way
from engine.moves import Play
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
}


def begun(name: str, chosen: dict[str, Any], seed: str) -> Any:
    game = BY_NAME[name]
    options = resolve_options(game, msgspec.convert(chosen, choices_type(game)))
    return begin(game, Setup(options=options, chance="seed", seed=seed)).state


def playable_cards(state: WhistState) -> list[Card]:
    moves = [each.move for each in legal_moves(WHIST, state, None, Query()).moves]
    return [move.card for move in moves if isinstance(move, Play)]


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
def test_giving_up_comes_after_as_many_moves(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = begun(name, {}, "long")
    given_up = 0
    for most in (1, 20, 51, 52, 53, 60, 105, 106, 107):
        monkeypatch.setattr("engine.playouts.MOST_MOVES", most)
        at_once = playouts(BY_NAME[name], state, "x", range(4))
        assert at_once == playouts(move_by_move(name), state, "x", range(4))
        given_up += at_once.number - at_once.finished
    assert given_up


def test_without_the_cards_of_the_next_deal_only_this_one_is_played_out() -> None:
    deck = tuple(iter_cards((1 << 52) - 1))
    setup = Setup(options=resolve_options(WHIST, None), chance="deck", deck=deck)
    state = begin(WHIST, setup).state
    found = playouts(WHIST, state, "x", [1])
    assert (found.finished, found.moves) == (0, 52)
    assert found == playouts(move_by_move("whist"), state, "x", [1])


def test_card_play_allows_and_leads_to_what_a_state_does() -> None:
    """The same cards may be played at every step, any other is refused, and the same hands win."""
    for seed in range(20):
        state = begun("whist", {"match": "deal"}, f"step {seed}")
        choices = Choices(Stream(bytes(32), "test", seed))
        trump = state.trump.mask
        first = (state.dealer + 1) % 4
        course = card_play(state.hands, state.tricks, trick_under_way(state.tricks, first), trump)
        while state.to_act is not None:
            assert course.turn == state.to_act.hand
            playable = course.playable()
            legal = playable_cards(state)
            assert card_set(legal) == playable
            assert [picked(playable, index) for index in range(count(playable))] == [card.bit for card in legal]
            assert (course.hand, course.left()) == (
                card_set(state.hands[course.turn].cards),
                sum(map(len, state.hands)),
            )
            for card in iter_cards((1 << 52) - 1 & ~playable):
                with pytest.raises(ValueError, match="may not be played"):
                    course.after(card.bit)
            card = legal[choices.below(len(legal))]
            course, state = course.after(card.bit), play(WHIST, state, Play(card)).state
            again = card_play(state.hands, state.tricks, trick_under_way(state.tricks, first), trump)
            for name in ("hand", "second", "third", "last", "turn", "trump", "lying", "led", "ours", "theirs"):
                assert getattr(course, name) == getattr(again, name)
            assert not course.lying or course.best == again.best
        assert (course.ours, course.theirs) == tuple(
            sum(trick.winner % 2 == side for trick in state.tricks) for side in (0, 1)
        )


def test_choices_are_unbiased_and_few_words_serve_many() -> None:
    stream = Stream(bytes(32), "test", 0)
    choices = Choices(stream)
    drawn = [choices.below(6) for _ in range(60_000)]
    assert all(abs(drawn.count(face) - 10_000) < 500 for face in range(6))
    pairs = [(drawn[at], drawn[at + 1]) for at in range(0, len(drawn), 2)]
    assert all(abs(pairs.count((one, other)) - 30_000 / 36) < 150 for one in range(6) for other in range(6))
    assert choices.below(1) == 0
    assert stream._counter < 700  # noqa: SLF001 - 60,000 choices of six take 155,100 bits, 606 blocks of 256
