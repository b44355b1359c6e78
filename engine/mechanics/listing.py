"""The legal moves of a seat as they are answered, where they are few enough to be made first."""

from collections.abc import Callable, Sequence
from typing import Final

from ..game import Blocked, LegalMove, LegalMoves, NeedsChance, Query
from ..moves import PLAYS, Move, Play, text
from ..violations import Malformed

LISTED_PLAYS: Final = {card: LegalMove(move, text(move)) for card, move in PLAYS.items()}
"""Each play as it is listed: always the same object."""


def _listed(move: Move) -> LegalMove:
    return LISTED_PLAYS[move.card] if isinstance(move, Play) else LegalMove(move, text(move))


def listed(
    query: Query,
    moves: Sequence[Move],
    blocked: Callable[[], Sequence[Blocked]],
    needs_chance: NeedsChance | None = None,
) -> LegalMoves:
    """The page of `moves` that is asked for; `blocked` is called where the answer explains. `tier` names the moves."""
    if query.tier not in (None, "moves"):
        raise Malformed("$.tier", "only captures have tiers below the moves themselves")
    if query.card is not None:
        moves = [move for move in moves if getattr(move, "card", None) == query.card]
    start = _cursor(query.cursor)
    page = moves[start : start + query.limit]
    rest = start + len(page) < len(moves)
    return LegalMoves(
        moves=tuple([_listed(move) for move in page]),
        total=len(moves),
        truncated=rest,
        cursor=str(start + len(page)) if rest else None,
        blocked=tuple(blocked()) if query.explain else None,
        needs_chance=needs_chance,
    )


def _cursor(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit()) or len(cursor) > len("1000000000"):
        raise Malformed("$.cursor", "not a cursor that an answer gave")
    return int(cursor)
