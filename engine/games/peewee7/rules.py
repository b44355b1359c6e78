"""PeeWee 7's moves: what is legal and why not, and what a move leads to."""

from collections.abc import Sequence

from msgspec.structs import replace

from ...cards import PACK, AnyCard, Card, cards_of, in_order
from ...events import Called, Dealt, Drawn, Event, Played, Reshuffled, Seated, ThrownIn, TrickWon
from ...game import Blocked, LegalMoves, NeedsChance, Query, Setup, Viewer
from ...mechanics import playing
from ...mechanics.dealing import NO_CARDS, check_told_hands, whole_pack, whose_view, without
from ...mechanics.deduction import Unseen, unseen
from ...mechanics.listing import listed
from ...mechanics.seating import ONE_SEAT_EACH, each_has_one_seat
from ...mechanics.trick import SEATS
from ...mechanics.tricks import with_card
from ...moves import BARE_DEAL, PLAYS, Bid, Call, Dare, Deal, DoubleDare, Draw, Expose, Hand, Move, Pass, Play
from ...rng import shuffle_and_cut
from ...sheet import Scope, Sheet
from ...violations import Code, Malformed, Violation, violation
from .auction import legal_calls, outcome, refuse_call, why
from .drawing import drawn_by_seed, is_used_up, seat_to_draw, seated, teams_are_made
from .options import PeeweeOptions
from .scoring import deal_sheet, match_sheet, running_sheet
from .state import GAME, PeeweeCall, PeeweeDraw, PeeweeState
from .table import (
    bidding,
    current_trick,
    first_leader,
    hands_dealt,
    is_played_out,
    next_dealer,
    peewee_is_exposed,
    phase_of,
    settlement,
    turn_of,
    visible_hands,
)
from .views import contract_events, exposed, scored, see, shown


def start(setup: Setup) -> PeeweeState:
    """The state before the first card is laid open or dealt."""
    options: PeeweeOptions = setup.options
    if setup.places not in (None, SEATS):
        raise Malformed("$.places", f"PeeWee 7 is for {SEATS} places")
    seating = setup.seating or ONE_SEAT_EACH
    if not each_has_one_seat(seating):
        raise Malformed("$.seating", "each place has one seat of four")
    dealer = SEATS - 1 if setup.dealer is None else setup.dealer
    if not 0 <= dealer < SEATS:
        raise Malformed("$.dealer", f"there is no seat {dealer}")
    state = PeeweeState(
        ruleset=setup.ruleset or 1,
        options=options,
        chance=setup.chance,
        seed=setup.seed,
        deck=None if setup.deck is None else whole_pack("$.deck", setup.deck),
        phase="deal",
        seating=seating,
        dealer=dealer,
        to_act=None,
        hands=NO_CARDS,
    )
    return _with_turn(state)


def _with_turn(state: PeeweeState) -> PeeweeState:
    phase = phase_of(state)
    return replace(state, phase=phase, to_act=turn_of(state, phase))


# --- legality


def legal(state: PeeweeState, seat: int, query: Query) -> LegalMoves:
    """The legal moves of a seat; and what must first be told by who holds the cards, or sees the table."""
    moves, needs = _moves(state, seat)
    return listed(query, moves, lambda: _blocked(state, seat), needs)


def _moves(state: PeeweeState, seat: int) -> tuple[Sequence[Move], NeedsChance | None]:
    if state.to_act is None or state.to_act.seat != seat:
        return (), None
    match state.phase:
        case "expose":
            return (), "expose"
        case "auction":
            return legal_calls(state.options, bidding(state)), None
        case "play":
            return [PLAYS[card] for card in playable(state, state.to_act.hand)], None
        case "teamDraw":
            return ([Draw()], None) if state.seed is not None else ((), "draw")
        case _:
            return ([Deal()], None) if _pack_is_at_hand(state) else ((), "deal")


def playable(state: PeeweeState, hand: int) -> tuple[Card, ...]:
    """The cards that may be played now from the hand to act; from a hidden hand, all that it could rightly play."""
    return playing.playable(state.hands[hand], hand, current_trick(state).led, lambda: unseen_in(state))


def unseen_in(state: PeeweeState) -> Unseen:
    """What is open about the hands."""
    return unseen(state.hands, state.tricks)


