"""Every command that the README and the pages of docs/ show is run against a live service, and prints what they say."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.service.running import Running, running

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SECONDS = 60


@dataclass
class Shown:
    """A command a page shows, and the output under it, where ``...`` stands for anything."""

    command: str
    output: str

    def matches(self, printed: str) -> bool:
        """Whether this is what was printed; a last ``...`` may be left open."""
        parts = [re.escape(part) for part in self.output.strip().split("...")]
        return re.fullmatch(".*?".join(parts), printed.strip(), re.DOTALL) is not None


def shown(page: Path) -> list[Shown]:
    """The commands of a page, in order."""
    found: list[Shown] = []
    for block in BLOCK.findall(page.read_text()):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Shown(line.removeprefix("$ "), ""))
            else:
                found[-1].output += line + "\n"
    return found


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with running() as here:
        yield here


@pytest.mark.parametrize("page", [page for page in PAGES if shown(page)], ids=lambda page: page.name)
def test_page(page: Path, service: Running, tmp_path: Path) -> None:
    for folder in ("docs", "service", "engine"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    python = shutil.which("python3") or sys.executable
    for each in shown(page):
        command = each.command.replace("http://127.0.0.1:8080", service.url)
        command = command.replace("127.0.0.1:8081", str(service.ready.grpc))
        command = command.replace(".venv/bin/python", sys.executable).replace("python3 ", f"{python} ")
        done = subprocess.run(  # noqa: S602 - the pages' commands are ours
            command, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 0, f"{each.command}\n{done.stderr}"
        assert each.matches(done.stdout), f"{each.command}\nprinted\n{done.stdout}"


def test_the_readme_shows_a_tour() -> None:
    assert len(shown(ROOT / "README.md")) >= 8
