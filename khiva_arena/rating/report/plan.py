"""The number of seeds that an error or a gap takes, as values of the published shape.

Numbers come from ``rating.ratings.planning``; matches are those of as many seeds as
have been played, at the same line-ups.
"""

from math import ceil
from typing import Any

from msgspec import Struct

from khiva_arena.rating.ratings import planning
from khiva_arena.rating.report import shapes, shared_deals
from khiva_arena.rating.report.standings import round_off
from khiva_arena.rating.report.values import Standings


class Seeds(Struct, frozen=True):
    """The number of seeds needed in all, those already played included; 1,000,000,000:
    more than can be played.

    seeds: the estimate.
    low, high: its 95 % interval.
    matches: of as many seeds.
    """

    seeds: int
    low: int
    high: int
    matches: int


class ErrorRow(Struct, frozen=True):
    """A bot's errors now, and the number of seeds until they are small enough; null:
    unknown.

    bot, name: id, and for people.
    elo: relative to the anchor; null if it is only a bound.
    error, need: 95 % half width relative to the anchor, and the seeds needed.
    pool_error, pool_need: the same relative to the mean of the bots it is connected
        with.
    """

    bot: str
    name: str
    elo: float | None
    error: float | None
    need: Seeds | None
    pool_error: float | None
    pool_need: Seeds | None


class GapRow(Struct, frozen=True):
    """Two bots next to each other in the table.

    upper, lower: their ids.
    elo, error: how far apart they are now, and its 95 % half width; null without an
        error.
    need: the seeds needed to find the gap.
    """

    upper: str
    lower: str
    elo: float | None
    error: float | None
    need: Seeds | None


class FewerLineUps(Struct, frozen=True):
    """The plan with the line-ups of ``--lineups auto``, for the same errors.

    line_ups: how many there are.
    seeds, matches: that it takes besides those already played.
    command: plays them.
    """

    line_ups: int
    seeds: int
    matches: int
    command: str


class Plan(Struct, frozen=True):
    """The number of seeds that one table needs.

    error: the error that was asked for, in Elo; null if a gap was.
    gap, power: the gap that was asked for, in Elo, and the share of cases in which it
        is to show; null if an error was.
    blocks, matches: seeds and rated matches so far.
    fewest_seeds, enough: how many seeds any estimate needs, and whether there are so
        many.
    errors: of each bot.
    gaps: of each two neighbours.
    need, pool_need: for all of them together: the largest known number of the rows.
    left_out: the bots that these numbers leave out, except the anchor: more seeds would
        not shrink the error of a bot that won or lost everything, such as one that
        always crashes.
    next: commands that play the missing seeds, up to ``need`` or ``fewest_seeds``.
    extends: whether ``next`` extends an event, so that errors have to hold however
        often one looks, as the seeds here allow for.
    finishes: whether the first of ``next`` finishes an event that is not over.
    shared_deals: how much sharing deals widens the errors; null as in the standings.
    fewer_line_ups: fewer line-ups on more deals, if they take at most nine tenths of
        the matches; else null.
    """

    error: float | None
    gap: float | None
    power: float | None
    blocks: int
    matches: int
    fewest_seeds: int
    enough: bool
    errors: list[ErrorRow]
    gaps: list[GapRow]
    need: Seeds | None
    pool_need: Seeds | None
    left_out: list[str]
    next: list[str] = []
    extends: bool = False
    finishes: bool = False
    shared_deals: shapes.DesignEffect | None = None
    fewer_line_ups: FewerLineUps | None = None


def for_error(standings: Standings, error: float) -> Plan:
    """Plan seeds for a 95 % half width of ``error`` Elo of every bot. Raises
    ConfigError unless it is above 0.
    """
    ratings = standings.ratings
    by_bot = zip(
        standings.order,
        planning.for_error(ratings, error),
        planning.for_error(ratings, error, pool=True),
        strict=True,
    )
    needs = {bot: (_seeds(standings, need), _seeds(standings, pool)) for bot, need, pool in by_bot}
    rows = [
        ErrorRow(
            row.bot,
            row.name,
            None if row.bound or not row.matches else row.elo,
            row.error,
            needs[row.bot][0],
            row.pool_error,
            needs[row.bot][1],
        )
        for row in standings.rows
    ]
    return Plan(
        error=error,
        gap=None,
        power=None,
        **_so_far(standings),
        errors=rows,
        gaps=[],
        need=_most([row.need for row in rows if row.bot != standings.anchor]),
        pool_need=_most([row.pool_need for row in rows]),
        left_out=[row.bot for row in rows if row.need is None and row.bot != standings.anchor],
    )


def for_gap(standings: Standings, gap: float, power: float) -> Plan:
    """Plan seeds after which a true gap of ``gap`` Elo between any two neighbours of
    the table is found in a share ``power`` of cases. Raises ConfigError unless the gap
    is above 0 and the power from 0.5 to below 1.
    """
    rows = [
        GapRow(
            standings.order[pair.upper],
            standings.order[pair.lower],
            round_off(pair.elo),
            round_off(pair.error),
            _seeds(standings, pair.need),
        )
        for pair in planning.for_gap(standings.ratings, gap, power)
    ]
    bots_known = {bot for row in rows if row.need is not None for bot in (row.upper, row.lower)}
    return Plan(
        error=None,
        gap=gap,
        power=power,
        **_so_far(standings),
        errors=[],
        gaps=rows,
        need=_most([row.need for row in rows]),
        pool_need=None,
        left_out=[row.bot for row in standings.rows if row.bot not in bots_known],
    )


def _so_far(standings: Standings) -> dict[str, Any]:
    blocks = standings.blocks
    return {
        "blocks": blocks,
        "matches": standings.matches,
        "fewest_seeds": planning.FEWEST_SEEDS,
        "enough": blocks >= planning.FEWEST_SEEDS,
        "shared_deals": shared_deals.to_value(standings.shared_deals),
    }


def _seeds(standings: Standings, need: planning.Need | None) -> Seeds | None:
    if need is None:
        return None
    return Seeds(
        need.seeds, need.low, need.high, ceil(need.seeds * standings.matches / standings.blocks)
    )


def _most(needs: list[Seeds | None]) -> Seeds | None:
    """Return the largest of the known needs, None if none is known."""
    return max(
        (need for need in needs if need is not None), key=lambda need: need.seeds, default=None
    )
