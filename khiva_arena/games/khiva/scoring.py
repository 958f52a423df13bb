"""The points of Khiva: by source, in sum, and the ranks that they give."""

from collections.abc import Mapping

from khiva_arena.games.base import Plain, SeatPoints
from khiva_arena.games.khiva.state import Position

SOURCES = ("teapots", "salt", "carpets", "gems")
"""The sources of points (K18)."""


def scores(pos: Position) -> list[int]:
    """Return the points by seat (K18)."""
    return [teapots + salt + carpets + gems for teapots, salt, carpets, gems in _counted(pos)]


def points_by_source(pos: Position) -> list[SeatPoints]:
    """Return the points by seat and source, and the value of the carpets that were not
    delivered (K18).
    """
    return [
        SeatPoints(
            dict(zip(SOURCES, points, strict=True)),
            {"undelivered carpets": sum([code % 10 for code in held])},
        )
        for points, held in zip(_counted(pos), pos.carpets, strict=True)
    ]


def _counted(pos: Position) -> list[tuple[int, int, int, int]]:
    """Return the points by seat from each of SOURCES."""
    return [
        (sum(teapots), sum(salts), sum([code % 10 for code in delivered]), gems)
        for teapots, salts, delivered, gems in zip(
            pos.teapots, pos.salts, pos.delivered, pos.gems, strict=True
        )
    ]


def points(view: Mapping[str, Plain]) -> list[int]:
    """Return the points by seat, counted from any seat's view: all that scores lies
    open (K22).
    """
    open_to_all = zip(view["teapots"], view["salts"], view["delivered"], view["gems"], strict=True)
    return [
        sum(pots) + sum(salts) + sum(value for _, value in carpets) + gems
        for pots, salts, carpets, gems in open_to_all
    ]


def ranks(pos: Position) -> list[int]:
    """Return the places by seat: by score, then number of teapots, then salt (K19).
    Seats equal in all share a place.

    O9 decides whether the best bag or the sum of the bags counts as salt.
    """
    salt = sum if pos.ruleset.sum_bags else max
    keys = [
        (score, len(pos.teapots[seat]), salt(pos.salts[seat] or (0,)))
        for seat, score in enumerate(scores(pos))
    ]
    return [1 + sum(better > key for better in keys) for key in keys]
