"""Every code a refusal can carry, with the clause it rests on; and the four ways the engine says no.

*Malformed* cannot be what it claims to be; an *impossible* state cannot have come about; an *illegal* move is a move,
but not now: its reason is a `Violation`. Codes never change; messages come from the catalogues, in three languages.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from .catalogues import CATALOGUES
from .enums import with_plain_members

Param = str | int | tuple[str, ...]
Language = str
ENGLISH: Final[Language] = "en"
LANGUAGES: Final[tuple[Language, ...]] = ("en", "nl", "fr")


@with_plain_members
class Code(StrEnum):
    """Why a move is refused."""

    GAME_OVER = "GAME_OVER"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    WRONG_PHASE = "WRONG_PHASE"
    NOT_IN_HAND = "NOT_IN_HAND"
    MUST_FOLLOW_SUIT = "MUST_FOLLOW_SUIT"
    CARD_ELSEWHERE = "CARD_ELSEWHERE"
    NEEDS_CHANCE = "NEEDS_CHANCE"
    CHANCE_IS_DRAWN = "CHANCE_IS_DRAWN"
    CARD_ALREADY_DRAWN = "CARD_ALREADY_DRAWN"
    OPTION_OFF = "OPTION_OFF"
    CLAIM_TOO_EARLY = "CLAIM_TOO_EARLY"
    CLAIM_TOO_LATE = "CLAIM_TOO_LATE"
    OWN_SIDE = "OWN_SIDE"
    ALREADY_CLAIMED = "ALREADY_CLAIMED"
    NO_REVOKE = "NO_REVOKE"
    DUMMY_NOT_LIABLE = "DUMMY_NOT_LIABLE"
    MATCH_GOES_ON = "MATCH_GOES_ON"
    MATCH_IS_DECIDED = "MATCH_IS_DECIDED"
    STAY_NEEDS_A_CARD = "STAY_NEEDS_A_CARD"
    MUST_GIVE_FIRST = "MUST_GIVE_FIRST"
    NOT_THE_CARD_TO_GIVE = "NOT_THE_CARD_TO_GIVE"
    TARGET_NOT_ACTIVE = "TARGET_NOT_ACTIVE"
    TARGET_HAS_SECOND_CHANCE = "TARGET_HAS_SECOND_CHANCE"
    NOT_IN_DECK = "NOT_IN_DECK"
    MASTER_PLAYS = "MASTER_PLAYS"
    BID_BELOW_MINIMUM = "BID_BELOW_MINIMUM"
    BID_TOO_LOW = "BID_TOO_LOW"
    DARED_SUIT_CLOSED = "DARED_SUIT_CLOSED"
    NO_BID_STANDS = "NO_BID_STANDS"
    ALREADY_DARED = "ALREADY_DARED"
    NOT_DARED = "NOT_DARED"
    NOT_OWN_BID = "NOT_OWN_BID"
    SUIT_NOT_BID = "SUIT_NOT_BID"
    NOTHING_TAKEN = "NOTHING_TAKEN"
    NOTHING_ADDED = "NOTHING_ADDED"
    NOT_IN_LAYOUT = "NOT_IN_LAYOUT"
    CARD_IN_BUILD = "CARD_IN_BUILD"
    NO_SUCH_BUILD = "NO_SUCH_BUILD"
    PICTURE_NO_VALUE = "PICTURE_NO_VALUE"
    PICTURES_AT_ONCE = "PICTURES_AT_ONCE"
    NOT_MAXIMAL = "NOT_MAXIMAL"
    BUILD_NOT_IN_SUM = "BUILD_NOT_IN_SUM"
    BAD_SUM = "BAD_SUM"
    ONE_GROUP_ONLY = "ONE_GROUP_ONLY"
    BAD_GROUPS = "BAD_GROUPS"
    PICTURES_DOUBLED = "PICTURES_DOUBLED"
    TOO_MANY_GROUPS = "TOO_MANY_GROUPS"
    NO_HOLDING_CARD = "NO_HOLDING_CARD"
    LAST_HOLDING_CARD = "LAST_HOLDING_CARD"
    MUST_RESOLVE_BUILD = "MUST_RESOLVE_BUILD"
    MUST_CAPTURE = "MUST_CAPTURE"
    ABOVE_CEILING = "ABOVE_CEILING"
    DOUBLE_LOCKED = "DOUBLE_LOCKED"
    ONE_THING_ONLY = "ONE_THING_ONLY"
    STEALING_OFF = "STEALING_OFF"
    OWN_HEAP = "OWN_HEAP"
    NO_OPEN_TRICK = "NO_OPEN_TRICK"
    HEAP_NOT_OPEN = "HEAP_NOT_OPEN"
    ONE_STEAL_ONLY = "ONE_STEAL_ONLY"
    STEAL_NOT_ALONE = "STEAL_NOT_ALONE"
    CROSSING_NOT_DECLARED = "CROSSING_NOT_DECLARED"
    NOT_A_WIPE = "NOT_A_WIPE"
    NO_COMPLETE_SET = "NO_COMPLETE_SET"
    CLOSE_NOT_NOW = "CLOSE_NOT_NOW"
    NOT_THE_DEALER = "NOT_THE_DEALER"
    ANNOUNCE_NOT_NOW = "ANNOUNCE_NOT_NOW"
    ALREADY_ANNOUNCED = "ALREADY_ANNOUNCED"
    ANNOUNCED_BY_REFEREE = "ANNOUNCED_BY_REFEREE"
    HOST_ONLY = "HOST_ONLY"
    NOTHING_TO_STRIKE = "NOTHING_TO_STRIKE"


RESTS_ON: Final[dict[str, dict[Code, str]]] = {
    "whist": {
        Code.GAME_OVER: "W-19",
        Code.NOT_YOUR_TURN: "W-12",
        Code.WRONG_PHASE: "W-10",
        Code.NOT_IN_HAND: "W-7",
        Code.MUST_FOLLOW_SUIT: "W-13",
        Code.CARD_ELSEWHERE: "W-5",
        Code.NEEDS_CHANCE: "W-7",
        Code.CHANCE_IS_DRAWN: "W-7",
        Code.CARD_ALREADY_DRAWN: "WA2",
        Code.OPTION_OFF: "WA7",
        Code.CLAIM_TOO_EARLY: "WA13",
        Code.CLAIM_TOO_LATE: "W-17",
        Code.OWN_SIDE: "WA13",
        Code.ALREADY_CLAIMED: "WA10",
        Code.NO_REVOKE: "WA38",
        Code.DUMMY_NOT_LIABLE: "WA26",
        Code.MATCH_GOES_ON: "W-19",
        Code.MATCH_IS_DECIDED: "W-19",
    },
    "peewee7": {
        Code.GAME_OVER: "P-21",
        Code.NOT_YOUR_TURN: "P-6",
        Code.MASTER_PLAYS: "P-16",
        Code.WRONG_PHASE: "P-9",
        Code.NOT_IN_HAND: "P-4",
        Code.MUST_FOLLOW_SUIT: "P-17",
        Code.CARD_ELSEWHERE: "PA4",
        Code.NEEDS_CHANCE: "P-4",
        Code.CHANCE_IS_DRAWN: "P-4",
        Code.CARD_ALREADY_DRAWN: "P-3",
        Code.BID_BELOW_MINIMUM: "P-8",
        Code.BID_TOO_LOW: "P-7",
        Code.DARED_SUIT_CLOSED: "P-13",
        Code.NO_BID_STANDS: "P-11",
        Code.OWN_SIDE: "PA11",
        Code.ALREADY_DARED: "PA11",
        Code.NOT_DARED: "P-12",
        Code.NOT_OWN_BID: "P-12",
        Code.SUIT_NOT_BID: "PA10",
    },
    "flip7": {
        Code.GAME_OVER: "F-17",
        Code.NOT_YOUR_TURN: "F-3",
        Code.WRONG_PHASE: "F-3",
        Code.NEEDS_CHANCE: "F-2",
        Code.CHANCE_IS_DRAWN: "F-2",
        Code.STAY_NEEDS_A_CARD: "F-4",
        Code.MUST_GIVE_FIRST: "FA33",
        Code.NOT_THE_CARD_TO_GIVE: "FA15",
        Code.TARGET_NOT_ACTIVE: "F-7",
        Code.TARGET_HAS_SECOND_CHANCE: "F-12",
        Code.NOT_IN_DECK: "F-1",
    },
    "wippen": {
        Code.GAME_OVER: "WIA37",
        Code.NOT_YOUR_TURN: "WI-3",
        Code.WRONG_PHASE: "WI-5",
        Code.NOT_IN_HAND: "WI-8",
        Code.CARD_ELSEWHERE: "WI-1",
        Code.NEEDS_CHANCE: "WI-4",
        Code.CHANCE_IS_DRAWN: "WI-4",
        Code.OPTION_OFF: "WI-14",
        Code.NOTHING_TAKEN: "WI-11",
        Code.NOTHING_ADDED: "WI-17",
        Code.NOT_IN_LAYOUT: "WI-9",
        Code.CARD_IN_BUILD: "WI-18",
        Code.NO_SUCH_BUILD: "WI-18",
        Code.PICTURE_NO_VALUE: "WI-15",
        Code.PICTURES_AT_ONCE: "WIA8",
        Code.NOT_MAXIMAL: "WIA7",
        Code.BUILD_NOT_IN_SUM: "WIA11",
        Code.BAD_SUM: "WI-15",
        Code.ONE_GROUP_ONLY: "WIA6",
        Code.BAD_GROUPS: "WI-22",
        Code.PICTURES_DOUBLED: "WI-24",
        Code.TOO_MANY_GROUPS: "WIA25",
        Code.NO_HOLDING_CARD: "WI-17",
        Code.LAST_HOLDING_CARD: "WIA15",
        Code.MUST_RESOLVE_BUILD: "WI-20",
        Code.MUST_CAPTURE: "WI-10",
        Code.ABOVE_CEILING: "WIA21",
        Code.DOUBLE_LOCKED: "WI-23",
    },
    "wipe": {
        Code.GAME_OVER: "LA27",
        Code.NOT_YOUR_TURN: "LA29",
        Code.WRONG_PHASE: "L-2",
        Code.NOT_IN_HAND: "L-2",
        Code.CARD_ELSEWHERE: "L-1",
        Code.NEEDS_CHANCE: "L-2",
        Code.CHANCE_IS_DRAWN: "L-2",
        Code.OPTION_OFF: "LA12",
        Code.NOTHING_TAKEN: "L-3",
        Code.NOTHING_ADDED: "L-7",
        Code.NOT_IN_LAYOUT: "L-3",
        Code.CARD_IN_BUILD: "L-7",
        Code.NO_SUCH_BUILD: "L-7",
        Code.PICTURE_NO_VALUE: "LA3",
        Code.PICTURES_AT_ONCE: "LA3",
        Code.BUILD_NOT_IN_SUM: "LA12",
        Code.BAD_SUM: "L-3",
        Code.ONE_GROUP_ONLY: "LA5",
        Code.BAD_GROUPS: "LA5",
        Code.NO_HOLDING_CARD: "L-7",
        Code.LAST_HOLDING_CARD: "LA13",
        Code.MUST_RESOLVE_BUILD: "LA13",
        Code.MUST_CAPTURE: "LA1",
        Code.ABOVE_CEILING: "L-7",
        Code.DOUBLE_LOCKED: "LA12",
        Code.TOO_MANY_GROUPS: "LA12",
        Code.ONE_THING_ONLY: "LA12",
        Code.STEALING_OFF: "L-5",
        Code.OWN_HEAP: "LA10",
        Code.NO_OPEN_TRICK: "L-8",
        Code.HEAP_NOT_OPEN: "L-6",
        Code.ONE_STEAL_ONLY: "LA9",
        Code.STEAL_NOT_ALONE: "LA7",
        Code.CROSSING_NOT_DECLARED: "LA11",
        Code.NOT_A_WIPE: "LA18",
        Code.NO_COMPLETE_SET: "L-8",
        Code.CLOSE_NOT_NOW: "LA15",
        Code.NOT_THE_DEALER: "LA21",
        Code.ANNOUNCE_NOT_NOW: "LA21",
        Code.ALREADY_ANNOUNCED: "LA21",
        Code.ANNOUNCED_BY_REFEREE: "LA21",
        Code.HOST_ONLY: "LA28",
        Code.NOTHING_TO_STRIKE: "LA28",
    },
}


class Violation(Struct, frozen=True, rename="camel"):
    """A refused move's reason: stable code, clause (``whist/W-13``), what the message speaks of, and the message."""

    code: Code
    clause: str
    params: dict[str, Param]
    message: str


