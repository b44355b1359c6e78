"""The settings of the service: what each variable of the environment means, and every fault at once where one is bad.

msgspec reads them, as it reads the requests: nothing else is needed to turn text into typed, bounded values.
"""

import difflib
import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any, Final, Literal, Self

import msgspec
from msgspec import Meta, Struct

from .messages import Limits, fault_of

PREFIX: Final = "SCHEIDS_"
LAST_PORT: Final = 65_535
_ADDRESS: Final = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+):(?P<port>[0-9]{1,5})")

DEEPEST_MESSAGE: Final = 16
"""No message nests deeper: a limit below it would refuse what is well formed."""


def version_of_service() -> str:
    """The version of the installed service; where it runs from a folder that is not installed, ``0+unknown``."""
    try:
        return version("scheids")
    except PackageNotFoundError:
        return "0+unknown"


class Address:
    """Where a server listens: ``host:port``, an IPv6 host in brackets; port 0 takes a free one.

    >>> Address("[::1]:8080").host, Address("localhost:0").port
    ('::1', 0)
    """

    __slots__ = ("host", "port")

    def __init__(self, text: str) -> None:
        match = _ADDRESS.fullmatch(text)
        if match is None or int(match["port"]) > LAST_PORT:
            raise ValueError("Expected host:port, such as 127.0.0.1:8080")
        self.host = match["host"].strip("[]")
        self.port = int(match["port"])

    @classmethod
    def of(cls, host: str, port: int) -> Self:
        """The address of a host without brackets and a port."""
        return cls(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and str(other) == str(self)

    def __hash__(self) -> int:
        return hash(str(self))


def _limit(low: int, high: int, meaning: str) -> Meta:
    return Meta(ge=low, le=high, description=meaning)


class Settings(Struct, frozen=True, kw_only=True):
    """What can be set, and to what it is set; ``SCHEIDS_`` and the field's name in capitals is its variable."""

    http_address: Annotated[Address, Meta(description="Where REST and the documentation are served.")] = Address(
        "127.0.0.1:8080"
    )
    grpc_address: Annotated[Address, Meta(description="Where gRPC is served.")] = Address("127.0.0.1:8081")
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="What is logged; info has one line a request."),
    ] = "info"
    shutdown_seconds: Annotated[
        int, _limit(0, 600, "How long requests under way may take to finish once the service is told to stop.")
    ] = 10
    max_body_bytes: Annotated[int, _limit(1_024, 1 << 26, "The largest request body, in bytes.")] = 1_048_576
    max_nesting: Annotated[
        int, _limit(DEEPEST_MESSAGE, 500, "How deeply lists and objects may lie in each other in a body.")
    ] = 32
    max_batch_calls: Annotated[int, _limit(1, 10_000, "The most calls in one batch.")] = 100
    max_legal_moves: Annotated[int, _limit(1, 100_000, "The most legal moves in one answer.")] = 1_000
    max_record_moves: Annotated[int, _limit(1, 100_000, "The most moves in one record.")] = 4_096
    max_work: Annotated[
        int,
        _limit(
            1,
            10_000_000,
            "The most work one request may cost: one a call, one for each move of a record, 100 for each seat whose "
            "odds are told.",
        ),
    ] = 10_000

    @property
    def limits(self) -> Limits:
        """The limits as the use cases know them and as callers are told them."""
        return Limits(
            body_bytes=self.max_body_bytes,
            nesting=self.max_nesting,
            batch_calls=self.max_batch_calls,
            legal_moves=self.max_legal_moves,
            record_moves=self.max_record_moves,
            work=self.max_work,
        )


class BadSettings(Exception):  # noqa: N818 - what is bad is all there is to say
    """The environment is no settings; `faults` are all of the reasons, one line each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


_FIELDS: Final = {f"{PREFIX}{field.name.upper()}": field for field in msgspec.structs.fields(Settings)}


def load(environ: Mapping[str, str]) -> Settings:
    """The settings of an environment. BadSettings, with every fault, where a variable is bad or unknown."""
    faults = [_unknown(name) for name in sorted(environ) if name.startswith(PREFIX) and name not in _FIELDS]
    values: dict[str, Any] = {}
    for name, field in _FIELDS.items():
        if name not in environ:
            continue
        try:
            values[field.name] = msgspec.convert(environ[name], field.type, strict=False, dec_hook=_read)
        except msgspec.ValidationError as fault:
            faults.append(f"{name}: {fault_of(fault)[0]}, not {environ[name][:80]!r}")
    settings = Settings(**values)
    if settings.http_address == settings.grpc_address and settings.http_address.port:
        faults.append(f"{PREFIX}GRPC_ADDRESS: is the address of HTTP, {settings.http_address}; each needs its own")
    if faults:
        raise BadSettings(faults)
    return settings


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, _FIELDS, 1)
    return f"{name}: there is no such setting" + (f"; is {near[0]} meant?" if near else "")


def _read(kind: type, value: Any) -> Address:
    if kind is not Address:
        raise NotImplementedError(kind)
    return Address(value)


def settings_table() -> list[tuple[str, str, str]]:
    """Every setting as (variable, default, meaning), in order."""
    return [(name, str(field.default), _meaning(field.type)) for name, field in _FIELDS.items()]


def _meaning(kind: Any) -> str:
    return str(next(part.description for part in kind.__metadata__ if part.description))
