"""The contract of a store (service/store/__init__.py), the same for each of them."""

import asyncio
import threading

import pytest
import uvloop

from service.store import (
    ANSWERS_KEPT,
    HOST,
    Commit,
    Committed,
    Created,
    Ended,
    Frames,
    Fresh,
    IdTaken,
    KeyReused,
    NewTable,
    NoTable,
    Once,
    Repeated,
    Reset,
    Revoked,
    Stale,
    Store,
    new_table_id,
)
from tests.service.conftest import Make
from tests.service.store.tables import TTL, create, move, once, play, read

ODD_BYTES = bytes(range(256)) * 40


async def test_what_was_created_can_be_read(store: Store) -> None:
    table = await create(store, document=ODD_BYTES, frame=ODD_BYTES[::-1], epochs={HOST: 3, 0: 1, 1: 1})
    found = await read(store, table, places=[HOST, 0, 7])
    assert (found.version, found.document, found.ended) == (1, ODD_BYTES, False)
    assert found.epochs == {HOST: 3, 0: 1}
    assert TTL - 30 < found.left <= TTL
    frames = await store.frames(table, 0)
    assert isinstance(frames, Frames)
    assert [(frame.version, frame.data, frame.mark) for frame in frames.frames] == [(1, ODD_BYTES[::-1], found.mark)]


async def test_an_id_is_taken_once(store: Store) -> None:
    table = await create(store)
    assert await store.create(NewTable(id=table, document=b"other", frame=b"", ttl=TTL)) == IdTaken()
    assert (await read(store, table)).document == b"document 1"


async def test_what_is_no_id_is_no_table(store: Store) -> None:
    for text in ("", "{}", "a" * 27, "A" * 28, new_table_id() + "a", new_table_id()):
        assert await store.read(text) == NoTable()
        assert await store.frames(text, 0) == NoTable()
        assert await store.recall(text, 0) == NoTable()
        assert await move(store, text, 1) == NoTable()
        assert not await store.delete(text)
    with pytest.raises(ValueError, match="new_table_id"):
        await create(store, id="mine")
    with pytest.raises(ValueError, match="new_table_id"):
        await create(store, id=new_table_id("a"), once=once("b"))


async def test_creating_again_under_a_key_gives_the_first_answer(store: Store) -> None:
    first = new_table_id("key")
    new = NewTable(id=first, document=b"1", frame=b"1", ttl=TTL, once=once("key"), answer=ODD_BYTES)
    assert isinstance(await store.create(new), Created)
    second = NewTable(id=new_table_id("key"), document=b"2", frame=b"2", ttl=TTL, once=once("key"), answer=b"2")
    assert await store.create(second) == Repeated(ODD_BYTES, 1)
    assert await store.read(second.id) == NoTable()
    third = NewTable(id=new_table_id("key"), document=b"3", frame=b"3", ttl=TTL, once=once("key", "other"))
    assert await store.create(third) == KeyReused()
    assert (await read(store, first)).document == b"1"


async def test_creating_under_one_key_at_once_makes_one_table(store: Store) -> None:
    news = [
        NewTable(
            id=new_table_id("race"), document=b"", frame=b"", ttl=TTL, once=once("race"), answer=str(number).encode()
        )
        for number in range(16)
    ]
    made = await asyncio.gather(*(store.create(new) for new in news))
    (winner,) = [number for number, one in enumerate(made) if isinstance(one, Created)]
    assert all(one == Repeated(str(winner).encode(), 1) for number, one in enumerate(made) if number != winner)
    there = [not isinstance(await store.read(new.id), NoTable) for new in news]
    assert there.index(True) == winner
    assert sum(there) == 1


async def test_a_commit_writes_everything(store: Store) -> None:
    table = await create(store, epochs={0: 1, 1: 1})
    before = await read(store, table)
    moved = await move(store, table, 1, document=ODD_BYTES, frame=ODD_BYTES, epoch=1, mark=before.mark, epochs={1: 2})
    assert isinstance(moved, Committed)
    after = await read(store, table, places=[0, 1])
    assert (after.version, after.mark, after.document) == (2, moved.mark, ODD_BYTES)
    assert moved.version == 2
    assert moved.mark != before.mark
    assert after.epochs == {0: 1, 1: 2}
    frames = await store.frames(table, 1, mark=before.mark)
    assert isinstance(frames, Frames)
    assert [(frame.version, frame.data, frame.mark, frame.last) for frame in frames.frames] == [
        (2, ODD_BYTES, moved.mark, False)
    ]


