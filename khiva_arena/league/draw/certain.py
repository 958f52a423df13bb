"""How much two bots tell of their strengths if they meet, by results only as far as these are beyond doubt.

It is the information of a meeting: the variance of the difference of two bots, times p (1 - p) at that difference. The difference
is taken two standard errors nearer to 0 than the results say. So bots that may be equal are paired by how little is known of
them, whoever was lucky, and errors of ratings hold. Only bots that are clearly unequal are kept from wasting a table.

The model is that of ratings/, with one prior draw a bot. It is fitted by Newton's steps over the results of the active bots.
Everything is in whole numbers, of ``BITS`` binary places where a fraction is needed, so that each machine gets the same.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import isqrt
from operator import mul

BITS = 40
ONE = 1 << BITS
MOST_BOTS = 200
"""The most active bots for which it is worked out: a second or two."""
_STEPS, _LARGEST_STEP = 12, 400  # Elo
_ELO_PER_NAT, _ELO_2_PER_NAT_2 = 173_718, 30_177_872  # in thousandths
_LN_2 = 762_123_384_786  # of 2**40
_WEIGHT = 60 * 3
"""Of a pair at a table of N seats, this over N + 1, rounded down; a prior draw has a third."""


class Points:
    """The results of a league so far, summed by pair of bots, which are named by their identities."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], list[int]] = {}

    def add(self, bots: Sequence[str], ranks: Sequence[int]) -> None:
        """Add a match. ``bots``, ``ranks``: by seat."""
        weight = _WEIGHT // (len(bots) + 1)
        for (a, of_a), (b, of_b) in combinations(sorted(zip(bots, ranks, strict=True)), 2):
            sums = self._sums.setdefault((a, b), [0, 0])
            sums[0] += weight
            sums[1] += weight * (1 + (of_a < of_b) - (of_a > of_b))

    def between(self, a: str, b: str) -> tuple[int, int]:
        """Return the weight of all meetings of two bots, and twice the points of the first."""
        weight, twice = self._sums.get((min(a, b), max(a, b)), (0, 0))
        return weight, twice if a < b else 2 * weight - twice


def worth_of_meetings(bots: Sequence[str], points: Points) -> list[list[int]]:
    """Return by two bots how much their meeting would tell; on the diagonal how little is known of a bot."""
    met = [[points.between(a, b) for b in bots] for a in bots]
    strengths = [0] * len(bots)  # nats
    for _ in range(_STEPS):
        slope, information = _derivatives(met, strengths)
        covariance = _inverse(information)
        step = [sum(map(mul, row, slope)) >> BITS for row in covariance]
        strengths = [
            strength + max(-_nats(_LARGEST_STEP), min(_nats(_LARGEST_STEP), by))
            for strength, by in zip(strengths, step, strict=True)
        ]
        if all(abs(by) < _nats(1) for by in step):
            break
    worth = [[0] * len(bots) for _ in bots]
    for a, row in enumerate(covariance):
        worth[a][a] = row[a]
        for b in range(a):
            variance = row[a] + covariance[b][b] - 2 * row[b]
            error = isqrt(max(0, variance * _ELO_2_PER_NAT_2 // 1000) >> BITS)
            apart = max(0, abs(_elo(strengths[a] - strengths[b])) - 2 * error)
            p = chance(apart)
            worth[a][b] = worth[b][a] = max(0, variance) * p * (ONE - p) >> 2 * BITS
    return worth


def _derivatives(
    met: Sequence[Sequence[tuple[int, int]]],
    strengths: Sequence[int],
) -> tuple[list[int], list[list[int]]]:
    """Return slope and information of the likelihood, with a prior draw of each bot against 0."""
    slope, information = [], []
    unit = _WEIGHT // 3
    for a, row in enumerate(met):
        p = chance(_elo(strengths[a]))
        own, total = unit * (ONE // 2 - p), unit * (p * (ONE - p) >> BITS)
        line = []
        for b, (weight, twice) in enumerate(row):
            if weight:
                p = chance(_elo(strengths[a] - strengths[b]))
                own += twice * ONE // 2 - weight * p
                knows = weight * (p * (ONE - p) >> BITS)
                total += knows
                line.append(-knows)
            else:
                line.append(0)
        line[a] = total
        slope.append(own // unit)
        information.append([one // unit for one in line])
    return slope, information


def _inverse(matrix: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the inverse of a symmetric, positive definite matrix: L D L' with L below 1 on the diagonal, then L inverted."""
    size = len(matrix)
    lower: list[list[int]] = []
    pivots: list[int] = []
    columns: list[list[int]] = []  # of L inverted, from the diagonal down
    for i, row in enumerate(matrix):
        scaled: list[int] = []
        line: list[int] = []
        for j in range(i):
            scaled.append(row[j] - (sum(map(mul, scaled, lower[j])) >> BITS))
            line.append((scaled[j] << BITS) // pivots[j])
        pivots.append(max(1, row[i] - (sum(map(mul, scaled, line)) >> BITS)))
        lower.append(line)
        for j, column in enumerate(columns):
            column.append(-(sum(map(mul, line[j:], column)) >> BITS))
        columns.append([ONE])
    inverse = [[0] * size for _ in matrix]
    for i, column in enumerate(columns):
        over = [(one << BITS) // pivot for one, pivot in zip(column, pivots[i:], strict=True)]
        for j in range(i + 1):
            inverse[i][j] = inverse[j][i] = sum(map(mul, over, columns[j][i - j :])) >> BITS
    return inverse


def _elo(nats: int) -> int:
    """Return whole Elo, rounded."""
    return (nats * _ELO_PER_NAT // 1000 + ONE // 2) >> BITS


def _nats(elo: int) -> int:
    return (elo * 1000 << BITS) // _ELO_PER_NAT


@cache
def chance(elo: int) -> int:
    """Return the chance of being ahead of a bot that is so much weaker."""
    if elo < 0:
        return ONE - chance(-elo)
    halvings, rest = divmod(_nats(elo), _LN_2)
    power = term = ONE  # exp(-rest)
    for k in range(1, 16):
        term = -term * rest // k >> BITS
        power += term
    return (ONE << BITS) // (ONE + (power >> halvings))
