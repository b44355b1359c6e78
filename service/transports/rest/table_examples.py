"""Examples of every operation of tables: a short match at a table of its own, asked of the use cases themselves."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from service.beside import Beside
from service.messages import TableRequest, WatchTableRequest
from service.rules import Rules
from service.store.sqlite import SqliteStore
from service.tables import Caller, TableLimits, Tables, Tokens, Watcher

from .bodies import decoder, encode
from .table_operations import TABLE_OPERATIONS

Json = dict[str, Any]
MOMENT: Final = 1_767_265_200.0
IDS: Final = ("ab2cd3ef4gh5ij6kl7mnopqrstuv", "uv2wx3yz4ab5cd6ef7ghijklmnop")
SEED: Final = "53636865696473206578616d706c652c206e6f742061207365637265742e2e2e"
SIGNED_WITH: Final = "what these examples are signed with"
_BY_NAME: Final = {operation.name: operation for operation in TABLE_OPERATIONS}


class Shown(Struct, frozen=True):
    """An operation's request, as its body or its query, and its answer."""

    asked: Json
    answered: Json


def table_examples(rules: Rules) -> dict[str, Shown]:
    """An example of each operation by its name, and as `watch` the frame that the example's move made."""
    with ThreadPoolExecutor(1) as beside:  # there may be an event loop here already
        return beside.submit(asyncio.run, _made(rules)).result()


async def _made(rules: Rules) -> dict[str, Shown]:
    store = SqliteStore(None)
    tokens = Tokens([SIGNED_WITH], 2_592_000, 60, lambda: MOMENT)
    limits = TableLimits(ttl_seconds=3_600, most_ttl_seconds=3_600)
    uncounted = Rules(rules.limits)
    ids = iter(IDS)
    beside = Beside()
    tables = Tables(
        store,
        tokens,
        uncounted,
        limits,
        beside=beside,
        clock=lambda: MOMENT,
        new_id=lambda _: next(ids),
        new_seed=lambda: SEED,
    )
    try:
        return await _Evening(tables).played()
    finally:
        beside.close()
        await store.close()


class _Evening:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._table = IDS[0]
        self._shown: dict[str, Shown] = {}

    async def ask(self, name: str, asked: Json, token: str | None = None) -> Json:
        """Asks, and keeps what is asked and answered first as the example."""
        operation = _BY_NAME[name]
        if operation.method == "POST":
            request = decoder(operation.request)(encode(asked))
        else:
            request = msgspec.convert(asked, operation.request, strict=False)
        if isinstance(request, TableRequest):
            request = replace(request, table=self._table)
        answer = await getattr(self._tables, name)(request, Caller(token))
        answered: Json = msgspec.json.decode(encode(answer.record if name == "record" else answer))
        self._shown.setdefault(name, Shown(asked, answered))
        return answered

    async def played(self) -> dict[str, Shown]:
        """The examples."""
        created = await self.ask("create", {"game": "whist", "options": {"preset": "short"}, "spectators": True})
        host = created["hostToken"]
        claims = [await self.ask("claim", {"joinCode": code, "name": "Ann"}) for code in created["joinCodes"][:1]]
        claims += [await self.ask("claim", {"joinCode": code}) for code in created["joinCodes"][1:]]
        seats = [claim["token"] for claim in claims]
        await self.ask("add_entropy", {"entropy": "00ff"}, seats[0])
        await self.ask("start", {}, host)
        await self.ask("get", {}, seats[0])
        table = await self.ask("get", {}, host)
        mover = table["view"]["toAct"]["seat"]
        legal = await self.ask("legal_moves", {"limit": "3"}, seats[mover])
        move = {"move": legal["legal"]["moves"][0]["text"], "expectedVersion": legal["version"], "idempotencyKey": "1"}
        await self.ask("play", move, seats[mover])
        await self.ask("record", {}, seats[0])
        await self.ask("ticket", {}, seats[0])
        watched = await self._watched(legal["version"])
        await self.ask("undo", {}, host)
        await self.ask("reissue", {"place": 3}, host)
        await self.ask("resign", {}, seats[0])
        other = await self.ask("create", {"game": "flip7", "places": 3})
        self._table = other["id"]
        await self.ask("end", {}, other["hostToken"])
        return self._shown | {"watch": watched}

    async def _watched(self, version: int) -> Shown:
        """The frame behind a version, as a spectator sees it."""
        request = WatchTableRequest(table=self._table, after_version=version)
        frames = await Watcher(self._tables).watch(request, None)
        assert frames is not None  # noqa: S101 - the table goes on
        frame = await anext(frames)
        await frames.aclose()
        return Shown({"afterVersion": str(version)}, msgspec.json.decode(encode(frame)))
