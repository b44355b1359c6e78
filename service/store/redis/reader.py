"""One reader a process: all the tables that are watched, over one connection to each Redis node.

The script that writes a frame also publishes it on the table's sharded channel, so a node tells of every table that it
has over one connection, in any slot of its own, and a table is added or left without disturbing the others. (XREAD
BLOCK refuses streams of several slots, and is sent all of its streams again after each frame.) Messages can be lost
while there is no connection; frames cannot, since after each interruption the watchers read on in the stream.

The reader has a thread and an event loop of its own, and serves the watchers of every other loop.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, TypeVar

from redis.asyncio.connection import Connection
from redis.crc import key_slot
from redis.exceptions import RedisError

from service.store import StoreAway
from service.store.watching import Resync, Watchers

from .connections import connect, hang_up, packed
from .messages import read_message
from .nodes import reason_of
from .target import Address, RedisOptions, Target
from .topology import Topology

CLIENT: Final = "scheids-watch"
PING_SECONDS: Final = 2.0
FIRST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 1.0
_T = TypeVar("_T")


class Reader:
    """Subscribes to tables and hands what comes to `Watchers`. Any thread may call it."""

    def __init__(
        self, target: Target, options: RedisOptions, watchers: Watchers, channel: Callable[[str], str]
    ) -> None:
        """`channel` names a table's channel."""
        self.watchers = watchers
        self.channel = channel
        self._target = target
        self._options = options
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._feeds: dict[Address, _Feed] = {}
        self._topology: Topology | None = None

    async def subscribe(self, table: str) -> None:
        """Returns once every frame from now on is told; StoreAway where that cannot be had."""
        await self._there(self._subscribe(table))

    async def unsubscribe(self, table: str) -> None:
        await self._there(self._unsubscribe(table))

    async def close(self) -> None:
        """Ends the thread."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._end(), loop))
            loop.call_soon_threadsafe(loop.stop)
            await asyncio.to_thread(thread.join)
            loop.close()

    async def _there(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Has the reader's loop do something."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._started()))

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="store-reader", daemon=True)
                self._thread.start()
            return self._loop

    # From here on everything runs in the reader's own loop.

    async def _subscribe(self, table: str) -> None:
        if self._topology is None:
            self._topology = Topology(self._target, self._options)
        try:
            async with asyncio.timeout(self._options.call_seconds):
                feed = await self._feed_of(table, self._topology)
                await feed.add(table)
        except TimeoutError as fault:
            raise StoreAway(reason_of(fault)) from fault

    async def _unsubscribe(self, table: str) -> None:
        if not self.watchers.watched(table):  # nobody came while this was on its way
            for feed in list(self._feeds.values()):
                await feed.drop(table)

    async def _feed_of(self, table: str, topology: Topology) -> "_Feed":
        address = (await topology.node(key_slot(self.channel(table).encode()))).address
        feed = self._feeds.get(address)
        if feed is None:
            feed = self._feeds[address] = _Feed(self, address)
        return feed

    async def settle(self, feed: "_Feed") -> None:
        """After a feed was interrupted: its tables may lie elsewhere by now. StoreAway while that is not known."""
        if self._topology is not None:
            await self._topology.refresh()
            for table in feed.tables:
                other = await self._feed_of(table, self._topology)
                if other is not feed:
                    await other.adopt(table, await feed.drop(table))

    def part_with(self, address: Address) -> None:
        """Forgets a feed that has ended."""
        self._feeds.pop(address, None)

    def connection(self, address: Address) -> Connection:
        return self._target.connection(address, CLIENT)

    async def _end(self) -> None:
        feeds, self._feeds = list(self._feeds.values()), {}
        for feed in feeds:
            await feed.close()
        if self._topology is not None:
            await self._topology.close()
            self._topology = None


async def _require_primary(connection: Connection) -> None:
    """ConnectionResetError where the node has become a replica: it would go on telling, and late, or no more."""
    await connection.send_command("ROLE", check_health=False)
    role = await connection.read_response()
    if role[0] != b"master":
        raise ConnectionResetError("the node is no primary any more")


class _Feed:
    """The one connection to a node, and the tables that are watched over it."""

    def __init__(self, reader: Reader, address: Address) -> None:
        self._reader = reader
        self._address = address
        self._connection: Connection | None = None
        self._heard: dict[str, asyncio.Event] = {}
        self._missed: set[str] = set()
        self._leaving: Counter[str] = Counter()
        self._pause = FIRST_PAUSE
        self._task = asyncio.get_running_loop().create_task(self._run(), name="store-feed")

    @property
    def tables(self) -> list[str]:
        return list(self._heard)

    async def add(self, table: str) -> None:
        """Returns once the node has confirmed the subscription."""
        await (await self.adopt(table)).wait()

    async def adopt(self, table: str, moved: asyncio.Event | None = None) -> asyncio.Event:
        """Has a table subscribed to: at once or, while there is no connection, first thing with the next.

        What is set once it is. `moved` is what another feed had set; the watchers may have missed something since.
        """
        heard = self._heard.get(table)
        if heard is None:
            heard = self._heard[table] = moved or asyncio.Event()
            if moved is not None:
                self._missed.add(table)
            await self._send("SSUBSCRIBE", table)
        return heard

    async def drop(self, table: str) -> asyncio.Event | None:
        """Leaves a table, if it is one of the feed's; what was set once it was subscribed to."""
        self._missed.discard(table)
        heard = self._heard.pop(table, None)
        if heard is not None and self._connection is not None:
            self._leaving[table] += 1
            await self._send("SUNSUBSCRIBE", table)
        return heard

    async def close(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _send(self, command: str, table: str) -> None:
        """Sends a command, if there is a connection. One found lost is left to the task that reads from it."""
        if self._connection is not None:
            with suppress(RedisError, OSError):
                await self._connection.send_command(command, self._reader.channel(table), check_health=False)

    async def _run(self) -> None:
        while self._heard:
            connection = self._reader.connection(self._address)
            try:
                await self._listen(connection)
            except (RedisError, OSError, TimeoutError):
                self._interrupted()
            finally:
                self._connection = None
                await hang_up(connection)
            with suppress(StoreAway):
                await self._reader.settle(self)
            if self._heard:
                await asyncio.sleep(self._pause)
                self._pause = min(2 * self._pause, LONGEST_PAUSE)
        self._reader.part_with(self._address)

    def _interrupted(self) -> None:
        self._leaving.clear()
        self._missed.update(self._heard)
        for heard in self._heard.values():
            heard.clear()

    async def _listen(self, connection: Connection) -> None:
        """Hands on what the node tells; raises when the connection is lost, or a table's slot has moved away."""
        async with asyncio.timeout(PING_SECONDS):
            await connect(connection)
            await _require_primary(connection)
            channels = [self._reader.channel(table) for table in self._heard]
            commands = [("SSUBSCRIBE", channel) for channel in channels]
            await connection.send_packed_command(packed(commands), check_health=False)
        self._connection = connection
        while True:
            message = await connection.read_response(timeout=PING_SECONDS)
            if message is None:
                await connection.send_command("PING", check_health=False)
                message = await connection.read_response(timeout=PING_SECONDS)
                if message is None:
                    raise TimeoutError
            if isinstance(message, list):
                self._take(message)

    def _take(self, message: list[Any]) -> None:
        kind, table = message[0], message[1].decode().rpartition(":")[2]
        if kind == b"smessage":
            self._reader.watchers.tell(table, read_message(message[2]))
        elif kind == b"ssubscribe":
            self._pause = FIRST_PAUSE
            if table in self._heard:
                self._heard[table].set()
                if table in self._missed:
                    self._missed.discard(table)
                    self._reader.watchers.tell(table, Resync())
        elif kind == b"sunsubscribe":
            if self._leaving[table]:
                self._leaving[table] -= 1
            elif table in self._heard:
                raise ConnectionResetError("the slot has moved")
