"""The hook of the extension that shows what bots report of their spending; the table
itself carries the plain totals.
"""

from collections.abc import Sequence
from typing import Protocol

from khiva_arena.common.hooks import Hook, row_of
from khiva_arena.rating.report.columns import Column, Standing
from khiva_arena.rating.report.shapes import ReportedChoices
from khiva_arena.rating.report.values import Apart

_EXTENSION = "spending"


class ShowsSpent(Protocol):
    """The words and columns for the reports of bots, all by the bots' own word."""

    def columns(self, columns: Sequence[Column], rows: Sequence[Standing]) -> list[Column]:
        """Return the columns of a table with those of the reports."""

    def notes(self, rows: Sequence[Standing]) -> list[str]:
        """Return the lines below the table."""

    def sentence(self, rows: Sequence[Standing]) -> str:
        """Return a sentence for the top of a page, "" if there is no need of one."""

    def shares(self, rows: Sequence[Standing]) -> list[ReportedChoices]:
        """Return the share of each bot's decisions by who chose; null where a bot does
        not say how many were random.
        """

    def apart(self, rows: Sequence[Standing], percent: str) -> Apart:
        """Return the bots to be listed below a line, as a flag asks. Raises ConfigError
        for what is no percentage.
        """


SHOWS_SPENT: Hook[ShowsSpent] = Hook(_EXTENSION)


def shows_spent(rows: Sequence[Standing]) -> ShowsSpent | None:
    """Return the object that shows the reports of these bots; None if none could
    report, or the extension is not installed.
    """
    if not any(row.spent or "network" in row.marks for row in rows) or row_of(_EXTENSION) is None:
        return None
    return SHOWS_SPENT.get("what bots spent")
