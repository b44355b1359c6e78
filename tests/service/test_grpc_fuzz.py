"""Whatever bytes are sent, the answer is an answer or says that the caller is at fault, and the server lives on."""

import random
from collections import Counter
from collections.abc import Iterator

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.wire.codec import descriptors
from service.wire.gen.scheids.v1 import referee_pb2
from tests.service.grpc_messages import random_message, requests
from tests.service.grpc_server import code_of, raw, raw_decide, served

ALLOWED = {"OK", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "NOT_FOUND", "RESOURCE_EXHAUSTED"}
REQUESTS = requests()
SLOW_FIXTURE = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def channel() -> Iterator[grpc.Channel]:
    with served() as open_channel:
        yield open_channel


def outcome(channel: grpc.Channel, method: str, data: bytes) -> str:
    try:
        raw(channel, method)(data, timeout=10)
    except grpc.RpcError as error:
        return code_of(error)
    return "OK"


def mutated(data: bytes, choices: random.Random) -> bytes:
    """The bytes with something cut off, changed, repeated or put in."""
    out = bytearray(data)
    for _ in range(choices.choice((1, 1, 1, 2, 8))):
        at = choices.randrange(len(out) + 1)
        match choices.randrange(5):
            case 0:
                del out[at:]
            case 1:
                del out[at : at + choices.randint(1, 9)]
            case 2:
                out[at : at + 1] = bytes([choices.randrange(256)])
            case 3:
                out[at:at] = choices.randbytes(choices.randint(1, 9))
            case _:
                out[at:at] = out[max(0, at - choices.randint(1, 40)) : at]
    return bytes(out)


@pytest.mark.parametrize("method", sorted(REQUESTS))
def test_mutated_requests(channel: grpc.Channel, method: str) -> None:
    codes: Counter[str] = Counter()
    for seed in range(120):
        codes[outcome(channel, method, mutated(REQUESTS[method], random.Random(f"{method} {seed}")))] += 1
    assert set(codes) <= ALLOWED, codes
    assert outcome(channel, method, REQUESTS[method]) == "OK"


@pytest.mark.parametrize("method", sorted(set(REQUESTS) - {"ListGames", "Batch"}))
def test_requests_of_any_fields(channel: grpc.Channel, method: str) -> None:
    of = descriptors()[f"{method}Request"]
    codes: Counter[str] = Counter()
    for seed in range(60):
        codes[outcome(channel, method, random_message(of, random.Random(seed)).SerializeToString())] += 1
    assert set(codes) <= ALLOWED, codes


@SLOW_FIXTURE
@given(method=st.sampled_from(sorted(REQUESTS)), data=st.binary(max_size=300))
def test_any_bytes(channel: grpc.Channel, method: str, data: bytes) -> None:
    assert outcome(channel, method, data) in ALLOWED


@SLOW_FIXTURE
@given(
    seed=st.integers(0, 2**32),
    field=st.sampled_from(["dealer", "deals", "ruleset", "phase", "chance"]),
    number=st.integers(-(2**31), 2**31 - 1),
)
def test_numbers_of_any_size(channel: grpc.Channel, seed: int, field: str, number: int) -> None:
    request = referee_pb2.ListLegalMovesRequest.FromString(REQUESTS["ListLegalMoves"])
    setattr(request.state.whist, field, number)
    request.limit = seed % 2**31
    assert outcome(channel, "ListLegalMoves", request.SerializeToString()) in ALLOWED


def test_streams_of_any_bytes(channel: grpc.Channel) -> None:
    choices = random.Random(1)
    call = referee_pb2.BatchRequest.FromString(REQUESTS["Batch"]).calls[3]
    good = referee_pb2.DecideRequest(call=call).SerializeToString()
    sent = [mutated(good, choices) for _ in range(200)] + [good]
    answers = raw_decide(channel)(iter(sent), timeout=30)
    results = [referee_pb2.DecideResponse.FromString(answer).result for answer in answers]
    assert len(results) == len(sent)
    assert "INTERNAL" not in {result.error.code for result in results}
    assert results[-1].WhichOneof("result") == "play"
