"""SIGTERM and Ctrl-C: heard from the start on, and passed on to whatever can stop by then."""

import signal
from collections.abc import Callable
from typing import Any, Final

STOPPING: Final = (signal.SIGTERM, signal.SIGINT)
Tell = Callable[[int], None]
"""Takes how often the process has been told to stop by now."""


class Signals:
    """Keeps signals from ending the process, and counts them. Made and used in the main thread."""

    def __init__(self) -> None:
        self.heard = 0
        self._tell: Tell | None = None
        for number in STOPPING:
            signal.signal(number, self._hear)

    def tell(self, tell: Tell) -> None:
        """Passes on what comes from now on, and what has come already."""
        self._tell = tell
        if self.heard:
            tell(self.heard)

    def _hear(self, *_: Any) -> None:
        self.heard += 1
        if self._tell is not None:
            self._tell(self.heard)
