"""What hidden hands can hold, against every way of dealing a small pack."""

import random
from collections.abc import Iterator, Sequence
from itertools import combinations

from engine.cards import PACK, Card, Suit, card_set, iter_cards
from engine.mechanics.deduction import Unseen, can_be_dealt, possible_cards


def every_deal(
    unknown: Sequence[Card], holes: Sequence[int], allowed: Sequence[int]
) -> Iterator[list[tuple[Card, ...]]]:
    if not holes:
        if not unknown:
            yield []
        return
    mine = [card for card in unknown if card.bit & allowed[0]]
    for hand in combinations(mine, holes[0]):
        rest = [card for card in unknown if card not in hand]
        for others in every_deal(rest, holes[1:], allowed[1:]):
            yield [hand, *others]


def test_deduction_agrees_with_every_deal_of_a_small_pack() -> None:
    rng = random.Random(5)
    both = {True: 0, False: 0}
    for _ in range(600):
        unknown = rng.sample(PACK, rng.randint(1, 7))
        hands = rng.randint(1, 3)
        cuts = sorted(rng.choices(range(len(unknown) + 1), k=hands - 1))
        holes = [b - a for a, b in zip([0, *cuts], [*cuts, len(unknown)], strict=True)]
        suits = [rng.sample("SHDC", rng.randint(1, 4)) for _ in holes]
        allowed = [card_set(card for card in unknown if card.suit in of) for of in suits]
        deals = list(every_deal(unknown, holes, allowed))
        mask = card_set(unknown)
        assert can_be_dealt(mask, holes, allowed) == bool(deals)
        both[bool(deals)] += 1
        for hand in range(hands):
            held = {card for deal in deals for card in deal[hand]}
            assert set(iter_cards(possible_cards(mask, holes, allowed, hand))) == held
    assert min(both.values()) > 50


def test_what_a_hidden_hand_may_play_is_what_it_plays_in_some_deal() -> None:
    """Of some hands cards are known: a card may be played where there is a deal in which that follows suit."""
    rng = random.Random(6)
    forced = 0
    for _ in range(600):
        unknown = rng.sample(PACK, rng.randint(1, 6))
        rest = [card for card in PACK if card not in unknown]
        cuts = sorted(rng.choices(range(len(unknown) + 1), k=2))
        holes = tuple(b - a for a, b in zip([0, *cuts], [*cuts, len(unknown)], strict=True))
        suits = [rng.sample(list(Suit), rng.randint(0, 2)) for _ in holes]
        voids = tuple(sum(suit.mask for suit in of) for of in suits)
        certain = tuple(card_set(rng.sample(rest, rng.randint(0, 2))) & ~void for void in voids)
        allowed = tuple(card_set(unknown) & ~void for void in voids)
        seen = Unseen(certain, card_set(unknown), holes, allowed, voids)
        deals = list(every_deal(unknown, holes, allowed))
        assert seen.can_be() == bool(deals)
        if not deals:
            continue
        led = rng.choice([None, *Suit])
        for hand in range(3):
            whole = [card_set(deal[hand]) | certain[hand] for deal in deals]
            right = [held & led.mask if led and held & led.mask else held for held in whole]
            assert seen.may_hold(hand) == card_set(card for held in whole for card in iter_cards(held))
            assert seen.may_play(hand, led) == card_set(card for cards in right for card in iter_cards(cards))
            forced += seen.may_play(hand, led) != seen.may_hold(hand)
    assert forced > 50