def _blocked(state: PeeweeState, seat: int) -> tuple[Blocked, ...]:
    turn = state.to_act
    if state.phase != "play" or turn is None or turn.seat != seat:
        return ()
    return playing.blocked(state.hands[turn.hand], lambda card: _refuse_play(state, card, turn.hand))


def refuse(state: PeeweeState, move: Move, seat: int) -> Violation | None:
    """Why a seat's move is illegal, None where it is legal."""
    turn = state.to_act
    if turn is None:
        return violation(GAME, Code.GAME_OVER)
    if turn.seat != seat:
        code = Code.MASTER_PLAYS if state.phase == "play" and turn.hand == seat else Code.NOT_YOUR_TURN
        return violation(GAME, code, seat=seat, turn=turn.seat)
    match move:
        case Play(card) if state.phase == "play":
            return _refuse_play(state, card, turn.hand)
        case Play() if state.phase == "expose":
            return violation(GAME, Code.NEEDS_CHANCE, what="expose")
        case Bid() | Pass() | Dare() | DoubleDare() if state.phase == "auction":
            auction = bidding(state)
            refused = refuse_call(state.options, auction, move)
            return None if refused is None else why(refused, auction, move)
        case Expose(cards) if state.phase == "expose":
            return playing.refuse_exposed(
                GAME, state.hands, turn.hand, cards, lambda hands: unseen(hands, state.tricks)
            )
        case Deal() if state.phase == "deal":
            return _refuse_deal(state, move)
        case Draw(card) if state.phase == "teamDraw":
            return _refuse_draw(state, card)
        case _:
            tag = str(move.__struct_config__.tag)
            return violation(GAME, Code.WRONG_PHASE, move=tag, phase=state.phase)


def _refuse_play(state: PeeweeState, card: Card, hand: int) -> Violation | None:
    led = current_trick(state).led
    return playing.refuse_card(GAME, state.hands[hand], hand, card, led, lambda: unseen_in(state))


def _pack_is_at_hand(state: PeeweeState) -> bool:
    return state.seed is not None or state.deck is not None


def _refuse_deal(state: PeeweeState, deal: Deal) -> Violation | None:
    if _pack_is_at_hand(state):
        return violation(GAME, Code.CHANCE_IS_DRAWN) if deal != BARE_DEAL else None
    if deal.deck is None and deal.hands is None:
        return violation(GAME, Code.NEEDS_CHANCE, what="deal")
    if deal.turned is not None:
        raise Malformed("$.move.turned", "no card is turned up")
    check_told_hands(deal, lambda hands: _viewer_of(state, hands))
    return None


def _refuse_draw(state: PeeweeState, card: AnyCard | None) -> Violation | None:
    if state.seed is not None:
        return violation(GAME, Code.CHANCE_IS_DRAWN) if card is not None else None
    if card is None:
        return violation(GAME, Code.NEEDS_CHANCE, what="draw")
    french = cards_of(Card, [card])
    if french is None:
        raise Malformed("$.move.card", "not one of the 52 cards")
    if any(draw.card is french[0] for draw in state.draws):
        return violation(GAME, Code.CARD_ALREADY_DRAWN, card=card)
    return None


def _viewer_of(state: PeeweeState, hands: Sequence[Hand]) -> Viewer | None:
    dealt = _before_auction(state)
    return whose_view(hands, state.viewer, lambda viewer: visible_hands(dealt, viewer))


def _before_auction(state: PeeweeState) -> PeeweeState:
    return replace(
        state,
        dealer=next_dealer(state),
        deals=state.deals + 1,
        deck=None,
        draws=(),
        packs=0,
        calls=(),
        contract=None,
        master=None,
        tricks=(),
        score_before=None,
    )


# --- playing


def apply(state: PeeweeState, move: Move, seat: int) -> tuple[PeeweeState, tuple[Event, ...]]:
    """What a legal move leads to."""
    match move:
        case Play(card):
            return _apply_play(state, card, seat)
        case Deal():
            return _apply_deal(state, move)
        case Expose(cards):
            after = _with_turn(replace(state, hands=playing.with_exposed(state.hands, seat, cards)))
            return after, exposed(after)
        case Draw(card):
            return _apply_draw(state, card)
        case Bid() | Pass() | Dare() | DoubleDare():
            return _apply_call(state, move, seat)
        case _:
            raise Malformed("$.move", "PeeWee 7 has no such move")


