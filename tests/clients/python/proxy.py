"""Something between a client and a service that breaks connections off."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Proxy:
    """Forwards bytes; `cut` breaks all connections off, `answers` says whether what comes back is passed on."""

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self.port: int = self._listening.getsockname()[1]
        self.connections = 0
        self.cut_at_answer = 0
        """So many answers to come are not passed on: their connections break off instead."""
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                ours, _ = self._listening.accept()
                self.connections += 1
                try:
                    theirs = socket.create_connection(self._to)
                except OSError:
                    ours.close()
                    continue
                self._pairs.append((ours, theirs))
                threading.Thread(target=self._pass_on, args=(ours, theirs, False), daemon=True).start()
                threading.Thread(target=self._pass_on, args=(theirs, ours, True), daemon=True).start()

    def _pass_on(self, source: socket.socket, to: socket.socket, back: bool) -> None:  # noqa: FBT001 - one of two ways
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if back and self.cut_at_answer:
                    self.cut_at_answer -= 1
                    break
                to.sendall(data)
        for each in (source, to):
            _shut(each)

    def cut(self) -> None:
        """Breaks all connections off."""
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for each in pair:
                _shut(each)

    def close(self) -> None:
        self._listening.close()
        self.cut()


def _shut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def proxied(address: str) -> Iterator[Proxy]:
    """A proxy of ``host:port``."""
    host, _, port = address.rpartition(":")
    proxy = Proxy(host, int(port))
    try:
        yield proxy
    finally:
        proxy.close()
