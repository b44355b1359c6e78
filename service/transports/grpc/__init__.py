"""gRPC: protobuf to the use cases and back. It reads messages, calls `Rules`, and writes answers; it decides nothing."""

from .server import GrpcServer, serve

__all__ = ["GrpcServer", "serve"]
