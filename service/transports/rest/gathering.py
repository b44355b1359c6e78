"""One write for an answer, whose head and body the server writes one after the other: it is writes that cost."""

import asyncio
from typing import Any, Final

Written = bytes | bytearray | memoryview
_NOTHING: Final = b""


class Gathering:
    """A transport that keeps what is written to it until there is more, or until the event loop's next turn."""

    __slots__ = ("_kept", "_loop", "_transport")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._kept: Written = _NOTHING

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: Written) -> None:
        """Writes, at once with what was kept, else a little later."""
        if self._kept:
            kept, self._kept = self._kept, _NOTHING
            self._transport.write(b"".join((kept, data)))
        elif data:
            self._kept = data
            self._loop.call_soon(self._write_kept)

    def close(self) -> None:
        """Closes the connection once everything has been written."""
        self._write_kept()
        self._transport.close()

    def _write_kept(self) -> None:
        kept, self._kept = self._kept, _NOTHING
        if kept and not self._transport.is_closing():
            self._transport.write(kept)
