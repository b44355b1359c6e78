"""What can be known of the next card of Flip 7, in exact fractions.

Everybody sees all but the order of the deck, so the cards that can come are the same for all: those of the deck, or
once it has run out those that would be shuffled. The figures, for each active seat and as things lie now:

- ``bust``, ``seven``: the chance that the next card, if it came to this seat, busts it, or is its seventh number.
- ``stop``: the points its row scores.
- ``gain``: by how much its points change on average if it takes one more card and stops after it. What the card does in
  its own right counts: a number, a plus and x2 add to the row, the seventh number brings its bonus, a duplicate costs
  the row, or nothing with a Second Chance. Second Chances and Freezes change no points. A Flip Three is taken to be
  given to another seat, and so changes none; if there is no other, it counts as below.
- ``flipThree``: by how much its points change on average if it flips three now, until it is busted or has seven
  numbers. A Second Chance among the three is kept if there is none yet; a Freeze or a Flip Three is one of the three
  and is not followed further, as is a Second Chance too many.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from ...cards import AnyCard, FlipCard
from ...game import Figure, NextCard, Odds
from .deck import COUNTS, DOUBLE, FLIP_THREE, FREEZE, NUMBERS, PLUSES, SECOND_CHANCE
from .resolve import FLIPS
from .scoring import SEVEN, SEVEN_BONUS
from .state import Flip7State
from .table import active_seats, unseen

KINDS: Final = tuple(COUNTS)
"""The kinds of card by number: amounts of cards are tuples in this order, and a row is a set of them as one integer."""
_OF: Final = {card: number for number, card in enumerate(KINDS)}
_NUMBERS: Final = sum(1 << _OF[card] for card in NUMBERS)
_DOUBLE: Final = 1 << _OF[DOUBLE]
_SECOND: Final = 1 << _OF[SECOND_CHANCE]
_FLIP_THREE: Final = _OF[FLIP_THREE]
_FLAT: Final = tuple(NUMBERS.get(card, 0) + PLUSES.get(card, 0) for card in KINDS)
_BITS: Final = tuple(1 << number for number in range(len(KINDS)))
_WITHOUT_EFFECT: Final = _BITS[_OF[FREEZE]] | _BITS[_FLIP_THREE]
_FEEDING: Final = frozenset({_FLIP_THREE, _OF[SECOND_CHANCE]})

Amounts = tuple[int, ...]


def amounts(cards: Counter[FlipCard]) -> Amounts:
    """How many there are of each kind."""
    return tuple(cards[card] for card in KINDS)


class Pile(Struct, frozen=True):
    """The cards of the deck, and those put aside, which make the next deck; `eager` as the option has it."""

    deck: Amounts
    put_aside: Amounts
    eager: bool = False

    def next_cards(self) -> Amounts | None:
        """The cards that may come next; None where no card can be drawn (FA22, FA38)."""
        cards = self.deck if any(self.deck) else self.put_aside
        both = zip(self.deck, self.put_aside, strict=True)
        drawable = any(one or other for kind, (one, other) in enumerate(both) if kind not in _FEEDING)
        return cards if drawable else None

    def without(self, kind: int) -> "Pile":
        """What is left once a card of this kind has come; an eager shuffle follows the last one at once (FA40)."""
        deck, put_aside = (self.deck, self.put_aside) if any(self.deck) else (self.put_aside, _NONE)
        left = (*deck[:kind], deck[kind] - 1, *deck[kind + 1 :])
        if self.eager and not any(left):
            return Pile(put_aside, _NONE, eager=True)
        return Pile(left, put_aside, self.eager)

    def with_put_aside(self, *kinds: int) -> "Pile":
        """What is left once these cards have been put aside."""
        if not kinds:
            return self
        more = tuple(many + kinds.count(kind) for kind, many in enumerate(self.put_aside))
        return Pile(self.deck, more, self.eager)


_NONE: Final = (0,) * len(KINDS)


class Row(Struct, frozen=True):
    """What lies before a seat; so many others, `takers`, could take a Second Chance that is too many here."""

    cards: int
    takers: int = 0

    @classmethod
    def of(cls, cards: Sequence[FlipCard], takers: int = 0) -> "Row":
        """The row of these cards."""
        return cls(sum(_BITS[_OF[card]] for card in cards), takers)

    @property
    def numbers(self) -> int:
        """How many numbers it has."""
        return (self.cards & _NUMBERS).bit_count()

    @property
    def points(self) -> int:
        """What it scores."""
        return self.points_after(_NONE, still=1)

    def points_after(self, cards: Amounts, still: int = 0) -> int:
        """The points after one of these cards, added up over all of them; and over `still` times no card."""
        row = self.cards
        held = [flat for flat, bit in zip(_FLAT, _BITS, strict=True) if row & bit and bit & _NUMBERS]
        factor = 2 if row & _DOUBLE else 1
        pluses = sum(flat for flat, bit in zip(_FLAT, _BITS, strict=True) if row & bit) - sum(held)
        base = factor * sum(held) + pluses + (SEVEN_BONUS if len(held) == SEVEN else 0)
        bonus = SEVEN_BONUS if len(held) == SEVEN - 1 else 0
        duplicate = base if row & _SECOND else 0
        total = still * base
        for ways, flat, bit in zip(cards, _FLAT, _BITS, strict=True):
            if not ways:
                continue
            if not bit & _NUMBERS:
                total += ways * (base + (sum(held) if bit == _DOUBLE else flat))
            elif row & bit:
                total += ways * duplicate
            else:
                total += ways * (base + factor * flat + bonus)
        return total

    def with_card(self, kind: int) -> tuple["Row | None", tuple[int, ...]]:
        """The row after a card of a Flip Three, None where that ends it, and what is put aside for it."""
        bit = _BITS[kind]
        if bit & _WITHOUT_EFFECT:
            return self, ()
        if not self.cards & bit:
            longer = Row(self.cards | bit, self.takers)
            return (None if longer.numbers == SEVEN else longer), ()
        if bit == _SECOND:
            return (Row(self.cards, self.takers - 1), ()) if self.takers else (self, (kind,))
        if self.cards & _SECOND:
            return Row(self.cards & ~_SECOND, self.takers), (kind, _OF[SECOND_CHANCE])
        return None, ()


def after_one(row: Row, pile: Pile) -> Fraction:
    """The points on average after one card; those now where none can come."""
    cards = pile.next_cards()
    return Fraction(row.points) if cards is None else Fraction(row.points_after(cards), sum(cards))


def after_flips(row: Row, pile: Pile, left: int = FLIPS) -> Fraction:
    """The points on average after so many cards of a Flip Three."""
    cards = pile.next_cards() or _NONE
    both = zip(pile.deck, pile.put_aside, strict=True)
    drawable = sum(one + other for kind, (one, other) in enumerate(both) if kind not in _FEEDING)
    size = sum(cards)
    if min(size, drawable) < left:
        return _after_flips(row, pile, left, {})
    flips, scale = flips_of(row, cards)
    return Fraction(flips.points(left), scale * prod(range(size - left + 1, size + 1)))


def _after_flips(row: Row, pile: Pile, left: int, known: dict[tuple[Row, Pile, int], Fraction]) -> Fraction:
    cards = pile.next_cards()
    if left == 1 or cards is None:
        return after_one(row, pile)
    ends = [0] * len(KINDS)
    total = Fraction(0)
    for kind, ways in enumerate(cards):
        if not ways:
            continue
        then, put_aside = row.with_card(kind)
        if then is None:
            ends[kind] = ways
            continue
        key = (then, pile.without(kind).with_put_aside(*put_aside), left - 1)
        if key not in known:
            known[key] = _after_flips(*key, known)
        total += ways * known[key]
    return (total + row.points_after(tuple(ends))) / sum(cards)


class Flips(Struct, frozen=True, gc=False):
    """A row that flips cards of a deck that lasts: what does the same to the row is counted together.

    `new` are the numbers it has not, with how many there are of each; `many` is how many cards that are, `total` what
    they add up to; `duplicates` are all cards of numbers it has. `inert` cards add points or nothing, `each` on
    average; `flat` are the points that are not numbers; both in units of the scale, so that they are whole.
    """

    new: tuple[tuple[int, int], ...]
    many: int
    total: int
    duplicates: int
    seconds: int
    doubles: int
    inert: int
    each: int
    scale: int
    has_second: bool
    numbers: int
    count: int
    factor: int
    flat: int

    def points(self, left: int) -> int:
        """The points after so many cards, in units of the scale, added up over all ways that these can come."""
        cards = self.many + self.duplicates + self.seconds + self.doubles + self.inert
        now = self.scale * self.factor * self.numbers + self.flat
        if left == 1:
            stays = cards - self.duplicates * (not self.has_second)
            bonus = SEVEN_BONUS * self.many if self.count == SEVEN - 1 else 0
            more = self.factor * self.total + self.doubles * self.numbers + bonus
            return stays * now + self.scale * more + self.inert * self.each
        left -= 1
        if self.count == SEVEN - 1:
            ways = prod(range(cards - left, cards))
            total = ways * (self.many * (now + self.scale * SEVEN_BONUS) + self.scale * self.factor * self.total)
        else:
            total = sum(many * self._with(value, many).points(left) for value, many in self.new)
        if self.duplicates and self.has_second:
            total += self.duplicates * replace(self, duplicates=self.duplicates - 1, has_second=False).points(left)
        if self.seconds:
            total += self.seconds * replace(self, seconds=self.seconds - 1, has_second=True).points(left)
        if self.doubles:
            total += replace(self, doubles=0, factor=2).points(left)
        if self.inert:
            total += self.inert * replace(self, inert=self.inert - 1, flat=self.flat + self.each).points(left)
        return total

    def _with(self, value: int, many: int) -> "Flips":
        return Flips(
            tuple([each for each in self.new if each[0] != value]),
            self.many - many,
            self.total - many * value,
            self.duplicates + many - 1,
            self.seconds,
            self.doubles,
            self.inert,
            self.each,
            self.scale,
            self.has_second,
            self.numbers + value,
            self.count + 1,
            self.factor,
            self.flat,
        )


def flips_of(row: Row, cards: Amounts) -> tuple[Flips, int]:
    """A row and the deck as `Flips`, and the scale: all ways of an inert card to come are alike."""
    by_kind = list(zip(_FLAT, cards, _BITS, strict=True))
    held = [flat for flat, _, bit in by_kind if bit & _NUMBERS & row.cards]
    new = tuple((flat, many) for flat, many, bit in by_kind if many and bit & _NUMBERS & ~row.cards)
    others = [(flat, many) for flat, many, bit in by_kind if not bit & (_NUMBERS | _DOUBLE | _SECOND)]
    inert = sum(many for _, many in others)
    scale = max(1, inert)
    flips = Flips(
        new=new,
        many=sum(many for _, many in new),
        total=sum(flat * many for flat, many in new),
        duplicates=sum(many for _, many, bit in by_kind if bit & _NUMBERS & row.cards),
        seconds=cards[_OF[SECOND_CHANCE]],
        doubles=cards[_OF[DOUBLE]],
        inert=inert,
        each=sum(flat * many for flat, many in others),
        scale=scale,
        has_second=bool(row.cards & _SECOND),
        numbers=sum(held),
        count=len(held),
        factor=2 if row.cards & _DOUBLE else 1,
        flat=scale * (row.points - (2 if row.cards & _DOUBLE else 1) * sum(held)),
    )
    return flips, scale


def odds(state: Flip7State) -> Odds:
    """The next card, and the figures of each active seat; between rounds the first card of the next deal, and none."""
    if state.phase == "over":
        return Odds((), ())
    put_aside = Counter(state.discard)
    if state.turn is None:
        put_aside.update(card for row in state.rows for card in row.cards)
    pile = Pile(amounts(unseen(state)), amounts(put_aside), state.options.reshuffle == "eager")
    cards = pile.next_cards() or _NONE
    following = [NextCard(AnyCard(KINDS[kind]), ways, sum(cards)) for kind, ways in enumerate(cards) if ways]
    seats = () if state.turn is None else active_seats(state)
    return Odds(tuple(following), tuple(figure for seat in seats for figure in _figures_of(state, seat, pile, seats)))


def _figures_of(state: Flip7State, seat: int, pile: Pile, active: Sequence[int]) -> list[Figure]:
    takers = [each for each in active if each != seat and SECOND_CHANCE not in state.rows[each].cards]
    row = Row.of(state.rows[seat].cards, len(takers))
    cards = pile.next_cards() or _NONE
    of = max(1, sum(cards))
    duplicates = sum(ways for ways, bit in zip(cards, _BITS, strict=True) if bit & _NUMBERS & row.cards)
    others = sum(ways for ways, bit in zip(cards, _BITS, strict=True) if bit & _NUMBERS & ~row.cards)
    busts = 0 if row.cards & _SECOND else duplicates
    sevenths = others if row.numbers == SEVEN - 1 else 0
    gain = after_one(row, pile) - row.points
    if len(active) == 1 and cards[_FLIP_THREE]:
        flipped = after_flips(row, pile.without(_FLIP_THREE)) - row.points
        gain += flipped * Fraction(cards[_FLIP_THREE], of)
    return [
        _figure("bust", "chance", seat, Fraction(busts, of)),
        _figure("seven", "chance", seat, Fraction(sevenths, of)),
        _figure("stop", "points", seat, Fraction(row.points)),
        _figure("gain", "points", seat, gain),
        _figure("flipThree", "points", seat, after_flips(row, pile) - row.points),
    ]


def _figure(name: str, unit: Literal["chance", "points"], seat: int, value: Fraction) -> Figure:
    return Figure(name, unit, seat, value.numerator, value.denominator)
