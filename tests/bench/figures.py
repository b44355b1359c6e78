"""What a benchmark measures: pairs taken in turn, A B B A, and the ratios they give, against what they must be."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal, TypeVar

Taken = TypeVar("Taken")
Bound = Literal["at least", "at most"]
RATE: Final = "a second"
COST: Final = "µs of CPU"


@dataclass(frozen=True)
class Target:
    """What a ratio must be."""

    bound: Bound
    value: float

    def is_met(self, value: float) -> bool:
        """Whether a value is within it."""
        return value >= self.value if self.bound == "at least" else value <= self.value

    def __str__(self) -> str:
        return f"{self.bound} {self.value:g}"


@dataclass(frozen=True)
class Figure:
    """One line: ours and theirs in pairs, or why there are none. Without theirs it is a value and no ratio."""

    what: str
    target: Target | None = None
    unit: str = RATE
    ours: tuple[float, ...] = ()
    theirs: tuple[float, ...] = ()
    note: str = ""
    missing: str = ""
    """Why it could not be measured: not built, or not to be had here."""

    @property
    def ratios(self) -> list[float]:
        """Each pair's ratio, in order of size; the values themselves where there is nothing beside them."""
        if not self.theirs:
            return sorted(self.ours)
        return sorted(ours / theirs for ours, theirs in zip(self.ours, self.theirs, strict=True))

    @property
    def median(self) -> float:
        """The median of the ratios."""
        return median(self.ratios)

    @property
    def is_met(self) -> bool | None:
        """Whether the median is what it must be; None where nothing is asked or measured."""
        return None if self.target is None or self.missing else self.target.is_met(self.median)


def at_least(value: float) -> Target:
    """A ratio that must be so large."""
    return Target("at least", value)


def at_most(value: float) -> Target:
    """A ratio that must be no larger."""
    return Target("at most", value)


def in_turn(pairs: int, one: Callable[[], Taken], other: Callable[[], Taken]) -> tuple[list[Taken], list[Taken]]:
    """Each measured so many times: one other, other one, one other, ..."""
    ones, others = [], []
    for number in range(pairs):
        if number % 2:
            others.append(other())
            ones.append(one())
        else:
            ones.append(one())
            others.append(other())
    return ones, others


def shown(value: float) -> str:
    """A figure with as many digits as it is worth."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
