"""Matches at tables, over every store: opened, claimed, dealt, played to their end, taken back, given up."""

import asyncio
import random
from typing import Any

import pytest

from engine.cards import PACK
from engine.events import Dealt
from engine.violations import IllegalMove, Malformed
from service.messages import ClaimPlaceRequest, CreateTableRequest, StartTableRequest, WhistCreateTableRequest
from service.store import Store
from service.tables import Caller, Tables
from tests.service.tables.playing import GAMES, RULES, Clock, Evening, Refused, encoded, tables_over


@pytest.fixture
def tables(store: Store) -> Tables:
    return tables_over(store)


@pytest.mark.parametrize("game", GAMES)
async def test_a_whole_match_is_played_and_its_record_replays(tables: Tables, game: str) -> None:
    evening = await Evening.of(tables, game)
    rng = random.Random(game)
    moves = 0
    while moves < 400 and await evening.random_move(rng):
        moves += 1
    if moves == 400:
        await evening.end()
    seen = await evening.seen(evening.places[0])
    assert seen.status == "ended"
    assert seen.ended is not None
    assert seen.view is not None
    assert seen.version == 2 + len(evening.places) + moves + (moves == 400)
    record = await evening.record(None if seen.spectators else evening.places[0])
    replayed = RULES.replay(record, "en")
    assert replayed.violation is None
    assert encoded(replayed.sheet) == encoded(seen.sheet) == encoded(record.result)
    assert encoded(replayed.state.hands)  # the same hands as are left at the table
    assert replayed.state.phase == seen.view.phase
    assert seen.ended.winners == (replayed.sheet.winners if replayed.state.phase == "over" else ())


async def test_a_place_is_claimed_once_with_its_code(tables: Tables) -> None:
    evening = await Evening.of(tables, "flip7", names=["Ann", "", "Cleo"], start=False)
    seen = await evening.seen(evening.places[1])
    assert [(place.name, place.claimed) for place in seen.places] == [("Ann", True), (None, True), ("Cleo", True)]
    assert seen.place == 1
    with Refused("BAD_JOIN_CODE"):
        code = evening.created.join_codes[0]
        await tables.claim(ClaimPlaceRequest(table=evening.id, join_code=code), Caller())
    with Refused("BAD_JOIN_CODE"):
        await tables.claim(ClaimPlaceRequest(table=evening.id, join_code="guess"), Caller())


async def test_who_claims_may_bring_a_name(tables: Tables) -> None:
    created = await tables.create(WhistCreateTableRequest(names=("a", "b", "c", "d")), Caller())
    request = ClaimPlaceRequest(table=created.id, join_code=created.join_codes[2].upper(), name="Dirk")
    claimed = await tables.claim(request, Caller())
    assert claimed.place == 2
    evening = Evening(tables, created, [claimed.token])
    assert [place.name for place in (await evening.seen(evening.host)).places] == ["a", "b", "Dirk", "d"]


async def test_a_claim_with_a_key_gets_its_token_again(tables: Tables) -> None:
    created = await tables.create(WhistCreateTableRequest(), Caller())
    request = ClaimPlaceRequest(table=created.id, join_code=created.join_codes[0], idempotency_key="k")
    assert await tables.claim(request, Caller()) == await tables.claim(request, Caller())
    with Refused("KEY_REUSED"):
        other = ClaimPlaceRequest(table=created.id, join_code=created.join_codes[0], idempotency_key="k", name="x")
        await tables.claim(other, Caller())


