"""Callers of services in processes of their own, which may be killed meanwhile: connections, tables, watchers."""

import asyncio
import itertools
import json
import os
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from tests.service.running import read_ready, started

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "1"))
"""How often the tests of faults and races do it: FAULT_ROUNDS=20 runs them at length."""
SECRET = "what the services of these tests sign tokens with"
SECONDS = 30
PAUSE = 0.03
"""How long one who was not served waits before asking again."""
Json = dict[str, Any]
_OWN = secrets.token_hex(8)
_keys = itertools.count(1)


class Lost(Exception):  # noqa: N818 - reads as what happened
    """There was no answer: the service is not there, or died over the call."""


class Gone(Exception):  # noqa: N818 - as above
    """The table is not there, or not all of it: a failover has forgotten it."""


class Process:
    """A process of ``scheids serve``. Its settings stay the same over `kill` and `start`, its addresses do not."""

    def __init__(self, **settings: str) -> None:
        self._settings = {"SCHEIDS_LOG_LEVEL": "error", "SCHEIDS_HEARTBEAT_SECONDS": "1", **settings}
        self._stack = ExitStack()
        self.rest = ""
        self.grpc = ""
        self.pid = 0

    def start(self) -> Self:
        with ExitStack() as stack:
            process = stack.enter_context(started(**self._settings))
            ready, _ = read_ready(process)
            self.rest, self.grpc, self.pid = ready["rest"].removeprefix("http://"), ready["grpc"], process.pid
            self._stack = stack.pop_all()
        return self

    def kill(self) -> None:
        """Ends it by SIGKILL."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes

    @property
    def json(self) -> Json:
        read: Json = json.loads(self.body)
        return read

    @property
    def code(self) -> str:
        """The code of a refusal."""
        return str(self.json["code"])


class Connection:
    """A kept-alive connection to wherever the service is now; it asks one thing at a time."""

    def __init__(self, where: Callable[[], str]) -> None:
        self.where = where
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(
        self, method: str, path: str, body: Json | bytes | None = None, token: str | None = None, **headers: str
    ) -> Answer:
        """The answer. `Lost` where there is none; TimeoutError where nothing happens at all."""
        content = json.dumps(body).encode() if isinstance(body, dict) else body or b""
        message = request(method, path, self.where(), content, token, **headers)
        try:
            async with asyncio.timeout(SECONDS):
                if self._streams is None:
                    self._streams = await connect(self.where())
                reader, writer = self._streams
                writer.write(message)
                status, answered = await head(reader)
                return Answer(status, await reader.readexactly(int(answered["content-length"])))
        except BaseException as fault:
            self.close()
            if isinstance(fault, OSError | EOFError | ValueError) and not isinstance(fault, TimeoutError):
                raise Lost from fault
            raise

    async def insist(
        self, method: str, path: str, body: Json | None = None, token: str | None = None, **headers: str
    ) -> Answer:
        """The answer, however often one has to ask: what changes anything has to have a key."""
        async with asyncio.timeout(2 * SECONDS):
            while True:
                try:
                    answer = await self.call(method, path, body, token, **headers)
                except Lost:
                    pass
                else:
                    if answer.status != 503:
                        return answer
                await asyncio.sleep(PAUSE)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


async def connect(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = address.partition(":")
    return await asyncio.open_connection(host, int(port))


def request(method: str, path: str, address: str, content: bytes, token: str | None = None, **headers: str) -> bytes:
    """A request as it goes over the wire."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {address}", f"Content-Length: {len(content)}"]
    if content:
        lines.append("Content-Type: application/json")
    if token is not None:
        lines.append(f"Authorization: Bearer {token}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join((*lines, "", "")).encode() + content


async def head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    """Status and headers of an answer; ValueError where it is none."""
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
    if not first.startswith("HTTP/1.1 "):
        raise ValueError(first)
    pairs = (line.partition(":") for line in lines)
    return int(first.split()[1]), {name.lower(): value.strip() for name, _, value in pairs}


# --- tables


def new_key() -> str:
    """A key that nobody else has."""
    return f"{_OWN} {next(_keys)}"


class Table:
    """A table with every place claimed and the cards dealt, and what is known to have been done at it."""

    def __init__(self, created: Json, tokens: list[str]) -> None:
        self.id: str = created["id"]
        self.path = f"/v1/tables/{self.id}"
        self.host: str = created["hostToken"]
        self.tokens = tokens
        self.began = 1 + len(tokens)
        """The version at which the cards lay; each one after it is a move."""
        self.moved: dict[int, str] = {}
        """What was acknowledged, by its version."""
        self.undone = 0
        """How much of it was overtaken by another move of its version: only a failover that forgets may do that."""

    @classmethod
    async def of(cls, connection: Connection, game: str, **facts: Any) -> Self:
        """A new one; its cards follow from a caller's seed, so that they are dealt once all places are claimed."""
        body = {"game": game, "seed": "a test's", "idempotencyKey": new_key(), **facts}
        created = await connection.insist("POST", "/v1/tables", body)
        assert created.status == 200, created.body
        path = f"/v1/tables/{created.json['id']}/claim"
        tokens = []
        for code in created.json["joinCodes"]:
            claimed = await connection.insist("POST", path, {"joinCode": code, "idempotencyKey": new_key()})
            if claimed.status in (403, 404):  # no code is good where there is no table
                raise Gone
            assert claimed.status == 200, claimed.body
            tokens.append(claimed.json["token"])
        return cls(created.json, tokens)

    async def turn(self, connection: Connection) -> "Turn | None":
        """What can be done at the table as it is; None once nothing can be."""
        while True:
            answer = await connection.insist("GET", self.path, token=self.host)
            seen = answer.json
            if answer.status == 404 or seen["status"] == "open":
                raise Gone
            view = seen["view"]
            if view.get("toAct") is None:
                return None
            place = next(at for at, seats in enumerate(view["seating"]) if view["toAct"]["seat"] in seats)
            listed = await connection.insist("GET", f"{self.path}/legal-moves", token=self.tokens[place])
            assert listed.status == 200 or listed.code in ("UNKNOWN_TABLE", "NOT_STARTED"), listed.body
            legal = listed.json
            if listed.status == 200 and legal["version"] == seen["version"]:
                return Turn(legal["version"], self.tokens[place], [each["text"] for each in legal["legal"]["moves"]])

    async def end(self, connection: Connection) -> bool:
        """Ends it, unless it has ended; False where it is not there."""
        answer = await connection.insist("DELETE", self.path, token=self.host, Idempotency_Key=new_key())
        assert answer.status == 200 or answer.code in ("TABLE_ENDED", "UNKNOWN_TABLE"), answer.body
        return answer.status != 404

    async def check(self, connection: Connection) -> list[int]:
        """The table has ended, none of its moves is twice, and its record replays to what it is.

        Which acknowledged moves are not in the record, and which are there without having been acknowledged.
        """
        seen = (await connection.insist("GET", self.path, token=self.host)).json
        assert seen["status"] == "ended"
        record = (await connection.insist("GET", f"{self.path}/record", token=self.host)).json
        replayed = (await connection.insist("POST", "/v1/replay", record)).json
        assert "violation" not in replayed
        assert replayed["sheet"] == seen["sheet"] == record["result"]
        asked = {"state": replayed["state"], "viewer": "spectator"}
        assert (await connection.insist("POST", "/v1/view", asked)).json["view"] == seen["view"]
        by_host = seen["ended"]["reason"] == "endedByHost"
        there = self._versions([each["move"] for each in record["moves"]])
        assert self.began + len(there) + by_host == seen["version"], "a move was made twice, or is gone"
        return sorted(version for version, _ in self.moved.items() ^ there.items())

    def _versions(self, moves: list[str]) -> dict[int, str]:
        """The moves of a record by their versions; a deal is one where somebody made it, else of the version before."""
        there: dict[int, str] = {}
        for text in moves:
            version = self.began + len(there) + 1
            if text != "deal" or self.moved.get(version) == "deal":
                there[version] = text
        return there


@dataclass(frozen=True)
class Turn:
    """Who acts at a version, and how it can."""

    version: int
    token: str
    moves: list[str]


# --- watchers


@dataclass
class Watcher:
    """Watches a table until it ends, through whatever happens to the service, and sees to it that nothing is missed."""

    table: Table
    where: Callable[[], str]
    last: int | None = None
    acts: dict[int, str] = field(default_factory=dict)
    resets: list[tuple[int, int]] = field(default_factory=list)
    """Each as the version before it and its own."""
    opened: int = 0
    ended: bool = False

    async def watch(self) -> None:
        while not self.ended:
            try:
                await self._watch()
            except (OSError, EOFError, ValueError) as fault:
                if isinstance(fault, TimeoutError):
                    raise
                await asyncio.sleep(PAUSE)

    async def _watch(self) -> None:
        async with AsyncExitStack() as stack:
            resumed = {} if self.last is None else {"Last_Event_ID": str(self.last)}
            status, events = await events_of(stack, self.where(), f"{self.table.path}/events", self.table.host, resumed)
            if status in (204, 404):
                self.ended = True
                return
            assert status in (200, 503), status
            self.opened += status == 200
            first = self.last is None
            async for name, data in events:
                if name == "end":
                    assert data["reason"] in ("ended", "stopping", "expired"), data
                    self.ended |= data["reason"] != "stopping"
                    return
                version = data["version"]
                if name == "reset":
                    assert self.last is not None
                    self.resets.append((self.last, version))
                elif first:
                    assert "table" in data
                else:
                    assert self.last is not None
                    assert version == self.last + 1, (self.last, data)
                    self.acts[version] = data["act"]
                self.last, first = version, False


async def events_of(
    stack: AsyncExitStack, address: str, path: str, token: str, headers: dict[str, str]
) -> tuple[int, AsyncIterator[tuple[str, Json]]]:
    """A stream of events, as names and data; heartbeats are left out, and silence is a TimeoutError."""
    async with asyncio.timeout(SECONDS):
        reader, writer = await connect(address)
        stack.callback(writer.close)
        writer.write(request("GET", path, address, b"", token, **headers))
        status, _ = await head(reader)

    async def events() -> AsyncIterator[tuple[str, Json]]:
        text = b""
        while True:
            async with asyncio.timeout(SECONDS):
                size = int(await reader.readuntil(b"\r\n"), 16)
                text += (await reader.readexactly(size + 2))[:-2].replace(b"\r\n", b"\n")
            if not size:
                return
            *whole, text = text.split(b"\n\n")
            for event in whole:
                fields = dict(line.split(": ", 1) for line in event.decode().split("\n") if not line.startswith(":"))
                if fields:
                    data = json.loads(fields["data"])
                    assert fields.get("id", str(data.get("version", ""))) == str(data.get("version", ""))
                    yield fields["event"], data

    async def nothing() -> AsyncIterator[tuple[str, Json]]:
        return
        yield

    return status, events() if status == 200 else nothing()
