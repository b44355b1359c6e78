"""The decision log: every line can be judged again, holds what the acting seat saw, and costs no request its time."""

import json
import os
import random
import select
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import httpx
import msgspec
import pytest

from engine.cards import Card
from engine.moves import Play
from service.app import Service
from service.config import BadSettings, load
from service.decision_log import DecisionLog, Descriptor, File
from service.decisions import Judged
from service.hosting import CannotStart, decisions_of
from service.messages import ValidateMoveRequest, WhistDealRequest, from_json
from service.rules import Rules
from service.wire.codec import CODEC
from service.wire.gen.scheids.v1 import referee_pb2
from tests.service.rejudging import Json, judged_again, lines_of, verdict, written
from tests.service.running import WHIST, Running, read_ready, running, started
from tests.service.tables.playing import GAMES

MOVES = 24
TRIED = [
    *(f"{verb} {card}" for card in ("2C", "AS", "7D", "KH", "TD") for verb in ("play", "trail")),
    *("hit", "stay", "pass", "close", "bid 7 NT", "give freeze 1", "give flip3 0"),
]
"""Moves of which some are legal at times; what cannot be a move of the game at all is malformed, and so not judged."""
DEALING = ("deal", "draw", "teamDraw", "roundOver", "over")
SECONDS = 10
CALLERS = 4
LONG_MOVES = 48
LONG_LINES = 60


@pytest.fixture(scope="module")
def plain() -> Iterator[Running]:
    """A service without a log, which judges its lines again."""
    with running(tables="off") as service:
        yield service