async def test_the_cards_wait_for_the_host_or_for_every_place(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", start=False)
    assert (await evening.seen(evening.host)).status == "open"
    with Refused("NOT_STARTED"):
        await evening.legal(0)
    with Refused("NOT_STARTED"):
        await evening.play(evening.places[0], "play AS", idempotency_key="k")
    with Refused("FORBIDDEN"):
        await tables.start(StartTableRequest(table=evening.id), Caller(evening.places[0]))
    for place in range(3):
        await evening.entropy(place, "0" + str(place))
    assert (await evening.seen(evening.host)).status == "open"
    await evening.entropy(3, "ff")
    assert (await evening.seen(evening.host)).status == "playing"
    with Refused("ALREADY_STARTED"):
        await evening.start()
    with Refused("ENTROPY_CLOSED"):
        await evening.entropy(0, "00")


async def test_cards_that_the_caller_chose_are_dealt_when_all_have_come(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", start=False, seed="ours")
    seen = await evening.seen(evening.host)
    assert (seen.status, seen.cards_from, seen.commitment) == ("playing", "seed", None)
    with Refused("ENTROPY_CLOSED"):
        await evening.entropy(0, "00")


async def test_the_host_may_start_with_places_unclaimed(tables: Tables) -> None:
    created = await tables.create(WhistCreateTableRequest(), Caller())
    evening = Evening(tables, created, [])
    await evening.start()
    late = await tables.claim(ClaimPlaceRequest(table=created.id, join_code=created.join_codes[0]), Caller())
    view = (await evening.seen(late.token)).view
    assert view is not None
    assert len(view.hands[0].cards) == 13


async def test_each_sees_their_own_hand_only(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", spectators=True, seed="1")
    for place, token in enumerate(evening.places):
        view = (await evening.seen(token)).view
        assert view is not None
        assert [len(hand.cards) > 1 for hand in view.hands] == [seat == place for seat in range(4)]
        assert view.seed is None
    for nobody in (None, evening.host):
        view = (await evening.seen(nobody)).view
        assert view is not None
        assert view.viewer == "spectator"
        assert not any(len(hand.cards) > 1 for hand in view.hands)


async def test_without_spectators_there_is_no_table_without_a_token(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    with Refused("UNKNOWN_TABLE"):
        await evening.seen(None)
    with Refused("UNKNOWN_TABLE"):
        await evening.record(None)


async def test_a_host_who_sees_all_does_so_before_everybodys_eyes(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", hostSees="all")
    seen = await evening.seen(evening.host)
    assert seen.views is not None
    assert [len(view.hands[seat].cards) for seat, view in enumerate(seen.views)] == [13] * 4
    assert all(view.seed is None for view in seen.views)
    other = await evening.seen(evening.places[0])
    assert other.host_sees == "all"
    assert other.views is None


async def test_deals_happen_by_themselves_or_are_the_dealers(tables: Tables) -> None:
    by_itself = await Evening.of(tables, "whist", seed="7", options={"match": "game", "target": 9})
    by_dealer = await Evening.of(tables, "whist", seed="7", options={"match": "game", "target": 9}, deals="dealer")
    for evening, by_place in ((by_itself, False), (by_dealer, True)):
        rng = random.Random(7)
        for _ in range(51):
            await evening.random_move(rng)
        last = await evening.random_move(rng)
        assert last is not None
        assert any(isinstance(event, Dealt) for event in last.events) != by_place
        if by_place:
            dealer = await evening.to_act()
            assert dealer is not None
            assert await evening.legal(dealer) == ["deal"]


async def test_an_illegal_move_is_refused_in_the_callers_language_and_changes_nothing(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", seed="1")
    place = await evening.to_act()
    assert place is not None
    before = await evening.version()
    other = evening.places[(place + 1) % 4]
    with pytest.raises(IllegalMove) as caught:
        await evening.play(other, (await _own_card(evening, (place + 1) % 4)), expected_version=before)
    assert caught.value.violation.code == "NOT_YOUR_TURN"
    assert await evening.version() == before


async def _own_card(evening: Evening, place: int) -> str:
    view = (await evening.seen(evening.places[place])).view
    assert view is not None
    return f"play {view.hands[place].cards[0]}"


async def test_a_move_needs_a_version_or_a_key(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    with pytest.raises(Malformed):
        await evening.play(evening.places[0], "play AS")


async def test_nobody_plays_for_another_place(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    place = await evening.to_act()
    assert place is not None
    with Refused("FORBIDDEN"):
        await evening.play(evening.places[place], "play AS", seat=(place + 1) % 4, idempotency_key="k")
    with Refused("FORBIDDEN"):
        await evening.play(evening.host, "play AS", idempotency_key="k")
    with Refused("FORBIDDEN"):
        await evening.play(evening.places[place], "deal deck AS,KS", idempotency_key="k")


async def test_one_place_plays_two_seats_in_dummy_whist(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", options={"dummy": True, "dummyPartner": 0, "match": "deal"}, places=3)
    rng = random.Random(3)
    seats = set()
    while (place := await evening.to_act()) is not None:
        view = (await evening.seen(evening.places[place])).view
        assert view is not None
        assert view.to_act is not None
        seats.add((place, view.to_act.hand))
        await evening.random_move(rng)
    assert {hand for _, hand in seats} == {0, 1, 2, 3}
    assert (await evening.seen(evening.host)).status == "ended"


async def test_the_host_takes_moves_back_one_by_one(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", seed="5")
    rng = random.Random(5)
    views = [(await evening.seen(evening.places[0])).view]
    for _ in range(3):
        await evening.random_move(rng)
        views.append((await evening.seen(evening.places[0])).view)
    version = await evening.version()
    for back in (2, 1, 0):
        assert await evening.undo() == version + 1
        version += 1
        assert encoded((await evening.seen(evening.places[0])).view) == encoded(views[back])
    with Refused("NOTHING_TO_UNDO"):
        await evening.undo()
    with Refused("FORBIDDEN"):
        await evening.undo(evening.places[0])
    await evening.random_move(rng)
    assert len((await evening.record(evening.host)).moves) == 1


async def test_taking_back_a_move_takes_back_the_deal_that_followed_it(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", seed="7", options={"match": "game", "target": 9})
    rng = random.Random(7)
    for _ in range(51):
        await evening.random_move(rng)
    before = (await evening.seen(evening.places[0])).view
    await evening.random_move(rng)
    await evening.undo()
    assert encoded((await evening.seen(evening.places[0])).view) == encoded(before)


async def test_a_side_has_resigned_when_all_of_it_has(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    await evening.resign(2)
    assert (await evening.seen(evening.places[0])).ended is None
    await evening.resign(0)
    ended = (await evening.seen(evening.places[0])).ended
    assert ended is not None
    assert (ended.reason, ended.place, ended.winners) == ("resigned", 0, (1,))
    with Refused("TABLE_ENDED"):
        await evening.resign(1)


async def test_among_several_who_resigns_is_played_for(tables: Tables) -> None:
    evening = await Evening.of(tables, "flip7", seed="3")
    first = await evening.to_act()
    assert first is not None
    await evening.resign(first)
    assert await evening.to_act() not in (None, first)
    with Refused("FORBIDDEN"):
        await evening.resign(first)
    rng = random.Random(3)
    for _ in range(200):
        if await evening.to_act() is None:
            break
        assert await evening.to_act() != first
        await evening.random_move(rng)
    record = await evening.record(evening.places[0])
    assert record.table is not None
    assert record.table.resigned == (first,)
    left = [place for place in range(3) if place != first]
    if (await evening.seen(evening.host)).status != "ended":
        await evening.resign(left[0])
    assert (await evening.seen(evening.host)).status == "ended"


async def test_a_turn_that_is_over_is_played_by_default(store: Store) -> None:
    clock = Clock()
    tables = tables_over(store, clock)
    evening = await Evening.of(tables, "whist", turnSeconds=30)
    seen = await evening.seen(evening.host)
    place = await evening.to_act()
    version = seen.version
    assert seen.turn_ends_at == "2026-01-01T11:00:30.000Z"
    clock.now += 29
    assert await evening.version() == version
    clock.now += 2
    assert await evening.version() == version + 1
    assert await evening.to_act() != place
    assert place is not None
    with Refused("STALE_VERSION"):
        await evening.play(evening.places[place], "play AS", expected_version=version)


async def test_the_table_expires_when_nothing_happens(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist", ttlSeconds=1)
    await asyncio.sleep(1.3)
    with Refused("UNKNOWN_TABLE"):
        await evening.seen(evening.host)


async def test_an_ended_table_is_seen_and_takes_nothing(tables: Tables) -> None:
    evening = await Evening.of(tables, "whist")
    await evening.end()
    seen = await evening.seen(evening.places[0])
    assert seen.ended is not None
    assert (seen.status, seen.ended.reason, seen.ended.winners) == ("ended", "endedByHost", ())
    for act in (evening.end(), evening.undo(), evening.start(), evening.resign(0), evening.reissue(evening.host)):
        with Refused("TABLE_ENDED"):
            await act
    with Refused("TABLE_ENDED"):
        await evening.play(evening.places[0], "play AS", idempotency_key="k")


# --- cards that others hold


async def test_the_host_tells_the_cards_where_they_are_real(tables: Tables) -> None:
    evening = await Evening.of(tables, "flip7", chance="caller", start=False)
    seen = await evening.seen(evening.host)
    assert seen.cards_from == "caller"
    place = await evening.to_act()
    assert place is not None
    with Refused("FORBIDDEN"):
        await evening.play(evening.places[place], "draw 7", idempotency_key="a")
    for number, card in enumerate(("7", "8", "9")):
        await evening.play(evening.host, f"draw {card}", idempotency_key=str(number))
    view = (await evening.seen(evening.host)).view
    assert view is not None


async def test_a_told_deal_stays_hidden_in_events_and_the_record(tables: Tables) -> None:
    deck = ",".join(PACK)
    evening = await Evening.of(tables, "whist", chance="caller", start=False)
    told = await evening.play(evening.host, f"deal deck {deck}", idempotency_key="d")
    assert not any(hand.cards for event in told.events if isinstance(event, Dealt) for hand in event.hands)
    record = await evening.record(evening.places[0])
    assert [encoded(step.move) for step in record.moves] == [b'{"type":"deal"}']
    await evening.end()
    assert b"AS" in encoded((await evening.record(evening.places[0])).moves)


# --- what cannot be opened


@pytest.mark.parametrize(
    ("facts", "path"),
    [
        ({"names": ["a"]}, "$.names"),
        ({"meta": [{}]}, "$.meta"),
        ({"meta": [{"a": "x" * 5_000}, {}, {}, {}]}, "$.meta"),
        ({"places": 7}, "$.places"),
        ({"seed": "a", "chance": "caller"}, "$.seed"),
        ({"deck": ["AS"]}, "$.deck"),
    ],
)
async def test_what_no_table_can_be_made_from(tables: Tables, facts: dict[str, Any], path: str) -> None:
    with pytest.raises(Malformed) as caught:
        await Evening.of(tables, "whist", **facts)
    assert caught.value.path == path


async def test_meta_is_given_back_as_it_came(tables: Tables) -> None:
    meta = [{"avatar": "🂡", "n": 1}, {}, {"nested": {"a": [1, None, 2.5]}}, {}]
    evening = await Evening.of(tables, "whist", meta=meta)
    assert [place.meta for place in (await evening.seen(evening.places[3])).places] == [meta[0], None, meta[2], None]


async def test_a_table_is_created_once_for_a_key(tables: Tables) -> None:
    request: CreateTableRequest = WhistCreateTableRequest(idempotency_key="evening 1")
    first = await tables.create(request, Caller())
    assert await tables.create(request, Caller()) == first
    with Refused("KEY_REUSED"):
        await tables.create(WhistCreateTableRequest(idempotency_key="evening 1", spectators=True), Caller())
