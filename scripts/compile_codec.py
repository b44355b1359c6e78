"""Compiles the codec's readers with Cython into a folder: scripts/compile_codec.py [FOLDER], by default build/compiled.

FOLDER then has an extension that the codec takes where it can be imported. It is made anew only where its source would
be another. Needs Cython, setuptools, a C compiler, and what the codec itself needs: msgspec and protobuf.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "compiled"


def compile_into(out: Path) -> bool:
    """Makes the extension; False where it was there already, of the same source."""
    sys.path.insert(0, str(ROOT))
    from service.wire.codec import CODEC  # noqa: PLC0415 - from this checkout, wherever the script is called
    from service.wire.extension import NAME  # noqa: PLC0415 - as above

    extension = CODEC.extension()
    made_of = out / "codec-made-of"
    digest = f"{sys.version} {extension.digest}"
    if made_of.is_file() and made_of.read_text() == digest:
        return False
    out.mkdir(parents=True, exist_ok=True)
    made_of.unlink(missing_ok=True)
    _build(out, NAME, f"{extension.text}\nMADE_OF = {extension.digest!r}\n")
    made_of.write_text(digest)
    return True


def _build(out: Path, name: str, text: str) -> None:
    from Cython.Build import cythonize  # noqa: PLC0415 - so that --help and an up-to-date build need none
    from setuptools import Extension, setup  # type: ignore[import-untyped]  # noqa: PLC0415

    here = Path.cwd()
    folder = out / "codec"
    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    try:
        Path(f"{name}.py").write_text(text)
        flags = ["-O1", "-g0", "-w"]
        modules = cythonize(  # type: ignore[no-untyped-call]
            [Extension(name, [f"{name}.py"], extra_compile_args=flags)],
            compiler_directives={"language_level": 3, "wraparound": False, "emit_code_comments": False},
            quiet=True,
        )
        setup(
            name=name,
            packages=[],
            ext_modules=modules,
            script_args=["--quiet", "build_ext", "--build-lib", str(out), "--build-temp", "temporary"],
        )
    finally:
        os.chdir(here)
    shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=OUT)
    out = parser.parse_args().folder.resolve()
    print(f"{out}: {'the codec is compiled' if compile_into(out) else 'the codec is up to date'}")


if __name__ == "__main__":
    main()
