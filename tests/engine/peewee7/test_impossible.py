"""States and views of PeeWee 7 that cannot have come about, each refused with the path of its fault."""

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.cards import PACK, Card
from engine.game import SPECTATOR, FreeAction, Query, Turn, admit, judge, legal_moves, play, view
from engine.games.peewee7 import PEEWEE7, PeeweeCall, PeeweeDraw, PeeweeRow, PeeweeScore, PeeweeState
from engine.moves import Bid, Dare, Hand, Pass, Play, parse
from engine.violations import ImpossibleState, Refusal, UnsupportedRuleset
from tests.engine.peewee7.positions import SUIT_EACH, begun, called, contract, dealt, play_out, played, score


def bidding() -> PeeweeState:
    return called(dealt(SUIT_EACH), "7H dare")


def mid_hand() -> PeeweeState:
    return played(called(dealt(SUIT_EACH), "pass 7H pass pass pass"), "2S 2H 2D 2C 3H 3D")


def finished() -> PeeweeState:
    return play_out(called(dealt(), "7C pass pass pass"))


def drawing() -> PeeweeState:
    state = begun(teamDraw=True)
    for words in ("draw AS", "draw KS", "draw QS", "draw JS", "draw TS", "draw 2H"):
        state = play(PEEWEE7, state, parse(words)).state
    return state


def drawn() -> PeeweeState:
    return play(PEEWEE7, drawing(), parse("draw 2D")).state


def with_hand(state: PeeweeState, index: int, hand: Hand) -> PeeweeState:
    return replace(state, hands=(*state.hands[:index], hand, *state.hands[index + 1 :]))


def with_trick(state: PeeweeState, index: int, **changes: Any) -> PeeweeState:
    tricks = list(state.tricks)
    tricks[index] = replace(tricks[index], **changes)
    return replace(state, tricks=tuple(tricks))


def with_call(state: PeeweeState, index: int, **changes: Any) -> PeeweeState:
    calls = list(state.calls)
    calls[index] = replace(calls[index], **changes)
    return replace(state, calls=tuple(calls))


def with_draw(state: PeeweeState, index: int, **changes: Any) -> PeeweeState:
    draws = list(state.draws)
    draws[index] = replace(draws[index], **changes)
    return replace(state, draws=tuple(draws))


def revoked() -> PeeweeState:
    hands = [list(suit) for suit in SUIT_EACH]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]
    state = played(called(dealt(hands), "7C pass pass pass"), "3S")
    swap = {Card("2S"): Card("3H"), Card("3H"): Card("2S")}
    cards = tuple(swap.get(card, card) for card in state.hands[1].cards)
    state = played(state, "2S 2D 2C")
    return with_hand(with_trick(state, 0, cards=(Card("3S"), Card("3H"), Card("2D"), Card("2C"))), 1,
                     Hand(tuple(card for card in cards if card is not Card("3H"))))  # fmt: skip


def hidden_fit_nowhere() -> PeeweeState:
    """All have shown to be void in clubs but the Peewee, whose hand is seen: clubs lie nowhere else."""
    state = played(called(dealt(SUIT_EACH), "pass 7H pass pass pass"), "2S 2H 2D 2C 3H 3D 3C 3S")
    seen = view(PEEWEE7, state, 0)
    moved = Hand((*seen.hands[0].cards[1:], Card("4D")))
    return with_hand(seen, 0, moved)


