"""The worked cases of the service, as a user of the client asks them: over each transport, and in process."""

from collections.abc import Callable

import pytest

from scheids_client import AsyncScheids, Scheids
from scheids_client.local import LocalScheids
from tests.cases import CASES
from tests.cases.case import Case
from tests.clients.python.asking import await_case, play_case
from tests.clients.python.conftest import TRANSPORTS, address_of
from tests.service.running import Running


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_over_a_transport(case: Case, transport: str, connected: Callable[..., Scheids]) -> None:
    play_case(connected(transport, case.language), case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_in_process(case: Case) -> None:
    play_case(LocalScheids(language=case.language), case)


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_with_waiting(transport: str, service: Running) -> None:
    async with AsyncScheids(address_of(service, transport)) as client:
        for case in CASES:
            await await_case(client.with_options(language=case.language), case)
