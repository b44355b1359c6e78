"""The commands put together, and how every one of them ends."""

import sys
from typing import Any

import click

from service.config import version_of_service

from . import asking, completing, keys, serving, tables
from .backend import Problem
from .showing import complain

EXIT_REFUSED = 1
EXIT_MISUSED = 2
EXIT_UNREACHABLE = 3


class Scheids(click.Group):
    """Commands whose problems are told in the terminal's way, with an exit code for each kind."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command named."""
        try:
            return super().invoke(ctx)
        except Problem as problem:
            complain(problem)
            sys.exit(EXIT_UNREACHABLE if problem.unreachable else EXIT_REFUSED)


@click.group(
    cls=Scheids,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 all is well; 1 refused, illegal, or the service could not start; 2 misused, or bad settings; "
    "3 the server cannot be reached.",
)
@click.version_option(version_of_service(), prog_name="scheids")
def main() -> None:
    """Scheids, a referee for card games.

    Positions go in and out as JSON through pipes: `scheids deal whist | scheids legal`. In a terminal answers are shown
    for people; --json shows them as they are. Nothing needs a server but tables; --server asks one.
    """


for command in (*serving.COMMANDS, *asking.COMMANDS, tables.table, keys.key, completing.completion):
    main.add_command(command)
