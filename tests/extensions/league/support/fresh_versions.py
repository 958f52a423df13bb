"""Whether a bot gains by being entered anew, in leagues whose strengths are known.

In each league two bots are equal. One plays all the time; the other is entered anew
after 30 batches. Some batches later each has a chance of one of the eight seats of a
final, and of the first line of the table. Draw, fit and order are the league's own;
beside that order stands the one by Elo alone. Then an author enters a bot anew again
and again; its versions stay in the table.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from simulated_leagues import ANCHORS, League, Season, Shares

from khiva_arena.rating.report.placing import Batches, in_order, least_of

BOTS, SEATS, OLD_BATCHES, FEWEST = 36, 3, 30, 5
OF_A_FINAL = 8
TWIN, ANEW = ANCHORS, ANCHORS + 1
BY_ELO = Batches({}, 0)
"""No bot is below the line."""


class Rated(NamedTuple):
    """A bot of a simulated league, as the order takes it."""

    bot: str
    elo: float | None
    least: float | None


@dataclass
class Chances:
    """The chance of a seat in a final and of the first line, in percent: a value a
    league.
    """

    seat: Shares = field(default_factory=Shares)
    first: Shares = field(default_factory=Shares)

    def add(self, order: Sequence[str], bot: str) -> None:
        self.seat.values.append(100.0 * (bot in order[:OF_A_FINAL]))
        self.first.values.append(100.0 * (order[:1] == [bot]))


@dataclass
class Compared:
    """The chances of a bot that was entered anew and of its equal, by the order of the
    league and by Elo alone.
    """

    anew: Chances = field(default_factory=Chances)
    old: Chances = field(default_factory=Chances)
    anew_by_elo: Chances = field(default_factory=Chances)
    old_by_elo: Chances = field(default_factory=Chances)


def orders(league: League) -> tuple[list[str], list[str]]:
    """The bots in the order of the league, as far as they have a place, and all bots by
    Elo alone. Anchors are left out.
    """
    ratings = league.ratings()
    bots = [bot for bot in range(ANCHORS, len(league.elo)) if ratings.seeds[bot]]
    sat = Batches(
        {str(bot): ratings.seeds[bot] for bot in bots}, FEWEST, {str(bot) for bot in league.left}
    )  # a deal a batch
    least = {
        bot: least_of(ratings.elo[bot], ratings.pool_error[bot], ratings.interval(bot).low)
        for bot in bots
    }
    rows = [Rated(str(bot), ratings.elo[bot], least[bot]) for bot in bots]
    placed = [row.bot for row, place in in_order(rows, sat) if place]
    return placed, [
        row.bot for row, _ in in_order([row._replace(least=row.elo) for row in rows], BY_ELO)
    ]


def enter_anew(league: League, bot: int) -> int:
    """Retire a bot and enter its equal as the next version. Return its number."""
    league.left[bot] = len(league.played)
    league._enter(league.elo[bot], family=league.bots[bot].family)
    return len(league.elo) - 1


def league_of(spread: float, above: float, seed: Sequence[int]) -> League:
    """A league before its first batch. ``above``: the Elo of the two equal bots above
    the mean.
    """
    league = League(Season(BOTS, SEATS, 0, spread, 0, 0, 0, ()), np.random.default_rng(seed))
    league.elo[TWIN] = league.elo[ANEW] = above
    return league


def compare(
    spread: float, above: float, leagues: int, after: Sequence[int], seed: int = 1, bots: int = BOTS
) -> dict[int, Compared]:
    """Simulate leagues with a spread of strengths, and look after so many batches of
    the bot that was entered anew.
    """
    chances = {batches: Compared() for batches in after}
    for number in range(leagues):
        league = league_of(spread, above, [seed, number])
        for _ in range(OLD_BATCHES):
            league.play_batch()
        anew = enter_anew(league, ANEW)
        for batch in range(1, max(after) + 1):
            league.play_batch()
            if batch in after:
                active = {str(bot) for bot in league.active}
                placed, by_elo = (
                    [bot for bot in order if bot in active] for order in orders(league)
                )
                of = chances[batch]
                for chance, order, bot in (
                    *((of.anew, placed, anew), (of.old, placed, TWIN)),
                    *((of.anew_by_elo, by_elo, anew), (of.old_by_elo, by_elo, TWIN)),
                ):
                    chance.add(order, str(bot))
    return chances


def again_and_again(
    every: int, leagues: int, batches: int = 50, seed: int = 2
) -> tuple[Shares, Shares]:
    """The chance that the first line of a league of equals is one author's, who enters
    a new version every so many batches, in percent: in the order of the league, and by
    Elo alone.
    """
    first, by_elo = Shares(), Shares()
    for number in range(leagues):
        league = league_of(0.0, 0.0, [seed, number])
        own = [ANEW]
        for batch in range(1, batches + 1):
            league.play_batch()
            if batch % every == 0 and batch < batches:
                own.append(enter_anew(league, own[-1]))
        for shares, order in zip((first, by_elo), orders(league), strict=True):
            shares.values.append(100.0 * (order[:1] and int(order[0]) in own))
    return first, by_elo


def lines(leagues: int) -> Iterator[str]:
    """The figures of docs/how-ratings-work.md, in percent, each with its standard
    error.
    """
    for spread, above in ((0.0, 0.0), (100.0, 0.0), (100.0, -100.0), (243.0, 0.0)):
        yield (
            f"{leagues} leagues of {BOTS} bots, {spread:.0f} Elo apart (one standard "
            f"deviation), two of them {above:+.0f} Elo:"
        )
        for batches, of in compare(spread, above, leagues, (1, 2, 5, 10, 20)).items():
            for what in ("seat", "first"):
                four = [
                    getattr(one, what) for one in (of.anew, of.old, of.anew_by_elo, of.old_by_elo)
                ]
                row = "{:4} {:6} anew {!s:>14} old {!s:>14}   by Elo anew {!s:>14} old {!s:>14}"
                yield row.format(batches, what, *four)
    for every in (1, 5, 15):
        first, by_elo = again_and_again(every, leagues)
        yield (
            f"first line of an author with a new version each {every} of 50 batches: {first}; "
            f"by Elo {by_elo}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leagues", type=int, default=400, help="how many, 400 unless you say so")
    print("\n".join(lines(parser.parse_args().leagues)))
