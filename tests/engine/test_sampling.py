"""Sampling: every state drawn is one that legal play can have led to and gives its viewer the same view; none is rare.

At length (``SAMPLE_POSITIONS=5000``) each game is sampled at so many positions.
"""

import os
import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from math import factorial
from typing import Any

import pytest
from msgspec.structs import replace

from engine import game as engine
from engine.cards import in_order
from engine.events import Dealt
from engine.game import SPECTATOR, Query, Viewer
from engine.games import GAMES
from engine.mechanics.laying import dealt_whole
from engine.mechanics.sampling import Box, Layer
from engine.playouts import playouts
from engine.rng import Stream
from engine.violations import ImpossibleState, Malformed
from tests.engine.flip7.test_kit import SUBJECT as FLIP7
from tests.engine.kit import Subject, setup_of
from tests.engine.peewee7.test_kit import SUBJECT as PEEWEE7
from tests.engine.whist.test_kit import SUBJECT as WHIST
from tests.engine.wipe.test_kit import SUBJECT as WIPE
from tests.engine.wippen.test_kit import SUBJECT as WIPPEN

POSITIONS = int(os.environ.get("SAMPLE_POSITIONS", "150"))
SUBJECTS = {subject.game.name: subject for subject in (WHIST, PEEWEE7, WIPPEN, WIPE, FLIP7)}
LONGEST = 80
SAME = 0.0001
"""How unlikely a distribution may be before it is called another."""


