"""The estimate with more than bots in it: seat terms, neighbour terms, several anchors. Formulas: reference/ratings.md F1-F5.

Parameters lie as ``rows.Columns`` says: ratings t of an unanchored scale, effects, and a shift s; t_i + s is bot i's number in
nats. Solved is the score of all rows, of the ghost and of loose anchors being 0, under linear constraints:
- the ghost draws ``prior`` games of weight 1 against each bot's t and against each effect, at 0;
- an anchor with a standard deviation is one normal observation of t_i + s; one without fixes it;
- the seat terms of one table size sum to 0, and so do the neighbour terms;
- what the matches cannot tell from strength counts as strength: effects are 0 in such directions.
The constraints are a basis: parameters = start + basis @ free numbers. Then bread = basis (basis' H basis)^-1 basis'.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from khiva_arena.ratings.pairs import Floats, Ints
from khiva_arena.ratings.rows import Columns, Rows, expected, gradient, normal

_MOST_STEPS = 200
_CLOSE_ENOUGH = 1e-12  # nats
_ROUNDING = 1e-6  # nats: below it rounding would decide what is better, and Newton is safe
_NOTHING = 1e-9  # of the largest eigenvalue: information that is none
_SAME = 1e-6  # a part of a unit vector that is none
_PULL = 0.5  # nats by which the ghost moves a parameter, to first order: about 1 if without it the parameter had no finite value


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A solution over P parameters, in nats.

    parameters: (P,).  bread: (P, P), see above.  numbers: (n, P) takes parameters to the numbers of the bots.
    held: (P, P) information of loose anchors; their given numbers are observations, so it is in the meat as well.
    ghost: (P,) games of each parameter against it.
    told: (P,) whether the matches alone tell the effect in that column from all else, at a finite value.
    numbers_told: (n,) whether they place the bots' numbers at finite values, as far as the pull of the ghost shows it.
    """

    columns: Columns
    parameters: Floats
    bread: Floats
    numbers: Floats
    held: Floats
    ghost: Floats
    told: npt.NDArray[np.bool_]
    numbers_told: npt.NDArray[np.bool_]


def solve(rows: Rows, columns: Columns, prior: float, anchors: Mapping[int, tuple[float, float]]) -> Model:
    """``anchors``: bot: (number, standard deviation), in nats. Raises ValueError without an anchor or a ghost."""
    if not anchors or prior <= 0:
        raise ValueError("a fit with effects or several anchors needs an anchor and a prior above 0")
    effects, known = _effects(rows, columns)
    start, basis = _constraints(columns, effects, anchors)
    ghost = np.zeros(columns.width)
    ghost[: columns.bots] = prior
    ghost[columns.bots : columns.shift] = prior * (np.abs(effects[columns.bots : columns.shift]).sum(axis=1) > 0)
    aims = _loose(columns, anchors)
    held = sum((aim.precision * np.outer(aim.x, aim.x) for aim in aims), np.zeros((columns.width, columns.width)))
    middle = float(np.mean([number for number, _ in anchors.values()]))  # from there ratings lie about 0, and no p is 0 or 1
    parameters = start + basis[:, np.flatnonzero(basis[columns.shift])[0]] * middle
    parameters = _newton(rows, parameters, basis, ghost, aims, held)
    bread, numbers = _bread(rows, parameters, basis, ghost, held), np.eye(columns.bots, columns.width)
    numbers[:, columns.shift] = 1
    pulled = bread @ (ghost * (expected(parameters) - 0.5))
    told = known & (np.abs(pulled) < _PULL)
    return Model(columns, parameters, bread, numbers, held, ghost, told, np.abs(numbers @ pulled) < _PULL)


@dataclass(frozen=True, slots=True, eq=False)
class _Aim:
    """A loose anchor: x'parameters was seen to be ``number``, with that precision (1 / variance)."""

    x: Floats
    number: float
    precision: float


def _loose(columns: Columns, anchors: Mapping[int, tuple[float, float]]) -> list[_Aim]:
    aims = []
    for bot, (number, deviation) in anchors.items():
        if deviation > 0:
            x = np.zeros(columns.width)
            x[[bot, columns.shift]] = 1
            aims.append(_Aim(x, number, deviation**-2))
    return aims


