"""The service against bare servers of its own stack, which get the same bytes and give the same answers."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from service.wire.codec import CODEC
from tests.bench import bodies
from tests.bench.bodies import BATCH, FRAME, REFEREE, STREAM, Asked
from tests.bench.context import Bench, Side
from tests.bench.figures import COST, Figure, Target, at_least, at_most, in_turn
from tests.bench.h2load import Manner, endless, load
from tests.bench.h2load import Target as Loaded
from tests.bench.servers import Server, bare, scheids

REST: Final = Manner(connections=16)
GRPC: Final = Manner(connections=4, streams=4)
BATCHES: Final = Manner(connections=4)
BATCHER: Final = Manner(connections=1)
PACE: Final = 400
"""Calls a second, of all callers together, where they are not in a hurry."""

BEFORE: Final = 0.3
AFTER: Final = 0.7
"""Seconds that a batcher runs before, and at least after, those whom it disturbs."""


@dataclass(frozen=True)
class Questions:
    """All that is asked, with the answers, and where a bare server finds these."""

    rest: dict[str, Asked]
    grpc: dict[str, Asked]
    stream: Asked
    stream_bytes: int
    rest_answers: Path
    grpc_answers: Path


def ours(bench: Bench) -> Server:
    """The service, without tables."""
    return bench.once("scheids", lambda: scheids("scheids"))


def questions(bench: Bench) -> Questions:
    """Asked of the service once a run."""
    return bench.once("questions", lambda: _questions(ours(bench), bench.folder))


@contextmanager
def _questions(server: Server, folder: Path) -> Iterator[Questions]:
    asked, rest_answers, grpc_answers = folder / "asked", folder / "answers-rest", folder / "answers-grpc"
    for each in (asked, rest_answers, grpc_answers):
        each.mkdir(parents=True, exist_ok=True)
        for old in each.iterdir():
            old.unlink()
    told = {
        "legal-moves": bodies.json_of(bodies.legal_moves_request()),
        "validate": bodies.json_of(bodies.validate_request()),
        "batch": bodies.json_batch(),
    }
    rest = {name: bodies.ask_rest(server, f"/v1/{name}", body, asked / name) for name, body in told.items()}
    written = {
        "ListLegalMoves": CODEC.writer("ListLegalMovesRequest")(bodies.legal_moves_request()),
        "ValidateMove": CODEC.writer("ValidateMoveRequest")(bodies.validate_request()),
        "Batch": bodies.proto_batch(),
    }
    grpc = {name: bodies.ask_grpc(server, f"{REFEREE}/{name}", body, asked / name) for name, body in written.items()}
    streamed, answers = bodies.ask_stream(server, asked / "Decide")
    for name, question in rest.items():
        (rest_answers / name).write_bytes(question.answer)
    for name, question in {**grpc, "Decide": streamed}.items():
        (grpc_answers / name).write_bytes(question.answer)
    yield Questions(rest, grpc, streamed, len(bodies.framed(answers)), rest_answers, grpc_answers)


def _bare(bench: Bench, kind: str) -> Server:
    folder = questions(bench).rest_answers if kind in ("rest", "structs") else questions(bench).grpc_answers
    return bench.once(f"bare {kind}", lambda: bare(kind, folder))


def rest_target(bench: Bench, name: str, server: Server, prefix: str) -> Loaded:
    """An operation over REST, at a service or a bare server."""
    asked = questions(bench).rest[name]
    return Loaded.rest(server, f"{prefix}{name}", asked.body, len(asked.answer))


def grpc_target(bench: Bench, name: str, server: Server, service: str = REFEREE) -> Loaded:
    """A method over gRPC."""
    asked = questions(bench).grpc[name]
    return Loaded.grpc(server, f"{service}/{name}", asked.body, FRAME + len(asked.answer))


def stream_target(server: Server, asked: Questions) -> Loaded:
    """A stream of a service."""
    return Loaded.grpc(server, f"{REFEREE}/Decide", asked.stream.body, asked.stream_bytes, STREAM)


def both(what: str, target: Target | None, sides: tuple[Side, Side], note: str = "") -> Iterator[Figure]:
    """The rates, and what the server's processor did for them."""
    ones, others = sides
    load_note = f"the load took at most {max(ones.busy, others.busy):.0%} of a processor"
    yield Figure(what, target, ours=ones.rates, theirs=others.rates, note=f"{note}; {load_note}" if note else load_note)
    yield Figure(f"{what}: CPU", unit=COST, ours=ones.costs, theirs=others.costs)


def rest(bench: Bench) -> Iterator[Figure]:
    """Legal moves and validation over REST."""
    for name in ("legal-moves", "validate"):
        asked = questions(bench).rest[name]
        sides = bench.loads(
            rest_target(bench, name, ours(bench), "/v1/"), rest_target(bench, name, _bare(bench, "rest"), "/"), REST
        )
        note = f"{asked.body.stat().st_size:,} bytes in, {len(asked.answer):,} out"
        yield from both(f"REST {name} / bare Litestar handler", at_least(0.85), sides, note)


