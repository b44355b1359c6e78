"""What a deal of whist scores, and what games and rubber add up to (clauses W-15 to W-20)."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from ...sheet import Item, Sheet, Total, totals_of
from ...violations import Malformed
from .options import WhistOptions
from .state import PACK_TRICKS, SIDES, Pair, Settlement, WhistFacts, WhistGameScore, WhistRevokeFact, WhistScore

BOOK: Final = 6
REVOKE_TRICKS: Final = 3
REVOKE_POINTS: Final = 3
RUBBER_BONUS: Final = 2
RUBBER_GAMES: Final = 2
HONOUR_POINTS: Final = {3: 2, 4: 4}
MOST_HONOUR_POINTS: Final = 4
ALL_HONOURS: Final = 4


def tricks_after_penalty(options: WhistOptions, facts: WhistFacts) -> Pair:
    """The tricks each side counts once those lost by revokes have passed over (WA8 to WA11, WA39)."""
    assert facts.tricks is not None
    to_first = REVOKE_TRICKS * sum(
        (1 if revoke.side == 1 else -1) for revoke in facts.revokes if _penalty(options, revoke) == "tricks"
    )
    first, second = facts.tricks
    moved = min(to_first, second) if to_first > 0 else max(to_first, -first)
    return first + moved, second - moved


def settle(options: WhistOptions, facts: WhistFacts) -> Settlement:
    """Settles a deal: revokes, then tricks with the slam bonus, then honours (WA17).

    The first side at the target has won the game.
    """
    before = facts.score
    revoked = {revoke.side for revoke in facts.revokes}
    if options.revoke_both == "void" and len(revoked) == len(SIDES):
        return Settlement((), before.points, before.honours, before, None, void=True)

    points = list(before.points)
    honours = list(before.honours)
    items: list[Item] = []
    winner: int | None = None
    for step in (_revoke_step, _trick_step, _honour_step):
        if winner is not None and options.stop_at_target:
            break
        for item in step(options, facts, revoked):
            if item.account == "honours":
                honours[item.side] += item.points
                items.append(item)
                continue
            gained = _entered(options, points[item.side], item, revoked)
            points[item.side] += gained
            if gained:
                items.append(item if gained == item.points else replace(item, points=gained))
        if winner is None:
            winner = _first_at_target(options, points, facts.revokes)

    ended: Pair = (points[0], points[1])
    kept_apart: Pair = (honours[0], honours[1])
    if winner is None:
        after = WhistScore(games=before.games, points=ended, honours=kept_apart)
    else:
        game = WhistGameScore(winner=winner, points=ended, honours=kept_apart)
        after = WhistScore(games=(*before.games, game))
    return Settlement(tuple(items), ended, kept_apart, after, winner)


def _penalty(options: WhistOptions, revoke: WhistRevokeFact) -> str:
    return revoke.penalty or "" if options.revoke_penalty == "choice" else options.revoke_penalty


def _revoke_step(options: WhistOptions, facts: WhistFacts, revoked: set[int]) -> list[Item]:
    if not revoked:
        return []
    change = [0, 0]
    for revoke in facts.revokes:
        penalty = _penalty(options, revoke)
        if penalty in ("points", "deduct"):
            change[revoke.side] -= REVOKE_POINTS
        if penalty in ("points", "add"):
            change[1 - revoke.side] += REVOKE_POINTS
    return [Item("revokePenalty", side, "game", change[side]) for side in SIDES if change[side]]


def _trick_step(options: WhistOptions, facts: WhistFacts, revoked: set[int]) -> list[Item]:
    assert facts.tricks is not None
    counted = tricks_after_penalty(options, facts) if revoked else facts.tricks
    odd = [Item("oddTricks", side, "game", counted[side] - BOOK) for side in SIDES if counted[side] > BOOK]
    if not options.slam_bonus:
        return odd
    slams = [side for side in SIDES if facts.tricks[side] == PACK_TRICKS and side not in revoked]
    return odd + [Item("slamBonus", side, "game", options.slam_bonus) for side in slams]


def _honour_step(options: WhistOptions, facts: WhistFacts, _revoked: set[int]) -> list[Item]:
    if options.honours == "none" or options.trump == "none":
        return []
    items = []
    for side in SIDES:
        held = facts.honours[side], facts.honours[side + 2]
        points = HONOUR_POINTS.get(held[0] + held[1])
        if points is None:
            continue
        barred = options.honours_bar_one_short and facts.score.points[side] == options.target - 1
        unsplit = options.honours_must_split and ALL_HONOURS in held
        if not barred and not unsplit:
            account = "game" if options.honours_toward_game else "honours"
            items.append(Item("honours", side, account, points))
    return items


def _entered(options: WhistOptions, points: int, item: Item, revoked: set[int]) -> int:
    """What of an item is entered: never below zero, and short of the target for a side that may not win (WA33)."""
    if not revoked:
        return item.points
    barred = (options.revoke_both == "noWin" and len(revoked) == len(SIDES)) or (
        options.revoker_cannot_win and item.side in revoked
    )
    after = max(0, points + item.points)
    return (min(after, options.target - 1) if barred else after) - points


def _first_at_target(options: WhistOptions, points: Sequence[int], revokes: Sequence[WhistRevokeFact]) -> int | None:
    first, second = points
    if first < options.target and second < options.target:
        return None
    if first == second:
        return 1 - revokes[0].side
    return 0 if first > second else 1


def games_won(score: WhistScore) -> Pair:
    """The finished games each side has won."""
    won = [game.winner for game in score.games]
    return won.count(0), won.count(1)


def match_is_over(options: WhistOptions, score: WhistScore, *, counted: bool) -> bool:
    """Whether the match is decided (WA31, W-19); `counted`: a deal has been settled, and was not void."""
    if options.match == "deal":
        return counted
    if options.match == "game":
        return bool(score.games)
    return len(score.games) >= RUBBER_GAMES and RUBBER_GAMES in games_won(score)


def deal_sheet(settled: Settlement, *, final: bool = True) -> Sheet:
    """The sheet of one deal: what it scored, and where the running game and the games stand after it.

    While it is not `final`, since a revoke may still be claimed, nobody is named its winner.
    """
    totals = _running_totals(settled.points, settled.honours, games_won(settled.after))
    winners = (settled.winner,) if settled.winner is not None and final else ()
    return Sheet("deal", settled.items, totals, winners)


def running_sheet(score: WhistScore) -> Sheet:
    """The sheet of a deal not yet played out: nothing scored, and where the running game and the games stand."""
    return Sheet("deal", (), _running_totals(score.points, score.honours, games_won(score)), ())


def _running_totals(points: Pair, honours: Pair, won: Pair) -> tuple[Total, ...]:
    rows = [("game", points, "points"), ("honours", honours, "points"), ("games", won, "games")]
    return tuple(
        Total(side, account, values[side], unit)
        for account, values, unit in rows
        if account != "honours" or any(values)
        for side in SIDES
    )


def match_sheet(options: WhistOptions, score: WhistScore, *, counted: bool = True) -> Sheet:
    """The sheet of the whole match: each game's points, honours kept apart, the rubber's bonus, and the totals.

    Winners are named once the match is over; `counted` as for `match_is_over`.
    """
    items: list[Item] = []
    running = WhistGameScore(winner=0, points=score.points, honours=score.honours)
    for number, game in enumerate((*score.games, running), 1):
        items += [Item("gamePoints", side, f"game{number}", game.points[side]) for side in SIDES if game.points[side]]
        items += [Item("honours", side, "honours", game.honours[side]) for side in SIDES if game.honours[side]]
    won = games_won(score)
    winners = _match_winners(options, score) if match_is_over(options, score, counted=counted) else ()
    if options.match == "rubber" and winners and (options.rubber_bonus == "winner" or 0 in won):
        items.append(Item("rubberBonus", winners[0], "rubber", RUBBER_BONUS))
    grand = [sum(item.points for item in items if item.side == side) for side in SIDES]
    totals = [
        *totals_of(items, SIDES, "points"),
        *(Total(side, "total", grand[side], "points") for side in SIDES),
        *(Total(side, "games", won[side], "games") for side in SIDES),
    ]
    return Sheet("match", tuple(items), tuple(totals), winners)


def _match_winners(options: WhistOptions, score: WhistScore) -> tuple[int, ...]:
    if options.match == "deal":
        grand = [_grand_total(score, side) for side in SIDES]
        return tuple(side for side in SIDES if grand[side] == max(grand))
    if options.match == "game":
        return (score.games[0].winner,) if score.games else ()
    won = games_won(score)
    return (won.index(RUBBER_GAMES),) if RUBBER_GAMES in won else ()


def _grand_total(score: WhistScore, side: int) -> int:
    games = sum(game.points[side] + game.honours[side] for game in score.games)
    return games + score.points[side] + score.honours[side]


def fault_in_score(options: WhistOptions, score: WhistScore, deals: int | None = None) -> str | None:
    """The path, below ``score``, of what cannot have been scored; `deals` are those settled, where that is known."""
    honours_count = options.honours == "traditional" and options.trump == "turned"
    honours_are_apart = honours_count and not options.honours_toward_game
    late = MOST_HONOUR_POINTS if honours_count and not (options.stop_at_target or honours_are_apart) else 0
    for index, game in enumerate(score.games):
        loser = game.points[1 - game.winner]
        too_many = options.revoke == "prevent" and loser >= options.target + late
        if game.points[game.winner] < options.target or too_many:
            return f".games[{index}].points"
        if not _honours_can_be(game.honours, apart=honours_are_apart):
            return f".games[{index}].honours"
    first, second = score.points
    if first >= options.target or second >= options.target:
        return ".points"
    if not _honours_can_be(score.honours, apart=honours_are_apart):
        return ".honours"
    if options.match == "deal" and score != WhistScore():
        return ".points"
    return None if deals is None else _fault_in_sums(options, score, deals)


def _honours_can_be(honours: Pair, *, apart: bool) -> bool:
    """Whether these points can be of honours: even, and none unless they are kept apart."""
    first, second = honours
    return not (first or second) or (apart and not first % 2 and not second % 2)


def _fault_in_sums(options: WhistOptions, score: WhistScore, deals: int) -> str | None:
    """What cannot have been scored in so many deals: each gives at least a point where none can be lost or voided."""
    if len(score.games) > deals:
        return ".games"
    points = score.points[0] + score.points[1]
    for game in score.games:
        points += game.points[0] + game.points[1]
    most = (PACK_TRICKS - BOOK) + options.slam_bonus + MOST_HONOUR_POINTS
    if options.revoke == "record":
        return None if points <= deals * (most + 2 * REVOKE_POINTS * PACK_TRICKS) else ".points"
    return None if deals <= points <= deals * most else ".points"


def sheet_of_facts(options: WhistOptions, facts: WhistFacts) -> Sheet:
    """The sheet of bare facts: of the deal where tricks are told, else of the games in the score.

    Games told beyond the one that decides the rubber are not played, and not counted (W-19).
    """
    score = _as_played(options, facts.score)
    fault = fault_in_score(options, score)
    if fault is not None:
        raise Malformed(f"$.facts.score{fault}", f"cannot be with a target of {options.target}")
    if facts.tricks is None:
        if facts.revokes or any(facts.honours):
            raise Malformed("$.facts.tricks", "honours and revokes are of a deal, whose tricks are missing")
        return match_sheet(options, score, counted=False)
    if sum(facts.tricks) != PACK_TRICKS:
        raise Malformed("$.facts.tricks", f"the sides' tricks add up to {sum(facts.tricks)}, not {PACK_TRICKS}")
    if sum(facts.honours) > ALL_HONOURS:
        raise Malformed("$.facts.honours", "there are only four honours")
    if any(facts.honours) and options.trump == "none":
        raise Malformed("$.facts.honours", "without trumps there are no honours")
    if facts.revokes and options.revoke == "prevent":
        raise Malformed("$.facts.revokes", "presupposes revoke record")
    for index, revoke in enumerate(facts.revokes):
        if (revoke.penalty is None) == (options.revoke_penalty == "choice"):
            raise Malformed(f"$.facts.revokes[{index}].penalty", "is told under revokePenalty choice, and only then")
    if match_is_over(options, score, counted=False):
        raise Malformed("$.facts.score.games", "the match is over: no deal follows")
    return deal_sheet(settle(options, replace(facts, score=score)))


def _as_played(options: WhistOptions, score: WhistScore) -> WhistScore:
    for count in range(len(score.games)):
        so_far = WhistScore(games=score.games[: count + 1])
        if match_is_over(options, so_far, counted=False):
            return so_far
    return score
