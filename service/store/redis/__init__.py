"""The Redis store: standalone, Sentinel and Cluster, from Redis 7.0 on, also over TLS (docs/tables-storage.md)."""

from .store import RedisStore
from .target import RedisOptions, Target

__all__ = ["RedisOptions", "RedisStore", "Target"]
