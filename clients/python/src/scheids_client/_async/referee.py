"""The calls that keep nothing: a position and a question in, an answer out."""

from abc import abstractmethod
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from typing import Any, TypeVar

from .. import models
from .._operations import (
    DEAL,
    GET_GAME,
    LEGAL_MOVES,
    LIST_GAMES,
    OUTCOMES,
    PLAY,
    REPLAY,
    SAMPLE,
    SCORE,
    SIMULATE,
    VALIDATE,
    VIEW,
    Operation,
    Question,
)
from .._requests import score_request
from .._results import Result
from ..models import S
from .games import AsyncDealing

Value = TypeVar("Value")


class AsyncReferee(AsyncDealing):
    """Referees card games. Every call takes a `timeout` in seconds, by default the client's."""

    @abstractmethod
    async def _ask(self, operation: Operation, request: Any, timeout: float | None) -> Any: ...

    @abstractmethod
    async def batch(self, questions: Iterable[Question], *, timeout: float | None = None) -> list[Result]:
        """Asks many questions at once; results come in their order, each with its own answer or its own error.

        However many there are: they are asked in as many batches as the service's limits make of them.
        """

    @abstractmethod
    def decide(
        self, questions: AsyncIterable[Question] | Iterable[Question], *, ahead: int = 1, timeout: float | None = None
    ) -> AsyncIterator[Result]:
        """Asks questions as they come, without end; results come in their order.

        At most `ahead` questions are taken before the first of them has its result. More are faster, but then none may
        depend on what an earlier one brings. `timeout` is for each result. Where the service goes away what has not
        been answered is asked again.
        """

    async def list_games(self, *, timeout: float | None = None) -> tuple[models.GameSummary, ...]:
        """The games there are."""
        answer: models.ListGamesResponse = await self._ask(LIST_GAMES, None, timeout)
        return answer.games

    async def get_game(self, game: str, *, timeout: float | None = None) -> models.GetGameResponse:
        """What a game is: its options as a JSON Schema, its rulesets and clauses, what one request may ask for."""
        answer: models.GetGameResponse = await self._ask(GET_GAME, models.GetGameRequest(game=game), timeout)
        return answer

    async def _deal(self, request: models.DealRequest, timeout: float | None) -> models.State:
        answer: models.DealResponse = await self._ask(DEAL, request, timeout)
        return answer.state

    async def _replay(self, request: models.ReplayRequest, timeout: float | None) -> models.ReplayResponse[Any]:
        answer: models.ReplayResponse[Any] = await self._ask(REPLAY, request, timeout)
        return answer

    async def validate(
        self, state: models.State, move: models.MoveInput, *, seat: int | None = None, timeout: float | None = None
    ) -> models.ValidateMoveResponse:
        """Whether a move is legal, and if not, why. `seat` is who makes it, by default who is to act."""
        request = models.ValidateMoveRequest(state=state, move=move, seat=seat)
        answer: models.ValidateMoveResponse = await self._ask(VALIDATE, request, timeout)
        return answer

    async def legal_moves(  # noqa: PLR0913 - one more than a request has
        self,
        state: models.State,
        *,
        seat: int | None = None,
        card: str | None = None,
        tier: models.Tier | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        explain: bool = False,
        timeout: float | None = None,
    ) -> models.ListLegalMovesResponse:
        """A page of the legal moves of a seat, by default the one to act; `iter_legal_moves` goes through all pages.

        With `explain` it has each card that may not be played too, and why.
        """
        request = models.ListLegalMovesRequest(
            state=state, seat=seat, card=card, tier=tier, limit=limit, cursor=cursor, explain=explain
        )
        answer: models.ListLegalMovesResponse = await self._ask(LEGAL_MOVES, request, timeout)
        return answer

    async def iter_legal_moves(
        self,
        state: models.State,
        *,
        seat: int | None = None,
        card: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[models.LegalMove]:
        """All legal moves of a seat, page by page; `limit` is how many a page has. `timeout` is for each page."""
        cursor = None
        while True:
            page = await self.legal_moves(state, seat=seat, card=card, limit=limit, cursor=cursor, timeout=timeout)
            for move in page.moves:
                yield move
            cursor = page.cursor
            if cursor is None:
                return

    async def play(
        self, state: S, move: models.MoveInput, *, seat: int | None = None, timeout: float | None = None
    ) -> models.PlayMoveResponse[S]:
        """Judges a move and plays it: the new state, and what happened. IllegalMove where it is refused."""
        request = models.PlayMoveRequest(state=state, move=move, seat=seat)
        answer: models.PlayMoveResponse[S] = await self._ask(PLAY, request, timeout)
        return answer

    async def score(
        self, state: models.State, *, scope: models.Scope | None = None, timeout: float | None = None
    ) -> models.Sheet:
        """The score of a state: of the match once it is over, of the deal before, or what `scope` names."""
        answer: models.ScoreResponse = await self._ask(
            SCORE, models.ScoreStateRequest(state=state, scope=scope), timeout
        )
        return answer.sheet

    async def score_facts(
        self,
        facts: models.Facts,
        options: models.OptionsChoices | models.OptionsDict | None = None,
        *,
        timeout: float | None = None,
    ) -> models.Sheet:
        """The score of bare facts, for those who keep only the score here."""
        answer: models.ScoreResponse = await self._ask(SCORE, score_request(facts, options), timeout)
        return answer.sheet

    async def view(self, state: S, viewer: models.Viewer, *, timeout: float | None = None) -> S:
        """What one seat, or the spectator, may see of a state; it can be sent wherever a state can."""
        answer: Any = await self._ask(VIEW, models.ViewStateRequest(state=state, viewer=viewer), timeout)
        view: S = answer.view
        return view

    async def outcomes(
        self, state: models.State, viewer: models.Viewer | None = None, *, timeout: float | None = None
    ) -> models.ListOutcomesResponse:
        """What may come next and the game's own figures, in exact fractions, as far as `viewer` can tell."""
        request = models.ListOutcomesRequest(state=state, viewer=viewer)
        answer: models.ListOutcomesResponse = await self._ask(OUTCOMES, request, timeout)
        return answer

    async def sample(self, view: S, n: int = 1, *, seed: str, timeout: float | None = None) -> tuple[S, ...]:
        """Full states that the view can be of, `n` of them, drawn at random: the same seed gives the same states.

        Whether they are exactly, or very nearly, as likely as each other is in the answer to a `SampleStatesRequest`.
        """
        request = models.SampleStatesRequest(view=view, n=n, seed=seed)
        answer: Any = await self._ask(SAMPLE, request, timeout)
        states: tuple[S, ...] = answer.states
        return states

    async def simulate(
        self,
        state: models.State,
        n: int = 100,
        *,
        seed: str,
        until: models.SimulateUntil | None = None,
        timeout: float | None = None,
    ) -> models.SimulateResponse:
        """What random play from a state comes to, `n` times over; of a view, from states that it can be of."""
        request = models.SimulateRequest(state=state, n=n, seed=seed, until=until)
        answer: models.SimulateResponse = await self._ask(SIMULATE, request, timeout)
        return answer


async def async_each(values: AsyncIterable[Value] | Iterable[Value]) -> AsyncIterator[Value]:
    """The values, whether or not they have to be waited for."""
    # async only:
    if isinstance(values, AsyncIterable):
        async for value in values:
            yield value
        return
    # sync only:
    # end
    for each in values:
        yield each
