"""What captures cost the service: the largest pots, and the requests that a search found to take longest.

Nothing here fails on a time. Each figure is the processor's time of reading a body, answering it and writing the
answer, in one process.
"""

import gc
import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from engine.cards import PACK, Card
from engine.game import Query, Setup, begin, choices_type, legal_moves, play, resolve_options, view
from engine.games.wippen import WIPPEN
from engine.mechanics import fishing
from engine.mechanics.layout import is_picture, value_of
from engine.moves import Capture, Deal, Trail, text
from engine.violations import ImpossibleState, Malformed
from service import messages
from service.app import settle_process
from service.config import Settings
from service.wire.codec import CODEC
from service.wire.gen.scheids.v1 import referee_pb2
from tests.bench.hostile import BODIES, DECODER, RULES, body_of, milliseconds
from tests.engine.wippen.positions import position

pytestmark = pytest.mark.bench

TIMES = 30


@pytest.fixture(autouse=True)
def memory() -> Iterator[None]:
    """Memory as `scheids serve` settles it."""
    settle_process()
    yield
    gc.unfreeze()


def report(what: str, body: bytes) -> None:
    """Measures and prints a body's figures."""
    answer = RULES.legal_moves(DECODER.decode(body), "en")
    spent = milliseconds(body, TIMES)
    listed = len(answer.moves) or len(answer.groups or ()) or len(answer.shapes or ())
    print(
        f"{what}: median {statistics.median(spent):.1f} ms, max {max(spent):.1f} ms; "
        f"{len(body):,} bytes in, {listed:,} of {int(answer.total):,} listed, truncated {answer.truncated}"
    )


def whole_pack(packs: int) -> Any:
    """Every numeral but the ten that is played lies open."""
    numerals = [card for card in PACK for _ in range(packs) if not is_picture(card)]
    numerals.remove(Card("TD"))
    return position("TD", numerals, deals=4, forcedCapture="off", packs=packs)


@pytest.mark.parametrize(("packs", "total"), [(1, 15_109_038_399), (2, 167_787_163_898_772_371)])
def test_the_largest_pots(packs: int, total: int) -> None:
    print()
    layout = (*((packs,) * 4 for _ in range(9)), (packs, packs, packs, packs - 1))
    assert fishing.captures(layout, 10).total == total
    body = body_of(whole_pack(packs))
    assert int(RULES.legal_moves(DECODER.decode(body), "en").total) == total + 1
    first = msgspec.json.encode(msgspec.json.decode(body) | {"limit": 256})
    name = f"all numerals of {packs} pack{'s' * (packs > 1)} but a ten"
    report(f"{name}, counted, the first 256", first)
    report(f"{name}, counted, the first 1,000", body)
    for tier in ("groups", "shapes"):
        report(f"{name}, {tier}", body_of(whole_pack(packs), tier=tier))


@pytest.mark.parametrize("game", ["wippen", "wipe"])
def test_the_worst_that_a_search_found(game: str) -> None:
    print()
    for request in msgspec.json.decode(BODIES.read_bytes())[game]:
        state = request["state"]
        asked = {name: request[name] for name in ("tier", "explain") if name in request}
        seen = f"seen by the {state['viewer']}" if "viewer" in state else "seen whole"
        lying = f"{len(state['layout'])} open, {len(state.get('builds', ()))} builds"
        what = f"{game}, {len(state['hands'])} places, {lying}, {seen}, {asked or 'moves'}"
        report(what, msgspec.json.encode(request))


def laid_out(left: int, **choices: Any) -> Any:
    """Twelve have laid all they had of two packs, but for the last cards, of as many values as can be."""
    named = msgspec.convert(
        {"packs": 2, "pictureValues": True, "forcedCapture": "off", **choices}, choices_type(WIPPEN)
    )
    setup = Setup(options=resolve_options(WIPPEN, named), places=12, chance="seed", seed="laid out")
    state: Any = begin(WIPPEN, setup).state
    while len(state.stock) or sum(map(len, state.hands)) > left:
        seat = state.to_act.seat
        if state.phase == "deal":
            state = play(WIPPEN, state, Deal(), seat).state
            continue
        held = [value_of(card) for hand in state.hands for card in hand.cards]
        card = max(state.hands[seat].cards, key=lambda card: (held.count(value_of(card)), -value_of(card)))
        state = play(WIPPEN, state, Trail(card), seat).state
    return state


