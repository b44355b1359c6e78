"""Hosted tables as a user of the client has them, the same over each transport."""

import asyncio
import random
import threading
import time
from collections.abc import Sequence

import httpx
import pytest

from scheids_client import AsyncScheids, AsyncTable, IllegalMove, Scheids, StaleVersion, Table, bots, errors, models
from tests.clients.python.proxy import proxied


def seated(scheids: Scheids, game: str = "whist", places: int = 4, **named: object) -> tuple[Table, list[Table]]:
    """A table as its host has it, and as each of its places has."""
    made = scheids.create_table(game, **{"seed": "x", "places": places, **named})  # type: ignore[call-overload]
    return made.host, [scheids.claim(made.id, code) for code in made.join_codes]


def acting(tables: Sequence[Table]) -> Table:
    view = tables[0].get().view
    assert view
    assert view.to_act
    return tables[view.to_act.seat]


def first_move(table: Table) -> models.LegalMove:
    return table.legal_moves().legal.moves[0]


def test_from_its_opening_to_its_end(scheids: Scheids) -> None:
    made = scheids.create_table("flip7", places=2, names=["An", "Bo"], meta=[{"seat": {"x": [1, None]}}, {}])
    assert (made.version, len(made.join_codes), made.host.version) == (1, 2, 1)
    assert made.commitment
    an, bo = (
        scheids.claim(made.id, code, name=name) for code, name in zip(made.join_codes, ("Ann", "Bob"), strict=True)
    )
    assert (an.place, bo.place) == (0, 1)
    with pytest.raises(errors.NotStarted):
        an.legal_moves()
    assert an.add_entropy("00ff") == 4
    assert bo.add_entropy() == 5
    with pytest.raises(errors.EntropyClosed):
        bo.add_entropy()
    with pytest.raises(errors.AlreadyStarted):
        made.host.start()
    seen = an.get()
    assert (seen.status, seen.place, seen.places[1].name) == ("playing", 0, "Bob")
    assert seen.places[0].meta == {"seat": {"x": [1, None]}}
    assert isinstance(seen.view, models.Flip7State)
    assert scheids.table(an.id, an.token).get() == seen
    mover = acting([an, bo])
    played = mover.play(first_move(mover))
    assert (played.version, mover.version) == (seen.version + 1, seen.version + 1)
    made.host.get()
    assert made.host.undo() == played.version + 1
    with pytest.raises(errors.NothingToUndo):
        made.host.undo()
    assert bo.resign() == played.version + 2
    over = an.get()
    assert over.ended
    assert (over.status, over.ended.reason, over.ended.place) == ("ended", "resigned", 1)
    assert over.sheet
    record = an.record()
    assert isinstance(record, models.Flip7ReplayRequest)
    assert record.table
    assert record.table.complete
    replayed = scheids.replay(record)
    assert replayed.sheet == record.result
    with pytest.raises(errors.TableEnded):
        made.host.end()


def test_a_move_is_meant_for_the_version_that_was_seen(scheids: Scheids) -> None:
    host, tables = seated(scheids)
    mover = acting(tables)
    other = scheids.table(mover.id, mover.token)
    move = first_move(mover)
    other.get()
    mover.play(move, idempotency_key="once")
    with pytest.raises(StaleVersion) as refused:
        other.play(move)
    assert refused.value.version == mover.version
    again = other.play(move, expected_version=(mover.version or 0) - 1, idempotency_key="once")
    assert again.version == mover.version
    with pytest.raises(errors.KeyReused):
        other.play("play 2C", idempotency_key="once")
    with pytest.raises(IllegalMove):
        mover.play(move)
    follower = acting(tables)
    follower.version = 1
    follower.play(first_move(scheids.table(follower.id, follower.token)), any_version=True)
    host.get()
    assert host.undo() == follower.version + 1
    with pytest.raises(StaleVersion):
        host.undo(expected_version=1)
    host.end()
    with pytest.raises(errors.WrongMoment):
        mover.play(move)


def test_tokens(scheids: Scheids) -> None:
    host, (an, *_) = seated(scheids)
    with pytest.raises(errors.InvalidToken):
        scheids.table(an.id, "nonsense").get()
    with pytest.raises(errors.NoToken) as none:
        scheids.table(an.id).legal_moves()
    assert isinstance(none.value, errors.Unauthenticated)
    with pytest.raises(errors.UnknownTable) as unknown:
        scheids.table(an.id).get()
    assert isinstance(unknown.value, errors.NotFound)
    with pytest.raises(errors.Forbidden):
        an.end()
    with pytest.raises(errors.Forbidden):
        host.resign()
    for nothing in ("", "a/b?c"):
        with pytest.raises(errors.UnknownTable):
            scheids.table(nothing, an.token).get()
    with pytest.raises(errors.BadJoinCode):
        scheids.claim(an.id, "nonsense")
    old = scheids.table(an.id, an.token)
    new = an.reissue()
    assert (an.token, new.join_code) == (new.token, None)
    assert an.get().place == 0
    with pytest.raises(errors.InvalidToken):
        old.get()
    code = host.reissue(0).join_code
    assert code
    with pytest.raises(errors.InvalidToken):
        an.get()
    assert scheids.claim(an.id, code).get().place == 0


def test_a_key_makes_one_table(scheids: Scheids) -> None:
    one = scheids.create_table("whist", idempotency_key="nobody guesses this")
    two = scheids.create_table("whist", idempotency_key="nobody guesses this")
    assert (one.id, one.host.token, one.join_codes) == (two.id, two.host.token, two.join_codes)
    assert scheids.claim(one.id, one.join_codes[0], idempotency_key="k").token == (
        scheids.claim(one.id, one.join_codes[0], idempotency_key="k").token
    )
    assert scheids.create_table("whist").id != scheids.create_table("whist").id


