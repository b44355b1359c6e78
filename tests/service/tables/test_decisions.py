"""The decisions of tables: told once their deal is over, as the acting seat saw it, once; and judged the same again."""

import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.cards import Card
from engine.games.flip7.state import Flip7State
from engine.moves import Play
from engine.violations import IllegalMove
from service.decisions import Judged, Tell, line_of
from service.messages import TableEnd
from service.rules import Rules
from service.store import Store
from service.store.sqlite import SqliteStore
from service.tables import Tables
from tests.service.rejudging import Json, judged_again, lines_of, verdict, written
from tests.service.running import Running, running
from tests.service.tables.http import Hosted, app_over, hosted
from tests.service.tables.playing import GAMES, RULES, Evening, tables_over
from tests.service.tables.test_leaks import ID, twins

BEGIN = {"dealt", "roundBegan"}
CHANCE = ("deal", "draw")
TRIED = ["play 2C", "play AS", "trail 7D", "trail KH", "pass", "stay", "close", "bid 7 NT", "give freeze 1"]
AFTER = 6
"""How many moves are made in the second deal."""
MOST = 150
WHIST_DEAL = 52


class Taken:
    """Takes everything at once."""

    def __init__(self) -> None:
        self.told: list[Judged] = []

    def take(self, tell: Tell) -> None:
        self.told += tell()

    def request_id(self) -> str | None:
        return "a-test"

    def lines(self) -> list[bytes]:
        return [line_of(judged, "0", "then", judged.id) for judged in self.told]


def telling(store: Store, taken: Taken) -> Tables:
    """The use cases of a replica whose decisions are taken."""
    return tables_over(store, rules=Rules(RULES.limits, decisions=taken))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    made = SqliteStore(tmp_path / "tables.db", synchronous="NORMAL")
    yield made
    await made.close()


@pytest.fixture(scope="module")
def plain() -> Iterator[Running]:
    """A service without a log, which judges its lines again."""
    with running(tables="off") as service:
        yield service


# --- over REST, for each game


class Playing:
    """A table over REST; what was judged at it is remembered, deal by deal."""

    def __init__(self, server: Running, game: str) -> None:
        self.http = server.http
        body = {"game": game, "seed": f"a deal of {game}", **GAMES[game]}
        created = self.http.post("/v1/tables", json=body).json()
        self.path = f"/v1/tables/{created['id']}"
        self.host = {"Authorization": f"Bearer {created['hostToken']}"}
        claimed = [
            self.http.post(f"{self.path}/claim", json={"joinCode": code}).json() for code in created["joinCodes"]
        ]
        self.places = [{"Authorization": f"Bearer {each['token']}"} for each in claimed]
        self.over: list[Json] = []
        """What was judged in the deals that are over, as lines have it: seat, move, verdict, id."""
        self.now: list[Json] = []
        self._asked = 0

    def claimed(self, code: str) -> dict[str, str]:
        token = self.http.post(f"{self.path}/claim", json={"joinCode": code}).json()["token"]
        return {"Authorization": f"Bearer {token}"}

    def view(self) -> Json:
        view: Json = self.http.get(self.path, headers=self.host).json()["view"]
        return view

    def step(self, rng: random.Random) -> bool:
        """A refused move, where one of those tried is refused, and a legal one; whether a deal began."""
        view = self.view()
        seat = view["toAct"]["seat"]
        place = next(at for at, seats in enumerate(view["seating"]) if seat in seats)
        legal = self.http.get(f"{self.path}/legal-moves", headers=self.places[place]).json()
        moves = [each["text"] for each in legal["legal"]["moves"]]
        self.move(place, seat, rng.choice([move for move in TRIED if move not in moves]), legal["version"])
        events = self.move(place, seat, rng.choice(modest(moves)), legal["version"])
        if not any(event["type"] in BEGIN for event in events):
            return False
        self.over += self.now
        self.now = []
        return True

    def move(self, place: int, seat: int, move: str, version: int) -> list[Json]:
        self._asked += 1
        name = f"{self.path}/{self._asked}"
        answer = self.http.post(
            f"{self.path}/moves",
            json={"move": move, "expectedVersion": version},
            headers={**self.places[place], "X-Request-Id": name},
        )
        told = answer.json()
        assert answer.status_code in (200, 400, 422), told
        if answer.status_code != 400 and move not in CHANCE:
            judged = verdict({"legal": answer.status_code == 200, **told})
            self.now.append({"seat": seat, "move": move, "verdict": judged, "id": name})
        events: list[Json] = told.get("events", [])
        return events

    def end(self) -> None:
        assert self.http.delete(self.path, headers=self.host).status_code == 200
        self.over += self.now