def grpc(bench: Bench) -> Iterator[Figure]:
    """The same over gRPC."""
    for name in ("ListLegalMoves", "ValidateMove"):
        asked = questions(bench).grpc[name]
        note = f"{asked.body.stat().st_size - FRAME:,} bytes in, {len(asked.answer):,} out"
        found = []
        for kind in ("aio", "sync"):
            sides = bench.loads(
                grpc_target(bench, name, ours(bench)),
                grpc_target(bench, name, _bare(bench, kind), "bare.Bare"),
                GRPC,
            )
            found.append((kind, sides))
        yield from _against_the_better(f"gRPC {name} / bare echo", at_least(0.8), found, note)


def _against_the_better(
    what: str, target: Target, found: list[tuple[str, tuple[Side, Side]]], note: str
) -> Iterator[Figure]:
    """The target goes with the server that answers more."""
    best = max(found, key=lambda each: median(each[1][1].rates))
    for kind, sides in found:
        better = ", the better" if kind == best[0] else ""
        yield from both(f"{what}, {kind} server{better}", target if better else None, sides, note)


def stream(bench: Bench) -> Iterator[Figure]:
    """One decision a message of a stream."""
    asked = questions(bench).stream
    target = stream_target(ours(bench), questions(bench))
    found = []
    for kind in ("aio", "sync"):
        echo = Loaded.grpc(
            _bare(bench, kind), "bare.Bare/Decide", asked.body, STREAM * (FRAME + len(asked.answer)), STREAM
        )
        found.append((kind, bench.loads(target, echo, GRPC)))
    yield from _against_the_better(
        "stream, one decision a message / bare stream echo", at_least(0.6), found, "legal moves of 100 hands in turn"
    )


def batch(bench: Bench) -> Iterator[Figure]:
    """A hundred calls at once."""
    note = f"{BATCH} calls for legal moves, each of another hand"
    over_rest = rest_target(bench, "batch", ours(bench), "/v1/")
    over_grpc = grpc_target(bench, "Batch", ours(bench))
    structs = rest_target(bench, "batch", _bare(bench, "rest"), "/coded/")
    messages = grpc_target(bench, "Batch", _bare(bench, "aio"), "bare.Bare")
    by_codec = grpc_target(bench, "Batch", _bare(bench, "structs"), "bare.Bare")
    yield from both(
        "REST batch / an endpoint that decodes and encodes it",
        at_least(0.6),
        bench.loads(over_rest, structs, BATCHES),
        note,
    )
    yield from both(
        "gRPC batch / an endpoint that decodes and encodes it, as protobuf's messages",
        at_least(0.6),
        bench.loads(over_grpc, messages, BATCHES),
        note,
    )
    yield from both(
        "gRPC batch / an endpoint that decodes and encodes it, as the service's structs",
        at_least(0.6),
        bench.loads(over_grpc, by_codec, BATCHES),
        note,
    )
    yield _items("REST", bench, over_rest, rest_target(bench, "legal-moves", ours(bench), "/v1/"), REST)
    yield _items("gRPC", bench, over_grpc, grpc_target(bench, "ListLegalMoves", ours(bench)), GRPC)


def _items(over: str, bench: Bench, whole: Loaded, single: Loaded, manner: Manner) -> Figure:
    batches, calls = bench.number(whole, BATCHES), bench.number(single, manner)
    many, one = in_turn(
        bench.pairs, lambda: load(whole, batches, BATCHES).rate, lambda: load(single, calls, manner).rate
    )
    return Figure(
        f"{over} items of a batch / unary calls",
        at_least(5),
        ours=tuple(BATCH * rate for rate in many),
        theirs=tuple(one),
    )


def fairness(bench: Bench) -> Iterator[Figure]:
    """What one who saturates the service with batches does to all others' unary calls."""
    for over, single, batcher, manner in (
        (
            "REST",
            rest_target(bench, "legal-moves", ours(bench), "/v1/"),
            rest_target(bench, "batch", ours(bench), "/v1/"),
            REST,
        ),
        ("gRPC", grpc_target(bench, "ListLegalMoves", ours(bench)), grpc_target(bench, "Batch", ours(bench)), GRPC),
    ):
        for asked in (manner, replace(manner, pace=PACE // manner.connections)):
            number = bench.number(single, asked)
            beside, alone = in_turn(
                bench.pairs,
                partial(_p99, bench, single, asked, number, batcher),
                partial(_p99, bench, single, asked, number),
            )
            how = "as fast as they are answered" if asked.pace is None else f"{PACE} a second in all"
            yield Figure(
                f"{over} unary p99 beside one saturating batcher / alone, sixteen callers, {how}",
                at_most(5),
                unit="ms",
                ours=tuple(beside),
                theirs=tuple(alone),
            )


def _p99(bench: Bench, single: Loaded, manner: Manner, number: int, batcher: Loaded | None = None) -> float:
    """The 99th percentile, in milliseconds."""
    meanwhile = nullcontext() if batcher is None else endless(batcher, BATCHER)
    with meanwhile:
        noted = load(single, number, manner, times=bench.folder / "times.tsv")
    return quantiles(noted.milliseconds, n=100)[98]
