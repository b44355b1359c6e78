"""The engine and the service against peers: libraries that play, boardgame.io's server, and Cerbos, which decides."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from service.wire.codec import CODEC
from service.wire.gen.scheids.v1 import referee_pb2
from tests.bench import bodies, compiled
from tests.bench.bodies import BATCH, FRAME, REFEREE
from tests.bench.context import Bench, Side
from tests.bench.figures import COST, Figure, Target, at_least, at_most, in_turn
from tests.bench.h2load import Load
from tests.bench.h2load import Target as Loaded
from tests.bench.peers import environments
from tests.bench.peers.environments import HERE, CannotInstallError
from tests.bench.rows import stack, tables
from tests.bench.servers import BUILD, PORT, Server, started
from tests.service.running import ROOT
from tests.service.store.servers import free_ports

MOVES: Final = "moves a second of CPU"
DEALS: Final = "deals a second of CPU"
MATCHES: Final = "matches a second of CPU"
PLAIN: Final = "plain"
ENGINES: Final = ("compiled", PLAIN)
"""As a target means the engine, and as it is without a compiler."""
STEPS: Final = "steps a second of CPU"
BOARDGAME: Final = HERE / "boardgame"
CERBOS_RESOURCES: Final = 50
"""As many as Cerbos takes in one request; with two actions each they are a batch's hundred decisions."""
CERBOS: Final = "cerbos.svc.v1.CerbosService"
TO_PROTOBUF: Final = """
import json, sys
from cerbos.request.v1.request_pb2 import CheckResourcesRequest
from google.protobuf.json_format import ParseDict
sys.stdout.buffer.write(ParseDict(json.load(sys.stdin), CheckResourcesRequest()).SerializeToString())
"""


# --- libraries


class Walker:
    """A process that plays at random when it is told to."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.said = self._line()

    def pace(self, walk: str, seconds: float) -> float:
        """How many a second of its processor's time."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{walk} {seconds:g}\n")
        self._process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line:
            raise CannotInstallError(f"{self._process.args!r} does not walk here")
        return line


@contextmanager
def _walking(command: Sequence[str], environ: Mapping[str, str] | None = None, cwd: Path = ROOT) -> Iterator[Walker]:
    pipe = subprocess.PIPE
    log = (BUILD / "walks.log").open("ab")
    with (
        log,
        subprocess.Popen(command, cwd=cwd, env=environ, stdin=pipe, stdout=pipe, stderr=log, text=True) as process,
    ):
        try:
            yield Walker(process)
        finally:
            process.kill()


def _ours(bench: Bench, engine: str) -> Walker | str:
    """What walks with the engine plain or compiled; or why the latter is not built."""
    folder = ROOT if engine == PLAIN else compiled.folder()
    if isinstance(folder, str):
        return folder
    command = [sys.executable, "-m", "tests.bench.peers.walk_scheids"]
    walker = bench.once(f"walks {engine}", lambda: _walking(command, compiled.environment(os.environ), folder))
    if walker.said != engine:
        raise CannotInstallError(f"the engine in {folder} is {walker.said}")
    return walker


def _others(bench: Bench, peer: str) -> Walker:
    paths = os.pathsep.join(str(ROOT / name) for name in (".", "clients/python/src", "clients/python/engine"))
    command = [str(environments.python()), "-m", f"tests.bench.peers.walk_{peer}"]
    return bench.once(f"walks of {peer}", lambda: _walking(command, {**os.environ, "PYTHONPATH": paths}))


def _beside(
    bench: Bench,
    what: str,
    unit: str,
    target: Target | None,
    ours: tuple[Walker | str, str],
    theirs: tuple[Walker, str],
) -> Figure:
    """Both walks in turn, warmed up."""
    own, walk = ours
    if isinstance(own, str):
        return Figure(what, target, unit, missing=own)
    other, their_walk = theirs
    own.pace(walk, bench.seconds / 4)
    other.pace(their_walk, bench.seconds / 4)
    ones, others = in_turn(
        bench.pairs, lambda: own.pace(walk, bench.seconds), lambda: other.pace(their_walk, bench.seconds)
    )
    return Figure(what, target, unit, tuple(ones), tuple(others))


def openspiel(bench: Bench) -> Iterator[Figure]:
    """Whist beside OpenSpiel's card games."""
    whist = "whist with the deal"
    rows = (
        (whist, "OpenSpiel hearts with the deal", at_least(3), "whist", "hearts"),
        (whist, "OpenSpiel hearts with the deal, dealt as in its example", at_least(3), "whist", "hearts-example"),
        (whist, "OpenSpiel spades with the deal", None, "whist", "spades"),
        (whist, "OpenSpiel hearts by its own bots, all in C++", None, "whist", "hearts-inside"),
        ("whist, play phase only", "OpenSpiel bridge, play phase only", at_least(1), "whist-play", "bridge-play"),
    )
    yield from _engines(bench, "openspiel", MOVES, rows)


