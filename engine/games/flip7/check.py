"""Which states and views of Flip 7 can have come about; each function raises ImpossibleState where one cannot."""

from collections import Counter
from collections.abc import Sequence

from ...game import SPECTATOR
from ...mechanics.requiring import require, require_now, require_options, require_seed
from ...moves import Hand
from ...violations import ImpossibleState, Reason
from .budget import Spent, can_have_come, flipped_in, is_under_resolution, newest_discards, size_of, spent_by
from .deck import COUNTS, DECK, FLIP_THREE, FREEZE, NUMBERS, SECOND_CHANCE
from .history import history_is_possible
from .options import check_options
from .resolve import FLIPS
from .rounds import can_have_scored, can_have_shuffled, fewest_put_aside
from .rules import seating_is_possible
from .scoring import CHALLENGE_SEATS, MOST_POINTS, SEVEN, fault_in_row, match_is_over, round_points
from .state import Flip7FlipThree, Flip7Row, Flip7State
from .table import active_seats, deal_position, has_cards_to_draw, lying, next_dealer, to_give

MOST_WITH_SECOND_CHANCE = 2
"""Active seats when a Second Chance finds no taker: each has one, and there are three."""


def check(state: Flip7State) -> None:
    """The whole state: options, seats, cards, rows, what is being resolved, totals, and what follows from them."""
    require_options(check_options, state.options)
    _check_seats(state)
    _check_chance(state)
    _check_cards(state)
    _check_rows(state)
    if state.turn is None:
        _check_between_rounds(state)
    else:
        _check_under_way(state)
    _check_totals(state)
    _check_what_follows(state)
    path, events = ("$.log", state.log) if state.viewer is None else ("$.history", state.history or ())
    require(not events or history_is_possible(state, events), path)


def _check_seats(state: Flip7State) -> None:
    seats = len(state.hands)
    require(seats >= 1, "$.hands", Reason.WRONG_COUNT)
    for seat, hand in enumerate(state.hands):
        require_now(hand == Hand(), f"$.hands[{seat}]")
    require_now(seating_is_possible(state.seating, seats), "$.seating")
    require(len(state.rows) == seats, "$.rows", Reason.WRONG_COUNT)
    require(len(state.totals) == seats, "$.totals", Reason.WRONG_COUNT)
    in_challenge = state.options.challenge != "off"
    require(not in_challenge or seats <= CHALLENGE_SEATS, "$.options.challenge", Reason.WRONG_COUNT)
    named: dict[str, int | str | None] = {
        "$.dealer": state.dealer,
        "$.turn": state.turn,
        "$.held.seat": None if state.held is None else state.held.seat,
        "$.viewer": None if state.viewer == SPECTATOR else state.viewer,
        **{f"$.offered[{index}]": seat for index, seat in enumerate(state.offered)},
        **{f"$.flipThrees[{index}].seat": each.seat for index, each in enumerate(state.flip_threes)},
        **{f"$.given[{index}].to": each.to for index, each in enumerate(state.given)},
    }
    for path, number in named.items():
        require_now(number is None or int(number) < seats, path)
    require(state.may_also == (), "$.mayAlso")


def _check_chance(state: Flip7State) -> None:
    is_view = state.viewer is not None
    require_seed(state.seed, state.chance, state.viewer)
    require_now(bool(state.shuffles) == bool(state.round), "$.shuffles")
    if is_view:
        require(not state.deck.cards, "$.deck.cards", Reason.NOT_VISIBLE)
        require(not state.log, "$.log", Reason.NOT_VISIBLE)
        return
    given = state.chance == "deck" and state.shuffles <= 1
    is_known = given or (state.chance == "seed" and state.shuffles > 0)
    if is_known:
        require(not state.deck.hidden, "$.deck.hidden", Reason.HIDDEN_IN_STATE)
    else:
        require_now(not state.deck.cards, "$.deck.cards")


def _check_cards(state: Flip7State) -> None:
    """Deck, discards, rows and what is being resolved make 94; no card is there more often than the deck has it."""
    for index, held in enumerate(state.flip_threes):
        actions = all(card in (FREEZE, FLIP_THREE) for card in held.set_aside)
        require_now(actions, f"$.flipThrees[{index}].setAside")
    for index, given in enumerate(state.given):
        require_now(given.card in (FREEZE, FLIP_THREE), f"$.given[{index}].card")
    seen = Counter(lying(state))
    seen.update(state.deck.cards)
    for card, many in seen.items():
        if many > COUNTS[card]:
            raise ImpossibleState("$", Reason.TOO_MANY_OF_A_CARD, card=card, count=many, expected=COUNTS[card])
    require(seen.total() + state.deck.hidden == len(DECK), "$.deck", Reason.WRONG_COUNT)
    if state.round <= 1:
        _check_first_discards(state)
    require(len(state.discard) >= fewest_put_aside(state), "$.discard", Reason.WRONG_COUNT)
    require_now(can_have_shuffled(state), "$.shuffles")


