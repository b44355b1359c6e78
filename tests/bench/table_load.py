"""A bounded load of moves on this machine, from a process of its own.

python -m tests.bench.table_load KIND ADDRESS SECONDS PID

Each of `CONNECTIONS` connections plays one hand of whist after the other, each at a table of its own; the tables are
made, and the moves known, before the time begins. KIND is ``table``, or ``bare`` for the same requests to a server that
has no tables. Prints how many moves a second were answered, how many microseconds of the processor's time each took
the process PID, whose server it is, and the share of a processor that this process took.
"""

import asyncio
import itertools
import math
import sys
import time
from collections.abc import Iterable
from typing import Final

import uvloop

from tests.bench.servers import Server
from tests.service.tables.callers import Connection, Table, connect, request

CONNECTIONS: Final = 16
MOST: Final = 10_000
"""More moves a second than there can be."""
FACTS: Final = {"options": {"match": "deal"}, "seed": "bench"}
Script = list[tuple[int, str]]


async def script_of(connection: Connection) -> Script:
    """The moves of the hand that all tables are dealt, each with its place."""
    table = await Table.of(connection, "whist", **FACTS)
    moves: Script = []
    while turn := await table.turn(connection):
        moves.append((table.tokens.index(turn.token), turn.moves[0]))
        body = {"move": turn.moves[0], "expectedVersion": turn.version}
        assert (await connection.call("POST", f"{table.path}/moves", body, turn.token)).status == 200
    return moves


def messages(table: Table, script: Script, address: str) -> list[bytes]:
    """The requests that play the hand at a table, as they go over the wire."""
    made = []
    for number, (place, text) in enumerate(script):
        body = f'{{"move":"{text}","expectedVersion":{table.began + number},"idempotencyKey":"move number {number}"}}'
        made.append(request("POST", f"{table.path}/moves", address, body.encode(), table.tokens[place]))
    return made


async def ask(address: str, asked: Iterable[bytes], until: float) -> int:
    """How many answers came until then."""
    reader, writer = await connect(address)
    answers = 0
    for message in asked:
        if time.monotonic() >= until:
            break
        writer.write(message)
        answered = await reader.readuntil(b"\r\n\r\n")
        if not answered.startswith(b"HTTP/1.1 200"):
            sys.exit(answered.decode())
        length = next(line for line in answered.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.partition(b":")[2]))
        answers += 1
    else:
        sys.exit("it ran out of moves")
    writer.close()
    return answers


async def opened(address: str, number: int) -> list[Table]:
    """So many new tables."""
    async with Connection(lambda: address) as connection:
        return [await Table.of(connection, "whist", **FACTS) for _ in range(number)]


async def load(kind: str, address: str, seconds: float, pid: int) -> tuple[float, float, float]:
    """Moves a second, microseconds a move, and the share of a processor that asking took."""
    if kind == "table":
        async with Connection(lambda: address) as connection:
            script = await script_of(connection)
        hands_each = math.ceil(MOST * seconds / CONNECTIONS / len(script))
        made = await asyncio.gather(*(opened(address, hands_each) for _ in range(CONNECTIONS)))
        tables = [*itertools.chain(*made)]
    else:
        script = [(0, "play KS")]
        tables = [Table({"id": f"{i:028}", "hostToken": ""}, ["t" * 260] * 4) for i in range(CONNECTIONS)]
    hands = [messages(table, script, address) for table in tables]
    asked: list[Iterable[bytes]] = [[*itertools.chain(*hands[i::CONNECTIONS])] for i in range(CONNECTIONS)]
    if kind == "bare":
        asked = [itertools.cycle(each) for each in asked]
    server = Server(pid, {})
    own, before = time.process_time(), server.processor_seconds()
    until = time.monotonic() + seconds
    moves = sum(await asyncio.gather(*(ask(address, each, until) for each in asked)))
    own = time.process_time() - own
    return moves / seconds, (server.processor_seconds() - before) / moves * 1e6, own / seconds


if __name__ == "__main__":
    print(*uvloop.run(load(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))))
