"""The embedded store: SQLite in one file, for one process (docs/tables-storage.md)."""

from .store import SqliteStore
from .worker import StoreInUse

__all__ = ["SqliteStore", "StoreInUse"]