def violation(game: str, code: Code, **params: Param) -> Violation:
    """The violation of a game's clause, its message in English; `localised` gives the other languages."""
    return Violation(code, f"{game}/{RESTS_ON[game][code]}", params, message(code, params))


def localised(refused: Violation, language: Language) -> Violation:
    """The same violation with its message in another of `LANGUAGES`."""
    if language == ENGLISH:
        return refused
    return Violation(refused.code, refused.clause, refused.params, message(refused.code, refused.params, language))


def message(key: str, params: dict[str, Param], language: Language = ENGLISH) -> str:
    """The catalogue's sentence for a code, filled in."""
    catalogue = CATALOGUES[language]
    words = {name: _spoken(value, catalogue, name) for name, value in params.items()}
    return catalogue[key].format_map(words)


def _spoken(value: Param, catalogue: dict[str, str], name: str) -> str:
    if isinstance(value, tuple):
        return " ".join(value)
    if name.endswith(("suit", "Suit")):
        return catalogue[f"suit {value}"]
    return str(value)


class Refusal(Exception):  # noqa: N818 - a refusal is the engine's answer, not a fault of it
    """The base of what the engine says no with; `path` is the JSON path of the fault, from ``$``."""

    def __init__(self, path: str, detail: str) -> None:
        super().__init__(detail)
        self.path = path
        self.detail = detail


