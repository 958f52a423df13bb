"""Scores and places of the seats in a Silk Road position (S18)."""

from collections.abc import Sequence

from khiva_arena.games.base import SeatPoints
from khiva_arena.games.silk_road.state import Position
from khiva_arena.games.silk_road.tables import (
    COLOURLESS_POINTS,
    JEWELS_PER_COLOUR,
    MARKER_POINTS,
    SET_POINTS,
)

SOURCES = ("sets of jewels", "colourless jewels", "markers")
"""The sources of points (S18)."""


def scores(pos: Position) -> list[int]:
    """Return the points by seat."""
    return points(pos.jewels, pos.colourless, pos.markers)


def points(
    jewels: Sequence[Sequence[int]], colourless: Sequence[int], markers: Sequence[int]
) -> list[int]:
    """Return the points by seat, counted from the things in front of each seat, which
    all see.
    """
    return [sum(of_seat) for of_seat in _counted(jewels, colourless, markers)]


def points_by_source(pos: Position) -> list[SeatPoints]:
    """Return the points by seat and source."""
    counted = _counted(pos.jewels, pos.colourless, pos.markers)
    return [SeatPoints(dict(zip(SOURCES, of_seat, strict=True)), {}) for of_seat in counted]


def _counted(
    jewels: Sequence[Sequence[int]], colourless: Sequence[int], markers: Sequence[int]
) -> list[tuple[int, int, int]]:
    """Return the points by seat from each of SOURCES."""
    return [
        (
            sum(
                SET_POINTS[sum(count > layer for count in own)]
                for layer in range(JEWELS_PER_COLOUR)
            ),
            COLOURLESS_POINTS[plain],
            MARKER_POINTS * held,
        )
        for own, plain, held in zip(jewels, colourless, markers, strict=True)
    ]


def ranks(pos: Position) -> list[int]:
    """Return the places by seat: by score, then by the higher driver, of which there is
    one each (O12).
    """
    keys = list(zip(scores(pos), pos.drivers, strict=True))
    return [1 + sum(better > key for better in keys) for key in keys]