def positions(subject: Subject, number: int) -> Iterator[tuple[Any, Viewer]]:
    """So many positions of random play, over all variants in turn, and whose eyes they are seen with."""
    game = subject.game
    variants = sorted(subject.variants)
    round_number = 0
    while True:
        rng = random.Random(f"sampling {game.name} {round_number}")
        variant = variants[round_number % len(variants)]
        state = engine.begin(game, setup_of(subject, variant, f"{round_number}")).state
        skipped = rng.randrange(4)
        for _ in range(LONGEST):
            moves = engine.legal_moves(game, state, None, Query(limit=64)).moves
            if state.to_act is None or not moves:
                break
            state = engine.play(game, state, rng.choice(moves).move, state.to_act.seat).state
            if skipped:
                skipped -= 1
                continue
            skipped = rng.randrange(LONGEST // 4)
            yield state, rng.choice([SPECTATOR, *range(len(state.hands))])
            number -= 1
            if not number:
                return
        round_number += 1


def without_chance(view: Any) -> Any:
    """A view, but for where its cards come from: those of a drawn state come from a seed."""
    history = view.history and tuple(
        replace(event, cut_by=None) if isinstance(event, Dealt) else event for event in view.history
    )
    return replace(view, chance="seed", history=history)


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_drawn_state_is_possible_and_gives_the_same_view(name: str) -> None:
    """To admit a state is to replay what led to it: each move must have been legal with the cards as drawn."""
    subject = SUBJECTS[name]
    for number, (state, viewer) in enumerate(positions(subject, POSITIONS)):
        view = engine.view(subject.game, state, viewer)
        for drawn in engine.sample(subject.game, view, f"{number}", range(2))[0]:
            engine.admit(subject.game, drawn)
            assert drawn.viewer is None
            assert without_chance(engine.view(subject.game, drawn, viewer)) == without_chance(view)


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_drawn_state_can_be_played_to_its_end(name: str) -> None:
    subject = SUBJECTS[name]
    for state, viewer in positions(subject, 6):
        view = engine.view(subject.game, state, viewer)
        found = playouts(subject.game, view, "x", range(2), "deal")
        assert found.number == 2
        assert found.finished == 2 or name == "peewee7" or state.phase == "over"


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_same_seed_draws_the_same(name: str) -> None:
    subject = SUBJECTS[name]
    state, viewer = next(positions(subject, 1))
    view = engine.view(subject.game, state, viewer)
    four, exact = engine.sample(subject.game, view, "a", range(4))
    assert engine.sample(subject.game, view, "a", [2]) == ((four[2],), exact)
    assert engine.sample(subject.game, view, "b", range(4))[0] != four
    assert len({repr(each) for each in four}) == 4


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_full_state_is_no_view(game: Any) -> None:
    subject = SUBJECTS[game.name]
    state, _ = next(positions(subject, 1))
    with pytest.raises(Malformed):
        engine.sample(game, state, "a", range(1))


# --- equal chances


def chances_differ(seen: Counter[Any], ways: int) -> bool:
    """Whether counts are too uneven for equal chances of so many ways, by Wilson and Hilferty's chi-square."""
    expected = seen.total() / ways
    off = sum((count - expected) ** 2 for count in seen.values()) / expected + expected * (ways - len(seen))
    degrees = ways - 1
    if not degrees:
        return off > 0
    deviate = ((off / degrees) ** (1 / 3) - (1 - 2 / (9 * degrees))) / (2 / (9 * degrees)) ** 0.5
    return bool(deviate > 4.5)


@pytest.mark.parametrize("name", ["whist", "peewee7", "wippen", "wipe"])
def test_all_ways_the_cards_can_lie_are_drawn_alike(name: str) -> None:
    """Where few cards are hidden: every order of them is tried, and those that are possible are counted."""
    subject = SUBJECTS[name]
    compared = 0
    for state, viewer in positions(subject, 4_000):
        view = engine.view(subject.game, state, viewer)
        hidden = [seat for seat, hand in enumerate(view.hands) if hand.hidden]
        if len(hidden) < 2 or sum(view.hands[seat].hidden for seat in hidden) > 6:
            continue
        if getattr(view, "stock", None) is not None and len(view.stock):
            continue
        ways = possible(subject, state, view, viewer, hidden)
        if len(ways) < 2:
            continue
        drawn, exact = engine.sample(subject.game, view, "even", range(60 * len(ways)))
        seen = Counter(hands_of(each, hidden) for each in drawn)
        assert exact
        assert set(seen) <= ways
        assert not chances_differ(seen, len(ways)), (view, seen)
        compared += 1
        if compared == 12:
            break
    assert compared >= 4


def hands_of(state: Any, hidden: list[int]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(sorted(state.hands[seat].cards)) for seat in hidden)


def possible(
    subject: Subject, state: Any, view: Any, viewer: Viewer, hidden: list[int]
) -> set[tuple[tuple[Any, ...], ...]]:
    """Every way the hidden hands can be, by trying each order of their cards and asking whether it can be admitted."""
    cards = [card for seat in hidden for card in state.hands[seat].cards]
    found = set()
    drawn = engine.sample(subject.game, view, "one", [0])[0][0]
    for order in set(permutations(cards)):
        left = list(order)
        hands = list(state.hands)
        for seat in hidden:
            size = len(state.hands[seat])
            hands[seat] = replace(hands[seat], cards=tuple(sorted(left[:size])))
            del left[:size]
        other = with_hands(drawn, tuple(hands))
        try:
            engine.admit(subject.game, other)
        except ImpossibleState:
            continue
        if without_chance(engine.view(subject.game, other, viewer)) == without_chance(view):
            found.add(hands_of(other, hidden))
    return found


def with_hands(state: Any, hands: tuple[Any, ...]) -> Any:
    """A state with other hands, and its past, where it has one, told accordingly."""
    hands = tuple(replace(hand, cards=in_order(hand.cards)) for hand in hands)
    past = getattr(state, "past", None)
    return replace(state, hands=hands, **({} if past is None else {"past": dealt_whole(past, hands)}))


def test_the_order_of_the_deck_is_even() -> None:
    """Flip 7 hides nothing but the deck's order: what comes next is each card as often as there are of it."""
    subject = SUBJECTS["flip7"]
    state, _ = next(positions(subject, 1))
    view = engine.view(subject.game, state, SPECTATOR)
    drawn, exact = engine.sample(subject.game, view, "even", range(6_000))
    assert exact
    cards = Counter(drawn[0].deck.cards)
    expected = {card: 6_000 * number / cards.total() for card, number in cards.items()}
    seen = Counter(each.deck.cards[0] for each in drawn)
    off = sum((seen[card] - number) ** 2 / number for card, number in expected.items())
    assert off < len(expected) + 6 * (2 * len(expected)) ** 0.5


@pytest.mark.parametrize("seed", range(12))
def test_boxes_are_filled_in_every_way_alike(seed: int) -> None:
    """Small boxes with any demands, against every order of their cards."""
    rng = random.Random(seed)
    cards = {kind: tuple(f"{kind}{copy}" for copy in range(rng.randrange(1, 3))) for kind in range(3)}
    flat = [card for held in cards.values() for card in held]
    sizes = [rng.randrange(1 + len(flat) // 3) for _ in range(3)]
    sizes.append(len(flat) - sum(sizes))
    boxes = [
        Box(size, frozenset(kind for kind in cards if rng.random() < 0.25), {rng.randrange(3): int(rng.random() < 0.2)})
        for size in sizes
    ]
    fits = set()
    for order in permutations(flat):
        left = list(order)
        filled = [sorted(left[sum(sizes[:at]) : sum(sizes[: at + 1])]) for at in range(len(sizes))]
        kinds = [Counter(int(card[0]) for card in its) for its in filled]
        if all(box.takes(kind, held[kind]) for box, held in zip(boxes, kinds, strict=True) for kind in cards):
            fits.add(tuple(map(tuple, filled)))
    if not fits:
        with pytest.raises(ValueError, match="lie so"):
            Layer(cards, boxes)
        return
    layer: Layer[str] = Layer(cards, boxes)
    assert layer.exact
    stream = Stream(bytes(32), "sample", seed)
    seen = Counter(tuple(tuple(sorted(box)) for box in layer.lay(stream)) for _ in range(80 * len(fits)))
    assert set(seen) == fits
    assert not chances_differ(seen, len(fits))


def test_where_counting_is_given_up_a_walk_keeps_every_demand() -> None:
    rng = random.Random(1)
    cards = {kind: tuple(f"{kind} {copy}" for copy in range(8)) for kind in range(13)}
    boxes = [Box(4, frozenset(rng.sample(range(13), 3 + at % 3)), {at % 13: at % 2}) for at in range(11)]
    boxes = [Box(box.size, box.never - set(box.least), box.least) for box in boxes]
    boxes.append(Box(104 - 44))
    layer: Layer[str] = Layer(cards, boxes)
    assert not layer.exact
    firsts: Counter[tuple[str, ...]] = Counter()
    stream = Stream(bytes(32), "sample", 0)
    for _ in range(30):
        filled = layer.lay(stream)
        assert sorted(card for box in filled for card in box) == sorted(
            card for held in cards.values() for card in held
        )
        for box, held in zip(boxes, filled, strict=True):
            kinds = Counter(int(card.split()[0]) for card in held)
            assert len(held) == box.size
            assert all(box.takes(kind, kinds[kind]) for kind in cards)
        firsts[tuple(sorted(filled[0]))] += 1
    assert len(firsts) > 25


def test_what_cannot_lie_so_is_refused() -> None:
    for cards, boxes in (
        ({0: "a"}, [Box(2)]),
        ({0: "a"}, [Box(1, frozenset({0}))]),
        ({0: "a", 1: "b"}, [Box(1, frozenset(), {0: 1}), Box(1, frozenset(), {0: 1})]),
    ):
        with pytest.raises(ValueError, match=r"cards"):
            Layer(cards, boxes)


def test_large_numbers_are_drawn_evenly() -> None:
    stream = Stream(bytes(32), "sample", 1)
    bound = 3 * factorial(20)
    thirds = Counter(stream.under(bound) // factorial(20) for _ in range(3_000))
    assert not chances_differ(thirds, 3)
    assert {stream.under(1) for _ in range(5)} == {0}
