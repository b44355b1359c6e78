"""Whist's play: what is legal and why not, what a move leads to, and who sees what of it."""

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from ...cards import PACK, WHOLE_PACK, AnyCard, Card, card_set, cards_of, in_order, iter_cards
from ...events import Chosen, Claimed, Dealt, Drawn, Event, Exposed, Played, Scored, Seated, Tied, TrickWon, TurnedUp
from ...game import SPECTATOR, Blocked, LegalMoves, Query, Setup, Viewer, listed
from ...mechanics.deduction import can_be_dealt, possible_cards
from ...mechanics.tricks import SEATS, Trick, voids_in, winner_of
from ...moves import Choose, Claim, Deal, Draw, End, Hand, Move, Play
from ...rng import shuffle_and_cut
from ...sheet import Scope, Sheet
from ...violations import Code, Malformed, Violation, violation
from .drawing import HALF, drawn_by_seed, seating_after, standing
from .options import WhistOptions
from .scoring import deal_sheet, match_is_over, match_sheet, running_sheet
from .state import PACK_TRICKS, WhistClaim, WhistDraw, WhistState
from .table import (
    complete_tricks,
    current_trick,
    dealt_to,
    decider,
    default_seating,
    dummy_is_exposed,
    dummy_of,
    free_actions,
    next_dealer,
    phase_of,
    places_of,
    played_by,
    revokes,
    settlement,
    trump_card_is_public,
    turn_of,
    visible_hands,
)

NO_CARDS = (Hand(),) * SEATS


def start(setup: Setup) -> WhistState:
    """The state before the first draw or deal."""
    options: WhistOptions = setup.options
    places = places_of(options)
    if setup.places not in (None, places):
        raise Malformed("$.places", f"these options are for {places} places")
    seating = setup.seating or default_seating(options)
    if not seating_is_possible(options, seating):
        raise Malformed("$.seating", "each place has one seat of four; dummy's partner the opposite one too")
    dummy = seating[options.dummy_partner][1] if options.dummy else None
    dealer = setup.dealer if setup.dealer is not None else SEATS - 1 if dummy is None else dummy
    if not 0 <= dealer < SEATS:
        raise Malformed("$.dealer", f"there is no seat {dealer}")
    deck = None if setup.deck is None else _whole_pack("$.deck", setup.deck)
    state = WhistState(
        ruleset=setup.ruleset or 1,
        options=options,
        chance=setup.chance,
        seed=setup.seed,
        deck=deck,
        phase="deal",
        seating=seating,
        dealer=dealer,
        to_act=None,
        hands=NO_CARDS,
    )
    return _with_turn(state)


def seating_is_possible(options: WhistOptions, seating: Sequence[Sequence[int]]) -> bool:
    """Whether every seat is taken once, and a place has two only as dummy's partner, opposite each other."""
    if len(seating) != places_of(options) or sorted(seat for seats in seating for seat in seats) != [0, 1, 2, 3]:
        return False
    if not options.dummy:
        return all(len(seats) == 1 for seats in seating)
    pair = seating[options.dummy_partner]
    return len(pair) == HALF and (pair[0] - pair[1]) % SEATS == HALF


def _with_turn(state: WhistState) -> WhistState:
    phased = replace(state, phase=phase_of(state), to_act=None, may_also=())
    return replace(phased, to_act=turn_of(phased), may_also=free_actions(phased))


def _whole_pack(path: str, cards: Sequence[AnyCard] | Sequence[Card]) -> tuple[Card, ...]:
    french = cards_of(Card, map(AnyCard, cards))
    if french is None or len(french) != len(PACK) or card_set(french) != WHOLE_PACK:
        raise Malformed(path, "not each of the 52 cards exactly once")
    return french


# --- legality


def legal(state: WhistState, seat: int, query: Query) -> LegalMoves:
    """The legal moves of a seat; and whether a deal or draw must first be told by who holds the cards."""
    moves, needs = _moves(state, seat)
    return listed(query, moves, lambda: _blocked(state, seat), needs)


