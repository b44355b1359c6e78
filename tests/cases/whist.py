"""Worked cases of whist: the hall's seats 0 and 2 play seats 1 and 3."""

from typing import Any, Final

from engine.cards import PACK, AnyCard, Card
from engine.game import play
from engine.games.whist import WHIST, WhistState
from engine.moves import Deal
from tests.cases.case import Body, Case, among, body
from tests.engine.whist.positions import cards, dealt, one_suit_each, play_out, played


def _state(state: WhistState) -> Any:
    return body(state)


def _texts(*words: str) -> among:
    return among(*({"text": f"play {card}"} for card in words))


def _draw(*drawn: str, **options: Any) -> Body:
    return {
        "game": "whist",
        "options": {"drawForPartners": True, **options},
        "chance": "caller",
        "moves": [{"move": f"draw {card}"} for card in drawn],
    }


def _facts(facts: Body, **options: Any) -> Body:
    return {"game": "whist", "options": options, "facts": facts}


def _totals(game: tuple[int, int], games: tuple[int, int] = (0, 0)) -> among:
    rows = [("game", game), ("games", games)]
    return among(*({"account": row, "side": side, "points": points[side]} for row, points in rows for side in (0, 1)))


def _item(rule: str, side: int, points: int) -> Body:
    return {"rule": rule, "side": side, "points": points}


def _void_in_spades() -> WhistState:
    """Seat 3 leads a spade, and seat 2 has none when its turn comes."""
    hands = (
        cards("TS 9S 8S"),
        cards("JC JS QS"),
        (*cards("2C KC 5D"), *cards("2D 3D 4D 6D 7D 8D 9D TD JD QD")),
        cards("7S 2S"),
    )
    return played(dealt(hands, dealer=2, last=Card("2C")), "7S TS JS")


def _after_seats(dealer: int, leads: str, hands: tuple[str, str, str, str], turned: str, **options: Any) -> WhistState:
    state = dealt(tuple(cards(hand) for hand in hands), dealer=dealer, last=Card(turned), **options)
    return played(state, leads)


def _revoked(**options: Any) -> WhistState:
    """Played out, after seat 2 failed to follow in trick 1 (seat 3 led) and in no other."""
    hands = [[card for card in PACK if card.suit == suit] for suit in "SHDC"]
    hands[2][0], hands[3][0] = hands[3][0], hands[2][0]
    state = dealt(hands, dealer=2, last=hands[2][-1], revoke="record", **options)
    state = played(state, "3C 2S 2H 3D")
    return play_out(state, seed=3)


def _next_deal(state: WhistState) -> WhistState:
    return play(WHIST, state, Deal(deck=tuple(AnyCard(card) for card in PACK))).state