async def test_a_stale_commit_is_told_the_version_and_writes_nothing(store: Store) -> None:
    table = await create(store, epochs={0: 1})
    await play(store, table, 1, 4)
    for version in (1, 3, 5, 400):
        assert await move(store, table, version, epochs={0: 9}, once=once("k")) == Stale(4)
    found = await read(store, table, places=[0])
    assert (found.version, found.document, found.epochs) == (4, b"document 4", {0: 1})
    assert await store.recall(table, 0, once=once("k")) == Fresh(4, ended=False)


async def test_a_commit_from_another_document_of_the_same_version_is_stale(store: Store) -> None:
    table = await create(store)
    assert await move(store, table, 1, mark=b"12345678") == Stale(1)


async def test_a_document_that_is_known_is_not_sent(store: Store) -> None:
    table = await create(store)
    found = await read(store, table)
    assert (await read(store, table, known=(1, found.mark))).document is None
    assert (await read(store, table, known=(1, b"12345678"))).document == b"document 1"
    await play(store, table, 1, 2)
    assert (await read(store, table, known=(1, found.mark))).document == b"document 2"


async def test_a_token_of_an_older_epoch_is_revoked(store: Store) -> None:
    table = await create(store, epochs={0: 1})
    await play(store, table, 1, 2, epoch=1, epochs={0: 2})
    assert await move(store, table, 2, epoch=1) == Revoked()
    assert await move(store, table, 2, epoch=3) == Revoked()
    assert await move(store, table, 2, place=5, epoch=1) == Revoked()
    assert await store.recall(table, 0, epoch=1) == Revoked()
    assert await store.recall(table, 0, epoch=2) == Fresh(2, ended=False)
    assert await move(store, table, 9, epoch=1) == Revoked(), "before the version is looked at"
    assert isinstance(await move(store, table, 2, epoch=2), Committed)


async def test_a_key_gives_the_first_answer_again(store: Store) -> None:
    table = await create(store, epochs={0: 1})
    assert isinstance(await move(store, table, 1, once=once("k"), answer=ODD_BYTES, epoch=1), Committed)
    await play(store, table, 2, 5)
    again = Repeated(ODD_BYTES, 2)
    for version in (1, 5, 99):
        assert await move(store, table, version, once=once("k"), answer=b"other", epoch=1) == again
    assert await store.recall(table, 0, epoch=1, once=once("k")) == again
    assert (await read(store, table)).version == 5


async def test_a_key_with_another_body_is_refused(store: Store) -> None:
    table = await create(store)
    await play(store, table, 1, 2, once=once("k"))
    assert await move(store, table, 2, once=once("k", "other")) == KeyReused()
    assert await move(store, table, 1, once=once("k", "other")) == KeyReused(), "before the version is looked at"
    assert await store.recall(table, 0, once=once("k", "other")) == KeyReused()


async def test_a_key_belongs_to_its_table_and_place(store: Store) -> None:
    table, other = await create(store), await create(store)
    await play(store, table, 1, 2, once=once("k"), answer=b"first")
    await play(store, table, 2, 3, once=once("k", "other"), place=1)
    await play(store, table, 3, 4, once=once("k"), place=HOST)
    await play(store, other, 1, 2, once=once("k"))
    await play(store, table, 4, 5, once=once("1:k"), place=1)
    await play(store, table, 5, 6, once=once("k"), place=11)
    assert await move(store, table, 6, once=once("k")) == Repeated(b"first", 2)


async def test_odd_keys_are_keys(store: Store) -> None:
    table = await create(store)
    for version, key in enumerate(["", " ", "é\n{}", "'; --", "k" * 200], 1):
        await play(store, table, version, version + 1, once=once(key), answer=key.encode())
        assert await move(store, table, 99, once=once(key)) == Repeated(key.encode(), version + 1)


