"""The standings as data: ratings with errors, finishes, faults. Pure: results in,
frozen values out; numbers only, no text.

One ``Result`` goes in for each match that is recorded or set aside, with the bots that
its numbers stand for; one call for each pool of events. Results may be read one at a
time: little of each is kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace as with_other
from itertools import pairwise
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from msgspec import structs

from khiva_arena.common.result import FAULTS, Result, add_spent, total
from khiva_arena.errors import ConfigError, InternalError
from khiva_arena.rating.ratings.bias import opponents_average, tie_share
from khiva_arena.rating.ratings.compare import fewest_for_ranks, los, rank_intervals
from khiva_arena.rating.ratings.connections import Bound
from khiva_arena.rating.ratings.effects import EffectsToFit
from khiva_arena.rating.ratings.elo import EloInterval, Ratings, rate
from khiva_arena.rating.ratings.match_arrays import Matches
from khiva_arena.rating.ratings.matches import complete_tables
from khiva_arena.rating.ratings.pairs import PairCells, pair_cells
from khiva_arena.rating.ratings.sharing import shared_deals
from khiva_arena.rating.ratings.widening import PLAIN, Widening
from khiva_arena.rating.report.columns import Standing
from khiva_arena.rating.report.entrants import ID_DIGITS, Entrant, with_unique_names
from khiva_arena.rating.report.placing import Batches, in_order, least_of
from khiva_arena.rating.report.tally import Collected, EventsData, Tally, count_rated
from khiva_arena.rating.report.values import AnchorAt, Apart, Evidence, GivenAnchor, Standings

__all__ = ["AnchorAt", "Entrant", "Standing", "Standings"]

DEFAULT_ANCHOR = "random"
DIGITS = 3


def choose_anchor(bots: Sequence[Entrant], word: str | None = None) -> str:
    """Return the id of the bot at 0: the one ``word`` by id or name, else one named
    "random", else the first.

    Raises ConfigError if there is no such bot, or no bot at all.
    """
    name = DEFAULT_ANCHOR if word is None else word
    for bot in bots:
        if name in (bot.id, bot.name) or bot.name == f"{name}#{bot.id[:ID_DIGITS]}":
            return bot.id
    if word is not None:
        raise ConfigError(
            f"no bot called {word!r} to anchor the ratings on; there are "
            f"{', '.join(b.name for b in bots)}"
        )
    if not bots:
        raise ConfigError("there are no bots to rate")
    return bots[0].id


def standings(
    results: Iterable[Result] | Collected | EventsData,
    bots: Sequence[Entrant],
    anchor: str | None = None,
    anchors: Sequence[AnchorAt] = (),
    numbers: Mapping[str, Sequence[int]] | None = None,
    widening: Widening = PLAIN,
) -> Standings:
    """Compute the standings of one pool.

    results: of all its matches, in any order.
    anchor: a bot's id or name, else ``choose_anchor`` chooses.
    anchors: bots whose Elo is given; the first of them takes the anchor's place.
    numbers: by the id of an event, by bot of the event, its number in ``bots``; None if
        results have these.
    widening: how many standard errors make an interval.

    Raises ConfigError for an anchor that is not there, InternalError if a match names a
    bot that is not in ``bots``.
    """
    bots = with_unique_names(bots)
    collected = results if isinstance(results, Collected | EventsData) else Collected(results)
    data = collected.data() if isinstance(collected, Collected) else collected
    all_matches, tallies = data.end(
        len(bots), lambda event, bot: bot if numbers is None else numbers[event][bot]
    )
    if numbers is not None:
        all_matches = all_matches.numbered([numbers[event] for event in all_matches.events])
    index = {bot.id: i for i, bot in enumerate(bots)}
    if strangers := {
        int(bot) for size in all_matches.sizes for bot in np.unique(size.bots)
    }.difference(range(len(bots))):
        raise InternalError(
            f"matches name bots that did not enter: {', '.join(map(str, sorted(strangers)))}"
        )
    selection = complete_tables(all_matches)
    at = [choose_anchor(bots, given.bot) for given in anchors]
    if len(set(at)) < len(at):
        raise ConfigError("an anchor is given twice; give each bot one number")
    anchor_id = at[0] if at else choose_anchor(bots, anchor)
    fixed = tuple((index[bot], given.elo, given.sd) for bot, given in zip(at, anchors, strict=True))
    matches = selection.rated
    cells = pair_cells(matches, len(bots))
    ratings = fault_free = _fit(cells, len(bots), index[anchor_id], fixed, widening)
    clean = matches.only(lambda size: ~size.faulty)
    if len(clean) < len(matches):
        clean_cells = pair_cells(clean, len(bots))
        fault_free = _fit(clean_cells, len(bots), index[anchor_id], fixed, widening)
    evidence = Evidence(matches, cells, ratings, 100 * los(ratings), index[anchor_id], fixed)
    seats = max((size.bots.shape[1] for size in matches.sizes if len(size.row)), default=0)
    count_rated(tallies, matches)
    per_bot = zip(
        rank_intervals(ratings),
        opponents_average(cells, ratings),
        tie_share(matches, len(bots)),
        strict=True,
    )
    rows = [
        _standing(i, bot, (ratings, fault_free), tallies[i], seats, more)
        for i, (bot, more) in enumerate(zip(bots, per_bot, strict=True))
    ]
    return Standings(
        rows=_with_ranks(rows, evidence, index),
        anchor=anchor_id,
        anchors=tuple(_given_anchor(bots[i], i, elo, sd, ratings) for i, elo, sd in fixed),
        blocks=ratings.blocks,
        tables=selection.tables,
        matches=len(matches),
        fault_free_matches=len(clean),
        incomplete=selection.incomplete,
        set_aside=selection.set_aside,
        left_out=selection.left_out,
        seats=seats,
        order=tuple(index),
        shared_deals=shared_deals(matches, cells, ratings),
        evidence=evidence,
    )


def _given_anchor(bot: Entrant, i: int, elo: float, sd: float, ratings: Ratings) -> GivenAnchor:
    check = next((anchor for anchor in ratings.anchors if anchor.bot == i), None)
    if check is None:
        return GivenAnchor(bot.id, elo, sd, None, None, None)
    seeds_of_others = max(
        ratings.seeds[anchor.bot] for anchor in ratings.anchors if anchor.bot != i
    )
    quantile = ratings.widening.half_width(
        1.0, min(ratings.seeds[i], seeds_of_others)
    )  # in standard errors
    contradicts = None if check.z is None or quantile is None else abs(check.z) > quantile
    return GivenAnchor(bot.id, elo, sd, round_off(check.elo), round_off(check.z), contradicts)


def refit(evidence: Evidence, matches: Matches, effects: EffectsToFit | None = None) -> Ratings:
    """Fit the headline ratings once more: over other matches, or with effects."""
    bots = evidence.cells.bots
    return _fit(matches, bots, evidence.anchor, evidence.given, evidence.ratings.widening, effects)


def _fit(
    matches: Matches | PairCells,
    bots: int,
    anchor: int,
    fixed: Sequence[tuple[int, float, float]],
    widening: Widening,
    effects: EffectsToFit | None = None,
) -> Ratings:
    elos, sds = {bot: elo for bot, elo, _ in fixed}, {bot: sd for bot, _, sd in fixed}
    return rate(
        matches,
        bots,
        anchor,
        anchors=elos or None,
        anchor_sds=sds,
        effects=effects,
        widening=widening,
    )


def _standing(
    i: int,
    bot: Entrant,
    fits: tuple[Ratings, Ratings],
    tally: Tally,
    seats: int,
    more: tuple[tuple[int, int] | None, float | None, float | None],
) -> Standing:
    """Return the row of a bot. ``fits``: of all matches and of those without
    faults. ``more``: the interval of its rank, the mean Elo of its opponents, and its
    share of ties.
    """
    (ratings, fault_free), (interval, opponents, ties) = fits, more
    elo, error, bound = rating(ratings, i)
    clean, clean_error, clean_bound = rating(fault_free, i)
    is_rated = elo is not None
    low, high = _ends(ratings, i, bound) if is_rated else (None, None)
    sums = total(tally.measured)._asdict()
    usage: dict[str, Any] = {
        name: round_off(value) if isinstance(value, float) else value
        for name, value in sums.items()
    }
    return Standing(
        rank=None,
        rank_interval=interval
        if is_rated and ratings.blocks >= fewest_for_ranks(ratings)
        else None,
        bot=bot.id,
        name=bot.name,
        elo=elo,
        error=error,
        low=round_off(low),
        high=round_off(high),
        least=None,
        rough=(low, high) != (None, None) and ratings.rough(i),
        bound=bound,
        los_next=None,
        matches=tally.matches,
        seeds=tally.seeds,
        score=percent(ratings.score[i]),
        ties=percent(ties),
        finishes=tuple(tally.finishes[place] for place in range(1, seats + 1)),
        faults={str(kind): tally.faults[kind] for kind in FAULTS},
        voids=tally.voids,
        **usage,
        spent=add_spent(tally.spent),
        fault_free_elo=clean,
        fault_free_error=clean_error,
        fault_free_bound=clean_bound,
        differs=None
        if elo is None or clean is None or error is None or clean_bound
        else abs(elo - clean) > error,
        pool_error=round_off(ratings.pool_error[i]),
        quasi_se=round_off(ratings.quasi.se[i]),
        design_effect=round_off(ratings.design_effect[i]),
        opponents=round_off(opponents) if is_rated else None,
        marks=bot.marks,
        met_next=None,
    )


def _ends(ratings: Ratings, i: int, bound: str) -> EloInterval:
    """Return the ends of the 95 % interval of a bot's Elo. A bound that does not tell
    the bot from the anchors is left out: that a bot which won everything is above
    -2,000 says nothing.
    """
    low, high = ratings.interval(i)
    elos = [anchor.given for anchor in ratings.anchors] or [ratings.elo[ratings.anchor] or 0.0]
    if (bound == Bound.AT_LEAST and low is not None and low < max(elos)) or (
        bound == Bound.AT_MOST and high is not None and high > min(elos)
    ):
        return EloInterval(None, None)
    return EloInterval(low, high)


class RoundedRating(NamedTuple):
    """A rating as tables have it: without an Elo it has no error and no bound.

    elo: relative to the anchor
    error: half the width of the 95 % interval
    bound: "" if the results pin the Elo down, else which end of it they show
    """

    elo: float | None
    error: float | None
    bound: str


def rating(ratings: Ratings, i: int) -> RoundedRating:
    """Return the rating of a bot as tables have it."""
    elo = round_off(ratings.elo[i]) if anchor_played(ratings) else None
    if elo is None:
        return RoundedRating(None, None, "")
    return RoundedRating(elo, round_off(ratings.error[i]), str(ratings.bounds[i]))


def anchor_played(ratings: Ratings) -> bool:
    """Tell whether an anchor has a match: numbers are relative to the anchors, and
    without one there is nothing to say.
    """
    anchors = [anchor.bot for anchor in ratings.anchors] or [ratings.anchor]
    return any(ratings.score[bot] is not None for bot in anchors)


def _with_ranks(
    rows: Sequence[Standing], evidence: Evidence, index: Mapping[str, int]
) -> tuple[Standing, ...]:
    elos = [row.elo for row in rows if row.elo is not None]
    out = [
        structs.replace(
            row, rank=None if row.elo is None else 1 + sum(elo > row.elo for elo in elos)
        )
        for row in rows
    ]
    out.sort(key=lambda row: len(rows) + 1 if row.rank is None else row.rank)
    return _with_next(out, evidence, index)


def in_league_order(table: Standings, batches: Batches) -> Standings:
    """Return a table of a league in the order of its bots. ``batches``: that they have
    played in.
    """
    rows = in_order(
        [
            structs.replace(row, least=round_off(least_of(row.elo, row.pool_error, row.low)))
            for row in table.rows
        ],
        batches,
    )
    index = {bot: i for i, bot in enumerate(table.order)}
    ranked = _with_next(
        [structs.replace(row, rank=rank) for row, rank in rows], table.evidence, index
    )
    return with_other(table, rows=ranked, fewest_batches=batches.fewest)


def set_apart(table: Standings, apart: Apart) -> Standings:
    """Return a table to be printed with some of its bots below a line. Sections follow
    the order of the table itself.
    """
    in_order_of_places = table.fewest_batches is not None
    rows = sorted(
        table.rows, key=lambda row: (in_order_of_places and row.rank is None, row.bot in apart.bots)
    )
    index = {bot: i for i, bot in enumerate(table.order)}
    return with_other(table, rows=_with_next(rows, table.evidence, index), apart=apart)


def _with_next(
    rows: Sequence[Standing], evidence: Evidence, index: Mapping[str, int]
) -> tuple[Standing, ...]:
    """Return the rows of a table, in their order, each with how it compares with the
    next.
    """
    out, cells = (
        [structs.replace(row, los_next=None, met_next=None) for row in rows],
        evidence.cells,
    )
    pairs_met = set(np.unique(cells.low * cells.bots + cells.high).tolist())
    for place, (row, following) in enumerate(pairwise(tuple(out))):
        i, j = index[row.bot], index[following.bot]
        likely = round_off(float(evidence.los[i, j]))
        have_met = (
            min(i, j) * cells.bots + max(i, j) in pairs_met
            if row.matches and following.matches
            else None
        )
        out[place] = structs.replace(row, los_next=likely, met_next=have_met)
    return tuple(out)


def round_off(value: float | None) -> float | None:
    """Round to 3 digits; return None for None and for NaN."""
    return (
        None if value is None or isnan(value) else round(float(value), DIGITS) + 0.0
    )  # + 0.0: no minus zero


def percent(share: float | None) -> float | None:
    return None if share is None else round_off(100 * share)
