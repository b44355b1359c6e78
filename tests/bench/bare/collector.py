"""A collector of traces that keeps none: reads what comes by OTLP over HTTP, and says that it is well.

python -m tests.bench.bare.collector

Prints its port once it listens.
"""

import asyncio
from typing import Final

import uvloop

ANSWER: Final = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
LENGTH: Final = b"content-length:"


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers each request of a connection."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(LENGTH))
            await reader.readexactly(int(length.removeprefix(LENGTH)))
            writer.write(ANSWER)
    except asyncio.IncompleteReadError:
        writer.close()


async def serve() -> None:
    """Listens until it is ended."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve())
