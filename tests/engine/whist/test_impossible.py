"""States and views of whist that cannot have come about, each refused with the path of its fault."""

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.cards import PACK, Card
from engine.events import Event, Exposed
from engine.game import SPECTATOR, FreeAction, Query, Turn, admit, judge, legal_moves, play, view
from engine.games.whist import WHIST, WhistClaim, WhistDraw, WhistGameScore, WhistScore, WhistState
from engine.games.whist.table import settlement
from engine.moves import Hand, Play
from engine.violations import ImpossibleState, Refusal, UnsupportedRuleset
from tests.engine.whist.positions import dealt, one_suit_each, play_out, played
from tests.engine.whist.test_rulings import revoked_twice


def mid_hand() -> WhistState:
    return played(one_suit_each(dealer=2), "2C 2S 2H 2D 3D 3C")


def finished() -> WhistState:
    return play_out(one_suit_each(dealer=2))


def with_hand(state: WhistState, index: int, hand: Hand) -> WhistState:
    return replace(state, hands=(*state.hands[:index], hand, *state.hands[index + 1 :]))


def with_trick(state: WhistState, index: int, **changes: Any) -> WhistState:
    tricks = list(state.tricks)
    tricks[index] = replace(tricks[index], **changes)
    return replace(state, tricks=tuple(tricks))


def revoked_state() -> WhistState:
    hands = [[card for card in PACK if card.suit == suit] for suit in "SHDC"]
    hands[2][0], hands[3][0] = hands[3][0], hands[2][0]
    return played(dealt(hands, dealer=2, last=hands[2][-1], revoke="record"), "3C 2S 2H 3D")


def prevented() -> dict[str, Any]:
    return {"options": replace(revoked_state().options, revoke="prevent")}


def void_plays_the_suit() -> WhistState:
    state = revoked_state()
    state = played(state, "AD 4C 3S 3H 2C")
    seen = view(WHIST, state, SPECTATOR)
    return replace(seen, options=replace(seen.options, revoke="prevent"))


def hidden_fit_nowhere() -> WhistState:
    """Seats 0, 1 and 3 are void in diamonds, so all eleven left are the dealer's, who is seen to hold a spade too."""
    seen = view(WHIST, played(one_suit_each(dealer=2), "2C 2S 2H 2D 3D 3C 3S 3H"), SPECTATOR)
    return with_hand(seen, 2, Hand((Card("AS"),), seen.hands[2].hidden - 1))


