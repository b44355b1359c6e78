"""One Redis server: its connections and its circuit. Lives in one event loop."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.store import StoreAway
from service.store.circuit import Circuit

from .connections import Command, Pipe
from .target import Address, RedisOptions, Target

CLIENT: Final = "scheids"
LOST: Final = (OSError, TimeoutError, RedisConnectionError, RedisTimeoutError)
"""What is raised where a server cannot be reached, or was lost on the way."""

PATIENT: Final = 0.5
"""What share of an attempt's time a call has to have waited in vain for the connection to be given up, for all."""


class Attempt:
    """Whether anything of a call was sent, and may so have been carried out."""

    def __init__(self, *, minds_circuit: bool = True) -> None:
        self.minds_circuit = minds_circuit
        self.sent = False


class Node:
    """A server that answers commands, all of them over one connection.

    But for those that are to be `alone`, since the server lets others wait behind them: each of these has a connection
    that nobody else uses meanwhile.
    """

    def __init__(
        self, target: Target, address: Address, options: RedisOptions, probe: "Callable[[Node], Awaitable[None]]"
    ) -> None:
        self.address = address
        self.circuit = Circuit(lambda: probe(self))
        self._target = target
        self._options = options
        self._shared: Pipe | None = None
        self._connecting: asyncio.Task[Pipe] | None = None
        self._idle: list[Pipe] = []
        self._room = asyncio.Semaphore(options.connections)
        self._closed = False

    async def exchange(
        self, commands: Sequence[Command], attempt: Attempt, until: float, *, alone: bool = False
    ) -> list[Any]:
        """The replies to commands sent in one go, within the time of an attempt. What is in `LOST` is raised.

        StoreAway where the circuit is open, or every connection is in use until it is too late: the waiting for one
        says nothing of the server.
        """
        if alone:
            return await self._exchange_alone(commands, attempt, until)
        if attempt.minds_circuit:
            self.circuit.check()
        until = self._attempt_until(until)
        pipe = self._shared
        if pipe is None or not pipe.is_open:
            pipe = await self._connected(until)
        attempt.sent = True
        patience = until - asyncio.get_running_loop().time()
        try:
            return await pipe.ask(commands, until)
        except LOST as fault:
            if not isinstance(fault, TimeoutError) or patience >= self._options.attempt_seconds * PATIENT:
                await pipe.close(fault)
            raise

    async def _connected(self, until: float) -> Pipe:
        """The connection that is shared, made for all who wait for it: where that fails, it does for all of them."""
        if self._connecting is None:
            self._connecting = asyncio.get_running_loop().create_task(self._connect(), name="store-connect")
            self._connecting.add_done_callback(self._tried)
        async with asyncio.timeout_at(until):
            return await asyncio.shield(self._connecting)

    async def _connect(self) -> Pipe:
        if self._shared is not None:
            await self._shared.close()
        if self._closed:
            raise ConnectionResetError
        async with asyncio.timeout(self._options.attempt_seconds):
            self._shared = await self._made()
        return self._shared

    def _tried(self, task: asyncio.Task[Pipe]) -> None:
        self._connecting = None
        if not task.cancelled():
            task.exception()  # which is nobody's any more, where all who waited have given up

    async def _exchange_alone(self, commands: Sequence[Command], attempt: Attempt, until: float) -> list[Any]:
        try:
            async with asyncio.timeout_at(until):
                await self._room.acquire()
        except TimeoutError as fault:
            raise StoreAway("every connection to Redis is in use") from fault
        try:
            if attempt.minds_circuit:
                self.circuit.check()
            return await self._converse(commands, attempt, self._attempt_until(until))
        finally:
            self._room.release()

    async def _converse(self, commands: Sequence[Command], attempt: Attempt, until: float) -> list[Any]:
        async with asyncio.timeout_at(until):
            pipe = self._idle.pop() if self._idle else await self._made()
        whole = False
        try:
            attempt.sent = True
            replies = await pipe.ask(commands, until)
            whole = True
        finally:
            if whole and not self._closed:
                self._idle.append(pipe)
            else:
                await pipe.close()
        return replies

    async def _made(self) -> Pipe:
        return await Pipe.over(self._target.connection(self.address, CLIENT))

    def _attempt_until(self, until: float) -> float:
        return min(until, asyncio.get_running_loop().time() + self._options.attempt_seconds)

    async def ping(self) -> None:
        """StoreAway where the server does not answer in time. Asks it also while the circuit is open."""
        until = asyncio.get_running_loop().time() + self._options.call_seconds
        try:
            reply = (await self.exchange([("PING",)], Attempt(minds_circuit=False), until))[0]
            if isinstance(reply, RedisError):
                raise reply
        except LOST as fault:
            await self.forget()
            raise StoreAway(reason_of(fault)) from fault
        except ResponseError as fault:
            raise StoreAway(reason_of(fault)) from fault

    async def forget(self) -> None:
        """Closes the connections that nobody uses: after a fault none of them is to be trusted."""
        idle, self._idle = self._idle, []
        for pipe in idle:
            await pipe.close()

    async def close(self) -> None:
        self._closed = True
        await self.circuit.close()
        await self.forget()
        if self._connecting is not None:
            with contextlib.suppress(*LOST):
                await asyncio.shield(self._connecting)
        if self._shared is not None:
            await self._shared.close()


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
