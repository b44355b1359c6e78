"""What is asked: legal moves and validation of hands of whist half played, one, a hundred in a batch, or in a stream.

Each is asked of a service once, so that bare servers can give the same answer, and so that a load knows how long it is.
"""

import random
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import grpc
import httpx
import msgspec

from engine.game import Query, Setup, begin, legal_moves, play, resolve_options
from engine.games.whist import WHIST, WhistState
from service import messages
from service.messages import MoveInput
from service.wire.codec import CODEC
from service.wire.gen.scheids.v1 import referee_pb2
from tests.bench.servers import Server

BATCH: Final = 100
STREAM: Final = 200
"""Messages of one stream: as many different states as in a batch, over and over."""
REFEREE: Final = "scheids.v1.Referee"
SECONDS: Final = 30


@cache
def hand(number: int = 0) -> WhistState:
    """A hand of whist half played, another one for each number."""
    rng = random.Random(number)
    setup = Setup(options=resolve_options(WHIST, None), chance="seed", seed=f"bench {number}")
    state: Any = begin(WHIST, setup).state
    for _ in range(26):
        move = rng.choice(legal_moves(WHIST, state, None, Query()).moves).move
        state = play(WHIST, state, move).state
    return state  # type: ignore[no-any-return]


def legal_moves_request(number: int = 0) -> messages.ListLegalMovesRequest:
    """Asks what may be played now."""
    return messages.ListLegalMovesRequest(state=hand(number))


def validate_request(number: int = 0) -> messages.ValidateMoveRequest:
    """Asks whether the first legal move is legal; it goes as an object."""
    move = legal_moves(WHIST, hand(number), None, Query()).moves[0].move
    return messages.ValidateMoveRequest(state=hand(number), move=MoveInput(move))


def json_of(value: Any) -> bytes:
    """A body of REST."""
    return msgspec.json.encode(value, enc_hook=messages.to_json)


def json_batch(size: int = BATCH) -> bytes:
    """A batch that asks for the legal moves of so many hands."""
    calls = [{"id": f"{number}", "legalMoves": legal_moves_request(number)} for number in range(size)]
    return json_of({"calls": calls})


@cache
def proto_call(number: int) -> referee_pb2.BatchCall:
    """One call of such a batch."""
    asked = CODEC.writer("ListLegalMovesRequest")(legal_moves_request(number))
    return referee_pb2.BatchCall(id=f"{number}", legal_moves=referee_pb2.ListLegalMovesRequest.FromString(asked))


def proto_batch(size: int = BATCH) -> bytes:
    """The same in protobuf."""
    return referee_pb2.BatchRequest(calls=[proto_call(number) for number in range(size)]).SerializeToString()


def proto_stream() -> list[bytes]:
    """The calls of the batch, as the messages of a stream."""
    return [referee_pb2.DecideRequest(call=proto_call(n)).SerializeToString() for n in range(BATCH)]


def framed(messages_: Sequence[bytes]) -> bytes:
    """Messages as gRPC has them in a body."""
    return b"".join(b"\0" + struct.pack(">I", len(message)) + message for message in messages_)


FRAME: Final = len(framed([b""]))


@dataclass(frozen=True)
class Asked:
    """A request in a file, as it goes out, and the answer."""

    body: Path
    answer: bytes


def ask_rest(server: Server, path: str, body: bytes, file: Path) -> Asked:
    """Asks once over REST; the body is kept in a file."""
    answered = httpx.post(
        f"{server.rest}{path}", content=body, headers={"content-type": "application/json"}, timeout=SECONDS
    )
    answered.raise_for_status()
    file.write_bytes(body)
    return Asked(file, answered.content)


def ask_grpc(server: Server, method: str, body: bytes, file: Path) -> Asked:
    """Asks once over gRPC; the body is kept in a file, as a load sends it."""
    with grpc.insecure_channel(server.grpc) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{method}")
        answer = call(body, timeout=SECONDS)
    file.write_bytes(framed([body]))
    return Asked(file, answer)


def ask_stream(server: Server, file: Path) -> tuple[Asked, list[bytes]]:
    """Asks each message of a stream once; kept is one longer stream of them. All answers, and the first of them."""
    sent = proto_stream()
    with grpc.insecure_channel(server.grpc) as channel:
        call: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(f"/{REFEREE}/Decide")
        answers = list(call(iter(sent), timeout=SECONDS))
    repeated = STREAM // len(sent)
    file.write_bytes(framed(sent * repeated))
    return Asked(file, answers[0]), answers * repeated
