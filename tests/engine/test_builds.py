"""Which engine is under test: the plain one, or the one that `make test-compiled` puts before it."""

import os
from importlib import import_module
from pathlib import Path

import pytest

import engine
from scripts.compiling.engine import COMPILED

BUILD = "compiled" if os.environ.get("SCHEIDS_TEST_COMPILED") == "1" else "plain"


@pytest.mark.parametrize("path", COMPILED)
def test_a_module_is_of_the_build_under_test(path: str) -> None:
    module = import_module(f"engine.{path.removesuffix('.py').replace('/', '.')}")
    assert module.__file__ is not None
    assert Path(module.__file__).suffix == {"compiled": ".so", "plain": ".py"}[BUILD]


def test_what_is_compiled_has_no_structs() -> None:
    """They would be compiled, but lose in silence that they are frozen, tagged and bounded."""
    folder = Path(engine.__path__[0])
    for path in COMPILED:
        text = (folder / path).read_text()
        assert "(Struct" not in text
        assert "StateBase)" not in text
        assert "@dataclass" not in text
