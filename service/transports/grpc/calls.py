"""What the methods of every service share: a call's deadline, language and token, its refusal, its line in the log."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, NoReturn, cast

import grpc
from grpc.aio import ServicerContext

from service import metrics
from service.access import HEADER, UNLIMITED, Admission, Gate
from service.errors import OK, ServiceError, problem_of
from service.language import negotiate
from service.observability import REQUEST, REQUEST_ID, facts_of, log_request, operation_named, request_id_of
from service.tables import bearer
from service.tracing import refused

from .status import DETAILS_KEY, code_of, status_of

NO_ANSWERS: Final[tuple[bytes, ...]] = ()

_ID: Final = REQUEST_ID.decode()

Context = ServicerContext[bytes, bytes]


class Received:
    """A call: what came with it, looked up once, and the one line that the log has of it."""

    __slots__ = ("_began", "_metadata", "context", "id", "key", "method")

    def __init__(self, method: str, context: Context) -> None:
        self.method = method
        self.context = context
        self.key = ""
        self._metadata = context.invocation_metadata() or ()
        self.id = request_id_of((REQUEST_ID, value.encode()) for value in self.told(_ID))
        REQUEST.set(self.id)
        context.set_trailing_metadata(((_ID, self.id),))
        self._began = time.perf_counter()

    def told(self, name: str) -> list[str]:
        """The texts of the metadata of a name."""
        return [value for key, value in self._metadata if key == name and isinstance(value, str)]

    @property
    def language(self) -> str:
        """The language in which the caller is told what is wrong."""
        return negotiate(next(iter(self.told("accept-language")), None))

    @property
    def token(self) -> str | None:
        """The bearer's token; INVALID_TOKEN where the authorization is another, or there are several."""
        return bearer(self.told("authorization"))

    def admitted(self, gate: Gate | None, operation: str) -> Admission:
        """Lets a call of an operation in, as `Gate.admit`; the log says whose key it came with. Without a gate, all."""
        if gate is None:
            return UNLIMITED
        admission = gate.admit(operation, lambda: self.told(HEADER))
        self.key = admission.name
        return admission

    def check_deadline(self) -> None:
        """DEADLINE_EXCEEDED where the caller waits no longer."""
        left = cast("float | None", self.context.time_remaining())  # None where the caller gave no deadline
        if left is not None and left <= 0:
            raise ServiceError("DEADLINE_EXCEEDED", "the time the caller gave is over")

    async def refuse(self, error: Exception) -> NoReturn:
        """Ends the call with the refusal that an exception is."""
        problem = problem_of(error, self.language)
        code = code_of(problem)
        refused(problem.code)
        self.log(code.name, code=problem.code, **(facts_of(error) if problem.code == "INTERNAL" else {}))
        status = status_of(problem)
        await self.context.abort(code, status.message, ((DETAILS_KEY, status.SerializeToString()), (_ID, self.id)))

    def log(self, status: str, /, **facts: Any) -> None:
        """Writes the line, now that the call is over; the status by its name."""
        seconds = time.perf_counter() - self._began
        metrics.answered("grpc", operation_named(self.method), facts.get("code", status), seconds)
        line = {
            "transport": "grpc",
            "id": self.id,
            "method": self.method,
            "status": status,
            "ms": round(seconds * 1_000, 3),
        }
        if self.key:
            line["key"] = self.key
        log_request(logging.ERROR if "traceback" in facts else logging.INFO, line | facts)


Answer = Callable[[bytes, Received, Admission], bytes | Awaitable[Any]]
"""What answers a call: at once, or once it is waited for."""


def unary(name: str, operation: str, answer: Answer, gate: Gate | None) -> "grpc.RpcMethodHandler[bytes, bytes]":
    """A method of one request and one answer, of bytes."""
    return grpc.unary_unary_rpc_method_handler(_told(name, operation, answer, gate))


def watched(name: str, operation: str, answer: Answer, gate: Gate | None) -> "grpc.RpcMethodHandler[bytes, bytes]":
    """A method of one request whose answers `answer` writes to the call's context itself."""
    call: Any = _told(name, operation, answer, gate)
    return grpc.unary_stream_rpc_method_handler(call)


def refusing(name: str, refusal: Callable[[], Exception]) -> "grpc.RpcMethodHandler[bytes, bytes]":
    """A method that reads nothing and refuses, however many requests and answers it has."""

    async def call(_: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        for answer in NO_ANSWERS:
            yield answer
        await Received(name, context).refuse(refusal())

    return grpc.stream_stream_rpc_method_handler(call)


def _told(name: str, operation: str, answer: Answer, gate: Gate | None) -> Callable[[bytes, Context], Awaitable[Any]]:
    async def call(data: bytes, context: Context) -> Any:
        received = Received(name, context)
        try:
            received.check_deadline()
            answered = answer(data, received, received.admitted(gate, operation))
            if not isinstance(answered, bytes):
                answered = await answered
        except asyncio.CancelledError:
            received.log(grpc.StatusCode.CANCELLED.name)
            raise
        except Exception as error:  # noqa: BLE001 - everything is answered
            await received.refuse(error)
        received.log(OK)
        return answered

    return call
