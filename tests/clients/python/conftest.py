"""A running service, and clients of it over both transports."""

from collections.abc import Callable, Iterator

import pytest

from scheids_client import Scheids
from tests.service.running import Running, running

TRANSPORTS = ("http", "grpc")


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with running() as here:
        yield here


def address_of(service: Running, transport: str) -> str:
    return service.url if transport == "http" else f"grpc://{service.ready.grpc}"


@pytest.fixture(params=TRANSPORTS)
def address(request: pytest.FixtureRequest, service: Running) -> str:
    return address_of(service, request.param)


@pytest.fixture
def scheids(address: str) -> Iterator[Scheids]:
    with Scheids(address) as client:
        yield client


@pytest.fixture(scope="module")
def connected(service: Running) -> Iterator[Callable[..., Scheids]]:
    """Clients by transport and language, one of each for all tests of a module."""
    made: dict[tuple[str, str], Scheids] = {}

    def client(transport: str, language: str = "en") -> Scheids:
        if (transport, language) not in made:
            made[transport, language] = Scheids(address_of(service, transport), language=language)
        return made[transport, language]

    yield client
    for each in made.values():
        each.close()
