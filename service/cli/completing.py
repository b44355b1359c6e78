"""``scheids completion``: what a shell needs to complete commands, by click."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what makes a shell complete commands and options.

    For bash: eval "$(scheids completion bash)", in ~/.bashrc to keep it.
    """
    found = get_completion_class(shell)
    assert found is not None  # noqa: S101 - click has each of these
    click.echo(found(ctx.find_root().command, {}, "scheids", "_SCHEIDS_COMPLETE").source())
