"""Every worked case, over the use cases and the engine below them."""

import msgspec
import pytest

from engine.violations import Refusal
from service import messages
from service.config import Settings
from service.errors import ServiceError, problem_of
from service.rules import Rules
from tests.cases import CASES, REQUESTS
from tests.cases.case import Case, body, check

RULES = Rules(Settings().limits)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    request = msgspec.convert(case.request, REQUESTS[case.call](case.request), dec_hook=messages.from_json)
    try:
        answer = body(getattr(RULES, case.call)(request, case.language))
    except (Refusal, ServiceError) as refused:
        check(case, None, body(problem_of(refused, case.language)))
    else:
        check(case, answer, None)
