"""The worked cases over both transports: the same answers, the same problems, from a running service."""

from collections.abc import Iterator
from typing import Any, cast

import grpc
import msgspec
import pytest
from grpc_status import rpc_status

from service import messages
from service.wire.codec import CODEC
from service.wire.gen.scheids.v1 import common_pb2
from tests.cases import CASES, REQUESTS
from tests.cases.case import Case, body, check
from tests.service.grpc_server import raw
from tests.service.running import Running, running

PATHS = {"legal_moves": "legal-moves"}
METHODS = {
    "deal": ("Deal", "Deal"),
    "validate": ("ValidateMove", "ValidateMove"),
    "legal_moves": ("ListLegalMoves", "ListLegalMoves"),
    "play": ("PlayMove", "PlayMove"),
    "score": ("Score", "Score"),
    "view": ("ViewState", "ViewState"),
    "replay": ("Replay", "Replay"),
    "outcomes": ("ListOutcomes", "ListOutcomes"),
}


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with running() as here:
        yield here


@pytest.fixture(scope="module")
def channel(service: Running) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(str(service.ready.grpc)) as channel:
        yield channel


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_over_rest(case: Case, service: Running) -> None:
    path = f"/v1/{PATHS.get(case.call, case.call)}"
    answer = service.http.post(path, json=case.request, headers={"accept-language": case.language})
    assert answer.status_code == (200 if case.problem is None else case.problem["status"])
    came = answer.json()
    check(case, came if answer.status_code == 200 else None, came if answer.status_code != 200 else None)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_over_grpc(case: Case, channel: grpc.Channel) -> None:
    method, name = METHODS[case.call]
    request = msgspec.convert(case.request, REQUESTS[case.call](case.request), dec_hook=messages.from_json)
    data = CODEC.writer(f"{name}Request")(request)
    try:
        came: Any = raw(channel, method)(data, metadata=[("accept-language", case.language)])
    except grpc.RpcError as error:
        check(case, None, problem_in(error))
    else:
        check(case, body(CODEC.reader(f"{name}Response")(came)), None)


def problem_in(error: grpc.RpcError) -> Any:
    status = rpc_status.from_call(cast("grpc.Call", error))
    assert status is not None, error
    detail = next(detail for detail in status.details if detail.Is(common_pb2.Problem.DESCRIPTOR))
    return body(CODEC.reader("Problem")(detail.value))