def _moves(state: WhistState, seat: int) -> tuple[Sequence[Move], Literal["deal", "draw"] | None]:
    moves: list[Move] = []
    needs: Literal["deal", "draw"] | None = None
    if state.phase == "claim" and decider(state, seat) == seat:
        moves += [
            Claim(hand, trick)
            for hand, trick in revokes(state)
            if _refuse_claim(state, Claim(hand, trick), seat) is None
        ]
    if state.to_act is None or state.to_act.seat != seat:
        return moves, needs
    match state.phase:
        case "play":
            moves += [Play(card) for card in playable(state)]
        case "choose":
            moves += [Choose("tricks"), Choose("deduct"), Choose("add")]
        case "draw":
            needs = None if state.seed else "draw"
            moves += [] if needs else [Draw()]
        case "claim" if _match_is_decided(state):
            moves.append(End())
        case "deal" | "claim":
            needs = None if _pack_is_at_hand(state) else "deal"
            moves += [] if needs else [Deal()]
    return moves, needs


def playable(state: WhistState) -> tuple[Card, ...]:
    """The cards that may be played now from the hand to act; from a hidden hand, all that it could rightly play."""
    assert state.to_act is not None
    index = state.to_act.hand
    hand = state.hands[index]
    led = current_trick(state).led
    if not hand.hidden:
        if led is None or state.options.revoke == "record":
            return hand.cards
        following = tuple(card for card in hand.cards if card.suit is led)
        return following or hand.cards
    mask = 0
    certain, possible = _hidden_hand(state, index)
    for card in iter_cards(certain | possible):
        if _may_be_played_unseen(state, index, card):
            mask |= card.bit
    return in_order(iter_cards(mask))


def _turned_if_held(state: WhistState) -> int:
    """The turned card as a set, while it is known to be in the dealer's hand without being listed there."""
    turned = state.trump_card
    for event in state.history or ():
        if isinstance(event, TurnedUp):
            turned = event.card
    if turned is None or turned in state.hands[state.dealer].cards or turned in played_by(state, state.dealer):
        return 0
    return turned.bit


def _hidden_parts(state: WhistState) -> tuple[int, list[int], list[int]]:
    """The unknown cards; how many of them each hand holds; which of them it can hold."""
    unknown = WHOLE_PACK
    for hand in range(SEATS):
        unknown &= ~card_set(dealt_to(state, hand))
    turned = _turned_if_held(state)
    unknown &= ~turned
    holes = [hand.hidden for hand in state.hands]
    if turned:
        holes[state.dealer] -= 1
    voids = voids_in(state.tricks) if state.options.revoke == "prevent" else [0] * SEATS
    return unknown, holes, [unknown & ~void for void in voids]


def _hidden_hand(state: WhistState, index: int) -> tuple[int, int]:
    unknown, holes, allowed = _hidden_parts(state)
    certain = card_set(state.hands[index].cards) | (_turned_if_held(state) if index == state.dealer else 0)
    return certain, possible_cards(unknown, holes, allowed, index)


def _may_be_played_unseen(state: WhistState, index: int, card: Card) -> bool:
    led = current_trick(state).led
    if led is None or card.suit is led or state.options.revoke == "record":
        return True
    certain, _ = _hidden_hand(state, index)
    if certain & led.mask:
        return False
    unknown, holes, allowed = _hidden_parts(state)
    if not certain & card.bit:
        unknown &= ~card.bit
        holes[index] -= 1
    allowed[index] &= ~led.mask
    return can_be_dealt(unknown, holes, [cards & unknown for cards in allowed])


def hidden_cards_fit(state: WhistState) -> bool:
    """Whether the cards a view does not show can lie as its numbers, voids and turned card say."""
    unknown, holes, allowed = _hidden_parts(state)
    voids = voids_in(state.tricks) if state.options.revoke == "prevent" else [0] * SEATS
    if _turned_if_held(state) & voids[state.dealer] or min(holes) < 0:
        return False
    return can_be_dealt(unknown, holes, allowed)


def _blocked(state: WhistState, seat: int) -> tuple[Blocked, ...]:
    """The known cards of the hand to play from that may not be played, each with the reason."""
    if state.phase != "play" or state.to_act is None or state.to_act.seat != seat:
        return ()
    reasons = ((card, _refuse_play(state, card)) for card in state.hands[state.to_act.hand].cards)
    return tuple(Blocked(card, why) for card, why in reasons if why is not None)


