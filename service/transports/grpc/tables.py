"""The methods of the service Tables, from bytes to bytes: tokens come in the metadata, frames go as a stream."""

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final, NoReturn

import grpc

from service.access import Admission, Gate
from service.beside import SHORT_MESSAGE, Beside, in_lane
from service.errors import tables_off
from service.tables import Caller, Watcher
from service.wire.codec import CODEC

from .calls import Answer, Received, unary, watched

SERVICE: Final = "scheids.v1.Tables"
OPERATIONS: Final = {
    "CreateTable": "create",
    "ClaimPlace": "claim",
    "GetTable": "get",
    "ListTableMoves": "legal_moves",
    "GetTableRecord": "record",
    "PlayTableMove": "play",
    "StartTable": "start",
    "AddEntropy": "add_entropy",
    "ResignTable": "resign",
    "UndoTable": "undo",
    "EndTable": "end",
    "ReissueToken": "reissue",
}
"""The use case behind each method that has one answer."""
WATCH: Final = "WatchTable"
WATCHING: Final = "watch"
Used = Callable[[bytes, Caller], Awaitable[bytes]]


def handler(watcher: Watcher | None, beside: Beside, gate: Gate | None = None) -> grpc.GenericRpcHandler:
    """What a server serves: requests and answers are bytes. Without a watcher tables are off."""
    methods = {
        name: unary(name, operation, _off if watcher is None else _answer(watcher, name, operation, beside), gate)
        for name, operation in OPERATIONS.items()
    }
    methods[WATCH] = watched(WATCH, WATCHING, _off if watcher is None else _watch(watcher, beside), gate)
    return grpc.method_handlers_generic_handler(SERVICE, methods)


async def _off(data: bytes, received: Received, admission: Admission) -> NoReturn:
    del data, received, admission
    raise tables_off()


def _answer(watcher: Watcher, name: str, operation: str, beside: Beside) -> Answer:
    use = used(watcher, name, operation, beside)
    return lambda data, received, _: use(data, Caller(received.token, received.language))


def used(watcher: Watcher, name: str, operation: str, beside: Beside) -> Used:
    """What answers the requests of a method; what is long of one, or of its answer, is done beside the event loop."""
    read, write = reader(name, operation, beside), CODEC.writer(f"{name}Response")
    use = watcher.tables.use_case(operation)

    async def answered(data: bytes, caller: Caller) -> bytes:
        answer = await use(await read(data), caller)
        return await in_lane(beside.lane_of_answer(answer), lambda: write(answer))

    return answered


def _watch(watcher: Watcher, beside: Beside) -> Answer:
    read, write = reader(WATCH, WATCHING, beside), CODEC.writer(f"{WATCH}Response")

    async def answered(data: bytes, received: Received, _: Admission) -> None:
        frames = await watcher.watch(await read(data), received.token)
        if frames is None:
            return
        async with aclosing(frames):  # at once where the caller goes away: nothing is watched for nobody
            async for frame in frames:
                await received.context.write(write(frame))

    return answered


def reader(name: str, operation: str, beside: Beside) -> Callable[[bytes], Awaitable[Any]]:
    """What reads the request of a method; one that is large is read beside the event loop."""
    reads = CODEC.reader(f"{name}Request")

    async def read(data: bytes) -> Any:
        return await in_lane(beside.lane(operation, len(data), SHORT_MESSAGE), lambda: reads(data))

    return read
