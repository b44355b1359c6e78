"""Named, frozen random streams: the same seed gives the same cards on every machine, for ever.

A seed is 32 bytes. A stream is named by what it is for (``shuffle``, ``cut``, ``draw``, ``sample``) and a number, and
is keyed by ``HMAC-SHA-256(seed, "scheids/1" NUL label NUL number NUL)``; `docs/fair-deals.md` has it to the byte, with
vectors. Nothing here may ever change: a change is a new prefix beside this one.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final, TypeVar

SEED_BYTES: Final = 32
_PREFIX: Final = b"scheids/1"
_WORD_BYTES: Final = 4
_WORD_RANGE: Final = 1 << (8 * _WORD_BYTES)
_T = TypeVar("_T")


def seed_bytes(text: str) -> bytes:
    """The seed a text stands for: 64 hex digits are read as they are, any other text as its SHA-256.

    >>> seed_bytes("00" * 32) == bytes(32), len(seed_bytes("hello"))
    (True, 32)
    """
    if len(text) == 2 * SEED_BYTES and all(digit in "0123456789abcdefABCDEF" for digit in text):
        return bytes.fromhex(text)
    return hashlib.sha256(text.encode()).digest()


class Stream:
    """Unbiased random integers of one named stream, in blocks of HMAC-SHA-256 in counter mode."""

    __slots__ = ("_block", "_counter", "_key", "_offset")

    def __init__(self, seed: bytes, label: str, number: int) -> None:
        name = b"\0".join((_PREFIX, label.encode(), str(number).encode(), b""))
        self._key = hmac.digest(seed, name, "sha256")
        self._counter = 0
        self._block = b""
        self._offset = 0

    def below(self, bound: int) -> int:
        """A uniform integer in ``0 <= n < bound``; `bound` is 1 to 2**32. Words that would bias it are passed over."""
        limit = _WORD_RANGE - _WORD_RANGE % bound
        while True:
            if self._offset == len(self._block):
                self._block = hmac.digest(self._key, self._counter.to_bytes(8, "big"), "sha256")
                self._counter += 1
                self._offset = 0
            word = int.from_bytes(self._block[self._offset : self._offset + _WORD_BYTES], "big")
            self._offset += _WORD_BYTES
            if word < limit:
                return word % bound

    def under(self, bound: int) -> int:
        """As `below`, for a bound of any size: words are taken together, the first the most significant."""
        words = -(-bound.bit_length() // (8 * _WORD_BYTES)) or 1
        most = 1 << (8 * _WORD_BYTES * words)
        while True:
            number = 0
            for _ in range(words):
                number = number << (8 * _WORD_BYTES) | self.below(_WORD_RANGE)
            if number < most - most % bound:
                return number % bound

    def seed(self) -> str:
        """A seed in hexadecimal digits, made of the next words."""
        words = SEED_BYTES // _WORD_BYTES
        return b"".join(self.below(_WORD_RANGE).to_bytes(_WORD_BYTES, "big") for _ in range(words)).hex()

    def shuffled(self, cards: Sequence[_T]) -> tuple[_T, ...]:
        """The cards in a random order, by Fisher and Yates from the last position down."""
        pack = list(cards)
        for last in range(len(pack) - 1, 0, -1):
            chosen = self.below(last + 1)
            pack[last], pack[chosen] = pack[chosen], pack[last]
        return tuple(pack)


def shuffle_and_cut(cards: Sequence[_T], seed: str, number: int) -> tuple[_T, ...]:
    """The pack for deal `number` (from 1): shuffled by the ``shuffle`` stream, then cut by the ``cut`` stream."""
    key = seed_bytes(seed)
    pack = Stream(key, "shuffle", number).shuffled(cards)
    at = 1 + Stream(key, "cut", number).below(len(pack) - 1)
    return pack[at:] + pack[:at]


def mixed(seed: str, entropies: Sequence[bytes]) -> str:
    """The seed, in hexadecimal digits, that comes of a seed and what each place in order adds to it (perhaps nothing).

    >>> mixed("00" * 32, [b"a", b""]) != mixed("00" * 32, [b"", b"a"])
    True
    """
    added = b"".join(len(entropy).to_bytes(4, "big") + entropy for entropy in entropies)
    return hmac.digest(seed_bytes(seed), b"\0".join((_PREFIX, b"entropy", added)), "sha256").hex()


def commitment(seed: str) -> str:
    """What is published of a seed before it is used, in hexadecimal digits: it tells nothing and admits no other."""
    return hashlib.sha256(b"\0".join((_PREFIX, b"commitment", seed_bytes(seed)))).hexdigest()
