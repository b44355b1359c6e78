"""The odds of Flip 7, against every way the cards can come, and against chance itself."""

import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from engine.cards import AnyCard, FlipCard
from engine.game import SPECTATOR, Odds, odds, play, view
from engine.games.flip7 import FLIP7, Flip7Deck, Flip7State
from engine.games.flip7.deck import DECK, NUMBERS
from engine.games.flip7.odds import Pile, Row, after_flips, amounts
from engine.games.flip7.scoring import points_of
from engine.games.flip7.table import active_seats, has_cards_to_draw, to_give, unseen
from engine.games.whist import WHIST
from engine.moves import Draw, Give, Hit
from engine.violations import ImpossibleState, Malformed
from tests.engine.flip7.positions import after, crowded, dealing, position
from tests.engine.whist.positions import dealt


def figures(found: Odds, seat: int) -> dict[str, Fraction]:
    return {each.name: Fraction(each.numerator, each.denominator) for each in found.figures if each.seat == seat}


def points(state: Flip7State, seat: int) -> int:
    lying = state.rows[seat]
    return 0 if lying.status == "busted" else points_of(lying.cards)


# --- every way the cards can come, by the engine itself


def ways(state: Flip7State) -> list[tuple[Flip7State, int]]:
    """The states after each card that may come now, with how often it is there."""
    return [(play(FLIP7, state, Draw(AnyCard(card))).state, many) for card, many in unseen(state).items()]


def average(found: list[tuple[Fraction, int]]) -> Fraction:
    return sum((value * many for value, many in found), Fraction(0)) / sum(many for _, many in found)


def flipped(state: Flip7State, seat: int) -> Fraction:
    """The points of a seat on average once its Flip Three is over, and nothing else."""
    under_way = bool(state.flip_threes) and state.flip_threes[-1].seat == seat and state.flip_threes[-1].left > 0
    if not under_way:
        return Fraction(points(state, seat))
    if state.phase == "give":
        card, targets = to_give(state)
        return flipped(play(FLIP7, state, Give(card, targets[-1])).state, seat)
    return average([(flipped(after_it, seat), many) for after_it, many in ways(state)])


def hit(state: Flip7State, seat: int) -> Fraction:
    """The points of the seat to act on average after one card."""
    found = []
    for then, many in ways(play(FLIP7, state, Hit()).state):
        alone = then.phase == "give" and active_seats(then) == (seat,) and to_give(then)[0] == "flip3"
        value = flipped(play(FLIP7, then, Give(FlipCard("flip3"), seat)).state, seat) if alone else points(then, seat)
        found.append((Fraction(value), many))
    return average(found)


def unordered(state: Flip7State) -> Flip7State:
    """What everybody sees."""
    return view(FLIP7, state, SPECTATOR)


SMALL: dict[str, Flip7State] = {
    "a few cards": position(["4 11", "9"], "4 11 5 +2 x2", rest="discard"),
    "with a Second Chance": position(["4 11 second", "9"], "4 11 5 second freeze", rest="discard"),
    "with six numbers": position(["0 1 2 3 4 11 x2", "9"], "4 11 5 6 6 +10", rest="discard"),
    "alone": position(["4 11", "9"], "4 flip3 5 +2", rest="discard", out={1: "stayed"}),
    "alone, the deck runs out": position(["4 11 second", "9"], "4 flip3", rest="discard", out={1: "stayed"}),
    "eager, the deck runs out": position(
        ["4 11 second", "9"], "4 flip3", rest="discard", out={1: "stayed"}, reshuffle="eager"
    ),
    "eager, the last card": position(["4 11 second", "9"], "4", rest="discard", out={1: "stayed"}, reshuffle="eager"),
    "the whole deck": position(["3 7 12", "9"]),
    "the deck is empty": after(position(["5 11", "9"], "12", turn=1, rest="discard"), "hit"),
    "hardly anything left": crowded(["1", "2"], "12"),
}


@pytest.mark.parametrize("name", SMALL)
def test_one_more_card_against_every_way(name: str) -> None:
    state = SMALL[name]
    seat = 0
    assert state.to_act is not None
    assert state.to_act.seat == seat
    found = odds(FLIP7, state)
    told = figures(found, seat)
    base = points(state, seat)
    assert told["stop"] == base
    assert told["gain"] == hit(unordered(state), seat) - base
    after_hit = [(then, many) for then, many in ways(play(FLIP7, unordered(state), Hit()).state)]
    assert told["bust"] == average([(Fraction(then.rows[seat].status == "busted"), many) for then, many in after_hit])
    assert told["seven"] == average(
        [
            (Fraction(then.turn is None and then.rows[seat].status == "active" and len(active_seats(then)) > 0), many)
            for then, many in after_hit
        ]
    )
    here = {str(card): many for card, many in unseen(play(FLIP7, unordered(state), Hit()).state).items()}
    assert {str(each.card): each.ways for each in found.next} == here
    assert {each.of for each in found.next} == {sum(here.values())}
    for each in found.figures:
        assert Fraction(each.numerator, each.denominator).denominator == each.denominator


