"""The settings of the service: what each variable of the environment means, and every fault at once where one is bad.

msgspec reads them, as it reads the requests: nothing else is needed to turn text into typed, bounded values.
"""

import difflib
import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from .access import BadKeys, KeyLimits, read_keys
from .access.tls import BadCertificates, Certificates, Files
from .kinds import Address, ApiKeys, File, Folder, Hidden, OtherAddress, RedisUrl, Secrets
from .messages import Limits, fault_of
from .store.redis import RedisOptions
from .tracing.environment import faults as tracing_faults

PREFIX: Final = "SCHEIDS_"

DEEPEST_MESSAGE: Final = 16
"""No message nests deeper: a limit below it would refuse what is well formed."""


def version_of_service() -> str:
    """The version of the installed service; where it runs from a folder that is not installed, ``0+unknown``."""
    try:
        return version("scheids")
    except PackageNotFoundError:
        return "0+unknown"


def _limit(low: int, high: int, meaning: str) -> Meta:
    return Meta(ge=low, le=high, description=meaning)


class Settings(Struct, frozen=True, kw_only=True):
    """What can be set, and to what it is set; ``SCHEIDS_`` and the field's name in capitals is its variable."""

    http_address: Annotated[Address, Meta(description="Where REST and the documentation are served.")] = Address(
        "127.0.0.1:8080"
    )
    grpc_address: Annotated[Address, Meta(description="Where gRPC is served.")] = Address("127.0.0.1:8081")
    workers: Annotated[
        int,
        _limit(1, 64, "How many processes share both addresses; more than one a core only wait for each other."),
    ] = 1
    cors_origins: Annotated[
        str,
        Meta(description="The origins whose pages may call from browsers, between commas; * for any. None unless set."),
    ] = ""
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="What is logged; info has one line a request."),
    ] = "info"
    traces: Annotated[
        Literal["off", "otlp"],
        Meta(
            description="Whether traces are sent, and how: otlp is by OpenTelemetry over HTTP, to where the variables "
            "OTEL_EXPORTER_OTLP_... say."
        ),
    ] = "off"
    decision_log: Annotated[
        str,
        Meta(
            max_length=4_096,
            description="The file that judged moves are written to, as seen by who acts, in lines of JSON; - for "
            "standard output. None unless set.",
        ),
    ] = ""
    decision_sample: Annotated[
        float, Meta(gt=0, le=1, description="The share of the judged moves, and of the deals at tables, that it gets.")
    ] = 1.0
    shutdown_seconds: Annotated[
        int, _limit(0, 600, "How long requests under way may take to finish once the service is told to stop.")
    ] = 10
    drain_seconds: Annotated[
        int,
        _limit(
            0,
            600,
            "How long it goes on serving once told to stop, readiness and health saying no: callers find others.",
        ),
    ] = 0
    connection_seconds: Annotated[
        int,
        _limit(
            0,
            86_400,
            "How old a connection gets, and how long a table is watched in one go, more or less; callers then come "
            "anew, and some of them to replicas that are new. 0: for ever.",
        ),
    ] = 600
    max_wait_milliseconds: Annotated[
        int,
        _limit(
            0,
            60_000,
            "How long a request may wait for its turn while more come than can be answered; whoever has waited longer "
            "is turned away. Long requests may wait five times as long. 0: nobody is turned away for that.",
        ),
    ] = 250
    max_long_requests: Annotated[
        int,
        _limit(
            1,
            100_000,
            "The most long requests at once: batches, replays, odds, samples, simulations; more are turned away.",
        ),
    ] = 64
    probe_address: Annotated[
        OtherAddress,
        Meta(
            description="Where probes and metrics are served besides, and nothing else: without TLS, for a kubelet, "
            "which has no certificate to show. Nowhere unless set."
        ),
    ] = OtherAddress()
    tls_cert_file: Annotated[
        File,
        Meta(
            description="The service's certificate in PEM, with those between it and its authority: both ports speak "
            "TLS. Certificates that are renewed are taken in without a restart."
        ),
    ] = File()
    tls_key_file: Annotated[File, Meta(description="The certificate's private key in PEM.")] = File()
    tls_client_ca_file: Annotated[
        File,
        Meta(
            description="Certificates in PEM of authorities: callers have to show a certificate of one of them. Unset: "
            "nobody has to."
        ),
    ] = File()
    public_without_secret: Annotated[
        Literal["off", "on"],
        Meta(
            description="Whether other machines may reach tables whose tokens are signed with the secret that is made "
            "and kept in SCHEIDS_DATA_DIR: who copies that folder can sit in every place."
        ),
    ] = "off"  # noqa: S105 - no password
    api_keys: Annotated[
        ApiKeys,
        Meta(
            description="API keys that are good, as a JSON list of what `scheids key new` tells. Where there are any, "
            "each call needs one of them."
        ),
    ] = ApiKeys()
    api_keys_file: Annotated[
        File, Meta(description="A file with that list instead. It is read again when it changes.")
    ] = File()
    key_rate: Annotated[
        int, _limit(1, 1_000_000, "Calls per second that an API key is good for, unless the key has its own limit.")
    ] = 100
    key_burst: Annotated[int, _limit(1, 10_000_000, "Calls at once that an API key is good for, likewise.")] = 200
    tables_per_minute: Annotated[
        int, _limit(1, 1_000_000, "Tables that may be opened per minute with one API key, likewise.")
    ] = 60
    reissues_per_minute: Annotated[
        int,
        _limit(
            1,
            1_000_000,
            "Tokens that may be reissued per minute: with one API key, likewise; where there are none, of one table.",
        ),
    ] = 20
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
            "odds are told, 10 for each state drawn, 100 for each playout.",
        ),
    ] = 10_000

    tables: Annotated[Literal["on", "off"], Meta(description="Whether tables are hosted.")] = "on"
    redis_url: Annotated[
        RedisUrl,
        Meta(
            description="Where tables are kept: redis://, redis+sentinel:// or redis+cluster://, rediss for TLS. "
            "Unset: in a file in SCHEIDS_DATA_DIR, by one process only."
        ),
    ] = RedisUrl()
    redis_prefix: Annotated[
        str, Meta(pattern="^[A-Za-z0-9:._-]{1,64}$", description="What the keys in Redis begin with.")
    ] = "scheids"
    redis_wait_replicas: Annotated[
        int, _limit(0, 16, "How many replicas must have a move before it is acknowledged.")
    ] = 0
    redis_wait_milliseconds: Annotated[
        int, _limit(1, 999, "How long they may take, before the caller is told that the store is away.")
    ] = 500
    data_dir: Annotated[Folder, Meta(description="Where the embedded store's file lies, and a secret made for it.")] = (
        Folder("~/.local/share/scheids")
    )
    secret: Annotated[
        Secrets,
        Meta(
            description="What tokens are signed with, at least 32 bytes; several between commas: the first signs, "
            "all are believed. Unset, with the embedded store: one is made and kept in SCHEIDS_DATA_DIR."
        ),
    ] = Secrets()
    token_seconds: Annotated[int, _limit(60, 31_536_000, "How long a token is good.")] = 2_592_000
    ticket_seconds: Annotated[int, _limit(1, 3_600, "How long a ticket for the events is good.")] = 60
    table_ttl_seconds: Annotated[
        int, _limit(1, 31_536_000, "How long a table is kept after the last thing done at it.")
    ] = 604_800
    max_table_ttl_seconds: Annotated[
        int, _limit(1, 31_536_000, "The longest that whoever creates a table may ask for.")
    ] = 2_592_000
    heartbeat_seconds: Annotated[int, _limit(1, 3_600, "How long those who watch a table hear nothing, at most.")] = 15
    watch_queue: Annotated[
        int, _limit(1, 100_000, "How many frames may wait for one who watches before the watch is ended.")
    ] = 256

    @property
    def origins(self) -> tuple[str, ...]:
        """Each of the origins."""
        return tuple(each.strip() for each in self.cors_origins.split(",") if each.strip())

    @property
    def tls_files(self) -> Files | None:
        """The files of TLS; None without it."""
        if not self.tls_cert_file:
            return None
        client_ca = self.tls_client_ca_file
        return Files(self.tls_cert_file.path, self.tls_key_file.path, client_ca.path if client_ca else None)

    @property
    def is_public(self) -> bool:
        """Whether other machines reach it."""
        return not (self.http_address.is_local and self.grpc_address.is_local)

    @property
    def has_keys(self) -> bool:
        """Whether callers need an API key."""
        return bool(self.api_keys or self.api_keys_file)

    @property
    def key_limits(self) -> KeyLimits:
        """The limits of API keys that have none of their own."""
        return KeyLimits(
            rate=self.key_rate,
            burst=self.key_burst,
            tables_per_minute=self.tables_per_minute,
            reissues_per_minute=self.reissues_per_minute,
        )

    @property
    def redis_options(self) -> RedisOptions:
        """How Redis is used."""
        return RedisOptions(
            prefix=self.redis_prefix,
            wait_replicas=self.redis_wait_replicas,
            wait_seconds=self.redis_wait_milliseconds / 1_000,
        )

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