def _check_first_discards(state: Flip7State) -> None:
    """Before a table was ever cleared: actions, and duplicates that a Second Chance saved from."""
    discard = state.discard
    require_now(newest_discards(discard) == len(discard), "$.discard")
    saved = [card for card in discard if card in NUMBERS]
    lying_before = {card for row in state.rows for card in row.cards}
    require_now(lying_before.issuperset(saved), "$.discard")
    out = [row.status for row in state.rows if row.status != "active"]
    require_now(_nobody_could_take(state), "$.discard")
    if FREEZE in discard and state.shuffles == 1:
        after_flips = FLIP_THREE in discard[: discard.index(FREEZE)]
        dropped = state.turn is None or bool({"busted", "frozen"}.intersection(out))
        require_now(after_flips and dropped, "$.discard")


def _nobody_could_take(state: Flip7State) -> bool:
    """Whether a Second Chance put aside by itself found each active seat with one, which lies there or saved since."""
    discard = state.discard
    unused = [
        index
        for index, card in enumerate(discard)
        if card is SECOND_CHANCE and (not index or discard[index - 1] not in NUMBERS)
    ]
    if not unused:
        return True
    saved_since = sum(card in NUMBERS for card in discard[unused[-1] :])
    has = [SECOND_CHANCE in row.cards for row in state.rows]
    active = active_seats(state)
    lacking = sum(not has[seat] for seat in active)
    return len(active) <= MOST_WITH_SECOND_CHANCE and lacking <= saved_since and sum(has) + saved_since > 0


def _check_rows(state: Flip7State) -> None:
    for seat, row in enumerate(state.rows):
        path = f"$.rows[{seat}]"
        busted = row.status == "busted"
        require_now(fault_in_row(row.cards, busted=busted) is None, f"{path}.cards")
        last_thing = _ends_as_it_must(row)
        require_now(last_thing, f"{path}.cards")
        if row.status == "stayed" and not row.cards:
            nothing_left = state.turn is None and not has_cards_to_draw(state)
            require_now(nothing_left, f"{path}.status")


def _ends_as_it_must(row: Flip7Row) -> bool:
    """A busted row ends with the duplicate, a frozen one with the Freeze, one of seven with a number."""
    last = row.cards[-1] if row.cards else None
    if (row.status == "frozen") != (FREEZE in row.cards):
        return False
    match row.status:
        case "busted":
            return last in NUMBERS and last in row.cards[:-1]
        case "frozen":
            return last is FREEZE and not _has_seven(row)
        case "stayed":
            return not _has_seven(row)
        case "active":
            return not _has_seven(row) or last in NUMBERS


def _has_seven(row: Flip7Row) -> bool:
    return row.status != "busted" and sum(card in NUMBERS for card in row.cards) == SEVEN


def _check_between_rounds(state: Flip7State) -> None:
    nothing = {
        "$.dealing": state.dealing,
        "$.owed": state.owed,
        "$.offered": state.offered,
        "$.held": state.held,
        "$.flipThrees": state.flip_threes,
        "$.given": state.given,
    }
    for path, there in nothing.items():
        require_now(not there, path)
    if not state.round:
        for seat, row in enumerate(state.rows):
            require_now(row == Flip7Row(), f"$.rows[{seat}]")
        require_now(not state.discard, "$.discard")
        return
    sevens = [seat for seat, row in enumerate(state.rows) if _has_seven(row)]
    ended = len(sevens) == 1 or (not sevens and not active_seats(state))
    require_now(ended, "$.turn")
    require_now(can_have_come(state), "$.rows")


def _check_under_way(state: Flip7State) -> None:
    require_now(state.round > 0, "$.round")
    require_now(bool(active_seats(state)), "$.rows")
    for seat, row in enumerate(state.rows):
        require_now(not _has_seven(row), f"$.rows[{seat}].cards")
    spent = spent_by(state)
    _check_deal(state)
    _check_offered(state, spent)
    _check_flip_threes(state, spent)
    _check_held(state)
    may_be_given = state.options.set_aside == "assignAllThenResolve" and bool(state.flip_threes)
    require_now(not state.given or may_be_given, "$.given")
    _check_turn(state, spent)
    _check_replaced(state, spent)
    require_now(can_have_come(state), "$.rows")


