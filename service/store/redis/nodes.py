"""One Redis server: its connections and its circuit. Lives in one event loop."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from hiredis import pack_command
from redis.asyncio.connection import Connection
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.store import StoreAway
from service.store.circuit import Circuit

from .target import Address, RedisOptions, Target

CLIENT: Final = "scheids"
LOST: Final = (OSError, TimeoutError, RedisConnectionError, RedisTimeoutError)
"""What is raised where a server cannot be reached, or was lost on the way."""

Command: TypeAlias = Sequence[str | bytes | int]


class Attempt:
    """Whether anything of a call was sent, and may so have been carried out."""

    def __init__(self, *, minds_circuit: bool = True) -> None:
        self.minds_circuit = minds_circuit
        self.sent = False


async def connect(connection: Connection) -> None:
    """Connects, once: what is in `LOST` where that fails."""
    await connection.connect()  # type: ignore[no-untyped-call]


def packed(commands: Sequence[Command]) -> list[bytes]:
    """Commands as they go over a connection, whose own packing takes five times as long."""
    parts: list[Any] = [tuple(command) for command in commands]
    return list(map(pack_command, parts))


async def converse(connection: Connection, commands: Sequence[Command]) -> list[Any]:
    """Sends commands in one go and reads their replies; a reply that is an error is among them, not raised."""
    await connection.send_packed_command(packed(commands), check_health=False)
    replies: list[Any] = []
    for _ in commands:
        try:
            replies.append(await connection.read_response())
        except ResponseError as fault:
            replies.append(fault)
    return replies


async def hang_up(connection: Connection, *, nowait: bool = True) -> None:
    """Closes a connection, whatever state it is in; and sees it closed, unless `nowait`."""
    with suppress(RedisError, OSError):
        await connection.disconnect(nowait=nowait)


async def ask(connection: Connection, command: Command, seconds: float) -> Any:
    """One command over a connection of its own, which is closed; what is in `LOST`, or ResponseError."""
    try:
        async with asyncio.timeout(seconds):
            await connect(connection)
            reply = (await converse(connection, [command]))[0]
    finally:
        await hang_up(connection)
    if isinstance(reply, ResponseError):
        raise reply
    return reply


class Node:
    """A server that answers commands, each over a connection that nobody else uses meanwhile."""

    def __init__(
        self, target: Target, address: Address, options: RedisOptions, probe: "Callable[[Node], Awaitable[None]]"
    ) -> None:
        self.address = address
        self.circuit = Circuit(lambda: probe(self))
        self._target = target
        self._options = options
        self._idle: list[Connection] = []
        self._room = asyncio.Semaphore(options.connections)
        self._closed = False

    async def exchange(self, commands: Sequence[Command], attempt: Attempt, until: float) -> list[Any]:
        """The replies to commands sent in one go, within the time of an attempt. What is in `LOST` is raised.

        StoreAway where the circuit is open, or every connection is in use until it is too late: the waiting for one
        says nothing of the server.
        """
        now = asyncio.get_running_loop().time
        if self._room.locked():
            await self._wait_for_room(until)
        else:
            await self._room.acquire()
        try:
            if attempt.minds_circuit:
                self.circuit.check()
            async with asyncio.timeout_at(min(until, now() + self._options.attempt_seconds)):
                return await self._converse(commands, attempt)
        finally:
            self._room.release()

    async def _wait_for_room(self, until: float) -> None:
        try:
            async with asyncio.timeout_at(until):
                await self._room.acquire()
        except TimeoutError as fault:
            raise StoreAway("every connection to Redis is in use") from fault

    async def _converse(self, commands: Sequence[Command], attempt: Attempt) -> list[Any]:
        connection = self._idle.pop() if self._idle else self._target.connection(self.address, CLIENT)
        whole = False
        try:
            if not connection.is_connected:
                await connect(connection)
            attempt.sent = True
            replies = await converse(connection, commands)
            whole = True
        finally:
            if whole and not self._closed:
                self._idle.append(connection)
            else:
                await hang_up(connection)
        return replies

    async def ping(self) -> None:
        """StoreAway where the server does not answer in time. Asks it also while the circuit is open."""
        until = asyncio.get_running_loop().time() + self._options.call_seconds
        try:
            reply = (await self.exchange([("PING",)], Attempt(minds_circuit=False), until))[0]
        except LOST as fault:
            await self.forget()
            raise StoreAway(reason_of(fault)) from fault
        if isinstance(reply, ResponseError):
            raise StoreAway(reason_of(reply)) from reply

    async def forget(self) -> None:
        """Closes the connections that nobody uses: after a fault none of them is to be trusted."""
        idle, self._idle = self._idle, []
        for connection in idle:
            await hang_up(connection)

    async def close(self) -> None:
        self._closed = True
        await self.circuit.close()
        while self._idle:
            await hang_up(self._idle.pop(), nowait=False)


def code_of(fault: ResponseError) -> str:
    """The first word of an error of Redis: READONLY, OOM, ..."""
    return str(fault.status_code or str(fault).partition(" ")[0])


def reason_of(fault: BaseException) -> str:
    """Why a server is held to be away, with nothing in it that came from its side but a code."""
    if isinstance(fault, ResponseError):
        return f"Redis refuses: {code_of(fault)[:32]}"
    if isinstance(fault, TimeoutError | RedisTimeoutError):
        return "Redis did not answer in time"
    return f"Redis cannot be reached: {type(fault).__name__}"
