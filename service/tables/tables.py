"""The use cases of hosted tables: a token and a request in, an answer out, everything that lasts in the store.

A change is made from the document that is at hand, and written by one compare-and-set. Documents are remembered by
their version, as hints only: where the store has moved on, the change is judged again from what it has.
"""

import time
from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine import game as engine
from engine.asking import setup_of
from engine.game import resolve_options
from engine.games import BY_NAME
from engine.rng import commitment
from engine.violations import ENGLISH, IllegalMove, Malformed
from service.beside import Beside, Lane, in_lane
from service.errors import ServiceError
from service.messages import (
    CHOICES,
    RECORDS,
    AddEntropyRequest,
    AddEntropyResponse,
    ClaimPlaceRequest,
    ClaimPlaceResponse,
    CreateEventTicketRequest,
    CreateEventTicketResponse,
    CreateTableRequest,
    CreateTableResponse,
    EndTableRequest,
    EndTableResponse,
    GetTableRecordRequest,
    GetTableRecordResponse,
    GetTableRequest,
    GetTableResponse,
    ListLegalMovesResponse,
    ListTableMovesRequest,
    ListTableMovesResponse,
    PlayTableMoveRequest,
    PlayTableMoveResponse,
    ReissueTokenRequest,
    ReissueTokenResponse,
    ResignTableRequest,
    ResignTableResponse,
    StartTableRequest,
    StartTableResponse,
    TableChange,
    UndoTableRequest,
    UndoTableResponse,
    to_json,
)
from service.rules import Rules, drawn_seed
from service.store import (
    FIRST_VERSION,
    HOST,
    Created,
    IdTaken,
    KeyReused,
    NewTable,
    Once,
    Repeated,
    Store,
    digest,
    new_table_id,
)
from service.tracing import UNTRACED, Spans, UseCase

from . import match as matches
from .deals import Deals
from .document import Answer, Document, encode
from .hints import Loaded
from .keeping import Asked, Done, Draft, Keeper, Make, key_reused, unknown_table
from .match import Change
from .people import people_of, with_person
from .seeing import Eyes, events_in, events_of, record_of, sees_all, table_of, view_of, views_of
from .tokens import Holder, Tokens

_encode: Final = msgspec.json.Encoder(enc_hook=to_json).encode


class Caller(Struct, frozen=True):
    """Who calls: with which token, if any, and to be told what is wrong in which language."""

    token: str | None = None
    language: str = ENGLISH


class TableLimits(Struct, frozen=True, kw_only=True):
    """What tables are made under.

    `count_reissue` is told of the table of each token that is to be reissued, and raises RATE_LIMITED where that is
    too often.
    """

    ttl_seconds: int
    most_ttl_seconds: int
    count_reissue: Callable[[str], None] = lambda _: None


