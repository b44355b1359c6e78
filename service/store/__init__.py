"""What a store of hosted tables fulfils, and the structs it speaks.

A store holds opaque bytes: of each table one document, the frames that led to it, the epoch of each place's token, and
the last answers that were given under an idempotency key. It knows no game and no view; who may see what is decided
before anything leaves the use cases. `service.store.sqlite` and `service.store.redis` fulfil it; docs/tables-storage.md
says what each promises when something dies.

Whatever can become of a call is a result, told apart by its type. Only two things are raised, since any call may meet
them: `StoreAway` and `NewerSchema`.
"""

import base64
import hashlib
import re
import secrets
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Final, Protocol, Self, TypeAlias

from msgspec import Struct

SCHEMA: Final = 1
"""How tables lie in a store. A store that finds a higher number refuses it by name and writes nothing over it."""

HOST: Final = -1
"""The host among the places: it has a token, an epoch and idempotency keys as a place has."""

FIRST_VERSION: Final = 1
"""The version a table is created with. The frame of a version bears its number."""

ANSWERS_KEPT: Final = 16
"""How many keyed answers a table remembers, of all of its places together."""

FRAMES_KEPT: Final = 512
"""How many frames a table keeps unless a store is told otherwise. A watcher further behind gets a `Reset`."""

FRAMES_LIMIT: Final = 100
"""How many frames come at once."""

MARK_BYTES: Final = 8
DIGEST_BYTES: Final = 32
_ROUTE: Final = 4
_ID_BYTES: Final = 15
_ID: Final = re.compile(r"[a-z2-7]{28}")


