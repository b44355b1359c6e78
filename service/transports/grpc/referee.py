"""The methods of the service Referee, from bytes to bytes: what cannot be read is the caller's fault and said to be."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Final, TypeVar

import grpc

from service import metrics
from service.access import OPEN, Admission, AnyGate
from service.batch import LONG, Call, answer, check_batch, run_batch, run_call
from service.errors import ServiceError, problem_of
from service.messages import BatchResult, Limits
from service.observability import report
from service.rules import Rules
from service.wire.calls import read_batch, read_call, read_nothing, read_streamed, write_streamed
from service.wire.codec import CODEC

from .calls import SHORT, Answer, Context, Received, unary
from .ending import Ending

SERVICE: Final = "scheids.v1.Referee"
OPERATIONS: Final = {
    "Deal": "deal",
    "ValidateMove": "validate",
    "ListLegalMoves": "legal_moves",
    "PlayMove": "play",
    "Score": "score",
    "ViewState": "view",
    "Replay": "replay",
    "ListOutcomes": "outcomes",
    "SampleStates": "sample",
    "Simulate": "simulate",
}
"""The use case behind each method."""
DECIDE: Final = "Decide"
BATCH: Final = "Batch"

STOPPING: Final = "the service is about to stop; all that it was asked has been answered"

Work = Callable[[bytes, str], bytes]
Asked = TypeVar("Asked")


def handler(rules: Rules, ending: Ending, gate: AnyGate = OPEN) -> grpc.GenericRpcHandler:
    """What a server serves: requests and answers are bytes. Streams end as `ending` has it."""
    methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        name: unary(name, operation_of(name), _answer(rules.limits, name, work), gate)
        for name, work in works(rules).items()
    }
    methods[DECIDE] = grpc.stream_stream_rpc_method_handler(_decide(rules, ending, gate))
    return grpc.method_handlers_generic_handler(SERVICE, methods)


def works(rules: Rules) -> Mapping[str, Work]:
    """What each method that has one answer does."""
    return {
        **{name: _use_case(rules, name, operation) for name, operation in OPERATIONS.items()},
        "ListGames": _list_games(rules),
        "GetGame": _get_game(rules),
        BATCH: _batch(rules),
    }


def operation_of(name: str) -> str:
    """The use case behind a method, or what stands for it."""
    return OPERATIONS.get(name, name.lower())


def _use_case(rules: Rules, name: str, operation: str) -> Work:
    read, write = CODEC.reader(f"{name}Request"), CODEC.writer(f"{name}Response")
    return lambda data, language: write(answer(rules, operation, read(data), language))


def _list_games(rules: Rules) -> Work:
    games = CODEC.writer("ListGamesResponse")(rules.list_games())

    def work(data: bytes, language: str) -> bytes:
        del language
        read_nothing(data)
        return games

    return work


def _get_game(rules: Rules) -> Work:
    read, write = CODEC.reader("GetGameRequest"), CODEC.writer("GetGameResponse")
    written: dict[str, bytes] = {}

    def work(data: bytes, language: str) -> bytes:
        del language
        request = read(data)
        if request.game not in written:
            written[request.game] = write(rules.get_game(request))
        return written[request.game]

    return work


def _batch(rules: Rules) -> Work:
    write = CODEC.writer("BatchResponse")

    def work(data: bytes, language: str) -> bytes:
        parts = read_batch(data)
        check_batch(rules.limits, len(parts))
        metrics.BATCH.observe(len(parts))
        return write(run_batch(rules, [read_call(part) for part in parts], language, report))

    return work


def count(admission: Admission, name: str, data: bytes, limits: Limits) -> None:
    """Counts the calls of a batch but the one it was let in for. RATE_LIMITED where there is no room for them."""
    if name == BATCH and admission.name:
        calls = len(read_batch(data))
        check_batch(limits, calls)
        admission.take(calls, counted=1)


def _answer(limits: Limits, name: str, work: Work) -> Answer:
    long = operation_of(name) in LONG

    async def answered(data: bytes, received: Received, admission: Admission) -> bytes:
        count(admission, name, data, limits)
        return await _worked(work, data, received.language, beside=long or len(data) > SHORT)

    return answered


def _decide(
    rules: Rules, ending: Ending, gate: AnyGate
) -> Callable[[AsyncIterator[bytes], Context], AsyncIterator[bytes]]:
    def work(asked: Call, language: str) -> bytes:
        return write_streamed(run_call(rules, asked, language, report))

    async def answered(data: bytes, admission: Admission, language: str) -> bytes:
        asked = read_streamed(data)
        try:
            admission.take()
        except ServiceError as error:
            return write_streamed(BatchResult(id=asked.id, error=problem_of(error, language)))
        return await _worked(work, asked, language, beside=len(data) > SHORT or asked.operation in LONG)

    async def call(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        received = Received(DECIDE, context)
        status = grpc.StatusCode.CANCELLED
        language = received.language
        try:
            admission = received.admitted(gate, operation_of(DECIDE))
        except ServiceError as error:
            await received.refuse(error)
        try:
            with ending.opened() as opened:
                opened.waits()
                async for data in requests:
                    opened.works()
                    yield await answered(data, admission, language)
                    opened.waits()
            status = grpc.StatusCode.OK
        except TimeoutError:
            status = grpc.StatusCode.UNAVAILABLE
            await context.abort(status, STOPPING)
        finally:
            received.log(status)

    return call


async def _worked(work: Callable[[Asked, str], bytes], asked: Asked, language: str, *, beside: bool) -> bytes:
    if beside:
        return await asyncio.to_thread(work, asked, language)
    return work(asked, language)
