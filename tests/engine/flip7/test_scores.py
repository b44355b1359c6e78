"""Sheets of Flip 7: of a round, of the match, of a round under way, and from bare facts."""

from typing import Any

import msgspec
import pytest

from engine.cards import AnyCard, FlipCard
from engine.events import Scored
from engine.game import Query, legal_moves
from engine.games.flip7 import FLIP7, Flip7Facts, Flip7RowFact
from engine.games.flip7.scoring import MOST_POINTS, points_of
from engine.moves import Give, Hit, Stay, parse, text
from engine.sheet import Item, Sheet, Total
from engine.violations import Malformed
from tests.engine.flip7.positions import after, cards, options, position, told


def facts(*rows: str, busted: str = "", **more: Any) -> Flip7Facts:
    """Rows by their cards; `busted` is one more."""
    told_rows = [Flip7RowFact(cards=cards(words)) for words in rows]
    told_rows += [Flip7RowFact(cards=cards(busted), busted=True)] if busted else []
    return Flip7Facts(rows=tuple(told_rows), **more)


def test_a_round_is_itemised() -> None:
    sheet = FLIP7.sheet_of_facts(options(), facts("7 11 +8 x2 +2", "second", busted="5 9 +10 9", totals=(10, 20)))
    assert sheet.scope == "round"
    assert sheet.items == (
        Item("numbers", 0, "round", 18, cards("7 11")),
        Item("double", 0, "round", 18, cards("x2")),
        Item("plus", 0, "round", 8, cards("+8")),
        Item("plus", 0, "round", 2, cards("+2")),
        Item("bust", 2, "round", 0, cards("5 9 +10 9")),
    )
    assert sheet.totals == (
        *(Total(seat, "round", points, "points") for seat, points in enumerate((46, 0, 0))),
        *(Total(seat, "total", points, "points") for seat, points in enumerate((56, 20, 0))),
    )
    assert sheet.winners == ()
    assert msgspec.json.decode(msgspec.json.encode(sheet), type=Sheet) == sheet


def test_the_bonus_is_an_item() -> None:
    sheet = FLIP7.sheet_of_facts(options(), facts("0 1 2 3 4 5 6"))
    assert [(item.rule, item.points) for item in sheet.items] == [("numbers", 21), ("flip7", 15)]


def test_the_most_a_row_can_score() -> None:
    assert points_of(cards("6 7 8 9 10 11 12 x2 +2 +4 +6 +8 +10")) == MOST_POINTS == 171


def test_a_round_under_way_shows_what_the_rows_would_score() -> None:
    state = position(["4 11", "9 9", "2 +4"], out={1: "busted"})
    sheet = FLIP7.sheet(state, None)
    assert [total.points for total in sheet.totals] == [15, 0, 6, 0, 0, 0]


def test_a_round_scored_and_the_match() -> None:
    state, events = told(position(["4 11", "9"]), "stay", "stay")
    scored = [event.sheet for event in events if isinstance(event, Scored)]
    assert scored == [FLIP7.sheet(state, None)]
    assert [total.points for total in scored[0].totals] == [15, 9, 15, 9]
    match = FLIP7.sheet(state, "match")
    assert (match.scope, match.winners) == ("match", ())
    assert [total.points for total in match.totals] == [15, 9]


def test_the_last_round_tells_the_match_too() -> None:
    state, events = told(position(["4 11", "9"], target=15), "stay", "stay")
    scopes = [event.sheet.scope for event in events if isinstance(event, Scored)]
    assert scopes == ["round", "match"]
    assert FLIP7.sheet(state, None).winners == (0,)
    assert FLIP7.sheet(state, "round").scope == "round"
    with pytest.raises(Malformed, match="by the round or by the match"):
        FLIP7.sheet(state, "deal")


