"""The conformance kit: what must hold of every game, checked along random play.

A game hands in a `Subject`: its variants, the moves worth asking about, what is conserved, and the twins of a state:
states that differ from it only in what one viewer cannot see.
"""

import os
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from engine.game import (
    SPECTATOR,
    Game,
    Query,
    Setup,
    Step,
    Viewer,
    admit,
    begin,
    choices_type,
    judge,
    legal_moves,
    play,
    replay,
    resolve_options,
    view,
)
from engine.moves import Deal, Draw, Expose, Move, parse, text

DEALS: Final = int(os.environ.get("KIT_DEALS", "110"))
"""Random deals a variant; `make kit` asks for more."""
EVERYTHING: Final = Query(limit=100_000)
Choices = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A game under the kit: `deals` counts those a state has seen, `outsiders` are moves to judge beside the legal."""

    game: Game[Any, Any, Any]
    variants: dict[str, tuple[Choices, int]]
    outsiders: Callable[[Any], Iterable[Move]]
    conserved: Callable[[Any], None]
    twins: Callable[[Any, Viewer, random.Random], Sequence[Any]]
    deals: Callable[[Any], int]
    scored: Callable[[Any], None]
    plays_alike: Callable[[Move, Any, Viewer], bool]
    """Whether a move on the viewer's view leads just where the view of the state after it is (no new secret told)."""


def setup_of(subject: Subject, variant: str, seed: str) -> Setup:
    """A seeded setup of a variant."""
    choices, places = subject.variants[variant]
    named = msgspec.convert(choices, choices_type(subject.game))
    return Setup(options=resolve_options(subject.game, named), places=places, chance="seed", seed=seed)


def run(subject: Subject, variant: str, deals: int = DEALS) -> int:
    """Plays random matches of a variant until `deals` deals are seen, checking all along. Returns their number."""
    rng = random.Random(f"{subject.game.name} {variant}")
    seen = match = 0
    while seen < deals:
        seen += _match(subject, variant, f"{variant} {match}", rng, deals - seen)
        match += 1
    return seen


def _match(subject: Subject, variant: str, seed: str, rng: random.Random, most_deals: int) -> int:
    game = subject.game
    setup = setup_of(subject, variant, seed)
    state = begin(game, setup).state
    steps: list[Step] = []
    while True:
        thorough = rng.random() < 0.06
        check_state(subject, state)
        options = check_legal(subject, state, rng)
        if thorough:
            check_round_trip(game, state)
            check_views(subject, state, rng)
        if not options or subject.deals(state) > most_deals:
            break
        seat, move = rng.choice(options)
        after = play(game, state, move, seat).state
        if thorough:
            check_play_on_views(subject, state, move, seat, after)
        state = after
        steps.append(Step(move, seat))
    if not options:
        subject.scored(state)
        assert state.to_act is None, "nobody may move, yet somebody is to act"
    replayed = replay(game, setup, steps)
    assert replayed.state == state
    assert replayed.violation is None
    return max(1, subject.deals(state))


def check_state(subject: Subject, state: Any) -> None:
    """A reached state is possible and has lost no card."""
    admit(subject.game, state)
    subject.conserved(state)


def seats_of(state: Any) -> range:
    """The seats there are."""
    return range(len(state.hands))


def check_legal(subject: Subject, state: Any, rng: random.Random) -> list[tuple[int, Move]]:
    """Listed is legal and legal is listed, for each seat; listed moves are distinct and have their text.

    Of a seat that may not act only a few outsiders are judged: the answer is one and the same.
    """
    game = subject.game
    found: list[tuple[int, Move]] = []
    actors = {state.to_act.seat} if state.to_act else set[int]()
    actors |= {free.seat for free in state.may_also}
    for seat in seats_of(state):
        answer = legal_moves(game, state, seat, EVERYTHING)
        listed = [entry.move for entry in answer.moves]
        assert answer.total == len(listed) == len(set(map(text, listed)))
        assert all(parse(entry.text) == entry.move for entry in answer.moves)
        outsiders = list(subject.outsiders(state))
        if seat not in actors:
            outsiders = rng.sample(outsiders, min(8, len(outsiders)))
        judged = {text(move): judge(game, state, move, seat) for move in [*listed, *outsiders]}
        assert {name for name, refused in judged.items() if refused is None} == set(map(text, listed))
        assert seat in actors or not listed, "a seat that may not act has moves"
        assert listed or not state.to_act or seat != state.to_act.seat, "the seat to act has no move"
        found += [(seat, move) for move in listed]
    return found


def check_round_trip(game: Game[Any, Any, Any], state: Any) -> None:
    """A state survives the wire as it is."""
    assert msgspec.json.decode(msgspec.json.encode(state), type=game.state) == state


def viewers_of(state: Any) -> list[Viewer]:
    """Everybody who may look."""
    return [*seats_of(state), SPECTATOR]


def told(subject: Subject, state: Any, viewer: Viewer) -> bytes:
    """All that a viewer is told of a state, asked in every way."""
    game = subject.game
    seen = view(game, state, viewer)
    answers: list[Any] = [seen]
    if viewer != SPECTATOR:
        answers.append(legal_moves(game, state, viewer, Query(limit=100_000, explain=True)))
        answers += [judge(game, state, move, viewer) for move in subject.outsiders(state)]
        answers.append(legal_moves(game, seen, viewer, Query(limit=100_000, explain=True)))
    return msgspec.json.encode(answers)


def check_views(subject: Subject, state: Any, rng: random.Random) -> None:
    """Views are possible, agree with the state about the own moves, and tell nothing that a twin would not."""
    game = subject.game
    for viewer in viewers_of(state):
        seen = view(game, state, viewer)
        admit(game, seen)
        check_round_trip(game, seen)
        assert view(game, seen, viewer) == seen
        assert seen.viewer == viewer
        if viewer != SPECTATOR:
            check_same_moves(game, state, seen, viewer)
            check_same_verdicts(subject, state, seen, viewer)
        mine = told(subject, state, viewer)
        for twin in subject.twins(state, viewer, rng):
            admit(game, twin)
            assert told(subject, twin, viewer) == mine, f"{viewer} is told what it cannot see"


def check_same_moves(game: Game[Any, Any, Any], state: Any, seen: Any, seat: int) -> None:
    """The own moves are the same on the view, unless chance must be told; a hand not seen may have more."""
    of_state, of_view = (legal_moves(game, each, seat, EVERYTHING) for each in (state, seen))
    if of_view.needs_chance:
        return
    if state.to_act and seat == state.to_act.seat and seen.hands[state.to_act.hand].hidden:
        assert {entry.text for entry in of_view.moves} >= {entry.text for entry in of_state.moves}
    else:
        assert of_view == of_state


def check_same_verdicts(subject: Subject, state: Any, seen: Any, seat: int) -> None:
    """What a seat is refused it is refused on its view as well, for the same reason; chance must be told there."""
    for move in subject.outsiders(state):
        of_state, of_view = (judge(subject.game, each, move, seat) for each in (state, seen))
        if not isinstance(move, Deal | Draw | Expose):
            assert of_view == of_state, text(move)


def check_play_on_views(subject: Subject, state: Any, move: Move, seat: int, after: Any) -> None:
    """What really happened is legal in every view, and leads there to the view of what it led to."""
    for viewer in viewers_of(state):
        if not subject.plays_alike(move, state, viewer):
            continue
        seen = view(subject.game, state, viewer)
        advanced = play(subject.game, seen, move, seat).state
        assert advanced == view(subject.game, after, viewer)