CASES: Final = [
    Case(
        name="W02 the ace drawn low: it is the lowest, and deals",
        call="replay",
        request=_draw("AS", "KD", "5C", "9H", drawAce="low"),
        answer={"state": {"dealer": 0, "seating": [[0], [1], [2], [3]], "phase": "deal", "toAct": {"seat": 0}}},
    ),
    Case(
        name="W02 the ace drawn high: the two highest against the two lowest, and the lowest deals",
        call="replay",
        request=_draw("AS", "KD", "5C", "9H"),
        answer={"state": {"dealer": 2, "seating": [[3], [1], [2], [0]], "phase": "deal"}},
    ),
    Case(
        name="W03 second and third place equal: just those two draw again, for the teams",
        call="replay",
        request=_draw("KS", "9D", "9H", "3C"),
        answer={"state": {"phase": "draw", "toAct": {"seat": 1}}},
    ),
    Case(
        name="W03 and the redraw sets the teams",
        call="replay",
        request=_draw("KS", "9D", "9H", "3C", "2D", "AD"),
        answer={"state": {"dealer": 3, "seating": [[0], [1], [2], [3]], "phase": "deal"}},
    ),
    Case(
        name="W04 the two lowest equal: they draw again, for the deal only",
        call="replay",
        request=_draw("KS", "QD", "4H", "4C"),
        answer={"state": {"phase": "draw", "toAct": {"seat": 2}}},
    ),
    Case(
        name="W04 and the redraw decides the deal between them, whatever it is",
        call="replay",
        request=_draw("KS", "QD", "4H", "4C", "AD", "AC"),
        answer={"state": {"phase": "draw", "toAct": {"seat": 2}}},
    ),
    Case(
        name="W07 four equal cards: everybody draws again",
        call="replay",
        request=_draw("7S", "7D", "7H", "7C"),
        answer={"state": {"phase": "draw", "toAct": {"seat": 0}}},
    ),
    Case(
        name="W09 the turned card is public, one of the dealer's thirteen, until he has played",
        call="view",
        request={
            "state": _state(played(one_suit_each(dealer=2, trump_card_public="untilDealerPlays"), "2C 2S")),
            "viewer": 0,
        },
        answer={"view": {"trump": "D", "trumpCard": "AD", "hands": [{}, {}, {"cards": ["AD"], "hidden": 12}, {}]}},
    ),
    Case(
        name="W09 taken up, the turned card is hidden again, and remembered",
        call="view",
        request={"state": _state(played(one_suit_each(dealer=2), "2C 2S 2H 2D")), "viewer": 0},
        answer={"view": {"trump": "D", "trumpCard": None, "hands": [{}, {}, {"cards": [], "hidden": 12}, {}]}},
    ),
    Case(
        name="W11 who can follow must",
        call="legal_moves",
        request={
            "state": _state(_after_seats(2, "7S", ("2S KS AH 3C JH QH 9H 8H 7H 6H 5H 4H 3H", "", "AC", "7S"), "AC")),
        },
        answer={"moves": _texts("2S", "KS"), "total": "2", "truncated": False},
    ),
    Case(
        name="W14 void in the led suit: trump high, trump low, or throw away",
        call="legal_moves",
        request={"state": _state(_void_in_spades())},
        answer={"moves": _texts(*["2C", "KC", "5D", "2D", "3D", "4D", "6D", "7D", "8D", "9D", "TD", "JD", "QD"])},
    ),
    Case(
        name="W15 any card may be led, a trump too, from the first trick on",
        call="legal_moves",
        request={"state": _state(one_suit_each(dealer=2))},
        answer={"moves": _texts(*(f"{rank}C" for rank in "23456789TJQKA")), "total": "13"},
    ),
    Case(
        name="W18 the lowest trump beats an ace",
        call="play",
        request={
            "state": _state(_after_seats(2, "AS 2C KS", ("2C", "KS", "QS AC", "AS"), "AC", revoke="record")),
            "move": "play QS",
        },
        answer={"state": {"tricks": [{"winner": 0}], "toAct": {"seat": 0}}},
    ),
    Case(
        name="W19 of two trumps the higher wins, whoever played first",
        call="play",
        request={
            "state": _state(_after_seats(2, "AS 9C KS", ("9C", "KS", "TC AC", "AS"), "AC", revoke="record")),
            "move": "play TC",
        },
        answer={"state": {"tricks": [{"winner": 2}]}},
    ),
    Case(
        name="W21 without trumps the highest card of the led suit wins",
        call="play",
        request={
            "state": _state(
                _after_seats(2, "2S AC 3S", ("AC", "3S", "AH KC", "2S"), "KC", trump="none", revoke="record")
            ),
            "move": "play AH",
        },
        answer={"state": {"tricks": [{"winner": 1}]}},
    ),
    Case(
        name="W22 a revoke is refused, with the cards that would follow",
        call="validate",
        request={
            "state": _state(_after_seats(2, "7S", ("2S AH 3H 4H 5H 6H 7H 8H 9H TH JH QH KH", "", "AC", "7S"), "AC")),
            "move": {"type": "play", "card": "AH"},
        },
        answer={
            "legal": False,
            "violation": {
                "code": "MUST_FOLLOW_SUIT",
                "clause": "whist/W-13",
                "params": {"card": "AH", "ledSuit": "S", "cards": ["2S"]},
            },
        },
    ),
    Case(
        name="W22 and played, it is an error, in Dutch on request",
        call="play",
        request={
            "state": _state(_after_seats(2, "7S", ("2S AH 3H 4H 5H 6H 7H 8H 9H TH JH QH KH", "", "AC", "7S"), "AC")),
            "move": "play AH",
        },
        problem={
            "code": "ILLEGAL_MOVE",
            "status": 422,
            "detail": "AH bekent geen schoppen, terwijl de hand dat kan: 2S.",
            "violation": {"code": "MUST_FOLLOW_SUIT"},
        },
        language="nl",
    ),
    Case(
        name="W24 seven tricks score one point",
        call="score",
        request=_facts({"tricks": [7, 6]}),
        answer={"sheet": {"items": [_item("oddTricks", 0, 1)], "totals": _totals((1, 0)), "winners": []}},
    ),
    Case(
        name="W26 thirteen tricks score seven; a bonus only as agreed; the overshoot is kept",
        call="score",
        request=_facts({"tricks": [13, 0]}),
        answer={"sheet": {"items": [_item("oddTricks", 0, 7)], "totals": _totals((7, 0), (1, 0)), "winners": [0]}},
    ),
    Case(
        name="W27 a slam with an agreed bonus of five",
        call="score",
        request=_facts({"tricks": [13, 0]}, slamBonus=5),
        answer={
            "sheet": {
                "items": [_item("oddTricks", 0, 7), _item("slamBonus", 0, 5)],
                "totals": _totals((12, 0), (1, 0)),
                "winners": [0],
            }
        },
    ),
    Case(
        name="W30 three honours score two, the partner having none",
        call="score",
        request=_facts({"tricks": [6, 7], "honours": [3, 0, 0, 1]}),
        answer={
            "sheet": {
                "items": [_item("oddTricks", 1, 1), _item("honours", 0, 2)],
                "totals": _totals((2, 1)),
                "winners": [],
            }
        },
    ),
    Case(
        name="W38 eight points do not win at Long Whist",
        call="score",
        request=_facts({"tricks": [10, 3], "score": {"points": [4, 8]}}, target=9),
        answer={"sheet": {"totals": _totals((8, 8)), "winners": []}},
    ),
    Case(
        name="W39 nine points do",
        call="score",
        request=_facts({"tricks": [7, 6], "score": {"points": [8, 8]}}, preset="long"),
        answer={"sheet": {"totals": _totals((9, 8), (1, 0)), "winners": [0]}},
    ),
    Case(
        name="W41 only tricks there are can pass over, and a slam made by penalty earns no bonus",
        call="score",
        request=_facts({"tricks": [11, 2], "revokes": [{"side": 1}]}, slamBonus=5, revoke="record"),
        answer={"sheet": {"items": [_item("oddTricks", 0, 7)], "totals": _totals((7, 0), (1, 0)), "winners": [0]}},
    ),
    Case(
        name="W44 a revoke in points: three pass over, never below zero",
        call="score",
        request=_facts(
            {"tricks": [8, 5], "revokes": [{"side": 0}], "score": {"points": [2, 1]}},
            revoke="record",
            revokePenalty="points",
        ),
        answer={
            "sheet": {
                "items": [_item("revokePenalty", 0, -2), _item("revokePenalty", 1, 3), _item("oddTricks", 0, 2)],
                "totals": _totals((2, 4)),
                "winners": [],
            }
        },
    ),
    Case(
        name="W45 the penalty wins the game before tricks are counted",
        call="score",
        request=_facts(
            {"tricks": [9, 4], "revokes": [{"side": 0}], "score": {"points": [4, 2]}},
            revoke="record",
            revokePenalty="points",
        ),
        answer={"sheet": {"totals": _totals((4, 5), (0, 1)), "winners": [1]}},
    ),
    Case(
        name="W46 a revoke is claimed too late once the next deal has begun",
        call="validate",
        request={"state": _state(_next_deal(_revoked())), "seat": 1, "move": "claim 2 1"},
        answer={"legal": False, "violation": {"code": "CLAIM_TOO_LATE", "clause": "whist/W-17"}},
    ),
    Case(
        name="W46 in time, it is right",
        call="validate",
        request={"state": _state(_revoked()), "seat": 1, "move": "claim 2 1"},
        answer={"legal": True},
    ),
    Case(
        name="W47 a rubber won 2-0 earns two points more",
        call="score",
        request=_facts({"score": {"games": [{"winner": 0, "points": [5, 2]}, {"winner": 0, "points": [6, 3]}]}}),
        answer={
            "sheet": {
                "scope": "match",
                "winners": [0],
                "totals": among(
                    {"account": "game1", "side": 0, "points": 5},
                    {"account": "game1", "side": 1, "points": 2},
                    {"account": "game2", "side": 0, "points": 6},
                    {"account": "game2", "side": 1, "points": 3},
                    {"account": "rubber", "side": 0, "points": 2},
                    {"account": "rubber", "side": 1, "points": 0},
                    {"account": "total", "side": 0, "points": 13},
                    {"account": "total", "side": 1, "points": 5},
                    {"account": "games", "side": 0, "points": 2},
                    {"account": "games", "side": 1, "points": 0},
                ),
            }
        },
    ),
    Case(
        name="W48 a rubber won 2-1 earns none",
        call="score",
        request=_facts(
            {
                "score": {
                    "games": [
                        {"winner": 0, "points": [5, 4]},
                        {"winner": 1, "points": [1, 5]},
                        {"winner": 0, "points": [7, 3]},
                    ]
                }
            }
        ),
        answer={
            "sheet": {
                "winners": [0],
                "totals": among(
                    *({"account": f"game{number}"} for number in (1, 1, 2, 2, 3, 3)),
                    {"account": "total", "side": 0, "points": 13},
                    {"account": "total", "side": 1, "points": 12},
                    {"account": "games", "side": 0, "points": 2},
                    {"account": "games", "side": 1, "points": 1},
                ),
            }
        },
    ),
    Case(
        name="W50 after 2-0 no third game counts; each game begins at nothing",
        call="score",
        request=_facts(
            {
                "score": {
                    "games": [
                        {"winner": 1, "points": [0, 9]},
                        {"winner": 1, "points": [4, 5]},
                        {"winner": 0, "points": [5, 0]},
                    ]
                }
            }
        ),
        answer={
            "sheet": {
                "winners": [1],
                "totals": among(
                    *({"account": f"game{number}"} for number in (1, 1, 2, 2)),
                    {"account": "rubber", "side": 0, "points": 0},
                    {"account": "rubber", "side": 1, "points": 2},
                    {"account": "total", "side": 0, "points": 4},
                    {"account": "total", "side": 1, "points": 16},
                    {"account": "games", "side": 0, "points": 0},
                    {"account": "games", "side": 1, "points": 2},
                ),
            }
        },
    ),
    Case(
        name="W51 dummy's partner plays dummy's hand, which all see before the lead",
        call="view",
        request={"state": _state(one_suit_each(dealer=1, dummy=True)), "viewer": 3},
        answer={
            "view": {
                "seating": [[0, 2], [1], [3]],
                "toAct": {"seat": 0, "hand": 2},
                "hands": [{"hidden": 13}, {"cards": ["AH"], "hidden": 12}, {"hidden": 0}, {"hidden": 0}],
            }
        },
    ),
    Case(
        name="W54 the deal passes clockwise",
        call="play",
        request={"state": _state(play_out(one_suit_each(dealer=2))), "move": {"type": "deal", "deck": list(PACK)}},
        answer={"state": {"dealer": 3, "deals": 2, "toAct": {"seat": 0}}},
    ),
    Case(
        name="W55 a revoke from the exposed hand is not penalised",
        call="validate",
        request={"state": _state(_revoked(dummy=True)), "seat": 1, "move": "claim 2 1"},
        answer={"legal": False, "violation": {"code": "DUMMY_NOT_LIABLE"}},
    ),
]