def _check_replaced(state: Flip7State, spent: Spent) -> None:
    """Where an action in the deal is replaced, whoever was dealt to has a number or modifier, unless put out (FA3)."""
    offers = state.options.initial_deal_after_flip3 == "offer"
    may_be_asked = offers and (spent.shuffled or spent.flip_threes or state.flip_threes)
    if not state.options.deal_replace_action or may_be_asked or not has_cards_to_draw(state):
        return
    assert state.turn is not None
    reached = deal_position(state, state.turn) if state.dealing else len(state.rows)
    for seat, row in enumerate(state.rows):
        still_in = row.status in ("active", "stayed") and deal_position(state, seat) < reached
        require_now(not still_in or flipped_in(row) > 0, f"$.rows[{seat}].cards")


def _check_turn(state: Flip7State, spent: Spent) -> None:
    """Whose action is being settled cannot have stopped; and before any Flip Three is over nothing put them out."""
    assert state.turn is not None
    if is_under_resolution(state):
        status = state.rows[state.turn].status
        require_now(status != "stayed", "$.turn")
        untouched = not spent.shuffled and not spent.flip_threes
        require_now(not untouched or status == "active", "$.turn")
    if not state.dealing or deal_position(state, state.turn):
        require_now(any(row.cards for row in state.rows), "$.rows")


def _check_deal(state: Flip7State) -> None:
    assert state.turn is not None
    options = state.options
    if not state.dealing:
        require_now(not state.owed, "$.owed")
        require_now(not state.offered, "$.offered")
        return
    offers = options.initial_deal_after_flip3 == "offer"
    position = deal_position(state, state.turn)
    require_now(not state.owed or options.deal_replace_action, "$.owed")
    require_now(not state.owed or bool(state.held or state.flip_threes), "$.owed")
    chain = bool(state.held or state.flip_threes) and state.turn not in state.offered
    owes = state.owed or not (options.deal_replace_action and chain)
    require_now(owes, "$.owed")
    require_now(offers or not state.offered, "$.offered")
    require_now(list(state.offered) == sorted(set(state.offered)), "$.offered")
    for index, seat in enumerate(state.offered):
        still_to_come = deal_position(state, seat) >= position
        require_now(still_to_come, f"$.offered[{index}]")
    for seat, row in enumerate(state.rows):
        could_stay = offers and deal_position(state, seat) < position
        require_now(row.status != "stayed" or could_stay, f"$.rows[{seat}].status")


def _check_offered(state: Flip7State, spent: Spent) -> None:
    """The deal asks just the seats that a Flip Three reached before it (FA5)."""
    if not state.dealing or state.options.initial_deal_after_flip3 != "offer":
        return
    assert state.turn is not None
    over = sum(not each.left for each in state.flip_threes)
    by_others = set(state.offered) - {each.seat for each in state.flip_threes}
    possible = spent.shuffled or len(by_others) <= spent.flip_threes - over
    require_now(possible, "$.offered")
    behind = deal_position(state, state.turn) + is_under_resolution(state)
    flipping = {each.seat for each in state.flip_threes}
    for seat, row in enumerate(state.rows):
        reached = deal_position(state, seat) >= behind and (seat in flipping or flipped_in(row) > 0)
        require_now(not reached or seat in state.offered, "$.offered")


def _check_flip_threes(state: Flip7State, spent: Spent) -> None:
    one_by_one = state.options.set_aside == "oneByOne"
    require(one_by_one or len(state.flip_threes) <= 1, "$.flipThrees", Reason.WRONG_COUNT)
    for index, each in enumerate(state.flip_threes):
        path = f"$.flipThrees[{index}]"
        innermost = index == len(state.flip_threes) - 1
        require_now(innermost or not each.left, f"{path}.left")
        require(_fits(each), f"{path}.setAside", Reason.WRONG_COUNT)
        status = state.rows[each.seat].status
        possible = status == "active" or (one_by_one and not each.left and status == "frozen")
        require_now(possible, f"{path}.seat")
        require(innermost or len(each.set_aside) < FLIPS, f"{path}.setAside", Reason.WRONG_COUNT)
    if state.flip_threes:
        _check_what_was_flipped(state, spent)
        require_now(_has_discarded_flip_threes(state, spent), "$.discard")


