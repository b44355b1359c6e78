"""What somebody bent on it may try at a table: host, place, or nobody; and what must hold whatever is tried."""

import random
from pathlib import Path
from typing import Any

import pytest

from engine import game as engine
from engine.cards import PACK
from engine.default import default_act
from engine.game import SPECTATOR, Setup, Viewer, resolve_options
from engine.games import BY_NAME
from engine.moves import Claim, Deal, Trail
from engine.violations import Malformed
from service.errors import ServiceError
from service.messages import CHOICES, GetTableRequest, WatchTableRequest, WatchTableResponse
from service.store import Commit, CommitOutcome, Store
from service.store.sqlite import SqliteStore
from service.tables import Caller, Tables, Watcher, match
from service.tables.document import decode_document, decode_frame
from service.tables.match import moves_of
from service.tables.seeing import frame_of
from tests.service.tables.http import app_over, hosted
from tests.service.tables.playing import RULES, Clock, Evening, Refused, encoded, tables_over

WHOLE = ",".join(PACK[:13])


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return tables_over(SqliteStore(tmp_path / "tables.db", synchronous="NORMAL"))


# --- the host


@pytest.mark.parametrize(
    ("game", "facts", "move"),
    [
        ("whist", {"options": {"drawForPartners": True}}, "draw"),
        ("peewee7", {"options": {"teamDraw": True}}, "draw"),
        ("whist", {"options": {"match": "game", "target": 9}, "deals": "dealer"}, "deal"),
    ],
)
async def test_the_host_neither_draws_nor_deals_for_a_place(
    tables: Tables, game: str, facts: dict[str, Any], move: str
) -> None:
    evening = await Evening.of(tables, game, seed="1", **facts)
    rng = random.Random(1)
    while (place := await evening.to_act()) is not None and await evening.legal(place) != [move]:
        await evening.random_move(rng)
    with Refused("FORBIDDEN"):
        await evening.play(evening.host, move, idempotency_key="k")
    assert place is not None
    await evening.play(evening.places[place], move, idempotency_key="k")


@pytest.mark.parametrize("host_sees", ["spectator", "all"])
@pytest.mark.parametrize(
    ("game", "told"),
    [
        ("whist", "deal hands +13/+13/+13/+13 turned AS"),
        ("peewee7", f"deal hands {WHOLE}+0/+13/+13/+13"),
        ("wipe", "deal hands AS,KS,QS,JS+0/+4 layout 2S,3S,4S,5S"),
        ("wippen", "deal hands AS,KS,QS,JS+0/+4/+4 layout 2S,3S,4S,5S"),
        ("wippen", "deal hands +4/+4/+4 layout 2S,3S,4S,5S"),
    ],
)
async def test_a_deal_is_told_whole_or_not_at_all(tables: Tables, game: str, told: str, host_sees: str) -> None:
    """Else the table would be one seat's view, and nobody else could see it any more."""
    evening = await Evening.of(tables, game, chance="caller", start=False, hostSees=host_sees)
    before = await evening.version()
    with pytest.raises(Malformed) as caught:
        await evening.play(evening.host, told, idempotency_key="k")
    assert caught.value.path == "$.move.hands"
    for token in (evening.host, *evening.places):
        assert (await evening.seen(token)).version == before


# --- nobody


async def test_a_claim_without_a_code_does_not_tell_whether_there_is_the_table(tmp_path: Path) -> None:
    async with app_over(tmp_path) as (http, watcher):
        table = await hosted(http, watcher, "whist")
        ids = (table.created["id"], "a" * 28, "none at all")
        answers = [await http.post(f"/v1/tables/{each}/claim", json={"joinCode": "guess"}) for each in ids]
        assert len({(each.status_code, each.content) for each in answers}) == 1
        assert answers[0].json()["code"] == "BAD_JOIN_CODE"


# --- turns that are over


