"""The commands that ask the referee: a position in, an answer out, as JSON through pipes or for people."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from . import showing
from .backend import Asked, Problem, asks

Json = dict[str, Any]
EXIT_ILLEGAL = 1

position = click.argument("position", type=click.Path(allow_dash=True, path_type=Path), default="-")


def _read(path: Path) -> Json:
    """A JSON document from a file, or from standard input for ``-``."""
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
        found = json.loads(text)
    except (OSError, ValueError) as fault:
        raise click.UsageError(f"{path}: {fault}") from None
    if not isinstance(found, dict):
        raise click.UsageError(f"{path}: not a JSON object")
    return found


def _state(path: Path) -> Json:
    """A state or view: bare, or as an answer has it."""
    found = _read(path)
    state: Json = next((found[name] for name in ("state", "view") if isinstance(found.get(name), dict)), found)
    return state


def _options(pairs: tuple[str, ...]) -> Json:
    """Options named as ``name=value``, the value being JSON or a bare word."""
    found: Json = {}
    for pair in pairs:
        name, is_named, value = pair.partition("=")
        if not is_named:
            raise click.UsageError(f"an option is name=value, not {pair!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def begun(command: Any) -> Any:
    """The options of whatever begins a match."""
    for option in (
        click.option("--dealer", type=int, help="The seat that deals first."),
        click.option("--places", type=int, help="How many places there are."),
        click.option("--seed", help="What the cards are shuffled from; drawn where none is named."),
        click.option("--preset", help="A name for several options; `scheids games --json` lists them."),
        click.option("-o", "--option", "pairs", multiple=True, metavar="NAME=VALUE", help="An option of the game."),
    ):
        command = option(command)
    return command


def match_of(game: str, pairs: tuple[str, ...], preset: str | None, **named: Any) -> Json:
    """What a match is begun from."""
    options = _options(pairs) | ({} if preset is None else {"preset": preset})
    told = {name: value for name, value in named.items() if value is not None}
    return {"game": game, **({"options": options} if options else {}), **told}


def _places(numbers: list[int]) -> str:
    """Numbers of places, in words: a range where there is each of it."""
    whole = numbers == list(range(numbers[0], numbers[-1] + 1))
    return f"{numbers[0]} to {numbers[-1]}" if whole and len(numbers) > 1 else ", ".join(map(str, numbers))


@click.command()
@asks
def games(asked: Asked) -> None:
    """List the games."""

    def show(answer: Json) -> None:
        for game in answer["games"]:
            presets = f", presets {' '.join(game['presets'])}" if game["presets"] else ""
            showing.console().print(f"[bold]{game['game']}[/]  {_places(game['places'])} places{presets}")

    showing.put(asked, asked.backend.games(), show)


@click.command()
@click.argument("game")
@asks
def rules(asked: Asked, game: str) -> None:
    """Print the rules of a game, clause by clause, and its options."""
    answer = asked.backend.game(game)
    language = click.get_current_context().params["language"]

    def show(told: Json) -> None:
        out = showing.console()
        for clause in told["clauses"]:
            out.print(f"[bold]{clause['id']}[/]  {clause[language].replace('[', chr(92) + '[')}")
        out.print("\n[bold]options[/]")
        for name, option in told["optionsSchema"]["properties"].items():
            out.print(f"{name} = {json.dumps(option.get('default'))}  [dim]{option.get('description', '')}[/]")

    showing.put(asked, answer, show)


@click.command()
@click.argument("game")
@begun
@asks
def deal(asked: Asked, game: str, **named: Any) -> None:
    """Begin a match of a game, and deal."""
    answer = asked.backend.post("deal", "/v1/deal", match_of(game, **named))
    showing.put(asked, answer["state"], showing.position)


@click.command()
@position
@click.option("--seat", type=int, help="Whose moves; by default who is to act.")
@click.option("--card", help="With this card only.")
@click.option("--tier", type=click.Choice(["groups", "shapes", "moves"]), help="How finely captures are told apart.")
@click.option("--limit", type=int, help="At most so many.")
@click.option("--cursor", help="Go on from an earlier answer.")
@click.option("--explain", is_flag=True, help="Also the cards that may not be played, and why.")
@asks
def legal(asked: Asked, position: Path, **named: Any) -> None:
    """List the legal moves of a position."""
    told = {name: value for name, value in named.items() if value not in (None, False)}
    answer = asked.backend.post("legal_moves", "/v1/legal-moves", {"state": _state(position), **told})
    showing.put(asked, answer, showing.moves)


@click.command()
@click.argument("move")
@position
@click.option("--seat", type=int, help="Who makes it; by default who is to act.")
@asks
def judge(asked: Asked, move: str, position: Path, seat: int | None) -> None:
    """Judge a move: exit code 0 where it is legal, 1 where it is not."""
    body = {"state": _state(position), "move": move} | ({} if seat is None else {"seat": seat})
    answer = asked.backend.post("validate", "/v1/validate", body)

    def show(told: Json) -> None:
        violation = told.get("violation")
        words = "legal" if violation is None else f"illegal: {violation['message']} ({violation['clause']})"
        click.echo(words)

    showing.put(asked, answer, show)
    if not answer["legal"]:
        sys.exit(EXIT_ILLEGAL)


@click.command()
@click.argument("move")
@position
@click.option("--seat", type=int, help="Who makes it; by default who is to act.")
@click.option("--events", "tell", is_flag=True, help="In JSON, the whole answer: state and events.")
@asks
def play(asked: Asked, move: str, position: Path, seat: int | None, *, tell: bool) -> None:
    """Play a move; the position after it can be piped on."""
    body = {"state": _state(position), "move": move} | ({} if seat is None else {"seat": seat})
    answer = asked.backend.post("play", "/v1/play", body)

    def show(told: Json) -> None:
        showing.events(told["events"])
        showing.position(told["state"])

    showing.put(asked, answer if tell or not asked.as_json else answer["state"], show)


@click.command()
@click.argument("viewer")
@position
@asks
def view(asked: Asked, viewer: str, position: Path) -> None:
    """See a position as one seat, or a spectator, does."""
    whose: int | str = int(viewer) if viewer.isdecimal() else viewer
    answer = asked.backend.post("view", "/v1/view", {"state": _state(position), "viewer": whose})
    showing.put(asked, answer["view"], showing.position)


@click.command()
@click.argument("source", type=click.Path(allow_dash=True, path_type=Path), default="-")
@click.option("--scope", type=click.Choice(["deal", "round", "game", "match"]), help="Of what is scored.")
@asks
def score(asked: Asked, source: Path, scope: str | None) -> None:
    """Score a position, or the facts of one: {"game": "whist", "facts": {"tricks": [9, 4]}}."""
    told = _read(source)
    body = told if "facts" in told else {"state": _state_of(told)} | ({} if scope is None else {"scope": scope})
    answer = asked.backend.post("score", "/v1/score", body)
    showing.put(asked, answer["sheet"], showing.sheet)


def _state_of(told: Json) -> Json:
    state: Json = next((told[name] for name in ("state", "view") if isinstance(told.get(name), dict)), told)
    return state


@click.command()
@click.argument("record", type=click.Path(allow_dash=True, path_type=Path))
@asks
def replay(asked: Asked, record: Path) -> None:
    """Replay a record: exit code 1 where one of its moves is illegal."""
    answer = asked.backend.post("replay", "/v1/replay", _read(record))
    violation = answer.get("violation")

    def show(told: Json) -> None:
        showing.position(told["state"])
        showing.sheet(told["sheet"])
        if violation is not None:
            click.echo(f"move {told['index']} is illegal: {violation['message']} ({violation['clause']})")

    showing.put(asked, answer, show)
    if violation is not None:
        sys.exit(EXIT_ILLEGAL)


@click.command()
@position
@asks
def odds(asked: Asked, position: Path) -> None:
    """Tell what may come next, and the game's own figures."""
    answer = asked.backend.post("outcomes", "/v1/outcomes", {"state": _state(position)})
    showing.put(asked, answer, showing.figures)


