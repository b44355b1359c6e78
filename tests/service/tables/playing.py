"""A table at hand: the use cases over a store, with a clock of its own, and a match being played at it."""

import random
from collections.abc import Callable
from typing import Any, Self

import msgspec
from msgspec.json import Decoder

from service.beside import Beside
from service.config import load
from service.errors import ServiceError
from service.messages import (
    AddEntropyRequest,
    ClaimPlaceRequest,
    CreateTableRequest,
    CreateTableResponse,
    EndTableRequest,
    GetTableRecordRequest,
    GetTableRequest,
    GetTableResponse,
    ListTableMovesRequest,
    MoveInput,
    PlayTableMoveRequest,
    PlayTableMoveResponse,
    ReissueTokenRequest,
    ReissueTokenResponse,
    ReplayRequest,
    ResignTableRequest,
    StartTableRequest,
    UndoTableRequest,
    from_json,
    to_json,
)
from service.rules import Rules
from service.store import Store, new_table_id
from service.tables import Caller, TableLimits, Tables, Tokens

SIGNED_WITH = "a test's secret, long enough for any of the algorithms that somebody may try"
RULES = Rules(load({}).limits)
GAMES: dict[str, dict[str, Any]] = {
    "whist": {"options": {"preset": "short"}},
    "peewee7": {},
    "wippen": {"places": 3, "options": {"preset": "full"}},
    "wipe": {"places": 2},
    "flip7": {"places": 3},
}
"""A table of each game."""

_created = Decoder(CreateTableRequest, dec_hook=from_json).decode


def encoded(value: Any) -> bytes:
    """What goes over the wire."""
    return msgspec.json.encode(value, enc_hook=to_json)


class Refused:
    """That what is in the block is refused with a code."""

    def __init__(self, code: str) -> None:
        self._code = code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> bool:
        assert isinstance(fault, ServiceError), fault
        assert fault.code == self._code
        self.fault = fault
        return True


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self, now: float = 1_767_265_200.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def tables_over(
    store: Store,
    clock: Callable[[], float] | None = None,
    *,
    secrets: tuple[str, ...] = (SIGNED_WITH,),
    new_id: Callable[[str | None], str] = new_table_id,
    rules: Rules = RULES,
    beside: Beside | None = None,
    **chosen: Any,
) -> Tables:
    """The use cases over a store."""
    clock = clock or Clock()
    tokens = Tokens(secrets, 86_400, 60, clock)
    limits = TableLimits(ttl_seconds=3_600, most_ttl_seconds=86_400)
    return Tables(store, tokens, rules, limits, beside=beside or Beside(), clock=clock, new_id=new_id, **chosen)


class Evening:
    """A table with every place claimed."""

    def __init__(self, tables: Tables, created: CreateTableResponse, places: list[str]) -> None:
        self.tables = tables
        self.created = created
        self.id = created.id
        self.host = created.host_token
        self.places = places

    @classmethod
    async def of(cls, tables: Tables, game: str, *, start: bool = True, **facts: Any) -> "Evening":
        """A table of a game, its places claimed, and started unless it is not to be."""
        request = _created(msgspec.json.encode({"game": game, **GAMES[game], **facts}))
        created = await tables.create(request, Caller())
        places = []
        for code in created.join_codes:
            claimed = await tables.claim(ClaimPlaceRequest(table=created.id, join_code=code), Caller())
            places.append(claimed.token)
        evening = cls(tables, created, places)
        if start and (await evening.seen(created.host_token)).status == "open":
            await evening.start()
        return evening

    async def seen(self, token: str | None) -> GetTableResponse:
        return await self.tables.get(GetTableRequest(table=self.id), Caller(token))

    async def version(self) -> int:
        return (await self.seen(self.host)).version

    async def play(self, token: str, words: str, language: str = "en", **facts: Any) -> PlayTableMoveResponse:
        """A move, by its text."""
        request = PlayTableMoveRequest(table=self.id, move=MoveInput.of_parts(None, words), **facts)
        return await self.tables.play(request, Caller(token, language))

    async def legal(self, place: int, **facts: Any) -> list[str]:
        """The texts of a place's legal moves."""
        request = ListTableMovesRequest(table=self.id, **facts)
        found = await self.tables.legal_moves(request, Caller(self.places[place]))
        return [each.text for each in found.legal.moves]

    async def to_act(self) -> int | None:
        """The place whose turn it is."""
        view = (await self.seen(self.host)).view
        if view is None or view.to_act is None:
            return None
        return next(place for place, seats in enumerate(view.seating) if view.to_act.seat in seats)

    async def random_move(self, rng: random.Random) -> PlayTableMoveResponse | None:
        """A random move of whoever is to act; None once nobody is."""
        place = await self.to_act()
        if place is None:
            return None
        moves = await self.legal(place)
        return await self.play(self.places[place], rng.choice(moves), expected_version=await self.version())

    async def start(self, **facts: Any) -> int:
        return (await self.tables.start(StartTableRequest(table=self.id, **facts), Caller(self.host))).version

    async def entropy(self, place: int, entropy: str, **facts: Any) -> int:
        request = AddEntropyRequest(table=self.id, entropy=entropy, **facts)
        return (await self.tables.add_entropy(request, Caller(self.places[place]))).version

    async def undo(self, token: str | None = None, **facts: Any) -> int:
        request = UndoTableRequest(table=self.id, **facts)
        return (await self.tables.undo(request, Caller(token or self.host))).version

    async def resign(self, place: int, **facts: Any) -> int:
        request = ResignTableRequest(table=self.id, **facts)
        return (await self.tables.resign(request, Caller(self.places[place]))).version

    async def end(self, token: str | None = None, **facts: Any) -> int:
        request = EndTableRequest(table=self.id, **facts)
        return (await self.tables.end(request, Caller(token or self.host))).version

    async def reissue(self, token: str, place: int | None = None, **facts: Any) -> ReissueTokenResponse:
        request = ReissueTokenRequest(table=self.id, place=place, **facts)
        return await self.tables.reissue(request, Caller(token))

    async def record(self, token: str | None) -> ReplayRequest:
        """The record, as it comes over the wire."""
        found = await self.tables.record(GetTableRecordRequest(table=self.id), Caller(token))
        return record_of(encoded(found.record))


record_of = Decoder(ReplayRequest, dec_hook=from_json).decode