class Asking:
    """Asks, and remembers by the ids of the requests what was judged, and what the acting seat saw."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self.verdicts: dict[str, Json] = {}
        self.views: dict[str, Json] = {}

    def ask(self, path: str, state: Json, move: str) -> Json:
        name = f"asked-{len(self.verdicts)}"
        answer = self.http.post(path, json={"state": state, "move": move}, headers={"X-Request-Id": name})
        told: Json = answer.json()
        if answer.status_code == 400:
            return told
        judged = {"legal": False, **told} if answer.status_code == 422 else {"legal": True, **told}
        self.verdicts[name] = verdict(judged)
        self.views[name] = self.view(state)
        return told

    def view(self, state: Json) -> Json:
        asked = {"state": state, "viewer": state["toAct"]["seat"]}
        view: Json = self.http.post("/v1/view", json=asked).json()["view"]
        return view


@pytest.mark.parametrize("game", GAMES)
def test_lines_give_their_verdicts_again(game: str, plain: Running, tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    rng = random.Random(f"decisions of {game}")
    with running(tables="off", decision_log=path) as service:
        asking = Asking(service.http)
        state = service.http.post("/v1/deal", json={"game": game, "seed": "a test's", **GAMES[game]}).json()["state"]
        for _ in range(MOVES):
            found = service.http.post("/v1/legal-moves", json={"state": state, "limit": 20}).json()["moves"]
            move = rng.choice(found)["text"]
            if state["phase"] in DEALING:
                state = service.http.post("/v1/play", json={"state": state, "move": move}).json()["state"]
                continue
            for tried in (move, *rng.sample(TRIED, 3)):
                asking.ask("/v1/validate", state, tried)
                asking.ask("/v1/validate", asking.view(state), tried)
            asking.ask("/v1/play", state, rng.choice(TRIED))
            state = asking.ask("/v1/play", state, move)["state"]
    lines = lines_of(path)
    assert [line["id"] for line in lines] == [*asking.verdicts]
    counted = Counter(line["verdict"]["legal"] for line in lines)
    assert min(counted[True], counted[False]) >= MOVES / 3
    for line in lines:
        assert line["verdict"] == asking.verdicts[line["id"]] == judged_again(plain.http, line)
        seen = line["request"]["state"]
        assert seen == asking.views[line["id"]]
        assert (line["source"], line["game"], line["ruleset"]) == ("stateless", game, seen["ruleset"])
        assert line["options"] == seen["options"]


def test_every_way_to_ask_is_logged_under_its_id(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    with running(tables="off", decision_log=path) as service, grpc.insecure_channel(str(service.ready.grpc)) as channel:
        state = service.http.post("/v1/deal", json=WHIST).json()["state"]
        asked = {"state": state, "move": "play 2C"}
        calls = [{"id": "1", "validate": asked}, {"id": "2", "play": asked}]
        service.http.post("/v1/batch", json={"calls": calls}, headers={"X-Request-Id": "a-batch"})
        request = msgspec.convert(asked, ValidateMoveRequest, dec_hook=from_json)
        data: Any = CODEC.writer("ValidateMoveRequest")(request)
        channel.unary_unary("/scheids.v1.Referee/ValidateMove")(data, metadata=(("x-request-id", "by-grpc"),))
        call = referee_pb2.BatchCall(id="1", validate=referee_pb2.ValidateMoveRequest.FromString(data))
        streamed: Any = iter([referee_pb2.DecideRequest(call=call).SerializeToString()])
        decide: Any = channel.stream_stream("/scheids.v1.Referee/Decide")
        assert len([*decide(streamed, metadata=(("x-request-id", "streamed"),))]) == 1
        headers = {"Content-Type": "application/proto", "X-Request-Id": "by-connect"}
        service.http.post("/scheids.v1.Referee/ValidateMove", content=data, headers=headers)
    assert [line["id"] for line in lines_of(path)] == ["a-batch", "a-batch", "by-grpc", "streamed", "by-connect"]
    assert not any(line["verdict"]["legal"] for line in lines_of(path))


def test_a_deal_is_no_decision(tmp_path: Path) -> None:
    """It can name every card there is."""
    path = tmp_path / "decisions.jsonl"
    with running(tables="off", decision_log=path) as service:
        state = service.http.post("/v1/deal", json={"game": "whist", "chance": "caller"}).json()["state"]
        deck = [f"{rank}{suit}" for suit in "SHDC" for rank in "AKQJT98765432"]
        dealt = service.http.post("/v1/play", json={"state": state, "move": {"type": "deal", "deck": deck}})
        assert dealt.status_code == 200
    assert lines_of(path) == []


def test_without_the_setting_there_is_no_log() -> None:
    settings = load({"SCHEIDS_DECISION_SAMPLE": "0.5"})
    assert decisions_of(settings) is None
    assert Rules(settings.limits).decisions is None
    with running(tables="off"):
        assert "decisions" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize("share", ["0", "1.5", "all", "nan"])
def test_a_share_is_more_than_nothing_and_at_most_all(share: str) -> None:
    with pytest.raises(BadSettings, match="SCHEIDS_DECISION_SAMPLE"):
        load({"SCHEIDS_DECISION_SAMPLE": share})


def test_a_log_that_cannot_be_written_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="SCHEIDS_DECISION_LOG"):
        decisions_of(load({"SCHEIDS_DECISION_LOG": str(tmp_path / "nowhere" / "decisions.jsonl")}))


def test_a_start_that_fails_lets_go_of_the_log(tmp_path: Path) -> None:
    with running(tables="off") as service, pytest.raises(CannotStart, match="HTTP"):
        Service(
            load(
                {
                    "SCHEIDS_TABLES": "off",
                    "SCHEIDS_HTTP_ADDRESS": str(service.ready.rest),
                    "SCHEIDS_DECISION_LOG": str(tmp_path / "decisions.jsonl"),
                }
            )
        )
    assert "decisions" not in {thread.name for thread in threading.enumerate()}


def test_on_standard_output_lines_follow_what_is_announced() -> None:
    with started(SCHEIDS_TABLES="off", SCHEIDS_DECISION_LOG="-", SCHEIDS_LOG_LEVEL="error") as process:
        ready, _ = read_ready(process)
        with httpx.Client(base_url=ready["rest"]) as http:
            state = http.post("/v1/deal", json=WHIST).json()["state"]
            http.post("/v1/validate", json={"state": state, "move": "play 2C"})
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["request"]["move"] == "play 2C"
        process.terminate()
        assert process.wait(SECONDS) == 0


def test_workers_write_whole_lines_to_one_pipe() -> None:
    """Each line is more than a pipe takes in one piece, and the pipe is full while they write."""
    with started(
        "--workers", "2", SCHEIDS_TABLES="off", SCHEIDS_DECISION_LOG="-", SCHEIDS_LOG_LEVEL="error"
    ) as process:
        ready, _ = read_ready(process)
        with httpx.Client(base_url=ready["rest"], timeout=SECONDS) as http:
            state = http.post("/v1/deal", json=WHIST).json()["state"]
            for _ in range(LONG_MOVES):
                asked = {"state": state, "move": first_of(http, state)}
                state = http.post("/v1/play", json=asked).json()["state"]
            asked = {"state": state, "move": first_of(http, state)}

        def ask(_: int) -> None:
            for _ in range(LONG_LINES // CALLERS):
                assert httpx.post(f"{ready['rest']}/v1/validate", json=asked, timeout=SECONDS).is_success

        with ThreadPoolExecutor(CALLERS) as pool:
            list(pool.map(ask, range(CALLERS)))
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(LONG_MOVES + LONG_LINES)]
        assert all(json.loads(line)["verdict"]["legal"] for line in lines)
        assert max(map(len, lines)) > select.PIPE_BUF
        process.terminate()
        assert process.wait(SECONDS) == 0


def first_of(http: httpx.Client, state: Json) -> Json:
    """The first legal move."""
    move: Json = http.post("/v1/legal-moves", json={"state": state}).json()["moves"][0]["move"]
    return move


# --- what is written to


class Slow:
    """Something to write to that is stuck until it is let go."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.reached = threading.Event()
        self.lines: list[bytes] = []

    def write(self, line: bytes) -> None:
        self.reached.set()
        assert self.free.wait(SECONDS)
        self.lines.append(line)

    def close(self) -> None:
        pass


