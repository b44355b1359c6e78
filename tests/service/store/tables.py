"""Tables for the tests: short ways to create one and to move on it."""

import os
from typing import Any

from service.store import Commit, CommitOutcome, Committed, Created, NewTable, Once, Store, Table, digest, new_table_id

TTL = 600
ROUNDS = int(os.environ.get("STORE_ROUNDS", "1"))
"""How often the tests that kill, race and resume do it: STORE_ROUNDS=20 runs them at length."""


def once(key: str, body: str = "body") -> Once:
    return Once(key, digest(body.encode()))


async def create(store: Store, **fields: Any) -> str:
    """A new table's id."""
    new = {"document": b"document 1", "frame": b"frame 1", "ttl": TTL, "id": new_table_id(), **fields}
    made = await store.create(NewTable(**new))
    assert isinstance(made, Created), made
    return str(new["id"])


async def move(store: Store, table: str, version: int, **fields: Any) -> CommitOutcome:
    """A commit made from `version`, whose document and frame say what they are."""
    after = version + 1
    filled = {"place": 0, "document": f"document {after}".encode(), "frame": f"frame {after}".encode(), **fields}
    return await store.commit(Commit(table=table, version=version, **filled))


async def play(store: Store, table: str, first: int, last: int, **fields: Any) -> None:
    """Commits, one after the other, until the table is at version `last`."""
    for version in range(first, last):
        moved = await move(store, table, version, **fields)
        assert isinstance(moved, Committed), moved


async def read(store: Store, table: str, **fields: Any) -> Table:
    """The table, which has to be there."""
    found = await store.read(table, **fields)
    assert isinstance(found, Table), found
    return found
