"""Parts of a position that are values of their own: tasks, the question, history."""

from collections.abc import Callable
from typing import Any, NamedTuple

from khiva_arena.games.base import Plain

Task = tuple[Any, ...]
"""A task left to do: a function and its arguments after the position and the log (see
``steps.py``).
"""


class Offer(NamedTuple):
    """The open question of one seat.

    kind: of decision.
    seat: the asked seat.
    data: further arguments of ``answer``.
    """

    kind: str
    seat: int
    answer: Callable[..., None]
    """The function that continues, called with the position, the log, the seat, the
    entry chosen and ``data``.
    """
    data: tuple[Any, ...] = ()
    cards: tuple[Plain, ...] = ()
    """The cards that the asked seat alone looks at, as it sees them."""
    about: Plain = None
    """The subject of the question, for all to see."""


class Entry(NamedTuple):
    """A line of ``history``.

    seat: the seat that knows more than all others, or alone knows of the line; -1 for
        nobody.
    """

    public: list[Plain]
    """The part that all know; empty if only ``seat`` knows of the line at all."""
    seat: int = -1
    private: tuple[Plain, ...] = ()
    """The part that only ``seat`` knows."""
