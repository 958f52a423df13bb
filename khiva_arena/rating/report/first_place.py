"""The sentence on who leads a table, and whether that could be luck, as the terminal,
pages of results and leagues have it.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar

from khiva_arena.rating.report.text import short

_MOST_NAMED = 6
_TOO_FEW = ", but there are too few deals to say whether that is more than luck"
_LUCK = ", but that could be luck"


class Ranked(Protocol):
    """A rated bot, as far as the sentence looks at it."""

    @property
    def name(self) -> str:
        """The name of the bot."""

    @property
    def rank(self) -> int | None:
        """Its place by Elo; 1 is best, and equal Elo shares a place."""

    @property
    def rank_interval(self) -> tuple[int, int] | None:
        """The best and the worst rank that the results leave open; None if that is not
        known.
        """


class RankedRow(NamedTuple):
    """A rated bot of a table that was read as JSON. Its fields are those of
    ``Ranked``.
    """

    name: str
    rank: int | None
    rank_interval: tuple[int, int] | None


_Row = TypeVar("_Row", bound=Ranked)


class FirstPlace(NamedTuple):
    """The first of a table.

    names: of the bots that share the first place.
    leaders: how many they are.
    why: whether that could be luck, as the end of a sentence.
    is_known: whether the results tell how sure it is.
    is_certain: whether one bot is first beyond luck.
    """

    names: str
    leaders: int
    why: str
    is_known: bool
    is_certain: bool

    def sentence(self, alone: str, *, so_far: bool = False) -> str:
        """Return the sentence. ``alone``: the verb if one bot is first. ``so_far``:
        whether more matches come.
        """
        verb = alone if self.leaders == 1 else "share the first place"
        return f"{self.names} {verb}{' so far' if so_far else ''}{self.why}."


def first_place(rows: Sequence[Ranked], blocks: int) -> FirstPlace:
    """Return who is first of rows, which are rated bots in the order of their
    table. ``blocks``: seeds that errors cluster on.
    """
    first = rows[0].rank_interval
    leaders = [row for row in rows if row.rank == rows[0].rank]
    is_known = first is not None and blocks > 1
    is_certain = is_known and len(leaders) == 1 and first == (1, 1)
    why = (
        ", and by more than luck explains"
        if is_certain
        else _LUCK + _who_else(rows)
        if is_known
        else _TOO_FEW
    )
    return FirstPlace(
        listed([short(row.name) for row in leaders]), len(leaders), why, is_known, is_certain
    )


def may_be_first(rows: Sequence[_Row]) -> list[_Row]:
    """Return the rows that may be first as well, as far as the results tell."""
    others = [row for row in rows if row.rank != rows[0].rank]
    return [row for row in others if row.rank_interval is not None and row.rank_interval[0] == 1]


def _who_else(rows: Sequence[Ranked]) -> str:
    """Return who else may be first, "" if that is nobody."""
    others = may_be_first(rows)
    if len(others) == len(rows) - 1 > 1:
        return ": the results don't tell the bots apart yet"
    return (
        f": {listed([short(row.name) for row in others], 'or')} may be as good or better"
        if others
        else ""
    )


def listed(names: Sequence[str], word: str = "and") -> str:
    """Return names as a list in a sentence, "ann, bob and carl"; of many the first
    ones.
    """
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[:_MOST_NAMED])} {word} {len(names) - _MOST_NAMED} others"
    return f" {word} ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
