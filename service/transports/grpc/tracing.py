"""The spans of calls that come over gRPC, by the conventions for RPC."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import grpc

from service.tracing.http import FAILURES
from service.tracing.otlp import TRACEPARENT, Request, Traces, fail

from .calls import Context

_NAMES: Final[dict[int, str]] = {code.value[0]: code.name for code in grpc.StatusCode}


class TracedCalls(grpc.GenericRpcHandler):
    """A service, each call of whose methods is a span. An interceptor would cost those that are not recorded more."""

    def __init__(self, traces: Traces, service: grpc.GenericRpcHandler) -> None:
        self._service = service
        self._traces = traces
        self._traced: dict[str, Any] = {}

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        path: str = handler_call_details.method
        if path not in self._traced:
            handler = self._service.service(handler_call_details)
            if handler is None:
                return None
            self._traced[path] = self._around(path.removeprefix("/"), handler)
        return self._traced[path]

    def _around(self, method: str, handler: Any) -> Any:
        """The handler, in a span. Of the methods that stream, one writes its answers itself, the other yields them."""
        if handler.stream_stream:
            return grpc.stream_stream_rpc_method_handler(self._stream(method, handler.stream_stream))
        if handler.unary_stream:
            return grpc.unary_stream_rpc_method_handler(self._answer(method, handler.unary_stream))
        return grpc.unary_unary_rpc_method_handler(self._answer(method, handler.unary_unary))

    def _answer(self, method: str, answer: Callable[[bytes, Context], Awaitable[Any]]) -> Any:
        async def answered(data: bytes, context: Context) -> Any:
            with self._request(method, context) as request:
                if request is None:
                    return await answer(data, context)
                fault: BaseException | None = None
                try:
                    return await answer(data, context)
                except BaseException as raised:
                    fault = raised
                    raise
                finally:
                    _end(request, method, context, fault)

        return answered

    def _stream(self, method: str, answers: Callable[[AsyncIterator[bytes], Context], AsyncIterator[bytes]]) -> Any:
        async def answered(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
            with self._request(method, context) as request:
                fault: BaseException | None = None
                try:
                    async for each in answers(requests, context):
                        yield each
                except BaseException as raised:
                    fault = raised
                    raise
                finally:
                    if request is not None:
                        _end(request, method, context, fault)

        return answered

    def _request(self, method: str, context: Context) -> Any:
        parents = [str(value) for key, value in context.invocation_metadata() or () if key == TRACEPARENT]
        return self._traces.request(method, parents, {"rpc.system.name": "grpc", "rpc.method": method})


def _end(request: Request, method: str, context: Context, fault: BaseException | None) -> None:
    status = _status(context, fault)
    request.span.set_attribute("rpc.response.status_code", status)
    if status in FAILURES:
        fail(request.span, status)
    name = method.rpartition("/")[2]
    request.end(name[:1].lower() + name[1:])


def _status(context: Context, fault: BaseException | None) -> str:
    """The status that a call ends with: what was set, else what grpc makes of what was raised."""
    if isinstance(fault, asyncio.CancelledError | GeneratorExit):
        return grpc.StatusCode.CANCELLED.name
    code: Any = context.code()
    number = code.value[0] if isinstance(code, grpc.StatusCode) else code or 0
    if fault is not None and not number:
        return grpc.StatusCode.UNKNOWN.name
    return _NAMES[number]
