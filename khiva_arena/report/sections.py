"""The sections of a table of standings, as values of the published shapes. Numbers come from ``ratings``, by bots in the
order of the table's rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from khiva_arena.ratings.bias import neighbour_bias, seat_bias
from khiva_arena.ratings.crosstable import Crosstable, crosstable, games_together
from khiva_arena.ratings.cycles import intransitivity
from khiva_arena.ratings.effects import EffectsToFit
from khiva_arena.ratings.elo import Ratings
from khiva_arena.ratings.pairs import Floats
from khiva_arena.report import shapes
from khiva_arena.report.section_names import EFFECTS
from khiva_arena.report.standings import percent, rating, refit, rounded
from khiva_arena.report.values import Standings
from khiva_arena.result import Result


@dataclass(frozen=True, slots=True)
class SectionRequest:
    """What to make.

    names: of the sections.
    events: (id, number) in order of creation, for the history.
    effects: which of these the section effects fits.
    """

    names: Sequence[str]
    events: Sequence[tuple[str, int]]
    effects: Sequence[str] = EFFECTS


def sections(standings: Standings, request: SectionRequest) -> shapes.Sections:
    """The sections of a request. ``details`` is in the rows anyway."""
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
    }
    crosstables: list[Crosstable] = []

    def table() -> Crosstable:
        if not crosstables:
            crosstables.append(crosstable(standings.evidence.cells, standings.ratings))
        return crosstables[0]

    return shapes.Sections(**{name: make() for name, make in makers.items() if name in request.names})


def _order(standings: Standings) -> list[int]:
    """The index in the fit of each row."""
    index = {bot: i for i, bot in enumerate(standings.order)}
    return [index[row.bot] for row in standings.rows]


def _matrix(standings: Standings, values: Floats) -> shapes.Matrix:
    order = _order(standings)
    return [[rounded(value) for value in row] for row in values[np.ix_(order, order)].tolist()]


def _crosstable(standings: Standings, found: Crosstable) -> list[list[shapes.Pair | None]]:
    order = _order(standings)
    games = games_together(standings.evidence.matches, len(order))

    def pair(i: int, j: int) -> shapes.Pair | None:
        score = percent(float(found.score[i, j]))
        if score is None:
            return None
        low, high, expected = (percent(float(part[i, j])) for part in (found.low, found.high, found.expected))
        seeds, matches = int(found.blocks[i, j]), int(games[i, j])
        return shapes.Pair(score, low, high, bool(found.significant[i, j]), expected, seeds, matches)

    return [[pair(i, j) for j in order] for i in order]


def _seats(standings: Standings) -> shapes.Seats:
    matches = standings.evidence.matches
    seats = [
        shapes.SeatScore(
            one.seats, one.seat, rounded(100 * one.score) or 0.0, percent(one.low), percent(one.high), one.matches, one.blocks
        )
        for one in seat_bias(matches)
    ]
    biases = neighbour_bias(matches, standings.ratings)
    neighbours = [
        shapes.Neighbour(standings.order[i], percent(one.effect), percent(one.low), percent(one.high), one.matches, one.blocks)
        for i in _order(standings)
        for one in biases[i : i + 1]
    ]
    return shapes.Seats(seats, neighbours)


def _cycles(standings: Standings) -> shapes.Cycles:
    cycles = intransitivity(standings.evidence.cells, standings.ratings)
    if cycles is None:
        return shapes.Cycles(None, None, None, None, None)
    return shapes.Cycles(*map(percent, (cycles.share, cycles.low, cycles.high, cycles.raw, cycles.noise)))


def _connectivity(standings: Standings) -> shapes.Connectivity:
    components = [[standings.order[i] for i in component] for component in standings.ratings.components]
    return shapes.Connectivity(len(components) <= 1, components)


def _ratings(standings: Standings, ratings: Ratings) -> list[shapes.Rating]:
    return [shapes.Rating(row.bot, *rating(ratings, i)) for row, i in zip(standings.rows, _order(standings), strict=True)]


def _effects(standings: Standings, which: Sequence[str]) -> shapes.EffectsSection:
    evidence = standings.evidence
    ratings = refit(evidence, evidence.matches, EffectsToFit("seats" in which, "neighbours" in which))
    effects = [
        shapes.Effect(
            "seat" if one.bot is None else "neighbour",
            rounded(one.elo),
            rounded(one.error),
            one.seats,
            one.seat,
            None if one.bot is None else standings.order[one.bot],
        )
        for one in ratings.effects
    ]
    return shapes.EffectsSection([name for name in EFFECTS if name in which], _ratings(standings, ratings), effects)


def history(standings: Standings, events: Sequence[tuple[str, int]]) -> list[shapes.Stage]:
    """After each event, in order of creation: ratings from all so far, and from it alone."""
    by_event: dict[str, list[Result]] = {}
    for match in standings.evidence.matches:
        by_event.setdefault(match.event, []).append(match)
    so_far: list[Result] = []
    stages = []
    for event, number in events:
        mine = by_event.get(event, [])
        so_far += mine
        together, alone = refit(standings.evidence, so_far), refit(standings.evidence, mine)
        stages.append(
            shapes.Stage(event, number, len(mine), alone.blocks, _ratings(standings, together), _ratings(standings, alone))
        )
    return stages


MOST_POINTS = 24


def by_seeds(standings: Standings) -> list[shapes.AfterSeeds]:
    """Ratings after so many seeds, in the order of the events and their seeds: at most ``MOST_POINTS`` of them, the last one
    after all."""
    by_seed: dict[tuple[int, int], list[Result]] = {}
    order = {event: i for i, event in enumerate(dict.fromkeys(match.event for match in standings.evidence.matches))}
    for match in standings.evidence.matches:
        by_seed.setdefault((order[match.event], match.seed), []).append(match)
    seeds = sorted(by_seed)
    points = min(len(seeds), MOST_POINTS)
    so_far: list[Result] = []
    found = []
    for at, seed in enumerate(seeds, 1):
        so_far += by_seed[seed]
        if at * points // len(seeds) > (at - 1) * points // len(seeds):
            fit = refit(standings.evidence, so_far)
            found.append(shapes.AfterSeeds(at, len(so_far), _ratings(standings, fit)))
    return found
