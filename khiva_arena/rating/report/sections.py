"""The sections of a table of standings, as values of the published shapes.

Numbers come from ``ratings``, by bots in the order of the table's rows.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from khiva_arena.rating.ratings.bias import neighbour_bias, seat_bias
from khiva_arena.rating.ratings.compare import certainly_above
from khiva_arena.rating.ratings.crosstable import Crosstable, crosstable, games_together
from khiva_arena.rating.ratings.cycles import intransitivity
from khiva_arena.rating.ratings.effects import EffectsToFit
from khiva_arena.rating.ratings.elo import Ratings
from khiva_arena.rating.ratings.match_arrays import Floats, Matches, SameSize
from khiva_arena.rating.report import section_shapes
from khiva_arena.rating.report.points import PointsSample, section
from khiva_arena.rating.report.section_names import EFFECTS
from khiva_arena.rating.report.standings import percent, rating, refit, round_off
from khiva_arena.rating.report.values import Standings


class SectionRequest(msgspec.Struct, frozen=True):
    """A request for sections.

    names: of the sections.
    events: (id, number) in order of creation, for the history.
    effects: the effects that the section effects fits.
    points: the matches that the section points is made of.
    """

    names: Sequence[str]
    events: Sequence[tuple[str, int]]
    effects: Sequence[str] = EFFECTS
    points: PointsSample = PointsSample(why_none="no match was replayed")


def sections(standings: Standings, request: SectionRequest) -> section_shapes.Sections:
    """Return the sections of a request. ``details`` makes none: its numbers are in the
    rows.
    """
    makers: dict[str, Callable[[], Any]] = {
        "crosstable": lambda: _crosstable(standings, table()),
        "los": lambda: _matrix(standings, standings.evidence.los),
        "surprise": lambda: _matrix(standings, table().surprise),
        "seats": lambda: _seats(standings),
        "cycles": lambda: _cycles(standings),
        "connectivity": lambda: _connectivity(standings),
        "covariance": lambda: _matrix(standings, standings.ratings.covariance),
        "effects": lambda: _effects(standings, request.effects),
        "history": lambda: history(standings, request.events),
        "points": lambda: section(standings, request.points),
    }
    crosstables: list[Crosstable] = []

    def table() -> Crosstable:
        if not crosstables:
            crosstables.append(crosstable(standings.evidence.cells, standings.ratings))
        return crosstables[0]

    return section_shapes.Sections(
        **{name: make() for name, make in makers.items() if name in request.names}
    )


def _order(standings: Standings) -> list[int]:
    """Return the index in the fit of each row."""
    index = {bot: i for i, bot in enumerate(standings.order)}
    return [index[row.bot] for row in standings.rows]


def _matrix(standings: Standings, values: Floats) -> section_shapes.Matrix:
    order = _order(standings)
    return [[round_off(value) for value in row] for row in values[np.ix_(order, order)].tolist()]


def _crosstable(standings: Standings, table: Crosstable) -> list[list[section_shapes.Pair | None]]:
    order = _order(standings)
    games = games_together(standings.evidence.matches, len(order))
    above = certainly_above(standings.ratings)

    def pair(i: int, j: int) -> section_shapes.Pair | None:
        score = percent(float(table.score[i, j]))
        if score is None:
            return None
        low, high, points = (
            percent(float(part[i, j])) for part in (table.low, table.high, table.expected)
        )
        seeds, matches = int(table.blocks[i, j]), int(games[i, j])
        return section_shapes.Pair(
            score,
            low,
            high,
            bool(table.significant[i, j]),
            points,
            seeds,
            matches,
            bool(above[i, j] or above[j, i]),
        )

    return [[pair(i, j) for j in order] for i in order]


def _seats(standings: Standings) -> section_shapes.Seats:
    matches = standings.evidence.matches
    seats = [
        section_shapes.SeatScore(
            of.seats,
            of.seat,
            round_off(100 * of.score) or 0.0,
            percent(of.low),
            percent(of.high),
            of.matches,
            of.blocks,
        )
        for of in seat_bias(matches)
    ]
    biases = neighbour_bias(matches, standings.ratings)
    neighbours = [
        section_shapes.Neighbour(
            standings.order[i],
            percent(of.effect),
            percent(of.low),
            percent(of.high),
            of.matches,
            of.blocks,
        )
        for i in _order(standings)
        for of in biases[i : i + 1]
    ]
    return section_shapes.Seats(seats, neighbours)


def _cycles(standings: Standings) -> section_shapes.Cycles:
    cycles = intransitivity(standings.evidence.cells, standings.ratings)
    if cycles is None:
        return section_shapes.Cycles(None, None, None, None, None)
    return section_shapes.Cycles(
        *map(percent, (cycles.share, cycles.low, cycles.high, cycles.raw, cycles.noise))
    )


def _connectivity(standings: Standings) -> section_shapes.Connectivity:
    components = [
        [standings.order[i] for i in component] for component in standings.ratings.components
    ]
    return section_shapes.Connectivity(len(components) <= 1, components)


def _ratings(standings: Standings, ratings: Ratings) -> list[section_shapes.Rating]:
    return [
        section_shapes.Rating(row.bot, *rating(ratings, i))
        for row, i in zip(standings.rows, _order(standings), strict=True)
    ]


def _effects(standings: Standings, names: Sequence[str]) -> section_shapes.EffectsSection:
    evidence = standings.evidence
    ratings = refit(
        evidence, evidence.matches, EffectsToFit("seats" in names, "neighbours" in names)
    )
    effects = [
        section_shapes.Effect(
            "seat" if effect.bot is None else "neighbour",
            round_off(effect.elo),
            round_off(effect.error),
            effect.seats,
            effect.seat,
            None if effect.bot is None else standings.order[effect.bot],
        )
        for effect in ratings.effects
    ]
    return section_shapes.EffectsSection(
        [name for name in EFFECTS if name in names], _ratings(standings, ratings), effects
    )


def history(standings: Standings, events: Sequence[tuple[str, int]]) -> list[section_shapes.Stage]:
    """Return the ratings after each event, in order of creation: from all events so
    far, and from the event alone.
    """
    matches = standings.evidence.matches
    numbers = {event: number for number, event in enumerate(matches.events)}
    of_events = [numbers.get(event, -1) for event, _ in events]
    stages = []
    for at, (event, number) in enumerate(events):
        mine = _of_events(matches, of_events[at : at + 1])
        together, alone = (
            refit(standings.evidence, _of_events(matches, of_events[: at + 1])),
            refit(standings.evidence, mine),
        )
        stages.append(
            section_shapes.Stage(
                event,
                number,
                len(mine),
                alone.blocks,
                _ratings(standings, together),
                _ratings(standings, alone),
            )
        )
    return stages


def _of_events(matches: Matches, numbers: Sequence[int]) -> Matches:
    return matches.only(lambda size: np.isin(size.event, numbers))


MOST_POINTS = 24
MOST_POINTS_TIMES_BOTS = 2_400
"""The limit of points times bots. A fit of many bots takes long: that of a thousand, of
whom some have lost every match yet, half a minute.
"""


def by_seeds(standings: Standings) -> list[section_shapes.AfterSeeds]:
    """Return ratings after so many seeds, in the order of the events and their seeds.
    There are at most ``MOST_POINTS`` of them, and fewer for very many bots; the last
    one is after all seeds.
    """
    matches = standings.evidence.matches
    seeds = sorted({(event, seed) for size in matches.sizes for event, seed in _seeds(size)})
    points = min(
        len(seeds), MOST_POINTS, max(2, MOST_POINTS_TIMES_BOTS // standings.evidence.cells.bots)
    )
    stages = []
    for at, (event, seed) in enumerate(seeds, 1):
        if at * points // len(seeds) > (at - 1) * points // len(seeds):
            so_far = _until(matches, event, seed)
            fit = refit(standings.evidence, so_far)
            stages.append(section_shapes.AfterSeeds(at, len(so_far), _ratings(standings, fit)))
    return stages


def _until(matches: Matches, event: int, seed: int) -> Matches:
    """Return the matches of the events before, and of this one up to a seed."""
    return matches.only(
        lambda size: (size.event < event) | ((size.event == event) & (size.seed <= seed))
    )


def _seeds(one: SameSize) -> list[tuple[int, int]]:
    """Return the number of the event and the seed, of each seed that was played."""
    pairs = np.unique(np.stack([one.event, one.seed], axis=1), axis=0)
    return [(event, seed) for event, seed in pairs.tolist()]
