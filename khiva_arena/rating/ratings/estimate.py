"""The estimate: matches made into numbers in Elo with covariances. Formulas:
docs/how-ratings-work.md F2-F5.

It also checks whether the given numbers of several anchors agree with the results.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import hypot, isfinite, isnan, sqrt

import msgspec
import numpy as np
import numpy.typing as npt

from khiva_arena.common.result import Result
from khiva_arena.rating.ratings.connections import Bound, connections
from khiva_arena.rating.ratings.covariance import Variances, variances
from khiva_arena.rating.ratings.effects import AnchorCheck, EffectsToFit, FittedEffect
from khiva_arena.rating.ratings.match_arrays import Floats, Ints, Matches, tables_of
from khiva_arena.rating.ratings.model import Solution, solve
from khiva_arena.rating.ratings.pairs import PairCells, cells_of_tables, pair_cells
from khiva_arena.rating.ratings.quasi import differences
from khiva_arena.rating.ratings.rows import Columns, Rows, rows_of_cells, rows_of_tables
from khiva_arena.rating.ratings.scale import ELO_PER_NAT, half_width

# Elo: a smaller standard deviation of a given number is none, nobody knows a number
# better
_EXACT = 0.01
_LARGEST_SPREAD = (
    10_000.0  # Elo between given numbers: beyond, chances of winning are 0 to a computer
)
Given = dict[int, tuple[float, float]]


class Problem(msgspec.Struct, frozen=True, eq=False):
    """The part that all fits of the same matches share.

    cells: the matches by block and pair.
    rows: the matches as rows of the model: cells, or with effects pairs of matches.
    sums: ``rows`` over all blocks, if that makes fewer of them: all that the solution
        needs, while errors need the blocks.
    columns: of the parameters.
    prior: drawn matches of each bot and each effect.
    """

    cells: PairCells
    rows: Rows
    sums: Rows
    columns: Columns
    prior: float


class Fit(msgspec.Struct, frozen=True, eq=False):
    """The result of a fit, for n bots.

    elo: (n,) numbers.
    variances: (n, n) covariances of the numbers, Elo squared.
    no_variance_seen: (n, n) as in ``Ratings``.
    bread: (n, n) nats squared, inverse Hessian of the ratings on the scale without an
        anchor.
    bounds, groups: as in ``connections``.
    effects: those that were asked for.
    """

    elo: Floats
    variances: Variances
    no_variance_seen: npt.NDArray[np.bool_]
    bread: Floats
    bounds: tuple[Bound, ...]
    groups: tuple[int, ...]
    effects: tuple[FittedEffect, ...]


def given_numbers(
    anchor: int, bots: int, numbers: Mapping[int, float], deviations: Mapping[int, float]
) -> Given:
    """Return by bot (Elo, standard deviation), ``anchor`` first; 0 is exact. Raises
    ValueError if a bot or a number is out of range.
    """
    if anchor not in numbers or not deviations.keys() <= numbers.keys():
        raise ValueError("the anchor, and each bot with a standard deviation, needs a given number")
    fixed = {
        bot: (float(numbers[bot]), float(deviations.get(bot, 0.0))) for bot in [anchor, *numbers]
    }
    if any(not 0 <= bot < bots for bot in fixed):
        raise ValueError(f"an anchor is not among the {bots} bots")
    elos = [elo for elo, _ in fixed.values()]
    finite = all(isfinite(elo) and isfinite(sd) and sd >= 0 for elo, sd in fixed.values())
    if not finite or max(elos) - min(elos) > _LARGEST_SPREAD:
        raise ValueError(
            f"anchors need finite numbers at most {_LARGEST_SPREAD:.0f} Elo apart, and "
            "deviations of 0 or more"
        )
    return {bot: (elo, sd if sd >= _EXACT else 0.0) for bot, (elo, sd) in fixed.items()}


def problem_of(
    matches: Iterable[Result] | Matches | PairCells, bots: int, prior: float, effects: EffectsToFit
) -> Problem:
    """Return the problem of rating the matches. Raises ValueError on arguments that
    cannot be combined.
    """
    if not effects:
        return problem_of_cells(
            matches if isinstance(matches, PairCells) else pair_cells(matches, bots), prior
        )
    if isinstance(matches, PairCells):
        raise ValueError("cells do not say who sat where: effects need the matches themselves")
    tables = list(tables_of(matches))  # gone through twice
    rows, columns = rows_of_tables(tables, bots, seats=effects.seats, neighbours=effects.neighbours)
    return Problem(cells_of_tables(tables, bots), rows, rows, columns, prior)


def problem_of_cells(cells: PairCells, prior: float) -> Problem:
    """Return the problem of rating cells, without effects."""
    columns = Columns(cells.bots)
    sums = rows_of_cells(cells.over_all_blocks(), columns.width)
    return Problem(cells, rows_of_cells(cells, columns.width), sums, columns, prior)


def solution_of(problem: Problem, anchors: Given) -> Solution:
    """Solve a problem in nats. ``anchors`` are in Elo."""
    nats = {bot: (elo / ELO_PER_NAT, sd / ELO_PER_NAT) for bot, (elo, sd) in anchors.items()}
    return solve(problem.sums, problem.columns, problem.prior, nats)


def fit(problem: Problem, anchors: Given) -> Fit:
    """Fit numbers in Elo with covariances. The uncertainty of loose anchors is in every
    error.
    """
    solution = solution_of(problem, anchors)
    of_parameters = variances(problem.rows, solution)
    exact = [bot for bot, (_, sd) in anchors.items() if sd == 0]
    of_numbers = of_parameters.map(lambda covariance: _of_numbers(solution, covariance, exact))
    no_variance_seen = of_numbers.map(differences).none_seen()
    np.fill_diagonal(no_variance_seen, of_numbers.map(np.diag).none_seen())
    bots = problem.cells.bots
    bounds, groups = connections(problem.cells, tuple(anchors))
    if problem.rows.plus.shape[1] > 1:
        bounds, groups = _identified(bounds, groups, solution.numbers_identified.tolist())
    return Fit(
        elo=_elo(solution, anchors),
        variances=of_numbers,
        no_variance_seen=no_variance_seen,
        bread=solution.bread[:bots, :bots],
        bounds=bounds,
        groups=groups,
        effects=_effects(problem, solution, of_parameters),
    )


def _identified(
    bounds: tuple[Bound, ...], groups: tuple[int, ...], identified: list[bool]
) -> tuple[tuple[Bound, ...], tuple[int, ...]]:
    """Return the bounds and groups once there are effects: a bot whose number then
    comes only from the prior is compared with none.
    """
    lone = tuple(
        bound if ok or bound is not Bound.NONE else Bound.APART
        for bound, ok in zip(bounds, identified, strict=True)
    )
    marks = [
        (group, -1 if ok else bot)
        for bot, (group, ok) in enumerate(zip(groups, identified, strict=True))
    ]
    return lone, tuple(marks.index(mark) for mark in marks)


def anchor_checks(problem: Problem, anchors: Given) -> tuple[AnchorCheck, ...]:
    """Return each anchor's number from a fit in which it is not an anchor: one fit for
    each.
    """
    return tuple(_anchor_check(problem, anchors, bot) for bot in anchors)


def _anchor_check(problem: Problem, anchors: Given, bot: int) -> AnchorCheck:
    number, sd = anchors[bot]
    without = fit(problem, {other: given for other, given in anchors.items() if other != bot})
    if without.bounds[bot] is not Bound.NONE:
        return AnchorCheck(bot, number, sd, None, None, None)
    elo, variance = float(without.elo[bot]), float(without.variances.clustered[bot, bot])
    if isnan(variance) or without.no_variance_seen[bot, bot]:
        return AnchorCheck(bot, number, sd, elo, None, None)
    se = sqrt(max(0.0, variance))
    error = hypot(se, sd)
    return AnchorCheck(bot, number, sd, elo, se, (elo - number) / error if error > 0 else None)


def _elo(solution: Solution, anchors: Given) -> Floats:
    """Return (n,) the numbers in Elo; exact anchors to the last digit."""
    elo = ELO_PER_NAT * (solution.numbers @ solution.parameters)
    for bot, (number, sd) in anchors.items():
        if sd == 0:
            elo[bot] = number
    return np.asarray(elo)


def _of_numbers(solution: Solution, covariance: Floats, exact: Sequence[int]) -> Floats:
    """Return (n, n) the covariance in Elo squared; an exact anchor's row is zero to the
    last digit.
    """
    of_numbers = ELO_PER_NAT**2 * (solution.numbers @ covariance @ solution.numbers.T)
    if not np.isnan(of_numbers).any():
        of_numbers[exact, :] = of_numbers[:, exact] = 0
    return np.asarray(of_numbers)


def _effects(
    problem: Problem, solution: Solution, of_parameters: Variances
) -> tuple[FittedEffect, ...]:
    columns, blocks = problem.columns, _blocks_by_column(problem.rows)
    no_variance_seen = of_parameters.map(np.diag).none_seen()
    places: list[
        tuple[int, int | None, int | None, int | None]
    ] = []  # column, size, seat, neighbour
    for k in columns.sizes:
        places += [(columns.first_seat(k) + seat, k, seat, None) for seat in range(k)]
    if columns.neighbours:
        places += [(columns.first_neighbour + bot, None, None, bot) for bot in range(columns.bots)]
    effects = []
    for column, size, seat, bot in places:
        count, variance = int(blocks[column]), float(of_parameters.clustered[column, column])
        elo = (
            float(solution.parameters[column]) * ELO_PER_NAT
            if solution.identified[column]
            else None
        )
        usable = (
            elo is not None and count > 1 and not isnan(variance) and not no_variance_seen[column]
        )
        se = sqrt(max(0.0, variance)) * ELO_PER_NAT if usable else None
        effects.append(
            FittedEffect(
                size, seat, bot, elo, None if se is None else half_width(se, count), se, count
            )
        )
    return tuple(effects)


def _blocks_by_column(rows: Rows) -> Ints:
    """Return (P,) in how many blocks a row has the column."""
    present = np.zeros(rows.blocks * rows.width, dtype=np.bool_)
    for side in (rows.plus, rows.minus):
        for k in range(side.shape[1]):
            present[rows.block * rows.width + side[:, k]] = True
    return np.asarray(present.reshape(rows.blocks, rows.width).sum(axis=0), dtype=np.int64)
