"""Use cases that may take seconds are there in steps, between which others have their turns: the same answers."""

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from engine.game import Query, Setup, begin, legal_moves, play, resolve_options, view
from engine.games import BY_NAME
from engine.violations import ENGLISH, ImpossibleState
from service.batch import Call, Coding, answer, answer_in_steps, batch_in_steps, batch_of, run_batch, worked
from service.beside import TURN_SECONDS, Beside
from service.config import load
from service.errors import OK
from service.messages import RECORDS, MoveInput, RecordedMove, SampleStatesRequest, SimulateRequest
from service.rules import IN_STEPS, Rules
from tests.service.running import SECONDS

LIMITS = load({}).limits
SEED = "in steps"
N = 3


def requests(game: str) -> dict[str, Any]:
    """A request for each use case, of so many steps."""
    rules = BY_NAME[game]
    setup = Setup(options=resolve_options(rules, None), chance="seed", seed=SEED)
    state = dealt = begin(rules, setup).state
    moves = []
    for _ in range(N):
        assert state.to_act is not None
        seat = state.to_act.seat
        move = legal_moves(rules, state, seat, Query()).moves[0].move
        moves.append(RecordedMove(move=MoveInput(move), seat=seat))
        state = play(rules, state, move, seat).state
    assert dealt.to_act is not None
    return {
        "replay": RECORDS[game](seed=SEED, moves=tuple(moves)),
        "sample": SampleStatesRequest(view=view(rules, dealt, dealt.to_act.seat), seed=SEED, n=N),
        "simulate": SimulateRequest(state=dealt, seed=SEED, n=N, until="deal"),
    }


@pytest.mark.parametrize("operation", sorted(IN_STEPS))
@pytest.mark.parametrize("game", ["whist", "wippen"])
def test_the_answer_is_the_same(game: str, operation: str) -> None:
    request = requests(game)[operation]
    steps = list(answer_in_steps(Rules(LIMITS), operation, request, ENGLISH))
    assert steps == [None] * N + [answer(Rules(LIMITS), operation, request, ENGLISH)]


@pytest.mark.parametrize("operation", sorted(IN_STEPS))
def test_a_decision_is_counted_once(operation: str) -> None:
    counted: list[tuple[str, str, str]] = []
    rules = Rules(LIMITS, lambda *told: counted.append(told[:3]))
    request = requests("whist")[operation]
    steps = answer_in_steps(rules, operation, request, ENGLISH)
    assert next(steps) is None
    assert not counted
    assert list(steps)[-1] is not None
    assert counted == [(operation, "whist", OK)]
    steps = answer_in_steps(rules, operation, request, ENGLISH)
    next(steps)
    steps.close()
    assert len(counted) == 1, "nobody waited for it in the end"


def test_what_is_refused_is_counted_and_raised_at_the_first_step() -> None:
    counted: list[tuple[str, str, str]] = []
    rules = Rules(LIMITS, lambda *told: counted.append(told[:3]))
    request = requests("whist")["simulate"]
    broken = msgspec.structs.replace(request, state=msgspec.structs.replace(request.state, phase="over"))
    with pytest.raises(ImpossibleState):
        next(answer_in_steps(rules, "simulate", broken, ENGLISH))
    assert counted == [("simulate", "whist", "IMPOSSIBLE_STATE")]


def test_a_batch_has_the_steps_of_its_calls() -> None:
    request = requests("whist")
    broken = msgspec.structs.replace(request["sample"], view=request["simulate"].state)
    named = [*request.items(), ("sample", broken)]
    calls = [Call(str(at), operation, lambda asked=asked: asked) for at, (operation, asked) in enumerate(named)]  # type: ignore[misc]
    steps = list(batch_in_steps(Rules(LIMITS), calls, ENGLISH))
    assert [each is None for each in steps] == 3 * [True, True, True, False] + [False]
    whole = run_batch(Rules(LIMITS), calls, ENGLISH)
    assert batch_of(steps) == whole
    assert [each.id for each in whole.results] == ["0", "1", "2", "3"]
    assert [each.error is None for each in whole.results] == [True, True, True, False]


class Slow(Rules):
    """Rules of which each playout takes longer than a turn; `played` counts them."""

    def __init__(self) -> None:
        super().__init__(LIMITS)
        self.played = 0
        self.begun = threading.Event()

    def simulate_in_steps(self, *asked: Any) -> Iterator[Any]:
        for step in super().simulate_in_steps(*asked):
            self.played += 1
            self.begun.set()
            time.sleep(2 * TURN_SECONDS)
            yield step


@pytest.fixture
def beside() -> Iterator[Beside]:
    made = Beside()
    yield made
    made.close()


async def test_others_have_their_turns_between_playouts(beside: Beside) -> None:
    rules, request = Slow(), requests("whist")["simulate"]
    work = worked(rules, "simulate", Coding(lambda _: request, lambda _: b"told", 0), beside)
    simulated = asyncio.ensure_future(work(b"", ENGLISH))  # type: ignore[arg-type]
    assert await asyncio.to_thread(rules.begun.wait, SECONDS)
    assert await beside.long.do(lambda: rules.played) < N + 1
    assert await simulated == b"told"
    assert rules.played == N + 1


async def test_a_simulation_that_nobody_waits_for_is_not_played_on(beside: Beside) -> None:
    rules, request = Slow(), requests("whist")["simulate"]
    work = worked(rules, "simulate", Coding(lambda _: request, lambda _: b"told", 0), beside)
    simulated = asyncio.ensure_future(work(b"", ENGLISH))  # type: ignore[arg-type]
    assert await asyncio.to_thread(rules.begun.wait, SECONDS)
    simulated.cancel()
    with pytest.raises(asyncio.CancelledError):
        await simulated
    assert await beside.long.do(lambda: rules.played) < N + 1
    await beside.long.do(lambda: time.sleep(4 * TURN_SECONDS))
    assert rules.played < N + 1
