"""The one estimate: ratings, seat terms, neighbour terms, one anchor or
several. Formulas: docs/how-ratings-work.md F1-F5.

The headline is this model without terms and with one exact anchor. Parameters lie as
``rows.Columns`` says: ratings t on a scale without an anchor, terms, and a shift s; t_i
+ s is bot i's number in nats. The solution makes the score of all rows, of the prior
draws and of loose anchors zero, under linear constraints:
- each bot's t, and each term, drew ``prior`` matches of weight 1 against 0: this keeps
  a bot that won or lost everything finite;
- an anchor with a standard deviation is one normal observation of t_i + s; one without
  fixes t_i + s;
- the seat terms of one table size sum to 0, and so do the neighbour terms;
- effects that the matches cannot separate from strength count as strength: terms are 0
  in such directions.
The constraints are a basis: parameters = start + basis @ free numbers. Then bread =
basis (basis' H basis)^-1 basis'.
"""

from collections.abc import Mapping

import msgspec
import numpy as np
import numpy.typing as npt

from khiva_arena.rating.ratings.match_arrays import Floats, Ints
from khiva_arena.rating.ratings.rows import Columns, Rows, expected_score, gradient, normal

_STEPS = 200
_CLOSE_ENOUGH = 1e-13  # nats
_ROUNDING = 1e-6  # nats: below it rounding would decide what is better, and Newton is safe
_NO_INFORMATION = 1e-9  # of the largest element
_NO_PART = 1e-6  # of a unit vector
# nats by which the draws move a parameter, to first order: about 1 if without them it
# had no finite value
_PULL = 0.5


class Solution(msgspec.Struct, frozen=True, eq=False):
    """A solution over P parameters, in nats, for n bots.

    columns: the meaning of each parameter.
    parameters: (P,).
    bread: (P, P) see above.
    numbers: (n, P) the matrix that takes parameters to the numbers of the bots.
    anchor_information: (P, P) of loose anchors; their numbers are observations, so the
        meat of the sandwich has it as well.
    draws: (P,) prior draws of each parameter.
    identified: (P,) whether the matches alone separate the term in that column from all
        else, at a finite value.
    numbers_identified: (n,) whether they place the bots' numbers at finite values, as
        far as the pull of the draws shows it.
    """

    columns: Columns
    parameters: Floats
    bread: Floats
    numbers: Floats
    anchor_information: Floats
    draws: Floats
    identified: npt.NDArray[np.bool_]
    numbers_identified: npt.NDArray[np.bool_]


def solve(
    rows: Rows, columns: Columns, prior: float, anchors: Mapping[int, tuple[float, float]]
) -> Solution:
    """Solve for the parameters. ``anchors``: bot: (number, standard deviation), in
    nats. Raises ValueError without an anchor or prior draws.
    """
    if not anchors or prior <= 0:
        raise ValueError("a fit needs an anchor and a prior above 0")
    terms, is_known = _terms(rows, columns)
    start, basis = _constraints(columns, terms, anchors)
    draws = np.zeros(columns.width)
    draws[: columns.bots] = prior
    draws[columns.bots : columns.shift] = prior * (
        np.abs(terms[columns.bots : columns.shift]).sum(axis=1) > 0
    )
    loose = _loose(columns, anchors)
    middle = float(
        np.mean([number for number, _ in anchors.values()])
    )  # from there ratings lie about 0, and no p is 0 or 1
    parameters = start + basis[:, np.flatnonzero(basis[columns.shift])[0]] * middle
    parameters, hessian = _newton(rows, parameters, basis, draws, loose)
    bread = basis @ np.linalg.inv(basis.T @ hessian @ basis) @ basis.T
    numbers = np.eye(columns.bots, columns.width)
    numbers[:, columns.shift] = 1
    pull = bread @ (draws * (expected_score(parameters) - 0.5))
    identified, numbers_identified = (
        is_known & (np.abs(pull) < _PULL),
        np.abs(numbers @ pull) < _PULL,
    )
    return Solution(
        columns,
        parameters,
        bread,
        numbers,
        loose.information,
        draws,
        identified,
        numbers_identified,
    )


class _Loose(msgspec.Struct, frozen=True, eq=False):
    """Loose anchors, a of them: x @ parameters was seen to be ``number``, with that
    precision (1 / variance).

    x: (a, P).
    number: (a,) nats.
    precision: (a,) per nat squared.
    """

    x: Floats
    number: Floats
    precision: Floats

    @property
    def information(self) -> Floats:
        return (self.x.T * self.precision) @ self.x


def _loose(columns: Columns, anchors: Mapping[int, tuple[float, float]]) -> _Loose:
    loose = {bot: given for bot, given in anchors.items() if given[1] > 0}
    x = np.eye(columns.width)[list(loose)]
    x[:, columns.shift] = 1
    numbers = np.array([number for number, _ in loose.values()], dtype=np.float64)
    return _Loose(
        x, numbers, np.array([deviation**-2 for _, deviation in loose.values()], dtype=np.float64)
    )


