"""Random matches of Le Wipe with all that goes along with captures, beside a ledger kept by other means."""

import random
from collections import Counter
from typing import Any

import pytest

from engine.cards import PACK
from engine.events import Scored
from engine.game import HOST, Query, Step, admit, begin, judge, legal_moves, play, replay
from engine.games.wipe import WIPE, WipeState, WipeTally
from engine.games.wipe.scoring import ROUND_POINTS, wipe_points
from engine.games.wipe.table import known_cards, sides_of
from engine.moves import Announce, Build, Capture, Close, Extend, Move, Raise, Strike, Trail
from tests.engine import kit
from tests.engine.wipe.test_kit import SUBJECT

GAMES: dict[str, tuple[dict[str, Any], int]] = {
    "the rulings": ({"rounds": 2}, 4),
    "crossing declared, three": ({"crossing": "declared", "rounds": 1}, 3),
    "crossing declared, teams": ({"crossing": "declared", "rounds": 2, "missedSweep": "penalty"}, 4),
    "crossing declared, a heap each": ({"crossing": "declared", "piles": "player", "rounds": 1}, 6),
    "all penalties": ({"missedSweep": "penalty", "falseSweep": "penalty", "rounds": 2}, 2),
    "no wipes in the last deal": ({"sweepLastDeal": False, "falseSweep": "reject", "rounds": 2}, 2),
    "carried ties": ({"tie": "carry", "lastDealAnnouncement": "auto", "rounds": 3}, 4),
    "eight": ({"rounds": 2, "closeTiming": "immediateOnly"}, 8),
}
Cards = Capture | Build | Extend | Raise | Trail


class Ledger:
    """What a careful onlooker writes down: who left what uncrossed, who has how many wipes, what each heap holds."""

    def __init__(self, state: WipeState) -> None:
        self.options = state.options
        self.seats = len(state.hands)
        self.wipes = [Counter[str]() for _ in state.wipes]
        self.uncrossed: dict[int, str] = {}
        self.said = False

    def side(self, seat: int) -> int:
        return seat if self.seats < 4 else seat % 2

    def before(self, state: WipeState, move: Move, seat: int) -> None:
        last = state.deals == {2: 6, 3: 4, 4: 3, 6: 2, 8: 2}[self.seats]
        if isinstance(move, Announce):
            self.said = True
        if not isinstance(move, Cards):
            return
        first = sum(len(hand) for hand in state.hands) == self.seats * (2 if self.seats == 8 and last else 4)
        if last and first and not self.said and self.options.last_deal_announcement == "required":
            self.wipes[self.side(state.dealer)]["unannounced"] += 1
        self.said = self.said and last
        self.uncrossed.pop(seat, None)
        if not isinstance(move, Capture):
            return
        if move.crossed is False:
            self.uncrossed[seat] = move.card
        self.enter(state, move, seat, last=last)

    def enter(self, state: WipeState, move: Capture, seat: int, *, last: bool) -> None:
        there = set(state.layout) | {build.id for build in state.builds}
        used = set(move.take) | set(move.builds)
        mine = self.wipes[self.side(seat)]
        if not there or used != there:
            if move.announce and self.options.false_sweep == "penalty":
                mine["mistaken"] += 1
        elif not last or self.options.sweep_last_deal:
            if move.announce:
                mine["made"] += 1
            elif self.options.missed_sweep == "penalty":
                mine["missed"] += 1

    def check(self, state: WipeState) -> None:
        for side, tally in enumerate(state.wipes):
            assert tally == WipeTally(**self.wipes[side])
            entries = self.wipes[side]
            lost = sum(number for name, number in entries.items() if name != "made")
            assert wipe_points(tally) == 2 * (entries["made"] - lost)
        if state.phase == "play" and state.to_act is not None:
            self.uncrossed.pop(state.to_act.seat, None)
            tricks = [trick for heap in state.heaps for trick in heap.tricks]
            loose = {trick.seat for trick in tricks if not trick.crossed}
            on_top = {trick.by for trick in tricks}
            assert loose == {seat for seat, card in self.uncrossed.items() if card in on_top}
            for index, heap in enumerate(state.heaps):
                self.check_heap(state, index, {trick.seat for trick in heap.tricks if not trick.crossed})

    def check_heap(self, state: WipeState, index: int, loose: set[int]) -> None:
        """A heap is open whole just while an uncrossed trick is in it, and it has more than that one."""
        assert state.to_act is not None
        heap, seat = state.heaps[index], state.to_act.seat
        if not heap.tricks or index % sides_of(self.seats) == self.side(seat):
            return
        value = heap.tricks[-1].by
        equal = next((card for card in state.hands[seat].cards if card[0] == value[0]), None)
        if equal is not None:
            legal = judge(WIPE, state, Capture(equal, heaps=(index,)), seat) is None
            assert legal == (bool(loose) and len(heap.tricks) > 1)


