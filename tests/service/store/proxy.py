"""A wire between a client and its Redis that counts what is sent over it, and that can lose an answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

PIECE = 1 << 20


class Proxy:
    """Passes everything on, unless told otherwise."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.url = ""
        self.requests = 0
        self.lose_answers = 0
        self.connections = 0
        self._served = asyncio.Semaphore(0)
        self._over = asyncio.get_running_loop().create_future()

    async def end(self) -> None:
        """Closes every connection."""
        self._over.set_result(None)
        for _ in range(self.connections):
            await self._served.acquire()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self.connections += 1
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._port)
        tasks = [
            asyncio.create_task(self._requests(reader, far_writer)),
            asyncio.create_task(self._answers(far_reader, writer)),
        ]
        try:
            await asyncio.wait([*tasks, self._over], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for one in (writer, far_writer):
                one.close()
            self._served.release()

    async def _requests(self, reader: asyncio.StreamReader, far: asyncio.StreamWriter) -> None:
        while data := await reader.read(PIECE):
            self.requests += 1
            far.write(data)
            await far.drain()

    async def _answers(self, far: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await far.read(PIECE):
            if self.lose_answers:
                self.lose_answers -= 1
                return  # what was asked for is done, and the connection dies before anybody hears of it
            writer.write(data)
            await writer.drain()


@asynccontextmanager
async def proxy(url: str) -> AsyncIterator[Proxy]:
    """A proxy before the Redis of a URL."""
    one = Proxy(int(url.rpartition(":")[2]))
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    one.url = f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield one
    finally:
        server.close()
        await one.end()
