"""A process that commits to a SQLite store until it is killed: python -m tests.service.store.writer FILE TABLES.

Prints a line for each move once it is acknowledged: table, version.
"""

import asyncio
import sys
from pathlib import Path

from service.store.sqlite import SqliteStore
from tests.service.store.tables import create, play


async def write(path: Path, tables: int) -> None:
    """Commits to so many tables at once, for ever."""
    store = SqliteStore(path)

    async def one() -> None:
        table = await create(store)
        version = 1
        while True:
            await play(store, table, version, version + 1)
            version += 1
            sys.stdout.write(f"{table} {version}\n")
            sys.stdout.flush()

    await asyncio.gather(*(one() for _ in range(tables)))


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), int(sys.argv[2])))
