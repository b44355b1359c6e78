"""Keeps libraries from loading OpenTelemetry, which some do wherever it is installed, though nobody asked them to."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

LIBRARY: Final = "opentelemetry"


@contextmanager
def opentelemetry_absent() -> Iterator[None]:
    """Within it OpenTelemetry is not found, unless it has been loaded before."""
    modules: dict[str, Any] = sys.modules
    if LIBRARY in modules:
        yield
        return
    modules[LIBRARY] = None  # as `import` has it for what is not there
    try:
        yield
    finally:
        del modules[LIBRARY]
