"""The one flat union of moves, and the one text form of each: a verb, then its arguments.

`parse` and `text` are inverse. A move says what is done; who does it stands beside it, in a record or a request.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from .cards import PACK, AnyCard, Card, FlipCard, Strain, in_order
from .violations import Malformed

LONGEST_TEXT: Final = 2_000


class Hand(Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a hand: the cards seen, and how many more there are."""

    cards: Annotated[tuple[Card, ...], Meta(max_length=104)] = ()
    hidden: Annotated[int, Meta(ge=0, le=104)] = 0

    def __len__(self) -> int:
        return len(self.cards) + self.hidden


class MoveBase(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", rename="camel", omit_defaults=True):
    """What every move shares: frozen, strict, tagged by ``type``."""


CardSet = Annotated[tuple[Card, ...], Meta(max_length=104)]
BuildId = Annotated[int, Meta(ge=1, le=104)]
BuildIds = Annotated[tuple[BuildId, ...], Meta(max_length=104)]
BuildValue = Annotated[int, Meta(ge=1, le=13)]
HeapOwners = Annotated[tuple[Annotated[int, Meta(ge=0, le=17)], ...], Meta(max_length=18)]


class Play(MoveBase, frozen=True, tag="play"):
    """Plays a card to a trick."""

    card: Card


PLAYS: Final[dict[Card, Play]] = {card: Play(card) for card in PACK}
"""Each card played: what is never changed need not be made twice."""


class Deal(MoveBase, frozen=True, tag="deal"):
    """Deals: bare where the service holds the cards.

    Where the caller holds them: the order of the pack, first card first, or what each hand is seen to get, with the
    card turned up and the cards laid open beside the hands where there are such.
    """

    deck: Annotated[tuple[AnyCard, ...], Meta(max_length=104)] | None = None
    hands: Annotated[tuple[Hand, ...], Meta(max_length=18)] | None = None
    turned: Card | None = None
    layout: CardSet | None = None


BARE_DEAL: Final = Deal()
"""What a seat does where the service holds the cards."""


class Draw(MoveBase, frozen=True, tag="draw"):
    """Draws a card: bare where the service holds the cards, else the card that came."""

    card: AnyCard | None = None


class Expose(MoveBase, frozen=True, tag="expose"):
    """Tells a view the cards of a hand that has just been laid open."""

    cards: Annotated[tuple[Card, ...], Meta(min_length=1, max_length=13)]


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


class Bid(MoveBase, frozen=True, tag="bid"):
    """Bids to take so many tricks, the strain being trumps, or without trumps."""

    tricks: Annotated[int, Meta(ge=1, le=13)]
    strain: Strain


class Pass(MoveBase, frozen=True, tag="pass"):
    """Bids nothing."""


class Dare(MoveBase, frozen=True, tag="dare"):
    """Raises the stake on the opponents' bid."""


class DoubleDare(MoveBase, frozen=True, tag="doubleDare"):
    """Raises the stake once more on the own side's bid, which was dared."""


Call = Bid | Pass | Dare | DoubleDare


class Capture(MoveBase, frozen=True, tag="capture"):
    """Takes cards of the layout, builds, and the last tricks or the whole of other heaps, with a card from the hand.

    All four are sets: their order means nothing, and is put right where a move is made.
    """

    card: Card
    take: CardSet = ()
    builds: BuildIds = ()
    tricks: HeapOwners = ()
    announce: Annotated[tuple[Literal["wipe"], ...], Meta(max_length=1)] = ()
    crossed: bool | None = None
    heaps: HeapOwners = ()

    def __post_init__(self) -> None:
        force_setattr(self, "take", in_order(self.take))
        force_setattr(self, "builds", _each_once(self.builds))
        force_setattr(self, "tricks", _each_once(self.tricks))
        force_setattr(self, "heaps", _each_once(self.heaps))


class Build(MoveBase, frozen=True, tag="build"):
    """Lays a card together with cards of the layout, as a new build of a value that is said."""

    card: Card
    cards: CardSet
    value: BuildValue

    def __post_init__(self) -> None:
        force_setattr(self, "cards", in_order(self.cards))


class Extend(MoveBase, frozen=True, tag="extend"):
    """Adds a card, with cards of the layout or alone, to a build as one more group of the same value."""

    card: Card
    build: BuildId
    cards: CardSet = ()

    def __post_init__(self) -> None:
        force_setattr(self, "cards", in_order(self.cards))


class Raise(MoveBase, frozen=True, tag="raise"):
    """Adds a card to a build, which gets a higher value; with cards of the layout where that is agreed."""

    card: Card
    build: BuildId
    value: BuildValue
    cards: CardSet = ()

    def __post_init__(self) -> None:
        force_setattr(self, "cards", in_order(self.cards))


class Trail(MoveBase, frozen=True, tag="trail"):
    """Lays a card open in the layout."""

    card: Card


class Hit(MoveBase, frozen=True, tag="hit"):
    """Takes a card."""


class Stay(MoveBase, frozen=True, tag="stay"):
    """Stops: the points are safe, and the round goes on without the seat."""


class Give(MoveBase, frozen=True, tag="give"):
    """Gives an action card to a seat, perhaps the own."""

    card: FlipCard
    to: Annotated[int, Meta(ge=0, le=17)]


class Close(MoveBase, frozen=True, tag="close"):
    """Turns over all that the side has won, with a complete set among it: nobody can take it any more."""


class Announce(MoveBase, frozen=True, tag="announce"):
    """Says aloud what must be said: that this is the last deal."""

    what: Literal["lastDeal"]


class Strike(MoveBase, frozen=True, tag="strike"):
    """Strikes one of a side's wipes, for cheating or bad faith. It is the host's, not a seat's."""

    side: Annotated[int, Meta(ge=0, le=17)]


def _each_once(numbers: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(numbers)) < len(numbers):
        raise ValueError("one is named twice")
    return tuple(sorted(numbers))


Move = (
    Play
    | Deal
    | Draw
    | Expose
    | Claim
    | Choose
    | End
    | Bid
    | Pass
    | Dare
    | DoubleDare
    | Capture
    | Build
    | Extend
    | Raise
    | Trail
    | Hit
    | Stay
    | Give
    | Close
    | Announce
    | Strike
)


def text(move: Move) -> str:
    """The text form of a move.

    >>> text(Play(Card("10d"))), text(Claim(seat=2, trick=4)), text(Draw())
    ('play TD', 'claim 2 4', 'draw')
    """
    match move:
        case Play(card):
            return f"play {card}"
        case Deal(deck, hands, turned, layout):
            return " ".join(["deal", *_deal_words(deck, hands, turned, layout)])
        case Draw(card):
            return f"draw {card}" if card else "draw"
        case Expose(cards):
            return f"expose {','.join(cards)}"
        case Claim(seat, trick):
            return f"claim {seat} {trick}"
        case Choose(penalty):
            return f"choose {penalty}"
        case End():
            return "end"
        case Capture() | Build() | Extend() | Raise():
            return " ".join([move.__struct_config__.tag, move.card, *_fishing_words(move)])  # type: ignore[list-item]
        case Trail(card):
            return f"trail {card}"
        case Bid(tricks, strain):
            return f"bid {tricks}{strain}"
        case Announce(what):
            return f"announce {what}"
        case Strike(side):
            return f"strike {side}"
        case Pass() | Dare() | DoubleDare() | Hit() | Stay() | Close():
            return move.__struct_config__.tag  # type: ignore[return-value]
        case Give(card, to):
            return f"give {card} {to}"


@lru_cache(maxsize=8_192)
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
        move: Move = msgspec.convert(msgspec.to_builtins(reader(arguments)), Move)
    except (ValueError, msgspec.ValidationError) as error:
        detail = str(error).partition(" - at `")[0]
        raise Malformed("$", f"not the text of a move ({verb}): {detail}") from None
    return move


def _deal_words(
    deck: Sequence[AnyCard] | None,
    hands: Sequence[Hand] | None,
    turned: Card | None,
    layout: Sequence[Card] | None,
) -> list[str]:
    words: list[str] = []
    if deck is not None:
        words += ["deck", ",".join(deck)]
    if hands is not None:
        words += ["hands", "/".join(f"{','.join(hand.cards)}+{hand.hidden}" for hand in hands)]
    if turned is not None:
        words += ["turned", turned]
    if layout is not None:
        words += ["layout", ",".join(layout)]
    return words


def _fishing_words(move: Capture | Build | Extend | Raise) -> list[str]:
    words: list[str] = []
    match move:
        case Capture():
            named = (move.take, move.builds, move.tricks, move.heaps, move.announce)
            for name, things in zip(("take", "builds", "tricks", "heaps", "announce"), named, strict=True):
                if things:
                    words += [name, ",".join(map(str, things))]
            if move.crossed is not None:
                words += ["crossed", "yes" if move.crossed else "no"]
        case Build():
            words += ["cards", ",".join(move.cards), "value", str(move.value)]
        case Extend() | Raise():
            words += ["build", str(move.build)]
            if move.cards:
                words += ["cards", ",".join(move.cards)]
            if isinstance(move, Raise):
                words += ["value", str(move.value)]
    return words


def _read_deal(arguments: Sequence[str]) -> Deal:
    named = _named(arguments, "deck", "hands", "turned", "layout")
    return Deal(
        deck=tuple(map(AnyCard, named["deck"].split(","))) if "deck" in named else None,
        hands=tuple(_read_hand(part) for part in named["hands"].split("/")) if "hands" in named else None,
        turned=Card(named["turned"]) if "turned" in named else None,
        layout=_read_cards(named["layout"]) if "layout" in named else None,
    )


def _named(arguments: Sequence[str], *names: str) -> dict[str, str]:
    if len(arguments) % 2:
        raise ValueError("a name without a value")
    named = dict(zip(arguments[::2], arguments[1::2], strict=True))
    if [name for name in names if name in named] != list(arguments[::2]):
        raise ValueError(f"{', '.join(names)} are given at most once, in that order")
    return named


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


def _read_expose(arguments: Sequence[str]) -> Expose:
    (cards,) = _only(arguments, 1)
    return Expose(_read_cards(cards))


def _read_claim(arguments: Sequence[str]) -> Claim:
    seat, trick = _only(arguments, 2)
    return msgspec.convert({"type": "claim", "seat": _read_number(seat), "trick": _read_number(trick)}, Claim)


def _read_choose(arguments: Sequence[str]) -> Choose:
    (penalty,) = _only(arguments, 1)
    return msgspec.convert({"type": "choose", "penalty": penalty}, Choose)


def _read_bid(arguments: Sequence[str]) -> Bid:
    (words,) = _only(arguments, 1)
    strain = words.lstrip("0123456789")
    tricks = _read_number(words.removesuffix(strain))
    return msgspec.convert({"type": "bid", "tricks": tricks, "strain": Strain(strain)}, Bid)


def _read_capture(arguments: Sequence[str]) -> Capture:
    card, *rest = arguments
    named = _named(rest, "take", "builds", "tricks", "heaps", "announce", "crossed")
    fields = {
        "type": "capture",
        "card": Card(card),
        "take": _read_cards(named.get("take", "")),
        "builds": _read_numbers(named.get("builds", "")),
        "tricks": _read_numbers(named.get("tricks", "")),
        "heaps": _read_numbers(named.get("heaps", "")),
        "announce": named["announce"].split(",") if "announce" in named else (),
        "crossed": {"yes": True, "no": False}.get(named["crossed"], named["crossed"]) if "crossed" in named else None,
    }
    return msgspec.convert(fields, Capture)


def _read_build(arguments: Sequence[str]) -> Build:
    card, *rest = arguments
    named = _named(rest, "cards", "value")
    fields = {"cards": _read_cards(named.get("cards", "")), "value": _read_number(named.get("value", ""))}
    return msgspec.convert({"type": "build", "card": Card(card), **fields}, Build)


def _read_extend(arguments: Sequence[str]) -> Extend:
    card, *rest = arguments
    named = _named(rest, "build", "cards")
    fields = {"build": _read_number(named.get("build", "")), "cards": _read_cards(named.get("cards", ""))}
    return msgspec.convert({"type": "extend", "card": Card(card), **fields}, Extend)


def _read_raise(arguments: Sequence[str]) -> Raise:
    card, *rest = arguments
    named = _named(rest, "build", "cards", "value")
    fields = {
        "build": _read_number(named.get("build", "")),
        "cards": _read_cards(named.get("cards", "")),
        "value": _read_number(named.get("value", "")),
    }
    return msgspec.convert({"type": "raise", "card": Card(card), **fields}, Raise)


def _read_numbers(words: str) -> tuple[int, ...]:
    return tuple(map(_read_number, words.split(","))) if words else ()


def _read_trail(arguments: Sequence[str]) -> Trail:
    (card,) = _only(arguments, 1)
    return Trail(Card(card))


def _bare(move: Move) -> Callable[[Sequence[str]], Move]:
    def read(arguments: Sequence[str]) -> Move:
        _only(arguments, 0)
        return move

    return read


def _read_give(arguments: Sequence[str]) -> Give:
    card, to = _only(arguments, 2)
    return msgspec.convert({"type": "give", "card": FlipCard(card), "to": _read_number(to)}, Give)


def _read_announce(arguments: Sequence[str]) -> Announce:
    (what,) = _only(arguments, 1)
    return msgspec.convert({"type": "announce", "what": what}, Announce)


def _read_strike(arguments: Sequence[str]) -> Strike:
    (side,) = _only(arguments, 1)
    return Strike(_read_number(side))


_READERS: Final[dict[str, Callable[[Sequence[str]], Move]]] = {
    "play": _read_play,
    "deal": _read_deal,
    "draw": _read_draw,
    "expose": _read_expose,
    "claim": _read_claim,
    "choose": _read_choose,
    "end": _bare(End()),
    "bid": _read_bid,
    "pass": _bare(Pass()),
    "dare": _bare(Dare()),
    "doubleDare": _bare(DoubleDare()),
    "capture": _read_capture,
    "build": _read_build,
    "extend": _read_extend,
    "raise": _read_raise,
    "trail": _read_trail,
    "hit": _bare(Hit()),
    "stay": _bare(Stay()),
    "give": _read_give,
    "close": _bare(Close()),
    "announce": _read_announce,
    "strike": _read_strike,
}
