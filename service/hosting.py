"""Made of the settings: what hosted tables need, the store, the secret, and the use cases over them; who may call."""

import asyncio
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
from litestar.types import ASGIApp

from . import metrics
from .access import BadKeys, Bucket, Gate, TableLimit, read_keys
from .access.sharing import Sharing
from .access.tls import BadCertificates, Certificates
from .access.upkeep import Upkeep, Watched
from .beside import Beside
from .config import Settings, version_of_service
from .decision_log import DecisionLog, File, InTurns, Sink, StandardOutput
from .rules import Rules
from .store import NewerSchema, Store
from .store.redis import RedisLevels, RedisStore
from .store.sqlite import SqliteStore, StoreInUse
from .store.timing import Timed, TimedStore
from .tables import SECRET_BYTES, TableLimits, Tables, Tokens, Watcher
from .tracing import UNTRACED, Spans
from .transports.grpc import Around, itself

if TYPE_CHECKING:
    from .tracing.otlp import Traces

FILE: Final = "tables.db"
SIGNED_WITH: Final = "secret"
TURNS: Final = "decisions.lock"
OWNER_ONLY: Final = 0o700


class CannotStart(Exception):  # noqa: N818 - reads as what happened
    """The service cannot start; the message says why, and whose setting it is."""


def decisions_of(settings: Settings) -> DecisionLog | None:
    """The log of decisions; None where there is to be none. CannotStart where it cannot be written."""
    where = settings.decision_log
    if not where:
        return None
    try:
        sink: Sink = StandardOutput() if where == "-" else File(Path(where).expanduser())
        shared = metrics.shared_folder()
        if shared is not None:
            sink = InTurns(sink, shared / TURNS)
    except (OSError, RuntimeError) as fault:
        raise CannotStart(f"decisions cannot be written to {where} (SCHEIDS_DECISION_LOG): {fault}") from fault
    return DecisionLog(sink, settings.decision_sample, version_of_service(), metrics.logged)


def traces_of(settings: Settings) -> "Traces | None":
    """Where spans go; None where traces are off. CannotStart where they cannot be sent."""
    if settings.traces == "off":
        return None
    from .tracing.otlp import Traces  # noqa: PLC0415 - nothing of it is loaded where traces are off

    try:
        return Traces(version_of_service())
    except (ArithmeticError, ValueError, OSError, RuntimeError) as fault:
        raise CannotStart(f"traces cannot be sent (SCHEIDS_TRACES, OTEL_...): {fault}") from fault


def around_calls(traces: "Traces | None") -> Around:
    """What has each call of a service over gRPC be a span, where there are traces."""
    if traces is None:
        return itself
    from .transports.grpc.tracing import TracedCalls  # noqa: PLC0415 - as above

    return partial(TracedCalls, traces)


def traced(app: ASGIApp, traces: "Traces | None") -> ASGIApp:
    """The app, each of whose requests is a span where there are traces."""
    if traces is None:
        return app
    from .tracing.http import TracedHttp  # noqa: PLC0415 - as above

    return TracedHttp(app, traces)


@dataclass(frozen=True)
class Access:
    """Who may call, if not everybody; how often tokens are reissued; certificates where TLS is spoken; their upkeep."""

    gate: Gate | None
    count_reissue: Callable[[str], None]
    certificates: Certificates | None
    upkeep: Upkeep


def access_of(settings: Settings) -> Access:
    """What is made of the settings of access; the upkeep has yet to be started. CannotStart where a file is bad."""
    gate = _gate(settings)
    tables = TableLimit(settings.reissues_per_minute)
    watched: list[Watched] = []
    if gate is not None and settings.api_keys_file:
        path = settings.api_keys_file.path
        watched.append(Watched("API keys", [path], lambda: gate.replace(read_keys(path.read_bytes()))))
    certificates = _certificates(settings)
    if certificates is not None:
        watched.append(Watched("certificates", certificates.files.all, certificates.renew))

    def buckets() -> Iterator[Bucket]:
        return chain(gate.buckets, tables.buckets) if gate is not None else iter(tables.buckets)

    tasks = []
    if settings.redis_url and settings.tables == "on":
        tasks.append(Sharing(buckets, RedisLevels(settings.redis_url.text, settings.redis_options)).run)
    count = tables.take if gate is None else _uncounted
    return Access(gate, count, certificates, Upkeep(watched, tasks))


