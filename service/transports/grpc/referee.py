"""The methods of the service Referee, from bytes to bytes: what cannot be read is the caller's fault and said to be."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Final, NoReturn, TypeVar, cast

import grpc
import structlog
from grpc.aio import ServicerContext

from service.batch import LONG, Call, answer, check_batch, run_batch, run_call
from service.errors import ServiceError, problem_of
from service.language import negotiate
from service.observability import facts_of, report
from service.rules import Rules
from service.wire.calls import read_batch, read_call, read_nothing, read_streamed, write_streamed
from service.wire.codec import CODEC

from .status import DETAILS_KEY, code_of, status_of

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
}
"""The use case behind each method."""

SHORT: Final = 2_048
"""In bytes. Few positions are longer; what is, is worked on beside the event loop, as `LONG` is."""

Context = ServicerContext[bytes, bytes]
Work = Callable[[bytes, str], bytes]
Asked = TypeVar("Asked")


def handler(rules: Rules) -> grpc.GenericRpcHandler:
    """What a server serves: requests and answers are bytes."""
    methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        name: grpc.unary_unary_rpc_method_handler(_unary(name, work)) for name, work in _works(rules).items()
    }
    methods["Decide"] = grpc.stream_stream_rpc_method_handler(_decide(rules))
    return grpc.method_handlers_generic_handler(SERVICE, methods)


def _works(rules: Rules) -> Mapping[str, Work]:
    """What each method that has one answer does."""
    return {
        **{name: _use_case(rules, name, operation) for name, operation in OPERATIONS.items()},
        "ListGames": _list_games(rules),
        "GetGame": _get_game(rules),
        "Batch": _batch(rules),
    }


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
        return write(run_batch(rules, [read_call(part) for part in parts], language, report))

    return work


def _unary(name: str, work: Work) -> Callable[[bytes, Context], Awaitable[bytes]]:
    async def call(data: bytes, context: Context) -> bytes:
        line = _Line(name)
        try:
            _check_deadline(context)
            beside = len(data) > SHORT or OPERATIONS.get(name, name.lower()) in LONG
            answered = await _worked(work, data, _language_of(context), beside=beside)
        except asyncio.CancelledError:
            line.write(grpc.StatusCode.CANCELLED)
            raise
        except Exception as error:  # noqa: BLE001 - everything is answered
            await _refuse(error, context, line)
        line.write(grpc.StatusCode.OK)
        return answered

    return call


def _decide(rules: Rules) -> Callable[[AsyncIterator[bytes], Context], AsyncIterator[bytes]]:
    def work(asked: Call, language: str) -> bytes:
        return write_streamed(run_call(rules, asked, language, report))

    async def call(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        line = _Line("Decide")
        status = grpc.StatusCode.CANCELLED
        language = _language_of(context)
        try:
            async for data in requests:
                asked = read_streamed(data)
                beside = len(data) > SHORT or asked.operation in LONG
                yield await _worked(work, asked, language, beside=beside)
            status = grpc.StatusCode.OK
        finally:
            line.write(status)

    return call


async def _worked(work: Callable[[Asked, str], bytes], asked: Asked, language: str, *, beside: bool) -> bytes:
    if beside:
        return await asyncio.to_thread(work, asked, language)
    return work(asked, language)


def _language_of(context: Context) -> str:
    for key, value in context.invocation_metadata() or ():
        if key == "accept-language" and isinstance(value, str):
            return negotiate(value)
    return negotiate(None)


def _check_deadline(context: Context) -> None:
    left = cast("float | None", context.time_remaining())  # None where the caller gave no deadline
    if left is not None and left <= 0:
        raise ServiceError("DEADLINE_EXCEEDED", "the time the caller gave is over")


async def _refuse(error: Exception, context: Context, line: "_Line") -> NoReturn:
    problem = problem_of(error, _language_of(context))
    code = code_of(problem)
    line.write(code, problem=problem.code, **(facts_of(error) if problem.code == "INTERNAL" else {}))
    status = status_of(problem)
    await context.abort(code, status.message, ((DETAILS_KEY, status.SerializeToString()),))


class _Line:
    """The one line that the log has of a call."""

    def __init__(self, method: str) -> None:
        self._method = method
        self._began = time.perf_counter()

    def write(self, code: grpc.StatusCode, **facts: Any) -> None:
        """Writes it, now that the call is over."""
        structlog.get_logger().log(
            logging.ERROR if "traceback" in facts else logging.INFO,
            "request",
            transport="grpc",
            method=self._method,
            status=code.name,
            ms=round((time.perf_counter() - self._began) * 1_000, 3),
            **facts,
        )
