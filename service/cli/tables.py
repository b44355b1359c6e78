"""``scheids table``: hosted tables of a server, and a game in the terminal against simple bots."""

import json
from typing import Any

import click

from . import backend, showing
from .asking import begun, match_of
from .backend import Asked, Json, Problem, Remote, asks
from .terminal import Terminal

SERVER = "http://127.0.0.1:8080"


@click.group()
def table() -> None:
    """Hosted tables, by a server; and `table play`, a game in the terminal, which needs none.

    --token, or SCHEIDS_TOKEN, says who asks.
    """


def _at_server(command: Any) -> Any:
    """The options of what is asked of a table."""
    options: tuple[Any, ...] = (
        click.option("--server", envvar="SCHEIDS_SERVER", default=SERVER, show_default=True, help="Which server."),
        click.option("--token", envvar="SCHEIDS_TOKEN", help="Whose token."),
        click.option("--language", type=click.Choice(["en", "nl", "fr"]), default="en", help="Of messages."),
    )
    for option in options:
        command = option(command)
    return command


def _put(answer: Any) -> None:
    click.echo(json.dumps(answer, ensure_ascii=False))


@table.command()
@click.argument("game")
@click.option("--name", "names", multiple=True, help="The name of a place, one for each.")
@click.option("--spectators", is_flag=True, help="Let whoever has no token look on.")
@click.option("--key", help="The same table for the same key.")
@begun
@_at_server
def create(
    game: str, server: str, token: str | None, language: str, names: tuple[str, ...], key: str | None,
    *, spectators: bool, **named: Any,
) -> None:  # fmt: skip
    """Open a table: its id, the host's token, a join code for each place."""
    body = match_of(game, **named) | {"spectators": spectators}
    body |= {"names": list(names)} if names else {}
    body |= {"idempotencyKey": key} if key else {}
    _put(Remote(server, language, token).send("POST", "/v1/tables", body))


@table.command()
@click.argument("table_id")
@click.argument("join_code")
@click.option("--name", help="The name to play under.")
@_at_server
def claim(table_id: str, join_code: str, name: str | None, server: str, token: str | None, language: str) -> None:
    """Swap a join code for a token."""
    body = {"joinCode": join_code} | ({} if name is None else {"name": name})
    _put(Remote(server, language, token).send("POST", f"/v1/tables/{table_id}/claim", body))


@table.command()
@click.argument("table_id")
@_at_server
def show(table_id: str, server: str, token: str | None, language: str) -> None:
    """See a table."""
    found = Remote(server, language, token).send("GET", f"/v1/tables/{table_id}")
    if not backend.is_terminal():
        _put(found)
        return
    showing.console().print(f"table {found['id']}, version {found['version']}, {found['status']}")
    if "view" in found:
        showing.position(found["view"])


@table.command()
@click.argument("table_id")
@_at_server
def moves(table_id: str, server: str, token: str | None, language: str) -> None:
    """List the legal moves of the token's place."""
    found = Remote(server, language, token).send("GET", f"/v1/tables/{table_id}/legal-moves")
    _put(found) if not backend.is_terminal() else showing.moves(found["legal"])


@table.command()
@click.argument("table_id")
@click.argument("move")
@click.option("--version", type=int, help="The version the move is meant for; by default the present one.")
@click.option("--key", help="An idempotency key.")
@_at_server
def move(
    table_id: str, move: str, version: int | None, key: str | None, server: str, token: str | None, language: str
) -> None:
    """Play a move for the token's place."""
    remote = Remote(server, language, token)
    if version is None and key is None:
        version = remote.send("GET", f"/v1/tables/{table_id}")["version"]
    body = {"move": move} | ({} if version is None else {"expectedVersion": version})
    body |= {} if key is None else {"idempotencyKey": key}
    _put(remote.send("POST", f"/v1/tables/{table_id}/moves", body))


def _verb(name: str, words: str) -> click.Command:
    @_at_server
    def verb(table_id: str, server: str, token: str | None, language: str) -> None:
        _put(Remote(server, language, token).send("POST", f"/v1/tables/{table_id}/{name}", {}))

    made: click.Command = click.command(name, help=words)(click.argument("table_id")(verb))
    return made


for _name, _words in (
    ("start", "Have the cards dealt: the host's."),
    ("resign", "Give the match up."),
    ("undo", "Take the last move back: the host's."),
    ("reissue", "Replace the token."),
):
    table.add_command(_verb(_name, _words))


@table.command()
@click.argument("table_id")
@_at_server
def end(table_id: str, server: str, token: str | None, language: str) -> None:
    """End a table: the host's."""
    _put(Remote(server, language, token).send("DELETE", f"/v1/tables/{table_id}"))


@table.command()
@click.argument("table_id")
@_at_server
def record(table_id: str, server: str, token: str | None, language: str) -> None:
    """Get the record, for `scheids replay`."""
    _put(Remote(server, language, token).send("GET", f"/v1/tables/{table_id}/record"))


@table.command()
@click.argument("table_id")
@_at_server
def watch(table_id: str, server: str, token: str | None, language: str) -> None:
    """Watch a table: a frame a line, as JSON, until it ends."""
    with Remote(server, language, token).stream(f"/v1/tables/{table_id}/events") as stream:
        if stream.status_code != 200:
            stream.read()
            raise Problem(stream.json())
        for line in stream.iter_lines():
            if line.startswith("data: "):
                click.echo(line.removeprefix("data: "))


@table.command()
@click.argument("game")
@click.option("--seat", type=int, default=0, show_default=True, help="Where you sit.")
@click.option(
    "--bots", type=click.Choice(["simple", "random"]), default="simple", show_default=True, help="Who else does."
)
@begun
@asks
def play(asked: Asked, game: str, seat: int, bots: str, **named: Any) -> None:
    """Play in the terminal against simple bots.

    A move is answered by its number or its text; `why MOVE` judges one, `hint` asks the bot, `quit` ends.
    """
    state: Json = asked.backend.post("deal", "/v1/deal", match_of(game, **named))["state"]
    Terminal(asked.backend, state, seat, bots).play()