class Full(Slow):
    """Something to write to that has no room at first."""

    def write(self, line: bytes) -> None:
        if not self.free.is_set():
            raise OSError(28, "no room")
        self.lines.append(line)


def a_judgement() -> Judged:
    deal = WhistDealRequest(seed="a test's")
    state = Rules(load({}).limits).deal(deal, "en").state
    return Judged(source="stateless", state=state, move=Play(Card("2C")), seat=None, violation=None)


def test_a_slow_log_keeps_nobody_waiting() -> None:
    slow, counted, judged = Slow(), Counter[str](), a_judgement()
    log = DecisionLog(slow, 1, "0", lambda outcome: counted.update([outcome]), room=5)
    log.take(lambda: (judged,))
    assert slow.reached.wait(SECONDS)
    began = time.monotonic()
    for _ in range(500):
        log.take(lambda: (judged,))
    assert counted == {"dropped": 495}
    assert time.monotonic() - began < SECONDS
    slow.free.set()
    log.close()
    assert counted == {"dropped": 495, "written": 6}
    assert len(slow.lines) == 6


def test_a_stuck_log_does_not_keep_the_process_from_ending() -> None:
    slow, judged = Slow(), a_judgement()
    log = DecisionLog(slow, 1, "0", lambda _: None, room=1)
    for _ in range(3):
        log.take(lambda: (judged,))
    log.close()
    slow.free.set()


def test_what_cannot_be_written_is_counted_and_the_rest_goes_on() -> None:
    full, counted, judged = Full(), Counter[str](), a_judgement()
    log = DecisionLog(full, 1, "0", lambda outcome: counted.update([outcome]))

    def broken() -> Iterator[Judged]:
        yield judged
        raise RuntimeError

    log.take(lambda: (judged, judged))
    log.take(broken)
    while counted["failed"] < 4:
        time.sleep(0.01)
    full.free.set()
    log.take(lambda: (judged,))
    log.close()
    assert counted == {"failed": 4, "written": 1}


def test_a_share_is_taken() -> None:
    drawn = iter([0.0, 0.24, 0.25, 0.99])
    free, judged = Slow(), a_judgement()
    free.free.set()
    log = DecisionLog(free, 0.25, "0", lambda _: None, drawn=lambda: next(drawn))
    for _ in range(4):
        log.take(lambda: (judged,))
    log.close()
    assert len(free.lines) == 2


def test_a_file_that_is_moved_away_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    file = File(path)
    file.write(b"1\n")
    path.rename(tmp_path / "decisions.jsonl.1")
    file.write(b"2\n")
    path.unlink()
    file.write(b"3\n")
    file.write(b"4\n")
    file.close()
    assert (tmp_path / "decisions.jsonl.1").read_text() == "1\n"
    assert path.read_text() == "3\n4\n"
    assert path.stat().st_mode & 0o007 == 0


def test_a_line_that_was_cut_short_spoils_no_other() -> None:
    """A disk that is full takes a part of a line; so does a pipe that nobody empties."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    descriptor = Descriptor(writer)
    long = b"1" * (1 << 20) + b"\n"
    for _ in range(2):
        with pytest.raises(BlockingIOError):
            descriptor.write(long)
    cut = os.read(reader, len(long))
    descriptor.write(b"2\n")
    descriptor.write(b"3\n")
    os.close(writer)
    assert os.read(reader, len(long)) == b"\n2\n3\n"
    assert set(cut) == {ord("1")}
    os.close(reader)


def test_a_pipe_that_nobody_reads_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "decisions"
    os.mkfifo(path)
    with pytest.raises(CannotStart, match="SCHEIDS_DECISION_LOG"):
        decisions_of(load({"SCHEIDS_DECISION_LOG": str(path)}))
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    file = File(path)
    file.write(b"1\n")
    assert os.read(reader, 10) == b"1\n"
    os.close(reader)
    with pytest.raises(BrokenPipeError):
        file.write(b"2\n")
    file.close()


def test_decisions_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    with running(tables="off", decision_log=path) as service:
        before = _counted(service)
        state = service.http.post("/v1/deal", json=WHIST).json()["state"]
        service.http.post("/v1/validate", json={"state": state, "move": "play 2C"})
        written(path, 1)
        until = time.monotonic() + SECONDS
        while _counted(service) != before + 1:
            assert time.monotonic() < until


def _counted(service: Running) -> float:
    page = service.http.get("/metrics").text
    (line,) = (line for line in page.splitlines() if line.startswith('scheids_decisions_total{outcome="written"}'))
    return float(line.split()[1])
