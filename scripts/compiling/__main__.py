"""Compiles the engine with mypyc and gRPC's codec with Cython, in a folder: by default build/compiled.

FOLDER/engine is then the engine with an extension beside each module that is compiled, which Python takes in place of
it, and beside that folder is the extension that the codec takes where it can be imported. Each is made anew only where
its sources have changed. Needs mypy, Cython, setuptools, a C compiler, and what the codec itself needs: msgspec and
protobuf.
"""

import argparse
from pathlib import Path

from scripts.compiling import codec, engine
from scripts.compiling.part import ROOT

PARTS = (engine.PART, codec.PART)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.compiling", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "compiled")
    out = parser.parse_args().folder.resolve()
    for part in PARTS:
        made = part.compile_into(out)
        print(f"{out}: the {part.name} {'is compiled' if made else 'is up to date'}", flush=True)


if __name__ == "__main__":
    main()
