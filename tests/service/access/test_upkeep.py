"""What is looked after: it ends whenever it is told to, and one thing that fails spoils no other."""

import asyncio
import threading
from pathlib import Path

from service.access.upkeep import Upkeep, Watched, renewed, stamp_of
from tests.service.running import SECONDS


async def forever() -> None:
    await asyncio.Event().wait()


def test_it_can_be_stopped_before_it_has_begun() -> None:
    for _ in range(20):
        upkeep = Upkeep([], [forever])
        upkeep.start()
        stopping = threading.Thread(target=upkeep.stop, daemon=True)
        stopping.start()
        stopping.join(SECONDS)
        assert not stopping.is_alive()


def test_a_fault_that_nobody_thought_of_leaves_the_rest_looked_after(tmp_path: Path) -> None:
    def fail() -> None:
        raise TypeError("unthought of")

    watched = Watched("keys", [tmp_path / "keys"], fail)
    before = stamp_of(watched.paths)
    (tmp_path / "keys").touch()
    assert renewed(watched, before) == stamp_of(watched.paths) != before
