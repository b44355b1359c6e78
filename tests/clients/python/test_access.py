"""API keys, limits and certificates, as clients have them over both transports."""

import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx
import pytest
import trustme

from scheids_client import AsyncScheids, Retry, Scheids, Tls, errors
from scheids_client.models import ListLegalMovesRequest
from tests.clients.python.conftest import address_of
from tests.service.access.calling import listed, made
from tests.service.access.certificates import HERE, Mounted, chain_of, files_of, key_of
from tests.service.running import Running, running

ONCE = Retry(attempts=1)
OURS = made("ours", rate=1_000, burst=1_000, tablesPerMinute=100)
TIGHT = {transport: made(f"tight-{transport}", rate=2, burst=1) for transport in ("http", "grpc")}
SPENT = {transport: made(f"spent-{transport}", rate=0.01, burst=1) for transport in ("http", "grpc")}
STREAMED = {transport: made(f"streamed-{transport}", rate=4, burst=2) for transport in ("http", "grpc")}
CA, CLIENTS = trustme.CA(), trustme.CA()


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with running(api_keys=listed(OURS, *TIGHT.values(), *SPENT.values(), *STREAMED.values())) as here:
        yield here


@pytest.fixture(params=["http", "grpc"])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_key_goes_with_every_call(service: Running, transport: str) -> None:
    with Scheids(address_of(service, transport), api_key=OURS.key) as scheids:
        assert scheids.list_games()
        state = scheids.deal("whist")
        assert all(result.get() for result in scheids.batch([ListLegalMovesRequest(state=state)] * 3))
        assert [result.get() for result in scheids.decide([ListLegalMovesRequest(state=state)] * 3)]
        table = scheids.create_table("whist")
        with table.host.watch() as watch:
            assert next(watch).table is not None
        assert scheids.table(table.id, table.host.token).get().id == table.id


def test_without_a_good_key_calls_are_refused(service: Running, transport: str) -> None:
    with Scheids(address_of(service, transport)) as scheids:
        with pytest.raises(errors.NoApiKey):
            scheids.deal("whist")
        with pytest.raises(errors.InvalidApiKey) as bad:
            scheids.with_options(api_key=made("other").key).deal("whist")
        assert isinstance(bad.value, errors.Unauthenticated)
        assert scheids.with_options(api_key=OURS.key).deal("whist").phase == "play"


async def test_a_key_goes_with_calls_that_are_awaited(service: Running, transport: str) -> None:
    async with AsyncScheids(address_of(service, transport), api_key=OURS.key) as scheids:
        assert (await scheids.deal("whist")).phase == "play"
    async with AsyncScheids(address_of(service, transport)) as scheids:
        with pytest.raises(errors.NoApiKey):
            await scheids.deal("whist")


def test_a_client_waits_until_there_is_room(service: Running, transport: str) -> None:
    with Scheids(address_of(service, transport), api_key=TIGHT[transport].key) as scheids:
        began = time.monotonic()
        for _ in range(3):
            assert scheids.deal("whist").phase == "play"
        assert time.monotonic() - began >= 1  # room for one, and then for two a second


def test_one_that_has_no_time_for_it_is_told_when_there_is(service: Running, transport: str) -> None:
    with Scheids(address_of(service, transport), api_key=SPENT[transport].key, timeout=10) as scheids:
        scheids.deal("whist")
        for client in (scheids, scheids.with_options(retry=ONCE, timeout=1_000)):
            with pytest.raises(errors.RateLimited) as limited:
                client.deal("whist")
            assert 90 <= limited.value.retry_after <= 100
            assert limited.value.limit == "calls"


def test_a_stream_waits_until_there_is_room(service: Running, transport: str) -> None:
    with Scheids(address_of(service, transport), api_key=STREAMED[transport].key) as scheids:
        state = scheids.with_options(api_key=OURS.key).deal("whist")
        asked = [ListLegalMovesRequest(state=state)] * 4
        results = [result.get() for result in scheids.decide(asked, ahead=1)]
        assert len(results) == 4


# --- certificates


@pytest.fixture
def mounted(tmp_path: Path) -> Mounted:
    made_of = Mounted(tmp_path)
    client = CLIENTS.issue_cert("caller.example")
    more = {"trusted": CA.cert_pem.bytes(), "cert": chain_of(client), "private": key_of(client)}
    made_of.put(**files_of(CA.issue_cert(HERE), CLIENTS), **more)
    return made_of


def secured(service: Running, transport: str) -> str:
    return f"https://{service.ready.rest}" if transport == "http" else f"grpcs://{service.ready.grpc}"


async def test_a_client_shows_a_certificate_and_trusts_another_authority(mounted: Mounted, transport: str) -> None:
    tls = Tls(ca=mounted.path("trusted"), cert=mounted.path("cert"), key=mounted.path("private"))
    with running(tables="off", **mounted.settings(clients=True)) as service:
        address = secured(service, transport)
        with Scheids(address, tls=tls) as scheids:
            assert scheids.deal("whist").phase == "play"
        async with AsyncScheids(address, tls=tls) as scheids:
            assert (await scheids.deal("whist")).phase == "play"
        for bad in (None, Tls(ca=mounted.path("trusted"))):
            with Scheids(address, tls=bad, retry=ONCE) as scheids, pytest.raises(errors.Unreachable):
                scheids.deal("whist")


def test_what_cannot_be_told_twice() -> None:
    with pytest.raises(ValueError, match="name both"):
        Tls(cert="a")
    with httpx.Client() as http, pytest.raises(ValueError, match="httpx"):
        Scheids("https://localhost", tls=Tls(), http_client=http)
    with pytest.raises(ValueError, match="credentials"):
        Scheids("grpcs://localhost", tls=Tls(), credentials=grpc.ssl_channel_credentials())