class Tables:
    """The use cases over one store. Methods take a request, the caller's token, and the language of messages."""

    def __init__(  # noqa: PLR0913 - all that it is made of
        self,
        store: Store,
        tokens: Tokens,
        rules: Rules,
        limits: TableLimits,
        *,
        beside: Beside,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[str | None], str] = new_table_id,
        new_seed: Callable[[], str] = drawn_seed,
        spans: Spans = UNTRACED,
    ) -> None:
        """What takes long is done `beside` the event loop."""
        self.tokens = tokens
        self._beside = beside
        self.keeper = Keeper(store, clock, spans, None if rules.decisions is None else Deals(rules.decisions))
        self._spans = spans
        self._rules = rules
        self._limits = limits
        self._new_id = new_id
        self._new_seed = new_seed

    def use_case(self, operation: str) -> UseCase:
        """The use case that is called so, as transports call it: in a span, where there are traces."""
        return self._spans.around(operation, getattr(self, operation))

    # --- creating and claiming

    async def create(self, request: CreateTableRequest, caller: Caller) -> CreateTableResponse:
        """A new table. Malformed where its options, or anything of it, cannot be."""
        del caller
        now = self.keeper.now()
        key = request.idempotency_key
        once = None if key is None else Once(key, _body("create", replace(request, idempotency_key=None)))
        with self._spans.engine(str(request.__struct_config__.tag)):
            document = self._new(request, now)
        ttl = min(request.ttl_seconds or self._limits.ttl_seconds, self._limits.most_ttl_seconds)
        draft = Draft(change=Change(document), act="created")
        while True:
            document = replace(document, id=self._new_id(key))
            answer = Answer(HOST, 0, now // 1000)
            made = await self.keeper.store.create(
                NewTable(
                    id=document.id,
                    document=encode(document),
                    frame=encode(replace(draft, change=Change(document)).frame(now)),
                    ttl=ttl,
                    epochs={HOST: 0, **dict.fromkeys(range(len(document.people)), 0)},
                    once=once,
                    answer=encode((document.id, document.commitment, len(document.people), answer)),
                )
            )
            match made:
                case Created(mark):
                    self.keeper.remember(Loaded(document, FIRST_VERSION, mark))
                    return self._created(document.id, document.commitment, len(document.people), answer)
                case Repeated(kept):
                    return self._created(*msgspec.msgpack.decode(kept, type=tuple[str, str | None, int, Answer]))
                case KeyReused():
                    raise key_reused()
                case IdTaken():
                    continue

    def _new(self, request: CreateTableRequest, now: int) -> Document:
        game = BY_NAME[request.__struct_config__.tag]  # type: ignore[index]
        options = resolve_options(game, request.options)
        chance = request.chance or ("deck" if request.deck is not None else "seed")
        service = chance == "seed" and request.seed is None
        secret = self._new_seed() if service else None
        setup = setup_of(game, replace(request, seed=secret or request.seed))
        state = engine.begin(game, setup).state
        begun = RECORDS[game.name](
            options=CHOICES[game.name](**msgspec.structs.asdict(options)),
            ruleset=state.ruleset,
            places=len(state.seating),
            seating=request.seating,
            dealer=request.dealer,
            chance=chance,
            seed=request.seed,
            deck=request.deck,
            moves=(),
        )
        return Document(
            id="",
            begun=begun,
            people=people_of(request, len(state.seating)),
            cards_from="service" if service else chance,
            host_sees=request.host_sees or "spectator",
            spectators=request.spectators,
            deals=request.deals or "auto",
            created=now,
            secret=secret,
            commitment=None if secret is None else commitment(secret),
            turn_seconds=request.turn_seconds,
        )

    def _created(self, table: str, committed: str | None, places: int, answer: Answer) -> CreateTableResponse:
        return CreateTableResponse(
            id=table,
            version=FIRST_VERSION,
            host_token=self.tokens.token(Holder(table, HOST, 0), answer.at),
            join_codes=tuple(self.tokens.join_code(Holder(table, place, 0)) for place in range(places)),
            commitment=committed,
        )

    async def claim(self, request: ClaimPlaceRequest, caller: Caller) -> ClaimPlaceResponse:
        """A place's token for its join code. BAD_JOIN_CODE where it is none, or was used, or there is no such table."""
        del caller
        try:
            loaded = await self.keeper.load(request.table)
        except ServiceError:
            raise _bad_join_code() from None  # who has no code does not learn whether there is the table
        place = self._claimed_by(loaded.document, request.join_code)
        if place is None:
            raise _bad_join_code()
        at = place

        def make(document: Document, now: int) -> Draft:
            person = document.people[at]
            holder = Holder(document.id, at, person.epoch)
            if person.claimed_at is not None or not self.tokens.is_join_code(request.join_code, holder):
                raise _bad_join_code()
            matches.check_going_on(document)
            name = person.name if request.name is None else request.name
            claimed = with_person(document, at, replace(person, claimed_at=now // 1000, name=name))
            return _begun_with(claimed, now, Draft(change=Change(claimed), act="claimed", place=at, name=name))

        done = await self.keeper.change(Asked(request.table, at, once=_once(request)), make)
        token = self.tokens.token(Holder(request.table, at, done.answer.epoch), done.answer.at)
        return ClaimPlaceResponse(version=done.version, place=at, token=token)

    def _claimed_by(self, document: Document, code: str) -> int | None:
        fits = [
            place
            for place, person in enumerate(document.people)
            if self.tokens.is_join_code(code, Holder(document.id, place, person.epoch))
        ]
        return fits[0] if fits else None

    # --- looking

    async def get(self, request: GetTableRequest, caller: Caller) -> GetTableResponse:
        """The table as the token's holder, or a spectator, sees it."""
        loaded, eyes = await self.seen(request.table, caller.token)
        return table_of(loaded.document, loaded.version, eyes)

    async def legal_moves(self, request: ListTableMovesRequest, caller: Caller) -> ListTableMovesResponse:
        """The legal moves of the holder's place."""
        holder = self.holder(request.table, caller.token)
        loaded = await self._now(request.table, holder)
        document, state = loaded.document, loaded.document.state
        if state is None:
            raise ServiceError("NOT_STARTED", "the cards have not been dealt")
        if holder.place == HOST:
            raise ServiceError("FORBIDDEN", "the host does not play")
        seat = matches.seat_of(state, holder.place, request.seat)
        query = self._rules.query(request)
        game = matches.game_of(document).name

        def listed() -> ListLegalMovesResponse:
            with self._spans.engine(game), self._rules.observed("tables.legal_moves", game):
                return self._rules.listed(state, seat, query, caller.language)

        legal = await in_lane(self._beside.lane_of_list(state), listed)
        return ListTableMovesResponse(version=loaded.version, legal=legal)

    async def record(self, request: GetTableRecordRequest, caller: Caller) -> GetTableRecordResponse:
        """The record, as far as the holder may see it."""
        loaded, eyes = await self.seen(request.table, caller.token)
        return await self._beside.long.do(lambda: record_of(loaded.document, loaded.version, eyes))

    async def ticket(self, request: CreateEventTicketRequest, caller: Caller) -> CreateEventTicketResponse:
        """A ticket to watch with the holder's eyes."""
        holder = self.holder(request.table, caller.token)
        await self.keeper.load(request.table, holder)
        return CreateEventTicketResponse(ticket=self.tokens.ticket(holder), seconds=self.tokens.ticket_seconds)

    # --- changing

    async def play(self, request: PlayTableMoveRequest, caller: Caller) -> PlayTableMoveResponse:
        """A move of the holder's place, or of the host. IllegalMove where it is refused."""
        if request.expected_version is None and request.idempotency_key is None:
            raise Malformed("$.expectedVersion", "expectedVersion or idempotencyKey must be there")
        holder = self.holder(request.table, caller.token)
        move = request.move.move
        judged: tuple[Document, int | None, int] | None = None

        def make(document: Document, now: int) -> Draft:
            nonlocal judged
            matches.check_going_on(document)
            seat = None
            if holder.place == HOST:
                matches.check_host_may(document, move)
            else:
                seat = matches.seat_of(matches.playing(document), holder.place, request.seat)
                matches.check_place_may(document, move)
            judged = document, seat, now
            with self._rules.observed("tables.play", matches.game_of(document).name):
                change = matches.moved(document, move, seat, holder.place, now)
            return Draft(change=change, act="moved", place=_shown(holder.place), seat=seat)

        try:
            done = await self._change(request, holder, make)
        except IllegalMove:
            if self.keeper.deals is not None and judged is not None:
                self.keeper.deals.refused(*judged, move)
            raise
        document = done.document
        if done.frame is not None:
            state = document.state
            events = events_in(done.frame, holder.place, all_of_it=sees_all(document, holder.place))
        else:
            state, steps = await self._beside.long.do(lambda: matches.told_again(document, done.answer.lines))
            events = events_of(document, steps, holder.place)
        assert state is not None  # noqa: S101 - a move was made
        return PlayTableMoveResponse(
            version=done.version,
            view=view_of(document, state, holder.place),
            views=views_of(document, state, holder.place),
            events=events,
        )

    async def start(self, request: StartTableRequest, caller: Caller) -> StartTableResponse:
        """The cards dealt at the host's word."""
        holder = self._host(request.table, caller.token)

        def make(document: Document, now: int) -> Draft:
            matches.check_going_on(document)
            return Draft(change=matches.started(document, now), act="started", anew=True)

        done = await self._change(request, holder, make)
        return StartTableResponse(version=done.version)

    async def add_entropy(self, request: AddEntropyRequest, caller: Caller) -> AddEntropyResponse:
        """What a place adds to the seed, before the cards are dealt."""
        holder = self._place(request.table, caller.token)

        def make(document: Document, now: int) -> Draft:
            matches.check_going_on(document)
            person = document.people[holder.place]
            if document.state is not None or document.secret is None or person.entropy is not None:
                raise ServiceError("ENTROPY_CLOSED", "nothing can be added (any more)")
            added = with_person(document, holder.place, replace(person, entropy=bytes.fromhex(request.entropy).hex()))
            return _begun_with(added, now, Draft(change=Change(added), act="entropy", place=holder.place))

        done = await self._change(request, holder, make)
        return AddEntropyResponse(version=done.version)

    async def resign(self, request: ResignTableRequest, caller: Caller) -> ResignTableResponse:
        """The holder's place gives the match up."""
        holder = self._place(request.table, caller.token)

        def make(document: Document, now: int) -> Draft:
            change = matches.resigned(document, holder.place, now)
            return Draft(change=change, act="resigned", place=holder.place)

        done = await self._change(request, holder, make)
        return ResignTableResponse(version=done.version)

    async def undo(self, request: UndoTableRequest, caller: Caller) -> UndoTableResponse:
        """The last move taken back by the host."""
        holder = self._host(request.table, caller.token)

        def make(document: Document, now: int) -> Draft:
            return Draft(change=matches.undone(document, now), act="undone", anew=True)

        done = await self._change(request, holder, make, self._beside.long)
        return UndoTableResponse(version=done.version)

    async def end(self, request: EndTableRequest, caller: Caller) -> EndTableResponse:
        """The table ended by the host; it can be looked at until it expires."""
        holder = self._host(request.table, caller.token)

        def make(document: Document, now: int) -> Draft:
            matches.check_going_on(document)
            return Draft(change=matches.ended_by_host(document, now), act="ended")

        done = await self._change(request, holder, make)
        return EndTableResponse(version=done.version)

    async def reissue(self, request: ReissueTokenRequest, caller: Caller) -> ReissueTokenResponse:
        """A new token for the holder; for a place that the host names, a new join code."""
        holder = self.holder(request.table, caller.token)
        place = holder.place if request.place is None else request.place
        if holder.place not in (place, HOST):
            raise ServiceError("FORBIDDEN", "that place is another's", "$.place")
        self._limits.count_reissue(request.table)

        def make(document: Document, now: int) -> Draft:
            matches.check_going_on(document)
            if place == HOST:
                epoch = document.host_epoch + 1
                anew = replace(document, host_epoch=epoch)
            elif place >= len(document.people):
                raise Malformed("$.place", f"there is no place {place}")
            else:
                person = document.people[place]
                epoch = person.epoch + 1
                claimed = now // 1000 if place == holder.place else None
                anew = with_person(document, place, replace(person, epoch=epoch, claimed_at=claimed))
            return Draft(
                change=Change(anew), act="reissued", place=_shown(place), epochs={place: epoch}, reissued=epoch
            )

        done = await self._change(request, holder, make)
        renewed = Holder(request.table, place, done.answer.epoch)
        if place == holder.place:
            return ReissueTokenResponse(version=done.version, token=self.tokens.token(renewed, done.answer.at))
        return ReissueTokenResponse(version=done.version, join_code=self.tokens.join_code(renewed))

    # --- holders

    def holder(self, table: str, token: str | None) -> Holder:
        """Whose the token is: NO_TOKEN, INVALID_TOKEN, or UNKNOWN_TABLE where it is of another table."""
        if token is None:
            raise ServiceError("NO_TOKEN", "a token is needed: Authorization: Bearer ...")
        return _of_table(table, self.tokens.holder(token))

    def watcher(self, table: str, token: str | None, ticket: str | None) -> Holder | None:
        """Whose the token or ticket is that a watch comes with; None without either."""
        if ticket is not None:
            return _of_table(table, self.tokens.holder(ticket, "watch"))
        return None if token is None else self.holder(table, token)

    def _host(self, table: str, token: str | None) -> Holder:
        holder = self.holder(table, token)
        if holder.place != HOST:
            raise ServiceError("FORBIDDEN", "this is the host's to do")
        return holder

    def _place(self, table: str, token: str | None) -> Holder:
        holder = self.holder(table, token)
        if holder.place == HOST:
            raise ServiceError("FORBIDDEN", "this is a place's to do")
        return holder

    async def seen(self, table: str, token: str | None, holder: Holder | None = None) -> tuple[Loaded, Eyes]:
        """The table as it is, and with whose eyes it is seen: the token's holder's, or a spectator's without one."""
        if token is not None:
            holder = self.holder(table, token)
        loaded = await self._now(table, holder)
        if holder is None and not loaded.document.spectators:
            raise unknown_table()
        return loaded, None if holder is None else holder.place

    async def settle(self, table: str) -> None:
        """Sees to it that a turn which is over is played."""
        await self._now(table, None)

    async def _now(self, table: str, holder: Holder | None) -> Loaded:
        return await self.keeper.settled(await self.keeper.load(table, holder))

    async def _change(self, request: TableChange, holder: Holder, make: Make, lane: Lane | None = None) -> Done:
        asked = Asked(holder.table, holder.place, holder.epoch, _once(request), request.expected_version)
        return await self.keeper.change(asked, make, lane)


def _of_table(table: str, holder: Holder) -> Holder:
    if holder.table != table:
        raise unknown_table()
    return holder


def _bad_join_code() -> ServiceError:
    return ServiceError("BAD_JOIN_CODE", "the join code is not good (any more)", "$.joinCode")


def _begun_with(document: Document, now: int, draft: Draft) -> Draft:
    """The draft, with the cards dealt where now nobody is waited for any more."""
    if not matches.ready_to_start(document):
        return draft
    return replace(draft, change=matches.started(document, now), anew=True)


def _shown(place: int) -> int | None:
    return None if place == HOST else place


def _once(request: TableChange | ClaimPlaceRequest) -> Once | None:
    key = request.idempotency_key
    if key is None:
        return None
    return Once(key, _body(type(request).__name__, replace(request, idempotency_key=None, table="")))


def _body(operation: str, request: Any) -> bytes:
    return digest(operation.encode() + b"\0" + _encode(request))