async def test_the_last_answers_are_remembered(store: Store) -> None:
    table = await create(store)
    await play(store, table, 1, 2, once=once("first"), answer=b"first")
    for version in range(2, ANSWERS_KEPT + 1):
        await play(store, table, version, version + 1, once=once(f"k{version}"), place=version % 3)
        await play(store, table, version + 1, version + 1, place=2)
    last = ANSWERS_KEPT + 1
    assert await move(store, table, last, once=once("first")) == Repeated(b"first", 2)
    await play(store, table, last, last + 1, place=2)
    assert await move(store, table, last, once=once("first")) == Repeated(b"first", 2), (
        "commits without a key count not"
    )
    await play(store, table, last + 1, last + 2, once=once("one more"))
    assert await move(store, table, last, once=once("first")) == Stale(last + 2)
    assert await move(store, table, 1, once=once("k2"), place=2) == Repeated(b"", 3)
    await play(store, table, last + 2, last + 3, once=once("first"), answer=b"anew")
    assert await move(store, table, last, once=once("first")) == Repeated(b"anew", last + 3)


async def test_a_token_replaced_by_its_own_call_gets_that_answer_again(store: Store) -> None:
    table = await create(store, epochs={0: 1})
    await play(store, table, 1, 2, epoch=1, epochs={0: 2}, once=once("reissue"), answer=b"new token")
    await play(store, table, 2, 3, epoch=2, once=once("after"), answer=b"secret")
    for ask in (1, 2):
        assert await move(store, table, 3, epoch=ask, once=once("reissue")) == Repeated(b"new token", 2)
        assert await store.recall(table, 0, epoch=ask, once=once("reissue")) == Repeated(b"new token", 2)
    assert await move(store, table, 3, epoch=1, once=once("after")) == Revoked(), "another token's answer"
    assert await store.recall(table, 0, epoch=1, once=once("after")) == Revoked()
    assert await move(store, table, 3, epoch=1, once=once("reissue", "other")) == Revoked()


async def test_an_ended_table_can_be_read_and_takes_nothing_more(store: Store) -> None:
    table = await create(store, epochs={0: 1})
    await play(store, table, 1, 2, once=once("end"), answer=b"won", ends=True, epoch=1)
    assert await move(store, table, 2) == Ended(2)
    assert await move(store, table, 1, once=once("other")) == Ended(2)
    assert await move(store, table, 1, epoch=9) == Revoked()
    assert await move(store, table, 1, once=once("end")) == Repeated(b"won", 2)
    assert await store.recall(table, 0) == Fresh(2, ended=True)
    found = await read(store, table)
    assert (found.ended, found.document) == (True, b"document 2")
    frames = await store.frames(table, 0)
    assert isinstance(frames, Frames)
    assert [frame.last for frame in frames.frames] == [False, True]
    assert frames.ended


async def test_a_deleted_table_is_gone(store: Store) -> None:
    table = await create(store, epochs={0: 4})
    await play(store, table, 1, 2)
    await play(store, table, 2, 3, once=once("k"))
    assert await store.delete(table)
    assert not await store.delete(table)
    assert await store.read(table) == NoTable()
    assert await store.frames(table, 1) == NoTable()
    assert await move(store, table, 3, once=once("k")) == NoTable()
    await create(store, id=table)
    found = await read(store, table, places=[0])
    assert (found.version, found.epochs) == (1, {})
    assert await store.recall(table, 0, once=once("k")) == Fresh(1, ended=False)


async def test_a_table_expires_unless_it_is_played_on(store: Store) -> None:
    played, left_alone = await create(store, ttl=1), await create(store, ttl=1)
    shortened = await create(store)
    await play(store, shortened, 1, 2, ttl=1)
    await asyncio.sleep(0.6)
    await play(store, played, 1, 2)
    assert (await read(store, left_alone)).left < 0.5
    await store.frames(left_alone, 0)
    await store.recall(left_alone, 0)  # nothing of this prolongs
    await asyncio.sleep(0.7)
    assert await store.read(left_alone) == NoTable()
    assert await store.read(shortened) == NoTable()
    assert (await read(store, played)).version == 2
    assert await move(store, left_alone, 1) == NoTable()
    await create(store, id=left_alone, document=b"anew")
    assert (await read(store, left_alone)).document == b"anew"
    await play(store, played, 2, 3, ttl=50)
    assert 40 < (await read(store, played)).left <= 50
    await play(store, played, 3, 4)
    assert 40 < (await read(store, played)).left <= 50, "a ttl replaces the table's"


