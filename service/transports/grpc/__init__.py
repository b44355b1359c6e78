"""gRPC: protobuf to the use cases and back. It reads messages, calls `Rules`, writes answers, and decides nothing."""

from .credentials import credentials_of
from .server import Around, GrpcServer, itself, serve

__all__ = ["Around", "GrpcServer", "credentials_of", "itself", "serve"]
