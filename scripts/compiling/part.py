"""A part of the service that is compiled, and when it is made anew."""

import hashlib
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FLAGS = ("-fno-plt", "-fno-semantic-interposition") if sys.platform == "linux" else ()
LINKER_FLAGS = ("-Wl,-Bsymbolic",) if sys.platform == "linux" else ()
"""With these an extension calls its own functions, and Python's, without a detour that took a twentieth of its time."""
ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Part:
    """What `build` makes in a folder, of `sources`, an extension among it; `recipe` is the file that has both."""

    name: str
    extension: str
    recipe: Path
    sources: Callable[[], Iterable[bytes]]
    build: Callable[[Path], None]

    def compile_into(self, out: Path) -> bool:
        """Makes it; False where it was there already, of the same sources."""
        made_of, digest = out / f"{self.name}-made-of", self._digest()
        extensions = [*out.glob(f"{self.extension}.*")]
        if extensions and made_of.is_file() and made_of.read_text() == digest:
            return False
        out.mkdir(parents=True, exist_ok=True)
        for old in (made_of, *extensions):
            old.unlink(missing_ok=True)
        self.build(out)
        made_of.write_text(digest)
        return True

    def _digest(self) -> str:
        made_of = [sys.version.encode(), Path(__file__).read_bytes(), self.recipe.read_bytes(), *self.sources()]
        return hashlib.sha256(b"".join(hashlib.sha256(each).digest() for each in made_of)).hexdigest()


def link(modules: list[Any], *options: str) -> None:
    """Has the C compiler make what the modules' sources, in C by now, are to be."""
    from setuptools import setup  # type: ignore[import-untyped]  # noqa: PLC0415 - an up-to-date build needs none

    for module in modules:
        module.extra_compile_args += FLAGS
        module.extra_link_args += LINKER_FLAGS
    setup(packages=[], ext_modules=modules, script_args=["--quiet", "build_ext", "--build-temp", "temporary", *options])
