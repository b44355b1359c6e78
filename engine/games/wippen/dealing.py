"""Dealing in Wippen: a match's beginning, a round's, and each later deal, by the service or as the caller tells."""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from ...cards import AnyCard, Card, cards_of, in_order
from ...events import Dealt, Event, Redealt
from ...game import SPECTATOR, Setup, Viewer
from ...mechanics.layout import deal_by_twos
from ...moves import Deal, Hand
from ...rng import shuffle_and_cut
from ...violations import Code, Malformed, Violation, violation
from .knowledge import is_settled, next_dealer, places, plan, sees_hand, unknown_cards
from .options import WippenOptions
from .plan import HAND_SIZE, LAYOUT_SIZE, plan_of
from .state import WippenScore, WippenState
from .views import project, see, shown, with_turn

DEFAULT_PLACES = 4


def start(setup: Setup) -> WippenState:
    """The state before the first deal."""
    options: WippenOptions = setup.options
    seats = setup.places
    if seats is None:
        seats = DEFAULT_PLACES if setup.seating is None else len(setup.seating)
    agreed = plan_of(options, seats)
    seating = setup.seating or tuple((seat,) for seat in range(seats))
    if sorted(seating) != [(seat,) for seat in range(seats)]:
        raise Malformed("$.seating", "each place has one seat")
    dealer = seats - 1 if setup.dealer is None else setup.dealer
    if not 0 <= dealer < seats:
        raise Malformed("$.dealer", f"there is no seat {dealer}")
    return with_turn(
        WippenState(
            ruleset=setup.ruleset or 1,
            options=options,
            chance=setup.chance,
            seed=setup.seed,
            deck=None if setup.deck is None else _whole("$.deck", setup.deck, agreed.cards),
            phase="deal",
            seating=seating,
            dealer=dealer,
            to_act=None,
            hands=(Hand(),) * seats,
            heaps=(Hand(),) * seats,
            wips=(0,) * seats,
            score=WippenScore(points=(0,) * seats),
        )
    )


def _whole(path: str, told: Sequence[AnyCard] | Sequence[Card], cards: Sequence[Card]) -> tuple[Card, ...]:
    """The cards told in some order, if they are just these."""
    french = cards_of(Card, map(AnyCard, told))
    if french is None or Counter(french) != Counter(cards):
        raise Malformed(path, f"not just the {len(cards)} cards that are dealt from")
    return french


def begins_round(state: WippenState) -> bool:
    """Whether the next deal is the first of a round."""
    return state.deals == 0 or is_settled(state)


def pack_is_at_hand(state: WippenState) -> bool:
    """Whether the service can deal by itself."""
    if begins_round(state):
        return state.seed is not None or state.deck is not None
    return not state.stock.hidden


def refuse_deal(state: WippenState, deal: Deal) -> Violation | None:
    """Why a deal is refused: told where it is drawn, or not told where it must be. Malformed where it can be none."""
    told = deal != Deal()
    if pack_is_at_hand(state):
        return violation("wippen", Code.CHANCE_IS_DRAWN) if told else None
    if not told:
        return violation("wippen", Code.NEEDS_CHANCE, what="deal")
    _check_told(state, deal)
    return None


def _check_told(state: WippenState, deal: Deal) -> None:
    free = _free_cards(state)
    if deal.turned is not None:
        raise Malformed("$.move.turned", "no card is turned up")
    if deal.deck is not None:
        if deal.hands is not None or deal.layout is not None:
            raise Malformed("$.move", "a deal is told by the deck or by the hands, not by both")
        size = len(plan(state).cards) if begins_round(state) else len(state.stock)
        french = cards_of(Card, deal.deck)
        if french is None or len(french) != size or not Counter(french) <= free:
            raise Malformed("$.move.deck", f"not {size} cards that are still to be dealt")
        return
    if deal.hands is None:
        raise Malformed("$.move.hands", "a deal is told by the deck or by the hands")
    if len(deal.hands) != places(state) or any(len(hand) != HAND_SIZE for hand in deal.hands):
        raise Malformed("$.move.hands", f"{places(state)} hands get four cards each")
    if any(hand.cards and hand.hidden for hand in deal.hands):
        raise Malformed("$.move.hands", "a hand is told whole or not at all")
    if (LAYOUT_SIZE if begins_round(state) else None) != (None if deal.layout is None else len(deal.layout)):
        raise Malformed("$.move.layout", "four cards go to the pot in a round's first deal, and only there")
    known = (*(card for hand in deal.hands for card in hand.cards), *(deal.layout or ()))
    if not Counter(known) <= free:
        raise Malformed("$.move.hands", "a card is told that is not to be dealt, or too often")
    if any(hand.hidden for hand in deal.hands) and _viewer_of(state, deal.hands) is None:
        raise Malformed("$.move.hands", "nobody sees just these hands: tell one seat's view, or all")