def modest(moves: list[str]) -> list[str]:
    """Without what can decide a match in its first deal."""
    bids = [move for move in moves if move.startswith("bid")]
    return [move for move in moves if move not in bids and "dare" not in move.lower()] + bids[:1]


def shown(line: Json) -> Json:
    """Of a line what a test has remembered."""
    request = line["request"]
    return {"seat": request["seat"], "move": request["move"], "verdict": line["verdict"], "id": line["id"]}


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_is_told_when_it_is_over_and_judged_the_same_again(game: str, plain: Running, tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    rng = random.Random(f"decided at {game}")
    with running(decision_log=path) as server:
        table = Playing(server, game)
        left = MOST
        while not table.step(rng):
            assert lines_of(path) == [], "something of a deal in play is told"
            left -= 1
            assert left, "no deal has ended"
        for _ in range(AFTER):
            assert written(path, len(table.over)) == lines_of(path)
            assert [shown(line) for line in lines_of(path)] == table.over
            table.step(rng)
        table.end()
        lines = written(path, len(table.over))
        assert [shown(line) for line in lines] == table.over
        assert {line["verdict"]["legal"] for line in lines} == {True, False}
        for line in lines:
            state = line["request"]["state"]
            assert (line["source"], line["game"], state["viewer"]) == ("table", game, line["request"]["seat"])
            assert "seed" not in state
            assert not state.get("deck", {}).get("cards")
            assert judged_again(plain.http, line) == line["verdict"]
    assert lines_of(path) == lines


# --- nothing leaks


@pytest.mark.parametrize("game", GAMES)
async def test_lines_of_a_seat_hold_what_it_saw(game: str, tmp_path: Path) -> None:
    """Where two tables differ in what seat 0 cannot see, its lines do not; and there are none while they are played."""
    rng = random.Random(f"twins of {game}")
    takers = [Taken(), Taken()]
    async with AsyncExitStack() as stack:
        tables: list[Hosted] = []
        for deck, taken in zip(twins(game, rng), takers, strict=True):
            rules = Rules(RULES.limits, decisions=taken)
            http, watcher = await stack.enter_async_context(app_over(tmp_path, new_id=lambda _: ID, rules=rules))
            tables.append(await hosted(http, watcher, game, deck=deck))
        for _ in range(8):
            place = await tables[0].to_act()
            if place is None or place != await tables[1].to_act():
                break
            common = sorted({*await tables[0].legal(place)} & {*await tables[1].legal(place)})
            if not common:
                break
            move = rng.choice(common)
            for table in tables:
                for words in TRIED[:4]:
                    await table.play(0, words)
                assert (await table.play(place, move)).status_code == 200
            now = (await tables[0].view()).get("round", 0)
            told = [judged.state for taken in takers for judged in taken.told]
            assert all(isinstance(state, Flip7State) and state.round < now for state in told)
        for table in tables:
            assert (await table.host.delete()).status_code == 200
    own = [[line for line in taken.lines() if b'"viewer":0' in line] for taken in takers]
    assert own[0]
    assert own[0] == own[1]
    for taken in takers:
        assert all(judged.state.viewer is None for judged in taken.told)
        assert all(b'"viewer":' in line for line in taken.lines())


# --- undone, restarted, and played through several replicas


async def play_deal(evening: Evening, rng: random.Random) -> None:
    for _ in range(WHIST_DEAL):
        await evening.random_move(rng)


def deals_of(told: list[Judged]) -> Counter[int]:
    """How many of each deal of whist."""
    return Counter(judged.state.deals for judged in told)  # type: ignore[union-attr]


async def test_a_deal_that_is_undone_is_not_told(store: Store) -> None:
    """The cards of the deal after it will come again."""
    taken, rng = Taken(), random.Random(1)
    evening = await Evening.of(telling(store, taken), "whist", seed="a test's")
    await play_deal(evening, rng)
    assert deals_of(taken.told) == {1: WHIST_DEAL}
    for _ in range(5):
        await evening.random_move(rng)
    for _ in range(5 + 2):
        await evening.undo()
    assert deals_of(taken.told) == {1: WHIST_DEAL}
    for _ in range(2):
        await evening.random_move(rng)
    assert deals_of(taken.told) == {1: WHIST_DEAL + 2}
    await evening.random_move(rng)
    await evening.end()
    assert deals_of(taken.told) == {1: WHIST_DEAL + 2, 2: 5 + 1}


async def test_what_was_taken_back_was_decided(store: Store) -> None:
    taken, rng = Taken(), random.Random(2)
    evening = await Evening.of(telling(store, taken), "whist", seed="a test's")
    await evening.random_move(rng)
    await evening.undo()
    assert taken.told == []
    await play_deal(evening, rng)
    assert deals_of(taken.told) == {1: WHIST_DEAL + 1}


async def refused(evening: Evening) -> None:
    """A move out of turn."""
    place = await evening.to_act()
    assert place is not None
    with pytest.raises(IllegalMove):
        await evening.play(evening.places[(place + 1) % 4], "play 2C", expected_version=await evening.version())


async def test_a_deal_is_told_once_whoever_played_it(store: Store) -> None:
    """By the replica that ends it, from the table's log: those that it was played at may be gone."""
    takers, rng = [Taken(), Taken(), Taken()], random.Random(3)
    replicas = [telling(store, taken) for taken in takers]
    evening = await Evening.of(replicas[0], "whist", seed="a test's")
    for number in range(WHIST_DEAL):
        evening.tables = replicas[number % 2]
        await evening.random_move(rng)
    assert [deals_of(taken.told) for taken in takers] == [{}, {1: WHIST_DEAL}, {}]
    ids = {judged.id for judged in takers[1].told}
    assert ids == {None, "a-test"}
    evening.tables = replicas[2]
    await evening.random_move(rng)
    await evening.end()
    assert [deals_of(taken.told) for taken in takers] == [{}, {1: WHIST_DEAL}, {2: 1}]


async def test_a_refused_move_is_told_by_who_refused_it(store: Store) -> None:
    """When it ends the deal, or sees that the table has ended."""
    takers, rng = [Taken(), Taken()], random.Random(4)
    replicas = [telling(store, taken) for taken in takers]
    evening = await Evening.of(replicas[0], "whist", seed="a test's")
    await refused(evening)
    evening.tables = replicas[1]
    await evening.random_move(rng)
    await refused(evening)
    await refused(evening)
    assert [taken.told for taken in takers] == [[], []]
    await evening.end()
    assert [judged.violation is None for judged in takers[1].told] == [True, False, False]
    assert takers[0].told == []
    evening.tables = replicas[0]
    for _ in range(2):
        await evening.seen(evening.host)
    (judged,) = takers[0].told
    assert judged.violation is not None
    assert judged.violation.code == "NOT_YOUR_TURN"
    assert judged.seat != judged.state.to_act.seat  # type: ignore[union-attr]


async def test_what_is_remembered_is_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.tables.deals.MOST_NOTES", 30)
    monkeypatch.setattr("service.tables.deals.MOST_OF_TABLE", 20)
    taken = Taken()
    evening = await Evening.of(telling(store, taken), "whist", seed="a test's")
    deals = evening.tables.keeper.deals
    assert deals is not None
    document = (await evening.tables.keeper.load(evening.id)).document
    move = Play(Card("2C"))
    for _ in range(25):
        deals.refused(document, 0, 0, move)
    await evening.end()
    assert len(taken.told) == 20
    others = [replace(document, id=str(number)) for number in range(35)]
    for each in others:
        deals.refused(each, 0, 0, move)
    for each in others:
        deals.seen(replace(each, ended=TableEnd(at="now", reason="over")))
    assert len(taken.told) == 20 + 30
