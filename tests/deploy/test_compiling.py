"""What is compiled is made once, and anew only where it would be another."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.compiling.part import Part


class Parts:
    """Two parts in one folder, whose sources are kept here and whose builds are counted."""

    def __init__(self) -> None:
        self.sources = {"engine": b"e", "codec": b"c"}
        self.built: list[str] = []

    def compile_into(self, folder: Path) -> list[str]:
        """Both, and which of them were made."""
        self.built.clear()
        told = [self._part(name).compile_into(folder) for name in self.sources]
        assert told == [name in self.built for name in self.sources]
        return list(self.built)

    def _part(self, name: str) -> Part:
        def sources() -> Iterator[bytes]:
            yield self.sources[name]

        def build(folder: Path) -> None:
            assert folder.is_dir()
            if self.sources[name] == b"wrong":
                raise RuntimeError(name)
            self.built.append(name)
            (folder / f"of_{name}.so").touch(exist_ok=False)

        return Part(name, f"of_{name}", Path(__file__), sources, build)


def test_a_part_is_made_anew_only_where_its_own_source_changed(tmp_path: Path) -> None:
    parts, folder = Parts(), tmp_path / "in" / "a folder"
    assert parts.compile_into(folder) == ["engine", "codec"]
    assert parts.compile_into(folder) == []
    parts.sources["codec"] = b"another"
    assert parts.compile_into(folder) == ["codec"]
    parts.sources["engine"] = b"another"
    assert parts.compile_into(folder) == ["engine"]
    assert parts.compile_into(folder) == []


def test_what_could_not_be_made_is_not_taken_for_made(tmp_path: Path) -> None:
    parts = Parts()
    parts.compile_into(tmp_path)
    source, parts.sources["engine"] = parts.sources["engine"], b"wrong"
    with pytest.raises(RuntimeError):
        parts.compile_into(tmp_path)
    parts.sources["engine"] = source
    assert parts.compile_into(tmp_path) == ["engine"]


def test_what_is_there_no_longer_is_made_again(tmp_path: Path) -> None:
    parts = Parts()
    parts.compile_into(tmp_path)
    (tmp_path / "of_codec.so").unlink()
    assert parts.compile_into(tmp_path) == ["codec"]


def test_what_was_made_by_another_python_does_not_stay(tmp_path: Path) -> None:
    parts, other = Parts(), tmp_path / "of_engine.cpython-310.so"
    parts.compile_into(tmp_path)
    other.touch()
    assert parts.compile_into(tmp_path) == []
    parts.sources["engine"] = b"another"
    parts.compile_into(tmp_path)
    assert not other.exists()
    assert {path.name for path in tmp_path.glob("*.so")} == {"of_engine.so", "of_codec.so"}
