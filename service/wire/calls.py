"""Batches taken apart into calls, and calls into requests, each read by itself so that a broken one spoils only itself.

Protobuf reads a message whole or not at all. So a batch and a call are first read as twins of their messages whose
parts are bytes.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from engine.violations import Malformed
from service.batch import OPERATIONS, Call
from service.messages import BatchCall, BatchResult

from .codec import CODEC
from .gen.scheids.v1 import referee_pb2
from .plan import Disagreement
from .source import sized, tag_of

LONGEST_ID: Final = 128


def _twin(of: Descriptor) -> Any:
    """A class that reads the message with every text and message in it left as bytes."""
    proto = DescriptorProto()
    of.CopyToProto(proto)
    for field in proto.field:
        if field.type in (FieldDescriptorProto.TYPE_MESSAGE, FieldDescriptorProto.TYPE_STRING):
            field.type = FieldDescriptorProto.TYPE_BYTES
            field.ClearField("type_name")
    file = FileDescriptorProto(name=f"{of.name}.proto", package="twins", syntax="proto3", message_type=[proto])
    pool = DescriptorPool()
    pool.Add(file)
    return GetMessageClass(pool.FindMessageTypeByName(f"twins.{of.name}"))


def _agree(of: Descriptor) -> None:
    names = {"id", *OPERATIONS}
    if {field.name for field in of.fields} != names or set(BatchCall.__struct_fields__) != names:
        raise Disagreement([f"{of.name}: its fields must be {', '.join(sorted(names))}, in the struct too"])


_agree(referee_pb2.BatchCall.DESCRIPTOR)
_BATCH: Final = _twin(referee_pb2.BatchRequest.DESCRIPTOR)
_STREAMED: Final = _twin(referee_pb2.DecideRequest.DESCRIPTOR)
_CALL: Final = _twin(referee_pb2.BatchCall.DESCRIPTOR)
_READERS: Final = {
    field.name: CODEC.reader(field.message_type.name)
    for field in referee_pb2.BatchCall.DESCRIPTOR.fields
    if field.message_type is not None
}

_RESULT_TAG: Final = tag_of(referee_pb2.DecideResponse.DESCRIPTOR.fields_by_name["result"])
_write_result: Final = CODEC.writer("BatchResult")


def read_nothing(data: bytes) -> None:
    """Reads a ListGamesRequest, of which only the encoding can be wrong."""
    _parsed(referee_pb2.ListGamesRequest, data, "ListGamesRequest")


def write_streamed(result: BatchResult) -> bytes:
    """A DecideResponse with the result."""
    return sized(_RESULT_TAG, _write_result(result))


def read_batch(data: bytes) -> Sequence[bytes]:
    """The calls of a BatchRequest, each for `read_call`."""
    return tuple(_parsed(_BATCH, data, "BatchRequest").calls)


def read_streamed(data: bytes) -> Call:
    """The call of a DecideRequest."""
    try:
        request = _parsed(_STREAMED, data, "DecideRequest")
    except Malformed as fault:
        return Call("", OPERATIONS[0], partial(_refuse, fault))
    return read_call(request.call)


def read_call(data: bytes) -> Call:
    """The call; one whose request cannot be found raises that when asked for it, under its id where it has one."""
    name = ""
    try:
        call = _parsed(_CALL, data, "BatchCall")
        name = _read_id(call.id)
    except Malformed as fault:
        return Call(name, OPERATIONS[0], partial(_refuse, fault))
    operation = call.WhichOneof("request")
    if operation is None:
        unset = Malformed("$", f"nothing is set: one of {', '.join(OPERATIONS)} must be")
        return Call(name, OPERATIONS[0], partial(_refuse, unset))
    return Call(name, operation, partial(_READERS[operation], getattr(call, operation)))


def _read_id(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise Malformed("$.id", "not UTF-8") from None
    if len(text) > LONGEST_ID:
        raise Malformed("$.id", f"Expected `str` of length <= {LONGEST_ID}")
    return text


def _parsed(kind: Any, data: bytes, name: str) -> Any:
    try:
        return kind.FromString(data)
    except DecodeError:
        raise Malformed("$", f"not a {name} in protobuf's encoding") from None


def _refuse(fault: Malformed) -> Any:
    raise fault
