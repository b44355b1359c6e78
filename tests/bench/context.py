"""What the parts of a benchmark share: how long to measure, and the servers, each started when first asked for."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from tests.bench.figures import in_turn
from tests.bench.h2load import Load, Manner, Target, load
from tests.bench.servers import BUILD

Kept = TypeVar("Kept")


@dataclass
class Bench:
    """One run: `pairs` of so many `seconds` for each comparison, in which a warm-up comes before."""

    pairs: int
    seconds: float
    is_quick: bool
    minutes: float | None = None
    """How long memory is watched, where it is not as long as usual."""
    folder: Path = BUILD
    stack: ExitStack = field(default_factory=ExitStack)
    _kept: dict[str, Any] = field(default_factory=dict)

    def once(self, name: str, make: Callable[[], AbstractContextManager[Kept]]) -> Kept:
        """What is made when it is first asked for, and kept to the end of the run."""
        if name not in self._kept:
            self._kept[name] = self.stack.enter_context(make())
        return cast("Kept", self._kept[name])

    def loads(self, one: Target, other: Target, manner: Manner) -> tuple["Side", "Side"]:
        """Both loaded in turn, in the same manner."""
        number, others = self.number(one, manner), self.number(other, manner)
        ones, other_ones = in_turn(self.pairs, lambda: load(one, number, manner), lambda: load(other, others, manner))
        return Side.of(ones), Side.of(other_ones)

    def number(self, target: Target, manner: Manner) -> int:
        """How many requests take about as long as one measurement does, found while warming up."""
        number = manner.at_once
        for share in (0.1, 0.5, 1):
            rate = load(target, number, manner).rate / target.messages
            number = max(manner.at_once, int(rate * self.seconds * share))
        return number


@dataclass(frozen=True)
class Side:
    """One side of a comparison, run by run."""

    rates: tuple[float, ...]
    costs: tuple[float, ...]
    busy: float
    """The share of a processor that the load took, at its most."""

    @classmethod
    def of(cls, loads: list[Load]) -> "Side":
        """The runs of a load."""
        return cls(
            tuple(each.rate for each in loads), tuple(each.cost for each in loads), max(each.busy for each in loads)
        )
