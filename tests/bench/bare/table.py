"""A bare server to measure tables against: python -m tests.bench.bare.table REDIS_PORT ANSWER SIZES.

A Litestar handler on uvicorn that decodes the body, runs one EVALSHA whose arguments are as large as those of a move,
SIZES being their bytes between commas, and encodes an answer of the same size as ours. Prints the port it listens on.
"""

import socket
import sys
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from litestar import Litestar, Request, Response, post
from litestar.params import FromPath
from redis.asyncio import BlockingConnectionPool, Redis

from tests.bench.bare.settling import settle

SCRIPT = "redis.call('SET', KEYS[1], ARGV[1]) return 1"


def serve(redis_port: int, answer: bytes, sizes: list[int]) -> None:
    """Serves until it is ended."""
    value = msgspec.json.decode(answer)
    decoder, encoder = msgspec.json.Decoder(), msgspec.json.Encoder()
    arguments = [bytes(size) for size in sizes]
    redis: Any = Redis.from_pool(BlockingConnectionPool(port=redis_port, max_connections=32))
    script = redis.register_script(SCRIPT)

    @post("/v1/tables/{table:str}/moves", status_code=200)
    async def bare(request: Request[Any, Any, Any], table: FromPath[str]) -> Response[bytes]:
        decoder.decode(await request.body())
        await redis.evalsha(script.sha, 1, f"bare:{table}", *arguments)
        return Response(encoder.encode(value), media_type="application/json")

    async def load() -> None:
        await redis.script_load(SCRIPT)

    app = Litestar([bare], openapi_config=None, logging_config=None, on_startup=[load])
    listener = socket.create_server(("127.0.0.1", 0))
    settle()
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(app, loop="uvloop", http="httptools", log_config=None, access_log=False, ws="none")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    serve(int(sys.argv[1]), Path(sys.argv[2]).read_bytes(), [int(size) for size in sys.argv[3].split(",")])
