"""What a referee makes of what it is asked, and tells of a game, however it was asked: over a network or in process."""

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from .cards import AnyCard
from .game import DEFAULT_LIMIT, Chance, Game, Query, Setup, admit, resolve_options
from .games import BY_STATE, State
from .violations import LANGUAGES, ImpossibleState, Malformed, UnsupportedRuleset, message

AnyGame = Game[Any, Any, Any]


class Begun(Protocol):
    """What a match is begun from, as it is named. Of `seed`, `deck` and `chance` one is; `options` are choices."""

    @property
    def options(self) -> Any: ...

    @property
    def ruleset(self) -> int | None: ...

    @property
    def places(self) -> int | None: ...

    @property
    def seating(self) -> tuple[tuple[int, ...], ...] | None: ...

    @property
    def dealer(self) -> int | None: ...

    @property
    def chance(self) -> Chance | None: ...

    @property
    def seed(self) -> str | None: ...

    @property
    def deck(self) -> Any: ...


class Listing(Protocol):
    """How much of the legal moves is asked for, as it is named."""

    @property
    def limit(self) -> int | None: ...

    @property
    def cursor(self) -> str | None: ...

    @property
    def card(self) -> AnyCard | None: ...

    @property
    def tier(self) -> str | None: ...

    @property
    def explain(self) -> bool: ...


def setup_of(game: AnyGame, begun: Begun, draw: Callable[[], str] | None = None) -> Setup:
    """What a match is begun from; `draw` gives a seed where neither seed, deck nor chance is named.

    Without it there must be one, as in a record.
    """
    named = {"seed": begun.seed is not None, "deck": begun.deck is not None}
    chance: Chance = begun.chance or ("deck" if named["deck"] and not named["seed"] else "seed")
    for name, there in named.items():
        if there and chance != name:
            raise Malformed(f"$.{name}", f"the cards come by {chance}, not by {name}")
    seed = begun.seed
    if chance == "seed" and seed is None:
        if draw is None:
            raise Malformed("$.seed", "a record says what its cards came from: seed, deck, or chance caller")
        seed = draw()
    return Setup(
        options=resolve_options(game, begun.options),
        ruleset=begun.ruleset,
        places=begun.places,
        seating=begun.seating,
        dealer=begun.dealer,
        chance=chance,
        seed=seed,
        deck=None if begun.deck is None else tuple(map(AnyCard, begun.deck)),
    )


def admitted(state: State, path: str = "$.state") -> AnyGame:
    """The game of a caller's state, once the state has been found possible; `path` is where it was named."""
    game = BY_STATE[type(state)]
    try:
        admit(game, state)
    except (ImpossibleState, UnsupportedRuleset) as fault:
        fault.path = f"{path}{fault.path.removeprefix('$')}"
        raise
    return game


def query_of(listing: Listing, most: int) -> Query:
    """How much of the legal moves is asked for, `most` moves at once."""
    return Query(
        limit=min(listing.limit or DEFAULT_LIMIT, most),
        cursor=listing.cursor,
        card=listing.card,
        tier=listing.tier,
        explain=listing.explain,
    )


def options_schema(game: AnyGame) -> dict[str, Any]:
    """The JSON Schema of what a caller may name: every option with its default and meaning, and the preset."""
    (schema,), definitions = msgspec.json.schema_components([game.options])
    options = definitions[schema["$ref"].rpartition("/")[2]]
    preset = {"enum": list(game.presets), "description": "A name for several options; options named beside it win."}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "title": game.options.__name__,
        "description": options.get("description", ""),
        "properties": {"preset": preset, **options["properties"]},
        "required": [],
        "additionalProperties": False,
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(schema))
    return plain


def move_types(game: AnyGame) -> tuple[str, ...]:
    """The types of the game's moves, as moves are tagged."""
    return tuple(str(move.__struct_config__.tag) for move in game.moves)


def clause_in(game: AnyGame, clause: str) -> dict[str, str]:
    """A clause of the game in each of `LANGUAGES`."""
    return {language: message(f"{game.name}/{clause}", {}, language) for language in LANGUAGES}
