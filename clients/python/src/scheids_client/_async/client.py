"""The client."""

import copy
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import grpc
import httpx
from tenacity import AsyncRetrying

from .. import models
from .._channels import target_of
from .._operations import CLAIM, CREATE_TABLE, Operation, Question, work_of
from .._requests import new_key
from .._results import Result, cut, result_of
from .._retrying import Deadline, Retry, policy
from .._tls import Tls
from ..errors import RateLimited, ScheidsError, error_of
from .games import AsyncHosting
from .grpc import AsyncGrpc
from .http import AsyncHttp
from .referee import AsyncReferee, async_each
from .table import AsyncCreatedTable, AsyncTable
from .transport import Asked, AsyncDecider, AsyncTransport


class AsyncScheids(AsyncReferee, AsyncHosting):
    """A client of the service at an address: ``http://``, ``https://``, ``grpc://`` or ``grpcs://`` (with TLS).

    Both ways have the same calls and give the same answers. Over gRPC a name that stands for several addresses, or
    several IP addresses separated by commas, are called in turn, as long as they say that they are well.

    Close it, or use it in a `with` statement.
    """

    def __init__(  # noqa: PLR0913 - each is a setting by itself
        self,
        address: str = "http://127.0.0.1:8080",
        *,
        language: str | None = None,
        timeout: float = 30.0,
        retry: Retry | None = None,
        api_key: str | None = None,
        tls: Tls | None = None,
        http_client: httpx.AsyncClient | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        channel_options: Sequence[tuple[str, Any]] = (),
    ) -> None:
        """A client. Nothing is sent before the first call.

        Args:
            address: where the service is.
            language: of messages: ``en``, ``nl``, ``fr``, or what ``Accept-Language`` may say.
            timeout: how many seconds a call may take, with all its attempts.
            retry: how often a call is tried that got no answer; `Retry(attempts=1)`: once.
            api_key: sent with every call, where the service knows its callers by keys.
            tls: other authorities than those the machine trusts, and a certificate to show, where the address has TLS.
            http_client: over HTTP: a client of httpx to use, with proxies, certificates or whatever it has been told.
            credentials: over gRPC with TLS: other credentials than those that trust what the machine does.
            channel_options: over gRPC: more options of the channel.
        """
        self._language = language
        self._timeout = timeout
        self._retry = retry or Retry()
        self._api_key = api_key
        self._limits: models.Limits | None = None
        parts = urlsplit(address)
        self._transport: AsyncTransport
        match parts.scheme:
            case "http" | "https":
                if tls is not None and http_client is not None:
                    raise ValueError("a client of httpx has certificates of its own: name it or `tls`")
                self._transport = AsyncHttp(address, http_client, tls)
            case "grpc" | "grpcs":
                if tls is not None and credentials is not None:
                    raise ValueError("credentials have certificates of their own: name them or `tls`")
                if parts.scheme == "grpcs":
                    credentials = credentials or (tls or Tls()).credentials()
                self._transport = AsyncGrpc(target_of(parts), credentials, channel_options)
            case _:
                raise ValueError(f"an address begins with http://, https://, grpc:// or grpcs://, not {address!r}")

    def with_options(
        self,
        *,
        language: str | None = None,
        timeout: float | None = None,
        retry: Retry | None = None,
        api_key: str | None = None,
    ) -> Self:
        """The same client, over the same connections, with other settings where they are named."""
        other = copy.copy(self)
        other._language = self._language if language is None else language
        other._timeout = self._timeout if timeout is None else timeout
        other._retry = retry or self._retry
        other._api_key = self._api_key if api_key is None else api_key
        return other

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    # --- calls

    async def _ask(self, operation: Operation, request: Any, timeout: float | None, token: str | None = None) -> Any:
        deadline = self._deadline(timeout)
        async for attempt in AsyncRetrying(**policy(self._retry, deadline)):
            with attempt:
                return await self._transport.call(operation, request, self._asked(deadline, token))
        raise AssertionError("a call ends with an answer or an error")

    def _deadline(self, timeout: float | None) -> Deadline:
        return Deadline(self._timeout if timeout is None else timeout, self._retry.each)

    def _asked(self, deadline: Deadline, token: str | None = None) -> Asked:
        return Asked(self._language, token, self._api_key, deadline.attempt)

    async def batch(self, questions: Iterable[Question], *, timeout: float | None = None) -> list[Result]:
        """Asks many questions at once; results come in their order, each with its own answer or its own error.

        However many there are: they are asked in as many batches as the service's limits make of them.
        """
        asked = list(questions)
        deadline = self._deadline(timeout)
        results: list[Result | None] = [None] * len(asked)
        sent: list[tuple[int, bytes]] = []
        for index, question in enumerate(asked):
            try:
                sent.append((index, self._transport.pack(str(index), question)))
            except ScheidsError as fault:
                results[index] = Result(None, fault)
        if self._limits is None and len(sent) > 1:
            self._limits = (await self.get_game("whist", timeout=deadline.left)).limits
        sizes = [len(part) for _, part in sent]
        works = [work_of(asked[index]) for index, _ in sent]
        for batch in cut(sizes, works, self._limits) if self._limits else [range(len(sent))] if sent else []:
            came = await self._batched([sent[at][1] for at in batch], deadline)
            for at, result in zip(batch, came, strict=True):
                results[sent[at][0]] = result
        return [result for result in results if result is not None]

    async def _batched(self, parts: list[bytes], deadline: Deadline) -> list[Result]:
        try:
            async for attempt in AsyncRetrying(**policy(self._retry, deadline)):
                with attempt:
                    answer = await self._transport.batch(parts, self._asked(deadline))
                    return [result_of(each) for each in answer]
        except ScheidsError as fault:
            if len(parts) == 1 and fault.status:
                return [Result(None, fault)]  # the one call is refused as the batch that it is all of
            raise
        raise AssertionError("a call ends with an answer or an error")

    async def decide(
        self, questions: AsyncIterable[Question] | Iterable[Question], *, ahead: int = 1, timeout: float | None = None
    ) -> AsyncIterator[Result]:
        """Asks questions as they come, without end; results come in their order.

        At most `ahead` questions are taken before the first of them has its result. More are faster, but then none may
        depend on what an earlier one brings. `timeout` is for each result. Where the service goes away what has not
        been answered is asked again.
        """
        deciding = AsyncDeciding(lambda: self._transport.decide(self._asked(self._deadline(timeout))))
        source = async_each(questions)
        waiting: deque[Result | None] = deque()
        more = True
        number = 0
        try:
            while True:
                while more and len(waiting) < max(ahead, 1):
                    question = await anext(source, None)
                    more = question is not None
                    if question is not None:
                        try:
                            await deciding.send(self._transport.pack(str(number), question))
                            waiting.append(None)
                        except ScheidsError as fault:
                            waiting.append(Result(None, fault))
                        number += 1
                if not waiting:
                    return
                known = waiting.popleft()
                yield await self._decided(deciding, timeout) if known is None else known
        finally:
            await deciding.aclose()

    async def _decided(self, deciding: "AsyncDeciding", timeout: float | None) -> Result:
        async for attempt in AsyncRetrying(**policy(self._retry, self._deadline(timeout))):
            with attempt:
                return result_of(await deciding.receive())
        raise AssertionError("a call ends with an answer or an error")

    # --- tables

    async def _create(self, request: models.CreateTableRequest, timeout: float | None) -> AsyncCreatedTable:
        made: models.CreateTableResponse = await self._ask(CREATE_TABLE, request, timeout)
        host = AsyncTable(self, made.id, made.host_token, version=made.version)
        return AsyncCreatedTable(made.id, made.version, host, made.join_codes, made.commitment)

    async def claim(
        self,
        table: str,
        join_code: str,
        *,
        name: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> AsyncTable:
        """Swaps a join code for a place: the table as whoever sits there has it. Keep its `token`."""
        key = idempotency_key or new_key()
        request = models.ClaimPlaceRequest(table=table, join_code=join_code, name=name, idempotency_key=key)
        claimed: models.ClaimPlaceResponse = await self._ask(CLAIM, request, timeout)
        return AsyncTable(self, table, claimed.token, place=claimed.place, version=claimed.version)

    def table(self, table: str, token: str | None = None) -> AsyncTable:
        """A table by its id, as the token's holder has it, or without one as a spectator. Nothing is asked."""
        return AsyncTable(self, table, token)


class AsyncDeciding:
    """A stream of questions that is opened anew where it broke off, with what was not answered."""

    def __init__(self, opened: Callable[[], AsyncDecider]) -> None:
        self._opened = opened
        self._decider: AsyncDecider | None = None
        self._open: deque[bytes] = deque()

    async def send(self, part: bytes) -> None:
        """Sends a question; where that cannot be, it goes with the next attempt to receive."""
        self._open.append(part)
        if self._decider is not None:
            try:
                await self._decider.send(part)
            except ScheidsError:
                await self.aclose()

    async def receive(self) -> models.BatchResult:
        """The next result."""
        try:
            if self._decider is None:
                self._decider = self._opened()
                for part in self._open:
                    await self._decider.send(part)
            result = await self._decider.receive()
            if result.error is not None and isinstance(limited := error_of(result.error), RateLimited):
                raise limited  # it is asked again, with all behind it, once there is room
        except ScheidsError:
            await self.aclose()
            raise
        self._open.popleft()
        return result

    async def aclose(self) -> None:
        """Ends the stream."""
        decider, self._decider = self._decider, None
        if decider is not None:
            with suppress(ScheidsError):
                await decider.aclose()
