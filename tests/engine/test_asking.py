"""What is made of what a referee is asked, for whoever asks."""

from typing import Any

import pytest
from msgspec import Struct

from engine import asking
from engine.game import DEFAULT_LIMIT, begin
from engine.games import BY_NAME, GAMES
from engine.violations import LANGUAGES, ImpossibleState, Malformed, Refusal, UnsupportedRuleset

WHIST = BY_NAME["whist"]


class Begun(Struct, frozen=True):
    options: Any = None
    ruleset: int | None = None
    places: int | None = None
    seating: tuple[tuple[int, ...], ...] | None = None
    dealer: int | None = None
    chance: Any = None
    seed: str | None = None
    deck: Any = None


class Listing(Struct, frozen=True):
    limit: int | None = None
    cursor: str | None = None
    card: Any = None
    tier: str | None = None
    explain: bool = False


@pytest.mark.parametrize(
    ("begun", "chance", "seed"),
    [
        (Begun(), "seed", "drawn"),
        (Begun(chance="seed"), "seed", "drawn"),
        (Begun(seed="named"), "seed", "named"),
        (Begun(deck=("AS", "KS")), "deck", None),
        (Begun(chance="caller"), "caller", None),
    ],
)
def test_where_cards_come_from(begun: Begun, chance: str, seed: str | None) -> None:
    setup = asking.setup_of(WHIST, begun, lambda: "drawn")
    assert (setup.chance, setup.seed) == (chance, seed)
    assert setup.deck == begun.deck


@pytest.mark.parametrize(
    ("begun", "path", "detail"),
    [
        (Begun(seed="a", deck=("AS",)), "$.deck", "the cards come by seed, not by deck"),
        (Begun(seed="a", chance="caller"), "$.seed", "the cards come by caller, not by seed"),
        (Begun(), "$.seed", "a record says what its cards came from: seed, deck, or chance caller"),
    ],
)
def test_a_record_names_where_its_cards_came_from(begun: Begun, path: str, detail: str) -> None:
    with pytest.raises(Malformed) as refused:
        asking.setup_of(WHIST, begun)
    assert (refused.value.path, refused.value.detail) == (path, detail)


@pytest.mark.parametrize(
    ("change", "refusal", "path"),
    [
        ({"ruleset": 999}, UnsupportedRuleset, "$.view.ruleset"),
        ({"history": ()}, ImpossibleState, "$.view.history"),
    ],
)
def test_a_refused_state_is_named_as_it_was(change: dict[str, Any], refusal: type[Refusal], path: str) -> None:
    state = begin(WHIST, asking.setup_of(WHIST, Begun(seed="a"))).state
    assert asking.admitted(state) is WHIST
    with pytest.raises(refusal) as refused:
        asking.admitted(
            type(state)(**{**{name: getattr(state, name) for name in state.__struct_fields__}, **change}), "$.view"
        )
    assert refused.value.path == path


@pytest.mark.parametrize(
    ("limit", "most", "expected"), [(None, 1_000, DEFAULT_LIMIT), (5, 9, 5), (50, 9, 9), (None, 9, 9)]
)
def test_no_more_is_listed_than_may_be(limit: int | None, most: int, expected: int) -> None:
    assert asking.query_of(Listing(limit=limit, explain=True), most).limit == expected


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_is_told_of_a_game(game: asking.AnyGame) -> None:
    schema = asking.options_schema(game)
    assert set(schema["properties"]["preset"]["enum"]) == set(game.presets)
    assert len(schema["properties"]) == 1 + len(game.options.__struct_fields__)
    assert all(each["description"] for each in schema["properties"].values())
    assert len(set(asking.move_types(game))) == len(game.moves)
    for clause in game.clauses:
        words = asking.clause_in(game, clause)
        assert set(words) == set(LANGUAGES)
        assert all(words.values())
