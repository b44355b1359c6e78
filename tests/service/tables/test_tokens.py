"""Tokens and codes: whatever is not exactly a good one is refused, in the same words, and nothing is learnt from it."""

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jwt
import pytest

from service.messages import (
    ClaimPlaceRequest,
    CreateEventTicketRequest,
    WatchTableRequest,
    WhistCreateTableRequest,
)
from service.store import HOST
from service.store.sqlite import SqliteStore
from service.tables import Caller, Tables, Watcher
from service.tables.tokens import Holder
from tests.service.tables import http as rest
from tests.service.tables.http import Hosted, app_over, hosted
from tests.service.tables.playing import SIGNED_WITH, Clock, Evening, Refused, tables_over

NEW = "a secret that took the place of the older one"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(tmp_path / "tables.db", synchronous="NORMAL")
    yield store
    await store.close()


@pytest.fixture
def tables(store: SqliteStore, clock: Clock) -> Tables:
    return tables_over(store, clock)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Hosted]:
    async with app_over(tmp_path) as (http, watcher):
        yield await hosted(http, watcher, "whist")


def claims_of(token: str) -> dict[str, Any]:
    return jwt.decode(token, options={"verify_signature": False})


def head_of(token: str) -> dict[str, Any]:
    return jwt.get_unverified_header(token)


def part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def forged(token: str) -> dict[str, str]:
    """Tokens that are not good, made from one that is, by what is wrong with them."""
    claims, head = claims_of(token), head_of(token)
    header, payload, signature = token.split(".")

    def signed(key: str = SIGNED_WITH, kid: str | None = None, algorithm: str = "HS256", **changed: Any) -> str:
        made = {name: value for name, value in {**claims, **changed}.items() if value is not None}
        return jwt.encode(made, key, algorithm, headers={"kid": kid or head["kid"]})

    return {
        "none": f"{part({**head, 'alg': 'none'})}.{payload}.",
        "none with a signature": f"{part({**head, 'alg': 'none'})}.{payload}.{signature}",
        "other claims under the signature": f"{header}.{part({**claims, 'place': 1})}.{signature}",
        "another secret": signed("x" * 40),
        "another algorithm": signed(algorithm="HS512"),
        "an unknown key": signed(kid="deadbeef"),
        "no key": jwt.encode(claims, SIGNED_WITH, "HS256"),
        "expired": signed(exp=claims["iat"]),
        "without end": signed(exp=None),
        "another issuer": signed(iss="somebody"),
        "no table": signed(sub=None),
        "a ticket": signed(use="watch"),
        "a place in words": signed(place="0"),
        "a place in part": signed(place=0.5),
        "an epoch in words": signed(epoch="0"),
        "cut": token[:-4],
        "empty": "",
        "not a token": "hello",
        "very long": token + "x" * 10_000,
    }


async def test_a_token_that_is_not_good_is_refused_in_the_same_words(table: Hosted) -> None:
    answers = set()
    for what, token in forged(table.tokens[0]).items():
        caller = rest.Caller(table.http, table.created["id"], token)
        for answer in (
            await caller.get(),
            await caller.get("/record"),
            await caller.get("/legal-moves"),
            await caller.get("/events"),
            await caller.post("/moves", {"move": "play AS", "expectedVersion": 6}),
            await caller.post("/event-tickets"),
            await caller.delete(),
        ):
            assert answer.status_code == 401, what
            answers.add(answer.content)
    assert len(answers) == 1
    assert await table.version() == 6


