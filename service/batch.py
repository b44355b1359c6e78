"""Calls of the use cases by name, one or many at once, within the limit of work; each item fails by itself.

Work is counted in units: one a call, one more for each move of a record, `ODDS_WORK` for each seat whose odds are told,
`SAMPLE_WORK` for each state drawn, `PLAYOUT_WORK` for each playout. What a request costs is known once it is read,
and too much is refused before anything is done.
"""

import time
from collections.abc import Awaitable, Callable, Generator, Hashable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final

from msgspec import Struct

from . import metrics
from .access import Admission
from .beside import LISTING, Beside
from .errors import OK, ServiceError, code_of, problem_of
from .messages import (
    RECORDS,
    BatchResponse,
    BatchResult,
    Limits,
    ListOutcomesRequest,
    Problem,
    SampleStatesRequest,
    SimulateRequest,
)
from .rules import IN_STEPS, Rules

OPERATIONS: Final[tuple[str, ...]] = (
    "deal",
    "validate",
    "legal_moves",
    "play",
    "score",
    "view",
    "replay",
    "outcomes",
    "sample",
    "simulate",
)
"""The use cases a batch can call, by the names of `Rules`' methods."""

RETRY_AFTER_SECONDS: Final = 1
"""What a caller is told to wait after TOO_MUCH_WORK, by either transport."""


def retry_after(problem: Problem) -> int:
    """In how many seconds asking again may help: after RATE_LIMITED, once there is room again."""
    return int((problem.params or {}).get("retryAfter", RETRY_AFTER_SECONDS))


ODDS_WORK: Final = 100
"""The units a seat's odds cost: about as long as it takes to play so many moves."""
SAMPLE_WORK: Final = 10
PLAYOUT_WORK: Final = 100


class Call(Struct, frozen=True):
    """A call whose request is decoded by itself: `request` gives it, or raises what is wrong with it."""

    id: str
    operation: str
    request: Callable[[], Any]


Report = Callable[[Exception], None]
"""Told of an exception that is no refusal: a fault of the service, of which callers learn nothing but INTERNAL."""


def ignore(fault: Exception) -> None:
    """The report of those who keep none."""


_MORE_WORK: Final[dict[Any, Callable[[Any], int]]] = {
    **dict.fromkeys(RECORDS.values(), lambda request: len(request.moves)),
    ListOutcomesRequest: lambda request: ODDS_WORK * len(request.state.hands),
    SampleStatesRequest: lambda request: SAMPLE_WORK * request.n,
    SimulateRequest: lambda request: PLAYOUT_WORK * request.n,
}
"""The units of work that a request costs beside the one of every call."""


def work_of(request: Any) -> int:
    """The units of work a request costs."""
    more = _MORE_WORK.get(type(request))
    return 1 if more is None else 1 + more(request)


def check_work(limits: Limits, work: int) -> None:
    """TOO_MUCH_WORK where these units are more than one request may cost."""
    if work > limits.work:
        raise ServiceError(
            "TOO_MUCH_WORK", f"{work} units of work asked for; a request may cost {limits.work}", "$", work=work
        )


def answer(rules: Rules, operation: str, request: Any, language: str) -> Any:
    """The answer to one request, within the limit of work."""
    check_work(rules.limits, work_of(request))
    code = OK
    began = time.perf_counter()
    try:
        return getattr(rules, operation)(request, language)
    except Exception as fault:
        code = code_of(fault)
        raise
    finally:
        rules.observe(operation, game_of(request), code, time.perf_counter() - began)


def answer_in_steps(rules: Rules, operation: str, request: Any, language: str) -> Generator[Any, None, None]:
    """As `answer`, of an operation `IN_STEPS`: None while there is more to do, and the answer in the end."""
    check_work(rules.limits, work_of(request))
    game = game_of(request)
    steps = getattr(rules, f"{operation}_in_steps")(request, language)
    answered, seconds = None, 0.0
    while answered is None:
        began = time.perf_counter()
        try:
            answered = next(steps)
        except Exception as fault:
            rules.observe(operation, game, code_of(fault), seconds + time.perf_counter() - began)
            raise
        seconds += time.perf_counter() - began
        if answered is None:
            yield None
    rules.observe(operation, game, OK, seconds)
    yield answered


class Coding(Struct, frozen=True):
    """How a transport has an operation: what reads requests and writes answers, and how many bytes a short one has."""

    read: Callable[[bytes], Any]
    write: Callable[[Any], bytes]
    short: int


Worked = Callable[[bytes, str], bytes | Awaitable[bytes]]
"""What answers a request in a language: at once where it does not take long, else once it is waited for."""