def warn(settings: Settings) -> None:
    """Logs what is allowed, and yet is to be known."""
    if settings.is_public and settings.tls_files is None:
        what = "API keys go over the network as plain text" if settings.has_keys else "whoever reaches it may call it"
        structlog.get_logger().warning("public address without TLS", so=what)


def _certificates(settings: Settings) -> Certificates | None:
    try:
        return None if settings.tls_files is None else Certificates(settings.tls_files)
    except BadCertificates as bad:
        raise CannotStart(f"TLS cannot be spoken (SCHEIDS_TLS_...): {bad}") from bad


def _uncounted(table: str) -> None:
    """Reissuing is limited by key."""


def _gate(settings: Settings) -> Gate | None:
    if settings.api_keys_file:
        try:
            return Gate(read_keys(settings.api_keys_file.path.read_bytes()), settings.key_limits)
        except (OSError, BadKeys) as fault:
            raise CannotStart(f"no API keys can be read (SCHEIDS_API_KEYS_FILE): {fault}") from fault
    return Gate(settings.api_keys.all, settings.key_limits) if settings.api_keys else None


def watcher_of(
    settings: Settings,
    rules: Rules,
    beside: Beside,
    traces: "Traces | None" = None,
    count_reissue: Callable[[str], None] = _uncounted,
) -> Watcher | None:
    """The use cases of tables and those who watch; None where tables are off. CannotStart where they cannot be kept."""
    if settings.tables == "off":
        return None
    tokens = Tokens(_secrets(settings), settings.token_seconds, settings.ticket_seconds, time.time)
    limits = TableLimits(
        ttl_seconds=settings.table_ttl_seconds,
        most_ttl_seconds=settings.max_table_ttl_seconds,
        count_reissue=count_reissue,
    )
    spans = traces or UNTRACED
    store = TimedStore(_store(settings, spans), _timed(settings, traces))
    watcher = Watcher(
        Tables(store, tokens, rules, limits, beside=beside, spans=spans),
        heartbeat=settings.heartbeat_seconds,
        room=settings.watch_queue,
        longest=settings.connection_seconds or None,
    )
    metrics.hosts(watcher)
    return watcher


def close(made: Watcher | None) -> None:
    """Lets go of a store that no event loop has used."""
    if made is not None:
        asyncio.run(made.tables.keeper.store.close())


def _timed(settings: Settings, traces: "Traces | None") -> Timed:
    """What times the store's calls. Redis' client has spans of its own, of each of its tries."""
    return metrics.Timed if traces is None or settings.redis_url else traces.stored(metrics.Timed)


def _store(settings: Settings, spans: Spans) -> Store:
    if settings.redis_url:
        return RedisStore(settings.redis_url.text, settings.redis_options, spans)
    try:
        return SqliteStore(_folder(settings) / FILE)
    except (StoreInUse, NewerSchema, OSError, sqlite3.Error) as fault:
        raise CannotStart(f"tables cannot be kept in {settings.data_dir} (SCHEIDS_DATA_DIR): {fault}") from fault


def _secrets(settings: Settings) -> tuple[str, ...]:
    """The secrets that are set, or the one that was made for the embedded store, now or before."""
    if settings.secret:
        return settings.secret.all
    path = _folder(settings) / SIGNED_WITH
    try:
        _make(path)
        return (path.read_text(encoding="ascii").strip(),)
    except (OSError, UnicodeDecodeError) as fault:
        raise CannotStart(f"no secret can be kept in {settings.data_dir} (SCHEIDS_DATA_DIR): {fault}") from fault


def _make(path: Path) -> None:
    """Makes a secret, readable by its owner alone, where there is none."""
    if path.exists():
        return
    made = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    made.touch(mode=0o600, exist_ok=False)
    made.write_text(secrets.token_hex(SECRET_BYTES), encoding="ascii")
    try:
        path.hardlink_to(made)
    except FileExistsError:
        pass
    finally:
        made.unlink()


def _folder(settings: Settings) -> Path:
    try:
        folder = settings.data_dir.path
        folder.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
    except OSError as fault:
        raise CannotStart(f"there can be no folder {settings.data_dir} (SCHEIDS_DATA_DIR): {fault}") from fault
    return folder
