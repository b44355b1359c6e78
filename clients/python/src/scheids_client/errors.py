"""Why a call failed: one class for each thing that a caller may want to handle, the same on every transport.

`code` is stable and says what is wrong; messages are for people, in the language that was asked for.
"""

from typing import Any, Final

from . import models

__all__ = [
    "AlreadyStarted",
    "BadJoinCode",
    "DeadlineExceeded",
    "EntropyClosed",
    "Forbidden",
    "IllegalMove",
    "ImpossibleState",
    "InternalError",
    "InvalidApiKey",
    "InvalidToken",
    "KeyReused",
    "LimitExceeded",
    "Malformed",
    "NoApiKey",
    "NoOdds",
    "NoToken",
    "NotFound",
    "NotStarted",
    "NothingToUndo",
    "Overloaded",
    "RateLimited",
    "ScheidsError",
    "StaleVersion",
    "StoreAway",
    "TableEnded",
    "TablesOff",
    "Unauthenticated",
    "UnknownGame",
    "UnknownTable",
    "Unreachable",
    "UnreadableAnswer",
    "UnsupportedOverGrpc",
    "UnsupportedRuleset",
    "WrongMoment",
]


class ScheidsError(Exception):
    """A call failed. `path` is the JSON path of the fault in the request, from ``$``."""

    def __init__(self, problem: models.Problem) -> None:
        super().__init__(problem)
        self.problem = problem

    def __str__(self) -> str:
        at = "" if self.path is None else f" (at {self.path})"
        return f"{self.code}: {self.problem.detail}{at}"

    @property
    def code(self) -> str:
        """The stable code, such as ``MALFORMED``."""
        return self.problem.code

    @property
    def detail(self) -> str:
        """What is wrong with this request."""
        return self.problem.detail

    @property
    def path(self) -> str | None:
        """The JSON path of the fault, from ``$``."""
        return self.problem.path

    @property
    def params(self) -> dict[str, Any]:
        """What the detail speaks of."""
        return self.problem.params or {}

    @property
    def status(self) -> int:
        """The HTTP status that it has over REST; 0 where the service did not answer."""
        return self.problem.status

    @property
    def maybe_done(self) -> bool:
        """Whether a change may have been carried out all the same: ask again, with the same key."""
        return False


class Malformed(ScheidsError):
    """The request cannot be what it claims to be."""


class ImpossibleState(ScheidsError):
    """The state or view cannot have come about; `reason` is stable."""

    @property
    def reason(self) -> str:
        """Why, such as ``CARD_TWICE``."""
        return str(self.params.get("reason", ""))


class UnsupportedRuleset(ScheidsError):
    """The service does not have this version of the game's rules."""


class NoOdds(ScheidsError):
    """The game has no odds to tell."""


class LimitExceeded(ScheidsError):
    """More was asked for than one request may: `get_game` tells the limits."""


class NotFound(ScheidsError):
    """There is nothing of that name."""


class UnknownGame(NotFound):
    """There is no such game."""


class UnknownTable(NotFound):
    """There is no such table, or it is not this token's, or nobody may look on."""


class Unauthenticated(ScheidsError):
    """The call came without a good token, or without a good API key."""


class InvalidToken(Unauthenticated):
    """The token is not good, or not any more."""


class NoToken(Unauthenticated):
    """The call needs a token."""


class NoApiKey(Unauthenticated):
    """The service knows its callers by API keys, and the call came without one."""


class InvalidApiKey(Unauthenticated):
    """The API key is not good, or not any more."""


class Forbidden(ScheidsError):
    """That is another's to do."""


class BadJoinCode(Forbidden):
    """The join code is none, or was used."""


class IllegalMove(ScheidsError):
    """The move is one, but not now."""

    @property
    def violation(self) -> models.Violation:
        """Why: a stable code, the clause it rests on, what it speaks of, and a message."""
        assert self.problem.violation is not None  # noqa: S101 - an illegal move has one
        return self.problem.violation


class StaleVersion(ScheidsError):
    """The table has moved on."""

    @property
    def version(self) -> int:
        """The version that the table is at."""
        return int(self.params["version"])


class KeyReused(ScheidsError):
    """The idempotency key came with another request before."""


class WrongMoment(ScheidsError):
    """The table is not in a state for this."""


class TableEnded(WrongMoment):
    """The table has ended."""


class NotStarted(WrongMoment):
    """The cards have not been dealt."""


class AlreadyStarted(WrongMoment):
    """The cards have been dealt."""


class NothingToUndo(WrongMoment):
    """There is no move to take back."""


class EntropyClosed(WrongMoment):
    """Nothing can be added to the shuffle (any more)."""


