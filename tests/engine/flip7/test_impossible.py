"""States and views of Flip 7 that cannot have come about, each refused with the path of its fault."""

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.cards import FlipCard
from engine.events import AskedForCard, Flipped, Given, Reshuffled, RoundBegan, Stayed
from engine.game import SPECTATOR, FreeAction, Query, Setup, Turn, admit, begin, judge, legal_moves, odds, play, view
from engine.games.flip7 import (
    FLIP7,
    Flip7Deck,
    Flip7FlipThree,
    Flip7Given,
    Flip7Held,
    Flip7Row,
    Flip7State,
)
from engine.games.flip7.deck import DECK
from engine.moves import Hand
from engine.violations import ImpossibleState, Reason, Refusal, UnsupportedRuleset
from tests.engine.flip7.positions import after, cards, dealing, options, position
from tests.engine.flip7.test_kit import outsiders


def turns() -> Flip7State:
    """The fourth round, seat 0 to be asked, seat 2 busted."""
    return position(["4 11", "9 second", "2 2"], "5 6", out={2: "busted"})


def first() -> Flip7State:
    """The first round, just dealt."""
    return dealing("4 9 2 5")


def flipping(**chosen: Any) -> Flip7State:
    """Seat 1 has flipped three, and gives what it set aside."""
    return after(position(["4", "9", "2"], "flip3 freeze 5 flip3 7 8", **chosen), "hit", "give flip3 1")


def holding() -> Flip7State:
    """Seat 0 has turned a Freeze."""
    return after(position(["4", "9 second", "2"], "freeze"), "hit")


def drawing() -> Flip7State:
    """Seat 1 flips three, from a deck that must be told."""
    return after(position(["4", "9", "2"], "flip3", rest="discard"), "hit", "give flip3 1")


def over() -> Flip7State:
    """The fourth round is over."""
    return after(position(["4 11", "9", "2"]), "stay", "stay", "stay")


def begun(**chosen: Any) -> Flip7State:
    """A match under way by seed, with its log."""
    return begin(FLIP7, Setup(options=options(**chosen), places=3, chance="seed", seed="2")).state


def with_row(state: Flip7State, seat: int, words: str, status: Any = None) -> Flip7State:
    """Another row; its cards are taken out of the deck, and those that lay there put back into it."""
    old = state.rows[seat]
    new = Flip7Row(cards=cards(words), status=status or old.status)
    deck = [*state.deck.cards, *old.cards]
    for card in new.cards:
        deck.remove(card)
    rows = (*state.rows[:seat], new, *state.rows[seat + 1 :])
    return replace(state, rows=rows, deck=Flip7Deck(cards=tuple(deck)), log=())


def with_discard(state: Flip7State, words: str) -> Flip7State:
    deck = list(state.deck.cards)
    for card in cards(words):
        deck.remove(card)
    return replace(state, discard=cards(words), deck=Flip7Deck(cards=tuple(deck)), log=())


