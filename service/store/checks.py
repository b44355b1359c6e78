"""What both stores judge alike: whether an answer is given again, and whether frames lead on."""

from collections.abc import Sequence

from msgspec import Struct

from . import Frame, Frames, KeyReused, Once, Repeated, Reset, Revoked


class Remembered(Struct, frozen=True):
    """An answer as it is kept: what came under its key, from a token of which epoch, and what it led to."""

    body: bytes
    epoch: int | None
    version: int
    answer: bytes


def again(
    first: Remembered | None, once: Once | None, epoch: int | None, *, good: bool
) -> Repeated | KeyReused | Revoked | None:
    """What a key and a token come to (checks 2 to 4 of `Store.commit`); None where nothing stands against them.

    `first` is what is remembered under the key, `good` whether the token is of today's epoch. A token that no longer
    is gets its own answer again and nobody else's: whoever replaced it in a call whose answer was lost can ask again.
    """
    if first is not None and once is not None and first.body == once.body and (good or first.epoch == epoch):
        return Repeated(first.answer, first.version)
    if not good:
        return Revoked()
    return None if first is None else KeyReused()


def lead_on(read: Sequence[Frame], after: int, mark: bytes | None, limit: int, table: Frames) -> Frames | Reset:
    """The frames behind version `after`, of those `read` from it on; `Reset` where they do not lead on from there.

    `table` has everything but the frames. The frame of version `after` itself tells whether a failover has undone it.
    """
    at = read[0] if read and read[0].version == after else None
    behind = tuple(read[:limit] if at is None else read[1 : limit + 1])
    undone = mark is not None and after > 0 and (at is None or at.mark != mark)
    trimmed = after < table.version and (not behind or behind[0].version != after + 1)
    if undone or trimmed or after > table.version:
        return Reset(table.version)
    return Frames(behind, table.version, table.ended, table.left)