def _free_cards(state: WippenState) -> Counter[Card]:
    """The cards that a deal can bring."""
    if begins_round(state):
        return Counter(plan(state).cards)
    return +(unknown_cards(state) + Counter(state.stock.cards))


def _viewer_of(state: WippenState, hands: Sequence[Hand]) -> Viewer | None:
    """Whose view a partly told deal is: the first viewer who sees just the hands told."""
    told = [bool(hand.cards) for hand in hands]
    seats = range(places(state))
    viewers: tuple[Viewer, ...] = (SPECTATOR, *seats) if state.viewer is None else (state.viewer,)
    return next((each for each in viewers if [sees_hand(state, each, seat) for seat in seats] == told), None)


def apply_deal(state: WippenState, deal: Deal) -> tuple[WippenState, tuple[Event, ...]]:
    """What a deal leads to: a new round, or the next deal of this one, which brings nothing to the pot (WI-4, WI-5)."""
    first = begins_round(state)
    dealer = next_dealer(state)
    hands, layout, stock = _cards_of(state, deal, dealer)
    viewer = state.viewer
    if any(hand.hidden for hand in hands):
        viewer = _viewer_of(state, hands)
    if viewer is not None and state.viewer is None:
        state = project(state, viewer)
    if first:
        state = _new_round(state, dealer, layout)
    event: Event = Dealt(dealer, hands, layout=layout) if first else Redealt(number=state.deals + 1, hands=hands)
    past = None if state.past is None else (*state.past, event)
    whole = with_turn(replace(state, deals=state.deals + 1, hands=hands, stock=stock, deck=None, past=past))
    if viewer is None:
        return whole, (event,)
    return shown(whole, viewer), (see(whole, event, viewer),)


def _new_round(state: WippenState, dealer: int, layout: tuple[Card, ...]) -> WippenState:
    nothing = (Hand(),) * places(state)
    return replace(
        state,
        dealer=dealer,
        rounds=state.rounds + 1,
        deals=0,
        layout=layout,
        builds=(),
        heaps=nothing,
        last_taker=None,
        wips=(0,) * places(state),
        past=() if state.viewer is None else None,
        score_before=None,
    )


def _cards_of(state: WippenState, deal: Deal, dealer: int) -> tuple[tuple[Hand, ...], tuple[Card, ...], Hand]:
    """The hands of a deal, the layout where it is a round's first, and the stock that is left."""
    first = begins_round(state)
    if deal.hands is not None:
        layout = in_order(deal.layout or ())
        size = (len(plan(state).cards) if first else len(state.stock)) - len(layout)
        hands = tuple(Hand(in_order(hand.cards), hand.hidden) for hand in deal.hands)
        return hands, layout, Hand((), size - HAND_SIZE * places(state))
    if deal.deck is not None:
        deck = tuple(map(Card, deal.deck))
    elif not first:
        deck = state.stock.cards
    elif state.deck is not None:
        deck = state.deck
    else:
        assert state.seed is not None
        deck = shuffle_and_cut(plan(state).cards, state.seed, state.rounds + 1)
    dealt, layout, rest = deal_by_twos(deck, places(state), dealer, with_layout=first)
    return tuple(map(Hand, dealt)), layout, Hand(rest)
