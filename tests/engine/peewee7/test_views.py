"""Views of PeeWee 7: who sees what, playing on from a view, and what the one who sees the table must tell."""

import pytest
from msgspec.structs import replace

from engine.cards import PACK, Card, card_set
from engine.events import Called, Contracted, Dealt, Exposed, Played, ThrownIn, TrickWon
from engine.game import SPECTATOR, Query, Viewer, admit, judge, legal_moves, play, view
from engine.games.peewee7 import PEEWEE7, PeeweeState
from engine.moves import Deal, Expose, Hand, Pass, Play, parse
from engine.violations import Code, IllegalMove, ImpossibleState, Malformed
from tests.engine.peewee7.positions import SUIT_EACH, begun, called, cards, dealt, legal, play_out, played

VIEWERS: tuple[Viewer, ...] = (0, 1, 2, 3, SPECTATOR)


def told_by(seat: int, hand: list[Card], dealer: int = 3, **choices: object) -> PeeweeState:
    """The view of a seat whose caller holds the cards and tells what that seat was dealt."""
    hands = tuple(Hand(tuple(hand)) if index == seat else Hand((), 13) for index in range(4))
    return play(PEEWEE7, begun(dealer=dealer, **choices), Deal(hands=hands)).state


def code(state: PeeweeState, words: str, seat: int | None = None) -> Code | None:
    refused = judge(PEEWEE7, state, parse(words), seat)
    return refused.code if refused else None


def test_a_view_has_no_seed_no_deck_and_no_hand_but_the_own() -> None:
    undealt = begun(teamDraw=True)
    for state in (undealt, dealt(), replace(dealt(), chance="seed", seed="secret")):
        for viewer in VIEWERS:
            seen = view(PEEWEE7, state, viewer)
            assert (seen.seed, seen.deck) == (None, None)
            assert all(not hand.cards for index, hand in enumerate(seen.hands) if index != viewer)


def test_calls_are_public_and_leave_hands_secret() -> None:
    state = called(dealt(), "7C dare doubleDare pass")
    for viewer in VIEWERS:
        seen = view(PEEWEE7, state, viewer)
        assert seen.calls == state.calls
        assert seen.history is not None
        assert [type(event) for event in seen.history] == [Dealt, Called, Called, Called, Called]
        assert legal(seen) == legal(state)


def test_a_history_tells_all_since_the_deal_as_the_viewer_saw_it() -> None:
    state = played(called(dealt(SUIT_EACH), "pass 7H pass pass pass"), "2S 2H 2D 2C 3H")
    seen = view(PEEWEE7, state, 0)
    assert seen.history is not None
    kinds = [type(event) for event in seen.history]
    assert kinds == [Dealt, *[Called] * 5, Contracted, Played, Exposed, Played, Played, Played, TrickWon, Played]
    first = seen.history[0]
    assert isinstance(first, Dealt)
    assert [len(hand.cards) for hand in first.hands] == [13, 0, 0, 0]
    assert [event.seat for event in seen.history if isinstance(event, Played)] == [0, 1, 2, 1, 1]
    thrown = view(PEEWEE7, called(dealt(), "pass pass pass pass"), 2).history
    assert thrown is not None
    assert thrown[-1] == ThrownIn(3)


def test_a_new_deal_begins_a_new_history() -> None:
    seen = view(PEEWEE7, called(dealt(), "pass pass pass pass"), 2)
    again = play(PEEWEE7, seen, Deal(hands=(Hand((), 13), Hand((), 13), Hand(PACK[:13]), Hand((), 13)))).state
    assert again.history is not None
    assert [type(event) for event in again.history] == [Dealt]
    admit(PEEWEE7, again)


def test_on_a_view_the_deal_must_be_told_and_only_as_its_viewer_sees_it() -> None:
    seen = view(PEEWEE7, called(dealt(), "pass pass pass pass"), 2)
    assert legal_moves(PEEWEE7, seen, 3, Query()).needs_chance == "deal"
    assert code(seen, "deal") == Code.NEEDS_CHANCE
    with pytest.raises(Malformed, match="nobody sees"):
        judge(PEEWEE7, seen, Deal(hands=(Hand(PACK[:13]), Hand((), 13), Hand((), 13), Hand((), 13))))
    whole = play(PEEWEE7, seen, Deal(deck=PACK)).state  # type: ignore[arg-type]
    assert [len(hand.cards) for hand in whole.hands] == [0, 0, 13, 0], "told all, it keeps what its viewer sees"


def test_the_lead_on_a_view_waits_for_the_open_hand_to_be_told() -> None:
    state = called(told_by(1, SUIT_EACH[1]), "pass 7H pass pass pass")
    assert legal_moves(PEEWEE7, state, 0, Query()).total == 39, "all that could be in a hand not seen"
    outcome = play(PEEWEE7, state, Play(Card("AS")))
    assert outcome.events == (Played(0, 0, Card("AS")),)
    state = outcome.state
    assert (state.phase, state.to_act and (state.to_act.seat, state.to_act.hand)) == ("expose", (3, 3))
    assert legal_moves(PEEWEE7, state, 3, Query()).needs_chance == "expose"
    assert legal(state, 1) == set()
    assert code(state, "play 2H", 1) == Code.NOT_YOUR_TURN
    assert code(state, "play 2C", 3) == Code.NEEDS_CHANCE
    told = Expose(tuple(SUIT_EACH[3]))
    assert code(state, f"expose {','.join(SUIT_EACH[3])}", 1) == Code.NOT_YOUR_TURN
    outcome = play(PEEWEE7, state, told)
    assert outcome.events == (Exposed(3, tuple(reversed(SUIT_EACH[3]))),)
    admit(PEEWEE7, outcome.state)
    assert outcome.state.phase == "play"
    later = played(outcome.state, "2H 2S")
    assert later.to_act is not None
    assert (later.to_act.seat, later.to_act.hand) == (1, 3)
    assert legal(later) == {f"play {card}" for card in SUIT_EACH[3]}
    with pytest.raises(IllegalMove):
        play(PEEWEE7, later, told, 3)