def worked(rules: Rules, operation: str, coding: Coding, beside: Beside) -> Worked:
    """What answers the requests of an operation, beside the event loop where they may take long."""
    read, write, short = coding.read, coding.write, coding.short

    def whole(data: bytes, language: str) -> bytes:
        return write(answer(rules, operation, read(data), language))

    def listed(data: bytes, language: str) -> bytes | Awaitable[bytes]:
        request = read(data)
        lane = beside.lane_of_list(request.state)
        if lane is None:
            return write(answer(rules, operation, request, language))
        return lane.do(lambda: write(answer(rules, operation, request, language)))

    here = listed if operation == LISTING else whole

    def work(data: bytes, language: str) -> bytes | Awaitable[bytes]:
        lane = beside.lane(operation, len(data), short)
        if lane is None:
            return here(data, language)
        if operation in IN_STEPS:
            return lane.in_turns(
                lambda: answer_in_steps(rules, operation, read(data), language), lambda steps: write(steps[-1])
            )
        return lane.do(lambda: whole(data, language))

    return work


def game_of(request: Any) -> str:
    """The game that a request is about."""
    kind: Any = type(getattr(request, "state", None) or getattr(request, "view", None) or request)
    return _game_of(kind)


@cache
def _game_of(kind: Hashable) -> str:
    return str(kind.__struct_config__.tag)  # type: ignore[attr-defined]


def run_batch(rules: Rules, calls: Sequence[Call], language: str, report: Report = ignore) -> BatchResponse:
    """Runs the calls. LIST_TOO_LONG and TOO_MUCH_WORK where they are too many, before anything is done."""
    return batch_of(batch_in_steps(rules, calls, language, report))


def batch_of(steps: Iterable[BatchResult | None]) -> BatchResponse:
    """The answer, once all steps have been taken."""
    return BatchResponse(results=tuple([step for step in steps if step is not None]))


def batch_in_steps(
    rules: Rules, calls: Sequence[Call], language: str, report: Report = ignore
) -> Iterator[BatchResult | None]:
    """As `run_batch`, step by step: each result, None while there is more to do for one."""
    check_batch(rules.limits, len(calls))
    requests = [opened(call) for call in calls]
    check_work(rules.limits, sum(work_of(request) for request in requests))
    for call, request in zip(calls, requests, strict=True):
        if call.operation in IN_STEPS:
            yield from result_in_steps(rules, call, request, language, report)
        else:
            yield result_of(rules, call, request, language, report)


def check_batch(limits: Limits, calls: int) -> None:
    """LIST_TOO_LONG where a batch has more calls than the limit."""
    if calls > limits.batch_calls:
        raise ServiceError("LIST_TOO_LONG", f"a batch has at most {limits.batch_calls} calls", "$.calls")


def count_batch(admission: Admission, calls: int) -> None:
    """Counts a batch that is not too long, by its key and for operators. RATE_LIMITED where there is no room for it."""
    admission.take(calls, counted=1)
    metrics.BATCH.observe(calls)


def run_call(rules: Rules, call: Call, language: str, report: Report = ignore) -> BatchResult:
    """One call's result; whatever goes wrong with it is in the result."""
    return result_of(rules, call, opened(call), language, report)


def opened(call: Call) -> Any:
    """The call's request, or the exception that reading it raised."""
    try:
        return call.request()
    except Exception as fault:  # noqa: BLE001 - an item's fault must not spoil its neighbours
        return fault


def result_of(rules: Rules, call: Call, request: Any, language: str, report: Report) -> BatchResult:
    """The result of a call, of which `opened` is known."""
    if isinstance(request, Exception):
        return _failed(call, request, language, report)
    try:
        answered = answer(rules, call.operation, request, language)
    except Exception as fault:  # noqa: BLE001 - as above
        return _failed(call, fault, language, report)
    return BatchResult(id=call.id, **{call.operation: answered})


def result_in_steps(
    rules: Rules, call: Call, request: Any, language: str, report: Report
) -> Iterator[BatchResult | None]:
    """As `result_of`, of an operation `IN_STEPS`: None while there is more to do."""
    if isinstance(request, Exception):
        yield _failed(call, request, language, report)
        return
    answered = None
    try:
        for answered in answer_in_steps(rules, call.operation, request, language):
            if answered is None:
                yield None
    except Exception as fault:  # noqa: BLE001 - an item's fault must not spoil its neighbours
        yield _failed(call, fault, language, report)
        return
    yield BatchResult(id=call.id, **{call.operation: answered})


def _failed(call: Call, fault: Exception, language: str, report: Report) -> BatchResult:
    failed = refused(call, fault, language)
    if failed.error is not None and failed.error.code == "INTERNAL":
        report(fault)
    return failed


def refused(call: Call, fault: Exception, language: str) -> BatchResult:
    """The result of a call that was refused."""
    return BatchResult(id=call.id, error=problem_of(fault, language))
