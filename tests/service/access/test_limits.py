"""Limits over every transport: what counts, what is refused, and when to ask again; and replicas that share them."""

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import grpc
import pytest

from service.access import Gate, KeyLimits, read_keys
from service.access.sharing import SECONDS as INTERVAL
from service.access.sharing import Sharing
from service.errors import ServiceError
from service.store.redis import RedisLevels, RedisOptions
from service.wire.gen.scheids.v1 import referee_pb2
from tests.service.access.calling import TRANSPORTS, WHIST, Callers, Key, Told, listed, made, of_rest
from tests.service.running import Running, running
from tests.service.store import servers

SLOW = 0.001
"""So few calls per second that none comes back while a test lasts."""
SECRET = "what the services of these tests sign tokens with"
REFUSED: dict[str, int | str] = {"rest": 429, "connect": 429, "grpc": "RESOURCE_EXHAUSTED"}


NAMED = {
    **{transport: made(transport, rate=SLOW, burst=3) for transport in TRANSPORTS},
    "soon": made("soon", rate=0.4, burst=1),
    "batch": made("batch", rate=SLOW, burst=10),
    "huge": made("huge", rate=SLOW, burst=4),
    "decide": made("decide", rate=SLOW, burst=3),
    "tables": made("tables", tablesPerMinute=2, reissuesPerMinute=3),
    "apart": made("apart", rate=SLOW, burst=1),
    "apart2": made("apart2", rate=SLOW, burst=1),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(api_keys=listed(*NAMED.values())) as here:
        yield here


@pytest.fixture(scope="module")
def callers(server: Running) -> Iterator[Callers]:
    with grpc.insecure_channel(str(server.ready.grpc)) as channel:
        yield Callers(server.http, channel)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_what_has_no_room_is_refused_and_told_when_there_is(callers: Callers, transport: str) -> None:
    headers = NAMED[transport].headers
    assert [callers.deal(transport, headers).code for _ in range(3)] == ["OK"] * 3
    told = callers.deal(transport, headers)
    assert (told.code, told.status) == ("RATE_LIMITED", REFUSED[transport])
    assert told.retry_after is not None
    assert 990 < told.retry_after <= 1_000


def test_the_time_told_is_when_the_bucket_has_room_again(callers: Callers) -> None:
    headers = NAMED["soon"].headers
    assert callers.deal("rest", headers).code == "OK"
    told = callers.deal("rest", headers)
    assert (told.code, told.status) == ("RATE_LIMITED", 429)
    assert told.retry_after in (1, 2, 3)  # 2.5 s at most, and told in whole seconds, never too few
    time.sleep(told.retry_after)
    assert callers.deal("rest", headers).code == "OK"


def test_keys_have_a_bucket_each(callers: Callers) -> None:
    for name in ("apart", "apart2"):
        assert callers.deal("grpc", NAMED[name].headers).code == "OK"
        assert callers.deal("rest", NAMED[name].headers).code == "RATE_LIMITED"


def batch(server: Running, key: Key, calls: int) -> Told:
    body = {"calls": [{"id": str(at), "deal": {"game": "whist"}} for at in range(calls)]}
    return of_rest(server.http.post("/v1/batch", json=body, headers=list(key.headers)))


def test_a_batch_counts_as_its_calls(server: Running, callers: Callers) -> None:
    key = NAMED["batch"]
    assert batch(server, key, 6).code == "OK"
    assert batch(server, key, 6).code == "RATE_LIMITED"  # one of them counts: it was looked at
    request = referee_pb2.BatchRequest()
    for at in range(3):
        request.calls.add(id=str(at), deal=WHIST)
    for transport in (callers.grpc, callers.connect):
        told = transport("Referee", "Batch", request.SerializeToString(), key.headers)
        assert told.code == ("OK" if transport == callers.grpc else "RATE_LIMITED")


def test_a_batch_that_is_larger_than_the_bucket_waits_for_a_full_one(server: Running) -> None:
    key = NAMED["huge"]
    assert batch(server, key, 20).code == "OK"
    told = batch(server, key, 1)
    assert told.code == "RATE_LIMITED"
    assert told.retry_after is not None
    assert 16_900 < told.retry_after <= 17_000  # sixteen owed, and one


def test_each_message_of_a_stream_counts_and_a_refused_one_spoils_only_itself(callers: Callers) -> None:
    key = NAMED["decide"]
    requests = [referee_pb2.DecideRequest(call=referee_pb2.BatchCall(id=str(at), deal=WHIST)) for at in range(5)]
    answers = callers.decide(iter([request.SerializeToString() for request in requests]), key.headers)
    results = [referee_pb2.DecideResponse.FromString(answer).result for answer in answers]
    assert [result.id for result in results] == list("01234")
    assert [result.error.code for result in results] == ["", "", "", "RATE_LIMITED", "RATE_LIMITED"]


def test_opening_tables_and_reissuing_have_limits_of_their_own(server: Running) -> None:
    key = dict(NAMED["tables"].headers)

    def opened() -> Told:
        return of_rest(server.http.post("/v1/tables", json={"game": "whist"}, headers=key))

    table = server.http.post("/v1/tables", json={"game": "whist"}, headers=key).json()
    assert opened().code == "OK"
    refused = server.http.post("/v1/tables", json={"game": "whist"}, headers=key)
    assert of_rest(refused)[:2] == ("RATE_LIMITED", 429)
    assert refused.json()["params"] == {"limit": "tables", "retryAfter": int(refused.headers["retry-after"])}
    assert 20 <= int(refused.headers["retry-after"]) <= 30
    path, token = f"/v1/tables/{table['id']}", table["hostToken"]
    for _ in range(3):
        answer = server.http.post(f"{path}/reissue", json={}, headers=key | {"Authorization": f"Bearer {token}"})
        token = answer.json()["token"]
    answer = server.http.post(f"{path}/reissue", json={}, headers=key | {"Authorization": f"Bearer {token}"})
    assert answer.json()["params"]["limit"] == "reissues"
    assert server.http.get(path, headers=key | {"Authorization": f"Bearer {token}"}).status_code == 200
    metrics = server.http.get("/metrics").text
    assert 'scheids_rate_limited_total{key="tables",limit="tables"} 1.0' in metrics
    assert 'scheids_rate_limited_total{key="tables",limit="reissues"} 1.0' in metrics


def test_without_keys_reissuing_is_limited_for_each_table() -> None:
    """And only those who hold a token of it use it up."""
    with running(reissues_per_minute=2) as server:
        tables = [server.http.post("/v1/tables", json={"game": "whist"}).json() for _ in range(2)]

        def reissued(table: dict[str, str], token: str) -> tuple[str, str]:
            path = f"/v1/tables/{table['id']}/reissue"
            answer = server.http.post(path, json={}, headers={"Authorization": f"Bearer {token}"})
            return of_rest(answer).code, answer.json().get("token", token)

        for _ in range(5):
            assert reissued(tables[0], "forged")[0] == "INVALID_TOKEN"
            assert reissued(tables[0], tables[1]["hostToken"])[0] == "UNKNOWN_TABLE"
        for table in tables:
            token = table["hostToken"]
            for expected in ("OK", "OK", "RATE_LIMITED"):
                code, token = reissued(table, token)
                assert code == expected


# --- replicas


@pytest.mark.redis
@pytest.mark.parametrize("kind", ["redis", "cluster", "sentinel"])
async def test_what_one_replica_lets_through_is_owed_by_all(request: pytest.FixtureRequest, kind: str) -> None:
    url = request.getfixturevalue(f"{kind}_url")
    key = made("shared")
    limits = KeyLimits(rate=SLOW, burst=10, tables_per_minute=1, reissues_per_minute=1)
    gates = [Gate(read_keys(listed(key)), limits) for _ in range(3)]
    ledgers = [RedisLevels(url, RedisOptions(prefix=key.key[-8:])) for _ in gates]
    replicas = [Sharing(lambda gate=gate: gate.buckets, ledger) for gate, ledger in zip(gates, ledgers, strict=True)]  # type: ignore[misc]

    def through(gate: Gate, calls: int) -> int:
        done = 0
        for _ in range(calls):
            with suppress(ServiceError):
                gate.admit("deal", lambda: [key.key])
                done += 1
        return done

    async def settled() -> None:
        for replica in replicas * 2:
            await replica.settle()

    try:
        assert [through(gate, 4) for gate in gates[:2]] == [4, 4]
        await settled()
        assert [through(gate, 100) for gate in gates[:2]] == [2, 2]  # both see what is left, and take it at once
        await settled()
        assert [through(gate, 100) for gate in gates[:2]] == [0, 0]
        assert through(gates[2], 1) == 1  # who has let nothing through has not asked
        await settled()
        assert [through(gate, 100) for gate in gates] == [0, 0, 0]
    finally:
        for ledger in ledgers:
            await ledger.close()


class Hammer:
    """Calls as fast as it can, and counts what is let through."""

    def __init__(self, callers: Callers, transport: str, key: Key) -> None:
        self._callers = callers
        self._transport = transport
        self._key = key

    def __call__(self, until: float) -> int:
        through = 0
        while time.monotonic() < until:
            told = self._callers.deal(self._transport, self._key.headers)
            assert told.code in ("OK", "RATE_LIMITED")
            through += told.code == "OK"
            if told.code != "OK":
                time.sleep(0.005)
        return through


@pytest.mark.redis
def test_two_replicas_let_through_what_one_would_and_little_more(redis_url: str) -> None:
    rate, burst, seconds = 40, 10, 4.0
    key = made("two", rate=rate, burst=burst)
    named = {"redis_url": redis_url, "secret": SECRET, "api_keys": listed(key), "redis_prefix": "two"}
    with ExitStack() as stack:
        one, two = stack.enter_context(running(**named)), stack.enter_context(running(**named))
        channel = stack.enter_context(grpc.insecure_channel(str(two.ready.grpc)))
        pool = stack.enter_context(ThreadPoolExecutor(2))
        hammers = [Hammer(Callers(one.http, channel), "rest", key), Hammer(Callers(two.http, channel), "grpc", key)]
        began = time.monotonic()
        through = sum(pool.map(lambda hammer: hammer(began + seconds), hammers))
        took = time.monotonic() - began
    alone = burst + rate * took
    late = 6  # a machine that is busy shares later than it should
    assert burst < through <= alone + burst + rate * INTERVAL * late < 2 * alone


@pytest.mark.redis
def test_redis_that_hangs_changes_nothing_for_who_calls(tmp_path: Path) -> None:
    """Nothing waits for it; each replica limits by itself; once it is back they share again."""
    key, few = made("frozen"), made("few", rate=SLOW, burst=5)
    with servers.standalone(tmp_path) as redis:
        named = {"redis_url": redis.url, "secret": SECRET, "api_keys": listed(key, few), "key_rate": 10_000}
        with running(**named) as one, running(**named) as two, grpc.insecure_channel(str(one.ready.grpc)) as channel:
            callers = Callers(one.http, channel)
            one.http.timeout = two.http.timeout = 5  # far less than Redis is away
            assert callers.deal("rest", key.headers).code == "OK"
            redis.signal(signal.SIGSTOP)
            try:
                until = time.monotonic() + 6 * INTERVAL
                asked = 0
                while time.monotonic() < until:
                    for transport in TRANSPORTS:
                        assert callers.deal(transport, key.headers).code == "OK"
                        asked += 1
                assert asked > 10
                others = Callers(two.http, channel)
                for replica in (callers, others):
                    codes = [replica.deal("rest", few.headers).code for _ in range(7)]
                    assert codes == ["OK"] * 5 + ["RATE_LIMITED"] * 2
            finally:
                redis.signal(signal.SIGCONT)
            servers.wait_until("levels are shared again", lambda: _told(callers, key) and redis.redis.keys("*limits*"))


def _told(callers: Callers, key: Key) -> bool:
    return callers.deal("rest", key.headers).code == "OK"
