"""A service on free ports of this machine, for as long as a test needs it."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from service.app import Service
from service.config import load

WHIST = {"game": "whist", "seed": "the test's"}
SECONDS = 60
ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "service.cli"]
FREE = {"SCHEIDS_HTTP_ADDRESS": "127.0.0.1:0", "SCHEIDS_GRPC_ADDRESS": "127.0.0.1:0"}
READY = re.compile(r"Scheids is ready: REST on (?P<rest>http://127\.0\.0\.1:\d+), gRPC on (?P<grpc>127\.0\.0\.1:\d+)")


class Running:
    """A running service, the settings it was given, and a client of its REST side."""

    def __init__(self, service: Service, settings: Mapping[str, object]) -> None:
        self.service = service
        self.settings = settings
        ready = service.ready
        self.ready = ready
        self.url = f"http://{ready.rest}"
        self.http = httpx.Client(base_url=self.url, timeout=SECONDS)

    @property
    def watches(self) -> int:
        """How many watch a table."""
        return self.service.watches


@contextmanager
def running(**settings: object) -> Iterator[Running]:
    """The service under settings, which are named as in `Settings`."""
    is_ready = threading.Event()
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        named = {"log_level": "error", "data_dir": folder, **settings}
        environ = {**FREE, **{f"SCHEIDS_{name.upper()}": str(value) for name, value in named.items()}}
        service = stack.enter_context(Service(load(environ)))
        thread = threading.Thread(target=service.run, args=[lambda _: is_ready.set()])
        thread.start()
        try:
            assert is_ready.wait(SECONDS)
            here = Running(service, named)
            with here.http:
                yield here
        finally:
            service.stop()
            thread.join(SECONDS)
            assert not thread.is_alive()


def environment(**added: str) -> dict[str, str]:
    """This process's environment with a service's settings, without tables unless they are asked for."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCHEIDS_")}
    return {**kept, **FREE, "SCHEIDS_TABLES": "off", **added}


@contextmanager
def started(*arguments: str, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """A process of ``scheids serve``; `settings` are variables of its environment."""
    command = [*COMMAND, "serve", *arguments]
    pipe = subprocess.PIPE
    with TemporaryDirectory() as folder:
        environ = environment(**{"SCHEIDS_TABLES": "on", "SCHEIDS_DATA_DIR": folder, **settings})
        with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=pipe, stderr=pipe, text=True) as process:
            try:
                yield process
            finally:
                process.kill()


def read_ready(process: subprocess.Popen[str]) -> tuple[re.Match[str], str]:
    """The ready line, and the line below it."""
    assert process.stdout is not None
    match = READY.fullmatch(process.stdout.readline().strip())
    assert match
    return match, process.stdout.readline().strip()
