"""What requests and responses are made of: their common settings, and a move however the caller wrote it."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from engine import games, moves
from engine.game import LegalMove
from engine.moves import Move
from engine.violations import Malformed

SeatNumber = Annotated[int, Meta(ge=0, le=17)]
State = games.State
"""A state or view of any game."""


class MoveInput:
    """A move however the caller wrote it: as its text, as a tagged object, or as the pair an answer gave.

    It is written as its object, or, where it has `words`, as those.
    """

    __slots__ = ("move", "words")

    def __init__(self, move: Move, words: str | None = None) -> None:
        self.move = move
        self.words = words

    @classmethod
    def in_words(cls, move: Move) -> "MoveInput":
        """The move, to be written as its text."""
        return cls(move, moves.text(move))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MoveInput) and other.move == self.move

    def __hash__(self) -> int:
        return hash(self.move)

    @classmethod
    def of_parts(cls, move: Move | None, text: str | None) -> "MoveInput":
        """The move of an object, a text, or both, which must then agree. Malformed otherwise."""
        if text is None:
            if move is None:
                raise Malformed("$", "neither a move nor its text")
            return cls(move)
        parsed = moves.parse(text)
        if move is not None and move != parsed:
            raise Malformed("$.text", "the move and its text disagree")
        return cls(parsed)


class _Held(Struct):
    """Around a move that is an object: what a struct has in it is taken apart once, a bare union each time."""

    move: Move


_INNER_PATH: Final = "\0"


def from_json(kind: type, value: Any) -> MoveInput:
    """The decoder's hook. Raises ValueError, the path inside the value behind a NUL, as `fault_of` reads it."""
    if kind is not MoveInput:
        raise NotImplementedError(kind)
    try:
        if isinstance(value, str):
            return MoveInput.of_parts(None, value)
        if isinstance(value, dict) and "move" in value:
            pair = msgspec.convert(value, LegalMove)
            return MoveInput.of_parts(pair.move, pair.text)
        return MoveInput(msgspec.convert({"move": value}, _Held).move)
    except Malformed as fault:
        raise ValueError(f"{fault.detail}{_INNER_PATH}{fault.path.removeprefix('$')}") from None
    except msgspec.ValidationError as fault:
        detail, path = fault_of(fault)
        outer = "$" if isinstance(value, dict) and "move" in value else "$.move"
        raise ValueError(f"{detail}{_INNER_PATH}{path.removeprefix(outer)}") from None


def to_json(value: Any) -> Any:
    """The encoder's hook: a move is written as its text, where it is said to be, else as its object."""
    if isinstance(value, MoveInput):
        return value.move if value.words is None else value.words
    raise NotImplementedError(type(value))


_AT: Final = " - at `"


def fault_of(error: Exception) -> tuple[str, str]:
    """What a decoder's error says, and the JSON path of the fault from ``$``."""
    said, _, at = str(error).rpartition(_AT) if _AT in str(error) else (str(error), "", "")
    detail, _, inner = said.partition(_INNER_PATH)
    return detail, (at.removesuffix("`") or "$") + inner


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """What every request shares."""


class Response(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What every response shares."""
