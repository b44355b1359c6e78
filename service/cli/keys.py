"""``scheids key``: API keys, made here and configured where the service runs."""

from typing import Any

import click
import msgspec

from service.access import ApiKey, BadKeys, digest_of, new_key, read_keys


@click.group()
def key() -> None:
    """API keys, by which a service knows who calls."""


@key.command()
@click.argument("name")
@click.option("--rate", type=float, help="Calls per second, instead of SCHEIDS_KEY_RATE.")
@click.option("--burst", type=int, help="Calls at once, instead of SCHEIDS_KEY_BURST.")
@click.option("--tables-per-minute", type=int, help="Instead of SCHEIDS_TABLES_PER_MINUTE.")
@click.option("--reissues-per-minute", type=int, help="Instead of SCHEIDS_REISSUES_PER_MINUTE.")
def new(name: str, **limits: Any) -> None:
    """Make a key for somebody called NAME.

    The key goes to standard error, once: whoever is to call gets it, and nobody can get it back. The entry for
    SCHEIDS_API_KEYS_FILE, from which nobody learns the key, goes to standard output.
    """
    made = new_key()
    entry = msgspec.json.encode(ApiKey(name=name, sha256=digest_of([made]) or "", **limits))
    try:
        read_keys(b"[" + entry + b"]")
    except BadKeys as bad:
        raise click.UsageError(str(bad)) from None
    click.echo(f"The key, which is told this once: {made}", err=True)
    click.echo(entry)
