"""Answers go out in one write, and nothing that is written is lost, doubled or put in another order."""

import asyncio
import socket
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from service.transports.rest.gathering import Gathering
from tests.service.running import SECONDS, running


class Wire:
    """A transport that notes what is done with it."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        assert not self.closed
        self.written.append(bytes(data))

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def get_extra_info(self, name: str) -> str:
        return name


def gathering(wire: Any) -> Gathering:
    return Gathering(wire, asyncio.get_running_loop())


async def test_head_and_body_are_one_write() -> None:
    wire = Wire()
    one = gathering(wire)
    one.write(b"head")
    assert wire.written == []
    one.write(b"body")
    assert wire.written == [b"headbody"]
    await asyncio.sleep(0)
    assert wire.written == [b"headbody"]


async def test_a_head_alone_goes_out_at_the_next_turn() -> None:
    wire = Wire()
    gathering(wire).write(b"head")
    await asyncio.sleep(0)
    assert wire.written == [b"head"]


async def test_what_is_kept_goes_out_before_the_end() -> None:
    wire = Wire()
    one = gathering(wire)
    one.write(b"last")
    one.close()
    await asyncio.sleep(0)
    assert wire.written == [b"last"]
    assert wire.closed


async def test_a_connection_that_was_lost_is_not_written_to() -> None:
    wire = Wire()
    gathering(wire).write(b"head")
    wire.close()
    await asyncio.sleep(0)
    assert wire.written == []


@given(st.lists(st.one_of(st.binary(max_size=3), st.none()), max_size=12))
def test_all_of_it_comes_in_order(steps: list[bytes | None]) -> None:
    """None: the event loop has its turn."""

    async def play() -> None:
        wire = Wire()
        one = gathering(wire)
        for step in steps:
            if step is None:
                await asyncio.sleep(0)
            else:
                one.write(step)
        one.close()
        assert b"".join(wire.written) == b"".join(step for step in steps if step is not None)
        assert one.get_extra_info("name") == "name"

    asyncio.run(play())


def test_an_answer_comes_in_one_piece() -> None:
    with (
        running(tables="off") as here,
        socket.create_connection(("127.0.0.1", here.ready.rest.port), SECONDS) as caller,
    ):
        for _ in range(20):
            caller.sendall(b"GET /livez HTTP/1.1\r\nHost: here\r\n\r\n")
            answer = caller.recv(65_536)
            assert answer.startswith(b"HTTP/1.1 200")
            assert answer.endswith(b'{"status":"alive"}')
