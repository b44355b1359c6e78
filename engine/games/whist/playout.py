"""Random play of whist to the end in one call: the rules of a state's moves, on card sets instead of states."""

from ...game import Until
from ...mechanics.cardplay import card_play, led_by, played_out
from ...mechanics.cardsets import BITS, PACK_BITS, count, set_of, suit_of
from ...mechanics.trick import SEATS
from ...mechanics.tricks import plays
from ...rng import Choices, shuffle_and_cut
from ...sheet import Sheet
from .scoring import deal_sheet, match_is_over, match_sheet, settle
from .state import WhistFacts, WhistState
from .table import HONOUR_CARDS, current_trick, hands_dealt


def play_out(state: WhistState, choices: Choices, until: Until, most: int) -> tuple[Sheet | None, int] | None:
    """The sheet that random play ends with, None where it does not within so many moves; and how many it took.

    None where the state is not of a kind that is played out here: a view, or not in the play of a deal, or one in which
    revokes are recorded.
    """
    options = state.options
    if state.phase != "play" or state.viewer is not None or options.revoke == "record":
        return None
    trump = state.trump.mask if state.trump else 0
    dealt = [set_of(hand.cards) for hand in state.hands]
    play = card_play(dealt, state.tricks, current_trick(state), trump)
    for _, hand, card in plays(state.tricks):
        dealt[hand] |= BITS[card]
    honours = _honours(dealt, trump)
    score, deals, dealer, moves = state.score, state.deals, state.dealer, 0
    while True:
        left = play.left()
        if moves + left > most:
            return None, most
        moves += left
        won = played_out(play, choices)
        settled = settle(options, WhistFacts(tricks=won, honours=honours, score=score))
        if until == "deal":
            return deal_sheet(settled), moves
        score = settled.after
        if match_is_over(options, score, counted=True):
            return match_sheet(options, score), moves
        if state.seed is None or moves == most:
            return None, moves
        deals, dealer, moves = deals + 1, (dealer + 1) % SEATS, moves + 1
        deck = shuffle_and_cut(PACK_BITS, state.seed, deals)
        hands = [sum(hand) for hand in hands_dealt(deck, dealer)]
        trump = suit_of(deck[-1]) if options.trump == "turned" else 0
        play = led_by(hands, (dealer + 1) % SEATS, trump)
        honours = _honours(hands, trump)


def _honours(hands: list[int], trump: int) -> tuple[int, int, int, int]:
    """How many honours each hand was dealt."""
    honours = HONOUR_CARDS & trump
    return count(hands[0] & honours), count(hands[1] & honours), count(hands[2] & honours), count(hands[3] & honours)
