"""Tables that are played, asked for and watched over every transport at a steady pace, and how each call went."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import Any, TypeVar

from scheids_client import AsyncScheids, Retry, models
from scheids_client._async.table import AsyncTable, AsyncWatch
from scheids_client.errors import ScheidsError

GAMES: dict[str, dict[str, Any]] = {"whist": {"options": {"preset": "short"}}, "flip7": {"places": 3}, "peewee7": {}}
PACE = 0.02
SECONDS = 60
PATIENT = Retry(attempts=1_000, most=0.5)
"""For opening tables; what is asked of them afterwards is asked once."""
T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """A call that was made: of what kind, when, for how many seconds, and what was refused."""

    kind: str
    began: float
    seconds: float
    refusal: ScheidsError | None = None

    def __str__(self) -> str:
        return f"{self.kind}, {self.seconds:.3f} s: {self.refusal}"


class Table:
    """A table with everybody in their places, as each of them has it over each transport."""

    def __init__(self, host: Mapping[str, AsyncTable], places: list[Mapping[str, AsyncTable]], began: int) -> None:
        self.host = host
        self.places = places
        self.began = began
        self.moved: dict[int, str] = {}
        """What was acknowledged, by its version."""
        self.ended = False
        self.watchers = {name: Watcher(each) for name, each in host.items()}

    @classmethod
    async def of(cls, clients: Mapping[str, AsyncScheids], game: str) -> "Table":
        first = next(iter(clients.values())).with_options(timeout=2 * SECONDS, retry=PATIENT)
        made = await first.create_table(game, seed=f"a house's {game}", **GAMES[game])
        claimed = [await first.claim(made.id, code) for code in made.join_codes]

        def over_each(token: str | None) -> dict[str, AsyncTable]:
            return {name: client.table(made.id, token) for name, client in clients.items()}

        version = (await made.host.get()).version
        return cls(over_each(made.host.token), [over_each(each.token) for each in claimed], version)

    async def check(self, name: str) -> None:
        """What was acknowledged is in the record, once, and nothing else is; nobody missed a frame."""
        host = self.host[name]
        seen = await host.get()
        assert seen.ended is not None
        record = await host.record()
        replayed = await host._client.replay(record)  # noqa: SLF001
        assert replayed.violation is None
        made = [each.move for each in record.moves if each.move != "deal"]
        assert made == [self.moved[version] for version in sorted(self.moved)]
        assert [*self.moved] == [*range(self.began + 1, self.began + 1 + len(made))]
        assert seen.version == self.began + len(made) + (seen.ended.reason == "endedByHost")
        for watcher in self.watchers.values():
            assert watcher.versions == [*range(watcher.versions[0], seen.version + 1)]
            assert not watcher.resets


class Watcher:
    """Watches a table to its end, and counts how often that had to be begun anew."""

    def __init__(self, table: AsyncTable) -> None:
        self._frames = _Counted(table, None, SECONDS * 2)
        self.versions: list[int] = []
        self.resets = 0

    @property
    def opened(self) -> int:
        """How often it was begun."""
        return self._frames.opened

    async def watch(self) -> None:
        async with self._frames as frames:
            async for frame in frames:
                self.versions.append(frame.version)
                self.resets += frame.reset


class _Counted(AsyncWatch):
    opened = 0

    async def _opened(self) -> Any:
        self.opened += 1
        return await super()._opened()


class House:
    """Whoever plays, asks and watches, by the names of their transports."""

    def __init__(self, clients: Mapping[str, AsyncScheids]) -> None:
        self.clients = clients
        self.calls: list[Call] = []
        self.tables: list[Table] = []
        self._over = asyncio.Event()
        self._group: asyncio.TaskGroup | None = None

    @property
    def refused(self) -> list[Call]:
        return [call for call in self.calls if call.refusal is not None]

    def seconds(self, kind: str, start: float, end: float) -> list[float]:
        """How long the calls of a kind took that began in some time and were answered, the shortest first."""
        there = (call for call in self.calls if call.kind == kind and start <= call.began < end)
        return sorted(call.seconds for call in there if call.refusal is None)

    @asynccontextmanager
    async def open(self, tables: int = 3) -> AsyncIterator[None]:
        """Goes on until the end of the block; then ends every table, and sees that all is well with it."""
        first = next(iter(self.clients))
        state = await self.clients[first].deal("whist", seed="a house's")
        async with asyncio.TaskGroup() as group:
            self._group = group
            busy = [
                *(group.create_task(self._ask(name, state)) for name in self.clients),
                *(
                    group.create_task(self._play(game, at))
                    for at, game in zip(range(tables), cycle(GAMES), strict=False)
                ),
            ]
            try:
                yield
            finally:
                self._over.set()
            async with asyncio.timeout(SECONDS):
                await asyncio.gather(*busy)
                for table in self.tables:
                    host = table.host[first]
                    if (await host.get()).ended is None:
                        await host.end()
        for table in self.tables:
            await table.check(first)

    async def _call(self, kind: str, made: Coroutine[Any, Any, T]) -> T | None:
        """The answer; None where it was a refusal."""
        began = time.monotonic()
        try:
            answer = await made
        except ScheidsError as refusal:
            self.calls.append(Call(kind, began, time.monotonic() - began, refusal))
            return None
        self.calls.append(Call(kind, began, time.monotonic() - began))
        return answer

    async def _until(self, kind: str, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The answer, however often one has to ask."""
        while True:
            answer = await self._call(kind, make())
            if answer is not None:
                return answer
            await asyncio.sleep(PACE)

    async def _ask(self, name: str, state: models.State) -> None:
        """Questions about a position, which need no store."""
        client = self.clients[name]
        while not self._over.is_set():
            await self._call(f"{name} stateless", client.legal_moves(state))
            await asyncio.sleep(PACE)

    async def _play(self, game: str, number: int) -> None:
        """Plays one table after the other, each move over the next transport."""
        assert self._group is not None
        rng = random.Random(number)
        names = cycle(self.clients)
        while not self._over.is_set():
            table = await Table.of(self.clients, game)
            self.tables.append(table)
            for watcher in table.watchers.values():
                self._group.create_task(watcher.watch())
            for name in names:
                if self._over.is_set() or table.ended:
                    break
                await self._turn(table, name, rng)
                await asyncio.sleep(PACE)

    async def _turn(self, table: Table, name: str, rng: random.Random) -> None:
        """Makes a move, where there is one to make."""
        seen = await self._until(f"{name} table", table.host[name].get)
        assert seen.view is not None
        acts = seen.view.to_act
        if acts is None:
            table.ended = True
            return
        place = next(at for at, seats in enumerate(seen.view.seating) if acts.seat in seats)
        seat = table.places[place][name]
        listed = await self._until(f"{name} table", seat.legal_moves)
        assert listed.version == seen.version
        text = rng.choice(listed.legal.moves).text
        key = f"{table.host[name].id} {seen.version}"
        played = await self._until(
            f"{name} move", lambda: seat.play(text, expected_version=seen.version, idempotency_key=key)
        )
        assert played.version == seen.version + 1
        assert played.version not in table.moved
        table.moved[played.version] = text