FAULTS: dict[str, tuple[Flip7Facts, dict[str, Any], str]] = {
    "nothing told": (Flip7Facts(), {}, "$.facts"),
    "three in a challenge": (Flip7Facts(totals=(1, 2, 3), rounds=1), {"challenge": "any"}, "$.options.challenge"),
    "a challenge without its rounds": (Flip7Facts(totals=(1,)), {"challenge": "any"}, "$.facts.rounds"),
    "rounds beside rows": (facts("4", rounds=2), {}, "$.facts.rounds"),
    "more totals than rows": (facts("4", totals=(1, 2)), {}, "$.facts.totals"),
    "a match that is over": (facts("4", "5", totals=(200, 2)), {}, "$.facts.totals"),
    "more points than the rounds can bring": (Flip7Facts(totals=(172,), rounds=1), {}, "$.facts.totals"),
    "a duplicate in a row": (facts("4", "5 5"), {}, "$.facts.rows[1].cards"),
    "two duplicates in a busted row": (facts(busted="5 5 4 4"), {}, "$.facts.rows[0].cards"),
    "three of a number in a busted row": (facts(busted="5 5 5"), {}, "$.facts.rows[0].cards"),
    "a busted row with a Second Chance": (facts(busted="5 5 second"), {}, "$.facts.rows[0].cards"),
    "a busted row with a Freeze": (facts(busted="5 5 freeze"), {}, "$.facts.rows[0].cards"),
    "a busted row of seven numbers": (facts(busted="1 2 3 4 5 6 7 7"), {}, "$.facts.rows[0].cards"),
    "a Flip Three in a row": (facts("5 flip3"), {}, "$.facts.rows[0].cards"),
    "two Second Chances in a row": (facts("5 second second"), {}, "$.facts.rows[0].cards"),
    "two Freezes in a row": (facts("5 freeze freeze"), {}, "$.facts.rows[0].cards"),
    "eight numbers": (facts("1 2 3 4 5 6 7 8"), {}, "$.facts.rows[0].cards"),
    "x2 twice in a row": (facts("x2 x2"), {}, "$.facts.rows[0].cards"),
    "x2 in two rows": (facts("x2", "x2"), {}, "$.facts.rows"),
    "seven numbers in two rows": (facts("6 7 8 9 10 11 12", "6 7 8 9 10 11 12"), {}, "$.facts.rows"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_facts_that_cannot_be_are_malformed(fault: str) -> None:
    told_facts, chosen, path = FAULTS[fault]
    with pytest.raises(Malformed) as refused:
        FLIP7.sheet_of_facts(options(**chosen), told_facts)
    assert refused.value.path == path


def test_a_busted_row_may_be_told_without_its_duplicate() -> None:
    assert FLIP7.sheet_of_facts(options(), facts(busted="5 9")).totals[0].points == 0


@pytest.mark.parametrize(
    ("move", "words"), [(Hit(), "hit"), (Stay(), "stay"), (Give(FlipCard("flip3"), 17), "give flip3 17")]
)
def test_moves_have_a_text(move: Hit | Stay | Give, words: str) -> None:
    assert text(move) == words
    assert parse(words) == move
    assert parse(words.replace("flip3", "FLIP3")) == move


@pytest.mark.parametrize(
    "words", ["hit 1", "stay now", "give", "give freeze", "give AS 1", "give freeze 18", "give freeze -1"]
)
def test_what_is_no_move_is_malformed(words: str) -> None:
    with pytest.raises(Malformed):
        parse(words)


def test_moves_are_listed_by_card() -> None:
    state = after(position(["4", "9"], "freeze"), "hit")
    assert legal_moves(FLIP7, state, None, Query(card=AnyCard("freeze"))).total == 2
    assert legal_moves(FLIP7, state, None, Query(card=AnyCard("flip3"))).total == 0
    page = legal_moves(FLIP7, state, None, Query(limit=1))
    assert (page.truncated, page.total, len(page.moves)) == (True, 2, 1)


def test_a_frozen_row_has_no_seven_numbers() -> None:
    with pytest.raises(Malformed, match="seventh"):
        FLIP7.sheet_of_facts(options(), facts("0 1 2 3 4 5 6 freeze"))


@pytest.mark.parametrize(
    ("totals", "choices"),
    [
        ((1000,), {}),
        ((400, 100), {}),
        ((400, 400), {"tie": "shared"}),
        ((400, 10), {"challenge": "any"}),
        ((400, 400), {"challenge": "each"}),
        ((400, 300), {"challenge": "combined"}),
    ],
)
def test_totals_of_a_match_that_was_over_before_its_last_round_are_malformed(
    totals: tuple[int, ...], choices: dict[str, Any]
) -> None:
    with pytest.raises(Malformed, match="over before"):
        FLIP7.sheet_of_facts(options(**choices), Flip7Facts(totals=totals, rounds=9))


@pytest.mark.parametrize(
    ("totals", "choices"), [((400, 390), {}), ((370, 10), {}), ((400, 199), {"challenge": "each"})]
)
def test_totals_that_one_more_round_can_have_brought_are_scored(
    totals: tuple[int, ...], choices: dict[str, Any]
) -> None:
    assert FLIP7.sheet_of_facts(options(**choices), Flip7Facts(totals=totals, rounds=9)).scope == "match"