def refuse(state: WhistState, move: Move, seat: int) -> Violation | None:
    """Why a seat's move is illegal, None where it is legal."""
    if isinstance(move, Claim):
        return _refuse_claim(state, move, seat)
    if state.phase == "over" or state.to_act is None:
        return violation("whist", Code.GAME_OVER)
    if state.to_act.seat != seat:
        return violation("whist", Code.NOT_YOUR_TURN, seat=seat, turn=state.to_act.seat)
    match move, state.phase:
        case Play(card), "play":
            return _refuse_play(state, card)
        case Deal(), "deal" | "claim":
            if state.phase == "claim" and _match_is_decided(state):
                return violation("whist", Code.MATCH_IS_DECIDED)
            return _refuse_deal(state, move)
        case Draw(drawn), "draw":
            return _refuse_draw(state, drawn)
        case Choose(), "choose":
            return None
        case End(), "claim":
            return None if _match_is_decided(state) else violation("whist", Code.MATCH_GOES_ON)
        case _:
            return violation("whist", Code.WRONG_PHASE, move=type(move).__name__.lower(), phase=state.phase)


def _refuse_play(state: WhistState, card: Card) -> Violation | None:
    assert state.to_act is not None
    index = state.to_act.hand
    hand = state.hands[index]
    led = current_trick(state).led
    if not hand.hidden:
        if card not in hand.cards:
            return violation("whist", Code.NOT_IN_HAND, card=card)
        if led is None or card.suit is led or state.options.revoke == "record":
            return None
        following = iter_cards(card_set(hand.cards) & led.mask)
        cards = in_order(following)
        return violation("whist", Code.MUST_FOLLOW_SUIT, card=card, ledSuit=led, cards=cards) if cards else None
    certain, possible = _hidden_hand(state, index)
    if not (certain | possible) & card.bit:
        return violation("whist", Code.CARD_ELSEWHERE, card=card, hand=index)
    if _may_be_played_unseen(state, index, card):
        return None
    assert led is not None
    return violation(
        "whist", Code.MUST_FOLLOW_SUIT, card=card, ledSuit=led, cards=in_order(iter_cards(certain & led.mask))
    )


def _refuse_claim(state: WhistState, claim: Claim, seat: int) -> Violation | None:
    if state.options.revoke != "record":
        return violation("whist", Code.OPTION_OFF, option="revoke")
    if state.phase == "over" or (state.phase == "play" and claim.trick > complete_tricks(state) and state.deals > 1):
        return violation("whist", Code.CLAIM_TOO_LATE)
    if state.phase in ("draw", "deal", "play"):
        return violation("whist", Code.CLAIM_TOO_EARLY)
    if state.phase == "choose":
        return violation("whist", Code.WRONG_PHASE, move="claim", phase=state.phase)
    if decider(state, seat) != seat:
        return violation("whist", Code.NOT_YOUR_TURN, seat=seat, turn=decider(state, seat))
    if claim.seat % 2 == seat % 2:
        return violation("whist", Code.OWN_SIDE, seat=claim.seat)
    if claim.seat == dummy_of(state):
        return violation("whist", Code.DUMMY_NOT_LIABLE, seat=claim.seat)
    if (claim.seat, claim.trick) not in revokes(state):
        return violation("whist", Code.NO_REVOKE, seat=claim.seat, trick=claim.trick)
    if any((made.against, made.trick) == (claim.seat, claim.trick) for made in state.claims):
        return violation("whist", Code.ALREADY_CLAIMED, seat=claim.seat, trick=claim.trick)
    return None


def _pack_is_at_hand(state: WhistState) -> bool:
    return state.seed is not None or state.deck is not None


def _refuse_deal(state: WhistState, deal: Deal) -> Violation | None:
    told = deal.deck is not None or deal.hands is not None
    if _pack_is_at_hand(state):
        return violation("whist", Code.CHANCE_IS_DRAWN) if told or deal.turned is not None else None
    if not told:
        return violation("whist", Code.NEEDS_CHANCE, what="deal")
    _check_told_deal(state, deal)
    return None


def _refuse_draw(state: WhistState, card: AnyCard | None) -> Violation | None:
    if state.seed is not None:
        return violation("whist", Code.CHANCE_IS_DRAWN) if card is not None else None
    if card is None:
        return violation("whist", Code.NEEDS_CHANCE, what="draw")
    french = cards_of(Card, [card])
    if french is None:
        raise Malformed("$.move.card", "not one of the 52 cards")
    if french[0] in standing(state.options, state.draws).fresh:
        return violation("whist", Code.CARD_ALREADY_DRAWN, card=card)
    return None


def _match_is_decided(state: WhistState) -> bool:
    return match_is_over(state.options, settlement(state).after, state.deals)


