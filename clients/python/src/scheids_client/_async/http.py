"""Over HTTP: JSON, and Server-Sent Events."""

from collections import deque
from collections.abc import Sequence
from typing import Any

import httpx
from httpx_sse import EventSource

from .. import models
from .._http import (
    JSON,
    LIMITS,
    NO_CONTENT,
    OK,
    SILENCE_SECONDS,
    answer_in,
    batch_of,
    failures,
    frame_in,
    headers_of,
    pack,
    parts_of,
    refusal_in,
    timeouts,
)
from .._operations import BATCH, WATCH, Operation
from .._tls import Tls
from ..errors import own_error
from .transport import Asked, AsyncDecider, AsyncFrames, AsyncTransport


class AsyncHttp(AsyncTransport):
    """The service at a URL."""

    def __init__(self, url: str, client: httpx.AsyncClient | None, tls: Tls | None) -> None:
        self._url = url.rstrip("/")
        self._given = client is not None
        self._client = client or httpx.AsyncClient(limits=LIMITS, verify=True if tls is None else tls.context())

    async def call(self, operation: Operation, request: Any, asked: Asked) -> Any:
        path, body, query = parts_of(operation, request)
        return answer_in(operation, await self._send(operation.verb, path, body, query, asked))

    async def _send(self, verb: str, path: str, body: bytes | None, query: Any, asked: Asked) -> httpx.Response:
        headers = headers_of(asked.language, asked.token, asked.api_key)
        if body is not None:
            headers |= JSON
        with failures():
            return await self._client.request(
                verb, self._url + path, content=body, params=query, headers=headers, timeout=timeouts(asked.timeout)
            )

    def pack(self, name: str, question: Any) -> bytes:
        return pack(name, question)

    async def batch(self, parts: Sequence[bytes], asked: Asked) -> Sequence[models.BatchResult]:
        response = await self._send(BATCH.verb, BATCH.path, batch_of(list(parts)), {}, asked)
        results: Sequence[models.BatchResult] = answer_in(BATCH, response).results
        return results

    async def watch(self, request: models.WatchTableRequest, asked: Asked) -> AsyncFrames | None:
        path, _, query = parts_of(WATCH, request)
        times = httpx.Timeout(SILENCE_SECONDS, connect=timeouts(asked.timeout).connect)
        headers = headers_of(asked.language, asked.token, asked.api_key) | {"accept": "text/event-stream"}
        with failures():
            sent = self._client.build_request("GET", self._url + path, params=query, headers=headers, timeout=times)
            response = await self._client.send(sent, stream=True)
            if response.status_code == NO_CONTENT:
                await response.aclose()
                return None
            if response.status_code != OK:
                await response.aread()
                await response.aclose()
                raise refusal_in(response)
        return AsyncEvents(response)

    def decide(self, asked: Asked) -> AsyncDecider:
        return AsyncBatches(self, asked)

    async def aclose(self) -> None:
        if not self._given:
            await self._client.aclose()


class AsyncEvents(AsyncFrames):
    """Frames as Server-Sent Events."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._events = EventSource(response).aiter_sse()

    async def next(self) -> models.WatchTableResponse | None:
        with failures():
            event = await anext(self._events, None)
            while event is not None and not event.data:  # a heartbeat, which is no event
                event = await anext(self._events, None)
        if event is None:
            raise own_error("UNREACHABLE", "the stream of events broke off")
        return frame_in(event.event, event.data)

    async def aclose(self) -> None:
        await self._response.aclose()


class AsyncBatches(AsyncDecider):
    """What has been sent goes as a batch once its first result is waited for."""

    def __init__(self, http: AsyncHttp, asked: Asked) -> None:
        self._http = http
        self._asked = asked
        self._parts: list[bytes] = []
        self._results: deque[models.BatchResult] = deque()

    async def send(self, part: bytes) -> None:
        self._parts.append(part)

    async def receive(self) -> models.BatchResult:
        if not self._results:
            self._results.extend(await self._http.batch(self._parts, self._asked))
            self._parts.clear()
        return self._results.popleft()

    async def aclose(self) -> None:
        self._parts.clear()
