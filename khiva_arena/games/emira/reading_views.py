"""What a view says in names and lists, in the numbers and masks of a position."""

from collections.abc import Mapping, Sequence

from khiva_arena.games.base import Plain
from khiva_arena.games.emira.tables import EMIRA_OF

Line = tuple[Plain, ...]
"""Of the history."""


def lines_of(view: Mapping[str, Plain]) -> tuple[Line, ...]:
    """The history, as something that can be a key."""
    return tuple(map(tuple, view["history"]))


def mask_of(bits: Sequence[int]) -> int:
    """Of seats or cards."""
    return sum(1 << bit for bit in bits)


def emiras_of(names: Sequence[str]) -> list[int]:
    """By their names."""
    return [EMIRA_OF[name] for name in names]