def _check_told_deal(state: WhistState, deal: Deal) -> None:
    """Malformed where what the caller tells cannot be a deal."""
    if deal.deck is not None:
        if deal.hands is not None or deal.turned is not None:
            raise Malformed("$.move", "a deal is told by the deck or by the hands, not by both")
        _whole_pack("$.move.deck", deal.deck)
        return
    assert deal.hands is not None
    if len(deal.hands) != SEATS or any(len(hand) != PACK_TRICKS for hand in deal.hands):
        raise Malformed("$.move.hands", "four hands get thirteen cards each")
    if any(hand.cards and hand.hidden for hand in deal.hands):
        raise Malformed("$.move.hands", "a hand is told whole or not at all")
    known = [card for hand in deal.hands for card in hand.cards]
    if card_set(known).bit_count() != len(known):
        raise Malformed("$.move.hands", "a card is there twice")
    if state.options.turn_up != (deal.turned is not None):
        raise Malformed("$.move.turned", "the turned card is told where one is turned up, and only there")
    dealers = deal.hands[next_dealer(state)]
    if deal.turned is not None and deal.turned not in (dealers.cards or (deal.turned,)):
        raise Malformed("$.move.turned", "the turned card is the dealer's")
    if deal.turned is not None and not dealers.cards and deal.turned in known:
        raise Malformed("$.move.turned", "the turned card is the dealer's")
    if len(known) < len(PACK) and _viewer_of(state, deal.hands) is None:
        raise Malformed("$.move.hands", "nobody sees just these hands: tell one seat's view, or all")


def _viewer_of(state: WhistState, hands: Sequence[Hand]) -> Viewer | None:
    """Whose view a partly told deal is: the first viewer who sees exactly the hands told."""
    told = {index for index, hand in enumerate(hands) if hand.cards}
    dealt = _before_play(state)
    viewers: tuple[Viewer, ...] = (SPECTATOR, *range(SEATS)) if state.viewer is None else (state.viewer,)
    return next((viewer for viewer in viewers if visible_hands(dealt, viewer) == told), None)


def _before_play(state: WhistState) -> WhistState:
    return replace(
        state,
        dealer=next_dealer(state),
        deals=state.deals + 1,
        tricks=(),
        claims=(),
        draws=(),
        deck=None,
        trump=None,
        trump_card=None,
        score_before=None,
    )


# --- playing


def apply(state: WhistState, move: Move, seat: int) -> tuple[WhistState, tuple[Event, ...]]:
    """What a legal move leads to."""
    match move:
        case Play(card):
            return _apply_play(state, card, seat)
        case Deal():
            return _apply_deal(state, move)
        case Draw(told):
            return _apply_draw(state, told)
        case Claim(against, trick):
            claimed = WhistClaim(seat=seat, against=against, trick=trick)
            after = _with_turn(replace(state, claims=(*state.claims, claimed)))
            return after, (Claimed(seat, against, trick),)
        case Choose(penalty):
            chosen = replace(state.claims[-1], penalty=penalty)
            after = _with_turn(replace(state, claims=(*state.claims[:-1], chosen)))
            return after, (Chosen(seat, penalty),)
        case _:
            settled, scored = _settle(state)
            return _with_turn(settled), scored


def _settle(state: WhistState) -> tuple[WhistState, tuple[Event, ...]]:
    settled = settlement(state)
    after = replace(state, score_before=state.score, score=settled.after)
    return after, _scored(after)


def _scored(state: WhistState) -> tuple[Event, ...]:
    sheets = [deal_sheet(settlement(state))]
    if match_is_over(state.options, state.score, state.deals):
        sheets.append(match_sheet(state.options, state.score))
    return tuple(Scored(sheet) for sheet in sheets)


def _apply_play(state: WhistState, card: Card, seat: int) -> tuple[WhistState, tuple[Event, ...]]:
    assert state.to_act is not None
    index = state.to_act.hand
    trick = current_trick(state)
    done = state.tricks if trick.cards == () else state.tricks[:-1]
    cards = (*trick.cards, card)
    complete = len(cards) == SEATS
    winner = winner_of(trick.leader, cards, state.trump) if complete else None
    exposed_before = dummy_is_exposed(state)
    after = replace(
        state,
        hands=_without(state.hands, index, card),
        tricks=(*done, Trick(trick.leader, cards, winner)),
    )
    if state.viewer is not None:
        after = _turned_card_taken_up(after)
    events: list[Event] = [Played(seat, index, card)]
    if dummy_is_exposed(after) and not exposed_before:
        events += _exposed(after)
    if winner is not None:
        events.append(TrickWon(winner, len(after.tricks)))
    if len(after.tricks) == PACK_TRICKS and complete and state.options.revoke == "prevent":
        after, scored = _settle(after)
        events += scored
    return _with_turn(after), tuple(events)


