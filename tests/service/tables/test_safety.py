"""Every move safe: keys, versions and their order, over every store; and the same over either way of saying a key."""

import random
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.violations import IllegalMove, Malformed
from service.messages import EndTableRequest, GetTableRequest
from service.store import Store
from service.tables import Caller, Tables
from tests.service.tables.http import app_over, hosted
from tests.service.tables.playing import Clock, Evening, Refused, encoded, tables_over


@pytest.fixture
def tables(store: Store) -> Tables:
    return tables_over(store)


async def test_a_key_that_comes_again_gets_the_same_bytes(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", seed="1")
    answers = []
    for number in range(4):
        place = await evening.to_act()
        assert place is not None
        words = (await evening.legal(place))[0]
        facts: dict[str, Any] = {"expected_version": await evening.version(), "idempotency_key": f"k{number}"}
        answers.append((place, words, facts, encoded(await evening.play(evening.places[place], words, **facts))))
    await evening.undo()
    for place, words, facts, answer in answers:
        assert encoded(await evening.play(evening.places[place], words, **facts)) == answer
    await evening.end()
    for place, words, facts, answer in answers:
        assert encoded(await evening.play(evening.places[place], words, **facts)) == answer


async def test_an_answer_is_told_again_by_another_replica(store: Store) -> None:
    one, other = tables_over(store), tables_over(store)
    evening = await Evening.of(one, "wippen", seed="1")
    place = await evening.to_act()
    assert place is not None
    words = (await evening.legal(place))[0]
    first = await evening.play(evening.places[place], words, idempotency_key="k")
    again = await Evening(other, evening.created, evening.places).play(
        evening.places[place], words, idempotency_key="k"
    )
    assert encoded(again) == encoded(first)


async def test_an_answer_with_what_followed_by_itself_is_told_again(tables: Tables) -> None:
    evening = await Evening.of(tables, "wipe", seed="4")
    for number in range(30):
        place = await evening.to_act()
        if place is None:
            break
        words = (await evening.legal(place))[0]
        facts: dict[str, Any] = {"idempotency_key": f"k{number}"}
        first = encoded(await evening.play(evening.places[place], words, **facts))
        assert encoded(await evening.play(evening.places[place], words, **facts)) == first


async def test_a_key_is_of_its_place_and_its_body(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", seed="1")
    place = await evening.to_act()
    assert place is not None
    words, other = (await evening.legal(place))[:2]
    await evening.play(evening.places[place], words, idempotency_key="k")
    with Refused("KEY_REUSED"):
        await evening.play(evening.places[place], other, idempotency_key="k")
    after = await evening.to_act()
    assert after not in (None, place)
    assert after is not None
    version = await evening.version()
    await evening.play(evening.places[after], (await evening.legal(after))[0], idempotency_key="k")
    assert await evening.version() == version + 1


async def test_refusals_are_not_kept(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", seed="1")
    place = await evening.to_act()
    assert place is not None
    with pytest.raises(IllegalMove):
        await evening.play(
            evening.places[(place + 1) % 4], await card_of(evening, (place + 1) % 4), idempotency_key="k"
        )
    await evening.play(evening.places[place], (await evening.legal(place))[0], idempotency_key="k")
    following = await evening.legal((place + 1) % 4)
    await evening.play(evening.places[(place + 1) % 4], following[0], idempotency_key="k")


async def card_of(evening: Evening, place: int) -> str:
    view = (await evening.seen(evening.places[place])).view
    assert view is not None
    return f"play {view.hands[place].cards[0]}"


async def test_a_stale_version_beats_an_illegal_move(store: Store) -> None:
    """Also where this replica still believes in the version that the caller names."""
    one, other = tables_over(store), tables_over(store)
    evening = await Evening.of(one, "whist", seed="1")
    version = await evening.version()
    elsewhere = Evening(other, evening.created, evening.places)
    place = await elsewhere.to_act()
    assert place is not None
    await elsewhere.play(evening.places[place], (await elsewhere.legal(place))[0], expected_version=version)
    with Refused("STALE_VERSION") as stale:
        await evening.play(evening.places[(place + 2) % 4], await card_of(evening, 0), expected_version=version)
    assert stale.fault.params == {"version": version + 1}


async def test_a_replica_behind_judges_by_what_the_store_has(store: Store) -> None:
    one, other = tables_over(store), tables_over(store)
    evening = await Evening.of(one, "whist", seed="1")
    elsewhere = Evening(other, evening.created, evening.places)
    for _ in range(6):
        for here, there in ((evening, elsewhere), (elsewhere, evening)):
            place = await here.to_act()
            assert place is not None
            words = (await here.legal(place))[0]
            await there.play(evening.places[place], words, idempotency_key=f"{await here.version()}")
    assert await evening.version() == await elsewhere.version()


async def test_malformed_before_anything_else(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    with pytest.raises(Malformed):
        await evening.play(evening.places[0], "hit", expected_version=await evening.version())
    with pytest.raises(Malformed):
        await evening.reissue(evening.host, 9)


async def test_every_verb_is_done_once_for_its_key(tables: Tables) -> None:
    evening = await Evening.of(tables, "flip7", start=False)
    verbs: tuple[Callable[..., Awaitable[int]], ...] = (
        partial(evening.entropy, 0, "aa"),
        evening.start,
        partial(evening.resign, 0),
        evening.undo,
        evening.end,
    )
    for number, verb in enumerate(verbs):
        if verb == evening.undo:
            await evening.random_move(random.Random(1))
        version = await verb(idempotency_key=f"{number}")
        assert await verb(idempotency_key=f"{number}") == version
        assert await evening.version() == version


async def test_an_expected_version_holds_for_every_verb(tables: Tables) -> None:
    evening = await Evening.of(tables, "flip7", start=False)
    behind = await evening.version() - 1
    for verb in (
        evening.entropy(0, "aa", expected_version=behind),
        evening.start(expected_version=behind),
        evening.end(expected_version=behind),
        evening.reissue(evening.host, expected_version=behind),
        evening.undo(expected_version=behind),
    ):
        with Refused("STALE_VERSION"):
            await verb


async def test_the_header_is_the_fields_equal(tmp_path: Path) -> None:
    async with app_over(tmp_path) as (http, watcher):
        table = await hosted(http, watcher, "whist", seed="1")
        place = await table.to_act()
        assert place is not None
        words = (await table.legal(place))[0]
        me = table.places[place]
        first = await me.post("/moves", {"move": words}, **{"Idempotency-Key": "k"})
        assert first.status_code == 200
        assert (await me.post("/moves", {"move": words, "idempotencyKey": "k"})).content == first.content
        as_object = {"move": {"type": "play", "card": words[5:]}, "idempotencyKey": "k"}
        assert (await me.post("/moves", as_object)).content == first.content
        both = await me.post("/moves", {"move": words, "idempotencyKey": "k"}, **{"Idempotency-Key": "other"})
        assert (both.status_code, both.json()["path"]) == (400, "$.idempotencyKey")
        long = await me.post("/moves", {"move": words}, **{"Idempotency-Key": "k" * 129})
        assert (long.status_code, long.json()["path"]) == (400, "$.idempotencyKey")
        none = await me.post("/moves", {"move": words}, **{"Idempotency-Key": ""})
        assert (none.status_code, none.json()["path"]) == (400, "$.idempotencyKey")
        ended = await table.http.delete(f"{table.host.url}?expectedVersion=1", headers=table.host.headers)
        assert ended.status_code == 409


@pytest.mark.parametrize(
    ("path", "query", "at"),
    [
        ("", "?table=x", "$.table"),
        ("", "?other=1", "$"),
        ("/legal-moves", "?limit=0", "$.limit"),
        ("/legal-moves", "?limit=many", "$.limit"),
        ("/legal-moves", "?seat=18", "$.seat"),
        ("/events", "?afterVersion=-1", "$.afterVersion"),
        ("/events", "?afterVersion=x", "$.afterVersion"),
    ],
)
async def test_queries_are_read_strictly(tmp_path: Path, path: str, query: str, at: str) -> None:
    async with app_over(tmp_path) as (http, watcher):
        table = await hosted(http, watcher, "whist")
        answer = await table.places[0].get(path + query)
        assert (answer.status_code, answer.json()["code"], answer.json()["path"]) == (400, "MALFORMED", at)
        named = await table.places[0].post("/resign", {"table": table.created["id"]})
        assert (named.status_code, named.json()["path"]) == (400, "$.table")


async def test_time_passes_between_a_turn_and_its_retry(store: Store) -> None:
    clock = Clock()
    tables = tables_over(store, clock)
    evening = await Evening.of(tables, "flip7", turnSeconds=10, seed="2")
    place = await evening.to_act()
    assert place is not None
    words = (await evening.legal(place))[0]
    first = await evening.play(evening.places[place], words, idempotency_key="k")
    clock.now += 1_000
    assert encoded(await evening.play(evening.places[place], words, idempotency_key="k")) == encoded(first)


async def test_an_ended_table_is_ended_for_who_comes_late(store: Store) -> None:
    one, other = tables_over(store), tables_over(store)
    evening = await Evening.of(one, "whist")
    await other.end(EndTableRequest(table=evening.id), Caller(evening.host))
    with Refused("TABLE_ENDED"):
        await evening.play(evening.places[0], "play AS", idempotency_key="k")
    seen = await one.get(GetTableRequest(table=evening.id), Caller(evening.host))
    assert seen.status == "ended"
