"""Flip 7's options: the variants the rules name, one field each, the standard game by default."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from ...violations import Malformed

TARGET: Final = 200


def _meaning(text: str) -> Meta:
    return Meta(description=text)


class Flip7Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A match's resolved options."""

    target: Annotated[
        int,
        Meta(ge=1, le=1_000_000_000, description="Points that end the match once a round is scored. FA32"),
    ] = TARGET
    deal_replace_action: Annotated[
        bool, _meaning("Whoever is dealt an action card gets another card once it is resolved. FA3")
    ] = False
    initial_deal_after_flip3: Annotated[
        Literal["deal", "offer"],
        _meaning(
            "The deal reaches a seat that had to flip three before its card: it is dealt the card all the same, or is "
            "asked to hit or stay instead. FA5"
        ),
    ] = "deal"
    second_chance_gift: Annotated[
        bool, _meaning("A first Second Chance may be given to another active seat too, instead of being kept. FA9")
    ] = False
    set_aside: Annotated[
        Literal["assignAllThenResolve", "oneByOne"],
        _meaning(
            "Freezes and Flip Threes set aside during a Flip Three: all are given first and then take effect in that "
            "order, or each takes effect before the next is given. FA15"
        ),
    ] = "assignAllThenResolve"
    reshuffle: Annotated[
        Literal["lazy", "eager"],
        _meaning("The discards are shuffled when a card is needed, or as soon as the deck's last card is drawn. FA20"),
    ] = "lazy"
    tie: Annotated[
        Literal["extraRound", "shared"],
        _meaning("Equal at the top with the target reached: all play another round, or they share the win. FA25"),
    ] = "extraRound"
    challenge: Annotated[
        Literal["off", "any", "each", "combined"],
        _meaning(
            "For one or two places: the target within four rounds, reached by any place, by each, or by all together. "
            "FA31"
        ),
    ] = "off"


DEFAULTS: Final = Flip7Options()
PRESETS: Final[dict[str, dict[str, object]]] = {
    "standard": {},
    "challenge": {"challenge": "any"},
}


def check_options(options: Flip7Options) -> None:
    """Malformed where an option is set away from its default without the one it presupposes."""
    if options.tie != DEFAULTS.tie and options.challenge != "off":
        raise Malformed("$.options.tie", "presupposes challenge off: a challenge is against the rounds")
