"""The random streams never change: the vectors of docs/fair-deals.md, and an implementation of its own beside them."""

import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from engine.cards import PACK
from engine.rng import Stream, commitment, mixed, seed_bytes, shuffle_and_cut

PAGE = Path(__file__).parent.parent.parent / "docs" / "fair-deals.md"


def by_the_page(seed: str, deal: int) -> list[str]:
    """The deal's pack by the page's words alone."""
    hexadecimal = re.fullmatch("[0-9a-fA-F]{64}", seed)
    secret = bytes.fromhex(seed) if hexadecimal else hashlib.sha256(seed.encode()).digest()

    def words(label: str) -> Iterator[int]:
        key = hmac.new(secret, b"scheids/1\0" + label.encode() + b"\0%d\0" % deal, hashlib.sha256).digest()
        block = 0
        while True:
            digest = hmac.new(key, block.to_bytes(8, "big"), hashlib.sha256).digest()
            yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))
            block += 1

    def below(bound: int, source: Iterator[int]) -> int:
        return next(word % bound for word in source if word < 2**32 - 2**32 % bound)

    pack = [rank + suit for suit in "SHDC" for rank in "23456789TJQKA"]
    source = words("shuffle")
    for last in range(51, 0, -1):
        chosen = below(last + 1, source)
        pack[last], pack[chosen] = pack[chosen], pack[last]
    at = 1 + below(51, words("cut"))
    return pack[at:] + pack[:at]


def test_vectors_of_the_page() -> None:
    vectors = json.loads(re.findall(r"```json\n(\[.*?\])\n```", PAGE.read_text(), re.DOTALL)[0])
    assert len(vectors) >= 3
    for vector in vectors:
        pack = shuffle_and_cut(PACK, vector["seed"], vector["deal"])
        assert " ".join(pack) == vector["pack"]
        assert by_the_page(vector["seed"], vector["deal"]) == list(pack)


def test_a_seed_is_hexadecimal_or_hashed() -> None:
    assert seed_bytes("ab" * 32) == bytes.fromhex("ab" * 32)
    assert seed_bytes("ab" * 31) == hashlib.sha256(b"ab" * 31).digest()
    assert seed_bytes("é") == hashlib.sha256("é".encode()).digest()


def test_labels_and_numbers_make_streams_of_their_own() -> None:
    seed = bytes(32)
    made = [
        Stream(seed, "shuffle", 1),
        Stream(seed, "shuffle", 2),
        Stream(seed, "cut", 1),
    ]
    assert len({tuple(stream.below(2**32) for _ in range(4)) for stream in made}) == len(made)


def test_what_places_add_makes_another_seed_and_whose_it_is_counts() -> None:
    seed = "00" * 32
    made = [[], [b""], [b"a"], [b"a", b""], [b"", b"a"], [b"ab"], [b"b", b"a"], [b"a", b"b"]]
    assert len({seed, *(mixed(seed, entropies) for entropies in made)}) == 1 + len(made)


def test_mixing_and_commitment_follow_the_page() -> None:
    seed = bytes(range(32))
    added = b"\x00\x00\x00\x02\x01\x02" + b"\x00\x00\x00\x00"
    by_page = hmac.new(seed, b"scheids/1\0entropy\0" + added, "sha256").hexdigest()
    assert mixed(seed.hex(), [b"\x01\x02", b""]) == by_page
    assert commitment(seed.hex()) == hashlib.sha256(b"scheids/1\0commitment\0" + seed).hexdigest()


def test_the_pages_table_comes_out() -> None:
    (block,) = re.findall(r"```json\n(\{.*?\})\n```", PAGE.read_text(), re.DOTALL)
    shown = json.loads(block)
    assert commitment(shown["secret"]) == shown["commitment"]
    assert mixed(shown["secret"], [bytes.fromhex(each) for each in shown["entropies"]]) == shown["seed"]


def test_shuffles_are_uniform_enough() -> None:
    firsts = Counter(Stream(bytes(32), "shuffle", n).shuffled("abc") for n in range(6000))
    assert len(firsts) == 6
    assert all(abs(count - 1000) < 150 for count in firsts.values())
