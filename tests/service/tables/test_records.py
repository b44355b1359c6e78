"""The record of a table, and the fairness that can be checked with it."""

import hashlib
import hmac
from pathlib import Path
from typing import Any

import msgspec
import pytest

from service.messages import ReplayRequest
from service.store import Store
from service.tables import Tables
from tests.service.tables.http import app_over, hosted
from tests.service.tables.playing import RULES, Evening, encoded, tables_over

MOMENT = "2026-01-01T11:00:00.000Z"
ENTROPIES = ("00", "ffee", "", "ab" * 32)


@pytest.fixture
def tables(store: Store) -> Tables:
    return tables_over(store)


async def ended(tables: Tables, entropies: tuple[str, ...]) -> tuple[Evening, ReplayRequest]:
    evening = await Evening.of(tables, "whist", start=False)
    for place, entropy in enumerate(entropies):
        if entropy:
            await evening.entropy(place, entropy)
    if "" in entropies:
        await evening.start()
    await evening.end()
    return evening, await evening.record(evening.places[0])


@pytest.mark.parametrize("entropies", [ENTROPIES, ("", "", "", ""), ("01", "02", "03", "04")])
async def test_the_deal_was_committed_to_and_mixed_with_what_places_added(
    tables: Tables, entropies: tuple[str, ...]
) -> None:
    """Computed here from the page's words alone."""
    evening, record = await ended(tables, entropies)
    assert record.table is not None
    assert record.table.secret is not None
    secret = bytes.fromhex(record.table.secret)
    committed = hashlib.sha256(b"scheids/1\0commitment\0" + secret).hexdigest()
    assert committed == evening.created.commitment == record.table.commitment
    if any(entropies):
        added = b"".join(
            len(bytes.fromhex(each)).to_bytes(4, "big") + bytes.fromhex(each) for each in record.table.entropies
        )
        assert record.table.entropies == entropies
        assert record.seed == hmac.new(secret, b"scheids/1\0entropy\0" + added, "sha256").hexdigest()
    else:
        assert record.seed == record.table.secret
    seen = await evening.seen(evening.places[2])
    assert seen.ended is not None
    assert (seen.ended.seed, seen.ended.entropies) == (record.table.secret, record.table.entropies)
    replayed = RULES.replay(record, "en")
    assert seen.view is not None
    assert replayed.state.hands[2] == seen.view.hands[2]


async def test_what_a_place_adds_changes_the_cards(store: Store) -> None:
    seed = "5" * 64
    hands = []
    for entropy in ("00", "01"):
        tables = tables_over(store, new_seed=lambda: seed)
        evening = await Evening.of(tables, "whist", start=False)
        await evening.entropy(0, entropy)
        await evening.start()
        view = (await evening.seen(evening.places[1])).view
        assert view is not None
        hands.append(view.hands[1])
    assert hands[0] != hands[1]


async def test_the_seed_is_in_no_answer_before_the_end(tmp_path: Path) -> None:
    seed = "5" * 64
    async with app_over(tmp_path, new_seed=lambda: seed) as (http, watcher):
        for host_sees in ("spectator", "all"):
            table = await hosted(http, watcher, "whist", hostSees=host_sees)
            for caller in (table.host, *table.places):
                for path in ("", "/record", "/legal-moves"):
                    assert seed not in (await caller.get(path)).text
            await table.host.delete()
            assert seed in (await table.places[0].get("/record")).text


async def test_before_the_end_a_record_has_no_hidden_card(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", seed="ours")
    other = await Evening.of(tables, "whist", seed="ours", hostSees="all")
    for one, token in ((evening, evening.host), (evening, evening.places[0]), (other, other.places[0])):
        record = await one.record(token)
        assert record.table is not None
        assert (record.seed, record.deck, record.result, record.table.complete) == (None, None, None, False)


async def test_a_record_says_everything_of_the_match(tables: Tables) -> None:
    names = ["Ann", "Bo", "Cy", "Di"]
    evening = await Evening.of(tables, "whist", names=names, options={"preset": "american"}, dealer=1, seed="a")
    place = await evening.to_act()
    assert place is not None
    words = (await evening.legal(place))[0]
    await evening.play(evening.places[place], words, idempotency_key="k")
    await evening.resign(0)
    await evening.resign(2)
    record = await evening.record(evening.places[3])
    told: dict[str, Any] = msgspec.json.decode(encoded(record))
    assert (told["game"], told["ruleset"], told["dealer"], told["seed"]) == ("whist", 1, 1, "a")
    assert "preset" not in told["options"]
    assert told["options"]["turnUp"] is not None
    assert told["moves"][0] == {"seat": place, "move": {"type": "play", "card": words[5:]}, "at": MOMENT}
    assert told["table"]["names"] == names
    assert (told["table"]["reason"], told["table"]["resigned"]) == ("resigned", [0, 2])
    assert RULES.replay(record, "en").violation is None


async def test_moves_are_written_as_text(tmp_path: Path) -> None:
    async with app_over(tmp_path) as (http, watcher):
        table = await hosted(http, watcher, "whist", seed="a")
        place = await table.to_act()
        assert place is not None
        words = (await table.legal(place))[0]
        await table.play(place, words)
        record = (await table.host.get("/record")).json()
        assert [step["move"] for step in record["moves"]] == [words]
        await table.host.delete()
        answer = await http.post("/v1/replay", json=(await table.host.get("/record")).json())
        assert answer.status_code == 200