def test_all_pages_of_a_places_moves(scheids: Scheids) -> None:
    _, tables = seated(scheids)
    mover = acting(tables)
    assert len(list(mover.iter_legal_moves(limit=4))) == 13
    pages = mover.iter_legal_moves(limit=4)
    move = next(pages)
    mover.play(move)
    with pytest.raises(StaleVersion):
        list(pages)


def test_tickets_are_for_browsers(scheids: Scheids, address: str) -> None:
    _, (an, *_) = seated(scheids)
    if address.startswith("grpc"):
        with pytest.raises(errors.UnsupportedOverGrpc):
            an.event_ticket()
        return
    ticket = an.event_ticket()
    assert ticket.seconds == 60
    events = f"{address}/v1/tables/{an.id}/events?ticket={ticket.ticket}"
    with httpx.stream("GET", events) as response:
        assert response.status_code == 200


def test_a_change_that_broke_off_is_made_once(address: str) -> None:
    scheme, _, there = address.partition("://")
    with (
        Scheids(address) as direct,
        proxied(there) as proxy,
        Scheids(f"{scheme}://127.0.0.1:{proxy.port}") as client,
    ):
        _, places = seated(direct)
        tables = [client.table(each.id, each.token) for each in places]
        for number in range(6):
            mover = acting(tables)
            before = mover.get().version
            move = first_move(mover)
            if scheme == "http" or number % 3 == 0:
                proxy.cut_at_answer = 1
            assert mover.play(move).version == before + 1
            proxy.cut_at_answer = 0
        assert len(places[0].record().moves) == 6


# --- watching


def frames_of(table: Table, heard: list[models.WatchTableResponse], **named: int) -> threading.Thread:
    """Collects a table's frames in another thread."""

    def watch() -> None:
        with table.watch(**named) as frames:
            heard.extend(frames)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def play_on(tables: Sequence[Table], moves: int) -> None:
    for _ in range(moves):
        mover = acting(tables)
        mover.play(first_move(mover))


def test_every_version_once_whatever_breaks_off(address: str) -> None:
    scheme, _, there = address.partition("://")
    with (
        Scheids(address) as direct,
        proxied(there) as proxy,
        Scheids(f"{scheme}://127.0.0.1:{proxy.port}") as client,
    ):
        host, tables = seated(direct, spectators=True)
        heard: list[models.WatchTableResponse] = []
        begun = host.get().version
        thread = frames_of(client.table(host.id), heard)
        while not heard:
            time.sleep(0.01)
        for _ in range(5):
            play_on(tables, 2)
            proxy.cut()
        last = host.end()
        thread.join(20)
        assert not thread.is_alive()
        first, *rest = heard
        assert first.table
        assert begun <= first.version
        assert [frame.version for frame in rest] == list(range(first.version + 1, last + 1))
        assert rest[-1].ended
        again = list(client.table(host.id).watch(after_version=begun))
        assert [frame.version for frame in again] == list(range(begun + 1, last + 1))
        assert list(client.table(host.id).watch(after_version=last)) == []
        (whole,) = client.table(host.id).watch()
        assert whole.ended


def test_a_watch_ends_with_its_token(scheids: Scheids) -> None:
    host, (an, *_) = seated(scheids)
    with an.watch() as frames:
        assert next(frames).table
        code = host.reissue(0).join_code
        assert next(frames).act == "reissued"
        with pytest.raises(errors.InvalidToken):
            next(frames)
    assert code
    with pytest.raises(errors.UnknownTable):
        next(scheids.table(an.id).watch())
    with pytest.raises(errors.Unauthenticated):
        next(scheids.table(an.id, "nonsense").watch())


def test_a_watch_is_closed_from_elsewhere(scheids: Scheids) -> None:
    _, (an, *_) = seated(scheids)
    frames = an.watch()
    assert next(frames).version
    frames.close()
    assert list(frames) == []


# --- bots


def test_bots_play_every_seat(scheids: Scheids) -> None:
    host, tables = seated(scheids, "whist", options={"match": "deal"})
    choices = random.Random(1)
    ends: list[models.GetTableResponse] = []
    threads = [
        threading.Thread(target=lambda each=each: ends.append(bots.play_seat(each, lambda _, m: choices.choice(m))))
        for each in tables
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [end.status for end in ends] == ["ended"] * 4
    assert len(host.record().moves) == 52


def test_a_bots_fault_is_its_callers(scheids: Scheids) -> None:
    _, tables = seated(scheids)
    mover = acting(tables)
    with pytest.raises(IllegalMove):
        bots.play_seat(mover, lambda _, moves: "play 2C" if moves[0].text != "play 2C" else "play 2D")
    with pytest.raises(ZeroDivisionError):
        bots.play_seat(mover, lambda _view, _moves: str(1 // 0))


async def test_with_waiting(address: str) -> None:
    async with AsyncScheids(address) as client:
        made = await client.create_table("flip7", places=2)
        an, bo = [await client.claim(made.id, code) for code in made.join_codes]
        await made.host.start()

        async def choose(_: models.State, moves: Sequence[models.LegalMove]) -> models.MoveInput:
            return moves[-1]

        async def watch(table: AsyncTable) -> list[int]:
            async with table.watch() as frames:
                return [frame.version async for frame in frames]

        ends = await asyncio.gather(
            bots.play_seat(an, choose),
            bots.play_seat(bo, lambda _, moves: moves[-1]),
            watch(client.table(bo.id, bo.token)),
        )
        assert ends[0].ended == ends[1].ended
        assert ends[2] == list(range(ends[2][0], ends[0].version + 1))
        with pytest.raises(errors.TableEnded):
            await an.play("hit", any_version=True)
