"""A game in the terminal: one seat by a person, the others by simple bots, all by what each may see."""

import random
import sys

import click

from . import showing
from .backend import Backend, Json, Problem

LAYING = ("play", "trail")
RANKS = "23456789TJQKA"
MOST_SHOWN = 40


class Terminal:
    """A match from a state on; `bots` are `simple` or `random`."""

    def __init__(self, backend: Backend, state: Json, seat: int, bots: str) -> None:
        if not 0 <= seat < len(state["hands"]):
            raise click.UsageError(f"there is no seat {seat}")
        self._backend = backend
        self._state = state
        self._seat = seat
        self._bots = bots
        self._rng = random.Random(state.get("seed"))  # noqa: S311 - a bot's whim

    def play(self) -> None:
        """Plays until the match is over, or the person has enough."""
        while self._state.get("toAct") is not None:
            turn = self._state["toAct"]["seat"]
            view = self._view(turn)
            moves = self._ask("legal_moves", "/v1/legal-moves", {"state": view, "limit": 1_000})["moves"]
            if not moves:
                break
            try:
                chosen = self._person(view, moves) if turn == self._seat else self._bot(moves)
            except (EOFError, KeyboardInterrupt, click.Abort):
                chosen = None
            if chosen is None:
                break
            self._play(chosen, turn)
        showing.sheet(self._ask("score", "/v1/score", {"state": self._state, "scope": "match"})["sheet"])

    def _play(self, move: str, seat: int) -> None:
        before = self._state
        self._state = self._ask("play", "/v1/play", {"state": before, "move": move, "seat": seat})["state"]
        mine = {"state": self._view(self._seat, before), "move": move, "seat": seat}
        try:
            showing.events(self._ask("play", "/v1/play", mine)["events"])
        except Problem:
            showing.console().print(f"[cyan]seat {seat}[/]: {move}")

    def _person(self, view: Json, moves: list[Json]) -> str | None:
        """What the person answers; None to end."""
        if len(moves) == 1 and moves[0]["text"] == "deal":
            return "deal"
        showing.position(view)
        showing.moves({"moves": moves[:MOST_SHOWN]})
        while True:
            words = str(click.prompt("your move", prompt_suffix="> ")).strip()
            if words in {"quit", "q", "exit"}:
                return None
            if words == "hint":
                click.echo(self._bot(moves))
                continue
            if words.isdecimal() and 1 <= int(words) <= len(moves):
                return str(moves[int(words) - 1]["text"])
            asked, _, rest = words.partition(" ")
            try:
                told = self._ask("validate", "/v1/validate", {"state": view, "move": rest if asked == "why" else words})
            except Problem as problem:
                showing.complain(problem)
                continue
            if told["legal"] and asked != "why":
                return words
            click.echo("legal" if told["legal"] else told["violation"]["message"])

    def _bot(self, moves: list[Json]) -> str:
        """The random bot's move, or the simple one's: it takes what it can, else lays down its lowest card."""
        if self._bots == "random":
            return str(self._rng.choice(moves)["text"])
        return str(max(moves, key=lambda each: _worth(each["move"]))["text"])

    def _view(self, seat: int, state: Json | None = None) -> Json:
        view: Json = self._ask("view", "/v1/view", {"state": state or self._state, "viewer": seat})["view"]
        return view

    def _ask(self, operation: str, path: str, body: Json) -> Json:
        sys.stdout.flush()
        return self._backend.post(operation, path, body)


def _worth(move: Json) -> tuple[int, int]:
    """How much a simple bot likes a move."""
    kind = move["type"]
    if kind == "capture":
        return 3, sum(len(move.get(name, ())) for name in ("take", "builds", "tricks", "heaps"))
    if kind in {"hit", "pass", "deal", "draw"}:
        return 2, 0
    if kind in LAYING:
        return 1, -RANKS.index(move["card"][0])
    return 0, 0
