"""Whist's options: the variants the rules name, one field each, the standard game by default."""

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from ...violations import Malformed


def _meaning(text: str) -> Meta:
    return Meta(description=text)


class WhistOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A match's resolved options."""

    target: Annotated[Literal[5, 9], _meaning("Points that win a game: 5 (Short) or 9 (Long). WA25")] = 5
    match: Annotated[
        Literal["rubber", "game", "deal"],
        _meaning("How long a match lasts: the first side to two games, one game, or one deal. WA31"),
    ] = "rubber"
    trump: Annotated[Literal["turned", "none"], _meaning("Trumps are the turned card's suit, or there are none.")] = (
        "turned"
    )
    turn_up: Annotated[bool, _meaning("Whether the last card is turned up; false only with trump none. WA24")] = True
    honours: Annotated[
        Literal["traditional", "none"],
        _meaning("Ace, king, queen, jack of trumps score: four 4 points, three 2. American whist: none. WA25"),
    ] = "traditional"
    honours_must_split: Annotated[bool, _meaning("Four honours in one hand score nothing. WA15, WA32")] = False
    honours_bar_one_short: Annotated[
        bool, _meaning("A side one short of the target before the hand scores no honours. WA19, WA36")
    ] = False
    honours_toward_game: Annotated[
        bool, _meaning("Honours count toward the game; false: only in the match's total. WA16")
    ] = True
    stop_at_target: Annotated[
        bool, _meaning("Once a step has won the game, later steps of that hand are not entered. WA18")
    ] = False
    slam_bonus: Annotated[
        int,
        Meta(ge=0, le=1_000_000, description="Extra points for all thirteen tricks, as agreed. WA14, WA35"),
    ] = 0
    rubber_bonus: Annotated[
        Literal["sweep", "winner"],
        _meaning("Who earns the rubber's two extra points: a winner by 2-0, or every winner. WA21"),
    ] = "sweep"
    revoke: Annotated[
        Literal["prevent", "record"],
        _meaning("A revoke is refused, or accepted and penalised when claimed after the hand. WA7"),
    ] = "prevent"
    revoke_penalty: Annotated[
        Literal["tricks", "points", "choice"],
        _meaning(
            "For each revoke: three tricks pass to the opponents; or three points pass, the offenders' never "
            "below zero; or the claimers choose three tricks, three points off, or three points on. WA8"
        ),
    ] = "tricks"
    revoke_both: Annotated[
        Literal["net", "noWin", "void"],
        _meaning(
            "Both sides revoked: penalties are netted; or neither may win the game on that hand; or the hand "
            "is void. WA11"
        ),
    ] = "net"
    revoker_cannot_win: Annotated[
        bool, _meaning("A side that revoked stops one short of the target on that hand. WA12, WA33")
    ] = False
    draw_for_partners: Annotated[
        bool, _meaning("The places first draw cards for partners, seats and the deal. W-2")
    ] = False
    draw_ace: Annotated[Literal["high", "low"], _meaning("The ace's rank in the draw for partners. WA1")] = "high"
    draw_tie: Annotated[
        Literal["redraw", "suit"],
        _meaning(
            "Equal draws: those whose order matters draw again, or suits decide: hearts, diamonds, clubs, spades. WA2"
        ),
    ] = "redraw"
    trump_card_public: Annotated[
        Literal["untilDealerPlays", "always"],
        _meaning("Until when views show the turned card: the dealer's first play, or the deal's end. WA5"),
    ] = "untilDealerPlays"
    dummy: Annotated[
        bool, _meaning("Dummy whist: three places, one of which also plays the exposed fourth hand. WA26")
    ] = False
    dummy_exposed: Annotated[
        Literal["beforeLead", "afterLead"],
        _meaning("When dummy's hand is laid open: before the first lead or after it. WA26"),
    ] = "beforeLead"
    dummy_partner: Annotated[int, Meta(ge=0, le=2, description="The place that plays dummy's hand. WA26")] = 0


DEFAULTS: Final = WhistOptions()
PRESETS: Final[dict[str, dict[str, object]]] = {
    "short": {},
    "long": {"target": 9},
    "american": {"honours": "none"},
    "noTrump": {"trump": "none"},
    "dummy": {"dummy": True},
}

_NEEDS: Final[dict[str, tuple[str, Callable[[WhistOptions], bool]]]] = {
    "turn_up": ("trump none", lambda o: o.trump == "none"),
    "honours_must_split": ("honours", lambda o: o.honours != "none" and o.trump != "none"),
    "honours_bar_one_short": ("honours", lambda o: o.honours != "none" and o.trump != "none"),
    "honours_toward_game": ("honours", lambda o: o.honours != "none" and o.trump != "none"),
    "rubber_bonus": ("match rubber", lambda o: o.match == "rubber"),
    "revoke_penalty": ("revoke record", lambda o: o.revoke == "record"),
    "revoke_both": ("revoke record", lambda o: o.revoke == "record"),
    "revoker_cannot_win": ("revoke record", lambda o: o.revoke == "record"),
    "draw_for_partners": ("four places, so no dummy", lambda o: not o.dummy),
    "draw_ace": ("drawForPartners", lambda o: o.draw_for_partners),
    "draw_tie": ("drawForPartners", lambda o: o.draw_for_partners),
    "trump_card_public": ("a turned card", lambda o: o.turn_up),
    "dummy_exposed": ("dummy", lambda o: o.dummy),
    "dummy_partner": ("dummy", lambda o: o.dummy),
}


@lru_cache(maxsize=1_024)
def check_options(options: WhistOptions) -> None:
    """Malformed where an option is set away from its default without the one it presupposes."""
    for name, (needed, holds) in _NEEDS.items():
        if getattr(options, name) != getattr(DEFAULTS, name) and not holds(options):
            raise Malformed(f"$.options.{_wire_names[name]}", f"presupposes {needed}")


_wire_names: Final = dict(zip(WhistOptions.__struct_fields__, WhistOptions.__struct_encode_fields__, strict=True))
