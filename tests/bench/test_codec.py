"""What reading and writing a state costs, on either wire, printed."""

import timeit

import msgspec
import pytest

from engine.games.whist import WhistState
from service.wire.codec import CODEC
from tests.bench.bodies import hand

pytestmark = pytest.mark.bench


def test_codec() -> None:
    state = hand()
    message, body = CODEC.writer("State")(state), msgspec.json.encode(state)
    decoder = msgspec.json.Decoder(WhistState)
    for what, work in (
        ("state to protobuf", lambda: CODEC.writer("State")(state)),
        ("protobuf to state", lambda: CODEC.reader("State")(message)),
        ("state to JSON", lambda: msgspec.json.encode(state)),
        ("JSON to state", lambda: decoder.decode(body)),
    ):
        spent = min(timeit.repeat(work, number=500, repeat=5)) / 500
        print(f"\n{what}: {spent * 1e6:.1f} microseconds")