def _fits(each: Flip7FlipThree) -> bool:
    return len(each.set_aside) <= FLIPS - each.left and bool(each.left or each.set_aside)


def _check_what_was_flipped(state: Flip7State, spent: Spent) -> None:
    """What the innermost Flip Three has turned and not set aside lies before its seat, or came to nothing there."""
    innermost = state.flip_threes[-1]
    if spent.shuffled or (state.options.set_aside == "oneByOne" and not innermost.left):
        return
    given = len(state.given) if not innermost.left else 0
    kept = FLIPS - innermost.left - len(innermost.set_aside) - given
    passed_on = sum(SECOND_CHANCE in row.cards for row in state.rows) + spent.seconds + spent.numbers
    possible = kept <= size_of(state.rows[innermost.seat]) + passed_on
    require_now(possible, f"$.flipThrees[{len(state.flip_threes) - 1}].left")


def _has_discarded_flip_threes(state: Flip7State, spent: Spent) -> bool:
    """Whether the Flip Threes that are over have been put aside (FA24); one that has just ended is so even now.

    What is already given, but for what this one set aside, came of earlier ones: three cards each at most, one of which
    was the Flip Three that went on.
    """
    innermost = state.flip_threes[-1]
    is_over = not innermost.left
    if is_over:
        one_by_one = state.options.set_aside == "oneByOne"
        newest = state.discard if one_by_one else state.discard[-1:]
        if FLIP_THREE not in newest:
            return False
    own = FLIPS - len(innermost.set_aside) if is_over else 0
    of_earlier = max(0, len(state.given) - own)
    over = sum(not each.left for each in state.flip_threes) + -(-of_earlier // (FLIPS - 1))
    return spent.shuffled or spent.flip_threes >= over


def _check_held(state: Flip7State) -> None:
    held = state.held
    if held is None:
        return
    if state.flip_threes:
        innermost = state.flip_threes[-1]
        turned = held.seat == innermost.seat and innermost.left > 0 and held.card is SECOND_CHANCE
    else:
        turned = held.seat == state.turn and held.card in (FREEZE, FLIP_THREE, SECOND_CHANCE)
    row = state.rows[held.seat]
    require_now(turned and row.status == "active", "$.held")
    if held.card is SECOND_CHANCE:
        to_be_given = state.options.second_chance_gift or SECOND_CHANCE in row.cards
        require_now(to_be_given and bool(to_give(state)[1]), "$.held")


def _check_totals(state: Flip7State) -> None:
    before: Sequence[int] = state.totals
    scored = state.round
    if state.turn is not None:
        scored -= 1
    elif state.round:
        points = round_points(state.rows)
        before = [total - each for total, each in zip(state.totals, points, strict=True)]
        scored -= 1
    for seat, total in enumerate(before):
        require_now(0 <= total <= MOST_POINTS * scored, f"$.totals[{seat}]")
    require_now(can_have_scored(state, before, max(0, scored)), "$.totals")
    require_now(not match_is_over(state.options, before), "$.totals")


def _check_what_follows(state: Flip7State) -> None:
    phases, seat = _decision(state)
    if state.phase not in phases:
        raise ImpossibleState("$.phase", Reason.WRONG_PHASE_STATE, expected=" or ".join(phases))
    turn = state.to_act
    if (turn is None) != (seat is None) or (turn is not None and not turn.seat == turn.hand == seat):
        expected = "null" if seat is None else f"seat {seat}, hand {seat}"
        raise ImpossibleState("$.toAct", Reason.WRONG_TURN, expected=expected)
    if state.phase == "draw":
        require_now(state.deck.hidden > 0, "$.phase")
    if state.phase in ("draw", "turns"):
        active = state.rows[seat or 0].status == "active"
        require_now(active and has_cards_to_draw(state), "$.phase")


def _decision(state: Flip7State) -> tuple[tuple[str, ...], int | None]:
    """The phases that the rest of the state leaves open, and the seat that then is to act."""
    if state.turn is None:
        if state.round and match_is_over(state.options, state.totals):
            return ("over",), None
        return ("roundOver" if state.round else "deal",), next_dealer(state)
    if state.held is not None:
        return ("give",), state.held.seat
    if state.flip_threes:
        innermost = state.flip_threes[-1]
        return ("draw" if innermost.left else "give",), innermost.seat
    if state.dealing and state.turn not in state.offered:
        return ("draw",), state.turn
    return ("turns", "draw"), state.turn
