"""What a user of the client sees of the calls that keep nothing, the same over each transport."""

import socket
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from scheids_client import (
    AsyncScheids,
    IllegalMove,
    Retry,
    Scheids,
    ScheidsError,
    errors,
    from_json,
    models,
    state_from_json,
    to_json,
)
from scheids_client.local import LocalScheids
from tests.clients.python.proxy import proxied
from tests.service.running import Running, running

ONCE = Retry(attempts=1)
Whist = models.WhistState


@pytest.fixture(scope="module")
def small() -> Iterator[Running]:
    """A service of which little can be asked at once."""
    with running(max_batch_calls=5, max_work=60, max_body_bytes=12_000) as here:
        yield here


@pytest.fixture(params=["http", "grpc"])
def strict(request: pytest.FixtureRequest, small: Running) -> Iterator[Scheids]:
    with Scheids(small.url if request.param == "http" else f"grpc://{small.ready.grpc}") as client:
        yield client


def question(state: models.State, move: str = "play 2C") -> models.ValidateMoveRequest:
    return models.ValidateMoveRequest(state=state, move=move)


def test_games(scheids: Scheids) -> None:
    names = [game.game for game in scheids.list_games()]
    assert names == ["whist", "peewee7", "wippen", "wipe", "flip7"]
    local = LocalScheids()
    for name, summary in zip(names, scheids.list_games(), strict=True):
        whole = scheids.get_game(name)
        assert (whole.game, whole.max_places) == (name, summary.max_places)
        assert (
            models.GetGameResponse(
                **{
                    field: getattr(local.get_game(name), field)
                    for field in whole.__struct_fields__
                    if field != "limits"
                },
                limits=whole.limits,
            )
            == whole
        )
    assert local.list_games() == scheids.list_games()
    with pytest.raises(errors.UnknownGame) as refused:
        scheids.get_game("bridge")
    assert (refused.value.code, refused.value.status, isinstance(refused.value, errors.NotFound)) == (
        "UNKNOWN_GAME",
        404,
        True,
    )


def test_options_by_any_name(scheids: Scheids) -> None:
    by_dict = scheids.deal("whist", seed="x", options={"preset": "long", "honoursMustSplit": True})
    by_struct = scheids.deal(
        "whist", seed="x", options=models.WhistOptionsChoices(preset="long", honours_must_split=True)
    )
    assert by_dict == by_struct
    assert by_dict.options.target == 9
    for options, path in (({"honorsMustSplit": True}, "$.options"), ({"target": "nine"}, "$.options.target")):
        with pytest.raises(errors.Malformed) as refused:
            scheids.deal("whist", options=options)  # type: ignore[call-overload]  # on purpose
        assert refused.value.path == path
    with pytest.raises(errors.Malformed, match="no game"):
        scheids.deal("bridge")


def test_moves_in_any_form(scheids: Scheids) -> None:
    state = scheids.deal("whist", seed="x")
    (first, *_) = scheids.iter_legal_moves(state)
    after = scheids.play(state, first)
    assert after == scheids.play(state, first.text) == scheids.play(state, first.move)
    assert isinstance(after.state, Whist)
    assert isinstance(after.events[0], models.Played)


def test_an_illegal_move_tells_why_in_the_callers_language(address: str) -> None:
    with Scheids(address, language="nl") as client:
        state = client.replay("whist", seed="tour", moves=["play JS"]).state
        with pytest.raises(IllegalMove) as refused:
            client.play(state, "play TH")
        violation = refused.value.violation
        assert (violation.code, violation.clause) == ("MUST_FOLLOW_SUIT", "whist/W-13")
        assert violation.params["cards"] == ("AS", "QS", "7S")
        assert violation.message == "TH bekent geen schoppen, terwijl de hand dat kan: AS QS 7S."
        assert (refused.value.status, refused.value.path, refused.value.detail) == (422, "$.move", violation.message)
        judged = client.with_options(language="fr").validate(state, "play TH")
        assert not judged.legal
        assert judged.violation
        assert judged.violation.message.startswith("TH ne fournit pas")


def test_all_pages_of_legal_moves(scheids: Scheids) -> None:
    state = scheids.deal("whist", seed="x")
    page = scheids.legal_moves(state, limit=5)
    assert (len(page.moves), page.total, page.truncated) == (5, "13", True)
    assert [each.text for each in scheids.iter_legal_moves(state, limit=5)] == [
        each.text for each in scheids.legal_moves(state).moves
    ]


