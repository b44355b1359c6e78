"""REST: HTTP to the use cases and back. It reads bodies, calls `Rules`, and writes answers; it decides nothing."""

from .routes import Readiness, create_app, create_probes

__all__ = ["Readiness", "create_app", "create_probes"]
