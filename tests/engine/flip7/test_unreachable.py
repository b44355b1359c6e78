"""States that tell no history and yet cannot have come about: by turns, actions, Flip Threes, rounds and shuffles."""

import random
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from engine.cards import AnyCard, FlipCard
from engine.game import SPECTATOR, Query, Setup, Turn, admit, begin, legal_moves, play, view
from engine.games.flip7 import FLIP7, Flip7Deck, Flip7FlipThree, Flip7Given, Flip7Held, Flip7Row, Flip7State
from engine.games.flip7.deck import DECK
from engine.games.flip7.rounds import MOST_TOGETHER
from engine.games.flip7.scoring import points_of
from engine.games.flip7.table import lying, unseen
from engine.moves import Draw, Hand, Hit, Move, Stay
from engine.violations import ImpossibleState
from tests.engine.flip7.positions import cards, options


def table(
    rows: str,
    *,
    turn: int | None = 0,
    discard: str = "",
    totals: tuple[int, ...] | None = None,
    round_number: int = 1,
    shuffles: int = 1,
    **changes: Any,
) -> Flip7State:
    """A state by the caller's cards; rows as ``"4 11 | 9 freeze f | -"``, with the first letter of a status last."""
    statuses = {"s": "stayed", "b": "busted", "f": "frozen"}
    made = []
    for words in rows.split("|"):
        *held, last = words.split() or [""]
        status: Any = statuses.get(last, "active")
        named = held if last in statuses or last == "-" else [*held, last]
        made.append(Flip7Row(cards=cards(" ".join(named)), status=status))
    seats = len(made)
    chosen = {name: changes.pop(name) for name in list(changes) if name in OPTION_NAMES}
    phase = changes.pop("phase", "turns" if turn is not None else "roundOver")
    acting = changes.pop("acting", turn if turn is not None else 0)
    state = Flip7State(
        ruleset=1,
        options=options(**chosen),
        chance="caller",
        phase=phase,
        seating=tuple((seat,) for seat in range(seats)),
        dealer=seats - 1,
        to_act=Turn(acting, acting),
        hands=(Hand(),) * seats,
        round=round_number,
        shuffles=shuffles,
        totals=totals or (0,) * seats,
        rows=tuple(made),
        deck=Flip7Deck(),
        discard=cards(discard),
        turn=turn,
        **changes,
    )
    return replace(state, deck=Flip7Deck(hidden=len(DECK) - sum(1 for _ in lying(state))))


OPTION_NAMES = FLIP7.options.__struct_fields__


def flips(seat: int, left: int, words: str = "") -> Flip7FlipThree:
    return Flip7FlipThree(seat=seat, left=left, set_aside=cards(words))


def freeze_to(seat: int) -> Flip7Given:
    return Flip7Given(card=FlipCard("freeze"), to=seat)