def manners(state: WipeState, move: Move, rng: random.Random) -> Move:
    """The move, as captures are made: announced when it clears the layout or by mistake, crossed or not."""
    if not isinstance(move, Capture):
        return move
    there = len(state.layout) + len(state.builds)
    clears = there and len(move.take) + len(move.builds) == there
    announce: Any = ("wipe",) if rng.random() < (0.8 if clears else 0.1) else ()
    crossed = rng.choice((None, True, False, False)) if state.options.crossing == "declared" else None
    said = Capture(move.card, move.take, move.builds, move.tricks, announce, crossed, move.heaps)
    return said if judge(WIPE, state, said) is None else move


def next_step(state: WipeState, rng: random.Random) -> Step | None:
    """A legal move, captures more often than not; now and then the host strikes a wipe."""
    strikes = [Strike(side) for side in range(len(state.wipes)) if WIPE.refuse(state, Strike(side), HOST) is None]
    if strikes and rng.random() < 0.05:
        return Step(rng.choice(strikes))
    found = []
    for seat in range(len(state.hands)):
        moves = [entry.move for entry in legal_moves(WIPE, state, seat, Query(limit=200)).moves]
        taking = [move for move in moves if isinstance(move, Capture | Close)]
        found += [Step(move, seat) for move in (taking if taking and rng.random() < 0.8 else moves)]
    if not found:
        return None
    step = rng.choice(found)
    return Step(manners(state, step.move, rng), step.seat)


@pytest.mark.parametrize("name", GAMES)
def test_the_ledger_agrees_and_thirteen_points_are_given_out(name: str) -> None:
    rng = random.Random(name)
    choices, places = GAMES[name]
    subject = kit.Subject(**{**vars(SUBJECT), "variants": {name: (choices, places)}})
    seen: Counter[str] = Counter()
    for number in range(3):
        setup = kit.setup_of(subject, name, f"{name} {number}")
        state = begin(WIPE, setup).state
        ledger = Ledger(state)
        steps: list[Step] = []
        while (step := next_step(state, rng)) is not None:
            steps.append(step)
            if isinstance(step.move, Strike):
                ledger.wipes[step.move.side]["struck"] += 1
            else:
                ledger.before(state, step.move, step.seat if step.seat is not None else HOST)
            before = state.score
            done = play(WIPE, state, step.move, step.seat)
            state = done.state
            ledger.check(state)
            shown = [card for _, card in known_cards(state)]
            assert sorted(shown) == sorted(PACK)
            for event in done.events:
                seen[type(event).__name__] += 1
                if isinstance(event, Scored) and event.sheet.scope == "round":
                    check_round(state, sum(state.score.points) - sum(before.points), event)
        admit(WIPE, state)
        assert replay(WIPE, setup, steps).state == state
        assert state.phase == "over"
    assert all(seen[name] for name in ("WipeEntered", "Captured", "Scored"))
    assert seen["Closed"] or choices.get("closeTiming")


def check_round(state: WipeState, given: int, event: Scored) -> None:
    """What a settled round gave out: thirteen points, what ties took or carried apart."""
    assert given == sum(item.points for item in event.sheet.items)
    waiting = state.score.carried.cards + state.score.carried.spades
    had = state.score_before.carried if state.score_before else None
    owed = ROUND_POINTS + (had.cards + had.spades if had else 0)
    last = state.phase == "over"
    if state.last_taker is None:
        return
    if len(state.wipes) == 2 and state.options.tie == "split":
        assert given == ROUND_POINTS
    elif state.options.tie == "carry" and not last:
        assert given + waiting == owed
    else:
        assert given <= owed
    assert not state.layout
    assert not state.builds