Doctored = tuple[str, Callable[[], WhistState]]
FAULTS: dict[str, Doctored] = {
    "a card in hand twice": ("$.hands[0].cards[1]", lambda: with_hand(mid_hand(), 0, Hand((Card("3S"),) * 12))),
    "a card in two hands": (
        "$.hands[1].cards[0]",
        lambda: with_hand(mid_hand(), 1, replace(mid_hand().hands[1], cards=mid_hand().hands[0].cards)),
    ),
    "a played card still held": (
        "$.tricks[0].cards[1]",
        lambda: with_hand(
            mid_hand(), 0, replace(mid_hand().hands[0], cards=(*mid_hand().hands[0].cards[:11], Card("2S")))
        ),
    ),
    "fourteen cards": ("$.hands[0]", lambda: with_hand(one_suit_each(), 0, Hand((*PACK[:13], Card("2H"))))),
    "a hand too short": ("$.hands[3]", lambda: with_hand(mid_hand(), 3, Hand(mid_hand().hands[3].cards[:3]))),
    "five hands": ("$.hands", lambda: replace(mid_hand(), hands=(*mid_hand().hands, Hand()))),
    "hidden cards in a full state": ("$.hands[1].hidden", lambda: with_hand(one_suit_each(), 1, Hand((), 13))),
    "the wrong hand leads first": ("$.tricks[0].leader", lambda: with_trick(mid_hand(), 0, leader=0)),
    "a trick won by the wrong hand": ("$.tricks[0].winner", lambda: with_trick(mid_hand(), 0, winner=3)),
    "a trick left unfinished in the middle": (
        "$.hands[2]",
        lambda: with_trick(mid_hand(), 0, cards=mid_hand().tricks[0].cards[:3], winner=None),
    ),
    "an unfinished trick that is won": ("$.tricks[1].winner", lambda: with_trick(mid_hand(), 1, winner=2)),
    "a revoke where revokes are prevented": ("$.tricks[0]", lambda: replace(revoked_state(), **prevented())),
    "trumps of another suit": ("$.trumpCard", lambda: replace(one_suit_each(dealer=2), trump=Card("2S").suit)),
    "no trumps where there are": ("$.trump", lambda: replace(one_suit_each(dealer=2), trump=None)),
    "a turned card that is not the dealer's": (
        "$.trumpCard",
        lambda: replace(one_suit_each(dealer=3), trump_card=Card("AS"), trump=Card("AS").suit),
    ),
    "no turned card": ("$.trumpCard", lambda: replace(one_suit_each(), trump_card=None)),
    "the wrong phase": ("$.phase", lambda: replace(mid_hand(), phase="claim")),
    "the wrong turn": ("$.toAct", lambda: replace(mid_hand(), to_act=Turn(1, 1))),
    "nobody's turn": ("$.toAct", lambda: replace(mid_hand(), to_act=None)),
    "free actions that are not": ("$.mayAlso", lambda: replace(mid_hand(), may_also=(FreeAction(0, ("claim",)),))),
    "a seat that is not there": ("$.dealer", lambda: replace(mid_hand(), dealer=9)),
    "seats taken twice": ("$.seating", lambda: replace(mid_hand(), seating=((0,), (0,), (2,), (3,)))),
    "a claim before the thirteenth trick": (
        "$.claims",
        lambda: replace(mid_hand(), claims=(WhistClaim(seat=0, against=1, trick=1),)),
    ),
    "a claim of a revoke that was none": (
        "$.claims[0]",
        lambda: replace(revoked_twice(), claims=(WhistClaim(seat=1, against=2, trick=13),)),
    ),
    "a penalty chosen where none is": (
        "$.claims[0].penalty",
        lambda: replace(revoked_twice(), claims=(WhistClaim(seat=1, against=2, trick=1, penalty="add"),)),
    ),
    "a score past the target": (
        "$.score.points",
        lambda: replace(mid_hand(), deals=5, score=WhistScore(points=(7, 0))),
    ),
    "a score before the first deal": ("$.score", lambda: replace(mid_hand(), score=WhistScore(points=(1, 0)))),
    "a score that does not add up": ("$.score", lambda: replace(finished(), score=WhistScore(points=(1, 0)))),
    "a settled deal without the score before it": ("$.score", lambda: replace(finished(), score_before=None)),
    "cards before the first deal": ("$.hands[0]", lambda: replace(one_suit_each(), deals=0)),
    "draws where nothing is drawn": (
        "$.draws",
        lambda: replace(mid_hand(), draws=(WhistDraw(place=0, card=Card("2S")),)),
    ),
    "a deck after it was dealt": ("$.deck", lambda: replace(mid_hand(), deck=PACK)),
    "a seed where cards come by deck": ("$.seed", lambda: replace(mid_hand(), seed="x")),
    "options that contradict each other": (
        "$.options.turnUp",
        lambda: replace(mid_hand(), options=replace(mid_hand().options, turn_up=False)),
    ),
    "a history in a full state": ("$.history", lambda: replace(mid_hand(), history=())),
    "a view that hides its own hand": (
        "$.hands[0].hidden",
        lambda: with_hand(view(WHIST, mid_hand(), 0), 0, Hand((), 12)),
    ),
    "a view of nobody": ("$.viewer", lambda: replace(view(WHIST, mid_hand(), 0), viewer=7)),
    "a view with a history that was not": (
        "$.history",
        lambda: replace(view(WHIST, mid_hand(), 0), history=(view(WHIST, mid_hand(), 0).history or ())[:-1]),
    ),
    "a view with a seed": ("$.seed", lambda: replace(view(WHIST, mid_hand(), 0), chance="seed", seed="x")),
    "a view of more than its viewer sees": (
        "$.hands[1].cards",
        lambda: replace(view(WHIST, mid_hand(), 0), hands=mid_hand().hands),
    ),
    "a turned card still listed once taken up": (
        "$.hands[2].cards",
        lambda: with_hand(view(WHIST, mid_hand(), 0), 2, Hand((Card("AD"),), 10)),
    ),
    "a view that has forgotten the turned card": (
        "$.history",
        lambda: replace(view(WHIST, mid_hand(), 0), history=None),
    ),
    "a hand laid open where there is no dummy": (
        "$.history",
        lambda: with_event(view(WHIST, mid_hand(), 0), Exposed(1, mid_hand().hands[1].cards)),
    ),
    "dummy's cards other than they were": (
        "$.history",
        lambda: without_exposed(view(WHIST, one_suit_each(dummy=True), 1), Exposed(2, one_suit_each().hands[0].cards)),
    ),
    "dummy's hand never shown": ("$.history", lambda: without_exposed(view(WHIST, one_suit_each(dummy=True), 1))),
    "dummy's hand unseen long after": (
        "$.hands[2].hidden",
        lambda: with_hand(view(WHIST, two_cards_played_to_dummy(), 1), 2, Hand((Card("AD"),), 12)),
    ),
    "no points after six deals": ("$.score.points", lambda: replace(mid_hand(), deals=6)),
    "two games after one deal": (
        "$.score.games",
        lambda: replace(mid_hand(), deals=2, score=WhistScore(games=(game(0), game(1)))),
    ),
    "nine million points": (
        "$.score.points",
        lambda: replace(mid_hand(), deals=2, score=WhistScore(games=(game(0, points=(9_000_000, 0)),))),
    ),
    "a loser past the target without honours": (
        "$.score.games[0].points",
        lambda: replace(american(), deals=4, score=WhistScore(games=(game(0, points=(5, 8)),))),
    ),
    "honours apart where they are not": (
        "$.score.games[0].honours",
        lambda: replace(mid_hand(), deals=4, score=WhistScore(games=(game(0, honours=(4, 0)),))),
    ),
    "a recorded deal settled before the next": (
        "$.scoreBefore",
        lambda: settled_early(),  # noqa: PLW0108 - defined below
    ),
    "a view whose void hand plays the suit": ("$.tricks[0]", void_plays_the_suit),
    "a view whose hidden cards fit nowhere": ("$.hands", hidden_fit_nowhere),
}


