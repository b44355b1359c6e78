"""The Redis store: standalone, Sentinel and Cluster, from Redis 7.0 on, also over TLS (docs/tables-storage.md)."""

from . import library as _library  # noqa: F401 - before anything of redis-py is loaded
from .levels import RedisLevels
from .store import RedisStore
from .target import RedisOptions, Target

__all__ = ["RedisLevels", "RedisOptions", "RedisStore", "Target"]