async def test_frames_come_in_pieces(store: Store) -> None:
    table = await create(store)
    await play(store, table, 1, 10)
    seen, after = [], 0
    while after < 10:
        piece = await store.frames(table, after, limit=4)
        assert isinstance(piece, Frames)
        assert piece.version == 10
        assert len(piece.frames) <= 4
        seen += [frame.data for frame in piece.frames]
        after = piece.frames[-1].version
    assert seen == [f"frame {version}".encode() for version in range(1, 11)]
    nothing = await store.frames(table, 10)
    assert isinstance(nothing, Frames)
    assert nothing.frames == ()


async def test_frames_that_do_not_lead_on_are_a_reset(make: Make) -> None:
    store = make(frames_kept=5)
    table = await create(store)
    await play(store, table, 1, 10)
    kept = await store.frames(table, 5)
    assert isinstance(kept, Frames)
    assert [frame.version for frame in kept.frames] == [6, 7, 8, 9, 10]
    marks = {frame.version: frame.mark for frame in kept.frames}
    assert await store.frames(table, 4) == Reset(10), "trimmed"
    assert await store.frames(table, 0) == Reset(10), "trimmed"
    assert await store.frames(table, 11) == Reset(10), "ahead of the store"
    assert await store.frames(table, 8, mark=marks[9]) == Reset(10), "a version that was undone"
    assert await store.frames(table, 10, mark=marks[9]) == Reset(10)
    led_on = await store.frames(table, 8, mark=marks[8])
    assert isinstance(led_on, Frames)
    assert [frame.version for frame in led_on.frames] == [9, 10]
    assert isinstance(await store.frames(table, 10, mark=marks[10]), Frames)


async def test_two_event_loops_share_a_store(make: Make) -> None:
    store = make()
    table = await create(store)

    async def elsewhere() -> None:
        await play(store, table, 1, 30)
        await store.close()

    thread = threading.Thread(target=lambda: uvloop.run(elsewhere()))
    thread.start()
    here = 0
    while thread.is_alive():
        here = (await read(store, table)).version
        await asyncio.sleep(0)
    thread.join()
    assert here <= 30
    assert (await read(store, table)).version == 30
    await store.ping()
    assert store.away is None


def test_a_digest_has_its_length() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Once("key", b"short")


async def test_racing_committers_win_one_version_each(store: Store) -> None:
    """64 on one table: each version has one winner, every loser is told where the table is."""
    table = await create(store)
    target, winners = 25, dict[int, int]()

    async def racer(number: int) -> None:
        version = 1
        while version < target:
            moved = await move(store, table, version, document=str(number).encode(), frame=str(number).encode())
            match moved:
                case Committed():
                    assert moved.version == version + 1
                    assert winners.setdefault(moved.version, number) == number, "two winners"
                    version = moved.version
                case Stale():
                    assert moved.version > version
                    version = moved.version
                case _:
                    raise AssertionError(moved)

    await asyncio.gather(*(racer(number) for number in range(64)))
    final = await read(store, table)
    frames = await store.frames(table, 1)
    assert isinstance(frames, Frames)
    assert {frame.version: int(frame.data) for frame in frames.frames} == winners
    assert sorted(winners) == list(range(2, final.version + 1))
    assert final.document == str(winners[final.version]).encode()


async def test_racing_with_one_key_moves_once(store: Store) -> None:
    table = await create(store)
    commits = [
        Commit(table=table, place=0, version=1, document=b"", frame=b"", once=once("k"), answer=str(number).encode())
        for number in range(32)
    ]
    done = await asyncio.gather(*(store.commit(commit) for commit in commits))
    (winner,) = [number for number, one in enumerate(done) if isinstance(one, Committed)]
    assert all(one == Repeated(str(winner).encode(), 2) for number, one in enumerate(done) if number != winner)
    assert (await read(store, table)).version == 2
