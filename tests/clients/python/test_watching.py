"""Whatever ends a watch before its table does: it resumes behind the last version, and nothing comes twice."""

from collections.abc import Sequence
from typing import Any

import pytest

from scheids_client import Scheids, ScheidsError, errors, models
from scheids_client._sync.transport import Frames
from scheids_client.errors import own_error

Told = models.WatchTableResponse | ScheidsError | None


class Script(Frames):
    """Frames as they are written down."""

    def __init__(self, told: Sequence[Told]) -> None:
        self._told = list(told)
        self.closed = False

    def next(self) -> models.WatchTableResponse | None:
        told = self._told.pop(0)
        if isinstance(told, ScheidsError):
            raise told
        return told

    def close(self) -> None:
        self.closed = True


class Scripted:
    """A transport that only watches: one script after the other. What it was asked is kept."""

    def __init__(self, *scripts: Script | ScheidsError | None) -> None:
        self._scripts = list(scripts)
        self.asked: list[int | None] = []

    def watch(self, request: models.WatchTableRequest, _asked: object) -> Script | None:
        self.asked.append(request.after_version)
        script = self._scripts.pop(0)
        if isinstance(script, ScheidsError):
            raise script
        return script


def frame(version: int, **named: Any) -> models.WatchTableResponse:
    return models.WatchTableResponse(version=version, act="moved", **named)


def whole(version: int, *, reset: bool = False) -> models.WatchTableResponse:
    table = models.GetTableResponse(
        id="t",
        version=version,
        game="whist",
        status="playing",
        places=(),
        cards_from="seed",
        host_sees="spectator",
        spectators=True,
        deals="auto",
        created_at="",
    )
    return models.WatchTableResponse(version=version, reset=reset, table=table)


def gone(why: models.WatchGone, version: int = 0) -> models.WatchTableResponse:
    return models.WatchTableResponse(version=version, gone=why)


BROKEN = own_error("UNREACHABLE", "broken off")
AWAY = own_error("STORE_AWAY", "away")
HEARTBEAT = models.WatchTableResponse(version=3)
END = models.TableEnd(at="", reason="over")


def watched(*scripts: Script | ScheidsError | None, patience: float = 5) -> tuple[Scripted, Any]:
    client = Scheids("http://nowhere")
    transport = Scripted(*scripts)
    client._transport = transport  # type: ignore[assignment]  # noqa: SLF001 - in place of the one that it made
    return transport, client.table("t").watch(patience=patience)


def test_it_resumes_behind_what_came() -> None:
    scripts: list[Script | ScheidsError] = [
        Script([whole(3), HEARTBEAT, frame(4), BROKEN]),
        BROKEN,
        Script([frame(4), frame(5), gone("slow")]),
        AWAY,
        Script([frame(6), gone("stopping", 6)]),
        Script([frame(7), frame(8, ended=END)]),
    ]
    transport, watch = watched(*scripts)
    assert [each.version for each in watch] == [3, 4, 5, 6, 7, 8]
    assert transport.asked == [None, 4, 4, 5, 5, 6]
    assert watch.version == 8
    assert all(script.closed for script in scripts if isinstance(script, Script))
    assert list(watch) == []


def test_a_reset_may_go_back() -> None:
    transport, watch = watched(Script([whole(9), frame(10), whole(7, reset=True), frame(8), BROKEN]), None)
    assert [each.version for each in watch] == [9, 10, 7, 8]
    assert transport.asked == [None, 8]


@pytest.mark.parametrize(("why", "kind"), [("revoked", errors.InvalidToken), ("expired", errors.UnknownTable)])
def test_what_cannot_be_resumed_is_told(why: models.WatchGone, kind: type[ScheidsError]) -> None:
    _, watch = watched(Script([whole(3), gone(why)]))
    assert next(watch).version == 3
    with pytest.raises(kind):
        next(watch)


def test_its_patience_ends() -> None:
    _, watch = watched(*[BROKEN] * 1_000, patience=0.2)
    with pytest.raises(errors.Unreachable):
        next(watch)