class EndsFirst:
    """A store in which somebody does something just before the next commit."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.first: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def commit(self, commit: Commit) -> CommitOutcome:
        first, self.first = self.first, None
        if first is not None:
            await first()
        return await self._store.commit(commit)


async def test_a_table_that_ends_while_its_turn_is_played_by_default_can_be_seen(store: Store) -> None:
    clock = Clock()
    between: Any = EndsFirst(store)
    evening = await Evening.of(tables_over(store, clock), "flip7", turnSeconds=1)
    other = tables_over(between, clock)
    between.first = evening.end
    clock.now += 5
    seen = await other.get(GetTableRequest(table=evening.id), Caller(evening.places[0]))
    assert seen.status == "ended"


async def test_a_key_outweighs_a_turn_that_a_replica_behind_believes_to_be_over(store: Store) -> None:
    clock = Clock()
    behind = tables_over(store, clock)
    evening = await Evening.of(behind, "flip7", turnSeconds=10)
    elsewhere = Evening(tables_over(store, clock), evening.created, evening.places)
    ended = await elsewhere.end(idempotency_key="k")
    clock.now += 20
    assert await evening.end(idempotency_key="k") == ended


async def test_a_turn_has_no_end_while_the_host_has_to_tell_cards(tables: Tables) -> None:
    """Nothing could be played, so that who watches would ask the store over and over, and hear no heartbeat."""
    clock = Clock()
    tables = tables_over(tables.keeper.store, clock)
    evening = await Evening.of(tables, "flip7", chance="caller", start=False, turnSeconds=1)
    assert (await evening.seen(evening.host)).turn_ends_at is None
    clock.now += 5
    watch = await Watcher(tables, heartbeat=0.05).watch(WatchTableRequest(table=evening.id), evening.host)
    assert watch is not None
    assert (await anext(watch)).table is not None
    assert await anext(watch) == WatchTableResponse(version=await evening.version())
    await watch.aclose()
    for number, card in enumerate(("7", "8", "9")):
        await evening.play(evening.host, f"draw {card}", idempotency_key=str(number))
    assert (await evening.seen(evening.host)).turn_ends_at is not None


async def phase(evening: Evening) -> str:
    view = (await evening.seen(evening.host)).view
    assert view is not None
    return view.phase


async def test_who_ran_out_of_time_is_named_as_they_sat(tables: Tables) -> None:
    """The last card drawn for partners seats people anew."""
    clock = Clock()
    tables = tables_over(tables.keeper.store, clock)
    moved = 0
    for seed in range(8):
        evening = await Evening.of(
            tables, "whist", seed=str(seed), options={"drawForPartners": True}, turnSeconds=1, start=False
        )
        seats = [place.seats for place in (await evening.seen(evening.host)).places]
        while await phase(evening) == "draw":
            clock.now += 2
        found: Any = await tables.keeper.store.frames(evening.id, 5)
        drawn = [decode_frame(frame.data) for frame in found.frames]
        assert all(kept.seat in seats[kept.place] for kept in drawn if kept.place is not None)
        moved += [place.seats for place in (await evening.seen(evening.host)).places] != seats
    assert moved > 2


async def test_who_resigns_does_not_lengthen_the_turn_of_another(tables: Tables) -> None:
    clock = Clock()
    tables = tables_over(tables.keeper.store, clock)
    evening = await Evening.of(tables, "whist", seed="1", turnSeconds=30)
    until = (await evening.seen(evening.host)).turn_ends_at
    clock.now += 20
    place = await evening.to_act()
    assert place is not None
    await evening.resign((place + 1) % 4)
    assert (await evening.seen(evening.host)).turn_ends_at == until
    await evening.random_move(random.Random(1))
    assert (await evening.seen(evening.host)).turn_ends_at != until


# --- what is played by default


def begun(game: str, *, seed: str, **options: Any) -> Any:
    kind = BY_NAME[game]
    setup = Setup(options=resolve_options(kind, CHOICES[game](**options)), chance="seed", seed=seed)
    return engine.begin(kind, setup).state


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_who_does_not_play_in_time_does_not_revoke(seed: str) -> None:
    state = begun("whist", seed=seed, revoke="record")
    while state.phase == "play":
        act = default_act(BY_NAME["whist"], state)
        assert act is not None
        led = state.tricks[-1].led if state.tricks and state.tricks[-1].winner is None else None
        held = {card.suit for card in state.hands[state.to_act.hand].cards}
        seat, move = act
        assert led not in held or move.card.suit == led  # type: ignore[union-attr]
        state = engine.play(BY_NAME["whist"], state, move, seat).state


def test_nobody_claims_by_default() -> None:
    game, claims = BY_NAME["whist"], 0
    for seed in range(6):
        rng = random.Random(seed)
        state = begun("whist", seed=str(seed), revoke="record")
        while state.phase == "play":
            move = rng.choice(engine.legal_moves(game, state, None, engine.Query()).moves).move
            state = engine.play(game, state, move).state
        legal = engine.legal_moves(game, state, None, engine.Query()).moves
        claims += any(isinstance(each.move, Claim) for each in legal)
        assert default_act(game, state) == (state.to_act.seat, Deal())
    assert claims > 2


def test_a_card_is_laid_however_many_captures_there_are() -> None:
    """More of them than a page of legal moves lists, those with the first card alone."""
    game, most = BY_NAME["wippen"], 0
    state = begun("wippen", seed="1", forced_capture="off", building=False, packs=2)
    for _ in range(45):
        most = max(most, engine.legal_moves(game, state, None, engine.Query()).total)
        act = default_act(game, state)
        assert act is not None
        seat, move = act
        lowest = min((card.rank for card in state.hands[seat].cards), default=None)
        state = engine.play(game, state, move, seat).state
        assert isinstance(move, Deal) or (isinstance(move, Trail) and move.card.rank == lowest)
    assert most > 1_000_000


# --- giving up


async def test_partners_who_resigned_before_they_were_drawn_have_lost_once_they_are(tables: Tables) -> None:
    ended = 0
    for seed in range(6):
        evening = await Evening.of(
            tables, "whist", seed=str(seed), options={"drawForPartners": True, "match": "deal"}, start=False
        )
        await evening.resign(0)
        await evening.resign(2)  # opposite each other for now, which says nothing
        assert (await evening.seen(evening.host)).ended is None
        rng = random.Random(seed)
        while await phase(evening) == "draw":
            await evening.random_move(rng)
        seen = await evening.seen(evening.host)
        assert seen.view is not None
        (first,), (second,) = seen.view.seating[0], seen.view.seating[2]
        partners = first % 2 == second % 2
        assert (seen.ended is not None) == partners
        if seen.ended is not None:
            assert (seen.ended.reason, seen.ended.winners) == ("resigned", (1 - first % 2,))
            ended += 1
    assert 0 < ended < 6


async def test_the_only_place_may_resign(tables: Tables) -> None:
    evening = await Evening.of(tables, "flip7", places=1)
    await evening.resign(0)
    ended = (await evening.seen(evening.host)).ended
    assert ended is not None
    assert (ended.reason, ended.winners) == ("resigned", ())


# --- tables without end


async def test_a_table_takes_so_many_moves(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was taken back counts too: else the table would grow for ever."""
    monkeypatch.setattr(match, "MOST_LINES", 20)
    evening = await Evening.of(tables, "whist", seed="1", turnSeconds=60)
    rng = random.Random(1)
    for _ in range(10):
        await evening.random_move(rng)
        await evening.undo()
    with Refused("LIST_TOO_LONG"):
        await evening.random_move(rng)
    seen = await evening.seen(evening.host)
    assert (seen.status, seen.turn_ends_at) == ("playing", None)
    await evening.end()
    assert RULES.replay(await evening.record(evening.host), "en").violation is None