@click.command()
@position
@click.option("-n", "number", type=int, default=1, show_default=True, help="How many.")
@click.option("--seed", default="scheids", show_default=True, help="The same seed draws the same.")
@asks
def sample(asked: Asked, position: Path, number: int, seed: str) -> None:
    """Draw full positions that a view can be of."""
    body = {"view": _state(position), "n": number, "seed": seed}
    answer = asked.backend.post("sample", "/v1/sample", body)

    def show(told: Json) -> None:
        for state in told["states"]:
            showing.position(state)

    showing.put(asked, answer, show)


@click.command()
@position
@click.option("-n", "number", type=int, default=100, show_default=True, help="How many playouts.")
@click.option("--seed", default="scheids", show_default=True, help="The same seed plays the same.")
@click.option("--until", type=click.Choice(["deal", "match"]), default="deal", show_default=True, help="How far.")
@asks
def simulate(asked: Asked, position: Path, number: int, seed: str, until: str) -> None:
    """Play out at random, many times over."""
    body = {"state": _state(position), "n": number, "seed": seed, "until": until}
    answer = asked.backend.post("simulate", "/v1/simulate", body)

    def show(told: Json) -> None:
        out = showing.console()
        out.print(f"{told['finished']} of {told['playouts']} playouts finished, {told['moves']:.1f} moves each")
        for side in told["wins"]:
            out.print(f"side {side['side']} won {side['wins']}")
        for row in told["points"]:
            spread = f"±{row['deviation']:.2f}"
            out.print(f"side {row['side']} {row['account']}: {row['mean']:.2f} {spread} {row['unit']}")

    showing.put(asked, answer, show)


COMMANDS = (games, rules, deal, legal, judge, play, view, score, replay, odds, sample, simulate)
__all__ = ["COMMANDS", "Problem", "begun", "match_of"]
