"""Looks for the legal-moves requests of Wippen and Le Wipe that take longest: ``python -m tests.bench.hostile``.

Hill-climbing from random positions: options, places, what lies open, builds, tricks, what is held and seen, what is
asked. The worst are written to hostile.json beside this file, which `test_captures` measures.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from engine.cards import PACK, Card
from engine.game import view
from engine.games.wipe import WIPE, WipeHeap, WipeOptions, WipeTrick
from engine.games.wipe.table import heap_of
from engine.games.wippen import WIPPEN
from engine.games.wippen.plan import plan_of
from engine.mechanics.builds import LayoutBuild
from engine.mechanics.layout import value_of
from engine.violations import ImpossibleState, Malformed
from service import messages
from service.config import Settings
from service.rules import Rules
from tests.engine.wipe import positions as wipe
from tests.engine.wippen import positions as wippen
from tests.engine.wippen.model import CHOICES

BODIES = Path(__file__).with_name("hostile.json")
LIMIT = 1_000
KEPT = 6
QUESTIONS: tuple[dict[str, Any], ...] = ({}, {"explain": True}, {"tier": "shapes"}, {"tier": "groups"})
OPTIONS: dict[str, dict[str, tuple[Any, ...]]] = {
    "wippen": {name: values for name, values in CHOICES.items() if name != "packs"},
    "wipe": {
        name: (True, False) if hint is bool else get_args(hint)
        for name, hint in get_type_hints(WipeOptions).items()
        if name != "rounds"
    },
}
LIKELY: dict[str, dict[str, Any]] = {
    "wippen": {"pictureValues": True, "forcedCapture": "off", "buildObligation": "none", "buildInSum": "all"},
    "wipe": {"picture_values": True, "double_building": True, "build_layout_cards": "any"},
}
PLACES = {"wippen": (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), "wipe": (2, 3, 4, 6, 8)}

RULES = Rules(Settings().limits)
DECODER = msgspec.json.Decoder(messages.ListLegalMovesRequest, dec_hook=messages.from_json)


@dataclass
class Draft:
    """A request in the making."""

    game: str
    packs: int
    places: int
    options: dict[str, Any]
    question: dict[str, Any]
    held: int
    hidden: bool
    layout: list[Card]
    builds: list[list[Card]] = field(default_factory=list)
    tricks: list[tuple[int, list[Card], bool]] = field(default_factory=list)

    def free(self) -> list[Card]:
        """The cards that lie nowhere yet, in a mixed but fixed order."""
        left = Counter(card for card in PACK for _ in range(self.packs))
        left.subtract(self.layout)
        for cards in (*self.builds, *(cards for _, cards, _ in self.tricks)):
            left.subtract(cards)
        return sorted((+left).elements(), key=lambda card: (card.number * 31) % 53)

    def lay_together(self, rng: random.Random) -> None:
        """Makes a build of open cards."""
        cards = rng.sample(self.layout, min(len(self.layout), rng.choice((2, 2, 2, 3))))
        if len(cards) > 1 and sum(map(value_of, cards)) <= value_of(Card("KS")):
            for card in cards:
                self.layout.remove(card)
            self.builds.append(cards)

    def take_a_trick(self, rng: random.Random) -> None:
        """Makes a trick of two open cards, for somebody."""
        if len(self.layout) > 3:
            cards = sorted(rng.sample(self.layout, 2), key=value_of, reverse=True)
            for card in cards:
                self.layout.remove(card)
            self.tricks.append((rng.randrange(1, self.places), cards, rng.random() < 0.3))

    def request(self) -> bytes | None:
        """The body; None where there is no such position."""
        try:
            state = self._wippen() if self.game == "wippen" else self._wipe()
        except (ImpossibleState, Malformed, AssertionError, StopIteration, ValueError, IndexError):
            return None
        return body_of(state, **self.question) if state is not None else None

    def _wippen(self) -> Any:
        builds = [
            LayoutBuild(id=number, value=sum(map(value_of, cards)), groups=(tuple(cards),))
            for number, cards in enumerate(self.builds, 1)
        ]
        last = plan_of(wippen.options(self.options | {"packs": self.packs}), self.places).deals
        for deals in range(last, 0, -1):
            with suppress(ImpossibleState, AssertionError, IndexError):
                state = wippen.position(
                    self.free()[: self.held],
                    self.layout,
                    builds,
                    places=self.places,
                    deals=deals,
                    packs=self.packs,
                    **self.options,
                )
                return view(WIPPEN, state, "spectator") if self.hidden else state
        return None

    def _wipe(self) -> Any:
        builds = [
            LayoutBuild(id=number, value=sum(map(value_of, cards)), groups=(tuple(cards),))
            for number, cards in enumerate(self.builds, 1)
        ]
        heaps: dict[int, WipeHeap] = {}
        for seat, cards, uncrossed in self.tricks:
            number = heap_of(wipe.options(**self.options), self.places, seat)
            trick = WipeTrick(by=cards[0], cards=tuple(cards), seat=seat, crossed=not uncrossed)
            heaps[number] = WipeHeap(tricks=(*heaps.get(number, WipeHeap()).tricks, trick))
        state = wipe.position(
            " ".join(self.free()[: self.held]),
            " ".join(self.layout),
            builds=builds,
            heaps=heaps,
            places=self.places,
            **self.options,
        )
        return view(WIPE, state, "spectator") if self.hidden else state


def body_of(state: Any, **question: Any) -> bytes:
    """A request as it is sent."""
    request = messages.ListLegalMovesRequest(state=state, limit=LIMIT, **question)
    return msgspec.json.encode(request, enc_hook=messages.to_json)


def milliseconds(
    body: bytes,
    times: int,
    decoder: msgspec.json.Decoder[Any] = DECODER,
    answer: Callable[[Any, str], Any] = RULES.legal_moves,
) -> list[float]:
    """The processor's time of reading, answering and writing, so many times."""
    spent = []
    for _ in range(times):
        began = time.process_time()
        msgspec.json.encode(answer(decoder.decode(body), "en"), enc_hook=messages.to_json)
        spent.append(1_000 * (time.process_time() - began))
    return spent


