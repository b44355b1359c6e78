"""``scheids serve`` and ``scheids settings``."""

import os
import signal
import sys
from typing import Any

import click

from service.config import BadSettings, load, settings_table
from service.kinds import Address

EXIT_CANNOT_LISTEN = 1
EXIT_BAD_SETTINGS = 2
WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - told apart, not bound


@click.command()
@click.option("--http-address", metavar="HOST:PORT", help="Instead of SCHEIDS_HTTP_ADDRESS.")
@click.option("--grpc-address", metavar="HOST:PORT", help="Instead of SCHEIDS_GRPC_ADDRESS.")
@click.option("--workers", metavar="N", help="Instead of SCHEIDS_WORKERS: how many processes share both addresses.")
def serve(http_address: str | None, grpc_address: str | None, workers: str | None) -> None:
    """Serve REST and gRPC until SIGTERM or Ctrl-C.

    Everything is set in the environment; `scheids settings` lists it. Bad settings end with code 2, an address that
    cannot be had with code 1.
    """
    signal.signal(signal.SIGTERM, _leave)
    named = {
        "SCHEIDS_HTTP_ADDRESS": http_address,
        "SCHEIDS_GRPC_ADDRESS": grpc_address,
        "SCHEIDS_WORKERS": workers,
    }
    try:
        settings = load({**os.environ, **{name: value for name, value in named.items() if value is not None}})
    except BadSettings as bad:
        _complain("Scheids cannot start; these settings are bad:", *(f"  {fault}" for fault in bad.faults))
        sys.exit(EXIT_BAD_SETTINGS)

    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # else whoever fails at TLS is written between the log's lines
    from service.app import Ready, Service, settle_process  # noqa: PLC0415 - seconds, for serving only
    from service.hosting import CannotStart, warn  # noqa: PLC0415 - as above
    from service.signals import Signals  # noqa: PLC0415 - as above
    from service.workers import Workers  # noqa: PLC0415 - as above

    def announce(ready: Ready) -> None:
        scheme = "https" if ready.tls else "http"
        click.echo(f"Scheids is ready: REST on {scheme}://{ready.rest}, gRPC on {ready.grpc}")
        click.echo(f"Try: {example(ready.rest, scheme)}")
        sys.stdout.flush()

    signals = Signals()
    try:
        if settings.workers > 1:
            several = Workers(settings)
            warn(settings)
            several.run(announce, signals)
            return
        with Service(settings) as service:
            warn(settings)
            settle_process()
            service.run(announce, signals)
    except CannotStart as fault:
        _complain(f"Scheids cannot start: {fault}")
        sys.exit(EXIT_CANNOT_LISTEN)


def example(rest: Address, scheme: str = "http") -> str:
    """A request to paste, which deals a hand of whist."""
    reached = Address.of(WILDCARDS.get(rest.host, rest.host), rest.port)
    return f"curl -s {scheme}://{reached}/v1/deal -H 'Content-Type: application/json' -d '{{\"game\":\"whist\"}}'"


@click.command()
def settings() -> None:
    """List the settings: the variable, its default, what it means."""
    for name, default, meaning in settings_table():
        click.echo(f"{name}={default}\n    {meaning}")


def _leave(*_: Any) -> None:
    """Ends a process that serves nothing yet; the first one of a container would otherwise not end."""
    sys.exit(0)


def _complain(*lines: str) -> None:
    for line in lines:
        click.echo(line, err=True)


COMMANDS = (serve, settings)
