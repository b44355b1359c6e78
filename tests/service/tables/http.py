"""The REST side of tables without a socket: an app over a store, and who calls it."""

import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from service.beside import Beside
from service.rules import Rules
from service.store import new_table_id
from service.store.sqlite import SqliteStore
from service.tables import Watcher
from service.transports.rest import create_app
from tests.service.tables.playing import GAMES, RULES, Clock, tables_over

Json = dict[str, Any]
_numbers = itertools.count()


class Caller:
    """Calls a table over REST with one token, or none."""

    def __init__(self, http: httpx.AsyncClient, table: str, token: str | None) -> None:
        self._http = http
        self.url = f"/v1/tables/{table}"
        self.headers = {"X-Request-Id": "a-test"} | ({} if token is None else {"Authorization": f"Bearer {token}"})

    async def get(self, path: str = "") -> httpx.Response:
        return await self._http.get(self.url + path, headers=self.headers)

    async def post(self, path: str, body: Json | None = None, **headers: str) -> httpx.Response:
        return await self._http.post(self.url + path, json=body or {}, headers=self.headers | headers)

    async def delete(self, path: str = "") -> httpx.Response:
        return await self._http.delete(self.url + path, headers=self.headers)


class Hosted:
    """A table over REST: its host, its places, a spectator, and the use cases behind it."""

    def __init__(self, http: httpx.AsyncClient, watcher: Watcher, created: Json, tokens: list[str]) -> None:
        self.http = http
        self.watcher = watcher
        self.created = created
        self.tokens = tokens
        self.host = Caller(http, created["id"], created["hostToken"])
        self.places = [Caller(http, created["id"], token) for token in tokens]
        self.spectator = Caller(http, created["id"], None)

    async def view(self) -> Json:
        """What a spectator sees of the match."""
        view: Json = (await self.host.get()).json()["view"]
        return view

    async def to_act(self) -> int | None:
        view = await self.view()
        if view.get("toAct") is None:
            return None
        seat = view["toAct"]["seat"]
        return next(place for place, seats in enumerate(view["seating"]) if seat in seats)

    async def legal(self, place: int) -> list[str]:
        found = (await self.places[place].get("/legal-moves")).json()
        return [each["text"] for each in found["legal"]["moves"]]

    async def version(self) -> int:
        version: int = (await self.host.get()).json()["version"]
        return version

    async def play(self, place: int, words: str) -> httpx.Response:
        return await self.places[place].post("/moves", {"move": words, "expectedVersion": await self.version()})


@asynccontextmanager
async def app_over(
    folder: Path, *, new_id: Callable[[str | None], str] = new_table_id, rules: Rules = RULES, **chosen: Any
) -> AsyncIterator[tuple[httpx.AsyncClient, Watcher]]:
    """A client of an app whose tables lie in a folder."""
    store = SqliteStore(folder / f"{next(_numbers)}.db", synchronous="NORMAL")
    beside = Beside()
    watcher = Watcher(tables_over(store, Clock(), new_id=new_id, rules=rules, beside=beside, **chosen))
    app: Any = create_app(rules, watcher, beside=beside)
    try:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as http:
            yield http, watcher
    finally:
        beside.close()
        await store.close()


async def hosted(http: httpx.AsyncClient, watcher: Watcher, game: str, **facts: Any) -> Hosted:
    """A table with every place claimed, and started."""
    created = (await http.post("/v1/tables", json={"game": game, **GAMES[game], **facts})).json()
    tokens = []
    for code in created["joinCodes"]:
        claimed = await http.post(f"/v1/tables/{created['id']}/claim", json={"joinCode": code})
        tokens.append(claimed.json()["token"])
    table = Hosted(http, watcher, created, tokens)
    if (await table.host.get()).json()["status"] == "open":
        await table.host.post("/start")
    return table


def lines(log: str) -> list[Json]:
    """The log without what differs from one call to the next."""
    return [
        {name: value for name, value in json.loads(line).items() if name not in ("ms", "timestamp")}
        for line in log.splitlines()
    ]
