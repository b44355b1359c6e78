"""The methods of the service Referee, from bytes to bytes: what cannot be read is the caller's fault and said to be."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Final

import grpc

from service.access import Admission, Gate
from service.batch import (
    Call,
    Coding,
    batch_in_steps,
    batch_of,
    check_batch,
    count_batch,
    opened,
    refused,
    result_in_steps,
    result_of,
    run_call,
    worked,
)
from service.beside import LISTING, SHORT_MESSAGE, Beside
from service.errors import ServiceError
from service.messages import BatchResult
from service.observability import report
from service.rules import IN_STEPS, Rules
from service.wire.calls import read_batch, read_call, read_nothing, read_streamed, write_streamed
from service.wire.codec import CODEC

from .calls import Answer, Context, Received, unary
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
METHODS: Final = frozenset({*OPERATIONS, "ListGames", "GetGame", BATCH})
"""Those that have one answer."""

STOPPING: Final = "the service is about to stop; all that it was asked has been answered"

Work = Callable[[bytes, str], bytes]
Worked = Callable[[bytes, str, Admission], bytes | Awaitable[bytes]]
"""What answers a request, in a language, once it has been let in: at once, where it does not take long."""


def handler(rules: Rules, ending: Ending, beside: Beside, gate: Gate | None = None) -> grpc.GenericRpcHandler:
    """What a server serves: requests and answers are bytes. Streams end as `ending` has it."""
    methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        name: unary(name, operation_of(name), _answer(worked), gate) for name, worked in works(rules, beside).items()
    }
    methods[DECIDE] = grpc.stream_stream_rpc_method_handler(_decide(rules, ending, beside, gate))
    return grpc.method_handlers_generic_handler(SERVICE, methods)


def works(rules: Rules, beside: Beside) -> Mapping[str, Worked]:
    """What answers each method that has one answer; what takes long is worked on beside the event loop."""
    return {
        **{name: _use_case(rules, name, operation, beside) for name, operation in OPERATIONS.items()},
        "ListGames": _read(_list_games(rules), "ListGames", beside),
        "GetGame": _read(_get_game(rules), "GetGame", beside),
        BATCH: _batch(rules, beside),
    }


def _answer(worked: Worked) -> Answer:
    return lambda data, received, admission: worked(data, received.language, admission)


def operation_of(name: str) -> str:
    """The use case behind a method, or what stands for it."""
    return OPERATIONS.get(name, name.lower())


def _use_case(rules: Rules, name: str, operation: str, beside: Beside) -> Worked:
    coding = Coding(CODEC.reader(f"{name}Request"), CODEC.writer(f"{name}Response"), SHORT_MESSAGE)
    work = worked(rules, operation, coding, beside)
    return lambda data, language, _: work(data, language)


def _read(work: Work, name: str, beside: Beside) -> Worked:
    def read(data: bytes, language: str, _: Admission) -> bytes | Awaitable[bytes]:
        lane = beside.lane(operation_of(name), len(data), SHORT_MESSAGE)
        return work(data, language) if lane is None else lane.do(lambda: work(data, language))

    return read


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


def _batch(rules: Rules, beside: Beside) -> Worked:
    write = CODEC.writer("BatchResponse")

    async def worked(data: bytes, language: str, admission: Admission) -> bytes:
        def begun() -> Iterator[BatchResult | None]:
            parts = read_batch(data)
            check_batch(rules.limits, len(parts))
            count_batch(admission, len(parts))
            return batch_in_steps(rules, [read_call(part) for part in parts], language, report)

        return await beside.long.in_turns(begun, lambda steps: write(batch_of(steps)))

    return worked


def _decide(
    rules: Rules, ending: Ending, beside: Beside, gate: Gate | None
) -> Callable[[AsyncIterator[bytes], Context], AsyncIterator[bytes]]:
    def answered(data: bytes, admission: Admission, language: str) -> bytes | Awaitable[bytes]:
        asked = read_streamed(data)
        try:
            admission.take()
        except ServiceError as refusal:
            return write_streamed(refused(asked, refusal, language))
        if asked.operation in IN_STEPS:
            turns = beside.long.in_turns(
                lambda: result_in_steps(rules, asked, opened(asked), language, report),
                lambda steps: write_streamed(batch_of(steps).results[0]),
            )
            return waited(turns, asked, language)
        lane = beside.lane(asked.operation, len(data), SHORT_MESSAGE)
        if lane is not None:
            turn = lane.do(lambda: write_streamed(run_call(rules, asked, language, report)))
            return waited(turn, asked, language)
        request = opened(asked)
        if asked.operation == LISTING:
            lane = beside.lane_of_list(getattr(request, "state", None))
            if lane is not None:
                turn = lane.do(lambda: write_streamed(result_of(rules, asked, request, language, report)))
                return waited(turn, asked, language)
        return write_streamed(result_of(rules, asked, request, language, report))

    async def waited(work: Awaitable[bytes], asked: Call, language: str) -> bytes:
        try:
            return await work
        except ServiceError as refusal:
            return write_streamed(refused(asked, refusal, language))

    async def call(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        received = Received(DECIDE, context)
        status = grpc.StatusCode.CANCELLED
        language = received.language
        try:
            admission = received.admitted(gate, operation_of(DECIDE))
        except ServiceError as error:
            await received.refuse(error)
        try:
            with ending.opened() as stream:
                stream.waits()
                async for data in requests:
                    stream.works()
                    told = answered(data, admission, language)
                    yield told if isinstance(told, bytes) else await told
                    stream.waits()
            status = grpc.StatusCode.OK
        except TimeoutError:
            status = grpc.StatusCode.UNAVAILABLE
            await context.abort(status, STOPPING)
        finally:
            received.log(status.name)

    return call