Doctored = tuple[str, Callable[[], PeeweeState]]
FAULTS: dict[str, Doctored] = {
    "a card in hand twice": ("$.hands[0].cards[1]", lambda: with_hand(mid_hand(), 0, Hand((Card("3S"),) * 12))),
    "a card in two hands": ("$.hands[1].cards[0]", lambda: with_hand(bidding(), 1, bidding().hands[0])),
    "a played card still held": (
        "$.tricks[0].cards[0]",
        lambda: with_hand(mid_hand(), 0, Hand((*mid_hand().hands[0].cards[:11], Card("2S")))),
    ),
    "fourteen cards": ("$.hands[0]", lambda: with_hand(bidding(), 0, Hand((*PACK[:13], Card("2H"))))),
    "a hand too short": ("$.hands[3]", lambda: with_hand(mid_hand(), 3, Hand(mid_hand().hands[3].cards[:3]))),
    "three hands": ("$.hands", lambda: replace(mid_hand(), hands=mid_hand().hands[:3])),
    "hidden cards in a full state": ("$.hands[1].hidden", lambda: with_hand(bidding(), 1, Hand((), 13))),
    "the wrong hand leads first": ("$.tricks[0].leader", lambda: with_trick(mid_hand(), 0, leader=1)),
    "a trick won by the wrong hand": ("$.tricks[0].winner", lambda: with_trick(mid_hand(), 0, winner=0)),
    "an unfinished trick that is won": ("$.tricks[1].winner", lambda: with_trick(mid_hand(), 1, winner=2)),
    "a revoke": ("$.tricks[0]", revoked),
    "tricks before the bidding is closed": ("$.hands[0]", lambda: replace(bidding(), tricks=mid_hand().tricks)),
    "tricks without a contract": (
        "$.tricks",
        lambda: replace(mid_hand(), calls=mid_hand().calls[:2], contract=None, master=None),
    ),
    "a call out of turn": ("$.calls[1].seat", lambda: with_call(bidding(), 1, seat=2)),
    "a call that was illegal": ("$.calls[1].call", lambda: with_call(bidding(), 1, call=parse("bid 7S"))),
    "a dare of nothing": ("$.calls[0].call", lambda: with_call(bidding(), 0, call=Dare())),
    "a bid of six": ("$.calls[0].call", lambda: with_call(bidding(), 0, call=parse("bid 6H"))),
    "a call after the last": (
        "$.calls[5]",
        lambda: replace(mid_hand(), calls=(*mid_hand().calls, PeeweeCall(seat=1, call=Pass()))),
    ),
    "calls before the first deal": ("$.calls", lambda: replace(begun(), calls=(PeeweeCall(seat=0, call=Pass()),))),
    "another contract": ("$.contract", lambda: replace(mid_hand(), contract=contract("8H", side=1))),
    "a contract of the other side": ("$.contract", lambda: replace(mid_hand(), contract=contract("7H", side=0))),
    "no contract": ("$.contract", lambda: replace(mid_hand(), contract=None)),
    "a contract while bidding": ("$.contract", lambda: replace(bidding(), contract=contract("7H"))),
    "another Master": ("$.master", lambda: replace(mid_hand(), master=3)),
    "a Master while bidding": ("$.master", lambda: replace(bidding(), master=0)),
    "the wrong phase": ("$.phase", lambda: replace(mid_hand(), phase="auction")),
    "a full state that waits to be told": ("$.phase", lambda: replace(mid_hand(), phase="expose")),
    "the wrong turn": ("$.toAct", lambda: replace(mid_hand(), to_act=Turn(3, 3))),
    "nobody's turn": ("$.toAct", lambda: replace(mid_hand(), to_act=None)),
    "free actions": ("$.mayAlso", lambda: replace(mid_hand(), may_also=(FreeAction(0, ("pass",)),))),
    "a seat that is not there": ("$.dealer", lambda: replace(mid_hand(), dealer=9)),
    "seats taken twice": ("$.seating", lambda: replace(mid_hand(), seating=((0,), (0,), (2,), (3,)))),
    "three places": ("$.seating", lambda: replace(mid_hand(), seating=((0,), (1,), (2,)))),
    "a place with two seats": ("$.seating", lambda: replace(mid_hand(), seating=((0, 2), (1,), (3,), ()))),
    "cards before the first deal": ("$.hands[0]", lambda: replace(dealt(), deals=0)),
    "a deck after it was dealt": ("$.deck", lambda: replace(mid_hand(), deck=PACK)),
    "half a deck": ("$.deck", lambda: replace(begun(), chance="deck", deck=PACK[:26])),
    "a deck that the caller holds": ("$.deck", lambda: replace(begun(), deck=PACK)),
    "a seed where cards come by deck": ("$.seed", lambda: replace(mid_hand(), seed="x")),
    "no seed where cards come by it": ("$.seed", lambda: replace(mid_hand(), chance="seed")),
    "options that contradict each other": (
        "$.options.teamDrawCheck",
        lambda: replace(mid_hand(), options=replace(mid_hand().options, team_draw_check="round")),
    ),
    "draws where teams are not drawn": (
        "$.draws",
        lambda: replace(begun(), draws=(PeeweeDraw(place=0, card=Card("2S")),)),
    ),
    "draws after the deal": ("$.draws", lambda: replace(mid_hand(), draws=(PeeweeDraw(place=0, card=Card("2S")),))),
    "packs used up where none is": ("$.packs", lambda: replace(drawing(), packs=1)),
    "packs used up after the deal": ("$.packs", lambda: replace(mid_hand(), packs=1)),
    "a black side where teams are not drawn": ("$.black", lambda: replace(mid_hand(), black=1)),
    "a black side before it is drawn": ("$.black", lambda: replace(drawing(), black=1)),
    "the other side black": ("$.black", lambda: replace(drawn(), black=1 - drawn().black)),
    "a card laid twice": ("$.draws[1].card", lambda: with_draw(drawing(), 1, card=Card("AS"))),
    "a card laid out of turn": ("$.draws[5].place", lambda: with_draw(drawing(), 5, place=2)),
    "two cards for one place in a round": ("$.draws[1].place", lambda: with_draw(drawing(), 1, place=0)),
    "cards laid from another seat on": (
        "$.draws[0].place",
        lambda: replace(drawing(), dealer=2, to_act=Turn(2, 1)),
    ),
    "cards laid after the teams were made": (
        "$.draws[7]",
        lambda: replace(drawn(), draws=(*drawn().draws, PeeweeDraw(place=3, card=Card("3D")))),
    ),
    "seats that do not follow from the draw": (
        "$.seating",
        lambda: replace(drawn(), seating=drawn().seating[1:] + drawn().seating[:1]),
    ),
    "a paper won already": ("$.score", lambda: replace(mid_hand(), deals=9, score=score(hearts=(14, 0)))),
    "a paper before the first deal": ("$.score", lambda: replace(begun(), score=score(hearts=(2, 0)))),
    "a paper that took more deals": (
        "$.score",
        lambda: replace(mid_hand(), deals=2, score=score(hearts=(2, 0), spades=(2, 0))),
    ),
    "strokes without a cross": ("$.score.hearts", lambda: replace(mid_hand(), deals=2, score=score(hearts=(1, 0)))),
    "more strokes than there are tricks": (
        "$.score.noTrump",
        lambda: replace(mid_hand(), deals=9, score=PeeweeScore(no_trump=PeeweeRow(crosses=(0, 1), strokes=(0, 8)))),
    ),
    "a paper that does not add up": ("$.score", lambda: replace(finished(), score=PeeweeScore())),
    "a settled deal without the paper before it": ("$.scoreBefore", lambda: replace(finished(), score_before=None)),
    "a paper before, in mid-hand": ("$.scoreBefore", lambda: replace(mid_hand(), score_before=PeeweeScore())),
    "a history in a full state": ("$.history", lambda: replace(mid_hand(), history=())),
    "a view that hides its own hand": (
        "$.hands[0].hidden",
        lambda: with_hand(view(PEEWEE7, bidding(), 0), 0, Hand((), 13)),
    ),
    "a view that shows another's": (
        "$.hands[1].cards",
        lambda: with_hand(view(PEEWEE7, bidding(), 0), 1, bidding().hands[1]),
    ),
    "a view that shows the Peewee's hand too early": (
        "$.hands[2].cards",
        lambda: with_hand(view(PEEWEE7, called(dealt(), "7H pass pass pass"), 0), 2, dealt().hands[2]),
    ),
    "a view that was never told the open hand": (
        "$.hands[3].hidden",
        lambda: with_hand(view(PEEWEE7, mid_hand(), 0), 3, Hand((), len(mid_hand().hands[3]))),
    ),
    "a view of nobody": ("$.viewer", lambda: replace(view(PEEWEE7, mid_hand(), 0), viewer=7)),
    "a view with a history that was not": (
        "$.history",
        lambda: replace(view(PEEWEE7, mid_hand(), 0), history=(view(PEEWEE7, mid_hand(), 0).history or ())[:-1]),
    ),
    "a view with a seed": ("$.seed", lambda: replace(view(PEEWEE7, mid_hand(), 0), chance="seed", seed="x")),
    "a view whose hidden cards fit nowhere": ("$.hands", hidden_fit_nowhere),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_impossible(fault: str) -> None:
    path, doctored = FAULTS[fault]
    with pytest.raises(ImpossibleState) as refused:
        admit(PEEWEE7, doctored())
    assert refused.value.path.startswith(path), refused.value.path


def test_an_unknown_ruleset_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedRuleset, match="ruleset 7"):
        admit(PEEWEE7, replace(mid_hand(), ruleset=7))


