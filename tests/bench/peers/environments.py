"""Environments of their own, under build/, for the peers and for the service as it is installed.

They are made when first needed, and anew when what they hold is to change.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

from tests.bench.servers import BUILD
from tests.service.running import ROOT

HERE: Final = Path(__file__).parent
REQUIREMENTS: Final = HERE / "requirements.txt"
PACKAGES: Final = HERE / "package.json"
RUNTIME: Final = ROOT / "requirements" / "runtime.txt"


class CannotInstallError(RuntimeError):
    """A peer is not to be had here; the message says why."""


def python() -> Path:
    """The Python that has the peers of PyPI."""
    return _python("python", REQUIREMENTS, "the peers of PyPI")


def serving() -> Path:
    """The Python that has what the service needs and nothing else: what more the tests have would be imported too."""
    return _python("serving", RUNTIME, "what the service needs")


def _python(name: str, requirements: Path, what: str) -> Path:
    folder = BUILD / name
    program = folder / "bin" / "python"
    stamp = _stamp(requirements, sys.version)
    if not _is_stamped(folder, stamp):
        print(f"  installing {what} into {folder}", flush=True)
        venv.create(folder, clear=True, with_pip=True)
        pip = [program, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        _install([*map(str, pip), "-r", str(requirements)])
        (folder / "stamp").write_text(stamp, encoding="ascii")
    return program


def node_modules() -> Path:
    """The folder with the peers of npm."""
    folder = BUILD / "node"
    stamp = _stamp(PACKAGES, "")
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise CannotInstallError("there is no node and npm on the PATH")
    if not _is_stamped(folder, stamp):
        print(f"  installing the peers of npm into {folder}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copy(PACKAGES, folder)
        _install(
            ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--no-package-lock", "--silent"]
        )
        (folder / "stamp").write_text(stamp, encoding="ascii")
    return folder / "node_modules"


def cerbos() -> Path:
    """Cerbos' server, which npm has as a program for each platform."""
    programs = [*node_modules().glob("@cerbos/cerbos-*/cerbos-*")]
    if len(programs) != 1:
        raise CannotInstallError("npm has no cerbos for this platform")
    return programs[0]


def version(package: str) -> str:
    """The version of a peer of npm that is installed."""
    return str(json.loads((node_modules() / package / "package.json").read_text(encoding="utf-8"))["version"])


def _stamp(file: Path, more: str) -> str:
    return hashlib.sha256(file.read_bytes() + more.encode()).hexdigest()


def _is_stamped(folder: Path, stamp: str) -> bool:
    return (folder / "stamp").is_file() and (folder / "stamp").read_text(encoding="ascii") == stamp


def _install(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotInstallError(f"{command[0]} could not install: {(done.stderr or done.stdout).strip()[-500:]}")
