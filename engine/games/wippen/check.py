"""Which states and views of Wippen can have come about; each function raises ImpossibleState where one cannot."""

from collections import Counter

from ...game import SPECTATOR
from ...mechanics.builds import LayoutBuild
from ...mechanics.holding import Covered
from ...mechanics.layout import HIGHEST_NUMERAL, value_of
from ...mechanics.requiring import require, require_now, require_options, require_seed
from ...violations import ImpossibleState, Malformed, Reason
from .course import check_course
from .knowledge import (
    facts_of,
    is_last_deal,
    is_settled,
    phase_of,
    places,
    plan,
    sees_hand,
    table_of,
    turn_of,
    unknown_cards,
)
from .options import check_options
from .plan import HAND_SIZE, LAYOUT_SIZE, plan_of
from .rules import takings
from .scoring import MOST_CARDS, MOST_SPADES, SCORING, WORTH, match_is_over, settle
from .state import WippenScore, WippenState


def check(state: WippenState) -> None:
    """The whole state: options, seats, cards, builds, heaps, score, what follows from them, and how it came about."""
    _check_options(state)
    _check_seats(state)
    _check_chance(state)
    _check_rounds(state)
    _check_hands(state)
    _check_cards(state)
    for index, build in enumerate(state.builds):
        _check_build(state, build, f"$.builds[{index}]")
    _check_owners(state)
    _check_heaps(state)
    _check_score(state)
    _check_what_follows(state)
    check_course(state)
    _check_hidden(state)


def _check_options(state: WippenState) -> None:
    require_options(check_options, state.options)
    try:
        plan_of(state.options, places(state))
    except Malformed as fault:
        raise ImpossibleState("$.hands", Reason.OPTIONS_CONTRADICT, detail=fault.detail) from None


def _check_seats(state: WippenState) -> None:
    seats = places(state)
    require_now(sorted(state.seating) == [(seat,) for seat in range(seats)], "$.seating")
    named = {"$.dealer": state.dealer, "$.lastTaker": state.last_taker}
    named |= {f"$.builds[{index}].owner": build.owner for index, build in enumerate(state.builds)}
    if state.viewer not in (None, SPECTATOR):
        named["$.viewer"] = int(state.viewer)
    for path, seat in named.items():
        require_now(seat is None or seat < seats, path)
    scores = {"$.score.points": state.score.points}
    if state.score_before is not None:
        scores["$.scoreBefore.points"] = state.score_before.points
    rows: dict[str, int] = {path: len(points) for path, points in scores.items()}
    rows |= {"$.heaps": len(state.heaps), "$.wips": len(state.wips)}
    for path, length in rows.items():
        require(length == seats, path, Reason.WRONG_COUNT)


def _check_chance(state: WippenState) -> None:
    whole = state.viewer is None
    require_seed(state.seed, state.chance, state.viewer)
    if state.deck is not None:
        possible = state.chance == "deck" and not state.rounds and whole
        require_now(possible, "$.deck")
        require(Counter(state.deck) == Counter(plan(state).cards), "$.deck", Reason.CARDS_MISSING)
    require(whole or state.past is None, "$.past", Reason.NOT_VISIBLE)


def _check_rounds(state: WippenState) -> None:
    require(state.deals <= plan(state).deals, "$.deals", Reason.WRONG_COUNT)
    require_now(bool(state.rounds) == bool(state.deals), "$.deals")
    require_now(state.options.points or state.rounds <= 1, "$.rounds")
    played_out = bool(state.rounds) and not any(map(len, state.hands)) and is_last_deal(state)
    require_now(is_settled(state) == played_out, "$.scoreBefore")
    if not state.rounds:
        require_now(not any(map(len, state.hands)), "$.hands")
        nothing = not state.layout and not state.builds and not len(state.stock) and state.last_taker is None
        require_now(nothing and not any(map(len, state.heaps)), "$.rounds")


