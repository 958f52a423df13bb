"""The bots that the results compare: those between which points flow. Formula:
docs/how-ratings-work.md F3.
"""

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from khiva_arena.rating.ratings.pairs import PairCells

_NO_POINTS = 1e-9  # of a weight: rounding


class Bound(StrEnum):
    """The result of asking whether the results alone, without the prior draws, place a
    bot at a finite distance from the anchor.

    They do if points flow both ways between the two, directly or through others.
    Otherwise the distance comes from the prior.

    NONE: a finite distance.
    AT_LEAST: the bot only takes points, so it is at least there.
    AT_MOST: it only gives them, so it is at most there.
    APART: no points flow between the two at all, so they are not compared.
    """

    NONE = ""
    AT_LEAST = ">="
    AT_MOST = "<="
    APART = "?"


_BOUNDS = {
    (True, True): Bound.NONE,
    (False, True): Bound.AT_LEAST,
    (True, False): Bound.AT_MOST,
    (False, False): Bound.APART,
}  # (the anchor takes points from it, it takes points from the anchor)


def connections(
    cells: PairCells, anchors: Sequence[int]
) -> tuple[tuple[Bound, ...], tuple[int, ...]]:
    """Return by bot the bound, and the group. Bots at a finite distance from each other
    have the same group number, the lowest bot's. Several anchors are at finite
    distances from each other, since their numbers are given.
    """
    flow = flows(cells, anchors)
    below, above = (
        np.asarray(f[list(anchors)].any(axis=0), dtype=np.bool_) for f in (flow, flow.T)
    )
    bounds = tuple(_BOUNDS[bool(a), bool(b)] for a, b in zip(below, above, strict=True))
    return bounds, tuple(np.argmax(flow & flow.T, axis=1).tolist())


def flows(cells: PairCells, anchors: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return (n, n) whether bot i took points from bot j, directly or through others,
    as if each anchor took some from each other.

    The transitive closure, by squaring.
    """
    pairs = cells.over_all_blocks()
    flow = np.eye(cells.bots, dtype=np.float32)
    flow[pairs.low, pairs.high] = pairs.score > _NO_POINTS * pairs.weight
    flow[pairs.high, pairs.low] = pairs.weight - pairs.score > _NO_POINTS * pairs.weight
    flow[np.ix_(anchors, anchors)] = 1
    while True:
        longer = (flow @ flow > 0).astype(np.float32)
        if (longer == flow).all():
            return longer > 0
        flow = longer
