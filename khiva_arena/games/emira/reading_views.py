"""The names and lists of a view, turned into the numbers and masks of a position."""

from collections.abc import Mapping, Sequence

from khiva_arena.games.base import Plain
from khiva_arena.games.emira.tables import EMIRA_OF

Line = tuple[Plain, ...]
"""A line of the history."""


def lines_of(view: Mapping[str, Plain]) -> tuple[Line, ...]:
    """Return the history in a form that can be a key."""
    return tuple(map(tuple, view["history"]))


def mask_of(bits: Sequence[int]) -> int:
    """Return the bit mask of these seats or cards."""
    return sum(1 << bit for bit in bits)


def emiras_of(names: Sequence[str]) -> list[int]:
    """Return the Emiras of these names."""
    return [EMIRA_OF[name] for name in names]