FLIPPING: dict[str, tuple[Flip7State, int]] = {
    "the deck of a few cards": (position(["4 11", "9"], "flip3 4 11 5 +2 x2 second", rest="discard"), 1),
    "a Second Chance there, another to pass on": (
        position(["4 11", "9 second"], "flip3 4 9 9 5 second second", rest="discard"),
        1,
    ),
    "a Second Chance that nobody takes": (
        position(["4 second", "9 second"], "flip3 4 4 9 5 6 second", rest="discard"),
        1,
    ),
    "six numbers": (position(["0 1 2 3 4 11", "9"], "flip3 4 11 5 6 12 freeze flip3", rest="discard"), 0),
    "the deck runs out": (position(["4 11", "9 12 second"], "flip3 9 second", rest="discard"), 1),
    "the deck runs out, eager": (
        position(["4 11", "9 12 second"], "flip3 9 second", rest="discard", reshuffle="eager"),
        1,
    ),
    "the deck runs out on the second card, eager": (
        position(["4 11 second", "9 12 second"], "flip3 9 second", rest="discard", reshuffle="eager"),
        1,
    ),
    "hardly anything left": (crowded(["1", "2"], "flip3 12"), 1),
    "the whole deck": (position(["4 11", "3 7 12 x2"], "flip3"), 1),
    "the whole deck, with a Second Chance": (position(["4 11", "3 7 12 +4 second"], "flip3"), 1),
    "the whole deck, with six numbers": (position(["4 11", "0 1 3 7 9 12"], "flip3"), 1),
}


@pytest.mark.parametrize("name", FLIPPING)
def test_a_flip_three_against_every_way(name: str) -> None:
    start, seat = FLIPPING[name]
    state = after(start, "hit")
    given = play(FLIP7, unordered(state), Give(FlipCard("flip3"), seat)).state
    told = figures(odds(FLIP7, state), seat)
    assert told["flipThree"] == flipped(given, seat) - points(state, seat)


def test_a_flip_three_counted_by_kinds_against_one_card_after_another() -> None:
    rng = random.Random(9)
    for _ in range(60):
        deck = list(DECK)
        rng.shuffle(deck)
        lying: list[FlipCard] = []
        for card in deck[: rng.randrange(12)]:
            few = sum(each in NUMBERS for each in lying) < 6 or card not in NUMBERS
            if few and card not in (*lying, "freeze", "flip3"):
                lying.append(card)
        rest = deck[12:]
        size, more = rng.choice([0, 1, 2, 3, 4, 8, 60]), rng.choice([0, 1, 2, 3, 10])
        pile = Pile(amounts(Counter(rest[:size])), amounts(Counter(rest[size : size + more])), rng.random() < 0.5)
        row = Row.of(lying, rng.randrange(3))
        for left in (1, 2, 3):
            assert after_flips(row, pile, left) == one_after_another(row, pile, left)


def one_after_another(row: Row, pile: Pile, left: int) -> Fraction:
    coming = pile.next_cards()
    if coming is None or not left:
        return Fraction(row.points)
    total = Fraction(0)
    for kind, many in enumerate(coming):
        if many:
            then, put_aside = row.with_card(kind)
            if then is None:
                total += Row.points_after(row, tuple(many * (each == kind) for each in range(len(coming))))
            else:
                total += many * one_after_another(then, pile.without(kind).with_put_aside(*put_aside), left - 1)
    return total / sum(coming)


def test_the_odds_of_eighteen_seats_are_told_at_once() -> None:
    rows = ["12 1", "12 2", "11 0", *["12", "11", "10", "9", "8"] * 3]
    state = position(rows)
    began = time.process_time()
    for _ in range(5):
        assert len(odds(FLIP7, state).figures) == 18 * 5
    assert time.process_time() - began < 5 * 0.05


# --- chance itself


SAMPLES = 3000


def near(found: Sequence[float], told: Fraction) -> bool:
    """Whether the mean is within four standard errors of what is told."""
    error = statistics.stdev(found) / len(found) ** 0.5
    return bool(abs(statistics.mean(found) - float(told)) <= 4 * error)


def shuffled(state: Flip7State, rng: random.Random) -> Flip7State:
    deck = list(state.deck.cards)
    rng.shuffle(deck)
    return replace(state, deck=Flip7Deck(cards=tuple(deck)), log=())