def test_a_paper_that_deals_can_have_written_is_taken() -> None:
    written = PeeweeScore(hearts=PeeweeRow(crosses=(1, 2), strokes=(7, 3)), no_trump=PeeweeRow(crosses=(4, 0)))
    for deals in (4, 40):
        admit(PEEWEE7, replace(mid_hand(), deals=deals, score=written))


def reached() -> list[dict[str, Any]]:
    before_lead = called(dealt(peeweeLeadChosenBy="master"), "pass pass 7NT pass pass pass")
    untold = play(PEEWEE7, view(PEEWEE7, called(dealt(), "pass 7H pass pass pass"), SPECTATOR), Play(Card("AS"))).state
    thrown_in = called(dealt(), "pass pass pass pass")
    states = [bidding(), mid_hand(), finished(), drawing(), drawn(), thrown_in, before_lead]
    states += [view(PEEWEE7, state, viewer) for state in states for viewer in (0, SPECTATOR)]
    return [msgspec.json.decode(msgspec.json.encode(state)) for state in (*states, untold)]


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


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_a_state_changed_anywhere_is_possible_or_refused_but_never_fails(data: st.DataObject) -> None:
    """Whatever decodes is judged, listed, scored and viewed, or refused; nothing else is raised."""
    changed = data.draw(st.sampled_from(REACHED))
    for _ in range(data.draw(st.integers(1, 3))):
        everywhere = places(changed)
        path = data.draw(st.sampled_from(everywhere))
        other = data.draw(st.sampled_from(everywhere))
        donor: Any = changed
        for key in other:
            donor = donor[key]
        words = st.sampled_from(["AS", "2C", "NT", "play", "over", "deal", "expose", "teamDraw", "auction", "master"])
        scalars = st.one_of(st.integers(-2, 60), st.none(), st.booleans(), words)
        changed = exchanged(changed, path, data.draw(st.one_of(st.just(donor), scalars)))
    try:
        state = msgspec.convert(changed, PeeweeState)
    except msgspec.ValidationError:
        return
    try:
        admit(PEEWEE7, state)
        rng = random.Random(1)
        for seat in range(4):
            legal = legal_moves(PEEWEE7, state, seat, Query(explain=True)).moves
            for entry in rng.sample(legal, min(3, len(legal))):
                admit(PEEWEE7, play(PEEWEE7, state, entry.move, seat).state)
            for move in (Play(rng.choice(PACK)), Bid(7, contract("7NT").strain), Dare()):
                judge(PEEWEE7, state, move, seat)
        PEEWEE7.sheet(state, None)
        PEEWEE7.sheet(state, "match")
        view(PEEWEE7, state, SPECTATOR)
    except Refusal:
        return
