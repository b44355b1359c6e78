"""Requests from what a caller names: options as a dict or a struct, lists of any kind, moves in any form."""

import secrets
from collections.abc import Mapping
from typing import Any, cast

import msgspec
from msgspec import Struct

from . import models
from .errors import ScheidsError, own_error


def new_key() -> str:
    """An idempotency key that nobody guesses."""
    return secrets.token_urlsafe(24)


def deal_request(game: str, named: dict[str, Any]) -> models.DealRequest:
    """What a match is begun from."""
    return cast("models.DealRequest", _made(models.DEALS, game, named))


def table_request(game: str, named: dict[str, Any]) -> models.CreateTableRequest:
    """What a table is created from; it has a key."""
    key = named.pop("idempotency_key", None) or new_key()
    return cast("models.CreateTableRequest", _made(models.TABLES, game, {**named, "idempotency_key": key}))


def replay_request(game: models.ReplayRequest | str, named: dict[str, Any]) -> models.ReplayRequest:
    """A record as it is, or made of what is named."""
    if not isinstance(game, str):
        return game
    moves = tuple(_recorded(each) for each in named.pop("moves", ()))
    return cast("models.ReplayRequest", _made(models.RECORDS, game, {**named, "moves": moves}))


def score_request(facts: models.Facts, options: Any) -> Any:
    """The facts of a game to be scored."""
    request = models.SCORED.get(type(facts))
    if request is None:
        raise own_error("MALFORMED", f"{type(facts).__name__} is no facts of a game", "$.facts")
    return request(facts=facts, options=_options(request.__struct_config__.tag, options))


def not_encodable(fault: Exception) -> ScheidsError:
    """A request that has something in it that cannot be sent."""
    return own_error("MALFORMED", f"the request cannot be sent: {fault}", "$")


def _made(kinds: Mapping[str, Any], game: str, named: dict[str, Any]) -> Struct:
    kind = kinds.get(game)
    if kind is None:
        raise own_error("MALFORMED", f"this client knows no game called {game[:40]!r}", "$.game")
    options = _options(game, named.pop("options", None))
    request: Struct = kind(options=options, **{name: _frozen(value) for name, value in named.items()})
    return request


def _options(game: str, options: Any) -> Any:
    if not isinstance(options, Mapping):
        return options
    try:
        return msgspec.convert(dict(options), models.CHOICES[game], strict=True)
    except msgspec.ValidationError as fault:
        said, _, at = str(fault).partition(" - at `$")
        raise own_error("MALFORMED", said, f"$.options{at.removesuffix('`')}") from None


def _frozen(value: Any) -> Any:
    """Lists in place of which structs have tuples."""
    if isinstance(value, str | bytes | Mapping | Struct) or not hasattr(value, "__iter__"):
        return value
    return tuple(_frozen(each) for each in value)


def _recorded(move: models.RecordedMove | models.MoveInput) -> models.RecordedMove:
    return move if isinstance(move, models.RecordedMove) else models.RecordedMove(move=move)
