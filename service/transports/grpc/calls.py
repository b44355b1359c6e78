"""What the methods of every service share: a call's deadline, language and token, its refusal, its line in the log."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, NoReturn, cast

import grpc
from grpc.aio import ServicerContext

from service import metrics
from service.access import HEADER, Admission, AnyGate
from service.errors import OK, ServiceError, problem_of
from service.language import negotiate
from service.observability import REQUEST, REQUEST_ID, facts_of, log_request, request_id_of
from service.tables import bearer
from service.tracing import refused

from .status import DETAILS_KEY, code_of, status_of

SHORT: Final = 2_048
"""In bytes. Few positions are longer; what is, is worked on beside the event loop."""

_ID: Final = REQUEST_ID.decode()

Context = ServicerContext[bytes, bytes]


def unary(
    name: str, operation: str, answer: Callable[[bytes, Context, Admission], Awaitable[bytes]], gate: AnyGate
) -> "grpc.RpcMethodHandler[bytes, bytes]":
    """A method of one request and one answer."""
    return grpc.unary_unary_rpc_method_handler(_told(name, operation, answer, gate))


def watched(
    name: str, operation: str, answer: Callable[[bytes, Context, Admission], Awaitable[None]], gate: AnyGate
) -> "grpc.RpcMethodHandler[bytes, bytes]":
    """A method of one request whose answers `answer` writes to the context itself."""
    call: Any = _told(name, operation, answer, gate)
    return grpc.unary_stream_rpc_method_handler(call)


def _told(
    name: str, operation: str, answer: Callable[[bytes, Context, Admission], Awaitable[Any]], gate: AnyGate
) -> Callable[[bytes, Context], Awaitable[Any]]:
    async def call(data: bytes, context: Context) -> Any:
        line = Line(name, context)
        try:
            _check_deadline(context)
            answered = await answer(data, context, admitted(gate, context, operation, line))
        except asyncio.CancelledError:
            line.write(grpc.StatusCode.CANCELLED)
            raise
        except Exception as error:  # noqa: BLE001 - everything is answered
            await refuse(error, context, line)
        line.write(grpc.StatusCode.OK)
        return answered

    return call


def admitted(gate: AnyGate, context: Context, operation: str, line: "Line") -> Admission:
    """Lets a call of an operation in, as `Gate.admit`; the log says whose key it came with."""
    admission = gate.admit(operation, lambda: _metadata(context, HEADER))
    line.key = admission.name
    return admission


def language_of(context: Context) -> str:
    """The language in which the caller is told what is wrong."""
    for value in _metadata(context, "accept-language"):
        return negotiate(value)
    return negotiate(None)


def token_of(context: Context) -> str | None:
    """The bearer's token; INVALID_TOKEN where the authorization is another, or there are several."""
    return bearer(_metadata(context, "authorization"))


def _metadata(context: Context, name: str) -> list[str]:
    return [value for key, value in context.invocation_metadata() or () if key == name and isinstance(value, str)]


def _check_deadline(context: Context) -> None:
    left = cast("float | None", context.time_remaining())  # None where the caller gave no deadline
    if left is not None and left <= 0:
        raise ServiceError("DEADLINE_EXCEEDED", "the time the caller gave is over")


async def refuse(error: Exception, context: Context, line: "Line") -> NoReturn:
    """Ends the call with the refusal that an exception is."""
    problem = problem_of(error, language_of(context))
    code = code_of(problem)
    refused(problem.code)
    line.write(code, problem=problem.code, **(facts_of(error) if problem.code == "INTERNAL" else {}))
    status = status_of(problem)
    await context.abort(code, status.message, ((DETAILS_KEY, status.SerializeToString()), (_ID, line.id)))


class Line:
    """The one line that the log has of a call."""

    def __init__(self, method: str, context: Context) -> None:
        self._method = method
        self.key = ""
        self.id = request_id_of((REQUEST_ID, value.encode()) for value in _metadata(context, _ID))
        REQUEST.set(self.id)
        context.set_trailing_metadata(((_ID, self.id),))
        self._began = time.perf_counter()

    def write(self, code: grpc.StatusCode, **facts: Any) -> None:
        """Writes it, now that the call is over."""
        seconds = time.perf_counter() - self._began
        operation = self._method[:1].lower() + self._method[1:]
        outcome = OK if code is grpc.StatusCode.OK else code.name
        metrics.answered("grpc", operation, facts.get("problem", outcome), seconds)
        log_request(
            logging.ERROR if "traceback" in facts else logging.INFO,
            {
                "transport": "grpc",
                "id": self.id,
                "method": self._method,
                "status": code.name,
                "ms": round(seconds * 1_000, 3),
                **({"key": self.key} if self.key else {}),
                **facts,
            },
        )