def _check_hands(state: WippenState) -> None:
    """Each has played as often as the next, or once more; all or nothing of a hand is seen."""
    seats = places(state)
    held = sum(map(len, state.hands))
    require(held <= HAND_SIZE * seats, "$.hands", Reason.WRONG_COUNT)
    each, more = divmod(held, seats)
    for turn in range(seats):
        seat = (state.dealer + 1 + turn) % seats
        hand = state.hands[seat]
        expected = each + (turn >= seats - more)
        if len(hand) != expected:
            raise ImpossibleState(f"$.hands[{seat}]", Reason.WRONG_HAND_SIZE, count=len(hand), expected=expected)
        path = f"$.hands[{seat}].hidden"
        require(state.viewer is not None or not hand.hidden, path, Reason.HIDDEN_IN_STATE)
        if state.viewer is not None and sees_hand(state, state.viewer, seat):
            require(not hand.hidden, path, Reason.OWN_HAND_UNKNOWN)
        elif state.viewer is not None:
            require(not hand.cards, f"$.hands[{seat}].cards", Reason.NOT_VISIBLE)


def _check_cards(state: WippenState) -> None:
    agreed = plan(state)
    dealt = LAYOUT_SIZE + HAND_SIZE * places(state) * state.deals if state.rounds else len(agreed.cards)
    require(len(state.stock) == len(agreed.cards) - dealt, "$.stock", Reason.WRONG_COUNT)
    if state.viewer is not None:
        require(not state.stock.cards, "$.stock.cards", Reason.NOT_VISIBLE)
    elif state.chance != "caller":
        require(not state.stock.hidden, "$.stock.hidden", Reason.HIDDEN_IN_STATE)
    require(not (state.stock.cards and state.stock.hidden), "$.stock.hidden", Reason.HIDDEN_IN_STATE)
    if not state.rounds:
        return
    free = Counter(agreed.cards)
    where: list[tuple[str, tuple[object, ...]]] = [
        *((f"$.hands[{seat}].cards", hand.cards) for seat, hand in enumerate(state.hands)),
        ("$.layout", state.layout),
        *(
            (f"$.builds[{index}].groups[{number}]", group)
            for index, build in enumerate(state.builds)
            for number, group in enumerate(build.groups)
        ),
        *((f"$.heaps[{seat}].cards", heap.cards) for seat, heap in enumerate(state.heaps)),
        ("$.stock.cards", state.stock.cards),
    ]
    for path, cards in where:
        for position, card in enumerate(cards):
            free[card] -= 1  # type: ignore[index]
            if free[card] < 0:  # type: ignore[index]
                raise ImpossibleState(f"{path}[{position}]", Reason.CARD_TWICE, card=str(card))
    hidden = sum(hand.hidden for hand in (*state.hands, *state.heaps, state.stock))
    require(hidden == free.total(), "$", Reason.CARDS_MISSING)


def _check_build(state: WippenState, build: LayoutBuild, path: str) -> None:
    options = state.options
    table = table_of(state)
    require_now(options.building, path)
    require_now(build.value <= table.ceiling, f"{path}.value")
    groups = len(build.groups)
    several = options.double_building and build.value <= HIGHEST_NUMERAL
    most = 1 if not several else options.max_groups or groups
    require(1 <= groups <= most, f"{path}.groups", Reason.WRONG_COUNT)
    for number, group in enumerate(build.groups):
        numbers = all(map(table.is_number, group))
        require(numbers and sum(map(value_of, group)) == build.value, f"{path}.groups[{number}]")
    require(sum(map(len, build.groups)) > 1, f"{path}.groups", Reason.WRONG_COUNT)


def _check_owners(state: WippenState) -> None:
    """Ids are in order and each once; an owner holds what he must, and owns one where he has to see to it first."""
    numbers = [build.id for build in state.builds]
    require(numbers == sorted(set(numbers)), "$.builds", Reason.DISAGREES)
    table = table_of(state)
    one_each = state.options.build_obligation in ("resolve", "capture")
    for seat, hand in enumerate(state.hands):
        own = table.owned_by(seat)
        require_now(not one_each or len(own) <= 1, "$.builds")
        needs = table.needs_of(own)
        require(sum(needs.values()) <= len(hand), f"$.hands[{seat}]", Reason.DISAGREES)
        if not hand.hidden:
            held = Counter(map(value_of, hand.cards))
            require(all(held[value] >= number for value, number in needs.items()), f"$.hands[{seat}]")


