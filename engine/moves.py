"""The one flat union of moves, and the one text form of each: a verb, then its arguments.

`parse` and `text` are inverse. A move says what is done; who does it stands beside it, in a record or a request.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from .cards import AnyCard, Card
from .violations import Malformed

LONGEST_TEXT: Final = 2_000


class Hand(Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a hand: the cards seen, and how many more there are."""

    cards: Annotated[tuple[Card, ...], Meta(max_length=104)] = ()
    hidden: Annotated[int, Meta(ge=0, le=104)] = 0

    def __len__(self) -> int:
        return len(self.cards) + self.hidden


class MoveBase(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", rename="camel", omit_defaults=True
):
    """What every move shares: frozen, strict, tagged by ``type``."""


class Play(MoveBase, frozen=True, tag="play"):
    """Plays a card to a trick."""

    card: Card


class Deal(MoveBase, frozen=True, tag="deal"):
    """Deals: bare where the service holds the cards. Where the caller holds them: the order of the pack, first card
    first, or what each hand is seen to get, with the card turned up."""

    deck: Annotated[tuple[AnyCard, ...], Meta(max_length=104)] | None = None
    hands: Annotated[tuple[Hand, ...], Meta(max_length=18)] | None = None
    turned: Card | None = None


class Draw(MoveBase, frozen=True, tag="draw"):
    """Draws a card: bare where the service holds the cards, else the card that came."""

    card: AnyCard | None = None


class Claim(MoveBase, frozen=True, tag="claim"):
    """Claims that `seat` revoked in trick `trick`, from 1."""

    seat: Annotated[int, Meta(ge=0, le=3)]
    trick: Annotated[int, Meta(ge=1, le=13)]


Penalty = Literal["tricks", "deduct", "add"]


class Choose(MoveBase, frozen=True, tag="choose"):
    """Chooses the penalty for the revoke just claimed: three tricks, three points off theirs, or three on ours."""

    penalty: Penalty


class End(MoveBase, frozen=True, tag="end"):
    """Ends the match: nothing more is claimed."""


Move = Play | Deal | Draw | Claim | Choose | End


def text(move: Move) -> str:
    """The text form of a move.

    >>> text(Play(Card("10d"))), text(Claim(seat=2, trick=4)), text(Draw())
    ('play TD', 'claim 2 4', 'draw')
    """
    match move:
        case Play(card):
            return f"play {card}"
        case Deal(deck, hands, turned):
            return " ".join(["deal", *_deal_words(deck, hands, turned)])
        case Draw(card):
            return f"draw {card}" if card else "draw"
        case Claim(seat, trick):
            return f"claim {seat} {trick}"
        case Choose(penalty):
            return f"choose {penalty}"
        case End():
            return "end"


def parse(words: str) -> Move:
    """The move a text stands for; Malformed (path ``$``) when it stands for none.

    >>> parse("play 10d")
    Play(card=<Card.TD: 'TD'>)
    """
    if len(words) > LONGEST_TEXT:
        raise Malformed("$", f"a move's text has at most {LONGEST_TEXT} characters")
    verb, *arguments = words.split(" ")
    reader = _READERS.get(verb)
    if reader is None:
        raise Malformed("$", f"no move begins with {verb[:20]!r}")
    try:
        return reader(arguments)
    except (ValueError, msgspec.ValidationError) as error:
        raise Malformed("$", f"not the text of a move ({verb}): {error}") from None


def _deal_words(
    deck: Sequence[AnyCard] | None, hands: Sequence[Hand] | None, turned: Card | None
) -> list[str]:
    words: list[str] = []
    if deck is not None:
        words += ["deck", ",".join(deck)]
    if hands is not None:
        words += ["hands", "/".join(f"{','.join(hand.cards)}+{hand.hidden}" for hand in hands)]
    if turned is not None:
        words += ["turned", turned]
    return words


def _read_deal(arguments: Sequence[str]) -> Deal:
    if len(arguments) % 2:
        raise ValueError("a name without a value")
    named = dict(zip(arguments[::2], arguments[1::2], strict=True))
    order = [name for name in ("deck", "hands", "turned") if name in named]
    if order != list(arguments[::2]):
        raise ValueError("deck, hands, turned are given at most once, in that order")
    return Deal(
        deck=tuple(map(AnyCard, named["deck"].split(","))) if "deck" in named else None,
        hands=tuple(_read_hand(part) for part in named["hands"].split("/")) if "hands" in named else None,
        turned=Card(named["turned"]) if "turned" in named else None,
    )


def _read_cards(words: str) -> tuple[Card, ...]:
    return tuple(Card(word) for word in words.split(",")) if words else ()


def _read_hand(words: str) -> Hand:
    cards, hidden = words.split("+")
    return Hand(_read_cards(cards), _read_number(hidden))


def _read_number(word: str) -> int:
    if not (word.isascii() and word.isdigit() and (word == "0" or word[0] != "0")) or len(word) > len("104"):
        raise ValueError(f"{word[:20]!r} is not a small number")
    return int(word)


def _only(arguments: Sequence[str], count: int) -> Sequence[str]:
    if len(arguments) != count:
        raise ValueError(f"takes {count} arguments, not {len(arguments)}")
    return arguments


def _read_play(arguments: Sequence[str]) -> Play:
    (card,) = _only(arguments, 1)
    return Play(Card(card))


def _read_draw(arguments: Sequence[str]) -> Draw:
    return Draw(AnyCard(_only(arguments, 1)[0])) if arguments else Draw()


def _read_claim(arguments: Sequence[str]) -> Claim:
    seat, trick = _only(arguments, 2)
    return msgspec.convert({"type": "claim", "seat": _read_number(seat), "trick": _read_number(trick)}, Claim)


def _read_choose(arguments: Sequence[str]) -> Choose:
    (penalty,) = _only(arguments, 1)
    return msgspec.convert({"type": "choose", "penalty": penalty}, Choose)


def _read_end(arguments: Sequence[str]) -> End:
    _only(arguments, 0)
    return End()


_READERS: Final[dict[str, Callable[[Sequence[str]], Move]]] = {
    "play": _read_play,
    "deal": _read_deal,
    "draw": _read_draw,
    "claim": _read_claim,
    "choose": _read_choose,
    "end": _read_end,
}
