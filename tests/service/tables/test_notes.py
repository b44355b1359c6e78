"""What a caller brings that everybody at a table is told: it is such that every client can be."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.violations import Malformed
from service.messages import CreateTableRequest, from_json
from service.store.sqlite import SqliteStore
from service.tables import Caller
from tests.service.tables.playing import Evening, tables_over

READ = msgspec.json.Decoder(CreateTableRequest, dec_hook=from_json).decode


@pytest.mark.parametrize(
    "note",
    ['{"id": 9007199254740993}', '{"id": [-100000000000000000000000000]}', '{"":' * 17 + "1" + "}" * 17],
)
async def test_notes_that_a_double_or_a_message_cannot_hold_are_refused(tmp_path: Path, note: str) -> None:
    store = SqliteStore(tmp_path / "tables.db")
    request = READ(f'{{"game": "flip7", "places": 2, "meta": [{{}}, {note}]}}')
    with pytest.raises(Malformed) as refused:
        await tables_over(store).create(request, Caller())
    assert refused.value.path == "$.meta[1]"
    await store.close()


async def test_entropy_is_kept_without_what_is_no_digit(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "tables.db")
    evening = await Evening.of(tables_over(store), "wipe", start=False)
    for place in range(2):
        await evening.entropy(place, "00ff\n")  # a pattern's $ lets a last line break pass
    await evening.end()
    seen: Any = await evening.seen(evening.host)
    assert seen.ended.entropies == ("00ff", "00ff")
    await store.close()
