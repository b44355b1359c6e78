"""Ratios of this run, printed: the service against bare servers of the same stack, and the engine by itself.

Nothing here fails on a time. Each ratio is the median of pairs measured in turn.
"""

import random
import re
import statistics
import subprocess
import sys
import time
import timeit
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.game import Query, Setup, begin, legal_moves, play, resolve_options
from engine.games.whist import WHIST, WhistState
from service import messages
from service.config import Settings
from service.rules import Rules
from service.wire.codec import CODEC
from tests.service.running import environment

pytestmark = pytest.mark.bench

PAIRS = 5
SECONDS = 2
ROOT = Path(__file__).parent.parent.parent


def mid_hand() -> WhistState:
    """A hand of whist half played."""
    rng = random.Random(1)
    setup = Setup(options=resolve_options(WHIST, None), chance="seed", seed="bench")
    state = begin(WHIST, setup).state
    for _ in range(26):
        move = rng.choice(legal_moves(WHIST, state, None, Query()).moves).move
        state = play(WHIST, state, move).state
    return state


def asked(state: WhistState) -> tuple[messages.ListLegalMovesRequest, messages.ListLegalMovesResponse]:
    """The legal-moves request of a state and its answer."""
    request = messages.ListLegalMovesRequest(state=state)
    return request, Rules(Settings().limits).legal_moves(request, "en")


@contextmanager
def started(*command: str, ready: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """A server in a process of its own, until the end."""
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(SCHEIDS_LOG_LEVEL="error"),
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if match := ready.search(line):
                    yield match
                    break
            else:
                pytest.fail(f"{command} ended before it was ready")
        finally:
            process.terminate()


def report(what: str, ours: Callable[[], float], bare: Callable[[], float]) -> None:
    """Measures in turn and prints the median ratio with its spread."""
    pairs = [(ours(), bare()) for _ in range(PAIRS)]
    ratios = sorted(one / other for one, other in pairs)
    ours_median, bare_median = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(
        f"\n{what}: ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}); "
        f"{ours_median:,.0f} against {bare_median:,.0f} a second"
    )


def moves_a_second(*, with_deal: bool) -> float:
    """Random whist, listed and judged and played, over as many deals as fit in a second."""
    rng = random.Random(2)
    options = resolve_options(WHIST, msgspec.convert({"match": "deal"}, messages.WhistChoices))
    moves, spent, number = 0, 0.0, 0
    while spent < 1:
        number += 1
        before = time.perf_counter()
        state: Any = begin(WHIST, Setup(options=options, chance="seed", seed=str(number))).state
        begun = before if with_deal else time.perf_counter()
        while state.to_act is not None:
            move = rng.choice(legal_moves(WHIST, state, None, Query()).moves).move
            state = play(WHIST, state, move).state
            moves += 1
        spent += time.perf_counter() - begun
    return moves / spent


def test_engine_moves_a_second() -> None:
    report(
        "engine, random whist, listed, judged and played: with the deal / without it",
        lambda: moves_a_second(with_deal=True),
        lambda: moves_a_second(with_deal=False),
    )


def test_codec() -> None:
    state = mid_hand()
    message, body = CODEC.writer("State")(state), msgspec.json.encode(state)
    decoder = msgspec.json.Decoder(WhistState)
    for what, work in (
        ("state to protobuf", lambda: CODEC.writer("State")(state)),
        ("protobuf to state", lambda: CODEC.reader("State")(message)),
        ("state to JSON", lambda: msgspec.json.encode(state)),
        ("JSON to state", lambda: decoder.decode(body)),
    ):
        spent = min(timeit.repeat(work, number=500, repeat=5)) / 500
        print(f"\n{what}: {spent * 1e6:.1f} microseconds")
