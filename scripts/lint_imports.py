"""Runs the import-linter contracts of pyproject.toml as far as the modules they name exist.

import-linter stops at a contract that names a module which is not there yet. This leaves such names out and
says which, so that a contract begins to hold on the day its module appears.

Usage: lint_imports.py [--complete]    --complete: a module that is not there is a fault
"""

import subprocess
import sys
import tempfile
import tomllib
from configparser import ConfigParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LISTS = ("source_modules", "forbidden_modules", "modules")


def is_there(name: str, roots: list[str]) -> bool:
    parts = [part for part in name.split(".") if "*" not in part]
    if parts[0] not in roots:
        return True
    path = ROOT.joinpath(*parts)
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def present(contract: dict[str, Any], roots: list[str]) -> tuple[dict[str, Any], set[str]]:
    """Splits a contract into what can be checked now and the modules that are not there."""
    absent = {name for key in LISTS for name in contract.get(key, ()) if not is_there(name, roots)}
    kept = {
        key: [name for name in value if name not in absent] if key in LISTS else value
        for key, value in contract.items()
    }
    return kept, absent


def ini(value: object) -> str:
    return "\n" + "\n".join(value) if isinstance(value, list) else str(value)


def main() -> int:
    complete = "--complete" in sys.argv[1:]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    contracts = settings.pop("contracts")
    roots = [name for name in settings["root_packages"] if is_there(name, settings["root_packages"])]
    missing = set(settings["root_packages"]) - set(roots)
    if not roots or find_spec("importlinter") is None:
        print("imports: neither a package to check nor import-linter", file=sys.stderr)
        return 1
    config = ConfigParser(interpolation=None)
    config["importlinter"] = {key: ini(value) for key, value in {**settings, "root_packages": roots}.items()}
    for contract in contracts:
        kept, absent = present(contract, settings["root_packages"])
        missing |= absent
        if all(kept[key] for key in LISTS if key in kept):
            config[f"importlinter:contract:{kept.pop('id')}"] = {key: ini(value) for key, value in kept.items()}
        else:
            print(f"imports: NOT CHECKED, nothing of it is there yet: {contract['name']}")
    for name in sorted(missing):
        print(f"imports: not there yet: {name}")
    if complete and missing:
        return 1
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "importlinter.ini"
        with path.open("w") as file:
            config.write(file)
        program = Path(sys.executable).parent / "lint-imports"
        return subprocess.run([program, "--no-cache", path], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
