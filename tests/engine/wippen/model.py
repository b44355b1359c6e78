"""A second, plain Wippen: every set of cards and builds is tried, every split; for pots of about ten cards.

It shares nothing with the engine but cards and texts, so that the two can be compared.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any

from engine.cards import Card

RANK_VALUES = {"A": 1, "T": 10, "J": 11, "Q": 12, "K": 13} | {str(n): n for n in range(2, 10)}
SUIT_ORDER = "SHDC"
RANK_ORDER = "AKQJT98765432"


def value(card: Card) -> int:
    return RANK_VALUES[card[0]]


def joined(cards: Sequence[Card]) -> str:
    return ",".join(sorted(cards, key=lambda card: (SUIT_ORDER.index(card[1]), RANK_ORDER.index(card[0]))))


@dataclass(frozen=True)
class Built:
    """A build of the model."""

    number: int
    value: int
    owner: int
    groups: tuple[tuple[Card, ...], ...]


@dataclass(frozen=True)
class Spot:
    """A position of the model: seat 0 is to play. `options` are all of them, by the names callers use."""

    options: dict[str, Any]
    hand: tuple[Card, ...]
    layout: tuple[Card, ...]
    builds: tuple[Built, ...]
    memo: dict[Card, list[tuple[tuple[Card, ...], tuple[int, ...]]]] = field(default_factory=dict, compare=False)

    def number(self, card: Card) -> bool:
        return value(card) <= 10 or self.options["pictureValues"]

    @property
    def top(self) -> int:
        return 13 if self.options["pictureValues"] else 10


@cache
def falls_apart(values: tuple[int, ...], total: int) -> bool:
    """Whether some way of splitting all the values makes groups of this total."""
    if not values:
        return True
    if sum(values) % total:
        return False
    first, rest = values[0], values[1:]
    for size in range(len(rest) + 1):
        for chosen in combinations(range(len(rest)), size):
            if first + sum(rest[at] for at in chosen) == total:
                left = tuple(number for at, number in enumerate(rest) if at not in chosen)
                if falls_apart(left, total):
                    return True
    return False


def subsets(cards: Sequence[Card]) -> Iterator[tuple[Card, ...]]:
    """Every different set of the cards, equal cards being equal."""
    seen = set()
    for size in range(len(cards) + 1):
        for chosen in combinations(cards, size):
            key = tuple(sorted(chosen))
            if key not in seen:
                seen.add(key)
                yield key


def captures(spot: Spot, card: Card) -> list[tuple[tuple[Card, ...], tuple[int, ...]]]:
    """What the card can take, whatever is owed."""
    if card not in spot.memo:
        spot.memo[card] = _captures(spot, card)
    return spot.memo[card]


def _captures(spot: Spot, card: Card) -> list[tuple[tuple[Card, ...], tuple[int, ...]]]:
    options = spot.options
    v = value(card)
    found: list[tuple[tuple[Card, ...], tuple[int, ...]]] = []
    if not spot.number(card):
        equal = [other for other in spot.layout if value(other) == v]
        found = [(taken, ()) for taken in subsets(equal) if taken]
        allowed: Callable[[int], bool] = {
            "one": lambda n: n == 1,
            "oneOrThree": lambda n: n in (1, 3),
            "any": lambda n: n > 0,
            "all": lambda n: n == len(equal),
        }[options["pictureCapture"]]
        found = [(taken, builds) for taken, builds in found if allowed(len(taken))]
    else:
        open_numbers = [other for other in spot.layout if spot.number(other) and value(other) <= v]
        usable = [build for build in spot.builds if build.value == v or (build.value < v and in_sum(spot, build))]
        for taken in subsets(open_numbers):
            for size in range(len(usable) + 1):
                for builds in combinations(usable, size):
                    values = tuple(sorted([value(c) for c in taken] + [build.value for build in builds], reverse=True))
                    if not values or sum(values) % v or not falls_apart(values, v):
                        continue
                    if (options["multiCapture"] == "single" or not options["adding"]) and sum(values) != v:
                        continue
                    if not options["adding"] and values != (v,):
                        continue
                    found.append((taken, tuple(build.number for build in builds)))
    if options["captureChoice"] == "maximal":
        found = [one for one in found if not any(contains(other, one) for other in found)]
    return found


def contains(large: tuple[tuple[Card, ...], tuple[int, ...]], small: tuple[tuple[Card, ...], tuple[int, ...]]) -> bool:
    """Whether one capture takes all that another does, and more."""
    return large != small and Counter(small[0]) <= Counter(large[0]) and set(small[1]) <= set(large[1])


def in_sum(spot: Spot, build: Built) -> bool:
    rule = spot.options["buildInSum"]
    return rule == "all" or (rule == "double" and len(build.groups) > 1)


def legal(spot: Spot) -> set[str]:
    """The texts of all legal moves."""
    found: set[str] = set()
    for card in set(spot.hand):
        rest = list(spot.hand)
        rest.remove(card)
        for words, builds, touched, made in tried(spot, card):
            if owed(spot, words, touched) and held(spot, rest, builds, made):
                found.add(words)
        if lays(spot, card):
            found.add(f"trail {card}")
    return found


Tried = tuple[str, list[tuple[int, int]], set[int], int | None]


def tried(spot: Spot, card: Card) -> Iterator[Tried]:
    """Captures, builds, extensions, raises.

    Each with its text, owner and value of each build after it, the builds touched, the value made.
    """
    for taken, builds in captures(spot, card):
        words = f"capture {card}"
        words += f" take {joined(taken)}" if taken else ""
        words += f" builds {','.join(map(str, sorted(builds)))}" if builds else ""
        after = [(build.owner, build.value) for build in spot.builds if build.number not in builds]
        yield words, after, set(builds), None
    if not spot.number(card) or not spot.options["building"]:
        return
    a = value(card)
    numbers = [other for other in spot.layout if spot.number(other)]
    before = [(build.owner, build.value) for build in spot.builds]
    for taken in subsets(numbers):
        total = a + sum(map(value, taken))
        for v in range(1, spot.top + 1):
            if taken and total % v == 0 and groups_made(spot, (a, *map(value, taken)), v):
                yield f"build {card} cards {joined(taken)} value {v}", [*before, (0, v)], set(), v
        for build in spot.builds:
            others = [(other.owner, other.value) for other in spot.builds if other is not build]
            extra = f" cards {joined(taken)}" if taken else ""
            if extends(spot, build, total):
                words = f"extend {card} build {build.number}{extra}"
                yield words, [*others, (0, build.value)], {build.number}, build.value
            for v in range(1, spot.top + 1):
                if raises(spot, build, a, tuple(map(value, taken)), v):
                    words = f"raise {card} build {build.number}{extra} value {v}"
                    yield words, [*others, (0, v)], {build.number}, v


def groups_made(spot: Spot, values: tuple[int, ...], v: int) -> int:
    """How many groups of v the values make under what is agreed; 0 where they make none."""
    if sum(values) % v or not falls_apart(tuple(sorted(values, reverse=True)), v):
        return 0
    number = sum(values) // v
    if number > 1 and (not spot.options["doubleBuilding"] or v > 10):
        return 0
    if number > 2 and spot.options["maxGroups"] == 2:
        return 0
    return number


def extends(spot: Spot, build: Built, total: int) -> bool:
    options = spot.options
    return (
        options["doubleBuilding"]
        and build.value <= 10
        and total == build.value
        and (build.owner == 0 or options["extendForeign"])
        and (len(build.groups) == 1 or options["maxGroups"] == 0)
    )


def raises(spot: Spot, build: Built, a: int, others: tuple[int, ...], v: int) -> bool:
    options = spot.options
    if not options["raising"] or len(build.groups) > 1 or (build.owner == 0 and not options["raiseOwn"]):
        return False
    if not others:
        return build.value + a == v
    return bool(options["raiseWithOpen"] and groups_made(spot, (build.value + a, *others), v))


def owed(spot: Spot, words: str, touched: set[int]) -> bool:
    """Whether the move sees to the own build."""
    rule = spot.options["buildObligation"]
    own = {build.number for build in spot.builds if build.owner == 0}
    if not own or rule in ("none", "noTrail"):
        return True
    return own <= touched and (rule == "resolve" or words.startswith("capture"))


def held(spot: Spot, rest: list[Card], after: list[tuple[int, int]], made: int | None) -> bool:
    """Whether the rest of the hand holds what it must."""
    values = Counter(map(value, rest))
    if made is not None and not values[made]:
        return False
    if spot.options["buildObligation"] == "none":
        return True
    needs = Counter(v for owner, v in after if owner == 0)
    if spot.options["multiCapture"] != "single":
        needs = Counter(dict.fromkeys(needs, 1))
    return needs <= values


def lays(spot: Spot, card: Card) -> bool:
    """Whether the card may be laid."""
    options = spot.options
    if options["buildObligation"] != "none" and any(build.owner == 0 for build in spot.builds):
        return False
    bound = {"off": [], "card": [card], "hand": list(spot.hand)}[options["forcedCapture"]]
    if options["forcedScope"] == "rank":
        return not any(value(each) == value(other) for each in bound for other in spot.layout)
    return not any(captures(spot, each) for each in bound)


# --- random positions

CHOICES: dict[str, tuple[Any, ...]] = {
    "packs": (1, 2),
    "adding": (True, True, True, True, False),
    "building": (True, True, True, False),
    "raising": (True, True, False),
    "doubleBuilding": (True, True, False),
    "forcedCapture": ("hand", "card", "off"),
    "forcedScope": ("any", "rank"),
    "multiCapture": ("any", "any", "single"),
    "captureChoice": ("free", "free", "maximal"),
    "pictureCapture": ("one", "oneOrThree", "any", "all"),
    "pictureValues": (False, False, True),
    "buildInSum": ("none", "double", "all"),
    "buildObligation": ("resolve", "noTrail", "capture", "none"),
    "raiseOwn": (True, False),
    "extendForeign": (True, False),
    "raiseWithOpen": (False, True),
    "maxGroups": (2, 0),
}


def random_choices(rng: random.Random) -> dict[str, Any]:
    """Options drawn at random, half of them left at their defaults."""
    return {name: rng.choice(values) for name, values in CHOICES.items() if rng.random() < 0.5}


def random_group(rng: random.Random, free: Counter[Card], v: int, top: int) -> tuple[Card, ...] | None:
    """Cards that total v, taken out of those free; None where the draw does not come out."""
    group: list[Card] = []
    left = v
    while left:
        fitting = [card for card in free if free[card] > 0 and value(card) <= min(left, top)]
        if not fitting:
            free.update(group)
            return None
        card = rng.choice(fitting)
        group.append(card)
        free[card] -= 1
        left -= value(card)
    return tuple(group)


def random_spot(rng: random.Random, options: dict[str, Any], pack: Sequence[Card]) -> Spot:
    """A position of up to ten open cards, with builds, low cards being likelier."""
    free = Counter(pack)
    top = 13 if options["pictureValues"] else 10
    builds: list[Built] = []
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3)) if options["building"] else 0):
        v = rng.randint(2, top)
        several = options["doubleBuilding"] and v <= 10 and rng.random() < 0.4
        number = (2 if rng.random() < 0.7 or options["maxGroups"] else 3) if several else 1
        groups = [random_group(rng, free, v, top) for _ in range(number)]
        made = tuple(group for group in groups if group)
        if sum(map(len, made)) < 2:
            free.update(card for group in made for card in group)
            continue
        builds.append(Built(len(builds) + 1, v, rng.choice((0, 1, 1, 2)), made))
    low = rng.random() < 0.6
    hand = draw(rng, free, rng.randint(1, 4), low=low)
    layout = draw(rng, free, rng.randint(0, 10), low=low)
    return Spot(options, hand, layout, tuple(builds))


def draw(rng: random.Random, free: Counter[Card], number: int, *, low: bool) -> tuple[Card, ...]:
    drawn = []
    for _ in range(number):
        there = [card for card in free if free[card] > 0]
        weights = [3.0 if low and value(card) <= 5 else 1.0 for card in there]
        (card,) = rng.choices(there, weights)
        free[card] -= 1
        drawn.append(card)
    return tuple(drawn)
