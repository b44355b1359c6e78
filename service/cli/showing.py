"""Answers for people: cards, tables, sheets and problems, by rich; and for pipes, as JSON."""

import json
from collections.abc import Iterable
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from .backend import Asked, Problem

Json = dict[str, Any]
SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
RED = "HD"


def console() -> Console:
    """The terminal."""
    return Console(highlight=False, soft_wrap=True)


def put(asked: Asked, answer: Any, show: Any) -> None:
    """The answer: as JSON, or as `show` shows it."""
    if asked.as_json:
        click.echo(json.dumps(answer, ensure_ascii=False))
    else:
        show(answer)


def complain(problem: Problem) -> None:
    """A problem, on standard error."""
    told = problem.told
    terminal = Console(stderr=True, highlight=False, soft_wrap=True)
    violation = told.get("violation")
    where = f" ({violation['clause']})" if violation else f" at {told['path']}" if told.get("path") else ""
    terminal.print(f"[red]{told['code']}[/]: {_plain(told.get('detail', ''))}{_plain(where)}")


def _plain(text: str) -> str:
    return text.replace("[", r"\[")


def card(text: str) -> str:
    """A card, coloured: a Flip 7 card as it is."""
    suit = text[-1:]
    if len(text) != 2 or suit not in SUITS:
        return f"[bold]{_plain(text)}[/]"
    return f"[{'red' if suit in RED else 'default'}]{text[0]}{SUITS[suit]}[/]"


def cards(held: Iterable[str]) -> str:
    """Cards in a row."""
    return " ".join(map(card, held))


def hand(held: Json) -> str:
    """A hand: what is seen of it, and how many more there are."""
    hidden = held.get("hidden", 0)
    seen = cards(held.get("cards", []))
    return " ".join(part for part in (seen, f"[dim]+{hidden}[/]" if hidden else "") if part) or "-"


def position(state: Json) -> None:
    """A state or view: whose turn it is, the hands, and what lies on the table."""
    out = console()
    turn = state.get("toAct")
    viewer = "" if "viewer" not in state else f", seen by {_seat(state['viewer'])}"
    out.print(f"[bold]{state['game']}[/], {state['phase']}{viewer}")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for seat, held in enumerate(state["hands"]):
        mark = "→" if turn and turn["hand"] == seat else ""
        table.add_row(mark, f"seat {seat}", _before(state, seat, held))
    out.print(table)
    for name in ("layout", "trump", "trumpCard", "contract"):
        if state.get(name):
            out.print(f"{name}: {_told(state[name])}")
    for build in state.get("builds", ()):
        out.print(f"build {build['id']} of {build['value']}: {' | '.join(map(cards, build['groups']))}")
    if state.get("tricks"):
        trick = state["tricks"][-1]
        played = trick["cards"] if isinstance(trick, dict) else []
        if played and len(played) < len(state["hands"]):
            out.print(f"trick: {cards(played)} (led by seat {trick['leader']})")


def _before(state: Json, seat: int, held: Json) -> str:
    rows = state.get("rows")
    if rows:
        row = rows[seat]
        total = state["totals"][seat] if state.get("totals") else 0
        return f"{cards(row.get('cards', [])) or '-'} [dim]{row.get('status', 'active')}, {total} before[/]"
    return hand(held)


def _told(value: Any) -> str:
    match value:
        case list():
            return cards(value)
        case dict():
            return " ".join(f"{name} {inner}" for name, inner in value.items())
        case str() if value in SUITS:
            return SUITS[value]
    return card(str(value))


def _seat(viewer: Any) -> str:
    return "a spectator" if viewer == "spectator" else f"seat {viewer}"


def moves(answer: Json) -> None:
    """Legal moves, numbered; and the cards that may not be played, with the reason."""
    out = console()
    for number, each in enumerate(answer["moves"], 1):
        out.print(f"{number:>3}  {_plain(each['text'])}")
    for each in answer.get("groups") or ():
        out.print(f"     {card(each['card'])} takes {cards(each.get('cards', []))}")
    for each in answer.get("shapes") or ():
        out.print(f"     {card(each['card'])}: {each['ways']} ways")
    if answer.get("needsChance"):
        out.print(f"first a {answer['needsChance']} must be told")
    if answer.get("truncated"):
        out.print(f"[dim]of {answer['total']}; go on with --cursor {answer.get('cursor')}[/]")
    for each in answer.get("explained") or ():
        out.print(f"[dim]not[/] {card(each['card'])}: {_plain(each['violation']['message'])}")


def events(told: Iterable[Json]) -> None:
    """Events, a line each."""
    out = console()
    for event in told:
        if event["type"] == "scored":
            sheet(event["sheet"])
            continue
        rest = {name: value for name, value in event.items() if name != "type"}
        out.print(f"[cyan]{event['type']}[/] " + " ".join(f"{name} {_value(value)}" for name, value in rest.items()))


def _value(value: Any) -> str:
    match value:
        case list() if value and all(isinstance(each, dict) and "hidden" in each for each in value):
            return " / ".join(map(hand, value))
        case list():
            return cards(map(str, value)) or "-"
        case str():
            return card(value)
    return str(value)


def sheet(answer: Json) -> None:
    """A score sheet: its items, then the totals by side."""
    out = console()
    if answer["items"]:
        items = Table(title=f"score of the {answer['scope']}", title_justify="left", box=None, padding=(0, 2, 0, 0))
        for heading in ("side", "for", "row", "points"):
            items.add_column(heading, justify="right" if heading == "points" else "left")
        for item in answer["items"]:
            items.add_row(str(item["side"]), item["rule"], item["account"], f"{item['points']:+d}")
        out.print(items)
    sides = sorted({total["side"] for total in answer["totals"]})
    totals = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("total", *(f"side {side}" for side in sides), ""):
        totals.add_column(heading)
    for account in dict.fromkeys(total["account"] for total in answer["totals"]):
        of_it = {total["side"]: total for total in answer["totals"] if total["account"] == account}
        unit = next(iter(of_it.values()))["unit"]
        totals.add_row(account, *(str(of_it[side]["points"]) if side in of_it else "" for side in sides), unit)
    out.print(totals)
    if answer["winners"]:
        out.print(f"won by side {', '.join(map(str, answer['winners']))}")


def figures(answer: Json) -> None:
    """Odds."""
    out = console()
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("next", "chance", ""):
        table.add_column(heading)
    for each in answer["next"]:
        table.add_row(card(each["card"]), f"{each['probability']:.1%}", f"{each['numerator']}/{each['denominator']}")
    out.print(table)
    for each in answer["figures"]:
        whose = "" if "seat" not in each else f" of seat {each['seat']}"
        value = f"{each['value']:.1%}" if each["unit"] == "chance" else f"{each['value']:+.2f} points"
        out.print(f"{each['name']}{whose}: {value}")