@pytest.mark.parametrize("entropies", [(), ("00", "ffee")])
async def test_a_table_that_ends_before_it_began_has_a_record(tables: Tables, entropies: tuple[str, ...]) -> None:
    evening = await Evening.of(tables, "whist", start=False)
    for place, entropy in enumerate(entropies):
        await evening.entropy(place, entropy)
    await evening.end()
    record = await evening.record(evening.host)
    assert RULES.replay(record, "en").violation is None
    assert record.table is not None
    assert (record.seed == record.table.secret) == (not entropies)


# --- anything, at random


ANYTHING: list[dict[str, Any]] = [
    {"game": "whist", "options": {"drawForPartners": True, "revoke": "record", "match": "game"}, "turnSeconds": 5},
    {"game": "whist", "places": 3, "options": {"dummy": True, "dummyPartner": 1, "dummyExposed": "afterLead"}},
    {"game": "whist", "places": 3, "options": {"dummy": True}, "seating": [[3, 1], [0], [2]], "hostSees": "all"},
    {"game": "peewee7", "options": {"teamDraw": True, "winScope": "total"}, "deals": "dealer", "turnSeconds": 5},
    {"game": "wippen", "places": 4, "options": {"preset": "full", "packs": 2}, "hostSees": "all"},
    {"game": "wipe", "places": 6, "options": {"piles": "player", "crossing": "declared"}, "turnSeconds": 5},
    {"game": "flip7", "places": 18, "options": {"reshuffle": "eager"}, "turnSeconds": 5},
    {"game": "flip7", "places": 1, "options": {"challenge": "any"}, "hostSees": "all"},
]
STEPS = 90


