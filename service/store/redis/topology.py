"""Which Redis server a table lies on: one server, the primary that Sentinels name, or the nodes of a Cluster.

A cluster's map is read from CLUSTER SLOTS; one server, and a primary behind Sentinels, is a map of one line. Lives in
one event loop.
"""

import asyncio
import random
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from redis.crc import REDIS_CLUSTER_HASH_SLOTS
from redis.exceptions import ResponseError

from service.store import StoreAway
from service.store.circuit import Circuit

from .connections import ask
from .nodes import CLIENT, LOST, Node, reason_of
from .target import Address, RedisOptions, Target

Lines: TypeAlias = list[tuple[int, int, Address]]
_ALL: Final = (0, REDIS_CLUSTER_HASH_SLOTS - 1)
_UNCOVERED: Final = "Redis Cluster has no node for some slots"


class Topology:
    """The nodes, and which of them has which slot."""

    def __init__(self, target: Target, options: RedisOptions) -> None:
        self._target = target
        self._options = options
        self._nodes: dict[Address, Node] = {}
        self._slots: list[Node | None] = []
        self._refreshing: asyncio.Task[None] | None = None
        self._dropping: set[asyncio.Task[None]] = set()
        self._learning = asyncio.Lock()
        self._told_by: Address | None = None
        self._unknown = Circuit(self._discover)

    @property
    def away(self) -> str | None:
        """Why something cannot be reached, as the circuits have it."""
        circuits = [self._unknown, *(node.circuit for node in self._nodes.values())]
        return next((circuit.away for circuit in circuits if circuit.away), None)

    def check(self, slot: int) -> None:
        """StoreAway while the node of a slot is known to be away."""
        self._unknown.check()
        node = self._slots[slot] if self._slots else None
        if node is not None:
            node.circuit.check()

    async def nodes(self) -> Iterable[Node]:
        """Every node that has slots."""
        await self._known()
        return {node for node in self._slots if node is not None}

    async def node(self, slot: int) -> Node:
        """The node of a slot; StoreAway where none is known."""
        await self._known()
        node = self._slots[slot]
        if node is None:
            raise StoreAway(_UNCOVERED)
        return node

    def at(self, address: Address) -> Node:
        """The node at an address that a redirection names."""
        return self._nodes.get(address) or self._nodes.setdefault(address, self._make(address))

    async def refresh(self) -> None:
        """Looks anew which node has what. Where that cannot be learnt, what was known stays."""
        if self._target.kind == "standalone":
            return
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = asyncio.get_running_loop().create_task(self._refresh(), name="store-topology")
        await asyncio.shield(self._refreshing)

    async def close(self) -> None:
        if self._refreshing is not None:
            await asyncio.gather(self._refreshing, return_exceptions=True)
        await self._unknown.close()
        for node in list(self._nodes.values()):
            await node.close()
        await asyncio.gather(*self._dropping, return_exceptions=True)

    async def _known(self) -> None:
        if self._slots:
            return
        async with self._learning:
            if self._slots:
                return
            self._unknown.check()
            try:
                await self._discover()
            except StoreAway as fault:
                self._unknown.open(fault.reason)
                raise

    async def _refresh(self) -> None:
        try:
            await self._discover()
        except StoreAway:
            return

    async def _probe(self, node: Node) -> None:
        """For a node's circuit: raises until the node answers, or is no longer anybody's."""
        await self.refresh()
        if self._nodes.get(node.address) is node:
            await node.ping()

    async def _discover(self) -> None:
        """Takes in a new map; StoreAway where none is to be had, or not in the time of an attempt."""
        try:
            async with asyncio.timeout(self._options.attempt_seconds):
                lines = await self._lines()
        except TimeoutError as fault:
            raise StoreAway(reason_of(fault)) from fault
        slots: list[Node | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        kept: dict[Address, Node] = {}
        for first, last, address in lines:
            node = kept.setdefault(address, self._nodes.get(address) or self._make(address))
            slots[first : last + 1] = [node] * (last + 1 - first)
        dropped = [node for address, node in self._nodes.items() if address not in kept]
        self._nodes, self._slots = kept, slots
        for node in dropped:
            task = asyncio.get_running_loop().create_task(node.close(), name="store-node-close")
            self._dropping.add(task)
            task.add_done_callback(self._dropping.discard)

    async def _lines(self) -> Lines:
        """The map: first and last slot of a stretch, and where its node is."""
        match self._target.kind:
            case "standalone":
                return [(*_ALL, self._target.addresses[0])]
            case "sentinel":
                return [(*_ALL, await self._primary())]
            case "cluster":
                return await self._cluster_slots()

    async def _primary(self) -> Address:
        """The address of the primary: what a Sentinel names and what calls itself so."""
        reason = "no Sentinel knows the service"
        refuted: set[Address] = set()
        for address in self._order(self._target.addresses):
            try:
                named = await self._ask_sentinel(address)
                if named is None or named in refuted:
                    continue
                refuted.add(named)
                role = await self._ask(named, "ROLE")
            except (*LOST, ResponseError) as fault:
                reason = reason_of(fault)
                continue
            if role[0] == b"master":
                self._told_by = address
                return named
            reason = "the primary that a Sentinel names is none"
        raise StoreAway(reason)

    async def _ask_sentinel(self, address: Address) -> Address | None:
        connection = self._target.sentinel_connection(address)
        command = ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._target.service)
        named = await ask(connection, command, self._seconds)
        return None if named is None else (named[0].decode(), int(named[1]))

    async def _cluster_slots(self) -> Lines:
        """The map as the first node to answer has it: those that were well of late are asked first."""
        well = [address for address, node in self._nodes.items() if node.circuit.away is None]
        reason = _UNCOVERED
        for address in dict.fromkeys([*self._order(well), *self._order([*self._target.addresses, *self._nodes])]):
            try:
                lines = await self._ask(address, "CLUSTER", "SLOTS")
            except (*LOST, ResponseError) as fault:
                reason = reason_of(fault)
                continue
            if lines:
                self._told_by = address
                return [(first, last, _address(primary, address[0])) for first, last, primary, *_ in lines]
        raise StoreAway(reason)

    def _order(self, addresses: Sequence[Address]) -> list[Address]:
        """First the one that knew it last time, the others by chance, so that no dead one is always in the way."""
        return sorted(addresses, key=lambda address: (address != self._told_by, random.random()))  # noqa: S311

    async def _ask(self, address: Address, *command: str) -> Any:
        return await ask(self._target.connection(address, CLIENT), command, self._seconds)

    @property
    def _seconds(self) -> float:
        """So short that two can be asked within an attempt."""
        return self._options.attempt_seconds / 2

    def _make(self, address: Address) -> Node:
        return Node(self._target, address, self._options, self._probe)


def _address(primary: list[Any], asked: str) -> Address:
    """Where a node is; one that does not know its own address has that which it was asked under."""
    host = (primary[0] or b"").decode()
    return (host if host not in {"", "?"} else asked, int(primary[1]))