_OF_CALLERS: Final = {f"{PREFIX}SERVER", f"{PREFIX}TOKEN", f"{PREFIX}API_KEY", f"{PREFIX}COMPLETE"}
"""What the command line reads where it asks a server."""


def load(environ: Mapping[str, str]) -> Settings:
    """The settings of an environment. BadSettings, with every fault, where a variable is bad or unknown."""
    named = {name for name in environ if name.startswith(PREFIX)} - _OF_CALLERS
    faults = [_unknown(name) for name in sorted(named) if name not in _FIELDS]
    values: dict[str, Any] = {}
    for name, field in _FIELDS.items():
        if name not in environ:
            continue
        if not _is_utf8(environ[name]):
            faults.append(f"{name}: Expected text in UTF-8")
            continue
        try:
            values[field.name] = msgspec.convert(environ[name], field.type, strict=False, dec_hook=_read)
        except msgspec.ValidationError as fault:
            hidden = isinstance(field.default, Hidden)
            faults.append(f"{name}: {fault_of(fault)[0]}" + ("" if hidden else f", not {environ[name][:80]!r}"))
    settings = Settings(**values)
    bad = {fault.partition(":")[0] for fault in faults}
    faults += [fault for fault in _unsafe(settings) if fault.partition(":")[0] not in bad]
    if settings.traces == "otlp":
        faults += tracing_faults(environ)
    if settings.http_address == settings.grpc_address and settings.http_address.port:
        faults.append(f"{PREFIX}GRPC_ADDRESS: is the address of HTTP, {settings.http_address}; each needs its own")
    probes = settings.probe_address.address
    if probes and probes.port and probes in (settings.http_address, settings.grpc_address):
        faults.append(f"{PREFIX}PROBE_ADDRESS: is the address of something else, {probes}; each needs its own")
    if faults:
        raise BadSettings(faults)
    return settings