ONE_BY_ONE: dict[str, Any] = {"set_aside": "oneByOne", "phase": "draw"}
OFFER: dict[str, Any] = {"initial_deal_after_flip3": "offer"}
Doctored = tuple[str, Callable[[], Flip7State], Callable[[], Flip7State]]
FAULTS: dict[str, Doctored] = {
    "FA15 an outer Flip Three with all three still set aside": (
        "$.flipThrees[0].setAside",
        lambda: table("4 | 9", **ONE_BY_ONE, acting=1, discard="flip3", turn=0,
                      flip_threes=(flips(0, 0, "freeze freeze freeze"), flips(1, 3))),
        lambda: table("4 | 9", **ONE_BY_ONE, acting=1, discard="flip3", turn=0,
                      flip_threes=(flips(0, 0, "freeze freeze"), flips(1, 3))),
    ),
    "FA24 a Flip Three that is over and was not put aside": (
        "$.discard",
        lambda: table("4 5 | 9", phase="give", flip_threes=(flips(0, 0, "freeze freeze"),)),
        lambda: table("4 5 | 9", phase="give", discard="flip3", flip_threes=(flips(0, 0, "freeze freeze"),)),
    ),
    "FA24 one that has just ended is put aside even if the deck was made anew before": (
        "$.discard",
        lambda: table("4 5 | 9", phase="give", shuffles=5, round_number=9, flip_threes=(flips(0, 0, "freeze"),)),
        lambda: table("4 5 | 9", phase="give", shuffles=5, round_number=9, discard="flip3",
                      flip_threes=(flips(0, 0, "freeze"),)),
    ),
    "FA15 something given and no earlier Flip Three put aside": (
        "$.discard",
        lambda: table("4 | 9", phase="draw", acting=1, flip_threes=(flips(1, 3),), given=(freeze_to(0),)),
        lambda: table("4 5 | 9", phase="draw", acting=1, discard="flip3", flip_threes=(flips(1, 3),),
                      given=(freeze_to(0),)),
    ),
    "FA15 more given than one Flip Three sets aside": (
        "$.discard",
        lambda: table("4 | 9", phase="give", discard="flip3", flip_threes=(flips(0, 0, "flip3 freeze"),),
                      given=(freeze_to(0), freeze_to(1))),
        lambda: table("4 5 | 9", phase="give", discard="flip3", flip_threes=(flips(0, 0, "freeze"),),
                      given=(freeze_to(0),)),
    ),
    "F-9 what a Flip Three turned is nowhere": (
        "$.flipThrees[0].left",
        lambda: table("4 | -", phase="draw", acting=1, turn=1, dealing=True, flip_threes=(flips(1, 1),)),
        lambda: table("4 | 9 5", phase="draw", acting=1, turn=1, dealing=True, flip_threes=(flips(1, 1),)),
    ),
    "F-2 a first turn with nothing dealt": (
        "$.rows",
        lambda: table("- | -"),
        lambda: table("4 | 9"),
    ),
    "F-2 seats without a card and no action that took its place": (
        "$.rows",
        lambda: table("4 | - | 5"),
        lambda: table("4 freeze f | - | 5", turn=1),
    ),
    "F-2 cards before a seat that is not dealt to yet": (
        "$.rows",
        lambda: table("4 | - | 9 5 2", turn=1, dealing=True, phase="draw"),
        lambda: table("- | - | 9 5 2", turn=1, dealing=True, phase="draw", discard="flip3"),
    ),
    "F-9 more cards before seats not dealt to than Flip Threes bring": (
        "$.rows",
        lambda: table("- | - | 9 5 2 3", turn=1, dealing=True, phase="draw", discard="flip3"),
        lambda: table("- | - | 9 5 2", turn=1, dealing=True, phase="draw", discard="flip3"),
    ),
    "F-3 a seat turns ahead of the others": (
        "$.rows",
        lambda: table("4 5 6 7 | 9"),
        lambda: table("4 5 | 9", turn=1),
    ),
    "F-3 two stops before anybody was asked": (
        "$.rows",
        lambda: table("4 | 9 s | 5 s"),
        lambda: table("4 3 | 9 s | 5 s"),
    ),
    "F-6 a bust by a first card": (
        "$.rows",
        lambda: table("4 | 9 9 b | -", turn=2, dealing=True, phase="draw"),
        lambda: table("- | 9 9 b | -", turn=2, dealing=True, phase="draw", discard="flip3"),
    ),
    "FA24 a Flip Three is over and its cards are not there": (
        "$.rows",
        lambda: table("4 | 9", discard="flip3"),
        lambda: table("4 3 2 1 | -", discard="flip3"),
    ),
    "FA24 a Freeze before a seat that nobody can have drawn": (
        "$.rows",
        lambda: table("4 | 3 freeze f | 5"),
        lambda: table("4 | 3 freeze f | -"),
    ),
    "FA5 asked instead of dealt to without a Flip Three": (
        "$.offered",
        lambda: table("4 | -", turn=1, dealing=True, offered=(1,), **OFFER),
        lambda: table("- | 2 3 4", turn=1, dealing=True, offered=(1,), discard="flip3", **OFFER),
    ),
    "FA5 another flips three, this one is asked": (
        "$.offered",
        lambda: table("- | - | -", turn=0, dealing=True, phase="draw", acting=1, flip_threes=(flips(1, 3),),
                      offered=(1, 2), **OFFER),
        lambda: table("- | - | -", turn=0, dealing=True, phase="draw", acting=1, flip_threes=(flips(1, 3),),
                      offered=(1,), **OFFER),
    ),
    "FA5 flips three before its card and is dealt to": (
        "$.offered",
        lambda: table("- | - | -", turn=0, dealing=True, phase="draw", acting=1, flip_threes=(flips(1, 3),), **OFFER),
        lambda: table("- | - | -", turn=0, dealing=True, phase="draw", acting=1, flip_threes=(flips(1, 3),)),
    ),
    "FA3 an action that was not replaced": (
        "$.rows[0].cards",
        lambda: table("- | freeze f | 5", deal_replace_action=True),
        lambda: table("4 | freeze f | 5", deal_replace_action=True),
    ),
    "FA19 the action of a seat that stopped": (
        "$.turn",
        lambda: table("4 5 s | 9 6", phase="draw", acting=1, flip_threes=(flips(1, 3),)),
        lambda: table("4 5 | 9 6", phase="draw", acting=1, flip_threes=(flips(1, 3),)),
    ),
    "FA19 the action of a seat that nothing can have put out": (
        "$.turn",
        lambda: table("4 5 freeze f | 9 6", phase="draw", acting=1, flip_threes=(flips(1, 3),)),
        lambda: table("4 5 | 9 6", phase="draw", acting=1, flip_threes=(flips(1, 3),)),
    ),
    "F-11 saved from a number that lies before nobody": (
        "$.discard",
        lambda: table("4 | 9 2 3", discard="5 second"),
        lambda: table("4 | 9 2 3", discard="4 second"),
    ),
    "F-11 a duplicate put aside without its Second Chance": (
        "$.discard",
        lambda: table("4 | 9 2 3", discard="second 4"),
        lambda: table("4 | 9 2 3", discard="4 second"),
    ),
    "F-12 a Second Chance that somebody could have had": (
        "$.discard",
        lambda: table("4 | 9 | 5", discard="second"),
        lambda: table("4 second | 9 second", discard="second", turn=1),
    ),
    "FA17 a Freeze put aside with nobody out": (
        "$.discard",
        lambda: table("4 2 3 | 9", discard="flip3 freeze"),
        lambda: table("4 2 2 b | 9", discard="flip3 freeze", turn=1),
    ),
    "F-15 the fifth round and nothing put aside": (
        "$.discard",
        lambda: table("4 | 9", round_number=5),
        lambda: table("4 | 9", round_number=5, discard="12 11 10 9 8 7 6 5"),
    ),
    "F-16 a second deck before the first can have run out": (
        "$.shuffles",
        lambda: table("4 | 9", round_number=2, shuffles=2),
        lambda: table("4 | 9", round_number=4, shuffles=2),
    ),
    "F-16 a second deck in the first round of a few": (
        "$.shuffles",
        lambda: table("4 | 9", shuffles=2),
        lambda: table("4 | 9", shuffles=1),
    ),
    "F-14 points that no row brings": (
        "$.totals",
        lambda: table("4 | 9", round_number=2, totals=(170, 0), discard="12 11 10 9 8 7 6 x2 +10 +8 +6 +4 +2 3"),
        lambda: table("4 | 9", round_number=2, totals=(171, 3), discard="12 11 10 9 8 7 6 x2 +10 +8 +6 +4 +2 3"),
    ),
    "F-14 two seats with the most that one can have": (
        "$.totals",
        lambda: table("4 | 9", round_number=5, shuffles=2, totals=(171 * 4, 171 * 4), target=1000),
        lambda: table("4 | 9", round_number=5, shuffles=2, totals=(171 * 4, 57 * 4), target=1000),
    ),
    "F-14 more points than the cards put aside bring": (
        "$.totals",
        lambda: table("4 | 9", round_number=2, totals=(50, 9), discard="12 9"),
        lambda: table("4 | 9", round_number=2, totals=(12, 9), discard="12 9"),
    ),
    "F-13 seven numbers, and the others drew nothing": (
        "$.rows",
        lambda: table("1 2 3 4 5 6 7 | 9", turn=None, totals=(43, 9)),
        lambda: table("1 2 3 4 5 6 7 | 9 s", turn=None, totals=(43, 9)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_state_that_cannot_have_come_about_is_refused_without_a_history(fault: str) -> None:
    """And the one beside it, which differs in what matters, is not."""
    path, doctored, possible = FAULTS[fault]
    with pytest.raises(ImpossibleState) as refused:
        admit(FLIP7, doctored())
    assert refused.value.path == path
    with pytest.raises(ImpossibleState):
        admit(FLIP7, replace(view(FLIP7, doctored(), SPECTATOR), history=None))
    admit(FLIP7, possible())


def test_the_most_of_several_seats_is_had_by_them() -> None:
    rows = ["12 11 10 9 8 7 6 x2 +2 +4 +6 +8 +10", *["12 11 10 9 8 7"] * 6, "12 11 10 9 8 6"]
    for seats in range(1, len(rows) + 1):
        assert sum(points_of(cards(words)) for words in rows[:seats]) == MOST_TOGETHER[seats]


@pytest.mark.parametrize("seats", range(1, 19))
def test_rows_of_ones_own_are_admitted_as_the_page_says(seats: int) -> None:
    rng = random.Random(seats)
    for _ in range(30):
        deck = [card for card in DECK if card not in ("freeze", "flip3", "second")]
        rng.shuffle(deck)
        rows: list[list[str]] = [[] for _ in range(seats)]
        for card in deck[: rng.randrange(1, 4 * seats + 1)]:
            row = rng.choice(rows)
            if card not in row and len(row) < 6:
                row.append(card)
        acting = rng.randrange(seats)
        words = [
            " ".join([*row, "s"]) if row and seat != acting and rng.random() < 0.3 else " ".join(row) or "-"
            for seat, row in enumerate(rows)
        ]
        admit(FLIP7, table(" | ".join(words), turn=acting, round_number=4, shuffles=2))


# --- against all there is to be had from a few cards


FEW = cards("5 6 +2 freeze flip3 second")


def successors(state: Flip7State, most: int) -> Iterator[Flip7State]:
    moves: list[Move] = []
    if state.phase in ("turns", "give"):
        moves = [entry.move for entry in legal_moves(FLIP7, state, None, Query()).moves]
    elif state.phase == "draw" and len(DECK) - len(state.deck) < most:
        left = unseen(state)
        moves = [Draw(AnyCard(card)) for card in FEW if left[card]]
    for move in moves:
        yield replace(play(FLIP7, state, move).state, log=())


def all_reached(seats: int, most: int, **chosen: Any) -> set[Flip7State]:
    """Every state of a first round, its history left out, that so many of a few kinds of card lead to."""
    first = begin(FLIP7, Setup(options=options(**chosen), places=seats, chance="caller")).state
    found = {replace(first, log=())}
    todo = list(found)
    while todo:
        new = set(successors(todo.pop(), most)) - found
        found |= new
        todo += new
    return found


def changed(state: Flip7State, rng: random.Random) -> Flip7State:
    """One thing changed, the deck and whose turn it is made to fit."""
    seats = range(len(state.rows))
    rows, seat = list(state.rows), rng.choice(seats)
    row = rows[seat]
    match rng.randrange(8):
        case 0:
            rows[seat] = replace(row, cards=(*row.cards, rng.choice(FEW)))
            state = replace(state, rows=tuple(rows))
        case 1:
            rows[seat] = replace(row, cards=row.cards[:-1])
            state = replace(state, rows=tuple(rows))
        case 2:
            rows[seat] = replace(row, status=rng.choice(["active", "stayed", "busted", "frozen"]))
            state = replace(state, rows=tuple(rows))
        case 3:
            state = replace(state, discard=(*state.discard, rng.choice(FEW)))
        case 4:
            state = replace(state, discard=state.discard[1:])
        case 5:
            state = replace(state, dealing=not state.dealing)
        case 6 if state.turn is not None:
            state = replace(state, turn=seat, to_act=Turn(seat, seat))
        case _ if state.flip_threes:
            other = replace(state.flip_threes[-1], left=rng.randrange(4))
            state = replace(state, flip_threes=(*state.flip_threes[:-1], other))
        case _:
            state = replace(state, held=Flip7Held(seat=seat, card=rng.choice(FEW)), phase="give")
    return replace(state, deck=Flip7Deck(hidden=len(DECK) - sum(1 for _ in lying(state))))


@pytest.mark.parametrize("set_aside", ["assignAllThenResolve", "oneByOne"])
@pytest.mark.parametrize(("seats", "most"), [(1, 4), (2, 3), (3, 3)])
def test_every_state_of_a_few_cards_is_admitted_and_hardly_any_other(seats: int, most: int, set_aside: str) -> None:
    """Whatever can be reached is admitted, under every value of every option; of what cannot, next to nothing is."""
    rng = random.Random(f"{seats} {most}")
    unreached = admitted = 0
    for replaced, early, gift in product([False, True], ["deal", "offer"], [False, True]):
        found = all_reached(
            seats,
            most,
            set_aside=set_aside,
            deal_replace_action=replaced,
            initial_deal_after_flip3=early,
            second_chance_gift=gift,
        )
        for state in found:
            admit(FLIP7, state)
        some = sorted(found, key=repr)
        for _ in range(500):
            other = changed(rng.choice(some), rng)
            if len(DECK) - len(other.deck) >= most or other in found:
                continue
            unreached += 1
            try:
                admit(FLIP7, other)
            except ImpossibleState:
                continue
            admitted += 1
    assert unreached > 400
    assert admitted < unreached / 15


@pytest.mark.parametrize("seats", range(1, 19))
def test_every_state_of_a_random_match_is_admitted_without_its_history(seats: int) -> None:
    """Under random values of all options, with cards that come as they should and with cards that hardly ever do."""
    rng = random.Random(seats)
    for weight in (1, 1, 12, 25):
        chosen = {
            "deal_replace_action": rng.random() < 0.5,
            "initial_deal_after_flip3": rng.choice(["deal", "offer"]),
            "second_chance_gift": rng.random() < 0.5,
            "set_aside": rng.choice(["assignAllThenResolve", "oneByOne"]),
            "reshuffle": rng.choice(["lazy", "eager"]),
        }
        state = begin(FLIP7, Setup(options=options(**chosen), places=seats, chance="caller")).state
        for _ in range(150):
            admit(FLIP7, replace(state, log=()))
            admit(FLIP7, replace(view(FLIP7, state, SPECTATOR), history=None))
            if state.to_act is None:
                break
            state = play(FLIP7, state, a_move(state, rng, weight)).state


def a_move(state: Flip7State, rng: random.Random, weight: int) -> Move:
    """A random move; actions come `weight` times as often as they should, and seats stop now and then."""
    if state.phase == "draw":
        left = unseen(state)
        kinds = sorted(left)
        weights = [left[card] * (weight if card in ("freeze", "flip3", "second") else 1) for card in kinds]
        return Draw(AnyCard(rng.choices(kinds, weights)[0]))
    moves = [entry.move for entry in legal_moves(FLIP7, state, None, Query()).moves]
    if moves == [Hit(), Stay()]:
        return rng.choices(moves, [4, 1])[0]
    return rng.choice(moves)