def _check_heaps(state: WippenState) -> None:
    options = state.options
    settled = is_settled(state)
    for seat, heap in enumerate(state.heaps):
        path = f"$.heaps[{seat}]"
        require(len(heap) != 1, path, Reason.WRONG_COUNT)
        require(2 * state.wips[seat] <= len(heap), f"$.wips[{seat}]", Reason.WRONG_COUNT)
        require(not heap.hidden or not heap.cards, f"{path}.hidden")
        if state.viewer is None or settled or state.history is None:
            require(not heap.hidden, f"{path}.hidden", Reason.CARDS_MISSING)
        else:
            require(not heap.cards, f"{path}.cards", Reason.NOT_VISIBLE)
    require_now(options.wips or not any(state.wips), "$.wips")
    only_last = plan(state).deals == 1 and not options.sweep_last_deal
    require_now(not only_last or not any(state.wips), "$.wips")
    last = state.last_taker
    require((last is None) == (not any(map(len, state.heaps))), "$.lastTaker")
    require(last is None or len(state.heaps[last]) > 0, "$.lastTaker")
    if settled and last is not None:
        require_now(not state.layout and not state.builds, "$.layout")


def _check_score(state: WippenState) -> None:
    before = state.score if state.score_before is None else state.score_before
    _check_earlier(state, before, "$.score" if state.score_before is None else "$.scoreBefore")
    if state.score_before is not None:
        require(state.score == settle(state.options, takings(state), before).after, "$.score")


def _check_earlier(state: WippenState, score: WippenScore, path: str) -> None:
    options = state.options
    earlier = max(0, state.rounds - 1)
    nothing = WippenScore(points=(0,) * places(state))
    require_now(bool(earlier) or score == nothing, path)
    require_now(not options.points or not match_is_over(options, score), f"{path}.points")
    given = sum(score.points) + score.carried_cards + score.carried_spades
    require(given <= earlier * _most_points(state), f"{path}.points", Reason.WRONG_COUNT)
    for name, carried in (("carriedCards", score.carried_cards), ("carriedSpades", score.carried_spades)):
        possible = not carried or (options.tie == "carry" and carried % MOST_CARDS == 0)
        require_now(possible and carried <= MOST_CARDS * earlier, f"{path}.{name}")


def _most_points(state: WippenState) -> int:
    """More than all seats together cannot get in a round: each copy, most cards and spades, a wip for two cards."""
    options = state.options
    shares = places(state) if options.tie == "all" else 1
    wips = len(plan(state).cards) // 2 if options.wips else 0
    copies = options.packs * sum(len(SCORING[rule]) * worth for rule, worth in WORTH.items())
    return copies + shares * (MOST_CARDS + MOST_SPADES) + wips


def _check_what_follows(state: WippenState) -> None:
    phase = phase_of(state)
    if state.phase != phase:
        raise ImpossibleState("$.phase", Reason.WRONG_PHASE_STATE, expected=phase)
    turn = turn_of(state)
    if state.to_act != turn:
        expected = "null" if turn is None else f"seat {turn.seat}, hand {turn.hand}"
        raise ImpossibleState("$.toAct", Reason.WRONG_TURN, expected=expected)
    require(not state.may_also, "$.mayAlso")


def _check_hidden(state: WippenState) -> None:
    """The cards a view does not show can lie as its numbers, and all that the moves prove, say."""
    if not any(hand.hidden for hand in state.hands):
        return
    unseen = Covered(state.hands, 0, unknown_cards(state), facts_of(state))
    require(unseen.fits(), "$.hands", Reason.NOT_A_POSSIBLE_DEAL)
