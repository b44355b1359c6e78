"""Integers of a machine's word where the engine is compiled; elsewhere any integers.

Whatever is an `i64` lies within 63 bits and a sign: a set of cards of one pack, a word of a random stream, a count.
"""

from typing import TYPE_CHECKING

__all__ = ["i64"]

if TYPE_CHECKING:
    from mypy_extensions import i64
else:
    i64 = int
