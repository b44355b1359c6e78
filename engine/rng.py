"""Named, frozen random streams: the same seed gives the same cards on every machine, for ever.

A seed is 32 bytes. A stream is named by what it is for (``shuffle``, ``cut``, ``draw``, ``sample``) and a number, and
is keyed by ``HMAC-SHA-256(seed, "scheids/1" NUL label NUL number NUL)``; `docs/fair-deals.md` has it to the byte, with
vectors. Nothing here may ever change: a change is a new prefix beside this one.
"""

import hashlib
import hmac
import struct
from collections.abc import Sequence
from typing import Final, TypeVar

from .native import i64

SEED_BYTES: Final = 32
_BLOCK_BYTES: Final = 64
_PREFIX: Final = b"scheids/1"
_WORD_BYTES: Final = 4
_WORD_RANGE: Final = 1 << (8 * _WORD_BYTES)
_WORDS: Final = struct.Struct(">8I").unpack
_LEAST_RANGE: Final = 1 << 28
"""Less than this is not chosen from: so a word more still fits a machine's."""
_T = TypeVar("_T")


def seed_bytes(text: str) -> bytes:
    """The seed a text stands for: 64 hex digits are read as they are, any other text as its SHA-256.

    >>> seed_bytes("00" * 32) == bytes(32), len(seed_bytes("hello"))
    (True, 32)
    """
    if len(text) == 2 * SEED_BYTES and all(digit in "0123456789abcdefABCDEF" for digit in text):
        return bytes.fromhex(text)
    return hashlib.sha256(text.encode()).digest()


class Key:
    """HMAC-SHA-256 under one key of at most 64 bytes, which is hashed once for all messages."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        block = key.ljust(_BLOCK_BYTES, b"\0")
        self._inner = hashlib.sha256(block.translate(hmac.trans_36))
        self._outer = hashlib.sha256(block.translate(hmac.trans_5C))

    def digest(self, message: bytes) -> bytes:
        """The message's HMAC."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(message)
        outer.update(inner.digest())
        return outer.digest()


class Stream:
    """Unbiased random integers of one named stream, in blocks of HMAC-SHA-256 in counter mode."""

    __slots__ = ("_at", "_counter", "_key", "_words")

    def __init__(self, seed: bytes | Key, label: str, number: int) -> None:
        of_seed = Key(seed) if isinstance(seed, bytes) else seed
        name = b"\0".join((_PREFIX, label.encode(), str(number).encode(), b""))
        self._key = Key(of_seed.digest(name))
        self._counter = 0
        self._words: tuple[int, ...] = ()
        self._at: i64 = 0

    def word(self) -> i64:
        """The next 32 bits."""
        if self._at == len(self._words):
            self._words = _WORDS(self._key.digest(self._counter.to_bytes(8, "big")))
            self._counter += 1
            self._at = 0
        word = self._words[self._at]
        self._at += 1
        return word

    def below(self, bound: i64) -> i64:
        """A uniform integer in ``0 <= n < bound``; `bound` is 1 to 2**32. Words that would bias it are passed over."""
        while True:
            word = self.word()
            if word < _WORD_RANGE - bound or word < _WORD_RANGE - _WORD_RANGE % bound:
                return word % bound

    def under(self, bound: int) -> int:
        """As `below`, for a bound of any size: words are taken together, the first the most significant."""
        words = -(-bound.bit_length() // (8 * _WORD_BYTES)) or 1
        most = 1 << (8 * _WORD_BYTES * words)
        while True:
            number = 0
            for _ in range(words):
                word: int = self.word()
                number = number << (8 * _WORD_BYTES) | word
            if number < most - most % bound:
                return number % bound

    def seed(self) -> str:
        """A seed in hexadecimal digits, made of the next words."""
        words = SEED_BYTES // _WORD_BYTES
        return "".join([f"{self.word():08x}" for _ in range(words)])

    def shuffled(self, cards: Sequence[_T]) -> tuple[_T, ...]:
        """The cards in a random order, by Fisher and Yates from the last position down."""
        pack = list(cards)
        last: i64 = len(pack) - 1
        while last > 0:
            chosen = self.below(last + 1)
            pack[last], pack[chosen] = pack[chosen], pack[last]
            last -= 1
        return tuple(pack)


class Choices:
    """Unbiased choices among few, as many as a stream's words have room for.

    What a choice leaves of a word is kept for the next, so that a block serves a hundred choices and not eight.
    """

    __slots__ = ("_left", "_range", "_stream")

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._left: i64 = 0
        self._range: i64 = 1

    def below(self, bound: i64) -> i64:
        """A uniform integer in ``0 <= n < bound``; `bound` is 1 to 2**20. Of one there is no choice to be made."""
        if bound == 1:
            return 0
        while True:
            if self._range < _LEAST_RANGE:
                self._left = self._left << (8 * _WORD_BYTES) | self._stream.word()
                self._range <<= 8 * _WORD_BYTES
            share = self._range // bound
            left = self._left // bound
            chosen = self._left - left * bound
            if left < share:
                self._left, self._range = left, share
                return chosen
            self._left -= share * bound
            self._range -= share * bound


def shuffle_and_cut(cards: Sequence[_T], seed: str, number: int) -> tuple[_T, ...]:
    """The pack for deal `number` (from 1): shuffled by the ``shuffle`` stream, then cut by the ``cut`` stream."""
    key = Key(seed_bytes(seed))
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
