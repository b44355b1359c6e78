"""Wippen's options: the additional rules, each a switch, and the readings the rules leave open."""

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from ...violations import Malformed

PictureRank = Literal["K", "Q", "J"]


def _meaning(text: str) -> Meta:
    return Meta(description=text)


class WippenOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A match's resolved options."""

    packs: Annotated[Literal[1, 2], _meaning("How many packs of 52 cards are played with. WI-1")] = 1
    adding: Annotated[
        bool, _meaning("A numeral captures open numerals that add up to it, not just an equal card. WI-14, WI-15")
    ] = True
    building: Annotated[
        bool, _meaning("A card can be laid together with open ones into a build; needs adding. WI-14, WI-17, WIA38")
    ] = True
    raising: Annotated[
        bool, _meaning("A card can be added to a build to raise its value; needs building. WI-14, WI-21, WIA38")
    ] = True
    double_building: Annotated[
        bool, _meaning("A build can have two groups of its value; needs building. WI-14, WI-22, WIA38")
    ] = True
    points: Annotated[
        bool,
        _meaning("Most cards, most spades and some cards score, up to a target; else most cards win. WI-14, WI-25"),
    ] = True
    wips: Annotated[
        bool, _meaning("A capture that leaves nothing in the pot scores a point; needs points. WI-14, WI-26, WIA38")
    ] = True
    forced_capture: Annotated[
        Literal["hand", "card", "off"],
        _meaning("When a card may not be laid: while any card of the hand can capture; while it can; never. WIA2"),
    ] = "hand"
    forced_scope: Annotated[
        Literal["any", "rank"],
        _meaning("What forces a capture: whatever can be captured, or only an open card of equal rank. WIA3"),
    ] = "any"
    multi_capture: Annotated[
        Literal["any", "single"],
        _meaning("How many groups one capture may take: any number, or one; needs adding. WIA5, WIA6"),
    ] = "any"
    capture_choice: Annotated[
        Literal["free", "maximal"],
        _meaning("A capture may leave what it could take too; or no other capture with the card may contain it. WIA7"),
    ] = "free"
    picture_capture: Annotated[
        Literal["one", "oneOrThree", "any", "all"],
        _meaning(
            "How many open pictures of its rank a picture takes: one; one, or three at once; one or more; all. WIA8"
        ),
    ] = "one"
    picture_values: Annotated[
        bool,
        _meaning(
            "J Q K count 11 12 13 in captures, sums and builds, which then go up to 13; pictureCapture is ignored. WIA9"
        ),
    ] = False
    build_in_sum: Annotated[
        Literal["none", "double", "all"],
        _meaning("Which builds a capture can add up with other cards: none, double ones, all. WI-23, WIA11"),
    ] = "none"
    build_obligation: Annotated[
        Literal["resolve", "noTrail", "capture", "none"],
        _meaning(
            "What a build's owner owes on his turn: to capture, extend or raise it; not to lay a card; to capture it; "
            "nothing. In all but the last he keeps a card of its value. WI-20, WIA13"
        ),
    ] = "resolve"
    raise_own: Annotated[bool, _meaning("One's own build can be raised. WIA17")] = True
    extend_foreign: Annotated[bool, _meaning("Another's build can be doubled. WIA24")] = True
    raise_with_open: Annotated[
        bool,
        _meaning(
            "A raise can use open cards: to reach the new value, and, where double building is on, to add a group of "
            "it. WIA19, WIA20"
        ),
    ] = False
    max_groups: Annotated[
        Literal[2, 0], _meaning("How many groups a build can have: two, or any number (0). WIA25")
    ] = 2
    removed_ranks: Annotated[
        tuple[PictureRank, ...],
        Meta(
            min_length=3,
            max_length=3,
            description="In what order picture ranks are removed, a set of four at a time, to even out the deal. WIA28",
        ),
    ] = ("K", "Q", "J")
    tie: Annotated[
        Literal["split", "none", "all", "carry"],
        _meaning(
            "Most cards, or most spades, shared: a point each of two and nothing of more; nothing; both points to "
            "each; or they are added to the next round's. WIA30"
        ),
    ] = "split"
    sweep_last_deal: Annotated[bool, _meaning("Wips score in a round's last deal too. WIA33")] = False
    target: Annotated[
        int, Meta(ge=1, le=1_000_000, description="The points a match is played to; needs points. WI-25, WIA37")
    ] = 52
    open_hands: Annotated[bool, _meaning("All hands lie open, for teaching. WI-2")] = False


DEFAULTS: Final = WippenOptions()
_ALL_OFF: Final[dict[str, object]] = {
    "adding": False,
    "building": False,
    "raising": False,
    "double_building": False,
    "points": False,
    "wips": False,
}
PRESETS: Final[dict[str, dict[str, object]]] = {
    "full": {},
    "family": {**_ALL_OFF, "adding": True, "points": True},
    "basic": _ALL_OFF,
}

_EXTRAS: Final[dict[str, str]] = {
    "building": "adding",
    "raising": "building",
    "double_building": "building",
    "wips": "points",
}
"""The additional rules that presuppose another."""


def implied(named: dict[str, Any]) -> dict[str, Any]:
    """What switching extras off says of others: those that need them are off too, unless they are named (WIA38).

    >>> implied({"adding": False})
    {'building': False, 'raising': False, 'double_building': False}
    """
    off = {name for name, value in named.items() if value is False}
    follows: dict[str, Any] = {}
    for name, needed in _EXTRAS.items():
        if needed in off and name not in named:
            off.add(name)
            follows[name] = False
    return follows


_NEEDS: Final[dict[str, tuple[str, Callable[[WippenOptions], bool]]]] = {
    "forced_scope": ("forcedCapture and adding", lambda o: o.forced_capture != "off" and o.adding),
    "multi_capture": ("adding", lambda o: o.adding),
    "capture_choice": ("adding, or pictureCapture", lambda o: o.adding or o.picture_capture != "one"),
    "picture_values": ("adding", lambda o: o.adding),
    "build_obligation": ("building", lambda o: o.building),
    "raise_own": ("raising", lambda o: o.raising),
    "raise_with_open": ("raising", lambda o: o.raising),
    "extend_foreign": ("doubleBuilding", lambda o: o.double_building),
    "max_groups": ("doubleBuilding", lambda o: o.double_building),
    "tie": ("points", lambda o: o.points),
    "sweep_last_deal": ("wips", lambda o: o.wips),
    "target": ("points", lambda o: o.points),
}
"""The options that, set away from their default, presuppose others."""


def check_options(options: WippenOptions) -> None:
    """Malformed where an option is set without the one it presupposes."""
    for name, needed in _EXTRAS.items():
        if getattr(options, name) and not getattr(options, needed):
            raise Malformed(f"$.options.{_wire_names[name]}", f"presupposes {_wire_names[needed]}")
    for name, (needs, holds) in _NEEDS.items():
        if getattr(options, name) != getattr(DEFAULTS, name) and not holds(options):
            raise Malformed(f"$.options.{_wire_names[name]}", f"presupposes {needs}")
    if options.build_in_sum != "none" and not options.building:
        raise Malformed("$.options.buildInSum", "presupposes building")
    if options.build_in_sum == "double" and not options.double_building:
        raise Malformed("$.options.buildInSum", "of double builds presupposes doubleBuilding")
    if len(set(options.removed_ranks)) < len(options.removed_ranks):
        raise Malformed("$.options.removedRanks", "each of K, Q and J once, in some order")


_wire_names: Final = dict(zip(WippenOptions.__struct_fields__, WippenOptions.__struct_encode_fields__, strict=True))
