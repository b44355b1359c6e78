"""Calls of scripts on the server that has the table: time, retries, redirections, circuits. Lives in one event loop."""

import asyncio
import hashlib
import random
from collections.abc import Sequence
from contextlib import suppress
from importlib import resources
from typing import Any, Final

from redis.crc import key_slot
from redis.exceptions import AskError, MovedError, NoScriptError, RedisError, ResponseError

from service.store import SCHEMA, StoreAway
from service.tracing import UNTRACED, Spans

from .connections import Command
from .nodes import LOST, Attempt, Node, code_of, reason_of
from .target import RedisOptions, Target
from .topology import Topology

FIRST_BACKOFF: Final = 0.02
WORTHWHILE: Final = 0.25
"""What share of its time an attempt has to have left: one cut shorter would tell nothing of the server."""

PASSING: Final = frozenset(
    {"BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "NOREPLICAS", "OOM", "READONLY", "TRYAGAIN"}
)
"""Errors with which a server says that it cannot, for now. Nothing was carried out."""


class Script:
    """A Lua script, and the name that Redis keeps it under."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.source = resources.files(__package__).joinpath(f"{name}.lua").read_text(encoding="utf-8")
        self.sha = hashlib.sha1(self.source.encode(), usedforsecurity=False).hexdigest()


class Client:
    """Runs scripts. All of them may be tried again without harm: each tells whether it was carried out before."""

    def __init__(self, target: Target, options: RedisOptions, spans: Spans = UNTRACED) -> None:
        self._options = options
        self._database = target.database
        self._has_slots = target.kind == "cluster"
        self._spans = spans
        self._wait: Command = ()
        if options.wait_replicas:
            self._wait = ("WAIT", options.wait_replicas, int(options.wait_seconds * 1_000))
        self.topology = Topology(target, options)
        self.catching_up = asyncio.Semaphore(max(1, options.connections // 4))
        """Held by a watcher that reads on: after an interruption thousands do, and they may not crowd out moves."""

    async def run(
        self, script: Script, keys: Sequence[str], arguments: Sequence[str | bytes | int], *, writes: bool = False
    ) -> Any:
        """A script's reply. StoreAway where the server cannot be reached or, for one that `writes`, WAIT falls short.

        To the arguments, the schema and whether it was tried before are put in front.
        """
        attempt = Attempt()
        try:
            return await self._run(script, keys, arguments, attempt, writes=writes)
        except StoreAway as fault:
            raise StoreAway(fault.reason, maybe_done=writes and attempt.sent) from fault

    async def _run(
        self,
        script: Script,
        keys: Sequence[str],
        arguments: Sequence[str | bytes | int],
        attempt: Attempt,
        *,
        writes: bool,
    ) -> Any:
        slot = self._slot(keys[0])
        now = asyncio.get_running_loop().time
        until = now() + self._options.call_seconds
        redirected: tuple[Node, bool] | None = None
        tries = 0
        while True:
            before = attempt.sent
            node, asking = redirected or (await self.topology.node(slot), False)
            redirected = None
            node.circuit.check()
            tries += 1
            command = ("EVALSHA", script.sha, len(keys), *keys, SCHEMA, int(before), *arguments)
            commands: list[Command] = [command, self._wait] if writes and self._wait else [command]
            try:
                with self._spans.command(script.name, node.address, self._database, tries):
                    return self._settle(await self._exchange(node, commands, script, attempt, until, asking=asking))
            except AskError as fault:  # also MovedError
                attempt.sent = before
                redirected = (self.topology.at((fault.host, fault.port)), not isinstance(fault, MovedError))
                if isinstance(fault, MovedError):
                    await self._refresh(until)
                failed: Exception = fault
            except LOST as fault:
                await node.forget()
                failed = fault
            except ResponseError as fault:
                if code_of(fault) not in PASSING:
                    raise
                attempt.sent = before
                failed = fault
            left = until - now()
            if tries >= self._options.attempts or left < self._options.attempt_seconds * WORTHWHILE:
                if isinstance(failed, LOST):
                    node.circuit.open(reason_of(failed))
                raise StoreAway(reason_of(failed)) from failed
            if redirected is None:
                pause = FIRST_BACKOFF * 2**tries * random.uniform(0.5, 1)  # noqa: S311 - spreads, guards nothing
                await asyncio.sleep(min(pause, left))
                await self._refresh(until)

    def check(self, key: str) -> None:
        """StoreAway while the server that has a key is known to be away."""
        self.topology.check(self._slot(key))

    def _slot(self, key: str) -> int:
        return key_slot(key.encode()) if self._has_slots else 0

    async def close(self) -> None:
        await self.topology.close()

    async def _refresh(self, until: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await self.topology.refresh()

    @staticmethod
    async def _exchange(
        node: Node, commands: list[Command], script: Script, attempt: Attempt, until: float, *, asking: bool
    ) -> list[Any]:
        """The replies; where the server does not know the script yet, it is sent in full."""
        asked: list[Command] = [("ASKING",)] if asking else []
        alone = len(commands) > 1  # with WAIT
        replies = await node.exchange([*asked, *commands], attempt, until, alone=alone)
        if isinstance(replies[len(asked)], NoScriptError):
            evaluate: Command = ("EVAL", script.source, *commands[0][2:])
            replies = await node.exchange([*asked, evaluate, *commands[1:]], attempt, until, alone=alone)
        return replies[len(asked) :]

    def _settle(self, replies: list[Any]) -> Any:
        """The script's reply, once the replicas have what it wrote."""
        for reply in replies:
            if isinstance(reply, RedisError):
                raise reply
        if len(replies) > 1 and replies[1] < self._options.wait_replicas:
            raise StoreAway("too few replicas have it yet")
        return replies[0]
