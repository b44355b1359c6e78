"""`_wire.py`: the protos, compiled."""

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from .source import BY


def wire_text(described: FileDescriptorSet) -> str:
    """`_wire.py`: the protos as protobuf's own descriptors, in a pool of their own."""
    lines = [
        f'"""The protos, compiled. {BY}"""',
        "",
        "from typing import Final",
        "",
        "PROTOS: Final[tuple[bytes, ...]] = (",
    ]
    for file in described.file:
        if file.name.startswith("google/protobuf/"):
            continue
        file.ClearField("source_code_info")
        file.ClearField("options")
        data = file.SerializeToString(deterministic=True)
        lines.append(f"    # {file.name}")
        lines += [f"    {data[at : at + 64]!r}" for at in range(0, len(data), 64)]
        lines[-1] += ","
    return "\n".join([*lines, ")", ""])
