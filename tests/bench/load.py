"""A bounded load on this machine, from a process of its own.

python -m tests.bench.load KIND ADDRESS TARGET BODY SECONDS

KIND is ``rest`` (TARGET a path) or ``grpc`` (TARGET a full method name), BODY a file with the request as it goes out.
Prints how many answers came, per second, over `CONNECTIONS` connections that ask one thing at a time.
"""

import asyncio
import sys
import time
from pathlib import Path
from typing import Final

import grpc
import uvloop

CONNECTIONS: Final = 16


async def rest(address: str, path: str, body: bytes, until: float) -> int:
    """How many answers one kept-alive HTTP/1.1 connection got until then."""
    host, _, port = address.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = (
        f"POST {path} HTTP/1.1",
        f"Host: {address}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    )
    message = "\r\n".join((*lines, "", "")).encode() + body
    answers = 0
    while time.monotonic() < until:
        writer.write(message)
        answered = await reader.readuntil(b"\r\n\r\n")
        if not answered.startswith(b"HTTP/1.1 200"):
            sys.exit(answered.decode())
        length = next(line for line in answered.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.partition(b":")[2]))
        answers += 1
    writer.close()
    return answers


async def rpc(channel: grpc.aio.Channel, method: str, body: bytes, until: float) -> int:
    """How many answers one caller of a channel got until then."""
    call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(method)
    answers = 0
    while time.monotonic() < until:
        await call(body)
        answers += 1
    return answers


async def load(kind: str, address: str, target: str, body: bytes, seconds: float) -> float:
    """Answers a second."""
    until = time.monotonic() + seconds
    if kind == "rest":
        counts = await asyncio.gather(*(rest(address, target, body, until) for _ in range(CONNECTIONS)))
    else:
        async with grpc.aio.insecure_channel(address) as channel:
            counts = await asyncio.gather(*(rpc(channel, target, body, until) for _ in range(CONNECTIONS)))
    return sum(counts) / seconds


if __name__ == "__main__":
    kind, address, target, body_path, seconds = sys.argv[1:6]
    print(uvloop.run(load(kind, address, target, Path(body_path).read_bytes(), float(seconds))))
