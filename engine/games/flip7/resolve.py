"""How a round of Flip 7 goes on by itself: cards are dealt, drawn and take effect until somebody must decide.

Nothing is drawn while a choice is open. What is pending is settled in this order: a card just turned that must be
given (`held`), the innermost Flip Three, the actions already given, first in first out; then the deal or the next turn.
"""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from ...cards import FlipCard
from ...events import (
    AskedForCard,
    Busted,
    Discarded,
    Event,
    Flipped,
    FlippedSeven,
    FlipThreeBegan,
    Frozen,
    Given,
    Reshuffled,
    RoundBegan,
    Saved,
    Scored,
    SetAside,
    Stayed,
)
from ...game import Turn, since_deal
from ...rng import Stream, seed_bytes
from ...sheet import Sheet
from .deck import (
    ACTIONS,
    DECK,
    FLIP_THREE,
    FREEZE,
    NUMBERS,
    SECOND_CHANCE,
    can_be_drawn,
    feeds,
    in_deck_order,
)
from .scoring import SEVEN, match_is_over, match_sheet, points_of, round_sheet
from .state import Flip7Deck, Flip7FlipThree, Flip7Given, Flip7Held, Flip7Row, Flip7State, Phase, Status

FLIPS: Final = 3


class _Row:
    __slots__ = ("cards", "status")

    def __init__(self, cards: list[FlipCard], status: Status = "active") -> None:
        self.cards = cards
        self.status = status


class _FlipThree:
    __slots__ = ("left", "seat", "set_aside")

    def __init__(self, seat: int, left: int, set_aside: list[FlipCard]) -> None:
        self.seat = seat
        self.left = left
        self.set_aside = set_aside