def test_told_the_open_hand_a_view_is_what_the_full_state_shows() -> None:
    state = called(dealt(), "pass 7H pass pass pass")
    lead = legal_moves(PEEWEE7, state, None, Query()).moves[0].move
    after = play(PEEWEE7, state, lead).state
    for viewer in VIEWERS:
        seen = play(PEEWEE7, view(PEEWEE7, state, viewer), lead).state
        if viewer != 3:
            assert seen.phase == "expose"
            seen = play(PEEWEE7, seen, Expose(state.hands[3].cards)).state
        assert seen == view(PEEWEE7, after, viewer)


def test_pa18_a_hand_open_before_the_lead_is_told_before_the_lead() -> None:
    state = called(dealt(SUIT_EACH, peeweeLeadChosenBy="master"), "pass pass 7NT pass pass")
    after = play(PEEWEE7, state, Pass()).state
    for viewer in VIEWERS:
        seen = play(PEEWEE7, view(PEEWEE7, state, viewer), Pass()).state
        if viewer != 0:
            assert seen.phase == "expose"
            assert code(seen, "play AS", 0) == Code.NEEDS_CHANCE
            seen = play(PEEWEE7, seen, Expose(state.hands[0].cards)).state
        assert seen == view(PEEWEE7, after, viewer)
        assert legal(seen, 2) == {f"play {card}" for card in SUIT_EACH[0]}


def test_what_cannot_be_the_open_hand_is_refused() -> None:
    state = play(PEEWEE7, called(told_by(1, SUIT_EACH[1]), "pass 7H pass pass pass"), Play(Card("AS"))).state
    assert code(state, "expose 2H,2C,3C,4C,5C,6C,7C,8C,9C,TC,JC,QC,KC", 3) == Code.CARD_ELSEWHERE
    assert code(state, "expose AS,2C,3C,4C,5C,6C,7C,8C,9C,TC,JC,QC,KC", 3) == Code.CARD_ELSEWHERE
    for words in ("expose 2C", "expose 2C,2C,3C,4C,5C,6C,7C,8C,9C,TC,JC,QC,KC"):
        with pytest.raises(Malformed):
            judge(PEEWEE7, state, parse(words), 3)
    full = played(called(dealt(SUIT_EACH), "pass 7H pass pass pass"), "AS")
    assert code(full, f"expose {','.join(SUIT_EACH[3])}", 1) == Code.WRONG_PHASE


def test_known_facts_narrow_what_a_hidden_hand_may_play() -> None:
    hands = [cards("AD 3D"), cards("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"), cards("4D"), cards("5D")]
    state = played(called(dealt(hands), "7NT pass pass pass"), "AD")
    seen = view(PEEWEE7, state, 0)
    assert code(seen, "play AS", 1) is None, "it may be void"
    seen = play(PEEWEE7, seen, Play(Card("AS"))).state
    seen = played(seen, "4D 5D 3D")
    assert not any(words.endswith("D") for words in legal(seen, 1)), "a void hand has no more of the suit"
    assert code(seen, "play 6D", 1) == Code.CARD_ELSEWHERE
    shown = next(card for card in seen.hands[0].cards)
    assert code(seen, f"play {shown}", 1) == Code.CARD_ELSEWHERE


def test_a_refusal_tells_no_more_than_the_actor_sees() -> None:
    state = called(dealt(SUIT_EACH), "pass 7H pass pass pass")
    for viewer in (1, 2, 3):
        refused = judge(PEEWEE7, state, Play(Card("2S")), viewer)
        assert refused is not None
        assert refused.params == {"seat": viewer, "turn": 0}
    assert legal_moves(PEEWEE7, state, 1, Query(explain=True)).blocked == ()


def test_a_deal_on_a_table_without_our_cards_is_played_from_one_seat_to_the_score() -> None:
    """The dealer's partner sees a whole deal through, telling what lies on the table."""
    whole = called(dealt(), "pass 7H pass pass pass")
    seen = called(told_by(2, list(whole.hands[2].cards)), "pass 7H pass pass pass")
    while whole.phase == "play":
        move = legal_moves(PEEWEE7, whole, None, Query()).moves[-1].move
        whole = play(PEEWEE7, whole, move).state
        seen = play(PEEWEE7, seen, move).state
        if seen.phase == "expose":
            seen = play(PEEWEE7, seen, Expose(whole.hands[3].cards)).state
        admit(PEEWEE7, seen)
    assert seen.score == whole.score
    assert PEEWEE7.sheet(seen, "deal") == PEEWEE7.sheet(whole, "deal")
    assert replace(view(PEEWEE7, whole, 2), chance="caller") == seen


def test_a_view_is_its_own_viewers_only() -> None:
    with pytest.raises(ImpossibleState):
        view(PEEWEE7, view(PEEWEE7, dealt(), 0), 1)


def test_all_cards_are_known_once_played() -> None:
    state = play_out(called(dealt(), "7C pass pass pass"))
    assert card_set(card for trick in state.tricks for card in trick.cards).bit_count() == 52
    for viewer in VIEWERS:
        admit(PEEWEE7, view(PEEWEE7, state, viewer))
