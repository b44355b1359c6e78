"""Le Wipe's options: the readings the rules leave open, one field each, the rulings' own by default."""

from collections.abc import Callable
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from ...violations import Malformed


def _meaning(text: str) -> Meta:
    return Meta(description=text)


class WipeOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A match's resolved options."""

    forced_capture: Annotated[
        Literal["off", "card", "hand"],
        _meaning("When a card may not be laid down: never; while it can capture; while any card held can. LA1"),
    ] = "off"
    picture_values: Annotated[
        bool, _meaning("J Q K count 11 12 13 and are added up like the rest; pictureCapture is then ignored. LA3")
    ] = False
    picture_capture: Annotated[
        Literal["one", "oneOrThree", "any", "all"],
        _meaning(
            "What a picture takes of its rank: one card or trick; one, or all three other cards at once; one or "
            "more; all there is. LA3"
        ),
    ] = "one"
    multi_capture: Annotated[
        Literal["any", "single"], _meaning("How many groups one capture may take: any number, or one. LA5")
    ] = "any"
    steal: Annotated[bool, _meaning("An opponent's last trick can be captured. L-5")] = True
    steal_alone: Annotated[
        bool, _meaning("It can be captured without anything from the layout; else something must come along. LA7")
    ] = True
    steal_limit: Annotated[
        Literal["onePerOpponent", "onePerMove"],
        _meaning("Tricks stolen in one capture: one from each opponent's heap, or one in all. LA9"),
    ] = "onePerOpponent"
    piles: Annotated[
        Literal["team", "player"],
        _meaning("Whose the heaps are in a game of teams: one for each team, or one for each player. LA10"),
    ] = "team"
    crossing: Annotated[
        Literal["auto", "declared"],
        _meaning(
            "Tricks are always laid crosswise; or a capture says where one is not, and until that seat's next turn "
            "its whole open heap can be captured. LA11"
        ),
    ] = "auto"
    building: Annotated[bool, _meaning("A card may be laid on an open card, to make a build. L-7")] = True
    raising: Annotated[bool, _meaning("A card may be laid on a build, to raise its value; needs building. LA12")] = True
    double_building: Annotated[
        bool, _meaning("A build may consist of two groups of its value, at once or by extending. LA12")
    ] = False
    build_layout_cards: Annotated[
        Literal["one", "any"],
        _meaning("How many open cards a card may be laid together with into a build. LA12"),
    ] = "one"
    build_in_sum: Annotated[
        Literal["all", "none"],
        _meaning("Builds are added up like a card of their value; or are taken by a card of that value only. LA12"),
    ] = "all"
    build_obligation: Annotated[
        Literal["none", "noTrail", "resolve", "capture"],
        _meaning(
            "What the owner of a build, its last contributor, owes: nothing; a card of its value stays held, and "
            "until it is gone no card is laid down; and on his next turn it is captured, raised or extended; or "
            "captured, and nothing else. LA13"
        ),
    ] = "none"
    close_timing: Annotated[
        Literal["ownTurn", "immediateOnly"],
        _meaning(
            "When a complete set lets its side close: on any of its turns, before or right after the play; or only "
            "right after the capture that completed it. LA15"
        ),
    ] = "ownTurn"
    missed_sweep: Annotated[
        Literal["forfeit", "penalty"],
        _meaning("A wipe not announced earns nothing, or costs two points. LA17"),
    ] = "forfeit"
    false_sweep: Annotated[
        Literal["void", "penalty", "reject"],
        _meaning("A wipe announced that is none earns nothing, or costs two points, or is refused. LA18"),
    ] = "void"
    sweep_last_deal: Annotated[bool, _meaning("Wipes count in a round's last deal too. LA20")] = True
    last_deal_announcement: Annotated[
        Literal["required", "auto"],
        _meaning("The dealer must announce the last deal before its first card is played; or it is done for him. LA21"),
    ] = "required"
    tie: Annotated[
        Literal["split", "none", "all", "carry"],
        _meaning(
            "Most cards, or most spades, shared: one point each of two and nothing for three; nothing; both points "
            "to each; or they are added to the next round's. LA24"
        ),
    ] = "split"
    rounds: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        _meaning("How many rounds a match has; by default as many as places. LA27"),
    ] = None


DEFAULTS: Final = WipeOptions()
PRESETS: Final[dict[str, dict[str, object]]] = {"standard": {}}

_NEEDS: Final[dict[str, tuple[str, Callable[[WipeOptions], bool]]]] = {
    "steal_alone": ("steal", lambda o: o.steal),
    "steal_limit": ("steal", lambda o: o.steal),
    "crossing": ("steal", lambda o: o.steal),
    "double_building": ("building", lambda o: o.building),
    "build_layout_cards": ("building", lambda o: o.building),
    "build_in_sum": ("building", lambda o: o.building),
    "build_obligation": ("building", lambda o: o.building),
}


def check_options(options: WipeOptions) -> None:
    """Malformed where an option is set away from its default without the one it presupposes."""
    for name, (needed, holds) in _NEEDS.items():
        if getattr(options, name) != getattr(DEFAULTS, name) and not holds(options):
            raise Malformed(f"$.options.{_wire_names[name]}", f"presupposes {needed}")


_wire_names: Final = dict(zip(WipeOptions.__struct_fields__, WipeOptions.__struct_encode_fields__, strict=True))
