"""The engine against the plain model: the same legal moves, groups and shapes, listed and judged, on random positions.

`WIPPEN_LAYOUTS` says how many positions; the default run takes a fraction of the 20,000 of a full one.
"""

import os
import random
from collections import Counter
from typing import Any

import msgspec
import pytest

from engine.cards import Card
from engine.game import Query, legal_moves
from engine.games.wippen import WIPPEN, WippenState
from engine.games.wippen.plan import plan_of
from engine.mechanics.builds import LayoutBuild
from engine.violations import ImpossibleState, Malformed
from tests.engine.wippen import model
from tests.engine.wippen.positions import EVERYTHING, legal, options, position, verdict

LAYOUTS = int(os.environ.get("WIPPEN_LAYOUTS", "240"))
PARTS = 4


def named(chosen: Any) -> dict[str, Any]:
    """All options, by the names callers use."""
    told: dict[str, Any] = msgspec.to_builtins(chosen)
    return told


def pairs(rng: random.Random) -> tuple[model.Spot, WippenState] | None:
    """A random position, and the same as a state; None where the draw can be none."""
    choices = model.random_choices(rng)
    try:
        chosen = options(choices)
    except Malformed:
        return None
    spot = model.random_spot(rng, named(chosen), plan_of(chosen, 3 if chosen.packs == 1 else 6).cards)
    builds = [
        LayoutBuild(id=built.number, value=built.value, owner=built.owner, groups=built.groups) for built in spot.builds
    ]
    try:
        return spot, position(spot.hand, spot.layout, builds, **choices)
    except (ImpossibleState, AssertionError, StopIteration):
        return None


def mutated(rng: random.Random, words: str, spot: model.Spot) -> str:
    """A move like this one, with a card, a build or a value changed."""
    parts = words.split(" ")
    cards = [*spot.layout, *spot.hand] or [Card("AS")]
    for at, part in enumerate(parts[:-1]):
        if at < 2:
            continue
        if part in ("take", "cards") and rng.random() < 0.7:
            named_cards = parts[at + 1].split(",")
            if rng.random() < 0.5 and len(named_cards) > 1:
                named_cards.pop(rng.randrange(len(named_cards)))
            else:
                named_cards.append(str(rng.choice(cards)))
            parts[at + 1] = model.joined([Card(name) for name in named_cards])
        elif part == "value" and rng.random() < 0.5:
            parts[at + 1] = str(rng.randint(1, 13))
        elif part in ("builds", "build") and rng.random() < 0.5:
            parts[at + 1] = str(rng.randint(1, 3))
    if rng.random() < 0.3:
        parts[1] = str(rng.choice(cards))
    return " ".join(parts)


def outsiders(rng: random.Random, spot: model.Spot, found: set[str]) -> set[str]:
    """Moves to judge beside the legal ones."""
    tried = {mutated(rng, rng.choice(sorted(found)), spot) for _ in range(12)} if found else set()
    for card in spot.hand:
        taken = rng.sample(spot.layout, rng.randint(0, min(4, len(spot.layout))))
        builds = f" builds {rng.randint(1, 3)}" if rng.random() < 0.3 else ""
        tried.add(f"capture {card}" + (f" take {model.joined(taken)}" if taken else "") + builds)
        tried.add(f"trail {card}")
        value = rng.randint(1, 13)
        if taken:
            tried.add(f"build {card} cards {model.joined(taken)} value {value}")
        extra = f" cards {model.joined(taken)}" if taken else ""
        tried.add(f"extend {card} build {rng.randint(1, 3)}{extra}")
        tried.add(f"raise {card} build {rng.randint(1, 3)}{extra} value {value}")
    return tried


def check_tiers(spot: model.Spot, state: WippenState, found: set[str]) -> None:
    """Shapes count just the legal captures; groups are those that total the card's value."""
    shapes = legal_moves_of(state, "shapes")
    expected: Counter[tuple[str, tuple[int, ...]]] = Counter()
    values = {built.number: built.value for built in spot.builds}
    for words in found:
        if words.startswith("capture"):
            parts = words.split(" ")
            named_parts = dict(zip(parts[2::2], parts[3::2], strict=True))
            taken = [model.value(Card(name)) for name in named_parts.get("take", "").split(",") if name]
            taken += [values[int(name)] for name in named_parts.get("builds", "").split(",") if name]
            counted = Counter(taken)
            expected[(parts[1], tuple(counted[value] for value in range(1, 14)))] += 1
    assert {(str(shape.card), shape.taken): shape.ways for shape in shapes.shapes or ()} == dict(expected)
    assert shapes.total == len(expected)
    groups = legal_moves_of(state, "groups").groups or ()
    able = {card for card, _ in expected}
    single = model.Spot(
        spot.options | {"multiCapture": "single", "captureChoice": "free", "pictureCapture": "one"},
        spot.hand,
        spot.layout,
        spot.builds,
    )
    whole = {
        (str(card), tuple(sorted(taken)), tuple(sorted(builds)))
        for card in set(spot.hand)
        if str(card) in able
        for taken, builds in model.captures(single, card)
    }
    listed = [(str(group.card), tuple(sorted(group.cards)), group.builds) for group in groups]
    assert len(listed) == len(set(listed))
    assert set(listed) == whole


def legal_moves_of(state: WippenState, tier: str) -> Any:
    return legal_moves(WIPPEN, state, None, Query(limit=100_000, tier=tier))


def check_pages(state: WippenState, rng: random.Random) -> None:
    """Pages of any size make up the whole list, in its order."""
    whole = [entry.text for entry in legal_moves(WIPPEN, state, None, EVERYTHING).moves]
    limit = rng.randint(1, 7)
    found: list[str] = []
    cursor = None
    while True:
        page = legal_moves(WIPPEN, state, None, Query(limit=limit, cursor=cursor))
        assert len(page.moves) <= limit
        assert page.total == len(whole)
        found += [entry.text for entry in page.moves]
        cursor = page.cursor
        assert page.truncated == (cursor is not None)
        if cursor is None:
            break
    assert found == whole


@pytest.mark.parametrize("part", range(PARTS))
def test_the_same_moves_as_the_plain_model(part: int) -> None:
    rng = random.Random(f"wippen {part}")
    done = 0
    while done < LAYOUTS // PARTS:
        drawn = pairs(rng)
        if drawn is None:
            continue
        done += 1
        spot, state = drawn
        found = legal(state)
        expected = model.legal(spot)
        assert found == expected, (spot, found ^ expected)
        for words in outsiders(rng, spot, found) | found:
            assert (verdict(state, words) == "OK") == (words in expected), (spot, words)
        if rng.random() < 0.3:
            check_tiers(spot, state, found)
            check_pages(state, rng)