def _apply_call(state: PeeweeState, call: Call, seat: int) -> tuple[PeeweeState, tuple[Event, ...]]:
    after = replace(state, calls=(*state.calls, PeeweeCall(seat=seat, call=call)))
    events: list[Event] = [Called(seat, call)]
    auction = bidding(after)
    if auction.turn is None:
        closed = outcome(state.options, auction)
        if closed is None:
            events.append(ThrownIn(state.dealer))
        else:
            after = replace(after, contract=closed[0], master=closed[1])
            events += contract_events(after)
    return _with_turn(after), tuple(events)


def _apply_play(state: PeeweeState, card: Card, seat: int) -> tuple[PeeweeState, tuple[Event, ...]]:
    hand = current_trick(state).turn
    trump = state.contract.strain.trump if state.contract else None
    tricks, winner = with_card(state.tricks, first_leader(state), card, trump)
    after = replace(state, hands=without(state.hands, hand, card), tricks=tricks)
    events: list[Event] = [Played(seat, hand, card)]
    if not peewee_is_exposed(state):
        events += exposed(after)
    if winner is not None:
        events.append(TrickWon(winner, len(tricks)))
    if is_played_out(after):
        after = replace(after, score_before=state.score, score=settlement(after).after)
        events += scored(after)
    return _with_turn(after), tuple(events)


def _apply_deal(state: PeeweeState, deal: Deal) -> tuple[PeeweeState, tuple[Event, ...]]:
    hands = _hands_of(state, deal)
    whole = replace(_before_auction(state), hands=hands, viewer=None, history=None)
    viewer = _viewer_of(state, hands) if any(hand.hidden for hand in hands) else state.viewer
    dealt = Dealt(whole.dealer, hands)
    if viewer is None:
        return _with_turn(whole), (dealt,)
    seen = replace(shown(whole, viewer), viewer=viewer, history=state.history)
    return _with_turn(seen), (see(whole, dealt, viewer),)


def _hands_of(state: PeeweeState, deal: Deal) -> tuple[Hand, ...]:
    """The hands of a deal: four, five, four cards at a time from the dealer's left (P-4)."""
    if deal.hands is not None:
        return tuple(Hand(in_order(hand.cards), hand.hidden) for hand in deal.hands)
    if deal.deck is not None:
        deck = whole_pack("$.move.deck", deal.deck)
    else:
        deck = state.deck or shuffle_and_cut(PACK, state.seed or "", state.deals + 1)
    return tuple(Hand(in_order(hand)) for hand in hands_dealt(deck, next_dealer(state)))


def _apply_draw(state: PeeweeState, told: AnyCard | None) -> tuple[PeeweeState, tuple[Event, ...]]:
    card = drawn_by_seed(state.seed or "", state.packs, state.draws) if told is None else Card(told)
    place = state.seating.index((seat_to_draw(state.dealer, state.draws),))
    after = replace(state, draws=(*state.draws, PeeweeDraw(place=place, card=card)))
    events: list[Event] = [Drawn(place, card)]
    if teams_are_made(state.options, after.draws):
        seating, black = seated(state.dealer, after.draws)
        after = replace(after, seating=seating, black=black)
        events.append(Seated(seating, state.dealer))
    elif is_used_up(state.options, after.draws):
        after = replace(after, draws=(), packs=state.packs + 1)
        events.append(Reshuffled(len(PACK)))
    return _with_turn(after), tuple(events)


# --- the score


def sheet(state: PeeweeState, scope: Scope | None) -> Sheet:
    """The deal's sheet, or the match's; while a deal is under way, the paper before it."""
    if scope == "match" or (scope is None and state.phase == "over"):
        return match_sheet(state.options, state.score)
    if scope not in (None, "deal"):
        raise Malformed("$.scope", "PeeWee 7 is scored by the deal or by the match")
    if state.score_before is not None:
        return deal_sheet(state.options, settlement(state))
    return running_sheet(state.options, state.score)
