"""Tokens, tickets and join codes: who holds a place of a table, in texts that only this service can make.

A token is a JSON Web Token. It binds a place of one table with that place's epoch: reissuing raises the epoch, and the
tokens before it are worth nothing. A join code follows from the table, the place and the epoch, so none need be kept.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

import jwt
import msgspec
from msgspec import Struct

from service.errors import ServiceError

ALGORITHM: Final = "HS256"
ISSUER: Final = "scheids"
SECRET_BYTES: Final = 32
"""The fewest bytes of a secret."""
LONGEST_TOKEN: Final = 2_048
VERIFIED: Final = 8_192
"""How many tokens are remembered as signed here; whether one has ended is looked at each time."""
_CODE_BYTES: Final = 15
_BEARER: Final = "bearer "
_CLAIMS: Final = ["iss", "sub", "place", "epoch", "use", "iat", "exp"]
_BINDS: Final = {"table": "sub", "place": "place", "epoch": "epoch"}
Use = Literal["play", "watch"]


class Holder(Struct, frozen=True):
    """Who holds a token: of which table, of which place (`HOST` for the host), of which epoch."""

    table: str
    place: int
    epoch: int


class Tokens:
    """Makes and reads them with secrets, of which the first signs and all are believed."""

    def __init__(self, secrets: Sequence[str], seconds: int, ticket_seconds: int, clock: Callable[[], float]) -> None:
        self._keys = [secret.encode() for secret in secrets]
        self._by_id = {_key_id(key): key for key in self._keys}
        self._seconds = seconds
        self._verified = lru_cache(VERIFIED)(self._verify)
        self.ticket_seconds = ticket_seconds
        self._clock = clock

    def token(self, holder: Holder, at: int) -> str:
        """The token of a holder, made at a time in seconds: the same for the same."""
        return self._signed(holder, "play", at, at + self._seconds)

    def ticket(self, holder: Holder) -> str:
        """A ticket to watch with a holder's eyes for a short time."""
        at = int(self._clock())
        return self._signed(holder, "watch", at, at + self.ticket_seconds)

    def holder(self, token: str, use: Use = "play") -> Holder:
        """Whose token it is; INVALID_TOKEN, which tells nothing, where it is none, or none any more."""
        try:
            return self._read(token, use)
        except (jwt.PyJWTError, KeyError, ValueError, msgspec.ValidationError):
            raise invalid_token() from None

    def _read(self, token: str, use: Use) -> Holder:
        if len(token) > LONGEST_TOKEN:
            raise ValueError(token)
        holder, of_use, until = self._verified(token)
        if of_use != use or until <= self._clock():
            raise ValueError(use)
        return holder

    def _verify(self, token: str) -> tuple[Holder, str, int]:
        """Whose a token is, for which use, and until when; an exception where it was not signed here."""
        key = self._by_id[str(jwt.get_unverified_header(token)["kid"])]
        options: Any = {"require": _CLAIMS, "verify_exp": False, "verify_iat": False}
        claims = jwt.decode(token, key, algorithms=[ALGORITHM], issuer=ISSUER, options=options)
        holder = msgspec.convert({name: claims[claim] for name, claim in _BINDS.items()}, Holder)
        return holder, str(claims["use"]), msgspec.convert(claims["exp"], int)

    def _signed(self, holder: Holder, use: Use, at: int, until: int) -> str:
        claims = {
            "iss": ISSUER,
            "sub": holder.table,
            "place": holder.place,
            "epoch": holder.epoch,
            "use": use,
            "iat": at,
            "exp": until,
        }
        return jwt.encode(claims, self._keys[0], ALGORITHM, headers={"kid": _key_id(self._keys[0])})

    def join_code(self, holder: Holder) -> str:
        """The code that a place of an epoch is claimed with."""
        return _code(self._keys[0], holder)

    def is_join_code(self, code: str, holder: Holder) -> bool:
        """Whether a text is the join code, by any of the secrets."""
        given = code.strip().lower().encode(errors="replace")
        return any(hmac.compare_digest(given, _code(key, holder).encode()) for key in self._keys)


def bearer(headers: Sequence[str]) -> str | None:
    """The token of the Authorization headers; INVALID_TOKEN where it is of another kind, or there are several."""
    if not headers:
        return None
    if len(headers) > 1 or headers[0][: len(_BEARER)].lower() != _BEARER:
        raise invalid_token()
    return headers[0][len(_BEARER) :].strip()


def invalid_token() -> ServiceError:
    """One refusal for every token that is not good, whatever the reason."""
    return ServiceError("INVALID_TOKEN", "the token is not good")


def _key_id(key: bytes) -> str:
    return hashlib.sha256(b"scheids key id\0" + key).hexdigest()[:8]


def _code(key: bytes, holder: Holder) -> str:
    name = f"scheids join code\0{holder.table}\0{holder.place}\0{holder.epoch}"
    digest = hmac.digest(key, name.encode(), "sha256")
    return base64.b32encode(digest[:_CODE_BYTES]).decode().lower()
