"""What the checks of all games are written with: ImpossibleState is raised where something does not hold."""

from collections.abc import Callable
from typing import TypeVar

from ..game import Chance, Viewer
from ..violations import ImpossibleState, Malformed, Reason

T = TypeVar("T")


def require(holds: bool, path: str, reason: Reason = Reason.DISAGREES) -> None:  # noqa: FBT001 - reads as a sentence
    """Raises ImpossibleState at `path` unless it holds."""
    if not holds:
        raise ImpossibleState(path, reason)


def require_now(holds: bool, path: str) -> None:  # noqa: FBT001 - as above
    """Raises NOT_POSSIBLE_NOW at `path` unless it holds."""
    if not holds:
        raise ImpossibleState(path, Reason.NOT_POSSIBLE_NOW)


def require_options(check: Callable[[T], None], options: T) -> None:
    """Raises OPTIONS_CONTRADICT, with what `check` has told, where options contradict each other."""
    try:
        check(options)
    except Malformed as fault:
        raise ImpossibleState(fault.path, Reason.OPTIONS_CONTRADICT, detail=fault.detail) from None


def require_seed(seed: str | None, chance: Chance, viewer: Viewer | None) -> None:
    """A seed where the cards come from one, and only there; in a view it need not be told."""
    require_now(seed is None or chance == "seed", "$.seed")
    require(seed is not None or chance != "seed" or viewer is not None, "$.seed", Reason.CARDS_MISSING)