class Resolution:
    """A state thawed for the time of one move, or of many: `hit`, `stay`, `give`, `draw` or `deal`, then `frozen`.

    `events` are what they lead to, unless nobody is told (`told`).
    """

    def __init__(self, state: Flip7State, *, told: bool = True) -> None:
        self.state = state
        self.told = told
        self.options = state.options
        self.seats = list(range(len(state.rows)))
        self.events: list[Event] = []
        self.phase: Phase = state.phase
        self.acting: int | None = None if state.to_act is None else state.to_act.seat
        self.round = state.round
        self.dealer = state.dealer
        self.shuffles = state.shuffles
        self.totals = state.totals
        self.rows = [_Row(list(row.cards), row.status) for row in state.rows]
        self.deck = list(reversed(state.deck.cards))
        self.hidden = state.deck.hidden
        self.discard = list(state.discard)
        self.turn = state.turn
        self.dealing = state.dealing
        self.owed = state.owed
        self.offered = set(state.offered)
        self.held = state.held
        self.flip_threes = [_FlipThree(each.seat, each.left, list(each.set_aside)) for each in state.flip_threes]
        self.given = list(state.given)

    def frozen(self) -> Flip7State:
        """The state that it has come to."""
        state = self.state
        return replace(
            state,
            phase=self.phase,
            dealer=self.dealer,
            to_act=None if self.acting is None else Turn(self.acting, self.acting),
            round=self.round,
            shuffles=self.shuffles,
            totals=self.totals,
            rows=self._rows(),
            deck=Flip7Deck(cards=tuple(reversed(self.deck)), hidden=self.hidden),
            discard=tuple(self.discard),
            turn=self.turn,
            dealing=self.dealing,
            owed=self.owed,
            offered=tuple(sorted(self.offered)),
            held=self.held,
            flip_threes=tuple(
                Flip7FlipThree(seat=each.seat, left=each.left, set_aside=tuple(each.set_aside))
                for each in self.flip_threes
            ),
            given=tuple(self.given),
            log=() if state.viewer is not None else since_deal((*state.log, *self.events)),
        )

    def _tell(self, event: Callable[..., Event], *what: object) -> None:
        if self.told:
            self.events.append(event(*what))

    def _rows(self) -> tuple[Flip7Row, ...]:
        return tuple(Flip7Row(cards=tuple(row.cards), status=row.status) for row in self.rows)

    # --- what is decided or told

    def deal(self) -> None:
        """Clears the table without shuffling (F-15) and deals the next round (F-2)."""
        if self.round:
            self.dealer = (self.dealer + 1) % len(self.rows)
        self.round += 1
        for row in self.rows:
            self.discard += row.cards
        self.rows = [_Row([]) for _ in self.seats]
        self._tell(RoundBegan, self.round, self.dealer)
        if not self.shuffles:
            self.shuffles = 1
            if self.state.seed is not None:
                self.deck, self.hidden = self._shuffled(DECK), 0
        self.turn, self.dealing = None, True
        self._go_on()

    def hit(self) -> None:
        """The seat to act takes a card."""
        assert self.acting is not None
        if self.told:
            self._tell(AskedForCard, self.acting)
        if self._draw_for(self.acting):
            self._go_on()

    def stay(self) -> None:
        """The seat to act stops."""
        assert self.acting is not None
        self._stop(self.acting)
        self._go_on()

    def give(self, to: int) -> None:
        """The seat to act gives the card it must give."""
        assert self.acting is not None
        held, self.held = self.held, None
        if held is not None:
            self._tell(Given, held.seat, held.card, to)
            if held.card is SECOND_CHANCE:
                self.rows[to].cards.append(SECOND_CHANCE)
                self._settle_flip(held.seat)
            else:
                self._take_effect(held.card, to)
        else:
            flip_three = self.flip_threes[-1]
            card = flip_three.set_aside.pop(0)
            if not flip_three.set_aside:
                self.flip_threes.pop()
            self._tell(Given, flip_three.seat, card, to)
            if self.options.set_aside == "oneByOne":
                self._take_effect(card, to)
            else:
                self.given.append(Flip7Given(card=card, to=to))
        self._go_on()

    def draw(self, card: FlipCard) -> None:
        """The card that came for the seat to act, told by who holds the deck."""
        assert self.acting is not None
        self.hidden -= 1
        self._turned(self.acting, card)
        self._go_on()

    def awaits(self, phase: Phase, seat: int) -> bool:
        """Whether it is this seat's to do what the phase asks for."""
        return self.phase == phase and self.acting == seat

    def to_give(self) -> FlipCard:
        """The card that must be given now."""
        return self.flip_threes[-1].set_aside[0] if self.held is None else self.held.card

    def may_give(self, card: FlipCard, to: int) -> bool:
        """Whether just this card must be given now, and may go to this seat."""
        can_take = self._may_get_second_chance(to) if card is SECOND_CHANCE else self.rows[to].status == "active"
        return card is self.to_give() and can_take

    # --- what goes on by itself

    def _go_on(self) -> None:
        while not self._is_over() and self._step():
            pass

    def _is_over(self) -> bool:
        return self.turn is None and not self.dealing

    def _step(self) -> bool:
        """Does the next thing; False where somebody must decide or tell a card, or the round is over."""
        if self._next_active(self.dealer) is None:
            return self._finish()
        if self.held is not None:
            return self._wait("give", self.held.seat)
        if self.flip_threes:
            flip_three = self.flip_threes[-1]
            if not flip_three.left:
                return self._wait("give", flip_three.seat)
            if self._can_draw():
                return self._draw_for(flip_three.seat)
            return self._end_flip_three(flip_three)
        if self.given:
            given = self.given.pop(0)
            if self.rows[given.to].status == "active":
                self._take_effect(given.card, given.to)
            else:
                self._put_aside(given.card)
            return True
        return self._deal_on() if self.dealing else self._ask(self._next_active(self.turn))

    def _wait(self, phase: Phase, seat: int | None) -> bool:
        self.phase, self.acting = phase, seat
        return False

    def _deal_on(self) -> bool:
        """Deals the next first card: to the turn's seat once more if it is owed one, else to the next active seat."""
        if not self.owed or self.turn is None or self.rows[self.turn].status != "active":
            position = 0 if self.turn is None else self._deal_position(self.turn) + 1
            self.turn = self._next_to_be_dealt(position)
            if self.turn is not None and self.offered:
                position = self._deal_position(self.turn)
                self.offered = {seat for seat in self.offered if self._deal_position(seat) >= position}
        self.owed = False
        if self.turn is None:
            self.dealing, self.offered = False, set()
            return self._ask(self._next_active(self.dealer))
        if self.turn in self.offered:
            return self._ask(self.turn)
        return self._draw_for(self.turn) if self._can_draw() else self._bank_all()

    def _next_to_be_dealt(self, position: int) -> int | None:
        """The first active seat that is dealt to at this position or later."""
        for later in range(position, len(self.rows)):
            seat = (self.dealer + 1 + later) % len(self.rows)
            if self.rows[seat].status == "active":
                return seat
        return None

    def _deal_position(self, seat: int) -> int:
        return (seat - self.dealer - 1) % len(self.rows)

    def _next_active(self, seat: int | None) -> int | None:
        """The next active seat clockwise, the given one last."""
        assert seat is not None
        for step in range(1, len(self.rows) + 1):
            each = (seat + step) % len(self.rows)
            if self.rows[each].status == "active":
                return each
        return None

    def _ask(self, seat: int | None) -> bool:
        self.turn = seat
        return self._wait("turns", seat) if self._can_draw() else self._bank_all()

    def _stop(self, seat: int, *, forced: bool = False) -> None:
        self.rows[seat].status = "stayed"
        self._tell(Stayed, seat, forced)

    def _bank_all(self) -> bool:
        """No card is left to draw: everybody still active banks, and the round ends (FA22, FA39)."""
        for seat in sorted(self.seats, key=self._deal_position):
            if self.rows[seat].status == "active":
                self._stop(seat, forced=True)
        return self._finish()

    # --- the deck

    def _can_draw(self) -> bool:
        if can_be_drawn(self.deck) or can_be_drawn(self.discard):
            return True
        known = [*self.discard, *self._leftovers(), *(given.card for given in self.given)]
        known += [card for row in self.rows for card in row.cards]
        return self.hidden > sum(map(feeds, DECK)) - sum(map(feeds, known))

    def _draw_for(self, seat: int) -> bool:
        """Turns the next card over for a seat; False where who holds the deck must tell it."""
        if not self.deck and not self.hidden:
            self._reshuffle()
        if not self.deck:
            return self._wait("draw", seat)
        self._turned(seat, self.deck.pop())
        return True

    def _reshuffle(self) -> None:
        """Makes a deck of what is put aside; what lies on the table stays (F-16, FA21)."""
        cards = in_deck_order(self.discard)
        self.discard = []
        self.shuffles += 1
        if self.state.seed is None:
            self.hidden = len(cards)
        else:
            self.deck = self._shuffled(cards)
        self._tell(Reshuffled, len(cards))

    def _shuffled(self, cards: tuple[FlipCard, ...]) -> list[FlipCard]:
        """The cards in the order of the seed's shuffle of this number, the first to be drawn last."""
        assert self.state.seed is not None
        order = Stream(seed_bytes(self.state.seed), "shuffle", self.shuffles).shuffled(cards)
        return list(reversed(order))

    def _put_aside(self, *cards: FlipCard) -> None:
        self.discard += cards
        self._tell(Discarded, cards)

    # --- what cards do

    def _turned(self, seat: int, card: FlipCard) -> None:
        if self.told:
            self._tell(Flipped, seat, card)
        if self.options.reshuffle == "eager" and self.discard and not self.deck and not self.hidden:
            self._reshuffle()
        row = self.rows[seat]
        is_dealt = self.dealing and not self.flip_threes and seat not in self.offered
        if is_dealt and self.options.deal_replace_action and card in ACTIONS:
            self.owed = True
        if card in NUMBERS:
            self._number_turned(seat, card)
        elif card is SECOND_CHANCE:
            self._second_chance_turned(seat)
        elif card not in ACTIONS:
            row.cards.append(card)
        elif self.flip_threes:
            self.flip_threes[-1].set_aside.append(card)
            self._tell(SetAside, seat, card)
        else:
            self.held = Flip7Held(seat=seat, card=card)
        if self.held is None:
            self._settle_flip(seat)

    def _number_turned(self, seat: int, card: FlipCard) -> None:
        row = self.rows[seat]
        if card not in row.cards:
            row.cards.append(card)
            if len(row.cards) >= SEVEN and len([each for each in row.cards if each in NUMBERS]) == SEVEN:
                self._tell(FlippedSeven, seat)
                self._finish()
        elif SECOND_CHANCE in row.cards:
            row.cards.remove(SECOND_CHANCE)
            self.discard += (card, SECOND_CHANCE)
            self._tell(Saved, seat, card)
        else:
            row.cards.append(card)
            row.status = "busted"
            self._tell(Busted, seat, card)
            self._drop_flip_threes(seat)

    def _second_chance_turned(self, seat: int) -> None:
        """Kept, unless there is one already or it may be given away (F-11, F-12, FA8 to FA10)."""
        takers = [each for each in self.seats if self._may_get_second_chance(each)]
        if seat in takers and not self.options.second_chance_gift:
            self.rows[seat].cards.append(SECOND_CHANCE)
        elif takers:
            self.held = Flip7Held(seat=seat, card=SECOND_CHANCE)
        else:
            self._put_aside(SECOND_CHANCE)

    def _may_get_second_chance(self, seat: int) -> bool:
        return self.rows[seat].status == "active" and SECOND_CHANCE not in self.rows[seat].cards

    def _take_effect(self, card: FlipCard, to: int) -> None:
        if card is FREEZE:
            self.rows[to].cards.append(FREEZE)
            self.rows[to].status = "frozen"
            self._tell(Frozen, to)
            return
        self.flip_threes.append(_FlipThree(to, FLIPS, []))
        self._tell(FlipThreeBegan, to)
        if self.dealing and self.options.initial_deal_after_flip3 == "offer" and self._is_to_be_dealt(to):
            self.offered.add(to)

    def _is_to_be_dealt(self, seat: int) -> bool:
        assert self.turn is not None
        return self.owed if seat == self.turn else self._deal_position(seat) > self._deal_position(self.turn)

    def _settle_flip(self, seat: int) -> None:
        """Counts a card of the innermost Flip Three, if this was one of it."""
        if self.flip_threes and self.flip_threes[-1].left and self.flip_threes[-1].seat == seat:
            self.flip_threes[-1].left -= 1
            if not self.flip_threes[-1].left:
                self._end_flip_three(self.flip_threes[-1])

    def _end_flip_three(self, flip_three: _FlipThree) -> bool:
        """Its draws are over: the card is discarded (FA24), and what was set aside is given next, if anything was."""
        flip_three.left = 0
        self._put_aside(FLIP_THREE)
        if not flip_three.set_aside:
            self.flip_threes.pop()
        return True

    def _drop_flip_threes(self, seat: int) -> None:
        """A busted seat's Flip Threes end, and what was set aside in them comes to nothing (FA17, FA41)."""
        dropped = list(self._leftovers(seat))
        self.flip_threes = [each for each in self.flip_threes if each.seat != seat]
        if dropped:
            self._put_aside(*dropped)

    def _leftovers(self, seat: int | None = None) -> Iterator[FlipCard]:
        for flip_three in self.flip_threes:
            if seat in (None, flip_three.seat):
                if flip_three.left:
                    yield FLIP_THREE
                yield from flip_three.set_aside

    # --- the end of a round

    def _finish(self) -> bool:
        """Ends the round for all: what is pending is discarded (FA37), rows stay, and everybody not busted scores."""
        leftovers = (*self._leftovers(), *(given.card for given in self.given))
        if leftovers:
            self._put_aside(*leftovers)
        self.flip_threes, self.given = [], []
        self.turn, self.dealing, self.owed, self.offered = None, False, False, set()
        points = [0 if row.status == "busted" else points_of(row.cards) for row in self.rows]
        self.totals = tuple([before + scored for before, scored in zip(self.totals, points, strict=True)])
        if self.told:
            self._tell(Scored, self.round_sheet())
        if match_is_over(self.options, self.totals):
            if self.told:
                self._tell(Scored, match_sheet(self.options, self.totals, self.round))
            return self._wait("over", None)
        return self._wait("roundOver", (self.dealer + 1) % len(self.rows))

    def round_sheet(self) -> Sheet:
        """The sheet of the round as the rows lie."""
        return round_sheet([(tuple(row.cards), row.status == "busted") for row in self.rows], self.totals)
