"""Flip 7's play: how a match starts, what is legal and why not, what a move leads to, and who sees what of it."""

from collections.abc import Sequence
from typing import Literal

from ...cards import AnyCard, FlipCard, cards_of
from ...events import Event
from ...game import LegalMoves, Query, Setup, Turn, Viewer
from ...mechanics.listing import listed
from ...moves import Deal, Draw, Give, Hand, Hit, Move, Stay
from ...sheet import Scope, Sheet
from ...violations import Code, Malformed, Violation, violation
from .deck import DECK, SECOND_CHANCE, in_deck_order
from .options import Flip7Options
from .resolve import Resolution
from .scoring import CHALLENGE_SEATS, match_sheet, round_sheet
from .state import MOST_SEATS, Flip7Deck, Flip7Row, Flip7State
from .table import to_give, unseen

FEWEST_OF_THE_BOX = 3


def start(setup: Setup) -> Flip7State:
    """The state before the first deal."""
    options: Flip7Options = setup.options
    seats = len(setup.seating or ()) or _default_places(options) if setup.places is None else setup.places
    if not 1 <= seats <= MOST_SEATS:
        raise Malformed("$.places", f"1 to {MOST_SEATS} places can play")
    if options.challenge != "off" and seats > CHALLENGE_SEATS:
        raise Malformed("$.options.challenge", f"is for at most {CHALLENGE_SEATS} places")
    seating = setup.seating or tuple((seat,) for seat in range(seats))
    if not seating_is_possible(seating, seats):
        raise Malformed("$.seating", "each place has one seat")
    dealer = seats - 1 if setup.dealer is None else setup.dealer
    if not 0 <= dealer < seats:
        raise Malformed("$.dealer", f"there is no seat {dealer}")
    return Flip7State(
        ruleset=setup.ruleset or 1,
        options=options,
        chance=setup.chance,
        seed=setup.seed,
        phase="deal",
        seating=seating,
        dealer=dealer,
        to_act=Turn(dealer, dealer),
        hands=(Hand(),) * seats,
        totals=(0,) * seats,
        rows=(Flip7Row(),) * seats,
        deck=_deck_of(setup),
    )


def _default_places(options: Flip7Options) -> int:
    return FEWEST_OF_THE_BOX if options.challenge == "off" else 1


def seating_is_possible(seating: Sequence[Sequence[int]], seats: int) -> bool:
    """Whether each place has one seat, and every seat is taken."""
    return sorted(map(tuple, seating)) == [(seat,) for seat in range(seats)]


def _deck_of(setup: Setup) -> Flip7Deck:
    if setup.chance == "seed" and setup.seed is None:
        raise Malformed("$.seed", "is missing")
    if setup.chance != "deck":
        return Flip7Deck(hidden=len(DECK))
    if setup.deck is None:
        raise Malformed("$.deck", "is missing")
    cards = cards_of(FlipCard, map(AnyCard, setup.deck))
    if cards is None or in_deck_order(cards) != DECK:
        raise Malformed("$.deck", f"not just the {len(DECK)} cards of the game")
    return Flip7Deck(cards=cards)


# --- legality


def legal(state: Flip7State, seat: int, query: Query) -> LegalMoves:
    """The legal moves of a seat; and whether a card must first be told by who holds the deck."""
    moves: list[Move] = []
    needs: Literal["draw"] | None = None
    if state.to_act is not None and state.to_act.seat == seat:
        match state.phase:
            case "deal" | "roundOver":
                moves = [Deal()]
            case "turns":
                moves = [Hit(), Stay()] if state.rows[seat].cards else [Hit()]
            case "give":
                card, targets = to_give(state)
                moves = [Give(card, to) for to in targets]
            case "draw":
                needs = "draw"
    return listed(query, moves, tuple, needs)


def refuse(state: Flip7State, move: Move, seat: int) -> Violation | None:
    """Why a seat's move is illegal, None where it is legal."""
    if state.to_act is None:
        return violation("flip7", Code.GAME_OVER)
    if state.to_act.seat != seat:
        return violation("flip7", Code.NOT_YOUR_TURN, seat=seat, turn=state.to_act.seat)
    match move, state.phase:
        case Deal(), "deal" | "roundOver":
            return _refuse_deal(state, move)
        case Hit(), "turns":
            return None
        case Stay(), "turns":
            return None if state.rows[seat].cards else violation("flip7", Code.STAY_NEEDS_A_CARD)
        case Give(), "give":
            return _refuse_give(state, move)
        case Hit() | Stay(), "give":
            return violation("flip7", Code.MUST_GIVE_FIRST, card=to_give(state)[0])
        case Draw(card), _:
            return _refuse_draw(state, card)
        case Hit() | Stay() | Give(), "draw":
            return violation("flip7", Code.NEEDS_CHANCE, what="draw")
        case _:
            return violation("flip7", Code.WRONG_PHASE, move=type(move).__name__.lower(), phase=state.phase)


