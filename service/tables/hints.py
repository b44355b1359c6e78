"""Documents remembered by their version: hints, which spare a reading and are believed by nobody else."""

import threading
from collections import OrderedDict
from typing import Final

from msgspec import Struct

from .document import Document

MOST: Final = 4_096


class Loaded(Struct, frozen=True):
    """A document as a store had it at a version."""

    document: Document
    version: int
    mark: bytes


class Hints:
    """The documents that were last in use. Any thread may call any of it."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Loaded] = OrderedDict()

    def get(self, table: str) -> Loaded | None:
        """What was last put of a table."""
        with self._lock:
            if table in self._kept:
                self._kept.move_to_end(table)
            return self._kept.get(table)

    def put(self, loaded: Loaded) -> None:
        """Remembers a document, and forgets the one that was longest not asked for."""
        with self._lock:
            self._kept[loaded.document.id] = loaded
            self._kept.move_to_end(loaded.document.id)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
