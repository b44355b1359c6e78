"""What a match is begun from, its record, and facts to be scored: a request each, for each game.

They differ in their options, in the cards of their deck, and in their facts. All are tagged by `game`.
"""

from typing import Annotated, Any

from msgspec import Meta

from engine.cards import Card, FlipCard
from engine.game import Chance, Ruleset, Seating, SeedText, choices_type
from engine.games import BY_NAME
from engine.games.flip7 import Flip7Facts
from engine.games.peewee7 import PeeweeFacts
from engine.games.whist import WhistFacts
from engine.games.wipe import WipeFacts
from engine.games.wippen import WippenFacts

from .base import MoveInput, Request, SeatNumber

Pack = Annotated[tuple[Card, ...], Meta(max_length=104)]
FlipDeck = Annotated[tuple[FlipCard, ...], Meta(max_length=94)]


class _Begun(Request, frozen=True, kw_only=True, tag_field="game"):
    """What a match is begun from. Of `seed`, `deck` and `chance` one is named; without any the service draws a seed."""

    ruleset: Ruleset | None = None
    places: Annotated[int, Meta(ge=1, le=18)] | None = None
    seating: Seating | None = None
    dealer: SeatNumber | None = None
    chance: Chance | None = None
    seed: SeedText | None = None


class RecordedMove(Request, frozen=True, kw_only=True):
    """A move of a record, and the seat that made it."""

    seat: SeatNumber | None = None
    move: MoveInput


class _Record(_Begun, frozen=True, kw_only=True):
    """A record: what a match was begun from, and its moves."""

    moves: tuple[RecordedMove, ...]


# --- whist


WhistChoices: Any = choices_type(BY_NAME["whist"])


class WhistDealRequest(_Begun, frozen=True, kw_only=True, tag="whist"):
    """Begins a match of whist."""

    options: WhistChoices | None = None
    deck: Pack | None = None


class WhistReplayRequest(_Record, frozen=True, kw_only=True, tag="whist"):
    """A record of whist."""

    options: WhistChoices | None = None
    deck: Pack | None = None


class WhistScoreFactsRequest(Request, frozen=True, kw_only=True, tag_field="game", tag="whist"):
    """Scores bare facts of whist."""

    options: WhistChoices | None = None
    facts: WhistFacts


# --- PeeWee 7


PeeweeChoices: Any = choices_type(BY_NAME["peewee7"])


class PeeweeDealRequest(_Begun, frozen=True, kw_only=True, tag="peewee7"):
    """Begins a match of PeeWee 7."""

    options: PeeweeChoices | None = None
    deck: Pack | None = None


class PeeweeReplayRequest(_Record, frozen=True, kw_only=True, tag="peewee7"):
    """A record of PeeWee 7."""

    options: PeeweeChoices | None = None
    deck: Pack | None = None


class PeeweeScoreFactsRequest(Request, frozen=True, kw_only=True, tag_field="game", tag="peewee7"):
    """Scores bare facts of PeeWee 7."""

    options: PeeweeChoices | None = None
    facts: PeeweeFacts


# --- Wippen


WippenChoices: Any = choices_type(BY_NAME["wippen"])


class WippenDealRequest(_Begun, frozen=True, kw_only=True, tag="wippen"):
    """Begins a match of Wippen."""

    options: WippenChoices | None = None
    deck: Pack | None = None


class WippenReplayRequest(_Record, frozen=True, kw_only=True, tag="wippen"):
    """A record of Wippen."""

    options: WippenChoices | None = None
    deck: Pack | None = None


class WippenScoreFactsRequest(Request, frozen=True, kw_only=True, tag_field="game", tag="wippen"):
    """Scores bare facts of Wippen."""

    options: WippenChoices | None = None
    facts: WippenFacts


# --- Le Wipe


WipeChoices: Any = choices_type(BY_NAME["wipe"])


class WipeDealRequest(_Begun, frozen=True, kw_only=True, tag="wipe"):
    """Begins a match of Le Wipe."""

    options: WipeChoices | None = None
    deck: Pack | None = None


class WipeReplayRequest(_Record, frozen=True, kw_only=True, tag="wipe"):
    """A record of Le Wipe."""

    options: WipeChoices | None = None
    deck: Pack | None = None


class WipeScoreFactsRequest(Request, frozen=True, kw_only=True, tag_field="game", tag="wipe"):
    """Scores bare facts of Le Wipe."""

    options: WipeChoices | None = None
    facts: WipeFacts


# --- Flip 7


Flip7Choices: Any = choices_type(BY_NAME["flip7"])


class Flip7DealRequest(_Begun, frozen=True, kw_only=True, tag="flip7"):
    """Begins a match of Flip 7."""

    options: Flip7Choices | None = None
    deck: FlipDeck | None = None


class Flip7ReplayRequest(_Record, frozen=True, kw_only=True, tag="flip7"):
    """A record of Flip 7."""

    options: Flip7Choices | None = None
    deck: FlipDeck | None = None


class Flip7ScoreFactsRequest(Request, frozen=True, kw_only=True, tag_field="game", tag="flip7"):
    """Scores bare facts of Flip 7."""

    options: Flip7Choices | None = None
    facts: Flip7Facts


# --- any game

DealRequest = WhistDealRequest | PeeweeDealRequest | WippenDealRequest | WipeDealRequest | Flip7DealRequest
ReplayRequest = WhistReplayRequest | PeeweeReplayRequest | WippenReplayRequest | WipeReplayRequest | Flip7ReplayRequest
ScoreFactsRequest = (
    WhistScoreFactsRequest
    | PeeweeScoreFactsRequest
    | WippenScoreFactsRequest
    | WipeScoreFactsRequest
    | Flip7ScoreFactsRequest
)
