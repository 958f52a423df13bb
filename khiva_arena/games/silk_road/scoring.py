"""What a Silk Road position is worth to each seat, and the places that follow (S18)."""

from khiva_arena.games.silk_road.state import Position
from khiva_arena.games.silk_road.tables import COLOURLESS_POINTS, JEWELS_PER_COLOUR, MARKER_POINTS, SET_POINTS


def scores(pos: Position) -> list[int]:
    """Points by seat: sets of different colours, colourless jewels, markers."""
    return [
        sum(SET_POINTS[sum(count > layer for count in jewels)] for layer in range(JEWELS_PER_COLOUR))
        + COLOURLESS_POINTS[colourless]
        + MARKER_POINTS * markers
        for jewels, colourless, markers in zip(pos.jewels, pos.colourless, pos.markers, strict=True)
    ]


def ranks(pos: Position) -> list[int]:
    """Places by seat: by score, then by the higher driver, of which there is one each (O12)."""
    keys = list(zip(scores(pos), pos.drivers, strict=True))
    return [1 + sum(other > key for other in keys) for key in keys]