@pytest.mark.parametrize(
    "rows", [["4 11 8", "9"], ["0 2 3 5 7 9 second", "9"], ["0 2 3 5 7 9", "9"], ["12 11 x2 +4", "9"]]
)
def test_one_more_card_against_chance(rows: list[str]) -> None:
    state = position(rows, out={1: "stayed"})
    told = figures(odds(FLIP7, state), 0)
    rng = random.Random(11)
    gains, busts, sevens = [], [], []
    for _ in range(SAMPLES):
        then = play(FLIP7, shuffled(state, rng), Hit()).state
        busts.append(then.rows[0].status == "busted")
        sevens.append(then.phase == "roundOver" and then.rows[0].status == "active")
        if then.phase == "give" and to_give(then)[0] == "flip3":
            then = play(FLIP7, then, Give(FlipCard("flip3"), 0)).state
        gains.append(points(then, 0) - points(state, 0))
    assert near(gains, told["gain"])
    assert near(busts, told["bust"])
    assert near(sevens, told["seven"])


@pytest.mark.parametrize("row", ["4 11 8", "0 2 3 5 7 9", "12 11 x2 +4", "12 10 9 second"])
def test_a_flip_three_against_chance(row: str) -> None:
    state = after(position(["1", row], "flip3"), "hit")
    told = figures(odds(FLIP7, state), 1)
    rng = random.Random(row)
    gains = []
    for _ in range(SAMPLES):
        then = play(FLIP7, shuffled(state, rng), Give(FlipCard("flip3"), 1)).state
        while then.held is not None:
            card, targets = to_give(then)
            then = play(FLIP7, then, Give(card, targets[0])).state
        gains.append(points(then, 1) - points(state, 1))
    assert near(gains, told["flipThree"])


def test_the_next_card_of_a_seeded_deck_comes_as_often_as_told() -> None:
    state = position(["4 11", "9"])
    told = {str(each.card): Fraction(each.ways, each.of) for each in odds(FLIP7, state).next}
    assert sum(told.values()) == 1
    rng = random.Random(5)
    tops = Counter(str(rng.choice(state.deck.cards)) for _ in range(20_000))
    for card, chance in told.items():
        spread = (20_000 * float(chance) * (1 - float(chance))) ** 0.5
        assert abs(tops[card] - 20_000 * float(chance)) < 5 * spread


# --- who is told what, and when


def test_a_full_state_tells_no_more_than_a_view() -> None:
    state = position(["4 11", "9", "2"], "12 5")
    other = replace(state, deck=Flip7Deck(cards=tuple(reversed(state.deck.cards))))
    for viewer in (0, 1, SPECTATOR, None):
        assert odds(FLIP7, state, viewer) == odds(FLIP7, other, viewer) == odds(FLIP7, unordered(state))
    with pytest.raises(ImpossibleState):
        odds(FLIP7, view(FLIP7, state, 0), 1)


def test_figures_are_of_the_active_seats_while_a_round_is_under_way() -> None:
    state = position(["4 11", "9", "2"], "freeze", out={2: "stayed"})
    assert {each.seat for each in odds(FLIP7, state).figures} == {0, 1}
    giving = odds(FLIP7, after(state, "hit"))
    assert {each.seat for each in giving.figures} == {0, 1}
    assert {each.name for each in giving.figures} == {"bust", "seven", "stop", "gain", "flipThree"}


def test_between_rounds_the_first_card_of_the_next_deal() -> None:
    over = after(position(["4", "9"], "5"), "stay", "stay")
    found = odds(FLIP7, over)
    assert found.figures == ()
    assert sum(each.ways for each in found.next) == len(over.deck)
    run_out = after(position(["4", "9"], "", rest="discard"), "stay", "stay")
    assert {each.of for each in odds(FLIP7, run_out).next} == {94}
    finished = after(position(["4", "9"], target=5), "stay", "stay")
    assert odds(FLIP7, finished) == Odds((), ())


def test_in_the_deal_and_where_nothing_can_come() -> None:
    state = dealing("4 freeze")
    assert {each.of for each in odds(FLIP7, state).next} == {92}
    last = after(crowded(["1", "2"], "freeze"), "hit")
    assert not has_cards_to_draw(last)
    found = odds(FLIP7, last)
    assert found.next == ()
    assert figures(found, 0) == {"bust": 0, "seven": 0, "stop": 1, "gain": 0, "flipThree": 0}


def test_a_game_without_odds_says_so() -> None:
    state: Any = dealt()
    with pytest.raises(Malformed, match="whist has no odds"):
        odds(WHIST, state)
