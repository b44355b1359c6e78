"""What there is to write of: messages, the structs the service pairs with them, and what the protos say of them."""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, cast

from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorSet

from service.wire.codec import CODEC
from service.wire.plan import Boxed, Choice, Field, Many, Member, Moving, OneOf, Record

ROOT: Final = Path(__file__).resolve().parents[2]
PROTOS: Final = ROOT / "protos"
FIELD: Final = 2
MESSAGES: Final = 4
"""The numbers by which protobuf's paths to comments name a file's messages and a message's fields."""
GENERIC: Final = frozenset({"PlayMoveResponse", "ReplayResponse"})
"""Answers whose `state` is of the game that was asked about."""
CARDS: Final = frozenset({"Card", "FlipCard", "AnyCard", "Code"})
"""Enums of texts that are too large to be written out."""


class Contract:
    """The records and unions of all messages, in an order in which each comes after what it is made of."""

    def __init__(self, comments: Mapping[str, str]) -> None:
        self.comments = comments
        self.kinds: dict[str, Record | OneOf] = {}
        self.choices: dict[str, Choice] = {}
        self.members: dict[str, Member] = {}
        self.moving: Moving | None = None
        for plan in CODEC.plans.values():
            self._visit(plan)
        self.names = {plan.struct: name for name, plan in self.kinds.items() if isinstance(plan, Record)}

    def _visit(self, kind: Any, field: Field | None = None) -> None:
        match kind:
            case Record(of=of, fields=fields):
                if of.name not in self.kinds:
                    for each in fields:
                        self._visit(each.kind, each)
                    self.kinds[of.name] = kind
            case OneOf(of=of, arms=arms):
                for arm in arms.values():
                    self._visit(arm)
                self.kinds[of.name] = kind
            case Moving(move=move):
                self._visit(move)
                self.moving = kind
            case Many(item=item):
                self._visit(item, field)
            case Boxed(many=many, box=box):
                inner = many.item
                if isinstance(inner, Choice):
                    self.choices[cast("EnumDescriptor", box.enum_type).name] = inner
                else:
                    self._visit(inner)
            case Choice() if field is not None:
                self.choices[enum_of(field).name] = kind
            case Member(of=of):
                self.members[of.__name__] = kind


def compiled() -> FileDescriptorSet:
    """The protos, their comments, and google.rpc.Status."""
    well_known, common = files("grpc_tools") / "_proto", files("google.rpc") / ".."
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(
            [
                *(sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTOS}", f"-I{well_known}", f"-I{common}/.."),
                *("--include_source_info", "--include_imports", f"--descriptor_set_out={out.name}"),
                *sorted(str(path.relative_to(PROTOS)) for path in PROTOS.rglob("*.proto")),
                "google/rpc/status.proto",
            ],
            check=True,
        )
        return FileDescriptorSet.FromString(Path(out.name).read_bytes())


def comments_of(described: FileDescriptorSet) -> dict[str, str]:
    """What the protos say of each message (`Play`) and field (`Play.card`)."""
    found: dict[str, str] = {}
    for file in described.file:
        for location in file.source_code_info.location:
            match list(location.path):
                case [number, at] if number == MESSAGES:
                    found[file.message_type[at].name] = location.leading_comments.strip()
                case [number, at, field, index] if (number, field) == (MESSAGES, FIELD):
                    message: DescriptorProto = file.message_type[at]
                    found[f"{message.name}.{message.field[index].name}"] = location.leading_comments.strip()
    return found


def enum_of(field: Field) -> EnumDescriptor:
    """The enum of a field, which may stand in a list in a message of its own."""
    wire = field.wire
    if wire.message_type is not None:
        (wire,) = wire.message_type.fields
    return cast("EnumDescriptor", wire.enum_type)
