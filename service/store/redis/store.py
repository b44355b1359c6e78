"""The Redis store: keys, and what the scripts' replies mean."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

from service.store import (
    ANSWERS_KEPT,
    FRAMES_LIMIT,
    Commit,
    CommitOutcome,
    Committed,
    Created,
    CreateOutcome,
    Ended,
    Frame,
    Frames,
    FramesOutcome,
    Fresh,
    IdTaken,
    KeyReused,
    NewerSchema,
    NewTable,
    NoTable,
    Once,
    RecallOutcome,
    Repeated,
    Revoked,
    Stale,
    StoreAway,
    Table,
    check_new,
    is_table_id,
    new_mark,
)
from service.store.checks import again, lead_on
from service.store.watching import Watch, Watchers
from service.tracing import UNTRACED, Spans

from . import messages
from .client import Client, Script
from .reader import Reader
from .target import RedisOptions, Target

_ROUTE: Final = 4
_CREATE: Final = Script("create")
_COMMIT: Final = Script("commit")
_RECALL: Final = Script("recall")
_READ: Final = Script("read")
_FRAMES: Final = Script("frames")
_DELETE: Final = Script("delete")


class RedisStore:
    """Tables in Redis (`service.store.Store`). Each event loop that calls it has its own connections."""

    def __init__(self, url: str, options: RedisOptions | None = None, spans: Spans = UNTRACED) -> None:
        """Connects to nothing yet. ValueError where the URL is none."""
        self._target = Target.of(url)
        self._options = options or RedisOptions()
        self._spans = spans
        self._watchers = Watchers()
        self._reader = Reader(self._target, self._options, self._watchers, self._channel)
        self._lock = threading.Lock()
        self._clients: dict[asyncio.AbstractEventLoop, Client] = {}

    async def create(self, new: NewTable) -> CreateOutcome:
        check_new(new)
        mark = new_mark()
        keys = [self._hash(new.id), self._frames(new.id)]
        kept = b""
        if new.once is not None:
            keys.append(self._key(new.id, f"made:{new.once.key}"))
            kept = messages.creation(new.once, new.answer)
        arguments: list[str | bytes | int] = [mark, new.ttl, new.document, new.frame, kept, *_flat(new.epochs)]
        reply = await self._client.run(_CREATE, keys, arguments, writes=True)
        match reply[0]:
            case b"created":
                return Created(mark)
            case b"repeated":
                first = messages.read_creation(reply[1])
                same = new.once is not None and first.body == new.once.body
                return Repeated(first.answer, first.version) if same else KeyReused()
            case _:
                return IdTaken()

    async def commit(self, commit: Commit) -> CommitOutcome:
        if not is_table_id(commit.table):
            return NoTable()
        mark = new_mark()
        version = commit.version + 1
        once = commit.once
        answer_field, kept = "", b""
        if once is not None:
            answer_field = _answer(commit.place, once)
            kept = messages.record(once, commit.epoch, version, commit.answer)
        arguments: list[str | bytes | int] = [
            commit.version,
            commit.mark or b"",
            mark,
            commit.document,
            commit.frame,
            int(commit.ends),
            "" if commit.ttl is None else commit.ttl,
            self._options.frames_kept,
            ANSWERS_KEPT,
            _epoch(commit.place),
            "" if commit.epoch is None else commit.epoch,
            answer_field,
            kept,
            self._channel(commit.table),
            messages.head(version, mark, last=commit.ends),
            *_flat(commit.epochs),
        ]
        reply = await self._client.run(_COMMIT, self._keys(commit.table), arguments, writes=True)
        return _committed(reply, version, mark)

    async def recall(
        self, table: str, place: int, *, epoch: int | None = None, once: Once | None = None
    ) -> RecallOutcome:
        if not is_table_id(table):
            return NoTable()
        answer_field = "" if once is None else _answer(place, once)
        reply = await self._client.run(_RECALL, [self._hash(table)], [_epoch(place), answer_field])
        schema, version, ended, current, kept = reply
        if version is None:
            return NoTable()
        messages.check_schema(schema)
        good = epoch is None or (current is not None and int(current) == epoch)
        first = None if kept is None else messages.read_record(kept)
        return again(first, once, epoch, good=good) or Fresh(int(version), ended is not None)

    async def read(
        self, table: str, *, known: tuple[int, bytes] | None = None, places: Sequence[int] = ()
    ) -> Table | NoTable:
        if not is_table_id(table):
            return NoTable()
        arguments: list[str | bytes | int] = [*(known or (0, b"")), *(_epoch(place) for place in places)]
        left, document, found = await self._client.run(_READ, [self._hash(table)], arguments)
        if found[1] is None:
            return NoTable()
        messages.check_schema(found[0])
        epochs = {place: int(epoch) for place, epoch in zip(places, found[4:], strict=True) if epoch is not None}
        return Table(int(found[1]), found[2], found[3] is not None, document, epochs, left / 1000)

    async def frames(
        self, table: str, after: int, *, mark: bytes | None = None, limit: int = FRAMES_LIMIT
    ) -> FramesOutcome:
        if not is_table_id(table):
            return NoTable()
        left, found, entries = await self._client.run(_FRAMES, self._keys(table), [after, limit])
        if found[1] is None:
            return NoTable()
        messages.check_schema(found[0])
        version, ended = int(found[1]), found[2] is not None
        read = [_frame(entry, version if ended else 0) for entry in entries]
        return lead_on(read, after, mark, limit, Frames((), version, ended, left / 1000))

    async def delete(self, table: str) -> bool:
        if not is_table_id(table):
            return False
        arguments: list[str | bytes | int] = [self._channel(table), messages.gone()]
        return bool(await self._client.run(_DELETE, self._keys(table), arguments, writes=True))

    def watch(self, table: str, after: int, *, mark: bytes | None = None, room: int = 256) -> Watch:
        async def fetch(version: int, its: bytes | None) -> FramesOutcome:
            async with self._client.catching_up:
                return await self.frames(table, version, mark=its)

        async def enter(watch: Watch) -> None:
            if is_table_id(table):
                self._client.check(self._hash(table))
                self._watchers.add(table, watch)
                try:
                    await self._reader.subscribe(table)
                except BaseException:
                    await leave(watch)
                    raise

        async def leave(watch: Watch) -> None:
            if self._watchers.remove(table, watch):
                await self._reader.unsubscribe(table)

        return Watch(after, mark, room, fetch, enter, leave)

    @property
    def away(self) -> str | None:
        with self._lock:
            clients = list(self._clients.values())
        return next((client.topology.away for client in clients if client.topology.away), None)

    async def ping(self) -> None:
        for node in await self._client.topology.nodes():
            node.circuit.check()
            try:
                await node.ping()
            except StoreAway as fault:
                node.circuit.open(fault.reason)
                raise

    async def close(self) -> None:
        with self._lock:
            client = self._clients.pop(asyncio.get_running_loop(), None)
            last = not self._clients
        if client is not None:
            await client.close()
        if last:
            await self._reader.close()

    @property
    def _client(self) -> Client:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = Client(self._target, self._options, self._spans)
            with self._lock:
                self._clients[loop] = client
        return client

    def _key(self, table: str, name: str) -> str:
        return f"{self._options.prefix}:{{{table[:_ROUTE]}}}:{name}"

    def _hash(self, table: str) -> str:
        return self._key(table, table)

    def _frames(self, table: str) -> str:
        return self._key(table, f"{table}:frames")

    def _keys(self, table: str) -> list[str]:
        return [self._hash(table), self._frames(table)]

    def _channel(self, table: str) -> str:
        return self._key(table, f"news:{table}")


def _committed(reply: Sequence[Any], version: int, mark: bytes) -> CommitOutcome:
    match reply[0]:
        case b"committed":
            return Committed(version, mark)
        case b"repeated":
            first = messages.read_record(reply[1])
            return Repeated(first.answer, first.version)
        case b"stale":
            return Stale(reply[1])
        case b"ended":
            return Ended(reply[1])
        case b"revoked":
            return Revoked()
        case b"reused":
            return KeyReused()
        case b"newer":
            raise NewerSchema(int(reply[1]))
        case _:
            return NoTable()


def _epoch(place: int) -> str:
    return f"epoch:{place}"


def _answer(place: int, once: Once) -> str:
    return f"answer:{place}:{once.key}"


def _flat(epochs: Mapping[int, int]) -> list[str | int]:
    return [item for place, epoch in epochs.items() for item in (_epoch(place), epoch)]


def _frame(entry: Sequence[Any], last: int) -> Frame:
    """The frame of a stream's entry, ``[id, [schema, 1, mark, ..., frame, ...]]``."""
    version = int(entry[0].partition(b"-")[0])
    messages.check_schema(entry[1][1])
    return Frame(version, entry[1][3], entry[1][5], version == last)