def _order_is_known(state: Flip7State) -> bool:
    return state.seed is not None or bool(state.deck.cards)


def _refuse_deal(state: Flip7State, deal: Deal) -> Violation | None:
    if deal == Deal():
        return None
    if _order_is_known(state):
        return violation("flip7", Code.CHANCE_IS_DRAWN)
    raise Malformed("$.move", "a deal of Flip 7 tells no cards: each is told by draw, as it comes")


def _refuse_give(state: Flip7State, give: Give) -> Violation | None:
    if give.to >= len(state.rows):
        raise Malformed("$.move.to", f"there is no seat {give.to}")
    card, targets = to_give(state)
    if give.card is not card:
        return violation("flip7", Code.NOT_THE_CARD_TO_GIVE, card=give.card, expected=card)
    if state.rows[give.to].status != "active":
        return violation("flip7", Code.TARGET_NOT_ACTIVE, seat=give.to, seats=tuple(map(str, targets)))
    if card is SECOND_CHANCE and give.to not in targets:
        return violation("flip7", Code.TARGET_HAS_SECOND_CHANCE, seat=give.to)
    return None


def _refuse_draw(state: Flip7State, told: AnyCard | None) -> Violation | None:
    if _order_is_known(state) and told is not None:
        return violation("flip7", Code.CHANCE_IS_DRAWN)
    if state.phase != "draw":
        return violation("flip7", Code.WRONG_PHASE, move="draw", phase=state.phase)
    if told is None:
        return violation("flip7", Code.NEEDS_CHANCE, what="draw")
    card = _flip_card(told)
    return None if unseen(state)[card] else violation("flip7", Code.NOT_IN_DECK, card=card)


def _flip_card(card: AnyCard) -> FlipCard:
    found = cards_of(FlipCard, [card])
    if found is None:
        raise Malformed("$.move.card", "not a card of Flip 7")
    return found[0]


# --- playing


def apply(state: Flip7State, move: Move, seat: int) -> tuple[Flip7State, tuple[Event, ...]]:
    """What a legal move leads to."""
    del seat
    resolution = Resolution(state)
    match move:
        case Deal():
            resolution.deal()
        case Hit():
            resolution.hit()
        case Stay():
            resolution.stay()
        case Give(to=to):
            resolution.give(to)
        case Draw(card) if card is not None:
            resolution.draw(_flip_card(card))
    return resolution.frozen(), tuple(resolution.events)


# --- views


def project(state: Flip7State, viewer: Viewer) -> Flip7State:
    """A full state as a viewer sees it: all but the order of the deck, and the seed (FA36)."""
    return Flip7State(
        ruleset=state.ruleset,
        chance=state.chance,
        viewer=viewer,
        phase=state.phase,
        seating=state.seating,
        dealer=state.dealer,
        to_act=state.to_act,
        may_also=state.may_also,
        hands=state.hands,
        history=state.log,
        options=state.options,
        round=state.round,
        shuffles=state.shuffles,
        totals=state.totals,
        rows=state.rows,
        deck=Flip7Deck(hidden=len(state.deck)),
        discard=state.discard,
        turn=state.turn,
        dealing=state.dealing,
        owed=state.owed,
        offered=state.offered,
        held=state.held,
        flip_threes=state.flip_threes,
        given=state.given,
    )


def see(state: Flip7State, event: Event, viewer: Viewer) -> Event:
    """An event as one viewer sees it: everything that happens is public."""
    del state, viewer
    return event


# --- the score


def sheet(state: Flip7State, scope: Scope | None) -> Sheet:
    """The round's sheet or the match's; while a round is under way, what the rows would score as they lie."""
    if scope == "match" or (scope is None and state.phase == "over"):
        return match_sheet(state.options, state.totals, state.round)
    if scope not in (None, "round"):
        raise Malformed("$.scope", "Flip 7 is scored by the round or by the match")
    return round_sheet([(row.cards, row.status == "busted") for row in state.rows], state.totals)