def with_event(state: WhistState, event: Event) -> WhistState:
    return replace(state, history=(*(state.history or ()), event))


def without_exposed(state: WhistState, *others: Event) -> WhistState:
    kept = [event for event in state.history or () if not isinstance(event, Exposed)]
    return replace(state, history=(*kept, *others))


def two_cards_played_to_dummy() -> WhistState:
    return played(one_suit_each(dealer=2, dummy=True), "2C 2S")


def game(winner: int, **told: Any) -> WhistGameScore:
    points = (5, 1) if winner == 0 else (1, 5)
    return WhistGameScore(**{"winner": winner, "points": points, **told})


def american() -> WhistState:
    return one_suit_each(dealer=2, preset="american")


def settled_early() -> WhistState:
    """Played out under record and settled, though neither the next deal nor the end has come."""
    state = revoked_twice()
    settled = settlement(state)
    return replace(state, score_before=state.score, score=settled.after, phase="deal", may_also=())


@pytest.mark.parametrize("fault", FAULTS)
def test_impossible(fault: str) -> None:
    path, doctored = FAULTS[fault]
    with pytest.raises(ImpossibleState) as refused:
        admit(WHIST, doctored())
    assert refused.value.path.startswith(path), refused.value.path


def test_an_unknown_ruleset_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedRuleset, match="ruleset 7"):
        admit(WHIST, replace(mid_hand(), ruleset=7))


def test_another_viewers_view_is_not_to_be_had_from_a_view() -> None:
    with pytest.raises(ImpossibleState):
        view(WHIST, view(WHIST, mid_hand(), 0), 1)


def reached() -> list[dict[str, Any]]:
    states = [mid_hand(), finished(), revoked_twice(), one_suit_each(dummy=True)]
    states += [view(WHIST, state, viewer) for state in states for viewer in (0, SPECTATOR)]
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
    """Whatever decodes is judged, listed, scored and viewed, or refused; nothing else is raised."""
    changed = data.draw(st.sampled_from(REACHED))
    for _ in range(data.draw(st.integers(1, 3))):
        everywhere = places(changed)
        path = data.draw(st.sampled_from(everywhere))
        other = data.draw(st.sampled_from(everywhere))
        donor: Any = changed
        for key in other:
            donor = donor[key]
        scalars = st.one_of(
            st.integers(-2, 60), st.none(), st.booleans(), st.sampled_from(["AS", "2C", "play", "over"])
        )
        changed = exchanged(changed, path, data.draw(st.one_of(st.just(donor), scalars)))
    try:
        state = msgspec.convert(changed, WhistState)
    except msgspec.ValidationError:
        return
    try:
        admit(WHIST, state)
        rng = random.Random(1)
        for seat in range(4):
            legal = legal_moves(WHIST, state, seat, Query(explain=True)).moves
            for entry in rng.sample(legal, min(3, len(legal))):
                admit(WHIST, play(WHIST, state, entry.move, seat).state)
            judge(WHIST, state, Play(rng.choice(PACK)), seat)
        WHIST.sheet(state, None)
        view(WHIST, state, SPECTATOR)
    except Refusal:
        return
