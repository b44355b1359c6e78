"""Points for most cards and most spades as ruled (WIA30, LA24), worked out apart from the engine."""

from collections.abc import Sequence


def ruled(worth: int, amounts: Sequence[int], tie: str) -> list[int]:
    """What each side gets of so many points for the most."""
    first = [side for side, amount in enumerate(amounts) if amount == max(amounts) and amount]
    each = worth if len(first) == 1 or tie == "all" else worth // 2 if (len(first), tie) == (2, "split") else 0
    return [each if side in first else 0 for side in range(len(amounts))]


def is_given_whole(amounts: Sequence[int], tie: str) -> bool:
    """Whether just the points there are are given: one side leads, or two share."""
    first = [amount for amount in amounts if amount == max(amounts)]
    return len(first) == 1 or (len(first), tie) == (2, "split")