def retold(change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Flip7State:
    state = begun()
    return replace(state, log=change(state.log))


Doctored = tuple[str, Callable[[], Flip7State]]
FAULTS: dict[str, Doctored] = {
    "nobody there": ("$.hands", lambda: replace(turns(), hands=(), rows=(), totals=(), seating=())),
    "a card in a hand": ("$.hands[0]", lambda: replace(turns(), hands=(Hand((), 1), Hand(), Hand()))),
    "a row too many": ("$.rows", lambda: replace(turns(), rows=(*turns().rows, Flip7Row()))),
    "a total too few": ("$.totals", lambda: replace(turns(), totals=(0, 0))),
    "a seat taken twice": ("$.seating", lambda: replace(turns(), seating=((0,), (0,), (2,)))),
    "a place of two seats": ("$.seating", lambda: replace(turns(), seating=((0, 1), (2,)))),
    "a dealer who is not there": ("$.dealer", lambda: replace(turns(), dealer=3)),
    "a turn of nobody": ("$.turn", lambda: replace(turns(), turn=3)),
    "a free action": ("$.mayAlso", lambda: replace(turns(), may_also=(FreeAction(0, ("hit",)),))),
    "a challenge for three": (
        "$.options.challenge",
        lambda: replace(turns(), options=replace(turns().options, challenge="any")),
    ),
    "options that contradict each other": (
        "$.options.tie",
        lambda: replace(turns(), options=replace(turns().options, challenge="any", tie="shared")),
    ),
    "a seed where cards come by deck": ("$.seed", lambda: replace(first(), seed="x")),
    "no seed where cards come by seed": ("$.seed", lambda: replace(begun(), seed=None)),
    "no shuffle though it was dealt": ("$.shuffles", lambda: replace(turns(), shuffles=0)),
    "a deck whose order is not known though it was given": (
        "$.deck.hidden",
        lambda: replace(turns(), deck=Flip7Deck(hidden=len(turns().deck))),
    ),
    "a known order where the caller holds the cards": ("$.deck.cards", lambda: replace(first(), chance="caller")),
    "a known order after the deck given ran out": (
        "$.deck.cards",
        lambda: replace(turns(), chance="deck", seed=None),
    ),
    "an order in a view": (
        "$.deck.cards",
        lambda: replace(view(FLIP7, turns(), 0), deck=turns().deck),
    ),
    "a log in a view": ("$.log", lambda: replace(view(FLIP7, begun(), 0), log=begun().log)),
    "a seed in a view": ("$.seed", lambda: replace(view(FLIP7, begun(), 0), seed="x")),
    "a view of nobody": ("$.viewer", lambda: replace(view(FLIP7, turns(), 0), viewer=7)),
    "a history in a full state": ("$.history", lambda: replace(turns(), history=())),
    "a card too many": ("$", lambda: replace(turns(), discard=cards("0 0"))),
    "a card twice, in deck and row": (
        "$",
        lambda: replace(turns(), deck=Flip7Deck(cards=(*turns().deck.cards, FlipCard("11"), FlipCard("11")))),
    ),
    "a card too few": ("$.deck", lambda: replace(turns(), deck=Flip7Deck(cards=turns().deck.cards[1:]))),
    "hidden cards that do not make 94": (
        "$.deck",
        lambda: replace(view(FLIP7, turns(), 0), deck=Flip7Deck(hidden=3)),
    ),
    "a number set aside": (
        "$.flipThrees[0].setAside",
        lambda: replace(flipping(), flip_threes=(Flip7FlipThree(seat=1, left=0, set_aside=cards("12")),)),
    ),
    "a number given": ("$.given[0].card", lambda: replace(flipping(), given=(Flip7Given(card=FlipCard("12"), to=1),))),
    "a plus put aside in the first round": ("$.discard", lambda: with_discard(first(), "+2")),
    "a number put aside without a Second Chance": ("$.discard", lambda: with_discard(first(), "12 freeze")),
    "a row with a duplicate": ("$.rows[0].cards", lambda: with_row(turns(), 0, "5 5")),
    "a busted row without one": ("$.rows[2].cards", lambda: with_row(turns(), 2, "2 3")),
    "a busted row that went on": ("$.rows[2].cards", lambda: with_row(turns(), 2, "2 2 3")),
    "a busted row with a Second Chance": ("$.rows[2].cards", lambda: with_row(turns(), 2, "second 2 2")),
    "a frozen row without a Freeze": ("$.rows[0].cards", lambda: with_row(turns(), 0, "4", "frozen")),
    "a frozen row that went on": ("$.rows[1].cards", lambda: with_row(turns(), 1, "freeze 4", "frozen")),
    "a Freeze before an active seat": ("$.rows[1].cards", lambda: with_row(turns(), 1, "4 freeze")),
    "a Flip Three before a seat": ("$.rows[1].cards", lambda: with_row(turns(), 1, "4 flip3")),
    "two Second Chances": ("$.rows[1].cards", lambda: with_row(turns(), 1, "4 second second")),
    "a stay without a card": ("$.rows[1].status", lambda: with_row(turns(), 1, "", "stayed")),
    "a stay with seven numbers": ("$.rows[1].cards", lambda: with_row(turns(), 1, "1 3 4 5 6 7 8", "stayed")),
    "seven numbers and the round goes on": ("$.rows[1].cards", lambda: with_row(turns(), 1, "1 3 4 5 6 7 8")),
    "seven numbers and then a plus": ("$.rows[1].cards", lambda: with_row(over(), 1, "1 3 4 5 6 7 8 +2", "active")),
    "eight numbers": ("$.rows[1].cards", lambda: with_row(turns(), 1, "1 3 4 5 6 7 8 9")),
    "nobody active and the round goes on": (
        "$.rows",
        lambda: replace(over(), phase="turns", turn=0, to_act=Turn(0, 0), log=(), totals=(0, 0, 0)),
    ),
    "a round over with somebody active": ("$.turn", lambda: with_row(over(), 0, "4 11", "active")),
    "a turn before the first round": (
        "$.round",
        lambda: replace(begin_by_caller(), turn=0, phase="turns"),
    ),
    "rows before the first round": (
        "$.rows[0]",
        lambda: undealt(rows=(Flip7Row(cards=cards("4")), Flip7Row()), deck=Flip7Deck(hidden=93)),
    ),
    "something held between rounds": (
        "$.held",
        lambda: replace(
            over(), held=Flip7Held(seat=0, card=FlipCard("freeze")), deck=without(over(), "freeze"), log=()
        ),
    ),
    "dealing between rounds": ("$.dealing", lambda: replace(over(), dealing=True, log=())),
    "a card owed though none is replaced": (
        "$.owed",
        lambda: replace(after(dealing("freeze"), "give freeze 1"), owed=True, log=()),
    ),
    "no card owed though it is replaced": (
        "$.owed",
        lambda: replace(dealing("freeze", deal_replace_action=True), owed=False, log=()),
    ),
    "a card owed with nothing under way": (
        "$.owed",
        lambda: replace(
            after(dealing("flip3 1 2 3", seats=3, initial_deal_after_flip3="offer"), "give flip3 1"),
            owed=True,
            options=options(initial_deal_after_flip3="offer", deal_replace_action=True),
            log=(),
        ),
    ),
    "somebody asked though all are dealt to": ("$.offered", lambda: replace(dealing("freeze"), offered=(1,), log=())),
    "somebody asked after the deal": ("$.offered", lambda: replace(turns(), offered=(1,))),
    "somebody asked who was dealt to": (
        "$.offered[0]",
        lambda: replace(dealing("4 freeze", initial_deal_after_flip3="offer"), offered=(0,), log=()),
    ),
    "a stay before the first turn": (
        "$.rows[0].status",
        lambda: with_row(dealing("4 freeze"), 0, "4", "stayed"),
    ),
    "two Flip Threes where all is given first": (
        "$.flipThrees",
        lambda: replace(
            flipping(),
            flip_threes=(*flipping().flip_threes, Flip7FlipThree(seat=0, left=3)),
            deck=without(flipping(), "flip3"),
        ),
    ),
    "cards yet to come under another Flip Three": (
        "$.flipThrees[0].left",
        lambda: replace(
            nested(),
            flip_threes=(replace(nested().flip_threes[0], left=2), nested().flip_threes[1]),
            deck=without(nested(), "flip3"),
            log=(),
        ),
    ),
    "more set aside than turned": (
        "$.flipThrees[0].setAside",
        lambda: replace(
            drawing(),
            flip_threes=(Flip7FlipThree(seat=1, left=3, set_aside=cards("freeze")),),
            deck=Flip7Deck(hidden=len(drawing().deck) - 1),
            log=(),
        ),
    ),
    "a Flip Three that is done": (
        "$.flipThrees[0].setAside",
        lambda: replace(
            flipping(), flip_threes=(Flip7FlipThree(seat=1, left=0),), discard=cards("flip3 freeze flip3"), log=()
        ),
    ),
    "a Flip Three of a busted seat": (
        "$.flipThrees[0].seat",
        lambda: replace(with_row(flipping(), 1, "9 9", "busted"), log=()),
    ),
    "given where each takes effect at once": (
        "$.given",
        lambda: replace(after(flipping(), "give freeze 0"), options=options(set_aside="oneByOne")),
    ),
    "given with no Flip Three": (
        "$.given",
        lambda: replace(turns(), given=(Flip7Given(card=FlipCard("freeze"), to=0),), deck=without(turns(), "freeze")),
    ),
    "held by another": ("$.held", lambda: replace(holding(), held=Flip7Held(seat=2, card=FlipCard("freeze")))),
    "a first Second Chance to give": (
        "$.held",
        lambda: replace(
            holding(), held=Flip7Held(seat=0, card=FlipCard("second")), deck=swapped(holding(), "second", "freeze")
        ),
    ),
    "a Second Chance that nobody can take": (
        "$.held",
        lambda: replace(
            full_of_chances(),
            held=Flip7Held(seat=0, card=FlipCard("second")),
            deck=without(full_of_chances(), "second"),
        ),
    ),
    "a number to give": (
        "$.held",
        lambda: replace(
            holding(), held=Flip7Held(seat=0, card=FlipCard("12")), deck=swapped(holding(), "12", "freeze")
        ),
    ),
    "more points than a round can bring": ("$.totals[1]", lambda: replace(turns(), totals=(0, 514, 0))),
    "points before a first round is scored": ("$.totals[0]", lambda: replace(first(), totals=(1, 0, 0))),
    "less than the round just scored": ("$.totals[0]", lambda: replace(over(), totals=(14, 9, 2), log=())),
    "a match that was over before": (
        "$.totals",
        lambda: replace(turns(), totals=(100, 0, 0), options=options(target=100)),
    ),
    "the wrong phase": ("$.phase", lambda: replace(turns(), phase="give")),
    "over before the target": ("$.phase", lambda: replace(over(), phase="over", to_act=None)),
    "a card to be told where the order is known": ("$.phase", lambda: replace(turns(), phase="draw")),
    "a choice where a card is to come": ("$.phase", lambda: replace(drawing(), phase="give")),
    "a turn of who is out": ("$.phase", lambda: replace(turns(), turn=2, to_act=Turn(2, 2))),
    "the wrong seat to act": ("$.toAct", lambda: replace(turns(), to_act=Turn(1, 1))),
    "the wrong hand to act": ("$.toAct", lambda: replace(turns(), to_act=Turn(0, 1))),
    "nobody to act": ("$.toAct", lambda: replace(turns(), to_act=None)),
    "the wrong next dealer": ("$.toAct", lambda: replace(over(), to_act=Turn(2, 2))),
    "a log that leaves a card out": ("$.log", lambda: retold(lambda log: log[:-1])),
    "a log of other cards": (
        "$.log",
        lambda: retold(
            lambda log: tuple(replace(each, card=FlipCard("12")) if each == log[1] else each for each in log)
        ),
    ),
    "a log of another round": ("$.log", lambda: retold(lambda log: (RoundBegan(7, log[0].dealer), *log[1:]))),
    "a log of another dealer": ("$.log", lambda: retold(lambda log: (RoundBegan(1, 0), *log[1:]))),
    "a log with two deals": ("$.log", lambda: retold(lambda log: (*log, log[0]))),
    "a log with a move out of turn": ("$.log", lambda: retold(lambda log: (*log, AskedForCard(2)))),
    "a log of seats that are not there": (
        "$.log",
        lambda: retold(lambda log: (*log, Given(0, FlipCard("freeze"), -1))),
    ),
    "a log of a gift that is none": ("$.log", lambda: retold(lambda log: (*log, Given(0, FlipCard("freeze"), 1)))),
    "a log of a stay that was none": ("$.log", lambda: retold(lambda _: (Stayed(0),))),
    "a log of a shuffle of other cards": ("$.log", lambda: retold(lambda _: (Reshuffled(3),))),
    "a log of more cards than there are": (
        "$.log",
        lambda: retold(lambda log: (*log, *(Flipped(0, card) for card in DECK))),
    ),
    "a log before the first round": ("$.log", lambda: undealt(log=(RoundBegan(1, 1),))),
    "a history that was not": (
        "$.history",
        lambda: replace(view(FLIP7, begun(), 0), history=begun().log[:2]),
    ),
}


def full_of_chances() -> Flip7State:
    """Both active seats have a Second Chance."""
    return position(["4 second", "9 second", "2"], out={2: "stayed"})


def undealt(**changes: Any) -> Flip7State:
    """Before the first round."""
    state = FLIP7.start(Setup(options=options(), places=2, chance="caller"))
    return replace(state, **changes)


def begin_by_caller() -> Flip7State:
    return undealt()


def nested() -> Flip7State:
    """One by one: seat 0 has a Freeze left to give, while seat 1 gives its own."""
    state = position(["4", "9", "2"], "flip3 flip3 freeze 5 freeze 6 7 8", set_aside="oneByOne")
    return after(state, "hit", "give flip3 0", "give flip3 1")


def without(state: Flip7State, words: str) -> Flip7Deck:
    deck = list(state.deck.cards)
    for card in cards(words):
        deck.remove(card)
    return Flip7Deck(cards=tuple(deck))


def swapped(state: Flip7State, out: str, back: str) -> Flip7Deck:
    return Flip7Deck(cards=(*without(state, out).cards, *cards(back)))


@pytest.mark.parametrize("fault", FAULTS)
def test_impossible(fault: str) -> None:
    path, doctored = FAULTS[fault]
    with pytest.raises(ImpossibleState) as refused:
        admit(FLIP7, doctored())
    assert refused.value.path == path


def test_the_states_they_are_made_of_are_possible() -> None:
    for state in (turns(), first(), flipping(), holding(), drawing(), over(), begun(), nested(), undealt()):
        for viewer in (0, 1, SPECTATOR):
            admit(FLIP7, view(FLIP7, state, viewer))
        admit(FLIP7, state)
        admit(FLIP7, replace(state, log=()))
        admit(FLIP7, replace(view(FLIP7, state, 0), history=None))


def test_a_card_too_many_is_named() -> None:
    with pytest.raises(ImpossibleState) as refused:
        admit(FLIP7, replace(turns(), discard=cards("0 0 0")))
    assert refused.value.reason is Reason.TOO_MANY_OF_A_CARD
    assert refused.value.params == {"card": "0", "count": 4, "expected": 1}


def test_an_unknown_ruleset_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedRuleset, match="ruleset 7"):
        admit(FLIP7, replace(turns(), ruleset=7))


