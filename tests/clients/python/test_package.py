"""The built wheels, installed where there is nothing of the server."""

import ast
import inspect
import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

import scheids_client
from scheids_client import AsyncScheids, AsyncTable, Scheids, Table, Watch, bots
from scheids_client.local import LocalScheids
from tests.clients.python.conftest import address_of
from tests.service.running import Running, running

ROOT = Path(__file__).resolve().parents[3]
USAGE = Path(__file__).with_name("typed_usage.py")
LOCKED = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
OF_THE_SERVER = {"scheids", "engine", "service", "litestar", "redis", "structlog", "uvicorn", "click"}
LOCAL = """
from scheids_client.local import LocalScheids
referee = LocalScheids()
for game in referee.list_games():
    state, moves = referee.deal(game.game, seed="x"), 0
    while state.to_act and moves < 60:
        seat = state.to_act.seat
        move = referee.legal_moves(state, seat=seat).moves[0]
        state, moves = referee.play(state, move, seat=seat).state, moves + 1
    print(game.game, moves)
"""


class Installed:
    """An environment of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.dist = folder / "dist"
        self.python = folder / "venv" / "bin" / "python"
        self._locked = folder / "locked.txt"
        environ = {**os.environ, "PYTHON": sys.executable}
        subprocess.run([ROOT / "scripts" / "wheels.sh", self.dist], env=environ, check=True, capture_output=True)
        venv.create(folder / "venv", with_pip=False)
        locks = [ROOT / "requirements" / name for name in ("runtime.txt", "dev.txt")]
        versions = {name: version for lock in locks for name, version in LOCKED.findall(lock.read_text())}
        self._locked.write_text("".join(f"{name}=={version}\n" for name, version in versions.items()))

    def install(self, what: str) -> None:
        """Installs one of our wheels, its dependencies in the versions that the tests are locked to."""
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "--quiet", "--disable-pip-version-check"]
        named = ["--only-binary", ":all:", "--find-links", str(self.dist), "--constraint", str(self._locked), what]
        done = subprocess.run([*pip, "install", *named], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def run(self, *arguments: object) -> str:
        """What a program prints."""
        command = [str(self.python), "-I", *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def packages(self) -> set[str]:
        (site,) = (self.folder / "venv" / "lib").glob("python*/site-packages")
        return {str(path.name) for path in site.iterdir()}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    made = Installed(tmp_path_factory.mktemp("installed"))
    made.install(str(next(made.dist.glob("scheids_client-*.whl"))))
    return made


@pytest.fixture(scope="module")
def quick() -> Iterator[Running]:
    with running() as here:
        yield here


def test_fifteen_lines_play_a_match_of_each_game(installed: Installed, quick: Running) -> None:
    program = ROOT / "docs" / "examples" / "bot_games.py"
    assert len([line for line in program.read_text().splitlines() if line.strip()]) <= 16  # the first says what it is
    assert not installed.packages & OF_THE_SERVER
    printed = installed.run(program, address_of(quick, "http"))
    assert [line.split(" won by ")[0] for line in printed.splitlines()] == [
        "whist",
        "peewee7",
        "wippen",
        "wipe",
        "flip7",
    ]
    asking = f"from scheids_client import Scheids; print(len(Scheids({address_of(quick, 'grpc')!r}).list_games()))"
    assert installed.run("-c", asking) == "5\n"


def test_the_engine_beside_it_plays_without_a_service(installed: Installed) -> None:
    missing = "try: import scheids_client.local\nexcept ImportError as missing: print(missing)"
    assert "scheids-client[local]" in installed.run("-c", missing)
    installed.install(f"scheids-client[local] @ {next(installed.dist.glob('scheids_client-*.whl')).as_uri()}")
    printed = installed.run("-c", LOCAL)
    assert [line.split()[0] for line in printed.splitlines()] == ["whist", "peewee7", "wippen", "wipe", "flip7"]
    assert not installed.packages & OF_THE_SERVER
    assert {"scheids_client", "scheids_engine"} <= installed.packages


def test_type_checkers_read_the_installed_package(installed: Installed) -> None:
    (installed.folder / "usage.py").write_text(USAGE.read_text())
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--python-executable", str(installed.python)]
    found = subprocess.run(
        [*command, "--cache-dir", str(ROOT / ".mypy_cache" / "installed"), "usage.py"],
        cwd=installed.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout


def test_every_public_name_is_used_where_types_are_checked() -> None:
    tree = ast.parse(USAGE.read_text())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert {*scheids_client.__all__} <= names
    assert {*bots.__all__} <= attributes
    for kind in (Scheids, LocalScheids, Table, Watch):
        public = {name for name, value in inspect.getmembers(kind) if name[0] != "_" and callable(value)}
        assert public <= attributes, kind


@pytest.mark.parametrize(("waiting", "other"), [(AsyncScheids, Scheids), (AsyncTable, Table)])
def test_with_and_without_waiting_there_are_the_same_calls(waiting: type, other: type) -> None:
    def calls(kind: type) -> dict[str, list[str]]:
        public = {name: value for name, value in inspect.getmembers(kind, callable) if name[0] != "_"}
        return {name.removeprefix("a"): list(inspect.signature(value).parameters) for name, value in public.items()}

    assert calls(waiting) == calls(other)
