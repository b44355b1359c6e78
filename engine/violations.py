"""Every code a refusal can carry, with the clause it rests on; and the four ways the engine says no.

*Malformed* cannot be what it claims to be; an *impossible* state cannot have come about; an *illegal* move is a move,
but not now: its reason is a `Violation`. Codes never change; messages come from the catalogues, in three languages.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from .catalogues import CATALOGUES

Param = str | int | tuple[str, ...]
Language = str
ENGLISH: Final[Language] = "en"
LANGUAGES: Final[tuple[Language, ...]] = ("en", "nl", "fr")


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
