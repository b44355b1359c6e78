"""Connect: the methods of gRPC over plain HTTP, for browsers, in the port of REST.

Messages go as protobuf's bytes. What a method does is what it does over gRPC: the same readers, use cases and writers.
"""

from .routes import PATHS, refused, routes

__all__ = ["PATHS", "refused", "routes"]
