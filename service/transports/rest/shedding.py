"""Requests that are turned away, before anything of them is read, while the event loop has more to do than it can."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send
from msgspec.structs import replace

from service.language import negotiate
from service.observability import note
from service.shedding import LoopWaits, overloaded

from .direct import Arrived, Direct, tell
from .endpoints import Told
from .problems import told_of

LET_IN: Final = frozenset({"/livez", "/readyz", "/metrics"})
"""Who asks these wants to know how the service is."""
PREFLIGHT: Final = "OPTIONS"
Refuse = Callable[[Any, Exception, str], Told]
"""How another transport tells the request of a scope what is refused, in a language."""


class Shedding:
    """ASGI before another app, which is let have what can be done. `direct` knows what was asked for.

    `others` are transports that refuse in their own way, by how their paths begin; pages of `origins` are told.
    """

    def __init__(
        self, app: ASGIApp, direct: Direct, waits: LoopWaits, others: Mapping[str, Refuse], origins: Collection[str]
    ) -> None:
        self._app = app
        self._direct = direct
        self._waits = waits
        self._others = others
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._waits.are_too_long() or scope["type"] != ScopeType.HTTP or _is_let_in(scope):
            await self._app(scope, receive, send)
        else:
            await tell(self._refused(scope, receive), send)

    def _refused(self, scope: Any, receive: Receive) -> Told:
        asked: Any = Arrived(scope, receive)
        refusal = overloaded()
        for start, refuse in self._others.items():
            if scope["path"].startswith(start):
                told = refuse(scope, refusal, negotiate(asked.headers.get("accept-language")))
                break
        else:
            self._direct.name(scope)
            told = told_of(asked, refusal)
        note(scope, code=refusal.code)
        origin = asked.headers.get("origin")
        if origin is None or not ({origin, "*"} & set(self._origins)):
            return told
        pages = {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Expose-Headers": "Retry-After",
            "Vary": "Origin",
        }
        return replace(told, headers={**told.headers, **pages})


def _is_let_in(scope: Any) -> bool:
    return scope["path"] in LET_IN or scope["method"] == PREFLIGHT
