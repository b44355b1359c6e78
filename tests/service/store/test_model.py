"""Random calls on each store, against the contract written once more, as plainly as it can be."""

import random
from typing import Any

import pytest

from service.store import (
    ANSWERS_KEPT,
    Commit,
    CommitOutcome,
    Committed,
    Ended,
    Frames,
    Fresh,
    KeyReused,
    NoTable,
    RecallOutcome,
    Repeated,
    Reset,
    Revoked,
    Stale,
)
from tests.service.conftest import Make
from tests.service.store.tables import create, once, read

FRAMES_KEPT = 12
CALLS = 250


class Model:
    """One table."""

    def __init__(self) -> None:
        self.version = 1
        self.mark = b""
        self.ended = False
        self.there = True
        self.document = b"document 1"
        self.epochs = {0: 1, 1: 1}
        self.answers: dict[tuple[int, str], Commit] = {}
        self.frames = [b"frame 1"]

    def guard(self, place: int, epoch: int | None, key: Any) -> RecallOutcome | None:
        if not self.there:
            return NoTable()
        first = None if key is None else self.answers.get((place, key.key))
        good = epoch is None or self.epochs.get(place) == epoch
        if first is not None and first.once == key and (good or first.epoch == epoch):
            return Repeated(first.answer, first.version + 1)
        if not good:
            return Revoked()
        return None if first is None else KeyReused()

    def recall(self, place: int, epoch: int | None, key: Any) -> RecallOutcome:
        return self.guard(place, epoch, key) or Fresh(self.version, self.ended)

    def commit(self, commit: Commit) -> CommitOutcome:
        refused = self.guard(commit.place, commit.epoch, commit.once)
        if refused is not None:
            assert not isinstance(refused, Fresh)
            return refused
        if self.ended:
            return Ended(self.version)
        if commit.version != self.version or commit.mark not in (None, self.mark):
            return Stale(self.version)
        self.version += 1
        self.ended = commit.ends
        self.document = commit.document
        self.epochs |= commit.epochs
        self.frames.append(commit.frame)
        if commit.once is not None:
            self.answers[commit.place, commit.once.key] = commit
            if len(self.answers) > ANSWERS_KEPT:
                del self.answers[next(iter(self.answers))]
        return Committed(self.version, b"")

    def after(self, version: int, limit: int) -> Reset | list[bytes]:
        if version > self.version or version < self.version - FRAMES_KEPT:
            return Reset(self.version)
        return self.frames[version : version + limit]


@pytest.mark.parametrize("seed", range(4))
async def test_random_calls(make: Make, seed: int) -> None:
    store = make(frames_kept=FRAMES_KEPT)
    rng = random.Random(seed)
    table, model = await create(store, epochs={0: 1, 1: 1}), Model()
    model.mark = (await read(store, table)).mark
    for number in range(CALLS):
        place = rng.randrange(2)
        epoch = rng.choice([None, model.epochs[place], model.epochs[place], model.epochs[place] - 1])
        key = rng.choice([None, once(f"k{rng.randrange(24)}", rng.choice("aaab"))])
        context = f"call {number} of seed {seed}"
        match rng.randrange(8):
            case 0:
                expected: object = model.recall(place, epoch, key)
                assert await store.recall(table, place, epoch=epoch, once=key) == expected, context
            case 1:
                after, limit = max(model.version + rng.randrange(-15, 3), 0), rng.randrange(1, 20)
                frames = await store.frames(table, after, limit=limit)
                found = [frame.data for frame in frames.frames] if isinstance(frames, Frames) else frames
                assert found == model.after(after, limit), context
            case _:
                commit = Commit(
                    table=table,
                    place=place,
                    epoch=epoch,
                    version=model.version - (rng.random() < 0.1) + (rng.random() < 0.05),
                    mark=rng.choice([None, model.mark, model.mark, rng.randbytes(8)]),
                    document=f"document {number}".encode(),
                    frame=f"frame {number}".encode(),
                    once=key,
                    answer=f"answer {number}".encode(),
                    epochs={place: model.epochs[place] + 1} if rng.random() < 0.1 else {},
                    ends=number > CALLS - 20 and rng.random() < 0.2,
                )
                expected, done = model.commit(commit), await store.commit(commit)
                if isinstance(done, Committed):
                    model.mark = done.mark
                    done = Committed(done.version, b"")
                assert done == expected, context
        state = await read(store, table, places=[0, 1])
        assert (state.version, state.mark, state.document) == (model.version, model.mark, model.document), context
        assert (state.ended, state.epochs) == (model.ended, model.epochs), context
    await store.delete(table)
    model.there = False
    assert await store.recall(table, 0) == model.recall(0, None, None)
