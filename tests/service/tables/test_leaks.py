"""Nobody learns of another's cards: two tables that differ in nothing but what place 0 cannot see tell it the same.

The same to the byte: answers, refusals, events, records, and the log. Ids, clock and secret are held fixed.
"""

import io
import json
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from engine import game as engine
from engine.cards import PACK
from engine.game import Setup, resolve_options
from engine.games import BY_NAME
from service import observability
from service.messages import CHOICES, WatchTableRequest
from tests.service.tables.http import Hosted, app_over, hosted, lines
from tests.service.tables.playing import GAMES, encoded

ID = "ab2cd3ef4gh5ij6kl7mnopqrstuv"
TRIED = [
    *(f"{verb} {card}" for card in PACK[::3] for verb in ("play", "trail")),
    *("hit", "stay", "pass", "close", "deal"),
]
FLIP_DECK = [
    *(str(number) for number in range(13) for _ in range(max(number, 1))),
    *("+2", "+4", "+6", "+8", "+10", "x2"),
    *(["freeze", "flip3", "second"] * 3),
]
MOVES = 16
UNTOUCHED = 15
"""So many cards at the bottom of Flip 7's deck do not come within the moves made here."""


def seen_by_0(game: str, deck: Sequence[Any]) -> bytes | None:
    """What seat 0 sees of the first deal of a deck; None where it cannot be dealt."""
    facts: dict[str, Any] = {"options": {}, **GAMES[game]}
    kind = BY_NAME[game]
    options = resolve_options(kind, CHOICES[game](**facts["options"]))
    setup = Setup(options=options, places=facts.get("places"), chance="deck", deck=tuple(deck))
    state = engine.begin(kind, setup).state
    return encoded(engine.view(kind, state, 0))


def twins(game: str, rng: random.Random) -> tuple[list[str], list[str]]:
    """Two decks that seat 0 cannot tell apart when they are dealt, with two cards exchanged."""
    deck = list(FLIP_DECK if game == "flip7" else PACK)
    rng.shuffle(deck)
    first = seen_by_0(game, deck)
    lowest = len(deck) - UNTOUCHED if game == "flip7" else 0
    pairs = [(one, other) for one in range(lowest, len(deck)) for other in range(lowest, one)]
    rng.shuffle(pairs)
    for one, other in pairs:
        twin = [*deck]
        twin[one], twin[other] = twin[other], twin[one]
        if twin != deck and seen_by_0(game, twin) == first:
            return deck, twin
    raise AssertionError("seat 0 sees all")


async def told(table: Hosted, move: str | None) -> list[Any]:
    """Everything that place 0 is told at this moment, asking and trying whatever it can."""
    version = await table.version()
    me = table.places[0]
    answers = [
        await me.get(),
        await me.get("/legal-moves?explain=true"),
        await me.get("/record"),
        await me.get("/legal-moves?tier=groups"),
        await table.places[1].post("/undo", {"expectedVersion": version}),
    ]
    mine = await table.legal(0)
    for words in TRIED:
        if words not in mine:
            body = {"move": words, "expectedVersion": version}
            answers.append(await me.post("/moves", body, **{"Accept-Language": "nl"}))
    if move is not None:
        answers.append(
            await me.post("/moves", {"move": move, "expectedVersion": version, "idempotencyKey": "k" * version})
        )
    return [(answer.status_code, sorted(answer.headers.items()), answer.content) for answer in answers]


async def is_last_card(table: Hosted) -> bool:
    """Whether the next card played is the last of a deal: the next one shows what was exchanged."""
    hands = (await table.view()).get("hands", [])
    left: int = sum(hand["hidden"] + len(hand["cards"]) for hand in hands)
    return left == 1


async def frames(table: Hosted, number: int) -> list[bytes]:
    """The first frames behind version 1, as place 0 hears them."""
    request = WatchTableRequest(table=ID, after_version=1)
    watch = await table.watcher.watch(request, table.tokens[0])
    assert watch is not None
    heard = [encoded(await anext(watch)) for _ in range(number)]
    await watch.aclose()
    return heard


@pytest.mark.parametrize("game", GAMES)
async def test_place_0_cannot_tell_twins_apart(tmp_path: Path, game: str) -> None:
    rng = random.Random(f"twins of {game}")
    decks = twins(game, rng)
    logs = [io.StringIO(), io.StringIO()]
    compared = 0
    async with AsyncExitStack() as stack:
        tables = []
        observability.configure("error")
        for deck in decks:
            http, watcher = await stack.enter_async_context(app_over(tmp_path, new_id=lambda _: ID))
            tables.append(await hosted(http, watcher, game, deck=deck))
        for _ in range(MOVES):
            place = await tables[0].to_act()
            if place is None or place != await tables[1].to_act() or await is_last_card(tables[0]):
                break
            both = [set(await table.legal(place)) for table in tables]
            common = sorted(both[0] & both[1])
            if not common:
                break
            move = rng.choice(common)
            heard = []
            for number, table in enumerate(tables):
                observability.configure("debug", logs[number])
                heard.append(await told(table, move if place == 0 else None))
                if place != 0:
                    assert (await table.play(place, move)).status_code == 200
            observability.configure("error")
            assert heard[0] == heard[1]
            compared += len(heard[0])
        versions = [await table.version() for table in tables]
        assert versions[0] == versions[1]
        assert await frames(tables[0], versions[0] - 1) == await frames(tables[1], versions[0] - 1)
    assert compared > 100
    assert lines(logs[0].getvalue()) == lines(logs[1].getvalue())
    written = json.dumps([{**line, "id": ""} for line in lines(logs[0].getvalue())])
    assert "playTableMove" in written or '"route": "/v1/tables/{table}/moves"' in written
    assert not any(card in written for card in decks[0] if len(card) == 2)
