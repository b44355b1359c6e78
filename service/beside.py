"""Work beside the event loops, which serve everybody else meanwhile: lanes of one thread, in which requests take turns.

Which requests are worked on there is decided here, for every transport. A lane is one thread because Python runs one at
a time: more of them would only make the event loops wait longer for theirs. It does not hold a process that is to end.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any, Final, Generic, TypeVar

from engine.game import DEFAULT_LIMIT
from engine.games import BY_STATE

from .messages import ListTableMovesResponse
from .shedding import Waits, overloaded

LONG: Final = frozenset({"replay", "outcomes", "sample", "simulate", "batch"})
"""The operations that one short request can make long."""
LISTING: Final = "legal_moves"
SHORT_MESSAGE: Final = 2_048
"""In bytes of protobuf. Few positions are longer."""
SHORT_JSON: Final = 8_192
"""The same positions in JSON."""
SHORT_LIST: Final = DEFAULT_LIMIT
"""In moves."""
MOST_LONG: Final = 64
MOST_LARGE: Final = 256
TURN_SECONDS: Final = 0.02
"""How long a request is worked on before others have their turn, where it can be told apart."""
PATIENCE: Final = 5
"""How many times as long as for an event loop long work may wait for its first turn."""
T = TypeVar("T")
R = TypeVar("R")


class Beside:
    """Where work is done that would hold up an event loop: in one lane what may take seconds, in another what is large.

    Any event loop may ask for some.
    """

    def __init__(self, most_long: int = MOST_LONG, longest_wait: float = 0.0) -> None:
        """`most_long` long requests are taken at once; where any wait too long by `longest_wait`, in seconds, fewer."""
        self.long = Lane(most_long, PATIENCE * longest_wait)
        self.large = Lane(MOST_LARGE, longest_wait)

    def lane(self, operation: str, size: int, short: int) -> "Lane | None":
        """Where a request of so many bytes is worked on, if more than `short` are many; None: on the event loop."""
        if operation in LONG:
            return self.long
        return self.large if size > short else None

    def lane_of_list(self, state: object) -> "Lane | None":
        """Where the legal moves of a state are listed, however short the request is; as `lane`."""
        game = BY_STATE.get(type(state))
        return self.large if game is not None and game.explodes else None

    def lane_of_answer(self, answer: object) -> "Lane | None":
        """Where the answer of a table is written; as `lane`."""
        many = isinstance(answer, ListTableMovesResponse) and len(answer.legal.moves) > SHORT_LIST
        return self.large if many else None

    def close(self) -> None:
        """Ends both, once they have done what they are at."""
        self.long.close()
        self.large.close()


def _end_of_turn() -> float:
    return time.perf_counter() + TURN_SECONDS


async def in_lane(lane: "Lane | None", work: Callable[[], T]) -> T:
    """Does the work in a lane, or where there is none, here."""
    return work() if lane is None else await lane.do(work)


class Turn(Generic[T]):
    """A piece of work that waits in a lane, and what is told of it once it is done; both are let go of by then."""

    __slots__ = ("_asked",)

    def __init__(self, work: Callable[[], T], told: "Future[T]") -> None:
        self._asked: tuple[Callable[[], T], Future[T]] | None = (work, told)

    def take(self) -> None:
        """Does it, unless nobody waits for it any more."""
        asked, self._asked = self._asked, None
        if asked is None or not asked[1].set_running_or_notify_cancel():
            return
        work, told = asked
        try:
            told.set_result(work())
        except StopIteration as fault:  # which asyncio hands on to nobody: whoever asked would wait for ever
            ended = RuntimeError("work beside an event loop raised StopIteration")
            ended.__cause__ = fault
            told.set_exception(ended)
        except BaseException as fault:  # noqa: BLE001 - it is whoever asked for it that is told
            told.set_exception(fault)

    def leave(self) -> None:
        """Nobody waits for it any more: what it holds is not kept until its turn comes."""
        self._asked = None


class Lane:
    """A thread, and what it is to do."""

    def __init__(self, most: int, longest_wait: float) -> None:
        self._most = most
        self._waits = Waits(longest_wait)
        self._under_way = 0
        self._turns: SimpleQueue[Turn[Any] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    async def do(self, work: Callable[[], T]) -> T:
        """Does the work in one turn. OVERLOADED where there is too much to do already."""
        with self._taken():
            return await self._first(work)

    async def in_turns(self, begin: Callable[[], Iterator[T]], end: Callable[[list[T]], R]) -> R:
        """Does what `begin` gives, step by step and turn by turn, and then what `end` makes of it. As `do`."""
        done: list[T] = []
        steps: Iterator[T] = iter(())

        def turn(until: float) -> list[R]:
            """What `end` makes of it; nothing yet where there is more to do."""
            for step in steps:
                done.append(step)
                if time.perf_counter() >= until:
                    return []
            return [end(done)]

        def first() -> list[R]:
            nonlocal steps
            until = _end_of_turn()
            steps = begin()
            return turn(until)

        with self._taken():
            ended = await self._first(first)
            while not ended:
                ended = await self._turn(lambda: turn(_end_of_turn()))
            return ended[0]

    def close(self) -> None:
        """Ends the thread, once it has done what it is at."""
        with self._lock:
            if self._thread is not None:
                self._turns.put(None)
                self._thread = None

    async def _first(self, work: Callable[[], R]) -> R:
        asked = time.monotonic()

        def begin() -> R:
            now = time.monotonic()
            self._waits.saw(now - asked, now)
            if self._waits.is_too_long(now - asked):
                raise overloaded()
            return work()

        return await self._turn(begin)

    @contextmanager
    def _taken(self) -> Iterator[None]:
        with self._lock:
            if self._under_way >= self._most:
                raise overloaded()
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1

    async def _turn(self, work: Callable[[], R]) -> R:
        context = copy_context()
        told: Future[R] = Future()
        turn = Turn(lambda: context.run(work), told)
        with self._lock:  # so that nothing comes after the end that `close` tells the thread of
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="beside", daemon=True)
                self._thread.start()
            self._turns.put(turn)
        try:
            return await asyncio.wrap_future(told)
        finally:
            turn.leave()

    def _work(self) -> None:
        while (turn := self._turns.get()) is not None:
            turn.take()
