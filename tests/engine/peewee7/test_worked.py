"""The worked positions of `worked.json`, each played against the engine.

Seats are 0 to 3 clockwise, the dealer 3 unless said; a hand not told is dealt at random around the cards told.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.cards import PACK, RANKS
from engine.game import Setup, admit, begin, judge, play, view
from engine.games.peewee7 import PEEWEE7, PeeweeFacts, PeeweeState
from engine.moves import parse
from tests.engine.peewee7.positions import begun, called, cards, dealt, legal, options, play_out, played

WORKED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "worked.json").read_text())


def reached(position: dict[str, Any]) -> PeeweeState:
    chosen, dealer = position.get("options", {}), position.get("dealer", 3)
    if "moves" in position:
        state = begun(dealer=dealer, **chosen)
        for words in position["moves"].split("; "):
            state = play(PEEWEE7, state, parse(words)).state
            admit(PEEWEE7, state)
        return state
    if position.get("pack") == "in order":
        return begin(PEEWEE7, Setup(options=options(**chosen), chance="deck", deck=PACK, dealer=dealer)).state
    state = dealt([cards(words) for words in position.get("hands", [""] * 4)], dealer=dealer, **chosen)
    state = played(called(state, position.get("calls", "")), position.get("cards", ""))
    return play_out(state, seed=1) if position.get("playOut") else state


def lowest(state: PeeweeState) -> dict[str, int | None]:
    found: dict[str, int | None] = dict.fromkeys(("C", "D", "S", "H", "NT"))
    for words in legal(state):
        if words.startswith("bid "):
            bid = words.removeprefix("bid ")
            strain = bid.strip("0123456789")
            tricks = int(bid.removesuffix(strain))
            found[strain] = min(tricks, found[strain] or 13)
    return found


def contract_of(state: PeeweeState) -> str | None:
    return f"{state.contract.tricks}{state.contract.strain}" if state.contract else None


def looked_at(state: PeeweeState, what: str, expected: Any) -> Any:
    """What the engine makes of one thing asked of a position, in the form the file has it."""
    answers: dict[str, Callable[[], Any]] = {
        "phase": lambda: state.phase,
        "turn": lambda: f"{state.to_act.seat} for {state.to_act.hand}" if state.to_act else None,
        "lowest": lambda: lowest(state),
        "may": lambda: sorted((words for words in legal(state) if " " not in words), key=expected.index),
        "contract": lambda: contract_of(state),
        "side": lambda: state.contract.side if state.contract else None,
        "dare": lambda: state.contract.dare if state.contract else None,
        "master": lambda: state.master,
        "opened": lambda: len(state.draws),
        "black": lambda: [place for place, (seat,) in enumerate(state.seating) if seat % 2 == state.black],
        "seats": lambda: [seat for (seat,) in state.seating],
        "won": lambda: [trick.winner for trick in state.tricks],
        "hands": lambda: {seat: " ".join(sorted(state.hands[int(seat)].cards, key=_in_pack)) for seat in expected},
        "open": lambda: {seat: _open_to_all(state, int(seat)) for seat in expected},
        "plays": lambda: " ".join(sorted((w.removeprefix("play ") for w in legal(state)), key=expected.split().index)),
        "refused": lambda: {words: _code(state, words) for words in expected},
        "refused_to": lambda: expected | {"code": _code(state, expected["move"], expected["seat"])},
    }
    return answers[what]()


def _in_pack(card: str) -> tuple[int, int]:
    return "SHDC".index(card[1]), RANKS.index(card[0])


def _open_to_all(state: PeeweeState, seat: int) -> int:
    """How many cards of a hand all others see, the spectator too."""
    viewers = [*(other for other in range(4) if other != seat), "spectator"]
    (seen,) = {len(view(PEEWEE7, state, viewer).hands[seat].cards) for viewer in viewers}  # type: ignore[arg-type]
    return seen


def _code(state: PeeweeState, words: str, seat: int | None = None) -> str | None:
    refused = judge(PEEWEE7, state, parse(words), seat)
    return refused.code if refused else None


@pytest.mark.parametrize("position", WORKED, ids=lambda position: position["title"])
def test_worked(position: dict[str, Any]) -> None:
    if "facts" in position:
        check_facts(position)
        return
    state = reached(position)
    found = {what: looked_at(state, what, expected) for what, expected in position["then"].items()}
    assert found == position["then"]


def check_facts(position: dict[str, Any]) -> None:
    facts = msgspec.convert(position["facts"], PeeweeFacts)
    sheet = PEEWEE7.sheet_of_facts(options(), facts)
    then = position["then"]
    row, total = then["row"]
    assert {(item.side, item.account) for item in sheet.items} == {(then["to"], row)}
    strokes = sum(item.points for item in sheet.items if item.rule in ("overtricks", "undertricks"))
    assert (sum(item.points for item in sheet.items) - strokes, strokes) == (2 * then["crosses"], then["strokes"])
    assert [each.points for each in sheet.totals if (each.side, each.account) == (then["to"], row)] == [total]
    assert list(sheet.winners) == then["winners"]
