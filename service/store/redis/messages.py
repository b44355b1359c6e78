"""What the store and its scripts write to each other as bytes: records of answers, and messages for watchers.

Big-endian. A record in a table's hash: digest of the body (32), epoch of the token (8), version (8), answer. That of a
creation begins with the schema (2). A message: schema (2), kind (1), version (8), mark (8), ttl (4), frame.
"""

import struct
from typing import Final

from service.store import DIGEST_BYTES, FIRST_VERSION, SCHEMA, Frame, NewerSchema, Once
from service.store.checks import Remembered
from service.store.watching import Note, Resync, Written

NO_EPOCH: Final = (1 << 64) - 1
_RECORD: Final = struct.Struct(f">{DIGEST_BYTES}sQQ")
_SCHEMA: Final = struct.Struct(">H")
_HEAD: Final = struct.Struct(">HBQ8s")
_TTL: Final = struct.Struct(">I")
_FRAME: Final = 0
_LAST: Final = 1
_GONE: Final = 2


def record(once: Once, epoch: int | None, version: int, answer: bytes) -> bytes:
    return _RECORD.pack(once.body, NO_EPOCH if epoch is None else epoch, version) + answer


def read_record(data: bytes) -> Remembered:
    body, epoch, version = _RECORD.unpack_from(data)
    return Remembered(body, None if epoch == NO_EPOCH else epoch, version, data[_RECORD.size :])


def creation(once: Once, answer: bytes) -> bytes:
    return _SCHEMA.pack(SCHEMA) + once.body + answer


def read_creation(data: bytes) -> Remembered:
    """NewerSchema where a newer Scheids wrote it."""
    _check(_SCHEMA.unpack_from(data)[0])
    start = _SCHEMA.size + DIGEST_BYTES
    return Remembered(data[_SCHEMA.size : start], None, FIRST_VERSION, data[start:])


def head(version: int, mark: bytes, *, last: bool) -> bytes:
    """A frame's message up to its ttl, which the script puts in, since it knows the table's."""
    return _HEAD.pack(SCHEMA, _LAST if last else _FRAME, version, mark)


def gone() -> bytes:
    """The message that a table was deleted."""
    return _HEAD.pack(SCHEMA, _GONE, 0, b"")


def read_message(data: bytes) -> Note:
    """What watchers are told. A message of a newer schema is not read: the store is asked, and refuses by name."""
    try:
        schema, kind, version, mark = _HEAD.unpack_from(data)
        if schema > SCHEMA or kind not in {_FRAME, _LAST}:
            return Resync()
        ttl = _TTL.unpack_from(data, _HEAD.size)[0]
    except struct.error:
        return Resync()
    return Written(Frame(version, mark, data[_HEAD.size + _TTL.size :], kind == _LAST), ttl)


def check_schema(text: bytes) -> None:
    """NewerSchema where a table's schema is one that this version does not know."""
    _check(int(text))


def _check(schema: int) -> None:
    if schema > SCHEMA:
        raise NewerSchema(schema)
