"""Fishing games: adding up to a card's value. What can be captured or built, decided, counted and listed.

Everything here works on items with a value from 1 to 13: open cards, and builds or tricks that count as one.
A set of items is captured by value v when it falls apart into groups that total v each. No call lists more
than it is asked for, and each takes bounded work on any layout that two packs can make; a larger one is a
ValueError.
"""

from .capturing import MAX_EDGES, builds, captures, groups, is_maximal, maximal_captures
from .families import CursorError, Family, Kinds, Layout, Required, Take, counts_of
from .pool import Pool
from .residues import MAX_BOX, MAX_VALUE, Counts, residues
from .sums import Group, partition, reachable, splits

__all__ = [
    "MAX_BOX",
    "MAX_EDGES",
    "MAX_VALUE",
    "Counts",
    "CursorError",
    "Family",
    "Group",
    "Kinds",
    "Layout",
    "Pool",
    "Required",
    "Take",
    "builds",
    "captures",
    "counts_of",
    "groups",
    "is_maximal",
    "maximal_captures",
    "partition",
    "reachable",
    "residues",
    "splits",
]