class Malformed(Refusal):
    """Cannot be what it claims to be: a card that is none, options that contradict each other."""


class UnsupportedRuleset(Refusal):
    """A ruleset this engine does not have."""


class ImpossibleState(Refusal):
    """A state or view that cannot have come about; `reason` is stable, `detail` its English sentence."""

    def __init__(self, path: str, reason: "Reason", **params: Param) -> None:
        super().__init__(path, message(reason, params))
        self.reason = reason
        self.params = params


class IllegalMove(Refusal):
    """A move refused now; the state is as it was."""

    def __init__(self, refused: Violation) -> None:
        super().__init__("$.move", refused.message)
        self.violation = refused


@with_plain_members
class Reason(StrEnum):
    """Why a state cannot have come about."""

    CARD_TWICE = "CARD_TWICE"
    CARDS_MISSING = "CARDS_MISSING"
    WRONG_COUNT = "WRONG_COUNT"
    WRONG_HAND_SIZE = "WRONG_HAND_SIZE"
    WRONG_LEADER = "WRONG_LEADER"
    WRONG_WINNER = "WRONG_WINNER"
    WRONG_PHASE_STATE = "WRONG_PHASE_STATE"
    WRONG_TURN = "WRONG_TURN"
    REVOKED = "REVOKED"
    DISAGREES = "DISAGREES"
    HIDDEN_IN_STATE = "HIDDEN_IN_STATE"
    OWN_HAND_UNKNOWN = "OWN_HAND_UNKNOWN"
    OPTIONS_CONTRADICT = "OPTIONS_CONTRADICT"
    NOT_A_POSSIBLE_DEAL = "NOT_A_POSSIBLE_DEAL"
    NOT_VISIBLE = "NOT_VISIBLE"
    NOT_POSSIBLE_NOW = "NOT_POSSIBLE_NOW"
    TOO_MANY_OF_A_CARD = "TOO_MANY_OF_A_CARD"
