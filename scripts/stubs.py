"""Generates the Python code of protos/ into service/wire/gen, or checks that it is what the protos say.

Usage: stubs.py [--check]
"""

import re
import shutil
import subprocess
import sys
import tempfile
from filecmp import cmpfiles
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
GEN = ROOT / "service" / "wire" / "gen"
PACKAGE = "service.wire.gen"
# protoc writes imports as if the generated folder were on the path.
IMPORT = re.compile(r"^((?:from|import) )(scheids\.)", re.MULTILINE)
QUALIFIED = re.compile(r"(?<![\w./])(scheids\.v1\.\w+_pb2)(?!\w|\.proto)")


def generate(out: Path) -> None:
    protos = sorted(str(path.relative_to(PROTOS)) for path in PROTOS.rglob("*.proto"))
    tools = Path(sys.executable).parent
    well_known = files("grpc_tools") / "_proto"
    subprocess.run(
        [
            *(sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTOS}", f"-I{well_known}"),
            f"--plugin=protoc-gen-mypy={tools / 'protoc-gen-mypy'}",
            f"--plugin=protoc-gen-mypy_grpc={tools / 'protoc-gen-mypy_grpc'}",
            *(f"--{kind}_out={out}" for kind in ("python", "grpc_python")),
            *(f"--{kind}_out=quiet:{out}" for kind in ("mypy", "mypy_grpc")),
            *protos,
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    for path in [*out.rglob("*.py"), *out.rglob("*.pyi")]:
        text = IMPORT.sub(rf"\1{PACKAGE}.\2", path.read_text())
        if path.suffix == ".pyi":
            text = QUALIFIED.sub(
                lambda found: found[0] if found[0].startswith(PACKAGE) else f"{PACKAGE}.{found[1]}", text
            )
        path.write_text(text)
    for folder in [out, *(path for path in out.rglob("*") if path.is_dir())]:
        (folder / "__init__.py").touch()


def stale(fresh: Path) -> list[str]:
    """Names the files that are missing, left over or different."""

    def names(folder: Path) -> set[str]:
        return {
            str(path.relative_to(folder))
            for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }

    wanted, present = names(fresh), names(GEN)
    _, different, unreadable = cmpfiles(fresh, GEN, sorted(wanted & present), shallow=False)
    return sorted({*(wanted ^ present), *different, *unreadable})


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print(__doc__, file=sys.stderr)
        return 2
    if not any(PROTOS.rglob("*.proto")):
        print("stubs: SKIPPED, there is no .proto file under protos/")
        return 0
    with tempfile.TemporaryDirectory() as name:
        fresh = Path(name)
        generate(fresh)
        if not check:
            shutil.rmtree(GEN, ignore_errors=True)
            shutil.copytree(fresh, GEN)
            print(f"stubs: wrote {GEN.relative_to(ROOT)}")
            return 0
        faults = stale(fresh)
    for fault in faults:
        print(f"stubs: stale: {GEN.relative_to(ROOT)}/{fault}", file=sys.stderr)
    if faults:
        print("stubs: run `make stubs` and commit what it wrote", file=sys.stderr)
        return 1
    print("stubs: up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