def _without(hands: tuple[Hand, ...], index: int, card: Card) -> tuple[Hand, ...]:
    hand = hands[index]
    if card in hand.cards:
        left = Hand(tuple(held for held in hand.cards if held is not card), hand.hidden)
    else:
        left = Hand(hand.cards, hand.hidden - 1)
    return (*hands[:index], left, *hands[index + 1 :])


def _turned_card_taken_up(view: WhistState) -> WhistState:
    """A view in which the turned card is no longer shown: listed neither by itself nor in a hand not seen."""
    if view.trump_card is None or trump_card_is_public(view):
        return view
    hand = view.hands[view.dealer]
    if hand.hidden and view.trump_card in hand.cards:
        unlisted = Hand(tuple(card for card in hand.cards if card is not view.trump_card), hand.hidden + 1)
        view = replace(view, hands=(*view.hands[: view.dealer], unlisted, *view.hands[view.dealer + 1 :]))
    return replace(view, trump_card=None)


def _exposed(state: WhistState) -> tuple[Event, ...]:
    dummy = dummy_of(state)
    if dummy is None or state.hands[dummy].hidden:
        return ()
    return (Exposed(dummy, state.hands[dummy].cards),)


def _apply_deal(state: WhistState, deal: Deal) -> tuple[WhistState, tuple[Event, ...]]:
    before: tuple[Event, ...] = ()
    if state.phase == "claim":
        state, before = _settle(state)
    hands, turned = _cards_of(state, deal)
    dealt = _before_play(state)
    viewer = dealt.viewer
    if any(hand.hidden for hand in hands):
        viewer = _viewer_of(state, hands)
    options = state.options
    whole = replace(
        dealt,
        hands=hands,
        trump=turned.suit if turned is not None and options.trump == "turned" else None,
        trump_card=turned if options.turn_up else None,
        viewer=None,
        history=None,
    )
    events = _deal_events(whole)
    if viewer is None:
        return _with_turn(whole), before + events
    seen = replace(_shown(whole, viewer), viewer=viewer, history=state.history)
    return _with_turn(seen), before + tuple(see(whole, event, viewer) for event in events)


def _cards_of(state: WhistState, deal: Deal) -> tuple[tuple[Hand, ...], Card | None]:
    """The hands of a deal, one card at a time from the dealer's left (W-7), and the last card (W-8)."""
    if deal.hands is not None:
        return tuple(Hand(in_order(hand.cards), hand.hidden) for hand in deal.hands), deal.turned
    deck = state.deck
    if deal.deck is not None:
        deck = _whole_pack("$.move.deck", deal.deck)
    elif deck is None:
        assert state.seed is not None
        deck = shuffle_and_cut(PACK, state.seed, state.deals + 1)
    first = next_dealer(state) + 1
    hands = tuple(Hand(in_order(deck[(seat - first) % SEATS :: SEATS])) for seat in range(SEATS))
    return hands, deck[-1]


def _apply_draw(state: WhistState, told: AnyCard | None) -> tuple[WhistState, tuple[Event, ...]]:
    now = standing(state.options, state.draws)
    if told is None:
        assert state.seed is not None
        card = drawn_by_seed(state.seed, now)
    else:
        card = Card(told)
    place = now.pending[0]
    after = replace(state, draws=(*state.draws, WhistDraw(place=place, card=card)))
    then = standing(state.options, after.draws)
    events: list[Event] = [Drawn(place, card)]
    if then.dealer is not None and not then.pending:
        partner = next(place for place in then.low_team if place != then.dealer)
        seats = [own[0] for own in state.seating]
        seating = seating_after(then.dealer, partner, seats)
        after = replace(after, seating=seating, dealer=seats[then.dealer])
        events.append(Seated(seating, after.dealer))
    elif len(now.pending) == 1 and then.decides is not None:
        events.append(Tied(then.pending, then.decides))
    return _with_turn(after), tuple(events)


# --- views


def project(state: WhistState, viewer: Viewer) -> WhistState:
    """A full state as one viewer sees it."""
    history = tuple(see(state, event, viewer) for event in history_of(state))
    return replace(_shown(state, viewer), viewer=viewer, history=history)