def _constraints(columns: Columns, effects: Floats, anchors: Mapping[int, tuple[float, float]]) -> tuple[Floats, Floats]:
    """Start (P,) and basis (P, Q): where an anchor is exact, t_i = number - s."""
    start = np.zeros(columns.width)
    ratings = np.eye(columns.width)[:, [*range(columns.bots), columns.shift]]
    exact = [bot for bot, (_, deviation) in anchors.items() if deviation == 0]
    start[exact] = [anchors[bot][0] for bot in exact]
    ratings[exact, -1] = -1
    return start, np.hstack([np.delete(ratings, exact, axis=1), effects])


def _effects(rows: Rows, columns: Columns) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """(P, q) a basis of the effects that sum to 0 and that rows tell from ratings; and (P,) which effects lie in it wholly."""
    width, bots = columns.width, columns.bots
    known = np.zeros(width, dtype=np.bool_)
    families = [list(range(at, at + size)) for size in columns.sizes for at in [columns.first_seat(size)]]
    if columns.neighbours:
        families.append(_seen(rows, columns))
    whole = np.hstack([np.zeros((width, 0)), *(_sum_to_zero(width, family) for family in families if family)])
    if not whole.shape[1]:
        return whole, known
    information = normal(rows, rows.weight)
    ratings, mixed = information[:bots, :bots], whole.T @ information[:, :bots]
    beside = whole.T @ information @ whole - mixed @ np.linalg.pinv(ratings, hermitian=True) @ mixed.T
    values, vectors = np.linalg.eigh((beside + beside.T) / 2)
    real = values > _NOTHING * max(float(information.max(initial=0)), 1e-300)
    lost = np.linalg.norm(whole @ vectors[:, ~real], axis=1)
    for family in families:
        known[family] = lost[family] < _SAME
    return whole @ vectors[:, real], known


def _seen(rows: Rows, columns: Columns) -> list[int]:
    """The neighbour columns that are in a row at all."""
    last: list[Ints] = [np.unique(side[:, -1]) for side in (rows.plus, rows.minus)]
    return [int(column) for column in np.unique(np.concatenate(last)) if columns.first_neighbour <= column < columns.shift]


def _sum_to_zero(width: int, family: list[int]) -> Floats:
    """(width, k - 1) orthonormal columns over the k of a family, each summing to 0."""
    k = len(family)
    values, vectors = np.linalg.eigh(np.eye(k) - 1 / k)
    found = np.zeros((width, k - 1))
    found[family] = vectors[:, values > 0.5]
    return found


def _newton(rows: Rows, parameters: Floats, basis: Floats, ghost: Floats, aims: list[_Aim], held: Floats) -> Floats:
    """The quality is concave, so halving any step that lowers it converges."""

    def quality(parameters: Floats) -> float:
        d = rows.difference(parameters)
        total = rows.score @ np.logaddexp(0, -d) + (rows.weight - rows.score) @ np.logaddexp(0, d)
        total += ghost @ (np.logaddexp(0, -parameters) + np.logaddexp(0, parameters)) / 2
        return -float(total + sum(aim.precision * (aim.x @ parameters - aim.number) ** 2 for aim in aims) / 2)

    last = np.inf
    for _ in range(_MOST_STEPS):
        p = expected(rows.difference(parameters))
        slope = gradient(rows, rows.score - rows.weight * p) + ghost * (0.5 - expected(parameters))
        slope += sum((aim.precision * (aim.number - aim.x @ parameters) * aim.x for aim in aims), np.zeros(len(slope)))
        hessian = _hessian(rows, parameters, ghost, held)
        step = basis @ np.linalg.solve(basis.T @ hessian @ basis, basis.T @ slope)
        size = float(np.abs(step).max(initial=0))
        if size < _CLOSE_ENOUGH or (size < _ROUNDING and size > last / 2):
            break
        last = size
        before = quality(parameters)
        while size > _ROUNDING and quality(parameters + step) < before:
            step /= 2
            size /= 2
        parameters = parameters + step
    return parameters


def _hessian(rows: Rows, parameters: Floats, ghost: Floats, held: Floats) -> Floats:
    p, q = expected(rows.difference(parameters)), expected(parameters)
    return np.asarray(normal(rows, rows.weight * p * (1 - p)) + np.diag(ghost * q * (1 - q)) + held)


def _bread(rows: Rows, parameters: Floats, basis: Floats, ghost: Floats, held: Floats) -> Floats:
    inner = np.linalg.inv(basis.T @ _hessian(rows, parameters, ghost, held) @ basis)
    return np.asarray(basis @ inner @ basis.T)
