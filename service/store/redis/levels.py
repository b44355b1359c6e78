"""The levels of buckets that replicas share, in Redis (`service.access.sharing.Ledger`)."""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from msgspec.structs import replace
from redis.exceptions import ResponseError

from service.store import StoreAway

from .client import Client, Script
from .nodes import reason_of
from .target import RedisOptions, Target

CALL_SECONDS: Final = 1.0
_LEVELS: Final = Script("levels")


class Spent(Protocol):
    """What was taken from a bucket."""

    @property
    def name(self) -> str: ...

    @property
    def tokens(self) -> float: ...

    @property
    def rate(self) -> float: ...

    @property
    def burst(self) -> float: ...

    @property
    def seconds(self) -> float: ...


class RedisLevels:
    """Levels in Redis. Lives in one event loop.

    What could not be told is not told again: it may have been heard, and a caller is not to pay twice.
    """

    def __init__(self, url: str, options: RedisOptions) -> None:
        """Connects to nothing yet. ValueError where the URL is none."""
        hurried = replace(options, call_seconds=CALL_SECONDS, attempts=1, connections=1, wait_replicas=0)
        self._client = Client(Target.of(url), hurried)
        self._prefix = f"{options.prefix}:{{limits}}:"

    async def settle(self, spent: Sequence[Spent]) -> Sequence[float]:
        """The level of each bucket, once so much is taken from it. StoreAway where Redis cannot tell."""
        keys = [self._prefix + each.name for each in spent]
        arguments: list[str | bytes | int] = [
            repr(float(number)) for each in spent for number in (each.tokens, each.rate, each.burst, each.seconds)
        ]
        try:
            reply: list[Any] = await self._client.run(_LEVELS, keys, arguments)
        except ResponseError as fault:
            raise StoreAway(reason_of(fault)) from fault
        return [float(level) for level in reply]

    async def close(self) -> None:
        """Lets go of the connections."""
        await self._client.close()
