"""Between structs and protobuf's bytes: compiled once, from the definitions of both.

`Disagreement` stops the start where they do not fit.
"""

import threading
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any, Final

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from engine.violations import Malformed
from service import messages

from .extension import Extension, Functions, functions_of
from .gen.scheids.v1 import referee_pb2, tables_pb2
from .plain import read_carefully
from .plan import Disagreement, OneOf, Planner, Record
from .reading import reader
from .source import DOUBTS, Source
from .writing import writer

Reader = Callable[[bytes], Any]
PartReader = Callable[[bytes, int, int], Any]
Writer = Callable[[Any], bytes]

MEANINGS: Final[Mapping[str, Any]] = {
    "AddEntropyRequest": messages.AddEntropyRequest,
    "AddEntropyResponse": messages.AddEntropyResponse,
    "BatchResponse": messages.BatchResponse,
    "BatchResult": messages.BatchResult,
    "ClaimPlaceRequest": messages.ClaimPlaceRequest,
    "ClaimPlaceResponse": messages.ClaimPlaceResponse,
    "CreateTableRequest": messages.CreateTableRequest,
    "CreateTableResponse": messages.CreateTableResponse,
    "DealRequest": messages.DealRequest,
    "DealResponse": messages.DealResponse,
    "EndTableRequest": messages.EndTableRequest,
    "EndTableResponse": messages.EndTableResponse,
    "GetGameRequest": messages.GetGameRequest,
    "GetGameResponse": messages.GetGameResponse,
    "GetTableRecordRequest": messages.GetTableRecordRequest,
    "GetTableRecordResponse": messages.GetTableRecordResponse,
    "GetTableRequest": messages.GetTableRequest,
    "GetTableResponse": messages.GetTableResponse,
    "ListGamesResponse": messages.ListGamesResponse,
    "ListLegalMovesRequest": messages.ListLegalMovesRequest,
    "ListLegalMovesResponse": messages.ListLegalMovesResponse,
    "ListOutcomesRequest": messages.ListOutcomesRequest,
    "ListOutcomesResponse": messages.ListOutcomesResponse,
    "ListTableMovesRequest": messages.ListTableMovesRequest,
    "ListTableMovesResponse": messages.ListTableMovesResponse,
    "PlayMoveRequest": messages.PlayMoveRequest,
    "PlayMoveResponse": messages.PlayMoveResponse,
    "PlayTableMoveRequest": messages.PlayTableMoveRequest,
    "PlayTableMoveResponse": messages.PlayTableMoveResponse,
    "Problem": messages.Problem,
    "ReissueTokenRequest": messages.ReissueTokenRequest,
    "ReissueTokenResponse": messages.ReissueTokenResponse,
    "ReplayRequest": messages.ReplayRequest,
    "ReplayResponse": messages.ReplayResponse,
    "ResignTableRequest": messages.ResignTableRequest,
    "ResignTableResponse": messages.ResignTableResponse,
    "SampleStatesRequest": messages.SampleStatesRequest,
    "SampleStatesResponse": messages.SampleStatesResponse,
    "ScoreRequest": messages.ScoreRequest,
    "ScoreResponse": messages.ScoreResponse,
    "StartTableRequest": messages.StartTableRequest,
    "StartTableResponse": messages.StartTableResponse,
    "SimulateRequest": messages.SimulateRequest,
    "SimulateResponse": messages.SimulateResponse,
    "State": messages.State,
    "UndoTableRequest": messages.UndoTableRequest,
    "UndoTableResponse": messages.UndoTableResponse,
    "ValidateMoveRequest": messages.ValidateMoveRequest,
    "ValidateMoveResponse": messages.ValidateMoveResponse,
    "ViewStateRequest": messages.ViewStateRequest,
    "ViewStateResponse": messages.ViewStateResponse,
    "WatchTableRequest": messages.WatchTableRequest,
    "WatchTableResponse": messages.WatchTableResponse,
}
"""What each message that stands alone means."""


class Codec:
    """Readers and writers of messages, by the messages' names; a writer is compiled when it is first asked for.

    A reader is compiled when it is first called, unless there is an extension: there is ten times as much of them.
    """

    def __init__(self, meanings: Mapping[str, Any], descriptors: Mapping[str, Descriptor]) -> None:
        """Raises Disagreement with everything that does not fit."""
        planner = Planner(meanings.values())
        self.plans = {name: planner.root(kind, descriptors[name]) for name, kind in meanings.items()}
        if planner.faults:
            raise Disagreement(planner.faults)
        self._source = Source()
        self._readers: dict[str, Reader] = {}
        self._writers: dict[str, Writer] = {}
        self._lock = threading.Lock()

    def reader(self, name: str) -> Reader:
        """What reads a message's bytes; it raises Malformed or msgspec's ValidationError, with the path."""
        found = self._readers.get(name)
        if found is None:
            with self._lock:
                found = self._readers[name] = self._reader(self.plans[name], name)
        return found

    def writer(self, name: str) -> Writer:
        """The function that writes what a message means as its bytes."""
        found = self._writers.get(name)
        if found is None:
            with self._lock:
                found = self._writers[name] = self._writer(self.plans[name], name)
        return found

    def _reader(self, plan: Record | OneOf, name: str) -> Reader:
        return _checked(plan, self._fast.readers.get(name) or self._compiled_at_first(plan))

    def _compiled_at_first(self, plan: Record | OneOf) -> PartReader:
        """What reads a part of some data, compiled once it is called: a start need not wait for it."""

        @cache
        def compiled() -> PartReader:
            with self._lock:
                return self._source.compiled(reader(self._source, plan))

        def read(data: bytes, at: int, end: int) -> Any:
            return compiled()(data, at, end)

        return read

    def _writer(self, plan: Record | OneOf, name: str) -> Writer:
        return self._fast.writers.get(name) or self._source.compiled(writer(self._source, plan))

    @cached_property
    def _fast(self) -> Functions:
        return functions_of(self.extension)

    def extension(self) -> Extension:
        """What reads requests and writes all else, to be compiled before the start."""
        asked = {name: plan for name, plan in self.plans.items() if name.endswith("Request")}
        return Extension(asked.values(), [plan for name, plan in self.plans.items() if name not in asked])


def _checked(plan: Record | OneOf, read: PartReader) -> Reader:
    parse = GetMessageClass(plan.of).FromString

    def parsed(data: bytes) -> Message:
        try:
            return parse(data)
        except DecodeError:
            raise Malformed("$", f"not a {plan.of.name} in protobuf's encoding, or a text in it is not UTF-8") from None

    def checked(data: bytes) -> Any:
        try:
            return read(data, 0, len(data))
        except DOUBTS:
            return read_carefully(plan, parsed(data))

    return checked


def descriptors() -> dict[str, Descriptor]:
    """The descriptors of the messages in `MEANINGS`."""
    files = (*referee_pb2.DESCRIPTOR.dependencies, referee_pb2.DESCRIPTOR, tables_pb2.DESCRIPTOR)
    found = {name: of for file in files for name, of in file.message_types_by_name.items()}
    return {name: found[name] for name in MEANINGS}


CODEC: Final = Codec(MEANINGS, descriptors())
