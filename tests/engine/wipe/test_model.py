"""Le Wipe against the brute-force model: random positions of up to ten things, every option, both directions.

MODEL_POSITIONS sets how many; the full run is 20,000.
"""

import os
import random
from typing import Any, get_args, get_type_hints

import pytest

from engine.cards import PACK, AnyCard, Card
from engine.game import Query, begin, judge, legal_moves, play
from engine.games.wipe import WIPE, WipeHeap, WipeOptions, WipeState, WipeTrick
from engine.mechanics.builds import LayoutBuild
from engine.mechanics.layout import value_of
from engine.moves import Build, Capture, Extend, Move, Raise, Trail, text
from engine.violations import ImpossibleState
from tests.engine import kit
from tests.engine.wipe.model import Model
from tests.engine.wipe.positions import position
from tests.engine.wipe.test_kit import SUBJECT, VARIANTS
from tests.engine.wipe.test_play import manners

POSITIONS = int(os.environ.get("MODEL_POSITIONS", "1000"))
PARTS = 10
EVERYTHING = 100_000
IN_PLAY = (
    *("forced_capture", "picture_values", "picture_capture", "multi_capture", "steal", "steal_alone", "steal_limit"),
    *("piles", "crossing", "building", "raising", "double_building", "build_layout_cards", "build_in_sum"),
    "build_obligation",
)
NEEDS_STEAL = ("steal_alone", "steal_limit", "crossing")
NEEDS_BUILDING = ("double_building", "build_layout_cards", "build_in_sum", "build_obligation")


OPTION_VALUES: dict[str, tuple[Any, ...]] = {
    name: (True, False) if hint is bool else get_args(hint) for name, hint in get_type_hints(WipeOptions).items()
}


def values_of(name: str) -> tuple[Any, ...]:
    """An option's values."""
    return OPTION_VALUES[name]


def chosen_options(rng: random.Random) -> dict[str, Any]:
    """Options of which each but a few is at its default as often as not."""
    chosen = {name: rng.choice(values_of(name)) for name in IN_PLAY if rng.random() < 0.5}
    if rng.random() < 0.85:
        chosen["steal"] = chosen["building"] = True
    for name in NEEDS_STEAL if not chosen.get("steal", True) else ():
        chosen.pop(name, None)
    for name in NEEDS_BUILDING if not chosen.get("building", True) else ():
        chosen.pop(name, None)
    return chosen


class Dealer:
    """Cards of a pack, as a position needs them."""

    def __init__(self, rng: random.Random, chosen: dict[str, Any]) -> None:
        self.rng = rng
        self.chosen = chosen
        self.left = list(PACK)
        rng.shuffle(self.left)
        if rng.random() < 0.6:
            self.left.sort(key=lambda card: value_of(card) > rng.randrange(5, 11))

    def any(self) -> Card:
        return self.left.pop(0)

    def of(self, value: int) -> Card | None:
        found = next((card for card in self.left if value_of(card) == value), None)
        if found is not None:
            self.left.remove(found)
        return found

    def group(self, value: int, alone: int = 0) -> list[Card] | None:
        """Two cards that make a value, or one, or those that are left of it."""
        small = 0 if alone and self.rng.random() < 0.4 else self.rng.randrange(1, value) if value > 1 else 0
        found = [self.of(part) for part in (small, value - small) if part]
        return None if None in found else [card for card in found if card is not None]

    def trick(self, seat: int) -> WipeTrick | None:
        by = self.any()
        numeral = value_of(by) <= 10 or self.chosen.get("picture_values", False)
        others = self.group(value_of(by), alone=1) if numeral else [card for card in [self.of(value_of(by))] if card]
        if not others:
            return None
        return WipeTrick(by=by, cards=(by, *others), seat=seat)

    def heap(self, seats: list[int]) -> WipeHeap:
        tricks = []
        for _ in range(self.rng.choice((0, 1, 1, 2, 2))):
            made = self.trick(self.rng.choice(seats))
            tricks += [made] if made else []
        if tricks and self.chosen.get("crossing") == "declared" and seats[0] and self.rng.random() < 0.6:
            at = self.rng.randrange(len(tricks))
            tricks[at] = WipeTrick(by=tricks[at].by, cards=tricks[at].cards, seat=tricks[at].seat, crossed=False)
        return WipeHeap(tricks=tuple(tricks))

    def build(self, number: int, hand: list[Card]) -> LayoutBuild | None:
        top = 13 if self.chosen.get("picture_values") else 10
        groups = [self.group(self.rng.choice([value_of(card) for card in hand if 1 < value_of(card) <= top] or [5]))]
        if groups[0] is None or len(groups[0]) < 2:
            return None
        value = sum(map(value_of, groups[0]))
        if self.chosen.get("double_building") and self.rng.random() < 0.4:
            groups.append(self.group(value, alone=1))
        owners: list[int | None] = [None, 0]
        if self.chosen.get("build_obligation", "none") == "none":
            owners.append(1)
        if None in groups:
            return None
        made = tuple(tuple(group) for group in groups if group)
        return LayoutBuild(id=number, value=value, owner=self.rng.choice(owners), groups=made)