def test_views_sheets_records_odds_and_samples(scheids: Scheids) -> None:
    state = scheids.deal("flip7", places=3, seed="y")
    view = scheids.view(state, 1)
    assert (view.viewer, view.deck.hidden > 0, state.deck.hidden) == (1, True, 0)
    assert scheids.outcomes(view) == scheids.outcomes(state, 1) == LocalScheids().outcomes(view)
    assert scheids.score(state, scope="match").scope == "match"
    (one, two) = scheids.sample(view, 2, seed="z")
    assert one != two
    assert scheids.view(one, 1) == view
    assert LocalScheids().sample(view, 2, seed="z") == (one, two)
    simulated = scheids.simulate(view, 3, seed="z", until="deal")
    assert simulated == LocalScheids().simulate(view, 3, seed="z", until="deal")
    with pytest.raises(errors.NoOdds):
        scheids.outcomes(scheids.deal("whist", seed="x"))
    record = scheids.replay("whist", seed="tour", moves=["play JS", "play TH"])
    assert (record.index, record.violation and record.violation.code) == (1, "MUST_FOLLOW_SUIT")


def test_states_are_kept_as_json(scheids: Scheids) -> None:
    state = scheids.deal("wipe", places=2, seed="tour")
    assert state_from_json(to_json(state)) == state == from_json(to_json(state), models.WipeState)


def test_what_cannot_be_sent_is_malformed(scheids: Scheids) -> None:
    state = scheids.deal("whist", seed="x")
    with pytest.raises(errors.Malformed):
        scheids.play(state, "play AS", seat=2**40)
    with pytest.raises(errors.Malformed):
        scheids.play(state, "\ud800")
    with pytest.raises(errors.Malformed):
        scheids.play(state, 7)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(errors.ImpossibleState) as refused:
        scheids.play(from_json(to_json(state).replace(b"AS", b"KS"), Whist), "play KS")
    assert refused.value.reason == "CARD_TWICE"


# --- many at once


def test_batches_are_cut_to_the_limits_whatever_they_are(strict: Scheids) -> None:
    state = strict.deal("whist", seed="x")
    texts = [f"play {card}" for hand in state.hands for card in hand.cards][:23]
    asked: list[Any] = [question(state, text) for text in texts]
    asked[3] = models.PlayMoveRequest(state=state, move="play 2C")
    asked[7] = models.ListOutcomesRequest(state=strict.deal("flip7", places=2, seed="a"))
    asked[9] = question(state, "\ud800")
    asked[11] = models.ViewStateRequest(state=state, viewer=9)
    results = strict.batch(asked)
    assert len(results) == len(asked)
    for index, (text, result) in enumerate(zip(texts, results, strict=True)):
        if index not in (3, 7, 9, 11):
            answer = result.get()
            assert isinstance(answer, models.ValidateMoveResponse)
            assert answer.legal == (text.removeprefix("play ") in state.hands[0].cards)
    assert isinstance(results[3].error, IllegalMove)
    assert isinstance(results[7].error, errors.LimitExceeded)  # 200 units of work are more than one request may cost
    assert isinstance(results[9].error, errors.Malformed)
    assert isinstance(results[11].error, errors.Malformed)
    with pytest.raises(errors.Malformed):
        results[11].get()
    assert strict.batch([]) == []
    assert strict.batch([question(state)])[0].error is None


def test_decisions_one_after_the_other_and_many_ahead(scheids: Scheids) -> None:
    state: models.State = scheids.deal("whist", seed="x")
    states = [state]

    def playing() -> Iterator[models.PlayMoveRequest]:
        while len(states) < 12:
            yield models.PlayMoveRequest(state=states[-1], move=scheids.legal_moves(states[-1]).moves[0])

    for result in scheids.decide(playing()):
        answer = result.get()
        assert isinstance(answer, models.PlayMoveResponse)
        states.append(answer.state)
    assert len(states) == 12

    taken = 0

    def many() -> Iterator[Any]:
        nonlocal taken
        for index in range(50):
            taken += 1
            yield question(state) if index % 7 else models.ViewStateRequest(state=state, viewer=99)

    given = 0
    for index, result in enumerate(scheids.decide(many(), ahead=8)):
        given += 1
        assert taken - given < 8
        assert (result.error is None) == bool(index % 7)
    assert given == 50


