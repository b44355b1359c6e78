"""A hosted table, as one holder of a token has it."""

import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from tenacity import AsyncRetrying

from .. import models
from .._operations import (
    ADD_ENTROPY,
    END,
    GET_TABLE,
    PLAY_AT_TABLE,
    RECORD,
    REISSUE,
    RESIGN,
    START,
    TABLE_MOVES,
    TICKET,
    UNDO,
    Operation,
)
from .._requests import new_key
from .._retrying import FOREVER, Deadline, Retry, policy
from ..errors import own_error

if TYPE_CHECKING:
    from .client import AsyncScheids
    from .transport import AsyncFrames


class AsyncTable:
    """A table, and the token with which it is looked at and played; without one, as a spectator looks on.

    Every change goes with an idempotency key, so that it is made once however often it has to be sent: one is made
    where none is given. A move, and taking one back, go with the version that was last seen here, too: StaleVersion
    where the table has moved on since.
    """

    id: str
    token: str | None
    place: int | None
    """The place that the token is of, as far as it is known."""
    version: int | None
    """The version that was last seen."""

    def __init__(
        self,
        client: "AsyncScheids",
        table: str,
        token: str | None = None,
        *,
        place: int | None = None,
        version: int | None = None,
    ) -> None:
        self._client = client
        self.id = table
        self.token = token
        self.place = place
        self.version = version

    def with_options(
        self, *, language: str | None = None, timeout: float | None = None, retry: Retry | None = None
    ) -> "AsyncTable":
        """The same table with other settings of its client, where they are named."""
        client = self._client.with_options(language=language, timeout=timeout, retry=retry)
        return AsyncTable(client, self.id, self.token, place=self.place, version=self.version)

    async def _ask(self, operation: Operation, request: Any, timeout: float | None) -> Any:
        return await self._client._ask(operation, request, timeout, self.token)

    def _saw(self, version: int) -> None:
        self.version = version

    # --- looking

    async def get(self, *, timeout: float | None = None) -> models.GetTableResponse:
        """The table, and of its cards what the token's holder sees."""
        seen: models.GetTableResponse = await self._ask(GET_TABLE, models.GetTableRequest(table=self.id), timeout)
        self._saw(seen.version)
        self.place = seen.place
        return seen

    async def legal_moves(
        self,
        *,
        seat: int | None = None,
        card: str | None = None,
        tier: models.Tier | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        explain: bool = False,
        timeout: float | None = None,
    ) -> models.ListTableMovesResponse:
        """A page of the legal moves of the place, none where it is not its turn; `iter_legal_moves` has them all."""
        request = models.ListTableMovesRequest(
            table=self.id, seat=seat, card=card, tier=tier, limit=limit, cursor=cursor, explain=explain
        )
        answer: models.ListTableMovesResponse = await self._ask(TABLE_MOVES, request, timeout)
        self._saw(answer.version)
        return answer

    async def iter_legal_moves(
        self,
        *,
        seat: int | None = None,
        card: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[models.LegalMove]:
        """All legal moves of the place, page by page. StaleVersion where the table moves on between two pages."""
        cursor = version = None
        while True:
            page = await self.legal_moves(seat=seat, card=card, limit=limit, cursor=cursor, timeout=timeout)
            if version not in (None, page.version):
                raise own_error(
                    "STALE_VERSION", f"the table is at version {page.version}", "$.cursor", version=page.version
                )
            version = page.version
            for move in page.legal.moves:
                yield move
            cursor = page.legal.cursor
            if cursor is None:
                return

    async def record(self, *, timeout: float | None = None) -> models.ReplayRequest:
        """The match as one document, as far as the holder may see it; once it is complete `replay` accepts it."""
        answer: models.GetTableRecordResponse = await self._ask(
            RECORD, models.GetTableRecordRequest(table=self.id), timeout
        )
        return answer.record

    def watch(self, *, after_version: int | None = None, patience: float = 120.0) -> "AsyncWatch":
        """What happens at the table, a frame for each version, until it ends.

        The first frame has all of the table, or with `after_version` they go on from behind that one. Where the
        connection breaks off, or the service stops, it resumes by itself, and no frame comes twice. `patience` is how
        many seconds the service may be away. InvalidToken where the token is reissued, UnknownTable where the table
        is no more.
        """
        return AsyncWatch(self, after_version, patience)

    async def event_ticket(self, *, timeout: float | None = None) -> models.CreateEventTicketResponse:
        """A ticket with which a browser's EventSource can watch, for a short time. Over HTTP only."""
        answer: models.CreateEventTicketResponse = await self._ask(
            TICKET, models.CreateEventTicketRequest(table=self.id), timeout
        )
        return answer

    # --- changing

    async def play(
        self,
        move: models.MoveInput,
        *,
        seat: int | None = None,
        expected_version: int | None = None,
        any_version: bool = False,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> models.PlayTableMoveResponse:
        """Plays a move of the place, or of the host. IllegalMove where it is refused.

        It is meant for `expected_version`, by default the one that was last seen here; with `any_version` for whatever
        the table has come to.
        """
        expected = self.version if expected_version is None else expected_version
        request = models.PlayTableMoveRequest(
            table=self.id,
            move=move,
            seat=seat,
            expected_version=None if any_version else expected,
            idempotency_key=idempotency_key or new_key(),
        )
        answer: models.PlayTableMoveResponse = await self._ask(PLAY_AT_TABLE, request, timeout)
        self._saw(answer.version)
        return answer

    async def _change(self, operation: Operation, request: Any, timeout: float | None) -> int:
        answer = await self._ask(operation, request, timeout)
        version: int = answer.version
        self._saw(version)
        return version

    async def start(
        self,
        *,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> int:
        """Has the cards dealt without waiting for anybody: the host's. The version that has them."""
        key = idempotency_key or new_key()
        request = models.StartTableRequest(table=self.id, expected_version=expected_version, idempotency_key=key)
        return await self._change(START, request, timeout)

    async def add_entropy(
        self,
        entropy: str | None = None,
        *,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> int:
        """Adds to what the cards are shuffled from, once: 1 to 32 bytes in hexadecimal digits, by default random."""
        request = models.AddEntropyRequest(
            table=self.id,
            entropy=secrets.token_hex(32) if entropy is None else entropy,
            expected_version=expected_version,
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._change(ADD_ENTROPY, request, timeout)

    async def resign(
        self,
        *,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> int:
        """Gives the match up for the place."""
        key = idempotency_key or new_key()
        request = models.ResignTableRequest(table=self.id, expected_version=expected_version, idempotency_key=key)
        return await self._change(RESIGN, request, timeout)

    async def undo(
        self,
        *,
        expected_version: int | None = None,
        any_version: bool = False,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> int:
        """Takes back the last move that somebody made: the host's. It is meant for the version as in `play`."""
        expected = self.version if expected_version is None else expected_version
        request = models.UndoTableRequest(
            table=self.id,
            expected_version=None if any_version else expected,
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._change(UNDO, request, timeout)

    async def reissue(
        self,
        place: int | None = None,
        *,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> models.ReissueTokenResponse:
        """Makes a token worthless: the own one, in place of which `token` is the new one, or for the host a place's.

        For a place that the host names there is a new join code.
        """
        request = models.ReissueTokenRequest(
            table=self.id,
            place=place,
            expected_version=expected_version,
            idempotency_key=idempotency_key or new_key(),
        )
        answer: models.ReissueTokenResponse = await self._ask(REISSUE, request, timeout)
        self._saw(answer.version)
        if answer.token is not None:
            self.token = answer.token
        return answer

    async def end(
        self,
        *,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> int:
        """Ends the table: the host's. It can be looked at until it expires."""
        key = idempotency_key or new_key()
        request = models.EndTableRequest(table=self.id, expected_version=expected_version, idempotency_key=key)
        return await self._change(END, request, timeout)


@dataclass(frozen=True)
class AsyncCreatedTable:
    """A new table: `host` is the table as the host has it; each code is good for one claim of its place."""

    id: str
    version: int
    host: AsyncTable
    join_codes: tuple[str, ...]
    commitment: str | None


class AsyncWatch:
    """The frames of a table, each version once. Close it where it is left before the table ends, or use `with`."""

    version: int | None
    """The last version that came."""

    def __init__(self, table: AsyncTable, after_version: int | None, patience: float) -> None:
        self.version = after_version
        self._table = table
        self._patience = patience
        self._frames: AsyncFrames | None = None
        self._over = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> models.WatchTableResponse:
        while not self._over:
            frame = await self._patiently()
            if frame is None:
                break
            if frame.act is None and frame.table is None and frame.ended is None:
                continue  # a heartbeat
            if frame.table is None and self.version is not None and frame.version <= self.version:
                continue
            self.version = self._table.version = frame.version
            self._over = frame.ended is not None
            return frame
        await self.aclose()
        raise StopAsyncIteration

    async def _patiently(self) -> models.WatchTableResponse | None:
        retry = Retry(attempts=FOREVER, first=0.05, most=1.0)
        async for attempt in AsyncRetrying(**policy(retry, Deadline(self._patience))):
            with attempt:
                return await self._step()
        raise AssertionError("a step ends with a frame or an error")

    async def _step(self) -> models.WatchTableResponse | None:
        try:
            if self._frames is None:
                self._frames = await self._opened()
            frame = None if self._frames is None else await self._frames.next()
        except BaseException:
            await self._leave()
            raise
        if frame is None or frame.gone is None:
            return frame
        await self._leave()
        match frame.gone:
            case "revoked":
                raise own_error("INVALID_TOKEN", "the token was reissued")
            case "expired":
                raise own_error("UNKNOWN_TABLE", "there is no such table (any more)")
        raise own_error("UNREACHABLE", f"the watch ended: {frame.gone}")

    async def _opened(self) -> "AsyncFrames | None":
        table, client = self._table, self._table._client
        request = models.WatchTableRequest(table=table.id, after_version=self.version)
        return await client._transport.watch(request, client._asked(client._deadline(None), table.token))

    async def _leave(self) -> None:
        frames, self._frames = self._frames, None
        if frames is not None:
            await frames.aclose()

    async def aclose(self) -> None:
        """Ends the watch."""
        self._over = True
        await self._leave()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()
