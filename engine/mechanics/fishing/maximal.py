"""The captures that no other capture contains.

One capture contains another when it takes a further pair of complementary values, or when on every axis its
residue lies between the other's and the whole layout's.
"""

from .residues import Axis, Counts, Residues, repeated


def undominated(feasible: Residues, items: Counts) -> int:
    """The feasible residues, as a bitset, between which and the whole layout's there is no other.

    Args:
        feasible: the feasible residues of the layout.
        items: the layout's counts, index = value.
    """
    if not feasible.axes:
        return feasible.bits
    value = feasible.value
    whole = [
        min(max(items[small] % 2 if 2 * small == value else items[small] - items[value - small], low), high)
        for small, low, high in feasible.axes
    ]
    small, low, high = feasible.axes[-1]
    width = feasible.size // (high - low + 1)
    mask = (1 << width) - 1
    moves = _moves_away(feasible.axes[:-1], whole[:-1])
    aces = items[1] if feasible.implied else 0
    whole_ace = max(aces - items[value - 1], 0) if feasible.implied else 0
    kept = 0
    # Each side of the whole layout's residue in turn, outwards: `nearer` has, by ace, what is nearer on this axis.
    for side in (range(whole[-1], high + 1), range(whole[-1], low - 1, -1)):
        nearer = [0] * (aces + 1)
        for residue in side:
            row = feasible.bits >> (residue - low) * width & mask
            for ace_side in (range(whole_ace, aces + 1), range(whole_ace, -1, -1)):
                covered = 0
                for ace in ace_side:
                    found = row
                    if feasible.implied:
                        found &= feasible.lower[(-ace - small * residue) % value]
                    spread = _spread(found, moves)
                    beyond = covered | nearer[ace] | _stepped(spread, moves)
                    kept |= (found & ~beyond) << (residue - low) * width
                    covered |= spread
                    nearer[ace] |= covered
    return kept


def _moves_away(axes: tuple[Axis, ...], whole: list[int]) -> list[tuple[int, int, int]]:
    """Moves by 1, 2, 4 and so on away from `whole`, by axis: (length, residues that can, index change)."""
    size = 1
    for _, low, high in axes:
        size *= high - low + 1
    moves = []
    width = 1
    for (_, low, high), start in zip(axes, whole, strict=True):
        span = (high - low + 1) * width
        for room, sign in ((high - start, 1), (start - low, -1)):
            length = 1
            while length <= room:
                first = start if sign > 0 else low + length
                can = ((1 << (room - length + 1) * width) - 1) << (first - low) * width
                moves.append((length, repeated(can, span, size // span), sign * length * width))
                length *= 2
        width = span
    return moves


def _stepped(residues: int, moves: list[tuple[int, int, int]]) -> int:
    """The residues one step away from any of these, on one axis."""
    result = 0
    for length, can, by in moves:
        if length == 1:
            result |= (residues & can) << by if by > 0 else (residues & can) >> -by
    return result


def _spread(residues: int, moves: list[tuple[int, int, int]]) -> int:
    """These residues, and all that lie further away."""
    for _, can, by in moves if residues else ():
        residues |= (residues & can) << by if by > 0 else (residues & can) >> -by
    return residues
