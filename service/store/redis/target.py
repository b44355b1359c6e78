"""Where Redis is, read from a URL, and how it is to be spoken to."""

import re
from collections.abc import Callable
from typing import Any, Final, Literal, Self, TypeAlias
from urllib.parse import parse_qsl, unquote

from msgspec import Struct
from redis.asyncio.connection import Connection, SSLConnection

from service.store import FRAMES_KEPT

PORTS: Final = {"standalone": 6379, "sentinel": 26379, "cluster": 6379}
LAST_PORT: Final = 65_535
_URL: Final = re.compile(
    r"(?P<scheme>rediss?)(?:\+(?P<kind>sentinel|cluster))?://"
    r"(?:(?P<user>[^@/?#]*)@)?(?P<hosts>[^@/?#]*)(?:/(?P<path>[^?#]*))?(?:\?(?P<query>[^#]*))?"
)
_HOST: Final = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")
_FORMS: Final = (
    "redis://host:port/db, redis+sentinel://host:port,host:port/service, redis+cluster://host:port,host:port, "
    "or the same with rediss for TLS"
)
_FILES: Final = {"ssl_ca_certs", "ssl_certfile", "ssl_keyfile"}
_SENTINEL: Final = {"sentinel_username", "sentinel_password", "db"}

Address: TypeAlias = tuple[str, int]
Kind: TypeAlias = Literal["standalone", "sentinel", "cluster"]


class RedisOptions(Struct, frozen=True, kw_only=True):
    """How Redis is used. Seconds are per call of the store, retries and all; an attempt gets half of them.

    With `wait_replicas`, what was written is acknowledged once so many replicas have it, and is `StoreAway` where they
    do not have it within `wait_seconds`.
    """

    prefix: str = "scheids"
    frames_kept: int = FRAMES_KEPT
    call_seconds: float = 2.0
    attempts: int = 4
    connections: int = 32
    wait_replicas: int = 0
    wait_seconds: float = 0.5

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9:._-]{1,64}", self.prefix):
            raise ValueError("a prefix is of letters, digits and :._-")
        if self.wait_replicas and self.wait_seconds >= self.attempt_seconds:
            raise ValueError("an attempt lasts half of call_seconds: wait_seconds has to be shorter")

    @property
    def attempt_seconds(self) -> float:
        return self.call_seconds / 2


class Target(Struct, frozen=True, kw_only=True):
    """A URL, taken apart. Its text form names no password."""

    kind: Kind
    addresses: tuple[Address, ...]
    service: str = ""
    database: int = 0
    username: str | None = None
    password: str | None = None
    sentinel_username: str | None = None
    sentinel_password: str | None = None
    tls: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return f"Target({self.kind}, {len(self.addresses)} addresses)"

    @classmethod
    def of(cls, url: str) -> Self:
        """The target of a URL; ValueError, which shows nothing of the URL, where it is none.

        >>> Target.of("redis+sentinel://a:26379,b/tables").addresses
        (('a', 26379), ('b', 26379))
        """
        match = _URL.fullmatch(url)
        if match is None:
            raise ValueError(f"Expected {_FORMS}")
        kind: Kind = "sentinel" if match["kind"] == "sentinel" else "cluster" if match["kind"] else "standalone"
        hosts = [_HOST.fullmatch(host) for host in match["hosts"].split(",")]
        addresses = tuple((host["host"].strip("[]"), int(host["port"] or PORTS[kind])) for host in hosts if host)
        if len(addresses) < len(hosts) or any(port > LAST_PORT for _, port in addresses):
            raise ValueError(f"Expected hosts with ports: {_FORMS}")
        if kind == "standalone" and len(addresses) > 1:
            raise ValueError("Several hosts are a redis+sentinel:// or a redis+cluster://")
        query = dict(parse_qsl(match["query"] or "", keep_blank_values=True))
        user, _, password = (match["user"] or "").partition(":")
        path = unquote(match["path"] or "")
        if kind == "sentinel":
            if not path:
                raise ValueError("Expected the name of the service behind the Sentinels: .../service")
            database = query.get("db", "0")
        else:
            database = path or "0"
        if not database.isdecimal() or (kind == "cluster" and int(database)):
            raise ValueError("Expected a database's number, which for a Cluster is 0 or nothing")
        return cls(
            kind=kind,
            addresses=addresses,
            service=path if kind == "sentinel" else "",
            database=int(database),
            username=unquote(user) or None,
            password=unquote(password) or None,
            sentinel_username=query.get("sentinel_username"),
            sentinel_password=query.get("sentinel_password"),
            tls=_tls(match["scheme"], kind, query),
        )

    def connection(self, address: Address, name: str) -> Connection:
        """A connection, not yet connected, to a Redis server of the target."""
        return self._connection(address, name, self.username, self.password, self.database)

    def sentinel_connection(self, address: Address) -> Connection:
        """A connection, not yet connected, to a Sentinel."""
        return self._connection(address, "scheids", self.sentinel_username, self.sentinel_password, 0)

    def _connection(
        self, address: Address, name: str, username: str | None, password: str | None, database: int
    ) -> Connection:
        make: Callable[..., Connection] = Connection if self.tls is None else SSLConnection
        return make(
            host=address[0],
            port=address[1],
            username=username,
            password=password,
            db=database,
            client_name=name,
            driver_info=None,
            protocol=2,
            socket_timeout=None,  # whoever calls sets a time to all of it
            **(self.tls or {}),
        )


def _tls(scheme: str, kind: Kind, query: dict[str, str]) -> dict[str, Any] | None:
    """The TLS options of a URL, None without TLS; ValueError where the query has what does not belong there."""
    tls: dict[str, Any] = {}
    for name, value in query.items():
        verification = name == "ssl_cert_reqs" and value in {"required", "none"}
        if scheme == "rediss" and (name in _FILES or verification):
            tls[name] = value
        elif name == "ssl_check_hostname" and scheme == "rediss" and value in {"true", "false"}:
            tls[name] = value == "true"
        elif not (name in _SENTINEL and kind == "sentinel"):
            raise ValueError(f"A {scheme} URL for {kind} has no option {name[:40]!r}, or not with this value")
    if tls.get("ssl_cert_reqs") == "none":
        tls["ssl_check_hostname"] = False
    return tls if scheme == "rediss" else None
