"""A service on free ports of this machine, for as long as a test needs it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from service.app import Ready, Service
from service.config import load

WHIST = {"game": "whist", "seed": "the test's"}
SECONDS = 20


class Running:
    """A running service, and a client of its REST side."""

    def __init__(self, ready: Ready) -> None:
        self.ready = ready
        self.url = f"http://{ready.rest}"
        self.http = httpx.Client(base_url=self.url, timeout=SECONDS)


@contextmanager
def running(**settings: object) -> Iterator[Running]:
    """The service under settings, which are named as in `Settings`."""
    named = {"http_address": "127.0.0.1:0", "grpc_address": "127.0.0.1:0", "log_level": "error", **settings}
    environ = {f"SCHEIDS_{name.upper()}": str(value) for name, value in named.items()}
    is_ready = threading.Event()
    with Service(load(environ)) as service:
        thread = threading.Thread(target=service.run, args=[lambda _: is_ready.set()])
        thread.start()
        try:
            assert is_ready.wait(SECONDS)
            here = Running(service.ready)
            with here.http:
                yield here
        finally:
            service.stop()
            thread.join(SECONDS)
            assert not thread.is_alive()
