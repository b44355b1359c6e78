"""The short way in and Litestar's lead to the same endpoints: whoever asks cannot tell which way an answer came."""

import io
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from service import observability
from service.beside import Beside
from service.config import load
from service.observability import RequestLog
from service.rules import Rules
from service.tables import Watcher
from service.transports.rest import create_app
from service.transports.rest.operations import OPERATIONS
from service.transports.rest.table_operations import TABLE_OPERATIONS
from tests.service.running import WHIST
from tests.service.tables.http import app_over, hosted

Json = dict[str, Any]
ORIGIN: Final = {"Origin": "https://cards.example"}
JSON: Final = {"Content-Type": "application/json"}
BODIES: Final[tuple[tuple[bytes, Json], ...]] = (
    (b"{}", JSON),
    (b"", {}),
    (b"{", JSON),
    (json.dumps(WHIST).encode(), JSON),
    (json.dumps(WHIST).encode(), {**JSON, "Accept-Language": "nl"}),
    (json.dumps(WHIST).encode(), {**JSON, "Content-Encoding": "gzip"}),
    (json.dumps(WHIST).encode(), {"Content-Type": "text/plain"}),
    (json.dumps({"calls": [{"id": "a", "deal": WHIST}, {"id": "b"}]}).encode(), JSON),
    (b"[" * 100 + b"]" * 100, JSON),
)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    observability.configure("info", stream)
    yield stream
    observability.configure("error")


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[tuple[httpx.AsyncClient, Watcher]]:
    async with app_over(tmp_path) as (http, watcher):
        yield http, watcher


def told(answer: httpx.Response) -> tuple[int, Json, bytes]:
    """All of an answer but its id."""
    headers = {name.lower(): value for name, value in answer.headers.items() if name.lower() != "x-request-id"}
    return answer.status_code, headers, answer.content


def line_of(log: io.StringIO) -> Json:
    """The one line that was written, without what no two lines share."""
    (line,) = log.getvalue().splitlines()
    log.seek(0)
    log.truncate()
    return {name: value for name, value in json.loads(line).items() if name not in ("ms", "timestamp", "id")}


async def same(http: httpx.AsyncClient, log: io.StringIO, method: str, path: str, **request: Any) -> tuple[int, Json]:
    """Asks at a path and at the same with a slash more, which Litestar answers. The status and the line of the log."""
    log.seek(0)
    log.truncate()
    direct, line = await http.request(method, path, **request), line_of(log)
    routed, other = await http.request(method, f"{path}/", **request), line_of(log)
    assert told(direct) == told(routed)
    assert line == other
    return direct.status_code, line


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
async def test_operations(both: tuple[httpx.AsyncClient, Watcher], log: io.StringIO, operation: Any) -> None:
    codes = set()
    for body, headers in BODIES:
        status, line = await same(both[0], log, "POST", operation.path, content=body, headers=headers)
        assert line["route"] == operation.path
        codes.add((status, line.get("code")))
    assert (415, "UNSUPPORTED_MEDIA_TYPE") in codes
    assert (400, "TOO_DEEP") in codes
    assert ((200, None) in codes) == (operation.name in ("deal", "batch"))


@pytest.mark.parametrize(
    "operation", [each for each in TABLE_OPERATIONS if each.name != "create"], ids=lambda each: each.name
)
async def test_tables(both: tuple[httpx.AsyncClient, Watcher], log: io.StringIO, operation: Any) -> None:
    table = await hosted(*both, "whist")
    request: Json = {"content": b'{"move": "AS", "x": 1}'} if operation.method == "POST" else {}
    codes = set()
    for token in (None, "none", table.created["hostToken"]):
        for id_ in (table.created["id"], "unknown"):
            headers = JSON if token is None else {**JSON, "Authorization": f"Bearer {token}"}
            path = operation.path.replace("{table:str}", id_)
            method = "GET" if operation.method == "DELETE" else operation.method
            status, line = await same(both[0], log, method, path, headers=headers, **request)
            codes.add((status, line.get("code")))
    assert codes == {(400, "MALFORMED")} if operation.method == "POST" else len(codes) > 2


async def test_what_is_another_way_is_litestars(both: tuple[httpx.AsyncClient, Watcher]) -> None:
    http, _ = both
    assert (await http.get("/v1/deal")).status_code == 405
    assert (await http.request("HEAD", "/v1/deal")).status_code == 405
    assert (await http.post("/v1/tables/")).json()["code"] == (await http.post("/v1/tables")).json()["code"]
    assert (await http.post("/v1/tables//moves")).status_code == 405
    assert (await http.post("/v1/tables/a/b/moves")).status_code == 404
    assert (await http.post("/v1/deal?x=1", json=WHIST)).status_code == 200


async def test_an_origin_is_answered_where_origins_are_minded() -> None:
    app: Any = create_app(Rules(load({}).limits), beside=Beside(), cors_origins=[ORIGIN["Origin"]])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as http:
        with_origin = await http.post("/v1/deal", json=WHIST, headers=ORIGIN)
        without = await http.post("/v1/deal", json=WHIST)
        other = await http.post("/v1/deal", json=WHIST, headers={"Origin": "https://other.example"})
    assert with_origin.headers["access-control-allow-origin"] == ORIGIN["Origin"]
    assert with_origin.json() == without.json() == other.json()
    assert "access-control-allow-origin" not in other.headers


async def test_a_caller_that_goes_away(log: io.StringIO) -> None:
    app = create_app(Rules(load({}).limits), beside=Beside())
    assert isinstance(app, RequestLog)
    sent = []

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(event: Any) -> None:
        sent.append(event)

    scope: Any = {
        "type": "http",
        "method": "POST",
        "path": "/v1/deal",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
    }
    await app(scope, receive, send)
    assert sent[0]["status"] == 499
    assert line_of(log)["route"] == "/v1/deal"
