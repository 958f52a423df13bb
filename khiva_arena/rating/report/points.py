"""Where the points of each bot come from: means by source with their errors, and the
source that explains a lead.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from khiva_arena.games.base import SeatPoints
from khiva_arena.rating.ratings.match_arrays import Floats
from khiva_arena.rating.ratings.scale import LEVEL
from khiva_arena.rating.report.points_shapes import BotPoints, Lead, PointsBySource
from khiva_arena.rating.report.standings import round_off
from khiva_arena.rating.report.text import number, short
from khiva_arena.rating.report.values import Standings

_FEWEST_SEEDS = 5
"""The fewest seeds of a sentence: in small whole numbers, fewer may agree by chance."""


class SourcedMatch(NamedTuple):
    """A match of which it is known where the points come from.

    block: the number of its deal; errors cluster on it.
    bots: by seat, numbers as in ``Standings.order``.
    points: by seat.
    """

    block: int
    bots: tuple[int, ...]
    points: Sequence[SeatPoints]


class PointsSample(NamedTuple):
    """The rated matches that were replayed to see where points come from.

    matches: all with the same sources.
    why_none: the reason why there are none, for people.
    """

    matches: Sequence[SourcedMatch] = ()
    why_none: str = ""


class _Mean(NamedTuple):
    """A mean over matches, with its standard error over deals; the error is 0 below two
    of them.
    """

    mean: Floats
    se: Floats
    blocks: int


def _mean(rows: Floats, blocks: Sequence[int]) -> _Mean:
    """Return the mean of rows of values. ``blocks``: by row, the number of its deal."""
    _, block = np.unique(blocks, return_inverse=True)
    mean, deals = rows.mean(axis=0), int(block.max()) + 1
    sums = np.zeros((deals, rows.shape[1]))
    np.add.at(sums, block, rows - mean)
    correction = deals / (deals - 1) if deals > 1 else 0.0
    return _Mean(mean, np.sqrt(correction * (sums**2).sum(axis=0)) / len(rows), deals)


def section(standings: Standings, sample: PointsSample) -> PointsBySource:
    """Return the mean points of each bot of a table by source, and the source that
    explains the lead of the first one.
    """
    if not sample.matches:
        return PointsBySource(0, standings.matches, [], [], [], None, sample.why_none)
    counted, uncounted = sample.matches[0].points[0]
    rows = [
        _of_bot(standings, bot, sample.matches)
        for bot in (standings.order.index(row.bot) for row in standings.rows)
    ]
    lead = _lead(standings, sample.matches, [*counted])
    return PointsBySource(
        len(sample.matches), standings.matches, [*counted], [*uncounted], rows, lead
    )


def _values(points: SeatPoints) -> list[int]:
    return [*points.counted.values(), *points.uncounted.values()]


def _of_bot(standings: Standings, bot: int, matches: Sequence[SourcedMatch]) -> BotPoints:
    rows = [
        (match.block, _values(points))
        for match in matches
        for seated, points in zip(match.bots, match.points, strict=True)
        if seated == bot
    ]
    name = standings.order[bot]
    if not rows:
        return BotPoints(name, 0, 0, [], [])
    mean, se, seeds = _mean(
        np.array([values for _, values in rows], dtype=np.float64), [block for block, _ in rows]
    )
    widening = standings.ratings.widening
    errors = [round_off(widening.half_width(float(one), seeds)) for one in se]
    played = sum(bot in match.bots for match in matches)
    return BotPoints(name, played, seeds, [round_off(float(one)) for one in mean], errors)


def _lead(
    standings: Standings, matches: Sequence[SourcedMatch], counted: Sequence[str]
) -> Lead | None:
    """Return by how much, and by which source, the first bot makes more points than the
    others at its tables.

    None if it does not make more beyond the error, which allows for all sources at
    once, or if too few deals tell.
    """
    first = standings.order.index(standings.rows[0].bot)
    pairs = [
        (match.block, *_own_and_others(match, first))
        for match in matches
        if {first} < set(match.bots)
    ]
    blocks = [block for block, _, _ in pairs]
    if standings.rows[0].rank is None or len(set(blocks)) < _FEWEST_SEEDS:
        return None
    own, others = (np.array(part)[:, : len(counted)] for part in [*zip(*pairs, strict=True)][1:])
    more = own - others
    mean, se, seeds = _mean(np.column_stack([more, more.sum(axis=1)]), blocks)
    if standings.ratings.widening.says_nothing(seeds):
        return None
    errors = se * standings.ratings.widening.critical(seeds, (1 - LEVEL) / len(counted))
    if mean[-1] <= errors[-1]:
        return None
    total, best = round_off(float(mean[-1])), max(range(len(counted)), key=lambda at: mean[at])
    if mean[best] <= errors[best]:
        return Lead(standings.rows[0].bot, total)
    numbers = [
        round_off(float(one))
        for one in (own[:, best].mean(), others[:, best].mean(), mean[best], errors[best])
    ]
    return Lead(standings.rows[0].bot, total, counted[best], *numbers)


def _own_and_others(match: SourcedMatch, bot: int) -> tuple[Floats, Floats]:
    """Return the mean points by source of a bot, and of the others at its table."""
    values, is_own = (
        np.array([*map(_values, match.points)], dtype=np.float64),
        np.array(match.bots) == bot,
    )
    return values[is_own].mean(axis=0), values[~is_own].mean(axis=0)


def sentence(standings: Standings, points: PointsBySource) -> str:
    """Return which source explains the lead of the first bot, with a full stop; "" if
    nothing can be said.
    """
    lead, first = points.lead, standings.rows[0]
    if lead is None or lead.total is None:
        return ""
    who = f"{short(first.name)} {'wins' if first.rank_interval == (1, 1) else 'is ahead'}"
    if lead.source is None or lead.more is None:
        return f"{who} by no single source of points."
    several = "several sources of points, most by " if 2 * lead.more < lead.total else ""
    others = "" if len(standings.rows) == 2 else " of the others at its tables"
    gap = f"{number(lead.more, 1)} +/- {number(lead.error, 1)} more"
    return (
        f"{who} by {several}{lead.source}: {number(lead.own, 1)} against "
        f"{number(lead.others, 1)}{others} ({gap})."
    )