def rlcard(bench: Bench) -> Iterator[Figure]:
    """Deals of PeeWee 7, bid and played, beside RLCard's bridge."""
    rows = (
        ("PeeWee 7", "RLCard bridge as an environment", at_least(10), "peewee", "bridge-environment"),
        ("PeeWee 7", "RLCard bridge, the bare game", at_least(10), "peewee", "bridge"),
    )
    yield from _engines(bench, "rlcard", DEALS, rows)


def flop7(bench: Bench) -> Iterator[Figure]:
    """Matches of Flip 7 at three places."""
    rows = (
        ("Flip 7", "flop7's simulation", at_least(10), "flip7", "flip7-simulated"),
        ("Flip 7", "flop7's bare engine, at random", at_least(10), "flip7", "flip7"),
    )
    yield from _engines(bench, "flop7", MATCHES, rows)


Row = tuple[str, str, Target | None, str, str]
"""What of ours, what of theirs, what is asked of the ratio, and both walks."""


def _engines(bench: Bench, peer: str, unit: str, rows: Iterable[Row]) -> Iterator[Figure]:
    """Each row with the engine compiled, of which its target is, and plain."""
    theirs = _others(bench, peer)
    for mine, other, target, walk, their_walk in rows:
        for engine in ENGINES:
            asked = None if engine == PLAIN else target
            ours = _ours(bench, engine)
            yield _beside(bench, f"{mine}, {engine} engine / {other}", unit, asked, (ours, walk), (theirs, their_walk))


def pettingzoo(bench: Bench) -> Iterator[Figure]:
    """Environments of the Python client beside PettingZoo's card games, through the same interface."""
    both = _others(bench, "pettingzoo")
    for peer in ("leduc", "texas", "texas-no-limit"):
        yield _beside(bench, f"PettingZoo steps, whist / {peer}", STEPS, None, (both, "scheids-whist"), (both, peer))
    bare = _others(bench, "rlcard")
    yield _beside(
        bench,
        "PettingZoo steps, whist / RLCard bridge, its own interface",
        STEPS,
        None,
        (both, "scheids-whist"),
        (bare, "bridge-steps"),
    )


# --- boardgame.io


def boardgame(bench: Bench) -> Iterator[Figure]:
    """Moves of whist at tables, beside boardgame.io's server with its storage in memory."""
    environ = {**os.environ, "NODE_PATH": str(environments.node_modules()), "NODE_ENV": "production"}
    server = bench.once(
        "boardgame.io", lambda: started("boardgame", ["node", str(BOARDGAME / "server.js")], PORT, environ)
    )
    ours = tables.in_redis(bench)

    def theirs(seconds: float) -> Load:
        return _boardgame_moves(server, seconds, environ)

    tables.moves("table", ours, bench.seconds / 2)
    theirs(bench.seconds / 2)
    sides = in_turn(bench.pairs, lambda: tables.moves("table", ours, bench.seconds), lambda: theirs(bench.seconds))
    one, other = (Side.of(side) for side in sides)
    release = environments.version("boardgame.io")
    note = f"sixteen connections each; ours kept in Redis, theirs in memory; boardgame.io {release}"
    yield Figure("table moves / boardgame.io server", at_least(10), ours=one.rates, theirs=other.rates, note=note)
    yield Figure("table moves / boardgame.io server: CPU", unit=COST, ours=one.costs, theirs=other.costs)


def _boardgame_moves(server: Server, seconds: float, environ: Mapping[str, str]) -> Load:
    before = server.processor_seconds()
    command = ["node", str(BOARDGAME / "load.js"), server.found["port"], f"{seconds:g}"]
    printed = subprocess.run(command, env=environ, stdout=subprocess.PIPE, text=True, check=True).stdout
    moves, lasted, own = map(float, printed.split())
    return Load(moves / lasted, (server.processor_seconds() - before) / moves * 1e6, own / lasted)


# --- Cerbos


