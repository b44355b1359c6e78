"""Bare servers of the service's own stack: python -m tests.bench.bare.stack KIND FOLDER.

FOLDER has one file an operation with the answer that is always given, named as the operation is. KIND is

- ``rest``: Litestar on uvicorn, a handler that reads the body and answers with the file's bytes, on ``/OPERATION``;
  on ``/coded/OPERATION`` it decodes the body into the service's structs, and encodes those of the answer;
- ``aio``: grpc.aio on uvloop, a method ``/bare.Bare/OPERATION`` that parses the request and serialises the answer;
- ``sync``: the same on grpc's server of threads;
- ``structs``: as ``aio``, but ``Batch`` alone, read into the service's structs and written from them by its codec; its
  answer is REST's.

Prints the port it listens on.
"""

import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import grpc
import msgspec
import uvicorn
import uvloop
from litestar import Litestar, Request, Response, post
from litestar.handlers import HTTPRouteHandler
from msgspec import Struct

from service.messages import BatchResponse, ListLegalMovesRequest, from_json, to_json
from service.wire.calls import read_batch, read_call
from service.wire.codec import CODEC
from service.wire.gen.scheids.v1 import referee_pb2
from tests.bench.bare.settling import settle

THREADS: Final = 10
STREAMED: Final = "Decide"
OPTIONS: Final = [("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", -1)]


class LegalMovesCall(Struct):
    """A call of a batch that asks for legal moves, read in one go."""

    id: str
    legal_moves: ListLegalMovesRequest = msgspec.field(name="legalMoves")


class LegalMovesBatch(Struct):
    """A batch of such calls."""

    calls: list[LegalMovesCall]


# --- REST


def rest(answers: dict[str, bytes]) -> None:
    """Serves until it is ended."""
    routes = [_handler(name, answer) for name, answer in answers.items()]
    if "batch" in answers:
        routes.append(_coded(answers["batch"]))
    app = Litestar(routes, openapi_config=None, logging_config=None, request_max_body_size=None)
    listener = socket.create_server(("127.0.0.1", 0))
    settle()
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(app, loop="uvloop", http="httptools", log_config=None, access_log=False, ws="none")
    uvicorn.Server(config).run(sockets=[listener])


def _handler(name: str, answer: bytes) -> HTTPRouteHandler:
    async def bare(request: Request[Any, Any, Any]) -> Response[bytes]:
        await request.body()
        return Response(answer, media_type="application/json")

    return post(f"/{name}", status_code=200, name=name)(bare)


def _coded(stored: bytes) -> HTTPRouteHandler:
    decode = msgspec.json.Decoder(LegalMovesBatch, dec_hook=from_json).decode
    encode = msgspec.json.Encoder(enc_hook=to_json).encode
    answer = msgspec.json.decode(stored, type=BatchResponse, dec_hook=from_json)

    async def coded(request: Request[Any, Any, Any]) -> Response[bytes]:
        decode(await request.body())
        return Response(encode(answer), media_type="application/json")

    return post("/coded/batch", status_code=200, name="coded")(coded)


# --- gRPC


def _messages(name: str, stored: bytes) -> tuple[Callable[[bytes], Any], Callable[[Any], bytes], Any]:
    """What reads a request, what writes an answer, and the answer."""
    request, response = getattr(referee_pb2, f"{name}Request"), getattr(referee_pb2, f"{name}Response")
    return request.FromString, response.SerializeToString, response.FromString(stored)


def _structs(stored: bytes) -> tuple[Callable[[bytes], Any], Callable[[Any], bytes], Any]:
    """What reads a batch and its calls, what writes the answer, and the answer."""

    def read(data: bytes) -> list[Any]:
        return [read_call(part).request() for part in read_batch(data)]

    return read, CODEC.writer("BatchResponse"), msgspec.json.decode(stored, type=BatchResponse, dec_hook=from_json)


def _aio_method(
    name: str, read: Callable[[bytes], Any], write: Callable[[Any], bytes], answer: Any
) -> "grpc.RpcMethodHandler[Any, Any]":
    async def bare(_request: Any, _context: Any) -> Any:
        return answer

    async def stream(requests: AsyncIterator[Any], _context: Any) -> AsyncIterator[Any]:
        async for _ in requests:
            yield answer

    if name == STREAMED:
        return grpc.stream_stream_rpc_method_handler(stream, request_deserializer=read, response_serializer=write)
    return grpc.unary_unary_rpc_method_handler(bare, request_deserializer=read, response_serializer=write)


def _sync_method(
    name: str, read: Callable[[bytes], Any], write: Callable[[Any], bytes], answer: Any
) -> "grpc.RpcMethodHandler[Any, Any]":
    def bare(_request: Any, _context: Any) -> Any:
        return answer

    def stream(requests: Iterator[Any], _context: Any) -> Iterator[Any]:
        for _ in requests:
            yield answer

    if name == STREAMED:
        return grpc.stream_stream_rpc_method_handler(stream, request_deserializer=read, response_serializer=write)
    return grpc.unary_unary_rpc_method_handler(bare, request_deserializer=read, response_serializer=write)


async def aio(methods: "dict[str, grpc.RpcMethodHandler[Any, Any]]") -> None:
    """Serves until it is ended."""
    server = grpc.aio.server(options=OPTIONS)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bare.Bare", methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    settle()
    print(port, flush=True)
    await server.wait_for_termination()


def sync(methods: "dict[str, grpc.RpcMethodHandler[Any, Any]]") -> None:
    """Serves until it is ended."""
    server = grpc.server(ThreadPoolExecutor(THREADS), options=OPTIONS)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bare.Bare", methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    settle()
    print(port, flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    kind, folder = sys.argv[1:3]
    stored = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    if kind == "rest":
        rest(stored)
    elif kind == "sync":
        sync({name: _sync_method(name, *_messages(name, answer)) for name, answer in stored.items()})
    elif kind == "aio":
        uvloop.run(aio({name: _aio_method(name, *_messages(name, answer)) for name, answer in stored.items()}))
    else:
        uvloop.run(aio({"Batch": _aio_method("Batch", *_structs(stored["batch"]))}))