def _shown(state: WhistState, viewer: Viewer) -> WhistState:
    visible = visible_hands(state, viewer)
    public = trump_card_is_public(state)
    lies_open = public and state.trump_card not in played_by(state, state.dealer)
    hands = []
    for index, hand in enumerate(state.hands):
        if index in visible:
            hands.append(hand)
            continue
        turned = (state.trump_card,) if lies_open and index == state.dealer and state.trump_card else ()
        hands.append(Hand(turned, len(hand) - len(turned)))
    return WhistState(
        ruleset=state.ruleset,
        chance=state.chance,
        viewer=viewer,
        phase=state.phase,
        seating=state.seating,
        dealer=state.dealer,
        to_act=state.to_act,
        may_also=state.may_also,
        hands=tuple(hands),
        history=state.history,
        options=state.options,
        draws=state.draws,
        deals=state.deals,
        trump=state.trump,
        trump_card=state.trump_card if public else None,
        tricks=state.tricks,
        claims=state.claims,
        score=state.score,
        score_before=state.score_before,
    )


def see(state: WhistState, event: Event, viewer: Viewer) -> Event:
    """An event as one viewer sees it: of a deal, the own hand only."""
    if not isinstance(event, Dealt):
        return event
    own = _own_hand(state, viewer)
    hands = tuple(hand if index in own else Hand((), len(hand)) for index, hand in enumerate(event.hands))
    return replace(event, hands=hands)


def history_of(state: WhistState, turned: Card | None = None) -> tuple[Event, ...]:
    """The events since the last deal, or of the draw before the first, as the referee saw them.

    For a view: as its viewer saw them; `turned` is then the turned card it no longer shows.
    """
    if not state.deals:
        return _draw_events(state)
    turned = turned or state.trump_card
    dealt = replace(state, tricks=(), hands=tuple(_as_dealt(state, index) for index in range(SEATS)), trump_card=turned)
    events = [*_deal_events(dealt)]
    for number, trick in enumerate(state.tricks, 1):
        for position, card in enumerate(trick.cards):
            hand = (trick.leader + position) % SEATS
            events.append(Played(decider(state, hand), hand, card))
            if number == 1 and position == 0 and not dummy_is_exposed(dealt):
                events += _exposed(replace(dealt, hands=_without(dealt.hands, hand, card)))
        if trick.winner is not None:
            events.append(TrickWon(trick.winner, number))
    for claim in state.claims:
        events.append(Claimed(claim.seat, claim.against, claim.trick))
        if claim.penalty:
            events.append(Chosen(claim.seat, claim.penalty))
    if state.score_before is not None:
        events += _scored(state)
    return tuple(events)


def _as_dealt(state: WhistState, index: int) -> Hand:
    if state.viewer is not None and index not in _own_hand(state, state.viewer):
        return Hand((), PACK_TRICKS)
    return Hand(in_order(dealt_to(state, index)))


def _own_hand(state: WhistState, viewer: Viewer) -> tuple[int, ...]:
    return () if viewer == SPECTATOR else (decider(state, int(viewer)),)


def _deal_events(state: WhistState) -> tuple[Event, ...]:
    cut_by = decider(state, (state.dealer - 1) % SEATS) if state.chance == "seed" else None
    events: list[Event] = [Dealt(state.dealer, state.hands, cut_by)]
    if state.trump_card is not None:
        events.append(TurnedUp(state.trump_card))
    if dummy_is_exposed(state):
        events += _exposed(state)
    return tuple(events)


def _draw_events(state: WhistState) -> tuple[Event, ...]:
    events: list[Event] = []
    for count, draw in enumerate(state.draws, 1):
        before = standing(state.options, state.draws[: count - 1])
        now = standing(state.options, state.draws[:count])
        events.append(Drawn(draw.place, draw.card))
        if not now.pending:
            events.append(Seated(state.seating, state.dealer))
        elif len(before.pending) == 1 and now.decides is not None:
            events.append(Tied(now.pending, now.decides))
    return tuple(events)


# --- the score


def sheet(state: WhistState, scope: Scope | None) -> Sheet:
    """The deal's sheet, or the match's; while a deal is under way, the score before it."""
    if scope == "match" or (scope is None and state.phase == "over"):
        return match_sheet(state.options, state.score)
    if scope not in (None, "deal"):
        raise Malformed("$.scope", "whist is scored by the deal or by the match")
    if state.deals and complete_tricks(state) == PACK_TRICKS:
        return deal_sheet(settlement(state))
    return running_sheet(state.score)