def test_another_viewers_view_is_not_to_be_had_from_a_view() -> None:
    with pytest.raises(ImpossibleState):
        view(FLIP7, view(FLIP7, turns(), 0), 1)


def reached() -> list[dict[str, Any]]:
    states = [turns(), first(), flipping(), holding(), drawing(), over(), begun(), nested(), undealt()]
    states.append(after(flipping(), "give freeze 0"))
    states.append(after(dealing("flip3 1 2 3", initial_deal_after_flip3="offer"), "give flip3 1"))
    states += [view(FLIP7, state, viewer) for state in states for viewer in (0, SPECTATOR)]
    return [msgspec.json.decode(msgspec.json.encode(state)) for state in states]


REACHED = reached()


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(deeper for key, each in inner for deeper in places(each, (*path, key)))]


def exchanged(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = exchanged(value[path[0]], path[1:], new)
    return copy


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_a_state_changed_anywhere_is_possible_or_refused_but_never_fails(data: st.DataObject) -> None:
    """Whatever decodes is judged, listed, scored and viewed, or refused; and what is possible leads to what is."""
    changed = data.draw(st.sampled_from(REACHED))
    for _ in range(data.draw(st.integers(1, 3))):
        everywhere = places(changed)
        path = data.draw(st.sampled_from(everywhere))
        donor: Any = changed
        for key in data.draw(st.sampled_from(everywhere)):
            donor = donor[key]
        words = st.sampled_from(
            ["12", "freeze", "second", "busted", "stayed", "turns", "draw", "roundOver", "oneByOne"]
        )
        scalars = st.one_of(st.integers(-2, 95), st.none(), st.booleans(), words)
        changed = exchanged(changed, path, data.draw(st.one_of(st.just(donor), scalars)))
    try:
        state = msgspec.convert(changed, Flip7State)
        admit(FLIP7, state)
    except (msgspec.ValidationError, Refusal):
        return
    for seat in range(len(state.rows)):
        for entry in legal_moves(FLIP7, state, seat, Query(explain=True)).moves:
            admit(FLIP7, play(FLIP7, state, entry.move, seat).state)
        for move in outsiders(state):
            judge(FLIP7, state, move, seat)
    FLIP7.sheet(state, None)
    odds(FLIP7, state)
    admit(FLIP7, state if state.viewer is not None else view(FLIP7, state, SPECTATOR))


def test_every_random_change_is_not_refused() -> None:
    """The test above is worth something: changes of the order of the deck, for one, go through."""
    rng = random.Random(1)
    deck = list(turns().deck.cards)
    rng.shuffle(deck)
    admit(FLIP7, replace(turns(), deck=Flip7Deck(cards=tuple(deck))))
