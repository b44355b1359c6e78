"""Golden records: matches played once, and what came of them, replayed for ever.

A file is one JSON object: `setup`, the `moves` as ``"seat text"``, the last `sheet`, and `digests`: SHA-256 of the last
state and, every so many moves, of what each viewer saw. Write new ones with
``python -m tests.engine.golden GAME VARIANT SETUP [RARE]``, the setup as JSON; moves that the pattern RARE matches are
then made one time in twenty. A file once released is never written again.
"""

import hashlib
import json
import random
import re
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.game import Outcome, Query, Setup, begin, choices_type, legal_moves, play, resolve_options, view
from engine.games import BY_NAME
from engine.moves import parse, text

FOLDER: Final = Path(__file__).parent.parent / "golden"
VIEWS_EVERY: Final = 20
MOST_MOVES: Final = 400
RARELY: Final = 0.05


def setup_of(game: str, told: dict[str, Any]) -> Setup:
    """The setup a golden file tells."""
    named = msgspec.convert(told.get("options", {}), choices_type(BY_NAME[game]))
    rest = {name: value for name, value in told.items() if name != "options"}
    return Setup(options=resolve_options(BY_NAME[game], named), chance="seed", **rest)


def digest(value: Any) -> str:
    """SHA-256 of a struct's JSON, sixteen digits of it."""
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:16]


def viewers(state: Any) -> list[Any]:
    """Everybody who may look."""
    return [*range(len(state.hands)), "spectator"]


class Told:
    """What came of a record: events and views on the way, the state and sheet at the end."""

    def __init__(self, game: str, setup: Setup) -> None:
        self.game = BY_NAME[game]
        self.outcome: Outcome[Any] = begin(self.game, setup)
        self.digests: dict[str, str] = {}
        self.moves: list[str] = []

    def play(self, seat: int, words: str) -> None:
        """Plays one move of the record."""
        if len(self.moves) % VIEWS_EVERY == 0:
            self._look()
        self.moves.append(f"{seat} {words}")
        self.outcome = play(self.game, self.outcome.state, parse(words), seat)

    def _look(self) -> None:
        for viewer in viewers(self.outcome.state):
            seen = view(self.game, self.outcome.state, viewer)
            self.digests[f"{len(self.moves)} {viewer}"] = digest(seen)

    def document(self, told: dict[str, Any]) -> dict[str, Any]:
        """The golden file."""
        self._look()
        state = self.outcome.state
        sheet = msgspec.json.decode(msgspec.json.encode(self.game.sheet(state, None)))
        ruleset = state.ruleset
        last = {"end": digest(state)}
        return {
            "game": self.game.name,
            "ruleset": ruleset,
            "setup": told,
            "moves": self.moves,
            "sheet": sheet,
            "digests": self.digests | last,
        }


def played(game: str, told: dict[str, Any], seed: int, rare: str = r"\b\B") -> Told:
    """A record made by random legal moves, those that match `rare` being so."""
    record = Told(game, setup_of(game, told))
    rng = random.Random(seed)
    while len(record.moves) < MOST_MOVES:
        state = record.outcome.state
        options = [
            (seat, entry.text)
            for seat in range(len(state.hands))
            for entry in legal_moves(record.game, state, seat, Query(limit=1000)).moves
        ]
        if not options:
            break
        usual = [(seat, words) for seat, words in options if not re.match(rare, words)]
        record.play(*rng.choice(options if not usual or rng.random() < RARELY else usual))
    return record


def replayed(document: dict[str, Any]) -> dict[str, Any]:
    """What comes of a golden file's record today."""
    record = Told(document["game"], setup_of(document["game"], document["setup"]))
    for line in document["moves"]:
        seat, _, words = line.partition(" ")
        assert text(parse(words)) == words
        record.play(int(seat), words)
    return record.document(document["setup"])


if __name__ == "__main__":
    name, variant, told_json = sys.argv[1:4]
    path = FOLDER / name / f"{variant}.json"
    if path.exists():
        sys.exit(f"{path} is released; write another")
    path.parent.mkdir(parents=True, exist_ok=True)
    told_setup = json.loads(told_json)
    made = played(name, told_setup, len(variant), *sys.argv[4:5]).document(told_setup)
    path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
