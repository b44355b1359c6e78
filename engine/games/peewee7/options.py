"""PeeWee 7's options: what the rules leave open, one field each, the usual reading by default."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from ...violations import Malformed


def _meaning(text: str) -> Meta:
    return Meta(description=text)


class PeeweeOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A match's resolved options."""

    team_draw: Annotated[bool, _meaning("Cards laid open before the first deal make the teams. P-3")] = False
    team_draw_check: Annotated[
        Literal["card", "round"],
        _meaning("When two black and two red cards are looked for: after each card, or each full round. PA1"),
    ] = "card"
    opening_passes: Annotated[
        Literal[4, 3], _meaning("How many passes before any bid throw the deal in: four, or three. PA6")
    ] = 4
    pass_is_final: Annotated[bool, _meaning("A seat that has passed makes no further call and is skipped. PA7")] = False
    dare_requires: Annotated[
        Literal["opponentBid", "ownSuitBid"],
        _meaning("What a dare takes: a bid of the opponents, or also one of the own side in that suit. PA10"),
    ] = "opponentBid"
    overbid_after_dare: Annotated[
        Literal["otherSuit", "any"],
        _meaning("Which bids a standing dare leaves open: those in another suit, or any. PA13"),
    ] = "otherSuit"
    master_rule: Annotated[
        Literal["firstOfTeam", "lastBidder"],
        _meaning("The Master is who first bid the contract's suit for its side, or who bid it last. PA17"),
    ] = "firstOfTeam"
    peewee_lead_chosen_by: Annotated[
        Literal["peewee", "master"],
        _meaning(
            "A Peewee left of the dealer leads from the closed hand; or lays all thirteen cards open, "
            "and the Master chooses the lead. PA18"
        ),
    ] = "peewee"
    halves_count: Annotated[
        bool, _meaning("Two strokes make a cross; false: strokes are written down but never win. PA25")
    ] = True
    win_scope: Annotated[
        Literal["row", "total"], _meaning("Seven crosses are wanted in one row, or in all rows together. PA26")
    ] = "row"
    next_dealer: Annotated[Literal["clockwise", "same"], _meaning("Who deals after a deal that was played. PA29")] = (
        "clockwise"
    )


DEFAULTS: Final = PeeweeOptions()
PRESETS: Final[dict[str, dict[str, object]]] = {"standard": {}}


def check_options(options: PeeweeOptions) -> None:
    """Malformed where an option is set away from its default without the one it presupposes."""
    if options.team_draw_check != DEFAULTS.team_draw_check and not options.team_draw:
        raise Malformed("$.options.teamDrawCheck", "presupposes teamDraw")
