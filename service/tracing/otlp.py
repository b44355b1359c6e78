"""Traces by OpenTelemetry, sent by OTLP: the one module that imports it.

A span has names of this service's own, numbers and outcomes; nothing that a caller sent and nothing that was dealt. The
traces' parent is taken from `traceparent`; `tracestate` and baggage, in which a caller can say anything, are not.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import Token
from functools import lru_cache
from typing import Any, Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

from engine.violations import Refusal
from service.errors import ServiceError
from service.store.timing import Timed

from . import HERE, UseCase

SCHEMA: Final = "https://opentelemetry.io/schemas/1.44.0"
"""The version of the semantic conventions that the names of attributes are of."""
SCOPE: Final = "scheids"
TRACEPARENT: Final = "traceparent"
BATCH: Final = "batch"
STREAM: Final = "decide"
"""The operations with many decisions: a batch's have one span together, a stream's none but the request's."""

_PROPAGATOR: Final = TraceContextTextMapPropagator()
_CODE: Final = re.compile(r"[A-Z]{2,32}")
Attributes = dict[str, AttributeValue]
Observe = Callable[[str, str, str, float], None]


class Request:
    """One request that is recorded: its span, and what the engine decided in it."""

    def __init__(self, tracer: Tracer, span: Span) -> None:
        self.span = span
        self.tracer = tracer
        self.trace = f"{span.get_span_context().trace_id:032x}"
        self.code: str | None = None
        self._calls = 0
        self._seconds = 0.0
        self._first = self._last = 0
        self._operation = self._game = ""

    def decided(self, operation: str, game: str, seconds: float) -> None:
        """Takes in that a decision has just been made, in so many seconds."""
        self._last = time.time_ns()
        if not self._calls:
            self._first = self._last - int(seconds * 1e9)
            self._operation, self._game = operation, game
        self._calls += 1
        self._seconds += seconds

    def end(self, operation: str) -> None:
        """Ends the request's span, and before it that of its decisions; `operation` is the transport's name for it."""
        counted: Attributes = {"scheids.calls": self._calls, "scheids.engine.seconds": self._seconds}
        if operation == STREAM:
            self.span.set_attributes(counted)
        elif self._calls and operation == BATCH:
            self._engine(operation, counted)
        elif self._calls:
            self._engine(self._operation, {"scheids.game": self._game})
        if self.code is not None:
            self.span.set_attribute("scheids.code", self.code)
        self.span.end()

    def _engine(self, operation: str, attributes: Attributes) -> None:
        self.tracer.start_span(
            f"engine.{operation}",
            set_span_in_context(self.span, _NOWHERE),
            attributes={"scheids.operation": operation, **attributes},
            start_time=self._first,
        ).end(self._last)


class Inside:
    """Work within a recorded request (`service.tracing.Here`): new spans are children of `parent`."""

    __slots__ = ("context", "operation", "request")

    def __init__(self, request: Request, parent: Span, operation: str = "") -> None:
        self.request = request
        self.context = set_span_in_context(parent, _NOWHERE)
        self.operation = operation

    @property
    def trace(self) -> str:
        return self.request.trace

    def refuse(self, code: str) -> None:
        self.request.code = code

    @contextmanager
    def span(self, name: str, attributes: Attributes, kind: SpanKind = SpanKind.INTERNAL) -> Iterator[Span]:
        """A child; failed where what is raised within is no refusal."""
        span = self.request.tracer.start_span(name, self.context, kind, attributes)
        try:
            yield span
        except BaseException as fault:
            _end_with(span, fault)
            raise
        finally:
            span.end()


_NOWHERE: Final = Context()


class Served:
    """What is recorded of a request while it is served; None where it is not sampled."""

    __slots__ = ("_request", "_token")

    def __init__(self, request: Request | None) -> None:
        self._request = request
        self._token: Token[Any] | None = None

    def __enter__(self) -> Request | None:
        # Also where nothing is recorded: what serves this may have been started from within another request.
        self._token = HERE.set(None if self._request is None else Inside(self._request, self._request.span))
        return self._request

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            with suppress(ValueError):  # a stream that nobody reads to its end is closed from elsewhere
                HERE.reset(self._token)


class _Ids(RandomIdGenerator):
    """Ids at random. The sampler is asked before a span is made, about an id that the span then has."""

    def __init__(self) -> None:
        self._asked = threading.local()

    def propose(self) -> int:
        """The id that this thread's next trace has."""
        self._asked.trace = super().generate_trace_id()
        return int(self._asked.trace)

    def generate_trace_id(self) -> int:
        return int(self._asked.trace)


