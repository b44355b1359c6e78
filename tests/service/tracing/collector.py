"""A collector of traces on this machine: takes what comes by OTLP over HTTP, and keeps it."""

import gzip
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from msgspec import Struct
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SECONDS: Final = 30
KINDS: Final = {1: "internal", 2: "server", 3: "client"}
ERROR: Final = 2


class Span(Struct, frozen=True):
    """A span as it came."""

    name: str
    kind: str
    trace: str
    id: str
    parent: str
    attributes: Mapping[str, Any]
    failed: bool
    began: int
    ended: int


class Collector:
    """What came so far. While `hangs` is set nobody is answered."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.resources: list[Mapping[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.hangs = threading.Event()
        self.goes_on = threading.Event()
        self._spans: list[Span] = []
        self._lock = threading.Lock()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if collector.hangs.is_set():
                    collector.goes_on.wait(SECONDS)
                if self.headers.get("content-encoding") == "gzip":
                    body = gzip.decompress(body)
                collector.take(self.path, dict(self.headers), body)
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Prints nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.05])
        self._thread.start()

    def take(self, path: str, headers: Mapping[str, str], body: bytes) -> None:
        assert path == "/v1/traces"
        found = []
        request = ExportTraceServiceRequest.FromString(body)
        for each in request.resource_spans:
            self.resources.append(_plain(each.resource.attributes))
            for scope in each.scope_spans:
                found += [_span(span) for span in scope.spans]
        with self._lock:
            self.bodies.append(body)
            self.headers.append({name.lower(): value for name, value in headers.items()})
            self._spans += found

    @property
    def spans(self) -> list[Span]:
        with self._lock:
            return [*self._spans]

    def trace(self, trace: str) -> list[Span]:
        return [span for span in self.spans if span.trace == trace]

    def until(self, what: str, is_so: Callable[[list[Span]], bool]) -> list[Span]:
        """The spans, once they are so."""
        until = time.monotonic() + SECONDS
        while not is_so(self.spans):
            assert time.monotonic() < until, f"not within {SECONDS} s: {what}; {[span.name for span in self.spans]}"
            time.sleep(0.01)
        return self.spans

    def whole(self, trace: str) -> list[Span]:
        """The spans of a trace, once its request's own, which ends last, has come."""
        self.until(f"all of {trace}", lambda _: any(span.kind == "server" for span in self.trace(trace)))
        return self.trace(trace)

    def close(self) -> None:
        self.goes_on.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def environment(self, **others: str) -> dict[str, str]:
        """What has a service send its traces here, at once."""
        return {
            "SCHEIDS_TRACES": "otlp",
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.url,
            "OTEL_BSP_SCHEDULE_DELAY": "50",
            **others,
        }


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector, for as long as it is needed."""
    collector = Collector()
    try:
        yield collector
    finally:
        collector.close()


def _span(span: Any) -> Span:
    return Span(
        name=span.name,
        kind=KINDS[span.kind],
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        attributes=_plain(span.attributes),
        failed=span.status.code == ERROR,
        began=span.start_time_unix_nano,
        ended=span.end_time_unix_nano,
    )


def _plain(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}


def parent_of(number: int, *, sampled: bool = True) -> tuple[str, str, str]:
    """A caller's trace and span of a number, and the `traceparent` that tells of them."""
    trace, span = f"{number + 1:032x}", f"{number + 1:016x}"
    return trace, span, f"00-{trace}-{span}-{int(sampled):02d}"


def tree_of(spans: list[Span]) -> dict[str, tuple[str, str]]:
    """Kind and parent of each span by their names; a parent that is not among them by its id."""
    names = {span.id: span.name for span in spans}
    assert len({span.name for span in spans}) == len(spans), [span.name for span in spans]
    return {span.name: (span.kind, names.get(span.parent, span.parent)) for span in spans}
