"""Connections to Redis servers: redis-py makes each, with its TLS, password and name. Live in one event loop."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, Self, TypeAlias

from hiredis import ProtocolError, Reader, pack_command
from redis._parsers import BaseParser
from redis.asyncio.connection import Connection
from redis.exceptions import RedisError

Command: TypeAlias = tuple[str | bytes | int, ...]
_NOTHING: Final = object()
_pack: Final[Callable[[Any], bytes]] = pack_command


async def connect(connection: Connection) -> None:
    """Connects, once: what is in `nodes.LOST` where that fails."""
    await connection.connect()  # type: ignore[no-untyped-call]


async def hang_up(connection: Connection) -> None:
    """Closes a connection, whatever state it is in."""
    with suppress(RedisError, OSError):
        await connection.disconnect(nowait=True)


def packed(commands: Sequence[Command]) -> list[bytes]:
    """Commands as they go over a connection, whose own packing takes five times as long."""
    return list(map(_pack, commands))


async def ask(connection: Connection, command: Command, seconds: float) -> Any:
    """One command over a connection of its own, which is closed; what is in `nodes.LOST`, or ResponseError."""
    try:
        async with asyncio.timeout(seconds):
            await connect(connection)
            await connection.send_packed_command(packed([command]), check_health=False)
            return await connection.read_response()
    finally:
        await hang_up(connection)


class _Asked:
    """Commands sent in one go, and the replies to them that are here."""

    __slots__ = ("done", "number", "replies")

    def __init__(self, number: int, done: "asyncio.Future[list[Any]]") -> None:
        self.number = number
        self.done = done
        self.replies: list[Any] = []


class Pipe(asyncio.Protocol):
    """A connection over which commands go as they come: none waits for the replies to those before it.

    What is asked in one turn of the event loop leaves in one write. redis-py's own streams, where each command has a
    connection to itself, take more of the processor than all of the call besides.
    """

    def __init__(self, connection: Connection) -> None:
        """Takes over a connection that has just been made. ConnectionResetError where it has been lost since."""
        self._loop = asyncio.get_running_loop()
        self._connection = connection
        self._reader = Reader(replyError=BaseParser.parse_error, notEnoughData=_NOTHING)
        self._unsent: list[bytes] = []
        self._asked: deque[_Asked] = deque()
        self._lost = asyncio.Event()
        self._transport: Any = connection._writer.transport  # type: ignore[union-attr]  # noqa: SLF001 - the only way to it
        if self._transport.is_closing():
            raise ConnectionResetError
        self._transport.set_protocol(self)
        self.is_open = True

    @classmethod
    async def over(cls, connection: Connection) -> Self:
        """Connects; what is in `nodes.LOST` where that fails."""
        try:
            await connect(connection)
            return cls(connection)
        except BaseException:
            await hang_up(connection)
            raise

    async def ask(self, commands: Sequence[Command], until: float) -> list[Any]:
        """The replies; one that is an error is among them, not raised. TimeoutError or OSError where they do not come.

        `until` is a time of the event loop.
        """
        if not self.is_open:
            raise ConnectionResetError
        done: asyncio.Future[list[Any]] = self._loop.create_future()
        if not self._unsent:
            self._loop.call_soon(self._send)
        self._unsent += packed(commands)
        self._asked.append(_Asked(len(commands), done))
        timer = self._loop.call_at(until, _give_up, done)
        try:
            return await done
        finally:
            timer.cancel()

    async def close(self, fault: Exception | None = None) -> None:
        """Closes it; whoever still waits for replies is given the fault."""
        self._end(fault)
        self._transport.abort()
        await self._lost.wait()
        await hang_up(self._connection)

    def data_received(self, data: bytes) -> None:
        """Gives replies to those who asked for them, in order.

        After one that nobody asked for, or that is none, each would go to the wrong caller: that ends the connection.
        """
        self._reader.feed(data)
        try:
            while (reply := self._reader.gets()) is not _NOTHING:
                asked = self._asked[0]
                asked.replies.append(reply)
                if len(asked.replies) == asked.number:
                    self._asked.popleft()
                    if not asked.done.done():
                        asked.done.set_result(asked.replies)
        except (IndexError, ProtocolError):
            self._end(None)
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes."""
        del exc
        self._end(None)
        self._lost.set()

    def _send(self) -> None:
        unsent, self._unsent = self._unsent, []
        if self.is_open:
            self._transport.writelines(unsent)

    def _end(self, fault: Exception | None) -> None:
        self.is_open = False
        while self._asked:
            done = self._asked.popleft().done
            if not done.done():
                done.set_exception(fault or ConnectionResetError())


def _give_up(done: "asyncio.Future[list[Any]]") -> None:
    if not done.done():
        done.set_exception(TimeoutError())
