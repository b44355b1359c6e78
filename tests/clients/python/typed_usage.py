"""What type checkers make of the client's public names. Nothing here runs: mypy reads it, strictly."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, Literal, assert_type

import httpx

import scheids_client
from scheids_client import (
    AsyncCreatedTable,
    AsyncScheids,
    AsyncTable,
    AsyncWatch,
    CreatedTable,
    IllegalMove,
    Result,
    Retry,
    Scheids,
    ScheidsError,
    StaleVersion,
    Table,
    Tls,
    Watch,
    bots,
    errors,
    from_json,
    models,
    state_from_json,
    to_json,
)
from scheids_client.local import LocalScheids

Answered = (
    models.DealResponse
    | models.ValidateMoveResponse
    | models.ListLegalMovesResponse
    | models.PlayMoveResponse[Any]
    | models.ScoreResponse
    | models.ViewStateResponse
    | models.ReplayResponse[Any]
    | models.ListOutcomesResponse
    | models.SampleStatesResponse
    | models.SimulateResponse
)


def making(client: httpx.Client, waiting: httpx.AsyncClient, credentials: Any) -> None:
    retry = Retry(attempts=3, first=0.1, most=1.0, each=5.0)
    with Scheids("http://x", language="nl", timeout=5, retry=retry, http_client=client) as scheids:
        assert_type(scheids, Scheids)
        assert_type(scheids.with_options(language="fr", timeout=1, retry=retry), Scheids)
        scheids.close()
    Scheids("grpcs://x", credentials=credentials, channel_options=[("grpc.max_receive_message_length", 1)])
    assert_type(AsyncScheids("http://x", http_client=waiting), AsyncScheids)
    Scheids("https://x", api_key="scheids_x", tls=Tls(ca="ca.pem", cert="cert.pem", key="key.pem"))


def dealing(scheids: Scheids | LocalScheids, name: str) -> None:
    assert_type(scheids.deal("whist"), models.WhistState)
    assert_type(scheids.deal("whist", options={"preset": "long", "honoursMustSplit": True}), models.WhistState)
    assert_type(scheids.deal("peewee7", options=models.PeeweeOptionsChoices(preset="standard")), models.PeeweeState)
    assert_type(scheids.deal("wippen", places=3, dealer=1, seed="x"), models.WippenState)
    assert_type(scheids.deal("wipe", deck=["AS"], seating=[[0], [1]], ruleset=1), models.WipeState)
    assert_type(scheids.deal("flip7", chance="caller", timeout=1), models.Flip7State)
    assert_type(scheids.deal(name), models.State)
    scheids.deal("whist", chance="dice")  # type: ignore[call-overload]
    scheids.deal("whist", options={"honorsMustSplit": True})  # type: ignore[call-overload]


def asking(scheids: Scheids | LocalScheids, state: models.WhistState, any_state: models.State) -> None:
    assert_type(scheids.list_games(), tuple[models.GameSummary, ...])
    assert_type(scheids.get_game("whist"), models.GetGameResponse)
    assert_type(scheids.validate(state, "play AS", seat=1), models.ValidateMoveResponse)
    assert_type(
        scheids.legal_moves(state, seat=1, card="AS", tier="groups", limit=1, cursor="1", explain=True),
        models.ListLegalMovesResponse,
    )
    assert_type(scheids.iter_legal_moves(state, seat=1, card="AS", limit=9), Iterator[models.LegalMove])
    assert_type(scheids.play(state, models.Play("AS")), models.PlayMoveResponse[models.WhistState])
    assert_type(scheids.play(state, "play AS", seat=0).state, models.WhistState)
    for move in scheids.iter_legal_moves(any_state):
        assert_type(scheids.play(any_state, move).state, models.State)
    assert_type(scheids.score(state, scope="match"), models.Sheet)
    assert_type(scheids.score_facts(models.WhistFacts(tricks=(9, 4)), {"target": 9}), models.Sheet)
    assert_type(scheids.score_facts(models.Flip7Facts(), models.Flip7OptionsChoices()), models.Sheet)
    assert_type(scheids.view(state, "spectator"), models.WhistState)
    assert_type(scheids.view(any_state, 1), models.State)
    assert_type(scheids.outcomes(state, 1), models.ListOutcomesResponse)
    assert_type(scheids.sample(state, 3, seed="x"), tuple[models.WhistState, ...])
    assert_type(scheids.simulate(state, 3, seed="x", until="deal"), models.SimulateResponse)
    scheids.score(state, scope="month")  # type: ignore[arg-type]
    scheids.play(state, 7)  # type: ignore[arg-type]


def replaying(scheids: Scheids | LocalScheids, table: Table, name: str) -> None:
    assert_type(scheids.replay(table.record()), models.ReplayResponse[models.State])
    assert_type(scheids.replay(models.WhistReplayRequest(seed="x", moves=())).state, models.WhistState)
    step = models.RecordedMove(seat=1, move="hit")
    assert_type(scheids.replay("flip7", seed="x", moves=["hit", step]), models.ReplayResponse[models.Flip7State])
    assert_type(scheids.replay(name, moves=[models.Hit()], chance="caller"), models.ReplayResponse[models.State])


def many(scheids: Scheids | LocalScheids, state: models.WhistState) -> None:
    question = models.ValidateMoveRequest(state=state, move="play AS")
    assert_type(scheids.batch([question, models.ViewStateRequest(state=state, viewer=0)]), list[Result])
    assert_type(scheids.decide(iter([question]), ahead=4, timeout=1), Iterator[Result])
    (result,) = scheids.batch([question])
    assert_type(result.get(), Answered)
    assert_type(result.answer, Answered | None)
    assert_type(result.error, ScheidsError | None)


def hosting(scheids: Scheids, name: str) -> None:
    made = scheids.create_table("whist", options={"match": "deal"}, names=["An"], meta=[{"a": 1}], spectators=True)
    assert_type(made, CreatedTable)
    assert_type(scheids.create_table(name, host_sees="all", deals="dealer", turn_seconds=9), CreatedTable)
    assert_type((made.id, made.version, made.commitment), tuple[str, int, str | None])
    assert_type(made.host, Table)
    assert_type(made.join_codes, tuple[str, ...])
    assert_type(scheids.claim(made.id, "code", name="An", idempotency_key="k"), Table)
    assert_type(scheids.table(made.id, "token"), Table)


def at_a_table(table: Table) -> None:
    assert_type((table.id, table.token, table.place, table.version), tuple[str, str | None, int | None, int | None])
    assert_type(table.with_options(language="nl"), Table)
    assert_type(table.get(), models.GetTableResponse)
    assert_type(table.get().view, models.State | None)
    assert_type(table.legal_moves(seat=1), models.ListTableMovesResponse)
    assert_type(table.iter_legal_moves(), Iterator[models.LegalMove])
    assert_type(table.record(), models.ReplayRequest)
    assert_type(table.event_ticket(), models.CreateEventTicketResponse)
    assert_type(
        table.play("hit", seat=1, expected_version=3, any_version=False, idempotency_key="k"),
        models.PlayTableMoveResponse,
    )
    assert_type(table.start(), int)
    assert_type(table.add_entropy("00"), int)
    assert_type(table.resign(), int)
    assert_type(table.undo(any_version=True), int)
    assert_type(table.reissue(1), models.ReissueTokenResponse)
    assert_type(table.end(), int)
    with table.watch(after_version=3, patience=9) as watch:
        assert_type(watch, Watch)
        assert_type(watch.version, int | None)
        for frame in watch:
            assert_type(frame, models.WatchTableResponse)
            assert_type(frame.events, tuple[models.Event, ...])
        watch.close()


def narrowing(state: models.State, event: models.Event, move: models.Move) -> None:
    if isinstance(state, models.WippenState):
        assert_type(state.builds, tuple[models.LayoutBuild, ...])
    match event:
        case models.TrickWon(winner=winner):
            assert_type(winner, int)
        case models.Scored(sheet=sheet):
            assert_type(sheet.totals, tuple[models.Total, ...])
        case models.Called(call=models.Bid(strain=strain)):
            assert_type(strain, Literal["S", "H", "D", "C", "NT"])
    if isinstance(move, models.Capture):
        assert_type(move.take, tuple[str, ...])


def failing(error: ScheidsError) -> None:
    assert_type((error.code, error.detail, error.path), tuple[str, str, str | None])
    assert_type(error.params, dict[str, Any])
    assert_type((error.status, error.maybe_done), tuple[int, bool])
    assert_type(error.problem, models.Problem)
    if isinstance(error, IllegalMove):
        assert_type(error.violation, models.Violation)
    if isinstance(error, StaleVersion):
        assert_type(error.version, int)
    if isinstance(error, errors.ImpossibleState):
        assert_type(error.reason, str)


def keeping(state: models.WhistState) -> None:
    assert_type(to_json(state), bytes)
    assert_type(from_json(b"", models.WhistState), models.WhistState)
    assert_type(state_from_json(b""), models.State)


def first(_: models.State, moves: Sequence[models.LegalMove]) -> models.LegalMove | None:
    return moves[0] if moves else None


async def thinking(_: models.State, moves: Sequence[models.LegalMove]) -> str:
    return moves[0].text


async def playing(table: Table, waiting: AsyncTable) -> None:
    choose: bots.Choose = first
    assert_type(bots.play_seat(table, choose, most_moves=5, patience=9), models.GetTableResponse)
    also: bots.AsyncChoose = thinking
    assert_type(await bots.play_seat(waiting, also), models.GetTableResponse)
    assert_type(await bots.play_seat(waiting, first), models.GetTableResponse)
    bots.play_seat(table, thinking)  # type: ignore[arg-type]


async def waiting_for(scheids: AsyncScheids, state: models.WhistState, questions: AsyncIterator[Any]) -> None:
    async with scheids:
        assert_type(await scheids.list_games(), tuple[models.GameSummary, ...])
        assert_type(await scheids.deal("wipe"), models.WipeState)
        assert_type(scheids.iter_legal_moves(state), AsyncIterator[models.LegalMove])
        assert_type((await scheids.play(state, "play AS")).state, models.WhistState)
        assert_type(await scheids.view(state, 0), models.WhistState)
        assert_type(await scheids.batch([]), list[Result])
        assert_type(scheids.decide(questions), AsyncIterator[Result])
        made = await scheids.create_table("whist")
        assert_type(made, AsyncCreatedTable)
        assert_type(made.host, AsyncTable)
        table = await scheids.claim(made.id, "code")
        assert_type(table, AsyncTable)
        assert_type(scheids.table(made.id), AsyncTable)
        assert_type(await table.play("hit"), models.PlayTableMoveResponse)
        async with table.watch() as watch:
            assert_type(watch, AsyncWatch)
            async for frame in watch:
                assert_type(frame, models.WatchTableResponse)
        await watch.aclose()
        await scheids.aclose()


def local() -> None:
    assert_type(LocalScheids(language="nl"), LocalScheids)


modules: Callable[[], Any] = lambda: scheids_client  # noqa: E731 - the module is public, too
