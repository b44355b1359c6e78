"""Whist's play: what is legal and why not, what a move leads to, and who sees what of it."""

from collections.abc import Sequence

from msgspec.structs import replace

from ...cards import PACK, AnyCard, Card, Suit, cards_of, in_order
from ...events import Chosen, Claimed, Drawn, Event, Played, Seated, Tied, TrickWon, TurnedUp
from ...game import Blocked, LegalMoves, NeedsChance, Query, Setup, Viewer
from ...mechanics import playing
from ...mechanics.dealing import NO_CARDS, check_told_hands, whole_pack, whose_view, without
from ...mechanics.deduction import Unseen, unseen
from ...mechanics.listing import listed
from ...mechanics.seating import each_has_one_seat, seating_after
from ...mechanics.trick import SEATS
from ...mechanics.tricks import with_card
from ...moves import BARE_DEAL, PLAYS, Choose, Claim, Deal, Draw, End, Expose, Hand, Move, Play
from ...rng import shuffle_and_cut
from ...sheet import Scope, Sheet
from ...violations import Code, Malformed, Violation, violation
from .drawing import HALF, drawn_by_seed, standing
from .options import WhistOptions
from .scoring import deal_sheet, match_sheet, running_sheet
from .state import PACK_TRICKS, WhistClaim, WhistDraw, WhistState
from .table import (
    complete_tricks,
    current_trick,
    decider,
    default_seating,
    dummy_is_exposed,
    dummy_of,
    free_actions,
    hands_dealt,
    match_is_decided,
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
from .views import deal_events, exposed, scored, see, shown


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
    deck = None if setup.deck is None else whole_pack("$.deck", setup.deck)
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
    if not options.dummy:
        return each_has_one_seat(seating)
    if len(seating) != places_of(options) or sorted(seat for seats in seating for seat in seats) != [0, 1, 2, 3]:
        return False
    pair = seating[options.dummy_partner]
    return len(pair) == HALF and (pair[0] - pair[1]) % SEATS == HALF


def _with_turn(state: WhistState) -> WhistState:
    phase = phase_of(state)
    return replace(state, phase=phase, to_act=turn_of(state, phase), may_also=free_actions(state, phase))


# --- legality


def legal(state: WhistState, seat: int, query: Query) -> LegalMoves:
    """The legal moves of a seat; and whether a deal or draw must first be told by who holds the cards."""
    moves, needs = _moves(state, seat)
    return listed(query, moves, lambda: _blocked(state, seat), needs)


def _moves(state: WhistState, seat: int) -> tuple[Sequence[Move], NeedsChance | None]:
    moves: list[Move] = []
    needs: NeedsChance | None = None
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
            moves += [PLAYS[card] for card in playable(state)]
        case "expose":
            needs = "expose"
        case "choose":
            moves += [Choose("tricks"), Choose("deduct"), Choose("add")]
        case "draw":
            needs = None if state.seed else "draw"
            moves += [] if needs else [Draw()]
        case "claim" if match_is_decided(state):
            moves.append(End())
        case "deal" | "claim":
            needs = None if _pack_is_at_hand(state) else "deal"
            moves += [] if needs else [Deal()]
    return moves, needs


def playable(state: WhistState) -> tuple[Card, ...]:
    """The cards that may be played now from the hand to act; from a hidden hand, all that it could rightly play."""
    assert state.to_act is not None
    index = state.to_act.hand
    return playing.playable(state.hands[index], index, _to_follow(state), lambda: unseen_in(state))


def _to_follow(state: WhistState) -> Suit | None:
    """The suit that must be followed: the led one, or none where a revoke is merely recorded."""
    return current_trick(state).led if state.options.revoke == "prevent" else None


def _turned_if_held(state: WhistState) -> int:
    """The turned card as a set, while it is known to be in the dealer's hand without being listed there."""
    turned = state.trump_card
    for event in state.history or ():
        if isinstance(event, TurnedUp):
            turned = event.card
            break
    if turned is None or turned in state.hands[state.dealer].cards or turned in played_by(state, state.dealer):
        return 0
    return turned.bit


def unseen_in(state: WhistState) -> Unseen:
    """What is open about the hands; the turned card is known to be the dealer's, listed or not."""
    placed = [0] * SEATS
    placed[state.dealer] = _turned_if_held(state)
    return unseen(state.hands, state.tricks, must_follow=state.options.revoke == "prevent", placed=placed)


def hidden_cards_fit(state: WhistState) -> bool:
    """Whether the cards a view does not show can lie as its numbers, voids and turned card say."""
    return unseen_in(state).can_be()


def _blocked(state: WhistState, seat: int) -> tuple[Blocked, ...]:
    """The known cards of the hand to play from that may not be played, each with the reason."""
    if state.phase != "play" or state.to_act is None or state.to_act.seat != seat:
        return ()
    return playing.blocked(state.hands[state.to_act.hand], lambda card: _refuse_play(state, card))


def refuse(state: WhistState, move: Move, seat: int) -> Violation | None:
    """Why a seat's move is illegal, None where it is legal."""
    if isinstance(move, Claim):
        return _refuse_claim(state, move, seat)
    if state.phase == "over" or state.to_act is None:
        return violation("whist", Code.GAME_OVER)
    if state.to_act.seat != seat:
        return violation("whist", Code.NOT_YOUR_TURN, seat=seat, turn=state.to_act.seat)
    match move:
        case Play(card) if state.phase == "play":
            return _refuse_play(state, card)
        case Play() if state.phase == "expose":
            return violation("whist", Code.NEEDS_CHANCE, what="expose")
        case Deal() if state.phase in ("deal", "claim"):
            if state.phase == "claim" and match_is_decided(state):
                return violation("whist", Code.MATCH_IS_DECIDED)
            return _refuse_deal(state, move)
        case Expose(cards) if state.phase == "expose":
            return _refuse_expose(state, cards)
        case Draw(drawn) if state.phase == "draw":
            return _refuse_draw(state, drawn)
        case Choose() if state.phase == "choose":
            return None
        case End() if state.phase == "claim":
            return None if match_is_decided(state) else violation("whist", Code.MATCH_GOES_ON)
        case _:
            return violation("whist", Code.WRONG_PHASE, move=type(move).__name__.lower(), phase=state.phase)


def _refuse_play(state: WhistState, card: Card) -> Violation | None:
    assert state.to_act is not None
    index = state.to_act.hand
    return playing.refuse_card("whist", state.hands[index], index, card, _to_follow(state), lambda: unseen_in(state))


def _refuse_expose(state: WhistState, cards: Sequence[Card]) -> Violation | None:
    assert state.to_act is not None

    def open_still(hands: tuple[Hand, ...]) -> Unseen:
        return unseen_in(replace(state, hands=hands))

    return playing.refuse_exposed("whist", state.hands, state.to_act.hand, cards, open_still)


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
        return violation("whist", Code.CHANCE_IS_DRAWN) if deal != BARE_DEAL else None
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


def _check_told_deal(state: WhistState, deal: Deal) -> None:
    """Malformed where what the caller tells cannot be a deal."""
    check_told_hands(deal, lambda hands: _viewer_of(state, hands))
    if deal.hands is None:
        return
    if state.options.turn_up != (deal.turned is not None):
        raise Malformed("$.move.turned", "the turned card is told where one is turned up, and only there")
    dealers = deal.hands[next_dealer(state)]
    if deal.turned is not None and deal.turned not in (dealers.cards or (deal.turned,)):
        raise Malformed("$.move.turned", "the turned card is the dealer's")
    known = {card for hand in deal.hands for card in hand.cards}
    if deal.turned is not None and not dealers.cards and deal.turned in known:
        raise Malformed("$.move.turned", "the turned card is the dealer's")


def _viewer_of(state: WhistState, hands: Sequence[Hand]) -> Viewer | None:
    """Whose view a partly told deal is; dummy's exposed hand may be told with it, or afterwards."""
    dealt = _before_play(state)
    told = [index for index, hand in enumerate(hands) if hand.cards]
    dummy = dummy_of(state)

    def sees(viewer: Viewer) -> frozenset[int]:
        visible = visible_hands(dealt, viewer)
        return visible if dummy in told else visible - {dummy}

    deciders = frozenset(seat for seat in range(SEATS) if decider(state, seat) == seat)
    return whose_view(hands, state.viewer, sees, deciders)


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
        case Expose(cards):
            dummy = dummy_of(state)
            after = state if dummy is None else replace(state, hands=playing.with_exposed(state.hands, dummy, cards))
            return _with_turn(after), exposed(after)
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
    return after, scored(after)


def _apply_play(state: WhistState, card: Card, seat: int) -> tuple[WhistState, tuple[Event, ...]]:
    assert state.to_act is not None
    index = state.to_act.hand
    tricks, winner = with_card(state.tricks, (state.dealer + 1) % SEATS, card, state.trump)
    exposed_before = dummy_is_exposed(state)
    after = replace(
        state,
        hands=without(state.hands, index, card),
        tricks=tricks,
    )
    if state.viewer is not None:
        after = _turned_card_taken_up(after)
    events: list[Event] = [Played(seat, index, card)]
    if dummy_is_exposed(after) and not exposed_before:
        events += exposed(after)
    if winner is not None:
        events.append(TrickWon(winner, len(after.tricks)))
    if winner is not None and len(after.tricks) == PACK_TRICKS and state.options.revoke == "prevent":
        after, scored = _settle(after)
        events += scored
    return _with_turn(after), tuple(events)


def _turned_card_taken_up(view: WhistState) -> WhistState:
    """A view in which the turned card is no longer shown: listed neither by itself nor in a hand not seen."""
    if view.trump_card is None or trump_card_is_public(view):
        return view
    hand = view.hands[view.dealer]
    if hand.hidden and view.trump_card in hand.cards:
        unlisted = Hand(tuple(card for card in hand.cards if card is not view.trump_card), hand.hidden + 1)
        view = replace(view, hands=(*view.hands[: view.dealer], unlisted, *view.hands[view.dealer + 1 :]))
    return replace(view, trump_card=None)


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
    events = deal_events(whole)
    if viewer is None:
        return _with_turn(whole), before + events
    seen = replace(shown(whole, viewer), viewer=viewer, history=state.history)
    return _with_turn(seen), before + tuple(see(whole, event, viewer) for event in events)


def _cards_of(state: WhistState, deal: Deal) -> tuple[tuple[Hand, ...], Card | None]:
    """The hands of a deal, one card at a time from the dealer's left (W-7), and the last card (W-8)."""
    if deal.hands is not None:
        return tuple(Hand(in_order(hand.cards), hand.hidden) for hand in deal.hands), deal.turned
    deck = state.deck
    if deal.deck is not None:
        deck = whole_pack("$.move.deck", deal.deck)
    elif deck is None:
        assert state.seed is not None
        deck = shuffle_and_cut(PACK, state.seed, state.deals + 1)
    hands = tuple(Hand(in_order(hand)) for hand in hands_dealt(deck, next_dealer(state)))
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


# --- the score


def sheet(state: WhistState, scope: Scope | None) -> Sheet:
    """The deal's sheet, or the match's; while a deal is under way, the score before it."""
    if scope == "match" or (scope is None and state.phase == "over"):
        return match_sheet(state.options, state.score, counted=state.phase == "over")
    if scope not in (None, "deal"):
        raise Malformed("$.scope", "whist is scored by the deal or by the match")
    if state.deals and complete_tricks(state) == PACK_TRICKS:
        return deal_sheet(settlement(state), final=state.score_before is not None)
    return running_sheet(state.score)
