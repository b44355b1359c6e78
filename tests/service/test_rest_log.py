"""The log: one line a request, without anything of what was asked; and what no caller is told."""

import io
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from service import observability
from service.beside import Beside
from service.config import load
from service.rules import Rules
from service.transports.rest import create_app
from tests.service.running import WHIST

Json = dict[str, Any]


class Broken(Rules):
    """Rules with a fault in them, whose message has a secret."""

    def deal(self, *_: Any) -> Any:
        raise RuntimeError("the dealer holds the queen of spades")


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    observability.configure("info", stream)
    yield stream
    observability.configure("error")


def client(rules: type[Rules]) -> httpx.AsyncClient:
    app: Any = create_app(rules(load({}).limits), beside=Beside())
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test")


def lines(log: io.StringIO) -> list[Json]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


async def test_one_line_a_request(log: io.StringIO) -> None:
    async with client(Rules) as http:
        await http.post("/v1/deal?token=hush", json=WHIST)
        await http.get("/v1/games/hush")
        await http.get("/hush")
        await http.post("/v1/play", json={"hush": 1})
    assert [(line["method"], line["route"], line["status"], line.get("code")) for line in lines(log)] == [
        ("POST", "/v1/deal", 200, None),
        ("GET", "/v1/games/{game}", 404, "UNKNOWN_GAME"),
        ("GET", None, 404, "NOT_FOUND"),
        ("POST", "/v1/play", 400, "MALFORMED"),
    ]
    assert all(line["event"] == "request" and line["ms"] >= 0 and line["timestamp"] for line in lines(log))
    assert "hush" not in log.getvalue()
    assert WHIST["seed"] not in log.getvalue()


async def test_a_fault_of_the_service_tells_the_caller_nothing(log: io.StringIO) -> None:
    async with client(Broken) as http:
        answer = await http.post("/v1/deal", json=WHIST)
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "type": "about:blank",
        "title": "Internal error",
        "status": 500,
        "code": "INTERNAL",
        "detail": "the service failed; the request was not at fault",
    }
    (line,) = lines(log)
    assert (line["level"], line["code"], line["exception"]) == ("error", "INTERNAL", "RuntimeError")
    assert line["traceback"][-1].endswith(" deal")
    assert "queen" not in log.getvalue()


async def test_a_fault_in_a_batch_is_logged_too(log: io.StringIO) -> None:
    async with client(Broken) as http:
        answer = await http.post("/v1/batch", json={"calls": [{"id": "a", "deal": WHIST}]})
    assert answer.json()["results"][0]["error"]["code"] == "INTERNAL"
    fault, request = lines(log)
    assert (fault["event"], fault["exception"], request["status"]) == ("failed", "RuntimeError", 200)
    assert "queen" not in log.getvalue()