def cerbos(bench: Bench) -> Iterator[Figure]:
    """What a decision takes of the processor, beside one of Cerbos: one at a time, and a hundred in a batch."""
    server = bench.once("cerbos", _cerbos)
    asked = _questions(bench, server)
    ours = stack.ours(bench)
    batches = _validate_batches(bench, ours)
    rows = (
        (
            "unary decision / Cerbos check, gRPC",
            at_most(0.8),
            stack.grpc_target(bench, "ValidateMove", ours),
            "one",
            stack.GRPC,
            1,
        ),
        (
            "unary decision / Cerbos check, REST",
            at_most(0.4),
            stack.rest_target(bench, "validate", ours, "/v1/"),
            "one-rest",
            stack.REST,
            1,
        ),
        (
            "decision in a batch of 100 / in Cerbos' batch, gRPC",
            at_most(0.3),
            batches["grpc"],
            "batch",
            stack.BATCHES,
            BATCH,
        ),
        (
            "decision in a batch of 100 / in Cerbos' batch, REST",
            at_most(0.3),
            batches["rest"],
            "batch-rest",
            stack.BATCHES,
            BATCH,
        ),
    )
    release = environments.version("cerbos")
    note = f"whist validation, mid-hand; Cerbos {release}, one rule with three conditions; each logs as it comes"
    for what, target, mine, other, manner, decisions in rows:
        one, another = bench.loads(mine, asked[other], manner)
        yield Figure(
            f"CPU of a {what}",
            target,
            COST,
            tuple(cost / decisions for cost in one.costs),
            tuple(cost / decisions for cost in another.costs),
            note,
        )
        yield Figure(f"rate of a {what}", ours=one.rates, theirs=another.rates)


@contextmanager
def _cerbos() -> Iterator[Server]:
    http, grpc = free_ports(2)
    told = {
        "storage.driver": "disk",
        "storage.disk.directory": str(HERE / "cerbos"),
        "storage.disk.watchForChanges": "false",
        "server.httpListenAddr": f"127.0.0.1:{http}",
        "server.grpcListenAddr": f"127.0.0.1:{grpc}",
        "telemetry.disabled": "true",
    }
    command = [str(environments.cerbos()), "server", *(f"--set={name}={value}" for name, value in told.items())]
    ready = re.compile(r"Starting HTTP server")
    with started("cerbos", command, ready) as server:
        yield Server(server.pid, {"rest": f"http://127.0.0.1:{http}", "grpc": f"127.0.0.1:{grpc}"})


def _check(resources: int, actions: Sequence[str]) -> dict[str, object]:
    """A request of Cerbos: may these resources be acted on so?"""
    hand = {
        "toAct": 2,
        "card": "TS",
        "suit": "S",
        "led": "S",
        "suits": ["S", "H", "D"],
        "cards": ["TS", "4S", "KH", "QH", "9D", "2D"],
    }
    entries = [
        {"actions": [*actions], "resource": {"kind": "hand", "id": f"hand-{number}", "attr": hand}}
        for number in range(resources)
    ]
    return {
        "requestId": "bench",
        "principal": {"id": "place-2", "roles": ["place"], "attr": {"seat": 2}},
        "resources": entries,
    }


def _questions(bench: Bench, server: Server) -> dict[str, Loaded]:
    made: dict[str, Loaded] = {}
    for name, told in (("one", _check(1, ["play"])), ("batch", _check(CERBOS_RESOURCES, ["play", "lead"]))):
        text = json.dumps(told)
        message = subprocess.run(
            [str(environments.python()), "-c", TO_PROTOBUF], input=text.encode(), stdout=subprocess.PIPE, check=True
        ).stdout
        over_rest = bodies.ask_rest(server, "/api/check/resources", text.encode(), bench.folder / f"cerbos-{name}-rest")
        over_grpc = bodies.ask_grpc(server, f"{CERBOS}/CheckResources", message, bench.folder / f"cerbos-{name}")
        wanted = CERBOS_RESOURCES * 2 if name == "batch" else 1
        if over_rest.answer.count(b"EFFECT_ALLOW") != wanted:
            raise CannotInstallError(f"Cerbos decides otherwise: {over_rest.answer[:500]!r}")
        made[f"{name}-rest"] = Loaded.rest(server, "/api/check/resources", over_rest.body, len(over_rest.answer))
        made[name] = Loaded.grpc(server, f"{CERBOS}/CheckResources", over_grpc.body, FRAME + len(over_grpc.answer))
    return made


def _validate_batches(bench: Bench, server: Server) -> dict[str, Loaded]:
    """Batches of ours that ask whether a hundred moves are legal, each of another hand."""
    asked = [bodies.validate_request(number) for number in range(BATCH)]
    told = bodies.json_of({"calls": [{"id": f"{n}", "validate": each} for n, each in enumerate(asked)]})
    write, read = CODEC.writer("ValidateMoveRequest"), referee_pb2.ValidateMoveRequest.FromString
    calls = [referee_pb2.BatchCall(id=f"{n}", validate=read(write(each))) for n, each in enumerate(asked)]
    message = referee_pb2.BatchRequest(calls=calls).SerializeToString()
    rest = bodies.ask_rest(server, "/v1/batch", told, bench.folder / "validate-batch-rest")
    grpc = bodies.ask_grpc(server, f"{REFEREE}/Batch", message, bench.folder / "validate-batch")
    return {
        "rest": Loaded.rest(server, "/v1/batch", rest.body, len(rest.answer)),
        "grpc": Loaded.grpc(server, f"{REFEREE}/Batch", grpc.body, FRAME + len(grpc.answer)),
    }
