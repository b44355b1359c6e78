"""What a transport does: requests out, answers in, failures in the words of `errors`."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import models
from .._operations import Operation


class Asked(NamedTuple):
    """How a call is made: in which language it is answered, with which token and API key, in how many seconds."""

    language: str | None
    token: str | None
    api_key: str | None
    timeout: float


class AsyncFrames(ABC):
    """The frames of a watch as they come."""

    @abstractmethod
    async def next(self) -> models.WatchTableResponse | None:
        """The next frame; None where there are no more."""

    @abstractmethod
    async def aclose(self) -> None:
        """Ends the watch."""


class AsyncDecider(ABC):
    """Questions out, and the results in their order."""

    @abstractmethod
    async def send(self, part: bytes) -> None: ...

    @abstractmethod
    async def receive(self) -> models.BatchResult: ...

    @abstractmethod
    async def aclose(self) -> None: ...


class AsyncTransport(ABC):
    """One way to the service."""

    @abstractmethod
    async def call(self, operation: Operation, request: Any, asked: Asked) -> Any: ...

    @abstractmethod
    def pack(self, name: str, question: Any) -> bytes:
        """A call of a batch, as it goes over the wire."""

    @abstractmethod
    async def batch(self, parts: Sequence[bytes], asked: Asked) -> Sequence[models.BatchResult]: ...

    @abstractmethod
    async def watch(self, request: models.WatchTableRequest, asked: Asked) -> AsyncFrames | None:
        """The frames; None where there are no more."""

    @abstractmethod
    def decide(self, asked: Asked) -> AsyncDecider: ...

    @abstractmethod
    async def aclose(self) -> None: ...
