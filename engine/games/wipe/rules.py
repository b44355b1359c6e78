"""Le Wipe's start, what is legal and why not, and what a round or the match comes to."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from ...cards import PACK, WHOLE_PACK, Card, card_set, cards_of
from ...game import HOST, LegalMoves, Query, Setup
from ...mechanics.dealing import whole_pack
from ...mechanics.holding import Holder
from ...mechanics.runs import Listing, listing
from ...moves import Announce, Build, Capture, Close, Deal, Extend, Hand, Move, Raise, Strike, Trail
from ...sheet import Scope, Sheet
from ...violations import Code, Malformed, Violation
from .judging import no, refuse_card
from .listing import Plays
from .options import WipeOptions
from .play import begins_round, empty_score, next_deal_size, pack_is_at_hand, settlement, viewer_of, with_turn
from .scoring import match_sheet, round_sheet
from .state import WipeHeap, WipeScore, WipeState
from .table import (
    LAYOUT_SIZE,
    PLACES,
    complete_ranks,
    heaps_of,
    is_played_out,
    known_cards,
    may_announce,
    may_close,
    side_of,
    sides_of,
    won_by,
)

DEFAULT_PLACES: Final = 4


def start(setup: Setup) -> WipeState:
    """The state before the first deal."""
    options: WipeOptions = setup.options
    seats = setup.places
    if seats is None:
        seats = DEFAULT_PLACES if setup.seating is None else len(setup.seating)
    if seats not in PLACES:
        raise Malformed("$.places", _why_not(seats))
    seating = setup.seating or tuple((seat,) for seat in range(seats))
    if not seating_is_possible(seating, seats):
        raise Malformed("$.seating", f"each of {seats} places has one seat of its own")
    dealer = setup.dealer if setup.dealer is not None else seats - 1
    if not 0 <= dealer < seats:
        raise Malformed("$.dealer", f"there is no seat {dealer}")
    return with_turn(
        WipeState(
            ruleset=setup.ruleset or 1,
            options=replace(options, rounds=options.rounds or seats),
            chance=setup.chance,
            seed=setup.seed,
            deck=None if setup.deck is None else whole_pack("$.deck", setup.deck),
            phase="deal",
            seating=seating,
            dealer=dealer,
            to_act=None,
            hands=(Hand(),) * seats,
            heaps=(WipeHeap(),) * heaps_of(options, seats),
            wipes=empty_score(seats),
            score=WipeScore(points=(0,) * sides_of(seats)),
            past=(),
        )
    )


def _why_not(places: int) -> str:
    """Why so many cannot play (L-1, LA26)."""
    if places in range(PLACES[0], PLACES[-1]):
        return (
            f"{places} cannot play: they make no two equal teams, and the 48 cards beside the layout do not deal out "
            f"in hands of four"
        )
    return f"two, three, four, six or eight can play, not {places}"


def seating_is_possible(seating: Sequence[Sequence[int]], seats: int) -> bool:
    """Whether each place has one seat and each seat one place."""
    return (
        len(seating) == seats and sorted(seat for own in seating for seat in own) == list(range(seats)) and all(seating)
    )


# --- legality


def legal(state: WipeState, seat: int, query: Query) -> LegalMoves:
    """The legal moves of a seat.

    A capture is listed once, plain: it may also be made with what goes along with it, an announcement of a wipe, or a
    trick left uncrossed.
    """
    turn = state.to_act is not None and state.to_act.seat == seat
    others: list[Move] = []
    untold = turn and state.phase == "deal" and not pack_is_at_hand(state)
    if turn and state.phase == "deal" and not untold:
        others.append(Deal())
    free: tuple[Move, ...] = (Announce("lastDeal"), Close())
    others += [move for move in free if refuse(state, move, seat) is None]
    if turn and state.phase == "play":
        plays = Plays(state, seat)
        return listing(query, plays.listing(others), plays.blocked)
    return listing(
        query,
        Listing(cards=(), moves=_none, groups=_none, shapes=_none, others=others),
        needs_chance="deal" if untold else None,
    )


def _none(card: Card) -> tuple[()]:
    del card
    return ()


def refuse(state: WipeState, move: Move, seat: int, holder: Holder | None = None) -> Violation | None:
    """Why a seat's move, or the host's, is illegal; None where it is legal. `holder` is its hand, if it is at hand."""
    if state.phase == "over" or state.to_act is None:
        return no(Code.GAME_OVER)
    match move:
        case Strike(side):
            return _refuse_strike(state, side, seat)
        case Close():
            return _refuse_close(state, seat)
        case Announce():
            return _refuse_announcement(state, seat)
    if state.to_act.seat != seat:
        return no(Code.NOT_YOUR_TURN, seat=seat, turn=state.to_act.seat)
    if isinstance(move, Deal) and state.phase == "deal":
        return _refuse_deal(state, move)
    if isinstance(move, Capture | Build | Extend | Raise | Trail) and state.phase == "play":
        return refuse_card(state, move, seat, holder)
    return no(Code.WRONG_PHASE, move=type(move).__name__.lower(), phase=state.phase)


def _refuse_strike(state: WipeState, side: int, seat: int) -> Violation | None:
    if seat != HOST:
        return no(Code.HOST_ONLY)
    if not 0 <= side < len(state.wipes):
        raise Malformed("$.move.side", f"there is no side {side}")
    tally = state.wipes[side]
    return None if tally.made > tally.struck else no(Code.NOTHING_TO_STRIKE, side=side)


def _refuse_close(state: WipeState, seat: int) -> Violation | None:
    if not complete_ranks(won_by(state, side_of(len(state.hands), seat))):
        return no(Code.NO_COMPLETE_SET)
    return None if may_close(state, seat) else no(Code.CLOSE_NOT_NOW)


def _refuse_announcement(state: WipeState, seat: int) -> Violation | None:
    if state.options.last_deal_announcement == "auto":
        return no(Code.ANNOUNCED_BY_REFEREE)
    if seat != state.dealer:
        return no(Code.NOT_THE_DEALER, seat=seat, dealer=state.dealer)
    if state.announced:
        return no(Code.ALREADY_ANNOUNCED)
    return None if may_announce(state) else no(Code.ANNOUNCE_NOT_NOW)


def _refuse_deal(state: WipeState, deal: Deal) -> Violation | None:
    told = deal != Deal()
    if pack_is_at_hand(state):
        return no(Code.CHANCE_IS_DRAWN) if told else None
    if not told:
        return no(Code.NEEDS_CHANCE, what="deal")
    _check_told_deal(state, deal)
    return None


def _check_told_deal(state: WipeState, deal: Deal) -> None:
    """Malformed where what the caller tells cannot be this deal."""
    first = begins_round(state)
    free = WHOLE_PACK
    if not first:
        free &= ~card_set(card for path, card in known_cards(state) if not path.startswith("$.stock"))
    if deal.turned is not None:
        raise Malformed("$.move.turned", "no card is turned up")
    if deal.deck is not None:
        if deal.hands is not None or deal.layout is not None:
            raise Malformed("$.move", "a deal is told by the deck or by the hands, not by both")
        size = len(PACK) if first else len(state.stock)
        french = cards_of(Card, deal.deck)
        if french is None or len(french) != size or not _fit(french, free):
            raise Malformed("$.move.deck", f"not {size} cards that are still to be dealt")
        return
    if deal.hands is None:
        raise Malformed("$.move.hands", "a deal is told by the deck or by the hands")
    size = next_deal_size(state)
    if len(deal.hands) != len(state.hands) or any(len(hand) != size for hand in deal.hands):
        raise Malformed("$.move.hands", f"{len(state.hands)} hands get {size} cards each")
    if any(hand.cards and hand.hidden for hand in deal.hands):
        raise Malformed("$.move.hands", "a hand is told whole or not at all")
    if (LAYOUT_SIZE if first else None) != (None if deal.layout is None else len(deal.layout)):
        raise Malformed("$.move.layout", "four cards are laid out in a round's first deal, and only there")
    if not _fit([card for hand in deal.hands for card in hand.cards] + list(deal.layout or ()), free):
        raise Malformed("$.move.hands", "a card is told twice, or one that is not to be dealt")
    if any(hand.hidden for hand in deal.hands) and viewer_of(state, deal.hands) is None:
        raise Malformed("$.move.hands", "nobody sees just these hands: tell one seat's view, or all")


def _fit(cards: Sequence[Card], free: int) -> bool:
    return card_set(cards).bit_count() == len(cards) and not card_set(cards) & ~free


# --- the score


def sheet(state: WipeState, scope: Scope | None) -> Sheet:
    """The round's sheet, or the match's; while a round is under way, the score before it."""
    if scope == "match" or (scope is None and state.phase == "over"):
        return match_sheet(state.score, state.wipes, over=state.phase == "over")
    if scope not in (None, "round"):
        raise Malformed("$.scope", "Le Wipe is scored by the round or by the match")
    items = settlement(state).items if is_played_out(state) else ()
    return round_sheet(items, state.score, state.wipes)
