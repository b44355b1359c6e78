"""Server-Sent Events from a real service: the form of the stream, resuming, tickets, and the end."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from service.app import Service
from service.config import load
from service.hosting import CannotStart
from tests.service.running import FREE, Running, running

Json = dict[str, Any]
SECONDS = 20


class Stream:
    """An open stream, read event by event."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.iter_lines()

    def next(self) -> dict[str, str]:
        """The next event's fields; a comment's is `comment`."""
        fields: dict[str, str] = {}
        for line in self._lines:
            if not line:
                return fields
            name, _, value = line.partition(": ")
            fields[name or "comment"] = value
        return {}

    def frame(self) -> Json:
        """The next event's data."""
        decoded: Json = json.loads(self.next()["data"])
        return decoded


class Table:
    """A table of Flip 7 at a running service."""

    def __init__(self, server: Running, **facts: Any) -> None:
        self.http = server.http
        self.server = server
        self.created = self.http.post("/v1/tables", json={"game": "flip7", "places": 2, **facts}).json()
        self.url = f"/v1/tables/{self.created['id']}"
        self.host = {"Authorization": f"Bearer {self.created['hostToken']}"}
        self.places = []
        for code in self.created["joinCodes"]:
            token = self.http.post(f"{self.url}/claim", json={"joinCode": code}).json()["token"]
            self.places.append({"Authorization": f"Bearer {token}"})

    def post(self, path: str, headers: dict[str, str], **body: Any) -> Json:
        answer = self.http.post(self.url + path, json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        decoded: Json = answer.json()
        return decoded

    @contextmanager
    def watched(self, headers: dict[str, str] | None = None, query: str = "") -> Iterator[Stream]:
        url = f"{self.server.url}{self.url}/events{query}"
        with httpx.stream("GET", url, headers=headers or {}, timeout=SECONDS) as response:
            yield Stream(response)


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(heartbeat_seconds=1) as service:
        yield service


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if is_so():
            return
        time.sleep(0.02)
    raise AssertionError("not in time")


def test_the_form_of_the_stream(server: Running) -> None:
    table = Table(server)
    with table.watched(table.places[0]) as stream:
        assert stream.response.headers["content-type"].startswith("text/event-stream")
        assert stream.response.headers["cache-control"] == "no-store"
        first = stream.next()
        assert (first["event"], first["id"]) == ("frame", "3")
        assert json.loads(first["data"])["table"]["place"] == 0
        table.post("/start", table.host)
        second = stream.next()
        assert (second["event"], second["id"]) == ("frame", "4")
        assert json.loads(second["data"])["act"] == "started"
        assert stream.next() == {"comment": "heartbeat"}
        table.http.delete(table.url, headers=table.host)
        last = stream.next()
        assert json.loads(last["data"])["ended"]["reason"] == "endedByHost"
        end = stream.next()
        assert (end["event"], json.loads(end["data"])) == ("end", {"reason": "ended"})
        assert stream.next() == {}
    again = table.http.get(f"{table.url}/events", headers=table.places[0] | {"Last-Event-ID": last["id"]})
    assert (again.status_code, again.content) == (204, b"")


def test_resuming_by_header_and_by_query(server: Running) -> None:
    table = Table(server)
    for headers, query in (
        ({"Last-Event-ID": "1"}, ""),
        ({}, "?afterVersion=1"),
        ({"Last-Event-ID": "1"}, "?afterVersion=2"),
    ):
        with table.watched(table.places[1] | headers, query) as stream:
            assert [stream.frame()["version"] for _ in range(2)] == [2, 3]
    with table.watched(table.places[1] | {"Last-Event-ID": "77"}) as stream:
        event = stream.next()
        assert (event["event"], event["id"]) == ("reset", "3")


def test_a_ticket_opens_the_stream_without_a_header(server: Running) -> None:
    table = Table(server)
    made = table.post("/event-tickets", table.places[1])
    with table.watched(query=f"?ticket={made['ticket']}") as stream:
        assert stream.frame()["table"]["place"] == 1
    for query in ("", "?ticket=", f"?ticket={table.places[1]['Authorization'][7:]}"):
        with table.watched(query=query) as stream:
            assert stream.response.status_code in {401, 404}
            stream.response.read()
            assert stream.response.headers["content-type"] == "application/problem+json"


def test_a_spectator_watches_where_there_are_spectators(server: Running) -> None:
    table = Table(server, spectators=True)
    with table.watched() as stream:
        assert "place" not in stream.frame()["table"]


def test_who_goes_away_is_watched_for_no_more(server: Running) -> None:
    table = Table(server)
    before = server.watches
    for _ in range(3):
        with table.watched(table.places[0]) as stream:
            stream.frame()
            assert server.watches > before
    until(lambda: server.watches == before)


def test_a_service_that_stops_tells_its_watchers() -> None:
    with running(heartbeat_seconds=3_600, shutdown_seconds=30) as server:
        table = Table(server)
        with table.watched(table.places[0]) as stream:
            stream.frame()
            began = time.monotonic()
            server.service.stop()
            end = stream.next()
            assert (end["event"], json.loads(end["data"])) == ("end", {"reason": "stopping"})
            assert stream.next() == {}
            assert time.monotonic() - began < SECONDS


def test_tables_outlive_the_process(tmp_path: Any) -> None:
    with running(data_dir=tmp_path) as server:
        table = Table(server)
        table.post("/start", table.host)
        seen = table.http.get(table.url, headers=table.places[0]).content
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    with running(data_dir=tmp_path) as server:
        assert server.http.get(table.url, headers=table.places[0]).content == seen


def test_one_process_has_the_folder() -> None:
    with running() as server, pytest.raises(CannotStart, match="SCHEIDS_DATA_DIR"):
        Service(load({**FREE, "SCHEIDS_DATA_DIR": str(server.settings["data_dir"])}))


@pytest.mark.parametrize("path", ["/v1/tables", "/v1/tables/x/moves", "/v1/tables/x/claim"])
def test_switched_off(path: str) -> None:
    with running(tables="off") as server:
        answer = server.http.post(path, json={"game": "whist"})
        assert (answer.status_code, answer.json()["code"]) == (501, "TABLES_OFF")
        assert server.http.get("/readyz").json()["tables"] == "off"
        assert server.http.post("/v1/deal", json={"game": "whist"}).status_code == 200