@pytest.mark.parametrize("changed", [{"epoch": 1}, {"place": 17}, {"epoch": -1}, {"place": -2}])
async def test_a_token_of_no_place_or_epoch_that_there_is(table: Hosted, changed: dict[str, int]) -> None:
    """Signed by us, as only a service of another time can have done."""
    claims, head = claims_of(table.tokens[0]), head_of(table.tokens[0])
    token = jwt.encode({**claims, **changed}, SIGNED_WITH, "HS256", headers={"kid": head["kid"]})
    caller = rest.Caller(table.http, table.created["id"], token)
    for answer in (
        await caller.get(),
        await caller.get("/legal-moves"),
        await caller.get("/events"),
        await caller.post("/moves", {"move": "play AS", "expectedVersion": 6}),
        await caller.post("/event-tickets"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (401, "INVALID_TOKEN")


async def test_only_a_bearer_token_is_one(table: Hosted) -> None:
    for header in ("Basic YTpi", table.tokens[0], f"Token {table.tokens[0]}"):
        answer = await table.http.get(table.host.url, headers={"Authorization": header})
        assert (answer.status_code, answer.json()["code"]) == (401, "INVALID_TOKEN")
    answer = await table.http.get(table.host.url, headers={"Authorization": f"bearer {table.tokens[0]}"})
    assert answer.status_code == 200


async def test_of_several_tokens_none_is_chosen(table: Hosted) -> None:
    headers = [("Authorization", f"Bearer {token}") for token in table.tokens[:2]]
    answer = await table.http.get(table.host.url, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "INVALID_TOKEN")


async def test_without_a_token_nothing_is_done(table: Hosted) -> None:
    nobody = table.spectator
    for answer in (
        await nobody.post("/moves", {"move": "play AS", "idempotencyKey": "k"}),
        await nobody.post("/start"),
        await nobody.post("/entropy", {"entropy": "00"}),
        await nobody.post("/resign"),
        await nobody.post("/undo"),
        await nobody.post("/reissue"),
        await nobody.post("/event-tickets"),
        await nobody.get("/legal-moves"),
        await nobody.delete(),
    ):
        assert (answer.status_code, answer.json()["code"]) == (401, "NO_TOKEN")


async def test_another_tables_token_and_no_table_are_the_same(tmp_path: Path) -> None:
    async with app_over(tmp_path) as (http, watcher):
        one, other = await hosted(http, watcher, "whist"), await hosted(http, watcher, "whist")
        answers = []
        for table in (other.created["id"], "a" * 28, "no-table", "{" + "a" * 27):
            caller = rest.Caller(http, table, one.tokens[0])
            answers += [await caller.get(), await caller.post("/moves", {"move": "play AS", "idempotencyKey": "k"})]
        answers += [await rest.Caller(http, table, None).get() for table in (other.created["id"], "a" * 28, "x")]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1


async def test_a_token_is_of_its_place(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", spectators=True)
    holders = [tables.tokens.holder(token) for token in evening.places]
    assert [holder.place for holder in holders] == [0, 1, 2, 3]
    assert tables.tokens.holder(evening.host).place == HOST
    for place, token in enumerate(evening.places):
        view = (await evening.seen(token)).view
        assert view is not None
        assert view.viewer == place


async def test_a_token_ends(tables: Tables, clock: Clock) -> None:
    evening = await Evening.of(tables, "whist")
    clock.now += 86_399
    assert (await evening.seen(evening.places[0])).version
    clock.now += 1
    with Refused("INVALID_TOKEN"):
        await evening.seen(evening.places[0])


async def test_reissuing_makes_the_token_before_worthless(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    old = evening.places[0]
    fresh = (await evening.reissue(old)).token
    assert fresh is not None
    for attempt in (evening.seen(old), evening.record(old), evening.play(old, "play AS", idempotency_key="k")):
        with Refused("INVALID_TOKEN"):
            await attempt
    with Refused("INVALID_TOKEN"):
        await evening.play(old, "play AS", expected_version=1)
    view = (await evening.seen(fresh)).view
    assert view is not None
    assert view.viewer == 0


async def test_the_host_makes_a_place_free_to_be_claimed_but_not_its_own(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    answered = await evening.reissue(evening.host, 2)
    assert answered.token is None
    assert answered.join_code not in (None, *evening.created.join_codes)
    assert not (await evening.seen(evening.host)).places[2].claimed
    with Refused("INVALID_TOKEN"):
        await evening.seen(evening.places[2])
    with Refused("FORBIDDEN"):
        await evening.reissue(evening.places[0], 1)
    renewed = await evening.reissue(evening.host)
    assert renewed.token is not None
    with Refused("INVALID_TOKEN"):
        await evening.seen(evening.host)
    assert (await evening.seen(renewed.token)).host


async def test_who_replaces_a_token_and_loses_the_answer_asks_again(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    first = await evening.reissue(evening.places[0], idempotency_key="again")
    assert await evening.reissue(evening.places[0], idempotency_key="again") == first
    with Refused("INVALID_TOKEN"):
        await evening.reissue(evening.places[0], idempotency_key="other")


async def test_secrets_are_rotated(store: SqliteStore, clock: Clock) -> None:
    before = tables_over(store, clock)
    evening = await Evening.of(before, "whist", start=False)
    both = tables_over(store, clock, secrets=(NEW, SIGNED_WITH))
    rotated = Evening(both, evening.created, evening.places)
    assert (await rotated.seen(evening.places[0])).version
    fresh = (await rotated.reissue(evening.places[0])).token
    assert fresh is not None
    after = Evening(tables_over(store, clock, secrets=(NEW,)), evening.created, [])
    assert (await after.seen(fresh)).version
    with Refused("INVALID_TOKEN"):
        await after.seen(evening.places[1])


async def test_join_codes_outlive_a_rotation(store: SqliteStore, clock: Clock) -> None:
    created = await tables_over(store, clock).create(WhistCreateTableRequest(), Caller())
    both = tables_over(store, clock, secrets=(NEW, SIGNED_WITH))
    request = ClaimPlaceRequest(table=created.id, join_code=created.join_codes[1])
    assert (await both.claim(request, Caller())).place == 1


async def test_a_ticket_watches_and_nothing_else(tables: Tables, clock: Clock) -> None:
    evening = await Evening.of(tables, "whist")
    made = await tables.ticket(CreateEventTicketRequest(table=evening.id), Caller(evening.places[1]))
    with Refused("INVALID_TOKEN"):
        await evening.seen(made.ticket)
    watcher, asked = Watcher(tables), WatchTableRequest(table=evening.id)
    frames = await watcher.watch(asked, None, made.ticket)
    assert frames is not None
    first = await anext(frames)
    assert first.table is not None
    assert first.table.place == 1
    await frames.aclose()
    with Refused("INVALID_TOKEN"):
        await watcher.watch(asked, None, evening.places[1])
    clock.now += 60
    with Refused("INVALID_TOKEN"):
        await watcher.watch(asked, None, made.ticket)


def test_join_codes_of_other_epochs_places_and_tables_differ(tables: Tables) -> None:
    holders = [Holder(table, place, epoch) for table in ("a", "b") for place in (0, 1, 10) for epoch in (0, 1, 2)]
    assert len({tables.tokens.join_code(holder) for holder in holders}) == len(holders)