class Traces:
    """Where spans go (`service.tracing.Spans`), from any thread."""

    def __init__(self, version: str) -> None:
        """Begins to export, as the environment says. ValueError, OSError or RuntimeError where that cannot be."""
        resource = Resource.create({"service.version": version})
        if "service.name" not in OTELResourceDetector().detect().attributes:
            resource = resource.merge(Resource({"service.name": SCOPE}))
        self._ids = _Ids()
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False, id_generator=self._ids)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer(SCOPE, version, SCHEMA)

    def request(self, name: str, parents: Sequence[str], attributes: Attributes) -> Served:
        """A request's being served, recorded where it is sampled. `parents` are the values of `traceparent`."""
        parent, trace = _NOWHERE, 0
        if len(parents) == 1:
            parent = _PROPAGATOR.extract({TRACEPARENT: parents[0]}, parent)
            trace = get_current_span(parent).get_span_context().trace_id
        trace = trace or self._ids.propose()
        # A span that is not recorded costs much more than asking whether it would be.
        judged = self._provider.sampler.should_sample(parent, trace, name, SpanKind.SERVER, attributes)
        if judged.decision is not Decision.RECORD_AND_SAMPLE:
            return Served(None)
        span = self._tracer.start_span(name, parent, SpanKind.SERVER, attributes)
        return Served(Request(self._tracer, span) if span.is_recording() else None)

    def observing(self, observe: Observe) -> Observe:
        """What is told of decisions: the traces, and `observe` as well."""

        def both(operation: str, game: str, code: str, seconds: float) -> None:
            here: Inside | None = HERE.get()
            if here is not None and not here.operation:  # else the use case's own span of it has been
                here.request.decided(operation, game, seconds)
            observe(operation, game, code, seconds)

        return both

    def around(self, operation: str, use_case: UseCase) -> UseCase:
        name = f"tables.{operation}"
        attributes: Attributes = {"scheids.operation": operation}

        async def traced(asked: Any, caller: Any) -> Any:
            here: Inside | None = HERE.get()
            if here is None:
                return await use_case(asked, caller)
            with here.span(name, attributes) as span:
                token = HERE.set(Inside(here.request, span, operation))
                try:
                    return await use_case(asked, caller)
                finally:
                    HERE.reset(token)

        return traced

    @contextmanager
    def engine(self, game: str) -> Iterator[None]:
        here: Inside | None = HERE.get()
        if here is None:
            yield
            return
        attributes: Attributes = {"scheids.operation": here.operation, "scheids.game": game}
        with here.span(f"engine.{here.operation}", attributes):
            yield

    @contextmanager
    def command(self, script: str, address: tuple[str, int], database: int, tries: int) -> Iterator[None]:
        here: Inside | None = HERE.get()
        if here is None:
            yield
            return
        attributes = _of_command(script, address, database)
        if tries > 1:
            attributes = {**attributes, "scheids.redis.tries": tries}
        with here.span(f"EVALSHA {script}", attributes, SpanKind.CLIENT):
            yield

    def stored(self, timed: Timed) -> Timed:
        """What times the calls of the embedded store: `timed`, each in a span."""

        @contextmanager
        def both(call: str) -> Iterator[Callable[[str], None]]:
            here: Inside | None = HERE.get()
            with timed(call) as tell:
                if here is None:
                    yield tell
                    return
                attributes: Attributes = {"db.system.name": "sqlite", "db.operation.name": call}
                with here.span(call, attributes, SpanKind.CLIENT):
                    yield tell

        return both

    def close(self, seconds: float) -> None:
        """Sends what is left, if that takes no longer than this, and records no more."""
        closing = threading.Thread(target=self._provider.shutdown, name="traces-close", daemon=True)
        closing.start()
        closing.join(seconds)


@lru_cache(maxsize=256)
def _of_command(script: str, address: tuple[str, int], database: int) -> Attributes:
    return {
        "db.system.name": "redis",
        "db.operation.name": "EVALSHA",
        "db.stored_procedure.name": script,
        "db.namespace": str(database),
        "server.address": address[0],
        "server.port": address[1],
    }


def fail(span: Span, kind: str) -> None:
    """Marks a span as failed; `kind` says how, in a word of ours or of a library."""
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))


def _end_with(span: Span, fault: BaseException) -> None:
    """Notes what was raised, by its code or type: messages may have anything in them."""
    if isinstance(fault, ServiceError | Refusal):
        return
    code = getattr(fault, "status_code", None)  # an error of Redis: READONLY, OOM, ...
    if isinstance(code, str) and _CODE.fullmatch(code):
        span.set_attribute("db.response.status_code", code)
        fail(span, code)
    else:
        fail(span, type(fault).__qualname__)
