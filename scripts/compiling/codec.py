"""The codec's readers of requests and writers of answers, compiled with Cython: one extension."""

import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

from scripts.compiling.part import Part, link
from service.wire.codec import CODEC
from service.wire.extension import NAME


def _sources() -> Iterator[bytes]:
    yield CODEC.extension().text.encode()


def _build(out: Path) -> None:
    from Cython.Build import cythonize  # noqa: PLC0415 - an up-to-date build needs none
    from setuptools import Extension  # type: ignore[import-untyped]  # noqa: PLC0415 - as above

    extension = CODEC.extension()
    folder = out / "codec"
    folder.mkdir(exist_ok=True)
    with chdir(folder):
        Path(f"{NAME}.py").write_text(f"{extension.text}\nMADE_OF = {extension.digest!r}\n")
        modules = cythonize(  # type: ignore[no-untyped-call]
            [Extension(NAME, [f"{NAME}.py"], extra_compile_args=["-O1", "-g0", "-w"])],
            compiler_directives={"language_level": 3, "wraparound": False, "emit_code_comments": False},
            quiet=True,
        )
        link(modules, "--build-lib", str(out))
    shutil.rmtree(folder)


PART = Part("codec", NAME, Path(__file__), _sources, _build)
