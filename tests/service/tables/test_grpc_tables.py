"""Tables over gRPC, with a real server and a store in a file: matches, watches, refusals, tokens, any bytes."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from service.beside import Beside
from service.rules import Rules
from service.store import StoreAway
from service.tables import Watcher
from service.transports.grpc import serve
from service.transports.grpc.tables import OPERATIONS
from service.wire.codec import descriptors
from service.wire.gen.scheids.v1 import common_pb2, referee_pb2, referee_pb2_grpc, tables_pb2, tables_pb2_grpc
from tests.service.grpc_messages import random_message
from tests.service.grpc_server import LIMITS, Refused, code_of, raw, raw_watch, refused, served, watcher_over
from tests.service.test_grpc_fuzz import mutated

Stub = tables_pb2_grpc.TablesStub
Frame = tables_pb2.WatchTableResponse
Metadata = tuple[tuple[str, str], ...]
METHODS = (*OPERATIONS, "WatchTable")
MOST_MOVES = 150
SECONDS = 10


@pytest.fixture(scope="module")
def watcher(tmp_path_factory: pytest.TempPathFactory) -> Watcher:
    return watcher_over(tmp_path_factory.mktemp("tables") / "tables.db")


@pytest.fixture(scope="module")
def channel(watcher: Watcher) -> Iterator[grpc.Channel]:
    with served(LIMITS, watcher) as open_channel:
        yield open_channel


@pytest.fixture(scope="module")
def stub(channel: grpc.Channel) -> Stub:
    return tables_pb2_grpc.TablesStub(channel)


def bearer(token: str | None) -> Metadata:
    return () if token is None else (("authorization", f"Bearer {token}"),)


def words(text: str) -> common_pb2.MoveInput:
    return common_pb2.MoveInput(text=text)


class Table:
    """A table with every place claimed, and calls about it."""

    def __init__(self, stub: Stub, game: str = "whist", **facts: Any) -> None:
        self.stub = stub
        request = tables_pb2.CreateTableRequest()
        arm = getattr(request, game)
        arm.MergeFrom(type(arm)(**facts))
        arm.SetInParent()
        self.created = stub.CreateTable(request)
        self.id = self.created.id
        self.host = self.created.host_token
        self.places = [
            stub.ClaimPlace(tables_pb2.ClaimPlaceRequest(table=self.id, join_code=code)).token
            for code in self.created.join_codes
        ]

    def ask(self, method: str, token: str | None, language: str = "en", **fields: Any) -> Any:
        """A call of any method with one answer."""
        request = getattr(tables_pb2, f"{method}Request")(table=self.id, **fields)
        metadata = (*bearer(token), ("accept-language", language))
        return getattr(self.stub, method)(request, metadata=metadata, timeout=SECONDS)

    def watch(self, token: str | None, **fields: Any) -> Any:
        request = tables_pb2.WatchTableRequest(table=self.id, **fields)
        return self.stub.WatchTable(request, metadata=bearer(token), timeout=3 * SECONDS)

    def seen(self, token: str | None) -> tables_pb2.GetTableResponse:
        seen: tables_pb2.GetTableResponse = self.ask("GetTable", token)
        return seen

    def play_on(self, choices: random.Random, most: int = MOST_MOVES) -> int:
        """Plays at random until the match is over, or so many moves were made; returns how many."""
        seen = self.seen(self.host)
        version, view = seen.version, inner(seen.view)
        for made in range(most):
            if not view.HasField("to_act"):
                return made
            place = next(at for at, its in enumerate(view.seating) if view.to_act.seat in its.seats)
            legal = self.ask("ListTableMoves", self.places[place])
            chosen = choices.choice(legal.legal.moves)
            move = common_pb2.MoveInput(move=chosen.move, text=chosen.text)
            played = self.ask("PlayTableMove", self.places[place], move=move, expected_version=version)
            assert (legal.version, played.version) == (version, version + 1)
            version, view = played.version, inner(played.view)
        return most


def inner(state: Any) -> Any:
    """The state of the game that it is of."""
    return getattr(state, state.WhichOneof("game"))


def until(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + SECONDS
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def dealt_in(frames: list[Frame]) -> list[Any]:
    return [event.dealt for frame in frames for event in frame.events if event.WhichOneof("event") == "dealt"]


# --- matches

GAMES = {
    "whist": {},
    "peewee7": {},
    "wippen": {"places": 3},
    "wipe": {"places": 2},
    "flip7": {"places": 3},
}


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_played_and_watched(channel: grpc.Channel, stub: Stub, watcher: Watcher, game: str) -> None:
    notes = common_pb2.PlaceMetas()
    seats = GAMES[game].get("places", 4)
    for number in range(seats):
        notes.metas.add().update({"avatar": number, "of": ["é", None]})
    table = Table(stub, game, spectators=True, host_sees="HOST_SEES_ALL", meta=notes, **GAMES[game])
    assert len(table.places) == seats
    watches = {name: table.watch(token) for name, token in (("place", table.places[0]), ("all", table.host))}
    watches["spectator"] = table.watch(None)
    frames: dict[str, list[Frame]] = {name: [next(watch)] for name, watch in watches.items()}
    assert until(lambda: watcher.watches == len(watches))
    table.ask("StartTable", table.host)
    if table.play_on(random.Random(game)) == MOST_MOVES:
        table.ask("EndTable", table.host)
    for name, watch in watches.items():
        frames[name] += list(watch)
        assert watch.code() is grpc.StatusCode.OK
    assert until(lambda: watcher.watches == 0)
    last = table.seen(table.places[0])
    for name, its in frames.items():
        first, *rest = its
        assert first.table.version == first.version == 1 + seats
        assert first.table.host == (name == "all")
        assert [frame.version for frame in rest] == list(range(first.version + 1, last.version + 1))
        assert [frame.HasField("ended") for frame in rest] == [False] * (len(rest) - 1) + [True]
        assert rest[0].act == tables_pb2.TABLE_ACT_STARTED
        assert rest[0].HasField("views") == (name == "all")
        assert rest[-1].ended == last.ended
    assert [dict(place.meta)["avatar"] for place in last.places] == list(range(seats))
    if game != "flip7":
        for name, known in (("spectator", [0] * seats), ("place", [1, *[0] * (seats - 1)]), ("all", [1] * seats)):
            for dealt in dealt_in(frames[name])[:1]:
                own = last.places[0].seats[0] if name == "place" else 0
                shown = [bool(hand.cards) and not hand.hidden for hand in dealt.hands]
                assert [*shown[own:], *shown[:own]] == [bool(each) for each in known]
    check_record(channel, table, last)


def check_record(channel: grpc.Channel, table: Table, last: tables_pb2.GetTableResponse) -> None:
    """The record of a table that has ended replays to what the table ended with."""
    record = table.ask("GetTableRecord", None).record
    inside = inner(record)
    assert inside.table.complete
    assert inside.table.commitment == last.commitment != ""
    assert inside.table.secret == last.ended.seed
    assert inside.result == last.sheet
    assert all(move.at for move in inside.moves)
    referee: Any = referee_pb2_grpc.RefereeStub(channel)
    replayed = referee.Replay(referee_pb2.ReplayRequest.FromString(record.SerializeToString()))
    assert not replayed.HasField("violation")
    subject = referee_pb2.ScoreStateRequest(state=replayed.state)
    assert referee.Score(referee_pb2.ScoreRequest(state=subject)).sheet == last.sheet
    assert list(table.watch(None, after_version=last.version)) == []


def test_a_watch_of_a_table_that_has_ended_tells_it_once(stub: Stub) -> None:
    table = Table(stub)
    table.ask("StartTable", table.host)
    version = table.ask("EndTable", table.host).version
    (frame,) = table.watch(table.host)
    assert (frame.version, frame.reset, frame.ended.reason) == (version, False, common_pb2.END_REASON_ENDED_BY_HOST)
    assert frame.ended == frame.table.ended
    (ahead,) = table.watch(table.host, after_version=version + 1)
    assert (ahead.version, ahead.reset, ahead.ended) == (version, True, frame.ended)
    assert [frame.act for frame in table.watch(table.host, after_version=version - 1)] == [tables_pb2.TABLE_ACT_ENDED]


def test_entropy_starts_the_cards_and_is_revealed(stub: Stub) -> None:
    table = Table(stub, "wipe", places=2)
    for number, token in enumerate(table.places):
        table.ask("AddEntropy", token, entropy=f"0{number}" * 8)
    assert table.seen(table.places[0]).status == tables_pb2.TABLE_STATUS_PLAYING
    table.ask("ResignTable", table.places[1])
    ended = table.seen(table.places[0]).ended
    assert (ended.reason, ended.place, list(ended.entropies)) == (
        common_pb2.END_REASON_RESIGNED,
        1,
        ["00" * 8, "01" * 8],
    )


NESTED: dict[str, Any] = {"a": [{"a": [{"a": [{"a": [{"a": [{"a": [{"a": [{"a": []}]}]}]}]}]}]}]}
NOTES: list[tuple[Any, str | None]] = [
    ({"id": 2**53, "none": None, "text": "é"}, None),
    ({"text": "x" * 4_096}, "$.meta"),
    (NESTED, None),
    ({"a": NESTED}, "$.meta[1]"),
]


@pytest.mark.parametrize(("note", "path"), NOTES)
def test_what_is_noted_of_places_can_be_told_to_everybody(stub: Stub, note: Any, path: str | None) -> None:
    request = tables_pb2.CreateTableRequest()
    request.wipe.places = 2
    request.wipe.meta.metas.add()
    request.wipe.meta.metas.add().update(note)
    if path is not None:
        refusal = refused(lambda: stub.CreateTable(request))
        assert (refusal.info.reason, refusal.path) == ("MALFORMED", path)
        return
    created = stub.CreateTable(request)
    asked = tables_pb2.GetTableRequest(table=created.id)
    assert stub.GetTable(asked, metadata=bearer(created.host_token)).places[1].meta == request.wipe.meta.metas[1]


def test_a_key_makes_a_move_once(stub: Stub) -> None:
    table = Table(stub, "flip7", places=1)
    table.ask("StartTable", table.host)
    legal = table.ask("ListTableMoves", table.places[0]).legal.moves[0].text
    first = table.ask("PlayTableMove", table.places[0], move=words(legal), idempotency_key="k")
    assert table.ask("PlayTableMove", table.places[0], move=words(legal), idempotency_key="k") == first
    assert table.seen(table.host).version == first.version
    undone = table.ask("UndoTable", table.host)
    assert undone.version == first.version + 1


def test_a_creation_with_a_key_gets_the_same_table(stub: Stub) -> None:
    request = tables_pb2.CreateTableRequest()
    request.wippen.idempotency_key = "once"
    assert stub.CreateTable(request) == stub.CreateTable(request)


# --- watches


def test_a_watch_that_is_cancelled_is_over(stub: Stub, watcher: Watcher) -> None:
    table = Table(stub)
    watches = [table.watch(table.host) for _ in range(5)]
    for watch in watches:
        next(watch)
    assert until(lambda: watcher.watches == 5)
    for watch in watches:
        watch.cancel()
    assert until(lambda: watcher.watches == 0)


def test_a_watch_whose_channel_is_gone_is_over(tmp_path: Path) -> None:
    watcher = watcher_over(tmp_path / "tables.db")
    server = serve(Rules(LIMITS), "127.0.0.1:0", watcher, beside=Beside())
    channel = grpc.insecure_channel(f"127.0.0.1:{server.port}")
    table = Table(tables_pb2_grpc.TablesStub(channel))
    watch = table.watch(table.host)
    next(watch)
    assert until(lambda: watcher.watches == 1)
    channel.close()
    assert until(lambda: watcher.watches == 0)
    server.stop(0)


def test_a_watch_resumes_behind_what_was_seen(stub: Stub) -> None:
    table = Table(stub, "flip7", places=2)
    version = table.ask("StartTable", table.host).version
    table.play_on(random.Random(1), 4)
    watch = table.watch(table.places[0], after_version=version)
    frames = [next(watch) for _ in range(4)]
    assert [(frame.version, frame.act) for frame in frames] == [
        (version + n, tables_pb2.TABLE_ACT_MOVED) for n in (1, 2, 3, 4)
    ]
    assert not any(frame.HasField("table") or frame.HasField("view") for frame in frames)
    watch.cancel()
    ahead = table.watch(table.places[0], after_version=version + 400)
    reset = next(ahead)
    assert (reset.reset, reset.version, reset.table.version) == (True, version + 4, version + 4)
    ahead.cancel()


def test_a_token_reissued_ends_its_watch(stub: Stub) -> None:
    table = Table(stub, "wipe", places=2)
    watch, hosts = table.watch(table.places[0]), table.watch(table.host)
    next(watch), next(hosts)
    renewed = table.ask("ReissueToken", table.places[0])
    acts = [(frame.act, frame.gone) for frame in watch]
    assert acts == [(tables_pb2.TABLE_ACT_REISSUED, 0), (0, tables_pb2.WATCH_GONE_REVOKED)]
    assert watch.code() is grpc.StatusCode.OK
    assert (next(hosts).act, renewed.HasField("join_code")) == (tables_pb2.TABLE_ACT_REISSUED, False)
    hosts.cancel()
    assert refused(lambda: table.seen(table.places[0])).info.reason == "INVALID_TOKEN"
    assert table.seen(renewed.token).place == 0
    code = table.ask("ReissueToken", table.host, place=0).join_code
    assert refused(lambda: table.seen(renewed.token)).code == "UNAUTHENTICATED"
    again = table.ask("ClaimPlace", None, join_code=code, name="Ann")
    assert table.seen(again.token).places[0].name == "Ann"


def test_heartbeats_come_and_turns_end(tmp_path: Path) -> None:
    watcher = watcher_over(tmp_path / "tables.db", heartbeat=0.05)
    with served(LIMITS, watcher) as channel:
        table = Table(tables_pb2_grpc.TablesStub(channel), "flip7", places=2, turn_seconds=1)
        watch = table.watch(None if table.created.commitment == "" else table.places[0])
        next(watch)
        beat = next(watch)
        assert beat == Frame(version=beat.version)
        table.ask("StartTable", table.host)
        acts = (frame.act for frame in watch if frame.act)
        assert [next(acts), next(acts)] == [tables_pb2.TABLE_ACT_STARTED, tables_pb2.TABLE_ACT_TIMED_OUT]
        watch.cancel()


def test_a_stop_ends_watches_and_says_so(tmp_path: Path) -> None:
    watcher = watcher_over(tmp_path / "tables.db")
    server = serve(Rules(LIMITS), "127.0.0.1:0", watcher, beside=Beside())
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        table = Table(tables_pb2_grpc.TablesStub(channel))
        watches = [table.watch(table.host), table.watch(table.places[2])]
        for watch in watches:
            next(watch)
        assert until(lambda: watcher.watches == 2)
        began = time.monotonic()
        stopping = threading.Thread(target=server.stop, args=(30,))
        stopping.start()
        for watch in watches:
            assert [frame.gone for frame in watch] == [tables_pb2.WATCH_GONE_STOPPING]
            assert watch.code() is grpc.StatusCode.OK
        stopping.join(SECONDS)
        assert not stopping.is_alive()
        assert time.monotonic() - began < SECONDS
    assert watcher.watches == 0
    watcher_over(tmp_path / "tables.db")  # the file was let go of


UNREAD = (("grpc.http2.lookahead_bytes", 1_024), ("grpc.http2.bdp_probe", 0), ("grpc.use_local_subchannel_pool", 1))
"""A channel of which little is sent ahead to those who do not read."""


def test_a_watcher_who_does_not_read_is_told_to_be_slow_and_keeps_no_stop_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = watcher_over(tmp_path / "tables.db", room=4)
    store = watcher.tables.keeper.store
    watched_at_the_end: list[int] = []

    async def close() -> None:
        watched_at_the_end.append(watcher.watches)
        await type(store).close(store)

    monkeypatch.setattr(store, "close", close)
    server = serve(Rules(LIMITS), "127.0.0.1:0", watcher, beside=Beside())
    address = f"127.0.0.1:{server.port}"
    with (
        grpc.insecure_channel(address) as quick,
        grpc.insecure_channel(address, options=UNREAD) as slow,
        grpc.insecure_channel(address, options=UNREAD) as stuck,
    ):
        table = Table(tables_pb2_grpc.TablesStub(quick), "flip7", places=2, host_sees="HOST_SEES_ALL")
        table.ask("StartTable", table.host)
        request = tables_pb2.WatchTableRequest(table=table.id)
        read, cancelled, *unread = (
            tables_pb2_grpc.TablesStub(channel).WatchTable(request, metadata=bearer(table.host))
            for channel in (slow, slow, stuck, stuck)
        )
        for watch in (read, cancelled, *unread):
            next(watch)
        for number in range(60):
            table.play_on(random.Random(number), 1)
            table.ask("UndoTable", table.host)
        frames = list(read)
        assert [frame.gone for frame in frames if frame.gone] == [tables_pb2.WATCH_GONE_SLOW]
        assert frames[-1].version < table.seen(table.host).version
        cancelled.cancel()
        assert until(lambda: watcher.watches <= len(unread)), "one that is busy may have been too slow for its queue"
        began = time.monotonic()
        server.stop(0.1)
        assert time.monotonic() - began < SECONDS
    assert watched_at_the_end == [0]


# --- refusals

REFUSALS: list[tuple[str, str, Callable[[Table], object]]] = [
    ("UNAUTHENTICATED", "NO_TOKEN", lambda t: t.ask("ListTableMoves", None)),
    ("UNAUTHENTICATED", "INVALID_TOKEN", lambda t: t.ask("GetTable", t.host + "x")),
    ("UNAUTHENTICATED", "INVALID_TOKEN", lambda t: list(t.watch("garbage"))),
    ("NOT_FOUND", "UNKNOWN_TABLE", lambda t: t.ask("GetTable", None)),
    ("NOT_FOUND", "UNKNOWN_TABLE", lambda t: list(t.watch(None))),
    ("NOT_FOUND", "UNKNOWN_TABLE", lambda t: t.ask("EndTable", Table(t.stub).host)),
    (
        "PERMISSION_DENIED",
        "BAD_JOIN_CODE",
        lambda t: t.stub.ClaimPlace(tables_pb2.ClaimPlaceRequest(table="a" * 28, join_code="x")),
    ),
    ("PERMISSION_DENIED", "BAD_JOIN_CODE", lambda t: t.ask("ClaimPlace", None, join_code=t.created.join_codes[0])),
    ("PERMISSION_DENIED", "FORBIDDEN", lambda t: t.ask("StartTable", t.places[0])),
    ("PERMISSION_DENIED", "FORBIDDEN", lambda t: t.ask("ResignTable", t.host)),
    ("PERMISSION_DENIED", "FORBIDDEN", lambda t: t.ask("ReissueToken", t.places[0], place=1)),
    ("PERMISSION_DENIED", "FORBIDDEN", lambda t: t.ask("ListTableMoves", t.places[0], seat=1)),
    ("ABORTED", "STALE_VERSION", lambda t: t.ask("PlayTableMove", t.places[0], move=words("end"), expected_version=1)),
    ("INVALID_ARGUMENT", "MALFORMED", lambda t: t.ask("PlayTableMove", t.places[0], move=words("end"))),
    ("INVALID_ARGUMENT", "MALFORMED", lambda t: t.ask("AddEntropy", t.places[0], entropy="x")),
    ("INVALID_ARGUMENT", "MALFORMED", lambda t: Table(t.stub, names=common_pb2.PlaceNames(names=["a"]))),
    ("INVALID_ARGUMENT", "UNSUPPORTED_RULESET", lambda t: Table(t.stub, ruleset=9)),
    (
        "FAILED_PRECONDITION",
        "ILLEGAL_MOVE",
        lambda t: t.ask("PlayTableMove", t.places[0], move=words("end"), idempotency_key="k"),
    ),
    ("FAILED_PRECONDITION", "ALREADY_STARTED", lambda t: t.ask("StartTable", t.host)),
    ("FAILED_PRECONDITION", "ENTROPY_CLOSED", lambda t: t.ask("AddEntropy", t.places[0], entropy="00")),
    ("FAILED_PRECONDITION", "NOTHING_TO_UNDO", lambda t: t.ask("UndoTable", t.host)),
    ("FAILED_PRECONDITION", "NOT_STARTED", lambda t: Table(t.stub).ask("UndoTable", t.host)),
]


@pytest.fixture(scope="module")
def table(stub: Stub) -> Table:
    made = Table(stub)
    made.ask("StartTable", made.host)
    return made


@pytest.mark.parametrize(("code", "reason", "call"), REFUSALS[:-1])
def test_refusals_have_their_codes(table: Table, code: str, reason: str, call: Callable[[Table], object]) -> None:
    refusal = refused(lambda: call(table))
    assert (refusal.code, refusal.info.reason, refusal.problem.code) == (code, reason, reason)


def test_what_a_table_is_not_in_a_state_for_is_refused(stub: Stub, table: Table) -> None:
    fresh = Table(stub)
    assert refused(lambda: fresh.ask("UndoTable", fresh.host)).info.reason == "NOT_STARTED"
    fresh.ask("EndTable", fresh.host, idempotency_key="end")
    fresh.ask("EndTable", fresh.host, idempotency_key="end")
    refusal = refused(lambda: fresh.ask("StartTable", fresh.host))
    assert (refusal.code, refusal.info.reason) == ("FAILED_PRECONDITION", "TABLE_ENDED")
    table.ask("ReissueToken", table.places[3], idempotency_key="r")
    refusal = refused(lambda: table.ask("StartTable", table.host, expected_version=1))
    assert refusal.info.metadata["version"] == str(table.seen(table.host).version)


def test_a_key_of_another_body_is_refused(stub: Stub) -> None:
    table = Table(stub, "flip7", places=1)
    table.ask("StartTable", table.host)
    legal = table.ask("ListTableMoves", table.places[0]).legal.moves[0].text
    other = "stay" if legal != "stay" else "hit"
    table.ask("PlayTableMove", table.places[0], move=words(legal), idempotency_key="k")
    refusal = refused(lambda: table.ask("PlayTableMove", table.places[0], move=words(other), idempotency_key="k"))
    assert (refusal.code, refusal.info.reason, refusal.path) == ("ALREADY_EXISTS", "KEY_REUSED", "$.idempotencyKey")


def test_an_illegal_move_is_told_in_the_callers_language(table: Table) -> None:
    def told(language: str) -> Refused:
        return refused(
            lambda: table.ask("PlayTableMove", table.places[0], language, move=words("end"), idempotency_key="k")
        )

    english, dutch = told("en"), told("nl-BE")
    assert english.message != dutch.message == dutch.problem.violation.message
    assert english.problem.violation.code == dutch.problem.violation.code == english.info.metadata["violation"]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (("Bearer {}",), "OK"),
        (("bearer  {} ",), "OK"),
        (("{}",), "INVALID_TOKEN"),
        (("Basic {}",), "INVALID_TOKEN"),
        (("Bearer",), "INVALID_TOKEN"),
        (("Bearer ",), "INVALID_TOKEN"),
        (("",), "INVALID_TOKEN"),
        (("Bearer {}", "Bearer {}"), "INVALID_TOKEN"),
    ],
)
def test_tokens_come_in_the_metadata(table: Table, values: tuple[str, ...], reason: str) -> None:
    metadata = tuple(("authorization", value.format(table.host)) for value in values)
    request = tables_pb2.GetTableRequest(table=table.id)
    if reason == "OK":
        assert table.stub.GetTable(request, metadata=metadata).host
    else:
        assert refused(lambda: table.stub.GetTable(request, metadata=metadata)).info.reason == reason


@pytest.mark.parametrize("method", OPERATIONS)
def test_a_store_that_is_away_is_said_to_be(
    watcher: Watcher, table: Table, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any, **__: Any) -> None:
        raise StoreAway("gone fishing", maybe_done=True)

    for name in ("read", "create", "commit", "recall"):
        monkeypatch.setattr(watcher.tables.keeper.store, name, away)
    named: dict[str, dict[str, Any]] = {
        "PlayTableMove": {"move": words("end"), "idempotency_key": "k"},
        "AddEntropy": {"entropy": "00"},
    }
    token = (
        table.places[0] if method in {"ListTableMoves", "PlayTableMove", "AddEntropy", "ResignTable"} else table.host
    )
    if method == "CreateTable":
        refusal = refused(lambda: Table(table.stub))
    elif method == "ClaimPlace":
        unseen = tables_pb2.ClaimPlaceRequest(table="b" * 28, join_code="x")
        refusal = refused(lambda: table.stub.ClaimPlace(unseen))
    else:
        refusal = refused(lambda: table.ask(method, token, **named.get(method, {})))
    assert (refusal.code, refusal.info.reason) == ("UNAVAILABLE", "STORE_AWAY")
    assert refusal.retry is not None
    assert refusal.retry.retry_delay.seconds > 0
    assert (refusal.info.metadata["maybeDone"], "fishing" in refusal.message) == ("1", False)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("data", [b"", b"\xff\xff"])
def test_where_tables_are_off_every_method_says_so(off: grpc.Channel, method: str, data: bytes) -> None:
    call: Any = raw(off, method, "Tables") if method in OPERATIONS else lambda sent: list(raw_watch(off)(sent))
    refusal = refused(lambda: call(data))
    assert (refusal.code, refusal.info.reason, refusal.problem.status) == ("UNIMPLEMENTED", "TABLES_OFF", 501)


@pytest.fixture(scope="module")
def off() -> Iterator[grpc.Channel]:
    with served() as channel:
        yield channel


def test_a_deadline_that_has_passed_is_said_to_have(table: Table) -> None:
    request = tables_pb2.WatchTableRequest(table=table.id)
    with pytest.raises(grpc.RpcError) as raised:
        list(table.stub.WatchTable(request, metadata=bearer(table.host), timeout=0.2))
    assert code_of(raised.value) == "DEADLINE_EXCEEDED"


# --- health and reflection


def test_health_and_reflection_name_the_service(channel: grpc.Channel, off: grpc.Channel) -> None:
    asked = health_pb2.HealthCheckRequest(service="scheids.v1.Tables")
    stubs: list[Any] = [health_pb2_grpc.HealthStub(each) for each in (channel, off)]
    told = [each.Check(asked).status for each in stubs]
    assert told == [health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING]
    reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
    questions = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="scheids.v1.Tables"),
    ]
    listed, described = reflection.ServerReflectionInfo(iter(questions))
    assert "scheids.v1.Tables" in {service.name for service in listed.list_services_response.service}
    assert b"scheids/v1/tables.proto" in described.file_descriptor_response.file_descriptor_proto[0]


# --- any bytes

ALLOWED = {
    "OK",
    "INVALID_ARGUMENT",
    "FAILED_PRECONDITION",
    "NOT_FOUND",
    "RESOURCE_EXHAUSTED",
    "PERMISSION_DENIED",
    "UNAUTHENTICATED",
    "ABORTED",
    "ALREADY_EXISTS",
    "DEADLINE_EXCEEDED",  # of a watch to which nothing happens
}


def outcome(channel: grpc.Channel, method: str, data: bytes, token: str | None) -> str:
    metadata = bearer(token)
    try:
        if method in OPERATIONS:
            raw(channel, method, "Tables")(data, metadata=metadata, timeout=SECONDS)
        else:
            watch = raw_watch(channel)(data, metadata=metadata, timeout=0.2)
            next(watch, None)
            watch.cancel()
    except grpc.RpcError as error:
        return code_of(error)
    return "OK"


def good(method: str, table: Table) -> Any:
    """A request that means something to a table that is being played."""
    if method == "CreateTable":
        request = tables_pb2.CreateTableRequest()
        request.wipe.names.names.extend(["a", "b"])
        request.wipe.places = 2
        request.wipe.meta.metas.add().update({"a": 1, "b": [{}]})
        request.wipe.meta.metas.add()
        return request
    named: dict[str, dict[str, Any]] = {
        "ClaimPlace": {"join_code": table.created.join_codes[0], "idempotency_key": "c"},
        "PlayTableMove": {"move": words("hit"), "expected_version": 5, "idempotency_key": "k"},
        "ListTableMoves": {"explain": True, "limit": 3},
        "AddEntropy": {"entropy": "00ff"},
        "WatchTable": {"after_version": 2},
        "GetTable": {},
        "GetTableRecord": {},
    }
    fields = named.get(method, {"expected_version": 5})
    return getattr(tables_pb2, f"{method}Request")(table=table.id, **fields)


@pytest.mark.parametrize("method", METHODS)
def test_any_bytes_are_answered_or_refused(channel: grpc.Channel, stub: Stub, watcher: Watcher, method: str) -> None:
    table = Table(stub, "flip7", places=2)
    table.ask("StartTable", table.host)
    codes: Counter[str] = Counter()
    tokens = [table.host, table.places[0], None]
    request = good(method, table)
    for seed in range(60):
        choices = random.Random(f"{method} {seed}")
        data = mutated(request.SerializeToString(), choices)
        codes[outcome(channel, method, data, choices.choice(tokens))] += 1
        other: Any = random_message(descriptors()[f"{method}Request"], choices)
        if method != "CreateTable":
            other.table = table.id
        codes[outcome(channel, method, other.SerializeToString(), choices.choice(tokens))] += 1
    assert set(codes) <= ALLOWED, codes
    assert until(lambda: watcher.watches == 0)
