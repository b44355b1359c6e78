"""REST: HTTP to the use cases and back. It reads bodies, calls `Rules`, and writes answers; it decides nothing."""

from .routes import create_app

__all__ = ["create_app"]