def drawn(rng: random.Random, game: str) -> Draft:
    """A draft at random, full of what is likely to take long."""
    packs = rng.choice((1, 2, 2)) if game == "wippen" else 1
    pack = [card for card in PACK for _ in range(packs)]
    options = {name: rng.choice(values) for name, values in OPTIONS[game].items() if rng.random() < 0.25}
    options |= {name: value for name, value in LIKELY[game].items() if rng.random() < 0.8}
    draft = Draft(
        game,
        packs,
        rng.choice(PLACES[game]),
        options,
        rng.choice(QUESTIONS),
        rng.randint(1, 4),
        rng.random() < 0.7,
        rng.sample(pack, rng.randint(20, len(pack) - 8)),
    )
    for _ in range(rng.randint(0, 30)):
        draft.lay_together(rng)
    return draft


def changed(rng: random.Random, draft: Draft) -> Draft:
    """The draft with a few things otherwise."""
    other = deepcopy(draft)
    for _ in range(rng.choice((1, 1, 2, 3))):
        match rng.randrange(9):
            case 0 | 1:
                name = rng.choice(list(OPTIONS[draft.game]))
                other.options[name] = rng.choice(OPTIONS[draft.game][name])
            case 2:
                other.lay_together(rng)
            case 3 if other.builds:
                other.layout += other.builds.pop(rng.randrange(len(other.builds)))
            case 4 if other.layout:
                other.layout.pop(rng.randrange(len(other.layout)))
            case 5 if other.free():
                other.layout.append(rng.choice(other.free()))
            case 6:
                other.held, other.hidden = rng.randint(1, 4), rng.random() < 0.7
            case 7:
                other.places, other.question = rng.choice(PLACES[draft.game]), rng.choice(QUESTIONS)
            case 8 if draft.game == "wipe":
                other.take_a_trick(rng)
    return other


def cost(draft: Draft, times: int = 1) -> float:
    """The least time of a draft's request; below 0 where there is none."""
    body = draft.request()
    try:
        return min(milliseconds(body, times)) if body else -1.0
    except (ImpossibleState, Malformed):
        return -1.0


def climbed(rng: random.Random, game: str, end: float) -> tuple[float, Draft]:
    """The worst that is found from the worst of some random drafts on."""
    best = max(((cost(draft), draft) for draft in (drawn(rng, game) for _ in range(60))), key=lambda found: found[0])
    stale = 0
    while stale < 120 and time.monotonic() < end:
        other = changed(rng, best[1])
        found = cost(other)
        if found > best[0]:
            found = cost(other, 3)
        stale = 0 if found > best[0] else stale + 1
        best = max(best, (found, other), key=lambda each: each[0])
    return best


def main() -> int:
    """Searches, and writes the worst of each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="for each game")
    parser.add_argument("--seed", default="hostile")
    chosen = parser.parse_args()
    found: dict[str, list[Any]] = {}
    for game in OPTIONS:
        rng = random.Random(f"{chosen.seed} {game}")
        end = time.monotonic() + chosen.seconds
        tops: list[tuple[float, Draft]] = []
        while time.monotonic() < end:
            tops.append(climbed(rng, game, end))
            tops = sorted(tops, key=lambda each: -each[0])[:KEPT]
            print(game, [round(spent, 1) for spent, _ in tops], flush=True)
        bodies = [draft.request() for _, draft in tops]
        found[game] = [msgspec.json.decode(body) for body in bodies if body]
    BODIES.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