class Onlooker:
    """Somebody who goes from view to view by the frames alone."""

    def __init__(self, view: Any) -> None:
        self.view = view

    def hear(self, frame: WatchTableResponse) -> None:
        if frame.view is not None:
            self.view = frame.view
            return
        history = engine._history_with(self.view.history, frame.events)  # noqa: SLF001 - what a client does
        self.view = type(self.view)(
            **{name: getattr(self.view, name) for name in self.view.__struct_fields__}
            | {"history": history, "to_act": frame.to_act, "phase": frame.phase}
        )


@pytest.mark.parametrize("facts", ANYTHING, ids=lambda facts: facts["game"])
async def test_whatever_is_done_frames_records_and_answers_agree(tmp_path: Path, facts: dict[str, Any]) -> None:
    """Moves, undoing, resigning and turns run out at random, over two replicas of which each is often behind."""
    rng = random.Random(str(facts))
    clock, store = Clock(), SqliteStore(tmp_path / "tables.db", synchronous="NORMAL")
    game = str(facts["game"])
    kind = BY_NAME[game]
    first = await Evening.of(
        tables_over(store, clock), game, seed="s", **{k: v for k, v in facts.items() if k != "game"}
    )
    both = [first, Evening(tables_over(store, clock), first.created, first.places)]
    watchers = [None, *range(len(first.places))]
    onlookers: dict[int | None, Onlooker] = {}
    version = 0
    for number in range(STEPS):
        evening = rng.choice(both)
        chance = rng.random()
        clock.now += 1
        if number == STEPS - 1:
            await evening.end()
        elif chance < 0.06:
            await undo_if_there_is_anything(evening)
        elif chance < 0.07 and number > STEPS // 2:
            await evening.resign(rng.randrange(len(first.places)))
        elif chance < 0.12:
            clock.now += 10
            await evening.version()
        else:
            place = await evening.to_act()
            assert place is not None
            words, key = rng.choice(await evening.legal(place)), {"idempotency_key": f"k{number}"}
            told = encoded(await evening.play(evening.places[place], words, **key))
            assert encoded(await rng.choice(both).play(evening.places[place], words, **key)) == told
        stored: Any = await store.read(first.id)
        document = decode_document(stored.document)
        state = document.state
        assert match._replayed(document, moves_of(document))[-1].state == state  # noqa: SLF001
        heard: Any = await store.frames(first.id, version) if version else None
        for eyes in watchers:
            viewer: Viewer = SPECTATOR if eyes is None else state.seating[eyes][0]
            view = engine.view(kind, state, viewer)
            onlooker = onlookers.setdefault(eyes, Onlooker(view))
            for frame in heard.frames if heard else ():
                onlooker.hear(frame_of(decode_frame(frame.data), frame.version, eyes, all_of_it=False))
            assert onlooker.view.history == view.history
            assert (onlooker.view.to_act, onlooker.view.phase) == (view.to_act, view.phase)
        version = stored.version
        if document.ended is not None:
            break
    seen = await first.seen(first.places[0])
    assert seen.ended is not None
    record = await first.record(first.places[0])
    replayed = RULES.replay(record, "en")
    assert replayed.violation is None
    assert encoded(engine.view(kind, replayed.state, replayed.state.seating[0][0])) == encoded(seen.view)
    await store.close()


async def undo_if_there_is_anything(evening: Evening) -> None:
    try:
        await evening.undo()
    except ServiceError as refused:
        if refused.code != "NOTHING_TO_UNDO":
            raise