class StoreAway(Exception):  # noqa: N818 - reads as what happened
    """The store cannot be reached, or cannot promise what it was asked to.

    `maybe_done` says that the call may have been carried out all the same: whoever tries again does so with the same
    idempotency key. `reason` names no address and no secret.
    """

    def __init__(self, reason: str, *, maybe_done: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.maybe_done = maybe_done


class NewerSchema(Exception):  # noqa: N818 - reads as what happened
    """A table, or a whole store, was written by a newer Scheids: its schema is `found`, and this one knows `known`."""

    def __init__(self, found: int, known: int = SCHEMA) -> None:
        super().__init__(f"the store's schema is {found}; this version of Scheids knows no schema above {known}")
        self.found = found
        self.known = known


class Once(Struct, frozen=True):
    """An idempotency key, and the 32-byte digest of the body it came with (`digest`)."""

    key: str
    body: bytes

    def __post_init__(self) -> None:
        if len(self.body) != DIGEST_BYTES:
            raise ValueError(f"a body's digest is {DIGEST_BYTES} bytes, not {len(self.body)}")


class NewTable(Struct, frozen=True, kw_only=True):
    """A table to create, at version 1, with its first frame.

    `ttl` is in seconds, and every commit begins it anew. With `once`, `id` is made by ``new_table_id(once.key)``, and
    `answer` is what a repeated creation gets.
    """

    id: str
    document: bytes
    frame: bytes
    ttl: int
    epochs: Mapping[int, int] = {}
    once: Once | None = None
    answer: bytes = b""


class Commit(Struct, frozen=True, kw_only=True):
    """What is to be written, if `version` is still the table's.

    `epoch` is that of the token which asks, and None where no token does (a join code, the service itself). `mark` is
    that of the document the commit was made from: after a failover two documents can bear one version, and only their
    marks differ. `ttl`, where given, replaces the table's.
    """

    table: str
    place: int
    version: int
    document: bytes
    frame: bytes
    epoch: int | None = None
    mark: bytes | None = None
    once: Once | None = None
    answer: bytes = b""
    epochs: Mapping[int, int] = {}
    ends: bool = False
    ttl: int | None = None


class Created(Struct, frozen=True):
    """The table is there, at version 1."""

    mark: bytes


class IdTaken(Struct, frozen=True):
    """There is another table of this id."""


class Committed(Struct, frozen=True):
    """It is written; `version` is the table's new one."""

    version: int
    mark: bytes


class Repeated(Struct, frozen=True):
    """The key is remembered with this body: `answer` is what the first call was given, `version` what it led to."""

    answer: bytes
    version: int


class KeyReused(Struct, frozen=True):
    """The key is remembered with another body."""


class Revoked(Struct, frozen=True):
    """The token's epoch is not that of its place (any more)."""


class Stale(Struct, frozen=True):
    """The document is no longer the one the commit was made from; the table is now at `version`."""

    version: int


class Ended(Struct, frozen=True):
    """The table ended with `version` and takes nothing more. For a watcher: that frame was the last."""

    version: int


class NoTable(Struct, frozen=True):
    """There is no such table: there never was, it expired or was deleted. For a watcher: the end."""


class Fresh(Struct, frozen=True):
    """The key is not remembered, and the token is good."""

    version: int
    ended: bool


class Table(Struct, frozen=True):
    """A table as it is. `document` is None where the caller knows it already; `left` is in seconds.

    `epochs` has the places that were asked for, less those without an epoch.
    """

    version: int
    mark: bytes
    ended: bool
    document: bytes | None
    epochs: Mapping[int, int]
    left: float


class Frame(Struct, frozen=True):
    """What a version brought. `last`: the table ended with it."""

    version: int
    mark: bytes
    data: bytes
    last: bool = False


class Frames(Struct, frozen=True):
    """Frames in order, the first being the one after the version asked from; empty when there is none yet.

    `version` is the table's: where the last frame's is lower there are more to fetch. `left` is in seconds.
    """

    frames: tuple[Frame, ...]
    version: int
    ended: bool
    left: float


class Reset(Struct, frozen=True):
    """The frames do not lead on from where the watcher was: read the table, then go on from what was read.

    Either they were trimmed, or the watcher is ahead of the store, or on a version which a failover has undone.
    """

    version: int


class Overrun(Struct, frozen=True):
    """The watcher took too long, and is watched for no more; `version` is the last it was given. It may resume."""

    version: int


CreateOutcome: TypeAlias = Created | Repeated | KeyReused | IdTaken
CommitOutcome: TypeAlias = Committed | Repeated | KeyReused | Revoked | Ended | Stale | NoTable
RecallOutcome: TypeAlias = Fresh | Repeated | KeyReused | Revoked | NoTable
FramesOutcome: TypeAlias = Frames | Reset | NoTable
WatchItem: TypeAlias = Frame | Reset | Ended | NoTable | Overrun


class Watching(Protocol):
    """One watcher of one table: ``async with store.watch(table, after=version) as watching``."""

    async def next(self, within: float | None = None) -> WatchItem | None:
        """What comes next, each frame once and in order; None when nothing came within so many seconds.

        `Ended`, `NoTable` and `Overrun` are the end, and come again whenever one asks on. While the store is away
        nothing comes, and what happened meanwhile comes when it is back.
        """

    def interrupt(self) -> None:
        """Has `next` give None as soon as no frame is at hand. Any thread may call this."""

    def seek(self, version: int, mark: bytes | None = None) -> None:
        """Goes on behind `version`: what one does after a `Reset`, with the table that was read."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Store(Protocol):
    """Tables that outlive the process. Every method may be called from any event loop of it."""

    async def create(self, new: NewTable) -> CreateOutcome:
        """Creates a table, or repeats the answer that its key was given before."""

    async def commit(self, commit: Commit) -> CommitOutcome:
        """One atomic compare-and-set.

        What is checked, in this order:

        1. there is such a table, else `NoTable`;
        2. its key: remembered with this body it is `Repeated`, also on a table that has ended meanwhile. The token
           has to be good still, or the very one which the answer was first given to;
        3. the epoch, else `Revoked`;
        4. the key again: remembered with another body it is `KeyReused`;
        5. the table goes on, else `Ended`;
        6. version and mark, else `Stale`.

        Then, all or nothing: document, epochs and version are written, the answer is remembered under its key, the
        frame is appended under the new version, and the time to live begins anew. Watchers hear of it last.
        """

    async def recall(
        self, table: str, place: int, *, epoch: int | None = None, once: Once | None = None
    ) -> RecallOutcome:
        """What `commit` would say up to its fourth check: for a request that is refused without a commit."""

    async def read(
        self, table: str, *, known: tuple[int, bytes] | None = None, places: Sequence[int] = ()
    ) -> Table | NoTable:
        """The table, with the epochs of `places`; without the document where `known` is its version and mark."""

    async def frames(
        self, table: str, after: int, *, mark: bytes | None = None, limit: int = FRAMES_LIMIT
    ) -> FramesOutcome:
        """The frames behind version `after`; with the `mark` of that version, only if they follow on that one."""

    async def delete(self, table: str) -> bool:
        """Takes a table away, with all that is its own; whether it was there. Its watchers are told `NoTable`."""

    def watch(self, table: str, after: int, *, mark: bytes | None = None, room: int = 256) -> Watching:
        """Watches a table from version `after` on. `room` frames may wait for the watcher before it is `Overrun`."""

    @property
    def away(self) -> str | None:
        """Why the store cannot be reached, and None while it can: what readiness shows. Asks nobody."""

    async def ping(self) -> None:
        """Asks the store whether it is there; StoreAway if not."""

    async def close(self) -> None:
        """Lets go of what this event loop holds; the last loop also ends what they share."""


def digest(body: bytes) -> bytes:
    """The digest of a request's body that goes with an idempotency key."""
    return hashlib.sha256(body).digest()


def new_table_id(key: str | None = None) -> str:
    """A new table's id: 28 letters and digits, 120 bits of them random.

    The first four say where the table lies. Those of a table created under an idempotency key follow from the key, so
    that the key and the table lie together and are written in one step.

    >>> new_table_id("a")[:4] == new_table_id("a")[:4], is_table_id(new_table_id())
    (True, True)
    """
    route = hashlib.sha256(key.encode()).digest() if key is not None else secrets.token_bytes(_ROUTE)
    return _letters(route)[:_ROUTE] + _letters(secrets.token_bytes(_ID_BYTES))


def route_of(key: str) -> str:
    """The first letters of the ids of tables created under a key."""
    return new_table_id(key)[:_ROUTE]


def is_table_id(text: str) -> bool:
    """Whether a text can be a table's id at all. What cannot be one is no table, and no store is asked.

    >>> is_table_id("abcd{x}"), is_table_id("")
    (False, False)
    """
    return _ID.fullmatch(text) is not None


def check_new(new: NewTable) -> None:
    """ValueError where a new table could not be kept: its id is none, or is not of its key."""
    if not is_table_id(new.id):
        raise ValueError("a table's id is made by new_table_id")
    if new.once is not None and not new.id.startswith(route_of(new.once.key)):
        raise ValueError("the id of a table with an idempotency key is made from it, by new_table_id")


def new_mark() -> bytes:
    """What tells a document from any other of its version."""
    return secrets.token_bytes(MARK_BYTES)


def _letters(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=").lower()
