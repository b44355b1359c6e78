"""Worked cases of Flip 7: positions, moves and what becomes of them; rows and what they score; totals and who wins."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.game import choices_type, judge, resolve_options
from engine.games.flip7 import FLIP7, Flip7Facts, Flip7Options, Flip7RowFact, Flip7State
from engine.games.flip7.deck import COUNTS
from engine.moves import parse
from tests.engine.flip7.positions import acting, after, cards, choices, dealing, position, row, statuses

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "cases.json").read_text())


def named(kind: str) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in CASES if kind in case]


def options_of(case: dict[str, Any]) -> Flip7Options:
    return resolve_options(FLIP7, msgspec.convert(case.get("options", {}), choices_type(FLIP7)))


def start_of(case: dict[str, Any]) -> Flip7State:
    chosen = msgspec.structs.asdict(options_of(case))
    if "deal" in case:
        return dealing(case["deal"], dealer=case.get("dealer"), **chosen)
    out = {int(seat): status for seat, status in case.get("out", {}).items()}
    return position(case["rows"], case["deck"], out=out, rest=case.get("rest", "deck"), **chosen)


def test_f1_the_deck() -> None:
    assert {str(value): COUNTS[card] for value, card in enumerate(cards("0 1 2 3 4 5 6 7 8 9 10 11 12"))} == {
        "0": 1,
        **{str(value): value for value in range(1, 13)},
    }
    assert [COUNTS[card] for card in cards("+2 +4 +6 +8 +10 x2")] == [1] * 6
    assert [COUNTS[card] for card in cards("freeze flip3 second")] == [3] * 3
    assert COUNTS.total() == 94


@pytest.mark.parametrize("case", named("row"))
def test_row(case: dict[str, Any]) -> None:
    fact = Flip7RowFact(cards=cards(case["row"]), busted=case.get("busted", False))
    sheet = FLIP7.sheet_of_facts(options_of(case), Flip7Facts(rows=(fact,)))
    assert [total.points for total in sheet.totals] == [case["points"]] * 2
    assert sum(item.points for item in sheet.items) == case["points"]


@pytest.mark.parametrize("case", named("totals"))
def test_totals(case: dict[str, Any]) -> None:
    facts = Flip7Facts(totals=tuple(case["totals"]), rounds=case.get("rounds"))
    sheet = FLIP7.sheet_of_facts(options_of(case), facts)
    assert list(sheet.winners) == case["winners"]
    met = {total.points for total in sheet.totals if total.account == "challenge"}
    assert met == ({case["met"]} if "met" in case else set())


@pytest.mark.parametrize("case", named("moves"))
def test_moves(case: dict[str, Any]) -> None:
    start = start_of(case)
    state = after(start, *case["moves"])
    if "refused" in case:
        words, code = case["refused"]
        first, _, rest = words.partition(" ")
        seat = int(first) if first.isdigit() else None
        refused = judge(FLIP7, state, parse(words if seat is None else rest), seat)
        assert refused is not None
        assert refused.code == code
    then = case["then"]
    found = {
        "rows": [row(state, seat) for seat in range(len(state.rows))],
        "status": statuses(state),
        "toAct": acting(state),
        "legal": sorted(choices(state)),
        "phase": state.phase,
        "scores": [new - old for new, old in zip(state.totals, start.totals, strict=True)],
        "drawn": len(start.deck) - len(state.deck),
        "shuffles": state.shuffles,
        "discarded": Counter(state.discard) - Counter(start.discard),
        "discard": Counter(state.discard),
    }
    expected = {key: Counter(cards(value)) if key.startswith("disc") else value for key, value in then.items()}
    if "legal" in expected:
        expected["legal"] = sorted(expected["legal"])
    assert {key: found[key] for key in expected} == expected
