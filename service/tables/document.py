"""What a store keeps of a table: the document, the frames, the answers under idempotency keys, as bytes of msgpack.

The document has everything there is to know, hidden cards and the secret seed included. Its log has each thing that was
done to the game, in text; it is only ever added to, so that what a version led to can be told again at any time.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from engine import moves
from engine.events import Event
from engine.game import HOST, Turn
from engine.moves import Move
from service.messages import Act, ReplayRequest, State, TableEnd, from_json, to_json

CardsFrom = Literal["service", "seed", "deck", "caller"]
HostSees = Literal["spectator", "all"]
Deals = Literal["auto", "dealer"]

FOLLOWS: Final = -2
"""Stands where a place would, in the log: the service's own, in the same version as what is before it."""
CLOCK: Final = -3
"""The service's own, in a version of its own: the turn was over."""
UNDO: Final = "undo"


class Person(Struct, frozen=True, omit_defaults=True):
    """A place. `epoch` is its token's; `claimed_at` in seconds, None while its code is unused."""

    epoch: int = 0
    claimed_at: int | None = None
    name: str | None = None
    meta: dict[str, Any] | None = None
    resigned: bool = False
    entropy: str | None = None


class Document(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table. `begun` is its record without moves; its seed is what the cards are shuffled from.

    `secret` is the seed that was committed to, None where the caller chose the cards. Times are in milliseconds.
    """

    id: str
    begun: ReplayRequest
    people: tuple[Person, ...]
    cards_from: CardsFrom
    host_sees: HostSees
    spectators: bool
    deals: Deals
    created: int
    host_epoch: int = 0
    secret: str | None = None
    commitment: str | None = None
    turn_seconds: int | None = None
    turn_ends: int | None = None
    state: State | None = None
    log: bytes = b""
    lines: int = 0
    ended: TableEnd | None = None


class Kept(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A frame as it is kept: for the spectator, and for each place, and for who sees all, where that differs.

    `views` are the same for views, where the frame has any.
    """

    at: int
    act: Act
    place: int | None = None
    seat: int | None = None
    name: str | None = None
    epoch: int | None = None
    events: tuple[Event, ...] = ()
    own: dict[int, tuple[Event, ...]] = {}
    all: tuple[Event, ...] | None = None
    view: State | None = None
    own_views: dict[int, State] = {}
    all_views: tuple[State, ...] | None = None
    to_act: Turn | None = None
    phase: str | None = None
    turn_ends: int | None = None
    ended: TableEnd | None = None


class Answer(Struct, frozen=True, array_like=True):
    """What is kept of an answer: enough to give it again. `lines` is how long the log was, `at` in seconds."""

    place: int
    epoch: int
    at: int
    lines: int = 0


class Line(Struct, frozen=True):
    """A line of the log: who did what for which seat (the host's own seat is -1), and when, in milliseconds."""

    at: int
    who: int
    seat: int
    text: str

    @property
    def named(self) -> int | None:
        """The seat as the engine is told it: none where the move is the host's."""
        return None if self.seat == HOST else self.seat

    @property
    def move(self) -> Move:
        """The move."""
        return moves.parse(self.text)


_encoder: Final = msgspec.msgpack.Encoder(enc_hook=to_json)
encode: Final = _encoder.encode
decode_document: Final = msgspec.msgpack.Decoder(Document, dec_hook=from_json).decode
decode_answer: Final = msgspec.msgpack.Decoder(Answer).decode
_decode_kept: Final = msgspec.msgpack.Decoder(Kept, dec_hook=from_json).decode


@lru_cache(maxsize=256)
def decode_frame(data: bytes) -> Kept:
    """A kept frame; the same one is not read again for each of its watchers."""
    return _decode_kept(data)


def written(line: Line) -> bytes:
    """A line as it stands in the log."""
    return f"{line.at} {line.who} {line.seat} {line.text}\n".encode()


def read_log(log: bytes, lines: int | None = None) -> Iterator[Line]:
    """The first so many lines of a log, or all."""
    for number, row in enumerate(log.decode().splitlines()):
        if number == lines:
            return
        at, who, seat, text = row.split(" ", 3)
        yield Line(int(at), int(who), int(seat), text)


def standing(log: Sequence[Line]) -> list[Line]:
    """The lines that count: without what was taken back, and the taking back."""
    kept: list[Line] = []
    for line in log:
        if line.text != UNDO:
            kept.append(line)
            continue
        while kept.pop().who == FOLLOWS:
            pass
    return kept


def moment(at: int) -> str:
    """A time in milliseconds as callers are told it."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
