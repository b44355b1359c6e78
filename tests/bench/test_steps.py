"""What a decision is made of, step by step in one thread, printed: a hand of whist half played."""

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec
import pytest

from engine.game import admit
from engine.games.whist import WHIST
from service import metrics
from service.batch import answer
from service.config import Settings
from service.observability import configure, log_request
from service.rules import Rules
from service.transports.rest.bodies import encode, read
from service.wire.codec import CODEC
from tests.bench import bodies

pytestmark = pytest.mark.bench

TIMES: Final = 1_000
ROUNDS: Final = 7
LINE: Final = {"transport": "grpc", "id": "bench", "method": "ValidateMove", "status": "OK", "ms": 0.1}


def microseconds(work: Callable[[], Any]) -> float:
    """The processor's time of it, in the quietest of some rounds."""
    rounds = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(TIMES):
            work()
        rounds.append((time.process_time() - began) / TIMES * 1e6)
    return min(rounds)


def test_steps() -> None:
    configure("info")
    rules = Rules(Settings().limits)
    asked = {"legal_moves": bodies.legal_moves_request(), "validate": bodies.validate_request()}
    names = {"legal_moves": "ListLegalMoves", "validate": "ValidateMove"}
    steps: dict[str, Callable[[], Any]] = {"admit": lambda: admit(WHIST, bodies.hand())}
    for operation, request in asked.items():
        response = answer(rules, operation, request, "en")
        text, message = bodies.json_of(request), CODEC.writer(f"{names[operation]}Request")(request)
        reader, writer = CODEC.reader(f"{names[operation]}Request"), CODEC.writer(f"{names[operation]}Response")
        steps |= {
            f"{operation}: JSON to request": partial(read, operation, text, rules.limits),
            f"{operation}: protobuf to request": partial(reader, message),
            f"{operation}: the answer": partial(answer, rules, operation, request, "en"),
            f"{operation}: answer to JSON": partial(encode, response),
            f"{operation}: answer to protobuf": partial(writer, response),
        }
    with_text = msgspec.json.encode({**msgspec.json.decode(bodies.json_of(asked["validate"])), "move": "play KS"})
    steps |= {
        "validate: JSON to request, the move as its text": lambda: read("validate", with_text, rules.limits),
        "metrics": lambda: metrics.answered("grpc", "validateMove", "OK", 0.001),
        "a log line": lambda: log_request(logging.INFO, LINE),
    }
    for what, work in steps.items():
        print(f"\n{what}: {microseconds(work):.1f} µs", end="")
    print()
