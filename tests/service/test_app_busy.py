"""Both transports busy at once: neither starves the other, and the probe still answers."""

import threading
import time
from collections import Counter
from collections.abc import Callable

import grpc
import httpx

from service.wire.gen.scheids.v1 import referee_pb2, referee_pb2_grpc, whist_pb2
from tests.service.running import SECONDS, WHIST, read_ready, running, started

BUSY_SECONDS = 3.0
THREADS = 3
SLOWEST_PROBE = 2.0


def moves_of_a_deal(http: httpx.Client) -> list[dict[str, str]]:
    """A record of thirteen tricks."""
    state = http.post("/v1/deal", json=WHIST).json()["state"]
    record = []
    while state["phase"] == "play":
        move = http.post("/v1/legal-moves", json={"state": state, "limit": 1}).json()["moves"][0]["text"]
        state = http.post("/v1/play", json={"state": state, "move": move}).json()["state"]
        record.append({"move": move})
    return record


def test_both_transports_answer_while_both_are_busy() -> None:
    with started() as process:
        ready, _ = read_ready(process)
        # Nothing reads the log: it must not fill the pipe.
        threading.Thread(target=process.stderr.read, daemon=True).start()  # type: ignore[union-attr]
        with httpx.Client(base_url=ready["rest"], timeout=30) as http, grpc.insecure_channel(ready["grpc"]) as channel:
            stub = referee_pb2_grpc.RefereeStub(channel)
            replay = {**WHIST, "moves": moves_of_a_deal(http)}
            heavy = {"calls": [{"id": str(number), "replay": replay} for number in range(50)]}
            deal = referee_pb2.DealRequest(whist=whist_pb2.WhistDealRequest(seed="busy"))

            def ask_batch() -> None:
                answer = http.post("/v1/batch", json=heavy)
                assert all("replay" in result for result in answer.json()["results"])

            def ask_rest() -> None:
                assert http.post("/v1/deal", json=WHIST).status_code == 200

            def ask_grpc() -> None:
                assert stub.Deal(deal, timeout=30).state.whist.hands

            counts: Counter[str] = Counter()
            until = time.monotonic() + BUSY_SECONDS

            def keep(name: str, ask: Callable[[], None]) -> None:
                while time.monotonic() < until:
                    ask()
                    counts[name] += 1

            asked = {"batch": ask_batch, "rest": ask_rest, "grpc": ask_grpc}
            workers = [
                threading.Thread(target=keep, args=(name, ask)) for name, ask in asked.items() for _ in range(THREADS)
            ]
            for worker in workers:
                worker.start()
            slowest = 0.0
            while time.monotonic() < until:
                began = time.monotonic()
                assert httpx.get(f"{ready['rest']}/livez", timeout=30).status_code == 200
                slowest = max(slowest, time.monotonic() - began)
            for worker in workers:
                worker.join()
        print(dict(counts), f"slowest probe {slowest:.3f} s")
    assert slowest < SLOWEST_PROBE
    assert counts["batch"] >= THREADS
    assert counts["rest"] >= 20
    assert counts["grpc"] >= 20


def test_a_long_batch_lets_a_short_one_in_between() -> None:
    """Batches are worked on in turns: one does not wait for the end of another."""
    with running(max_batch_calls=2_000, max_body_bytes=1 << 24, max_work=10_000_000) as server:
        state = server.http.post("/v1/deal", json=WHIST).json()["state"]
        long = {"calls": [{"id": f"{n}", "simulate": {"state": state, "n": 100, "seed": f"{n}"}} for n in range(60)]}
        short = {"calls": [{"id": "a", "score": {"game": "whist", "facts": {"tricks": [7, 6]}}}]}
        ended: list[str] = []

        def ask(name: str, body: object) -> None:
            httpx.post(f"{server.url}/v1/batch", json=body, timeout=SECONDS).raise_for_status()
            ended.append(name)

        first = threading.Thread(target=ask, args=["long", long])
        first.start()
        time.sleep(0.2)
        ask("short", short)
        first.join(SECONDS)
        assert ended == ["short", "long"]
