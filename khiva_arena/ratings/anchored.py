"""Ratings with effects or several anchors: ``model`` in Elo, and whether the anchors' given numbers agree."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import hypot, isfinite, isnan, sqrt

import numpy as np
import numpy.typing as npt

from khiva_arena.ratings import model
from khiva_arena.ratings.covariance import Kind, loosened, meat, nothing_seen
from khiva_arena.ratings.effects import AnchorCheck, Effect, Effects
from khiva_arena.ratings.fit import Bound, connections, pair_sums
from khiva_arena.ratings.model import Model
from khiva_arena.ratings.pairs import Floats, Ints, MatchArrays, PairCells, RatedMatch, pair_cells
from khiva_arena.ratings.quasi import differences
from khiva_arena.ratings.rows import Columns, Rows, rows_of_cells, rows_of_matches
from khiva_arena.ratings.scale import ELO_PER_NAT, Estimate, half_width

_EXACT = 0.01  # Elo: a smaller standard deviation of a given number is none, nobody knows a number better
_FARTHEST = 10_000.0  # Elo between given numbers: beyond, chances of winning are 0 to a computer
Given = dict[int, tuple[float, float]]


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What all fits of the same matches share. ``sums``: ``rows`` over all blocks, where that makes fewer of them: all that the
    estimate needs, while errors need the blocks."""

    cells: PairCells
    rows: Rows
    sums: Rows
    columns: Columns
    prior: float
    kind: Kind


def given(anchor: int, bots: int, numbers: Mapping[int, float], deviations: Mapping[int, float]) -> Given:
    """Bot: (Elo, standard deviation), ``anchor`` first; 0 is exact. Raises ValueError on what is no anchor or no number."""
    if anchor not in numbers or not deviations.keys() <= numbers.keys():
        raise ValueError("the anchor, and each bot with a standard deviation, needs a given number")
    found = {bot: (float(numbers[bot]), float(deviations.get(bot, 0.0))) for bot in [anchor, *numbers]}
    if any(not 0 <= bot < bots for bot in found):
        raise ValueError(f"an anchor is not among the {bots} bots")
    elos = [elo for elo, _ in found.values()]
    if not all(isfinite(elo) and isfinite(sd) and sd >= 0 for elo, sd in found.values()) or max(elos) - min(elos) > _FARTHEST:
        raise ValueError(f"anchors need finite numbers at most {_FARTHEST:.0f} Elo apart, and deviations of 0 or more")
    return {bot: (elo, sd if sd >= _EXACT else 0.0) for bot, (elo, sd) in found.items()}


def prepare(
    matches: Iterable[RatedMatch] | MatchArrays | PairCells, bots: int, prior: float, kind: Kind, effects: Effects
) -> Setup:
    """Raises ValueError on what cannot be combined."""
    if kind == "jackknife" or prior <= 0:
        raise ValueError("ratings with effects or several anchors need a prior above 0, and have no jackknife")
    if not effects:
        cells = matches if isinstance(matches, PairCells) else pair_cells(matches, bots)
        columns = Columns(bots)
        low, high, weight, score = pair_sums(cells)
        sums = PairCells(bots, 1, np.zeros_like(low), low, high, weight, score)
        return Setup(cells, rows_of_cells(cells, columns.width), rows_of_cells(sums, columns.width), columns, prior, kind)
    if isinstance(matches, PairCells):
        raise ValueError("cells do not say who sat where: effects need the matches themselves")
    kept = matches if isinstance(matches, MatchArrays) else list(matches)  # gone through twice
    rows, columns = rows_of_matches(kept, bots, seats=effects.seats, neighbours=effects.neighbours)
    return Setup(pair_cells(kept, bots), rows, rows, columns, prior, kind)


