"""What lets calls in: a key that is good, and room in its buckets."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from service import metrics
from service.errors import ServiceError

from .buckets import Bucket, Clock, Limit, TableBuckets, per_minute
from .keys import HEADER, ApiKey, KeyLimits, digest_of

Given = Callable[[], Sequence[str]]
"""The keys that a call came with, looked for only where one is needed."""
STREAM: Final = "decide"
CREATE: Final = "create"
REISSUE: Final = "reissue"


class Admission:
    """A call that was let in; `name` is its key's, empty where none is needed."""

    __slots__ = ()
    name = ""

    def take(self, calls: int = 1, *, counted: int = 0) -> None:
        """Counts calls that are made within this one. RATE_LIMITED where there is no room for them.

        `counted` are those of them that were when it was let in.
        """


UNLIMITED: Final = Admission()
"""Of whoever calls where no keys are needed."""


class Buckets:
    """What is left of the limits of a name."""

    def __init__(self, name: str, limits: KeyLimits, clock: Clock) -> None:
        calls, further = _limits(limits)
        self.calls = Bucket(f"calls:{name}", calls, clock)
        self.further = {of: Bucket(f"{of}:{name}", limit, clock) for of, limit in further.items()}

    def __iter__(self) -> Iterator[Bucket]:
        yield self.calls
        yield from self.further.values()

    def change(self, limits: KeyLimits) -> None:
        """Other limits from now on."""
        calls, further = _limits(limits)
        self.calls.change(calls)
        for of, limit in further.items():
            self.further[of].change(limit)


class Account(Admission):
    """A key that is good, until it is `gone`."""

    __slots__ = ("_buckets", "gone", "name")

    def __init__(self, name: str, buckets: Buckets) -> None:
        self.name = name
        self.gone = False
        self._buckets = buckets

    def admit(self, operation: str) -> None:
        """Counts a call. RATE_LIMITED where there is no room for it."""
        further = self._buckets.further.get(operation)
        if further is None:
            self.take()
            return
        self._take(further)
        try:
            self.take()
        except ServiceError:
            further.give_back()
            raise

    def take(self, calls: int = 1, *, counted: int = 0) -> None:
        if self.gone:
            raise _invalid()
        if calls > counted:
            self._take(self._buckets.calls, calls, counted)

    def _take(self, bucket: Bucket, tokens: int = 1, taken: int = 0) -> None:
        wait = bucket.take(tokens, taken)
        if wait:
            metrics.LIMITED.labels(self.name, limit_of(bucket)).inc()
            raise rate_limited(wait, bucket)


class Gate:
    """Lets in who has a key that is good and room for the call. May be used from any thread."""

    def __init__(self, keys: Sequence[ApiKey], limits: KeyLimits, clock: Clock = time.monotonic) -> None:
        """`limits` are those of keys that have none of their own."""
        self._limits = limits
        self._clock = clock
        self._buckets: dict[str, Buckets] = {}
        self._accounts: dict[str, Account] = {}
        self.replace(keys)

    def replace(self, keys: Sequence[ApiKey]) -> None:
        """These keys are good from now on, and no others; a name that stays keeps what it has used."""
        buckets: dict[str, Buckets] = {}
        accounts: dict[str, Account] = {}
        for key in keys:
            limits = key.limits(self._limits)
            known = self._buckets.get(key.name)
            if known is None:
                known = Buckets(key.name, limits, self._clock)
            else:
                known.change(limits)
            buckets[key.name] = known
            account = self._accounts.get(key.sha256)
            if account is None or account.name != key.name:
                account = Account(key.name, known)
            accounts[key.sha256] = account
        before = self._accounts
        self._buckets, self._accounts = buckets, accounts
        for digest, account in before.items():
            account.gone = accounts.get(digest) is not account
        metrics.API_KEYS.set(len(accounts))

    def admit(self, operation: str, given: Given) -> Admission:
        """Lets a call of an operation in, and counts it.

        NO_API_KEY without a key, INVALID_API_KEY with one that is not good or with several, RATE_LIMITED where there is
        no room for the call.
        """
        keys = given()
        if not keys:
            raise ServiceError("NO_API_KEY", f"an API key is needed: {HEADER}")
        account = self._accounts.get(digest_of(keys) or "")
        if account is None:
            raise _invalid()
        if operation != STREAM:
            account.admit(operation)
        return account

    @property
    def buckets(self) -> Iterator[Bucket]:
        """All buckets of all keys."""
        for of_name in self._buckets.values():
            yield from of_name


class TableLimit:
    """How often tokens of one table are reissued, where keys do not say how often."""

    def __init__(self, number: int, clock: Clock = time.monotonic) -> None:
        """So many a minute."""
        self.buckets = TableBuckets("table", per_minute(number), clock)

    def take(self, table: str) -> None:
        """Counts one. RATE_LIMITED where there is no room for it."""
        bucket = self.buckets.of(table)
        wait = bucket.take()
        if wait:
            raise rate_limited(wait, bucket)


def limit_of(bucket: Bucket) -> str:
    """What a bucket limits, as callers and operators are told it."""
    return _NAMES[bucket.name.partition(":")[0]]


def rate_limited(wait: float, bucket: Bucket) -> ServiceError:
    """The refusal of a call that a bucket has no room for; there is some again after `wait` seconds."""
    seconds = max(1, math.ceil(wait))
    detail = f"too many calls; there is room again in {seconds} s"
    return ServiceError("RATE_LIMITED", detail, limit=limit_of(bucket), retryAfter=seconds)


def _invalid() -> ServiceError:
    return ServiceError("INVALID_API_KEY", "the API key is not good")


def _limits(limits: KeyLimits) -> tuple[Limit, dict[str, Limit]]:
    further = {CREATE: per_minute(limits.tables_per_minute), REISSUE: per_minute(limits.reissues_per_minute)}
    return Limit(limits.rate, limits.burst), further


_NAMES: Final = {"calls": "calls", CREATE: "tables", REISSUE: "reissues", "table": "reissues"}
