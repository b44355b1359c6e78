"""What is the embedded store's alone: its file, its lock, and that it outlives its process."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from service.store import Frames, NewerSchema, NoTable, StoreAway
from service.store.sqlite import SqliteStore, StoreInUse
from service.store.sqlite.worker import Done, Worker, purge
from tests.service.store.tables import ROUNDS, create, move, play, read

ROOT = Path(__file__).resolve().parents[3]
FIND = "from pathlib import Path; from service.store.sqlite import SqliteStore; SqliteStore(Path({!r}))"


def write_and_be_killed(path: Path) -> dict[str, int]:
    """What a process of its own had acknowledged when it was killed."""
    acknowledged: dict[str, int] = {}
    command = [sys.executable, "-m", "tests.service.store.writer", str(path), "8"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(300)]
        writer.kill()
        lines += writer.stdout.readlines()
    for line in lines:
        if line.endswith("\n"):
            table, version = line.split()
            acknowledged[table] = int(version)
    return acknowledged


async def test_kill_9_of_the_writer_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    acknowledged: dict[str, int] = {}
    for _ in range(ROUNDS):
        acknowledged |= await asyncio.to_thread(write_and_be_killed, path)
    store = SqliteStore(path)
    assert len(acknowledged) == 8 * ROUNDS
    for table, version in acknowledged.items():
        found = await read(store, table)
        assert found.version >= version
        assert found.document == f"document {found.version}".encode()
        frames = await store.frames(table, max(found.version - 50, 0))
        assert isinstance(frames, Frames)
        assert frames.frames[-1].data == f"frame {found.version}".encode()
    await store.close()


async def test_a_second_process_is_refused_and_the_next_is_not(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    store = SqliteStore(path)
    table = await create(store)
    with pytest.raises(StoreInUse, match="one process"):
        SqliteStore(path)
    command = [sys.executable, "-c", FIND.format(str(path))]
    second = await asyncio.to_thread(subprocess.run, command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "StoreInUse" in second.stderr
    await play(store, table, 1, 2)
    await store.close()
    third = await asyncio.to_thread(subprocess.run, command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert third.returncode == 0
    store = SqliteStore(path)
    assert (await read(store, table)).version == 2
    await store.close()
    with pytest.raises(StoreAway, match="closed"):
        await store.read(table)


async def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "tables.db")
    await create(store)
    names = await asyncio.to_thread(os.listdir, tmp_path)
    assert {(tmp_path / name).stat().st_mode & 0o777 for name in names} == {0o600}
    await store.close()


async def test_a_newer_schema_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    await SqliteStore(path).close()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 7")
    database.close()
    with pytest.raises(NewerSchema, match=r"schema is 7; .* above 1"):
        SqliteStore(path)


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tables.db").write_bytes(b"not a database" * 100)
    with pytest.raises(OSError, match="cannot be used"):
        SqliteStore(tmp_path / "tables.db")
    with pytest.raises(OSError, match="nowhere"):
        SqliteStore(tmp_path / "nowhere" / "tables.db")


async def test_one_job_spoils_only_itself(tmp_path: Path) -> None:
    worker = Worker(tmp_path / "tables.db", lambda _, __: None, synchronous="FULL")

    def wait(database: sqlite3.Connection) -> Done[None]:
        database.execute("SELECT 1")
        return Done(None)

    def good(database: sqlite3.Connection) -> Done[int]:
        database.execute("INSERT INTO creations VALUES (hex(randomblob(8)), '', '', 0)")
        return Done(database.total_changes)

    def bad(database: sqlite3.Connection) -> Done[None]:
        good(database)
        raise KeyError("bad")

    jobs: list[Any] = [wait, good, bad, good, bad, good]
    done = await asyncio.gather(*(worker.do(job) for job in jobs), return_exceptions=True)
    assert [type(one) for one in done] == [type(None), int, KeyError, int, KeyError, int]

    def count(database: sqlite3.Connection) -> Done[int]:
        return Done(database.execute("SELECT count(*) FROM creations").fetchone()[0])

    assert await worker.do(count) == 3
    await worker.do(purge)
    assert await worker.do(count) == 0
    await worker.close()


async def test_a_full_disk_is_away_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    store = SqliteStore(path)
    table = await create(store)
    await store.close()
    worker = Worker(path, lambda _, __: None, synchronous="FULL")
    pages = await worker.do(lambda database: Done(database.execute("PRAGMA page_count").fetchone()[0]))
    await worker.do(lambda database: Done(database.execute(f"PRAGMA max_page_count = {pages}").fetchone()[0]))

    def write(database: sqlite3.Connection) -> Done[None]:
        database.execute("UPDATE tables SET version = 2, document = ?", (bytes(100_000),))
        return Done(None)

    with pytest.raises(StoreAway, match="full"):
        await worker.do(write)
    await worker.close()
    store = SqliteStore(path)
    assert (await read(store, table)).version == 1
    await store.close()


async def test_what_has_expired_is_purged(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    store = SqliteStore(path)
    kept, gone = await create(store, epochs={0: 1}), await create(store, ttl=1, epochs={0: 1})
    await play(store, gone, 1, 3)
    await asyncio.sleep(1.05)
    assert await store.read(gone) == NoTable()
    await store.close()
    worker = Worker(path, lambda _, __: None, synchronous="FULL")
    await worker.do(purge)

    def left(database: sqlite3.Connection) -> Done[set[str]]:
        query = "SELECT id FROM tables UNION SELECT id FROM frames UNION SELECT id FROM epochs"
        return Done({row[0] for row in database.execute(query)})

    assert await worker.do(left) == {kept}
    await worker.close()


async def test_a_call_that_was_given_up_is_left_alone(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "tables.db")
    table = await create(store)
    calls = [asyncio.create_task(move(store, table, 1)) for _ in range(20)]
    await asyncio.sleep(0)
    for call in calls[::2]:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    assert (await read(store, table)).version == 2
    await store.close()