def _unsafe(settings: Settings) -> list[str]:
    """What is wrong with settings together that are each well formed."""
    faults = []
    if settings.tables == "on" and settings.redis_url and not settings.secret:
        faults.append(f"{PREFIX}SECRET: must be set where {PREFIX}REDIS_URL is, and be the same for every replica")
    if settings.tables == "on" and not settings.redis_url and settings.workers > 1:
        faults.append(
            f"{PREFIX}WORKERS: the embedded store is for one process; set {PREFIX}REDIS_URL, or {PREFIX}TABLES=off"
        )
    public = [
        name
        for name, address in (("HTTP_ADDRESS", settings.http_address), ("GRPC_ADDRESS", settings.grpc_address))
        if not address.is_local
    ]
    made = settings.tables == "on" and not settings.redis_url and not settings.secret
    if made and settings.public_without_secret == "off":  # noqa: S105 - as above
        faults += [
            f"{PREFIX}{name}: is reached from other machines; set {PREFIX}SECRET, or {PREFIX}TABLES=off where "
            f"no tables are to be hosted, or {PREFIX}PUBLIC_WITHOUT_SECRET=on"
            for name in public
        ]
    faults += _of_keys(settings)
    faults += _of_tls(settings)
    if settings.table_ttl_seconds > settings.max_table_ttl_seconds:
        faults.append(f"{PREFIX}TABLE_TTL_SECONDS: is above {PREFIX}MAX_TABLE_TTL_SECONDS")
    return faults


def _of_keys(settings: Settings) -> list[str]:
    """What is wrong with the file of API keys."""
    if not settings.api_keys_file:
        return []
    if settings.api_keys:
        return [f"{PREFIX}API_KEYS_FILE: {PREFIX}API_KEYS is set as well; one of them is enough"]
    try:
        read_keys(settings.api_keys_file.path.read_bytes())
    except OSError as fault:
        return [f"{PREFIX}API_KEYS_FILE: cannot be read: {fault.strerror}, {settings.api_keys_file}"]
    except BadKeys as bad:
        return [f"{PREFIX}API_KEYS_FILE: {bad}, in {settings.api_keys_file}"]
    return []


_TLS_FILES: Final = {"chain": "TLS_CERT_FILE", "key": "TLS_KEY_FILE", "client_ca": "TLS_CLIENT_CA_FILE"}


def _of_tls(settings: Settings) -> list[str]:
    """What is wrong with the files of TLS."""
    files = settings.tls_files
    if files is None or not settings.tls_key_file:
        named = {name: getattr(settings, name.lower()) for name in _TLS_FILES.values()}
        missing = [name for name in ("TLS_CERT_FILE", "TLS_KEY_FILE") if not named[name]]
        return [f"{PREFIX}{name}: must be set for TLS" for name in missing if any(named.values())]
    try:
        Certificates(files)
    except BadCertificates as bad:
        return [f"{PREFIX}{_TLS_FILES[name]}: {fault}" for name, fault in bad.faults.items()]
    return []


def _is_utf8(text: str) -> bool:
    """Whether a variable's bytes were text: those that were not are surrogates."""
    return not any("\ud800" <= each <= "\udfff" for each in text)


_OF_KUBERNETES: Final = re.compile(r"SCHEIDS_(?:\w+_)?(?:PORT|SERVICE)(?:_\w+)?")


def _unknown(name: str) -> str:
    if _OF_KUBERNETES.fullmatch(name):
        return f"{name}: Kubernetes made it of a Service's name; set enableServiceLinks: false in the pod"
    near = difflib.get_close_matches(name, _FIELDS, 1)
    return f"{name}: there is no such setting" + (f"; is {near[0]} meant?" if near else "")


def _read(kind: type, value: Any) -> Any:
    if kind not in (Address, ApiKeys, File, Folder, OtherAddress, RedisUrl, Secrets):
        raise NotImplementedError(kind)
    return kind(value)


def settings_table() -> list[tuple[str, str, str]]:
    """Every setting as (variable, default, meaning), in order."""
    return [(name, str(field.default), _meaning(field.type)) for name, field in _FIELDS.items()]


def _meaning(kind: Any) -> str:
    return str(next(part.description for part in kind.__metadata__ if part.description))
