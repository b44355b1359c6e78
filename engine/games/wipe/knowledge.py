"""What is known of the cards that a view of Le Wipe does not show, from the round's events so far.

Who built held a card of the build's value, and plays it before it is gone from his hand. Where laying a card down is
forbidden to whom can capture, who laid one down could not, with any card he held.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from ...cards import WHOLE_PACK, Card, card_set, iter_cards
from ...events import Announced, Built, Captured, Closed, Dealt, Event, Extended, Raised, Redealt, Trailed, WipeEntered
from ...game import HOST
from ...mechanics.builds import LayoutBuild
from ...mechanics.holding import NO_NEEDS, Covered, Facts, Holder, Known, Needs
from ...mechanics.layout import value_of
from ...moves import Announce, Build, Capture, Close, Deal, Extend, Hand, Move, Raise, Strike, Trail
from .options import WipeOptions
from .play import advance, with_turn
from .state import WipeState, WipeTally
from .table import known_cards
from .takings import capturing_values

# --- the round's events as moves


def move_of(state: WipeState, event: Event) -> tuple[Move, int] | None:
    """The move that an event tells of, and whose it is; None where the event follows from another."""
    match event:
        case Redealt(_, hands):
            return Deal(hands=hands), state.dealer
        case Captured():
            return Capture(
                event.card, event.take, event.builds, event.tricks, event.announce, event.crossed, event.heaps
            ), event.seat
        case Built():
            return Build(event.card, event.cards, event.value), event.seat
        case Extended():
            return Extend(event.card, event.build, event.cards), event.seat
        case Raised():
            return Raise(event.card, event.build, event.value, event.cards), event.seat
        case Trailed():
            return Trail(event.card), event.seat
        case Closed():
            return Close(), event.seat
        case Announced() if state.options.last_deal_announcement == "required":
            return Announce("lastDeal"), event.seat
        case WipeEntered(side, "struck", _):
            return Strike(side), HOST
    return None


def before_round(state: WipeState, events: Iterable[Event]) -> WipeState:
    """The state in which the round's first deal was still to come, as far as the state and the events tell."""
    entered = Counter((event.side, event.entry) for event in events if isinstance(event, WipeEntered))
    wipes = tuple(
        WipeTally(
            **{
                entry: max(0, getattr(tally, entry) - entered[side, entry])  # type: ignore[index]
                for entry in WipeTally.__struct_fields__
            }
        )
        for side, tally in enumerate(state.wipes)
    )
    return replace(
        state,
        rounds=state.rounds - 1,
        deals=0,
        hands=(Hand(),) * len(state.hands),
        stock=Hand(),
        layout=(),
        builds=(),
        heaps=(),
        last_taker=None,
        just_took=False,
        announced=False,
        wipes=wipes,
        score=state.score if state.score_before is None else state.score_before,
        score_before=None,
        past=None,
        history=None,
    )


def first_deal(event: Event) -> Deal | None:
    """The deal that an event tells of, if it is a round's first."""
    if not isinstance(event, Dealt) or event.layout is None:
        return None
    return Deal(hands=event.hands, layout=event.layout)


def steps(state: WipeState, events: Sequence[Event]) -> Iterator[tuple[WipeState, Move, int, WipeState]]:
    """The moves behind a round's events: state before, move, seat, state after. The events are possible."""
    deal = first_deal(events[0]) if events else None
    if deal is None:
        return
    now, _ = advance(with_turn(before_round(state, events)), deal, state.dealer)
    for event in events[1:]:
        found = move_of(now, event)
        if found is not None:
            after, _ = advance(now, *found)
            yield now, *found, after
            now = after


# --- what they tell of the hands


NOTHING_KNOWN: Final = Facts()


def facts_of(state: WipeState) -> list[Facts]:
    """What is proved of each hand."""
    facts = [NOTHING_KNOWN] * len(state.hands)
    if state.history and _tell_something(state, state.history):
        for before, move, seat, after in steps(state, state.history):
            facts = learnt(facts, before, move, seat, after)
    return with_owed(state, facts)


def _tell_something(state: WipeState, events: Sequence[Event]) -> bool:
    """Whether something of the deal at hand can prove anything: builds, and laying down where that is restricted."""
    last = max((index for index, event in enumerate(events) if isinstance(event, Dealt | Redealt)), default=0)
    telling: tuple[type[Event], ...] = (Built, Extended, Raised)
    if state.options.forced_capture == "hand":
        telling += (Trailed,)
    return any(isinstance(event, telling) for event in events[last:])


def learnt(facts: list[Facts], before: WipeState, move: Move, seat: int, after: WipeState) -> list[Facts]:
    """The facts once a move has been made."""
    match move:
        case Deal():
            return [NOTHING_KNOWN] * len(facts)
        case Capture() | Build() | Extend() | Raise() | Trail():
            learns = facts[seat].after(value_of(move.card), _kept(move, after), _lacked(before, move, seat))
            return [*facts[:seat], learns, *facts[seat + 1 :]]
    return facts


def with_owed(state: WipeState, facts: Sequence[Facts]) -> list[Facts]:
    """The facts, and what the hands must hold for the builds that lie there."""
    owed = owed_holdings(state.options, state.builds, len(state.hands))
    return [
        Facts(known.never, Counter(known.holds) | holds) if holds else known
        for known, holds in zip(facts, owed, strict=True)
    ]


def _kept(move: Move, after: WipeState) -> dict[int, int]:
    """What was held after a move: a card of the value built."""
    match move:
        case Build() | Raise():
            return {move.value: 1}
        case Extend():
            return {build.value: 1 for build in after.builds if build.id == move.build}
    return {}


def _lacked(before: WipeState, move: Move, seat: int) -> int:
    """What was not held when a card was laid down: what could have captured, where that forbids it (LA1)."""
    if not isinstance(move, Trail) or before.options.forced_capture != "hand":
        return 0
    return sum(1 << value for value in capturing_values(before, seat))


def owed_holdings(options: WipeOptions, builds: Iterable[LayoutBuild], seats: int) -> list[Counter[int]]:
    """By seat, how many cards of a value must stay held for the builds it owns (LA13).

    One is enough for several builds of a value, as one card can take them all, unless it may take one group only.
    """
    owed: list[Counter[int]] = [Counter() for _ in range(seats)]
    if options.build_obligation == "none":
        return owed
    for build in builds:
        if build.owner is not None:
            held = owed[build.owner][build.value]
            owed[build.owner][build.value] = held + 1 if options.multi_capture == "single" else 1
    return owed


def holder_of(state: WipeState, seat: int) -> Holder:
    """A seat's hand, as far as it is known."""
    hand = state.hands[seat]
    return _covered(state, seat, facts_of(state)) if hand.hidden else Known(hand.cards)


def hidden_cards_fit(state: WipeState, facts: Sequence[Facts]) -> bool:
    """Whether the cards that a view does not show can lie as its numbers and these facts say."""
    return _covered(state, 0, with_owed(state, facts)).fits()


def _covered(state: WipeState, seat: int, facts: Sequence[Facts]) -> Covered:
    unknown = WHOLE_PACK & ~card_set(card for _, card in known_cards(state))
    return Covered(state.hands, seat, Counter(iter_cards(unknown)), facts)


class Trusted:
    """A hand that is believed to hold whatever its seat plays, and what the play proves."""

    def playable(self) -> tuple[Card, ...]:
        """Nothing is known of it."""
        return ()

    def may(self, card: Card, needs: Needs = NO_NEEDS, lacks: int = 0) -> bool:
        """Whatever it is."""
        del card, needs, lacks
        return True