def test_the_same_in_process() -> None:
    local = LocalScheids()
    state = local.deal("whist", seed="x")
    results = local.batch([question(state), models.ViewStateRequest(state=state, viewer=9)])
    assert results[0].error is None
    assert isinstance(results[1].error, errors.Malformed)
    assert [result.get() for result in local.decide([question(state)], ahead=9)] == [results[0].get()]


# --- what goes wrong


@pytest.mark.parametrize("scheme", ["http", "grpc"])
def test_nobody_there(scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with Scheids(f"{scheme}://127.0.0.1:{port}", retry=Retry(attempts=3, first=0.01)) as client:
        with pytest.raises(errors.Unreachable) as refused:
            client.list_games()
        assert (refused.value.code, refused.value.status) == ("UNREACHABLE", 0)


@pytest.mark.parametrize("scheme", ["http", "grpc"])
def test_nobody_answers(scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"{scheme}://127.0.0.1:{silent.getsockname()[1]}"
        with Scheids(address, timeout=0.3) as client, pytest.raises((errors.DeadlineExceeded, errors.Unreachable)):
            client.list_games()
        with Scheids(address) as client, pytest.raises((errors.DeadlineExceeded, errors.Unreachable)):
            client.list_games(timeout=0.2)


def test_a_call_that_broke_off_is_made_again(address: str) -> None:
    scheme, _, there = address.partition("://")
    with proxied(there) as proxy, Scheids(f"{scheme}://127.0.0.1:{proxy.port}") as client:
        assert client.list_games()
        proxy.cut_at_answer = 2
        assert client.list_games()
        assert proxy.connections >= 3
        state = client.deal("whist", seed="x")
        asked: list[models.ValidateMoveRequest] = []

        def questions() -> Iterator[models.ValidateMoveRequest]:
            for index in range(30):
                if index in (10, 20):
                    proxy.cut()
                asked.append(question(state, "play KS" if index % 2 else "play 2C"))
                yield asked[-1]

        legal = []
        for result in client.decide(questions(), ahead=4):
            answer = result.get()
            assert isinstance(answer, models.ValidateMoveResponse)
            legal.append(answer.legal)
        assert legal == [False, True] * 15
        proxy.cut()
        proxy.cut_at_answer = 10**6
        with pytest.raises(errors.ScheidsError) as refused:
            client.with_options(retry=ONCE, timeout=5).list_games()
        assert refused.value.maybe_done


@pytest.mark.parametrize(
    ("status", "content", "kind"),
    [
        (200, b"<html>", errors.UnreadableAnswer),
        (200, b'{"games": 7}', errors.UnreadableAnswer),
        (404, b"not here", errors.UnreadableAnswer),
        (502, b"<html>", errors.Unreachable),
        (503, b"", errors.Unreachable),
    ],
)
def test_answers_of_another_server(status: int, content: bytes, kind: type[ScheidsError]) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(status, content=content))
    with httpx.Client(transport=transport) as other:
        client = Scheids("http://other", http_client=other, retry=Retry(attempts=2, first=0.001))
        with pytest.raises(kind):
            client.list_games()
        client.close()
        assert not other.is_closed


def test_what_a_newer_service_says_is_read_all_the_same() -> None:
    problem = b'{"type":"about:blank","title":"New","status":418,"code":"NEW_CODE","detail":"New.","more":1}'
    transport = httpx.MockTransport(lambda _: httpx.Response(418, content=problem))
    with httpx.Client(transport=transport) as other, Scheids("http://other", http_client=other) as client:
        with pytest.raises(ScheidsError) as refused:
            client.list_games()
        assert type(refused.value) is ScheidsError
        assert refused.value.code == "NEW_CODE"
    state = to_json(LocalScheids().deal("whist", seed="x")).replace(b'"phase":"play"', b'"phase":"new","added":{"a":1}')
    assert str(state_from_json(state).phase) == "new"


def test_an_address_is_one() -> None:
    for address in ("127.0.0.1:8080", "ftp://x", ""):
        with pytest.raises(ValueError, match="address begins with"):
            Scheids(address)


async def test_with_waiting(address: str) -> None:
    async with AsyncScheids(address) as client:
        state = await client.deal("whist", seed="x")
        assert len([move async for move in client.iter_legal_moves(state, limit=5)]) == 13
        results = await client.batch([question(state)] * 3)
        assert [result.error for result in results] == [None] * 3
        assert [result.error async for result in client.decide([question(state)] * 3, ahead=2)] == [None] * 3
        with pytest.raises(IllegalMove):
            await client.play(state, "play 2C")