@pytest.mark.parametrize("choices", [{}, {"maxGroups": 0}, {"captureChoice": "maximal"}], ids=str)
def test_views_of_a_long_past(choices: dict[str, Any]) -> None:
    print()
    seen = view(WIPPEN, laid_out(13, **choices), "spectator")
    report(f"wippen, {len(seen.history)} events, {len(seen.layout)} open, every hand hidden, {choices}", body_of(seen))


def test_judging_the_largest_claims() -> None:
    print()
    rng, card = random.Random(1), Card("KS")
    decoder = msgspec.json.Decoder(messages.ValidateMoveRequest, dec_hook=messages.from_json)
    choices: dict[str, Any]
    for choices in ({}, {"captureChoice": "maximal"}):
        pack = [card for card in PACK for _ in range(2)]
        for held in (card, *(Card(name) for name in ("KS", "KH", "KD", "KC"))):
            pack.remove(held)
        named: dict[str, Any] = {"pictureValues": True, "forcedCapture": "off", **choices}
        state = position((card,), pack, places=5, deals=5, packs=2, **named)
        sizes = [rng.randint(len(state.layout) - 12, len(state.layout)) for _ in range(TIMES)]
        claims = [text(Capture(card, tuple(rng.sample(state.layout, size)))) for size in sizes]
        claims += [entry.text for entry in legal_moves(WIPPEN, state, None, Query(limit=TIMES)).moves]
        spent = []
        for claim in claims:
            body = msgspec.json.encode({"state": state, "move": claim})
            spent += milliseconds(body, 1, decoder, RULES.validate)
        print(
            f"wippen, {card} captures nearly all of {len(state.layout)} open, {choices or 'free'}: "
            f"median {statistics.median(spent):.1f} ms, max {max(spent):.1f} ms"
        )


def refused_after(read: Callable[[], object]) -> list[float]:
    """The processor's time until a body is refused, so many times."""
    spent = []
    for _ in range(TIMES):
        began = time.process_time()
        with pytest.raises((Malformed, ImpossibleState, msgspec.ValidationError)):
            read()
        spent.append(1_000 * (time.process_time() - began))
    return spent


def bodies_of_the_largest_size() -> Iterator[tuple[str, bytes, bytes | None]]:
    """Requests as large as the service takes, in JSON and protobuf, full of what it must read before it can refuse."""
    most = Settings().max_body_bytes
    state = msgspec.to_builtins(position("5C 7D", "2H"))
    every = [str(card) for card in PACK] * 2
    captured = {"type": "captured", "seat": 0, "card": "5C", "gained": every, "take": every}
    for what, field, entry, times in (
        ("events of every card", "past", captured, 512),
        ("hands beyond number", "hands", {"cards": [], "hidden": 0}, most),
        ("open cards beyond number", "layout", "5C", most),
    ):
        number = min(times, (most - 2_000) // (len(msgspec.json.encode(entry)) + 1))
        body = msgspec.json.encode({"state": {**state, field: [entry] * number}})
        message = None
        if field in ("hands", "layout"):
            whole = referee_pb2.ListLegalMovesRequest()
            whole.ParseFromString(CODEC.writer("ListLegalMovesRequest")(DECODER.decode(body_of(position("5C", "2H")))))
            inner = whole.state.wippen
            if field == "hands":
                hand = inner.hands[0]
                inner.hands.extend([hand] * ((most - 2_000) // (hand.ByteSize() + 2)))
            else:
                inner.layout.extend([inner.layout[0]] * ((most - 2_000) // 5))
            message = whole.SerializeToString()
        yield what, body, message


def test_bodies_of_the_largest_size() -> None:
    print()
    read = CODEC.reader("ListLegalMovesRequest")
    for what, body, message in bodies_of_the_largest_size():
        ways: list[tuple[str, bytes, Callable[[], object]]] = [
            ("JSON", body, lambda body=body: RULES.legal_moves(DECODER.decode(body), "en"))  # type: ignore[misc]
        ]
        if message is not None:
            ways.append(("protobuf", message, lambda message=message: RULES.legal_moves(read(message), "en")))  # type: ignore[misc]
        for name, sent, answer in ways:
            spent = refused_after(answer)
            print(
                f"wippen, {what}, {name}, {len(sent):,} bytes, refused: "
                f"median {statistics.median(spent):.1f} ms, max {max(spent):.1f} ms"
            )
