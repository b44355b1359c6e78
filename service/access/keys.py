"""API keys: how one is made, and how those that are good are configured.

A key is 256 random bits, and what is configured of it is its SHA-256. A slow hash, as passwords need, would guard
nothing here: nobody guesses 256 bits, however fast each guess is. For the same reason only keys of the form that
`new_key` gives are looked at, so that nobody can configure one that he has thought of.
"""

import hashlib
import re
import secrets
from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from service.messages import fault_of

HEADER: Final = "x-api-key"
"""The header, and in gRPC the metadata, that a key comes in."""
LEAST_PER_SECOND: Final = 0.0001
"""A call in some hours. With much less than that the time until there is room again is no number any more."""
MOST_PER_SECOND: Final = 1_000_000
MOST_AT_ONCE: Final = 10_000_000
MOST_PER_MINUTE: Final = 1_000_000
_BYTES: Final = 32
_PREFIX: Final = "scheids_"
_FORM: Final = re.compile(rf"{_PREFIX}[A-Za-z0-9_-]{{43}}", re.ASCII)

Rate = Annotated[float, Meta(ge=LEAST_PER_SECOND, le=MOST_PER_SECOND)]
Burst = Annotated[int, Meta(ge=1, le=MOST_AT_ONCE)]
PerMinute = Annotated[int, Meta(ge=1, le=MOST_PER_MINUTE)]


class KeyLimits(Struct, frozen=True, kw_only=True):
    """What a key may do: calls per second, and at once; tables opened and tokens reissued per minute."""

    rate: float
    burst: int
    tables_per_minute: int
    reissues_per_minute: int


class ApiKey(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """A key that is good: whose it is, its SHA-256, and its limits where they are others than those of all."""

    name: Annotated[str, Meta(pattern="^[A-Za-z0-9._-]{1,64}$")]
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    rate: Rate | None = None
    burst: Burst | None = None
    tables_per_minute: PerMinute | None = None
    reissues_per_minute: PerMinute | None = None

    def limits(self, of_all: KeyLimits) -> KeyLimits:
        """The key's limits, given those of keys that have none of their own."""
        own = {name: getattr(self, name) for name in KeyLimits.__struct_fields__}
        return msgspec.structs.replace(of_all, **{name: value for name, value in own.items() if value is not None})


class BadKeys(ValueError):  # noqa: N818 - reads as what is wrong
    """A text is no list of keys; the message says why, and shows nothing of it."""


_decode: Final = msgspec.json.Decoder(tuple[ApiKey, ...]).decode


def read_keys(text: str | bytes) -> tuple[ApiKey, ...]:
    """The keys of a JSON list. BadKeys where it is none, is empty, or names a key or a hash twice."""
    try:
        keys = _decode(text)
    except msgspec.ValidationError as fault:
        detail, path = fault_of(fault)
        raise BadKeys(f"{detail} (at {path})") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise BadKeys(str(fault)) from None
    if not keys:
        raise BadKeys("Expected a JSON list with at least one key")
    for what, values in (("name", [key.name for key in keys]), ("sha256", [key.sha256 for key in keys])):
        seen: set[str] = set()
        for at, value in enumerate(values):
            if value in seen:
                raise BadKeys(f"Expected each {what} once (at $[{at}].{what})")
            seen.add(value)
    return keys


def new_key() -> str:
    """A key that nobody has.

    >>> len(new_key()), digest_of([new_key()]) is None
    (51, False)
    """
    return _PREFIX + secrets.token_urlsafe(_BYTES)


def digest_of(given: Sequence[str]) -> str | None:
    """The SHA-256 of the key that a call came with, in hex; None where that can be no key, or there are several."""
    if len(given) != 1 or _FORM.fullmatch(given[0]) is None:
        return None
    return hashlib.sha256(given[0].encode()).hexdigest()
