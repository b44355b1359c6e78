"""Bare servers to measure against: python -m tests.bench.bare KIND ANSWER.

``rest`` is a Litestar handler on uvicorn that decodes the body with msgspec and encodes an answer of the same size as
ours; ``grpc`` parses a message of the request's type and serialises one of the answer's. Prints the port it listens on.
"""

import asyncio
import socket
import sys
from pathlib import Path
from typing import Any

import grpc
import msgspec
import uvicorn
import uvloop
from litestar import Litestar, Request, Response, post

from service.app import settle_memory
from service.wire.gen.scheids.v1 import referee_pb2


def rest(answer: bytes) -> None:
    """Decodes and encodes plain values."""
    value = msgspec.json.decode(answer)
    decoder = msgspec.json.Decoder()
    encoder = msgspec.json.Encoder()

    @post("/bare", status_code=200)
    async def bare(request: Request[Any, Any, Any]) -> Response[bytes]:
        decoder.decode(await request.body())
        return Response(encoder.encode(value), media_type="application/json")

    app = Litestar([bare], openapi_config=None, logging_config=None)
    listener = socket.create_server(("127.0.0.1", 0))
    settle_memory()
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(app, loop="uvloop", http="httptools", log_config=None, access_log=False, ws="none")
    uvicorn.Server(config).run(sockets=[listener])


async def rpc(answer: bytes) -> None:
    """Parses and serialises messages."""
    message = referee_pb2.ListLegalMovesResponse.FromString(answer)

    async def bare(_request: Any, _context: Any) -> Any:
        return message

    handler = grpc.unary_unary_rpc_method_handler(
        bare,
        request_deserializer=referee_pb2.ListLegalMovesRequest.FromString,
        response_serializer=referee_pb2.ListLegalMovesResponse.SerializeToString,
    )
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bare.Bare", {"Echo": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    settle_memory()
    print(port, flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    kind, path = sys.argv[1:3]
    stored = Path(path).read_bytes()
    if kind == "rest":
        rest(stored)
    else:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(rpc(stored))
