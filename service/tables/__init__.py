"""Hosted tables: matches whose state lives in the store, and who may see and do what at them."""

from .tables import Caller, TableLimits, Tables
from .tokens import SECRET_BYTES, Tokens, bearer
from .watching import Watcher

__all__ = ["SECRET_BYTES", "Caller", "TableLimits", "Tables", "Tokens", "Watcher", "bearer"]