class Overloaded(ScheidsError):
    """The service has more to do just now than it can; nothing was done."""

    @property
    def retry_after(self) -> float:
        """In how many seconds to ask again."""
        return float(self.params.get("retryAfter", 1))


class RateLimited(ScheidsError):
    """More calls than the API key is good for, or tokens of the table are reissued; `limit` says of what."""

    @property
    def retry_after(self) -> float:
        """In how many seconds there is room again."""
        return float(self.params.get("retryAfter", 1))

    @property
    def limit(self) -> str:
        """What there was too much of: ``calls``, ``tables`` or ``reissues``."""
        return str(self.params.get("limit", ""))


class TablesOff(ScheidsError):
    """This service hosts no tables."""


class StoreAway(ScheidsError):
    """Tables cannot be reached just now."""

    @property
    def maybe_done(self) -> bool:
        """Whether a change may have been carried out all the same: ask again, with the same key."""
        return bool(self.params.get("maybeDone", False))


class Unreachable(ScheidsError):
    """The service did not answer: the connection failed, or broke off."""

    @property
    def maybe_done(self) -> bool:
        """Whether a change may have been carried out all the same: ask again, with the same key."""
        return bool(self.params.get("maybeDone", True))


class DeadlineExceeded(ScheidsError):
    """The time for the call is over."""

    @property
    def maybe_done(self) -> bool:
        """Whether a change may have been carried out all the same: ask again, with the same key."""
        return True


class UnreadableAnswer(ScheidsError):
    """What came is no answer that this client can read: of another server, or of a newer one."""

    @property
    def maybe_done(self) -> bool:
        """Whether a change may have been carried out all the same: ask again, with the same key."""
        return True


class UnsupportedOverGrpc(ScheidsError):
    """The service offers this over HTTP only."""


class InternalError(ScheidsError):
    """The service failed; the request was not at fault."""

    @property
    def maybe_done(self) -> bool:
        """Whether a change may have been carried out all the same: ask again, with the same key."""
        return True


CODES: Final[dict[str, type[ScheidsError]]] = {
    "MALFORMED": Malformed,
    "TOO_DEEP": LimitExceeded,
    "IMPOSSIBLE_STATE": ImpossibleState,
    "UNSUPPORTED_RULESET": UnsupportedRuleset,
    "NO_ODDS": NoOdds,
    "LIST_TOO_LONG": LimitExceeded,
    "UNKNOWN_GAME": UnknownGame,
    "NOT_FOUND": NotFound,
    "METHOD_NOT_ALLOWED": UnreadableAnswer,
    "NO_API_KEY": NoApiKey,
    "INVALID_API_KEY": InvalidApiKey,
    "INVALID_TOKEN": InvalidToken,
    "NO_TOKEN": NoToken,
    "FORBIDDEN": Forbidden,
    "BAD_JOIN_CODE": BadJoinCode,
    "UNKNOWN_TABLE": UnknownTable,
    "STALE_VERSION": StaleVersion,
    "KEY_REUSED": KeyReused,
    "TABLE_ENDED": TableEnded,
    "NOT_STARTED": NotStarted,
    "ALREADY_STARTED": AlreadyStarted,
    "NOTHING_TO_UNDO": NothingToUndo,
    "ENTROPY_CLOSED": EntropyClosed,
    "TOO_LARGE": LimitExceeded,
    "UNSUPPORTED_MEDIA_TYPE": UnreadableAnswer,
    "ILLEGAL_MOVE": IllegalMove,
    "OVERLOADED": Overloaded,
    "TOO_MUCH_WORK": LimitExceeded,
    "RATE_LIMITED": RateLimited,
    "TABLES_OFF": TablesOff,
    "STORE_AWAY": StoreAway,
    "DEADLINE_EXCEEDED": DeadlineExceeded,
    "INTERNAL": InternalError,
    # what the client finds out by itself
    "UNREACHABLE": Unreachable,
    "UNREADABLE_ANSWER": UnreadableAnswer,
    "UNSUPPORTED_OVER_GRPC": UnsupportedOverGrpc,
}
"""The class of each code; a code that is not here is a plain `ScheidsError`."""


def error_of(problem: models.Problem) -> ScheidsError:
    """The exception for a problem."""
    if problem.code == "ILLEGAL_MOVE" and problem.violation is None:
        return ScheidsError(problem)
    return CODES.get(problem.code, ScheidsError)(problem)


def own_error(code: str, detail: str, path: str | None = None, **params: Any) -> ScheidsError:
    """A failure that the client finds out by itself."""
    title = code.replace("_", " ").capitalize()
    return error_of(
        models.Problem(
            type="about:blank", title=title, status=0, code=code, detail=detail, path=path, params=params or None
        )
    )