def _constraints(
    columns: Columns, terms: Floats, anchors: Mapping[int, tuple[float, float]]
) -> tuple[Floats, Floats]:
    """Return start (P,) and basis (P, Q): where an anchor is exact, t_i = number -
    s.
    """
    start = np.zeros(columns.width)
    ratings = np.eye(columns.width)[:, [*range(columns.bots), columns.shift]]
    exact = [bot for bot, (_, deviation) in anchors.items() if deviation == 0]
    start[exact] = [anchors[bot][0] for bot in exact]
    ratings[exact, -1] = -1
    return start, np.hstack([np.delete(ratings, exact, axis=1), terms])


def _terms(rows: Rows, columns: Columns) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return (P, q) a basis of the terms that sum to 0 and that rows separate from
    ratings; and (P,) which terms lie in it wholly.
    """
    width, bots = columns.width, columns.bots
    is_known = np.zeros(width, dtype=np.bool_)
    families = [
        list(range(at, at + size)) for size in columns.sizes for at in [columns.first_seat(size)]
    ]
    if columns.neighbours:
        families.append(_played_neighbours(rows, columns))
    basis = np.hstack(
        [np.zeros((width, 0)), *(_sum_to_zero(width, family) for family in families if family)]
    )
    if not basis.shape[1]:
        return basis, is_known
    information = normal(rows, rows.weight)
    ratings, cross = information[:bots, :bots], basis.T @ information[:, :bots]
    beside = (
        basis.T @ information @ basis - cross @ np.linalg.pinv(ratings, hermitian=True) @ cross.T
    )
    values, vectors = np.linalg.eigh((beside + beside.T) / 2)
    real = values > _NO_INFORMATION * max(float(information.max(initial=0)), 1e-300)
    loss = np.linalg.norm(basis @ vectors[:, ~real], axis=1)
    for family in families:
        is_known[family] = loss[family] < _NO_PART
    return basis @ vectors[:, real], is_known


def _played_neighbours(rows: Rows, columns: Columns) -> list[int]:
    """Return the neighbour columns that are in a row at all."""
    last: list[Ints] = [np.unique(side[:, -1]) for side in (rows.plus, rows.minus)]
    return [
        int(column)
        for column in np.unique(np.concatenate(last))
        if columns.first_neighbour <= column < columns.shift
    ]


def _sum_to_zero(width: int, family: list[int]) -> Floats:
    """Return (width, k - 1) orthonormal columns over the k of a family, each summing to
    0.
    """
    k = len(family)
    values, vectors = np.linalg.eigh(np.eye(k) - 1 / k)
    basis = np.zeros((width, k - 1))
    basis[family] = vectors[:, values > 0.5]
    return basis


class _Point(msgspec.Struct, frozen=True, eq=False):
    """The values of the rows at some parameters, computed once: there may be millions
    of them.

    parameters: (P,).
    p: (r,) expected points of each row's plus side.
    quality: the number that a solution makes largest.
    """

    parameters: Floats
    p: Floats
    quality: float


def _at(rows: Rows, parameters: Floats, draws: Floats, loose: _Loose) -> _Point:
    d = rows.difference(parameters)
    loss = np.logaddexp(0, -d)
    total = rows.score @ loss + (rows.weight - rows.score) @ np.logaddexp(0, d)
    total += draws @ (np.logaddexp(0, -parameters) + np.logaddexp(0, parameters)) / 2
    quality = -float(total + loose.precision @ (loose.number - loose.x @ parameters) ** 2 / 2)
    return _Point(parameters, np.exp(-loss), quality)  # as ``expected_score``


def _newton(
    rows: Rows, parameters: Floats, basis: Floats, draws: Floats, loose: _Loose
) -> tuple[Floats, Floats]:
    """Return the parameters (P,) of the best quality, and the Hessian (P, P) there. The
    quality is concave, so halving any step that lowers it converges.
    """
    last = np.inf
    point = _at(rows, parameters, draws, loose)
    for _ in range(_STEPS):
        slope = gradient(rows, rows.score - rows.weight * point.p) + draws * (
            0.5 - expected_score(point.parameters)
        )
        slope += loose.x.T @ (loose.precision * (loose.number - loose.x @ point.parameters))
        hessian = _hessian(rows, point, draws, loose)
        step = basis @ np.linalg.solve(basis.T @ hessian @ basis, basis.T @ slope)
        size = float(np.abs(step).max(initial=0))
        if size < _CLOSE_ENOUGH or (
            size < _ROUNDING and size > last / 2
        ):  # steps that stay as they are, are rounding
            return point.parameters, hessian
        last = size
        next_point = _at(rows, point.parameters + step, draws, loose)
        while size > _ROUNDING and next_point.quality < point.quality:
            step /= 2
            size /= 2
            next_point = _at(rows, point.parameters + step, draws, loose)
        point = next_point
    return point.parameters, _hessian(rows, point, draws, loose)


def _hessian(rows: Rows, point: _Point, draws: Floats, loose: _Loose) -> Floats:
    p, q = point.p, expected_score(point.parameters)
    return np.asarray(
        normal(rows, rows.weight * p * (1 - p)) + np.diag(draws * q * (1 - q)) + loose.information
    )