def random_position(rng: random.Random) -> WipeState | None:
    """A position of at most ten things; None where the dice made an impossible one."""
    chosen = chosen_options(rng)
    dealer = Dealer(rng, chosen)
    places = rng.choice((2, 2, 3, 4, 4))
    hand = [dealer.any() for _ in range(rng.randrange(1, 4))]
    builds = [made for number in range(rng.choice((0, 0, 1, 1, 2))) if (made := dealer.build(number + 3, hand))]
    first = value_of(hand[0])
    wanted = [made.value for made in builds] + [first + made.value for made in builds] + [first, first + 1, first + 2]
    helping = dealer.of(rng.choice(wanted)) if rng.random() < 0.7 else None
    hand += [helping] if helping else []
    by_player = chosen.get("piles") == "player" or places == 3
    number_of_heaps = places if by_player else 2
    heaps = {
        index: dealer.heap([index] if by_player else list(range(index, places, 2))) for index in range(number_of_heaps)
    }
    victims = sum(1 for heap in heaps.values() if heap.tricks)
    most = 10 - len(builds) - victims
    layout = [dealer.any() for _ in range(min(most, rng.randrange(0, 9)))]
    try:
        return position(" ".join(hand), " ".join(layout), builds=builds, heaps=heaps, places=places, **chosen)
    except (ValueError, ImpossibleState):
        return None


def compared(state: WipeState, rng: random.Random, seat: int = 0) -> None:
    """The legal set, its tiers, and judgements of moves legal and not, are those of the model."""
    model = Model(state, seat)
    expected = model.legal()
    found = legal_moves(WIPE, state, seat, Query(limit=EVERYTHING))
    listed = [entry.text for entry in found.moves if not entry.text.startswith("close")]
    assert len(listed) == len(set(listed))
    assert set(listed) == expected
    assert all(judge(WIPE, state, entry.move, seat) is None for entry in found.moves)
    for move in strangers(state, model, rng):
        assert (judge(WIPE, state, move, seat) is None) == (text(move) in expected), text(move)
    for card in state.hands[seat].cards:
        shapes = legal_moves(WIPE, state, seat, Query(limit=EVERYTHING, tier="shapes", card=AnyCard(card)))
        told = {(shape.taken, shape.stolen_from): shape.ways for shape in shapes.shapes or ()}
        assert told == dict(model.shapes(card))
        assert shapes.total == len(told)
        groups = legal_moves(WIPE, state, seat, Query(limit=EVERYTHING, tier="groups", card=AnyCard(card)))
        assert groups.total == len(groups.groups or ()) == model.groups(card)


def strangers(state: WipeState, model: Model, rng: random.Random) -> list[Move]:
    """Moves that name what lies there, most of them illegal."""
    takes = model.takes()
    subsets = list(model.subsets())
    found: list[Move] = []
    for card in state.hands[model.seat].cards:
        found.append(Trail(card))
        for take in rng.sample(takes, min(25, len(takes))):
            cards = tuple(map(Card, take.cards))
            found.append(Capture(card, cards, take.builds, take.tricks, heaps=take.heaps))
        for added in rng.sample(subsets, min(8, len(subsets))):
            cards = tuple(map(Card, added))
            total = sum(map(value_of, (card, *cards)))
            values = {value for value in (total, total // 2, rng.randrange(1, 14)) if value <= 13}
            found += [Build(card, cards, value) for value in values]
            found += [Extend(card, number, cards) for number in model.builds]
        for number, build in model.builds.items():
            found += [Raise(card, number, value) for value in range(build.value, 14)]
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_the_engine_and_the_model_agree(part: int) -> None:
    rng = random.Random(f"le wipe {part}")
    done = tried = 0
    while done < POSITIONS // PARTS:
        tried += 1
        state = random_position(rng)
        if state is not None:
            compared(state, rng)
            done += 1
    assert tried < 4 * done


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_model_follows_whole_rounds(variant: str) -> None:
    """Every seat's turns in a round as it is played, as long as the model can."""
    rng = random.Random(variant)
    state = begin(WIPE, kit.setup_of(SUBJECT, variant, "the model follows")).state
    followed = 0
    while state.rounds == 1 and state.to_act is not None:
        seat = state.to_act.seat
        moves = [entry.move for entry in legal_moves(WIPE, state, seat, Query(limit=EVERYTHING)).moves]
        if state.phase == "play" and len(state.layout) + len(state.builds) + len(state.hands) <= 13:
            compared(state, rng, seat)
            followed += 1
        wanted = (Capture, Build, Extend, Raise)
        taking = [move for move in moves if isinstance(move, wanted)]
        move = rng.choice(taking if taking and rng.random() < 0.9 else moves)
        state = play(WIPE, state, manners(state, move, rng), seat).state
    assert followed > 8


def test_every_value_of_every_option_in_play_is_tried() -> None:
    rng = random.Random(1)
    seen = {(name, value) for _ in range(300) for name, value in chosen_options(rng).items()}
    assert seen == {(name, value) for name in IN_PLAY for value in values_of(name)}
