"""Random play of PeeWee 7 to the end in one call: the rules of a state's moves, on card sets instead of states."""

from collections.abc import Sequence

from ...game import Until
from ...mechanics.cardplay import card_play, led_by, played_out
from ...mechanics.cardsets import PACK_BITS, set_of
from ...mechanics.trick import SEATS
from ...rng import Choices, shuffle_and_cut
from ...sheet import Sheet
from .auction import Auction, after, open_calls, outcome, refuse_call
from .options import PeeweeOptions
from .scoring import deal_sheet, match_sheet, settle, winners
from .state import PeeweeContract, PeeweeFacts, PeeweeState
from .table import bidding, current_trick, hands_dealt


def play_out(state: PeeweeState, choices: Choices, until: Until, most: int) -> tuple[Sheet | None, int] | None:
    """The sheet that random play ends with, None where it does not within so many moves; and how many it took.

    None where the state is not of a kind that is played out here: a view, or not in the bidding or the play of a deal.
    """
    if state.viewer is not None or state.phase not in ("auction", "play"):
        return None
    options, score, deals, dealer, moves = state.options, state.score, state.deals, state.dealer, 0
    contract, auction, play = state.contract, None, None
    hands: Sequence[int] = [set_of(hand.cards) for hand in state.hands]
    if contract is None:
        auction = bidding(state)
    else:
        play = card_play(hands, state.tricks, current_trick(state), _trump(contract))
    while True:
        if auction is not None:
            auction, calls = _bid_out(options, auction, choices, most - moves)
            moves += calls
            if auction.turn is not None:
                return None, most
            closed = outcome(options, auction)
            contract = None if closed is None else closed[0]
            play = None if contract is None else led_by(hands, (dealer + 1) % SEATS, _trump(contract))
        if play is not None and contract is not None:
            left = play.left()
            if moves + left > most:
                return None, most
            moves += left
            won = played_out(play, choices)[contract.side]
            settled = settle(options, PeeweeFacts(contract=contract, tricks=won, score=score))
            if until == "deal":
                return deal_sheet(options, settled), moves
            score = settled.after
            if winners(options, score):
                return match_sheet(options, score), moves
            if options.next_dealer == "clockwise":
                dealer = (dealer + 1) % SEATS
        if state.seed is None or moves == most:
            return None, moves
        deals, moves = deals + 1, moves + 1
        hands = [sum(hand) for hand in hands_dealt(shuffle_and_cut(PACK_BITS, state.seed, deals), dealer)]
        auction = Auction((dealer + 1) % SEATS)


def _bid_out(options: PeeweeOptions, auction: Auction, choices: Choices, most: int) -> tuple[Auction, int]:
    """Random bidding until it closes, or so many calls are made."""
    calls = 0
    while auction.turn is not None and calls < most:
        others, bids = open_calls(options, auction)
        chosen = choices.below(len(others) + len(bids))
        call = others[chosen] if chosen < len(others) else bids[chosen - len(others)]
        if refuse_call(options, auction, call) is not None:
            raise ValueError(f"{call} may not be made")
        auction = after(options, auction, call)
        calls += 1
    return auction, calls


def _trump(contract: PeeweeContract) -> int:
    trump = contract.strain.trump
    return trump.mask if trump else 0
