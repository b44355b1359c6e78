"""gRPC: protobuf to the use cases and back. It reads messages, calls `Rules`, writes answers, and decides nothing."""

from .credentials import credentials_of
from .server import GrpcServer, serve

__all__ = ["GrpcServer", "credentials_of", "serve"]