def estimate(setup: Setup, anchors: Given) -> Estimate:
    """All numbers in Elo. The uncertainty of loose anchors is in every error."""
    nats = {bot: (elo / ELO_PER_NAT, sd / ELO_PER_NAT) for bot, (elo, sd) in anchors.items()}
    solution = model.solve(setup.sums, setup.columns, setup.prior, nats)
    bread = whole = solution.bread
    loose, step = loosened(solution.parameters, bread, solution.ghost)
    seen = np.full_like(bread, np.nan)
    if setup.kind != "model":
        inside, after = meat(setup.rows, solution.parameters, bread, setup.kind, step, held=True)
        whole, seen = bread @ (inside + solution.held) @ bread, loose @ after @ loose
    own = bread - bread @ solution.held @ bread
    bounds, groups = connections(setup.cells.bots, pair_sums(setup.cells), tuple(anchors))
    if setup.rows.plus.shape[1] > 1:
        bounds, groups = _also_told(bounds, groups, solution.numbers_told.tolist())
    exact = [bot for bot, (_, sd) in anchors.items() if sd == 0]
    by_blocks, by_model, all_told = (_relative(solution, one, exact) for one in (seen, own, bread))
    still = nothing_seen(differences(by_blocks), differences(by_model), differences(all_told))
    np.fill_diagonal(still, nothing_seen(np.diag(by_blocks), np.diag(by_model), np.diag(all_told)))
    bots = setup.cells.bots
    return Estimate(
        elo=_numbers(solution, anchors),
        variance=_relative(solution, whole, exact),
        model_variance=all_told,
        seen=(by_blocks, by_model, all_told),
        still=still,
        bread=bread[:bots, :bots],
        bounds=bounds,
        groups=groups,
        effects=_effects(setup, solution, whole, nothing_seen(np.diag(seen), np.diag(own), np.diag(bread))),
    )


def _also_told(bounds: tuple[Bound, ...], groups: tuple[int, ...], told: list[bool]) -> tuple[tuple[Bound, ...], tuple[int, ...]]:
    """A bot whose number only the ghost holds once there are effects is compared with none."""
    lone = tuple(bound if ok or bound is not Bound.NONE else Bound.APART for bound, ok in zip(bounds, told, strict=True))
    marks = [(group, -1 if ok else bot) for bot, (group, ok) in enumerate(zip(groups, told, strict=True))]
    return lone, tuple(marks.index(mark) for mark in marks)


def checks(setup: Setup, anchors: Given) -> tuple[AnchorCheck, ...]:
    """Each anchor's number from a fit in which it is none: one fit an anchor."""
    found = []
    for bot, (number, sd) in anchors.items():
        again = estimate(setup, {other: value for other, value in anchors.items() if other != bot})
        elo = float(again.elo[bot]) if again.bounds[bot] is Bound.NONE else None
        variance = float(again.variance[bot, bot])
        se = None if elo is None or isnan(variance) or again.still[bot, bot] else sqrt(max(0.0, variance))
        both = 0.0 if se is None else hypot(se, sd)
        found.append(AnchorCheck(bot, number, sd, elo, se, (elo - number) / both if elo is not None and both > 0 else None))
    return tuple(found)


def _numbers(solution: Model, anchors: Given) -> Floats:
    """(n,) in Elo; exact anchors to the last digit."""
    elo = ELO_PER_NAT * (solution.numbers @ solution.parameters)
    for bot, (number, sd) in anchors.items():
        if sd == 0:
            elo[bot] = number
    return np.asarray(elo)


def _relative(solution: Model, whole: Floats, exact: list[int]) -> Floats:
    """(n, n) of the numbers, in Elo squared; an exact anchor's row is zero to the last digit."""
    variance = ELO_PER_NAT**2 * (solution.numbers @ whole @ solution.numbers.T)
    if not np.isnan(variance).any():
        variance[exact, :] = variance[:, exact] = 0
    return np.asarray(variance)


def _effects(setup: Setup, solution: Model, whole: Floats, still: npt.NDArray[np.bool_]) -> tuple[Effect, ...]:
    columns, blocks = setup.columns, _blocks_by_column(setup.rows)
    places: list[tuple[int, int | None, int | None, int | None]] = []  # column, size, seat, neighbour
    for k in columns.sizes:
        places += [(columns.first_seat(k) + seat, k, seat, None) for seat in range(k)]
    if columns.neighbours:
        places += [(columns.first_neighbour + bot, None, None, bot) for bot in range(columns.bots)]
    found = []
    for column, size, seat, bot in places:
        count, variance = int(blocks[column]), float(whole[column, column])
        elo = float(solution.parameters[column]) * ELO_PER_NAT if solution.told[column] else None
        usable = elo is not None and count > 1 and not isnan(variance) and not still[column]
        se = sqrt(max(0.0, variance)) * ELO_PER_NAT if usable else None
        found.append(Effect(size, seat, bot, elo, None if se is None else half_width(se, count), se, count))
    return tuple(found)


def _blocks_by_column(rows: Rows) -> Ints:
    """(P,) in how many blocks a row has the column."""
    present = np.zeros(rows.blocks * rows.width, dtype=np.bool_)
    for side in (rows.plus, rows.minus):
        for k in range(side.shape[1]):
            present[rows.block * rows.width + side[:, k]] = True
    return np.asarray(present.reshape(rows.blocks, rows.width).sum(axis=0), dtype=np.int64)
