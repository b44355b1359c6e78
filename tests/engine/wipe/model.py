"""The plainest model of a turn of Le Wipe: every subset of what lies there, every way to split it. For about ten items.

It knows nothing of the engine but its cards, moves and texts.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from engine.cards import Card
from engine.games.wipe import WipeState
from engine.moves import Build, Capture, Extend, Move, Raise, Trail, text

VALUES = dict(zip("A23456789TJQK", range(1, 14), strict=True))


def worth(card: str) -> int:
    return VALUES[card[0]]


@cache
def splits(values: tuple[int, ...], total: int) -> bool:
    """Whether the values, all of them, fall apart into groups of this total."""
    if not values:
        return True
    first, rest = values[0], values[1:]
    for chosen in product((False, True), repeat=len(rest)):
        if first + sum(value for value, is_in in zip(rest, chosen, strict=True) if is_in) == total:
            others = tuple(value for value, is_in in zip(rest, chosen, strict=True) if not is_in)
            if splits(others, total):
                return True
    return False


@dataclass(frozen=True)
class Take:
    """One thing taken or more: what a capture names, and what each thing counts, as (rank, value)."""

    cards: tuple[str, ...]
    builds: tuple[int, ...]
    tricks: tuple[int, ...]
    heaps: tuple[int, ...]
    things: tuple[tuple[str, int], ...]


class Model:
    """A turn of a seat."""

    def __init__(self, state: WipeState, seat: int = 0) -> None:
        options: Any = state.options
        self.seat = seat
        self.options = options
        self._takes: list[Take] = []
        self._captures: dict[str, list[Take]] = {}
        self.hand = [str(card) for card in state.hands[seat].cards]
        self.open = [str(card) for card in state.layout]
        self.builds = {build.id: build for build in state.builds}
        self.ceiling = 13 if options.picture_values else 10
        teams = len(state.hands) > 3
        self.victims: dict[int, tuple[str, bool]] = {}
        for index, heap in enumerate(state.heaps):
            mine = index % 2 == seat % 2 if teams else index == seat
            if options.steal and not mine and heap.tricks:
                loose = any(not trick.crossed for trick in heap.tricks) and len(heap.tricks) > 1
                self.victims[index] = (str(heap.tricks[-1].by), loose)
        self.kings = {
            index: [[str(card) for card in trick.cards] for trick in heap.tricks]
            for index, heap in enumerate(state.heaps)
        }

    def counts(self, card: str) -> bool:
        return self.options.picture_values or card[0] not in "JQK"

    # --- what can be named

    def takes(self) -> list[Take]:
        """Every set of things that lie there, the empty one too."""
        if not self._takes:
            self._takes = list(self._made())
        return self._takes

    def _made(self) -> Iterator[Take]:
        choices: list[list[Take]] = [
            [Take((), (), (), (), ()), Take((card,), (), (), (), ((card[0], worth(card)),))] for card in self.open
        ]
        choices += [
            [Take((), (), (), (), ()), Take((), (number,), (), (), (("build", build.value),))]
            for number, build in self.builds.items()
        ]
        for heap, (by, loose) in self.victims.items():
            thing = ((by[0], worth(by)),)
            ways = [Take((), (), (), (), ()), Take((), (), (heap,), (), thing)]
            if loose:
                ways.append(Take((), (), (), (heap,), thing))
            choices.append(ways)
        for parts in product(*choices):
            yield Take(
                tuple(card for part in parts for card in part.cards),
                tuple(number for part in parts for number in part.builds),
                tuple(heap for part in parts for heap in part.tricks),
                tuple(heap for part in parts for heap in part.heaps),
                tuple(thing for part in parts for thing in part.things),
            )

    # --- what is owed

    def mine(self, without: tuple[int, ...] = ()) -> list[Any]:
        if self.options.build_obligation == "none":
            return []
        return [build for number, build in self.builds.items() if build.owner == self.seat and number not in without]

    def keeps(self, card: str, values: list[int]) -> bool:
        """Whether the hand, without a card, still has a holding card for builds of these values."""
        rest = Counter(worth(held) for held in self.hand if held != card)
        owed = Counter(values)
        if self.options.multi_capture == "any":
            owed = Counter(set(values))
        return all(rest[value] >= number for value, number in owed.items())

    def due(self) -> int | None:
        if self.options.build_obligation in ("resolve", "capture") and self.mine():
            return int(self.mine()[0].id)
        return None

    # --- captures

    def may_take(self, card: str, take: Take) -> bool:
        options = self.options
        stolen = len(take.tricks) + len(take.heaps)
        if not take.things or (stolen > 1 and options.steal_limit == "onePerMove"):
            return False
        if stolen == len(take.things) and not options.steal_alone:
            return False
        if not (self.adds_up(card, take) if self.counts(card) else self.matches(card, take)):
            return False
        if self.due() is not None and self.due() not in take.builds:
            return False
        return self.keeps(card, [build.value for build in self.mine(take.builds)])

    def adds_up(self, card: str, take: Take) -> bool:
        value = worth(card)
        if any(rank in "JQK" for rank, _ in take.things if rank != "build") and not self.options.picture_values:
            return False
        if self.options.build_in_sum == "none" and any(
            rank == "build" and number != value for rank, number in take.things
        ):
            return False
        numbers = sorted(number for _, number in take.things)
        if max(numbers) > value or sum(numbers) % value:
            return False
        return sum(numbers) == value if self.options.multi_capture == "single" else splits(tuple(numbers), value)

    def matches(self, card: str, take: Take) -> bool:
        if any(rank != card[0] for rank, _ in take.things):
            return False
        match self.options.picture_capture:
            case "one":
                return len(take.things) == 1
            case "oneOrThree":
                won = list(take.cards)
                for heap in take.tricks:
                    won += self.kings[heap][-1]
                for heap in take.heaps:
                    won += [each for trick in self.kings[heap] for each in trick]
                return len(take.things) == 1 or sum(each[0] == card[0] for each in won) == 3
            case "any":
                return True
        there = [each for each in self.open if each[0] == card[0]]
        there += [by for by, _ in self.victims.values() if by[0] == card[0]]
        return len(take.things) == len(there)

    def captures(self, card: str) -> list[Take]:
        if card not in self._captures:
            self._captures[card] = [take for take in self.takes() if self.may_take(card, take)]
        return self._captures[card]

    # --- builds

    def may_build(self, card: str, added: tuple[str, ...], value: int) -> bool:
        options = self.options
        if sum(worth(each) for each in (card, *added)) not in (value, 2 * value):
            return False
        if not options.building or not added or value > self.ceiling or self.due() is not None:
            return False
        if not all(self.counts(each) for each in (card, *added)):
            return False
        numbers = [worth(each) for each in (card, *added)]
        double = sum(numbers) == 2 * value and max(numbers) <= value and splits(tuple(sorted(numbers)), value)
        if sum(numbers) != value and not (double and options.double_building):
            return False
        if options.build_layout_cards == "one" and len(added) > 1:
            return False
        return self.leaves(card, value, [*(build.value for build in self.mine())])

    def leaves(self, card: str, value: int, others: list[int]) -> bool:
        """Whether a build of a value may be left, beside the own others."""
        rest = [worth(held) for held in self.hand if held != card]
        if value not in rest:
            return False
        return self.options.build_obligation == "none" or self.keeps(card, [*others, value])

    def may_extend(self, card: str, number: int, added: tuple[str, ...]) -> bool:
        options, build = self.options, self.builds[number]
        if not (options.building and options.double_building) or len(build.groups) > 1:
            return False
        if not all(self.counts(each) for each in (card, *added)) or not self.frees(number):
            return False
        if sum(worth(each) for each in (card, *added)) != build.value:
            return False
        if options.build_layout_cards == "one" and added:
            return False
        return self.leaves(card, build.value, [each.value for each in self.mine((number,))])

    def may_raise(self, card: str, number: int, value: int) -> bool:
        options, build = self.options, self.builds[number]
        if not (options.building and options.raising) or len(build.groups) > 1 or not self.counts(card):
            return False
        if not self.frees(number) or build.value + worth(card) != value or value > self.ceiling:
            return False
        return self.leaves(card, value, [each.value for each in self.mine((number,))])

    def frees(self, number: int) -> bool:
        """Whether working on this build is what is due, or nothing is."""
        return self.due() is None or (self.due() == number and self.options.build_obligation == "resolve")

    # --- laying down

    def may_trail(self, card: str) -> bool:
        if self.mine():
            return False
        forced = self.options.forced_capture
        if forced == "off":
            return True
        return not any(self.captures(each) for each in (self.hand if forced == "hand" else [card]))

    # --- all

    def moves(self) -> Iterator[Move]:
        for name in self.hand:
            card = Card(name)
            for take in self.captures(name):
                cards = tuple(map(Card, take.cards))
                yield Capture(card, cards, take.builds, take.tricks, heaps=take.heaps)
            for added in self.subsets():
                cards = tuple(map(Card, added))
                total = sum(worth(each) for each in (name, *added))
                for value in {total, total // 2}:
                    if self.may_build(name, added, value):
                        yield Build(card, cards, value)
                for number in self.builds:
                    if self.may_extend(name, number, added):
                        yield Extend(card, number, cards)
            for number in self.builds:
                for value in range(1, 14):
                    if self.may_raise(name, number, value):
                        yield Raise(card, number, value)
            if self.may_trail(name):
                yield Trail(card)

    def subsets(self) -> Iterator[tuple[str, ...]]:
        for chosen in product((False, True), repeat=len(self.open)):
            yield tuple(card for card, is_in in zip(self.open, chosen, strict=True) if is_in)

    def legal(self) -> set[str]:
        return {text(move) for move in self.moves()}

    def shapes(self, card: str) -> Counter[tuple[tuple[int, ...], int | None]]:
        """The captures by what they count, and where one heap only can be stolen from, by that heap."""
        found: Counter[tuple[tuple[int, ...], int | None]] = Counter()
        apart = self.options.steal_limit == "onePerMove"
        for take in self.captures(card):
            counted = Counter(value for _, value in take.things)
            heap = next(iter((*take.tricks, *take.heaps)), None) if apart else None
            found[tuple(counted[value] for value in range(1, 14)), heap] += 1
        return found

    def groups(self, card: str) -> int:
        """How many sets of things are just one group, where the card can capture; whatever else is owed."""
        found = 0
        if not self.captures(card):
            return 0
        for take in self.takes():
            stolen = len(take.tricks) + len(take.heaps)
            if not take.things or (stolen > 1 and self.options.steal_limit == "onePerMove"):
                continue
            if not self.counts(card):
                found += len(take.things) == 1 and take.things[0][0] == card[0]
            elif self.options.picture_values or not any(rank in "JQK" for rank, _ in take.things if rank != "build"):
                plain = self.options.build_in_sum == "all" or all(
                    rank != "build" or value == worth(card) for rank, value in take.things
                )
                found += plain and sum(value for _, value in take.things) == worth(card)
        return found
